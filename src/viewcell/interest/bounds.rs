//! Boxes, and why what is no box is refused.

use core::fmt;

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
    pub const NOWHERE: Self = Self {
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

    /// A box by corners that are known to be those of one.
    #[inline]
    pub const fn of_corners(min: [f32; 3], max: [f32; 3]) -> Self {
        Self { min, max }
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

    /// A box around all that is no farther than this from a place along any axis, however it is rounded.
    /// Both are finite.
    pub fn reaching([x, y, z]: [f32; 3], far: f32) -> Self {
        let half = |x: f32| far + (far + x.abs()) * (2.0 * f32::EPSILON);
        let low = |x: f32| (x - half(x)).max(f32::MIN);
        let high = |x: f32| (x + half(x)).min(f32::MAX);
        Self {
            min: [low(x), low(y), low(z)],
            max: [high(x), high(y), high(z)],
        }
    }

    /// The lower corner.
    pub fn min(&self) -> [f32; 3] {
        self.min
    }

    /// The upper corner.
    pub fn max(&self) -> [f32; 3] {
        self.max
    }

    /// The middle, rounded.
    pub fn middle(&self) -> [f32; 3] {
        let ([ax, ay, az], [bx, by, bz]) = (self.min, self.max);
        [
            0.5 * ax + 0.5 * bx,
            0.5 * ay + 0.5 * by,
            0.5 * az + 0.5 * bz,
        ]
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

    /// How far one corner has moved along one axis, at most, between another box and this.
    #[inline]
    pub fn farthest(&self, was: &Self) -> f32 {
        let apart = |[x, y, z]: [f32; 3], [a, b, c]: [f32; 3]| {
            (x - a).abs().max((y - b).abs()).max((z - c).abs())
        };
        apart(self.min, was.min).max(apart(self.max, was.max))
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

/// Why a call was refused. Nothing has changed then, and the matcher is as usable as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterestError {
    /// A corner of a box is NaN or infinite.
    NotFinite {
        /// 0, 1 or 2.
        dimension: u8,
    },
    /// A box ends before it begins.
    Inverted {
        /// 0, 1 or 2.
        dimension: u8,
    },
    /// There has been no such region.
    Unknown,
    /// The region has been removed.
    Removed,
    /// There is no room for another region.
    Full,
}

impl fmt::Display for InterestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |dimension: u8| match dimension {
            0 => "x",
            1 => "y",
            _ => "z",
        };
        match *self {
            Self::NotFinite { dimension } => write!(
                f,
                "expected corners of a box that are finite as 32-bit floats, found NaN or infinity in {}",
                axis(dimension)
            ),
            Self::Inverted { dimension } => write!(
                f,
                "expected the least first, found a box that ends before it begins in {}",
                axis(dimension)
            ),
            Self::Unknown => f.write_str("expected a region of this matcher, found another's"),
            Self::Removed => f.write_str("expected a region, found one that has been removed"),
            Self::Full => f.write_str("there is no room for another region; remove some first"),
        }
    }
}

impl core::error::Error for InterestError {}
