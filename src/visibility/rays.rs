//! Exact visibility from sixteen viewpoints of a row to every target: the fast kernel.

use super::field::{Field, Rows, TOP};
use super::sightline::sees;
use crate::world::Terrain;
use fearless_simd::{Level, dispatch, f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Viewpoints per call: neighbours in a row.
pub const LANES: usize = 16;

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
            slabs: std::array::from_fn(|_| (0..2 * TOP + field.width.max(field.height)).map(|x| x as u16).collect()),
            hot: [[0; HOT]; LEVELS],
            stack: Vec::new(),
            counts: [0; 8],
            tests: [0; 8],
            ends: [[0; 3]; 8],
        }
    }

    /// Words of one bitmap: a `u64` for every 8 × 8 block, row by row.
    pub fn words(&self) -> usize {
        self.field.width.div_ceil(8) * self.field.height.div_ceil(8)
    }

    /// Writes what the viewpoints (column .. column + 16, row .. row + 16) see into 256 bitmaps,
    /// one after the other, row by row. `column` and `row` are multiples of 16.
    pub fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        assert!(column % LANES as u32 == 0 && bitmaps.len() == LANES * LANES * self.words());
        bitmaps.fill(0);
        let level = self.level;
        dispatch!(level, simd => walk(simd, self, column as usize, row as usize, bitmaps));
    }
}

/// Masks of one 8 × 8 block of displacements, a bit a lane.
struct Block {
    p: i32,
    q: i32,
    any: bool,
    masks: [u16; 64],
}

#[simd]
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, column: usize, row: usize, bitmaps: &mut [u64]) {
    let field = rays.field;
    let (w, h) = (field.width as i32, field.height as i32);
    let (xa, ya) = (column as i32, row as i32);
    let words = rays.words();
    let mut lanes = [0u32; LANES];
    for (r, lanes) in lanes.iter_mut().enumerate() {
        for i in 0..LANES {
            let (c, r) = (column + 4 * (r & 3) + (i & 3), row + (r & !3) + (i >> 2));
            if c < field.width
                && r < field.height
                && !rays.terrain.at(c as u32, r as u32).is_nan()
            {
                *lanes |= 1 << i;
            }
        }
    }
    let mut block = Block {
        p: i32::MIN,
        q: 0,
        any: false,
        masks: [0; 64],
    };
    let top = TOP as i32;
    for y in (-16..h).step_by(TOP) {
        let mut x = -(LANES as i32);
        while x < w {
            for (r, &active) in lanes.iter().enumerate() {
                if active == 0 {
                    continue;
                }
                let bitmaps = &mut bitmaps[r * LANES * words..][..LANES * words];
                let row = row + (r & !3);
                let column = column + 4 * (r & 3);
                let (xa, ya) = (column as i32, row as i32);
                let origin = field.index(column as isize, row as isize);
                let eye = Rows::new(&field.eye, field.stride).patch(simd, origin);
                rays.stack.push(Node {
                    p: x - xa,
                    q: y - ya,
                    level: LEVELS as u32 - 1,
                    active,
                    slabs: None,
                });
                while let Some(node) = rays.stack.pop() {
                    if node.level >= 3 {
                        flush(field, &mut block, column, row, bitmaps);
                        block.p = node.p;
                        block.q = node.q;
                    }
                    visit(simd, rays, origin, eye, (xa, ya), node, &mut block);
                }
                flush(field, &mut block, column, row, bitmaps);
            }
            x += top;
        }
    }
}

/// Writes a finished block of displacements into the bitmaps of its lanes.
#[inline(always)]
fn flush(field: &Field, block: &mut Block, column: usize, row: usize, bitmaps: &mut [u64]) {
    if !block.any {
        return;
    }
    block.any = false;
    let blocks_x = field.width.div_ceil(8);
    let words = blocks_x * field.height.div_ceil(8);
    let by = (row as i32 + block.q).div_euclid(8);
    let bx = (column as i32 + block.p).div_euclid(8);
    let mut by_lane = [0u64; LANES];
    for (r, masks) in block.masks.chunks_exact(8).enumerate() {
        let mut low = 0u64;
        let mut high = 0u64;
        for (c, mask) in masks.iter().enumerate() {
            low |= u64::from(mask & 0xff) << (8 * c);
            high |= u64::from(mask >> 8) << (8 * c);
        }
        let low = transpose(low);
        let high = transpose(high);
        for i in 0..8 {
            by_lane[i] |= (low >> (8 * i) & 0xff) << (8 * r);
            by_lane[i + 8] |= (high >> (8 * i) & 0xff) << (8 * r);
        }
    }
    block.masks = [0; 64];
    for (i, &bits) in by_lane.iter().enumerate() {
        if bits == 0 {
            continue;
        }
        let (right, down) = (i as u32 & 3, i as u32 >> 2);
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> right);
        let here = (bits & stay) << right;
        let next = if right > 0 { (bits & !stay) >> (8 - right) } else { 0 };
        let mut put = |x: i32, y: i32, bits: u64| {
            if bits != 0 && x >= 0 && y >= 0 && (x as usize) < blocks_x && (y as usize) < words / blocks_x {
                bitmaps[i * words + y as usize * blocks_x + x as usize] |= bits;
            }
        };
        put(bx, by, here << (8 * down));
        put(bx + 1, by, next << (8 * down));
        if down > 0 {
            put(bx, by + 1, here >> (64 - 8 * down));
            put(bx + 1, by + 1, next >> (64 - 8 * down));
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
    (xa, ya): (i32, i32),
    node: Node,
    block: &mut Block,
) {
    let field = rays.field;
    let level = node.level as usize;
    let size = 1 << node.level;
    let (p0, p1) = (node.p, node.p + size - 1);
    let (q0, q1) = (node.q, node.q + size - 1);
    if q1 < -(ya + 3)
        || q0 >= field.height as i32 - ya
        || p1 < -(xa + 3)
        || p0 >= field.width as i32 - xa
    {
        return;
    }
    rays.counts[level] += 1;
    let nearest = |a: i32, b: i32| if a > 0 { a } else if b < 0 { -b } else { 0 };
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
        (p_min, p_max, q0, q1, s, major, field.stride as isize, &field.bounds[0])
    } else {
        let s = q0 < 0;
        let major = field.stride as isize * if s { -1 } else { 1 };
        (q_min, q_max, p0, p1, s, major, 1, &field.bounds[1])
    };
    let target = (origin as isize + node.q as isize * field.stride as isize + node.p as isize) as usize;
    let rise_max = Rows::new(&field.head_max[level], field.stride).patch(simd, target) - eye;
    let (inv_near, inv_far) = (1.0 / u0 as f32, 1.0 / u1 as f32);
    // Least and greatest slope of a line of sight, minor over major, in 2⁻³² outwards.
    let slope_min = ((i64::from(v0)) << 32).div_euclid(i64::from(if v0 >= 0 { u1 } else { u0 }));
    let slope_max = ((i64::from(v1)) << 32).div_euclid(i64::from(if v1 >= 0 { u0 } else { u1 })) + 1;
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
        rays.tests[level] += 1;
        let lo = (i64::from(x) * slope_min) >> 32;
        let hi = (i64::from(x) * slope_max) >> 32;
        let line = origin + x as isize * major + lo as isize * minor;
        let low = low_table.patch(simd, bounds.least.index(line, (hi - lo) as i32 + 2));
        let sight = steepest.mul_add(x as f32, eye_above);
        active &= !(low.simd_gt(sight).to_bitmask() as u32);
        if active == 0 {
            rays.ends[level][0] += 1;
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
        rays.tests[level] += 1;
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
                    rays.ends[level][0] += 1;
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
    if count == 0 {
        rays.ends[level][1] += 1;
    } else if level == 0 {
        rays.ends[6][2] += count as u64;
        rays.ends[7][2] += 1;
        active = exact(simd, rays, origin, eye, rise_max, (u0, v0), major, minor, (xa, ya), (node.p, node.q), active, count);
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
    (xa, ya): (i32, i32),
    (p, q): (i32, i32),
    active: u32,
    count: usize,
) -> u32 {
    let field = rays.field;
    let ground = Rows::new(&field.ground, field.stride);
    let eye_above = eye + field.above;
    let eye_below = eye + field.below;
    let inv_u = 1.0 / f64::from(u);
    let inv_v = if v == 0 { 0.0 } else { 1.0 / f64::from(v.abs()) };
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
        rays.counts[6] += 1;
        let a = ((xa as u32) + (i & 3), ya as u32 + (i >> 2));
        let b = (a.0 as i32 + p, a.1 as i32 + q);
        if b.0 < 0
            || b.0 >= field.width as i32
            || b.1 < 0
            || b.1 >= field.height as i32
            || !sees(rays.terrain, field.bodies, a, (b.0 as u32, b.1 as u32))
        {
            seen &= !(1 << i);
        }
    }
    seen
}
