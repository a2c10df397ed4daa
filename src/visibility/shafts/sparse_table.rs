//! The least or the greatest of a range of values, in a few steps.

/// The longest windows hold 2^`MOST` values.
const MOST: u32 = 7;

/// Windows of more than 2^`EVERY` values do not begin at every value, but at so many a length.
const EVERY: u32 = 2;

/// Values along lines, and what joins them over windows of 1, 2, 4 … values.
///
/// A window of 2^k values begins at every 2^(k - 2)th value, and holds 2^(k - 2) - 1 values more, so that
/// one that begins anywhere lies in one of them. So it takes some four times the values.
/// (The sparse table of Bender and Farach-Colton 2000, thinned out.)
pub(super) struct SparseTable<const GREATEST: bool> {
    /// By k: windows along lines, one line after the other.
    planes: [Plane; PLANES],
}

/// Lengths of windows.
const PLANES: usize = MOST as usize + 1;

struct Plane {
    values: Vec<f32>,
    /// Windows of a line.
    stride: usize,
}

/// How far apart the windows of 2^k values begin, as a power of two.
fn apart(k: u32) -> u32 {
    k.saturating_sub(EVERY)
}

impl<const GREATEST: bool> SparseTable<GREATEST> {
    /// Bytes for so many values on so many lines.
    pub fn bytes(lines: usize, values: usize) -> u64 {
        (0..=MOST)
            .map(|k| 4 * (lines * values.div_ceil(1 << apart(k))) as u64)
            .sum()
    }

    /// `fill` writes the values of a line.
    pub fn new(lines: usize, values: usize, fill: impl Fn(usize, &mut [f32])) -> Self {
        let mut planes: [Plane; PLANES] = std::array::from_fn(|k| {
            let stride = values.div_ceil(1 << apart(k as u32));
            let values = Vec::with_capacity(stride * lines);
            Plane { values, stride }
        });
        let mut line = vec![0.0; values];
        for x in 0..lines {
            fill(x, &mut line);
            for (k, plane) in (0..).zip(&mut planes) {
                // Here `line` holds windows of 2^k values. Past the end there is nothing to join.
                let step = 1 << apart(k);
                plane.values.extend(
                    line.chunks(step)
                        .map(|begin| begin.iter().copied().reduce(Self::join).expect("not empty")),
                );
                let half = 1 << k;
                for at in 0..values.saturating_sub(half) {
                    line[at] = Self::join(line[at], line[at + half]);
                }
            }
        }
        Self { planes }
    }

    #[inline(always)]
    fn join(a: f32, b: f32) -> f32 {
        match GREATEST {
            true if a < b => b,
            false if b < a => b,
            _ => a,
        }
    }

    /// The values of a line.
    #[inline(always)]
    pub fn line(&self, line: usize) -> Line<'_, GREATEST> {
        Line {
            planes: &self.planes,
            line,
        }
    }
}

/// The values of a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'t, const GREATEST: bool> {
    planes: &'t [Plane; PLANES],
    line: usize,
}

impl<const GREATEST: bool> Line<'_, GREATEST> {
    /// The value itself.
    #[inline(always)]
    pub fn at(self, value: u32) -> f32 {
        let plane = &self.planes[0];
        plane.values[self.line * plane.stride + value as usize]
    }

    /// What joins the values from `first` to `last`, and perhaps some beside them. All must be there.
    #[inline(always)]
    pub fn over(self, first: u32, last: u32) -> f32 {
        let k = (last + 1 - first).ilog2().min(MOST);
        let plane = &self.planes[k as usize];
        let begin = self.line * plane.stride;
        let (length, step) = (1 << k, apart(k));
        let end = last + 1 - length;
        let window = |at: u32| plane.values[begin + (at >> step) as usize];
        let mut joined = SparseTable::<GREATEST>::join(window(first), window(end));
        let mut next = first + length;
        while next < end {
            joined = SparseTable::<GREATEST>::join(joined, window(next));
            next += length;
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    #[test]
    fn a_range_is_joined_with_little_beside_it() {
        let mut dice = Dice(9);
        for values in [1, 5, 64, 700] {
            let data: Vec<f32> = (0..3 * values).map(|_| dice.roll(1000) as f32).collect();
            let fill = |x: usize, line: &mut [f32]| {
                line.copy_from_slice(&data[x * values..(x + 1) * values]);
            };
            let table = SparseTable::<false>::new(3, values, fill);
            let held: usize = table.planes.iter().map(|plane| plane.values.len()).sum();
            assert_eq!(SparseTable::<false>::bytes(3, values), 4 * held as u64);
            for _ in 0..2000 {
                let [line, a, b] = [3, values as u32, values as u32].map(|n| dice.roll(n) as usize);
                let (first, last) = (a.min(b), a.max(b));
                let least = |first: usize, last: usize| {
                    let line = &data[line * values..(line + 1) * values];
                    line[first..=last].iter().copied().fold(f32::MAX, f32::min)
                };
                let found = table.line(line).over(first as u32, last as u32);
                let wide = (last + 1 - first) / 4;
                assert!(found <= least(first, last));
                assert!(found >= least(first.saturating_sub(wide), (last + wide).min(values - 1)));
                assert_eq!(table.line(line).at(first as u32), least(first, first));
            }
        }
    }
}
