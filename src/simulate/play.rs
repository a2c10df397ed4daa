//! Players' places frame by frame.

use super::field::distance;
use super::field::{Field, Place};
use super::trace::Trace;

/// How a trace is played.
#[derive(Clone, Copy, Debug)]
pub struct PlayOptions {
    /// Frames a second.
    pub hz: f64,
    /// What is added to a position's z to come to the eye. [Unit: of the field]
    pub eye: f64,
    /// Who is faster has not walked, but was put somewhere else. [Unit: of the field, a second]
    pub jump: f64,
}

impl Default for PlayOptions {
    /// Ten frames a second, the eye at the position itself, and nobody was put anywhere.
    fn default() -> Self {
        Self {
            hz: 10.0,
            eye: 0.0,
            jump: f64::INFINITY,
        }
    }
}

/// Players on a field: where each is in every frame.
#[derive(Clone, Debug)]
pub struct Play {
    /// How many players.
    pub players: usize,
    /// How many frames.
    pub frames: usize,
    /// How long a frame takes. [Unit: ms]
    pub step: f64,
    /// The greatest speed of somebody who walked. [Unit: of the field, a second]
    pub speed: f64,
    /// How often somebody was put somewhere else.
    pub jumps: u64,
    /// Positions, one a player and frame, that no place holds: in solid, in a void, outside. The
    /// player counts as being where they were before.
    pub nowhere: u64,
    /// All positions, one a player and frame.
    pub positions: u64,
    places: Vec<Option<Place>>,
    at: Vec<[f64; 3]>,
    jumped: Vec<bool>,
}

/// The trace is of another field.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "expected players inside the bundle, found {:.1} % of {positions} positions outside of it, such as {},{},{}; is the \
     bundle of another level than the trace?",
    100.0 * *.nowhere as f64 / (*.positions).max(1) as f64, .example[0], .example[1], .example[2]
)]
pub struct Elsewhere {
    /// Positions that no place holds.
    pub nowhere: u64,
    /// All positions.
    pub positions: u64,
    /// One of them.
    pub example: [f64; 3],
}

impl Play {
    /// Plays a trace on a field: in each frame, each player is where they were last seen. Who has
    /// not come yet is nowhere.
    ///
    /// # Errors
    ///
    /// [`Elsewhere`] if more than half of all positions are in no place of the field.
    pub fn new(trace: &Trace, field: &Field, options: &PlayOptions) -> Result<Self, Elsewhere> {
        let players = trace.players.len();
        let [first, last] = trace.span();
        let step = 1000.0 / options.hz;
        let frames = ((last - first) as f64 / step + 1e-9).floor() as usize + 1;
        let mut play = Self {
            players,
            frames,
            step,
            speed: 0.0,
            jumps: 0,
            nowhere: 0,
            positions: 0,
            places: vec![None; players * frames],
            at: vec![[0.0; 3]; players * frames],
            jumped: vec![false; players * frames],
        };
        let mut example = [0.0; 3];
        for (player, points) in trace.players.iter().enumerate() {
            let (mut next, mut place, mut found) = (0, None, None);
            for frame in 0..frames {
                let now = first as f64 + frame as f64 * step + 1e-6;
                let before = next;
                while points
                    .get(next)
                    .is_some_and(|point| point.time as f64 <= now)
                {
                    next += 1;
                }
                let Some(point) = next.checked_sub(1).map(|last| points[last]) else {
                    continue;
                };
                let [x, y, z] = field.turned(point.at);
                let at = [x, y, z + options.eye];
                if next != before {
                    found = field.locate(at);
                    place = found.or(place);
                }
                play.positions += 1;
                if found.is_none() {
                    play.nowhere += 1;
                    example = point.at;
                }
                let slot = frame * players + player;
                if frame > 0 && play.places[slot - players].is_some() {
                    play.moved(slot, at, field, options);
                }
                play.places[slot] = place;
                play.at[slot] = at;
            }
        }
        if 2 * play.nowhere > play.positions {
            return Err(Elsewhere {
                nowhere: play.nowhere,
                positions: play.positions,
                example,
            });
        }
        Ok(play)
    }

    /// Takes note of how fast somebody came to a position.
    fn moved(&mut self, slot: usize, at: [f64; 3], field: &Field, options: &PlayOptions) {
        let from = self.at[slot - self.players];
        let far = if field.terrain().is_some() {
            // On a terrain heights follow from the rest.
            distance([from[0], from[1], 0.0], [at[0], at[1], 0.0])
        } else {
            distance(from, at)
        };
        let speed = far * 1000.0 / self.step;
        if speed > options.jump {
            self.jumped[slot] = true;
            self.jumps += 1;
        } else {
            self.speed = self.speed.max(speed);
        }
    }

    /// Where everybody is in a frame.
    pub fn places(&self, frame: usize) -> &[Option<Place>] {
        &self.places[frame * self.players..][..self.players]
    }

    /// Where everybody's eye is in a frame.
    pub fn at(&self, frame: usize) -> &[[f64; 3]] {
        &self.at[frame * self.players..][..self.players]
    }

    /// Who was put somewhere else since the frame before.
    pub fn jumped(&self, frame: usize) -> &[bool] {
        &self.jumped[frame * self.players..][..self.players]
    }

    /// How long it all takes. [Unit: s]
    pub fn seconds(&self) -> f64 {
        self.frames as f64 * self.step / 1000.0
    }
}
