//! Exact visibility from sixteen viewpoints of a row to every target: the fast kernel.

use super::field::{Field, TOP};
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
    size: i32,
    /// Lanes not yet known to be hidden.
    active: u32,
    /// Where the slabs that may block lie in the arena; `None` if all may.
    slabs: Option<(usize, usize)>,
    mark: usize,
}

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    terrain: &'f Terrain,
    field: &'f Field,
    level: Level,
    slabs: Vec<u16>,
    stack: Vec<Node>,
    pub counts: [u64; 8],
}

impl<'f> Rays<'f> {
    /// A kernel over `field`, which was made of `terrain`, at a SIMD level; the level does not
    /// change any answer.
    pub fn new(terrain: &'f Terrain, field: &'f Field, level: Level) -> Self {
        Self {
            terrain,
            field,
            level,
            slabs: vec![0; 64 * (field.width + field.height + 64)],
            stack: Vec::new(),
            counts: [0; 8],
        }
    }

    /// Words of one bitmap: a `u64` for every 8 × 8 block, row by row.
    pub fn words(&self) -> usize {
        self.field.width.div_ceil(8) * self.field.height.div_ceil(8)
    }

    /// Writes what the viewpoints (column .. column + 16, row) see into sixteen bitmaps, one
    /// after the other. `column` is a multiple of 16.
    pub fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        assert!(column % LANES as u32 == 0 && bitmaps.len() == LANES * self.words());
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
    let origin = field.index(column as isize, row as isize);
    let eye = f32x16::from_slice(simd, &field.eye[origin..origin + LANES]);
    let mut lanes = 0u32;
    for i in 0..LANES {
        if column + i < field.width && !rays.terrain.at((column + i) as u32, row as u32).is_nan() {
            lanes |= 1 << i;
        }
    }
    if lanes == 0 {
        return;
    }
    let mut block = Block {
        p: i32::MIN,
        q: 0,
        any: false,
        masks: [0; 64],
    };
    let top = TOP as i32;
    let mut q = -ya;
    while q < h - ya {
        let mut p = -(xa + LANES as i32);
        while p < w - xa {
            rays.stack.push(Node {
                p,
                q,
                size: top,
                active: lanes,
                slabs: None,
                mark: 0,
            });
            while let Some(node) = rays.stack.pop() {
                if node.size >= 8 {
                    flush(field, &mut block, column, row, bitmaps);
                    block.p = node.p;
                    block.q = node.q;
                }
                visit(simd, rays, origin, eye, (xa, ya), node, &mut block);
            }
            p += top;
        }
        q += top;
    }
    flush(field, &mut block, column, row, bitmaps);
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
    let by = (row as i32 + block.q) as usize / 8;
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
        let shift = i as u32 & 7;
        let x = bx + (i as i32 >> 3);
        // Columns that stay in the block, moved right by `shift`; the others begin the next.
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> shift);
        let line = &mut bitmaps[i * words + by * blocks_x..][..blocks_x];
        if let Some(word) = usize::try_from(x).ok().and_then(|x| line.get_mut(x)) {
            *word |= (bits & stay) << shift;
        }
        if shift > 0
            && let Some(word) = usize::try_from(x + 1).ok().and_then(|x| line.get_mut(x))
        {
            *word |= (bits & !stay) >> (8 - shift);
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
    let (p0, p1) = (node.p, node.p + node.size - 1);
    let (q0, q1) = (node.q, (node.q + node.size - 1).min(field.height as i32 - 1 - ya));
    if q1 < q0 || p1 < -(xa + LANES as i32 - 1) || p0 >= field.width as i32 - xa {
        return;
    }
    rays.counts[node.size.ilog2() as usize] += 1;
    let nearest = |a: i32, b: i32| if a > 0 { a } else if b < 0 { -b } else { 0 };
    let (p_min, p_max) = (nearest(p0, p1), p0.abs().max(p1.abs()));
    let (q_min, q_max) = (nearest(q0, q1), q0.abs().max(q1.abs()));
    // The major direction, in which every pair of the block is apart by at least as much as in
    // the other.
    let along_x = p_min >= 1 && q_max <= p_min;
    if !along_x && !(q_min >= 1 && p_max <= q_min) {
        if node.size == 1 {
            // No displacement at all.
            block.masks[((node.q - block.q) * 8 + node.p - block.p) as usize] = node.active as u16;
            block.any = true;
            return;
        }
        let mark = node.mark;
        push_children(rays, node, node.active, None, mark);
        return;
    }
    let (u0, u1, v0, v1, backward, major, minor, windows) = if along_x {
        let s = p0 < 0;
        let major = if s { -1 } else { 1 };
        (p_min, p_max, q0, q1, s, major, field.stride as isize, &field.windows[0])
    } else {
        let s = q0 < 0;
        let major = field.stride as isize * if s { -1 } else { 1 };
        (q_min, q_max, p0, p1, s, major, 1, &field.windows[1])
    };
    let target = (origin as isize + node.q as isize * field.stride as isize + node.p as isize) as usize;
    if node.size == 1 {
        let mask = single(simd, rays, origin, eye, target, (u0, v0), major, minor, node, (xa, ya));
        if mask != 0 {
            block.masks[((node.q - block.q) * 8 + node.p - block.p) as usize] = mask as u16;
            block.any = true;
        }
        return;
    }
    let k = node.size.ilog2() as usize;
    let head_max = f32x16::from_slice(simd, &field.head_max[k][target..target + LANES]);
    let head_min = f32x16::from_slice(simd, &field.head_min[k][target..target + LANES]);
    let rise_max = head_max - eye;
    let rise_min = head_min - eye;
    let eye_above = eye + field.above;
    let eye_below = eye + field.below;
    let (inv_near, inv_far) = (1.0 / u0 as f32, 1.0 / u1 as f32);
    // Least and greatest slope of a line of sight, minor over major.
    let slope_min = v0 as f64 / if v0 >= 0 { u1 } else { u0 } as f64;
    let slope_max = v1 as f64 / if v1 >= 0 { u0 } else { u1 } as f64;
    const NUDGE: f64 = 1e-9;
    let (start, end) = node.slabs.unwrap_or((0, 0));
    let count = if node.slabs.is_some() { end - start } else { u1 as usize };
    let all = node.slabs.is_none();
    let mark = node.mark;
    if rays.slabs.len() < mark + count {
        rays.slabs.resize(mark + count + 4096, 0);
    }
    let mut hidden = 0u32;
    let mut kept = mark;
    let back = backward as i32 as isize;
    for i in 0..count {
        let x = if all { i as i32 } else { i32::from(rays.slabs[start + i]) };
        let xf = x as f64;
        let x1 = xf + 1.0;
        let lo = (xf * slope_min - NUDGE).floor() as i32;
        let hi = (xf * slope_max + NUDGE).ceil() as i32;
        let t_near = x as f32 * inv_near;
        let t_far = x as f32 * inv_far;
        if x >= 1 && x < u0 {
            let line = origin as isize + x as isize * major;
            let k = ((hi - lo + 1) as u32).ilog2();
            let table = &windows.min[k as usize];
            let a = (line + lo as isize * minor) as usize;
            let b = (line + (hi + 1 - (1 << k)) as isize * minor) as usize;
            let low = f32x16::from_slice(simd, &table[a..a + LANES])
                .min(f32x16::from_slice(simd, &table[b..b + LANES]));
            let sight = eye_above + (rise_max * t_near).max(rise_max * t_far);
            hidden |= low.simd_gt(sight).to_bitmask() as u32;
            if node.active & !hidden == 0 {
                return;
            }
        }
        let lo = lo.min((x1 * slope_min - NUDGE).floor() as i32);
        let hi = hi.max((x1 * slope_max + NUDGE).ceil() as i32);
        let t_near = ((x + 1) as f32 * inv_near).min(1.0);
        let line = origin as isize + (x as isize + back) * major;
        let k = ((hi - lo + 1) as u32).ilog2();
        let table = &windows.max[k as usize];
        let a = (line + lo as isize * minor) as usize;
        let b = (line + (hi + 1 - (1 << k)) as isize * minor) as usize;
        let high = f32x16::from_slice(simd, &table[a..a + LANES])
            .max(f32x16::from_slice(simd, &table[b..b + LANES]));
        let sight = eye_below + (rise_min * t_near).min(rise_min * t_far);
        let blocking = high.simd_gt(sight).to_bitmask() as u32 & node.active & !hidden;
        rays.slabs[kept] = x as u16;
        kept += usize::from(blocking != 0);
    }
    let active = node.active & !hidden;
    if kept == mark {
        fill(field, block, node, active, (xa, ya), rays, kept);
        return;
    }
    push_children(rays, node, active, Some((mark, kept)), kept);
}

#[inline(always)]
fn push_children(rays: &mut Rays<'_>, node: Node, active: u32, slabs: Option<(usize, usize)>, mark: usize) {
    let half = node.size / 2;
    for (dp, dq) in [(half, half), (0, half), (half, 0), (0, 0)] {
        rays.stack.push(Node {
            p: node.p + dp,
            q: node.q + dq,
            size: half,
            active,
            slabs,
            mark,
        });
    }
}

/// Nothing blocks: marks the whole node visible, a block of 8 × 8 at a time.
#[inline(always)]
fn fill(field: &Field, block: &mut Block, node: Node, active: u32, (_xa, ya): (i32, i32), rays: &mut Rays<'_>, mark: usize) {
    if node.size > 8 {
        // Rare enough to walk down with an empty list of slabs.
        push_children(rays, node, active, Some((mark, mark)), mark);
        return;
    }
    let _ = (field, ya);
    for r in 0..node.size {
        let at = ((node.q - block.q + r) * 8 + node.p - block.p) as usize;
        block.masks[at..at + node.size as usize].fill(active as u16);
    }
    block.any = true;
}

/// One displacement: which lanes see their target.
#[simd]
#[allow(clippy::too_many_arguments)]
fn single<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    origin: usize,
    eye: f32x16<S>,
    target: usize,
    (u, v): (i32, i32),
    major: isize,
    minor: isize,
    node: Node,
    (xa, ya): (i32, i32),
) -> u32 {
    let field = rays.field;
    let ground = &field.ground[..];
    let rise = f32x16::from_slice(simd, &field.head_max[0][target..target + LANES]) - eye;
    let eye_above = eye + field.above;
    let eye_below = eye + field.below;
    let inv_u = 1.0 / f64::from(u);
    let inv_v = if v == 0 { 0.0 } else { 1.0 / f64::from(v.abs()) };
    let (start, end) = node.slabs.unwrap_or((0, 0));
    let all = node.slabs.is_none();
    let count = if all { u as usize } else { end - start };
    let mut blocked = 0u32;
    let mut doubtful = 0u32;
    for i in 0..count {
        let x = if all { i as i32 } else { i32::from(rays.slabs[start + i]) };
        if x >= u {
            break;
        }
        let xv = x * v;
        // x·v / u in lowest terms is at least 1/u from an integer or is one.
        let whole = (f64::from(xv) * inv_u + 1e-7).floor() as i32;
        let rest = xv - whole * u;
        let line = origin as isize + x as isize * major;
        if x >= 1 {
            let a = (line + whole as isize * minor) as usize;
            let b = (line + (whole + 1) as isize * minor) as usize;
            let first = f32x16::from_slice(simd, &ground[a..a + LANES]);
            let second = f32x16::from_slice(simd, &ground[b..b + LANES]);
            let weight = (f64::from(rest) * inv_u) as f32;
            let terrain = first + (second - first) * weight;
            let t = (f64::from(x) * inv_u) as f32;
            let sight = rise * t;
            blocked |= terrain.simd_gt(eye_above + sight).to_bitmask() as u32;
            doubtful |= terrain.simd_gt(eye_below + sight).to_bitmask() as u32;
        }
        // The line v = j that lies strictly between x and x + 1, if one does.
        let (j, past) = if v >= 0 { (whole + 1, rest + v - u) } else { (if rest == 0 { whole - 1 } else { whole }, -v - if rest == 0 { u } else { rest }) };
        if past > 0 {
            // `past`: how far beyond j the segment is at x + 1, in 1/u of a sample.
            let weight = 1.0 - (f64::from(past) * inv_v) as f32;
            let a = (line + j as isize * minor) as usize;
            let b = (line + major + j as isize * minor) as usize;
            let first = f32x16::from_slice(simd, &ground[a..a + LANES]);
            let second = f32x16::from_slice(simd, &ground[b..b + LANES]);
            let terrain = first + (second - first) * weight;
            let t = (f64::from(j.abs()) * inv_v) as f32;
            let sight = rise * t;
            blocked |= terrain.simd_gt(eye_above + sight).to_bitmask() as u32;
            doubtful |= terrain.simd_gt(eye_below + sight).to_bitmask() as u32;
        }
        if node.active & !blocked == 0 {
            return 0;
        }
    }
    let mut seen = node.active & !blocked;
    let mut unsure = seen & doubtful;
    while unsure != 0 {
        let i = unsure.trailing_zeros();
        unsure &= unsure - 1;
        rays.counts[6] += 1;
        let a = ((xa as u32) + i, ya as u32);
        let b = (xa + i as i32 + node.p, ya + node.q);
        if b.0 < 0 || b.0 >= field.width as i32 || !sees(rays.terrain, field.bodies, a, (b.0 as u32, b.1 as u32)) {
            seen &= !(1 << i);
        }
    }
    seen
}
