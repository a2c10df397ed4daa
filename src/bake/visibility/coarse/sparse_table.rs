//! The least or the greatest of a range of values, in a few steps.

/// The longest windows hold 2^`MOST` values.
const MOST: u32 = 7;

/// Values along lines, and what joins them over windows of 1, 4, 8 … values.
///
/// Windows of the least of 2^k values begin at every 2^(k - 2)th value, and hold 2^(k - 2) - 1 values more, so
/// that one that begins anywhere lies in one of them. So they take some three times the values. Those of the
/// greatest, which only say that it is worth to look closer, begin half as often, and take twice the values.
/// Windows of two would be as many as there are values, and save one look at most.
/// (The sparse table of Bender and Farach-Colton 2000, thinned out.)
pub(crate) struct SparseTable<const GREATEST: bool> {
    /// By k: windows along lines, one line after the other. None of two values.
    planes: [Plane; PLANES],
}

/// Lengths of windows.
const PLANES: usize = MOST as usize + 1;

struct Plane {
    values: Vec<f32>,
    /// Windows of a line.
    stride: usize,
}

impl<const GREATEST: bool> SparseTable<GREATEST> {
    /// How far apart the windows of 2^k values begin, as a power of two. `None` where there are none.
    const fn apart(k: u32) -> Option<u32> {
        match k {
            0 => Some(0),
            1 => None,
            _ if GREATEST => Some(k - 1),
            _ => Some(k - 2),
        }
    }

    /// Windows of 2^k values that a line of so many has.
    fn windows(k: u32, values: usize) -> usize {
        Self::apart(k).map_or(0, |apart| values.div_ceil(1 << apart))
    }

    /// Bytes for so many values on so many lines.
    pub(crate) fn bytes(lines: usize, values: usize) -> u64 {
        let windows: usize = (0..=MOST).map(|k| Self::windows(k, values)).sum();
        4 * (lines * windows) as u64
    }

    /// `fill` writes the values of a line.
    pub(crate) fn new(lines: usize, values: usize, fill: impl Fn(usize, &mut [f32])) -> Self {
        let mut planes: [Plane; PLANES] = std::array::from_fn(|k| {
            let stride = Self::windows(k as u32, values);
            let values = Vec::with_capacity(stride * lines);
            Plane { values, stride }
        });
        let mut line = vec![0.0; values];
        for x in 0..lines {
            fill(x, &mut line);
            for (k, plane) in (0..).zip(&mut planes) {
                // Here `line` holds windows of 2^k values. Past the end there is nothing to join.
                if let Some(apart) = Self::apart(k) {
                    let windows = line.chunks(1 << apart);
                    plane.values.extend(windows.map(|begins| {
                        begins
                            .iter()
                            .copied()
                            .reduce(Self::join)
                            .expect("not empty")
                    }));
                }
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

    /// All values, one line after the other, and how many a line has.
    #[inline(always)]
    pub(crate) fn all(&self) -> (&[f32], usize) {
        let plane = &self.planes[0];
        (&plane.values, plane.stride)
    }

    /// The values of a line.
    #[inline(always)]
    pub(crate) fn line(&self, line: usize) -> Line<'_, GREATEST> {
        Line {
            planes: &self.planes,
            line,
        }
    }
}

/// The values of a line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'t, const GREATEST: bool> {
    planes: &'t [Plane; PLANES],
    line: usize,
}

impl<'t, const GREATEST: bool> Line<'t, GREATEST> {
    /// The value itself.
    #[inline(always)]
    pub(crate) fn at(self, value: u32) -> f32 {
        let plane = &self.planes[0];
        plane.values[self.line * plane.stride + value as usize]
    }

    /// All of them.
    #[inline(always)]
    pub(crate) fn values(self) -> &'t [f32] {
        let plane = &self.planes[0];
        &plane.values[self.line * plane.stride..][..plane.stride]
    }

    /// What joins the values from `first` to `last`, and perhaps some beside them. All must be there.
    #[inline(always)]
    pub(crate) fn over(self, first: u32, last: u32) -> f32 {
        let k = (last + 1 - first).ilog2().min(MOST);
        let (k, apart) = match SparseTable::<GREATEST>::apart(k) {
            Some(apart) => (k, apart),
            None => (0, 0),
        };
        let plane = &self.planes[k as usize];
        let begin = self.line * plane.stride;
        let length = 1 << k;
        let end = last + 1 - length;
        let window = |at: u32| plane.values[begin + (at >> apart) as usize];
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
    use viewcell::dice::Dice;

    /// The greatest of the negative is the least; `share` of a range is the most that is joined beside it.
    fn check<const GREATEST: bool>(share: usize) {
        let sign = if GREATEST { -1.0 } else { 1.0 };
        let mut dice = Dice(9);
        for values in [1, 5, 64, 700] {
            let data: Vec<f32> = (0..3 * values).map(|_| dice.roll(1000) as f32).collect();
            let fill = |x: usize, line: &mut [f32]| {
                for (value, height) in line.iter_mut().zip(&data[x * values..]) {
                    *value = sign * height;
                }
            };
            let table = SparseTable::<GREATEST>::new(3, values, fill);
            let held: usize = table.planes.iter().map(|plane| plane.values.len()).sum();
            assert_eq!(SparseTable::<GREATEST>::bytes(3, values), 4 * held as u64);
            for _ in 0..2000 {
                let [line, a, b] = [3, values as u32, values as u32].map(|n| dice.roll(n) as usize);
                let (first, last) = (a.min(b), a.max(b));
                let least = |first: usize, last: usize| {
                    let line = &data[line * values..(line + 1) * values];
                    line[first..=last].iter().copied().fold(f32::MAX, f32::min)
                };
                let found = sign * table.line(line).over(first as u32, last as u32);
                let length = last + 1 - first;
                let wide = if length < 4 { 0 } else { length / share };
                assert!(found <= least(first, last));
                assert!(found >= least(first.saturating_sub(wide), (last + wide).min(values - 1)));
                assert_eq!(
                    sign * table.line(line).at(first as u32),
                    least(first, first)
                );
            }
        }
    }

    #[test]
    fn a_range_is_joined_with_little_beside_it() {
        check::<false>(4);
        check::<true>(2);
    }
}
