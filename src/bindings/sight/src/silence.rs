//! Pairs of players that need not be asked for.

use self_cell::self_cell;
use viewcell::frontier::{
    Frontier, Session, SessionOptions, cells::Half as CellHalf, cells::Session as CellSession,
    cells::SessionOptions as CellSessionOptions,
};
use viewcell::query::{OwnedBundle, Place, Sample, SolidParameters, World};

/// One player's half of a frontier set.
#[derive(Clone, Copy, Debug)]
pub enum Half<'a> {
    /// Samples of a terrain; it can be encoded, and sent to the player.
    Terrain(&'a Frontier),
    /// Cells of a level.
    Cells(&'a CellHalf),
    /// Cells of a solid level: cell n is the sample whose Morton number is n.
    Solid(&'a Frontier),
}

impl Half<'_> {
    /// Whether a place is in it; one of a bundle of the other kind is not.
    pub fn contains(&self, place: Place) -> bool {
        match (self, place) {
            (Self::Terrain(half), Place::Sample(sample)) => half.contains(sample),
            (Self::Cells(half), Place::Cell(cell)) => half.contains(cell),
            (Self::Solid(half), Place::Cell(cell)) => half.contains(SolidParameters::sample(cell)),
            _ => false,
        }
    }
}

/// A session on a bundle of any kind.
// One in all.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
enum Either<'a> {
    /// On a terrain, or on the cells of a solid level as samples.
    Samples(Session<'a>),
    Cells(CellSession<'a>),
}

self_cell!(
    struct Kept {
        owner: OwnedBundle,
        #[not_covariant]
        dependent: Either,
    }
);

/// Frontier sets between players, who are silent as long as both stay in theirs.
pub struct Silence(Kept);

impl std::fmt::Debug for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .with_dependent(|_, either| f.debug_tuple("Silence").field(either).finish())
    }
}

impl Silence {
    pub fn new(bundle: &OwnedBundle, players: usize) -> Self {
        Self(Kept::new(bundle.clone(), |bundle| {
            let on = |samples| Session::new(samples, players, SessionOptions::default());
            match bundle.world() {
                World::Terrain(terrain) => Either::Samples(on(terrain)),
                World::Solid(level) => Either::Samples(on(level.sights())),
                World::Cells(level) => Either::Cells(CellSession::new(
                    level,
                    players,
                    CellSessionOptions::default(),
                )),
            }
        }))
    }

    pub fn tick(&mut self) {
        self.0.with_dependent_mut(|_, either| match either {
            Either::Samples(session) => session.tick(),
            Either::Cells(session) => session.tick(),
        });
    }

    /// Tells where a player is. Who is at a place of another kind of bundle is nowhere.
    pub fn move_to(&mut self, player: usize, place: Option<Place>) {
        // Whom the notices would be for is asked anyway, once all have moved.
        let is_told = self.0.with_dependent_mut(|bundle, either| match either {
            Either::Samples(session) => {
                let sample = place.and_then(|place| sample(bundle.world(), place));
                session.move_to(player, sample, |_| ()).is_ok()
                    || session.move_to(player, None, |_| ()).is_ok()
            }
            Either::Cells(session) => {
                let cell = match place {
                    Some(Place::Cell(cell)) => Some(cell),
                    _ => None,
                };
                session.move_to(player, cell, |_| ()).is_ok()
                    || session.move_to(player, None, |_| ()).is_ok()
            }
        });
        debug_assert!(is_told, "whoever goes to nowhere is not refused");
    }

    /// Whether two players are hidden from each other, having a frontier set: it ends with the move of one
    /// of them out of their half.
    pub fn holds(&self, [a, b]: [usize; 2]) -> bool {
        self.0.with_dependent(|_, either| match either {
            Either::Samples(session) => session.age(a, b).is_some(),
            Either::Cells(session) => session.age(a, b).is_some(),
        })
    }

    /// A player's own half of the set with another.
    pub fn half(&self, player: usize, other: usize) -> Option<Half<'_>> {
        self.0.with_dependent(|bundle, either| match either {
            Either::Samples(session) => {
                let half = session.half(player, other)?;
                Some(match bundle.world() {
                    World::Solid(_) => Half::Solid(half),
                    _ => Half::Terrain(half),
                })
            }
            Either::Cells(session) => session.half(player, other).map(Half::Cells),
        })
    }
}

/// The sample that a place is for a session on samples.
fn sample(world: &World<'_>, place: Place) -> Option<Sample> {
    match (world, place) {
        (World::Terrain(_), Place::Sample(sample)) => Some(sample),
        (World::Solid(_), Place::Cell(cell)) => Some(SolidParameters::sample(cell)),
        _ => None,
    }
}
