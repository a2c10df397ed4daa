//! Boxes.

use super::InterestError;

/// A closed box with sides along the axes, in up to three dimensions: where a region is.
///
/// Worlds of fewer dimensions leave the others at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

impl Bounds {
    /// Overlaps nothing, itself neither: where a region is before it comes and after it has gone.
    pub(super) const NOWHERE: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
    };

    /// A box by its lower and upper corner, in any unit of length.
    ///
    /// # Errors
    ///
    /// [`InterestError::NotFinite`] and [`InterestError::Inverted`] name the first dimension that
    /// is wrong.
    pub fn new(min: [f32; 3], max: [f32; 3]) -> Result<Self, InterestError> {
        for ((dimension, low), high) in (0..).zip(min).zip(max) {
            if !low.is_finite() || !high.is_finite() {
                return Err(InterestError::NotFinite { dimension });
            }
            if low > high {
                return Err(InterestError::Inverted { dimension });
            }
        }
        Ok(Self { min, max })
    }

    /// A box by its middle and half of each side.
    ///
    /// # Errors
    ///
    /// As [`Bounds::new`]; a negative half is inverted.
    pub fn around(middle: [f32; 3], half: [f32; 3]) -> Result<Self, InterestError> {
        let ([x, y, z], [dx, dy, dz]) = (middle, half);
        Self::new([x - dx, y - dy, z - dz], [x + dx, y + dy, z + dz])
    }

    /// The lower corner.
    pub fn min(&self) -> [f32; 3] {
        self.min
    }

    /// The upper corner.
    pub fn max(&self) -> [f32; 3] {
        self.max
    }

    /// Whether two boxes have a point in common; touching is enough (Liu's definition 1 and
    /// theorem 2).
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let ([ax, ay, az], [bx, by, bz]) = (self.min, self.max);
        let ([cx, cy, cz], [dx, dy, dz]) = (other.min, other.max);
        // No short circuit: six comparisons are cheaper than a branch that is guessed wrong.
        (ax <= dx) & (cx <= bx) & (ay <= dy) & (cy <= by) & (az <= dz) & (cz <= bz)
    }

    /// Whether all of another box is in this one. Nowhere is everywhere.
    #[inline]
    pub(super) fn contains(&self, other: &Self) -> bool {
        let ([ax, ay, az], [bx, by, bz]) = (self.min, self.max);
        let ([cx, cy, cz], [dx, dy, dz]) = (other.min, other.max);
        (ax <= cx) & (dx <= bx) & (ay <= cy) & (dy <= by) & (az <= cz) & (dz <= bz)
    }

    /// How far one corner has moved along one axis, at most, between another box and this.
    #[inline]
    pub(super) fn farthest(&self, was: &Self) -> f32 {
        let apart = |[x, y, z]: [f32; 3], [a, b, c]: [f32; 3]| {
            (x - a).abs().max((y - b).abs()).max((z - c).abs())
        };
        apart(self.min, was.min).max(apart(self.max, was.max))
    }

    /// The box where each corner has gone on as it went from another to this, `times` as far, and
    /// wider by `margin` on each side. This one where there is no such box.
    #[inline]
    pub(super) fn ahead(&self, was: &Self, times: f32, margin: f32) -> Self {
        let on = |now: [f32; 3], was: [f32; 3], margin: f32| {
            let ([x, y, z], [a, b, c]) = (now, was);
            [
                x + (x - a) * times + margin,
                y + (y - b) * times + margin,
                z + (z - c) * times + margin,
            ]
        };
        let there = Self {
            min: on(self.min, was.min, -margin),
            max: on(self.max, was.max, margin),
        };
        let finite = |corner: [f32; 3]| corner.iter().all(|x| x.is_finite());
        if !finite(there.min) || !finite(there.max) {
            return *self;
        }
        self.union(&there)
    }

    /// The smallest box around both. A region that is not there adds nothing.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.min, self.max);
        let ([cx, cy, cz], [dx, dy, dz]) = (other.min, other.max);
        Self {
            min: [ax.min(cx), ay.min(cy), az.min(cz)],
            max: [bx.max(dx), by.max(dy), bz.max(dz)],
        }
    }
}
