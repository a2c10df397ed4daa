//! Bytes over bytes: a section, and what patches put in the place of parts of it.
//!
//! A *piece* is a group or a tree. In a patch it is whole, or has only what differs from the piece of
//! the bundle in whose place it is:
//!
//! ```text
//! u64             where the bundle's piece begins; all ones: what follows is whole, as in a bundle
//! head, ...       as in a bundle, up to the table of a group or the literals of a tree; or the one
//!                 byte 0: as the bundle's piece has them
//! varint          r
//! r runs          u32, the first record or literal of the run; u32, where it is. The run ends where
//!                 the next one begins
//! own             records or literals, end to end
//! ```
//!
//! Where it is: if the highest bit is set, the rest is the place of a record among the bytes of the own
//! ones, and the run has that one alone, or the number of an own literal; if not, the number of a record
//! or literal of the bundle's piece. A patch over other patches refers to the bundle all the same, so
//! that one look is enough.

use crate::format::bytes::{read_varint, u32_at, u64_at};
use crate::format::pages::IndexedPages;

/// Layers that an entry can tell apart, the lowest included.
pub const MAX_LAYERS: usize = 256;

/// Bits of an entry that are an offset; the layer is above them.
const OFFSET_BITS: u32 = 56;

/// In the place of where the bundle's piece begins: none of it is used.
pub const WHOLE: u64 = u64::MAX;

/// Bytes of a run.
pub const RUN_LEN: usize = 8;

/// Set in where a run is if that is in the patch.
pub const OWN: u32 = 1 << 31;

/// What an index points into: the lowest layer is a section of a bundle, those above it are of
/// patches.
///
/// An entry of the index is the offset in its layer, and in its highest byte the layer. In a bundle
/// alone that byte is 0, since no section is so long.
#[derive(Clone, Copy, Debug)]
pub struct Layered<'a> {
    index: &'a [u8],
    lowest: &'a [u8],
    above: &'a [&'a [u8]],
    /// The pages of index and lowest layer that are checked before they are believed, if any.
    pages: Option<IndexedPages<'a>>,
}

/// The bytes of a group or a tree.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// As in a bundle; there may be bytes behind it.
    Whole(&'a [u8]),
    /// What differs from a piece of the bundle.
    Over(Over<'a>),
}

/// What differs from a piece of the bundle.
#[derive(Clone, Copy, Debug)]
pub struct Over<'a> {
    /// The bundle's piece; there may be bytes behind it.
    pub base: &'a [u8],
    /// What follows.
    pub rest: &'a [u8],
}

/// Where the records of a group, or the literals of a tree, are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Runs<'a>(&'a [[u8; RUN_LEN]]);

/// Where a record or a literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the patch: a place among bytes, or a number.
    Own(usize),
    /// In the bundle's piece: its number there.
    Base(usize),
}

impl<'a> Runs<'a> {
    /// Runs, their number before them, and what follows.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (count, rest) = read_varint(bytes)?;
        let (runs, own) = rest.split_at_checked((count as usize).checked_mul(RUN_LEN)?)?;
        Some((Self(runs.as_chunks().0), own))
    }

    /// Whether there are none: then all is where it is in a bundle.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the first record or literal of the run that holds number `index` is, how far behind it
    /// that number is, and how many the run has from there on. `None` where no run holds it.
    pub fn find(&self, index: usize) -> Option<(Source, usize, usize)> {
        let next = self.0.partition_point(|run| first(run) <= index);
        self.of(next.checked_sub(1)?, index)
    }

    /// The same of a number that run `run` holds, or one of those after it; from then on `run` is that
    /// one.
    pub fn find_after(&self, index: usize, run: &mut usize) -> Option<(Source, usize, usize)> {
        while self.0.get(*run + 1).is_some_and(|run| first(run) <= index) {
            *run += 1;
        }
        self.of(*run, index)
    }

    #[inline]
    fn of(&self, number: usize, index: usize) -> Option<(Source, usize, usize)> {
        let run = self.0.get(number)?;
        let end = self.0.get(number + 1).map_or(usize::MAX, first);
        let at = u32_at(run, 4)?;
        let source = match at & OWN {
            0 => Source::Base(at as usize),
            _ => Source::Own((at ^ OWN) as usize),
        };
        let behind = index.checked_sub(first(run))?;
        Some((source, behind, end.saturating_sub(index)))
    }
}

/// The first record or literal of a run.
#[inline]
fn first(run: &[u8; RUN_LEN]) -> usize {
    u32_at(run, 0).map_or(usize::MAX, |first| first as usize)
}

impl<'a> Piece<'a> {
    /// A piece of a patch over the bytes of the bundle. `None` where it is none.
    pub fn parse(bytes: &'a [u8], lowest: &'a [u8]) -> Option<Self> {
        let (base, rest) = (u64_at(bytes, 0)?, bytes.get(8..)?);
        if base == WHOLE {
            return Some(Self::Whole(rest));
        }
        let base = lowest.get(usize::try_from(base).ok()?..)?;
        Some(Self::Over(Over { base, rest }))
    }
}

impl<'a> Layered<'a> {
    /// One layer, and its index of `u64`.
    pub const fn new(index: &'a [u8], bytes: &'a [u8]) -> Self {
        Self {
            index,
            lowest: bytes,
            above: &[],
            pages: None,
        }
    }

    /// Layers over a lowest one.
    pub const fn over(self, index: &'a [u8], above: &'a [&'a [u8]]) -> Self {
        Self {
            index,
            above,
            ..self
        }
    }

    /// The same, of which each page is checked before it is believed.
    pub const fn checked(self, pages: IndexedPages<'a>) -> Self {
        Self {
            pages: Some(pages),
            ..self
        }
    }

    /// The index.
    pub const fn index(&self) -> &'a [u8] {
        self.index
    }

    /// An entry of the index.
    pub const fn entry(layer: u8, offset: u64) -> u64 {
        (layer as u64) << OFFSET_BITS | offset & ((1 << OFFSET_BITS) - 1)
    }

    /// Where in the lowest layer the piece of entry `number` begins, or what it is laid over. `None` where
    /// it has nothing of the lowest layer.
    fn lowest_at(&self, number: usize) -> Option<usize> {
        let entry = u64_at(self.index, number.checked_mul(8)?)?;
        let offset = entry & ((1 << OFFSET_BITS) - 1);
        let layer = (entry >> OFFSET_BITS) as usize;
        match layer.checked_sub(1) {
            None => usize::try_from(offset).ok(),
            Some(above) => {
                let base = u64_at(self.above.get(above)?, usize::try_from(offset).ok()?)?;
                usize::try_from(base).ok().filter(|_| base != WHOLE)
            }
        }
    }

    /// Whether the pages of entry `number`, and of what its piece has of the lowest layer, have their checksums,
    /// if they are to be checked. `length` says how many bytes a piece has at most, by its bytes and what lies
    /// behind.
    #[inline]
    pub fn is_sound(&self, number: usize, length: impl FnOnce(&'a [u8]) -> usize) -> bool {
        match &self.pages {
            None => true,
            Some(pages) => self.is_sound_by(pages, number, length),
        }
    }

    fn is_sound_by(
        &self,
        pages: &IndexedPages<'a>,
        number: usize,
        length: impl FnOnce(&'a [u8]) -> usize,
    ) -> bool {
        if !pages.index.hold(number.saturating_mul(8), 8) {
            return false;
        }
        let Some(at) = self.lowest_at(number) else {
            return true;
        };
        let bytes = self.lowest.get(at..).unwrap_or(&[]);
        pages.pieces.hold(at, length(bytes))
    }

    /// The bytes from where entry `number` says on. `None` where there are none.
    #[inline]
    pub fn at(&self, number: usize) -> Option<Piece<'a>> {
        let entry = u64_at(self.index, number.checked_mul(8)?)?;
        let layer = (entry >> OFFSET_BITS) as usize;
        let offset = usize::try_from(entry & ((1 << OFFSET_BITS) - 1)).ok()?;
        match layer.checked_sub(1) {
            None => Some(Piece::Whole(self.lowest.get(offset..)?)),
            Some(above) => Piece::parse(self.above.get(above)?.get(offset..)?, self.lowest),
        }
    }
}
