//! Frontier sets in a level of cells.

use crate::format::bits;
use crate::format::cells::SymmetryCode;
use crate::query::CellBundle;

/// One player's half of a frontier set between cells: a bitmap of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellHalf {
    words: Box<[u64]>,
}

impl CellHalf {
    /// Whether a cell is in it; `false` for one that is not there. Constant time.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        bits::has(&self.words, cell as usize)
    }

    /// Its cells: bit c for cell c, 64 a word, the lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Number of cells in it.
    pub fn area(&self) -> u64 {
        bits::count(&self.words)
    }

    /// The half whose cells these are.
    pub(crate) fn of(words: &[u64]) -> Self {
        let words = words.into();
        Self { words }
    }

    /// Its words, little-endian.
    pub(super) fn encode(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// The half of a level of so many cells that [`CellHalf::encode`] wrote; `None` where it has other cells.
    pub(super) fn decode(cells: u32, bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks();
        let words: Box<[u64]> = words.iter().copied().map(u64::from_le_bytes).collect();
        let mut cut = words.clone();
        bits::cut(&mut cut, cells);
        let is_whole = rest.is_empty() && words.len() == bits::words(cells) && cut == words;
        is_whole.then_some(Self { words })
    }
}

/// The frontier set at hand between cells.
#[derive(Debug)]
pub(super) struct CellSets<'a> {
    level: CellBundle<'a>,
    /// Two bitmaps, and a third for where sight is not mutual.
    memory: Vec<u64>,
}

impl<'a> CellSets<'a> {
    /// For sets in a level. Allocates.
    pub(super) fn new(level: &CellBundle<'a>) -> Self {
        Self {
            level: *level,
            memory: vec![0; 3 * bits::words(level.cells())],
        }
    }

    /// Makes the set of two cells; both halves stay empty where one sees the other.
    pub(super) fn begin(&mut self, here: u32, there: u32) {
        let set = self.level.frontier(here, there, &mut self.memory);
        if !set.is_ok_and(|set| set.is_some()) {
            self.memory.fill(0); // the rows are damaged
        } else if self.level.parameters().symmetry == SymmetryCode::None {
            self.level.hide_both_ways(&mut self.memory);
        }
    }

    /// Words of one bitmap.
    fn words(&self) -> usize {
        bits::words(self.level.cells())
    }

    /// The cells of the first or of the second half.
    pub(crate) fn half(&self, number: usize) -> &[u64] {
        let start = number * self.words();
        self.memory.get(start..start + self.words()).unwrap_or(&[])
    }
}
