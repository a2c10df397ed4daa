//! A bundle within a budget: what a trade of hidden area against bytes comes to ([`super::search`]
//! finds the trade).

use super::assembly::Assembly;
use super::compression::Budget;
use super::draft::{Draft, Heads, Tally, Trees};
use super::error::BakeError;
use super::pack::write;
use super::store::file::Store;
use super::store::group::{BlockOrder, Group};
use super::weights::Weights;
use crate::bundle::{PairsWriter, Provenance, Written, trees_in_order};
use crate::compress::pairs::{
    Codebook, Histogram, Pair, PairBits, PairList, PairSymbols, PairWorth, Pruner, Sight,
    prune_tree, transpose,
};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::dice::{Dice, mixed};
use crate::format::groups::table_length;
use crate::format::{Quad, Tree, TreeCode, Valid};

/// A number between 0 and 1 that a pair of blocks always has, well mixed.
fn dither(a: usize, b: usize) -> f64 {
    Dice(mixed(a as u64) ^ b as u64).fraction()
}

/// What there is to give up, and what it is worth.
struct Stakes<'a> {
    terrain: Valid<'a>,
    valid: &'a ValidPyramid,
    mutual: bool,
    order: &'a BlockOrder,
    weights: Weights,
    /// Those that have trees, in order, and what it is worth that a sample is hidden from one.
    quads: Vec<(Quad, f64)>,
}

/// Room for a thread to prune groups in.
#[derive(Default)]
struct Room {
    tally: Tally,
    pair: PairSymbols,
}

/// Room for a thread to prune trees in.
#[derive(Default)]
struct TreeRoom {
    pvs: Vec<u64>,
    scratch: Scratch,
}

impl Stakes<'_> {
    /// How group number `number` sees the blocks that it tells of, by their indices; hidden ones
    /// are left out. The mixed ones are in the order of its pairs.
    fn sights<'s>(
        &'s self,
        number: usize,
        group: &'s Group,
    ) -> impl Iterator<Item = (Sight, usize)> + 's {
        let told = self.order.told_by(number);
        let sights = told.map(|target| (group.sights[target], target));
        sights.filter(|&(sight, _)| sight != Sight::Hidden)
    }

    /// Leaves in `kept` what is kept of a pair, whose blocks are given by their indices; false
    /// where it becomes visible.
    fn prune(
        &self,
        pruner: &Pruner,
        trade: f64,
        (from, to): (usize, usize),
        pair: Pair,
        kept: &mut PairSymbols,
    ) -> bool {
        let viewpoints = self.weights.of_block(self.valid, from);
        let worth = PairWorth {
            viewpoints,
            targets: self.weights.of_block(self.valid, to),
            both: self.mutual && from != to,
        };
        let trade = trade * (0.9 + 0.2 * dither(from, to));
        if !pruner.prune(pair, &worth, trade, kept) {
            return false;
        }
        if !self.mutual || from != to {
            return true;
        }
        // What was given up of A and B is given up of B and A.
        let mut rows = kept.pair().rows();
        let mut back = rows;
        transpose(&mut back);
        for (row, back) in rows.iter_mut().zip(back) {
            *row |= back;
        }
        let terrain = viewpoints.terrain;
        kept.analyse(&rows, terrain, terrain) == Sight::Mixed
    }

    /// What is kept of a group: how it sees the blocks that it tells of, and its pairs.
    fn prune_group(
        &self,
        number: usize,
        group: &Group,
        pruner: &Pruner,
        trade: f64,
        room: &mut Room,
    ) -> Group {
        let from = self.order.index(number);
        let terrain = self.valid.blocks();
        let viewpoints = terrain[from];
        let tally = &mut room.tally;
        tally.counts.add_block(viewpoints);
        let mut sights = vec![Sight::Hidden; self.order.len()];
        let mut kept = PairList::default();
        let mut pairs = group.pairs.iter();
        for (mut sight, to) in self.sights(number, group) {
            let both = self.mutual && to != from;
            if sight == Sight::Mixed
                && let Some(pair) = pairs.next()
            {
                if self.prune(pruner, trade, (from, to), pair, &mut room.pair) {
                    let pair = room.pair.pair();
                    let bits = PairBits::new(&pair.rows(), viewpoints, terrain[to]);
                    tally.counts.add_mixed(&bits, both);
                    kept.push(pair);
                } else {
                    sight = Sight::Visible;
                }
            }
            sights[to] = sight;
            if sight == Sight::Visible {
                tally.visible(viewpoints, terrain[to], both);
            }
        }
        tally.histogram.count_all(&kept);
        Group {
            sights,
            pairs: kept,
        }
    }

    /// The tree of a quad, with what is kept of it, and its visible samples.
    fn prune_tree(
        &self,
        number: usize,
        tree: &[u8],
        trade: f64,
        room: &mut TreeRoom,
    ) -> (Vec<u8>, u64) {
        let words = self.valid.blocks();
        room.pvs.resize(words.len(), 0);
        match Tree::parse(self.terrain, tree) {
            Some(tree) => tree.expand(&mut room.pvs),
            None => room.pvs.copy_from_slice(words),
        }
        prune_tree(self.valid, self.quads[number].1, trade, &mut room.pvs);
        let mut bytes = Vec::new();
        let visible = encode(self.valid, &room.pvs, &mut room.scratch, &mut bytes);
        (bytes, visible)
    }
}

/// A draft without loss, and what is asked of it.
pub(super) struct Search<'a> {
    pub assembly: &'a Assembly<'a>,
    pub original: Draft,
    stakes: Stakes<'a>,
    /// Bytes that do not depend on the trade, or some more.
    pub fixed: u64,
}

/// What a trade comes to, by some of the groups.
pub(super) struct Estimate {
    /// Bytes of the whole file.
    pub bytes: u64,
    pub histogram: Histogram,
}

impl Search<'_> {
    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.stakes.order.len()
    }

    /// What a trade comes to, by every `stride`-th group.
    pub fn estimate(
        &mut self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Estimate, BakeError> {
        let pruner = Pruner::new(codebook);
        let stakes = &self.stakes;
        let (mut around, mut groups) = (0, 0);
        let source = self.assembly.groups;
        let rooms = self.assembly.crew.run(
            (0..stakes.order.len()).step_by(stride),
            |number| Ok(source.read(number)?),
            |(histogram, kept): &mut (Histogram, PairSymbols), number, bytes| {
                let group = source.decode(&bytes)?;
                let from = stakes.order.index(number);
                let sights = stakes.sights(number, &group);
                let mixed = sights.filter(|&(sight, _)| sight == Sight::Mixed);
                let mut pairs = 0;
                for ((_, to), pair) in mixed.zip(group.pairs.iter()) {
                    if stakes.prune(&pruner, trade, (from, to), pair, kept) {
                        histogram.count(kept.pair());
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
        let mut histogram = Histogram::default();
        rooms.iter().for_each(|(counts, _)| histogram.add(counts));
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost() - dictionary + around;
        let all = sampled * stakes.order.len() as u64 / groups;
        Ok(Estimate {
            bytes: self.fixed + dictionary + all + self.tree_bytes(trade, stride)?,
            histogram,
        })
    }

    /// Bytes of the trees, by every `stride`-th of them.
    fn tree_bytes(&mut self, trade: f64, stride: usize) -> Result<u64, BakeError> {
        let stakes = &self.stakes;
        let (mut sum, mut trees) = (0, 0);
        let originals = &self.original.trees;
        self.assembly.crew.run(
            (0..stakes.quads.len()).step_by(stride),
            |_| Ok(()),
            |room, number, ()| {
                let (tree, _) = stakes.prune_tree(number, originals.tree(number), trade, room);
                tree.len() as u64
            },
            |_, bytes| {
                sum += bytes;
                trees += 1;
                Ok(())
            },
        )?;
        Ok(sum * stakes.quads.len() as u64 / u64::max(trees, 1))
    }

    /// Bytes of the file if everything is given up that can be, or some more.
    pub fn least(&mut self) -> Result<u64, BakeError> {
        let dictionary = Codebook::new(&Histogram::default()).cost();
        let trees = self.tree_bytes(EVERYTHING, 1)?;
        Ok(self.fixed + dictionary + self.original.head_bytes() + trees)
    }

    /// All that is kept at a trade, and what it comes to.
    pub fn keep(&self, codebook: &Codebook, trade: f64) -> Result<(Store, Draft), BakeError> {
        let pruner = Pruner::new(codebook);
        let (assembly, stakes) = (self.assembly, &self.stakes);
        let (source, order) = (assembly.groups, stakes.order);
        let mut store = Store::scratch(assembly.place.path, order.len())?;
        let mut heads = Heads::new(stakes.valid, order, stakes.mutual);
        let mut draft = Draft::new(Tally::default());
        let rooms = assembly.crew.run(
            0..order.len(),
            |number| Ok(source.read(number)?),
            |room: &mut Room, number, bytes| {
                let group = source.decode(&bytes)?;
                let kept = stakes.prune_group(number, &group, &pruner, trade, room);
                let encoded = kept.encode(number, order);
                Some((kept.sights, encoded))
            },
            |number, kept| {
                let (mut sights, encoded) = kept.ok_or_else(|| source.damaged(number))?;
                let encoded = encoded.map_err(|error| store.cannot_encode(error))?;
                store.append(&[(number, encoded)])?;
                let (head, records) = heads.push(&mut sights, Vec::new(), |_, _| ());
                draft.push_head(&head, records);
                Ok(())
            },
        )?;
        draft.tally = Tally::sum(rooms.into_iter().map(|room| room.tally));
        draft.trees = self.keep_trees(trade)?;
        Ok((store, draft))
    }

    /// The trees that are kept at a trade.
    fn keep_trees(&self, trade: f64) -> Result<Trees, BakeError> {
        let stakes = &self.stakes;
        let mut trees = Trees::default();
        self.assembly.crew.run(
            0..stakes.quads.len(),
            |_| Ok(()),
            |room, number, ()| {
                stakes.prune_tree(number, self.original.trees.tree(number), trade, room)
            },
            |_, (tree, visible)| {
                trees.push(&tree, visible);
                Ok(())
            },
        )?;
        Ok(trees)
    }
}

/// A trade that gives up everything.
pub(super) const EVERYTHING: f64 = 1e40;

/// Bytes by which a bundle may be reckoned too large.
const RECKONING: u64 = 2048;

/// Writes a bundle within a budget; without loss if it fits. The provenance is given the
/// statistics, and what was lost.
///
/// Errors where nothing comes to so few bytes.
pub(super) fn shrink(
    assembly: &Assembly,
    budget: &Budget,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let place = assembly.place;
    let valid = place.valid;
    let original = Draft::of(assembly)?;
    provenance.statistics = original.statistics(valid);
    let header = place.header(TreeCode::Pairs, true);
    let fixed = PairsWriter::create(place.path, place.overwrite, &header, place.heights, &[])?
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
        stakes: Stakes {
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
