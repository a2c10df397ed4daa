//! What a session asks of a world: who sees whom, and how frontier sets are made there.

use super::sets::{Half, Sets};
use crate::format::Sample;
use crate::format::cells::MAX_CELLS;
use crate::frontier::{Frontier, FrontierOptions};
use crate::query::{Extent, TerrainBundle, World};

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
    /// for [`PATIENCE`], or 0 in a level of cells.
    pub patience: Option<u32>,
    /// Whether the players are peers who know of each other what they are told and nothing else:
    /// then a pair without a frontier set exchanges positions on every move (figure 4). Else the
    /// session is a server that knows them all, and tells only what may be seen.
    pub peers: bool,
}

/// For how many ticks a set has to last by default to be worth its while. Sets of cells are made in microseconds: none is
/// needed.
pub(super) fn patience(world: &World<'_>) -> u32 {
    world.cells().map_or(PATIENCE, |_| 0)
}

/// A world in which there are sessions, which may change.
pub trait SessionWorld: Sized {
    /// What makes frontier sets, one after the other, with what it borrows from.
    type Sets;

    /// Who sees whom.
    fn world(&self) -> &World<'_>;

    /// Makes room for frontier sets. Allocates.
    fn sets(&self) -> Self::Sets;

    /// Works with what makes sets.
    fn with_sets<R>(sets: &mut Self::Sets, work: impl FnOnce(&mut Sets<'_>) -> R) -> R;

    /// The world as it is now, of the same kind and size, if it is not this one any more.
    fn now(&self) -> Option<Self> {
        None
    }

    /// Whether a set that was made in the world before still holds in this one.
    fn keeps(&self, _before: &Self, halves: &[Half; 2]) -> bool {
        keeps(self.world(), halves)
    }
}

impl<'a> SessionWorld for World<'a> {
    type Sets = Sets<'a>;

    fn world(&self) -> &World<'_> {
        self
    }

    fn sets(&self) -> Sets<'a> {
        Sets::new(self)
    }

    fn with_sets<R>(sets: &mut Sets<'a>, work: impl FnOnce(&mut Sets<'_>) -> R) -> R {
        work(sets)
    }
}

/// Whether all places of a region are in a half. Whoever is at no place sees all: that is in no half.
pub(super) fn contains_all(world: &World<'_>, half: &Half, region: &Extent) -> bool {
    match (world, half) {
        (World::Terrain(terrain), Half::Terrain(half)) => {
            let mut samples = terrain.samples_in(region).peekable();
            samples.peek().is_some() && samples.all(|sample| half.contains(sample))
        }
        (World::Cells(level), Half::Cells(half)) => {
            let mut memory = [0; MAX_CELLS as usize / 64];
            let cells = level.cells_in(region, &mut memory);
            cells.is_ok_and(|cells| {
                let mut words = cells.words().iter().zip(half.words());
                cells.words().iter().any(|word| *word != 0)
                    && words.all(|(cells, half)| cells & !half == 0)
            })
        }
        (World::Solid(level), Half::Solid(half)) => {
            let half = half.region();
            let is_in =
                |((column, row), cells): ((u32, u32), u64)| cells & !half.block(column, row) == 0;
            let parts = level.parts(&region.to_level(level.frame()));
            parts.is_some_and(|parts| parts.blocks().all(is_in))
        }
        _ => false,
    }
}

/// Whether nobody in one half of a set sees anybody in the other. For each pair of blocks of 8 × 8 samples of its two halves
/// that takes the time of a query. Of a set in a level of cells nothing is kept: it is made anew in microseconds.
fn keeps(world: &World<'_>, halves: &[Half; 2]) -> bool {
    let (Some(sights), Some([a, b])) = (world.sights(), Half::samples(halves)) else {
        return false;
    };
    let hidden = |from: &Frontier, to: &Frontier| {
        from.blocks().all(|(viewer, bits)| {
            to.blocks()
                .all(|(target, seen)| !may_see(sights, (viewer, bits), (target, seen)))
        })
    };
    hidden(a, b) && (sights.parameters().mutual || hidden(b, a))
}

/// A block, and samples in it as a word of a block bitmap.
type Part = ((u32, u32), u64);

/// Whether any of some samples of a block may see any of some samples of another.
fn may_see(terrain: &TerrainBundle, (viewer, from): Part, (target, to): Part) -> bool {
    let known = terrain.part_sees(viewer, from, target, to);
    if let (Some(sees), None) = (known, terrain.narrowing()) {
        return sees;
    }
    let samples = |((column, row), bits): Part| {
        let place = move |bit: u32| Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3);
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(place)
    };
    samples((viewer, from)).any(|a| samples((target, to)).any(|b| terrain.visible(a, b)))
}
