//! Tree code 1: one PVS, lossless, and read where it lies.
//!
//! A PVS is a quadtree over the root square (thesis section 3.2): a quad all hidden or all
//! visible is a leaf, any other is unknown and has four children, down to blocks of 8×8 samples.
//! Pointers are left out, as in a LOUDS tree: nodes are stored breadth first, so the place of a
//! child follows from the number of unknown codes before it.
//!
//! ```text
//! varint  0: all hidden. 1: all visible. 2 + n: n nodes follow, then the literals
//! n bytes, one a node: an unknown quad of level 4 or more, breadth first. Four two-bit codes,
//!     children north-west, north-east, south-west, south-east from the low bits:
//!     0 hidden, 1 visible, 2 unknown, 3 reserved (read as visible)
//! 8 bytes a literal: an unknown block (level 3), in the same order. Bit (r & 7)·8 + (c & 7) of
//!     the little-endian word is set where sample (c, r) is visible
//! ```
//!
//! Items are counted through nodes and literals alike: item 0 is the root, and the child of an
//! unknown code is item 1 + (the number of unknown codes before that code). A quad without
//! terrain is hidden; in any other, samples outside the grid and voids do not count.
//!
//! Bytes that are no tree read as visible: wrong, perhaps, but never hidden by mistake.

use super::grid::{BLOCK_LEVEL, Grid, Quad, Sample, quad_mask};
use super::layers::{Over, Piece, Runs};
use super::literals::Literals;
use super::rank::{count_unknown, unknown_before};
use super::valid::Valid;
use super::varint::read_varint;

/// What a PVS says about a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// All its terrain is hidden (or it has none).
    Hidden,
    /// All its terrain is visible.
    Visible,
    /// Some is hidden and some visible.
    Unknown,
}

/// Two-bit code of a hidden child.
pub const HIDDEN: u8 = 0;
/// Two-bit code of a visible child.
pub const VISIBLE: u8 = 1;
/// Two-bit code of an unknown child.
pub const UNKNOWN: u8 = 2;

/// Most levels of a tree.
const LEVELS: usize = Grid::MAX_ROOT_LEVEL as usize + 1;

/// Goes down to one block after another: blocks that are close to each other have most of the way in
/// common, and only the rest of it is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finder<'a> {
    tree: Tree<'a>,
    /// Column and row of the last block.
    last: (u32, u32),
    /// The level down to which the way to it is known.
    level: u32,
    /// That way, by level.
    way: [Step; LEVELS],
}

/// A place on the way down: an item, and how many unknown codes the nodes before `counted` have.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    item: usize,
    rank: u64,
    counted: usize,
}

impl Finder<'_> {
    /// As [`Tree::find`] of a block of the grid.
    pub(super) fn find(&mut self, block: (u32, u32)) -> Found {
        match self.tree.root {
            Visibility::Hidden => return Found::Leaf(false),
            Visibility::Visible => return Found::Leaf(true),
            Visibility::Unknown => {}
        }
        let nodes = self.tree.nodes();
        let differs = (block.0 ^ self.last.0) | (block.1 ^ self.last.1);
        let common = BLOCK_LEVEL + (u32::BITS - differs.leading_zeros());
        self.last = block;
        self.level = self.level.max(common).min(self.tree.grid().root_level());
        let mut step = self.way.get(self.level as usize).copied();
        while self.level > BLOCK_LEVEL {
            let Some(Step {
                item,
                rank,
                counted,
            }) = step
            else {
                return Found::Leaf(true);
            };
            let (Some(&node), Some(between)) = (nodes.get(item), nodes.get(counted..item)) else {
                return Found::Leaf(true);
            };
            let rank = rank + count_unknown(between);
            let up = self.level - 1 - BLOCK_LEVEL;
            let child = (block.1 >> up & 1) << 1 | block.0 >> up & 1;
            match node >> (2 * child) & 3 {
                HIDDEN => return Found::Leaf(false),
                UNKNOWN => {}
                _ => return Found::Leaf(true),
            }
            let next = Step {
                item: (1 + rank + unknown_before(node, child)) as usize,
                rank,
                counted: item,
            };
            self.level -= 1;
            if let Some(place) = self.way.get_mut(self.level as usize) {
                *place = next;
            }
            step = Some(next);
        }
        Found::Block(step.map_or(0, |step| step.item))
    }
}

/// One PVS in its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    valid: Valid<'a>,
    root: Visibility,
    nodes: &'a [u8],
    literals: Literals<'a>,
}

impl<'a> Tree<'a> {
    /// The tree at the start of `bytes`; there may be bytes behind it. `None` where the head of
    /// the tree is no head, or the nodes it announces are not there.
    #[inline]
    pub fn parse(valid: Valid<'a>, bytes: &'a [u8]) -> Option<Self> {
        let (head, body) = read_varint(bytes)?;
        let root = match head {
            0 => Visibility::Hidden,
            1 => Visibility::Visible,
            _ => Visibility::Unknown,
        };
        let (nodes, behind) = body.split_at_checked(head.saturating_sub(2) as usize)?;
        Some(Self {
            valid,
            root,
            nodes,
            literals: Literals::new(behind),
        })
    }

    /// The tree of a bundle or of a patch; `None` where it is none.
    #[inline]
    pub fn of(valid: Valid<'a>, piece: Piece<'a>) -> Option<Self> {
        match piece {
            Piece::Whole(bytes) => Self::parse(valid, bytes),
            Piece::Over(over) => Self::over(valid, &over),
        }
    }

    /// A tree that differs from one of the bundle.
    fn over(valid: Valid<'a>, over: &Over<'a>) -> Option<Self> {
        let base = Self::parse(valid, over.base)?;
        let tree = Self::parse(valid, over.rest)?;
        let (runs, own) = Runs::parse(tree.behind_nodes())?;
        let tree = match tree.root {
            Visibility::Hidden => base,
            _ => tree,
        };
        Some(Self {
            literals: base.literals.under(own, runs),
            ..tree
        })
    }

    /// Where there is terrain.
    pub const fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// The grid.
    pub const fn grid(&self) -> Grid {
        self.valid.grid()
    }

    /// What the root says of the whole grid.
    pub const fn root(&self) -> Visibility {
        self.root
    }

    /// The node bytes.
    #[inline]
    pub const fn nodes(&self) -> &'a [u8] {
        self.nodes
    }

    /// The words of unknown blocks, in their order.
    #[inline]
    pub const fn literals(&self) -> Literals<'a> {
        self.literals
    }

    /// What follows the nodes.
    #[inline]
    pub(super) const fn behind_nodes(&self) -> &'a [u8] {
        self.literals.own()
    }

    /// Number of nodes.
    #[inline]
    pub(super) const fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Item `item` as a literal; all visible where it is none, or not there.
    #[inline]
    pub(super) fn literal(&self, item: usize) -> u64 {
        item.checked_sub(self.nodes.len())
            .and_then(|index| self.literals.get(index))
            .unwrap_or(!0)
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    ///
    /// One pass over the node bytes at most, one table row a level, no allocation.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        self.valid.has_sample(sample)
            && match self.find(sample.quad()) {
                Found::Leaf(visible) => visible,
                Found::Mixed => true,
                Found::Block(item) => self.literal(item) & quad_mask(sample.quad()) != 0,
            }
    }

    /// What the PVS says about a quad; hidden outside the grid and where there is no terrain.
    ///
    /// As fast as [`Tree::contains`], except over voids, where a visible answer first looks for
    /// terrain in the quad.
    pub fn state(&self, quad: Quad) -> Visibility {
        if !self.grid().has_quad(quad) {
            return Visibility::Hidden;
        }
        match self.find(quad) {
            Found::Leaf(false) => Visibility::Hidden,
            Found::Leaf(true) if self.valid.has_quad(quad) => Visibility::Visible,
            Found::Leaf(true) => Visibility::Hidden,
            Found::Mixed => Visibility::Unknown,
            Found::Block(item) => {
                let origin = quad.origin();
                let valid = self.valid.block(origin.column >> 3, origin.row >> 3);
                state_of(self.literal(item), valid & quad_mask(quad))
            }
        }
    }

    /// Goes down to a quad of the grid.
    #[inline]
    pub(super) fn find(&self, quad: Quad) -> Found {
        match self.root {
            Visibility::Hidden => return Found::Leaf(false),
            Visibility::Visible => return Found::Leaf(true),
            Visibility::Unknown => {}
        }
        let nodes = self.nodes();
        let mut level = self.grid().root_level();
        let mut item = 0;
        // Unknown codes in the nodes before `counted`. Items only grow on the way down, so the
        // whole way counts each node once.
        let mut rank = 0;
        let mut counted = 0;
        while level > BLOCK_LEVEL {
            if quad.level >= level {
                return Found::Mixed;
            }
            let (Some(&node), Some(between)) = (nodes.get(item), nodes.get(counted..item)) else {
                return Found::Leaf(true);
            };
            rank += count_unknown(between);
            counted = item;
            level -= 1;
            let up = level - quad.level;
            let child = (quad.row >> up & 1) << 1 | quad.column >> up & 1;
            match node >> (2 * child) & 3 {
                HIDDEN => return Found::Leaf(false),
                UNKNOWN => item = (1 + rank + unknown_before(node, child)) as usize,
                _ => return Found::Leaf(true),
            }
        }
        if quad.level > BLOCK_LEVEL {
            return Found::Mixed;
        }
        Found::Block(item)
    }

    /// Goes down to one block after another.
    #[inline]
    pub(super) fn finder(&self) -> Finder<'a> {
        let last = (0, 0);
        let level = self.grid().root_level();
        Finder {
            tree: *self,
            last,
            level,
            way: [Step::default(); LEVELS],
        }
    }
}

/// Where the way down to a quad ends.
pub(super) enum Found {
    /// At a leaf that holds the quad: visible or not.
    Leaf(bool),
    /// At the quad itself, which is unknown.
    Mixed,
    /// At the block that holds the quad: its item.
    Block(usize),
}

/// What bits say about terrain: `visible` is looked at where `valid` has ones.
#[inline]
pub const fn state_of(visible: u64, valid: u64) -> Visibility {
    let visible = visible & valid;
    if visible == 0 {
        Visibility::Hidden
    } else if visible == valid {
        Visibility::Visible
    } else {
        Visibility::Unknown
    }
}
