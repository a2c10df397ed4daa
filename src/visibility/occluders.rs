//! The occluders between two samples: the grid lines whose ground rises highest above the line of
//! sight. They are the ones most likely to hide the whole cells around the two samples.

use super::lanes::{LANES, Lanes};
use fearless_simd::prelude::*;

/// The way from viewer to target is cut into so many parts; of each the highest line is kept.
pub(super) const OCCLUDERS: usize = 3;

/// For each lane, the occluders of its line of sight.
pub(super) struct Occluders {
    /// The grid lines whose ground rises highest above it, one in each part of the way, the highest
    /// of all first; 0 for none.
    pub lines: [[f32; LANES]; OCCLUDERS],
    /// How far the ground of the first rises above it, in metres.
    pub above: [f32; LANES],
}

/// Finds the [`Occluders`] while lines go by.
pub(super) struct OccluderSearch<S: Simd, const N: usize> {
    above: [Lanes<S, N>; OCCLUDERS],
    lines: [Lanes<S, N>; OCCLUDERS],
}

impl<S: Simd, const N: usize> OccluderSearch<S, N> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        Self {
            above: [Lanes::splat(simd, f32::MIN); OCCLUDERS],
            lines: [Lanes::splat(simd, 0.0); OCCLUDERS],
        }
    }

    /// Takes note of the line `x` in part `k` of the way, whose ground is `above` sight.
    #[inline(always)]
    pub fn note(&mut self, simd: S, k: usize, x: i32, above: Lanes<S, N>) {
        let line = Lanes::splat(simd, x as f32);
        self.lines[k] = above.choose(self.above[k], line, self.lines[k]);
        self.above[k] = above.max(self.above[k]);
    }

    /// The highest line of all first; `eye` is what `above` was not less of.
    #[inline(always)]
    pub fn occluders(mut self, eye: Lanes<S, N>) -> Occluders {
        for k in 1..OCCLUDERS {
            let (above, other) = (self.above[0], self.above[k]);
            let (line, other_line) = (self.lines[0], self.lines[k]);
            self.above[0] = above.max(other);
            self.lines[0] = other.choose(above, other_line, line);
            self.lines[k] = other.choose(above, line, other_line);
        }
        let [first, second, third] = self.lines;
        Occluders {
            lines: [first.values(), second.values(), third.values()],
            above: self.above[0].minus(eye).values(),
        }
    }
}
