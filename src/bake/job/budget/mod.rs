//! Lagrangian rate-distortion optimization: a bundle within a budget of bytes that loses least hidden area. This file
//! finds what a given multiplier (hidden area for a byte) leads to; [`search`] finds the multiplier.

pub(crate) mod deepest_first;
pub(crate) mod options;
mod pruning;
mod search;
mod weights;

use super::budget::options::Budget;
use super::budget::pruning::{GroupScratch, KeptTrees, Pruning};
use super::budget::weights::Weights;
use super::encode::Assembly;
use super::encode::first_pass::{FirstPass, Heads, Tally, Trees};
use super::encode::write;
use super::error::BakeError;
use super::store::file::Store;
use crate::bundle::{PairsWriter, Provenance, Written, trees_in_order};
use crate::compress::pairs::{Codebook, Histogram, PairPruner};
use viewcell::format::Answer;
use viewcell::format::pairs::{TREE_LEVEL, table_length};
use viewcell::format::{ReadPvs, TreeCode, Valid};

/// A first pass without loss, and what is asked of it.
pub(crate) struct Search<'a> {
    pub assembly: &'a Assembly<'a>,
    pub original: FirstPass,
    pruning: Pruning<'a>,
    /// Bytes that do not depend on the trade, or some more.
    pub fixed: u64,
}

/// What a trade comes to, by some of the groups.
pub(crate) struct Estimate {
    /// Bytes of the whole file.
    pub bytes: u64,
    pub histogram: Histogram,
}

impl Search<'_> {
    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.pruning.order.len()
    }

    /// What a trade comes to, by every `stride`-th group.
    pub(super) fn estimate(
        &self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Estimate, BakeError> {
        let pruner = PairPruner::new(codebook);
        let trees = self.prune_trees(trade)?;
        let (source, pruning) = (self.assembly.groups, &self.pruning);
        let narrowing = trees.narrowing(pruning);
        let (mut around, mut groups) = (0, 0);
        let rooms = self.assembly.workers.run(
            (0..pruning.order.len()).step_by(stride),
            |number| Ok(source.read(number)?),
            |room: &mut GroupScratch, number, bytes| {
                let group = source.decode(&bytes)?;
                let from = pruning.order.index(number);
                room.look(&narrowing, pruning.order.block(number));
                let sights = pruning.sights(number, &group);
                let mixed = sights.filter(|&(sight, _)| sight == Answer::Mixed);
                let mut pairs = 0;
                for ((_, to), pair) in mixed.zip(group.pairs.iter()) {
                    let open = room.open(to);
                    if pruning.prune(&pruner, trade, (from, to), open, pair, &mut room.pair) {
                        room.tally.histogram.count(room.pair.pair());
                        pairs += 1;
                    }
                }
                // With a loss the head becomes no longer.
                Some(u64::from(self.original.heads[number]) + table_length(pairs) as u64)
            },
            |number, bytes| {
                around += bytes.ok_or_else(|| source.damaged(number))?;
                groups += 1;
                Ok(())
            },
        )?;
        let histogram = Tally::sum(rooms.into_iter().map(|room| room.tally)).histogram;
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost() - dictionary + around;
        let all = sampled * pruning.order.len() as u64 / groups;
        Ok(Estimate {
            bytes: self.fixed + dictionary + all + trees.bytes(),
            histogram,
        })
    }

    /// What is kept of the trees at a trade: from the root down, so that what is hidden from a quad
    /// need not be paid again in the quads that it holds.
    fn prune_trees(&self, trade: f64) -> Result<KeptTrees, BakeError> {
        let (pruning, originals) = (&self.pruning, &self.original.trees);
        let mut kept = KeptTrees::new(pruning);
        for level in (TREE_LEVEL..pruning.valid.grid().levels()).rev() {
            let quads = pruning.quads.iter().enumerate();
            let of_level = quads.filter(|(_, (quad, _))| quad.level == level);
            let mut pruned = Vec::new();
            self.assembly.workers.run(
                of_level.map(|(number, _)| number),
                |_| Ok(()),
                |room, number, ()| {
                    let tree = originals.tree(number);
                    pruning.prune_tree(number, tree, &kept.trees(pruning), trade, room)
                },
                |number, tree| {
                    pruned.push((number, tree));
                    Ok(())
                },
            )?;
            for (number, tree) in pruned {
                kept.push(pruning, number, &tree);
            }
        }
        Ok(kept)
    }

    /// Bytes of the file if everything is given up that can be, or some more.
    pub(super) fn least(&self) -> Result<u64, BakeError> {
        let dictionary = Codebook::new(&Histogram::default()).cost();
        let trees = self.prune_trees(EVERYTHING)?.bytes();
        Ok(self.fixed + dictionary + self.original.head_bytes() + trees)
    }

    /// All that is kept at a trade, and what it comes to.
    pub(super) fn keep(
        &self,
        codebook: &Codebook,
        trade: f64,
    ) -> Result<(Store, FirstPass), BakeError> {
        let pruner = PairPruner::new(codebook);
        let trees = self.prune_trees(trade)?;
        let (assembly, pruning) = (self.assembly, &self.pruning);
        let narrowing = trees.narrowing(pruning);
        let (source, order) = (assembly.groups, pruning.order);
        let mut store = Store::scratch(assembly.place.path, order.len())?;
        let mut heads = Heads::new(pruning.valid, order, pruning.mutual);
        let mut pass = FirstPass::new(Tally::default());
        let rooms = assembly.workers.run(
            0..order.len(),
            |number| Ok(source.read(number)?),
            |room: &mut GroupScratch, number, bytes| {
                let group = source.decode(&bytes)?;
                let kept = pruning.prune_group(number, &group, &pruner, &narrowing, trade, room);
                let encoded = kept.encode(number, order);
                Some((kept.sights, encoded))
            },
            |number, kept| {
                let (mut sights, encoded) = kept.ok_or_else(|| source.damaged(number))?;
                let encoded = encoded.map_err(|error| store.cannot_encode(error))?;
                store.append(&[(number, encoded)])?;
                let (head, records) = heads.push(&mut sights, Vec::new(), |_, _| ());
                pass.push_head(&head, records);
                Ok(())
            },
        )?;
        pass.tally = Tally::sum(rooms.into_iter().map(|room| room.tally));
        let mut kept = Trees::default();
        assembly.workers.run(
            0..pruning.quads.len(),
            |number| Ok(pruning.quads[number].0),
            |(): &mut (), _, quad| narrowing.of_tree(quad).map_or(0, |pvs| pvs.count()),
            |number, visible| {
                kept.push(trees.tree(number), visible);
                Ok(())
            },
        )?;
        pass.trees = kept;
        Ok((store, pass))
    }
}

/// A trade that gives up everything.
pub(crate) const EVERYTHING: f64 = 1e40;

/// Bytes by which a bundle may be reckoned too large.
const RECKONING: u64 = 2048;

/// Writes a bundle within a budget; without loss if it fits. The provenance is given the
/// statistics, and what was lost.
///
/// Errors where nothing comes to so few bytes.
pub(crate) fn shrink(
    assembly: &Assembly,
    budget: &Budget,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let place = assembly.place;
    let valid = place.valid;
    let original = FirstPass::of(assembly)?;
    provenance.statistics = original.statistics(valid);
    let header = place.header(TreeCode::Pairs, true);
    let fixed = PairsWriter::create(
        place.path,
        place.overwrite,
        &header,
        (place.heights, place.valid),
        &[],
    )?
    .bytes_beside_pvss(provenance)?;
    if fixed + original.bytes() <= budget.bytes.saturating_add(RECKONING) {
        let written = write(assembly, &original, false, provenance, budget.bytes)?;
        if written.bytes <= budget.bytes {
            return Ok(written);
        }
    }
    let weights = Weights::new(valid, &budget.weight);
    let mask: Vec<u8> = valid
        .blocks()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let quads = trees_in_order(valid.grid());
    let mut search = Search {
        assembly,
        original,
        pruning: Pruning {
            terrain: Valid::from_blocks(valid.grid(), &mask),
            valid,
            mutual: place.mutual(),
            order: assembly.groups.order,
            quads: quads
                .map(|quad| (quad, weights.of_quad(valid, quad)))
                .collect(),
            weights,
        },
        fixed,
    };
    search.run(budget, provenance)
}
