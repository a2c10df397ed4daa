//! Walking a whole tree, depth first, without a stack of positions.
//!
//! Breadth-first storage puts the items of one level side by side in Morton order, which is the
//! order in which a depth-first walk meets them. So one cursor a level is all the state.

use super::grid::{BLOCK_LEVEL, Grid, Quad};
use super::quadtree::{HIDDEN, Tree, UNKNOWN, Visibility};
use super::rank::count_unknown;
use super::valid::Valid;

const LEVELS: usize = Grid::MAX_ROOT_LEVEL as usize + 1;

/// A piece of a PVS: the greatest quads that are all hidden or all visible, and mixed blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A quad with no visible terrain, and possibly with no terrain.
    Hidden(Quad),
    /// A quad all of whose terrain is visible.
    Visible(Quad),
    /// A quad of level 3 and its visible samples, one bit each, as in a block bitmap.
    Block(Quad, u64),
}

impl Leaf {
    /// The quad.
    pub const fn quad(&self) -> Quad {
        match *self {
            Self::Hidden(quad) | Self::Visible(quad) | Self::Block(quad, _) => quad,
        }
    }

    /// Number of visible samples.
    pub fn visible_samples(&self, valid: &Valid) -> u64 {
        match *self {
            Self::Hidden(_) => 0,
            Self::Visible(quad) => valid.count(quad),
            Self::Block(_, bits) => u64::from(bits.count_ones()),
        }
    }

    /// Sets its visible samples in a block bitmap.
    pub(super) fn write(&self, valid: &Valid, out: &mut [u64]) {
        let (columns, _) = valid.grid().block_shape();
        match *self {
            Self::Hidden(_) => {}
            Self::Block(quad, bits) => {
                let at = quad.row as usize * columns as usize + quad.column as usize;
                if let Some(word) = out.get_mut(at) {
                    *word = bits;
                }
            }
            Self::Visible(quad) => {
                let (across, down) = valid.grid().block_range(quad);
                for row in down {
                    let start = row as usize * columns as usize;
                    let range = start + across.start as usize..start + across.end as usize;
                    let Some(words) = out.get_mut(range) else {
                        return;
                    };
                    for (word, column) in words.iter_mut().zip(across.clone()) {
                        *word = valid.block(column, row);
                    }
                }
            }
        }
    }
}

/// What sums up the visible samples of a sweep.
pub(super) fn count_into(valid: Valid, count: &mut u64) -> impl FnMut(Leaf) -> bool {
    move |leaf| {
        *count += leaf.visible_samples(&valid);
        true
    }
}

/// What makes a block bitmap of a sweep.
pub(super) fn expand_into(valid: Valid, out: &mut [u64]) -> impl FnMut(Leaf) -> bool {
    out.fill(0);
    move |leaf| {
        leaf.write(&valid, out);
        true
    }
}

/// The quad after `quad` and all that is in it, in a depth-first walk of `root`.
pub(super) fn after(mut quad: Quad, root: Quad) -> Option<Quad> {
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

/// The next leaf of a PVS, depth first, by what it says of quads (`state`) and of the samples of
/// blocks that are neither hidden nor visible (`word`). `at` is the quad that is next to be looked
/// at. Leaves outside the grid are left out.
pub(super) fn next_leaf(
    grid: Grid,
    at: &mut Option<Quad>,
    state: impl Fn(Quad) -> Visibility,
    word: impl Fn(Quad) -> u64,
) -> Option<Leaf> {
    loop {
        let quad = (*at)?;
        let state = state(quad);
        if state == Visibility::Unknown && quad.level > BLOCK_LEVEL {
            *at = quad.child(0);
            continue;
        }
        *at = after(quad, grid.root());
        if !grid.has_quad(quad) {
            continue;
        }
        return Some(match state {
            Visibility::Hidden => Leaf::Hidden(quad),
            Visibility::Visible => Leaf::Visible(quad),
            Visibility::Unknown => Leaf::Block(quad, word(quad)),
        });
    }
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
    pub(super) fn first_items(&self) -> [usize; LEVELS] {
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
    pub(super) fn first_block(&self) -> usize {
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
                Visibility::Hidden => HIDDEN,
                Visibility::Visible => super::quadtree::VISIBLE,
                Visibility::Unknown => UNKNOWN,
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
