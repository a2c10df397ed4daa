//! Where each of two players may be.

use crate::runtime::Sample;
use crate::runtime::frontier::Frontier;

/// Where one of two players may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Half {
    /// Cells, a bit each.
    Cells(Box<[u64]>),
    /// Samples.
    Samples(Frontier),
    /// Samples of one block.
    Few(Few),
}

impl Half {
    /// Samples, packed as [`Frontier::decode`] reads them; nothing for other halves.
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Samples(samples) => samples.region().encode(),
            Self::Cells(_) | Self::Few(_) => Vec::new(),
        }
    }

    /// How many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        8 * match self {
            Self::Cells(words) => words.len(),
            Self::Samples(samples) => samples.blocks(),
            Self::Few(_) => 2,
        }
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
pub type Halves = [Half; 2];

/// Whether a bit is set.
pub(super) fn has(words: &[u64], cell: u32) -> bool {
    let word = words.get(cell as usize / 64);
    word.is_some_and(|word| word >> (cell % 64) & 1 == 1)
}
