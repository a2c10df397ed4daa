//! Where a player may be who runs, jumps and falls by the rules of Quake and its descendants, with nothing in the way.
//!
//! A frame of d seconds changes the velocity first, and the position by the new velocity then. On the ground friction
//! takes the share f d of the speed, and running adds at most a d S towards a direction in which the speed is no more than
//! S after that; in the air there is no friction, and b in place of a. Let s be the velocity along some direction, and
//! E = a S / f. A frame on the ground makes E - s at least 1 - f d times as large, one in the air adds at most b d S.
//! Since (1 - f D)^(d / D) <= 1 - f d for d <= D, D being the longest frame,
//!
//! ```text
//! s(t) <= g(t), with g' = max(k (E - g), b S), k = -ln(1 - f D) / D.
//! ```
//!
//! The squared speed h, of which running adds at most 2 a S^2 d - a^2 S^2 d^2 a frame, is bounded the same way, with a S^2 / f
//! in place of E, 2 k and 2 b S^2, if a >= f; and s <= sqrt(h). Friction is more below the stop speed c, which matters to who
//! moves the other way: while -c < s < 0, at least with the acceleration a S - ..., it adds no more than f c a second, and
//! no more than c in all. A position after frames that end at t1, t2, ... is the sum of d g(t), an upper sum of g. As g is
//! concave, a frame is at most d / 2 times the rise of g more than the integral:
//!
//! ```text
//! x(t) <= integral of g from 0 to t + D / 2 (g(t) - g(0)),
//! ```
//!
//! and the integral is at most that by the values of g in the middle of parts. Before t the position is no further than at 0
//! or at t, for g grows. Velocities are rounded after each frame, which is one more acceleration.

use super::motion::{Extent, Motion};

/// How players run, jump and fall: the numbers of Quake III, with which it and its descendants begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Running {
    /// Greatest speed that a player reaches by running. [Unit: of the world, a second]
    pub speed: f64,
    /// What running adds on the ground, in speeds a second.
    pub accelerate: f64,
    /// What running adds in the air, in speeds a second.
    pub air_accelerate: f64,
    /// The share of the speed that the ground takes a second. Limit: `accelerate`.
    pub friction: f64,
    /// Below this speed friction is as at it. [Unit: of the world, a second]
    pub stop_speed: f64,
    /// Acceleration down. [Unit: of the world, a second squared]
    pub gravity: f64,
    /// Speed of a jump. [Unit: of the world, a second]
    pub jump: f64,
    /// The longest frame in which a client moves its player. [Unit: s]
    pub frame: f64,
    /// What rounding of velocities may add up to. [Unit: of the world, a second squared]
    pub rounding: f64,
    /// How far a position may be from where the player truly was. [Unit: of the world]
    pub error: f64,
}

/// Parts of a time, to integrate.
const PARTS: u32 = 8;

impl Running {
    /// Of Quake III, for players who run at a speed.
    pub fn quake3(speed: f64) -> Self {
        Self {
            speed,
            accelerate: 10.0,
            air_accelerate: 1.0,
            friction: 6.0,
            stop_speed: 100.0,
            gravity: 800.0,
            jump: 270.0,
            frame: 1.0 / 30.0,
            // Half a unit each frame, of three milliseconds and more.
            rounding: 500.0 / 3.0,
            error: 1.0,
        }
    }

    /// The positions that a player may have at any time until `until` seconds later, if nothing is in the way: one who
    /// stands `on_ground`, on level ground with nothing above it; any other, in free air. The caller checks that these
    /// positions are free, and that the player is not pushed and does not swim or fly.
    ///
    /// Everywhere, where the velocity is not known, where the player may have landed from a jump, and for
    /// numbers that are NaN or out of range.
    pub fn region(&self, motion: &Motion, on_ground: bool, until: f64) -> Extent {
        let everywhere = Extent::of_box([[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]]);
        let is_known = |velocity: &[f64; 3]| velocity.iter().all(|along| along.is_finite());
        let is_in_limits = self.is_in_limits(until);
        let Some(velocity) = (motion.velocity).filter(|of| is_in_limits && is_known(of)) else {
            return everywhere;
        };
        let [east, north, up] = velocity;
        let speed = east.hypot(north);
        let drift = 0.5 * self.rounding * until * (until + self.frame) + self.error;
        let fall = 0.5 * self.gravity * until * until;
        // The greater of a number and of none would be the number.
        let or_none = |way: f64| {
            if way.is_nan() {
                f64::INFINITY
            } else {
                way.max(0.0)
            }
        };
        let along = |velocity: f64| or_none(self.along(velocity, speed, on_ground, until)) + drift;
        let (rise, sink) = match on_ground {
            true if until < 2.0 * self.jump / self.gravity => (self.height(self.jump, until), 0.0),
            true => return everywhere,
            false => (self.height(up, until), or_none(fall - up * until)),
        };
        let low = [along(-east), along(-north), sink + drift];
        let high = [along(east), along(north), rise + drift];
        let mut corners = [motion.position; 2];
        let [least, greatest] = &mut corners;
        for ((least, greatest), (low, high)) in least
            .iter_mut()
            .zip(greatest)
            .zip(low.into_iter().zip(high))
        {
            *least -= low;
            *greatest += high;
        }
        Extent::of_box(corners)
    }

    fn is_in_limits(&self, until: f64) -> bool {
        let numbers = [
            self.speed,
            self.air_accelerate,
            self.stop_speed,
            self.gravity,
            self.jump,
            self.rounding,
            self.error,
            until,
        ];
        let is_counted = |number: &f64| (0.0..f64::INFINITY).contains(number);
        numbers.iter().all(is_counted)
            && self.frame > 0.0
            && self.friction > 0.0
            && self.friction <= self.accelerate
            && self.frame * self.accelerate < 1.0
    }

    /// The greatest height that who rises at a speed comes to.
    #[inline(never)]
    fn height(&self, speed: f64, until: f64) -> f64 {
        let time = until.min(speed.max(0.0) / self.gravity.max(f64::MIN_POSITIVE));
        let height = speed * time - 0.5 * self.gravity * time * time;
        if height.is_nan() {
            f64::INFINITY
        } else {
            height.max(0.0)
        }
    }

    /// How far somebody comes along a direction, at a velocity along it and a speed.
    #[inline(never)]
    fn along(&self, velocity: f64, speed: f64, on_ground: bool, until: f64) -> f64 {
        let bound = |time| self.bound(velocity, speed, on_ground, time);
        let part = until / f64::from(PARTS);
        let middles = (0..PARTS).map(|number| bound((f64::from(number) + 0.5) * part) * part);
        middles.sum::<f64>() + 0.5 * self.frame * (bound(until) - bound(0.0))
    }

    /// The greatest velocity along a direction after some time.
    // Once in the library.
    #[inline(never)]
    fn bound(&self, velocity: f64, speed: f64, on_ground: bool, time: f64) -> f64 {
        let Self {
            friction, frame, ..
        } = self;
        let [push, air] = [self.accelerate, self.air_accelerate].map(|of| of * self.speed);
        if !on_ground {
            return velocity + air * time;
        }
        // The logarithm of 1 - f D, also where that is rounded to 1.
        let rate = -(-friction * frame).ln_1p() / frame;
        // Of who moves the other way friction adds more, at less than the stop speed.
        let more = if velocity < 0.0 {
            (friction * self.stop_speed * (self.stop_speed / push + frame)).min(self.stop_speed)
        } else {
            0.0
        };
        let along = grown([velocity, push / friction], rate, air, time) + more;
        let [end, least] = [push / friction, 2.0 * air].map(|of| of * self.speed);
        along.min(grown([speed * speed, end], 2.0 * rate, least, time).sqrt())
    }
}

/// What grows from `start` towards `end` at a rate, or by so much a second if that is more, after some time.
#[inline(never)]
fn grown([start, end]: [f64; 2], rate: f64, least: f64, time: f64) -> f64 {
    let bend = end - least / rate;
    if start >= bend {
        return start + least * time;
    }
    let until = ((end - start) / (end - bend)).ln() / rate;
    if time <= until {
        end - (end - start) * (-rate * time).exp()
    } else {
        bend + least * (time - until)
    }
}
