//! The midlines of radial sectors as lines of samples.

use super::angles::sin_cos_of_turn;

/// The most sectors that a circle is divided into.
pub const MAX_SECTORS: u32 = 1_000_000;

/// A line of samples out of a viewpoint: Bresenham's, to an end that is further away than the
/// grid is wide or high. (Bresenham 1965; thesis section 3.1.)
///
/// It is the same for every viewpoint, so that a block of them can walk it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Midline {
    /// Columns and rows to the end.
    end: [i32; 2],
}

/// The midlines of `sectors` sectors, in the order of their azimuths, each once.
///
/// Sector i is centred on the azimuth i / `sectors` of a turn, clockwise from north (row -1), in
/// metres: `spacing` is `[dx, dy]`. The line ends at the sample nearest to where its azimuth
/// leaves the square of `reach` samples around the viewpoint. Where there are more sectors than
/// such samples, neighbours share a line.
pub(super) fn midlines(sectors: u32, reach: u32, spacing: [f64; 2]) -> Vec<Midline> {
    let reach = f64::from(reach.max(1));
    // Beyond this every azimuth but the four winds looks along the same axis anyway.
    let ratio = (spacing[0] / spacing[1]).clamp(1e-9, 1e9);
    let mut lines: Vec<Midline> = (0..sectors)
        .map(|sector| {
            let (east, north) = sin_cos_of_turn(u64::from(sector), u64::from(sectors));
            let (columns, rows) = (east, -north * ratio);
            let stretch = reach / columns.abs().max(rows.abs());
            Midline {
                end: [
                    (columns * stretch).round() as i32,
                    (rows * stretch).round() as i32,
                ],
            }
        })
        .collect();
    lines.dedup();
    if lines.len() > 1 && lines.first() == lines.last() {
        lines.pop();
    }
    lines
}

impl Midline {
    /// The samples of the line without the viewpoint, without end: (columns, rows) from the
    /// viewpoint. The k-th, from 1, is k samples away in the direction in which the line is
    /// longer, and in the other nearest to the line (of two, the further).
    #[inline(always)]
    pub fn samples(self) -> impl Iterator<Item = (i32, i32)> {
        let [columns, rows] = self.end;
        let along_x = columns.abs() >= rows.abs();
        let (major, minor) = if along_x {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let (step, side) = (major.signum(), minor.signum());
        let (length, rise) = (major.abs(), minor.abs());
        let (mut u, mut v, mut error) = (0, 0, length);
        std::iter::repeat_with(move || {
            u += step;
            error += 2 * rise;
            if error >= 2 * length {
                error -= 2 * length;
                v += side;
            }
            if along_x { (u, v) } else { (v, u) }
        })
    }

    /// The k-th sample from the definition, for the slow twin.
    pub fn sample(self, k: i32) -> (i32, i32) {
        let [columns, rows] = self.end.map(i64::from);
        let longer = columns.abs().max(rows.abs());
        let at = |end: i64| {
            let nearest = (2 * i64::from(k) * end.abs() + longer) / (2 * longer);
            (end.signum() * nearest) as i32
        };
        (at(columns), at(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_line_is_the_nearest_line() {
        for line in midlines(1000, 403, [74.1, 92.5]) {
            for (k, sample) in (1..403).zip(line.samples()) {
                assert_eq!(sample, line.sample(k), "{line:?} {k}");
            }
            let [columns, rows] = line.end;
            assert_eq!(columns.abs().max(rows.abs()), 403);
        }
    }

    #[test]
    fn the_first_looks_north_and_the_next_ones_east_of_it() {
        let lines = midlines(4, 5, [1.0, 2.0]);
        assert_eq!(
            lines.iter().map(|l| l.end).collect::<Vec<_>>(),
            [[0, -5], [5, 0], [0, 5], [-5, 0]]
        );
        // North-east in metres is steeper in samples that are twice as high as wide.
        assert_eq!(midlines(8, 10, [1.0, 2.0])[1].end, [10, -5]);
    }

    #[test]
    fn a_million_sectors_are_no_more_lines_than_the_square_has_samples() {
        assert_eq!(midlines(MAX_SECTORS, 50, [1.0, 1.0]).len(), 8 * 50);
        assert_eq!(midlines(MAX_SECTORS, 1, [1.0, 1.0]).len(), 8);
        assert_eq!(midlines(1, 50, [1.0, 1.0]).len(), 1);
        // Spacing so unequal that nearly every azimuth is nearly due east or west in samples.
        assert!(midlines(1000, 50, [1e-3, 1e3]).len() >= 4);
    }
}
