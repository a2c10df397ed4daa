//! What a session asks of a world: who sees whom, and how frontier sets are made there.

use crate::frontier::{FrontierError, FrontierOptions};
use crate::query::Extent;

/// That of worlds whose sets take some tenths of a millisecond. [Unit: ticks]
pub const PATIENCE: u32 = 20;

/// How a session keeps its players silent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionOptions {
    /// How far frontier sets are grown on a terrain and in a solid level.
    pub frontier: FrontierOptions,
    /// Of a terrain: renegotiate this many steps before the edge of a half is reached, what a player walks
    /// while the news is on its way. Anywhere there is [`Session::move_within`](super::Session::move_within).
    pub margin: u32,
    /// A frontier set that lasted for fewer ticks was not worth its while: that pair waits for as
    /// long before it gets another, twice as long after each further one, up to eight times. `None` is
    /// for [`SessionWorld::patience`].
    pub patience: Option<u32>,
    /// Whether the players are peers who know of each other what they are told and nothing else:
    /// then a pair without a frontier set exchanges positions on every move (figure 4). Else the
    /// session is a server that knows them all, and tells only what may be seen.
    pub peers: bool,
}

/// A world in which there are sessions: who sees whom, and how frontier sets are made.
///
/// What a session promises rests on two of its answers. `visible` and `sees` say no only where nobody is seen,
/// and no place of the first half that `finish` gives sees a place of the second one, nor the other way round.
pub trait SessionWorld: Sized {
    /// Where a player is.
    type Place: Copy;
    /// One player's half of a frontier set.
    type Half;
    /// What makes sets, one after the other.
    type Builder;

    /// For how many ticks a set has to last by default to be worth its while.
    fn patience(&self) -> u32 {
        PATIENCE
    }

    /// Makes room for frontier sets.
    fn builder(&self) -> Self::Builder;

    /// Whether somebody can be at a place.
    ///
    /// # Errors
    ///
    /// Where nobody can.
    fn check(&self, place: Self::Place) -> Result<(), FrontierError>;

    /// Whether sight is the same both ways.
    fn is_mutual(&self) -> bool;

    /// Whether a player at one place may see one at another.
    fn visible(&self, from: Self::Place, to: Self::Place) -> bool;

    /// The positions of a place; any more of them err towards visible.
    fn extent(&self, place: Self::Place) -> Extent;

    /// Whether anybody in one region may see anybody in another.
    fn sees(&self, from: &Extent, to: &Extent) -> bool;

    /// Whether a place is in a half.
    fn contains(half: &Self::Half, place: Self::Place) -> bool;

    /// Whether all places of a region are in a half.
    fn contains_all(&self, half: &Self::Half, region: &Extent) -> bool;

    /// Begins the set of two players who do not see each other.
    fn begin(
        builder: &mut Self::Builder,
        here: Self::Place,
        there: Self::Place,
        options: &SessionOptions,
    );

    /// Lets another player into the second half of the set that has begun, if they can be.
    fn join(builder: &mut Self::Builder, place: Self::Place) -> bool;

    /// Both halves, finished.
    fn finish(builder: &mut Self::Builder, options: &SessionOptions) -> [Self::Half; 2];

    /// The world as it is now, if it is not this one any more.
    fn now(&self) -> Option<Self> {
        None
    }

    /// Whether a set that was made in the world before still holds in this one.
    fn keeps(&self, _before: &Self, _halves: &[Self::Half; 2]) -> bool {
        true
    }
}
