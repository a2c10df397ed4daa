//! Sight with a look-ahead in a level, by cells that touch.

use crate::format::cells::SymmetryCode;
use crate::runtime::CellBundle;
use crate::runtime::cell_frontier::ShortMemory;

/// The cells that a player may come to: bit c for cell c, 64 a word, the lowest bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach<'m> {
    words: &'m [u64],
}

impl<'m> Reach<'m> {
    /// Whether a cell is in it; `false` for one that is not there. Constant time.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        has(self.words, cell as usize)
    }

    /// Its cells: bit c for cell c, 64 a word, the lowest bit first.
    pub fn words(&self) -> &'m [u64] {
        self.words
    }
}

/// Words of memory that reaches in a level take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachMemory {
    /// For [`CellBundle::reach`].
    pub one: usize,
    /// For [`CellBundle::visible_within`].
    pub two: usize,
}

type Corners = [[f64; 3]; 2];

impl CellBundle<'_> {
    /// Words of memory that [`CellBundle::reach`] and [`CellBundle::visible_within`] need.
    pub fn reach_memory(&self) -> ReachMemory {
        let (row, entries) = (self.row_words(), self.parameters().neighbours as usize);
        // A flag, a length and a place in the queue for each way from a cell to one that it touches.
        let ways = entries.div_ceil(64) + 2 * entries;
        ReachMemory {
            one: row + ways,
            two: 2 * row + ways,
        }
    }

    fn row_words(&self) -> usize {
        (self.cells() as usize).div_ceil(64)
    }

    /// The cells that a player may come to who is anywhere in `cell` and walks less than `reach`
    /// units of the level; with a reach of 0, `cell` alone. Ways lead over cells that touch, and
    /// are at least as long as the straight lines between the openings on them; an opening is
    /// taken for all that is common to the boxes of its two cells. Teleporters are no ways.
    ///
    /// Errs towards too many cells: where the bundle does not know which cells touch, all whose
    /// boxes are in reach are in it; where it has no boxes, nothing is too far; and a reach that
    /// is not a number is endless.
    ///
    /// Nothing is allocated: the cells lie in `memory`, which need not be cleared.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than [`CellBundle::reach_memory`] says.
    pub fn reach<'m>(
        &self,
        cell: u32,
        reach: f64,
        memory: &'m mut [u64],
    ) -> Result<Reach<'m>, ShortMemory> {
        let expected = self.reach_memory().one;
        let found = memory.len();
        let (words, ways) = memory
            .split_at_mut_checked(self.row_words())
            .filter(|_| found >= expected)
            .ok_or(ShortMemory { expected, found })?;
        self.fill(cell, super::reach::counted(reach), words, ways);
        Ok(Reach { words })
    }

    /// Whether a player who is now in cell `a` and comes up to `reach[0]` units of the level far,
    /// and one in cell `b` who comes up to `reach[1]` far, may see each other anywhere on their
    /// ways: whether any cell of the one's [`CellBundle::reach`] sees any of the other's. With
    /// reaches of 0 that is [`CellBundle::visible`], either way.
    ///
    /// Errs towards visible only. Cells that are not there are visible. Nothing is allocated;
    /// `memory` need not be cleared.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than [`CellBundle::reach_memory`] says.
    pub fn visible_within(
        &self,
        a: u32,
        b: u32,
        reach: [f64; 2],
        memory: &mut [u64],
    ) -> Result<bool, ShortMemory> {
        let expected = self.reach_memory().two;
        let found = memory.len();
        let row = self.row_words();
        let (of_a, rest) = memory
            .split_at_mut_checked(row)
            .filter(|_| found >= expected)
            .ok_or(ShortMemory { expected, found })?;
        let (of_b, ways) = rest
            .split_at_mut_checked(row)
            .ok_or(ShortMemory { expected, found })?;
        if self.visible(a, b) || self.visible(b, a) || a.max(b) >= self.cells() {
            return Ok(true);
        }
        let [reach_a, reach_b] = reach.map(super::reach::counted);
        self.fill(a, reach_a, of_a, ways);
        self.fill(b, reach_b, of_b, ways);
        let sees =
            |from: &[u64], to: &[u64]| cells_of(from).any(|cell| self.pvs(cell).meets(to, 0));
        let mutual = self.parameters().symmetry != SymmetryCode::None;
        Ok(sees(of_a, of_b) || !mutual && sees(of_b, of_a))
    }

    /// Sets the bits of the cells in reach. `ways` are flags, lengths and the queue.
    fn fill(&self, start: u32, reach: f64, words: &mut [u64], ways: &mut [u64]) {
        words.fill(0);
        put(words, start as usize);
        if reach == 0.0 || start >= self.cells() {
            return;
        }
        let from = self.corners(start);
        if !self.has_neighbours() {
            for cell in 0..self.cells() {
                if is_less(gap(from, self.corners(cell)), reach) {
                    put(words, cell as usize);
                }
            }
            return;
        }
        let entries = self.parameters().neighbours as usize;
        let Some((met, ways)) = ways.split_at_mut_checked(entries.div_ceil(64)) else {
            return words.fill(u64::MAX);
        };
        let Some((lengths, queue)) = ways.split_at_mut_checked(entries) else {
            return words.fill(u64::MAX);
        };
        met.fill(0);
        let ways = Ways {
            met,
            lengths,
            queue,
            head: 0,
            waiting: 0,
        };
        let within = Within { start: from, reach };
        if !self.walk(start, &within, words, ways) {
            words.fill(u64::MAX);
        }
    }

    /// Sets the bits of all cells that some way leads to; returns whether it came to an end. In a
    /// sound bundle it does: a way is found shorter at most once for each cell on it. So that a
    /// damaged one ends, too, there is a limit.
    fn walk(&self, start: u32, within: &Within, words: &mut [u64], mut ways: Ways) -> bool {
        let mut left = 64 * (u64::from(self.parameters().neighbours) + 64);
        let (mut cell, mut entered) = (start, (within.start, 0.0));
        loop {
            let box_here = self.corners(cell);
            for (entry, next) in self.neighbour_entries(cell) {
                let opening = common(box_here, self.corners(next));
                let length = entered.1 + gap(entered.0, opening);
                let straight = gap(within.start, opening);
                if is_less(length, within.reach) && is_less(straight, within.reach) {
                    put(words, next as usize);
                    ways.found(cell, entry, length);
                }
            }
            let Some((from, entry, length)) = ways.next() else {
                return true;
            };
            let Some(next) = self.neighbour_entry(entry) else {
                return false;
            };
            left -= 1;
            if left == 0 {
                return false;
            }
            entered = (common(self.corners(from), self.corners(next)), length);
            cell = next;
        }
    }

    /// The box of a cell; everything where the bundle does not know.
    fn corners(&self, cell: u32) -> Corners {
        const EVERYTHING: Corners = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
        let corners = self.bounds(cell);
        corners.map_or(EVERYTHING, |corners| {
            corners.map(|corner| corner.map(f64::from))
        })
    }
}

/// From where, and how far.
struct Within {
    start: Corners,
    reach: f64,
}

/// Ways from a cell into one that touches it, by their entries in the lists of neighbours: the
/// least length up to the opening between the two, and those whose length is news.
struct Ways<'m> {
    /// A bit for each way that has been found.
    met: &'m mut [u64],
    /// The bits of an `f64` each.
    lengths: &'m mut [u64],
    /// A ring of ways: the cell that it leaves, and its entry.
    queue: &'m mut [u64],
    head: usize,
    waiting: usize,
}

impl Ways<'_> {
    fn found(&mut self, from: u32, entry: usize, length: f64) {
        let Some(known) = self.lengths.get_mut(entry) else {
            return;
        };
        if has(self.met, entry) && f64::from_bits(*known & !QUEUED) <= length {
            return;
        }
        // Lengths are not negative: their sign is free to say that the way is in the queue.
        let queued = has(self.met, entry) && *known & QUEUED != 0;
        put(self.met, entry);
        *known = length.to_bits() | QUEUED;
        if queued {
            return;
        }
        let size = self.queue.len().max(1);
        if let Some(place) = self.queue.get_mut((self.head + self.waiting) % size) {
            *place = u64::from(from) << 32 | entry as u64;
            self.waiting += 1;
        }
    }

    fn next(&mut self) -> Option<(u32, usize, f64)> {
        self.waiting = self.waiting.checked_sub(1)?;
        let way = *self.queue.get(self.head)?;
        self.head = (self.head + 1) % self.queue.len().max(1);
        let (from, entry) = ((way >> 32) as u32, way as u32 as usize);
        let length = self.lengths.get_mut(entry)?;
        *length &= !QUEUED;
        Some((from, entry, f64::from_bits(*length)))
    }
}

const QUEUED: u64 = 1 << 63;

/// The shortest distance between two boxes.
fn gap(a: Corners, b: Corners) -> f64 {
    let mut square = 0.0;
    let sides = a[0].into_iter().zip(a[1]).zip(b[0].into_iter().zip(b[1]));
    for ((a_low, a_high), (b_low, b_high)) in sides {
        // A number that is none is no distance.
        let side = (b_low - a_high).max(a_low - b_high).max(0.0);
        square += side * side;
    }
    square.sqrt()
}

/// What two boxes have in common; between boxes that do not quite touch, what lies between them.
fn common(a: Corners, b: Corners) -> Corners {
    let mut both = [[0.0; 3]; 2];
    let [low, high] = &mut both;
    let sides = a[0].into_iter().zip(a[1]).zip(b[0].into_iter().zip(b[1]));
    for (((a_low, a_high), (b_low, b_high)), (low, high)) in
        sides.zip(low.iter_mut().zip(high.iter_mut()))
    {
        let (first, last) = (a_low.max(b_low), a_high.min(b_high));
        (*low, *high) = (first.min(last), first.max(last));
    }
    both
}

/// Whether `x` is less than `limit`, or either is no number.
fn is_less(x: f64, limit: f64) -> bool {
    use core::cmp::Ordering::{Equal, Greater};
    limit == f64::INFINITY || !matches!(x.partial_cmp(&limit), Some(Greater | Equal))
}

fn has(words: &[u64], at: usize) -> bool {
    let word = words.get(at / 64);
    word.is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn put(words: &mut [u64], at: usize) {
    if let Some(word) = words.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

/// The cells whose bits are set, in rising order.
fn cells_of(words: &[u64]) -> impl Iterator<Item = u32> {
    words.iter().zip(0_u32..).flat_map(|(&word, i)| {
        let mut rest = word;
        core::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(i.saturating_mul(64).saturating_add(bit))
        })
    })
}
