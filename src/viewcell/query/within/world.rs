//! Visibility with a look-ahead (view cells expanded by how far players move) on a bundle of any kind of world.
//!
//! All of it errs towards visible only, and allocates nothing: rows of cells lie on the stack.

use super::motion::{Extent, Motion, Mover};
use crate::query::{Place, World};

impl World<'_> {
    /// Whether a player who is now at place `a` and comes up to `reach[0]` far, and one at place `b` who comes up to
    /// `reach[1]` far, may see each other anywhere on their paths: in metres on a terrain, in units of a level. A place
    /// stands for all its positions. With reaches of 0 that is [`World::visible`], either way.
    ///
    /// A reach that is not a number is endless. `false` for samples outside of the grid and voids; `true` for cells that
    /// are not there, for places of the other kind, and where finding out would take too long.
    pub fn visible_within(&self, a: Place, b: Place, reach: [f64; 2]) -> bool {
        match (self, a, b) {
            (World::Terrain(terrain), Place::Sample(a), Place::Sample(b)) => {
                terrain.visible_within(a, b, reach)
            }
            (World::Cells(level), Place::Cell(a), Place::Cell(b)) => {
                level.visible_within(a, b, reach)
            }
            (World::Solid(level), Place::Cell(a), Place::Cell(b)) => {
                level.visible_within(a, b, reach)
            }
            _ => true,
        }
    }

    /// Whether a player who is now at position `from` and comes up to `reach[0]` far may see one at position `to` who
    /// comes up to `reach[1]` far, anywhere on their paths; on a terrain and in a level of cells, or the other way round.
    /// `true` where either is at no place now. In a solid level that is less than [`World::visible_within`] of their
    /// cells.
    pub fn positions_see_within(&self, from: [f64; 3], to: [f64; 3], reach: [f64; 2]) -> bool {
        let (Some(a), Some(b)) = (self.locate(from), self.locate(to)) else {
            return true;
        };
        match self.solid() {
            Some(level) => level.sees_within(from, to, reach),
            None => self.visible_within(a, b, reach),
        }
    }

    /// The same either way: whether they may see each other.
    pub fn positions_visible_within(&self, a: [f64; 3], b: [f64; 3], reach: [f64; 2]) -> bool {
        let back = || self.positions_see_within(b, a, [reach[1], reach[0]]);
        self.positions_see_within(a, b, reach) || self.solid().is_some() && back()
    }

    /// Whether somebody anywhere in the first region may see somebody anywhere in the second; on a terrain and in a level
    /// of cells, or the other way round. `true` where a region holds no place.
    pub fn sees_region(&self, from: &Extent, to: &Extent) -> bool {
        match self {
            World::Terrain(terrain) => terrain.visible_regions(from, to),
            World::Cells(level) => level.visible_regions(from, to),
            World::Solid(level) => level.sees_region(from, to),
        }
    }

    /// Whether two players who may each be anywhere in a region may see each other, either way.
    pub fn visible_regions(&self, a: &Extent, b: &Extent) -> bool {
        match self.solid() {
            Some(level) => level.visible_regions(a, b),
            None => self.sees_region(a, b),
        }
    }

    /// Whether one player may see another, each at any of some times of their own. A client's own player is predicted
    /// there, and moves on for longer than the server knows; others move on the server alone. In a solid level not the same
    /// the other way round.
    ///
    /// Errs towards visible only: who is in no place now ([`World::locate`]) sees all and is seen by all: off the grid or
    /// at a void of a terrain, in no cell of a level.
    pub fn sees_in_motion(&self, from: &Mover, to: &Mover) -> bool {
        let [a, b] = [from, to].map(|mover| mover.to_level(self.frame()).region());
        self.as_baked().sees_region(&a, &b) || self.is_any_lost([&from.motion, &to.motion])
    }

    /// The positions that a player may have at some time to come, whichever axis points up in the engine that a level was
    /// exported from.
    pub fn region(&self, mover: &Mover) -> Extent {
        let frame = self.frame();
        mover.to_level(frame).region().to_asked(frame)
    }

    /// Whether any of two players is at no place now.
    fn is_any_lost(&self, players: [&Motion; 2]) -> bool {
        let mut places = players.iter().map(|player| self.locate(player.position));
        places.any(|place| place.is_none())
    }
}
