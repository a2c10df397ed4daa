//! Who may see changed ground at all ([`super::walls`] finds them).

use super::spots::Spots;
use super::square::Node;
use super::view_block::ViewBlock;
use crate::format::Grid;

/// The samples that may see otherwise.
#[derive(Debug)]
pub struct Onlookers {
    words: Vec<u64>,
    spots: Spots,
}

impl Onlookers {
    /// Of words that [`Rays::onlookers`] has found, by block, row by row.
    pub fn new(grid: Grid, words: Vec<u64>) -> Self {
        Self {
            spots: Spots::new(grid, &words),
            words,
        }
    }

    /// Those in a block.
    pub fn of_block(&self, block: usize) -> u64 {
        self.words[block]
    }

    /// Of the active lanes of a square of displacements, those with onlookers among their targets.
    #[inline]
    pub(super) fn lanes(&self, block: &ViewBlock, node: &Node) -> u64 {
        let at = (block.column + node.p, block.row + node.q);
        node.active & self.spots.lanes(at, node.level)
    }
}
