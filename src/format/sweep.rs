//! Going through a whole tree in one call: what [`super::walk`] does leaf by leaf, three times as
//! fast, for those who want every visible block and nothing else.

use super::grid::{BLOCK_LEVEL, Grid, Quad};
use super::quadtree::{HIDDEN, Tree, UNKNOWN, Visibility};
use super::walk::Leaf;

/// One cursor a level, as for [`super::walk::Leaves`].
struct Sweep<'a> {
    nodes: &'a [u8],
    literals: &'a [[u8; 8]],
    /// The item that the next literal is.
    literal: usize,
    items: [usize; Grid::MAX_ROOT_LEVEL as usize + 1],
}

impl<'a> Tree<'a> {
    /// Hands over what is visible, depth first in Morton order: [`Leaf::Visible`] and
    /// [`Leaf::Block`], never [`Leaf::Hidden`]. Quads may lie outside the grid, and bits where
    /// there is no terrain, if the bytes say so. Stops when `take` returns `false`; returns
    /// whether it never did.
    #[inline]
    pub fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        let root = self.grid().root();
        match self.root() {
            Visibility::Hidden => true,
            Visibility::Visible => take(Leaf::Visible(root)),
            Visibility::Unknown => {
                let items = self.first_items();
                let mut sweep = Sweep {
                    nodes: self.nodes(),
                    literals: self.literals(),
                    literal: items.get(BLOCK_LEVEL as usize).copied().unwrap_or(0),
                    items,
                };
                sweep.enter(root, &mut take)
            }
        }
    }
}

impl Sweep<'_> {
    /// An unknown quad.
    fn enter(&mut self, quad: Quad, take: &mut impl FnMut(Leaf) -> bool) -> bool {
        if quad.level <= BLOCK_LEVEL {
            let bits = self.literal();
            return take(Leaf::Block(quad, bits));
        }
        let Some(next) = self.items.get_mut(quad.level as usize) else {
            return true;
        };
        let item = *next;
        *next += 1;
        let Some(&node) = self.nodes.get(item) else {
            return take(Leaf::Visible(quad));
        };
        let (level, column, row) = (quad.level - 1, quad.column << 1, quad.row << 1);
        for index in 0..4 {
            let child = Quad::new(level, column | index & 1, row | index >> 1);
            let goes_on = match node >> (2 * index) & 3 {
                HIDDEN => true,
                // Most of a tree: not worth a call each.
                UNKNOWN if level == BLOCK_LEVEL => {
                    let bits = self.literal();
                    take(Leaf::Block(child, bits))
                }
                UNKNOWN => self.enter(child, take),
                _ => take(Leaf::Visible(child)),
            };
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// The next literal.
    #[inline]
    fn literal(&mut self) -> u64 {
        let index = self.literal.checked_sub(self.nodes.len());
        let literal = index.and_then(|index| self.literals.get(index));
        self.literal += 1;
        literal.map_or(!0, |bytes| u64::from_le_bytes(*bytes))
    }
}
