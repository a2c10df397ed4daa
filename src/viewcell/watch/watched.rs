//! What a watch is given of players, smoke and work, and the figures that it gives.

use crate::convex::Point;
use crate::format::frame::{Corners, Frame};
use crate::query::{Mover, SolidParameters};

/// A player in a frame, in the coordinates that the level is asked with ([`SolidBundle::frame`](crate::query::SolidBundle::frame)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    /// How the player moves while they see by what is sent now: until a round trip and the time to the next frame have
    /// gone by. Walls that stop somebody are always taken into account, and need be in no limit. The error is that of
    /// positions; where velocities are differences of two, what these may err by belongs into the limits as well.
    pub sees: Mover,
    /// The same, while others are shown where the player goes from now on: until the next frame.
    pub shown: Mover,
    /// By how much stairs may bring the player higher at once. [Unit: as positions]
    pub step: f64,
    /// Heights of the eye over the origin, from least to greatest; those of the bundle if not given. [Unit: as positions]
    pub eye: Option<[f64; 2]>,
    /// The box of what is seen of the player, from the origin; that of the bundle if not given. [Unit: as positions]
    pub body: Option<Corners>,
}

impl Watched {
    /// The same in the coordinates of a level. Eyes and bodies that are the bake's but for rounding are the bake's.
    pub(super) fn to_level(self, frame: Frame, baked: &SolidParameters) -> Self {
        if frame.is_level() {
            return self;
        }
        let like = |of: Corners, [a, b]: Corners| {
            let [mut low, mut high] = frame.rounded(of, 1.0);
            let sides = low.iter_mut().zip(a).chain(high.iter_mut().zip(b));
            for (at, baked) in sides {
                if (*at - baked).abs() <= 2.0 * frame.slack(baked) {
                    *at = baked;
                }
            }
            [low, high]
        };
        let heights = |of: [f64; 2]| of.map(|up| [0.0, 0.0, up]);
        let eye = self.eye.map(|of| {
            let of = of.map(|up| up * frame.scale);
            like(heights(of), heights(baked.eye)).map(|[.., up]| up)
        });
        let body = |of| like(frame.corners_to_level(of), baked.hull);
        Self {
            sees: self.sees.to_level(frame),
            shown: self.shown.to_level(frame),
            step: frame.length_to_level(self.step),
            eye,
            body: self.body.map(body),
        }
    }
}

/// A sphere of smoke: opaque to whoever looks through any part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoke {
    /// Its centre. [Unit: as positions]
    pub centre: Point,
    /// Of what is opaque now and for as long as the smoke stays. [Unit: as positions]
    pub radius: f64,
    /// For how long that is: it hides nobody from those who look further ahead. [Unit: s]
    pub seconds: f64,
}

impl Smoke {
    /// The box around it, or around less of it, in a level that is asked by a frame.
    pub(super) fn bounds(&self, frame: Frame) -> Corners {
        let asked = [-self.radius, self.radius].map(|by| self.centre.map(|at| at + by));
        door(frame, asked)
    }
}

/// How a watch spends its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WatchOptions {
    /// How far ahead proofs are looked for: whoever sees further ahead is sent everybody, and all are
    /// if it is no number. [Unit: s]
    pub max_ahead: f64,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { max_ahead: 0.2 }
    }
}

/// Figures of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchCounts {
    /// Pairs of players who are there.
    pub pairs: u32,
    /// Of these, hidden.
    pub hidden: u32,
    /// Hidden by a proof of an earlier frame.
    pub kept: u32,
    /// Pairs that were tested in this frame.
    pub looked: u32,
    /// Hidden by cells.
    pub baked: u32,
    /// Hidden with larger boxes.
    pub larger: u32,
    /// Hidden cell by cell.
    pub by_cells: u32,
    /// Sent for the line that was clear in the frame before.
    pub in_sight: u32,
    /// Work: looks at a pair of boxes, and pairs.
    pub work: u32,
}

/// A door of the level, not larger than it is.
pub(super) fn door(frame: Frame, asked: Corners) -> Corners {
    frame.rounded(frame.corners_to_level(asked), -1.0)
}
