//! Boxes along the axes.

use viewcell::convex::{Point, minus};

/// A closed box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Point,
    /// Greatest coordinates.
    pub max: Point,
}

impl Aabb {
    /// The box of nothing: around any point it becomes that point.
    pub const EMPTY: Self = Self {
        min: [f64::INFINITY; 3],
        max: [f64::NEG_INFINITY; 3],
    };

    /// The smallest box around points.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let grow = |all: Self, point: &Point| {
            all.union(&Self {
                min: *point,
                max: *point,
            })
        };
        points.into_iter().fold(Self::EMPTY, grow)
    }

    /// The smallest box around two.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    /// The box of all sums of a point of this and one of the other.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k] + other.min[k]),
            max: std::array::from_fn(|k| self.max[k] + other.max[k]),
        }
    }

    /// What two boxes have in common, if that is more than nothing along each axis.
    pub fn within(&self, other: &Self) -> Option<Self> {
        let common = Self {
            min: std::array::from_fn(|k| self.min[k].max(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].min(other.max[k])),
        };
        let is_one = (0..3).all(|k| common.min[k] < common.max[k]);
        is_one.then_some(common)
    }

    /// The same box, counted from another origin.
    pub fn about(&self, origin: Point) -> Self {
        Self {
            min: minus(self.min, origin),
            max: minus(self.max, origin),
        }
    }

    /// The box with every side moved outwards by `by`.
    pub fn grown(&self, by: f64) -> Self {
        Self {
            min: self.min.map(|x| x - by),
            max: self.max.map(|x| x + by),
        }
    }

    /// Whether the closed boxes share a point.
    pub fn touches(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether a point lies in the closed box.
    pub fn contains(&self, point: Point) -> bool {
        (0..3).all(|k| self.min[k] <= point[k] && point[k] <= self.max[k])
    }

    /// Lengths of the sides; negative where nothing is in the box.
    pub fn size(&self) -> Point {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }

    /// The point in the middle.
    pub fn centre(&self) -> Point {
        std::array::from_fn(|k| self.min[k] + 0.5 * (self.max[k] - self.min[k]))
    }

    /// The eight corners; bit k of the index chooses the greater coordinate of axis k.
    pub fn corners(&self) -> [Point; 8] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| match i >> k & 1 {
                0 => self.min[k],
                _ => self.max[k],
            })
        })
    }
}
