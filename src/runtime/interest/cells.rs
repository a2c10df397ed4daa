//! Boxes in the cells of grids, so that those that overlap a box are found.
//!
//! Boxes of like size share a *layer*, a grid whose cells are as long as the longest of them or longer.
//! A box is in the cell of its lower corner; the boxes of a row of cells lie side by side in memory.
//! Space is endless and a table is not, so a grid wraps around like a torus: cells that share a place in
//! the table cost a comparison, and never an answer.

use super::Bounds;
use super::layers::{Layer, Layers};

/// A box as what a *reach* is compared with: its lower corner and its upper corner, negated. The lane
/// that is left over holds its region's index, which as a float is less than 2.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry {
    min: [f32; 4],
    max: [f32; 4],
}

/// What entries that overlap a box are not greater than, in any lane.
#[derive(Clone, Copy, Debug)]
struct Reach {
    min: [f32; 4],
    max: [f32; 4],
}

impl Entry {
    fn new(index: u32, bounds: &Bounds) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
        Self {
            min: [ax, ay, az, f32::from_bits(index)],
            max: [-bx, -by, -bz, 0.0],
        }
    }

    #[inline]
    fn index(&self) -> u32 {
        let [.., index] = self.min;
        index.to_bits()
    }

    /// Eight comparisons at once, and none of them a branch that could be guessed wrong.
    #[inline]
    fn is_within(&self, reach: &Reach) -> bool {
        let within = |lanes: [f32; 4], most: [f32; 4]| {
            let lanes = lanes.into_iter().zip(most);
            lanes.fold(true, |all, (lane, most)| all & (lane <= most))
        };
        within(self.min, reach.min) & within(self.max, reach.max)
    }
}

impl Reach {
    fn of(bounds: &Bounds) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
        Self {
            min: [bx, by, bz, 2.0],
            max: [-ax, -ay, -az, 0.0],
        }
    }
}

/// What was looked at in vain: rows of cells, and boxes that do not overlap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    pub rows: u64,
    pub misses: u64,
}

/// Boxes of updates or of subscriptions.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub layers: Layers,
    /// Of each cell the first of its boxes; the end of all comes last.
    starts: Vec<u32>,
    /// In the order of their cells.
    entries: Vec<Entry>,
    /// Of each box in the order of indices: its cell.
    places: Vec<u32>,
}

impl Cells {
    /// Takes these boxes, and no others: measures how long they are, and finds the cell of each.
    pub fn place(&mut self, boxes: impl ExactSizeIterator<Item = Bounds>) {
        self.layers.begin();
        self.places.clear();
        let layers = &mut self.layers;
        self.places
            .extend(boxes.map(|bounds| layers.place(&bounds)));
    }

    /// Sorts the boxes that were placed by their cells.
    pub fn gather(&mut self, boxes: impl ExactSizeIterator<Item = (u32, Bounds)>) {
        self.starts.clear();
        self.starts.resize(self.layers.cells() as usize + 2, 0);
        // Counted two places on and summed up one place on, a cell's count is where its next box goes;
        // once all have gone there, its own start.
        for &cell in &self.places {
            if let Some(count) = self.starts.get_mut(cell as usize + 2) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Of those that are there already all are written over.
        self.entries.resize(self.places.len(), Entry::default());
        for ((index, bounds), &cell) in boxes.zip(&self.places) {
            if let Some(next) = self.starts.get_mut(cell as usize + 1) {
                if let Some(entry) = self.entries.get_mut(*next as usize) {
                    *entry = Entry::new(index, &bounds);
                }
                *next += 1;
            }
        }
    }

    /// Writes the indices of the boxes of a layer that overlap `bounds` over `hits` from `before` on, and
    /// returns their end.
    #[inline]
    pub fn near(
        &self,
        layer: &Layer,
        bounds: &Bounds,
        hits: &mut Vec<u32>,
        before: usize,
        effort: &mut Effort,
    ) -> usize {
        let reach = Reach::of(bounds);
        let (mut found, mut rows, mut boxes) = (before, 0, 0);
        layer.rows(bounds, |first, last| {
            rows += 1;
            let ends = self.starts.get(first as usize);
            let ends = ends.zip(self.starts.get(last as usize + 1));
            let Some((&from, &to)) = ends else { return };
            let Some(row) = self.entries.get(from as usize..to as usize) else {
                return;
            };
            boxes += row.len();
            if hits.len() < found + row.len() {
                hits.resize((found + row.len()).next_power_of_two(), 0);
            }
            // Whether boxes overlap is a coin that no branch predictor foresees: a place is written in
            // any case, and written over where it is none.
            for (place, entry) in (from..).zip(row) {
                if let Some(hit) = hits.get_mut(found) {
                    *hit = place;
                }
                found += usize::from(entry.is_within(&reach));
            }
        });
        effort.rows += rows;
        effort.misses += (boxes - (found - before)) as u64;
        for hit in hits.get_mut(before..found).unwrap_or_default() {
            *hit = self.entries.get(*hit as usize).map_or(0, Entry::index);
        }
        found
    }

    pub fn bytes(&self) -> usize {
        self.layers.bytes()
            + (self.starts.capacity() + self.places.capacity()) * size_of::<u32>()
            + self.entries.capacity() * size_of::<Entry>()
    }
}
