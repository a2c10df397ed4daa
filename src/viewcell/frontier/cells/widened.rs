//! Regions of cells that grow by distance, and then take in all that the other does not see.

use super::{Frontier, ShortMemory, add_seen, parts};
use crate::format::bits;
use crate::format::cells::PvsRow;
use crate::query::CellBundle;

impl<'a> CellBundle<'a> {
    /// Takes out of the second of two regions what sees the first one or is seen by it, for constructions that go by
    /// sight one way. The regions are the first of four rows of memory; empty where there are fewer.
    pub(crate) fn hide_both_ways(&self, memory: &mut [u64]) {
        let row = bits::words(self.cells());
        let Ok([ab, ba, seen, hidden]) = parts([row; 4], &mut *memory) else {
            return memory.fill(0);
        };
        hidden_from(self.cells(), &|cell| self.pvs(cell), ab, seen, hidden);
        for (word, hidden) in ba.iter_mut().zip(hidden) {
            *word &= *hidden;
        }
    }

    /// The neighbours of a cell, and how far their middles are from its own; 0 where the bundle has no boxes.
    pub(super) fn distant_neighbours(
        &self,
        cell: u32,
    ) -> impl Iterator<Item = (u32, f64)> + use<'a> {
        let level = *self;
        let middle = move |cell| match level.bounds(cell) {
            Some([[x, y, z], [u, v, w]]) => {
                [(x, u), (y, v), (z, w)].map(|(low, high)| (f64::from(low) + f64::from(high)) / 2.0)
            }
            None => [0.0; 3],
        };
        let own = middle(cell);
        self.neighbours(cell).map(move |next| {
            let between = own.iter().zip(middle(next)).map(|(a, b)| (a - b) * (a - b));
            (next, between.sum::<f64>().sqrt())
        })
    }
}

/// [`spread`], and then each region takes in whatever no cell of the other sees nor is seen by, the first one
/// first. `memory` is as [`super::Construction::Widened`] needs it.
pub fn widen<'m, 'p, N: Iterator<Item = (u32, f64)>>(
    cells: u32,
    seeds: [&[u32]; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
    memory: &'m mut [u64],
) -> Result<Option<Frontier<'m>>, ShortMemory> {
    spread(cells, seeds, &pvs, neighbours, memory)?;
    let [ab, ba, seen] = parts([bits::words(cells); 3], memory)?;
    hidden_from(cells, &pvs, ba, seen, ab);
    hidden_from(cells, &pvs, ab, seen, ba);
    Ok(Some(Frontier { ab, ba }))
}

/// All cells that no cell of a region sees, nor is seen by, into `hidden`.
#[inline(never)]
fn hidden_from<'p>(
    cells: u32,
    pvs: &impl Fn(u32) -> PvsRow<'p>,
    region: &[u64],
    seen: &mut [u64],
    hidden: &mut [u64],
) {
    seen.fill(0);
    hidden.fill(0);
    for cell in (0..cells).filter(|cell| bits::has(region, *cell as usize)) {
        add_seen(seen, cell, pvs(cell));
    }
    // In a bundle that is not symmetric a row may see what does not see it back.
    for cell in (0..cells).filter(|cell| !bits::has(seen, *cell as usize)) {
        if !pvs(cell).meets(region, 0) {
            bits::set(hidden, cell as usize);
        }
    }
}

/// Two regions that grow from cells over neighbours with their distances, what is nearest to its own seeds first;
/// a cell that the other region sees or is seen by stays out. `memory` is as
/// [`super::Construction::Widened`] needs it.
pub fn spread<'m, 'p, N: Iterator<Item = (u32, f64)>>(
    cells: u32,
    [seeds_a, seeds_b]: [&[u32]; 2],
    pvs: impl Fn(u32) -> PvsRow<'p>,
    neighbours: impl Fn(u32) -> N,
    memory: &'m mut [u64],
) -> Result<Option<Frontier<'m>>, ShortMemory> {
    let (row, entries) = (bits::words(cells), 2 * cells as usize);
    let [ab, ba, seen_a, seen_b, distances, slots, heap] =
        parts([row, row, row, row, entries, entries, entries], memory)?;
    for words in [&mut *ab, &mut *ba, &mut *seen_a, &mut *seen_b] {
        words.fill(0);
    }
    let mut queue = Queue::new(distances, slots, heap);
    for (is_b, seeds) in [(false, seeds_a), (true, seeds_b)] {
        for &cell in seeds.iter().filter(|cell| **cell < cells) {
            queue.offer(entry(is_b, cell), 0);
        }
    }
    while let Some((entry, far)) = queue.take() {
        let (is_b, cell) = (entry & 1 == 1, (entry >> 1) as u32);
        let (own, other) = if is_b {
            ((&mut *ba, &mut *seen_b), (&mut *ab, &mut *seen_a))
        } else {
            ((&mut *ab, &mut *seen_a), (&mut *ba, &mut *seen_b))
        };
        let row = pvs(cell);
        if bits::has(other.1, cell as usize) || row.meets(other.0, 0) {
            continue;
        }
        bits::set(own.0, cell as usize);
        add_seen(own.1, cell, row);
        for (next, distance) in neighbours(cell).filter(|(next, _)| *next < cells) {
            // Sixteenths of a unit: whole numbers are the same on every machine.
            let step = ((distance * 16.0) as u64).saturating_add(1);
            let further = far.saturating_add(step);
            queue.offer(self::entry(is_b, next), further);
        }
    }
    Ok(Some(Frontier { ab, ba }))
}

/// A cell that waits to be taken into a region.
fn entry(is_b: bool, cell: u32) -> u64 {
    u64::from(cell) << 1 | u64::from(is_b)
}

/// A priority queue of entries, each at most once: a binary heap that knows where each entry is. Of equally near
/// ones, the one whose distance was offered first is first.
struct Queue<'m> {
    /// The least distance at which each entry was offered.
    distances: &'m mut [u64],
    /// Of each entry the number of that offer, and in the low half its place in the heap, [`NEVER`] or [`TAKEN`].
    slots: &'m mut [u64],
    /// Entries, none before its parent.
    heap: &'m mut [u64],
    length: usize,
    offers: u64,
}

/// Never offered.
const NEVER: u64 = u32::MAX as u64;
/// Taken from the heap.
const TAKEN: u64 = NEVER - 1;

impl<'m> Queue<'m> {
    fn new(distances: &'m mut [u64], slots: &'m mut [u64], heap: &'m mut [u64]) -> Self {
        slots.fill(NEVER);
        Self {
            distances,
            slots,
            heap,
            length: 0,
            offers: 0,
        }
    }

    /// Offers an entry; nothing if it was taken, or offered as near before.
    #[inline(never)]
    fn offer(&mut self, entry: u64, distance: u64) {
        let slot = match word(self.slots, entry) & NEVER {
            TAKEN => return,
            NEVER => {
                self.length += 1;
                self.length as u64 - 1
            }
            _ if word(self.distances, entry) <= distance => return,
            slot => slot,
        };
        set(self.distances, entry, distance);
        set(self.slots, entry, self.offers << 32);
        self.offers += 1;
        self.rise(entry, slot);
    }

    /// Takes the nearest entry, with its distance.
    #[inline(never)]
    fn take(&mut self) -> Option<(u64, u64)> {
        self.length = self.length.checked_sub(1)?;
        let first = word(self.heap, 0);
        set(self.slots, first, TAKEN);
        if self.length > 0 {
            self.sink(word(self.heap, self.length as u64));
        }
        Some((first, word(self.distances, first)))
    }

    /// What entries are ordered by.
    fn key(&self, entry: u64) -> (u64, u64) {
        let offer = word(self.slots, entry) >> 32;
        (word(self.distances, entry), offer)
    }

    fn place(&mut self, entry: u64, slot: u64) {
        set(self.heap, slot, entry);
        let offer = word(self.slots, entry) & !NEVER;
        set(self.slots, entry, offer | slot);
    }

    /// Puts an entry where it belongs, at a slot or above it.
    fn rise(&mut self, entry: u64, mut slot: u64) {
        while slot > 0 {
            let parent = (slot - 1) / 2;
            let above = word(self.heap, parent);
            if self.key(above) <= self.key(entry) {
                break;
            }
            self.place(above, slot);
            slot = parent;
        }
        self.place(entry, slot);
    }

    /// Puts an entry where it belongs, in place of the first.
    fn sink(&mut self, entry: u64) {
        let (mut slot, length) = (0, self.length as u64);
        loop {
            let children = 2 * slot + 1..length.min(2 * slot + 3);
            let nearest = children
                .map(|child| (self.key(word(self.heap, child)), child))
                .min();
            let Some((_, child)) = nearest.filter(|(key, _)| *key < self.key(entry)) else {
                break;
            };
            self.place(word(self.heap, child), slot);
            slot = child;
        }
        self.place(entry, slot);
    }
}

fn word(words: &[u64], at: u64) -> u64 {
    words.get(at as usize).copied().unwrap_or(NEVER)
}

fn set(words: &mut [u64], at: u64, to: u64) {
    if let Some(word) = words.get_mut(at as usize) {
        *word = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of a damaged bundle may lie anywhere.
    #[test]
    fn cells_infinitely_far_apart_overflowed() {
        let sees_itself = [0b001_u64, 0b010, 0b100].map(u64::to_le_bytes);
        let pvs = |cell: u32| PvsRow::new(&sees_itself[cell as usize], 3);
        let all = |_| (0..3).map(|cell| (cell, f64::INFINITY));
        let mut memory = vec![0; 64];
        let found = spread(3, [&[0], &[2]], pvs, all, &mut memory);
        let Frontier { ab, ba } = found.unwrap().unwrap();
        assert_eq!((ab[0] & 0b101, ba[0] & 0b101), (0b001, 0b100));
        assert_eq!(ab[0] | ba[0], 0b111, "the middle is one's or the other's");
    }
}
