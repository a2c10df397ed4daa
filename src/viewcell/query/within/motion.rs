//! Where a moving player may be.

use crate::format::Frame;
use crate::format::frame::Corners;

/// Positions that a player may have: those of a closed box that are also in a ball. In the units and axes of the
/// world; on a terrain metres east and south of the first sample, and a height that nothing depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    corners: Corners,
    middle: [f64; 3],
    radius: f64,
}

impl Extent {
    /// The positions from the least to the greatest corner. Coordinates that are no numbers are as far away as
    /// can be, and a box that is upside down is all positions: both err towards visible.
    pub fn of_box([mut low, mut high]: Corners) -> Self {
        if low.iter().zip(&high).any(|(low, high)| low > high) {
            return Self::everywhere();
        }
        for (low, high) in low.iter_mut().zip(&mut high) {
            *low = if low.is_nan() {
                f64::NEG_INFINITY
            } else {
                *low
            };
            *high = if high.is_nan() { f64::INFINITY } else { *high };
        }
        Self {
            corners: [low, high],
            middle: [0.0; 3],
            radius: f64::INFINITY,
        }
    }

    /// All positions up to `reach` away from a point. A reach that is no number, or less than nothing, is endless.
    pub fn ball(middle: [f64; 3], reach: f64) -> Self {
        let radius = counted(reach);
        Self {
            middle,
            radius,
            ..Self::of_box([middle.map(|at| at - radius), middle.map(|at| at + radius)])
        }
    }

    /// All positions.
    pub const fn everywhere() -> Self {
        Self {
            corners: [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]],
            middle: [0.0; 3],
            radius: f64::INFINITY,
        }
    }

    /// The same positions, and by rounding a little more, in the coordinates of a level that is asked by a frame.
    pub fn to_level(&self, frame: Frame) -> Self {
        if frame.is_level() {
            return *self;
        }
        let corners = frame.corners_to_level(self.corners);
        self.turned(
            frame,
            corners,
            frame.to_level(self.middle),
            frame.length_to_level(self.radius),
        )
    }

    /// The same positions of a level, and by rounding a little more, in the coordinates that it is asked with.
    pub fn to_asked(&self, frame: Frame) -> Self {
        if frame.is_level() {
            return *self;
        }
        let corners = frame.corners_to_asked(self.corners);
        let radius = frame.length_to_asked(self.radius);
        self.turned(
            frame,
            corners,
            frame.to_asked(self.middle),
            radius + frame.slack(radius),
        )
    }

    fn turned(&self, frame: Frame, corners: Corners, middle: [f64; 3], radius: f64) -> Self {
        let moved = middle.map(|at| frame.slack(at)).into_iter().sum::<f64>();
        Self {
            corners: frame.rounded(corners, 1.0),
            middle,
            radius: radius + moved,
        }
    }

    /// Least and greatest corner of the positions.
    pub const fn corners(&self) -> Corners {
        self.corners
    }

    /// Whether any position of a box may be among these; a touch counts.
    #[inline]
    pub fn meets(&self, [low, high]: Corners) -> bool {
        let [least, greatest] = self.corners;
        let mut square = 0.0;
        let axes = low
            .into_iter()
            .zip(high)
            .zip(least.into_iter().zip(greatest));
        for (((low, high), (least, greatest)), middle) in axes.zip(self.middle) {
            if low > greatest || high < least {
                return false;
            }
            let apart = (low - middle).max(middle - high).max(0.0);
            square += apart * apart;
        }
        // What is no number errs towards visible.
        square <= self.radius * self.radius || square.is_nan()
    }
}

/// How players may move: by the rules of the game, or as `viewcell simulate fit` measured it. Each along the
/// ground (two axes together), and up or down, which is z but in an engine whose level says otherwise. Infinity for *no limit*;
/// what is no number, or less than nothing, is none.
///
/// Games move players by commands (ticks, frames) of some length d, each by the velocity at its end: from rest at
/// acceleration a, a player comes a·t·(t + d)/2. Where that is so, a·d/2 belongs into the impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimits {
    /// Greatest speed. [Unit: of the world, a second]
    pub speed: [f64; 2],
    /// Greatest acceleration: running, braking, gravity. [Unit: of the world, a second squared]
    pub acceleration: [f64; 2],
    /// Greatest sudden change of velocity, all those of one prediction added up: jumps, knock-back, walls
    /// that are run into. [Unit: of the world, a second]
    pub impulse: [f64; 2],
    /// How far a position may be from where the player truly was: rounding, and clocks that differ. [Unit: of
    /// the world]
    pub error: [f64; 2],
}

impl MotionLimits {
    /// Nothing is known but the greatest speed, in any direction.
    pub fn speed(speed: f64) -> Self {
        Self {
            speed: [speed; 2],
            acceleration: [f64::INFINITY; 2],
            impulse: [f64::INFINITY; 2],
            error: [0.0; 2],
        }
    }

    /// The same limits in units of a level that is asked by a frame.
    pub fn to_level(&self, frame: Frame) -> Self {
        let scaled = |of: [f64; 2]| of.map(|limit| frame.length_to_level(limit));
        Self {
            speed: scaled(self.speed),
            acceleration: scaled(self.acceleration),
            impulse: scaled(self.impulse),
            error: scaled(self.error),
        }
    }

    /// Whether somebody may come so far within some seconds, z up; if not, they were put elsewhere.
    pub fn allow(&self, way: [f64; 3], seconds: f64) -> bool {
        let [x, y, z] = way;
        let [along, up] = self.speed.map(|speed| speed * seconds.max(0.0));
        x.hypot(y) <= along + self.error[0] && z.abs() <= up + self.error[1]
    }
}

/// A player in motion, as of some instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Where the player was then.
    pub position: [f64; 3],
    /// How fast the player went, if known. [Unit: of the world, a second]
    pub velocity: Option<[f64; 3]>,
}

/// A player in motion, at some time to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Where the player is now.
    pub motion: Motion,
    /// What the player keeps to.
    pub limits: MotionLimits,
    /// From when until when. [Unit: s, from now]
    pub times: [f64; 2],
}

impl Mover {
    /// The same player in the coordinates of a level that is asked by a frame.
    pub fn to_level(&self, frame: Frame) -> Self {
        let motion = self.motion.to_level(frame);
        let mut limits = self.limits.to_level(frame);
        // A position may err by what it was rounded by.
        let moved = motion.position.map(|at| frame.slack(at));
        let moved = moved.into_iter().fold(0.0, f64::max);
        limits.error = limits.error.map(|error| error + moved);
        Self {
            motion,
            limits,
            times: self.times,
        }
    }

    /// The positions that the player may have then, where z is up: [`World::region`](crate::query::World::region) knows what is.
    pub fn region(&self) -> Extent {
        self.motion.region(&self.limits, self.times)
    }
}

impl Motion {
    /// The same player in the coordinates of a level that is asked by a frame.
    pub fn to_level(&self, frame: Frame) -> Self {
        Self {
            position: frame.to_level(self.position),
            velocity: self.velocity.map(|velocity| frame.to_level(velocity)),
        }
    }

    /// Where z is up: the positions that the player may have from `times[0]` until `times[1]` seconds later, as long as they
    /// move within `limits`. Somebody who is put elsewhere, by a teleporter or a respawn, moves outside of
    /// them: ask again from there.
    ///
    /// With velocity v at first, acceleration of at most a and impulses of at most k in all, the velocity at
    /// time s is within k + a·s of v. So after t the player is within k·t + a·t²/2 of position + v·t; and, by
    /// the greatest speed, within speed·t of the position. The box takes along each axis what both allow. Both
    /// bounds are convex in t, so that they are widest at an end of the time.
    ///
    /// Where they contradict each other, the player does not keep to the limits: then it takes what either
    /// allows, and what lies between. Limits, times and velocities that are no numbers are endless, and so are limits
    /// and times that are less than nothing.
    pub fn region(&self, limits: &MotionLimits, times: [f64; 2]) -> Extent {
        let axes = [0, 1, 2].map(|axis| self.axis(axis, limits, times));
        Extent::of_box([axes.map(|[low, _]| low), axes.map(|[_, high]| high)])
    }

    /// The least and the greatest coordinate along an axis.
    fn axis(&self, axis: usize, limits: &MotionLimits, times: [f64; 2]) -> [f64; 2] {
        let part = usize::from(axis == 2);
        let of = |limit: [f64; 2]| counted(limit.get(part).copied().unwrap_or(f64::INFINITY));
        let velocity = self
            .velocity
            .map(|velocity| velocity.get(axis).copied().unwrap_or(f64::NAN));
        if velocity.is_some_and(f64::is_nan) {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let times = times.map(counted);
        let far = product(of(limits.speed), times[0].max(times[1]));
        let (mut low, mut high) = (-far, far);
        if let Some(velocity) = velocity {
            // Endless one way less endless the other is no number, and bounds nothing.
            let or = |at: f64, far: f64| if at.is_nan() { far } else { at };
            let [first, last] = times.map(|time| {
                let way = product(velocity, time);
                let off = product(of(limits.impulse), time)
                    + product(0.5 * of(limits.acceleration), time * time);
                [
                    or(way - off, f64::NEG_INFINITY),
                    or(way + off, f64::INFINITY),
                ]
            });
            let [least, most] = [first[0].min(last[0]), first[1].max(last[1])];
            [low, high] = if low.max(least) <= high.min(most) {
                [low.max(least), high.min(most)]
            } else {
                [low.min(least), high.max(most)]
            };
        }
        let at = self.position.get(axis).copied().unwrap_or(f64::NAN);
        [at + low - of(limits.error), at + high + of(limits.error)]
    }
}

/// A rate for some time: nothing within no time, however great the rate; and no rate brings nobody anywhere,
/// however long the time.
fn product(rate: f64, time: f64) -> f64 {
    if rate == 0.0 || time == 0.0 {
        0.0
    } else {
        rate * time
    }
}

/// A reach, a limit or a time as it is counted with: what is no number, or less than nothing, is endless, which errs
/// towards visible.
pub(crate) fn counted(reach: f64) -> f64 {
    if reach >= 0.0 { reach } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_meets_boxes_that_touch_it_and_no_corner_beyond() {
        let ball = Extent::ball([0.0; 3], 5.0);
        assert!(ball.meets([[5.0, -1.0, -1.0], [9.0, 1.0, 1.0]]));
        assert!(ball.meets([[3.0, 4.0, 0.0], [9.0, 9.0, 1.0]]));
        assert!(!ball.meets([[3.5, 4.0, 0.0], [9.0, 9.0, 1.0]]));
        assert!(Extent::ball([0.0; 3], f64::NAN).meets([[1e9; 3], [2e9; 3]]));
        assert!(Extent::ball([0.0; 3], -1.0).meets([[1e9; 3], [2e9; 3]]));
        let slab = Extent::of_box([[-9.0, -1.0, -1.0], [9.0, 1.0, 1.0]]);
        assert!(slab.meets([[8.0, 1.0, 0.0], [12.0, 2.0, 0.5]]));
        assert!(!slab.meets([[8.0, 1.5, 0.0], [12.0, 2.0, 0.5]]));
        let nowhere = Extent::of_box([[f64::NAN; 3], [f64::NAN; 3]]);
        assert!(nowhere.meets([[1e9; 3], [2e9; 3]]));
        let upside_down = Extent::of_box([[0.0, 0.0, 9.0], [1.0, 1.0, 8.0]]);
        assert!(upside_down.meets([[0.5, 0.5, 1e9], [2.0, 2.0, 2e9]]));
    }

    #[test]
    fn a_time_before_now_and_a_velocity_that_is_no_number_bound_nothing() {
        let motion = |velocity| Motion {
            position: [0.0; 3],
            velocity: Some([velocity, 0.0, 0.0]),
        };
        let limits = MotionLimits::speed(10.0);
        let endless = (f64::NEG_INFINITY, f64::INFINITY);
        for (velocity, times) in [(0.0, [-1.0, 0.0]), (f64::NAN, [0.0; 2])] {
            let [low, high] = motion(velocity).region(&limits, times).corners();
            assert_eq!((low[0], high[0]), endless);
        }
    }

    #[test]
    fn whoever_is_faster_than_the_limits_is_in_the_region_of_neither_bound_alone() {
        let limits = MotionLimits {
            speed: [10.0; 2],
            acceleration: [1.0; 2],
            impulse: [0.0; 2],
            error: [0.0; 2],
        };
        let motion = Motion {
            position: [0.0; 3],
            velocity: Some([100.0, 0.0, f64::INFINITY]),
        };
        let [low, high] = motion.region(&limits, [1.0, 1.0]).corners();
        assert!(low[0] <= -10.0 && high[0] >= 100.0, "{low:?} {high:?}");
        assert!(low[2] <= -10.0 && high[2] >= 10.0, "{low:?} {high:?}");
        let [low, high] = motion.region(&limits, [0.0, f64::NAN]).corners();
        assert_eq!((low[1], high[1]), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn endless_times_and_velocities_bound_nothing_on_their_side() {
        let limits = |acceleration| MotionLimits {
            acceleration: [acceleration; 2],
            impulse: [0.0; 2],
            ..MotionLimits::speed(f64::INFINITY)
        };
        let motion = Motion {
            position: [0.0; 3],
            velocity: Some([5.0, 0.0, f64::NAN]),
        };
        let endless = (f64::NEG_INFINITY, f64::INFINITY);
        let [low, high] = motion.region(&limits(1.0), [0.0, f64::INFINITY]).corners();
        assert_eq!((low[0], high[0]), endless);
        assert_eq!((low[1], high[1]), endless);
        assert_eq!((low[2], high[2]), endless);
        // Who cannot change speed goes one way alone.
        let [low, high] = motion.region(&limits(0.0), [0.0, f64::INFINITY]).corners();
        assert_eq!((low[0], high[0]), (0.0, f64::INFINITY));
        assert_eq!((low[1], high[1]), (0.0, 0.0));
    }
}
