//! Lagrangian rate-distortion optimization: a bundle within a budget of bytes that loses least hidden area. This file
//! finds what a given multiplier (hidden area for a byte) leads to in tree code 2; [`search`] finds the multiplier.

pub(crate) mod options;
pub(crate) mod pruning;
pub(crate) mod search;
pub(crate) mod weights;

use self::options::Budget;
use self::pruning::{GroupScratch, KeptTrees, Pruning};
use self::search::{Candidates, EVERYTHING, Estimate, fit};
use self::weights::Weights;
use super::encode::Assembly;
use super::encode::first_pass::{FirstPass, Heads, Tally, Trees};
use super::encode::write;
use super::error::BakeError;
use super::store::file::Store;
use super::store::groups::StoredGroups;
use crate::bundle::{PairsWriter, Provenance, Statistics, Written, trees_in_order};
use crate::compress::pairs::{Codebook, Histogram, PairPruner};
use viewcell::format::Answer;
use viewcell::format::pairs::{TREE_LEVEL, table_length};
use viewcell::format::{ReadPvs, TreeCode, Valid};

/// The bundles of tree code 2 that the groups make.
struct PairBundles<'a> {
    assembly: &'a Assembly<'a>,
    /// The first pass without loss.
    original: FirstPass,
    pruning: Pruning<'a>,
    /// Bytes that do not depend on the multiplier, or slightly more.
    fixed: u64,
}

impl Candidates for PairBundles<'_> {
    type Kept = (Store, FirstPass);

    fn groups(&self) -> usize {
        self.pruning.order.len()
    }

    fn histogram(&self) -> &Histogram {
        &self.original.tally.histogram
    }

    fn bytes(&self, kept: Option<&Self::Kept>) -> u64 {
        self.fixed + kept.map_or(&self.original, |(_, pass)| pass).bytes()
    }

    fn statistics(&self, kept: Option<&Self::Kept>) -> Statistics {
        let pass = kept.map_or(&self.original, |(_, pass)| pass);
        pass.statistics(self.assembly.place.valid)
    }

    fn write(
        &self,
        kept: Option<&Self::Kept>,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BakeError> {
        match kept {
            None => write(self.assembly, &self.original, false, provenance, most),
            Some((store, pass)) => {
                let groups = StoredGroups {
                    stores: std::slice::from_ref(store),
                    ..self.assembly.groups
                };
                let assembly = Assembly {
                    groups,
                    ..*self.assembly
                };
                write(&assembly, pass, true, provenance, most)
            }
        }
    }

    fn estimate(
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
        let groups = [groups, self.groups() as u64];
        let fixed = self.fixed + trees.bytes();
        Ok(Estimate::of_sample(histogram, around, groups, fixed))
    }

    fn least(&self) -> Result<u64, BakeError> {
        let dictionary = Codebook::new(&Histogram::default()).cost();
        let trees = self.prune_trees(EVERYTHING)?.bytes();
        Ok(self.fixed + dictionary + self.original.head_bytes() + trees)
    }

    fn keep(&self, codebook: &Codebook, trade: f64) -> Result<Self::Kept, BakeError> {
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

impl PairBundles<'_> {
    /// What is kept of the trees for a multiplier: from the root down, so that what is hidden from a quad
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
}

/// Writes a bundle within a budget; without loss if it fits. The provenance is given the
/// statistics, and what was lost.
///
/// Fails where no bundle is that small.
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
    let weights = Weights::new(valid, &budget.weight);
    let mask: Vec<u8> = valid
        .blocks()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let quads = trees_in_order(valid.grid());
    let bundles = PairBundles {
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
    fit(&bundles, budget, provenance)
}
