//! How high lines of sight rise: ground above that hides whoever is behind.

use super::band::Band;
use super::field::Field;
use super::lanes::{Lanes, Strips};
use super::span::Span;
use fearless_simd::prelude::*;

/// For each lane what no line of sight to a block of targets is above: over line x across the major
/// direction, `highest + x · steepest`.
pub(super) struct Ceiling<'f, S: Simd, const N: usize> {
    band: Band<'f>,
    span: Span,
    highest: Lanes<S, N>,
    steepest: Lanes<S, N>,
}

impl<'f, S: Simd, const N: usize> Ceiling<'f, S, N> {
    /// Of lines of sight that lie in `span`, to targets of which the highest `heads` have index
    /// `target` for the first lane.
    #[inline(always)]
    pub fn new<const CELLS: bool>(
        simd: S,
        field: &Field,
        band: Band<'f>,
        span: Span,
        (heads, target): (&Strips, u32),
    ) -> Self {
        let (near, far) = (span.near, span.far);
        let eye = band.axis.eye_max.patch(simd, band.index(0, 0));
        let rise = heads.patch(simd, target).minus(eye);
        let steepest = rise.times(near.slope).max(rise.times(far.slope));
        let mut highest = eye.raised(field.above);
        if CELLS {
            highest = highest.plus(rise.times(near.offset).max(rise.times(far.offset)));
        }
        Self {
            band,
            span,
            highest,
            steepest,
        }
    }

    /// The lanes from which the ground along line `x`, which lies before all targets, hides them
    /// all.
    #[inline(always)]
    pub fn pierced(&self, simd: S, x: i32) -> u64 {
        let low = (self.span.low.at(x) >> 32) as i32;
        let high = (self.span.high.at(x) >> 32) as i32;
        let at = self.band.index(x, low);
        let ground: Lanes<S, N> = self.band.axis.least.patch(simd, at, high - low + 2);
        ground.above(self.steepest.mul_add(x as f32, self.highest))
    }
}
