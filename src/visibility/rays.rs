//! Exact visibility from patches of 4 × 4 viewpoints to every target: the fast kernel.

use super::field::{Bounds, Field, Lanes, PATCH, TOP};
use super::sightline::sees;
use crate::world::Terrain;
use fearless_simd::{Level, dispatch, prelude::*};
use fearless_simd_macros::simd;

/// Side of a block of viewpoints, computed in one call. [Unit: samples]
pub const BLOCK: u32 = 16;

/// Viewpoints of a patch: lane i is column i % 8, row i / 8.
const LANES: usize = PATCH * PATCH;

/// A block of displacements still to be decided.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Least column and row displacement.
    p: i32,
    q: i32,
    /// Side is 2^level.
    level: u32,
    /// Lanes not yet known to be hidden.
    active: u64,
    /// How many slabs of the parent's list may block; `None` if the parent has made no list.
    slabs: Option<usize>,
}

/// The strip between two neighbouring lines across the major direction.
#[derive(Clone, Copy, Debug)]
struct Slab {
    /// The nearer line, counted from the viewpoint.
    x: u32,
    /// Lanes whose sight it may block.
    lanes: u64,
}

/// Levels of nodes: 1, 2, 4 ... `TOP`.
const LEVELS: usize = TOP.ilog2() as usize + 1;

/// How many columns that hid some lane are tried first on the next nodes.
const HOT: usize = 4;

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    terrain: &'f Terrain,
    field: &'f Field,
    level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// 0, 1, 2 ....
    slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level the columns that have hidden some lane, the last ones last.
    hot: [[u32; HOT]; LEVELS],
    stack: Vec<Node>,
    pub tight: usize,
    pub filter: bool,
    pub counts: [u64; 8],
    pub tests: [u64; 8],
    pub ends: [[u64; 3]; 8],
}

impl<'f> Rays<'f> {
    /// A kernel over `field`, which was made of `terrain`, at a SIMD level; the level does not
    /// change any answer.
    pub fn new(terrain: &'f Terrain, field: &'f Field, level: Level) -> Self {
        Self {
            terrain,
            field,
            level,
            slabs: std::array::from_fn(|_| {
                (0..2 * TOP + field.width.max(field.height))
                    .map(|x| Slab { x: x as u32, lanes: !0 })
                    .collect()
            }),
            hot: [[0; HOT]; LEVELS],
            stack: Vec::new(),
            filter: std::env::var("FILTER").is_ok(),
            tight: std::env::var("TIGHT").map_or(1, |s| s.parse().unwrap()),
            counts: [0; 8],
            tests: [0; 8],
            ends: [[0; 3]; 8],
        }
    }

    /// Words of one bitmap: a `u64` for every 8 × 8 block, row by row.
    pub fn words(&self) -> usize {
        self.field.valid.len()
    }

    /// Writes what the viewpoints (column .. column + 16, row .. row + 16) see into 256 bitmaps,
    /// one after the other in Morton order (children north-west, north-east, south-west,
    /// south-east). Bits outside the grid and of voids are 0.
    ///
    /// Panics unless `column` and `row` are multiples of 16 and `bitmaps` holds 256 bitmaps.
    pub fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        assert!(column.is_multiple_of(BLOCK) && row.is_multiple_of(BLOCK));
        assert_eq!(bitmaps.len(), (BLOCK * BLOCK) as usize * self.words());
        bitmaps.fill(0);
        let level = self.level;
        dispatch!(level, simd => walk(simd, self, column as usize, row as usize, bitmaps));
        for bitmap in bitmaps.chunks_exact_mut(self.words()) {
            for (word, valid) in bitmap.iter_mut().zip(&self.field.valid) {
                *word &= valid;
            }
        }
    }
}

/// A patch of viewpoints.
struct Patch {
    /// Its north-western viewpoint.
    column: i32,
    row: i32,
    /// Lanes with terrain to stand on.
    standing: u64,
    /// Place of the first lane's bitmap.
    bitmap: usize,
}

/// Masks of one 8 × 8 block of displacements, a bit a lane.
struct Block {
    p: i32,
    q: i32,
    any: bool,
    masks: [u64; 64],
}

/// Place in Morton order of (column, row), each below 16.
fn morton(column: usize, row: usize) -> usize {
    let spread = |x: usize| x & 1 | (x & 2) << 1 | (x & 4) << 2 | (x & 8) << 3;
    spread(column) | spread(row) << 1
}

/// The lanes of a patch that have terrain to stand on.
fn standing(terrain: &Terrain, column: usize, row: usize) -> u64 {
    (0..LANES).fold(0, |lanes, i| {
        let (c, r) = ((column + i % PATCH) as u32, (row + i / PATCH) as u32);
        let stands = c < terrain.width() && r < terrain.height() && !terrain.at(c, r).is_nan();
        lanes | u64::from(stands) << i
    })
}

#[simd]
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, column: usize, row: usize, bitmaps: &mut [u64]) {
    let field = rays.field;
    let patches: [Patch; 4] = std::array::from_fn(|i| {
        let (column, row) = (column + i % 2 * PATCH, row + i / 2 * PATCH);
        Patch {
            column: column as i32,
            row: row as i32,
            standing: standing(rays.terrain, column, row),
            bitmap: morton(column % BLOCK as usize, row % BLOCK as usize),
        }
    });
    let mut block = Block {
        p: 0,
        q: 0,
        any: false,
        masks: [0; 64],
    };
    // All patches look at the same targets in turn: the terrain between stays in the cache.
    // Displacements are from a patch's first lane, so that a block of them begins up to a patch
    // outside the grid for the others.
    let top = TOP as i32;
    for y in (-top..field.height as i32).step_by(TOP) {
        for x in (-top..field.width as i32).step_by(TOP) {
            for patch in &patches {
                if patch.standing == 0 {
                    continue;
                }
                let origin = field.index(patch.column, patch.row);
                let eye = field.eye.patch(simd, origin);
                rays.stack.push(Node {
                    p: x - patch.column,
                    q: y - patch.row,
                    level: LEVELS as u32 - 1,
                    active: patch.standing,
                    slabs: None,
                });
                while let Some(node) = rays.stack.pop() {
                    if node.level >= 3 {
                        flush(field, &mut block, patch, bitmaps);
                        block.p = node.p;
                        block.q = node.q;
                    }
                    visit(simd, rays, eye, patch, node, &mut block);
                }
                flush(field, &mut block, patch, bitmaps);
            }
        }
    }
}

/// Writes a finished block of displacements into the bitmaps of its lanes.
#[inline(always)]
fn flush(field: &Field, block: &mut Block, patch: &Patch, bitmaps: &mut [u64]) {
    if !block.any {
        return;
    }
    block.any = false;
    let mut by_lane = block.masks;
    transpose(&mut by_lane);
    block.masks = [0; 64];
    let blocks_x = field.width.div_ceil(8);
    let words = field.valid.len();
    let blocks_y = words / blocks_x;
    let column = (patch.column + block.p).div_euclid(8);
    let row = (patch.row + block.q).div_euclid(8);
    for (i, &bits) in by_lane.iter().enumerate() {
        if bits == 0 {
            continue;
        }
        let bitmap = &mut bitmaps[(patch.bitmap + morton(i % PATCH, i / PATCH)) * words..][..words];
        let mut put = |column: i32, row: i32, bits: u64| {
            let (x, y) = (column as usize, row as usize);
            if bits != 0 && x < blocks_x && y < blocks_y {
                bitmap[y * blocks_x + x] |= bits;
            }
        };
        // Displaced by the lane's own place, the block spills into its neighbours.
        let (right, down) = (i % PATCH, i / PATCH);
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> right);
        let here = (bits & stay) << right;
        let next = if right > 0 {
            (bits & !stay) >> (8 - right)
        } else {
            0
        };
        put(column, row, here << (8 * down));
        put(column + 1, row, next << (8 * down));
        if down > 0 {
            put(column, row + 1, here >> (64 - 8 * down));
            put(column + 1, row + 1, next >> (64 - 8 * down));
        }
    }
}

/// Transposes a 64 × 64 bit matrix: bit j of word i becomes bit i of word j.
#[inline(always)]
fn transpose(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width > 0 {
        let mut i = 0;
        while i < 64 {
            for k in i..i + width {
                let swap = (words[k] >> width ^ words[k + width]) & mask;
                words[k] ^= swap << width;
                words[k + width] ^= swap;
            }
            i += 2 * width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[simd]
fn visit<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    eye: Lanes<S>,
    patch: &Patch,
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let level = node.level as usize;
    let size = 1 << node.level;
    let (p0, p1) = (node.p, node.p + size - 1);
    let (q0, q1) = (node.q, node.q + size - 1);
    let reach = PATCH as i32 - 1;
    if q1 < -(patch.row + reach)
        || q0 >= field.height as i32 - patch.row
        || p1 < -(patch.column + reach)
        || p0 >= field.width as i32 - patch.column
    {
        return;
    }
    rays.counts[level] += 1;
    let nearest = |a: i32, b: i32| {
        if a > 0 {
            a
        } else if b < 0 {
            -b
        } else {
            0
        }
    };
    let (p_min, p_max) = (nearest(p0, p1), p0.abs().max(p1.abs()));
    let (q_min, q_max) = (nearest(q0, q1), q0.abs().max(q1.abs()));
    // The major direction, in which every pair of the block is apart by at least as much as in
    // the other.
    let along_x = p_min >= 1 && q_max <= p_min;
    if !along_x && !(q_min >= 1 && p_max <= q_min) {
        if node.level == 0 {
            // No displacement at all.
            block.masks[((node.q - block.q) * 8 + node.p - block.p) as usize] = node.active;
            block.any = true;
        } else {
            push_children(&mut rays.stack, node, node.active, None);
        }
        return;
    }
    let (u0, u1, v0, v1, backward, bounds) = if along_x {
        (p_min, p_max, q0, q1, p0 < 0, &field.bounds[0])
    } else {
        (q_min, q_max, p0, p1, q0 < 0, &field.bounds[1])
    };
    let reach = Reach { u0, u1, v0, v1, backward };
    if along_x {
        decide::<S, true>(simd, rays, eye, patch, node, reach, bounds, block);
    } else {
        decide::<S, false>(simd, rays, eye, patch, node, reach, bounds, block);
    }
}

/// The displacements of a node, in major and minor coordinates.
#[derive(Clone, Copy)]
struct Reach {
    /// Least and greatest major distance, from 1.
    u0: i32,
    u1: i32,
    /// Least and greatest minor displacement, of either sign.
    v0: i32,
    v1: i32,
    /// Whether the major displacement is negative.
    backward: bool,
}

#[simd]
#[allow(clippy::too_many_arguments)]
fn decide<S: Simd, const ALONG_X: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    eye: Lanes<S>,
    patch: &Patch,
    node: Node,
    reach: Reach,
    bounds: &Bounds,
    block: &mut Block,
) {
    let field = rays.field;
    let level = node.level as usize;
    let size = 1 << node.level;
    let Reach { u0, u1, v0, v1, backward } = reach;
    let axes = Axes::<ALONG_X> {
        column: patch.column,
        row: patch.row,
        sign: if backward { -1 } else { 1 },
    };
    let target = field.index(patch.column + node.p, patch.row + node.q);
    let rise_max = field.head_max[level].patch(simd, target).minus(eye);
    let (inv_near, inv_far) = (1.0 / u0 as f32, 1.0 / u1 as f32);
    // Least and greatest slope of a line of sight, minor over major, in 2⁻³² outwards.
    let slope_min = ((i64::from(v0)) << 32).div_euclid(i64::from(if v0 >= 0 { u1 } else { u0 }));
    let slope_max =
        ((i64::from(v1)) << 32).div_euclid(i64::from(if v1 >= 0 { u0 } else { u1 })) + 1;
    let (lists, above) = rays.slabs.split_at_mut(level + 1);
    let kept = &mut lists[level][..];
    let slabs = match node.slabs {
        Some(count) => &above[0][..count],
        None => &above[above.len() - 1][..u1 as usize],
    };
    // Over column x no sight is higher than `eye_above + x * steepest`.
    let eye_above = eye.add(field.above);
    let steepest = rise_max.times(inv_near).max(rise_max.times(inv_far));
    let mut active = node.active;
    let hot = &mut rays.hot[level];
    let mut count = 0;
    for at in (0..if level > 0 { HOT } else { 0 }).rev() {
        let x = hot[at] as i32;
        if x == 0 || x >= u0 {
            continue;
        }
        rays.tests[level] += 1;
        let lo = ((i64::from(x) * slope_min) >> 32) as i32;
        let hi = ((i64::from(x) * slope_max) >> 32) as i32;
        let low = bounds.least.patch(simd, axes.index(field, x, lo), hi - lo + 2);
        active &= !low.above(steepest.mul_add(x as f32, eye_above));
        if active == 0 {
            rays.ends[level][0] += 1;
            return;
        }
    }

    if level == 0 {
        let count = match node.slabs {
            Some(count) => Ok(count),
            None => Err(u1 as usize),
        };
        active = exact(
            simd,
            rays,
            eye,
            rise_max,
            (u0, v0),
            axes,
            patch,
            (node.p, node.q),
            active,
            count,
        );
        if active != 0 {
            block.masks[((node.q - block.q) * 8 + node.p - block.p) as usize] = active;
            block.any = true;
        }
        return;
    }

    // Over the slab from x to x + 1 no sight is lower than `eye_low + x * flattest`.
    let rise_min = field.head_min[level].patch(simd, target).minus(eye);
    let eye_below = eye.add(field.below);
    let flattest = rise_min.times(inv_near).min(rise_min.times(inv_far));
    let eye_low = eye_below.plus(flattest.below(0.0));
    let (slab_min, slab_max) = (slope_min.min(0), slope_max.max(0));
    // No segment leaves the box spanned by its ends.
    let (least, most) = (v0.min(0), v1.max(0));
    let back = i32::from(backward);
    for slab in slabs {
        if slab.lanes & active == 0 {
            continue;
        }
        let x = slab.x as i32;
        if x >= u1 {
            break;
        }
        rays.tests[level] += 1;
        let bottom = i64::from(x) * slope_min;
        let top = i64::from(x) * slope_max;
        if x < u0 && x > 0 {
            let lo = (bottom >> 32) as i32;
            let hi = (top >> 32) as i32;
            let low = bounds.least.patch(simd, axes.index(field, x, lo), hi - lo + 2);
            let hid = low.above(steepest.mul_add(x as f32, eye_above)) & active;
            if hid != 0 {
                active &= !hid;
                *hot = [hot[1], hot[2], hot[3], x as u32];
                if active == 0 {
                    rays.ends[level][0] += 1;
                    return;
                }
            }
        }
        let lo = (((bottom + slab_min) >> 32) as i32).max(least);
        let hi = (((top + slab_max) >> 32) as i32 + 1).min(most);
        let high = bounds.greatest.patch(simd, axes.index(field, x + back, lo), hi - lo + 1);
        let blocking = high.above(flattest.mul_add(x as f32, eye_low)) & active;
        kept[count] = Slab {
            x: x as u32,
            lanes: blocking,
        };
        count += usize::from(blocking != 0);
    }
    if count == 0 {
        rays.ends[level][1] += 1;
    }
    if active == 0 {
        return;
    }
    if count == 0 && node.level <= 3 {
        for r in 0..size {
            let at = ((node.q - block.q + r) * 8 + node.p - block.p) as usize;
            block.masks[at..at + size as usize].fill(active);
        }
        block.any = true;
        return;
    }
    push_children(&mut rays.stack, node, active, Some(count));
}

/// Where a place on a line of sight lies in the grid.
#[derive(Clone, Copy)]
struct Axes<const ALONG_X: bool> {
    /// The viewpoint.
    column: i32,
    row: i32,
    /// In which sense the major coordinate counts.
    sign: i32,
}

impl<const ALONG_X: bool> Axes<ALONG_X> {
    /// Index of major coordinate `x` and minor coordinate `y`, both from the viewpoint.
    #[inline(always)]
    fn index(self, field: &Field, x: i32, y: i32) -> usize {
        let x = x * self.sign;
        let (c, r) = if ALONG_X { (x, y) } else { (y, x) };
        field.index(self.column + c, self.row + r)
    }
}

#[inline(always)]
fn push_children(stack: &mut Vec<Node>, node: Node, active: u64, slabs: Option<usize>) {
    let half = (1 << node.level) / 2;
    for (dp, dq) in [(half, half), (0, half), (half, 0), (0, 0)] {
        stack.push(Node {
            p: node.p + dp,
            q: node.q + dq,
            level: node.level - 1,
            active,
            slabs,
        });
    }
}

/// One displacement: which of the active lanes see their target past the slabs kept.
#[simd]
#[allow(clippy::too_many_arguments)]
fn exact<S: Simd, const ALONG_X: bool>(
    simd: S,
    rays: &mut Rays<'_>,
    eye: Lanes<S>,
    rise: Lanes<S>,
    (u, v): (i32, i32),
    axes: Axes<ALONG_X>,
    patch: &Patch,
    (p, q): (i32, i32),
    active: u64,
    count: Result<usize, usize>,
) -> u64 {
    let field = rays.field;
    let eye_above = eye.add(field.above);
    let inv_u = 1.0 / f64::from(u);
    let inv_v = if v == 0 {
        0.0
    } else {
        1.0 / f64::from(v.abs())
    };
    // How far terrain rises above sight, less the eye.
    let mut highest = Lanes::splat(simd, f32::MIN);
    let hot = rays.hot[0].map(|x| Slab { x, lanes: !0 });
    let slabs = match count {
        Ok(count) => &rays.slabs[1][..count],
        Err(count) => &rays.slabs[LEVELS][..count],
    };
    let mut left = active;
    for (at, slab) in hot.iter().rev().chain(slabs).enumerate() {
        let x = slab.x as i32;
        if x >= u || at < HOT && x == 0 || slab.lanes & left == 0 {
            continue;
        }
        rays.tests[0] += 1;
        let xv = x * v;
        // x·v / u in lowest terms is at least 1/u from an integer or is one.
        let whole = (f64::from(xv) * inv_u + 1e-7).floor() as i32;
        let rest = xv - whole * u;
        if x >= 1 {
            let first = field.ground.patch(simd, axes.index(field, x, whole));
            let second = field.ground.patch(simd, axes.index(field, x, whole + 1));
            let weight = (f64::from(rest) * inv_u) as f32;
            let t = (f64::from(x) * inv_u) as f32;
            let terrain = second.minus(first).mul_add(weight, first);
            highest = highest.max(rise.mul_add(-t, terrain));
        }
        // The line v = j that lies strictly between x and x + 1, if one does.
        let (j, past) = if v >= 0 {
            (whole + 1, rest + v - u)
        } else if rest == 0 {
            (whole - 1, -v - u)
        } else {
            (whole, -v - rest)
        };
        if past > 0 {
            // `past`: how far beyond j the segment is at x + 1, in 1/u of a sample.
            let weight = 1.0 - (f64::from(past) * inv_v) as f32;
            let first = field.ground.patch(simd, axes.index(field, x, j));
            let second = field.ground.patch(simd, axes.index(field, x + 1, j));
            let t = (f64::from(j.abs()) * inv_v) as f32;
            let terrain = second.minus(first).mul_add(weight, first);
            highest = highest.max(rise.mul_add(-t, terrain));
        }
        if at & 3 == 3 {
            let before = left;
            left = active & !highest.above(eye_above);
            if left != before && at >= HOT {
                let hot = &mut rays.hot[0];
                *hot = [hot[1], hot[2], hot[3], slab.x];
            }
            if left == 0 {
                rays.ends[0][0] += 1;
                return 0;
            }
        }
    }
    let blocked = highest.above(eye_above);
    let doubtful = highest.above(eye.add(field.below));
    let mut seen = active & !blocked;
    let mut unsure = seen & doubtful;
    while unsure != 0 {
        let i = unsure.trailing_zeros();
        unsure &= unsure - 1;
        let a = (patch.column + i as i32 % 8, patch.row + i as i32 / 8);
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
