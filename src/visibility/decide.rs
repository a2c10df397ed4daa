//! Blocks of displacements: hidden, visible, or to be divided.
//!
//! Each pair of a block has a *major* direction, columns or rows, in which it is at least as far
//! apart as in the other. Across it run grid lines, x = 1, 2, 3 ... from the viewpoint, and
//! between line x and the next lies slab x. Two tests of a line or slab decide blocks:
//!
//! - *Hidden*: over line x, every line of sight of the block passes within some samples and no
//!   higher than some height. If the least ground over these samples is higher, all are blocked.
//! - *Clear*: over slab x, every line of sight passes within some samples and no lower than some
//!   height. If the greatest ground over these samples is not higher, the slab blocks none of
//!   them. The slabs that may block are handed down to the block's quarters; where none is
//!   left, all is visible.
//!
//! Both are one-sided by more than their rounding errors (`Field::above` and `Field::below`), so
//! that they never contradict the definition; what they leave open is decided by it.

use super::exact::exact;
use super::field::Stance;
use super::lanes::{LANES, PATCH};
use super::rays::{Block, HOT, LEVELS, Patch, Rays};
use super::refine::refine;
use super::ridge::{WALLS, ridges};
use super::span::{Axes, Rectangle, Span};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// A block of displacements still to be decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Least column and row displacement.
    pub p: i32,
    pub q: i32,
    /// Side is 2^level.
    pub level: u32,
    /// Lanes not yet known to be hidden.
    pub active: u64,
    /// How many slabs of the parent's list may block; `None` if the parent has made no list.
    pub slabs: Option<usize>,
}

impl Node {
    #[inline(always)]
    fn divide(self, stack: &mut Vec<Self>, active: u64, slabs: Option<usize>) {
        let half = (1 << self.level) / 2;
        for (dp, dq) in [(half, half), (0, half), (half, 0), (0, 0)] {
            stack.push(Self {
                p: self.p + dp,
                q: self.q + dq,
                level: self.level - 1,
                active,
                slabs,
            });
        }
    }
}

/// The strip between two neighbouring grid lines across the major direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    /// The nearer line, counted from the viewpoint.
    pub x: u32,
    /// Lanes whose sight it may block.
    pub lanes: u64,
}

/// The displacements of a node, in major and minor coordinates.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Least and greatest major distance, from 1.
    pub u0: i32,
    pub u1: i32,
    /// Least and greatest minor displacement, of either sign.
    pub v0: i32,
    pub v1: i32,
}

/// Decides a node, or puts its quarters on the stack.
#[simd]
pub(super) fn visit<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    patch: &Patch,
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let side = 1 << node.level;
    let (p0, p1) = (node.p, node.p + side - 1);
    let (q0, q1) = (node.q, node.q + side - 1);
    let others = PATCH as i32 - 1;
    if q1 < -(patch.row + others)
        || q0 >= field.height as i32 - patch.row
        || p1 < -(patch.column + others)
        || p0 >= field.width as i32 - patch.column
    {
        return;
    }
    let (p_min, p_max) = (nearest(p0, p1), p0.abs().max(p1.abs()));
    let (q_min, q_max) = (nearest(q0, q1), q0.abs().max(q1.abs()));
    if field.too_far(p_min, q_min) {
        return;
    }
    if node.level >= 3 && rays.is_done(patch, patch.column + p1 + others, patch.row + q1 + others) {
        return;
    }
    let cells = field.stance == Stance::Cell;
    if p_min >= 1 && q_max <= p_min {
        let reach = Reach {
            u0: p_min,
            u1: p_max,
            v0: q0,
            v1: q1,
        };
        let axes = Axes::<true> {
            column: patch.column,
            row: patch.row,
            sign: p0.signum(),
        };
        if cells {
            decide::<S, true, true>(simd, rays, axes, reach, patch, node, block);
        } else {
            decide::<S, true, false>(simd, rays, axes, reach, patch, node, block);
        }
    } else if q_min >= 1 && p_max <= q_min {
        let reach = Reach {
            u0: q_min,
            u1: q_max,
            v0: p0,
            v1: p1,
        };
        let axes = Axes::<false> {
            column: patch.column,
            row: patch.row,
            sign: q0.signum(),
        };
        if cells {
            decide::<S, false, true>(simd, rays, axes, reach, patch, node, block);
        } else {
            decide::<S, false, false>(simd, rays, axes, reach, patch, node, block);
        }
    } else if node.level > 0 {
        node.divide(&mut rays.stack, node.active, None);
    } else {
        // No displacement at all.
        block.mark(node.p, node.q, 1, node.active);
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

#[simd]
fn decide<S: Simd, const ALONG_X: bool, const CELLS: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    axes: Axes<ALONG_X>,
    reach: Reach,
    patch: &Patch,
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let level = node.level as usize;
    let side = 1 << node.level;
    let Reach { u0, u1, v0, v1 } = reach;
    if level == 0 {
        single::<S, ALONG_X, CELLS>(simd, rays, axes, (u0, v0), patch, node, block);
        return;
    }
    let span = if CELLS {
        Span::between(cell(0, 0, 0, 0), cell(u0, u1, v0, v1))
    } else {
        Span::of_samples(u0, u1, v0, v1)
    };
    let bounds = &field.bounds[usize::from(!ALONG_X)];
    let origin = field.layout.index(patch.column, patch.row);
    let target = field
        .layout
        .index(patch.column + node.p, patch.row + node.q);
    let (near, far) = (span.near, span.far);

    // Over line x no sight is higher than `highest + x · steepest`.
    let eye = field.eye_max.patch(simd, origin);
    let rise = field.head_max[level].patch(simd, target).minus(eye);
    let steepest = rise.times(near.slope).max(rise.times(far.slope));
    let mut highest = eye.raised(field.above);
    if CELLS {
        highest = highest.plus(rise.times(near.offset).max(rise.times(far.offset)));
    }
    let mut active = node.active;
    let hot = &mut rays.hot[level];
    for at in (0..HOT).rev() {
        let x = hot[at] as i32;
        if x == 0 || x >= u0 {
            continue;
        }
        let lo = (span.low.at(x) >> 32) as i32;
        let hi = (span.high.at(x) >> 32) as i32;
        let least = bounds
            .least
            .patch(simd, axes.index(field, x, lo), hi - lo + 2);
        active &= !least.above(steepest.mul_add(x as f32, highest));
        if active == 0 {
            return;
        }
    }

    // Over slab x no sight is lower than `lowest + x · flattest`.
    let eye = field.eye_min.patch(simd, origin);
    let rise = field.head_min[level].patch(simd, target).minus(eye);
    let flattest = rise.times(near.slope).min(rise.times(far.slope));
    let lowest = eye.raised(field.below).plus(
        rise.times(near.offset)
            .min(rise.times(far.offset + far.slope)),
    );
    let (low_step, high_step) = (span.low.slope.min(0), span.high.slope.max(0));
    // No segment leaves the box spanned by its ends.
    let beyond = i32::from(CELLS);
    let (first, last) = (v0.min(0) - beyond, v1.max(0) + beyond);
    let back = i32::from(axes.sign < 0);
    let (lists, above) = rays.slabs.split_at_mut(level + 1);
    let kept = &mut lists[level][..];
    let slabs = match node.slabs {
        Some(count) => &above[0][..count],
        None => &above[LEVELS - 1 - level][..u1 as usize],
    };
    let mut count = 0;
    for slab in slabs {
        if slab.lanes & active == 0 {
            continue;
        }
        let x = slab.x as i32;
        if x >= u1 {
            break;
        }
        let (low, high) = (span.low.at(x), span.high.at(x));
        if x < u0 && x > 0 {
            let lo = (low >> 32) as i32;
            let hi = (high >> 32) as i32;
            let least = bounds
                .least
                .patch(simd, axes.index(field, x, lo), hi - lo + 2);
            let hid = least.above(steepest.mul_add(x as f32, highest)) & active;
            if hid != 0 {
                active &= !hid;
                *hot = [hot[1], hot[2], hot[3], slab.x];
                if active == 0 {
                    return;
                }
            }
        }
        let lo = (((low + low_step) >> 32) as i32).max(first);
        let hi = (((high + high_step) >> 32) as i32 + 1).min(last);
        let greatest = bounds
            .greatest
            .patch(simd, axes.index(field, x + back, lo), hi - lo + 1);
        let lanes = greatest.above(flattest.mul_add(x as f32, lowest)) & active;
        kept[count] = Slab { x: slab.x, lanes };
        count += usize::from(lanes != 0);
    }

    let near = !field.too_far(
        node.p.abs().max((node.p + side - 1).abs()),
        node.q.abs().max((node.q + side - 1).abs()),
    );
    if count == 0 && node.level <= 3 && near {
        block.mark(node.p, node.q, side, active);
    } else {
        node.divide(&mut rays.stack, active, Some(count));
    }
}

/// The view cells of samples (u0, v0) to (u1, v1).
fn cell(u0: i32, u1: i32, v0: i32, v1: i32) -> Rectangle {
    Rectangle {
        u0: f64::from(u0) - 0.5,
        u1: f64::from(u1) + 0.5,
        v0: f64::from(v0) - 0.5,
        v1: f64::from(v1) + 0.5,
    }
}

/// Decides a single displacement, (`u`, `v`) in major and minor coordinates.
#[simd]
fn single<S: Simd, const ALONG_X: bool, const CELLS: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    axes: Axes<ALONG_X>,
    (u, v): (i32, i32),
    patch: &Patch,
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let Node { p, q, active, .. } = node;
    let slabs = node.slabs.map_or(Err(u as usize), |count| Ok((1, count)));
    let mut walls = [[0.0; LANES]; WALLS];
    let mut seen =
        exact::<S, ALONG_X, CELLS>(simd, rays, axes, patch, (p, q), active, slabs, &mut walls);
    if CELLS {
        // A cell sees another if one sample sees the other, or some positions do.
        let open = active & !seen;
        if open != 0 {
            let (hidden, hope) = ridges(simd, field, &walls, axes, (u, v), patch, (p, q), open);
            let open = open & !hidden;
            if open != 0 {
                seen |= refine(
                    simd,
                    field,
                    axes,
                    (u, v),
                    patch,
                    (p, q),
                    (open, hope),
                    &walls,
                );
            }
        }
    }
    if seen != 0 {
        block.mark(p, q, 1, seen);
    }
}
