//! Ground in double precision, laid out so that a block of 8 × 8 viewpoints loads at once.

use super::lanes::SIDE;
use fearless_simd::{f64x8, prelude::*};
use viewcell_ingest::world::Terrain;

/// What stands for a void and for what is outside the grid: so low that it neither blocks nor is
/// seen, yet finite, so that interpolating with it stays a number.
const VOID: f64 = -1e30;

/// Rows and columns of void around the grid, so that no lane of a block that has one lane inside
/// reads outside.
const PAD: usize = SIDE;

/// Columns of a strip: eight values in a row may begin at any of the first eight.
const STRIP: usize = 2 * SIDE;

/// The heights of a terrain, with voids around.
pub(crate) struct PaddedHeights {
    pub width: i32,
    pub height: i32,
    /// Vertical strips of sixteen columns, one every eight columns: 8 × 8 values that begin anywhere
    /// lie in one strip, their rows sixteen values apart.
    ground: Vec<f64>,
    /// Where each column, from `PAD` west of the grid on, begins in `ground`.
    columns: Vec<usize>,
    /// Where somebody can be: a word for every 8 × 8 block, row by row.
    pub valid: Vec<u64>,
    /// The highest ground.
    pub highest: f64,
}

impl PaddedHeights {
    /// Lays out `terrain`; takes 16 bytes a sample.
    pub(super) fn new(terrain: &Terrain) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let (stride, rows) = ((width + 2 * PAD).next_multiple_of(SIDE), height + 2 * PAD);
        let mut ground = vec![VOID; stride / SIDE * STRIP * rows];
        let blocks_x = width.div_ceil(8);
        let mut valid = vec![0; blocks_x * height.div_ceil(8)];
        let mut highest = f64::MIN;
        for (i, &h) in terrain.heights().iter().enumerate() {
            if h.is_nan() {
                continue;
            }
            let (c, r) = (i % width, i / width);
            let place = u64::from(terrain.has_place(c as u32, r as u32));
            valid[r / 8 * blocks_x + c / 8] |= place << (r % 8 * 8 + c % 8);
            highest = highest.max(h);
            let (strip, within) = ((c + PAD) / SIDE, (c + PAD) % SIDE);
            ground[(strip * rows + r + PAD) * STRIP + within] = h;
            // The right half of the strip to the left.
            ground[((strip - 1) * rows + r + PAD) * STRIP + SIDE + within] = h;
        }
        Self {
            width: width as i32,
            height: height as i32,
            ground,
            columns: (0..stride)
                .map(|c| c / SIDE * STRIP * rows + c % SIDE)
                .collect(),
            valid,
            highest,
        }
    }

    /// Number of 8 × 8 blocks in a row of them.
    pub(super) fn blocks_x(&self) -> usize {
        (self.width as usize).div_ceil(8)
    }

    /// Whether some lane of a block whose first lane is at (c, r) is in the grid.
    #[inline(always)]
    pub(super) fn touches(&self, c: i32, r: i32) -> bool {
        const REACH: i32 = SIDE as i32 - 1;
        c >= -REACH && c < self.width && r >= -REACH && r < self.height
    }

    /// The ground under a block whose first lane is at (c, r), which [`PaddedHeights::touches`].
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, c: i32, r: i32) -> LanesF64<S> {
        const SPAN: usize = STRIP * (SIDE - 1) + SIDE;
        let at = self.columns[(c + PAD as i32) as usize] + (r + PAD as i32) as usize * STRIP;
        let t: &[f64; SPAN] = self.ground[at..at + SPAN]
            .first_chunk()
            .expect("8 × 8 values");
        LanesF64([
            f64x8::from_slice(simd, &t[0..8]),
            f64x8::from_slice(simd, &t[16..24]),
            f64x8::from_slice(simd, &t[32..40]),
            f64x8::from_slice(simd, &t[48..56]),
            f64x8::from_slice(simd, &t[64..72]),
            f64x8::from_slice(simd, &t[80..88]),
            f64x8::from_slice(simd, &t[96..104]),
            f64x8::from_slice(simd, &t[112..120]),
        ])
    }

    /// The lanes, a bit each, of the aligned block at (c, r) where somebody can be.
    pub(super) fn standing(&self, c: u32, r: u32) -> u64 {
        if c as i32 >= self.width || r as i32 >= self.height {
            return 0;
        }
        self.valid[r as usize / 8 * self.blocks_x() + c as usize / 8]
    }
}

/// A number for each lane of a block.
#[derive(Clone, Copy)]
pub(crate) struct LanesF64<S: Simd>(pub [f64x8<S>; SIDE]);

impl<S: Simd> LanesF64<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, value: f64) -> Self {
        Self([f64x8::splat(simd, value); SIDE])
    }

    #[inline(always)]
    fn with(self, f: impl Fn(f64x8<S>) -> f64x8<S>) -> Self {
        self.with_other(self, |a, _| f(a))
    }

    #[inline(always)]
    fn with_other(self, other: Self, f: impl Fn(f64x8<S>, f64x8<S>) -> f64x8<S>) -> Self {
        let (a, b) = (self.0, other.0);
        Self([
            f(a[0], b[0]),
            f(a[1], b[1]),
            f(a[2], b[2]),
            f(a[3], b[3]),
            f(a[4], b[4]),
            f(a[5], b[5]),
            f(a[6], b[6]),
            f(a[7], b[7]),
        ])
    }

    #[inline(always)]
    pub(super) fn add(self, b: f64) -> Self {
        self.with(|a| a + b)
    }

    #[inline(always)]
    pub(super) fn times(self, b: f64) -> Self {
        self.with(|a| a * b)
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        self.with_other(other, |a, b| a + b)
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        self.with_other(other, |a, b| a - b)
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.with_other(other, |a, b| a.max(b))
    }

    /// Where it is greater, a bit a lane.
    #[inline(always)]
    pub(super) fn above(self, other: Self) -> u64 {
        let (a, b) = (self.0, other.0);
        let row = |i: usize| a[i].simd_gt(b[i]).to_bitmask() << (8 * i);
        row(0) | row(1) | row(2) | row(3) | row(4) | row(5) | row(6) | row(7)
    }
}
