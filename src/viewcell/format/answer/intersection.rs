//! Several trees that are walked together, for what is visible in all of them: [`super::lossy`].

use crate::format::grid::{BLOCK_LEVEL, LEVELS, Quad};
use crate::format::tree::Leaf;
use crate::format::tree::{Answer, HIDDEN, Tree, UNKNOWN};
use crate::format::tree::{Trees, count_unknown, unknown_before};

use super::{ReadPvs, StoredPvs};

/// Greatest number of trees that are walked at once: one a level, and a skeleton.
pub(super) const MOST: usize = LEVELS + 1;

/// A place in a tree that is walked depth first, with parts left out.
pub(super) struct Cursor<'a> {
    tree: Tree<'a>,
    /// By level: the item that was entered last, or the first one.
    at: [usize; LEVELS],
    /// By level: the unknown codes in all nodes before that item.
    rank: [usize; LEVELS],
}

impl<'a> Cursor<'a> {
    fn new(tree: Tree<'a>) -> Self {
        let at = tree.first_items();
        let mut rank = [0; LEVELS];
        // Before the first item of a level, all unknown codes are of items above the next level.
        for (rank, below) in rank.iter_mut().skip(1).zip(at) {
            *rank = below.saturating_sub(1);
        }
        Self { tree, at, rank }
    }

    /// The node of an item, none of an earlier one of its level, and the item that is the first of
    /// its unknown children. Each node is counted once in a walk.
    #[inline]
    fn node(&mut self, level: u32, item: usize) -> Option<(u8, usize)> {
        let nodes = self.tree.nodes();
        let at = self.at.get_mut(level as usize)?;
        let rank = self.rank.get_mut(level as usize)?;
        let node = *nodes.get(item)?;
        *rank += count_unknown(nodes.get(*at..item)?) as usize;
        *at = item;
        Some((node, 1 + *rank))
    }
}

/// What all trees say of a quad of which none says that it is hidden.
#[derive(Clone, Copy)]
struct Front {
    /// The items of those trees in which it is unknown.
    items: [usize; MOST],
    /// A bit for each of these; in all others it is visible.
    mixed: u32,
}

impl Front {
    fn mixed(&self) -> impl Iterator<Item = usize> + use<> {
        let mixed = self.mixed;
        (0..MOST).filter(move |i| mixed >> i & 1 == 1)
    }
}

/// A walk over all trees that say something of a PVS.
pub(super) struct Walk<'p, 'a> {
    pub trees: Trees<'a>,
    /// From this level up the trees of the quads that are seen count, too.
    pub back: u32,
    /// The quad that sees.
    pub quad: Quad,
    pub own: &'p StoredPvs<'a>,
    /// A quad of level 3 or more: what lies in it is wanted.
    pub within: Quad,
    /// Whether records are read, if there are any.
    pub records: bool,
    /// The first is that of what is stored of the quad itself. None where the walk begins.
    pub cursors: [Option<Cursor<'a>>; MOST],
}

impl Walk<'_, '_> {
    /// Hands over what is visible, depth first, in Morton order.
    pub(super) fn run(mut self, take: &mut impl FnMut(Leaf) -> bool) -> bool {
        let (first, from) = match self.own {
            StoredPvs::Tree(tree) => (*tree, 0),
            StoredPvs::Group(pvs) if pvs.viewpoints() == 0 => return true,
            StoredPvs::Group(pvs) => (pvs.skeleton(), pvs.viewpoints()),
        };
        let mut front = Front {
            items: [0; MOST],
            mixed: 0,
        };
        let mut trees = core::iter::once(first).chain(self.trees.around(self.quad));
        for (i, cursor) in self.cursors.iter_mut().enumerate() {
            let Some(tree) = trees.next() else {
                break;
            };
            match tree.root() {
                Answer::Hidden => return true,
                Answer::Visible => {}
                Answer::Mixed => {
                    front.mixed |= 1 << i;
                    *cursor = Some(Cursor::new(tree));
                }
            }
        }
        self.enter(self.trees.valid().grid().root(), &front, from, take)
    }

    /// A quad of which `front` tells. `from` are the viewpoints that may see something of it, of a
    /// quad in a group.
    fn enter(
        &mut self,
        quad: Quad,
        front: &Front,
        mut from: u64,
        take: &mut impl FnMut(Leaf) -> bool,
    ) -> bool {
        let trees = self.trees;
        let valid = trees.valid();
        if !valid.grid().has_quad(quad) {
            return true;
        }
        let back = quad.level >= self.back;
        if back && let Some(tree) = trees.tree(quad) {
            match self.own {
                StoredPvs::Tree(_) if tree.state(self.quad) == Answer::Hidden => return true,
                StoredPvs::Tree(_) => {}
                StoredPvs::Group(pvs) => {
                    let (column, row) = pvs.block();
                    from &= tree.word(column, row);
                    if from == 0 {
                        return true;
                    }
                }
            }
        }
        if front.mixed == 0 && quad.level <= self.back {
            return take(Leaf::Visible(quad));
        }
        if quad.level <= BLOCK_LEVEL {
            let word = self.word(quad, front, from);
            return word == 0 || take(Leaf::Block(quad, word));
        }
        let mut nodes = [(0, 0); MOST];
        let mut entered = 0;
        for i in front.mixed() {
            let cursor = self.cursors.get_mut(i).and_then(Option::as_mut);
            let item = front.items.get(i).copied().unwrap_or(usize::MAX);
            // What is not there counts as visible.
            let node = cursor.and_then(|cursor| cursor.node(quad.level, item));
            if let (Some(node), Some(place)) = (node, nodes.get_mut(i)) {
                *place = node;
                entered |= 1 << i;
            }
        }
        for index in 0..4 {
            let Some(child) = quad.child(index).filter(|&child| self.meets(child)) else {
                continue;
            };
            if let Some(front) = front.child(entered, &nodes, index)
                && !self.enter(child, &front, from, take)
            {
                return false;
            }
        }
        true
    }

    /// Whether a quad holds the one that is asked for, or lies in it.
    fn meets(&self, quad: Quad) -> bool {
        let (low, high) = if quad.level < self.within.level {
            (quad, self.within)
        } else {
            (self.within, quad)
        };
        let up = high.level - low.level;
        (low.column >> up, low.row >> up) == (high.column, high.row)
    }

    /// The visible samples of a block.
    fn word(&self, block: Quad, front: &Front, from: u64) -> u64 {
        let mut word = self.trees.valid().block(block.column, block.row);
        let item = |i: usize| front.items.get(i).copied().unwrap_or(usize::MAX);
        for i in front.mixed().filter(|&i| i > 0) {
            if let Some(Some(cursor)) = self.cursors.get(i) {
                word &= cursor.tree.literal(item(i));
            }
        }
        // Last, since it takes longest.
        if front.mixed & 1 == 1 && word != 0 {
            word &= match (self.own, self.records) {
                (StoredPvs::Tree(tree), _) => tree.literal(item(0)),
                (StoredPvs::Group(pvs), true) => {
                    pvs.only(from).mixed_word(item(0), block.column, block.row)
                }
                (StoredPvs::Group(_), false) => !0,
            };
        }
        word
    }
}

impl Front {
    /// What is known of a child, by the nodes of those trees that are `entered`; `None` if one of
    /// them says that it is hidden.
    #[inline]
    fn child(&self, entered: u32, nodes: &[(u8, usize); MOST], index: u32) -> Option<Self> {
        let mut child = Self {
            items: self.items,
            mixed: 0,
        };
        let places = child.items.iter_mut().zip(nodes).enumerate();
        for (i, (item, &(node, first))) in places {
            if entered >> i == 0 {
                break;
            }
            if entered >> i & 1 == 0 {
                continue;
            }
            match node >> (2 * index) & 3 {
                HIDDEN => return None,
                UNKNOWN => {
                    *item = first + unknown_before(node, index) as usize;
                    child.mixed |= 1 << i;
                }
                _ => {}
            }
        }
        Some(child)
    }
}
