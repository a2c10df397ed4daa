//! One displacement: who sees the sample there, exactly.

use super::lanes::{Lanes, PATCH};
use super::rays::{HOT, LEVELS, Patch, Rays};
use super::ridge::{Highest, WALLS, Walls};
use super::sightline::sees;
use super::span::Axes;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Which of the `active` lanes see the sample displaced by (`p`, `q`) from theirs, by the
/// definition.
///
/// For cells, `walls` tells of the lanes that do not what hides them.
///
/// `slabs` says which may block: the first so many of a level's list, or as error all up to
/// the target.
#[simd]
#[allow(clippy::too_many_arguments)]
pub(super) fn exact<S: Simd, const ALONG_X: bool, const CELLS: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    axes: Axes<ALONG_X>,
    patch: &Patch,
    (p, q): (i32, i32),
    active: u64,
    slabs: Result<(usize, usize), usize>,
    walls: &mut Walls,
) -> u64 {
    let field = rays.field;
    let (u, v) = if ALONG_X { (p.abs(), q) } else { (q.abs(), p) };
    let origin = field.layout.index(patch.column, patch.row);
    let target = field.layout.index(patch.column + p, patch.row + q);
    let eye = field.eye.patch(simd, origin);
    let rise = field.head.patch(simd, target).minus(eye);
    let eye_above = eye.raised(field.above);
    let inv_u = 1.0 / f64::from(u);
    let inv_v = if v == 0 {
        0.0
    } else {
        1.0 / f64::from(v.abs())
    };
    // How far terrain rises above sight, less the eye.
    let mut highest = Lanes::splat(simd, f32::MIN);
    let mut left = active;
    // Cells need all lines: no hot ones first, and no end before the last.
    let mut ranking = Highest::none(simd);
    let mut third = 0;
    let hottest = if CELLS { 0 } else { HOT };
    let hot = rays.hot[0];
    let slabs = match slabs {
        Ok((level, count)) => &rays.slabs[level][..count],
        Err(count) => &rays.slabs[LEVELS][..count],
    };
    for at in 0..hottest + slabs.len() {
        let (x, lanes) = if at < hottest {
            (hot[HOT - 1 - at], !0)
        } else {
            (slabs[at - hottest].x, slabs[at - hottest].lanes)
        };
        let x = x as i32;
        if x >= u || at < hottest && x == 0 || lanes & left == 0 {
            continue;
        }
        if CELLS {
            third = WALLS * at / slabs.len();
        }
        let xv = i64::from(x) * i64::from(v);
        // x·v / u is a whole number, or at least 1/u from one.
        let whole = (xv as f64 * inv_u + 1e-7).floor() as i32;
        let rest = (xv - i64::from(whole) * i64::from(u)) as i32;
        if x >= 1 {
            let first = field.ground.patch(simd, axes.index(field, x, whole));
            let second = field.ground.patch(simd, axes.index(field, x, whole + 1));
            let terrain = first.towards(second, (f64::from(rest) * inv_u) as f32);
            let t = (f64::from(x) * inv_u) as f32;
            let above = rise.mul_add(-t, terrain);
            highest = highest.max(above);
            if CELLS {
                ranking.note(simd, third, x, above);
            }
        }
        // The line at j in the minor direction, if it is crossed strictly between x and x + 1.
        let (j, past) = if v >= 0 {
            (whole + 1, rest + v - u)
        } else if rest == 0 {
            (whole - 1, -v - u)
        } else {
            (whole, -v - rest)
        };
        if past > 0 {
            // `past`: how far beyond j the segment is at x + 1, in 1/u of a sample.
            let first = field.ground.patch(simd, axes.index(field, x, j));
            let second = field.ground.patch(simd, axes.index(field, x + 1, j));
            let terrain = first.towards(second, 1.0 - (f64::from(past) * inv_v) as f32);
            let t = (f64::from(j.abs()) * inv_v) as f32;
            highest = highest.max(rise.mul_add(-t, terrain));
        }
        if !CELLS && at % 4 == 3 {
            let before = left;
            left = active & !highest.above(eye_above);
            if left != before && at >= HOT {
                let hot = &mut rays.hot[0];
                *hot = [hot[1], hot[2], hot[3], x as u32];
            }
            if left == 0 {
                return 0;
            }
        }
    }
    if CELLS {
        *walls = ranking.walls();
    }
    let mut seen = active & !highest.above(eye_above);
    let mut unsure = seen & highest.above(eye.raised(field.below));
    while unsure != 0 {
        let i = unsure.trailing_zeros() as i32;
        unsure &= unsure - 1;
        let side = PATCH as i32;
        let a = (patch.column + i % side, patch.row + i / side);
        let b = (a.0 + p, a.1 + q);
        let there =
            (0..field.width as i32).contains(&b.0) && (0..field.height as i32).contains(&b.1);
        let [a, b] = [a, b].map(|(c, r)| (c as u32, r as u32));
        if !there || !sees(rays.terrain, field.bodies, a, b) {
            seen &= !(1 << i);
        }
    }
    seen
}
