//! Look-ahead in bundles of coarse cells.

use std::path::Path;

use viewcell::query::{
    Extent, MappedBundle, Motion, MotionLimits, Mover, Predictor, ReachableSet, Sample, World,
};
use viewcell_bake::{BakeOptions, Silent, VisibilityMode, bake_terrain};
use viewcell_ingest::{IngestOptions, read_terrain};

use crate::baking::source;

/// Cells of 8 × 8 samples.
fn coarse() -> (tempfile::TempDir, MappedBundle) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coarse.vcb");
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        finest: 3,
        threads: 1,
        ..BakeOptions::default()
    };
    let ingest = IngestOptions {
        crop: Some([100, 100, 120, 96]),
        ..IngestOptions::default()
    };
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let world = read_terrain(&input, &ingest).unwrap().terrain;
    bake_terrain(&world, &source(), &options, &path, &Silent).unwrap();
    (folder, MappedBundle::open(&path).unwrap())
}

#[test]
fn look_ahead_starts_from_the_sample_and_not_from_all_of_its_cell() {
    let (_folder, map) = coarse();
    let terrain = map.terrain().unwrap();
    let grid = terrain.grid();
    assert_eq!((grid.width(), grid.height()), (15, 12));
    let step = terrain.parameters().cell_spacing.map(|side| side / 8.0);
    let reach = step[0].min(step[1]);
    let mut tighter = 0;
    for a in grid.row_by_row() {
        for b in grid.row_by_row() {
            // Sample 3 of 8 is three samples from the cell's north-western sides.
            let inner = |cell: Sample| Sample::new(cell.column * 8 + 3, cell.row * 8 + 3);
            let ask = |reach| terrain.samples_visible_within(inner(a), inner(b), [reach; 2]);
            let now = terrain.visible(a, b);
            assert_eq!(
                ask(2.9 * reach),
                now,
                "{a:?} {b:?}: nobody has left their cell"
            );
            let (part, whole) = (3.1 * reach, terrain.visible_within(a, b, [3.1 * reach; 2]));
            assert!(now <= ask(part) && ask(part) <= whole, "{a:?} {b:?}");
            tighter += u32::from(!ask(part) && whole);
        }
    }
    assert!(tighter > 0);
    assert!(!terrain.samples_visible_within(Sample::new(120, 0), Sample::new(0, 0), [1.0; 2]));
}

/// Regions were laid over cells as if metres counted from the middle of the first cell: who was in the last
/// half of a cell was looked for in the next one.
#[test]
fn somebody_in_a_region_is_in_the_cell_that_holds_it() {
    let (_folder, map) = coarse();
    let terrain = map.terrain().unwrap();
    let [dx, dy] = terrain.parameters().cell_spacing.map(|side| side / 8.0);
    let mut hidden = 0;
    for a in (0..120 * 96).step_by(7).map(|i| [i % 120, i / 120]) {
        for b in (3..120 * 96).step_by(397).map(|i| [i % 120, i / 120]) {
            let cell = |[column, row]: [u32; 2]| Sample::new(column / 8, row / 8);
            let seen = terrain.visible(cell(a), cell(b));
            let region = |[column, row]: [u32; 2]| {
                Extent::ball([f64::from(column) * dx, f64::from(row) * dy, 0.0], 0.0)
            };
            let told = terrain.visible_regions(&region(a), &region(b));
            assert_eq!(told, seen, "{a:?} {b:?}");
            hidden += u32::from(!told);
        }
    }
    assert!(hidden > 1_000, "{hidden}");
}

/// Who was off the grid was told to see nobody and to be seen by nobody: by omission, and in silence.
#[test]
fn a_player_off_the_grid_of_a_terrain_sees_all_and_is_seen_by_all() {
    let (_folder, map) = coarse();
    let terrain = map.terrain().unwrap();
    let world = World::Terrain(terrain);
    let [dx, dy] = terrain.parameters().sample_spacing();
    let limits = MotionLimits {
        speed: [1.0; 2],
        acceleration: [10.0; 2],
        impulse: [1.0; 2],
        error: [0.0; 2],
    };
    let standing = |column: f64, row: f64| Motion {
        position: [column * dx, row * dy, 0.0],
        velocity: Some([0.0; 3]),
    };
    let here = standing(60.0, 50.0);
    let seen_there = |motion: &Motion| {
        let times = [0.0, 0.1];
        let mover = |motion: &Motion| Mover {
            motion: *motion,
            limits,
            times,
        };
        let (from, to) = (mover(&here), mover(motion));
        let told = world.sees_in_motion(&from, &to);
        let set = |mover: &Mover| {
            let mut set = ReachableSet::new(world);
            set.set(mover);
            set
        };
        let mut predictor = Predictor::new(world, limits, 2);
        predictor.moved(0, 0.0, here);
        predictor.moved(1, 0.0, *motion);
        let all = [
            world.sees_in_motion(&to, &from),
            set(&from).sees(&set(&to)),
            set(&to).meets(&set(&from)),
            predictor.may_see(0, 1, times),
        ];
        assert_eq!(all, [told; 4], "{motion:?}");
        told
    };
    // A step off each side, far away, and where no number is.
    for (column, row) in [
        (-0.6, 50.0),
        (119.6, 50.0),
        (60.0, -0.6),
        (60.0, 95.6),
        (1e9, -1e9),
        (f64::NAN, 50.0),
    ] {
        assert!(seen_there(&standing(column, row)), "{column},{row}");
    }
    let places = (0..12_u32).flat_map(|row| (0..15_u32).map(move |column| [column, row]));
    let hidden = places
        .filter(|[column, row]| !seen_there(&standing(f64::from(column * 8), f64::from(row * 8))));
    assert!(hidden.count() > 10, "some are hidden on the grid");
    // By regions alone: that which lies off the grid is seen; that which reaches over its edge is what is on it.
    let region = |[left, right]: [f64; 2]| {
        Extent::of_box([[left * dx, 40.0 * dy, 0.0], [right * dx, 41.0 * dy, 0.0]])
    };
    let inside = region([60.0, 61.0]);
    assert!(terrain.visible_regions(&inside, &region([-9.0, -2.0])));
    assert!(terrain.visible_regions(&region([125.0, 130.0]), &inside));
}
