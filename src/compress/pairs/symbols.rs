//! The tree of a pair of blocks ([`crate::format::blockpair`]), before it has bytes.

use crate::format::blockpair::{BlockPair, pieces};

/// What the samples of one block see of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Nobody sees anything (or one of them has no terrain).
    Hidden,
    /// Everybody sees everything.
    Visible,
    /// Neither.
    Mixed,
}

/// Column and row in its block of quarter `i` of quarter `q`: a square of 2 samples a side.
fn corner(q: usize, i: usize) -> usize {
    ((q >> 1) * 4 + (i >> 1) * 2) * 8 + (q & 1) * 4 + (i & 1) * 2
}

/// The word of a leaf: viewpoints and targets from their first bits on.
fn leaf_of(rows: &[u64; 64], viewpoints: usize, targets: usize) -> u16 {
    let mut leaf = 0;
    for i in 0..4 {
        let row = rows[viewpoints + (i >> 1) * 8 + (i & 1)] >> targets;
        leaf |= ((row & 3 | row >> 6 & 12) as u16) << (4 * i);
    }
    leaf
}

/// The nodes and leaves of a pair that is mixed, in the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct PairSymbols {
    /// The root's node, and those of its mixed children.
    pub nodes: Vec<u32>,
    /// The mixed leaves.
    pub leaves: Vec<u16>,
}

impl PairSymbols {
    /// The tree of a pair: word v of `rows` is what viewpoint v sees; `viewpoints` and `targets`
    /// have ones where there is terrain, and only there bits count. Leaves in `self` what the
    /// tree consists of; what that is, is told by the result.
    ///
    /// A child without terrain on either side is hidden, as is one without visible pairs; one
    /// all of whose pairs with terrain are visible is visible.
    pub fn analyse(&mut self, rows: &[u64; 64], viewpoints: u64, targets: u64) -> Sight {
        self.nodes.clear();
        self.leaves.clear();
        self.nodes.push(0);
        let all_terrain = viewpoints & targets == !0;
        let mut masked = *rows;
        let mut terrain = [!0u64; 64];
        if !all_terrain {
            for (v, (row, terrain)) in masked.iter_mut().zip(&mut terrain).enumerate() {
                *terrain = if viewpoints >> v & 1 == 1 { targets } else { 0 };
                *row &= *terrain;
            }
        }
        let (mut some, mut not_full) = (0u16, 0u16);
        for outer in 0..16 {
            let (i, j) = (outer >> 2, outer & 3);
            let mut node = (0u16, 0u16);
            let first_leaf = self.leaves.len();
            for inner in 0..16 {
                let (v, t) = (corner(i, inner >> 2), corner(j, inner & 3));
                let leaf = leaf_of(&masked, v, t);
                let full = match all_terrain {
                    true => !0,
                    false => leaf_of(&terrain, v, t),
                };
                node.0 |= u16::from(leaf != 0) << inner;
                node.1 |= u16::from(leaf != full) << inner;
                if leaf != 0 && leaf != full {
                    self.leaves.push(leaf);
                }
            }
            some |= u16::from(node.0 != 0) << outer;
            not_full |= u16::from(node.1 != 0) << outer;
            if node.0 != 0 && node.1 != 0 {
                self.nodes.push(node_of(node.0, node.1));
            } else {
                self.leaves.truncate(first_leaf);
            }
        }
        self.nodes[0] = node_of(some, not_full);
        match (some, not_full) {
            (0, _) => Sight::Hidden,
            (_, 0) => Sight::Visible,
            _ => Sight::Mixed,
        }
    }

    /// Takes the tree out of its bytes.
    pub fn read(&mut self, pair: &BlockPair) {
        self.nodes.clear();
        self.leaves.clear();
        let Self { nodes, leaves } = self;
        pair.symbols(&mut |node| nodes.push(node), &mut |leaf| leaves.push(leaf));
    }

    /// Who sees whom, as [`BlockPair::rows`].
    pub fn rows(&self) -> [u64; 64] {
        let mut rows = [0; 64];
        pieces(&self.nodes, &self.leaves, &mut |piece| {
            piece.write(&mut rows)
        });
        rows
    }
}

/// The symbol of a node, by its children of which some is visible and of which some is hidden.
fn node_of(some: u16, not_full: u16) -> u32 {
    u32::from(some) | u32::from(some & !not_full) << 16
}
