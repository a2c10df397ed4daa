//! Boxes in the cells of grids, so that those that overlap a box are found.
//!
//! Boxes of like size share a *layer*, a grid whose cells are as long as the longest of them or longer.
//! A box is in the cell of its lower corner; the boxes of a row of cells lie side by side in memory.
//! Space is endless and a table is not, so a grid wraps around like a torus: cells that share a place in
//! the table cost a comparison, and never an answer.

use super::Bounds;
use super::layers::{Layer, Layers, Ring};
use super::space::both;

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

/// A search under way.
struct Search<'h> {
    reach: Reach,
    hits: &'h mut Vec<u32>,
    before: usize,
    found: usize,
    rows: u64,
    boxes: usize,
    effort: &'h mut Effort,
}

impl<'h> Search<'h> {
    #[inline(always)]
    fn new(bounds: &Bounds, hits: &'h mut Vec<u32>, before: usize, effort: &'h mut Effort) -> Self {
        Self {
            reach: Reach::of(bounds),
            hits,
            before,
            found: before,
            rows: 0,
            boxes: 0,
            effort,
        }
    }
}

/// Cells side by side, and their boxes.
struct Part<'c> {
    /// The first cell, and the first of its boxes.
    first: u32,
    from: u32,
    /// Of each cell where its next box goes.
    starts: &'c mut [u32],
    entries: &'c mut [Entry],
}

impl Part<'_> {
    /// Two parts with about as many boxes.
    fn halves(self) -> [Self; 2] {
        let Self {
            first,
            from,
            starts,
            entries,
        } = self;
        let middle = from + entries.len() as u32 / 2;
        let cells = starts.partition_point(|&start| start < middle);
        let (these, those) = starts.split_at_mut(cells);
        let end = from + entries.len() as u32;
        let middle = those.first().map_or(end, |&start| start);
        let (low, high) = entries.split_at_mut((middle - from) as usize);
        let part = |first, from, starts, entries| Self {
            first,
            from,
            starts,
            entries,
        };
        [
            part(first, from, these, low),
            part(first + cells as u32, middle, those, high),
        ]
    }

    /// Writes those of the boxes that are in these cells, in their order.
    fn fill(self, indices: &[u32], places: &[u32], bounds: impl Fn(u32) -> Bounds) {
        for (&index, &cell) in indices.iter().zip(places) {
            let Some(next) = self.starts.get_mut(cell.wrapping_sub(self.first) as usize) else {
                continue;
            };
            if let Some(entry) = self.entries.get_mut((*next - self.from) as usize) {
                *entry = Entry::new(index, &bounds(index));
            }
            *next += 1;
        }
    }
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
    pub(super) fn place(&mut self, boxes: impl ExactSizeIterator<Item = Bounds>) {
        self.layers.begin();
        self.places.clear();
        let layers = &mut self.layers;
        self.places
            .extend(boxes.map(|bounds| layers.place(&bounds)));
    }

    /// Sorts the boxes that were placed by their cells, with two threads if `together`.
    pub(super) fn gather(
        &mut self,
        indices: &[u32],
        bounds: impl Fn(u32) -> Bounds + Sync,
        together: bool,
    ) {
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
        let Self {
            starts,
            entries,
            places,
            ..
        } = self;
        let starts = starts
            .split_first_mut()
            .map_or(&mut [][..], |(_, starts)| starts);
        let all = Part {
            first: 0,
            from: 0,
            starts,
            entries,
        };
        if together {
            let [one, other] = all.halves();
            both(
                true,
                || one.fill(indices, places, &bounds),
                || other.fill(indices, places, &bounds),
            );
        } else {
            all.fill(indices, places, bounds);
        }
    }

    /// Writes the indices of the boxes of a layer that overlap `bounds` over `hits` from `before` on, and
    /// returns their end.
    #[inline]
    pub(super) fn near(
        &self,
        layer: &Layer,
        bounds: &Bounds,
        hits: &mut Vec<u32>,
        before: usize,
        effort: &mut Effort,
    ) -> usize {
        let mut search = Search::new(bounds, hits, before, effort);
        layer.rows(bounds, |first, last| self.look_in(first, last, &mut search));
        self.end(search)
    }

    /// The same; some of those whose middles are out of the ring may be left out.
    pub(super) fn near_in(
        &self,
        ring: &Ring,
        layer: &Layer,
        bounds: &Bounds,
        hits: &mut Vec<u32>,
        before: usize,
        effort: &mut Effort,
    ) -> usize {
        let mut search = Search::new(bounds, hits, before, effort);
        layer.rows_in(ring, bounds, |first, last| {
            self.look_in(first, last, &mut search)
        });
        self.end(search)
    }

    /// Looks at the boxes of some cells side by side.
    #[inline(always)]
    fn look_in(&self, first: u32, last: u32, search: &mut Search<'_>) {
        search.rows += 1;
        let ends = self.starts.get(first as usize);
        let ends = ends.zip(self.starts.get(last as usize + 1));
        let Some((&from, &to)) = ends else { return };
        let Some(row) = self.entries.get(from as usize..to as usize) else {
            return;
        };
        search.boxes += row.len();
        let (hits, mut found) = (&mut *search.hits, search.found);
        if hits.len() < found + row.len() {
            hits.resize((found + row.len()).next_power_of_two(), 0);
        }
        // Whether boxes overlap is a coin that no branch predictor foresees: a place is written in
        // any case, and written over where it is none.
        for (place, entry) in (from..).zip(row) {
            if let Some(hit) = hits.get_mut(found) {
                *hit = place;
            }
            found += usize::from(entry.is_within(&search.reach));
        }
        search.found = found;
    }

    /// Ends a search: places become indices.
    #[inline(always)]
    fn end(&self, search: Search<'_>) -> usize {
        let Search { before, found, .. } = search;
        search.effort.rows += search.rows;
        search.effort.misses += (search.boxes - (found - before)) as u64;
        for hit in search.hits.get_mut(before..found).unwrap_or_default() {
            *hit = self.entries.get(*hit as usize).map_or(0, Entry::index);
        }
        found
    }

    pub(super) fn bytes(&self) -> usize {
        self.layers.bytes()
            + (self.starts.capacity() + self.places.capacity()) * size_of::<u32>()
            + self.entries.capacity() * size_of::<Entry>()
    }
}
