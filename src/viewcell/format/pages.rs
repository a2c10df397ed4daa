//! The `PCRC` section: checksums of a file by pages, and which pages have been checked.
//!
//! ```text
//! 4 bytes a page   CRC-32 of the bytes of page i: those from i·65,536 to (i + 1)·65,536 of the file, as
//!                  far as they lie between the end of the section table and this section
//! ```
//!
//! The header and the section table have checksums of their own, which opening checks. `PCRC` is the
//! last section. Its own checksum is in the section table.

use core::sync::atomic::{AtomicU8, Ordering};

use super::bytes::{crc32, u32_at};

/// Bytes of a page.
pub const PAGE: usize = 1 << 16;

/// Bytes of the file after a record or a group that may still belong to it, where its end is not known
/// without decoding it: more than any record has.
pub const SLACK: usize = 1 << 12;

const UNKNOWN: u8 = 0;
const SOUND: u8 = 1;
const ROTTEN: u8 = 2;

/// Number of pages of a file whose pages are checked up to byte `end`.
pub const fn page_count(end: usize) -> usize {
    end.div_ceil(PAGE)
}

/// A file, the checksums of its pages, and what was found of each: checked when it is first touched, and
/// not again.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    file: &'a [u8],
    /// The first byte that pages cover, and the one after the last.
    covered: [usize; 2],
    sums: &'a [u8],
    states: &'a [AtomicU8],
}

impl<'a> Pages<'a> {
    /// The pages of a file: `covered` from the end of its section table to section `PCRC`, which has
    /// `sums`. There is a state a page, 0 at first. `None` where the numbers do not fit.
    pub fn new(
        file: &'a [u8],
        covered: [usize; 2],
        sums: &'a [u8],
        states: &'a [AtomicU8],
    ) -> Option<Self> {
        let [start, end] = covered;
        let count = page_count(end);
        let fits = start <= end
            && end <= file.len()
            && sums.len() == count.checked_mul(4)?
            && states.len() == count;
        fits.then_some(Self {
            file,
            covered,
            sums,
            states,
        })
    }

    /// Number of pages.
    pub const fn count(&self) -> usize {
        self.states.len()
    }

    /// Whether all pages that bytes `start` to `end` of the file lie in have their checksums. What lies
    /// behind the last page is not asked for.
    #[inline]
    pub fn hold(&self, start: usize, end: usize) -> bool {
        let last = end.min(self.covered[1]).saturating_sub(1) / PAGE;
        (start / PAGE..=last).all(|page| match self.states.get(page) {
            Some(state) => match state.load(Ordering::Relaxed) {
                UNKNOWN => self.check(page),
                state => state == SOUND,
            },
            None => true,
        })
    }

    /// Checks a page, whether or not it was checked before, and remembers what was found. One that was
    /// damaged once stays so: what was answered from it cannot be taken back.
    #[cold]
    pub fn check(&self, page: usize) -> bool {
        let [start, end] = self.covered;
        let from = page.saturating_mul(PAGE);
        let bytes = from.max(start)..from.saturating_add(PAGE).min(end);
        let sum = page.checked_mul(4).and_then(|at| u32_at(self.sums, at));
        let is_sound = self
            .file
            .get(bytes)
            .is_some_and(|bytes| sum == Some(crc32(bytes)));
        let Some(state) = self.states.get(page) else {
            return false;
        };
        if is_sound {
            // Two threads may check a page at once; what is worse stays.
            state.fetch_max(SOUND, Ordering::Relaxed) != ROTTEN
        } else {
            state.store(ROTTEN, Ordering::Relaxed);
            false
        }
    }

    /// Checks up to `count` pages from page `first` on, for a thread that goes through the file while others
    /// ask it. Returns where to go on, which after the last page is the first.
    pub fn check_some(&self, first: usize, count: usize) -> usize {
        let end = first.saturating_add(count).min(self.count());
        (first..end).for_each(|page| {
            self.check(page);
        });
        if end < self.count() { end } else { 0 }
    }

    /// How many pages were checked so far, and how many of them are damaged.
    pub fn found(&self) -> [usize; 2] {
        let count = |is: fn(u8) -> bool| {
            let states = self.states.iter();
            states
                .filter(|state| is(state.load(Ordering::Relaxed)))
                .count()
        };
        [
            count(|state| state != UNKNOWN),
            count(|state| state == ROTTEN),
        ]
    }

    /// The pages that are known to be damaged.
    pub fn damaged(&self) -> impl Iterator<Item = usize> + use<'a> {
        let states = self.states.iter().enumerate();
        let damaged = states.filter(|(_, state)| state.load(Ordering::Relaxed) == ROTTEN);
        damaged.map(|(page, _)| page)
    }
}

/// A section of such a file.
#[derive(Clone, Copy, Debug)]
pub struct SectionPages<'a> {
    pages: Pages<'a>,
    /// Where it begins.
    start: usize,
}

impl<'a> SectionPages<'a> {
    /// The section that begins at byte `start`.
    pub const fn new(pages: Pages<'a>, start: usize) -> Self {
        Self { pages, start }
    }

    /// What lies from byte `at` of the section on.
    pub const fn from(self, at: usize) -> Self {
        Self {
            start: self.start.saturating_add(at),
            ..self
        }
    }

    /// Whether the pages of so many bytes from byte `at` of the section on have their checksums.
    #[inline]
    pub fn hold(&self, at: usize, length: usize) -> bool {
        let start = self.start.saturating_add(at);
        self.pages.hold(start, start.saturating_add(length))
    }
}

/// The pages of an index, and of the section that it points into.
#[derive(Clone, Copy, Debug)]
pub struct IndexedPages<'a> {
    /// Of the index.
    pub index: SectionPages<'a>,
    /// Of what it points into.
    pub pieces: SectionPages<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(file: &[u8], [start, end]: [usize; 2]) -> Vec<u8> {
        let page =
            |page: usize| crc32(&file[(page * PAGE).max(start)..((page + 1) * PAGE).min(end)]);
        let pages = (0..page_count(end)).map(page);
        pages.flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_page_is_checked_when_it_is_touched_and_no_other() {
        let mut file: Vec<u8> = (0..3 * PAGE + 100)
            .map(|i| (i * 7 + i / 300) as u8)
            .collect();
        let covered = [104, 3 * PAGE + 40];
        let sums = sums(&file, covered);
        file[2 * PAGE] ^= 4;
        let states = [const { AtomicU8::new(0) }; 4];
        let pages = Pages::new(&file, covered, &sums, &states).unwrap();
        assert!(pages.hold(200, 300) && pages.hold(0, 1));
        assert_eq!(pages.found(), [1, 0]);
        assert!(pages.hold(PAGE - 1, 2 * PAGE));
        assert_eq!(pages.found(), [2, 0]);
        assert!(
            !pages.hold(2 * PAGE - 1, 2 * PAGE + 1) && !pages.hold(2 * PAGE + 9, 2 * PAGE + 10)
        );
        assert!(pages.hold(3 * PAGE, usize::MAX));
        assert_eq!(pages.found(), [4, 1]);
        assert_eq!(pages.damaged().collect::<Vec<_>>(), [2]);
        assert!(Pages::new(&file, covered, &sums[4..], &states).is_none());
        assert!(Pages::new(&file, [104, file.len() + 1], &sums, &states).is_none());
    }
}
