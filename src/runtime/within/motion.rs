//! Where a moving player may be: a box of positions.

/// A closed box of positions, in the units and axes of the world; on a terrain metres east and south of the
/// first sample, and a height that nothing depends on.
///
/// Corners that are no numbers are as far away as can be: errs towards too many positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The corner with the smallest coordinates.
    pub low: [f64; 3],
    /// The corner with the greatest.
    pub high: [f64; 3],
}

/// How players may move: by the rules of the game, or as `viewcell simulate fit` measured it. Each along the
/// ground (x and y together), and up or down. Infinity for *no limit*.
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

    /// Whether somebody may come so far within some seconds; if not, they were put elsewhere.
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

impl Motion {
    /// The positions that the player may have from `times[0]` until `times[1]` seconds later, as long as they
    /// move within `limits`. Somebody who is put elsewhere, by a teleporter or a respawn, moves outside of
    /// them: ask again from there.
    ///
    /// With velocity v at first, acceleration of at most a and impulses of at most k in all, the velocity at
    /// time s is within k + a·s of v. So after t the player is within k·t + a·t²/2 of position + v·t; and, by
    /// the greatest speed, within speed·t of the position. The box takes along each axis what both allow. Both
    /// bounds are convex in t, so that they are widest at an end of the time.
    pub fn region(&self, limits: &MotionLimits, times: [f64; 2]) -> Extent {
        let axes = [0, 1, 2].map(|axis| self.axis(axis, limits, times));
        Extent {
            low: axes.map(|[low, _]| low),
            high: axes.map(|[_, high]| high),
        }
    }

    /// The least and the greatest coordinate along an axis.
    fn axis(&self, axis: usize, limits: &MotionLimits, times: [f64; 2]) -> [f64; 2] {
        let part = usize::from(axis == 2);
        let of = |limit: [f64; 2]| limit.get(part).copied().unwrap_or(f64::INFINITY);
        let times = times.map(|time| time.max(0.0));
        let far = product(of(limits.speed), times[0].max(times[1]));
        let (mut low, mut high) = (-far, far);
        if let Some(velocity) = self
            .velocity
            .and_then(|velocity| velocity.get(axis).copied())
        {
            let off = |time: f64| {
                product(of(limits.impulse), time)
                    + product(0.5 * of(limits.acceleration), time * time)
            };
            let [first, last] = times.map(|time| (velocity * time, off(time)));
            // The greater of a number and of none is the number.
            low = low.max((first.0 - first.1).min(last.0 - last.1));
            high = high.min((first.0 + first.1).max(last.0 + last.1));
        }
        let at = self.position.get(axis).copied().unwrap_or(f64::NAN);
        [at + low - of(limits.error), at + high + of(limits.error)]
    }
}

/// A limit for some time; no limit allows nothing within no time.
fn product(limit: f64, time: f64) -> f64 {
    if time == 0.0 { 0.0 } else { limit * time }
}

/// A reach as it is counted with: what is no number reaches everywhere, which errs towards
/// visible, and less than nothing reaches as far as nothing.
pub(super) fn counted(reach: f64) -> f64 {
    if reach.is_nan() {
        f64::INFINITY
    } else {
        reach.max(0.0)
    }
}
