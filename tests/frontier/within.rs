//! Look-ahead in bundles of coarse cells.

use std::path::Path;

use viewcell::internals::bake::{BakeOptions, Silent, VisibilityMode, bake_terrain};
use viewcell::internals::ingest::{IngestOptions, read_terrain};
use viewcell::internals::runtime::{Extent, MappedBundle, Sample};

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
    let step = terrain.parameters().spacing.map(|side| side / 8.0);
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
    let [dx, dy] = terrain.parameters().spacing.map(|side| side / 8.0);
    let mut hidden = 0;
    for a in (0..120 * 96).step_by(7).map(|i| [i % 120, i / 120]) {
        for b in (3..120 * 96).step_by(397).map(|i| [i % 120, i / 120]) {
            let cell = |[column, row]: [u32; 2]| Sample::new(column / 8, row / 8);
            let seen = terrain.visible(cell(a), cell(b));
            let region = |[column, row]: [u32; 2]| {
                Extent::ball([f64::from(column) * dx, f64::from(row) * dy, 0.0], 0.0)
            };
            let told = terrain.visible_between(&region(a), &region(b));
            assert_eq!(told, seen, "{a:?} {b:?}");
            hidden += u32::from(!told);
        }
    }
    assert!(hidden > 1_000, "{hidden}");
}
