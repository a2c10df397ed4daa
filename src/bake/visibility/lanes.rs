//! Sixty-four numbers at once, and tables laid out so that they load fast.

use fearless_simd::{f32x8, f32x16, prelude::*};

/// What stands for a void: so low that it neither blocks nor is seen, yet finite, so that
/// interpolating with it stays a number.
pub(crate) const VOID: f32 = -1e30;

/// Side of a block of viewpoints. [Unit: samples]
pub(crate) const SIDE: usize = 8;

/// Viewpoints of a block: lane i is column i % 8, row i / 8.
pub(crate) const LANES: usize = SIDE * SIDE;

/// Lanes of a group: two rows of a block.
pub(crate) const GROUP: usize = 2 * SIDE;

/// A number for each lane of `N` groups, the first of which begins at any row of the block.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<S: Simd, const N: usize>([f32x16<S>; N]);

// The methods are loops, since closures are not inlined into SIMD kernels.
impl<S: Simd, const N: usize> Lanes<S, N> {
    #[inline(always)]
    pub(crate) fn splat(simd: S, value: f32) -> Self {
        Self([f32x16::splat(simd, value); N])
    }

    #[inline(always)]
    pub(crate) fn min(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].min(other.0[k]);
        }
        self
    }

    #[inline(always)]
    pub(crate) fn max(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].max(other.0[k]);
        }
        self
    }

    #[inline(always)]
    pub(crate) fn plus(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] += other.0[k];
        }
        self
    }

    #[inline(always)]
    pub(crate) fn minus(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] -= other.0[k];
        }
        self
    }

    #[inline(always)]
    pub(crate) fn raised(mut self, by: f32) -> Self {
        for k in 0..N {
            self.0[k] += by;
        }
        self
    }

    #[inline(always)]
    pub(crate) fn times(mut self, factor: f32) -> Self {
        for k in 0..N {
            self.0[k] *= factor;
        }
        self
    }

    /// Each number times another.
    #[inline(always)]
    pub(crate) fn scaled(mut self, by: Self) -> Self {
        for k in 0..N {
            self.0[k] *= by.0[k];
        }
        self
    }

    /// `self` · factor + other, rounded twice: a fused multiply-add would make results depend on
    /// the processor.
    #[inline(always)]
    pub(crate) fn mul_add(self, factor: f32, other: Self) -> Self {
        self.times(factor).plus(other)
    }

    /// The way from `self` to `other`, of which `weight` has been gone.
    #[inline(always)]
    pub(crate) fn towards(self, other: Self, weight: f32) -> Self {
        other.minus(self).mul_add(weight, self)
    }

    /// Where `self` is greater than `other`, `yes`, elsewhere `no`.
    #[inline(always)]
    pub(crate) fn choose(self, other: Self, mut yes: Self, no: Self) -> Self {
        for k in 0..N {
            yes.0[k] = self.0[k].simd_gt(other.0[k]).select(yes.0[k], no.0[k]);
        }
        yes
    }

    /// The first `N` groups of 64 numbers.
    #[inline(always)]
    pub(crate) fn of(simd: S, values: &[f32; LANES]) -> Self {
        let mut lanes = Self::splat(simd, 0.0);
        for k in 0..N {
            lanes.0[k] = f32x16::from_slice(simd, &values[k * GROUP..(k + 1) * GROUP]);
        }
        lanes
    }

    /// The lanes that are equal to `value`, a bit each.
    #[inline(always)]
    pub(crate) fn equal(self, value: f32) -> u64 {
        let mut bits = 0;
        for k in 0..N {
            bits |= self.0[k].simd_eq(value).to_bitmask() << (k * GROUP);
        }
        bits
    }

    /// Lane by lane; 0 for lanes of further groups.
    #[inline(always)]
    pub(crate) fn values(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        for k in 0..N {
            self.0[k].store_slice(&mut values[k * GROUP..(k + 1) * GROUP]);
        }
        values
    }

    /// The lanes in which `self` is greater than `other`, a bit each.
    #[inline(always)]
    pub(crate) fn above(self, other: Self) -> u64 {
        let mut bits = 0;
        for k in 0..N {
            bits |= self.0[k].simd_gt(other.0[k]).to_bitmask() << (k * GROUP);
        }
        bits
    }
}

/// Columns of a strip: eight values in a row may begin at any of the first eight.
const STRIP: usize = 2 * SIDE;

/// From a place in a table to the next one south.
pub(crate) const ROW: u32 = STRIP as u32;

/// Where the places of a padded grid lie in a table of [`Strips`].
pub(crate) struct Layout {
    /// Samples of void around the grid.
    pad: usize,
    /// Columns and rows, pads included.
    pub stride: usize,
    pub rows: usize,
    /// Where each column begins.
    columns: Vec<u32>,
}

impl Layout {
    pub(crate) fn new(width: usize, height: usize, pad: usize) -> Self {
        let stride = (width + 2 * pad).next_multiple_of(SIDE);
        let rows = height + 2 * pad;
        let columns = (0..stride)
            .map(|c| (c / SIDE * STRIP * rows + c % SIDE) as u32)
            .collect();
        Self {
            pad,
            stride,
            rows,
            columns,
        }
    }

    /// Values in the largest table, that of [`Windows`]; up to [`MOST_VALUES`] can be addressed.
    pub(crate) fn most_values(&self) -> usize {
        LENGTHS.len() * self.stride / SIDE * STRIP * self.rows
    }

    /// Place of sample (c, r) in a plane that is not yet cut into strips.
    pub(crate) fn flat(&self, column: usize, row: usize) -> usize {
        (row + self.pad) * self.stride + column + self.pad
    }

    /// Place of sample (c, r) in a table; up to `pad` outside the grid.
    #[inline(always)]
    pub(crate) fn index(&self, column: i32, row: i32) -> u32 {
        let pad = self.pad as i32;
        let (c, r) = ((column + pad) as u32, (row + pad) as u32);
        self.columns[c as usize].wrapping_add(r.wrapping_mul(STRIP as u32))
    }
}

/// What a table may hold: its places are counted in 32 bits.
pub(crate) const MOST_VALUES: usize = u32::MAX as usize;

/// Planes of the grid, each cut into vertical strips of sixteen columns, one every eight
/// columns: so 8 × 8 values that begin anywhere lie in one strip, its rows sixteen values apart,
/// and loads with one bounds check.
pub(crate) struct Strips {
    values: Vec<f32>,
}

impl Strips {
    pub(crate) fn new<'p>(layout: &Layout, planes: impl IntoIterator<Item = &'p [f32]>) -> Self {
        let planes = planes.into_iter();
        let strips = layout.stride / SIDE * STRIP * layout.rows;
        let mut values = Vec::with_capacity(planes.size_hint().0 * strips);
        for plane in planes {
            for column in (0..layout.stride).step_by(SIDE) {
                let end = (column + STRIP).min(layout.stride);
                for row in plane.chunks_exact(layout.stride) {
                    values.extend_from_slice(&row[column..end]);
                    values.resize(values.len() + column + STRIP - end, VOID);
                }
            }
        }
        values.shrink_to_fit();
        assert!(values.len() <= MOST_VALUES, "see `HeightField::fits`");
        Self { values }
    }

    /// The value at `at`.
    #[inline(always)]
    pub(crate) fn value(&self, at: u32) -> f32 {
        self.values[at as usize]
    }

    /// The values of `N` groups, the first of which has its north-western corner at `at`.
    #[inline(always)]
    pub(crate) fn load<S: Simd, const N: usize>(&self, simd: S, at: u32) -> Lanes<S, N> {
        // Of 32 bits, so that the end needs no check for overflow.
        let at = at as usize;
        let t = &self.values[at..at + 2 * N * STRIP - SIDE];
        let mut lanes = Lanes::splat(simd, 0.0);
        for k in 0..N {
            let group = &t[2 * k * STRIP..][..STRIP + SIDE];
            let upper = f32x8::from_slice(simd, &group[..SIDE]);
            let lower = f32x8::from_slice(simd, &group[STRIP..]);
            lanes.0[k] = upper.combine(lower);
        }
        lanes
    }
}

/// Lengths of the windows, in samples.
const LENGTHS: [usize; 9] = [2, 3, 4, 6, 9, 14, 22, 40, 72];

/// Heights joined over windows that run in one direction: a plane for each of `LENGTHS`.
pub(crate) struct Windows {
    pub values: Strips,
    /// Where the plane begins whose windows are at least as long as the index.
    starts: [u32; 128],
}

impl Windows {
    /// Tables of one height a sample that they come to.
    pub(crate) const TABLES: u64 = LENGTHS.len() as u64;

    /// Joins `single` over windows of samples that are `step` apart.
    pub(crate) fn new(
        layout: &Layout,
        single: Vec<f32>,
        step: usize,
        join: impl Fn(f32, f32) -> f32 + Copy,
    ) -> Self {
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
    pub(crate) fn load<S: Simd, const N: usize>(
        &self,
        simd: S,
        at: u32,
        length: i32,
    ) -> Lanes<S, N> {
        let start = self.starts[length as usize & 127];
        self.values.load(simd, start.wrapping_add(at))
    }
}

/// Joins every value with the one `step` further; past the end, with itself.
pub(crate) fn fold(values: &[f32], step: usize, join: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let within = values.iter().zip(&values[step.min(values.len())..]);
    let mut joined = Vec::with_capacity(values.len());
    joined.extend(within.map(|(&a, &b)| join(a, b)));
    joined.extend_from_slice(&values[joined.len()..]);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_table_is_as_large_as_was_said_before_it_was_made() {
        for (width, height) in [(1, 1), (7, 30), (8, 8), (41, 3)] {
            let layout = Layout::new(width, height, 5);
            let plane = vec![0.0; layout.stride * layout.rows];
            let windows = Windows::new(&layout, plane, 1, f32::max);
            assert_eq!(windows.values.values.len(), layout.most_values());
        }
    }
}
