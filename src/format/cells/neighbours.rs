//! Which cells touch: `CADJ`.
//!
//! N + 1 offsets (`u32`), which rise from 0, then the neighbours (`u32`): those of cell c are the
//! entries from offset c to offset c + 1.

use crate::format::bytes::u32_at;

/// The section in memory.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours<'a> {
    bytes: &'a [u8],
    cells: u32,
}

impl<'a> Neighbours<'a> {
    /// The bytes of `CADJ` of a level of so many cells. Nothing is checked.
    pub fn new(bytes: &'a [u8], cells: u32) -> Self {
        Self { bytes, cells }
    }

    /// Length in bytes for so many cells, and neighbours of all of them.
    pub const fn len_of(cells: u32, neighbours: u32) -> u64 {
        (cells as u64 + 1 + neighbours as u64) * 4
    }

    /// Whether there is no such section.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number of neighbours of all cells before `cell`, which is at most the number of cells.
    pub fn offset(&self, cell: u32) -> Option<u32> {
        match cell <= self.cells {
            true => u32_at(self.bytes, (cell as usize).checked_mul(4)?),
            false => None,
        }
    }

    /// Where in the section the list of a cell begins. [Unit: bytes]
    pub fn place(&self, cell: u32) -> Option<usize> {
        let entry = u64::from(self.cells) + 1 + u64::from(self.offset(cell)?);
        usize::try_from(entry * 4).ok()
    }

    /// The neighbours of a cell; nothing for a cell that is not there, and where offsets lie.
    pub fn of(&self, cell: u32) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a> {
        let list = || {
            let next = cell.checked_add(1)?;
            self.bytes.get(self.place(cell)?..self.place(next)?)
        };
        let (words, _) = list().unwrap_or(&[]).as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// An entry among the neighbours of all cells.
    pub fn entry(&self, entry: usize) -> Option<u32> {
        let first = usize::try_from(Self::len_of(self.cells, 0)).ok()?;
        u32_at(self.bytes, first.checked_add(entry.checked_mul(4)?)?)
    }

    /// The words of the section: lists of neighbours, of the cells in their order.
    pub fn words<'l>(
        lists: impl Iterator<Item = &'l [u32]> + Clone,
    ) -> impl Iterator<Item = [u8; 4]> {
        let offsets = lists.clone().scan(0_u32, |offset, list| {
            *offset = offset.saturating_add(list.len() as u32);
            Some(*offset)
        });
        let entries = lists.flatten().copied();
        let words = core::iter::once(0).chain(offsets).chain(entries);
        words.map(u32::to_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_from_their_words() {
        let lists: [&[u32]; 4] = [&[1, 3], &[0], &[], &[0]];
        let bytes: Vec<u8> = Neighbours::words(lists.into_iter()).flatten().collect();
        assert_eq!(bytes.len() as u64, Neighbours::len_of(4, 4));
        let neighbours = Neighbours::new(&bytes, 4);
        for (cell, list) in (0..).zip(lists) {
            assert!(neighbours.of(cell).eq(list.iter().copied()), "{cell}");
        }
        assert_eq!(neighbours.entry(1), Some(3));
        assert_eq!(neighbours.entry(4), None);
        assert_eq!(neighbours.of(4).len(), 0);
        assert_eq!(neighbours.of(u32::MAX).len(), 0);
        // Cut short, and with an offset beyond the end.
        assert_eq!(Neighbours::new(&bytes[..30], 4).of(3).len(), 0);
        let mut damaged = bytes.clone();
        damaged[4] = 0xff;
        assert_eq!(Neighbours::new(&damaged, 4).of(0).len(), 0);
        assert_eq!(Neighbours::new(&damaged, 4).of(1).len(), 0);
        assert_eq!(Neighbours::new(&[], 4).of(0).len(), 0);
    }
}
