//! The modes of visibility side by side, compared pair by pair.
//!
//! Two yardsticks. *Exact* is the definition for samples, compared on every ordered pair. *Motion*
//! is what players between the samples can see: two cells see each other if any position of one
//! sees a head at any position of the other, on any of the three surfaces. Random positions can
//! only show that they do, so that a share of pairs that see each other in motion is a lower
//! bound, and a share called visible wrongly an upper bound.

use rayon::prelude::*;
use serde::Serialize;

use viewcell::dice::{Dice, mixed};
use viewcell::query::{Sample, TerrainBundle};
use viewcell_bake::visibility::{Bodies, find_sight};
use viewcell_ingest::world::Terrain;

/// How to look for lines of sight between the samples.
#[derive(Clone, Copy, Debug)]
pub struct MotionOptions {
    /// Heights of eyes and heads, as in the bundles.
    pub bodies: Bodies,
    /// Nobody sees further than this over the ground, in metres, as in the bundles.
    pub max_distance: f64,
    /// Pairs of cells to search.
    pub pairs: u32,
    /// Random lines of sight tried on each.
    pub positions: u32,
}

/// How a mode differs from a yardstick.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Against {
    /// Of the pairs that see each other by the yardstick, the share that the mode calls hidden.
    pub missed: f64,
    /// Of the pairs that the mode calls visible, the share that do not see each other by the
    /// yardstick.
    pub falsely_visible: f64,
}

/// What one mode calls visible.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ModeShares {
    /// Share of ordered pairs of samples that it calls visible.
    pub visible: f64,
    /// Against the definition for samples, all pairs.
    pub against_exact: Against,
    /// Against motion between the samples, by random pairs and positions.
    pub against_motion: Against,
}

/// The pairs that were searched for lines of sight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MotionSample {
    /// Pairs of cells searched, all of which `conservative` calls visible.
    pub pairs: u32,
    /// Random lines of sight tried on each that showed none at once.
    pub positions: u32,
    /// Share of all ordered pairs that see each other in motion: at least so many.
    pub visible: f64,
}

/// The modes side by side.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// Samples with terrain.
    pub samples: u64,
    /// What was tried between the samples.
    pub motion: MotionSample,
    /// Exact, conservative, sectors.
    pub modes: [ModeShares; 3],
}

/// Compares bundles of `terrain` in the modes exact, conservative and sectors. Of bundles of the
/// round earth, `terrain` is the ground that was lowered ([`viewcell_bake::visibility::Curvature::lower`]).
pub fn compare_modes(
    terrain: &Terrain,
    bundles: [TerrainBundle<'_>; 3],
    options: &MotionOptions,
) -> Compared {
    let counts = count(&bundles);
    let motion = search(terrain, &bundles, options, counts.seen[1]);
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let pairs = counts.samples as f64 * counts.samples as f64;
    let modes = [0, 1, 2].map(|k: usize| {
        let (seen, both) = (counts.seen[k] as f64, counts.with_exact[k] as f64);
        let (exact, found) = (counts.seen[0] as f64, motion.found[k]);
        ModeShares {
            visible: share(seen, pairs),
            against_exact: Against {
                missed: share(exact - both, exact),
                falsely_visible: share(seen - both, seen),
            },
            against_motion: Against {
                missed: share(motion.all - found, motion.all),
                // By a sample, which may be off by more than there is.
                falsely_visible: share(seen - found, seen).max(0.0),
            },
        }
    });
    Compared {
        samples: counts.samples,
        motion: MotionSample {
            pairs: motion.pairs,
            positions: options.positions,
            visible: share(motion.all, pairs),
        },
        modes,
    }
}

/// Ordered pairs, by mode.
#[derive(Clone, Copy, Default)]
struct Counts {
    samples: u64,
    seen: [u64; 3],
    with_exact: [u64; 3],
}

/// Compares all PVSs of level 0, word by word.
fn count(bundles: &[TerrainBundle<'_>]) -> Counts {
    let grid = bundles[0].grid();
    let add = |a: Counts, b: Counts| {
        let sum = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|k| a[k] + b[k]);
        Counts {
            samples: a.samples + b.samples,
            seen: sum(a.seen, b.seen),
            with_exact: sum(a.with_exact, b.with_exact),
        }
    };
    (0..grid.height())
        .into_par_iter()
        .map(|row| {
            let mut bitmaps = vec![vec![0u64; grid.blocks()]; bundles.len()];
            let mut counts = Counts::default();
            for column in 0..grid.width() {
                let place = Sample::new(column, row);
                for (bundle, bitmap) in bundles.iter().zip(&mut bitmaps) {
                    bitmap.fill(0);
                    if let Some(pvs) = bundle.pvs(place.quad()) {
                        pvs.expand(bitmap);
                    }
                }
                // Who stands on terrain sees at least himself.
                counts.samples += u64::from(bitmaps[0].iter().any(|word| *word != 0));
                let common = |a: &[u64], b: &[u64]| -> u64 {
                    a.iter()
                        .zip(b)
                        .map(|(a, b)| u64::from((a & b).count_ones()))
                        .sum()
                };
                for (k, bitmap) in bitmaps.iter().enumerate() {
                    counts.seen[k] += common(bitmap, bitmap);
                    counts.with_exact[k] += common(bitmap, &bitmaps[0]);
                }
            }
            counts
        })
        .reduce(Counts::default, add)
}

/// What searching for lines of sight found, in ordered pairs.
struct Motion {
    pairs: u32,
    /// Pairs that see each other.
    all: f64,
    /// Of these, those that each mode calls visible.
    found: [f64; 3],
}

/// Searches pairs that `conservative` calls visible, of which there are `visible`: a viewpoint at
/// random, one of the cells that it sees at random, and counted as often as it sees cells.
fn search(
    terrain: &Terrain,
    bundles: &[TerrainBundle<'_>],
    options: &MotionOptions,
    visible: u64,
) -> Motion {
    let grid = bundles[1].grid();
    let searched: Vec<Option<(f64, [bool; 4])>> = (0..options.pairs)
        .into_par_iter()
        .map(|k| {
            let mut dice = Dice(mixed(u64::from(k)));
            let from = Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
            let pvs = bundles[1].pvs(from.quad())?;
            let sees = pvs.count();
            let nth = u64::from(dice.roll(u32::try_from(sees).unwrap_or(u32::MAX)));
            let to = pvs.samples().nth(nth as usize)?;
            let place = |at: Sample| (at.column, at.row);
            let found = find_sight(
                terrain,
                options.bodies,
                options.max_distance,
                place(from),
                place(to),
                options.positions,
                u64::from(k),
            );
            let modes = [0, 1, 2].map(|mode: usize| found && bundles[mode].visible(from, to));
            Some((sees as f64, [modes[0], modes[1], modes[2], found]))
        })
        .collect();
    let whole: f64 = searched.iter().flatten().map(|(weight, _)| weight).sum();
    let part = |k: usize| -> f64 {
        let part = searched.iter().flatten().filter(|(_, found)| found[k]);
        let part: f64 = part.map(|(weight, _)| weight).sum();
        if whole > 0.0 {
            visible as f64 * part / whole
        } else {
            0.0
        }
    };
    Motion {
        pairs: searched.iter().flatten().count() as u32,
        all: part(3),
        found: [part(0), part(1), part(2)],
    }
}

/// The middle of a terrain, so many quarters of its sides; `None` where that is all void.
pub fn middle(terrain: &Terrain, quarters: u32) -> Option<Terrain> {
    let side = |side: u32| (side * quarters / 4).max(1);
    let (width, height) = (side(terrain.width()), side(terrain.height()));
    let (left, top) = (
        (terrain.width() - width) / 2,
        (terrain.height() - height) / 2,
    );
    let rows = top..top + height;
    let heights = rows.flat_map(|row| (left..left + width).map(move |c| terrain.at(c, row)));
    let part = Terrain::new(width, height, heights.collect(), terrain.spacing());
    part.ok()
}
