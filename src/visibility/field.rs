//! The terrain as the kernels read it: single precision, padded, with tables of the least and
//! greatest heights over windows.

use super::Bodies;
use crate::world::Terrain;

/// What stands for a void: so low that it neither blocks nor is seen, yet finite, so that
/// interpolating with it stays a number.
pub(super) const VOID: f32 = -1e30;

/// Windows of up to 2^(`WINDOWS` - 1) samples.
pub(super) const WINDOWS: usize = 7;

/// Side of the largest block of targets, in samples.
pub(super) const TOP: usize = 32;

/// Columns (and rows) of void around the grid, so that no lane reads outside.
const PAD: usize = 3 * TOP;

/// Least and greatest ground along lines of one direction.
///
/// `min[k]` at sample s is the least ground over the 2^k samples from s on in the minor
/// direction; `max[k]` the greatest over the same samples and their neighbours one step on in
/// the major direction (a *slab*).
pub(super) struct Windows {
    pub min: Vec<Vec<f32>>,
    pub max: Vec<Vec<f32>>,
}

/// A terrain prepared for the kernels.
pub struct Field {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bodies: Bodies,
    /// Samples from one row to the next in every table.
    pub(super) stride: usize,
    /// Ground height less `base`.
    pub(super) ground: Vec<f32>,
    /// Eye height less `base`, of the viewpoint.
    pub(super) eye: Vec<f32>,
    /// For sight along columns (the major direction is x, windows run along y), and along rows.
    pub(super) windows: [Windows; 2],
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
        for r in 0..height {
            for c in 0..width {
                let h = terrain.at(c as u32, r as u32);
                if h.is_nan() {
                    continue;
                }
                let i = (r + PAD) * stride + c + PAD;
                ground[i] = (h - base) as f32;
                eye[i] = (h + bodies.eye - base) as f32;
                head_max[i] = (h + bodies.head - base) as f32;
                head_min[i] = head_max[i];
            }
        }
        let windows = [
            Windows::new(&ground, 1, stride),
            Windows::new(&ground, stride, 1),
        ];
        Self {
            width,
            height,
            bodies,
            stride,
            windows,
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
    fn new(ground: &[f32], major: usize, minor: usize) -> Self {
        let slab = fold(ground, major, f32::max);
        let mut min = vec![ground.to_vec()];
        let mut max = vec![slab];
        for k in 1..WINDOWS {
            let step = minor << (k - 1);
            min.push(fold(&min[k - 1], step, f32::min));
            max.push(fold(&max[k - 1], step, f32::max));
        }
        Self { min, max }
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
