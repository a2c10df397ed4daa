//! Regions of cells that grow by distance, and then take in all that the other does not see.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::field::{Level, Place};
use super::half::{Half, Halves, has};

/// Where a region begins.
#[derive(Clone, Debug)]
pub(super) enum Seeds {
    One(Place),
    Many(Vec<Place>),
}

/// Grows regions.
#[derive(Debug)]
pub(super) struct Wide<'a> {
    level: &'a Level<'a>,
    words: usize,
}

/// A cell that waits: its distance, its number in the order in which they came, whose it is.
type Waiting = Reverse<(u64, u32, usize, Place)>;

/// A region while it grows.
#[derive(Debug)]
struct Region {
    cells: Box<[u64]>,
    /// Everything that its cells see.
    seen: Box<[u64]>,
    tried: Box<[u64]>,
}

impl<'a> Wide<'a> {
    pub(super) fn new(level: &'a Level<'a>) -> Self {
        let words = (level.bundle.cells() as usize).div_ceil(64);
        Self { level, words }
    }

    /// Both regions grow from their seeds to whatever touches, the nearest first, and leave out what
    /// the other sees. Then each takes in all that the other does not see, touching or not: who is
    /// shot comes back somewhere else.
    pub(super) fn grow(&mut self, a: &Seeds, b: &Seeds) -> Halves {
        let [_, b] = self.spread([a, b], |distance| distance);
        let a = self.hidden_from(&b);
        let b = self.hidden_from(&a);
        [Half::Cells(a), Half::Cells(b)]
    }

    /// Both regions grow from their cells, all cells that touch counted as equally far.
    pub(super) fn grow_in_turn(&mut self, a: Place, b: Place) -> Halves {
        let seeds = [a, b].map(Seeds::One);
        self.spread([&seeds[0], &seeds[1]], |_| 1.0)
            .map(Half::Cells)
    }

    fn spread(&self, seeds: [&Seeds; 2], length: impl Fn(f64) -> f64) -> [Box<[u64]>; 2] {
        let bits = || vec![0; self.words].into_boxed_slice();
        let mut regions = [0, 1].map(|_| Region {
            cells: bits(),
            seen: bits(),
            tried: bits(),
        });
        let (mut waiting, mut count) = (BinaryHeap::<Waiting>::new(), 0);
        for (side, seeds) in seeds.into_iter().enumerate() {
            let cells = match seeds {
                Seeds::One(cell) => std::slice::from_ref(cell),
                Seeds::Many(cells) => cells,
            };
            for &cell in cells {
                waiting.push(Reverse((0, count, side, cell)));
                count += 1;
            }
        }
        while let Some(Reverse((far, _, side, cell))) = waiting.pop() {
            if has(&regions[side].tried, cell) {
                continue;
            }
            put(&mut regions[side].tried, cell);
            let other = &regions[1 - side];
            let row = self.level.bundle.pvs(cell);
            // In a bundle that is not symmetric a row may see what does not see it back.
            if has(&other.seen, cell) || row.meets(&other.cells, 0) {
                continue;
            }
            let own = &mut regions[side];
            put(&mut own.cells, cell);
            own.seen
                .iter_mut()
                .zip(row.words())
                .for_each(|(seen, word)| *seen |= word);
            for &(next, distance) in &self.level.touching[cell as usize] {
                if !has(&own.tried, next) {
                    // Sixteenths of a unit: whole numbers are the same on every machine.
                    let further = far + (length(distance) * 16.0) as u64 + 1;
                    waiting.push(Reverse((further, count, side, next)));
                    count += 1;
                }
            }
        }
        regions.map(|region| region.cells)
    }

    /// All cells that no cell of a region sees, nor is seen by.
    fn hidden_from(&self, region: &[u64]) -> Box<[u64]> {
        let mut seen = vec![0; self.words];
        let cells = self.level.bundle.cells();
        for cell in (0..cells).filter(|cell| has(region, *cell)) {
            let row = self.level.bundle.pvs(cell).words();
            seen.iter_mut()
                .zip(row)
                .for_each(|(seen, word): (&mut u64, u64)| *seen |= word);
        }
        let mut hidden = vec![0; self.words].into_boxed_slice();
        for cell in 0..cells {
            if !has(&seen, cell) && !self.level.bundle.pvs(cell).meets(region, 0) {
                put(&mut hidden, cell);
            }
        }
        hidden
    }

    /// The cells that somebody may have come to who has gone no further, the nearest first.
    pub(super) fn around(&self, cell: Place, limit: f64) -> Vec<Place> {
        let mut far: HashMap<Place, u64> = HashMap::new();
        let (mut found, mut waiting) = (Vec::new(), BinaryHeap::from([Reverse((0, cell))]));
        while let Some(Reverse((distance, cell))) = waiting.pop() {
            if far.insert(cell, distance).is_some() {
                continue;
            }
            found.push(cell);
            for &(next, length) in &self.level.touching[cell as usize] {
                let distance = distance + length as u64;
                if distance as f64 <= limit && !far.contains_key(&next) {
                    waiting.push(Reverse((distance, next)));
                }
            }
        }
        found
    }
}

fn put(words: &mut [u64], cell: Place) {
    if let Some(word) = words.get_mut(cell as usize / 64) {
        *word |= 1 << (cell % 64);
    }
}
