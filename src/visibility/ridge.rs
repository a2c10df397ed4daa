//! One line and two cells: whether the ground along the line hides one cell from the other.
//!
//! Let the viewer stand at (a, c) from the middle of one cell and the player at (u + b, v + d)
//! from there, a, b, c and d at most 1/2 from 0, and let the ground below them be at most E(a, c)
//! and H(b, d), both linear in each of their arguments. The line across the major direction at x
//! is crossed after t = (x - a) / (u + b - a) of the way, at a distance of
//!
//! > y = (1 - t)·c + t·d + m, m = -(v/u)·(a·(u - x) + b·x) / (u + b - a)
//!
//! from where sight between the middles crosses it. Let the ground along the line be at least
//! g + s·y wherever it can be crossed. If
//!
//! > (1 - t)·(E(a, c) - s·c) + t·(H(b, d) - s·d) - s·m - g
//!
//! is negative, the ground rises above the sight. Times the positive u + b - a, this is linear in
//! each of a, b, c and d, so that it is greatest in corners of the cells: sixteen sums show it for
//! all positions; and in each pair (a, b) the greatest over c and over d are found apart. This is
//! much tighter than comparing the least ground with the highest sight, since on a slope the
//! heights at both ends and the ground between rise together.
//!
//! All crossings lie within 1/2 + |v/u|/2 of the middle one: |m| is at most |v/u|/2, with
//! equality for a = b = ±1/2.

use super::band::Band;
use super::field::Field;
use super::lanes::{LANES, Lanes};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Parts of the way, of each of which one line is told.
pub(super) const WALLS: usize = 3;

/// For each lane the lines that rise furthest above the sight between two samples, one in each
/// part of the way, the furthest first; 0 for none.
pub(super) type Walls = [[f32; LANES]; WALLS];

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

    /// The highest line of all first.
    #[inline(always)]
    pub fn walls(mut self) -> Walls {
        for k in 1..WALLS {
            let (above, other) = (self.above[0], self.above[k]);
            let (line, other_line) = (self.lines[0], self.lines[k]);
            self.above[0] = above.max(other);
            self.lines[0] = other.choose(above, other_line, line);
            self.lines[k] = other.choose(above, line, other_line);
        }
        let [first, second, third] = self.lines;
        [first.values(), second.values(), third.values()]
    }
}

/// Which of the `open` lanes' cells their first wall, or that of another lane, hides from the
/// cell at (`u`, `v`) from theirs, in major and minor coordinates. And which of the
/// others may be hidden by quarters and one of these lines, as far as the corners tell.
#[simd]
#[allow(clippy::too_many_arguments)]
pub(super) fn ridges<S: Simd, const N: usize>(
    simd: S,
    field: &Field,
    walls: &Walls,
    band: Band<'_>,
    (u, v): (i32, i32),
    open: u64,
) -> (u64, u64) {
    let axis = band.axis;
    let (origin, target) = (band.index(0, 0), band.index(u, v));
    let none = Lanes::<S, N>::splat(simd, 0.0);
    // Eyes and heads over the corners of a cell, [a][c]: by the sense in which major coordinates
    // count. (Here and below loops, since closures are not inlined into SIMD kernels.)
    let back = usize::from(band.sign < 0);
    let (eyes, heads) = (field.bodies.eye as f32, field.bodies.head as f32);
    let (mut e, mut h) = ([[none; 2]; 2], [[none; 2]; 2]);
    for i in 0..2 {
        for j in 0..2 {
            let corner = &axis.whole[2 * j + (i ^ back)];
            e[i][j] = corner.patch(simd, origin).raised(eyes);
            h[i][j] = corner.patch(simd, target).raised(heads);
        }
    }

    let (uf, slope) = (f64::from(u), f64::from(v) / f64::from(u));
    let across = 0.5 + slope.abs() / 2.0;
    let per_across = (0.5 / across) as f32;
    let lift = match &axis.raised {
        Some(raised) => raised.patch(simd, origin).plus(raised.patch(simd, target)),
        None => none,
    };
    let mut hope = 0;
    let mut left = open;
    let mut untried = open;
    while untried != 0 {
        let wall = walls[0][untried.trailing_zeros() as usize];
        let like = Lanes::<S, N>::of(simd, &walls[0]).equal(wall);
        untried &= !like;
        let x = wall as i32;
        if x == 0 {
            continue;
        }
        let xf = f64::from(x);
        let middle = xf * slope;
        // The samples around all crossings. A sliver of 1e-9 at the ends moves the ground by
        // less than a rounding.
        let first = (middle - across + 1e-9).floor();
        let last = (middle + across - 1e-9).ceil();
        let (low, high) = (first as i32, last as i32);
        // The straight line through the ends of the ground, lowered to where nothing between
        // them is below it.
        let begin = (middle - across - first).max(0.0) as f32;
        let end = (last - middle - across).max(0.0) as f32;
        let (first, second) = (band.ground(simd, x, low), band.ground(simd, x, low + 1));
        let near: Lanes<S, N> = first.towards(second, begin);
        let (first, second) = (band.ground(simd, x, high), band.ground(simd, x, high - 1));
        let far: Lanes<S, N> = first.towards(second, end);
        let s = far.minus(near).times(per_across);
        let mean = far.plus(near).times(0.5);
        let mut short = none;
        for y in low + 1..high {
            let off = (f64::from(y) - middle) as f32;
            let line = s.mul_add(off, mean);
            short = short.min(band.ground(simd, x, y).minus(line));
        }
        let least = mean.plus(short);
        let half = s.times(0.5);
        // a = -1/2 and a = 1/2, b likewise.
        let (mut viewer, mut player) = ([none; 2], [none; 2]);
        for i in 0..2 {
            viewer[i] = e[i][0].plus(half).max(e[i][1].minus(half));
            player[i] = h[i][0].plus(half).max(h[i][1].minus(half));
        }
        let mut highest = Lanes::splat(simd, f32::MIN);
        for (i, viewer) in viewer.iter().enumerate() {
            for (j, player) in player.iter().enumerate() {
                let (a, b) = (i as f64 - 0.5, j as f64 - 0.5);
                let per = 1.0 / (uf + b - a);
                let t = (xf - a) * per;
                let m = -slope * (a * (uf - xf) + b * xf) * per;
                let sight = viewer
                    .times((1.0 - t) as f32)
                    .plus(player.times(t as f32))
                    .plus(s.times(-m as f32));
                highest = highest.max(sight);
            }
        }
        left &= !least.above(highest.raised(field.ridge));
        untried &= left;
        // Quarters have less between their ends, and their corners are not raised.
        hope |= mean.above(highest.minus(lift));
    }
    (open & !left, hope)
}
