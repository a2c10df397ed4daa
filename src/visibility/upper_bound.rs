//! An upper bound of the height of lines of sight: ground that is higher hides what is behind it.

use super::height_field::HeightField;
use super::lanes::{Lanes, Strips};
use super::span::Span;
use super::viewpoint_rows::ViewpointRows;
use fearless_simd::prelude::*;

/// For each lane an upper bound of all lines of sight to a square of targets: where they cross the
/// grid line at x across the major direction, none is higher than `highest + x · steepest`.
pub(super) struct UpperBound<'f, S: Simd, const N: usize> {
    rows: ViewpointRows<'f>,
    span: Span,
    highest: Lanes<S, N>,
    steepest: Lanes<S, N>,
}

impl<'f, S: Simd, const N: usize> UpperBound<'f, S, N> {
    /// Of lines of sight that lie in `span`, to targets of which the highest `heads` have index
    /// `target` for the first lane.
    #[inline(always)]
    pub fn new<const CELLS: bool>(
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
    pub fn between<const CELLS: bool>(
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
    pub fn hidden_by(&self, simd: S, x: i32) -> u64 {
        let low = (self.span.low.at(x) >> 32) as i32;
        let high = (self.span.high.at(x) >> 32) as i32;
        let at = self.rows.index(x, low);
        let ground: Lanes<S, N> = self.rows.axis.least.load(simd, at, high - low + 2);
        ground.above(self.steepest.mul_add(x as f32, self.highest))
    }
}
