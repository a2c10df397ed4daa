//! The tree of a pair of blocks ([`viewcell::format::blockpair`]), before it has bytes.

use viewcell::format::blockpair::{BlockPair, MaskNode, pieces};

/// The nodes and leaves of a pair that is mixed, in the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct PairSymbols {
    /// The root's node, and those of its mixed children.
    pub nodes: Vec<u32>,
    /// The mixed leaves.
    pub leaves: Vec<u16>,
}

impl PairSymbols {
    /// Takes the tree out of its bytes.
    pub fn read(&mut self, pair: &BlockPair) {
        self.nodes.clear();
        self.leaves.clear();
        let Self { nodes, leaves } = self;
        pair.symbols(&mut |node| nodes.push(node), &mut |leaf| leaves.push(leaf));
    }

    /// The same, where it lies.
    pub fn pair(&self) -> BlockPairSymbols<'_> {
        BlockPairSymbols {
            nodes: &self.nodes,
            leaves: &self.leaves,
        }
    }
}

/// [`PairSymbols`] of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPairSymbols<'a> {
    /// The root's node, and those of its mixed children.
    pub nodes: &'a [u32],
    /// The mixed leaves.
    pub leaves: &'a [u16],
}

impl BlockPairSymbols<'_> {
    /// Who sees whom, as [`BlockPair::rows`].
    pub fn rows(self) -> [u64; 64] {
        let mut rows = [0; 64];
        pieces(self.nodes, self.leaves, &mut |piece| piece.write(&mut rows));
        rows
    }
}

/// Pairs that are mixed, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PairList {
    /// The nodes of all.
    pub nodes: Vec<u32>,
    /// The leaves of all.
    pub leaves: Vec<u16>,
}

impl PairList {
    /// A list of `count` pairs out of the nodes and leaves of all; `None` unless there are as many
    /// as the nodes say.
    pub fn of_parts(nodes: Vec<u32>, leaves: Vec<u16>, count: usize) -> Option<Self> {
        // A child that is mixed is one of which something is seen.
        let sound = |&node: &u32| node >> 16 & !node & 0xFFFF == 0;
        let (mut of_nodes, mut of_leaves) = (0, 0);
        for _ in 0..count {
            let (more_nodes, more_leaves) = first_lengths(nodes.get(of_nodes..)?);
            (of_nodes, of_leaves) = (of_nodes + more_nodes, of_leaves + more_leaves);
        }
        let whole = (of_nodes, of_leaves) == (nodes.len(), leaves.len());
        (whole && nodes.iter().all(sound)).then_some(Self { nodes, leaves })
    }

    /// Appends a pair. Panics unless it has as many nodes and leaves as its nodes say.
    pub fn push(&mut self, pair: BlockPairSymbols) {
        let lengths = (pair.nodes.len(), pair.leaves.len());
        assert_eq!(first_lengths(pair.nodes), lengths, "a whole pair");
        self.nodes.extend_from_slice(pair.nodes);
        self.leaves.extend_from_slice(pair.leaves);
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = BlockPairSymbols<'_>> {
        let (mut nodes, mut leaves) = (&self.nodes[..], &self.leaves[..]);
        std::iter::from_fn(move || {
            let (of_nodes, of_leaves) = first_lengths(nodes);
            Some(BlockPairSymbols {
                nodes: nodes.split_off(..of_nodes)?,
                leaves: leaves.split_off(..of_leaves)?,
            })
        })
    }
}

/// Nodes and leaves of the first pair of these nodes.
fn first_lengths(nodes: &[u32]) -> (usize, usize) {
    let mixed = |&node: &u32| MaskNode(node).mixed().count_ones() as usize;
    let inner = nodes.first().map_or(0, mixed);
    let leaves = nodes.iter().skip(1).take(inner).map(mixed).sum();
    (1 + inner, leaves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::pairs::PairBits;
    use proptest::prelude::*;
    use viewcell::format::Answer;

    /// The slow twin of [`PairSymbols::analyse`]: by the words of [`viewcell::format::blockpair`],
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
        fn sight(&self, from: Square, to: Square) -> Answer {
            let (mut seen, mut all) = (0, 0);
            for v in samples(from).filter(|v| self.viewpoints >> v & 1 == 1) {
                for t in samples(to).filter(|t| self.targets >> t & 1 == 1) {
                    all += 1;
                    seen += self.rows[v] >> t & 1;
                }
            }
            match seen {
                0 => Answer::Hidden,
                _ if seen == all => Answer::Visible,
                _ => Answer::Mixed,
            }
        }

        fn node(&self, from: Square, to: Square) -> u32 {
            (0..16).fold(0, |node, c| {
                match self.sight(quarter(from, c >> 2), quarter(to, c & 3)) {
                    Answer::Hidden => node,
                    Answer::Visible => node | 1 << c | 1 << (16 + c),
                    Answer::Mixed => node | 1 << c,
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

        /// Visible samples by level of the quad that sees; back, of the targets' quads.
        fn visible(&self, back: bool) -> [u64; 4] {
            let sees = &|a: usize, b: usize| {
                let (v, t) = if back { (b, a) } else { (a, b) };
                self.viewpoints >> v & self.targets >> t & self.rows[v] >> t & 1 == 1
            };
            let all = ((0, 0), 8);
            [3, 2, 1, 0].map(|halvings| {
                let mut squares = vec![all];
                for _ in 0..halvings {
                    let quarters = |square| (0..4).map(move |i| quarter(square, i));
                    squares = squares.into_iter().flat_map(quarters).collect();
                }
                let seen = |square| {
                    let some = move |b: &usize| samples(square).any(|a| sees(a, *b));
                    samples(all).filter(some)
                };
                squares
                    .into_iter()
                    .map(|square| seen(square).count() as u64)
                    .sum()
            })
        }

        fn symbols(&self) -> PairSymbols {
            let whole = ((0, 0), 8);
            let mut symbols = PairSymbols {
                nodes: vec![self.node(whole, whole)],
                leaves: Vec::new(),
            };
            for outer in 0..16 {
                let (from, to) = (quarter(whole, outer >> 2), quarter(whole, outer & 3));
                if self.sight(from, to) != Answer::Mixed {
                    continue;
                }
                symbols.nodes.push(self.node(from, to));
                for inner in 0..16 {
                    let (from, to) = (quarter(from, inner >> 2), quarter(to, inner & 3));
                    if self.sight(from, to) == Answer::Mixed {
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
            let visible = PairBits::new(&rows, viewpoints, targets).visible();
            prop_assert_eq!(visible, [false, true].map(|back| twin.visible(back)));
            if sight == Answer::Mixed {
                prop_assert_eq!(&symbols, &twin.symbols());
                let seen = symbols.pair().rows();
                for v in (0..64).filter(|v| viewpoints >> v & 1 == 1) {
                    prop_assert_eq!(seen[v] & targets, rows[v] & targets);
                }
            }
        }
    }
}
