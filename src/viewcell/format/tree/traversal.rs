//! Walking a whole tree, depth first, without a stack of positions: leaf by leaf ([`Tree::leaves`]), or in one
//! call ([`Tree::sweep`]), which is three times as fast, for those who want what is visible and nothing else.
//!
//! Breadth-first storage puts the items of one level side by side in Morton order, which is the
//! order in which a depth-first walk meets them. So one cursor a level is all the state.

use crate::format::grid::{BLOCK_LEVEL, LEVELS, Quad};

use super::leaf::Leaf;
use super::rank::count_unknown;
use super::{Answer, HIDDEN, Literals, Tree, UNKNOWN, VISIBLE};

/// The quad after `quad` and all that is in it, in a depth-first walk of `root`.
pub(in crate::format) fn after(mut quad: Quad, root: Quad) -> Option<Quad> {
    while quad.level < root.level {
        let next = quad.child_index() + 1;
        let parent = quad.parent();
        if next < 4 {
            return parent.child(next);
        }
        quad = parent;
    }
    None
}

/// The leaves of a tree, depth first; leaves outside the grid are left out.
#[derive(Clone, Debug)]
pub struct Leaves<'a> {
    tree: Tree<'a>,
    /// The quad to look at next, and what is known of it: set when a node has been entered.
    next: Option<Quad>,
    /// By level: the item that the next unknown quad of the level is.
    items: [usize; LEVELS],
    /// By level: the node byte of the quad that the walk is in.
    entered: [u8; LEVELS],
}

impl<'a> Tree<'a> {
    /// By level: the first item of the level.
    pub(in crate::format) fn first_items(&self) -> [usize; LEVELS] {
        let mut items = [0; LEVELS];
        let nodes = self.nodes();
        // Items of a level: as many as there are unknown codes in the nodes of the level above.
        let (mut start, mut end) = (0usize, 1usize);
        for item in items
            .iter_mut()
            .take(self.grid().root_level() as usize + 1)
            .rev()
        {
            *item = start;
            let children = nodes
                .get(start..end.min(nodes.len()))
                .map_or(0, count_unknown);
            start = end;
            end += children as usize;
        }
        items
    }

    /// The item of the first unknown block.
    #[inline]
    pub(in crate::format) fn first_block(&self) -> usize {
        let items = self.first_items();
        items.get(BLOCK_LEVEL as usize).copied().unwrap_or(0)
    }

    /// The leaves of the tree, depth first in Morton order. Together they cover the grid.
    pub fn leaves(&self) -> Leaves<'a> {
        Leaves {
            tree: *self,
            next: Some(self.grid().root()),
            items: self.first_items(),
            entered: [0; LEVELS],
        }
    }
}

impl Leaves<'_> {
    /// What the walk's own node says of a quad.
    fn code(&self, quad: Quad) -> u8 {
        if quad.level >= self.tree.grid().root_level() {
            return match self.tree.root() {
                Answer::Hidden => HIDDEN,
                Answer::Visible => VISIBLE,
                Answer::Mixed => UNKNOWN,
            };
        }
        let node = self.entered.get(quad.level as usize + 1).copied();
        node.unwrap_or(0) >> (2 * quad.child_index()) & 3
    }

    /// Takes the next item of a level.
    fn take_item(&mut self, level: u32) -> usize {
        match self.items.get_mut(level as usize) {
            Some(item) => {
                *item += 1;
                *item - 1
            }
            None => usize::MAX,
        }
    }
}

impl Iterator for Leaves<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        // Each round takes a quad off the walk, and only a node of the tree adds quads to it: at
        // most 4 · nodes + 1 rounds, whatever the bytes.
        loop {
            let quad = self.next?;
            let leaf = match self.code(quad) {
                HIDDEN => Leaf::Hidden(quad),
                UNKNOWN if quad.level <= BLOCK_LEVEL => {
                    let item = self.take_item(quad.level);
                    let valid = self.tree.valid().block(quad.column, quad.row);
                    Leaf::Block(quad, self.tree.literal(item) & valid)
                }
                UNKNOWN => {
                    let item = self.take_item(quad.level);
                    match self.tree.nodes().get(item) {
                        Some(&node) => {
                            if let Some(entered) = self.entered.get_mut(quad.level as usize) {
                                *entered = node;
                            }
                            self.next = quad.child(0);
                            continue;
                        }
                        None => Leaf::Visible(quad),
                    }
                }
                _ => Leaf::Visible(quad),
            };
            self.next = after(quad, self.tree.grid().root());
            if self.tree.grid().has_quad(quad) {
                return Some(leaf);
            }
        }
    }
}

/// One cursor a level, as for [`Leaves`].
struct Sweep<'a> {
    nodes: &'a [u8],
    literals: Literals<'a>,
    /// The next literals, as far as they lie end to end.
    ahead: &'a [[u8; 8]],
    /// The run that those are of.
    run: usize,
    /// The item that the next literal is.
    literal: usize,
    items: [usize; LEVELS],
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
            Answer::Hidden => true,
            Answer::Visible => take(Leaf::Visible(root)),
            Answer::Mixed => {
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
