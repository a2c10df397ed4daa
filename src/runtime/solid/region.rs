//! Where a player's origin may be some time from now.

use crate::format::solid::Corners;

/// Positions that a player's origin may have: those of a box that are also in a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    now: [f64; 3],
    bounds: Corners,
    middle: [f64; 3],
    radius: f64,
}

impl Region {
    /// All positions up to `reach` away from where the player is now. A reach that is not a number is
    /// endless; less than nothing is nothing.
    pub fn ball(now: [f64; 3], reach: f64) -> Self {
        let radius = match reach.is_nan() {
            true => f64::INFINITY,
            false => reach.max(0.0),
        };
        Self {
            now,
            bounds: [now.map(|at| at - radius), now.map(|at| at + radius)],
            middle: now,
            radius,
        }
    }

    /// The positions of a box, for a player who is now at `now`.
    pub fn of_box(now: [f64; 3], bounds: Corners) -> Self {
        Self {
            now,
            bounds,
            middle: now,
            radius: f64::INFINITY,
        }
    }

    /// Where the player is now.
    pub const fn now(&self) -> [f64; 3] {
        self.now
    }

    /// Least and greatest corner of the positions.
    pub const fn bounds(&self) -> Corners {
        self.bounds
    }

    /// Whether any position of a box may be in the region; a touch counts.
    #[inline]
    pub fn meets(&self, [low, high]: Corners) -> bool {
        let [least, greatest] = self.bounds;
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
        square <= self.radius * self.radius || square.is_nan() || self.radius.is_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_meets_boxes_that_touch_it_and_no_corner_beyond() {
        let ball = Region::ball([0.0; 3], 5.0);
        assert!(ball.meets([[5.0, -1.0, -1.0], [9.0, 1.0, 1.0]]));
        assert!(ball.meets([[3.0, 4.0, 0.0], [9.0, 9.0, 1.0]]));
        assert!(!ball.meets([[3.5, 4.0, 0.0], [9.0, 9.0, 1.0]]));
        assert!(Region::ball([0.0; 3], f64::NAN).meets([[1e9; 3], [2e9; 3]]));
        assert!(!Region::ball([0.0; 3], -1.0).meets([[1.0; 3], [2.0; 3]]));
        let slab = Region::of_box([0.0; 3], [[-9.0, -1.0, -1.0], [9.0, 1.0, 1.0]]);
        assert!(slab.meets([[8.0, 1.0, 0.0], [12.0, 2.0, 0.5]]));
        assert!(!slab.meets([[8.0, 1.5, 0.0], [12.0, 2.0, 0.5]]));
    }
}
