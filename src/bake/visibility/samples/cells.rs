//! One displacement of view cells: which cells see the cell that lies there from them.
//!
//! In steps, each for what the one before leaves open:
//!
//! 1. The lines that have hidden neighbours may hide the whole cell, too ([`super::bounds`]).
//! 2. If a cell's sample sees the other's sample, the cell sees the other cell. This is decided
//!    exactly, and finds the occluders on the way ([`super::displacement`]).
//! 3. Where the samples are hidden from each other, other positions in the cells may still see each
//!    other. The highest occluder may hide the whole cell.
//! 4. Else occluders may hide it quarter by quarter ([`super::refine`]).
//! 5. Else any other line may hide the whole cell.
//!
//! What is still open then counts as visible.
//!
//! Which lines are tried depends on neighbours, and on the end that is asked. So what is found hidden
//! depends a little on how a terrain lies on its grid: see ARCHITECTURE.md, "What does not depend on
//! orientation, and what does".
//!
//! Did not pay: squares of one displacement tested like larger ones; every line against whole cells (0.1 % for a quarter
//! more time); whole cells by the slope on the highest line before quarters (0.5 % for 11 %). Without the last test 7 to 12
//! % less time and up to 1 % more visible.

use super::bounds::UpperBound;
use super::bounds::{Rectangle, Span};
use super::displacement::{OCCLUDERS, Occluders};
use super::displacement::{Single, exact};
use super::height_field::LEVELS;
use super::rays::Rays;
use super::refine::refine;
use crate::visibility::lanes::{LANES, Lanes};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// When it pays to try quarters: the highest occluder has to rise above the line of sight between
/// the samples by at least this share of what the corners of both cells rise above their samples.
/// Of the pairs with less, one in fifty would be found hidden.
const LEAST_RISE: f32 = 0.4;

/// The view cells of samples (u0, v0) to (u1, v1).
pub(crate) fn cell(u0: i32, u1: i32, v0: i32, v1: i32) -> Rectangle {
    Rectangle {
        u0: f64::from(u0) - 0.5,
        u1: f64::from(u1) + 0.5,
        v0: f64::from(v0) - 0.5,
        v1: f64::from(v1) + 0.5,
    }
}

/// Which of the active lanes' cells cannot be shown not to see the cell that lies there from theirs.
#[simd]
pub(crate) fn cells<S: Simd, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    single: Single<'_>,
) -> u64 {
    let Single {
        rows,
        u,
        v,
        mut active,
        ..
    } = single;
    let field = rays.field;
    let span = Span::between(cell(0, 0, 0, 0), cell(u, u, v, v));
    let axis = rows.axis;
    let (origin, target) = (rows.index(0, 0), rows.index(u, v));
    let heads = axis.head_top.as_ref().expect("tables for cells");
    let bound = UpperBound::<S, N>::new::<true>(simd, field, rows, span, (heads, target));
    for x in rays.cached[0].before(u) {
        active &= !bound.hidden_by(simd, x);
    }
    if active == 0 {
        return 0;
    }
    let mut occluders = Occluders {
        lines: [[0.0; LANES]; OCCLUDERS],
        above: [0.0; LANES],
    };
    let seen = exact::<S, N>(
        simd,
        rays,
        Single { active, ..single },
        Some(&mut occluders),
    );
    let mut open = active & !seen;
    if open == 0 {
        return seen;
    }

    // How much higher than between the samples sight may be over the highest line.
    let eye: Lanes<S, N> = axis.eye_max.load(simd, origin);
    let eye = eye.minus(axis.eye.load(simd, origin));
    let head: Lanes<S, N> = heads.load(simd, target);
    let head = head.minus(axis.head.load(simd, target));
    let lines = Lanes::<S, N>::of(simd, &occluders.lines[0]);
    let way = lines.times(1.0 / u as f32);
    let higher = eye.plus(head.minus(eye).scaled(way));
    let above = Lanes::<S, N>::of(simd, &occluders.above);
    let not_tried = open & higher.times(LEAST_RISE).above(above);

    let mut untried = open & above.above(higher);
    while untried != 0 {
        let line = occluders.lines[0][untried.trailing_zeros() as usize];
        untried &= !lines.equal(line);
        let x = line as i32;
        if x == 0 {
            continue;
        }
        let hidden = bound.hidden_by(simd, x) & open;
        if hidden != 0 {
            open &= !hidden;
            untried &= open;
            rays.cached[0].note_once(x);
        }
    }
    let tried = open & !not_tried;
    if tried != 0 {
        open = open & not_tried | refine(simd, rays, rows, (u, v), tried, &occluders);
    }

    // Any line may hide the whole cell.
    let slabs = match single.slabs {
        Ok((level, count)) => &rays.slabs[level][..count],
        Err((first, end)) => &rays.slabs[LEVELS][first..end],
    };
    for slab in slabs {
        let x = slab.x as i32;
        if open == 0 {
            break;
        }
        if slab.lanes >> rows.skipped & open != 0 && (1..u).contains(&x) {
            open &= !bound.hidden_by(simd, x);
        }
    }
    seen | open
}
