//! Horizon lines: how high the terrain stands against the sky, by azimuth.
//!
//! For a sector centred on an azimuth the horizon is the greatest elevation of the terrain on the
//! ray of that azimuth from the eye. The ray is exact, not a line of samples: the terrain is taken
//! where the ray crosses a grid line x = integer or y = integer, linear between the two samples
//! beside the crossing, as [`super::sees`] does. A crossing beside a void is no terrain. Between
//! its crossings the terrain may stand higher by what a bilinear patch bulges.
//!
//! On a round earth a crossing D metres away is lowered by c·D² ([`Curvature::drop_at`]), which
//! the eye, the origin here, sees as it is: a smooth sea's horizon dips below the horizontal. This
//! differs from angles over ground that was lowered sample by sample ([`Curvature::lower`]), but for
//! the tilt that its origin brings about, by what a straight line between two samples cuts off the
//! parabola: at most c/4 times their distance squared, 15 micrometres for samples 30 m apart.

use super::Curvature;
use super::angles::{atan, sin_cos_of_turn};
use super::lanes::{LANES, SIDE};
use super::padded_heights::{LanesF64, PaddedHeights};
use super::simd::at_level;
use fearless_simd::{Level, Simd};
use fearless_simd_macros::simd;
use rayon::prelude::*;
use viewcell_ingest::world::Terrain;

/// A crossing nearer than this to a sample, in samples, is at the sample.
const AT_SAMPLE: f64 = 1e-9;

/// Steps between two looks at whether a ray has passed all that may stand higher.
const EVERY: i32 = 8;

/// A terrain prepared for horizons.
pub struct Horizons {
    heights: PaddedHeights,
    spacing: [f64; 2],
    eye: f64,
    sectors: u32,
    level: Level,
    /// By how many metres ground is lowered for each square metre of its distance squared.
    bulge: f64,
    /// Terrain further away than this is not looked at. [Unit: m]
    max_distance: f64,
}

impl Horizons {
    /// How many rows of samples are computed at once.
    pub const ROWS: u32 = SIDE as u32;

    /// Prepares `terrain` for eyes `eye` metres above ground, and so many sectors. The SIMD level
    /// does not change any answer. Takes 16 bytes a sample.
    ///
    /// # Panics
    ///
    /// If `sectors` is 0.
    pub fn new(terrain: &Terrain, eye: f64, sectors: u32, level: Level) -> Self {
        assert!(sectors > 0);
        Self {
            heights: PaddedHeights::new(terrain),
            spacing: terrain.spacing(),
            eye,
            sectors,
            level,
            bulge: 0.0,
            max_distance: f64::INFINITY,
        }
    }

    /// The same on a round earth.
    pub fn with_curvature(mut self, curvature: Curvature) -> Self {
        self.bulge = curvature.bulge();
        self
    }

    /// The same where terrain further away than so many metres over the ground does not count.
    pub fn with_max_distance(mut self, metres: f64) -> Self {
        self.max_distance = metres;
        self
    }

    /// The horizons of the samples of rows `row` to `row` + 8, as many as there are: angles above
    /// the horizontal in degrees, row by row, for each sample by sector.
    ///
    /// Sector 0 is centred on north (row -1), the next ones follow clockwise. Where there is no
    /// terrain on the ray, as at the edge of the grid, or none near enough, the horizon is at -90,
    /// the ground below the eye. A void has NaN.
    ///
    /// O(sectors · samples · side) at most; uses the threads of the current pool of `rayon`, on
    /// whose number no bit of the result depends.
    ///
    /// # Panics
    ///
    /// Unless `row` is a multiple of 8 in the grid.
    pub fn degrees(&self, row: u32) -> Vec<f32> {
        self.strip(row, self.sectors as usize, |tangents, out: &mut [f32]| {
            for (tangent, out) in tangents.iter().zip(out) {
                *out = atan(*tangent).to_degrees() as f32;
            }
        })
    }

    /// The sky view factors of the samples of rows `row` to `row` + 8, as many as there are, row
    /// by row; NaN for a void.
    ///
    /// It is the share of the hemisphere's solid angle that is sky: 1 - Σ sin γ / n, where γ is
    /// the horizon of each of the n sectors, or 0 where the horizon is below the horizontal
    /// (Zakšek, Oštir & Kokalj 2011, "Sky-View Factor as a Relief Visualization Technique",
    /// Remote Sensing 3(2), equation 5).
    ///
    /// # Panics
    ///
    /// Unless `row` is a multiple of 8 in the grid.
    pub fn sky_view(&self, row: u32) -> Vec<f32> {
        self.strip(row, 1, |tangents, out: &mut [f32]| {
            let sine = |tangent: f64| tangent / (1.0 + tangent * tangent).sqrt();
            let above = tangents
                .iter()
                .map(|t| if *t > 0.0 { sine(*t) } else { 0.0 });
            out[0] = (1.0 - above.sum::<f64>() / tangents.len() as f64) as f32;
        })
    }

    /// For each sample of eight rows what `finish` makes of the tangents of its horizons:
    /// `values` numbers.
    fn strip(
        &self,
        row: u32,
        values: usize,
        finish: impl Fn(&[f64], &mut [f32]) + Sync,
    ) -> Vec<f32> {
        let (width, height) = (self.heights.width as usize, self.heights.height as u32);
        assert!(row.is_multiple_of(Self::ROWS) && row < height);
        let rows = (height - row).min(Self::ROWS) as usize;
        let blocks: Vec<Vec<f32>> = (0..width.div_ceil(SIDE))
            .into_par_iter()
            .map(|block| self.of_block((block * SIDE) as u32, row, values, &finish))
            .collect();
        let mut out = Vec::with_capacity(rows * width * values);
        for y in 0..rows {
            for (block, of_lanes) in blocks.iter().enumerate() {
                let columns = (width - block * SIDE).min(SIDE);
                out.extend_from_slice(&of_lanes[y * SIDE * values..][..columns * values]);
            }
        }
        out
    }

    /// The same for the lanes of the block at (column, row).
    fn of_block(
        &self,
        column: u32,
        row: u32,
        values: usize,
        finish: &impl Fn(&[f64], &mut [f32]),
    ) -> Vec<f32> {
        let standing = self.heights.standing(column, row);
        let mut out = vec![f32::NAN; LANES * values];
        if standing == 0 {
            return out;
        }
        let sectors = self.sectors as usize;
        let mut tangents = vec![0.0; LANES * sectors];
        let at = (column as i32, row as i32);
        for sector in 0..sectors {
            let slopes =
                at_level!(self.level, simd => look(simd, self, at, standing, sector as u32));
            for (lane, slope) in slopes.iter().flatten().enumerate() {
                tangents[lane * sectors + sector] = *slope;
            }
        }
        for lane in (0..LANES).filter(|lane| standing >> lane & 1 == 1) {
            let out = &mut out[lane * values..][..values];
            finish(&tangents[lane * sectors..][..sectors], out);
        }
        out
    }

    /// A ray's crossings with the lines across columns (or rows): per line, how far the ray moves
    /// along it in samples, and how far it goes in metres, infinite where it crosses none.
    fn crossings(&self, sector: u32) -> [Lines; 2] {
        let (east, north) = sin_cos_of_turn(sector.into(), self.sectors.into());
        let [dx, dy] = self.spacing;
        let lines = |across: f64, along: f64, [step, side]: [f64; 2]| {
            let metres = step / across.abs();
            Lines {
                sign: if across < 0.0 { -1 } else { 1 },
                drift: along * metres / side,
                metres,
            }
        };
        [lines(east, -north, [dx, dy]), lines(-north, east, [dy, dx])]
    }
}

/// Where a ray crosses the lines across an axis.
#[derive(Clone, Copy)]
struct Lines {
    /// In which sense the lines count.
    sign: i32,
    /// How far the ray moves along the lines from one to the next. [Unit: samples]
    drift: f64,
    /// How far the ray goes from one line to the next. [Unit: m] [Limit: > 0, may be infinite]
    metres: f64,
}

/// The tangents of the horizons of a block in one sector.
#[simd]
fn look<S: Simd>(
    simd: S,
    horizons: &Horizons,
    (column, row): (i32, i32),
    standing: u64,
    sector: u32,
) -> [[f64; SIDE]; SIDE] {
    let heights = &horizons.heights;
    let eye = heights.load(simd, column, row).add(horizons.eye);
    let zero = LanesF64::splat(simd, 0.0);
    let top = LanesF64::splat(simd, heights.highest).minus(eye).max(zero);
    // Outside the grid the slope is that of a void: -90 degrees in any number of digits.
    let mut slope = LanesF64::splat(simd, f64::MIN);
    for (axis, lines) in horizons.crossings(sector).into_iter().enumerate() {
        if lines.metres.is_infinite() {
            continue;
        }
        for line in 1.. {
            let metres = f64::from(line) * lines.metres;
            if metres > horizons.max_distance {
                break;
            }
            let drift = f64::from(line) * lines.drift;
            let mut whole = drift.floor();
            let mut weight = drift - whole;
            if weight > 1.0 - AT_SAMPLE {
                whole += 1.0;
                weight = 0.0;
            }
            let along = |aside: i32| match axis {
                0 => (
                    column + line * lines.sign,
                    row.saturating_add(whole as i32).saturating_add(aside),
                ),
                _ => (
                    column.saturating_add(whole as i32).saturating_add(aside),
                    row + line * lines.sign,
                ),
            };
            let (first, second) = (along(0), along(1));
            let ground = if weight < AT_SAMPLE {
                if !heights.touches(first.0, first.1) {
                    break;
                }
                heights.load(simd, first.0, first.1)
            } else {
                if !heights.touches(first.0, first.1) && !heights.touches(second.0, second.1) {
                    break;
                }
                let first = heights.load(simd, first.0, first.1);
                let second = heights.load(simd, second.0, second.1);
                first.plus(second.minus(first).times(weight))
            };
            let rise = ground.minus(eye).add(-horizons.bulge * metres * metres);
            slope = slope.max(rise.times(1.0 / metres));
            if line % EVERY == 0 && standing & !slope.times(metres).above(top) == 0 {
                break;
            }
        }
    }
    let mut out = [[0.0; SIDE]; SIDE];
    for (out, row) in out.iter_mut().zip(slope.0) {
        *out = row.into();
    }
    out
}

/// The slow twin: the horizon in degrees of sample (column, row) in one of so many sectors, of
/// terrain up to `max_distance` metres away on the earth of this shape, or a flat one; NaN for a
/// void. O(side).
pub fn horizon(
    terrain: &Terrain,
    curvature: Option<Curvature>,
    max_distance: f64,
    eye: f64,
    (column, row): (u32, u32),
    (sector, sectors): (u32, u32),
) -> f64 {
    let from = terrain.at(column, row) + eye;
    let (east, north) = sin_cos_of_turn(sector.into(), sectors.into());
    let [dx, dy] = terrain.spacing();
    // Columns and rows a metre.
    let (x, y) = (east / dx, -north / dy);
    let (width, height) = (f64::from(terrain.width()), f64::from(terrain.height()));
    let inside = |c: f64, r: f64| c >= 0.0 && r >= 0.0 && c <= width - 1.0 && r <= height - 1.0;
    let ground = |c: f64, r: f64| terrain.at(c as u32, r as u32);
    let mut highest = f64::NEG_INFINITY;
    for line in 1..terrain.width().max(terrain.height()) {
        for (speed, across_columns) in [(x, true), (y, false)] {
            let metres = f64::from(line) / speed.abs();
            let snap = |at: f64| {
                if (at - at.round()).abs() < AT_SAMPLE {
                    at.round()
                } else {
                    at
                }
            };
            let c = snap(f64::from(column) + x * metres);
            let r = snap(f64::from(row) + y * metres);
            // Infinite, or not even a number, where the ray crosses no such line.
            if !inside(c, r) {
                continue;
            }
            let height = if across_columns {
                ground(c, r.floor()) * (1.0 - r.fract()) + ground(c, r.ceil()) * r.fract()
            } else {
                ground(c.floor(), r) * (1.0 - c.fract()) + ground(c.ceil(), r) * c.fract()
            };
            if metres > max_distance {
                continue;
            }
            let drop = curvature.map_or(0.0, |earth| earth.drop_at(metres));
            // NaN beside a void: no terrain.
            highest = highest.max((height - drop - from) / metres);
        }
    }
    if from.is_nan() {
        return f64::NAN;
    }
    highest.atan().to_degrees()
}
