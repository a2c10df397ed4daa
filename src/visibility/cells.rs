//! One displacement of view cells: which cells see the cell that lies there from them.
//!
//! A cell sees another if its sample sees the other's: that is asked first, and tells which lines
//! rise highest above the sight between the samples ([`super::walls`]). Where it does not,
//! positions between the samples may still. Lines may hide the whole cell by the test of blocks
//! ([`super::ceiling`]), or else quarter by quarter ([`super::refine`]).

use super::ceiling::Ceiling;
use super::exact::{Single, exact};
use super::lanes::{LANES, Lanes};
use super::rays::Rays;
use super::refine::refine;
use super::span::{Rectangle, Span};
use super::walls::{WALLS, Walls};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Of what the corners of both cells are higher than their samples, the share that the highest
/// line has to be above sight for quarters to be tried: with less, one cell in fifty is hidden.
const HOPE: f32 = 0.4;

/// The view cells of samples (u0, v0) to (u1, v1).
pub(super) fn cell(u0: i32, u1: i32, v0: i32, v1: i32) -> Rectangle {
    Rectangle {
        u0: f64::from(u0) - 0.5,
        u1: f64::from(u1) + 0.5,
        v0: f64::from(v0) - 0.5,
        v1: f64::from(v1) + 0.5,
    }
}

/// Which of the active lanes' cells cannot be shown not to see the cell that lies there from theirs.
#[simd]
pub(super) fn cells<S: Simd, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    single: Single<'_>,
) -> u64 {
    let Single {
        band,
        u,
        v,
        mut active,
        ..
    } = single;
    let field = rays.field;
    let span = Span::between(cell(0, 0, 0, 0), cell(u, u, v, v));
    let axis = band.axis;
    let (origin, target) = (band.index(0, 0), band.index(u, v));
    let heads = axis.head_top.as_ref().expect("tables for cells");
    let ceiling = Ceiling::<S, N>::new::<true>(simd, field, band, span, (heads, target));
    for x in rays.hot[0].before(u) {
        active &= !ceiling.pierced(simd, x);
    }
    if active == 0 {
        return 0;
    }
    let mut walls = Walls {
        lines: [[0.0; LANES]; WALLS],
        above: [0.0; LANES],
    };
    let seen = exact::<S, N>(simd, rays, Single { active, ..single }, Some(&mut walls));
    let mut open = active & !seen;
    if open == 0 {
        return seen;
    }

    // How much higher than between the samples sight may be over the highest line.
    let eye: Lanes<S, N> = axis.eye_max.patch(simd, origin);
    let eye = eye.minus(axis.eye.patch(simd, origin));
    let head: Lanes<S, N> = heads.patch(simd, target);
    let head = head.minus(axis.head.patch(simd, target));
    let lines = Lanes::<S, N>::of(simd, &walls.lines[0]);
    let way = lines.times(1.0 / u as f32);
    let higher = eye.plus(head.minus(eye).scaled(way));
    let above = Lanes::<S, N>::of(simd, &walls.above);
    let hopeless = open & higher.times(HOPE).above(above);

    let mut untried = open & above.above(higher);
    while untried != 0 {
        let line = walls.lines[0][untried.trailing_zeros() as usize];
        untried &= !lines.equal(line);
        let x = line as i32;
        if x == 0 {
            continue;
        }
        let hidden = ceiling.pierced(simd, x) & open;
        if hidden != 0 {
            open &= !hidden;
            untried &= open;
            rays.hot[0].note_once(x);
        }
    }
    let mut seen = seen | open & hopeless;
    open &= !hopeless;
    if open != 0 {
        seen |= refine(simd, rays, band, (u, v), open, &walls);
    }
    seen
}
