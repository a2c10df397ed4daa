//! Upper and lower bounds of one viewpoint's horizon in an octant, line of the grid by line.
//!
//! In an octant the targets are (u, v) samples away, 0 ≤ v ≤ u, and lines of sight cross the lines u = 1, 2 ... of the
//! grid. Seen from the eye, whatever blocks is a set of straight edges: those between neighbours on a line u = x, and
//! those between neighbours on a line v = j. With σ for the height of ground above the eye over its distance in u,
//! and s = v/u for the direction, an edge is a straight segment in (s, σ): perspective keeps lines straight. So the
//! horizon is the upper envelope of these segments, and a target is hidden by what lies before it if its own σ is less.
//!
//! Directions are divided into bins. Each has one straight line that nothing so far is above ([`Bin::upper`]), and one
//! that something so far is nowhere below ([`Bin::lower`]). Bins are narrower than a sample on the last line, so that
//! at most one sample of a line lies inside of a bin, and only there an edge ends. Positions in a bin are fractions of
//! whole numbers, which are exact. A target above the upper line is seen, one below the lower line is hidden, and what
//! lies between them is left to the definition. The envelope itself would be exact, but has no bound for its size.
//!
//! The last line before a target counts only as far as the line of sight crosses it, and no line v = j is crossed
//! beyond: for v ≤ u there is none strictly between u - 1 and u.
//!
//! Did not pay: two bins for each line of an octant in place of one: fewer samples left to the definition, a fifth more
//! time.

use crate::visibility::sightline::TOLERANCE;

/// Bins that are skipped together where a line of the grid is lower than all of their lower lines.
const GROUP: usize = 16;

/// Stands for no ground at all; not infinite, so that there is no NaN between two.
const NOTHING: f64 = -1e300;

/// Straight lines over a bin, by their values at its two ends.
#[derive(Clone, Copy)]
struct Bin {
    upper: [f64; 2],
    lower: [f64; 2],
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Seen,
    Hidden,
    Unsure,
}

/// Memory for octants, one after another.
#[derive(Default)]
pub(super) struct Octant {
    bins: Vec<Bin>,
    /// The least that any lower line has in each group of bins.
    lowest: Vec<f64>,
    /// σ of the samples of the last line and of the one before, NaN where there is none.
    now: Vec<f64>,
    before: Vec<f64>,
    /// The greater of both.
    greatest: Vec<f64>,
    /// How much of σ may be rounding.
    slack: f64,
    /// 1/n.
    inverse: Vec<f64>,
}

impl Octant {
    /// Begins an octant of which so many lines are looked at, by an eye that may be `slack` wrong in σ.
    pub(super) fn begin(&mut self, lines: usize, slack: f64) {
        let nothing = Bin {
            upper: [NOTHING; 2],
            lower: [NOTHING; 2],
        };
        self.bins.clear();
        self.bins.resize(lines.max(GROUP), nothing);
        self.lowest.clear();
        self.lowest.resize(self.bins.len().div_ceil(GROUP), NOTHING);
        // Beyond the last sample, and beyond the last bin of a group.
        let room = lines + 2 * GROUP + 2;
        for line in [&mut self.now, &mut self.before, &mut self.greatest] {
            line.clear();
            line.resize(room, f64::NAN);
        }
        self.slack = slack;
        let known = self.inverse.len();
        self.inverse.extend((known..room).map(|n| 1.0 / n as f64));
    }

    /// What is known of the targets (u, 0) to (u, last), whose σ is `heads`, by the lines before u.
    pub(super) fn test(&self, u: usize, heads: &[f64], mut tell: impl FnMut(usize, Known)) {
        let bins = self.bins.len();
        let (step, more) = (bins / u, bins % u);
        let (mut bin, mut rest) = (0, 0);
        let inverse = self.inverse[u];
        for (v, &head) in heads.iter().enumerate() {
            // The direction v/u lies in bin v·bins/u, and that beyond its beginning.
            let (Bin { upper, lower }, along) = match self.bins.get(bin) {
                Some(lines) => (*lines, rest as f64 * inverse),
                None => (self.bins[bins - 1], 1.0),
            };
            // So that nothing at one end is nothing at the other.
            let over = |line: [f64; 2]| (1.0 - along) * line[0] + along * line[1];
            if head > over(upper) + self.slack {
                tell(v, Known::Seen);
            } else if head < over(lower) - self.slack {
                tell(v, Known::Hidden);
            } else if !head.is_nan() {
                tell(v, Known::Unsure);
            }
            (bin, rest) = (bin + step, rest + more);
            if rest >= u {
                (bin, rest) = (bin + 1, rest - u);
            }
        }
    }

    /// Adds the line u = x, whose first samples have these `heights`, NaN for none, under an eye at that height. Rays
    /// beyond these samples matter no more.
    pub(super) fn add(&mut self, x: usize, heights: &[f64], eye: f64) {
        std::mem::swap(&mut self.now, &mut self.before);
        let floor = eye + TOLERANCE;
        let inverse = self.inverse[x];
        let count = heights.len();
        for (sigma, height) in self.now.iter_mut().zip(heights) {
            *sigma = (height - floor) * inverse;
        }
        // No bin goes further beyond.
        let end = count + 2 * GROUP;
        self.now[count..end].fill(f64::NAN);
        let lines = self.now[..end].iter().zip(&self.before);
        for (greatest, (now, before)) in self.greatest.iter_mut().zip(lines) {
            *greatest = now.max(*before);
        }
        let bins = self.bins.len();
        for group in 0..self.lowest.len() {
            let first = group * GROUP;
            let end = (first + GROUP).min(bins);
            let from = x * first / bins;
            if from >= count {
                break;
            }
            let to = x * end / bins + 1;
            let highest = self.greatest[from..=to]
                .iter()
                .fold(
                    NOTHING,
                    |most, sigma| if *sigma > most { *sigma } else { most },
                );
            if highest > self.lowest[group] {
                self.lowest[group] = self.add_to(x, first, end);
            }
        }
    }

    /// Adds a line to the bins from `first` to before `end`; the least of their lower lines.
    fn add_to(&mut self, x: usize, first: usize, end: usize) -> f64 {
        let bins = self.bins.len();
        let width = 1.0 / bins as f64;
        let (now, before) = (&self.now[..], &self.before[..]);
        // The edge u = x over a place `part` bins beyond sample `k`.
        let across = |k: usize, part: usize| match part {
            0 => now[k],
            _ => now[k] + part as f64 * width * (now[k + 1] - now[k]),
        };
        // The edge v = k between the lines, if the ray to that place crosses it.
        let along = |k: usize, part: usize, bin: usize| {
            if part == 0 || part >= bin {
                return f64::NAN;
            }
            let back = part as f64 * width * (x - 1) as f64 * self.inverse[k];
            now[k] + back * (before[k] - now[k])
        };
        let (mut k, mut part) = (x * first / bins, x * first % bins);
        let (mut edge, mut cross) = (across(k, part), along(k, part, first));
        let mut least = f64::INFINITY;
        for (bin, lines) in self.bins[first..end].iter_mut().enumerate() {
            let (mut next, mut beyond) = (k, part + x);
            if beyond >= bins {
                (next, beyond) = (k + 1, beyond - bins);
            }
            let next_edge = across(next, beyond);
            let next_cross = along(next, beyond, first + bin + 1);
            let (mut high, mut low) = ([edge, next_edge], [edge, next_edge]);
            if next > k && beyond > 0 {
                // A sample is inside of the bin, where one edge ends and another begins.
                let at = (bins - part) as f64 * self.inverse[x];
                let rise = now[next] - (edge + at * (next_edge - edge));
                if rise > 0.0 {
                    high = high.map(|end| end + rise);
                } else if rise <= 0.0 {
                    low = low.map(|end| end + rise);
                } else {
                    // Beside a void one of the edges is missing, or both.
                    high = [edge.max(next_edge).max(now[next]); 2];
                    low = [f64::NAN; 2];
                }
            }
            let upper = [high[0].max(cross), high[1].max(next_cross)];
            for (end, upper) in lines.upper.iter_mut().zip(upper) {
                *end = end.max(upper);
            }
            let crossed = if next == k {
                [cross, next_cross]
            } else {
                [f64::NAN; 2]
            };
            for low in [low, crossed] {
                if low[0] + low[1] > lines.lower[0] + lines.lower[1] {
                    lines.lower = low;
                }
            }
            least = least.min(lines.lower[0].min(lines.lower[1]));
            (k, part, edge, cross) = (next, beyond, next_edge, next_cross);
        }
        least
    }
}
