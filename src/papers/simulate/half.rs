//! One region of a frontier set, as schemes keep it: bits of cells, or runs of samples.

use std::collections::HashSet;
use std::sync::Arc;

use viewcell::query::{Grid, Sample};

/// Where one of two players may be.
#[derive(Clone, Debug)]
pub enum KeptHalf {
    /// Cells, a bit each.
    Cells(Box<[u64]>),
    /// Samples.
    Samples(Runs),
    /// Samples of one block.
    Few(Few),
}

impl KeptHalf {
    /// How many bytes it takes for whoever is told all of it.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Cells(words) => 8 * words.len(),
            Self::Samples(samples) => samples.bytes(),
            Self::Few(_) => 16,
        }
    }
}

/// Samples of a grid: of each row of blocks of 8 × 8 samples, runs of blocks that are alike. Regions
/// are made of large squares, so there are few.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The first row of blocks.
    top: u32,
    /// For each row the first of its runs, and behind the last row the number of all runs.
    rows: Box<[u32]>,
    /// For each run the column of blocks behind it.
    ends: Box<[u32]>,
    /// For each run what its blocks hold, as in a block bitmap.
    words: Box<[u64]>,
}

impl Runs {
    /// Those of a block bitmap.
    pub fn new(grid: Grid, bitmap: &[u64]) -> Self {
        let (columns, rows) = grid.block_shape();
        let block = |column, row| bitmap[row as usize * columns as usize + column as usize];
        let is_empty = |row: &u32| (0..columns).all(|column| block(column, *row) == 0);
        let top = (0..rows).take_while(is_empty).count() as u32;
        let bottom = rows - (top..rows).rev().take_while(is_empty).count() as u32;
        let (mut starts, mut ends, mut words) = (Vec::new(), Vec::<u32>::new(), Vec::new());
        for row in top..bottom {
            let first = words.len();
            starts.push(first as u32);
            for column in 0..columns {
                let word = block(column, row);
                match (words[first..].last(), ends.last_mut()) {
                    (Some(last), Some(end)) if *last == word => *end = column + 1,
                    _ => {
                        words.push(word);
                        ends.push(column + 1);
                    }
                }
            }
        }
        starts.push(words.len() as u32);
        Self {
            top,
            rows: starts.into(),
            ends: ends.into(),
            words: words.into(),
        }
    }

    /// A sample of it, and all others of its block; none if it is not in it. O(log runs of a row).
    pub fn around(&self, sample: Sample) -> Option<Few> {
        let row = (sample.row >> 3).checked_sub(self.top)?;
        let [first, end] = self.rows.get(row as usize..)?.first_chunk()?;
        let (first, end) = (*first as usize, *end as usize);
        let column = sample.column >> 3;
        let run = first + self.ends[first..end].partition_point(|end| *end <= column);
        Few::with(sample, if run < end { self.words[run] } else { 0 })
    }

    fn bytes(&self) -> usize {
        4 * self.rows.len() + 12 * self.words.len()
    }
}

/// Some of the 8 × 8 samples of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Few {
    column: u32,
    row: u32,
    /// A word of a block bitmap.
    pub bits: u64,
}

impl Few {
    /// None of the block that holds a sample.
    pub fn new(around: Sample) -> Self {
        Self {
            column: around.column >> 3,
            row: around.row >> 3,
            bits: 0,
        }
    }

    /// Samples of the block that holds one of them; none if that is not among them.
    pub fn with(sample: Sample, bits: u64) -> Option<Self> {
        let few = Self {
            bits,
            ..Self::new(sample)
        };
        few.has(sample).then_some(few)
    }

    /// Column and row of the block.
    pub fn block(&self) -> (u32, u32) {
        (self.column, self.row)
    }

    /// The bit of a sample in its block.
    pub fn bit(sample: Sample) -> u64 {
        1 << ((sample.row & 7) << 3 | sample.column & 7)
    }

    /// The samples of the block whose bits are set in a word.
    pub fn samples(&self, word: u64) -> impl Iterator<Item = Sample> + use<> {
        let (column, row) = (self.column << 3, self.row << 3);
        (0..64_u32)
            .filter(move |bit| word >> bit & 1 == 1)
            .map(move |bit| Sample::new(column + (bit & 7), row + (bit >> 3)))
    }

    /// Whether a sample is in it.
    pub fn has(&self, sample: Sample) -> bool {
        self.block() == (sample.column >> 3, sample.row >> 3) && self.bits & Self::bit(sample) != 0
    }
}

/// Two regions: of the player with the lower number, and of the other.
pub type Halves = [KeptHalf; 2];

/// What belongs to a player and to another, that of the one with the lower number first.
pub(super) fn lower_first<T>([own, other]: [usize; 2], of_own: T, of_other: T) -> [T; 2] {
    if own < other {
        [of_own, of_other]
    } else {
        [of_other, of_own]
    }
}

/// What sets take that are in force, those that are shared counted once. [Unit: bytes]
pub(super) fn bytes_of<'s>(sets: impl Iterator<Item = &'s Arc<Halves>>) -> u64 {
    let mut met = HashSet::new();
    let first = sets.filter(|set| met.insert(Arc::as_ptr(set)));
    let bytes = first.map(|set| set.iter().map(KeptHalf::bytes).sum::<usize>());
    bytes.sum::<usize>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::has;

    #[test]
    fn runs_hold_what_the_bitmap_holds() {
        let grid = Grid::new(61, 47).unwrap();
        for repeats in [1, 3, 7] {
            let word = |block: u64| (block / repeats % 3).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let bitmap: Vec<u64> = (0..grid.blocks() as u64).map(word).collect();
            let runs = Runs::new(grid, &bitmap);
            for sample in grid.row_by_row() {
                let found = runs.around(sample).is_some();
                assert_eq!(found, has(grid, &bitmap, sample), "{sample:?}");
            }
            let outside = [Sample::new(64, 0), Sample::new(0, 1000)];
            assert!(outside.iter().all(|&sample| runs.around(sample).is_none()));
        }
    }
}
