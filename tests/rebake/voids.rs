//! Ground that comes where there was none, and goes, a block at a time: what a bundle says of nothing
//! may be anything, and means something once there is ground.

use viewcell::dice::Dice;
use viewcell::query::{Layers, MappedBundle, Quad, TerrainBundle};
use viewcell_bake::{
    BakeOptions, Compression, Silent, VisibilityMode, bake_terrain, merge_patches,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::full_bake::{follow, sections};
use super::layers::{patch, same_answers};
use super::stamps::exact;

/// A terrain of which blocks are voids.
struct Ground {
    width: u32,
    height: u32,
    whole: Vec<f64>,
    now: Vec<f64>,
}

impl Ground {
    fn new(dice: &mut Dice) -> Self {
        let width = [16, 24, 33][dice.roll(3) as usize];
        let height = [8, 17, 24][dice.roll(3) as usize];
        let rough = [0.0, 0.0, 1.0, 4.0][dice.roll(4) as usize];
        let samples = 0..width * height;
        let whole: Vec<f64> = samples.map(|_| 5.0 + rough * dice.fraction()).collect();
        let now = whole.clone();
        let mut ground = Self {
            width,
            height,
            whole,
            now,
        };
        ground.change(dice);
        ground
    }

    /// One or two blocks go, come back, come back in part, or are dug.
    fn change(&mut self, dice: &mut Dice) {
        for _ in 0..1 + dice.roll(2) {
            let column = dice.roll(self.width.div_ceil(8)) * 8;
            let row = dice.roll(self.height.div_ceil(8)) * 8;
            let what = dice.roll(5);
            for r in row..(row + 8).min(self.height) {
                for c in column..(column + 8).min(self.width) {
                    let at = (r * self.width + c) as usize;
                    self.now[at] = match what {
                        0 | 1 => f64::NAN,
                        2 => self.whole[at],
                        3 if dice.roll(10) == 0 => self.whole[at],
                        3 => self.now[at],
                        _ => self.now[at] - 3.0,
                    };
                }
            }
        }
        if self.now.iter().all(|height| height.is_nan()) {
            self.now[0] = 5.0;
        }
    }

    fn terrain(&self) -> Terrain {
        Terrain::new(self.width, self.height, self.now.clone(), [30.0; 2]).unwrap()
    }
}

/// Errors with the first two quads of which one is said to see the other, or not to, where it is not so.
fn same_quads(found: TerrainBundle, expected: TerrainBundle) -> Result<(), String> {
    let grid = expected.grid();
    for level in 0..=grid.root_level() {
        let (columns, rows) = grid.quads_at(level);
        let quad = |index: u32| Quad::new(level, index % columns, index / columns);
        for a in (0..columns * rows).map(quad) {
            for b in (0..columns * rows).map(quad) {
                let [mine, theirs] = [found, expected].map(|bundle| bundle.visible_quads(a, b));
                if mine != theirs {
                    return Err(format!("{a:?} to {b:?}: {mine:?} is {theirs:?}"));
                }
            }
        }
    }
    Ok(())
}

fn compare(options: &BakeOptions, seed: u64, grounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (base, twin, merged) = (path("base.vcb"), path("twin.vcb"), path("merged.vcb"));
    let [mut last, mut next] = [path("last.vcb"), path("next.vcb")];
    let options = BakeOptions {
        threads: 1,
        overwrite: true,
        ..options.clone()
    };
    let mut dice = Dice(seed);
    for number in 0..grounds {
        let mut ground = Ground::new(&mut dice);
        for bundle in [&base, &last] {
            bake_terrain(&ground.terrain(), &source(), &options, bundle, &Silent).unwrap();
        }
        let mut patches = Vec::new();
        for change in 0..3 {
            ground.change(&mut dice);
            let terrain = ground.terrain();
            let what = || format!("seed {seed}, ground {number}, change {change}, {terrain:?}");
            let layer = path(&format!("{change}.vcp"));
            patch(&base, &patches, &terrain, &layer);
            patches.push(layer);
            bake_terrain(&terrain, &source(), &options, &twin, &Silent).unwrap();

            let (map, expected) = (MappedBundle::open(&base), MappedBundle::open(&twin));
            let (map, expected) = (map.unwrap(), expected.unwrap());
            let bytes: Vec<Vec<u8>> = patches.iter().map(|p| std::fs::read(p).unwrap()).collect();
            let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
            for patch in &bytes {
                layers.lay(patch).unwrap();
            }
            let answers = [layers.terrain(), expected.terrain().unwrap()];
            for same in [same_quads, same_answers] {
                same(answers[0], answers[1]).unwrap_or_else(|error| panic!("{error}: {}", what()));
            }

            follow(&last, &terrain, &next);
            std::mem::swap(&mut last, &mut next);
            assert!(sections(&last) == sections(&twin), "{}", what());
            merge_patches(
                &base,
                &patches,
                &merged,
                true,
                &Compression::Lossless,
                &Silent,
            )
            .unwrap();
            assert!(sections(&merged) == sections(&twin), "merged, {}", what());
        }
    }
}

#[test]
fn ground_that_comes_and_goes_is_seen_as_a_bake_sees_it() {
    compare(&exact(), 31, 16);
    let conservative = BakeOptions {
        mode: VisibilityMode::Conservative,
        ..exact()
    };
    compare(&conservative, 32, 16);
}

#[test]
fn ground_that_comes_and_goes_beyond_the_greatest_distance_is_hidden() {
    for (seed, metres) in [(33, 100.0), (34, 205.0), (35, 400.0)] {
        let near = |options| BakeOptions {
            max_distance: Some(metres),
            ..options
        };
        compare(&near(exact()), seed, 6);
        compare(&near(BakeOptions::default()), seed, 6);
    }
}

#[test]
fn ground_that_comes_and_goes_is_seen_where_sight_is_not_mutual() {
    let taller = BakeOptions {
        eye_height: 3.0,
        ..exact()
    };
    compare(&taller, 36, 8);
    let taller = BakeOptions {
        mode: VisibilityMode::Conservative,
        ..taller
    };
    compare(&taller, 37, 8);
}
