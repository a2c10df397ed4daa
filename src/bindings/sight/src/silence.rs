//! Pairs of players that need not be asked for.

use viewcell::frontier::{
    Frontier, Session, SessionOptions, cells::Session as CellSession,
    cells::SessionOptions as CellSessionOptions,
};
use viewcell::internals::runtime::cell_frontier;

use crate::bundle::{OwnedBundle, Place, World};

/// One player's half of a frontier set.
#[derive(Clone, Copy, Debug)]
pub enum Half<'a> {
    /// Samples of a terrain; it can be encoded, and sent to the player.
    Terrain(&'a Frontier),
    /// Cells of a level.
    Level(&'a cell_frontier::Half),
}

impl Half<'_> {
    /// Whether a place is in it; one of a bundle of the other kind is not.
    pub fn contains(&self, place: Place) -> bool {
        match (self, place) {
            (Self::Terrain(half), Place::Sample(sample)) => half.contains(sample),
            (Self::Level(half), Place::Cell(cell)) => half.contains(cell),
            _ => false,
        }
    }
}

/// Frontier sets between players, who are silent as long as both stay in theirs.
// One in all.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Silence {
    Terrain(Session<'static>),
    Level(CellSession<'static>),
}

impl Silence {
    pub fn new(bundle: &OwnedBundle, players: usize) -> Self {
        match bundle.lasting_world() {
            World::Terrain(terrain) => {
                Self::Terrain(Session::new(terrain, players, SessionOptions::default()))
            }
            World::Level(level) => Self::Level(CellSession::new(
                level,
                players,
                CellSessionOptions::default(),
            )),
        }
    }

    pub fn tick(&mut self) {
        match self {
            Self::Terrain(session) => session.tick(),
            Self::Level(session) => session.tick(),
        }
    }

    /// Tells where a player is. Who is at a place of another kind of bundle is nowhere.
    pub fn move_to(&mut self, player: usize, place: Option<Place>) {
        // Whom the notices would be for is asked anyway, once all have moved.
        let stays_out = match (self, place) {
            (Self::Terrain(session), Some(Place::Sample(sample))) => {
                session.move_to(player, Some(sample), |_| ()).is_err()
                    && session.move_to(player, None, |_| ()).is_err()
            }
            (Self::Terrain(session), _) => session.move_to(player, None, |_| ()).is_err(),
            (Self::Level(session), Some(Place::Cell(cell))) => {
                session.move_to(player, Some(cell), |_| ()).is_err()
                    && session.move_to(player, None, |_| ()).is_err()
            }
            (Self::Level(session), _) => session.move_to(player, None, |_| ()).is_err(),
        };
        debug_assert!(!stays_out, "whoever goes to nowhere is not refused");
    }

    /// Whether two players are hidden from each other, having a frontier set: it ends with the move of one
    /// of them out of their half.
    pub fn holds(&self, [a, b]: [usize; 2]) -> bool {
        match self {
            Self::Terrain(session) => session.age(a, b).is_some(),
            Self::Level(session) => session.age(a, b).is_some(),
        }
    }

    /// A player's own half of the set with another.
    pub fn half(&self, player: usize, other: usize) -> Option<Half<'_>> {
        match self {
            Self::Terrain(session) => session.half(player, other).map(Half::Terrain),
            Self::Level(session) => session.half(player, other).map(Half::Level),
        }
    }
}
