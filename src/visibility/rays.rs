//! Exact visibility from patches of 4 × 4 viewpoints to every target: the fast kernel.

use super::field::{Field, Rows, TOP};
use super::sightline::sees;
use crate::world::Terrain;
use fearless_simd::{Level, dispatch, f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Side of a block of viewpoints, computed in one call. [Unit: samples]
pub const BLOCK: u32 = 16;

/// Side of a patch of viewpoints, computed at once.
const PATCH: usize = 4;

/// Viewpoints of a patch: lane i is column i % 4, row i / 4.
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
    active: u32,
    /// How many slabs of the parent's list may block; `None` if the parent has made no list.
    slabs: Option<usize>,
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
    slabs: [Vec<u16>; LEVELS + 1],
    /// For each level the columns that have hidden some lane, the last ones last.
    hot: [[u16; HOT]; LEVELS],
    stack: Vec<Node>,
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
                    .map(|x| x as u16)
                    .collect()
            }),
            hot: [[0; HOT]; LEVELS],
            stack: Vec::new(),
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
    standing: u32,
    /// Place of the first lane's bitmap.
    bitmap: usize,
}

/// Masks of one 8 × 8 block of displacements, a bit a lane.
struct Block {
    p: i32,
    q: i32,
    any: bool,
    masks: [u16; 64],
}

/// Place in Morton order of (column, row), each below 16.
fn morton(column: usize, row: usize) -> usize {
    let spread = |x: usize| x & 1 | (x & 2) << 1 | (x & 4) << 2 | (x & 8) << 3;
    spread(column) | spread(row) << 1
}

/// The lanes of a patch that have terrain to stand on.
fn standing(terrain: &Terrain, column: usize, row: usize) -> u32 {
    (0..LANES).fold(0, |lanes, i| {
        let (c, r) = ((column + i % PATCH) as u32, (row + i / PATCH) as u32);
        let stands = c < terrain.width() && r < terrain.height() && !terrain.at(c, r).is_nan();
        lanes | u32::from(stands) << i
    })
}

#[simd]
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, column: usize, row: usize, bitmaps: &mut [u64]) {
    let field = rays.field;
    let patches: [Patch; LANES] = std::array::from_fn(|i| {
        let (column, row) = (column + i % PATCH * PATCH, row + i / PATCH * PATCH);
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
                let origin = field.index(patch.column as isize, patch.row as isize);
                let eye = Rows::new(&field.eye, field.stride).patch(simd, origin);
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
                    visit(simd, rays, origin, eye, patch, node, &mut block);
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
    let mut by_lane = [0u64; LANES];
    for (r, masks) in block.masks.chunks_exact(8).enumerate() {
        let (mut low, mut high) = (0u64, 0u64);
        for (c, mask) in masks.iter().enumerate() {
            low |= u64::from(mask & 0xff) << (8 * c);
            high |= u64::from(mask >> 8) << (8 * c);
        }
        let (low, high) = (transpose(low), transpose(high));
        for i in 0..8 {
            by_lane[i] |= (low >> (8 * i) & 0xff) << (8 * r);
            by_lane[i + 8] |= (high >> (8 * i) & 0xff) << (8 * r);
        }
    }
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

/// Transposes an 8 × 8 bit matrix.
#[inline(always)]
fn transpose(mut x: u64) -> u64 {
    let t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    let t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    let t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}

#[simd]
fn visit<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    origin: usize,
    eye: f32x16<S>,
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
            block.masks[((node.q - block.q) * 8 + node.p - block.p) as usize] = node.active as u16;
            block.any = true;
        } else {
            push_children(&mut rays.stack, node, node.active, None);
        }
        return;
    }
    let (u0, u1, v0, v1, backward, major, minor, bounds) = if along_x {
        let s = p0 < 0;
        let major = if s { -1 } else { 1 };
        (
            p_min,
            p_max,
            q0,
            q1,
            s,
            major,
            field.stride as isize,
            &field.bounds[0],
        )
    } else {
        let s = q0 < 0;
        let major = field.stride as isize * if s { -1 } else { 1 };
        (q_min, q_max, p0, p1, s, major, 1, &field.bounds[1])
    };
    let target =
        (origin as isize + node.q as isize * field.stride as isize + node.p as isize) as usize;
    let rise_max = Rows::new(&field.head_max[level], field.stride).patch(simd, target) - eye;
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
    let origin = origin as isize;
    let stride = field.stride;

    // Over column x no sight is higher than `eye_above + x * steepest`.
    let eye_above = eye + field.above;
    let steepest = (rise_max * inv_near).max(rise_max * inv_far);
    let mut active = node.active;
    let low_table = Rows::new(&bounds.least.values, stride);
    let hot = &mut rays.hot[level];
    for at in (0..HOT).rev() {
        let x = i32::from(hot[at]);
        if x == 0 || x >= u0 {
            continue;
        }
        let lo = (i64::from(x) * slope_min) >> 32;
        let hi = (i64::from(x) * slope_max) >> 32;
        let line = origin + x as isize * major + lo as isize * minor;
        let low = low_table.patch(simd, bounds.least.index(line, (hi - lo) as i32 + 2));
        let sight = steepest.mul_add(x as f32, eye_above);
        active &= !(low.simd_gt(sight).to_bitmask() as u32);
        if active == 0 {
            return;
        }
    }

    // Over the slab from x to x + 1 no sight is lower than `eye_low + x * flattest` and `floor`.
    let rise_min = Rows::new(&field.head_min[level], field.stride).patch(simd, target) - eye;
    let zero = f32x16::splat(simd, 0.0);
    let eye_below = eye + field.below;
    let flattest = (rise_min * inv_near).min(rise_min * inv_far);
    let eye_low = eye_below + flattest.min(zero);
    let floor = eye_below + rise_min.min(zero);
    let (slab_min, slab_max) = (slope_min.min(0), slope_max.max(0));
    // No segment leaves the box spanned by its ends.
    let (least, most) = (v0.min(0), v1.max(0));
    let high_table = Rows::new(&bounds.greatest.values, stride);
    let start = isize::from(backward) * major;
    let mut count = 0;
    for &x in slabs {
        let x = i32::from(x);
        if x >= u1 {
            break;
        }
        let bottom = i64::from(x) * slope_min;
        let top = i64::from(x) * slope_max;
        let line = origin + x as isize * major;
        if x < u0 && x > 0 {
            let lo = bottom >> 32;
            let hi = top >> 32;
            let line = line + lo as isize * minor;
            let low = low_table.patch(simd, bounds.least.index(line, (hi - lo) as i32 + 2));
            let sight = steepest.mul_add(x as f32, eye_above);
            let hid = low.simd_gt(sight).to_bitmask() as u32 & active;
            if hid != 0 {
                active &= !hid;
                *hot = [hot[1], hot[2], hot[3], x as u16];
                if active == 0 {
                    return;
                }
            }
        }
        let lo = ((bottom + slab_min) >> 32).max(i64::from(least));
        let hi = (((top + slab_max) >> 32) + 1).min(i64::from(most));
        let line = line + start + lo as isize * minor;
        let high = high_table.patch(simd, bounds.greatest.index(line, (hi - lo) as i32 + 1));
        let sight = flattest.mul_add(x as f32, eye_low).max(floor);
        let blocking = high.simd_gt(sight).to_bitmask() as u32 & active;
        kept[count] = x as u16;
        count += usize::from(blocking != 0);
    }
    if count > 0 && level == 0 {
        active = exact(
            simd,
            rays,
            origin,
            eye,
            rise_max,
            (u0, v0),
            major,
            minor,
            patch,
            (node.p, node.q),
            active,
            count,
        );
    }
    if active == 0 {
        return;
    }
    if level == 0 || count == 0 && node.level <= 3 {
        for r in 0..size {
            let at = ((node.q - block.q + r) * 8 + node.p - block.p) as usize;
            block.masks[at..at + size as usize].fill(active as u16);
        }
        block.any = true;
        return;
    }
    push_children(&mut rays.stack, node, active, Some(count));
}

#[inline(always)]
fn push_children(stack: &mut Vec<Node>, node: Node, active: u32, slabs: Option<usize>) {
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
fn exact<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    origin: isize,
    eye: f32x16<S>,
    rise: f32x16<S>,
    (u, v): (i32, i32),
    major: isize,
    minor: isize,
    patch: &Patch,
    (p, q): (i32, i32),
    active: u32,
    count: usize,
) -> u32 {
    let field = rays.field;
    let ground = Rows::new(&field.ground, field.stride);
    let eye_above = eye + field.above;
    let eye_below = eye + field.below;
    let inv_u = 1.0 / f64::from(u);
    let inv_v = if v == 0 {
        0.0
    } else {
        1.0 / f64::from(v.abs())
    };
    let mut blocked = 0u32;
    let mut doubtful = 0u32;
    for &x in &rays.slabs[0][..count] {
        let x = i32::from(x);
        let xv = x * v;
        // x·v / u in lowest terms is at least 1/u from an integer or is one.
        let whole = (f64::from(xv) * inv_u + 1e-7).floor() as i32;
        let rest = xv - whole * u;
        let line = origin + x as isize * major;
        if x >= 1 {
            let a = (line + whole as isize * minor) as usize;
            let first = ground.patch(simd, a);
            let second = ground.patch(simd, a + minor as usize);
            let weight = (f64::from(rest) * inv_u) as f32;
            let terrain = (second - first).mul_add(weight, first);
            let t = (f64::from(x) * inv_u) as f32;
            blocked |= terrain.simd_gt(rise.mul_add(t, eye_above)).to_bitmask() as u32;
            doubtful |= terrain.simd_gt(rise.mul_add(t, eye_below)).to_bitmask() as u32;
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
            let a = line + j as isize * minor;
            let first = ground.patch(simd, a as usize);
            let second = ground.patch(simd, (a + major) as usize);
            let terrain = (second - first).mul_add(weight, first);
            let t = (f64::from(j.abs()) * inv_v) as f32;
            blocked |= terrain.simd_gt(rise.mul_add(t, eye_above)).to_bitmask() as u32;
            doubtful |= terrain.simd_gt(rise.mul_add(t, eye_below)).to_bitmask() as u32;
        }
        if active & !blocked == 0 {
            return 0;
        }
    }
    let mut seen = active & !blocked;
    let mut unsure = seen & doubtful;
    while unsure != 0 {
        let i = unsure.trailing_zeros();
        unsure &= unsure - 1;
        let a = (patch.column + i as i32 % 4, patch.row + i as i32 / 4);
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
