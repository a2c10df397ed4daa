//! What can go wrong with layered ground.

use std::fmt;

use viewcell_ingest::IngestError;

/// Why something cannot be done. Says the place, what was expected, what was found, what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GroundError {
    /// More cubes than are allowed.
    TooLarge {
        /// Columns, rows and slices asked for.
        size: [u64; 3],
        /// The limit.
        most: u64,
    },
    /// What was given contradicts itself, or is no number.
    Bad {
        /// Where: a file's part, a layer, an image.
        place: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A change set for ground in another state.
    Version {
        /// What the change set is for: number and digest.
        expected: [u64; 2],
        /// What the ground is.
        found: [u64; 2],
    },
    /// A stamp that touches no patch.
    Outside,
    /// Bytes that are damaged, or are no such thing at all.
    Damaged {
        /// Where in the bytes.
        place: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl GroundError {
    /// What was given is wrong.
    pub fn bad(
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Bad {
            place: place.into(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Bytes do not match their checksum.
    pub fn checksum(place: impl Into<String>) -> Self {
        Self::damaged(place, "bytes that match their checksum", "a mismatch")
    }

    /// Bytes are damaged.
    pub fn damaged(
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Damaged {
            place: place.into(),
            expected: expected.into(),
            found: found.into(),
        }
    }
}

impl fmt::Display for GroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge {
                size: [width, height, slices],
                most,
            } => write!(
                f,
                "expected at most {most} cubes, found {width} x {height} x {slices}; make cubes \
                 higher (`cube_height`), take a part, or raise the limit (`max_cubes`)"
            ),
            Self::Bad {
                place,
                expected,
                found,
            } => write!(f, "{place}: expected {expected}, found {found}"),
            Self::Version {
                expected: [number, digest],
                found: [version, other],
            } => match number.cmp(version) {
                std::cmp::Ordering::Less => write!(
                    f,
                    "the change set is for version {number}, the ground is of version {version}: it \
                     was applied already, or belongs to other ground; nothing was changed"
                ),
                std::cmp::Ordering::Greater => write!(
                    f,
                    "the change set is for version {number}, the ground is of version {version}: \
                     apply those between first; nothing was changed"
                ),
                std::cmp::Ordering::Equal => write!(
                    f,
                    "the change set is for version {number} of other ground (its digest is \
                     {digest:016x}, this ground's is {other:016x}); nothing was changed"
                ),
            },
            Self::Outside => write!(
                f,
                "the stamp is entirely outside: expected one that touches a patch of the ground; \
                 it is placed in metres east and south of the first sample, and by height"
            ),
            Self::Damaged {
                place,
                expected,
                found,
            } => write!(
                f,
                "{place}: expected {expected}, found {found}: it is damaged; fetch or build it again"
            ),
        }
    }
}

impl std::error::Error for GroundError {}

/// A shape that is none.
impl From<IngestError> for GroundError {
    fn from(error: IngestError) -> Self {
        Self::bad(
            error.place().unwrap_or("stamp"),
            error.expected(),
            error.found(),
        )
    }
}
