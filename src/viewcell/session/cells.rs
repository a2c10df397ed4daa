//! Sessions in a level of cells.

use super::world::{SessionOptions, SessionWorld};
use crate::format::bits;
use crate::format::cells::{MAX_CELLS, SymmetryCode};
use crate::frontier::FrontierError;
use crate::query::{CellBundle, Extent};

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
pub struct CellSets<'a> {
    level: CellBundle<'a>,
    /// Two bitmaps, and a third for where sight is not mutual.
    memory: Vec<u64>,
}

impl CellSets<'_> {
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

/// Errors for a cell that is none of so many.
pub(super) fn check_cell(cell: u32, cells: u32) -> Result<(), FrontierError> {
    if cell < cells {
        Ok(())
    } else {
        Err(FrontierError::NoCell { cell, cells })
    }
}

impl<'a> SessionWorld for CellBundle<'a> {
    type Place = u32;
    type Half = CellHalf;
    type Builder = CellSets<'a>;

    /// Sets of cells are made in microseconds: none is needed.
    fn patience(&self) -> u32 {
        0
    }

    fn builder(&self) -> CellSets<'a> {
        CellSets {
            level: *self,
            memory: vec![0; 3 * bits::words(self.cells())],
        }
    }

    fn check(&self, cell: u32) -> Result<(), FrontierError> {
        check_cell(cell, self.cells())
    }

    fn is_mutual(&self) -> bool {
        self.parameters().symmetry != SymmetryCode::None
    }

    fn visible(&self, from: u32, to: u32) -> bool {
        self.visible(from, to)
    }

    fn extent(&self, cell: u32) -> Extent {
        Extent::of_box(self.corners(cell, true))
    }

    fn sees(&self, from: &Extent, to: &Extent) -> bool {
        let mut memory = [0; 2 * MAX_CELLS as usize / 64];
        let seen = self.visible_regions(from, to, &mut memory);
        // There is room for all cells.
        seen.unwrap_or(true)
    }

    fn contains(half: &CellHalf, cell: u32) -> bool {
        half.contains(cell)
    }

    fn contains_all(&self, half: &CellHalf, region: &Extent) -> bool {
        let mut memory = [0; MAX_CELLS as usize / 64];
        let cells = self.cells_in(region, &mut memory);
        // Whoever is in no cell sees all.
        cells.is_ok_and(|cells| {
            let mut words = cells.words().iter().zip(half.words());
            cells.words().iter().any(|word| *word != 0)
                && words.all(|(cells, half)| cells & !half == 0)
        })
    }

    fn begin(sets: &mut CellSets<'a>, here: u32, there: u32, _: &SessionOptions) {
        let level = sets.level;
        let set = level.frontier(here, there, &mut sets.memory);
        if !set.is_ok_and(|set| set.is_some()) {
            sets.memory.fill(0); // the rows are damaged
        } else if !level.is_mutual() {
            level.hide_both_ways(&mut sets.memory);
        }
    }

    fn join(sets: &mut CellSets<'a>, cell: u32) -> bool {
        bits::has(sets.half(1), cell as usize)
    }

    fn finish(sets: &mut CellSets<'a>, _: &SessionOptions) -> [CellHalf; 2] {
        [0, 1].map(|number| CellHalf::of(sets.half(number)))
    }
}
