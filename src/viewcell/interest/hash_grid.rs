//! A hash grid: boxes sorted into cells anew whenever they move, so that those that overlap a box are found.
//!
//! There are two kinds of boxes, and those of one kind look for those of the other: updates and subscriptions, or where
//! players are and how far they reach. The boxes of a kind are in [`Layers`] of like size, each a uniform grid whose cells
//! are about as long as its boxes (a hierarchical hash grid: Ericson, Real-Time Collision Detection, section 7.2). Space is
//! endless and a table is not, so a grid wraps around like a torus: cells that share a place in the table cost a
//! comparison, and never an answer.
//!
//! In the order in which it happens:
//!
//! 1. [`Space::place`] finds the cell of each box, that of its lower corner, and lays layers out anew where
//!    they no longer fit.
//! 2. [`HashCells::gather`] sorts the boxes by their cells (a counting sort), so that a row of cells along x is one
//!    piece of memory.
//! 3. [`HashCells::near`] goes through the rows of cells that a box may overlap, and compares.
//! 4. [`Space::adapt`] weighs rows against comparisons, and makes cells longer or shorter.
//!
//! Did not pay: leashes, boxes to move in without work (ten times as long in a crowd); one loop over rows in place of two;
//! rows that are not empty gathered first; tables of 8 or 2 cells a box in place of 4; boxes four side by side in memory;
//! the length of cells from sizes and spread alone (a crowd ends up in few cells).

use super::Bounds;
pub use super::hash_grid_layers::{Layer, Layers, Ring, Tuning};

/// Times that boxes are placed, after which cells are laid out anew in any case.
const PATIENCE: u32 = 256;

/// How many times cells are as long as the longest boxes in them.
const SHORTEST: f32 = 0.5;
const LONGEST: f32 = 16.0;

/// Boxes of a kind that a sample has.
const SOME: usize = 128;

/// Every so manieth of so many is looked at for a sample.
pub fn step(of: usize) -> usize {
    of.div_ceil(SOME).max(1) | 1
}

/// Fork-join: does both, on two threads if `together`.
pub fn both(together: bool, one: impl FnOnce() + Send, other: impl FnOnce()) {
    if together {
        std::thread::scope(|scope| {
            scope.spawn(one);
            other();
        });
    } else {
        one();
        other();
    }
}

/// The same for any number of things, each on a thread of its own but for the first. One alone allocates nothing.
pub fn fork_join<W: FnOnce() + Send>(mut work: impl Iterator<Item = W>) {
    let (Some(own), next) = (work.next(), work.next()) else {
        return;
    };
    let Some(next) = next else {
        own();
        return;
    };
    std::thread::scope(|scope| {
        scope.spawn(next);
        work.for_each(|work| drop(scope.spawn(work)));
        own();
    });
}

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
pub struct Effort {
    /// Rows of cells.
    pub rows: u64,
    /// Boxes that do not overlap.
    pub misses: u64,
}

impl Effort {
    /// Adds what another search looked at.
    pub fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.misses += other.misses;
    }
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
    fn fill(
        self,
        indices: impl Iterator<Item = u32>,
        places: &[u32],
        bounds: impl Fn(u32) -> Bounds,
    ) {
        for (index, &cell) in indices.zip(places) {
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
pub struct HashCells {
    /// Its layers.
    pub layers: Layers,
    /// Of each cell the first of its boxes; the end of all comes last.
    starts: Vec<u32>,
    /// In the order of their cells.
    entries: Vec<Entry>,
    /// Of each box in the order of indices: its cell.
    places: Vec<u32>,
}

impl HashCells {
    /// Takes these boxes, and no others: measures how long they are, and finds the cell of each.
    pub fn place(&mut self, boxes: impl ExactSizeIterator<Item = Bounds>) {
        self.layers.begin();
        self.places.clear();
        let layers = &mut self.layers;
        self.places
            .extend(boxes.map(|bounds| layers.place(&bounds)));
    }

    /// Sorts the boxes that were placed by their cells, with two threads if `together`.
    pub fn gather(
        &mut self,
        indices: impl Iterator<Item = u32> + Clone + Send + Sync,
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
                || one.fill(indices.clone(), places, &bounds),
                || other.fill(indices.clone(), places, &bounds),
            );
        } else {
            all.fill(indices, places, bounds);
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
        let mut search = Search::new(bounds, hits, before, effort);
        layer.rows(bounds, |first, last| self.look_in(first, last, &mut search));
        self.end(search)
    }

    /// The same; some of those whose middles are out of the ring may be left out.
    pub fn near_in(
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

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.layers.bytes()
            + (self.starts.capacity() + self.places.capacity()) * size_of::<u32>()
            + self.entries.capacity() * size_of::<Entry>()
    }
}

/// The boxes, and how long cells are to be.
#[derive(Debug)]
pub struct Space {
    /// Those of the one kind, and of the other.
    pub cells: [HashCells; 2],
    /// How many times cells are as long as boxes.
    length: f32,
    /// Whether that was made longer when it last changed.
    grows: bool,
    /// When the cells were laid out: how many boxes there were, and how often they have been placed.
    count: usize,
    age: u32,
    tuning: Tuning,
    sample: Sample,
}

impl Space {
    /// No boxes, in cells of this tuning.
    pub fn new(tuning: Tuning) -> Self {
        Self {
            cells: Default::default(),
            length: 2.0,
            grows: true,
            count: 0,
            age: 0,
            tuning,
            sample: Sample::default(),
        }
    }

    /// Boxes are of other sizes from now on.
    pub fn renew(&mut self) {
        self.age = PATIENCE;
    }

    /// Which of the two look for the others. Of two boxes in layers of different levels the one in the
    /// lower finds the other, since fewer are near it; of the same level, the first.
    pub fn looks(&self, always: bool) -> [bool; 2] {
        let levels = self.cells.each_ref().map(|cells| {
            let layers = cells.layers.all();
            let ends = layers.first().zip(layers.last());
            ends.map_or([u8::MAX; 2], |(low, high)| [low.level, high.level])
        });
        let [[lowest, highest], [lowest_other, highest_other]] = levels;
        [
            always || highest_other >= lowest,
            always || highest > lowest_other,
        ]
    }

    /// Finds the cell of each box, in layers that fit; by a thread for each kind if `together`.
    pub fn place<B>(&mut self, boxes: [B; 2], together: bool)
    where
        B: ExactSizeIterator<Item = Bounds> + Clone + Send,
    {
        let count = boxes.iter().map(ExactSizeIterator::len).sum();
        self.age += 1;
        let is_due = self.age > PATIENCE || count > self.count + self.count / 4;
        if !is_due && count >= self.count / 2 {
            self.put(boxes.clone(), together);
            if !self.cells.iter().any(|cells| cells.layers.is_stale()) {
                return;
            }
        }
        (self.age, self.count) = (0, count);
        self.sample.measure(&boxes);
        for (cells, boxes) in self.cells.iter_mut().zip(boxes.clone()) {
            cells.layers.count(self.sample.spread, boxes);
        }
        // Those of the one kind look for the other's at least where their smallest are.
        let [first, second] = self.cells.each_ref().map(|cells| cells.layers.lowest());
        for (cells, floor) in self.cells.iter_mut().zip([second, first]) {
            cells.layers.choose(floor, self.length, self.tuning);
        }
        self.put(boxes, together);
    }

    fn put<B>(&mut self, [these, those]: [B; 2], together: bool)
    where
        B: ExactSizeIterator<Item = Bounds> + Send,
    {
        let [first, second] = &mut self.cells;
        both(together, || first.place(these), || second.place(those));
    }

    /// Longer cells are fewer to look at, and hold more boxes in vain: finds out what costs less, from
    /// the next time on.
    pub fn adapt(&mut self, Effort { rows, misses }: Effort) {
        let expected = |length: f32| {
            // Where boxes are spread evenly rows and misses change like this.
            let share = (1.0 + 2.0 / length) / (1.0 + 2.0 / self.length);
            let more = (2.0 + length) / (2.0 + self.length);
            self.tuning.row * rows as f32 * share * share + misses as f32 * more * more * more
        };
        let cost = expected(self.length);
        for longer in [true, false] {
            let length = self.length * if longer { 2.0 } else { 0.5 };
            // No going to and fro for a little.
            let turns = self.grows != longer && self.age < PATIENCE / 4;
            let less = if turns { 0.4 * cost } else { 0.85 * cost };
            if (SHORTEST..=LONGEST).contains(&length) && expected(length) < less {
                (self.length, self.grows) = (length, longer);
                self.age = PATIENCE;
                return;
            }
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(HashCells::bytes).sum::<usize>() + self.sample.bytes()
    }
}

/// What is known of the bulk of the boxes, from a few of them.
#[derive(Debug, Default)]
struct Sample {
    /// How far it is spread along each axis.
    spread: [f32; 3],
    middles: [Vec<f32>; 3],
}

impl Sample {
    /// Looks at some boxes. A few that are far away tell nothing: up to a tenth of them may be
    /// anywhere.
    fn measure(&mut self, boxes: &[impl ExactSizeIterator<Item = Bounds> + Clone]) {
        self.middles.iter_mut().for_each(Vec::clear);
        for boxes in boxes {
            let some = boxes.clone().step_by(step(boxes.len()));
            for bounds in some.filter(|bounds| *bounds != Bounds::NOWHERE) {
                let axes = self.middles.iter_mut().zip(bounds.middle());
                axes.for_each(|(middles, middle)| middles.push(middle));
            }
        }
        for (middles, spread) in self.middles.iter_mut().zip(&mut self.spread) {
            middles.sort_unstable_by(f32::total_cmp);
            let cut = middles.len() / 20;
            let ends = middles.get(cut).zip(middles.iter().rev().nth(cut));
            *spread = ends.map_or(0.0, |(first, last)| last - first);
        }
    }

    fn bytes(&self) -> usize {
        self.middles.iter().map(Vec::capacity).sum::<usize>() * size_of::<f32>()
    }
}
