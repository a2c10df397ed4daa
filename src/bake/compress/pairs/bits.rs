//! Visibility bits of a pair of blocks, in the order of the tree that they become.

use super::symbols::PairSymbols;
use viewcell::format::Answer;
use viewcell::format::bits;
use viewcell::format::blockbits::in_morton_order;
use viewcell::format::morton;

/// Who sees whom where there is terrain. Viewpoints and targets are in Morton order, so that the
/// squares of every level lie together: 4 of 2×2 samples in each of 4 of 4×4.
#[derive(Clone, Debug)]
pub struct PairBits {
    /// A word a viewpoint: the targets that it sees.
    seen: [u64; 64],
    /// A word a viewpoint with terrain: the targets with terrain that it does not see.
    hidden: [u64; 64],
}

/// Place of a viewpoint or target in its block's word by its number in Morton order.
const PLACE: [usize; 64] = {
    let mut places = [0; 64];
    let mut number = 0;
    while number < 64 {
        let (column, row) = morton::place(number as u64);
        places[number] = (row * 8 + column) as usize;
        number += 1;
    }
    places
};

/// The lowest bit of each nibble is set where any of the nibble is.
#[inline]
const fn any_of_nibbles(word: u64) -> u64 {
    let word = word | word >> 2;
    (word | word >> 1) & 0x1111_1111_1111_1111
}

/// The lowest bits of the nibbles, side by side.
#[inline]
const fn gather(word: u64) -> u16 {
    let word = (word | word >> 3) & 0x0303_0303_0303_0303;
    let word = (word | word >> 6) & 0x000F_000F_000F_000F;
    let word = (word | word >> 12) & 0x0000_00FF_0000_00FF;
    (word | word >> 24) as u16
}

/// The children of a node that have a bit set: nibble `j` of each of four [`squares`], one for each
/// quarter of the viewpoints.
#[inline]
fn children(squares: &[u16], j: usize) -> u16 {
    squares.iter().enumerate().fold(0, |mask, (k, bits)| {
        mask | (bits >> (4 * j) & 15) << (4 * k)
    })
}

impl PairSymbols {
    /// The tree of a pair: word v of `rows` is what viewpoint v sees; `viewpoints` and `targets`
    /// have ones where there is terrain, and only there bits count. Leaves in `self` what the
    /// tree consists of; what that is, is told by the result ([`PairBits::analyse`]).
    pub fn analyse(&mut self, rows: &[u64; 64], viewpoints: u64, targets: u64) -> Answer {
        PairBits::new(rows, viewpoints, targets).analyse(self)
    }
}

impl PairBits {
    /// Word v of `rows` is what viewpoint v sees; `viewpoints` and `targets` have ones where there
    /// is terrain, and only there bits count. All are in the order of a block bitmap.
    pub fn new(rows: &[u64; 64], viewpoints: u64, targets: u64) -> Self {
        let targets = in_morton_order(targets);
        let mut bits = Self {
            seen: [0; 64],
            hidden: [0; 64],
        };
        let words = bits.seen.iter_mut().zip(&mut bits.hidden);
        for ((seen, hidden), place) in words.zip(PLACE) {
            let there = (viewpoints >> place & 1).wrapping_neg() & targets;
            let row = in_morton_order(rows[place]);
            (*seen, *hidden) = (row & there, !row & there);
        }
        bits
    }

    /// Leaves in `tree` the tree that these bits become; what it says as a whole is told by the
    /// result.
    ///
    /// A child without terrain on either side is hidden, as is one without visible pairs; one
    /// all of whose pairs with terrain are visible is visible.
    pub fn analyse(&self, tree: &mut PairSymbols) -> Answer {
        let (seen, hidden) = (squares(&self.seen), squares(&self.hidden));
        tree.nodes.clear();
        tree.leaves.clear();
        tree.nodes.push(0);
        let (mut some, mut not_full) = (0u16, 0u16);
        for outer in 0..16 {
            let (i, j) = (outer >> 2, outer & 3);
            let has_seen = children(&seen[4 * i..][..4], j);
            let has_hidden = children(&hidden[4 * i..][..4], j);
            some |= u16::from(has_seen != 0) << outer;
            not_full |= u16::from(has_hidden != 0) << outer;
            if has_seen == 0 || has_hidden == 0 {
                continue;
            }
            tree.nodes.push(node_of(has_seen, has_hidden));
            for inner in bits::ones(u64::from(has_seen & has_hidden)) {
                let inner = inner as usize;
                tree.leaves
                    .push(self.leaf(4 * i + (inner >> 2), 4 * j + (inner & 3)));
            }
        }
        tree.nodes[0] = node_of(some, not_full);
        match (some, not_full) {
            (0, _) => Answer::Hidden,
            (_, 0) => Answer::Visible,
            _ => Answer::Mixed,
        }
    }

    /// What 2×2 viewpoints see of 2×2 targets, by the numbers of their squares.
    #[inline]
    fn leaf(&self, viewpoints: usize, targets: usize) -> u16 {
        let rows = self.seen[4 * viewpoints..][..4].iter().enumerate();
        rows.fold(0, |leaf, (i, row)| {
            leaf | ((row >> (4 * targets) & 15) as u16) << (4 * i)
        })
    }

    /// Visible samples by level of the quad that sees, 0 to 3, summed over the quads of the
    /// viewpoints' block; and seen back, of the targets'.
    pub fn visible(&self) -> [[u64; 4]; 2] {
        let ones = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum();
        let (mut there, mut back) = ([0; 4], [0; 4]);
        // The union of the PVSs of a square, of the last rows' squares.
        let mut unions = self.seen;
        let mut count = unions.len();
        for visible in &mut there {
            *visible = ones(&unions[..count]);
            count /= 4;
            for i in 0..count {
                unions[i] =
                    unions[4 * i] | unions[4 * i + 1] | unions[4 * i + 2] | unions[4 * i + 3];
            }
        }
        // In each word a bit a square that is seen, the lowest of the square's.
        let mut squares = self.seen;
        back[0] = there[0];
        for (visible, (shift, mask)) in back[1..].iter_mut().zip([
            (1, 0x1111_1111_1111_1111),
            (4, 0x0001_0001_0001_0001),
            (16, 1),
        ]) {
            for word in &mut squares {
                let halves = *word | *word >> (2 * shift);
                *word = (halves | halves >> shift) & mask;
            }
            *visible = ones(&squares);
        }
        [there, back]
    }
}

/// By square of 2×2 viewpoints, a bit for each square of 2×2 targets: whether any is set.
fn squares(rows: &[u64; 64]) -> [u16; 16] {
    let mut squares = [0; 16];
    for (square, rows) in squares.iter_mut().zip(rows.as_chunks::<4>().0) {
        *square = gather(any_of_nibbles(rows[0] | rows[1] | rows[2] | rows[3]));
    }
    squares
}

/// The symbol of a node, by its children of which some is visible and of which some is hidden.
fn node_of(some: u16, not_full: u16) -> u32 {
    u32::from(some) | u32::from(some & !not_full) << 16
}
