//! Two boxes that move along polynomials of degree 3 at most between two ticks: when they overlap.
//!
//! Along an axis two boxes overlap while the distance of their middles is at most the sum of their half
//! sides, which asks two things of one polynomial in t from 0 to 1: that it is not above the sum, and not
//! below its negative. Written in Bernstein's basis, a polynomial lies between its least and its greatest
//! coefficient. Halving the time makes these bounds closer, until all six hold, one fails, or time is
//! shorter than [`RESOLUTION`], which then counts as overlapping.

use super::motion::Span;
use super::{Bounds, InterestError};

/// The shortest time that is told apart, as a share of the time between two ticks. Boxes that come
/// closer than they can move in it may be said to touch; none that do are missed.
pub const RESOLUTION: f64 = 1.0 / (1_u64 << DEPTH) as f64;

const DEPTH: u32 = 26;

/// A box whose middle moves along a polynomial between two ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Of each axis the coefficients in Bernstein's basis.
    middle: [[f64; 4]; 3],
    half: [f64; 3],
    /// No number in the above is larger.
    size: f64,
}

impl Path {
    /// For each axis the coefficients of 1, t, t² and t³, t from 0 at the last tick to 1 at this one,
    /// and half of each side.
    ///
    /// # Errors
    ///
    /// [`InterestError::NotFinite`] and, for a negative half, [`InterestError::Inverted`].
    pub fn new(powers: [[f32; 4]; 3], half: [f32; 3]) -> Result<Self, InterestError> {
        for ((dimension, powers), half) in (0..).zip(powers).zip(half) {
            if !half.is_finite() || powers.iter().any(|power| !power.is_finite()) {
                return Err(InterestError::NotFinite { dimension });
            }
            if half < 0.0 {
                return Err(InterestError::Inverted { dimension });
            }
        }
        let middle = powers.map(|powers| {
            let [a, b, c, d] = powers.map(f64::from);
            [a, a + b / 3.0, a + (2.0 * b + c) / 3.0, a + b + c + d]
        });
        let half = half.map(f64::from);
        let sum = |powers: [f32; 4]| powers.iter().map(|x| f64::from(x.abs())).sum::<f64>();
        let size = powers.into_iter().map(sum).chain(half).fold(0.0, f64::max);
        Ok(Self { middle, half, size })
    }

    /// A box around all that the path passes through, or a little more.
    ///
    /// # Errors
    ///
    /// [`InterestError::NotFinite`] where floats do not reach so far.
    pub fn swept(&self) -> Result<Bounds, InterestError> {
        let slack = self.slack();
        let side = |sign: f64| {
            let axes = self.middle.iter().zip(self.half);
            let mut corner = [0.0_f32; 3];
            for ((middle, half), place) in axes.zip(&mut corner) {
                let far = middle.iter().map(|x| sign * x).fold(f64::MIN, f64::max);
                let exact = far + half + slack;
                let rounded = exact as f32;
                let up = f64::from(rounded) >= exact;
                *place = (if up { rounded } else { rounded.next_up() }) * sign as f32;
            }
            corner
        };
        Bounds::new(side(-1.0), side(1.0))
    }

    /// What rounding may have moved anything by.
    fn slack(&self) -> f64 {
        64.0 * f64::EPSILON * self.size
    }
}

/// When two boxes overlap between two ticks: calls `found` with each span of time, in order. No two
/// of them touch.
pub fn polynomial(one: &Path, other: &Path, mut found: impl FnMut(Span)) {
    let slack = one.slack() + other.slack();
    let mut apart = [[0.0; 4]; 3];
    let mut reach = [0.0; 3];
    for ((apart, a), b) in apart.iter_mut().zip(one.middle).zip(other.middle) {
        for ((apart, a), b) in apart.iter_mut().zip(a).zip(b) {
            *apart = a - b;
        }
    }
    for ((reach, a), b) in reach.iter_mut().zip(one.half).zip(other.half) {
        *reach = a + b + slack;
    }
    let mut open: Option<Span> = None;
    search(
        apart,
        &reach,
        [0.0, 1.0],
        DEPTH,
        &mut |span| match &mut open {
            Some(open) if open.to == span.from => open.to = span.to,
            _ => {
                if let Some(whole) = open.replace(span) {
                    found(whole);
                }
            }
        },
    );
    if let Some(last) = open {
        found(last);
    }
}

/// Calls `found` with the parts of a time, in order, in which all axes are within reach.
fn search(
    apart: [[f64; 4]; 3],
    reach: &[f64; 3],
    [from, to]: [f64; 2],
    depth: u32,
    found: &mut impl FnMut(Span),
) {
    let mut always = true;
    for (apart, reach) in apart.iter().zip(reach) {
        let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = apart.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > *reach || greatest < -reach {
            return;
        }
        always &= greatest <= *reach && least >= -reach;
    }
    if always || depth == 0 {
        found(Span { from, to });
        return;
    }
    let middle = 0.5 * (from + to);
    let halves = apart.map(halve);
    search(
        halves.map(|[first, _]| first),
        reach,
        [from, middle],
        depth - 1,
        found,
    );
    search(
        halves.map(|[_, last]| last),
        reach,
        [middle, to],
        depth - 1,
        found,
    );
}

/// The coefficients over the first and over the last half of the time (de Casteljau).
fn halve([a, b, c, d]: [f64; 4]) -> [[f64; 4]; 2] {
    let mean = |x: f64, y: f64| 0.5 * (x + y);
    let (ab, bc, cd) = (mean(a, b), mean(b, c), mean(c, d));
    let (abc, bcd) = (mean(ab, bc), mean(bc, cd));
    let middle = mean(abc, bcd);
    [[a, ab, abc, middle], [middle, bcd, cd, d]]
}
