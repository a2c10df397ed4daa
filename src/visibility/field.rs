//! The terrain as the kernels read it: single precision, padded, with tables of the least and
//! greatest heights over windows.

use super::Bodies;
use crate::world::Terrain;
use fearless_simd::{f32x4, f32x16, prelude::*};

/// What stands for a void: so low that it neither blocks nor is seen, yet finite, so that
/// interpolating with it stays a number.
pub(super) const VOID: f32 = -1e30;

/// Lengths of the windows, in samples.
const LENGTHS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 80];

/// Side of the largest block of targets, in samples.
pub(super) const TOP: usize = 32;

/// Columns (and rows) of void around the grid, so that no lane reads outside.
const PAD: usize = 3 * TOP;

/// Ground joined over windows that run in the minor direction: a plane of the grid for each of
/// `LENGTHS`, one after the other.
pub(super) struct Windows {
    pub values: Vec<f32>,
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
    /// Samples from one row to the next in every table.
    pub(super) stride: usize,
    /// Ground height less `base`.
    pub(super) ground: Vec<f32>,
    /// Eye height less `base`, of the viewpoint.
    pub(super) eye: Vec<f32>,
    /// For sight along columns (the major direction is x, windows run along y), and along rows.
    pub(super) bounds: [Bounds; 2],
    /// `head_max[k]` at a sample: the highest head in the 2^k × 2^k block that begins there.
    pub(super) head_max: Vec<Vec<f32>>,
    /// The same for the lowest head; voids do not count.
    pub(super) head_min: Vec<Vec<f32>>,
    /// What has to lie between terrain and sight, in metres, before single precision may call
    /// a sight blocked (`above`) or clear (`below`).
    pub(super) above: f32,
    pub(super) below: f32,
}

impl Field {
    /// Prepares `terrain`; takes about 150 bytes a sample.
    pub fn new(terrain: &Terrain, bodies: Bodies) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let stride = width + 2 * PAD;
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
            least: Windows::new(ground.clone(), minor, f32::min),
            greatest: Windows::new(fold(&ground, major, f32::max), minor, f32::max),
        });
        Self {
            width,
            height,
            bodies,
            valid,
            stride,
            bounds,
            head_max: blocks(head_max, stride, f32::max),
            head_min: blocks(head_min, stride, f32::min),
            ground,
            eye,
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

    /// Where sample (c, r) lies in the tables; up to `PAD` outside the grid.
    pub(super) fn index(&self, column: isize, row: isize) -> usize {
        ((row + PAD as isize) * self.stride as isize + column + PAD as isize) as usize
    }
}

impl Windows {
    fn new(single: Vec<f32>, step: usize, join: fn(f32, f32) -> f32) -> Self {
        let plane = single.len();
        let mut values = single;
        for (i, length) in LENGTHS.iter().enumerate().skip(1) {
            // Two overlapping windows of the shortest length so far that is at least half as long.
            let part = LENGTHS[..i]
                .iter()
                .position(|l| 2 * l >= *length)
                .unwrap_or(0);
            let from = part * plane;
            let shift = (length - LENGTHS[part]) * step;
            let next = fold(&values[from..from + plane], shift, join);
            values.extend(next);
        }
        let starts = std::array::from_fn(|length| {
            let cover = LENGTHS
                .iter()
                .position(|l| *l >= length)
                .unwrap_or(LENGTHS.len());
            (cover * plane) as u32
        });
        Self { values, starts }
    }

    /// Index of the window of at least `length` samples, the first of which lies at `at`.
    #[inline(always)]
    pub fn index(&self, at: isize, length: i32) -> usize {
        self.starts[length as usize & 127] as usize + at as usize
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

fn blocks(single: Vec<f32>, stride: usize, join: fn(f32, f32) -> f32) -> Vec<Vec<f32>> {
    let mut all = vec![single];
    for k in 0..TOP.ilog2() {
        let wide = fold(&all[k as usize], 1 << k, join);
        all.push(fold(&wide, stride << k, join));
    }
    all
}

/// A table seen from four rows at once, so that one bounds check serves a patch of lanes.
#[derive(Clone, Copy)]
pub(super) struct Rows<'t> {
    rows: [&'t [f32]; 4],
}

impl<'t> Rows<'t> {
    #[inline(always)]
    pub fn new(table: &'t [f32], stride: usize) -> Self {
        let length = table.len() - 3 * stride;
        Self {
            rows: [
                &table[..length],
                &table[stride..][..length],
                &table[2 * stride..][..length],
                &table[3 * stride..][..length],
            ],
        }
    }

    /// The 4 × 4 patch of values whose north-western corner is at `at`, row by row.
    #[inline(always)]
    pub fn patch<S: Simd>(self, simd: S, at: usize) -> f32x16<S> {
        let a = f32x4::from_slice(simd, &self.rows[0][at..at + 4]);
        let b = f32x4::from_slice(simd, &self.rows[1][at..at + 4]);
        let c = f32x4::from_slice(simd, &self.rows[2][at..at + 4]);
        let d = f32x4::from_slice(simd, &self.rows[3][at..at + 4]);
        a.combine(b).combine(c.combine(d))
    }
}
