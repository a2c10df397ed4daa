//! Upper bounds of lines of sight between two rectangles: where on the map they cross a grid line, and how high at
//! most. Ground that is higher hides what is behind it.

use super::height_field::HeightField;
use super::view_block::ViewpointRows;
use crate::visibility::lanes::{Lanes, Strips};
use fearless_simd::prelude::*;

/// For each lane an upper bound of all lines of sight to a square of targets: where they cross the
/// grid line at x across the major direction, none is higher than `highest + x · steepest`.
pub(crate) struct UpperBound<'f, S: Simd, const N: usize> {
    rows: ViewpointRows<'f>,
    span: Span,
    highest: Lanes<S, N>,
    steepest: Lanes<S, N>,
}

impl<'f, S: Simd, const N: usize> UpperBound<'f, S, N> {
    /// Of lines of sight that lie in `span`, to targets of which the highest `heads` have index
    /// `target` for the first lane.
    #[inline(always)]
    pub(crate) fn new<const CELLS: bool>(
        simd: S,
        field: &HeightField,
        rows: ViewpointRows<'f>,
        span: Span,
        (heads, target): (&Strips, u32),
    ) -> Self {
        let eye = rows.axis.eye_max.load(simd, rows.index(0, 0));
        let heads = heads.load(simd, target);
        Self::between::<CELLS>(rows, span, [eye, heads], field.above)
    }

    /// The same between heights of eyes and heads; ground has to be higher by `above`.
    #[inline(always)]
    pub(crate) fn between<const CELLS: bool>(
        rows: ViewpointRows<'f>,
        span: Span,
        [eye, heads]: [Lanes<S, N>; 2],
        above: f32,
    ) -> Self {
        let (near, far) = (span.near, span.far);
        let rise = heads.minus(eye);
        let steepest = rise.times(near.slope).max(rise.times(far.slope));
        let mut highest = eye.raised(above);
        if CELLS {
            highest = highest.plus(rise.times(near.offset).max(rise.times(far.offset)));
        }
        Self {
            rows,
            span,
            highest,
            steepest,
        }
    }

    /// The lanes from which the ground along line `x`, which lies before all targets, hides them
    /// all.
    #[inline(always)]
    pub(crate) fn hidden_by(&self, simd: S, x: i32) -> u64 {
        let low = (self.span.low.at(x) >> 32) as i32;
        let high = (self.span.high.at(x) >> 32) as i32;
        let at = self.rows.index(x, low);
        let ground: Lanes<S, N> = self.rows.axis.least.load(simd, at, high - low + 2);
        ground.above(self.steepest.mul_add(x as f32, self.highest))
    }
}

/// Fixed point: rows in units of 2⁻³².
pub(crate) const ONE: i64 = 1 << 32;

/// A rectangle of positions, in major and minor coordinates from the viewpoint's sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    /// Least and greatest major coordinate.
    pub u0: f64,
    pub u1: f64,
    /// Least and greatest minor coordinate.
    pub v0: f64,
    pub v1: f64,
}

/// `offset` + x · `slope`, for a line across the major direction at `x`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear<T> {
    pub offset: T,
    pub slope: T,
}

impl Linear<i64> {
    #[inline(always)]
    pub(crate) fn at(self, x: i32) -> i64 {
        self.offset + i64::from(x) * self.slope
    }
}

/// The segments from one rectangle to another that lies further in the major direction. The
/// line at x crosses them at a minor coordinate from `low` to `high` (2⁻³² samples, rounded
/// outwards), having gone from `near` to `far` of their way.
///
/// A segment from (a, c) to (u, v) is crossed by the line at x after t = (x - a) / (u - a) of
/// its way, at c + t·(v - c). In a and in u, t only falls; in c and v the crossing only rises,
/// and in t it is linear: so all extremes are at corners of the rectangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub low: Linear<i64>,
    pub high: Linear<i64>,
    /// Least and greatest t.
    pub near: Linear<f32>,
    pub far: Linear<f32>,
}

impl Span {
    /// From the sample itself to whole displacements: `u0` to `u1`, `v0` to `v1`.
    #[inline(always)]
    pub(crate) fn of_samples(u0: i32, u1: i32, v0: i32, v1: i32) -> Self {
        let over = |v: i32, u: i32| (i64::from(v) * ONE).div_euclid(i64::from(u));
        let line = |slope| Linear { offset: 0, slope };
        let way = |u: i32| Linear {
            offset: 0.0,
            slope: 1.0 / u as f32,
        };
        Self {
            low: line(over(v0, if v0 >= 0 { u1 } else { u0 })),
            high: line(over(v1, if v1 >= 0 { u0 } else { u1 }) + 1),
            near: way(u1),
            far: way(u0),
        }
    }

    /// From rectangle `a` to rectangle `b`.
    #[inline(always)]
    pub(crate) fn between(a: Rectangle, b: Rectangle) -> Self {
        // t at its least: from a's far side to b's far side; at its greatest: near to near.
        let way = |from: f64, to: f64| {
            let slope = 1.0 / (to - from);
            Linear {
                offset: -from * slope,
                slope,
            }
        };
        let (least, most) = (way(a.u1, b.u1), way(a.u0, b.u0));
        let edge = |c: f64, v: f64, t: Linear<f64>| Linear {
            offset: c + (v - c) * t.offset,
            slope: (v - c) * t.slope,
        };
        let low = edge(a.v0, b.v0, if b.v0 >= a.v0 { least } else { most });
        let high = edge(a.v1, b.v1, if b.v1 >= a.v1 { most } else { least });
        // The products above are off by a few units of 2⁻⁵², of numbers below 2¹⁷: far less than
        // what one unit of 2⁻³² outwards makes up for.
        let fixed = |x: f64| (x * ONE as f64).floor() as i64;
        let single = |t: Linear<f64>| Linear {
            offset: t.offset as f32,
            slope: t.slope as f32,
        };
        Self {
            low: Linear {
                offset: fixed(low.offset) - 1,
                slope: fixed(low.slope) - 1,
            },
            high: Linear {
                offset: fixed(high.offset) + 2,
                slope: fixed(high.slope) + 2,
            },
            near: single(least),
            far: single(most),
        }
    }
}
