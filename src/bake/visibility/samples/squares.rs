//! Squares of displacements: hidden, visible, or to be quartered.
//!
//! A *displacement* is how far a target lies from its viewpoint, in columns and rows. A square of
//! displacements stands for many lines of sight: from each viewpoint of a block to every target
//! that lies so far from it.
//!
//! The *major* direction of a displacement is the one, columns or rows, in which it is at least as
//! long as in the other. Grid lines cross it at x = 1, 2, 3 ... from the viewpoint; slab x lies
//! between line x and the next. Two tests decide a square as a whole:
//!
//! - *Hidden*: one line is enough. All lines of sight cross line x within certain samples and below
//!   a certain height ([`super::bounds`]). If the least ground over these samples is higher,
//!   all of them are blocked.
//! - *Visible*: no slab may block. All lines of sight pass slab x within certain samples and above
//!   a certain height. If the greatest ground over these samples is not higher, the slab blocks
//!   none of them.
//!
//! If neither test decides, the square is quartered. The quarters look only at the slabs that the
//! whole square found to block perhaps.
//!
//! Both tests keep a margin that is greater than their rounding errors (`HeightField::above` and
//! `HeightField::below`), so that they never contradict the definition. What they leave open is
//! decided by the definition itself.
//!
//! Did not pay: 16 viewpoints in a row, or 4 × 4, in place of 8 × 8; interpolation at the ends of narrow windows on the way
//! down; all addresses first and then all loads; every other line only; crossings computed eight at a time; no squares of
//! two displacements; eight lines that hid neighbours in place of four. Most of the time goes to proving that pairs see
//! each other. Not tried: tables of 16 bits, rounded outwards.

use super::bounds::{Span, UpperBound};
use super::cells::{cell, cells};
use super::displacement::{Single, exact};
use super::filter::DisplacementSquare;
use super::height_field::LEVELS;
use super::nodes::{OpenSquare, Parent, Reach, Slab};
use super::rays::Rays;
use super::view_block::{ViewBlock, ViewpointRows};
use crate::visibility::lanes::{Lanes, SIDE};
use crate::visibility::sightline::Stance;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Decides a square, or puts its quarters on the stack.
#[simd]
pub(crate) fn visit<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    block: &ViewBlock,
    mut node: OpenSquare,
    square: &mut DisplacementSquare<'_>,
) {
    let field = rays.field;
    let side = 1 << node.level;
    let (p0, p1) = (node.p, node.p + side - 1);
    let (q0, q1) = (node.q, node.q + side - 1);
    let others = SIDE as i32 - 1;
    if q1 < -(block.row + others)
        || q0 >= field.height as i32 - block.row
        || p1 < -(block.column + others)
        || p0 >= field.width as i32 - block.column
    {
        return;
    }
    let (p_min, p_max) = (nearest(p0, p1), p0.abs().max(p1.abs()));
    let (q_min, q_max) = (nearest(q0, q1), q0.abs().max(q1.abs()));
    if rays.is_outside(p_min, q_min) || field.too_far(p_min, q_min) {
        return;
    }
    if node.level >= 3 && rays.is_done(block, block.column + p1 + others, block.row + q1 + others) {
        return;
    }
    if field.stance == Stance::Sample {
        // Cells take whole squares (`walk`): which lines are tried there depends on neighbours.
        let first = (block.column + p0, block.row + q0);
        node.active = field.places.lanes_with_heads(node.active, first, side);
        if node.active == 0 {
            return;
        }
    }
    let turned = match node.parent {
        Some(parent) => parent.turned,
        None => q_max > p_min || p_min == 0,
    };
    let (reach, sign) = if !turned {
        let reach = Reach {
            u0: p_min,
            u1: p_max,
            v0: q0,
            v1: q1,
            first: 0,
            end: p_max,
        };
        (reach, p0.signum())
    } else if p_max < q_min {
        let reach = Reach {
            u0: q_min,
            u1: q_max,
            v0: p0,
            v1: p1,
            first: 0,
            end: q_max,
        };
        (reach, q0.signum())
    } else {
        if node.level > 0 {
            node.divide(&mut rays.stack, node.active, None);
        } else {
            // No displacement at all.
            square.mark(node.p, node.q, 1, node.active);
        }
        return;
    };
    let mut reach = reach;
    if let Some(filter) = &mut square.filter {
        filter.narrow(field, block, (turned, sign), &mut node, &mut reach);
        if node.active == 0 {
            return;
        }
    }
    // Rows of viewpoints that are decided already would cost as much as the others: leave them out.
    let (rows, groups) = ViewpointRows::new(field, block, node.active, turned, sign);
    match (groups, field.stance) {
        (1, Stance::Sample) => decide::<S, false, 1>(simd, rays, rows, reach, node, square),
        (2, Stance::Sample) => decide::<S, false, 2>(simd, rays, rows, reach, node, square),
        (3, Stance::Sample) => decide::<S, false, 3>(simd, rays, rows, reach, node, square),
        (_, Stance::Sample) => decide::<S, false, 4>(simd, rays, rows, reach, node, square),
        (1, Stance::Cell) => decide::<S, true, 1>(simd, rays, rows, reach, node, square),
        (2, Stance::Cell) => decide::<S, true, 2>(simd, rays, rows, reach, node, square),
        (3, Stance::Cell) => decide::<S, true, 3>(simd, rays, rows, reach, node, square),
        (_, Stance::Cell) => decide::<S, true, 4>(simd, rays, rows, reach, node, square),
    }
}

/// The least distance from 0 of the numbers from `a` to `b`.
fn nearest(a: i32, b: i32) -> i32 {
    if a > 0 {
        a
    } else if b < 0 {
        -b
    } else {
        0
    }
}

/// Decides a square for some rows of viewpoints.
#[simd]
fn decide<S: Simd, const CELLS: bool, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    rows: ViewpointRows<'_>,
    reach: Reach,
    node: OpenSquare,
    square: &mut DisplacementSquare<'_>,
) {
    let field = rays.field;
    let level = node.level as usize;
    let side = 1 << node.level;
    let Reach { u0, u1, v0, v1, .. } = reach;
    if level == 0 {
        single::<S, CELLS, N>(simd, rays, rows, reach, node, square);
        return;
    }
    let span = if CELLS {
        Span::between(cell(0, 0, 0, 0), cell(u0, u1, v0, v1))
    } else {
        Span::of_samples(u0, u1, v0, v1)
    };
    let axis = rows.axis;
    let (p, q) = rows.turn((node.p, node.q));
    let origin = rows.index(0, 0);
    let target = axis.layout.index(rows.column + p, rows.row + q);
    let (near, far) = (span.near, span.far);

    let heads = (&axis.head_max[level - 1], target);
    let bound = UpperBound::<S, N>::new::<CELLS>(simd, field, rows, span, heads);
    let mut active = rows.lanes(node.active);
    let cached = &mut rays.cached[level];
    for x in cached.before(u0) {
        active &= !bound.hidden_by(simd, x);
        if active == 0 {
            square.hide(&node, node.active);
            return;
        }
    }

    // Over slab x no sight is lower than `lowest + x · flattest`.
    let eye: Lanes<S, N> = axis.eye_min.load(simd, origin);
    let rise = axis.head_min[level - 1].load(simd, target).minus(eye);
    let flattest = rise.times(near.slope).min(rise.times(far.slope));
    let lowest = eye.raised(field.below).plus(
        rise.times(near.offset)
            .min(rise.times(far.offset + far.slope)),
    );
    let (low_step, high_step) = (span.low.slope.min(0), span.high.slope.max(0));
    // No segment leaves the box spanned by its ends.
    let beyond = i32::from(CELLS);
    let (first, last) = (v0.min(0) - beyond, v1.max(0) + beyond);
    let back = i32::from(rows.sign < 0);
    let (lists, above) = rays.slabs.split_at_mut(level + 1);
    let kept = &mut lists[level][..];
    let slabs = match node.parent {
        Some(parent) => &above[0][..parent.slabs],
        None => &above[LEVELS - 1 - level][reach.first as usize..reach.end as usize],
    };
    let mut count = 0;
    for slab in slabs {
        if slab.lanes >> rows.skipped & active == 0 {
            continue;
        }
        let x = slab.x as i32;
        if x >= u1 {
            break;
        }
        let (low, high) = (span.low.at(x), span.high.at(x));
        if x < u0 && x > 0 {
            let hid = bound.hidden_by(simd, x) & active;
            if hid != 0 {
                active &= !hid;
                cached.note(x);
                if active == 0 {
                    square.hide(&node, node.active);
                    return;
                }
            }
        }
        let lo = (((low + low_step) >> 32) as i32).max(first);
        let hi = (((high + high_step) >> 32) as i32 + 1).min(last);
        let ground = axis
            .greatest
            .load(simd, rows.index(x + back, lo), hi - lo + 1);
        let lanes = ground.above(flattest.mul_add(x as f32, lowest)) & active;
        kept[count] = Slab {
            x: slab.x,
            lanes: lanes << rows.skipped,
        };
        count += usize::from(lanes != 0);
    }

    square.hide(&node, node.active & !rows.of_block(active));
    let near = !field.too_far(
        node.p.abs().max((node.p + side - 1).abs()),
        node.q.abs().max((node.q + side - 1).abs()),
    );
    if count == 0 && node.level <= 3 && near {
        square.mark(node.p, node.q, side, rows.of_block(active));
    } else {
        let parent = Parent {
            slabs: count,
            turned: rows.turned,
        };
        node.divide(&mut rays.stack, rows.of_block(active), Some(parent));
    }
}

/// Decides a single displacement.
#[simd]
fn single<S: Simd, const CELLS: bool, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    rows: ViewpointRows<'_>,
    reach: Reach,
    node: OpenSquare,
    square: &mut DisplacementSquare<'_>,
) {
    let single = Single {
        rows,
        u: reach.u0,
        v: reach.v0,
        active: rows.lanes(node.active),
        slabs: match node.parent {
            Some(parent) => Ok((1, parent.slabs)),
            None => Err((reach.first as usize, reach.end as usize)),
        },
    };
    let seen = if CELLS {
        cells::<S, N>(simd, rays, single)
    } else {
        exact::<S, N>(simd, rays, single, None)
    };
    if seen != 0 {
        square.mark(node.p, node.q, 1, rows.of_block(seen));
    }
    square.hide(&node, node.active);
}
