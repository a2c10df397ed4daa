//! Range query on the grid: the samples that a player may reach from a sample within a distance.

use super::motion::Extent;
use crate::format::grid::{BLOCK_LEVEL, quad_mask};
use crate::format::{Grid, Quad, Sample};
use crate::query::TerrainBundle;

/// How far from the edge of a unit square a position counts as on it. [Unit: samples]
const ROUNDING: f64 = 1e-6;

/// Every sample whose unit square somebody may reach who stands anywhere in a part of the unit
/// square of the centre and walks less than `reach` metres; with a reach of 0, the centre alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    centre: Sample,
    /// First and last column, first and last row of the part of the centre's unit square that is
    /// walked from, as fractions of its side.
    part: [[f64; 2]; 2],
    spacing: [f64; 2],
    /// The reach, squared.
    square: f64,
    /// First and last column, first and last row, in the grid.
    columns: [u32; 2],
    rows: [u32; 2],
}

impl Disc {
    /// From all of the centre's unit square.
    pub(super) const WHOLE: [[f64; 2]; 2] = [[0.0, 1.0]; 2];

    /// `reach` is counted.
    pub(super) fn new(
        grid: Grid,
        spacing: [f64; 2],
        (centre, part): (Sample, [[f64; 2]; 2]),
        reach: f64,
    ) -> Self {
        let side = |at: u32, step: f64, limit: u32| {
            // A square more than needed: what is too far is found out sample by sample.
            let steps = (reach / step).ceil() + 1.0;
            let steps = if reach == 0.0 { 0.0 } else { steps };
            // Greater than any grid, or no number: the whole side.
            let steps = if steps < f64::from(Grid::MAX_SIDE) {
                steps as u32
            } else {
                Grid::MAX_SIDE
            };
            let last = at.saturating_add(steps).min(limit.saturating_sub(1));
            [at.saturating_sub(steps), last]
        };
        Self {
            centre,
            part,
            spacing,
            // What is not nothing stays so, or the samples around would be lost.
            square: if reach > 0.0 {
                (reach * reach).max(f64::MIN_POSITIVE)
            } else {
                0.0
            },
            columns: side(centre.column, spacing[0], grid.width()),
            rows: side(centre.row, spacing[1], grid.height()),
        }
    }

    /// Every sample of a terrain whose unit square, or cell, meets a region; none if there is none.
    pub(super) fn of_region(terrain: &TerrainBundle<'_>, region: &Extent) -> Option<Self> {
        let (grid, spacing) = (terrain.grid(), terrain.parameters().cell_spacing);
        // Metres are from the first sample of the heightmap, half of whose side lies before it.
        let half = 0.5 / terrain.heightmap_samples();
        let side = |low: f64, high: f64, step: f64, limit: u32| {
            // Positions are rounded otherwise elsewhere.
            let (low, high) = (
                low / step + half - 1.0 - ROUNDING,
                high / step + half + ROUNDING,
            );
            let last = f64::from(limit) - 1.0;
            let (first, end) = (low.ceil().max(0.0), high.floor().min(last));
            (first <= end).then_some([first as u32, end as u32])
        };
        let [[left, top, _], [right, bottom, _]] = region.corners();
        let columns = side(left, right, spacing[0], grid.width())?;
        let rows = side(top, bottom, spacing[1], grid.height())?;
        let middle = |[first, last]: [u32; 2]| first + (last - first) / 2;
        Some(Self {
            centre: Sample::new(middle(columns), middle(rows)),
            part: Self::WHOLE,
            spacing,
            square: f64::INFINITY,
            columns,
            rows,
        })
    }

    /// The samples of its box, row by row: of a region all that it holds.
    pub(super) fn samples(self) -> impl Iterator<Item = Sample> {
        let [first, last] = self.columns;
        let rows = self.rows[0]..=self.rows[1];
        rows.flat_map(move |row| (first..=last).map(move |column| Sample::new(column, row)))
    }

    /// The sample in its middle.
    pub(super) fn centre(&self) -> Sample {
        self.centre
    }

    /// Whether a sample is in reach.
    #[inline]
    pub(super) fn holds(&self, sample: Sample) -> bool {
        // From the part to the unit square of the sample, in sides of such squares.
        let gap = |at: u32, centre: u32, [first, last]: [f64; 2]| match at.cmp(&centre) {
            core::cmp::Ordering::Less => f64::from(centre - at - 1) + first,
            core::cmp::Ordering::Equal => 0.0,
            core::cmp::Ordering::Greater => f64::from(at - centre) - last,
        };
        let ([dx, dy], [columns, rows]) = (self.spacing, self.part);
        let x = gap(sample.column, self.centre.column, columns) * dx;
        let y = gap(sample.row, self.centre.row, rows) * dy;
        // A square that is beyond all numbers is that of an endless reach.
        sample == self.centre || x * x + y * y < self.square || self.square == f64::INFINITY
    }

    /// The samples of a quad that lie in the box of the disc: first and last column, first and
    /// last row. None where they do not meet.
    fn common(&self, quad: Quad) -> Option<[[u32; 2]; 2]> {
        let Sample { column, row } = quad.origin();
        let last = (1 << quad.level) - 1;
        let cut = |[first, end]: [u32; 2], at: u32| {
            let part = [first.max(at), end.min(at.saturating_add(last))];
            (part[0] <= part[1]).then_some(part)
        };
        Some([cut(self.columns, column)?, cut(self.rows, row)?])
    }

    /// Whether some sample of a quad is in reach.
    pub(super) fn meets(&self, quad: Quad) -> bool {
        self.common(quad).is_some_and(|[columns, rows]| {
            let near = |[first, last]: [u32; 2], at: u32| at.clamp(first, last);
            self.holds(Sample::new(
                near(columns, self.centre.column),
                near(rows, self.centre.row),
            ))
        })
    }

    /// Whether all samples of the grid in a quad are in reach.
    pub(super) fn covers(&self, grid: Grid, quad: Quad) -> bool {
        let Sample { column, row } = quad.origin();
        let last = (1 << quad.level) - 1;
        let within = |[first, end]: [u32; 2], at: u32, limit: u32| {
            first <= at && at.saturating_add(last).min(limit.saturating_sub(1)) <= end
        };
        if !within(self.columns, column, grid.width()) || !within(self.rows, row, grid.height()) {
            return false;
        }
        let ends = |first: u32, limit: u32| {
            let last = first.saturating_add(last).min(limit.saturating_sub(1));
            [first, last]
        };
        let (columns, rows) = (ends(column, grid.width()), ends(row, grid.height()));
        let mut corners = columns
            .into_iter()
            .flat_map(|column| rows.map(|row| Sample::new(column, row)));
        corners.all(|corner| self.holds(corner))
    }

    /// The samples in reach that a block holds, as a word of a block bitmap. The block meets the
    /// grid.
    pub(super) fn mask(&self, block: Quad) -> u64 {
        let Some([columns, rows]) = self.common(block) else {
            return 0;
        };
        let holds_row = |row: u32| {
            columns
                .iter()
                .all(|&column| self.holds(Sample::new(column, row)))
        };
        if rows.into_iter().all(holds_row) {
            // All that is common: a rectangle.
            let wide = columns[1] - columns[0];
            let line = u64::MAX >> (63 - wide) << (columns[0] & 7);
            let all = (rows[0]..=rows[1]).fold(0, |all, row| all | line << ((row & 7) << 3));
            return all & quad_mask(block);
        }
        let mut mask = 0;
        for row in rows[0]..=rows[1] {
            // In a row what is in reach lies around the centre: look for both ends.
            let nearest = self.centre.column.clamp(columns[0], columns[1]);
            if !self.holds(Sample::new(nearest, row)) {
                continue;
            }
            let (mut first, mut last) = (nearest, nearest);
            while first > columns[0] && self.holds(Sample::new(first - 1, row)) {
                first -= 1;
            }
            while last < columns[1] && self.holds(Sample::new(last + 1, row)) {
                last += 1;
            }
            let line = u64::MAX >> (63 - (last - first)) << (first & 7);
            mask |= line << ((row & 7) << 3);
        }
        mask & quad_mask(block)
    }

    /// The level, blocks at least, at which at most two quads a side hold the disc.
    pub(super) fn level(&self, grid: Grid) -> u32 {
        let side = |[first, last]: [u32; 2]| (last - first.min(last) + 1).next_power_of_two();
        let side = side(self.columns).max(side(self.rows));
        side.trailing_zeros().clamp(BLOCK_LEVEL, grid.root_level())
    }

    /// In how many blocks the box of the disc lies.
    pub(super) fn blocks(&self) -> u32 {
        let side = |[first, last]: [u32; 2]| (last >> BLOCK_LEVEL) + 1 - (first >> BLOCK_LEVEL);
        side(self.columns).saturating_mul(side(self.rows))
    }

    /// The blocks that the box of the disc lies in, that of the centre first, and the samples in reach
    /// that each holds.
    pub(super) fn parts(&self) -> impl Iterator<Item = ((u32, u32), u64)> {
        let Sample { column, row } = self.centre;
        let centre = Quad::new(BLOCK_LEVEL, column >> BLOCK_LEVEL, row >> BLOCK_LEVEL);
        let others = self
            .quads(BLOCK_LEVEL)
            .filter(move |block| *block != centre);
        let blocks = core::iter::once(centre).chain(others);
        blocks.map(|block| ((block.column, block.row), self.mask(block)))
    }

    /// The quads of a level that the box of the disc lies in.
    pub(super) fn quads(&self, level: u32) -> impl Iterator<Item = Quad> + use<> {
        let [left, right] = self.columns.map(|column| column >> level);
        let [top, bottom] = self.rows.map(|row| row >> level);
        (top..=bottom)
            .flat_map(move |row| (left..=right).map(move |column| Quad::new(level, column, row)))
    }
}
