//! A frontier between two cells, and what all its constructions use.

use crate::format::bits;
use crate::format::cells::PvsRow;
use crate::query::ShortMemory;

/// Two regions: bit c of `ab` is set if cell c is in F_AB, where A's player may walk, and bit c of
/// `ba` if it is in F_BA. 64 cells a word, the lowest bit first. No cell of one sees any of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frontier<'m> {
    /// F_AB. Holds A.
    pub ab: &'m [u64],
    /// F_BA. Holds B.
    pub ba: &'m [u64],
}

/// Memory cut into parts of these lengths.
pub(in crate::frontier) fn parts<const N: usize>(
    lengths: [usize; N],
    memory: &mut [u64],
) -> Result<[&mut [u64]; N], ShortMemory> {
    let (expected, found) = (lengths.iter().sum(), memory.len());
    if found < expected {
        return Err(ShortMemory { expected, found });
    }
    let mut rest = memory;
    Ok(lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default()))
}

/// Adds what a cell sees.
pub(in crate::frontier) fn add_seen(seen: &mut [u64], cell: u32, row: PvsRow<'_>) {
    let words = row.words();
    if words.len() < seen.len() {
        seen.fill(u64::MAX); // a row that is not there sees everything
    }
    for (seen, word) in seen.iter_mut().zip(words) {
        *seen |= word;
    }
    bits::set(seen, cell as usize);
}
