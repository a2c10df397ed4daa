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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow twin of [`PairSymbols::analyse`]: by the words of [`crate::format::blockpair`],
    /// sample by sample.
    struct Twin<'a> {
        rows: &'a [u64; 64],
        viewpoints: u64,
        targets: u64,
    }

    /// Column and row of the first sample of a square, and its side.
    type Square = ((usize, usize), usize);

    fn quarter((corner, side): Square, i: usize) -> Square {
        let half = side / 2;
        (
            (corner.0 + (i & 1) * half, corner.1 + (i >> 1) * half),
            half,
        )
    }

    fn samples((corner, side): Square) -> impl Iterator<Item = usize> {
        (0..side * side).map(move |i| (corner.1 + i / side) * 8 + corner.0 + i % side)
    }

    impl Twin<'_> {
        fn sight(&self, from: Square, to: Square) -> Sight {
            let (mut seen, mut all) = (0, 0);
            for v in samples(from).filter(|v| self.viewpoints >> v & 1 == 1) {
                for t in samples(to).filter(|t| self.targets >> t & 1 == 1) {
                    all += 1;
                    seen += self.rows[v] >> t & 1;
                }
            }
            match seen {
                0 => Sight::Hidden,
                _ if seen == all => Sight::Visible,
                _ => Sight::Mixed,
            }
        }

        fn node(&self, from: Square, to: Square) -> u32 {
            (0..16).fold(0, |node, c| {
                match self.sight(quarter(from, c >> 2), quarter(to, c & 3)) {
                    Sight::Hidden => node,
                    Sight::Visible => node | 1 << c | 1 << (16 + c),
                    Sight::Mixed => node | 1 << c,
                }
            })
        }

        fn leaf(&self, from: Square, to: Square) -> u16 {
            let mut leaf = 0;
            for (i, v) in samples(from).enumerate() {
                for (j, t) in samples(to).enumerate() {
                    let pair = self.viewpoints >> v & self.targets >> t & 1;
                    leaf |= ((pair & self.rows[v] >> t) as u16) << (4 * i + j);
                }
            }
            leaf
        }

        fn symbols(&self) -> PairSymbols {
            let whole = ((0, 0), 8);
            let mut symbols = PairSymbols {
                nodes: vec![self.node(whole, whole)],
                leaves: Vec::new(),
            };
            for outer in 0..16 {
                let (from, to) = (quarter(whole, outer >> 2), quarter(whole, outer & 3));
                if self.sight(from, to) != Sight::Mixed {
                    continue;
                }
                symbols.nodes.push(self.node(from, to));
                for inner in 0..16 {
                    let (from, to) = (quarter(from, inner >> 2), quarter(to, inner & 3));
                    if self.sight(from, to) == Sight::Mixed {
                        symbols.leaves.push(self.leaf(from, to));
                    }
                }
            }
            symbols
        }
    }

    /// Masks that are all, nothing, half planes or noise.
    fn mask() -> impl Strategy<Value = u64> {
        prop_oneof![
            3 => Just(!0),
            1 => Just(0),
            2 => (0u32..64).prop_map(|n| !0 << n),
            2 => any::<u64>(),
        ]
    }

    proptest! {
        #[test]
        fn trees_are_those_of_their_definition(
            rows in proptest::collection::vec(mask(), 64),
            smooth in any::<bool>(),
            viewpoints in mask(),
            targets in mask(),
        ) {
            let rows = std::array::from_fn(|v| rows[if smooth { v / 16 } else { v }]);
            let twin = Twin { rows: &rows, viewpoints, targets };
            let mut symbols = PairSymbols::default();
            let sight = symbols.analyse(&rows, viewpoints, targets);
            prop_assert_eq!(sight, twin.sight(((0, 0), 8), ((0, 0), 8)));
            if sight == Sight::Mixed {
                prop_assert_eq!(&symbols, &twin.symbols());
                let seen = symbols.rows();
                for v in (0..64).filter(|v| viewpoints >> v & 1 == 1) {
                    prop_assert_eq!(seen[v] & targets, rows[v] & targets);
                }
            }
        }
    }
}
