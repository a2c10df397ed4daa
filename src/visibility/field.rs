//! The terrain as the kernels read it: single precision, padded, with tables of the least and
//! greatest heights over windows.

use super::Bodies;
use crate::world::Terrain;
use fearless_simd::{f32x8, f32x16, prelude::*};

/// What stands for a void: so low that it neither blocks nor is seen, yet finite, so that
/// interpolating with it stays a number.
pub(super) const VOID: f32 = -1e30;

/// Lengths of the windows, in samples.
const LENGTHS: [usize; 9] = [2, 3, 4, 6, 9, 14, 22, 40, 72];

/// Side of the largest block of targets, in samples.
pub(super) const TOP: usize = 32;

/// Columns (and rows) of void around the grid, so that no lane reads outside.
const PAD: usize = 80;

/// Ground joined over windows that run in the minor direction: a plane of the grid for each of
/// `LENGTHS`, one after the other.
pub(super) struct Windows {
    pub values: Strips,
    /// Where the plane begins whose windows are at least as long as the index.
    starts: [u32; 128],
}

/// Least and greatest ground along lines of one direction.
pub(super) struct Bounds {
    /// The least ground over a window.
    pub least: Windows,
    /// The greatest ground over a window and its neighbour one step on in the major direction:
    /// over a *slab*.
    pub greatest: Windows,
}

/// A terrain prepared for the kernels.
pub struct Field {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bodies: Bodies,
    /// Where terrain is: a word for every 8 × 8 block, row by row.
    pub(super) valid: Vec<u64>,
    /// Where each column, from `PAD` west of the grid on, begins in a plane of strips.
    pub(super) columns: Vec<u32>,
    /// Ground height less `base`.
    pub(super) ground: Strips,
    /// Eye height less `base`, of the viewpoint.
    pub(super) eye: Strips,
    /// For sight along columns (the major direction is x, windows run along y), and along rows.
    pub(super) bounds: [Bounds; 2],
    /// `head_max[k]` at a sample: the highest head in the 2^k × 2^k block that begins there.
    pub(super) head_max: Vec<Strips>,
    /// The same for the lowest head; voids do not count.
    pub(super) head_min: Vec<Strips>,
    /// What has to lie between terrain and sight, in metres, before single precision may call
    /// a sight blocked (`above`) or clear (`below`).
    pub(super) above: f32,
    pub(super) below: f32,
}

impl Field {
    /// Prepares `terrain`; takes about 150 bytes a sample.
    pub fn new(terrain: &Terrain, bodies: Bodies) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let stride = (width + 2 * PAD).next_multiple_of(PATCH);
        let rows = height + 2 * PAD;
        let (low, high) = terrain
            .heights()
            .iter()
            .filter(|h| !h.is_nan())
            .fold((f64::MAX, f64::MIN), |(l, h), &x| (l.min(x), h.max(x)));
        let base = (low + high) / 2.0;
        let tallest = bodies.eye.abs().max(bodies.head.abs());
        let reach = (high - low) / 2.0 + tallest;
        // 22 roundings of 2⁻²⁴ · reach are the most that a comparison below can gather (four
        // heights, two interpolations of ten roundings each, a difference); 32 leaves room for the
        // definition's own errors.
        let slack = 32.0 * reach * 2f64.powi(-24);
        let mut ground = vec![VOID; stride * rows];
        let mut eye = vec![0.0; stride * rows];
        let mut head_max = vec![VOID; stride * rows];
        let mut head_min = vec![-VOID; stride * rows];
        let blocks_x = width.div_ceil(8);
        let mut valid = vec![0; blocks_x * height.div_ceil(8)];
        for r in 0..height {
            for c in 0..width {
                let h = terrain.at(c as u32, r as u32);
                if h.is_nan() {
                    continue;
                }
                valid[r / 8 * blocks_x + c / 8] |= 1 << (r % 8 * 8 + c % 8);
                let i = (r + PAD) * stride + c + PAD;
                ground[i] = (h - base) as f32;
                eye[i] = (h + bodies.eye - base) as f32;
                head_max[i] = (h + bodies.head - base) as f32;
                head_min[i] = head_max[i];
            }
        }
        let bounds = [(1, stride), (stride, 1)].map(|(major, minor)| Bounds {
            least: Windows::new(ground.clone(), stride, minor, f32::min),
            greatest: Windows::new(fold(&ground, major, f32::max), stride, minor, f32::max),
        });
        Self {
            width,
            height,
            bodies,
            valid,
            columns: (0..stride)
                .map(|c| (c / PATCH * STRIP * rows + c % PATCH) as u32)
                .collect(),
            bounds,
            head_max: blocks(head_max, stride, f32::max),
            head_min: blocks(head_min, stride, f32::min),
            ground: Strips::new([&ground[..]].into_iter(), stride),
            eye: Strips::new([&eye[..]].into_iter(), stride),
            above: (super::TOLERANCE + slack) as f32,
            below: (super::TOLERANCE - slack) as f32,
        }
    }

    /// Number of columns.
    pub fn width(&self) -> u32 {
        self.width as u32
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height as u32
    }

    /// Where sample (c, r) lies in a plane of strips; up to `PAD` outside the grid.
    #[inline(always)]
    pub(super) fn index(&self, column: i32, row: i32) -> usize {
        let (c, r) = ((column + PAD as i32) as usize, (row + PAD as i32) as usize);
        self.columns[c] as usize + r * STRIP
    }
}

impl Windows {
    fn new(single: Vec<f32>, stride: usize, step: usize, join: fn(f32, f32) -> f32) -> Self {
        let mut planes = vec![(1, single)];
        for length in LENGTHS {
            // Two overlapping windows of the shortest length so far that is at least half as long.
            let (part, plane) = planes
                .iter()
                .find(|(part, _)| 2 * part >= length)
                .expect("lengths less than double");
            let next = fold(plane, (length - part) * step, join);
            planes.push((length, next));
        }
        let values = Strips::new(planes[1..].iter().map(|(_, plane)| &plane[..]), stride);
        let plane = values.values.len() / LENGTHS.len();
        let starts = std::array::from_fn(|length| {
            let cover = LENGTHS.iter().position(|l| *l >= length);
            (cover.unwrap_or(LENGTHS.len()) * plane) as u32
        });
        Self { values, starts }
    }

    /// Values of the window of at least `length` samples, the first of which lies at `at`.
    #[inline(always)]
    pub fn patch<S: Simd>(&self, simd: S, at: usize, length: i32) -> Lanes<S> {
        self.values.patch(simd, self.starts[length as usize & 127] as usize + at)
    }
}

/// Joins every value with the one `step` further; past the end, with itself.
fn fold(values: &[f32], step: usize, join: fn(f32, f32) -> f32) -> Vec<f32> {
    (0..values.len())
        .map(|i| match values.get(i + step) {
            Some(&next) => join(values[i], next),
            None => values[i],
        })
        .collect()
}

fn blocks(single: Vec<f32>, stride: usize, join: fn(f32, f32) -> f32) -> Vec<Strips> {
    let mut all = vec![single];
    for k in 0..TOP.ilog2() {
        let wide = fold(&all[k as usize], 1 << k, join);
        all.push(fold(&wide, stride << k, join));
    }
    all.iter()
        .map(|plane| Strips::new([&plane[..]].into_iter(), stride))
        .collect()
}

/// Side of a patch of viewpoints, computed at once. [Unit: samples]
pub(super) const PATCH: usize = 8;

/// A number for each lane of a patch: lane i is column i % 8, row i / 8.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd>(pub [f32x16<S>; 4]);

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self([f32x16::splat(simd, value); 4])
    }
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0].min(b[0]), a[1].min(b[1]), a[2].min(b[2]), a[3].min(b[3])])
    }
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2]), a[3].max(b[3])])
    }
    #[inline(always)]
    pub fn add(self, b: f32) -> Self {
        let a = self.0;
        Self([a[0] + b, a[1] + b, a[2] + b, a[3] + b])
    }
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]])
    }
    #[inline(always)]
    pub fn times(self, b: f32) -> Self {
        let a = self.0;
        Self([a[0] * b, a[1] * b, a[2] * b, a[3] * b])
    }
    #[inline(always)]
    pub fn below(self, b: f32) -> Self {
        let a = self.0;
        Self([a[0].min(b), a[1].min(b), a[2].min(b), a[3].min(b)])
    }
    #[inline(always)]
    pub fn mul_add(self, b: f32, other: Self) -> Self {
        let (a, c) = (self.0, other.0);
        Self([a[0].mul_add(b, c[0]), a[1].mul_add(b, c[1]), a[2].mul_add(b, c[2]), a[3].mul_add(b, c[3])])
    }
    /// A bit a lane.
    #[inline(always)]
    pub fn above(self, other: Self) -> u64 {
        let (a, b) = (self.0, other.0);
        a[0].simd_gt(b[0]).to_bitmask()
            | a[1].simd_gt(b[1]).to_bitmask() << 16
            | a[2].simd_gt(b[2]).to_bitmask() << 32
            | a[3].simd_gt(b[3]).to_bitmask() << 48
    }
}

/// Columns of a strip: a patch may begin at any of the first eight.
const STRIP: usize = 2 * PATCH;

/// Planes of the grid, each cut into vertical strips of sixteen columns, one every eight
/// columns: so a patch that begins anywhere lies in one strip, its rows sixteen values apart.
pub(super) struct Strips {
    values: Vec<f32>,
}

impl Strips {
    fn new<'p>(planes: impl Iterator<Item = &'p [f32]>, stride: usize) -> Self {
        let mut values = Vec::new();
        for plane in planes {
            for column in (0..stride).step_by(PATCH) {
                for row in plane.chunks_exact(stride) {
                    let end = (column + STRIP).min(stride);
                    values.extend_from_slice(&row[column..end]);
                    values.resize(values.len() + column + STRIP - end, VOID);
                }
            }
        }
        Self { values }
    }

    /// The 8 × 8 patch of values whose north-western corner is at `at`, row by row.
    #[inline(always)]
    pub fn patch<S: Simd>(&self, simd: S, at: usize) -> Lanes<S> {
        const SPAN: usize = STRIP * (PATCH - 1) + PATCH;
        let t: &[f32; SPAN] = self.values[at..at + SPAN].first_chunk().expect("a patch");
        let a = f32x8::from_slice(simd, &t[0..8]);
        let b = f32x8::from_slice(simd, &t[16..24]);
        let c = f32x8::from_slice(simd, &t[32..40]);
        let d = f32x8::from_slice(simd, &t[48..56]);
        let e = f32x8::from_slice(simd, &t[64..72]);
        let f = f32x8::from_slice(simd, &t[80..88]);
        let g = f32x8::from_slice(simd, &t[96..104]);
        let h = f32x8::from_slice(simd, &t[112..120]);
        Lanes([a.combine(b), c.combine(d), e.combine(f), g.combine(h)])
    }
}
