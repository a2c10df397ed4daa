//! Portals between cells, `CPRT`, and which cells touch, `CADJ`.
//!
//! `CPRT`: the number of portals (`u32`); for each its two cells and the number of its corners (3 `u32`),
//! then these, three `f64` each.
//!
//! `CADJ`: N + 1 offsets (`u32`), which rise from 0, then the neighbours (`u32`): those of cell c are the
//! entries from offset c to offset c + 1.

use crate::format::bytes::{array_at, f64_at, put, u32_at};

/// Length in bytes of what stands before a portal's corners.
pub const PORTAL_HEAD_LEN: usize = 12;
/// Length in bytes of a corner.
pub const CORNER_LEN: usize = 24;

/// A portal as it lies in the section.
#[derive(Clone, Copy, Debug)]
pub struct PortalRecord<'a> {
    /// The cells that it joins.
    pub cells: [u32; 2],
    /// Corners, as it says.
    pub count: u32,
    /// Their bytes; fewer where the section ends before.
    corners: &'a [u8],
}

impl<'a> PortalRecord<'a> {
    /// What stands before the corners.
    pub fn head([a, b]: [u32; 2], corners: u32) -> [u8; PORTAL_HEAD_LEN] {
        let mut bytes = [0; PORTAL_HEAD_LEN];
        for (i, word) in [a, b, corners].iter().enumerate() {
            put(&mut bytes, 4 * i, &word.to_le_bytes());
        }
        bytes
    }

    /// The bytes of a corner.
    pub fn corner(corner: [f64; 3]) -> [u8; CORNER_LEN] {
        let mut bytes = [0; CORNER_LEN];
        for (i, number) in corner.iter().enumerate() {
            put(&mut bytes, 8 * i, &number.to_le_bytes());
        }
        bytes
    }

    /// Its corners.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = [f64; 3]> + use<'a> {
        let (corners, _) = self.corners.as_chunks::<CORNER_LEN>();
        let number = |bytes: &[u8], i: usize| f64_at(bytes, 8 * i).unwrap_or(f64::NAN);
        corners
            .iter()
            .map(move |bytes| [0, 1, 2].map(|i| number(bytes, i)))
    }

    /// Whether all its corners are there.
    pub fn is_whole(&self) -> bool {
        self.corners().len() as u64 == u64::from(self.count)
    }
}

/// The portals of a section, one by one. A portal that is cut short is the last.
#[derive(Clone, Copy, Debug)]
pub struct Portals<'a> {
    bytes: &'a [u8],
    /// Where the next one begins.
    at: usize,
    left: u32,
}

impl<'a> Portals<'a> {
    /// Those in the bytes of `CPRT`; none where there is not even their number.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 4,
            left: u32_at(bytes, 0).unwrap_or(0),
        }
    }

    /// How many are still to come, as the section says.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// How many bytes have been read.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Portals<'a> {
    type Item = PortalRecord<'a>;

    fn next(&mut self) -> Option<PortalRecord<'a>> {
        if self.left == 0 {
            return None;
        }
        let head: [u8; PORTAL_HEAD_LEN] = array_at(self.bytes, self.at)?;
        let word = |i: usize| u32_at(&head, 4 * i);
        let (cells, count) = ([word(0)?, word(1)?], word(2)?);
        let start = self.at.checked_add(PORTAL_HEAD_LEN)?;
        let end = start.checked_add((count as usize).checked_mul(CORNER_LEN)?)?;
        let rest = self.bytes.get(start..)?;
        let corners = self.bytes.get(start..end).unwrap_or(rest);
        self.at = end;
        self.left -= 1;
        Some(PortalRecord {
            cells,
            count,
            corners,
        })
    }
}

/// Section `CADJ` in memory.
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
    pub const fn len_of(cells: u64, neighbours: u64) -> u64 {
        (cells + 1 + neighbours) * 4
    }

    /// Number of neighbours of all cells before `cell`, which is at most the number of cells.
    pub fn offset(&self, cell: u32) -> Option<u32> {
        if cell <= self.cells {
            u32_at(self.bytes, (cell as usize).checked_mul(4)?)
        } else {
            None
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
    fn portals_come_back_from_their_bytes() {
        let square = [
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0],
            [0.5, 1.0, 1.0],
            [0.5, 0.0, -1.0],
        ];
        let triangle = &square[..3];
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for (cells, winding) in [([0, 7], &square[..]), ([7, 3], triangle)] {
            bytes.extend(PortalRecord::head(cells, winding.len() as u32));
            bytes.extend(
                winding
                    .iter()
                    .flat_map(|&corner| PortalRecord::corner(corner)),
            );
        }
        let mut portals = Portals::new(&bytes);
        let first = portals.next().unwrap();
        assert!(first.cells == [0, 7] && first.is_whole() && first.corners().eq(square));
        let second = portals.next().unwrap();
        assert!(second.cells == [7, 3] && second.corners().eq(triangle.iter().copied()));
        assert!(portals.next().is_none());
        assert_eq!((portals.left(), portals.at()), (0, bytes.len()));
        for end in 0..bytes.len() {
            let mut portals = Portals::new(&bytes[..end]);
            let whole = portals.by_ref().filter(PortalRecord::is_whole).count();
            assert!(
                whole < 2 && (end < 4 || portals.left() > 0 || portals.at() > end),
                "{end}"
            );
        }
    }

    #[test]
    fn lists_come_back_from_their_words() {
        let lists: [&[u32]; 4] = [&[1, 3], &[0], &[], &[0]];
        let bytes: Vec<u8> = Neighbours::words(lists.into_iter()).flatten().collect();
        assert_eq!(bytes.len() as u64, Neighbours::len_of(4, 4));
        let neighbours = Neighbours::new(&bytes, 4);
        for (cell, list) in (0..).zip(lists) {
            assert!(neighbours.of(cell).eq(list.iter().copied()), "{cell}");
        }
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
