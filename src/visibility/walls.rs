//! Which lines rise highest above the sight between two samples: they are the ones to hide the
//! cells around.

use super::lanes::{LANES, Lanes};
use fearless_simd::prelude::*;

/// Parts of the way, of each of which one line is told.
pub(super) const WALLS: usize = 3;

/// What each lane's sight between two samples has to pass.
pub(super) struct Walls {
    /// The lines that rise furthest above it, one in each part of the way, the furthest first; 0
    /// for none.
    pub lines: [[f32; LANES]; WALLS],
    /// How far the first rises.
    pub above: [f32; LANES],
}

/// Finds the [`Walls`] while lines go by.
pub(super) struct Highest<S: Simd, const N: usize> {
    above: [Lanes<S, N>; WALLS],
    lines: [Lanes<S, N>; WALLS],
}

impl<S: Simd, const N: usize> Highest<S, N> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        Self {
            above: [Lanes::splat(simd, f32::MIN); WALLS],
            lines: [Lanes::splat(simd, 0.0); WALLS],
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
    pub fn walls(mut self, eye: Lanes<S, N>) -> Walls {
        for k in 1..WALLS {
            let (above, other) = (self.above[0], self.above[k]);
            let (line, other_line) = (self.lines[0], self.lines[k]);
            self.above[0] = above.max(other);
            self.lines[0] = other.choose(above, other_line, line);
            self.lines[k] = other.choose(above, line, other_line);
        }
        let [first, second, third] = self.lines;
        Walls {
            lines: [first.values(), second.values(), third.values()],
            above: self.above[0].minus(eye).values(),
        }
    }
}
