//! Byte codes by how often symbols occur: the `DICT` section ([`viewcell::format::dictionary`]).

use rustc_hash::FxHashMap;

use super::symbols::{BlockPairSymbols, PairList};
use viewcell::format::dictionary::{Code, DICTIONARY_HEAD, Dictionary, ESCAPE};

/// How often each symbol occurs.
#[derive(Clone, Debug)]
pub struct Histogram {
    nodes: FxHashMap<u32, u64>,
    /// By leaf.
    leaves: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            nodes: FxHashMap::default(),
            leaves: vec![0; 1 << 16],
        }
    }
}

impl Histogram {
    /// Counts the symbols of a pair.
    pub fn count(&mut self, pair: BlockPairSymbols) {
        self.count_symbols(pair.nodes, pair.leaves);
    }

    /// Counts the symbols of all pairs of a list.
    pub fn count_all(&mut self, pairs: &PairList) {
        self.count_symbols(&pairs.nodes, &pairs.leaves);
    }

    fn count_symbols(&mut self, nodes: &[u32], leaves: &[u16]) {
        for &node in nodes {
            *self.nodes.entry(node).or_default() += 1;
        }
        for &leaf in leaves {
            self.leaves[usize::from(leaf)] += 1;
        }
    }

    /// Counts a node so often.
    pub(super) fn add_node(&mut self, node: u32, count: u64) {
        *self.nodes.entry(node).or_default() += count;
    }

    /// Counts a leaf so often.
    pub(super) fn add_leaf(&mut self, leaf: u16, count: u64) {
        self.leaves[usize::from(leaf)] += count;
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: &Self) {
        for (&node, count) in &other.nodes {
            *self.nodes.entry(node).or_default() += count;
        }
        for (to, from) in self.leaves.iter_mut().zip(&other.leaves) {
            *to += from;
        }
    }
}

/// Which number a symbol has.
#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    /// By symbol; [`NONE`] for none.
    Table(Vec<u32>),
    Map(FxHashMap<u32, u32>),
}

/// No number.
const NONE: u32 = u32::MAX;

impl Numbers {
    /// Of symbols of `width` bytes in the order of their numbers; of one that is there twice, the
    /// first number counts.
    fn new(width: usize, symbols: &[u32]) -> Self {
        let numbers = (0..symbols.len() as u32).zip(symbols.iter().copied()).rev();
        if width > 2 {
            return Self::Map(numbers.map(|(number, symbol)| (symbol, number)).collect());
        }
        let mut table = vec![NONE; 1 << (8 * width)];
        numbers.for_each(|(number, symbol)| table[symbol as usize] = number);
        Self::Table(table)
    }

    #[inline]
    fn of(&self, symbol: u32) -> Option<usize> {
        let number = match self {
            Self::Table(table) => table[symbol as usize],
            Self::Map(map) => *map.get(&symbol)?,
        };
        (number != NONE).then_some(number as usize)
    }
}

/// The bytes of a symbol.
#[derive(Clone, Copy)]
pub(super) struct Coded {
    bytes: [u8; 5],
    length: u8,
}

impl Coded {
    /// Puts the first byte at `first` of `out`, and the others at its end.
    #[inline(always)]
    pub(super) fn put(self, first: usize, out: &mut Vec<u8>) {
        out[first] = self.bytes[0];
        if self.length > 1 {
            out.extend_from_slice(&self.bytes[1..usize::from(self.length)]);
        }
    }
}

/// The byte code of symbols of `WIDTH` bytes.
#[derive(Clone, Debug, PartialEq)]
struct Book<const WIDTH: usize> {
    pages: u8,
    symbols: Vec<u32>,
    numbers: Numbers,
    /// Bytes that all symbols take together, those of the dictionary included.
    cost: u64,
}

impl<const WIDTH: usize> Book<WIDTH> {
    /// The code that takes least bytes, its own included: symbols sorted by falling count, then
    /// by value; of codes that cost the same, the one with fewest pages.
    fn new(counts: impl Iterator<Item = (u32, u64)>) -> Self {
        let mut counts: Vec<_> = counts.filter(|&(_, count)| count > 0).collect();
        counts.sort_unstable_by_key(|&(symbol, count)| (std::cmp::Reverse(count), symbol));
        let width = WIDTH as u64;
        // Symbols in further pages save `width` − 1 bytes each time, and take `width` once.
        let worthwhile = counts.partition_point(|&(_, count)| count * (width - 1) > width);
        let below: Vec<u64> = std::iter::once(0)
            .chain(counts.iter().scan(0, |sum, &(_, count)| {
                *sum += count;
                Some(*sum)
            }))
            .collect();
        let all = below[counts.len()];
        let cost = |pages: u8| {
            let short = usize::from(ESCAPE - pages).min(worthwhile);
            let long = (short + 256 * usize::from(pages)).min(worthwhile);
            let bytes = below[short] + 2 * (below[long] - below[short]);
            bytes + (1 + width) * (all - below[long]) + width * long as u64
        };
        let pages = (0..ESCAPE)
            .min_by_key(|&pages| (cost(pages), pages))
            .unwrap_or(0);
        let short = usize::from(ESCAPE - pages);
        let long = (short + 256 * usize::from(pages)).min(worthwhile);
        let symbols: Vec<u32> = counts[..long].iter().map(|&(symbol, _)| symbol).collect();
        Self {
            pages,
            numbers: Numbers::new(WIDTH, &symbols),
            symbols,
            cost: cost(pages),
        }
    }

    fn parse(code: &Code<WIDTH>) -> Self {
        let symbols: Vec<u32> = (0..code.len())
            .map(|number| code.numbered(number))
            .collect();
        Self {
            pages: ESCAPE - code.short(),
            numbers: Numbers::new(WIDTH, &symbols),
            symbols,
            cost: 0,
        }
    }

    /// Number of bytes of a symbol.
    fn length(&self, symbol: u32) -> usize {
        match self.numbers.of(symbol) {
            Some(number) if number < usize::from(ESCAPE - self.pages) => 1,
            Some(_) => 2,
            None => 1 + WIDTH,
        }
    }

    /// The bytes of a symbol.
    #[inline]
    fn code(&self, symbol: u32) -> Coded {
        let short = usize::from(ESCAPE - self.pages);
        let mut bytes = [ESCAPE; 5];
        let length = match self.numbers.of(symbol) {
            Some(number) if number < short => {
                bytes[0] = number as u8;
                1
            }
            Some(number) => {
                bytes[0] = (short + ((number - short) >> 8)) as u8;
                bytes[1] = (number - short) as u8;
                2
            }
            None => {
                bytes[1..].copy_from_slice(&symbol.to_le_bytes());
                1 + WIDTH as u8
            }
        };
        Coded { bytes, length }
    }

    /// Appends the first bytes of symbols, then their further bytes.
    #[inline]
    fn write(&self, symbols: impl ExactSizeIterator<Item = u32>, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + symbols.len(), ESCAPE);
        for (first, symbol) in (start..).zip(symbols) {
            self.code(symbol).put(first, out);
        }
    }
}

/// The byte codes of nodes and leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Codebook {
    nodes: Book<4>,
    leaves: Book<2>,
}

impl Codebook {
    /// The codes that take least bytes for symbols that occur so often.
    pub fn new(histogram: &Histogram) -> Self {
        let nodes = histogram.nodes.iter().map(|(&node, &count)| (node, count));
        Self {
            nodes: Book::new(nodes),
            leaves: Book::new((0..).zip(histogram.leaves.iter().copied())),
        }
    }

    /// The codes that a `DICT` section holds; `None` where it is none.
    pub fn parse(section: &[u8]) -> Option<Self> {
        let dictionary = Dictionary::parse(section)?;
        Some(Self {
            nodes: Book::parse(&dictionary.nodes),
            leaves: Book::parse(&dictionary.leaves),
        })
    }

    /// Bytes that all symbols of the histogram and the dictionary take.
    pub fn cost(&self) -> u64 {
        self.nodes.cost + self.leaves.cost + DICTIONARY_HEAD as u64
    }

    /// The bytes of a node.
    pub(super) fn node(&self, node: u32) -> Coded {
        self.nodes.code(node)
    }

    /// The bytes of a leaf.
    pub(super) fn leaf(&self, leaf: u16) -> Coded {
        self.leaves.code(leaf.into())
    }

    /// Length in bytes of a node.
    pub fn node_length(&self, node: u32) -> usize {
        self.nodes.length(node)
    }

    /// Length in bytes of a leaf.
    pub fn leaf_length(&self, leaf: u16) -> usize {
        self.leaves.length(leaf.into())
    }

    /// The leaves that have one byte.
    pub fn short_leaves(&self) -> Vec<u16> {
        let short = usize::from(ESCAPE - self.leaves.pages);
        let leaves = self.leaves.symbols.iter().take(short);
        leaves.map(|&leaf| leaf as u16).collect()
    }

    /// Appends the record of a pair.
    pub fn write(&self, pair: BlockPairSymbols, out: &mut Vec<u8>) {
        let (root, inner) = pair.nodes.split_at(1);
        self.nodes.write(root.iter().copied(), out);
        self.nodes.write(inner.iter().copied(), out);
        self.leaves
            .write(pair.leaves.iter().map(|&leaf| leaf.into()), out);
    }

    /// The `DICT` section.
    pub fn section(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(u16::from(self.nodes.pages).to_le_bytes());
        bytes.extend(u16::from(self.leaves.pages).to_le_bytes());
        bytes.extend((self.nodes.symbols.len() as u32).to_le_bytes());
        bytes.extend((self.leaves.symbols.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(
            self.nodes
                .symbols
                .iter()
                .flat_map(|node| node.to_le_bytes()),
        );
        let leaves = self.leaves.symbols.iter();
        bytes.extend(leaves.flat_map(|&leaf| (leaf as u16).to_le_bytes()));
        bytes
    }
}
