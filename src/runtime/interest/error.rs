//! What can be wrong with what a matcher is told.

use std::fmt;

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

impl std::error::Error for InterestError {}
