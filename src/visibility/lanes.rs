//! Sixty-four numbers at once, and tables laid out so that they load fast.

use fearless_simd::{f32x8, f32x16, mask32x16, prelude::*};

/// What stands for a void: so low that it neither blocks nor is seen, yet finite, so that
/// interpolating with it stays a number.
pub(super) const VOID: f32 = -1e30;

/// Side of a patch of viewpoints, computed at once. [Unit: samples]
pub(super) const PATCH: usize = 8;

/// Viewpoints of a patch: lane i is column i % 8, row i / 8.
pub(super) const LANES: usize = PATCH * PATCH;

/// A number for each lane.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd>([f32x16<S>; 4]);

// The methods are written out, since closures are not inlined into SIMD kernels.
impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self([f32x16::splat(simd, value); 4])
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        Self([
            a[0].min(b[0]),
            a[1].min(b[1]),
            a[2].min(b[2]),
            a[3].min(b[3]),
        ])
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        Self([
            a[0].max(b[0]),
            a[1].max(b[1]),
            a[2].max(b[2]),
            a[3].max(b[3]),
        ])
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        Self([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }

    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        Self([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]])
    }

    #[inline(always)]
    pub fn raised(self, by: f32) -> Self {
        let Self(a) = self;
        Self([a[0] + by, a[1] + by, a[2] + by, a[3] + by])
    }

    #[inline(always)]
    pub fn times(self, factor: f32) -> Self {
        let Self(a) = self;
        Self([a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor])
    }

    /// `self` · factor + other, rounded twice: a fused multiply-add would make results depend on
    /// the processor.
    #[inline(always)]
    pub fn mul_add(self, factor: f32, other: Self) -> Self {
        self.times(factor).plus(other)
    }

    /// The way from `self` to `other`, of which `weight` has been gone.
    #[inline(always)]
    pub fn towards(self, other: Self, weight: f32) -> Self {
        other.minus(self).mul_add(weight, self)
    }

    /// Where `self` is greater than `other`.
    #[inline(always)]
    pub fn selector(self, other: Self) -> Selector<S> {
        let (Self(a), Self(b)) = (self, other);
        Selector([
            a[0].simd_gt(b[0]),
            a[1].simd_gt(b[1]),
            a[2].simd_gt(b[2]),
            a[3].simd_gt(b[3]),
        ])
    }

    /// A number for each lane.
    #[inline(always)]
    pub fn of(simd: S, values: &[f32; LANES]) -> Self {
        Self([
            f32x16::from_slice(simd, &values[..16]),
            f32x16::from_slice(simd, &values[16..32]),
            f32x16::from_slice(simd, &values[32..48]),
            f32x16::from_slice(simd, &values[48..]),
        ])
    }

    /// The lanes that are equal to `value`, a bit each.
    #[inline(always)]
    pub fn equal(self, value: f32) -> u64 {
        let Self(a) = self;
        a[0].simd_eq(value).to_bitmask()
            | a[1].simd_eq(value).to_bitmask() << 16
            | a[2].simd_eq(value).to_bitmask() << 32
            | a[3].simd_eq(value).to_bitmask() << 48
    }

    /// Lane by lane.
    #[inline(always)]
    pub fn values(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        let Self(a) = self;
        a[0].store_slice(&mut values[..16]);
        a[1].store_slice(&mut values[16..32]);
        a[2].store_slice(&mut values[32..48]);
        a[3].store_slice(&mut values[48..]);
        values
    }

    /// The lanes in which `self` is greater than `other`, a bit each.
    #[inline(always)]
    pub fn above(self, other: Self) -> u64 {
        let (Self(a), Self(b)) = (self, other);
        a[0].simd_gt(b[0]).to_bitmask()
            | a[1].simd_gt(b[1]).to_bitmask() << 16
            | a[2].simd_gt(b[2]).to_bitmask() << 32
            | a[3].simd_gt(b[3]).to_bitmask() << 48
    }
}

/// A choice for each lane.
#[derive(Clone, Copy)]
pub(super) struct Selector<S: Simd>([mask32x16<S>; 4]);

impl<S: Simd> Selector<S> {
    /// `yes` in the chosen lanes, `no` in the others.
    #[inline(always)]
    pub fn select(self, yes: Lanes<S>, no: Lanes<S>) -> Lanes<S> {
        let (Self(m), Lanes(a), Lanes(b)) = (self, yes, no);
        Lanes([
            m[0].select(a[0], b[0]),
            m[1].select(a[1], b[1]),
            m[2].select(a[2], b[2]),
            m[3].select(a[3], b[3]),
        ])
    }
}

/// Columns of a strip: a patch may begin at any of the first eight.
const STRIP: usize = 2 * PATCH;

/// Where the places of a padded grid lie in a table of [`Strips`].
pub(super) struct Layout {
    /// Samples of void around the grid.
    pad: usize,
    /// Columns and rows, pads included.
    pub stride: usize,
    pub rows: usize,
    /// Where each column begins.
    columns: Vec<u32>,
}

impl Layout {
    pub fn new(width: usize, height: usize, pad: usize) -> Self {
        let stride = (width + 2 * pad).next_multiple_of(PATCH);
        let rows = height + 2 * pad;
        let columns = (0..stride)
            .map(|c| (c / PATCH * STRIP * rows + c % PATCH) as u32)
            .collect();
        Self {
            pad,
            stride,
            rows,
            columns,
        }
    }

    /// Place of sample (c, r) in a plane that is not yet cut into strips.
    pub fn flat(&self, column: usize, row: usize) -> usize {
        (row + self.pad) * self.stride + column + self.pad
    }

    /// Place of sample (c, r) in a table; up to `pad` outside the grid.
    #[inline(always)]
    pub fn index(&self, column: i32, row: i32) -> usize {
        let pad = self.pad as i32;
        let (c, r) = ((column + pad) as usize, (row + pad) as usize);
        self.columns[c] as usize + r * STRIP
    }
}

/// Planes of the grid, each cut into vertical strips of sixteen columns, one every eight
/// columns: so a patch that begins anywhere lies in one strip, its rows sixteen values apart,
/// and loads with one bounds check.
pub(super) struct Strips {
    values: Vec<f32>,
}

impl Strips {
    pub fn new<'p>(layout: &Layout, planes: impl IntoIterator<Item = &'p [f32]>) -> Self {
        let mut values = Vec::new();
        for plane in planes {
            for column in (0..layout.stride).step_by(PATCH) {
                let end = (column + STRIP).min(layout.stride);
                for row in plane.chunks_exact(layout.stride) {
                    values.extend_from_slice(&row[column..end]);
                    values.resize(values.len() + column + STRIP - end, VOID);
                }
            }
        }
        values.shrink_to_fit();
        Self { values }
    }

    /// The value at `at`.
    #[inline(always)]
    pub fn value(&self, at: usize) -> f32 {
        self.values[at]
    }

    /// The 8 × 8 values whose north-western corner is at `at`.
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

/// Lengths of the windows, in samples.
const LENGTHS: [usize; 9] = [2, 3, 4, 6, 9, 14, 22, 40, 72];

/// Heights joined over windows that run in one direction: a plane for each of `LENGTHS`.
pub(super) struct Windows {
    pub values: Strips,
    /// Where the plane begins whose windows are at least as long as the index.
    starts: [u32; 128],
}

impl Windows {
    /// Joins `single` over windows of samples that are `step` apart.
    pub fn new(layout: &Layout, single: Vec<f32>, step: usize, join: fn(f32, f32) -> f32) -> Self {
        let mut planes = vec![(1, single)];
        for length in LENGTHS {
            // Two overlapping windows of the shortest length that is at least half as long.
            let (part, plane) = planes
                .iter()
                .find(|(part, _)| 2 * part >= length)
                .expect("no length is more than twice the one before");
            let next = fold(plane, (length - part) * step, join);
            planes.push((length, next));
        }
        let values = Strips::new(layout, planes[1..].iter().map(|(_, plane)| &plane[..]));
        let plane = values.values.len() / LENGTHS.len();
        let starts = std::array::from_fn(|length| {
            let cover = LENGTHS.iter().position(|l| *l >= length);
            (cover.unwrap_or(LENGTHS.len()) * plane) as u32
        });
        Self { values, starts }
    }

    /// The join over at least `length` samples, the first of which lies at `at`.
    #[inline(always)]
    pub fn patch<S: Simd>(&self, simd: S, at: usize, length: i32) -> Lanes<S> {
        let start = self.starts[length as usize & 127];
        self.values.patch(simd, start as usize + at)
    }
}

/// Joins every value with the one `step` further; past the end, with itself.
pub(super) fn fold(values: &[f32], step: usize, join: fn(f32, f32) -> f32) -> Vec<f32> {
    let within = values.iter().zip(&values[step.min(values.len())..]);
    let mut joined: Vec<f32> = within.map(|(&a, &b)| join(a, b)).collect();
    joined.extend_from_slice(&values[joined.len()..]);
    joined
}
