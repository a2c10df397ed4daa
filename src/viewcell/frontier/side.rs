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

/// Why there is no frontier set, or a session goes on as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrontierError {
    /// The sample is outside the grid.
    Outside(Sample),
    /// Nobody can be at the sample: it is a void, no terrain, or not walkable.
    Void(Sample),
    /// There is no such cell.
    NoCell {
        /// What was given.
        cell: u32,
        /// How many there are, numbered from 0.
        cells: u32,
    },
    /// The session has no such player.
    NoPlayer {
        /// What was given.
        player: usize,
        /// How many there are, numbered from 0.
        players: usize,
    },
    /// The place is of another kind of world.
    OtherKind,
}

impl fmt::Display for FrontierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(Sample { column, row }) => {
                write!(f, "{column},{row} is outside the grid")
            }
            Self::Void(Sample { column, row }) => write!(
                f,
                "{column},{row} is a void or not walkable, where nobody can stand; take a sample where somebody can"
            ),
            Self::NoCell { cell, cells } => {
                write!(
                    f,
                    "there is no cell {cell}: expected a number below {cells}"
                )
            }
            Self::NoPlayer { player, players } => {
                write!(
                    f,
                    "there is no player {player}: expected a number below {players}"
                )
            }
            Self::OtherKind => f.write_str(
                "expected a sample on a terrain, a cell in a level, found the other; give places of the bundle's own kind",
            ),
        }
    }
}

impl std::error::Error for FrontierError {}
