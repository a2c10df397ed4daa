//! Look-ahead for all players of a server, each frame: who must be sent to whom, by how they move.

use super::motion::{Motion, MotionLimits, Mover};
use super::reachable::ReachableSet;
use crate::query::{Place, World};

/// Where a player is.
#[derive(Clone, Copy, Debug)]
struct Tracked {
    motion: Motion,
    /// When they were there. [Unit: s]
    time: f64,
    /// The cell that they are in; in a level of cells, the last one that they were known to be in.
    cell: Option<u32>,
    /// The time that their reachable set is of.
    reached: Option<[f64; 2]>,
}

/// Look-ahead for many players: a server says where they are and how fast, and asks who may come to see whom at
/// some time to come, and for how long nobody need hear of a player at all.
///
/// Players who keep to the limits are never late. After a teleport or a respawn a player has to be given again with
/// [`Predictor::moved`] at once. All memory is allocated in the beginning.
#[derive(Clone, Debug)]
pub struct Predictor<'a> {
    world: World<'a>,
    limits: MotionLimits,
    players: Box<[Option<Tracked>]>,
    sets: Box<[ReachableSet<'a>]>,
}

impl<'a> Predictor<'a> {
    /// For players numbered from 0, none of whom is there yet.
    pub fn new(world: World<'a>, limits: MotionLimits, players: usize) -> Self {
        Self {
            world,
            limits,
            players: vec![None; players].into(),
            sets: vec![ReachableSet::new(world); players].into(),
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
        let cell = match self.world.locate(motion.position) {
            Some(Place::Cell(cell)) => Some(cell),
            _ => before.filter(|_| self.world.cells().is_some()),
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
        let known = self.reach(a, times).and(self.reach(b, times));
        let sets = known.and(self.sets.get(a).zip(self.sets.get(b)));
        sets.is_some_and(|(a, b)| a.meets(b))
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

    /// Finds where a player may be at some time, if it is not known; `None` where they are not there.
    fn reach(&mut self, player: usize, times: [f64; 2]) -> Option<()> {
        let tracked = self.players.get_mut(player)?.as_mut()?;
        if tracked.reached != Some(times) {
            tracked.reached = Some(times);
            let mover = Mover {
                motion: tracked.motion,
                limits: self.limits,
                times: times.map(|time| time - tracked.time),
            };
            self.sets.get_mut(player)?.set_motion(&mover, tracked.cell);
        }
        Some(())
    }
}
