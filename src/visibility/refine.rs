//! One cell and another: whether any position in one sees a head at any position in the other.
//!
//! Both cells are divided into squares, 2 × 2, and again and again. A pair of squares is hidden
//! if over some line the least ground that any line of sight between them passes is higher than
//! any of them is there; the cells are hidden if all pairs of squares are. What stays undecided
//! counts as visible.
//!
//! Here a SIMD lane is a pair of squares: the sixteen that two quarterings make.

use super::decide::Slab;
use super::field::Field;
use super::lanes::{LANES, PATCH, VOID};
use super::rays::{Patch, Rays};
use super::span::Axes;
use super::surface::DEPTH;
use fearless_simd::{f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Samples of a line that can matter to one pair of cells.
const NEAR: usize = 5;

/// A square of a cell: one of n × n, counted in major and minor coordinates.
#[derive(Clone, Copy)]
struct Square {
    n: i32,
    i: i32,
    j: i32,
}

impl Square {
    const WHOLE: Self = Self { n: 1, i: 0, j: 0 };

    /// Its `k`-th quarter.
    #[inline(always)]
    fn quarter(self, k: i32) -> Self {
        Self {
            n: 2 * self.n,
            i: 2 * self.i + (k & 1),
            j: 2 * self.j + (k >> 1),
        }
    }
}

/// Two samples, and what may stand between their cells.
struct Pair<'r, const ALONG_X: bool> {
    field: &'r Field,
    axes: Axes<ALONG_X>,
    /// The viewer's and the player's sample.
    from: (i32, i32),
    to: (i32, i32),
    /// How far apart they are, in major and minor coordinates.
    u: i32,
    v: i32,
    /// The lines that rise furthest above the sight from sample to sample, the first furthest.
    walls: [u32; WALLS],
}

/// How many lines are tried on a pair of squares. More hide next to nothing more.
const WALLS: usize = 4;

impl<const ALONG_X: bool> Pair<'_, ALONG_X> {
    /// Of the values of a cell's squares, row by row, those of the quarters of `square`.
    #[inline(always)]
    fn quarters(&self, values: &[f32], square: Square) -> [f32; 4] {
        let n = 2 * square.n;
        let mut quarters = [0.0; 4];
        let mut k = 0;
        while k < 4 {
            let (i, j) = (2 * square.i + (k & 1), 2 * square.j + (k >> 1));
            let i = if self.axes.sign < 0 { n - 1 - i } else { i };
            let (c, r) = if ALONG_X { (i, j) } else { (j, i) };
            quarters[k as usize] = values[(r * n + c) as usize];
            k += 1;
        }
        quarters
    }

    /// Finds the walls among the slabs that may block.
    #[inline(always)]
    fn rank(&mut self, slabs: &[Slab], lane: u64) {
        let field = self.field;
        let origin = self.axes.index(field, 0, 0);
        let eye = field.eye.value(origin);
        let rise = field.head.value(self.axes.index(field, self.u, self.v)) - eye;
        let (per_u, slope) = (1.0 / self.u as f32, f64::from(self.v) / f64::from(self.u));
        let mut heights = [f32::MIN; WALLS];
        for slab in slabs {
            if slab.lanes & lane == 0 || slab.x == 0 || slab.x >= self.u as u32 {
                continue;
            }
            let y = f64::from(slab.x) * slope;
            let row = y.floor();
            let at = |row: i32| {
                field
                    .ground
                    .value(self.axes.index(field, slab.x as i32, row))
            };
            let (first, second) = (at(row as i32), at(row as i32 + 1));
            let ground = first + (second - first) * (y - row) as f32;
            let mut height = ground - (eye + rise * (slab.x as f32 * per_u));
            let mut x = slab.x;
            for (other, wall) in heights.iter_mut().zip(&mut self.walls) {
                if height > *other {
                    std::mem::swap(&mut height, other);
                    std::mem::swap(&mut x, wall);
                }
            }
        }
    }
}

/// Which of the lanes `open` cannot be shown not to see the cell displaced by (`p`, `q`) from
/// theirs, at (`u`, `v`) in major and minor coordinates. The first `count` slabs of level 0
/// may block.
#[simd]
#[allow(clippy::too_many_arguments)]
pub(super) fn refine<S: Simd, const ALONG_X: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    axes: Axes<ALONG_X>,
    (u, v): (i32, i32),
    patch: &Patch,
    (p, q): (i32, i32),
    open: u64,
    count: usize,
) -> u64 {
    let field = rays.field;
    let mut seen = 0;
    for lane in (0..LANES as i32).filter(|lane| open >> lane & 1 == 1) {
        let from = (
            patch.column + lane % PATCH as i32,
            patch.row + lane / PATCH as i32,
        );
        let to = (from.0 + p, from.1 + q);
        let there =
            (0..field.width as i32).contains(&to.0) && (0..field.height as i32).contains(&to.1);
        if !there {
            continue;
        }
        let axes = Axes {
            column: from.0,
            row: from.1,
            ..axes
        };
        let mut pair = Pair {
            field,
            axes,
            from,
            to,
            u,
            v,
            walls: [0; WALLS],
        };
        pair.rank(&rays.slabs[0][..count], 1 << lane);
        let whole = (Square::WHOLE, Square::WHOLE);
        if undecided(simd, &pair, whole, 1) {
            seen |= 1 << lane;
        }
    }
    seen
}

/// Whether some pair of squares, one in each of `a` and `b`, cannot be shown to be hidden.
#[simd]
fn undecided<S: Simd, const ALONG_X: bool>(
    simd: S,
    pair: &Pair<'_, ALONG_X>,
    (a, b): (Square, Square),
    depth: usize,
) -> bool {
    let mut open = unblocked(simd, pair, a, b, depth);
    if depth == DEPTH {
        return open != 0;
    }
    while open != 0 {
        let k = open.trailing_zeros() as i32;
        open &= open - 1;
        let inner = (a.quarter(k >> 2), b.quarter(k & 3));
        if undecided(simd, pair, inner, depth + 1) {
            return true;
        }
    }
    false
}

/// Of the pairs of quarters (quarter k / 4 of `a`, quarter k % 4 of `b`), those that no line
/// hides, a bit each.
#[simd]
fn unblocked<S: Simd, const ALONG_X: bool>(
    simd: S,
    pair: &Pair<'_, ALONG_X>,
    a: Square,
    b: Square,
    depth: usize,
) -> u32 {
    let field = pair.field;
    let from = field.squares(depth, pair.from);
    let to = field.squares(depth, pair.to);
    // Which quarter of which a lane is: major and minor, of `a` and of `b`.
    const QUARTERS: [[f32; 16]; 4] = {
        let mut quarters = [[0.0; 16]; 4];
        let mut k = 0;
        while k < 16 {
            quarters[0][k] = (k >> 2 & 1) as f32;
            quarters[1][k] = (k >> 3) as f32;
            quarters[2][k] = (k & 1) as f32;
            quarters[3][k] = (k >> 1 & 1) as f32;
            k += 1;
        }
        quarters
    };
    let side = 0.5 / a.n as f32;
    let from = pair.quarters(from, a);
    let to = pair.quarters(to, b);
    let (mut eye, mut head) = ([0.0; 16], [0.0; 16]);
    for k in 0..16 {
        eye[k] = from[k >> 2];
        head[k] = to[k & 3];
    }
    let eye = f32x16::from_slice(simd, &eye) + field.bodies.eye as f32;
    let head = f32x16::from_slice(simd, &head) + field.bodies.head as f32;
    let corner = |of: i32| (2 * of) as f32 * side - 0.5;
    let a_u = f32x16::from_slice(simd, &QUARTERS[0]) * side + corner(a.i);
    let a_v = f32x16::from_slice(simd, &QUARTERS[1]) * side + corner(a.j);
    let b_u = f32x16::from_slice(simd, &QUARTERS[2]) * side + corner(b.i) + pair.u as f32;
    let b_v = f32x16::from_slice(simd, &QUARTERS[3]) * side + corner(b.j) + pair.v as f32;
    let rise = head - eye;
    let eye = eye + field.above;
    // As in `Span`: the least part of the way is from far side to far side, the greatest from
    // near to near.
    let one = f32x16::splat(simd, 1.0);
    let near_slope = one / (b_u - a_u);
    let far_edge = a_u + side;
    // Both low edges, and both high edges, are equally far apart in the minor direction.
    let across = b_v - a_v;
    // Rows computed in single precision are off by a few units of 2⁻²⁴ of the minor distance.
    let margin = (pair.v.abs() + 2) as f32 * (8.0 / 16_777_216.0);
    let low_edge = a_v - margin;
    let high_edge = a_v + (side + margin);

    let mut open = 0xffff_u32;
    for x in pair.walls {
        if x == 0 {
            break;
        }
        let xf = x as f32;
        let far = (a_u * -1.0 + xf) * near_slope;
        let near = (far_edge * -1.0 + xf) * near_slope;
        let (y0, y1) = (across * near, across * far);
        let low = low_edge + y0.min(y1);
        let high = high_edge + y0.max(y1);
        // All the squares' lines of sight cross within two samples, and a little.
        let centre = f64::from(x) * f64::from(pair.v) / f64::from(pair.u);
        let first = (centre - 1.5).floor() as i32;
        let mut ground = [0.0; NEAR];
        for (k, ground) in ground.iter_mut().enumerate() {
            let at = pair.axes.index(field, x as i32, first + k as i32);
            *ground = field.ground.value(at);
        }
        if ground.contains(&VOID) {
            continue;
        }
        let low = low - first as f32;
        let high = high - first as f32;
        // Linear from sample to sample: least at an end, or at a sample between them.
        let mut least_low = f32x16::splat(simd, ground[0]);
        let mut least_high = least_low;
        let mut least = f32x16::splat(simd, f32::MAX);
        let zero = f32x16::splat(simd, 0.0);
        for k in 0..NEAR - 1 {
            let step = ground[k + 1] - ground[k];
            let k_low = (low - k as f32).max(zero).min(one);
            let k_high = (high - k as f32).max(zero).min(one);
            least_low += k_low * step;
            least_high += k_high * step;
            // The sample k + 1 lies between the ends iff the high end is past and the low is not.
            let next = f32x16::splat(simd, ground[k + 1]);
            let inside = k_high.simd_ge(one) & k_low.simd_lt(one);
            least = inside.select(least.min(next), least);
        }
        let least = least.min(least_low).min(least_high);
        let sight = eye + (rise * near).max(rise * far);
        let within = low.simd_ge(zero) & high.simd_le(f32x16::splat(simd, (NEAR - 1) as f32));
        let hid = (least.simd_gt(sight) & within).to_bitmask() as u32;
        if hid & open != 0 {
            open &= !hid;
            if open == 0 {
                break;
            }
        }
    }
    open
}
