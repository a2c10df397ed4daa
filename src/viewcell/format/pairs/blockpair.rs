//! Who of one block sees whom of another: 64 viewpoints by 64 targets, coded as a tree of pairs.
//!
//! A pair of blocks of 8×8 samples falls into 16 pairs of quarters, each of these into 16 pairs
//! of 2×2 samples, and each of these into 16 bits. Child 4·i + j of a pair is quarter i of the
//! viewpoints with quarter j of the targets. Sight changes little from one viewpoint to the next,
//! so most children are all hidden or all visible.
//!
//! ```text
//! node symbol    u32: bit c set where child c is not hidden; bit 16 + c, where it is visible
//! leaf symbol    u16: bit 4·i + j set where viewpoint i of 2×2 sees target j of 2×2
//!
//! first byte of the root's node, its further bytes
//! first bytes of the nodes of the root's mixed children, in order; their further bytes
//! first bytes of the leaves, the mixed children of all these; their further bytes
//! ```

use super::blockbits::{in_morton_order, in_row_order};
use super::dictionary::{Dictionary, ESCAPE};
use crate::format::bits;

/// The two masks of a pair's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskNode(pub u32);

impl MaskNode {
    /// Children of which somebody sees something.
    #[inline]
    pub const fn some(self) -> u16 {
        self.0 as u16
    }

    /// Children of which everybody sees everything.
    #[inline]
    pub const fn full(self) -> u16 {
        (self.0 >> 16) as u16 & self.some()
    }

    /// Children that are neither hidden nor visible.
    #[inline]
    pub const fn mixed(self) -> u16 {
        self.some() & !self.full()
    }
}

/// Column, row bits of a sample in its block to quarters: level 2, level 1, level 0.
#[inline]
const fn quarter(column: u32, row: u32, level: u32) -> u32 {
    (row >> level & 1) << 1 | column >> level & 1
}

/// Number of the child that holds viewpoint `a` and target `b` (column and row in the block) at a
/// level, 2 for the root's children, 0 for the bits of a leaf.
#[inline]
const fn child(a: (u32, u32), b: (u32, u32), level: u32) -> u32 {
    quarter(a.0, a.1, level) << 2 | quarter(b.0, b.1, level)
}

/// Set bits before bit `at`.
#[inline]
const fn rank(mask: u16, at: u32) -> usize {
    (mask & ((1 << at) - 1)).count_ones() as usize
}

/// One pair of blocks in its bytes; there may be bytes behind it.
#[derive(Clone, Copy, Debug)]
pub struct BlockPair<'a> {
    dictionary: Dictionary<'a>,
    root: MaskNode,
    /// Length in bytes of the root's node.
    head: usize,
    /// All but the root's node.
    rest: &'a [u8],
}

impl<'a> BlockPair<'a> {
    /// The pair at the start of `bytes`. What is not there is taken for visible.
    #[inline]
    pub fn new(dictionary: Dictionary<'a>, bytes: &'a [u8]) -> Self {
        let first = bytes.first().copied().unwrap_or(ESCAPE);
        let more = bytes.get(1..).unwrap_or(&[]);
        let (root, used) = dictionary.nodes.symbol(first, more, 0);
        Self {
            dictionary,
            root: MaskNode(root),
            head: 1 + used,
            rest: more.get(used..).unwrap_or(&[]),
        }
    }

    /// Whether viewpoint `a` sees target `b`, each a column and a row in its block. Bits without
    /// terrain may be either.
    ///
    /// Time: at most 16 nodes are read, and the bytes up to one leaf are counted.
    #[inline]
    pub fn sees(&self, a: (u32, u32), b: (u32, u32)) -> bool {
        let at = child(a, b, 2);
        if self.root.some() >> at & 1 == 0 {
            return false;
        }
        let mixed = self.root.mixed();
        if mixed >> at & 1 == 0 {
            return true;
        }
        let Some((firsts, more)) = self.rest.split_at_checked(mixed.count_ones() as usize) else {
            return true;
        };
        let wanted = rank(mixed, at);
        let (mut node, mut before, mut leaves, mut used) = (MaskNode(!0), 0, 0, 0);
        for (i, &first) in firsts.iter().enumerate() {
            let (symbol, further) = self.dictionary.nodes.symbol(first, more, used);
            used += further;
            if i == wanted {
                (node, before) = (MaskNode(symbol), leaves);
            }
            leaves += MaskNode(symbol).mixed().count_ones() as usize;
        }
        let at = child(a, b, 1);
        if node.some() >> at & 1 == 0 {
            return false;
        }
        if node.mixed() >> at & 1 == 0 {
            return true;
        }
        let index = before + rank(node.mixed(), at);
        let leaf = more
            .get(used..)
            .and_then(|rest| rest.split_at_checked(leaves))
            .and_then(|(firsts, more)| {
                let code = self.dictionary.leaves;
                let &first = firsts.get(index)?;
                if first < code.short() {
                    return Some(code.numbered(first.into()));
                }
                let skipped = code.further(firsts.get(..index)?);
                Some(code.symbol(first, more, skipped).0)
            });
        leaf.unwrap_or(!0) >> child(a, b, 0) & 1 == 1
    }

    /// Shows the symbols in the order of their bytes: the root's node and those of its mixed
    /// children to `node`, then the leaves to `leaf`. What is not there counts as visible.
    #[inline]
    pub fn symbols(&self, node: &mut impl FnMut(u32), leaf: &mut impl FnMut(u16)) {
        node(self.root.0);
        let count = self.root.mixed().count_ones() as usize;
        let (firsts, more) = self.rest.split_at_checked(count).unwrap_or((&[], &[]));
        let (mut leaves, mut used) = (0, 0);
        for i in 0..count {
            let symbol = match firsts.get(i) {
                Some(&first) => {
                    let (symbol, further) = self.dictionary.nodes.symbol(first, more, used);
                    used += further;
                    symbol
                }
                None => !0,
            };
            node(symbol);
            leaves += MaskNode(symbol).mixed().count_ones() as usize;
        }
        let rest = more.get(used..).unwrap_or(&[]);
        let (firsts, more) = rest.split_at_checked(leaves).unwrap_or((&[], &[]));
        let mut used = 0;
        for i in 0..leaves {
            leaf(match firsts.get(i) {
                Some(&first) => {
                    let (symbol, further) = self.dictionary.leaves.symbol(first, more, used);
                    used += further;
                    symbol as u16
                }
                None => !0,
            });
        }
    }

    /// Length in bytes, by the bytes themselves.
    pub fn length(&self) -> usize {
        let count = self.root.mixed().count_ones() as usize;
        let (firsts, more) = self.rest.split_at_checked(count).unwrap_or((&[], &[]));
        let (mut leaves, mut used) = (0, 0);
        for &first in firsts {
            let (symbol, further) = self.dictionary.nodes.symbol(first, more, used);
            used += further;
            leaves += MaskNode(symbol).mixed().count_ones() as usize;
        }
        let length = self.head + count + used + leaves;
        let firsts = more.get(used..).and_then(|rest| rest.get(..leaves));
        length + firsts.map_or(0, |firsts| self.dictionary.leaves.further(firsts))
    }

    /// Shows `visit` all that is not hidden, in the order of children: squares of 4 or 2 samples
    /// a side of either block, and the leaf where it is not all visible.
    #[inline]
    pub fn walk(&self, visit: &mut impl FnMut(Piece)) {
        // A pair has at most 16 mixed children, and each of these 16 leaves.
        let (mut nodes, mut leaves) = ([!0; 17], [!0; 256]);
        let (mut node_slots, mut leaf_slots) = (nodes.iter_mut(), leaves.iter_mut());
        self.symbols(
            &mut |symbol| {
                if let Some(slot) = node_slots.next() {
                    *slot = symbol;
                }
            },
            &mut |symbol| {
                if let Some(slot) = leaf_slots.next() {
                    *slot = symbol;
                }
            },
        );
        pieces(&nodes, &leaves, visit);
    }

    /// What is seen from any of the samples `from`, a word of a block bitmap: of the targets, if
    /// `from` is of the viewpoints; else, `back`, of the viewpoints that see any of the targets
    /// `from`. Bits without terrain may be either.
    ///
    /// Time: all nodes are read, and the leaves beside `from`.
    pub fn seen(&self, from: u64, back: bool) -> u64 {
        // Of a pair's two squares, the one in which `from` lies, and the other.
        let sides = |at: u32| {
            if back {
                (at & 3, at >> 2)
            } else {
                (at >> 2, at & 3)
            }
        };
        let (from, mixed) = (in_morton_order(from), self.root.mixed());
        let nodes = mixed.count_ones() as usize;
        let (firsts, more) = self.rest.split_at_checked(nodes).unwrap_or((&[], &[]));
        let (mut symbols, mut leaves, mut used) = ([!0; 16], 0, 0);
        for (symbol, &first) in symbols.iter_mut().zip(firsts) {
            let further;
            (*symbol, further) = self.dictionary.nodes.symbol(first, more, used);
            used += further;
            leaves += MaskNode(*symbol).mixed().count_ones() as usize;
        }
        let rest = more.get(used..).unwrap_or(&[]);
        let (firsts, more) = rest.split_at_checked(leaves).unwrap_or((&[], &[]));
        // All that is known without a leaf: most leaves could tell no more.
        let mut seen = 0;
        for quarter in bits::ones(across(self.root.full(), quarters(from), back).into()) {
            seen |= 0xFFFF << (16 * quarter);
        }
        let nodes = || bits::ones(mixed.into()).zip(symbols.map(MaskNode));
        for (at, node) in nodes() {
            let (near, far) = sides(at);
            let squares = across(node.full(), squares(quarter_of(from, near)), back);
            seen |= u64::from(pairs_of(squares, 15)) << (16 * far);
        }
        let code = self.dictionary.leaves;
        // Leaves before the node at hand, and those whose further bytes have been counted.
        let (mut before, mut counted, mut used) = (0, 0, 0);
        for (at, node) in nodes() {
            let (near, far) = sides(at);
            let (near, open) = (quarter_of(from, near), quarter_of(!seen, far));
            let (first, second) = if back { (open, near) } else { (near, open) };
            let wanted = pairs_of(squares(first), squares(second));
            for at in bits::ones((node.mixed() & wanted).into()) {
                let (i, j) = sides(at);
                let place = 16 * far + 4 * j;
                if seen >> place & 15 == 15 {
                    continue;
                }
                let leaf = before + rank(node.mixed(), at);
                let bits = match firsts.get(leaf) {
                    Some(&first) => {
                        used += code.further(firsts.get(counted..leaf).unwrap_or(&[]));
                        counted = leaf;
                        code.symbol(first, more, used).0 as u16
                    }
                    None => !0,
                };
                seen |= u64::from(across(bits, near >> (4 * i) & 15, back)) << place;
            }
            before += node.mixed().count_ones() as usize;
        }
        in_row_order(seen)
    }

    /// Whether any of the viewpoints `from` sees any of the targets `to`, both words of a block
    /// bitmap. Bits without terrain may be either.
    ///
    /// Time: as of [`BlockPair::seen`] at most; where the root or a node settles it, no leaf is read.
    pub fn sees_any(&self, from: u64, to: u64) -> bool {
        let (from, to) = (in_morton_order(from), in_morton_order(to));
        // Pairs of quarters that both words have something of.
        let wanted = pairs_of(quarters(from), quarters(to));
        if self.root.some() & wanted == 0 {
            return false;
        }
        if self.root.full() & wanted != 0 {
            return true;
        }
        let mixed = self.root.mixed();
        let nodes = mixed.count_ones() as usize;
        let Some((firsts, more)) = self.rest.split_at_checked(nodes) else {
            return true;
        };
        // Of each node that is wanted: the leaves before it, itself, which of its children are wanted.
        let mut open = [(0_usize, MaskNode(0), 0_u32); 16];
        let (mut waiting, mut leaves, mut used) = (0, 0, 0);
        let mut rest = mixed;
        for &first in firsts {
            let at = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            let (symbol, further) = self.dictionary.nodes.symbol(first, more, used);
            used += further;
            let node = MaskNode(symbol);
            if wanted >> at & 1 == 1 {
                let (near, far) = (quarter_of(from, at >> 2), quarter_of(to, at & 3));
                let wanted = pairs_of(squares(near), squares(far));
                if node.full() & wanted != 0 {
                    return true;
                }
                if node.mixed() & wanted != 0
                    && let Some(place) = open.get_mut(waiting)
                {
                    *place = (leaves, node, at);
                    waiting += 1;
                }
            }
            leaves += node.mixed().count_ones() as usize;
        }
        if waiting == 0 {
            return false;
        }
        let rest = more.get(used..).unwrap_or(&[]);
        let Some((firsts, more)) = rest.split_at_checked(leaves) else {
            return true;
        };
        let code = self.dictionary.leaves;
        // Leaves whose further bytes have been counted.
        let (mut counted, mut used) = (0, 0);
        for &(before, node, at) in open.iter().take(waiting) {
            let (near, far) = (quarter_of(from, at >> 2), quarter_of(to, at & 3));
            let wanted = node.mixed() & pairs_of(squares(near), squares(far));
            for at in bits::ones(wanted.into()) {
                let leaf = before + rank(node.mixed(), at);
                let Some(&first) = firsts.get(leaf) else {
                    return true;
                };
                used += code.further(firsts.get(counted..leaf).unwrap_or(&[]));
                counted = leaf;
                let bits = code.symbol(first, more, used).0 as u16;
                if bits & pairs_of(near >> (4 * (at >> 2)), far >> (4 * (at & 3))) != 0 {
                    return true;
                }
            }
        }
        false
    }

    /// Who sees whom: word v is what viewpoint v of the block sees, both in the order of a block
    /// bitmap. Bits without terrain may be either.
    pub fn rows(&self) -> [u64; 64] {
        let mut rows = [0; 64];
        self.walk(&mut |piece| piece.write(&mut rows));
        rows
    }
}

/// Shows `visit` all that is not hidden in the tree of these symbols ([`BlockPair::symbols`]).
#[inline]
pub fn pieces(nodes: &[u32], leaves: &[u16], visit: &mut impl FnMut(Piece)) {
    let mut nodes = nodes.iter().map(|&symbol| MaskNode(symbol));
    let mut leaves = leaves.iter().copied();
    let root = nodes.next().unwrap_or(MaskNode(!0));
    for at in 0..16 {
        if root.some() >> at & 1 == 0 {
            continue;
        }
        let outer = Piece::ROOT.child(at);
        if root.mixed() >> at & 1 == 0 {
            visit(outer);
            continue;
        }
        let node = nodes.next().unwrap_or(MaskNode(!0));
        for at in 0..16 {
            if node.some() >> at & 1 == 0 {
                continue;
            }
            let mut piece = outer.child(at);
            if node.mixed() >> at & 1 == 1 {
                piece.leaf = leaves.next().unwrap_or(!0);
            }
            visit(piece);
        }
    }
}

/// A part of a pair that is not hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// 2 or 1: squares of 4 or of 2 samples a side.
    pub level: u32,
    /// Column and row of the viewpoints' square in its block, in samples.
    pub viewpoints: (u32, u32),
    /// Column and row of the targets' square in its block, in samples.
    pub targets: (u32, u32),
    /// Where the level is 1: the leaf. All ones where all is visible.
    pub leaf: u16,
}

impl Piece {
    const ROOT: Self = Self {
        level: 3,
        viewpoints: (0, 0),
        targets: (0, 0),
        leaf: !0,
    };

    const fn child(self, at: u32) -> Self {
        let level = self.level - 1;
        Self {
            level,
            viewpoints: half_of(self.viewpoints, at >> 2, level),
            targets: half_of(self.targets, at & 3, level),
            leaf: self.leaf,
        }
    }

    /// Sets its bits.
    #[inline]
    pub fn write(&self, rows: &mut [u64; 64]) {
        let shift = self.targets.1 * 8 + self.targets.0;
        let first = (self.viewpoints.1 * 8 + self.viewpoints.0) as usize;
        if self.level == 2 {
            for i in 0..16 {
                if let Some(row) = rows.get_mut(first + (i >> 2) * 8 + (i & 3)) {
                    *row |= 0x0F0F_0F0F << shift;
                }
            }
            return;
        }
        for i in 0..4 {
            let bits = u64::from(self.leaf >> (4 * i));
            if let Some(row) = rows.get_mut(first + (i >> 1) * 8 + (i & 1)) {
                *row |= (bits & 3 | (bits & 12) << 6) << shift;
            }
        }
    }
}

/// The pairs, bit 4·i + j, of which the first word has bit i and the second bit j, of four each.
#[inline]
const fn pairs_of(first: u16, second: u16) -> u16 {
    // A bit of the first becomes the lowest of four.
    let spread = first & 1 | (first & 2) << 3 | (first & 4) << 6 | (first & 8) << 9;
    spread * (second & 15)
}

/// Where bits of pairs lead from four places: from the first to the second of each pair, or `back`.
#[inline]
const fn across(pairs: u16, from: u16, back: bool) -> u16 {
    if back {
        return squares(pairs & pairs_of(15, from));
    }
    let rows = pairs & pairs_of(from, 15);
    let rows = rows | rows >> 8;
    (rows | rows >> 4) & 15
}

/// Quarter `i` of a word in Morton order.
#[inline]
const fn quarter_of(word: u64, i: u32) -> u16 {
    (word >> (16 * i)) as u16
}

/// Which of its four quarters a word in Morton order has something of.
#[inline]
const fn quarters(word: u64) -> u16 {
    let mut some = 0;
    let mut i = 0;
    while i < 4 {
        some |= ((quarter_of(word, i) != 0) as u16) << i;
        i += 1;
    }
    some
}

/// Which of the four squares of 2 × 2 samples a quarter has something of.
#[inline]
const fn squares(quarter: u16) -> u16 {
    let some = quarter | quarter >> 1;
    let some = (some | some >> 2) & 0x1111;
    (some | some >> 3 | some >> 6 | some >> 9) & 15
}

/// Corner of quarter `i` of a square whose quarters have sides of 2^level.
const fn half_of(corner: (u32, u32), i: u32, level: u32) -> (u32, u32) {
    (
        corner.0 + ((i & 1) << level),
        corner.1 + ((i >> 1) << level),
    )
}
