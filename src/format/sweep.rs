//! Going through a whole tree in one call: what [`super::walk`] does leaf by leaf, three times as
//! fast, for those who want every visible block and nothing else.

use super::grid::{BLOCK_LEVEL, Grid, Quad};
use super::literals::Literals;
use super::quadtree::{HIDDEN, Tree, UNKNOWN, Visibility};
use super::walk::{Leaf, count_into, expand_into};

/// One cursor a level, as for [`super::walk::Leaves`].
struct Sweep<'a> {
    nodes: &'a [u8],
    literals: Literals<'a>,
    /// The next literals, as far as they lie end to end.
    ahead: &'a [[u8; 8]],
    /// The run that those are of.
    run: usize,
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
                    ahead: &[],
                    run: 0,
                    literal: items.get(BLOCK_LEVEL as usize).copied().unwrap_or(0),
                    items,
                };
                sweep.enter(root, &mut take)
            }
        }
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.sweep_grid(count_into(self.valid(), &mut count));
        count
    }

    /// Writes the PVS as a block bitmap. `out` has one word a block
    /// ([`Grid::blocks`]); words missing at its end are left out, further words are zeroed.
    pub fn expand(&self, out: &mut [u64]) {
        self.sweep_grid(expand_into(self.valid(), out));
    }

    /// As [`Tree::sweep`], but only what is in the grid, and of blocks only where there is terrain.
    fn sweep_grid(&self, mut take: impl FnMut(Leaf) -> bool) {
        self.sweep(|leaf| match leaf {
            leaf if !self.grid().has_quad(leaf.quad()) => true,
            Leaf::Block(quad, bits) => {
                let terrain = self.valid().block(quad.column, quad.row);
                take(Leaf::Block(quad, bits & terrain))
            }
            leaf => take(leaf),
        });
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
        if self.ahead.is_empty()
            && let Some(index) = self.literal.checked_sub(self.nodes.len())
        {
            self.ahead = self.literals.from(index, &mut self.run);
        }
        self.literal += 1;
        let Some((literal, ahead)) = self.ahead.split_first() else {
            return !0;
        };
        self.ahead = ahead;
        u64::from_le_bytes(*literal)
    }
}
