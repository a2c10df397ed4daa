//! State of a frontier set that is being grown.

use super::options::FrontierOptions;
use super::queue::Queue;
use super::samples::{Ground, Samples};
use super::side::Side;
use crate::format::{Answer, Quad, ReadPvs};
use crate::query::TerrainBundle;

/// How far a frontier set is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Step 2: both grow.
    Grow,
    /// To be tightened.
    Tighten,
    Done,
}

/// The half of one player.
#[derive(Clone, Debug)]
pub(super) struct GrowingHalf {
    pub members: Samples,
    /// Everything that some member may see: the merged PVS of the frontier.
    pub seen: Samples,
    pub queue: Queue,
    /// A bit for each quad that has been in the queue.
    pub met: Vec<u64>,
    pub area: u64,
}

/// Grows frontier sets: two regions, one around each player, no sample of one visible from any
/// sample of the other, nor the other way round.
///
/// Reusable: all memory is allocated by [`FrontierBuilder::new`]. Take one a thread.
///
/// The set may be used after any number of steps, since no step ever breaks the promise: a quad
/// joins a frontier only when nothing that the other frontier may see lies in it, and, in a
/// bundle that is not mutual, when it sees nothing of the other frontier either.
///
/// ```no_run
/// # use viewcell::query::{Sample, TerrainBundle};
/// use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
/// # fn f(terrain: TerrainBundle<'_>, alice: Sample, bob: Sample) -> Result<(), Box<dyn std::error::Error>> {
/// let mut builder = FrontierBuilder::new(&terrain);
/// builder.build(alice, bob, &FrontierOptions::default())?;
/// let (hers, his) = (builder.region(Side::A), builder.region(Side::B));
/// // While she is in hers and he in his, they need not hear of each other.
/// assert!(hers.contains(alice) && his.contains(bob) || hers.area() + his.area() == 0);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct FrontierBuilder<'a> {
    pub(super) terrain: TerrainBundle<'a>,
    pub(super) ground: Ground,
    /// Index of the first quad of each level.
    pub(super) first: Vec<u64>,
    pub(super) a: GrowingHalf,
    pub(super) b: GrowingHalf,
    pub(super) scratch: [Samples; 2],
    /// A bit a block.
    pub(super) waiting: Vec<u64>,
    pub(super) options: FrontierOptions,
    pub(super) phase: Phase,
    pub(super) turn: Side,
    pub(super) tried: u64,
    /// Of the limit.
    pub(super) spent: u64,
    pub(super) merged: u64,
}

impl FrontierBuilder<'_> {
    pub(super) fn half(&self, side: Side) -> &GrowingHalf {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    pub(super) fn half_mut(&mut self, side: Side) -> &mut GrowingHalf {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }

    /// What part of a quad's terrain some member of a half may see.
    pub(super) fn seen_state(&self, side: Side, quad: Quad) -> Option<Answer> {
        self.half(side).seen.state(&self.ground, quad)
    }

    pub(super) fn is_mutual(&self) -> bool {
        self.terrain.parameters().mutual
    }

    pub(super) fn mutually_invisible(&self, a: Quad, b: Quad) -> bool {
        let grid = self.terrain.grid();
        let hidden = |a: Quad, b: Quad| {
            !grid.has_quad(a) || self.terrain.pvs(a).is_some_and(|pvs| pvs.is_hidden(b))
        };
        hidden(a, b) && (self.is_mutual() || hidden(b, a))
    }
}
