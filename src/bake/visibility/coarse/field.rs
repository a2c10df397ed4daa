//! The terrain as the kernel of shafts reads it.

use super::pair::CoarsePair;
use super::planes::{Corners, corners};
use super::sparse_table::SparseTable;
use crate::visibility::LOOK_LEVEL;
use crate::visibility::lanes::VOID;
use crate::visibility::places::Places;
use crate::visibility::sightline::Stance;
use crate::visibility::surface::Cover;
use crate::visibility::{Bodies, HeightField, TOLERANCE};
use viewcell::format::{Grid, Sample};
use viewcell_ingest::world::Terrain;

/// A terrain prepared for [`super::Shafts`].
pub struct ShaftField<'t> {
    pub(crate) terrain: &'t Terrain,
    pub(crate) bodies: Bodies,
    pub(crate) stance: Stance,
    pub(crate) places: Places,
    /// Samples, and view cells.
    pub(crate) samples: Grid,
    pub(crate) cells: Grid,
    /// Level of the view cells.
    pub(crate) finest: u32,
    /// The level at which pairs that are open count as seen; 0: none but quarters of samples' squares do.
    pub(crate) detail: u32,
    /// Where somebody can be, a word a block of cells.
    pub(crate) asked: Vec<u64>,
    /// For sight with the column as major axis, and with the row.
    pub(crate) axes: [Lines; 2],
    /// By level of quads, from samples on.
    pub(crate) quads: Vec<Quads>,
    /// Of cells, by level of quads from 1 to below [`MAX_SLOPE_LEVEL`](super::planes::MAX_SLOPE_LEVEL): heights over their corners whose
    /// bilinear interpolation is nowhere below any ground in them that somebody can be on; [`VOID`] where nobody can.
    pub(crate) corners: Vec<Vec<Corners>>,
    /// Is subtracted from all heights in tables, in metres.
    pub(crate) base: f64,
    /// By how much a line's ground has to be above sight, in metres, before single precision may call it blocked.
    pub(crate) margin_blocked: f32,
    /// Up to how much it may be above sight that is called clear.
    pub(crate) margin_clear: f32,
    /// The same as `margin_blocked` where bounds slope ([`super::slopes`]), with 1,024 · 2⁻²⁴ times the reach of heights for
    /// rounding. Sums of up to 80 rounded terms, and products of a slope with up to 37 samples, were estimated at 500, and at 900
    /// where a child at the grid's edge is a sample wide.
    pub(crate) margin_slopes: f32,
    max_distance: f64,
}

/// The ground along the grid lines across one direction.
pub(crate) struct Lines {
    /// The least height that blocks, over windows of a line; [`VOID`] where an engine draws no patch.
    pub least: SparseTable<false>,
    /// The greatest on a line and the next: over a *slab*.
    pub greatest: SparseTable<true>,
}

/// What is known of the quads of a level, row by row.
pub(crate) struct Quads {
    pub columns: u32,
    /// The highest eye and the highest head; [`VOID`] where is none.
    pub eyes: Vec<f32>,
    pub heads: Vec<f32>,
    /// The lowest eye and the lowest head at a sample; none for samples themselves.
    pub low_eyes: Vec<f32>,
    pub low_heads: Vec<f32>,
    /// The lowest among the highest eyes of the cells that are asked for, and among the highest heads; none
    /// for what is smaller than a view cell.
    pub peak_eyes: Vec<f32>,
    pub peak_heads: Vec<f32>,
    /// The samples of the highest eye and head, counted row by row; none for samples themselves.
    peaks: Vec<[u32; 2]>,
}

/// A sample that is not there.
pub(crate) const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);

/// The number of a sample that is not there.
const NO_NUMBER: u32 = u32::MAX;

/// The lowest eye or head where there is none: above all heights.
const NOBODY: f32 = -VOID;

impl<'t> ShaftField<'t> {
    /// Bytes that the tables of so many columns and rows take while they are made, about.
    pub fn bytes(width: u32, height: u32) -> u64 {
        let (columns, rows) = (width as usize, height as usize);
        let lines = |lines, values| {
            SparseTable::<false>::bytes(lines, values) + SparseTable::<true>::bytes(lines, values)
        };
        // Of samples two heights; of larger quads, a third as many, four, and the two peaks, and corners; and places.
        let others = (columns * rows) as u64 * (3 * (8 + 4) + 40) / 3;
        lines(columns, rows) + lines(rows, columns) + others
    }

    /// Prepares `terrain` for view cells of 2^finest samples a side, `finest` at least 1.
    ///
    /// Takes less than 66 bytes a sample.
    ///
    /// # Panics
    ///
    /// Where `finest` is 0, or the terrain is larger than a [`Grid`] can be.
    pub fn new(terrain: &'t Terrain, bodies: Bodies, stance: Stance, finest: u32) -> Self {
        assert!(finest >= 1, "cells of samples have a kernel of their own");
        let samples =
            Grid::new(terrain.width(), terrain.height()).expect("see `HeightField::fits`");
        let side = |samples: u32| samples.div_ceil(1 << finest);
        let cells = Grid::new(side(samples.width()), side(samples.height())).expect("fewer");
        let [base, reach] = HeightField::frame(terrain, bodies);
        // As in `HeightField`, twice over: shares of the way come from divisions here.
        let slack = 128.0 * reach * 2f64.powi(-24);
        let places = Places::new(terrain, bodies, stance);
        let mut asked = vec![0; cells.blocks()];
        for sample in samples.row_by_row() {
            let (word, bit) = samples.block_bit(sample);
            if places.asked[word] >> bit & 1 == 1 {
                let (word, bit) =
                    cells.block_bit(Sample::new(sample.column >> finest, sample.row >> finest));
                asked[word] |= 1 << bit;
            }
        }
        let mut field = Self {
            terrain,
            bodies,
            stance,
            samples,
            cells,
            finest,
            detail: 0,
            asked,
            axes: [false, true].map(|turned| Lines::new(terrain, base, stance, turned)),
            quads: Vec::new(),
            corners: Vec::new(),
            places,
            base,
            margin_blocked: (TOLERANCE + slack) as f32,
            margin_clear: (TOLERANCE - slack) as f32,
            margin_slopes: (TOLERANCE + 8.0 * slack) as f32,
            max_distance: f64::INFINITY,
        };
        field.quads.push(field.samples_as_quads());
        for level in 1..=finest + LOOK_LEVEL {
            field.quads.push(field.quads_of(level));
        }
        if stance == Stance::Cell {
            let is_anybody = |place| field.has_anybody(0, field.quads[0].number(place));
            field.corners = corners(terrain, field.samples, field.base, is_anybody);
        }
        field
    }

    /// The same field where nobody sees further than `metres` over the ground. Cells see each
    /// other as long as any of their positions do.
    pub fn with_max_distance(mut self, metres: f64) -> Self {
        self.max_distance = metres;
        self
    }

    /// The same field where no quads smaller than those of a level are distinguished: what is open between them
    /// is seen. Takes less time, and hides less.
    ///
    /// # Panics
    ///
    /// Where `level` is above that of view cells.
    pub fn with_detail(mut self, level: u32) -> Self {
        assert!(level <= self.finest, "{level}");
        self.detail = level;
        self
    }

    /// Whether a pair is not divided further.
    pub(crate) fn is_smallest(&self, pair: CoarsePair) -> bool {
        self.detail > 0 && pair.level == self.detail
    }

    /// Whether samples at least `p` columns and `q` rows apart are too far to see each other.
    #[inline]
    pub(crate) fn too_far(&self, p: u32, q: u32) -> bool {
        if self.max_distance == f64::INFINITY {
            return false;
        }
        let slack = u32::from(self.stance == Stance::Cell);
        let [dx, dy] = self.terrain.spacing();
        let x = f64::from(p.saturating_sub(slack)) * dx;
        let y = f64::from(q.saturating_sub(slack)) * dy;
        x * x + y * y > self.max_distance * self.max_distance
    }

    /// Whether somebody at a sample can look out, and whether somebody there can be seen.
    fn counts(&self, (column, row): (u32, u32)) -> [bool; 2] {
        let (word, bit) = self.samples.block_bit(Sample::new(column, row));
        [&self.places.eyes, &self.places.heads].map(|words| words[word] >> bit & 1 == 1)
    }

    /// How high eye and head are over a sample.
    pub(crate) fn eye_and_head(&self, (column, row): (u32, u32)) -> [f64; 2] {
        let ground = self.terrain.ground_at(column, row) - self.base;
        [ground + self.bodies.eye, ground + self.bodies.head]
    }

    fn samples_as_quads(&self) -> Quads {
        let (columns, rows) = (self.samples.width(), self.samples.height());
        let mut quads = Quads::new(columns, rows, [false; 2]);
        for at in 0..quads.eyes.len() {
            let place = (at as u32 % columns, at as u32 / columns);
            let counts = self.counts(place);
            if counts == [false; 2] {
                continue;
            }
            let highest = match self.stance {
                Stance::Sample => self.eye_and_head(place),
                Stance::Cell => {
                    let ground = Cover::new(self.terrain, place.0, place.1).greatest - self.base;
                    [ground + self.bodies.eye, ground + self.bodies.head]
                }
            };
            if counts[0] {
                quads.eyes[at] = highest[0] as f32;
            }
            if counts[1] {
                quads.heads[at] = highest[1] as f32;
            }
        }
        quads
    }

    /// The quads of a level, from those of the level below.
    fn quads_of(&self, level: u32) -> Quads {
        let below = &self.quads[level as usize - 1];
        let side = |samples: u32| samples.div_ceil(1 << level);
        let (columns, rows) = (side(self.samples.width()), side(self.samples.height()));
        let below_rows = below.eyes.len() as u32 / below.columns;
        let mut quads = Quads::new(columns, rows, [true, level >= self.finest]);
        for at in 0..quads.eyes.len() {
            let quad = (at as u32 % columns, at as u32 / columns);
            let children = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(c, r)| (2 * quad.0 + c, 2 * quad.1 + r))
                .into_iter()
                .filter(|&(c, r)| c < below.columns && r < below_rows);
            let mut peaks = [(VOID, NO_NUMBER); 2];
            for child in children {
                let number = (child.1 * below.columns + child.0) as usize;
                quads.eyes[at] = quads.eyes[at].max(below.eyes[number]);
                quads.heads[at] = quads.heads[at].max(below.heads[number]);
                let (lowest, samples) = match level {
                    1 => self.sample_alone(child),
                    _ => (
                        [below.low_eyes[number], below.low_heads[number]],
                        below.peaks[number],
                    ),
                };
                quads.low_eyes[at] = quads.low_eyes[at].min(lowest[0]);
                quads.low_heads[at] = quads.low_heads[at].min(lowest[1]);
                if level > self.finest {
                    quads.peak_eyes[at] = quads.peak_eyes[at].min(below.peak_eyes[number]);
                    quads.peak_heads[at] = quads.peak_heads[at].min(below.peak_heads[number]);
                }
                for (which, (height, peak)) in peaks.iter_mut().enumerate() {
                    if let Some(sample) = self.sample(samples[which]) {
                        let there = self.eye_and_head(sample)[which] as f32;
                        if there > *height {
                            (*height, *peak) = (there, samples[which]);
                        }
                    }
                }
            }
            quads.peaks[at] = peaks.map(|(_, sample)| sample);
            if level == self.finest {
                let (word, bit) = self.cells.block_bit(Sample::new(quad.0, quad.1));
                let asked = self.asked[word] >> bit & 1 == 1;
                // Of a cell that nobody can be in nothing is asked.
                let low = |(height, _): (f32, u32)| if asked { height } else { NOBODY };
                (quads.peak_eyes[at], quads.peak_heads[at]) = (low(peaks[0]), low(peaks[1]));
            }
        }
        quads
    }

    /// Whether anybody in a quad sees or can be seen.
    pub(crate) fn has_anybody(&self, level: u32, number: usize) -> bool {
        let quads = &self.quads[level as usize];
        quads.eyes[number].max(quads.heads[number]) > VOID
    }

    /// Of a quad that is one sample: its eye and its head, and its number for either that counts.
    fn sample_alone(&self, sample: (u32, u32)) -> ([f32; 2], [u32; 2]) {
        let number = sample.1 * self.samples.width() + sample.0;
        let (heights, counts) = (self.eye_and_head(sample), self.counts(sample));
        let of = |which: usize| {
            if counts[which] {
                (heights[which] as f32, number)
            } else {
                (NOBODY, NO_NUMBER)
            }
        };
        let [eye, head] = [of(0), of(1)];
        ([eye.0, head.0], [eye.1, head.1])
    }

    /// The sample of a number.
    fn sample(&self, number: u32) -> Option<(u32, u32)> {
        let width = self.samples.width();
        (number != NO_NUMBER).then_some((number % width, number / width))
    }

    /// The samples of a quad with its highest eye, and of another with its highest head: [`NOWHERE`] where
    /// is none.
    pub(crate) fn peaks(&self, level: u32, [a, b]: [(u32, u32); 2]) -> [(u32, u32); 2] {
        let quads = &self.quads[level as usize];
        [(a, 0), (b, 1)].map(|(quad, which)| {
            let number = quads.peaks[quads.number(quad)][which];
            self.sample(number).unwrap_or(NOWHERE)
        })
    }
}

impl Quads {
    /// Where nobody is. Whether they are larger than samples, and whether they are view cells or larger.
    fn new(columns: u32, rows: u32, [has_samples, has_cells]: [bool; 2]) -> Self {
        let quads = columns as usize * rows as usize;
        let some = |has: bool, value: f32| vec![value; if has { quads } else { 0 }];
        Self {
            columns,
            eyes: some(true, VOID),
            heads: some(true, VOID),
            low_eyes: some(has_samples, NOBODY),
            low_heads: some(has_samples, NOBODY),
            peak_eyes: some(has_cells, NOBODY),
            peak_heads: some(has_cells, NOBODY),
            peaks: vec![[NO_NUMBER; 2]; if has_samples { quads } else { 0 }],
        }
    }

    #[inline(always)]
    pub(crate) fn number(&self, (column, row): (u32, u32)) -> usize {
        row as usize * self.columns as usize + column as usize
    }
}

impl Lines {
    fn new(terrain: &Terrain, base: f64, stance: Stance, turned: bool) -> Self {
        let place = |x: usize, y: usize| {
            if turned {
                (y as i64, x as i64)
            } else {
                (x as i64, y as i64)
            }
        };
        let at = |(column, row): (i64, i64)| terrain.at(column as u32, row as u32);
        let (mut lines, mut values) = (terrain.width() as usize, terrain.height() as usize);
        if turned {
            (lines, values) = (values, lines);
        }
        let missing = |(column, row): (i64, i64)| {
            (0..i64::from(terrain.width())).contains(&column)
                && (0..i64::from(terrain.height())).contains(&row)
                && at((column, row)).is_nan()
        };
        // As in `Axis`: an engine draws no patch that lacks a sample.
        let has_edges = stance == Stance::Cell && terrain.voids() > 0;
        let is_edge = |(column, row): (i64, i64)| {
            has_edges && (-1..=1).any(|c| (-1..=1).any(|r| missing((column + c, row + r))))
        };
        let height = |place: (i64, i64)| match at(place) {
            h if h.is_nan() => VOID,
            h => (h - base) as f32,
        };
        let blocking = |x: usize, line: &mut [f32]| {
            for (y, value) in line.iter_mut().enumerate() {
                *value = if is_edge(place(x, y)) {
                    VOID
                } else {
                    height(place(x, y))
                };
            }
        };
        let slab = |x: usize, line: &mut [f32]| {
            let next = (x + 1).min(lines - 1);
            for (y, value) in line.iter_mut().enumerate() {
                *value = height(place(x, y)).max(height(place(next, y)));
            }
        };
        Self {
            least: SparseTable::new(lines, values, blocking),
            greatest: SparseTable::new(lines, values, slab),
        }
    }
}
