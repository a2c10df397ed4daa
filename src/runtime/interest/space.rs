//! Two kinds of boxes, sorted into cells, so that those of the one kind that overlap a box of the other are
//! found: updates and subscriptions, or where players are and how far they reach.

use super::Bounds;
use super::cells::{Cells, Effort};
use super::sample::Sample;

/// Times that boxes are placed, after which cells are laid out anew in any case.
const PATIENCE: u32 = 256;

/// How many times cells are as long as the longest boxes in them.
const SHORTEST: f32 = 0.5;
const LONGEST: f32 = 16.0;

/// Fork-join: does both, on two threads if `together`.
pub(super) fn both(together: bool, one: impl FnOnce() + Send, other: impl FnOnce()) {
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

/// The boxes, and how long cells are to be.
#[derive(Debug)]
pub(super) struct Space {
    pub cells: [Cells; 2],
    /// How many times cells are as long as boxes.
    length: f32,
    /// Whether that was made longer when it last changed.
    grows: bool,
    /// When the cells were laid out: how many boxes there were, and how often they have been placed.
    count: usize,
    age: u32,
    sample: Sample,
}

impl Default for Space {
    fn default() -> Self {
        Self {
            cells: Default::default(),
            length: 2.0,
            grows: true,
            count: 0,
            age: 0,
            sample: Sample::default(),
        }
    }
}

impl Space {
    /// Finds the cell of each box, in layers that fit; by a thread for each kind if `together`.
    pub(super) fn place<B>(&mut self, boxes: [B; 2], together: bool)
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
            cells.layers.choose(floor, self.length);
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
    pub(super) fn adapt(&mut self, Effort { rows, misses }: Effort) {
        let expected = |length: f32| {
            // A row is as dear as some twenty misses. Where boxes are spread evenly rows and misses
            // change like this.
            let share = (1.0 + 2.0 / length) / (1.0 + 2.0 / self.length);
            let more = (2.0 + length) / (2.0 + self.length);
            20.0 * rows as f32 * share * share + misses as f32 * more * more * more
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

    pub(super) fn bytes(&self) -> usize {
        self.cells.iter().map(Cells::bytes).sum::<usize>() + self.sample.bytes()
    }
}
