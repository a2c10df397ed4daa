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

use super::band::Band;
use super::ceiling::Ceiling;
use super::cells::{cell, cells};
use super::exact::{Single, exact};
use super::field::Stance;
use super::lanes::{Lanes, PATCH};
use super::rays::{Block, LEVELS, Patch, Rays};
use super::span::Span;
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
    /// What the parent has found out; `None` if it was not decided itself.
    pub parent: Option<Parent>,
}

/// What is known of the node that another is a quarter of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent {
    /// How many slabs of its list may block.
    slabs: usize,
    /// Whether they run along columns: what lies on a diagonal could be asked in both directions.
    turned: bool,
}

impl Node {
    #[inline(always)]
    fn divide(self, stack: &mut Vec<Self>, active: u64, parent: Option<Parent>) {
        let half = (1 << self.level) / 2;
        for (dp, dq) in [(half, half), (0, half), (half, 0), (0, 0)] {
            stack.push(Self {
                p: self.p + dp,
                q: self.q + dq,
                level: self.level - 1,
                active,
                parent,
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
        };
        (reach, p0.signum())
    } else if q_min >= 1 && p_max <= q_min {
        let reach = Reach {
            u0: q_min,
            u1: q_max,
            v0: p0,
            v1: p1,
        };
        (reach, q0.signum())
    } else {
        if node.level > 0 {
            node.divide(&mut rays.stack, node.active, None);
        } else {
            // No displacement at all.
            block.mark(node.p, node.q, 1, node.active);
        }
        return;
    };
    // Only the rows of the patch that are open still: the others would cost as much.
    let (band, groups) = Band::new(field, patch, node.active, turned, sign);
    match (groups, field.stance) {
        (1, Stance::Sample) => decide::<S, false, 1>(simd, rays, band, reach, node, block),
        (2, Stance::Sample) => decide::<S, false, 2>(simd, rays, band, reach, node, block),
        (3, Stance::Sample) => decide::<S, false, 3>(simd, rays, band, reach, node, block),
        (_, Stance::Sample) => decide::<S, false, 4>(simd, rays, band, reach, node, block),
        (1, Stance::Cell) => decide::<S, true, 1>(simd, rays, band, reach, node, block),
        (2, Stance::Cell) => decide::<S, true, 2>(simd, rays, band, reach, node, block),
        (3, Stance::Cell) => decide::<S, true, 3>(simd, rays, band, reach, node, block),
        (_, Stance::Cell) => decide::<S, true, 4>(simd, rays, band, reach, node, block),
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

/// Decides a node for a band of viewpoints.
#[simd]
fn decide<S: Simd, const CELLS: bool, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    band: Band<'_>,
    reach: Reach,
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let level = node.level as usize;
    let side = 1 << node.level;
    let Reach { u0, u1, v0, v1 } = reach;
    if level == 0 {
        single::<S, CELLS, N>(simd, rays, band, (u0, v0), node, block);
        return;
    }
    let span = if CELLS {
        Span::between(cell(0, 0, 0, 0), cell(u0, u1, v0, v1))
    } else {
        Span::of_samples(u0, u1, v0, v1)
    };
    let axis = band.axis;
    let (p, q) = band.turn((node.p, node.q));
    let origin = band.index(0, 0);
    let target = axis.layout.index(band.column + p, band.row + q);
    let (near, far) = (span.near, span.far);

    let heads = (&axis.head_max[level - 1], target);
    let ceiling = Ceiling::<S, N>::new::<CELLS>(simd, field, band, span, heads);
    let mut active = band.lanes(node.active);
    let hot = &mut rays.hot[level];
    for x in hot.before(u0) {
        active &= !ceiling.pierced(simd, x);
        if active == 0 {
            return;
        }
    }

    // Over slab x no sight is lower than `lowest + x · flattest`.
    let eye: Lanes<S, N> = axis.eye_min.patch(simd, origin);
    let rise = axis.head_min[level - 1].patch(simd, target).minus(eye);
    let flattest = rise.times(near.slope).min(rise.times(far.slope));
    let lowest = eye.raised(field.below).plus(
        rise.times(near.offset)
            .min(rise.times(far.offset + far.slope)),
    );
    let (low_step, high_step) = (span.low.slope.min(0), span.high.slope.max(0));
    // No segment leaves the box spanned by its ends.
    let beyond = i32::from(CELLS);
    let (first, last) = (v0.min(0) - beyond, v1.max(0) + beyond);
    let back = i32::from(band.sign < 0);
    let (lists, above) = rays.slabs.split_at_mut(level + 1);
    let kept = &mut lists[level][..];
    let slabs = match node.parent {
        Some(parent) => &above[0][..parent.slabs],
        None => &above[LEVELS - 1 - level][..u1 as usize],
    };
    let mut count = 0;
    for slab in slabs {
        if slab.lanes >> band.skipped & active == 0 {
            continue;
        }
        let x = slab.x as i32;
        if x >= u1 {
            break;
        }
        let (low, high) = (span.low.at(x), span.high.at(x));
        if x < u0 && x > 0 {
            let hid = ceiling.pierced(simd, x) & active;
            if hid != 0 {
                active &= !hid;
                hot.note(x);
                if active == 0 {
                    return;
                }
            }
        }
        let lo = (((low + low_step) >> 32) as i32).max(first);
        let hi = (((high + high_step) >> 32) as i32 + 1).min(last);
        let ground = axis
            .greatest
            .patch(simd, band.index(x + back, lo), hi - lo + 1);
        let lanes = ground.above(flattest.mul_add(x as f32, lowest)) & active;
        kept[count] = Slab {
            x: slab.x,
            lanes: lanes << band.skipped,
        };
        count += usize::from(lanes != 0);
    }

    let near = !field.too_far(
        node.p.abs().max((node.p + side - 1).abs()),
        node.q.abs().max((node.q + side - 1).abs()),
    );
    if count == 0 && node.level <= 3 && near {
        block.mark(node.p, node.q, side, band.of_patch(active));
    } else {
        let parent = Parent {
            slabs: count,
            turned: band.turned,
        };
        node.divide(&mut rays.stack, band.of_patch(active), Some(parent));
    }
}

/// Decides a single displacement, (`u`, `v`) in major and minor coordinates.
#[simd]
fn single<S: Simd, const CELLS: bool, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    band: Band<'_>,
    (u, v): (i32, i32),
    node: Node,
    block: &mut Block,
) {
    let single = Single {
        band,
        u,
        v,
        active: band.lanes(node.active),
        slabs: match node.parent {
            Some(parent) => Ok((1, parent.slabs)),
            None => Err(u as usize),
        },
    };
    let seen = if CELLS {
        cells::<S, N>(simd, rays, single)
    } else {
        exact::<S, N>(simd, rays, single, None)
    };
    if seen != 0 {
        block.mark(node.p, node.q, 1, band.of_patch(seen));
    }
}
