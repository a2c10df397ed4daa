//! The rows of a cell bundle: `CPVS` and `CDST`.

use crate::format::bits;
use crate::format::bytes::{array_at, put, u64_at};

/// Bits a distance: how `CDST` stores them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DistanceBits {
    /// Two distances a byte, the even cell in the low half. Greatest distance: 14.
    Four,
    /// A distance a byte. Greatest distance: 254.
    Eight,
    /// A distance in two bytes. Greatest distance: 65,534.
    Sixteen,
}

impl DistanceBits {
    /// The fewest bits for distances up to `greatest`.
    pub const fn for_greatest(greatest: u32) -> Self {
        match greatest {
            0..=14 => Self::Four,
            15..=254 => Self::Eight,
            _ => Self::Sixteen,
        }
    }

    /// Their number.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }

    /// The width of so many bits.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            16 => Some(Self::Sixteen),
            _ => None,
        }
    }

    /// The code that stands for unreachable: all bits set.
    pub const fn unreachable(self) -> u32 {
        (1 << self.bits()) - 1
    }

    /// Bytes a row of distances to `cells` cells.
    pub const fn row_len(self, cells: u32) -> usize {
        (cells as usize * self.bits() as usize).div_ceil(8)
    }

    /// Writes `code` as entry `cell` of a row of zeros; nothing outside it.
    pub fn put(self, row: &mut [u8], cell: u32, code: u32) {
        let cell = cell as usize;
        match self {
            Self::Four => {
                if let Some(byte) = row.get_mut(cell / 2) {
                    *byte |= ((code & 15) as u8) << (cell % 2 * 4);
                }
            }
            Self::Eight => put(row, cell, &[code as u8]),
            Self::Sixteen => put(row, cell * 2, &(code as u16).to_le_bytes()),
        }
    }
}

/// A row of `CPVS`: the cells that a cell sees, itself among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PvsRow<'a> {
    bytes: &'a [u8],
    cells: u32,
}

impl<'a> PvsRow<'a> {
    /// The row in these bytes.
    pub fn new(bytes: &'a [u8], cells: u32) -> Self {
        Self { bytes, cells }
    }

    /// The number of cells, seen or not.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Whether a cell is seen. Where bytes are not there, it is.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        match self.bytes.get(cell as usize / 8) {
            Some(byte) => byte >> (cell % 8) & 1 == 1,
            None => true,
        }
    }

    /// The row, 64 cells a word, the lowest bit first. O(N / 64).
    pub fn words(&self) -> impl ExactSizeIterator<Item = u64> + Clone + use<'a> {
        let (words, _) = self.bytes.as_chunks::<8>();
        words.iter().map(|word| u64::from_le_bytes(*word))
    }

    /// Word `i` of the row; 0 behind its end.
    #[inline]
    pub fn word(&self, i: usize) -> u64 {
        u64_at(self.bytes, i.saturating_mul(8)).unwrap_or(0)
    }

    /// Whether any cell of a bitmap is seen, of as many words as the row has. Begins at word
    /// `first`, and comes to those before it last. A row that is not all there sees every cell.
    #[inline]
    pub fn meets(&self, bitmap: &[u64], first: usize) -> bool {
        let (words, _) = self.bytes.as_chunks::<8>();
        let Some(words) = words.get(..bitmap.len()) else {
            return true;
        };
        // Four words at a time, which processors do at once.
        let common = |row: &[[u8; 8]], bitmap: &[u64]| {
            let both = row.iter().zip(bitmap);
            both.fold(0, |all, (row, word)| all | u64::from_le_bytes(*row) & word) != 0
        };
        let ((row, rest_of_row), (bits, rest)) = (words.as_chunks::<4>(), bitmap.as_chunks::<4>());
        let fours = row.iter().zip(bits);
        let meets = |(row, bits): (&[[u8; 8]; 4], &[u64; 4])| common(row, bits);
        fours.clone().skip(first / 4).any(meets)
            || common(rest_of_row, rest)
            || fours.take(first / 4).any(meets)
    }

    /// How many cells are seen.
    pub fn count(&self) -> u32 {
        self.words().map(u64::count_ones).sum()
    }

    /// The cells seen, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let cells = self.cells;
        bits::ones_of(self.words()).take_while(move |cell| *cell < cells)
    }
}

/// A row of `CDST`: how far each cell is from one cell.
///
/// The row of a cell may be shared with others that see the same cells, so its entry for the
/// cell itself is 1 like that of every cell it sees, not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistanceRow<'a> {
    bytes: &'a [u8],
    bits: DistanceBits,
    cells: u32,
}

impl<'a> DistanceRow<'a> {
    /// The row in these bytes.
    pub fn new(bytes: &'a [u8], bits: DistanceBits, cells: u32) -> Self {
        Self { bytes, bits, cells }
    }

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// How the codes are stored.
    pub fn bits(&self) -> DistanceBits {
        self.bits
    }

    /// The bytes of the row.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The code of a cell: its distance, or [`DistanceBits::unreachable`]. Where bytes are not
    /// there, 1: visible.
    #[inline]
    pub fn code(&self, cell: u32) -> u32 {
        let cell = cell as usize;
        let code = match self.bits {
            DistanceBits::Four => self
                .bytes
                .get(cell / 2)
                .map(|byte| u32::from(byte >> (cell % 2 * 4) & 15)),
            DistanceBits::Eight => self.bytes.get(cell).map(|byte| u32::from(*byte)),
            DistanceBits::Sixteen => {
                array_at(self.bytes, cell * 2).map(|pair| u32::from(u16::from_le_bytes(pair)))
            }
        };
        code.unwrap_or(1)
    }

    /// The distance of a cell; `None` if it is unreachable. 1 for the cell whose row it is.
    #[inline]
    pub fn get(&self, cell: u32) -> Option<u32> {
        Some(self.code(cell)).filter(|&code| code != self.bits.unreachable())
    }

    /// The codes of all cells.
    pub fn codes(&self) -> impl Iterator<Item = u32> + use<'a> {
        let row = *self;
        (0..self.cells).map(move |cell| row.code(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_back_from_every_width() {
        for (greatest, bits) in [
            (14, DistanceBits::Four),
            (15, DistanceBits::Eight),
            (254, DistanceBits::Eight),
            (255, DistanceBits::Sixteen),
        ] {
            assert_eq!(DistanceBits::for_greatest(greatest), bits);
            let codes = [1, greatest, bits.unreachable(), 2, 0];
            let mut row = [0_u8; 10];
            let row = &mut row[..bits.row_len(5)];
            for (cell, code) in (0..).zip(codes) {
                bits.put(row, cell, code);
            }
            let row = DistanceRow::new(row, bits, 5);
            assert_eq!(row.codes().collect::<Vec<_>>(), codes);
            assert_eq!([row.get(1), row.get(2)], [Some(greatest), None]);
            assert_eq!(row.get(100), Some(1), "what is not there is visible");
        }
    }

    #[test]
    fn a_row_names_the_cells_whose_bits_are_set() {
        let mut bytes = [0_u8; 16];
        bytes[0] = 0b101;
        bytes[8] = 0b10;
        bytes[9] = 0b1;
        let row = PvsRow::new(&bytes, 70);
        assert_eq!(row.iter().collect::<Vec<_>>(), [0, 2, 65]);
        assert!(row.contains(65) && !row.contains(64) && row.contains(1000));
        assert_eq!(row.count(), 4);
    }
}
