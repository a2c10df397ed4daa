//! View cells of a level of solids: boxes of places of a player's origin.

use super::aabb::Aabb;
use viewcell::convex::Point;
use viewcell::format::morton::solid_number;
use viewcell::format::solid::{BUCKET_SIDE, MAX_BUCKETS, STEPS};

/// A cube of 2^level finest cells a side, aligned to its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceBox {
    /// Its least corner, in finest cells from the grid's origin; multiples of 2^level.
    pub min: [u32; 3],
    /// Binary logarithm of its side.
    pub level: u8,
}

impl PlaceBox {
    /// Its first place along the Morton curve of finest cells.
    pub fn number(&self) -> u64 {
        solid_number(self.min)
    }

    /// All of it, in steps of 1 / [`STEPS`] of the cell size.
    pub fn steps(&self) -> [[u16; 3]; 2] {
        let steps = |at: u32| (at * STEPS) as u16;
        [
            self.min.map(steps),
            self.min.map(|at| steps(at + (1 << self.level))),
        ]
    }

    /// The first place after its own.
    pub fn end(&self) -> u64 {
        self.number() + (1 << (3 * self.level))
    }
}

/// View cells: boxes of a grid, disjoint, in Morton order, so that consecutive ones are near to each other.
///
/// A position on the border of two cells is in the one of greater coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceCells {
    /// Size of the finest cells. [Unit: of the file]
    pub cell: [f64; 3],
    /// Where the grid begins. [Unit: of the file, whose coordinates these are]
    pub origin: Point,
    /// The cells, in ascending order of [`PlaceBox::number`].
    pub boxes: Vec<PlaceBox>,
    /// For each cell the part of its box that positions may be in: least and greatest corner, in steps of
    /// 1 / [`STEPS`] of the cell size from the grid's origin.
    pub inner: Vec<[[u16; 3]; 2]>,
}

/// The grid has at most so many cells along each axis.
pub const MOST_ALONG: u32 = MAX_BUCKETS * BUCKET_SIDE;

impl PlaceCells {
    /// Sorts boxes into their order, with all of each for positions. They must be disjoint.
    pub fn new(cell: [f64; 3], origin: Point, boxes: Vec<PlaceBox>) -> Self {
        let whole = boxes.into_iter().map(|one| (one, one.steps()));
        Self::trimmed(cell, origin, whole.collect())
    }

    /// Sorts boxes into their order, each with the part of it that positions may be in, as in
    /// [`PlaceCells::inner`]. They must be disjoint.
    pub fn trimmed(
        cell: [f64; 3],
        origin: Point,
        mut boxes: Vec<(PlaceBox, [[u16; 3]; 2])>,
    ) -> Self {
        boxes.sort_unstable_by_key(|(one, _)| one.number());
        let (boxes, inner): (Vec<PlaceBox>, Vec<_>) = boxes.into_iter().unzip();
        debug_assert!(
            boxes
                .windows(2)
                .all(|pair| pair[0].end() <= pair[1].number())
        );
        Self {
            cell,
            origin,
            boxes,
            inner,
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// The cell that holds a position of a player's origin. O(log cells).
    pub fn locate(&self, position: Point) -> Option<u32> {
        let mut at = [0; 3];
        for k in 0..3 {
            let along = ((position[k] - self.origin[k]) / self.cell[k]).floor();
            if !(0.0..f64::from(MOST_ALONG)).contains(&along) {
                return None;
            }
            at[k] = along as u32;
        }
        let number = solid_number(at);
        let after = self.boxes.partition_point(|one| one.number() <= number);
        let index = after.checked_sub(1)?;
        let holds = number < self.boxes[index].end() && self.bounds(index).contains(position);
        holds.then_some(index as u32)
    }

    /// The positions of a cell, as a closed box.
    pub fn bounds(&self, index: usize) -> Aabb {
        let corner = |steps: [u16; 3]| {
            let at = |k: usize| f64::from(steps[k]) * self.cell[k] / f64::from(STEPS);
            std::array::from_fn(|k| self.origin[k] + at(k))
        };
        let [min, max] = self.inner[index].map(corner);
        Aabb { min, max }
    }

    /// The box around a run of cells.
    pub fn bounds_of(&self, run: std::ops::Range<usize>) -> Aabb {
        run.map(|i| self.bounds(i))
            .fold(Aabb::EMPTY, |all, one| all.union(&one))
    }
}
