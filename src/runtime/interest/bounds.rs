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
