//! Where each of two players may be.

use crate::runtime::frontier::Frontier;

/// Where one of two players may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Half {
    /// Cells, a bit each.
    Cells(Box<[u64]>),
    /// Samples.
    Samples(Frontier),
}

/// Two regions: of the player with the lower number, and of the other.
pub type Halves = [Half; 2];

/// Whether a bit is set.
pub(super) fn has(words: &[u64], cell: u32) -> bool {
    let word = words.get(cell as usize / 64);
    word.is_some_and(|word| word >> (cell % 64) & 1 == 1)
}
