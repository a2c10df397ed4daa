//! Lagrangian rate-distortion optimization of graded bundles, to fit one into a budget of bytes. The pairs of blocks are
//! pruned ([`crate::compress::pairs::PairPruner`]) level by level, from the lowest up: what pruning makes visible at one level
//! must be visible in the unions of the levels above.

use super::levels::{GradedLevel, Levels};
use super::pass::{LevelAssembly, Pass, Trade};
use crate::bundle::{Provenance, Statistics, Written};
use crate::compress::pairs::{Codebook, Histogram, PairPruner, PairSymbols};
use crate::job::budget::options::{Budget, Weight};
use crate::job::budget::search::{Candidates, Estimate, fit};
use crate::job::budget::weights::Weights;
use crate::job::error::BakeError;
use viewcell::format::Answer;
use viewcell::format::pairs::table_length;

/// Writes a bundle within a budget, lossless if that fits. What was lost is added to the provenance, which already has the
/// statistics.
///
/// Fails where no bundle is that small.
pub(super) fn shrink(
    assembly: &LevelAssembly,
    original: Pass,
    budget: &Budget,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let empty = assembly.writer(true, &[])?;
    let bundles = GradedBundles {
        assembly,
        original,
        weights: weights(&assembly.levels, &budget.weight),
        growth: match budget.weight {
            // Each level has a quarter of the blocks of the one below: all levels are worth the same.
            Weight::Level => 4.0,
            // A bit covers sixteen times as many pairs of view cells.
            _ => 16.0,
        },
        fixed: empty.bytes_beside_pvss(provenance)?,
    };
    fit(&bundles, budget, provenance)
}

/// The bundles of tree code 3 that the groups make.
struct GradedBundles<'a> {
    assembly: &'a LevelAssembly<'a>,
    /// The pass that gives up nothing.
    original: Pass,
    /// By level.
    weights: Vec<Weights>,
    /// As [`Trade::growth`].
    growth: f64,
    /// Bytes that do not depend on the multiplier, or slightly more.
    fixed: u64,
}

/// What a thread has counted, and its scratch memory.
#[derive(Default)]
struct CountScratch {
    histogram: Histogram,
    pruned: PairSymbols,
}

impl GradedBundles<'_> {
    fn trade<'a>(&'a self, codebook: &'a Codebook, area: f64) -> Trade<'a> {
        Trade {
            pruner: PairPruner::new(codebook),
            area,
            weights: &self.weights,
            growth: self.growth,
        }
    }
}

impl Candidates for GradedBundles<'_> {
    type Kept = Pass;

    fn groups(&self) -> usize {
        self.assembly.groups()
    }

    fn histogram(&self) -> &Histogram {
        &self.original.histogram
    }

    fn least(&self) -> Result<u64, BakeError> {
        let dictionary = Codebook::new(&Histogram::default()).cost();
        Ok(self.fixed + dictionary + self.original.head_bytes())
    }

    fn estimate(
        &self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Estimate, BakeError> {
        let (levels, trade) = (&self.assembly.levels, self.trade(codebook, trade));
        let (mut around, mut groups) = (0, 0);
        let rooms = self.assembly.workers.run(
            (0..self.groups()).step_by(stride),
            |number| self.assembly.read(&self.original, number),
            |room: &mut CountScratch, number, bytes| {
                let (at, own) = levels.find(number);
                let told = levels.told_by(at, own);
                let group = levels.decode(&bytes, told.len())?;
                let sights = told.iter().zip(&group.sights);
                let mixed = sights.filter(|&(_, &sight)| sight == Answer::Mixed);
                let mut pairs = 0;
                for ((&target, _), pair) in mixed.zip(group.pairs.iter()) {
                    if trade.prune(levels, at, [own, target], pair, &mut room.pruned) {
                        room.histogram.count(room.pruned.pair());
                        pairs += 1;
                    }
                }
                // Pruning never makes the head longer.
                Some(u64::from(self.original.heads[number]) + table_length(pairs) as u64)
            },
            |number, bytes| {
                around += bytes.ok_or_else(|| self.assembly.stored.damaged(number))?;
                groups += 1;
                Ok(())
            },
        )?;
        let mut histogram = Histogram::default();
        rooms.iter().for_each(|room| histogram.add(&room.histogram));
        let groups = [groups, self.groups() as u64];
        Ok(Estimate::of_sample(histogram, around, groups, self.fixed))
    }

    fn keep(&self, codebook: &Codebook, trade: f64) -> Result<Pass, BakeError> {
        self.assembly.pass(Some(&self.trade(codebook, trade)))
    }

    fn bytes(&self, kept: Option<&Pass>) -> u64 {
        let [dictionary, groups] = kept.unwrap_or(&self.original).bytes();
        self.fixed + dictionary + groups
    }

    fn statistics(&self, kept: Option<&Pass>) -> Statistics {
        self.assembly.statistics(kept.unwrap_or(&self.original))
    }

    fn write(
        &self,
        kept: Option<&Pass>,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BakeError> {
        let pass = kept.unwrap_or(&self.original);
        self.assembly.write(pass, kept.is_some(), provenance, most)
    }
}

/// The weights of hidden area for the cells of each level: a larger cell has the mean of its view cells.
fn weights(levels: &Levels, weight: &Weight) -> Vec<Weights> {
    let cells = &levels.all[0];
    let of_level = |(at, level): (u32, &GradedLevel)| {
        let Weight::Places(places) = weight else {
            return Weights::new(&level.valid, weight);
        };
        let grid = level.grid;
        let mut sums = vec![(0.0, 0.0); grid.samples() as usize];
        for (sample, weight) in cells.grid.row_by_row().zip(places) {
            let (word, bit) = cells.grid.block_bit(sample);
            if cells.valid.blocks()[word] >> bit & 1 == 1 {
                let (column, row) = (sample.column >> at, sample.row >> at);
                let sum = &mut sums[row as usize * grid.width() as usize + column as usize];
                *sum = (sum.0 + weight, sum.1 + 1.0);
            }
        }
        let means = sums
            .into_iter()
            .map(|(sum, cells)| if cells > 0.0 { sum / cells } else { 0.0 });
        Weights::new(&level.valid, &Weight::Places(means.collect()))
    };
    (0..).zip(&levels.all).map(of_level).collect()
}
