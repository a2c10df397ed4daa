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

use crate::format::bytes::{read_varint, u64_at, write_varint};
use crate::format::grid::{BLOCK_LEVEL, Grid, LEVELS, Quad, Valid};
use crate::format::patch::layers::{Over, Piece, Runs, Source};

mod leaf;
pub mod morton;
pub(super) mod rank;
pub(super) mod traversal;
mod trees;

pub use leaf::Leaf;
pub(super) use rank::{count_unknown, unknown_before};
pub use traversal::Leaves;
pub use trees::Trees;

/// What may be seen of a quad, or of one block by another, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// All its terrain is hidden (or it has none).
    Hidden,
    /// All its terrain is visible.
    Visible,
    /// Some is hidden and some visible.
    Mixed,
}

/// Two-bit code of a hidden child.
pub const HIDDEN: u8 = 0;
/// Two-bit code of a visible child.
pub const VISIBLE: u8 = 1;
/// Two-bit code of an unknown child.
pub const UNKNOWN: u8 = 2;

/// One PVS in its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    valid: Valid<'a>,
    root: Answer,
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
            0 => Answer::Hidden,
            1 => Answer::Visible,
            _ => Answer::Mixed,
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
            Answer::Hidden => base,
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
    pub const fn root(&self) -> Answer {
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
    pub(in crate::format) const fn behind_nodes(&self) -> &'a [u8] {
        self.literals.own()
    }

    /// Number of nodes.
    #[inline]
    pub(in crate::format) const fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Item `item` as a literal; all visible where it is none, or not there.
    #[inline]
    pub(in crate::format) fn literal(&self, item: usize) -> u64 {
        item.checked_sub(self.nodes.len())
            .and_then(|index| self.literals.get(index))
            .unwrap_or(!0)
    }

    /// Goes down to a quad of the grid.
    #[inline]
    pub(in crate::format) fn find(&self, quad: Quad) -> Found {
        match self.root {
            Answer::Hidden => return Found::Leaf(false),
            Answer::Visible => return Found::Leaf(true),
            Answer::Mixed => {}
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

    /// Bytes that a tree has at most, by its head: a literal for each code of each node, or one alone.
    pub(in crate::format) const fn length_at_most(&self) -> usize {
        const HEAD: usize = 10;
        HEAD + 8 + self.node_count().saturating_mul(1 + 4 * 8)
    }

    /// Bytes of a tree that ends with its literals, of bytes that are right.
    pub fn length(&self) -> usize {
        let nodes = self.node_count();
        let (_, head) = write_varint(match self.root() {
            Answer::Hidden => 0,
            Answer::Visible => 1,
            Answer::Mixed => 2 + nodes as u32,
        });
        let mut literals = 0;
        self.sweep(|leaf| {
            literals += usize::from(matches!(leaf, Leaf::Block(..)));
            true
        });
        head + nodes + 8 * literals
    }

    /// Goes down to one block after another.
    #[inline]
    pub(in crate::format) fn finder(&self) -> Finder<'a> {
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

/// The words of the unknown blocks of a tree, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Literals<'a> {
    /// Bytes that begin with those that are the tree's own.
    own: &'a [u8],
    /// The same of the bundle's tree, where this one is of a patch.
    base: &'a [u8],
    /// Where each is; none where all are own ones.
    runs: Runs<'a>,
}

impl<'a> Literals<'a> {
    /// Those that `bytes` begins with.
    #[inline]
    pub(in crate::format) fn new(own: &'a [u8]) -> Self {
        Self {
            own,
            base: &[],
            runs: Runs::default(),
        }
    }

    /// These, and others in the place of some.
    pub(in crate::format) fn under(self, own: &'a [u8], runs: Runs<'a>) -> Self {
        Self {
            own,
            base: self.own,
            runs,
        }
    }

    /// The bytes that begin with those that are the tree's own.
    #[inline]
    pub(in crate::format) const fn own(&self) -> &'a [u8] {
        self.own
    }

    /// Number `index`; `None` where it is not there.
    #[inline]
    pub fn get(&self, index: usize) -> Option<u64> {
        if self.runs.is_empty() {
            return u64_at(self.own, index.checked_mul(8)?);
        }
        let literal = self.run(self.runs.find(index)).first();
        literal.map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Number `index` and those after it, as far as they lie end to end; none where it is not there. It is
    /// one that run `run` holds, or one after it, and from then on `run` is that one: for going through
    /// all in order.
    pub(in crate::format) fn from(&self, index: usize, run: &mut usize) -> &'a [[u8; 8]] {
        if self.runs.is_empty() {
            return self.own.as_chunks().0.get(index..).unwrap_or(&[]);
        }
        self.run(self.runs.find_after(index, run))
    }

    fn run(&self, found: Option<(Source, usize, usize)>) -> &'a [[u8; 8]] {
        let Some((source, behind, count)) = found else {
            return &[];
        };
        let (literals, first) = match source {
            Source::Own(first) => (self.own, first),
            Source::Base(first) => (self.base, first),
        };
        let start = first.saturating_add(behind);
        let literals = literals.as_chunks().0.get(start..).unwrap_or(&[]);
        literals.get(..count).unwrap_or(literals)
    }
}

/// Where the way down to a quad ends.
pub(in crate::format) enum Found {
    /// At a leaf that holds the quad: visible or not.
    Leaf(bool),
    /// At the quad itself, which is unknown.
    Mixed,
    /// At the block that holds the quad: its item.
    Block(usize),
}

impl Found {
    /// What is known of the quad without a look into blocks.
    pub(in crate::format) const fn visibility(&self) -> Answer {
        match self {
            Self::Leaf(false) => Answer::Hidden,
            Self::Leaf(true) => Answer::Visible,
            Self::Mixed | Self::Block(_) => Answer::Mixed,
        }
    }
}

/// Goes down to one block after another: blocks that are close to each other have most of the way in
/// common, and only the rest of it is gone.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct Finder<'a> {
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
    pub(in crate::format) fn find(&mut self, block: (u32, u32)) -> Found {
        match self.tree.root {
            Answer::Hidden => return Found::Leaf(false),
            Answer::Visible => return Found::Leaf(true),
            Answer::Mixed => {}
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

/// What bits say about terrain: `visible` is looked at where `valid` has ones.
#[inline]
pub const fn state_of(visible: u64, valid: u64) -> Answer {
    let visible = visible & valid;
    if visible == 0 {
        Answer::Hidden
    } else if visible == valid {
        Answer::Visible
    } else {
        Answer::Mixed
    }
}
