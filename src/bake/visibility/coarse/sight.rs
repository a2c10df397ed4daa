//! Exact sight from one sample to another, over the ground that is listed.

use super::field::ShaftField;
use super::pair::Way;
use crate::visibility::samples::displacement::{crossing, slope};
use crate::visibility::{TOLERANCE, sees};

/// Within so many metres of [`TOLERANCE`] the definition decides ([`sees`]): double precision may be off by less.
const UNSURE: f64 = 1e-6;

/// The line of sight from a sample to another, which is at least as far from it along the way as across.
struct Sight<'f> {
    field: &'f ShaftField<'f>,
    way: Way,
    /// The first sample, major and minor, and in which direction major coordinates count.
    from: (i64, i64),
    sign: i64,
    /// How far it is to the second.
    u: i64,
    v: i64,
    /// v/u in fixed point, and 1/u.
    slope: i64,
    inverse: f64,
    eye: f64,
    /// How much higher the head is than the eye.
    rise: f64,
}

impl<'f> Sight<'f> {
    fn new(field: &'f ShaftField<'f>, way: Way, [a, b]: [(u32, u32); 2]) -> Self {
        let from = way.turn((i64::from(a.0), i64::from(a.1)));
        let to = way.turn((i64::from(b.0), i64::from(b.1)));
        let (eye, head) = (field.eye_and_head(a)[0], field.eye_and_head(b)[1]);
        let (u, v) = ((to.0 - from.0).abs(), to.1 - from.1);
        Self {
            field,
            way,
            from,
            sign: (to.0 - from.0).signum(),
            u,
            v,
            slope: slope(u as i32, v as i32),
            inverse: 1.0 / u as f64,
            eye,
            rise: head - eye,
        }
    }

    #[inline(always)]
    fn ground(&self, x: i64, y: i64) -> f64 {
        let (column, row) = self.way.turn((x as u32, y as u32));
        self.field.terrain.at(column, row) - self.field.base
    }

    /// How far a line across the way is from the first sample.
    #[inline(always)]
    fn steps_to(&self, x: u32) -> i64 {
        (i64::from(x) - self.from.0) * self.sign
    }

    /// s·v/u: the whole number not above it, and what is left of 1/u.
    #[inline(always)]
    fn crossing(&self, s: i64) -> (i64, i64) {
        let (whole, _) = crossing(s as i32, self.u as i32, self.slope);
        let whole = i64::from(whole);
        (whole, s * self.v - whole * self.u)
    }

    /// Whether the line across the way lies strictly between the two.
    #[inline(always)]
    fn is_between(&self, s: i64) -> bool {
        0 < s && s < self.u
    }

    /// How far the ground rises above sight on the line across the way.
    #[inline(always)]
    fn across(&self, s: i64) -> f64 {
        let (whole, rest) = self.crossing(s);
        let (x, y) = (self.from.0 + s * self.sign, self.from.1 + whole);
        let mut there = self.ground(x, y);
        if rest > 0 {
            there += (self.ground(x, y + 1) - there) * (rest as f64 * self.inverse);
        }
        there - (self.eye + self.rise * (s as f64 * self.inverse))
    }

    /// How far the ground rises above sight on the line along the way that is crossed strictly between this line
    /// across it and the next, if one is.
    #[inline(always)]
    fn along(&self, s: i64) -> Option<f64> {
        let &Self { u, v, .. } = self;
        if s < 0 || s >= u || v == 0 {
            return None;
        }
        let (whole, rest) = self.crossing(s);
        let (j, past) = match (v > 0, rest) {
            (true, _) => (whole + 1, rest + v - u),
            (false, 0) => (whole - 1, -v - u),
            (false, _) => (whole, -v - rest),
        };
        if past <= 0 {
            return None;
        }
        let [x, next] = [s, s + 1].map(|s| self.from.0 + s * self.sign);
        let y = self.from.1 + j;
        let (near, far) = (self.ground(x, y), self.ground(next, y));
        let there = near + (far - near) * (1.0 - past as f64 / v.abs() as f64);
        Some(there - (self.eye + self.rise * (j as f64 / v as f64)))
    }
}

/// Whether the ground of `slabs` leaves the sight from sample `a` to `b` free.
///
/// The two have to be at least as far apart along the way as across. No other slab may block.
pub(crate) fn sight(
    field: &ShaftField<'_>,
    way: Way,
    slabs: impl Iterator<Item = u32>,
    [a, b]: [(u32, u32); 2],
) -> bool {
    let sight = Sight::new(field, way, [a, b]);
    let mut highest = f64::NEG_INFINITY;
    for x in slabs {
        let s = sight.steps_to(x);
        if sight.is_between(s) {
            highest = highest.max(sight.across(s));
        }
        // The slab is what lies between this line and the one with the next greater coordinate.
        let s = if sight.sign > 0 { s } else { s - 1 };
        if let Some(over) = sight.along(s) {
            highest = highest.max(over);
        }
        if highest > TOLERANCE + UNSURE {
            return false;
        }
    }
    highest < TOLERANCE - UNSURE || sees(field.terrain, field.bodies, a, b)
}
