//! Visibility by sectors: the kernel held to its twin, and its error against `exact`.

#[path = "common/data.rs"]
mod data;

use fearless_simd::Level;
use proptest::prelude::*;
use viewcell::format::Quad;
use viewcell_bake::visibility::{
    Bodies, HeightField, LOOK_LEVEL, Rays, SectorField, Sectors, Sights, Simd, Stance, Viewsheds,
    sees_by_sectors,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// Side of the quad of viewpoints that a kernel computes in one call.
const SIDE: u32 = 1 << LOOK_LEVEL;

const BODIES: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// What each viewpoint of a quad of 16 × 16 sees.
struct Seen {
    sights: Sights,
    blocks_x: usize,
}

impl Seen {
    /// From the quad at `corner`.
    fn new(kernel: &mut dyn Viewsheds, corner: (u32, u32)) -> Self {
        let grid = kernel.grid();
        let mut seen = Self {
            sights: Sights::new(grid),
            blocks_x: grid.block_shape().0 as usize,
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

    fn sees(&self, x: u32, y: u32, (c, r): (u32, u32)) -> bool {
        let target = r as usize / 8 * self.blocks_x + c as usize / 8;
        self.word(x, y, target) >> (r % 8 * 8 + c % 8) & 1 == 1
    }
}

/// Compares the kernel with the twin for all viewpoints of a small terrain.
fn check(terrain: &Terrain, bodies: Bodies, sectors: u32, level: Level) {
    let field = SectorField::new(terrain, bodies, sectors);
    let mut kernel = Sectors::new(&field, level);
    let mut seen = Seen::new(&mut kernel, (0, 0));
    for row in (0..terrain.height()).step_by(SIDE as usize) {
        for column in (0..terrain.width()).step_by(SIDE as usize) {
            seen.look(&mut kernel, (column, row));
            for (x, y) in (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)) {
                let a = (column + x, row + y);
                if a.0 >= terrain.width() || a.1 >= terrain.height() {
                    assert!(seen.bitmap(x, y).all(|word| word == 0));
                    continue;
                }
                let expected = sees_by_sectors(terrain, bodies, sectors, a);
                let mut visible = 0;
                for (i, &expected) in expected.iter().enumerate() {
                    let b = (i as u32 % terrain.width(), i as u32 / terrain.width());
                    assert_eq!(seen.sees(x, y, b), expected, "{a:?} sees {b:?}");
                    visible += u32::from(expected);
                }
                let bits: u32 = seen.bitmap(x, y).map(u64::count_ones).sum();
                assert_eq!(bits, visible, "bits outside the grid");
            }
        }
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
    fn the_kernel_says_what_the_twin_says(
        width in 1_u32..36,
        height in 1_u32..36,
        seed: u64,
        sectors in prop_oneof![1_u32..9, 9_u32..400, Just(3000)],
        spacing in prop_oneof![Just([1.0, 1.0]), Just([1.0, 2.5]), Just([1e3, 1e-3])],
        eye in prop_oneof![Just(1.8), Just(0.0), Just(30.0)],
        scalar: bool,
    ) {
        let terrain = terrain(width, height, seed, spacing);
        let level = if scalar { Simd::Baseline } else { Simd::Auto }.level().unwrap();
        check(&terrain, Bodies { eye, ..BODIES }, sectors, level);
    }
}

#[test]
fn nobody_sees_further_than_the_greatest_distance() {
    let terrain = terrain(30, 20, 7, [1.0, 2.0]);
    let everything = SectorField::new(&terrain, BODIES, 500);
    let near = SectorField::new(&terrain, BODIES, 500).with_max_distance(10.0);
    let everything = Seen::new(&mut Sectors::new(&everything, Level::new()), (16, 0));
    let near = Seen::new(&mut Sectors::new(&near, Level::new()), (16, 0));
    let mut at_the_limit = 0;
    for (x, y) in (0..14 * 16).map(|i| (i % 14, i / 14)) {
        for b in (0..30 * 20).map(|i| (i % 30, i / 30)) {
            let east = f64::from(b.0) - f64::from(16 + x);
            let south = 2.0 * (f64::from(b.1) - f64::from(y));
            let distance = east.hypot(south);
            assert_eq!(
                near.sees(x, y, b),
                everything.sees(x, y, b) && distance <= 10.0
            );
            at_the_limit += u32::from(distance == 10.0 && near.sees(x, y, b));
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
    check(&terrain, BODIES, 1, Level::new());
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
    check(&terrain, BODIES, 4, Level::new());
}

#[test]
fn a_wall_of_ten_kilometres_and_a_million_metres_of_height() {
    for scale in [1.0, 1e3] {
        let mut heights: Vec<f64> = (0..33 * 20).map(|i| f64::from(i % 7) * 0.3).collect();
        heights[300] = 1e4 * scale * 0.99;
        heights[12] = -1e6;
        let terrain = Terrain::new(33, 20, heights, [1e-3, 1e-3]).unwrap();
        check(&terrain, BODIES, 1000, Level::new());
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
fn a_real_terrain_by_kernel_and_by_twin() {
    let Some(terrain) = real("jacksboro_fault_dem.tif") else {
        return;
    };
    for sectors in [1000, 36] {
        let field = SectorField::new(&terrain, BODIES, sectors);
        let mut kernel = Sectors::new(&field, Level::new());
        for corner in [(0, 0), (192, 160), (400, 336)] {
            let seen = Seen::new(&mut kernel, corner);
            for (x, y) in [(0, 0), (2, 5)] {
                let a = (corner.0 + x, corner.1 + y);
                let expected = sees_by_sectors(&terrain, BODIES, sectors, a);
                for (i, &expected) in expected.iter().enumerate() {
                    let b = (i as u32 % terrain.width(), i as u32 / terrain.width());
                    assert_eq!(seen.sees(x, y, b), expected, "{a:?} sees {b:?}");
                }
            }
        }
    }
}

/// Of the pairs that see each other exactly, the share that sectors miss; of the hidden pairs,
/// the share that they call visible. Viewpoints are 16 × 16 blocks, every `every`-th a way.
fn errors(terrain: &Terrain, sectors: u32, every: u32) -> (f64, f64) {
    let field = HeightField::new(terrain, BODIES, Stance::Sample);
    let mut exact = Rays::new(terrain, &field, Level::new());
    let by_sectors = SectorField::new(terrain, BODIES, sectors);
    let mut approximate = Sectors::new(&by_sectors, Level::new());
    let [mut visible, mut missed, mut falsely] = [0_u64; 3];
    let mut viewpoints = 0;
    let step = (SIDE * every) as usize;
    for row in (SIDE..terrain.height()).step_by(step) {
        for column in (SIDE..terrain.width()).step_by(step) {
            let truth = Seen::new(&mut exact, (column, row));
            let found = Seen::new(&mut approximate, (column, row));
            for (x, y) in (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)) {
                for (truth, found) in truth.bitmap(x, y).zip(found.bitmap(x, y)) {
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
        let (a, b) = errors(&terrain, sectors, 5);
        println!("{sectors} sectors: missed {a:.4}, falsely visible {b:.4}");
        assert!(
            missed.contains(&a) && falsely.contains(&b),
            "{sectors}: {a} {b}"
        );
    }
}
