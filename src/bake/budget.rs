//! A bundle within a budget: what a trade of hidden area against bytes comes to ([`super::search`]
//! finds the trade).

use std::ops::Range;

use super::BakeError;
use super::compression::Budget;
use super::draft::{Draft, Drafter, Tally};
use super::draft_file::DraftGroup;
use super::gather::gather;
use super::pack::Packing;
use super::weights::Weights;
use crate::bundle::{PairsWriter, Provenance, Written, trees_in_order};
use crate::compress::pairs::group::{is_kept, morton_blocks, sights_of};
use crate::compress::pairs::{
    Codebook, Histogram, Pair, PairBits, PairList, PairSymbols, PairWorth, Pruner, Sight,
    prune_tree, transpose,
};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::dice::{Dice, mixed};
use crate::format::groups::{TREE_LEVEL, table_length};
use crate::format::{Narrowing, Quad, Tree, Trees, Valid};

/// A number between 0 and 1 that a pair of blocks always has, well mixed.
fn dither(a: usize, b: usize) -> f64 {
    Dice(mixed(a as u64) ^ b as u64).fraction()
}

/// What there is to give up, and what it is worth.
struct Stakes<'a> {
    terrain: Valid<'a>,
    valid: &'a ValidPyramid,
    mutual: bool,
    blocks: Vec<(u32, u32)>,
    weights: Weights,
    /// Those that have trees, in order, and what it is worth that a sample is hidden from one.
    quads: Vec<(Quad, f64)>,
}

/// Room for a thread to prune groups in.
#[derive(Default)]
struct Room {
    tally: Tally,
    pair: PairSymbols,
    /// Of each block: what trees leave visible of it from the group's, and which of the group's
    /// samples may see it.
    masks: [Vec<u64>; 2],
}

impl Room {
    /// Learns what trees leave visible from a block.
    fn look(&mut self, narrowing: &Narrowing, (column, row): (u32, u32)) {
        let blocks = narrowing.trees().valid().grid().blocks();
        let [targets, viewpoints] = &mut self.masks;
        targets.resize(blocks, 0);
        viewpoints.resize(blocks, 0);
        narrowing.masks(column, row, targets, viewpoints);
    }

    /// The viewpoints, and the targets of a block, that no tree hides from each other.
    fn open(&self, to: usize) -> [u64; 2] {
        [self.masks[1][to], self.masks[0][to]]
    }
}

/// Room for a thread to prune trees in.
#[derive(Default)]
struct TreeRoom {
    pvs: Vec<u64>,
    open: Vec<u64>,
    scratch: Scratch,
}

/// What is kept of the trees at a trade.
///
/// Memory: all of them, a tenth of the bundle or less.
#[derive(Default)]
struct KeptTrees {
    /// As in `TIDX`.
    index: Vec<u8>,
    /// As in `TREE`, in another order.
    bytes: Vec<u8>,
    /// By number: where each lies.
    places: Vec<Range<usize>>,
}

impl KeptTrees {
    fn new(stakes: &Stakes) -> Self {
        let trees = stakes.quads.len();
        Self {
            index: vec![!0; 8 * trees],
            bytes: Vec::new(),
            places: vec![0..0; trees],
        }
    }

    /// Takes the tree of the quad of a number.
    fn push(&mut self, stakes: &Stakes, number: usize, tree: &[u8]) {
        let grid = stakes.valid.grid();
        let (quad, _) = stakes.quads[number];
        let index = grid.quad_index(quad).expect("a quad of the grid");
        let entry = 8 * (index - grid.first_index(TREE_LEVEL)) as usize;
        let start = self.bytes.len();
        self.index[entry..entry + 8].copy_from_slice(&(start as u64).to_le_bytes());
        self.bytes.extend_from_slice(tree);
        self.places[number] = start..self.bytes.len();
    }

    fn trees<'a>(&'a self, stakes: &Stakes<'a>) -> Trees<'a> {
        Trees::new(stakes.terrain, TREE_LEVEL, &self.index, &self.bytes)
    }

    fn narrowing<'a>(&'a self, stakes: &Stakes<'a>) -> Narrowing<'a> {
        Narrowing::new(self.trees(stakes), stakes.mutual)
    }
}

impl Stakes<'_> {
    fn index(&self, (column, row): (u32, u32)) -> usize {
        (row * self.valid.grid().block_shape().0 + column) as usize
    }

    /// How group number `number` sees the blocks that it tells of, by their indices; hidden ones
    /// are left out. The mixed ones are in the order of its pairs.
    fn sights<'s>(
        &'s self,
        number: usize,
        group: &'s DraftGroup,
    ) -> impl Iterator<Item = (Sight, usize)> + 's {
        let block = self.blocks[number];
        let skeleton = Tree::parse(self.terrain, &group.head);
        let sights = skeleton.into_iter().flat_map(sights_of);
        let own = sights.filter(move |&(_, target)| is_kept(self.mutual, block, target));
        own.map(|(sight, target)| (sight, self.index(target)))
    }

    /// Leaves in `kept` what is kept of a pair, whose blocks are given by their indices, and of
    /// which trees leave so much `open`; false where it becomes visible.
    fn prune(
        &self,
        pruner: &Pruner,
        trade: f64,
        (from, to): (usize, usize),
        open: [u64; 2],
        pair: Pair,
        kept: &mut PairSymbols,
    ) -> bool {
        let viewpoints = self.weights.of_block(self.valid, from);
        let worth = PairWorth {
            viewpoints,
            targets: self.weights.of_block(self.valid, to),
            both: self.mutual && from != to,
            open,
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
        group: &DraftGroup,
        pruner: &Pruner,
        narrowing: &Narrowing,
        trade: f64,
        room: &mut Room,
    ) -> (Vec<Sight>, PairList) {
        let from = self.index(self.blocks[number]);
        room.look(narrowing, self.blocks[number]);
        room.tally.counts.add_block(self.valid.blocks()[from]);
        let mut sights = vec![Sight::Hidden; self.blocks.len()];
        let mut kept = PairList::default();
        let mut pairs = group.pairs.iter();
        for (mut sight, to) in self.sights(number, group) {
            let both = self.mutual && to != from;
            let open = room.open(to);
            let [viewpoints, targets] = open;
            let counts = &mut room.tally.counts;
            if sight == Sight::Mixed
                && let Some(pair) = pairs.next()
            {
                if self.prune(pruner, trade, (from, to), open, pair, &mut room.pair) {
                    let pair = room.pair.pair();
                    counts.add_mixed(&PairBits::new(&pair.rows(), viewpoints, targets), both);
                    kept.push(pair);
                } else {
                    sight = Sight::Visible;
                }
            }
            sights[to] = sight;
            if sight == Sight::Visible {
                counts.add_visible(viewpoints, targets);
                if both {
                    counts.add_visible(targets, viewpoints);
                }
            }
        }
        room.tally.histogram.count_all(&kept);
        (sights, kept)
    }

    /// The tree of a quad, with what is kept of it where this is kept of those around it.
    fn prune_tree(
        &self,
        number: usize,
        tree: &[u8],
        around: &Trees,
        trade: f64,
        room: &mut TreeRoom,
    ) -> Vec<u8> {
        let words = self.valid.blocks();
        room.pvs.resize(words.len(), 0);
        match Tree::parse(self.terrain, tree) {
            Some(tree) => tree.expand(&mut room.pvs),
            None => room.pvs.copy_from_slice(words),
        }
        let (quad, worth) = self.quads[number];
        room.open.clear();
        room.open.extend_from_slice(words);
        around.narrow(quad, &mut room.open);
        prune_tree(self.valid, worth, trade, &room.open, &mut room.pvs);
        let mut bytes = Vec::new();
        encode(self.valid, &room.pvs, &mut room.scratch, &mut bytes);
        bytes
    }
}

/// A draft without loss, and what is asked of it.
pub(super) struct Search<'a> {
    pub packing: &'a Packing<'a>,
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
        self.stakes.blocks.len()
    }

    /// What a trade comes to, by every `stride`-th group.
    pub fn estimate(
        &mut self,
        codebook: &Codebook,
        trade: f64,
        stride: usize,
    ) -> Result<Estimate, BakeError> {
        let pruner = Pruner::new(codebook);
        let trees = self.prune_trees(trade)?;
        let stakes = &self.stakes;
        let narrowing = trees.narrowing(stakes);
        let (mut around, mut groups) = (0, 0);
        let rooms = self.packing.crew.run(
            (0..stakes.blocks.len()).step_by(stride),
            |number| Ok(self.original.file.group(number)?),
            |room: &mut Room, number, group| {
                let from = stakes.index(stakes.blocks[number]);
                room.look(&narrowing, stakes.blocks[number]);
                let sights = stakes.sights(number, &group);
                let mixed = sights.filter(|&(sight, _)| sight == Sight::Mixed);
                let mut pairs = 0;
                for ((_, to), pair) in mixed.zip(group.pairs.iter()) {
                    let open = room.open(to);
                    if stakes.prune(&pruner, trade, (from, to), open, pair, &mut room.pair) {
                        room.tally.histogram.count(room.pair.pair());
                        pairs += 1;
                    }
                }
                // With a loss the head becomes no longer.
                (group.head.len() + table_length(pairs)) as u64
            },
            |_, bytes| {
                around += bytes;
                groups += 1;
                Ok(())
            },
        )?;
        let mut histogram = Histogram::default();
        rooms
            .iter()
            .for_each(|room| histogram.add(&room.tally.histogram));
        let codebook = Codebook::new(&histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost() - dictionary + around;
        let all = sampled * stakes.blocks.len() as u64 / groups;
        Ok(Estimate {
            bytes: self.fixed + dictionary + all + trees.bytes.len() as u64,
            histogram,
        })
    }

    /// What is kept of the trees at a trade: from the root down, so that what is hidden from a quad
    /// need not be paid again in the quads that it holds.
    fn prune_trees(&mut self, trade: f64) -> Result<KeptTrees, BakeError> {
        let stakes = &self.stakes;
        let mut kept = KeptTrees::new(stakes);
        for level in (TREE_LEVEL..stakes.valid.grid().levels()).rev() {
            let quads = stakes.quads.iter().enumerate();
            let of_level = quads.filter(|(_, (quad, _))| quad.level == level);
            let mut pruned = Vec::new();
            self.packing.crew.run(
                of_level.map(|(number, _)| number),
                |number| Ok(self.original.file.tree(number)?),
                |room, number, tree| {
                    stakes.prune_tree(number, &tree, &kept.trees(stakes), trade, room)
                },
                |number, tree| {
                    pruned.push((number, tree));
                    Ok(())
                },
            )?;
            for (number, tree) in pruned {
                kept.push(stakes, number, &tree);
            }
        }
        Ok(kept)
    }

    /// Bytes of the file if everything is given up that can be, or some more.
    pub fn least(&mut self) -> Result<u64, BakeError> {
        let dictionary = Codebook::new(&Histogram::default()).cost();
        let trees = self.prune_trees(EVERYTHING)?.bytes.len();
        Ok(self.fixed + dictionary + self.original.heads + trees as u64)
    }

    /// All that is kept at a trade.
    pub fn keep(&mut self, codebook: &Codebook, trade: f64) -> Result<Draft, BakeError> {
        let pruner = Pruner::new(codebook);
        let trees = self.prune_trees(trade)?;
        let (packing, stakes) = (self.packing, &self.stakes);
        let narrowing = trees.narrowing(stakes);
        let (mutual, path) = (stakes.mutual, packing.target.path);
        let mut drafter = Drafter::new(path, stakes.valid, mutual, mutual)?;
        let rooms = packing.crew.run(
            0..stakes.blocks.len(),
            |number| Ok(self.original.file.group(number)?),
            |room: &mut Room, number, group| {
                stakes.prune_group(number, &group, &pruner, &narrowing, trade, room)
            },
            |_, (sights, pairs)| {
                drafter.push(sights, pairs, Vec::new(), |_, _| ())?;
                Ok(())
            },
        )?;
        packing.crew.run(
            0..stakes.quads.len(),
            |number| Ok(stakes.quads[number].0),
            |(): &mut (), _, quad| narrowing.of_tree(quad).map_or(0, |pvs| pvs.count()),
            |number, visible| {
                let tree = &trees.bytes[trees.places[number].clone()];
                Ok(drafter.file.push_tree(tree, visible)?)
            },
        )?;
        drafter.finish(rooms.into_iter().map(|room| room.tally))
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
    packing: &Packing,
    budget: &Budget,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let valid = packing.valid;
    let mut original = gather(packing)?;
    provenance.statistics = original.statistics(valid);
    let fixed = PairsWriter::create(
        packing.target.path,
        packing.target.making(),
        packing.target.overwrite,
        &packing.header(true),
        packing.target.heights,
        &[],
    )?
    .bytes_beside_pvss(provenance)?;
    if fixed + original.bytes() <= budget.bytes.saturating_add(RECKONING) {
        let header = packing.header(false);
        let written = original.write(&header, packing, provenance, budget.bytes)?;
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
        packing,
        original,
        stakes: Stakes {
            terrain: Valid::from_blocks(valid.grid(), &mask),
            valid,
            mutual: packing.target.header.parameters.mutual,
            blocks: morton_blocks(valid.grid()),
            quads: quads
                .map(|quad| (quad, weights.of_quad(valid, quad)))
                .collect(),
            weights,
        },
        fixed,
    };
    search.run(budget, provenance)
}
