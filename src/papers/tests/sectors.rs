//! Visibility by sectors: the quick walk held to its twin, and its error against `exact`.

#[path = "../../../tests/common/data.rs"]
#[allow(dead_code, unreachable_pub)]
mod data;

use fearless_simd::Level;
use proptest::prelude::*;
use viewcell::format::{Grid, Quad, Sample, VisibilityMode as Coded};
use viewcell::query::MappedBundle;
use viewcell_bake::live::Rebaker;
use viewcell_bake::visibility::{Bodies, HeightField, LOOK_LEVEL, Rays, Sights, Stance, Viewsheds};
use viewcell_bake::{
    BakeOptions, RebakeJob, RebakeOptions, Silent, Source, VisibilityMode, bake_terrain, rebake,
    verify,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};
use viewcell_papers::sectors::{SectorField, sees_by_sectors, write_by_sectors};

/// Side of the quad of viewpoints that a kernel computes in one call.
const SIDE: u32 = 1 << LOOK_LEVEL;

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// What each viewpoint of a quad of 16 × 16 sees.
struct Seen {
    sights: Sights,
}

impl Seen {
    /// From the quad at `corner`.
    fn new(kernel: &mut dyn Viewsheds, corner: (u32, u32)) -> Self {
        let grid = kernel.grid();
        let mut seen = Self {
            sights: Sights::new(grid),
        };
        seen.look(kernel, corner);
        seen
    }

    /// From another quad: what was seen before is not to matter.
    fn look(&mut self, kernel: &mut dyn Viewsheds, (column, row): (u32, u32)) {
        let quad = Quad::new(LOOK_LEVEL, column >> LOOK_LEVEL, row >> LOOK_LEVEL);
        kernel.look(quad, &mut self.sights);
    }

    /// What the viewpoint (x, y) of the quad sees of each block.
    fn bitmap(&self, x: u32, y: u32) -> impl Iterator<Item = u64> {
        (0..self.sights.targets()).map(move |target| self.word(x, y, target))
    }

    fn word(&self, x: u32, y: u32, target: usize) -> u64 {
        let block = (y >> 3 << 1 | x >> 3) as usize;
        let rows = self.sights.rows(block, target);
        rows.map_or(0, |rows| rows[(y % 8 * 8 + x % 8) as usize])
    }
}

/// Whether a bitmap has a sample.
fn has(terrain: &Terrain, pvs: &[u64], (column, row): (u32, u32)) -> bool {
    let grid = Grid::new(terrain.width(), terrain.height()).unwrap();
    let (word, bit) = grid.block_bit(Sample::new(column, row));
    pvs[word] >> bit & 1 == 1
}

/// Compares the walk with the twin for viewpoints of a terrain, every so manieth.
fn check(terrain: &Terrain, bodies: Bodies, sectors: u32, every: usize) {
    let field = SectorField::new(terrain, bodies, sectors, f64::INFINITY);
    let places = || (0..terrain.height()).flat_map(|r| (0..terrain.width()).map(move |c| (c, r)));
    for a in places().step_by(every) {
        let seen = field.look(Sample::new(a.0, a.1));
        let expected = sees_by_sectors(terrain, bodies, sectors, a);
        for (b, &expected) in places().zip(&expected) {
            assert_eq!(has(terrain, &seen, b), expected, "{a:?} sees {b:?}");
        }
        let bits: u32 = seen.iter().map(|word| word.count_ones()).sum();
        assert_eq!(bits as usize, expected.iter().filter(|seen| **seen).count());
    }
}

/// Heights in eighths of a metre, so that lines often touch, with voids and walls.
fn terrain(width: u32, height: u32, seed: u64, spacing: [f64; 2]) -> Terrain {
    let mut state = seed;
    let heights = (0..width * height)
        .map(|i| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(i.into());
            let die = state >> 33;
            match die % 40 {
                0 => f64::NAN,
                1 => 200.0,
                _ => (die >> 8 & 31) as f64 / 8.0 + f64::from(i % width) * (seed % 3) as f64,
            }
        })
        .collect::<Vec<f64>>();
    let heights = if heights.iter().all(|h| h.is_nan()) {
        vec![0.0; heights.len()]
    } else {
        heights
    };
    Terrain::new(width, height, heights, spacing).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_walk_says_what_the_twin_says(
        width in 1_u32..36,
        height in 1_u32..36,
        seed: u64,
        sectors in prop_oneof![1_u32..9, 9_u32..400, Just(3000)],
        spacing in prop_oneof![Just([1.0, 1.0]), Just([1.0, 2.5]), Just([1e3, 1e-3])],
        eye in prop_oneof![Just(1.8), Just(0.0), Just(30.0)],
    ) {
        let terrain = terrain(width, height, seed, spacing);
        check(&terrain, Bodies { eye, ..BODIES }, sectors, 3);
    }
}

#[test]
fn nobody_sees_further_than_the_greatest_distance() {
    let terrain = terrain(30, 20, 7, [1.0, 2.0]);
    let everything = SectorField::new(&terrain, BODIES, 500, f64::INFINITY);
    let near = SectorField::new(&terrain, BODIES, 500, 10.0);
    let mut at_the_limit = 0;
    for a in (0..14 * 16).map(|i| (16 + i % 14, i / 14)) {
        let from = Sample::new(a.0, a.1);
        let (everything, near) = (everything.look(from), near.look(from));
        for b in (0..30 * 20).map(|i| (i % 30, i / 30)) {
            let east = f64::from(b.0) - f64::from(a.0);
            let south = 2.0 * (f64::from(b.1) - f64::from(a.1));
            let distance = east.hypot(south);
            let sees = has(&terrain, &near, b);
            assert_eq!(sees, has(&terrain, &everything, b) && distance <= 10.0);
            at_the_limit += u32::from(distance == 10.0 && sees);
        }
    }
    assert!(at_the_limit > 0);
}

#[test]
fn one_sector_looks_north_and_everything_it_does_not_touch_is_visible() {
    let mut heights = vec![0.0; 5 * 9];
    heights[5 * 5 + 2] = 100.0;
    let terrain = Terrain::new(5, 9, heights, [1.0, 1.0]).unwrap();
    let visible = sees_by_sectors(&terrain, BODIES, 1, (2, 8));
    let hidden: Vec<usize> = (0..visible.len()).filter(|&i| !visible[i]).collect();
    // Behind the wall in column 2, row 5.
    assert_eq!(hidden, [2, 7, 12, 17, 22]);
    check(&terrain, BODIES, 1, 1);
}

#[test]
fn a_pocket_hides_a_player_only_where_it_is_deeper_than_he_is_high() {
    // Seen from 0, the wall in column 4 rises 4 m over the eye: behind it the line rises a metre
    // a sample.
    let mut heights = vec![0.0; 9];
    heights[0] = 4.0 - 1.8;
    heights[4] = 8.0;
    heights[5] = 9.0 - 1.8;
    heights[6] = 10.0 - 1.8 - 0.01;
    heights[7] = 11.0 - 1.8 + 0.01;
    let terrain = Terrain::new(9, 1, heights, [1.0, 1.0]).unwrap();
    let visible = sees_by_sectors(&terrain, BODIES, 4, (0, 0));
    assert_eq!(
        visible,
        [true, true, true, true, true, true, false, true, false]
    );
    check(&terrain, BODIES, 4, 1);
}

#[test]
fn a_wall_of_ten_kilometres_and_a_million_metres_of_height() {
    for scale in [1.0, 1e3] {
        let mut heights: Vec<f64> = (0..33 * 20).map(|i| f64::from(i % 7) * 0.3).collect();
        heights[300] = 1e4 * scale * 0.99;
        heights[12] = -1e6;
        let terrain = Terrain::new(33, 20, heights, [1e-3, 1e-3]).unwrap();
        check(&terrain, BODIES, 1000, 7);
    }
}

/// A real terrain, or `None` and a line that says so.
fn real(name: &str) -> Option<Terrain> {
    let path = data::data(&format!("terrain/{name}"))?;
    Some(
        read_terrain(&path, &IngestOptions::default())
            .unwrap()
            .terrain,
    )
}

#[test]
fn a_real_terrain_by_walk_and_by_twin() {
    let Some(terrain) = real("jacksboro_fault_dem.tif") else {
        return;
    };
    for sectors in [1000, 36] {
        check(&terrain, BODIES, sectors, 34_567);
    }
}

/// Of the pairs that see each other exactly, the share that sectors miss; of the hidden pairs,
/// the share that they call visible. Viewpoints are 16 × 16 blocks, every `every`-th a way.
fn errors(terrain: &Terrain, sectors: u32, every: u32) -> (f64, f64) {
    let field = HeightField::new(terrain, BODIES, Stance::Sample);
    let mut exact = Rays::new(terrain, &field, Level::new());
    let by_sectors = SectorField::new(terrain, BODIES, sectors, f64::INFINITY);
    let [mut visible, mut missed, mut falsely] = [0_u64; 3];
    let mut viewpoints = 0;
    let step = (SIDE * every) as usize;
    for row in (SIDE..terrain.height()).step_by(step) {
        for column in (SIDE..terrain.width()).step_by(step) {
            let truth = Seen::new(&mut exact, (column, row));
            for (x, y) in (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)) {
                if column + x >= terrain.width() || row + y >= terrain.height() {
                    continue;
                }
                let found = by_sectors.look(Sample::new(column + x, row + y));
                for (truth, found) in truth.bitmap(x, y).zip(found) {
                    visible += u64::from(truth.count_ones());
                    missed += u64::from((truth & !found).count_ones());
                    falsely += u64::from((found & !truth).count_ones());
                }
            }
            viewpoints += u64::from(
                (terrain.width() - column).min(SIDE) * (terrain.height() - row).min(SIDE),
            );
        }
    }
    let hidden = viewpoints * terrain.samples() as u64 - visible;
    (
        missed as f64 / visible as f64,
        falsely as f64 / hidden as f64,
    )
}

#[test]
fn the_error_against_exact_is_what_the_documentation_says() {
    let Some(terrain) = real("jacksboro_fault_dem.tif") else {
        return;
    };
    // (sectors, missed at least and at most, falsely visible at least and at most)
    for (sectors, missed, falsely) in [
        (1000, 0.20..0.22, 0.25..0.28),
        (4000, 0.26..0.29, 0.002..0.004),
    ] {
        let (a, b) = errors(&terrain, sectors, 8);
        println!("{sectors} sectors: missed {a:.4}, falsely visible {b:.4}");
        assert!(
            missed.contains(&a) && falsely.contains(&b),
            "{sectors}: {a} {b}"
        );
    }
}

#[test]
fn a_bundle_by_sectors_is_sound_and_says_what_it_is_and_is_not_re_baked() {
    let folder = tempfile::tempdir().unwrap();
    let [exact, path, other] =
        ["exact.vcb", "sectors.vcb", "other.vcb"].map(|n| folder.path().join(n));
    let terrain = terrain(50, 37, 3, [10.0, 10.0]);
    let source = Source::of_terrain(&terrain);
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        ..BakeOptions::default()
    };
    bake_terrain(&terrain, &source, &options, &exact, &Silent).unwrap();
    write_by_sectors(&terrain, &exact, 1000, &path).unwrap();
    write_by_sectors(&terrain, &exact, 36, &other).unwrap();
    assert_ne!(
        std::fs::read(&path).unwrap(),
        std::fs::read(&other).unwrap()
    );
    assert!(verify(&path, &mut |_| ()).unwrap().is_sound());
    let map = MappedBundle::open(&path).unwrap();
    let bundle = map.terrain().unwrap();
    assert_eq!(bundle.parameters().visibility, Coded::Sectors(1000));
    assert!(!bundle.parameters().mutual);
    let field = SectorField::new(&terrain, BODIES, 1000, f64::INFINITY);
    for from in bundle.grid().row_by_row().step_by(17) {
        let seen = field.look(from);
        for to in bundle.grid().row_by_row().step_by(3) {
            let expected = has(&terrain, &seen, (to.column, to.row));
            assert_eq!(bundle.visible(from, to), expected, "{from:?} {to:?}");
        }
    }
    let job = RebakeJob {
        bundle: &path,
        over: &[],
        output: Some(&other),
        patch: None,
    };
    let how = RebakeOptions {
        overwrite: true,
        ..RebakeOptions::default()
    };
    let refused = rebake(&job, &terrain, &source, &how, &Silent).unwrap_err();
    assert!(refused.to_string().contains("sectors (1000)"), "{refused}");
    assert!(Rebaker::open(&path, &[], &how).is_err());
}
