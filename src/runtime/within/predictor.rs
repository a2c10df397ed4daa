//! Who is to be told of whom, by how players move: what a server asks each frame.

use super::motion::{Extent, Motion, MotionLimits, Mover};
use crate::format::cells::{MAX_CELLS, SymmetryCode};
use crate::runtime::World;
use crate::runtime::solid::within::Parts;

/// Where a player is.
#[derive(Clone, Copy, Debug)]
struct Tracked {
    motion: Motion,
    /// When they were there. [Unit: s]
    time: f64,
    /// The cell that they are in; in a level of cells, the last one that they were known to be in.
    cell: Option<u32>,
    /// Where they may be at some time, as it was asked last.
    reached: Option<([f64; 2], Extent)>,
}

impl World<'_> {
    /// Whether two players may see each other at any time from `times[0]` until `times[1]` seconds later, as long
    /// as both move within limits.
    ///
    /// Errs towards visible only: in a level who is in no cell now sees all. On a terrain `false` where a
    /// player cannot be on the grid.
    pub fn visible_in_motion(
        &self,
        players: [&Motion; 2],
        limits: &MotionLimits,
        times: [f64; 2],
    ) -> bool {
        let regions = players.map(|player| player.region(limits, times));
        self.sees(players, &regions) || {
            let ([a, b], [of_a, of_b]) = (players, regions);
            matches!(self, World::Solid(_)) && self.sees([b, a], &[of_b, of_a])
        }
    }

    /// Whether one player may see another, each at any of some times of their own. A client's own player is predicted
    /// there, and moves on for longer than the server knows; others move on the server alone. Else as
    /// [`World::visible_in_motion`]; only in a solid level not the same the other way round.
    pub fn sees_in_motion(&self, from: &Mover, to: &Mover) -> bool {
        let regions = [from.region(), to.region()];
        self.sees([&from.motion, &to.motion], &regions)
    }

    /// Whether somebody in the first region may see somebody in the second, or either is lost now.
    fn sees(&self, players: [&Motion; 2], [a, b]: &[Extent; 2]) -> bool {
        let is_lost = || {
            let mut cells = players.iter().map(|player| self.locate(player.position));
            cells.any(|cell| cell.is_none())
        };
        match self {
            World::Terrain(terrain) => terrain.visible_between(a, b),
            World::Cells(level) => {
                let mut memory = [0; 2 * MAX_CELLS as usize / 64];
                let seen = level.visible_between(a, b, &mut memory);
                seen.unwrap_or(true) || is_lost()
            }
            World::Solid(level) => level.sees_region(a, b) || is_lost(),
        }
    }
}

/// Look-ahead for many players: a server says where they are and how fast, and asks who may come to see whom at
/// some time to come, and for how long nobody need hear of a player at all.
///
/// Players who keep to the limits are never told of too late; who is put elsewhere, by a teleporter or a
/// respawn, has to be told of again with [`Predictor::moved`] at once. All memory is allocated at first.
#[derive(Clone, Debug)]
pub struct Predictor<'a> {
    world: World<'a>,
    limits: MotionLimits,
    players: Box<[Option<Tracked>]>,
    /// Of a level of cells, for each player: a row of the cells that they may be in, and one of what is seen from those.
    rows: Box<[u64]>,
    /// How many words a row has; none but in a level of cells.
    row: usize,
    /// Of a solid level, the cells that each player may be in; `None` where that may be anywhere.
    parts: Box<[Option<Parts>]>,
}

impl<'a> Predictor<'a> {
    /// For players numbered from 0, none of whom is there yet.
    pub fn new(world: World<'a>, limits: MotionLimits, players: usize) -> Self {
        let (row, lists) = match &world {
            World::Terrain(_) => (0, 0),
            World::Cells(level) => ((level.cells() as usize).div_ceil(64), 0),
            World::Solid(_) => (0, players),
        };
        Self {
            world,
            limits,
            players: vec![None; players].into(),
            rows: vec![0; players * 2 * row].into(),
            row,
            parts: vec![None; lists].into(),
        }
    }

    /// How players may move.
    pub fn limits(&self) -> &MotionLimits {
        &self.limits
    }

    /// How many players there is room for.
    pub fn players(&self) -> usize {
        self.players.len()
    }

    /// A player was heard of: where they were at a time, in seconds from any instant, the same for all. One who is
    /// not there is passed over.
    pub fn moved(&mut self, player: usize, time: f64, motion: Motion) {
        let Some(place) = self.players.get_mut(player) else {
            return;
        };
        let before = place.as_ref().and_then(|player| player.cell);
        let cell = match &self.world {
            World::Terrain(_) => None,
            World::Cells(level) => level.locate(motion.position).or(before),
            World::Solid(level) => level.locate(motion.position),
        };
        *place = Some(Tracked {
            motion,
            time,
            cell,
            reached: None,
        });
    }

    /// A player has gone.
    pub fn left(&mut self, player: usize) {
        if let Some(place) = self.players.get_mut(player) {
            *place = None;
        }
    }

    /// Whether two players may see each other at any time from `times[0]` until `times[1]`, as far as is known of
    /// where both are. `false` where one is not there.
    ///
    /// A server that sends to a client every `step` seconds, `down` seconds away, asks with `now + down` and
    /// `now + down + step`: the time in which the client goes by this answer. Errs towards visible only.
    ///
    /// Allocates nothing. What was found for a player is kept until they move or another time is asked for.
    pub fn may_see(&mut self, a: usize, b: usize, times: [f64; 2]) -> bool {
        let (Some(of_a), Some(of_b)) = (self.reached(a, times), self.reached(b, times)) else {
            return false;
        };
        let (level, row) = match &self.world {
            World::Terrain(terrain) => return terrain.visible_between(&of_a, &of_b),
            World::Cells(level) => (level, self.row),
            World::Solid(level) => {
                let parts = |player: usize| self.parts.get(player).and_then(Option::as_ref);
                return match (parts(a), parts(b)) {
                    (Some(a), Some(b)) => level.sees_parts(a, b) || level.sees_parts(b, a),
                    _ => true,
                };
            }
        };
        let words = |player: usize, part: usize| {
            let first = (2 * player + part) * row;
            self.rows.get(first..first + row).unwrap_or(&[])
        };
        let meets =
            |own: &[u64], seen: &[u64]| own.iter().zip(seen).any(|(own, seen)| own & seen != 0);
        let mutual = level.parameters().symmetry != SymmetryCode::None;
        meets(words(a, 0), words(b, 1)) || !mutual && meets(words(b, 0), words(a, 1))
    }

    /// Whether nobody and a player may see each other at any time from `times[0]` until `times[1]`: till then, no
    /// position of theirs need be sent. `near` is who was in the way when it was asked last, and is asked first.
    pub fn is_alone(&mut self, player: usize, times: [f64; 2], near: &mut usize) -> bool {
        if *near != player && self.may_see(player, *near, times) {
            return false;
        }
        for other in (0..self.players.len()).filter(|other| *other != player) {
            if self.may_see(player, other, times) {
                *near = other;
                return false;
            }
        }
        true
    }

    /// Where a player may be at some time, with the rows or parts filled in.
    fn reached(&mut self, player: usize, times: [f64; 2]) -> Option<Extent> {
        let tracked = self.players.get_mut(player)?.as_mut()?;
        if let Some((known, region)) = tracked.reached
            && known == times
        {
            return Some(region);
        }
        let since = times.map(|time| time - tracked.time);
        let region = tracked.motion.region(&self.limits, since);
        tracked.reached = Some((times, region));
        if let World::Solid(level) = &self.world {
            let at_all = tracked.cell.and_then(|_| level.parts(&region));
            *self.parts.get_mut(player)? = at_all;
        }
        if let World::Cells(level) = &self.world {
            let rows = self.rows.get_mut(2 * player * self.row..)?;
            let (own, rest) = rows.split_at_mut_checked(self.row)?;
            let seen = rest.get_mut(..self.row)?;
            // There is room for all cells.
            let _ = level.cells_in(&region, own);
            match tracked.cell {
                None => own.fill(u64::MAX),
                Some(cell) => {
                    if let Some(word) = own.get_mut(cell as usize / 64) {
                        *word |= 1 << (cell % 64);
                    }
                }
            }
            level.seen_from(own, seen);
        }
        Some(region)
    }
}
