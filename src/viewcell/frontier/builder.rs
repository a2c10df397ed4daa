//! Building a frontier set: what engines call. The growth itself is in [`super::growth`].

use super::flood::widen;
use super::growth::maximal_quads;
use super::options::FrontierOptions;
use super::queue::Queue;
use super::region::{Frontier, Region};
use super::samples::{Ground, Samples};
use super::side::{FrontierError, Side};
use super::state::{FrontierBuilder, GrowingHalf, Phase};
use crate::format::{Answer, Sample};
use crate::query::TerrainBundle;

/// Most quads that wait on one side.
const QUEUE: u64 = 1 << 16;

/// Errors where nobody can be at a sample.
pub(crate) fn check_sample(terrain: &TerrainBundle, sample: Sample) -> Result<(), FrontierError> {
    match (
        terrain.grid().has_sample(sample),
        terrain.valid().has_sample(sample),
    ) {
        (false, _) => Err(FrontierError::Outside(sample)),
        (true, false) => Err(FrontierError::Void(sample)),
        (true, true) => Ok(()),
    }
}

impl<'a> FrontierBuilder<'a> {
    /// Makes room for frontier sets of a terrain: some two bytes a sample.
    pub fn new(terrain: &TerrainBundle<'a>) -> Self {
        let grid = terrain.grid();
        let ground = Ground::new(terrain);
        let mut first = Vec::new();
        let mut count = 0;
        for level in 0..grid.levels() {
            first.push(count);
            let (columns, rows) = grid.quads_at(level);
            count += u64::from(columns) * u64::from(rows);
        }
        // Not a clone of the first for the second: a clone of a queue has no room.
        let half = || GrowingHalf {
            members: Samples::none(&ground),
            seen: Samples::none(&ground),
            queue: Queue::new(count.min(QUEUE) as usize),
            met: vec![0; count.div_ceil(64) as usize],
            area: 0,
        };
        Self {
            terrain: *terrain,
            first,
            a: half(),
            b: half(),
            waiting: vec![0; ground.len().div_ceil(64)],
            scratch: [Samples::none(&ground), Samples::none(&ground)],
            ground,
            options: FrontierOptions::default(),
            phase: Phase::Done,
            turn: Side::A,
            tried: 0,
            spent: 0,
            merged: 0,
        }
    }

    /// Builds the frontier set of two players to its end.
    ///
    /// Empty where one can see the other: so are frontiers from a sample to itself, and where the bundle is
    /// damaged.
    ///
    /// # Errors
    ///
    /// Where nobody can stand.
    pub fn build(
        &mut self,
        a: Sample,
        b: Sample,
        options: &FrontierOptions,
    ) -> Result<(), FrontierError> {
        self.begin(a, b, options)?;
        while !self.step(u32::MAX) {}
        Ok(())
    }

    /// Begins the frontier set of two players: the maximal mutually invisible quads around them
    /// (step 1). Go on with [`FrontierBuilder::step`]. The set before this one is forgotten, also where
    /// this errors.
    ///
    /// # Errors
    ///
    /// Where nobody can stand.
    pub fn begin(
        &mut self,
        a: Sample,
        b: Sample,
        options: &FrontierOptions,
    ) -> Result<(), FrontierError> {
        for half in [&mut self.a, &mut self.b] {
            half.members.clear();
            half.seen.clear();
            half.queue.clear();
            half.met.fill(0);
            half.area = 0;
        }
        self.options = *options;
        self.phase = Phase::Done;
        self.turn = Side::A;
        (self.tried, self.spent, self.merged) = (0, 0, 0);
        for place in [a, b] {
            check_sample(&self.terrain, place)?;
        }
        let (of_a, of_b) = (a.quad(), b.quad());
        if !self.mutually_invisible(of_a, of_b) {
            return Ok(());
        }
        let root_level = self.terrain.grid().root_level();
        let [of_a, of_b] =
            maximal_quads(of_a, of_b, root_level, |a, b| self.mutually_invisible(a, b));
        self.phase = Phase::Grow;
        // Where a PVS is damaged there is no frontier set at all.
        if !(self.take(Side::A, of_a) && self.take(Side::B, of_b)) {
            for half in [&mut self.a, &mut self.b] {
                half.members.clear();
                half.area = 0;
            }
            self.phase = Phase::Done;
        }
        Ok(())
    }

    /// Lets another player into one side while the set grows, if the other side sees nothing of
    /// where they stand; returns whether they are in. The set is then one for all of the side's
    /// players: none of them sees the other side from anywhere in it.
    pub fn join(&mut self, side: Side, place: Sample) -> bool {
        let is_hidden =
            |builder: &Self, quad| builder.seen_state(side.other(), quad) == Some(Answer::Hidden);
        if self.half(side).members.has(&self.ground, place) {
            return true;
        }
        if self.phase != Phase::Grow
            || self.half(side.other()).area == 0
            || !self.terrain.grid().has_sample(place)
            || !is_hidden(self, place.quad())
        {
            return false;
        }
        let mut quad = place.quad();
        while quad.level < self.terrain.grid().root_level() && is_hidden(self, quad.parent()) {
            quad = quad.parent();
        }
        self.take(side, quad) || quad.level > 0 && self.take(side, place.quad())
    }

    /// Goes on for at most so many quads; returns whether the set has come to its end. The work
    /// for one quad is at most one PVS read, and the tightening at the end counts as one.
    pub fn step(&mut self, quads: u32) -> bool {
        for _ in 0..quads {
            match self.phase {
                Phase::Grow => self.grow(),
                Phase::Tighten => {
                    self.tighten();
                    self.phase = Phase::Done;
                }
                Phase::Done => break,
            }
        }
        self.phase == Phase::Done
    }

    /// Whether the set has come to its end.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// One player's half as it is now.
    pub fn region(&self, side: Side) -> Region<'_> {
        let half = self.half(side);
        Region::whole(self.terrain.grid(), half.members.words(), half.area)
    }

    /// One player's half without the samples from which `margin` steps, straight or diagonal, lead
    /// to terrain outside it: who leaves this core has that long to agree on a new frontier set
    /// before the old one is left. With a margin of 0, the half itself. Allocates the copy.
    pub fn core(&mut self, side: Side, margin: u32) -> Frontier {
        let [outside, wider] = &mut self.scratch;
        let (half, ground) = match side {
            Side::A => (&self.a, &self.ground),
            Side::B => (&self.b, &self.ground),
        };
        if margin == 0 || half.area == 0 {
            return self.region(side).to_frontier();
        }
        outside.copy_rest(&half.members, ground);
        for _ in 0..margin {
            widen(outside, wider, ground);
            core::mem::swap(outside, wider);
            if outside == wider {
                break;
            }
        }
        wider.copy_rest(outside, ground);
        Region::whole(ground.grid(), wider.words(), wider.count()).to_frontier()
    }

    /// Whether steps 1 and 2 of thesis section 3.5 are over: what joins from now on is of one
    /// half alone.
    pub fn is_grown(&self) -> bool {
        self.phase != Phase::Grow
    }

    /// Number of quads tried, and of PVSs merged, for the set as it is now.
    pub fn work(&self) -> (u64, u64) {
        (self.tried, self.merged)
    }

    /// The bundle.
    pub fn terrain(&self) -> &TerrainBundle<'a> {
        &self.terrain
    }
}
