//! Rate-distortion pruning of groups and trees: what is kept for a given Lagrange multiplier (hidden
//! area for a byte; *trade* in the code).

use std::ops::Range;
use viewcell::format::Answer;

use super::weights::Weights;
use crate::compress::pairs::{
    BlockPairSymbols, PairBits, PairList, PairPruner, PairSymbols, PairWorth, prune_tree,
};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::job::encode::first_pass::Tally;
use crate::job::store::group::{BlockOrder, Group};
use viewcell::dice::{Dice, mixed};
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Narrowing, Quad, ReadPvs, Tree, Trees, Valid};

/// The multiplier, varied by up to a tenth from pair to pair of blocks: with one value for all, equal pairs would all be
/// pruned at the same value, and the size would jump past the budget.
pub(crate) fn dithered(trade: f64, a: usize, b: usize) -> f64 {
    trade * (0.9 + 0.2 * Dice(mixed(a as u64) ^ b as u64).fraction())
}

/// What rate-distortion pruning may give up, and what it is worth.
pub(crate) struct Pruning<'a> {
    pub terrain: Valid<'a>,
    pub valid: &'a ValidPyramid,
    pub mutual: bool,
    pub order: &'a BlockOrder,
    pub weights: Weights,
    /// Those that have trees, in order, and what it is worth that a sample is hidden from one.
    pub quads: Vec<(Quad, f64)>,
}

/// Scratch memory for a thread to prune groups in.
#[derive(Default)]
pub(crate) struct GroupScratch {
    pub tally: Tally,
    pub pair: PairSymbols,
    /// Of each block: what trees leave visible of it from the group's, and which of the group's
    /// samples may see it.
    masks: [Vec<u64>; 2],
    /// The quad with a tree whose targets these are.
    quad: Option<(u32, u32)>,
}

impl GroupScratch {
    /// Learns what trees leave visible from a block. A room is for one narrowing.
    pub(super) fn look(&mut self, narrowing: &Narrowing, (column, row): (u32, u32)) {
        let blocks = narrowing.trees().valid().grid().blocks();
        let [targets, viewpoints] = &mut self.masks;
        targets.resize(blocks, 0);
        viewpoints.resize(blocks, 0);
        let quad = (
            column >> (TREE_LEVEL - BLOCK_LEVEL),
            row >> (TREE_LEVEL - BLOCK_LEVEL),
        );
        if self.quad != Some(quad) {
            narrowing.targets(column, row, targets);
            self.quad = Some(quad);
        }
        narrowing.viewpoints(column, row, viewpoints);
    }

    /// The viewpoints, and the targets of a block, that no tree hides from each other.
    pub(super) fn open(&self, to: usize) -> [u64; 2] {
        [self.masks[1][to], self.masks[0][to]]
    }
}

/// Scratch memory for a thread to prune trees in.
#[derive(Default)]
pub(crate) struct TreeScratch {
    pvs: Vec<u64>,
    open: Vec<u64>,
    scratch: Scratch,
}

/// What is kept of the trees for a multiplier.
///
/// Memory: all of them, a tenth of the bundle or less.
#[derive(Default)]
pub(crate) struct KeptTrees {
    /// As in `TIDX`.
    index: Vec<u8>,
    /// As in `TREE`, in another order.
    bytes: Vec<u8>,
    /// By number: where each lies.
    places: Vec<Range<usize>>,
}

impl KeptTrees {
    pub(super) fn new(pruning: &Pruning) -> Self {
        let trees = pruning.quads.len();
        Self {
            index: vec![!0; 8 * trees],
            bytes: Vec::new(),
            places: vec![0..0; trees],
        }
    }

    /// Takes the tree of the quad of a number.
    pub(super) fn push(&mut self, pruning: &Pruning, number: usize, tree: &[u8]) {
        let grid = pruning.valid.grid();
        let (quad, _) = pruning.quads[number];
        let index = grid.quad_index(quad).expect("a quad of the grid");
        let entry = 8 * (index - grid.first_index(TREE_LEVEL)) as usize;
        let start = self.bytes.len();
        self.index[entry..entry + 8].copy_from_slice(&(start as u64).to_le_bytes());
        self.bytes.extend_from_slice(tree);
        self.places[number] = start..self.bytes.len();
    }

    pub(super) fn trees<'a>(&'a self, pruning: &Pruning<'a>) -> Trees<'a> {
        Trees::new(pruning.terrain, TREE_LEVEL, &self.index, &self.bytes)
    }

    pub(super) fn narrowing<'a>(&'a self, pruning: &Pruning<'a>) -> Narrowing<'a> {
        Narrowing::new(self.trees(pruning), pruning.mutual)
    }

    /// The tree of the quad of a number.
    pub(super) fn tree(&self, number: usize) -> &[u8] {
        &self.bytes[self.places[number].clone()]
    }

    /// Bytes of all.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Pruning<'_> {
    /// How group number `number` sees the blocks that it covers, by their indices; hidden ones
    /// are left out. The mixed ones are in the order of its pairs.
    pub(super) fn sights<'s>(
        &'s self,
        number: usize,
        group: &'s Group,
    ) -> impl Iterator<Item = (Answer, usize)> + 's {
        let told = self.order.told_by(number);
        let sights = told.map(|target| (group.sights[target], target));
        sights.filter(|&(sight, _)| sight != Answer::Hidden)
    }

    /// Leaves in `kept` what is kept of a pair, whose blocks are given by their indices, and of
    /// which trees leave so much `open`; false where it becomes visible.
    pub(super) fn prune(
        &self,
        pruner: &PairPruner,
        trade: f64,
        (from, to): (usize, usize),
        open: [u64; 2],
        pair: BlockPairSymbols,
        kept: &mut PairSymbols,
    ) -> bool {
        let worth = PairWorth {
            viewpoints: self.weights.of_block(self.valid, from),
            targets: self.weights.of_block(self.valid, to),
            both: self.mutual && from != to,
            open,
        };
        let trade = dithered(trade, from, to);
        if self.mutual && from == to {
            pruner.prune_own(pair, &worth, trade, kept)
        } else {
            pruner.prune(pair, &worth, trade, kept)
        }
    }

    /// What is kept of a group: how it sees the blocks that it covers, and its pairs.
    pub(super) fn prune_group(
        &self,
        number: usize,
        group: &Group,
        pruner: &PairPruner,
        narrowing: &Narrowing,
        trade: f64,
        room: &mut GroupScratch,
    ) -> Group {
        let from = self.order.index(number);
        room.look(narrowing, self.order.block(number));
        room.tally.counts.add_block(self.valid.blocks()[from]);
        let mut sights = vec![Answer::Hidden; self.order.len()];
        let mut kept = PairList::default();
        let mut pairs = group.pairs.iter();
        for (mut sight, to) in self.sights(number, group) {
            let both = self.mutual && to != from;
            let open = room.open(to);
            let [viewpoints, targets] = open;
            if sight == Answer::Mixed
                && let Some(pair) = pairs.next()
            {
                if self.prune(pruner, trade, (from, to), open, pair, &mut room.pair) {
                    let pair = room.pair.pair();
                    let bits = PairBits::new(&pair.rows(), viewpoints, targets);
                    room.tally.counts.add_mixed(&bits, both);
                    kept.push(pair);
                } else {
                    sight = Answer::Visible;
                }
            }
            sights[to] = sight;
            if sight == Answer::Visible {
                room.tally.visible(viewpoints, targets, both);
            }
        }
        room.tally.histogram.count_all(&kept);
        Group {
            sights,
            pairs: kept,
        }
    }

    /// The tree of a quad, with what is kept of it where this is kept of those around it.
    pub(super) fn prune_tree(
        &self,
        number: usize,
        tree: &[u8],
        around: &Trees,
        trade: f64,
        room: &mut TreeScratch,
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
