//! The two players of a frontier set.

use core::fmt;

use crate::format::Sample;

/// One of two players, and the half of a frontier set that is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first player.
    A,
    /// The second player.
    B,
}

impl Side {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// A place where no player stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontierError {
    /// The sample is outside the grid.
    Outside(Sample),
    /// Nobody can be at the sample: it is a void, no terrain, or not walkable.
    Void(Sample),
}

impl fmt::Display for FrontierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Outside(Sample { column, row }) | Self::Void(Sample { column, row })) = self;
        write!(f, "{column},{row} is ")?;
        f.write_str(match self {
            Self::Outside(_) => "outside the grid",
            Self::Void(_) => {
                "a void or not walkable, where nobody can stand; take a sample where somebody can"
            }
        })
    }
}

impl std::error::Error for FrontierError {}
