//! The unions of PVSs, of quads of level 4 and more ([`crate::hierarchy`]): what sections `TREE` and `TIDX` hold. They follow
//! from what groups say, and are there so that a large quad's PVS need not be put together from many groups. In a lossy bundle
//! they are pruned by themselves, and what one hides is hidden from all in its quad, whatever groups say
//! ([`viewcell::format::Narrowing`]).

use crate::bundle::{Statistics, trees_in_order};
use crate::compress::levels::Block;
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::hierarchy::Unions;
use viewcell::format::Quad;
use viewcell::format::grid::BLOCK_LEVEL;

/// The trees of the quads above the blocks, in bake order.
///
/// Memory: all of them, a tenth of the bundle or less.
#[derive(Debug, Default)]
pub(super) struct UnionTrees {
    bytes: Vec<u8>,
    /// Where each ends, and how many samples are visible.
    ends: Vec<(usize, u64)>,
}

impl UnionTrees {
    /// Appends the next tree.
    pub(super) fn push(&mut self, tree: &[u8], visible: u64) {
        self.bytes.extend_from_slice(tree);
        self.ends.push((self.bytes.len(), visible));
    }

    /// Tree number `number`.
    pub(super) fn tree(&self, number: usize) -> &[u8] {
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before].0);
        &self.bytes[start..self.ends[number].0]
    }

    /// All of them, and how many samples each says are visible.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.ends.len()).map(|number| (self.tree(number), self.ends[number].1))
    }

    /// Bytes of all.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Adds what they come to.
    pub(super) fn count(&self, valid: &ValidPyramid, statistics: &mut Statistics) {
        for (quad, (tree, visible)) in trees_in_order(valid.grid()).zip(self.iter()) {
            statistics.record(quad, visible > 0, visible, tree.len());
        }
    }
}

/// Unites the PVSs of blocks, which come one after the other.
pub(super) struct Uniting<'v> {
    valid: &'v ValidPyramid,
    unions: Unions,
    /// What the next block sees.
    pvs: Vec<u64>,
    scratch: Scratch,
    tree: Vec<u8>,
    trees: UnionTrees,
}

impl<'v> Uniting<'v> {
    pub(super) fn new(valid: &'v ValidPyramid) -> Self {
        Self {
            valid,
            unions: Unions::new(valid.grid()),
            pvs: vec![0; valid.grid().blocks()],
            scratch: Scratch::default(),
            tree: Vec::new(),
            trees: UnionTrees::default(),
        }
    }

    /// Takes some of what the next block sees: cells of another.
    pub(super) fn sees(&mut self, (column, row): Block, cells: u64) {
        let index = row as usize * self.valid.grid().block_shape().0 as usize + column as usize;
        self.pvs[index] |= cells & self.valid.blocks()[index];
    }

    /// That was all that the next block in Morton order sees.
    pub(super) fn end(&mut self, (column, row): Block) {
        let Self {
            valid,
            unions,
            pvs,
            scratch,
            tree,
            trees,
        } = self;
        unions.push(Quad::new(BLOCK_LEVEL, column, row), pvs, &mut |_, pvs| {
            tree.clear();
            let visible = encode(valid, pvs, scratch, tree);
            trees.push(tree, visible);
        });
        pvs.fill(0);
    }

    pub(super) fn finish(self) -> UnionTrees {
        self.trees
    }
}
