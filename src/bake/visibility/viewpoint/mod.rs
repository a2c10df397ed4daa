//! The viewshed of one viewpoint: which samples it sees exactly, without a bake.
//!
//! The kernels of bakes compute 64 viewpoints at once; one alone would cost as much. Here eight octants are swept outwards,
//! and bounds of the horizon ([`octant`]) decide nearly all samples. The others are tested by the definition, skipping tiles
//! of ground that cannot block ([`tiles`]). So the answer is that of [`super::sees`] for every sample.

mod octant;
mod tiles;

use std::ops::{Deref, Range};

use super::sightline::{Bodies, Stance};
use super::surface::is_covered;
use octant::{Known, Octant};
use tiles::Pyramid;
use viewcell_ingest::world::{Terrain, extremes};

/// Somebody who looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// Column and row of the sample above which the eye is.
    pub sample: (u32, u32),
    /// Heights of the own eye and of the heads that are looked for.
    pub bodies: Bodies,
    /// Nobody is seen further away over the ground. [Unit: m]
    pub max_distance: f64,
}

/// What a viewpoint sees: nothing outside of some columns and rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewshed {
    /// The columns.
    pub columns: Range<u32>,
    /// The rows.
    pub rows: Range<u32>,
    /// Whether each sample is seen in these, row by row.
    pub seen: Vec<bool>,
}

impl Viewshed {
    /// The samples that are seen, row by row.
    pub fn samples(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let rows = self.seen.chunks_exact(self.columns.len().max(1));
        self.rows.clone().zip(rows).flat_map(|(row, seen)| {
            let columns = self.columns.clone().zip(seen);
            columns.filter_map(move |(column, seen)| seen.then_some((column, row)))
        })
    }

    /// Takes away what does not hold.
    pub fn retain(&mut self, holds: impl Fn((u32, u32)) -> bool) {
        let width = self.columns.len().max(1);
        for (row, seen) in self.rows.clone().zip(self.seen.chunks_exact_mut(width)) {
            for (column, seen) in self.columns.clone().zip(seen) {
                *seen = *seen && holds((column, row));
            }
        }
    }
}

/// A terrain prepared for viewsheds of single viewpoints, borrowed or shared.
pub struct ViewshedField<T> {
    terrain: T,
    pyramid: Pyramid,
    /// How much of a height may be rounding. [Unit: m]
    slack: f64,
}

/// The memory of one thread for viewsheds, one after another.
#[derive(Default)]
pub struct Looker {
    octant: Octant,
    /// The surface and the ground on some lines, and what a head's height over its distance is on one.
    surface: Lines,
    ground: Lines,
    heads: Vec<f64>,
    unsure: Vec<(u32, u32)>,
}

impl<T: Deref<Target = Terrain>> ViewshedField<T> {
    /// Prepares a terrain: for a round earth one that was lowered ([`super::Curvature::lower`]). O(samples), and a
    /// thirtieth of its memory.
    pub fn new(terrain: T) -> Self {
        let [lowest, highest] = terrain.extremes();
        let mut most = lowest.abs().max(highest.abs());
        if terrain.has_ground() {
            let ground = extremes(terrain.ground());
            most = ground.into_iter().map(f64::abs).fold(most, f64::max);
        }
        Self {
            pyramid: Pyramid::new(&terrain),
            slack: 1e-9 + 1e-14 * most,
            terrain,
        }
    }
}

impl Looker {
    /// What a viewpoint of a field sees: each sample where somebody can be, and which it sees by [`super::sees`]; nothing where nobody
    /// can be at its own.
    ///
    /// # Panics
    ///
    /// If the viewpoint is outside of the grid.
    pub fn look(
        &mut self,
        field: &ViewshedField<impl Deref<Target = Terrain>>,
        viewpoint: &Viewpoint,
    ) -> Viewshed {
        let terrain = &*field.terrain;
        let [columns, rows] = range(terrain, viewpoint);
        let mut shed = Viewshed {
            seen: vec![false; columns.len() * rows.len()],
            columns,
            rows,
        };
        let (column, row) = viewpoint.sample;
        if !terrain.has_place(column, row) {
            return shed;
        }
        let width = shed.columns.len();
        let (west, north) = (shed.columns.start, shed.rows.start);
        let index = |(c, r): (u32, u32)| (r - north) as usize * width + (c - west) as usize;
        shed.seen[index((column, row))] = true;
        let bodies = viewpoint.bodies;
        if is_covered(terrain, (column, row), bodies.eye, Stance::Sample) {
            return shed;
        }
        for major in [0, 1] {
            for signs in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
                let side = Side::new(terrain, viewpoint, major, signs);
                self.sweep(&side, field.slack, |sample| {
                    shed.seen[index(sample)] = true;
                });
            }
        }
        for sample in self.unsure.drain(..) {
            let seen = &mut shed.seen[index(sample)];
            *seen = *seen
                || field
                    .pyramid
                    .sees(terrain, bodies, viewpoint.sample, sample);
        }
        let covered = |sample| is_covered(terrain, sample, bodies.head, Stance::Sample);
        let has_head = |sample: (u32, u32)| {
            sample == viewpoint.sample
                || terrain.has_place(sample.0, sample.1)
                    && !(terrain.has_ground() && covered(sample))
        };
        if terrain.has_ground() || terrain.walkable().is_some() {
            shed.retain(has_head);
        }
        shed
    }

    /// Tells of the samples of an octant that are seen for sure, and keeps those of which the horizon's bounds do not
    /// tell.
    fn sweep(&mut self, side: &Side, slack: f64, mut seen: impl FnMut((u32, u32))) {
        let Viewpoint { bodies, sample, .. } = *side.viewpoint;
        let terrain = side.terrain;
        let eye = terrain.ground_at(sample.0, sample.1) + bodies.eye;
        let Self {
            octant,
            surface,
            ground,
            heads,
            unsure,
        } = self;
        octant.begin(side.lines, slack);
        for u in 1..=side.lines {
            let surface = surface.read(side, terrain.heights(), u);
            let standing = if terrain.has_ground() {
                ground.read(side, terrain.ground(), u)
            } else {
                surface
            };
            heads.clear();
            let above = bodies.head - eye;
            let inverse = 1.0 / u as f64;
            heads.extend(standing.iter().map(|height| (height + above) * inverse));
            octant.test(u, heads, |v, known| {
                if known != Known::Hidden && side.is_near(u, v) {
                    match known {
                        Known::Seen => seen(side.sample(u, v)),
                        _ => unsure.push(side.sample(u, v)),
                    }
                }
            });
            octant.add(u, surface, eye);
        }
    }
}

/// The columns and rows in which somebody may be near enough to be seen.
fn range(terrain: &Terrain, viewpoint: &Viewpoint) -> [Range<u32>; 2] {
    let range = |at: u32, side: u32, step: f64| {
        // Saturates.
        let reach = (viewpoint.max_distance / step + 1.0) as u32;
        at.saturating_sub(reach)..at.saturating_add(reach).saturating_add(1).min(side)
    };
    let [dx, dy] = terrain.spacing();
    let (column, row) = viewpoint.sample;
    [
        range(column, terrain.width(), dx),
        range(row, terrain.height(), dy),
    ]
}

/// The first samples of some lines of an octant that follow each other.
///
/// Lines that run across the rows of a grid have each sample elsewhere in memory; those beside it belong to the lines beside.
#[derive(Default)]
struct Lines([Vec<f64>; LINES]);

/// As many heights as the caches of processors hold together.
const LINES: usize = 8;

impl Lines {
    /// Those of line u, after those of the lines before.
    fn read(&mut self, side: &Side, heights: &[f64], u: usize) -> &[f64] {
        let at = (u - 1) % LINES;
        if at == 0 {
            let lines = &mut self.0[..LINES.min(side.lines + 1 - u)];
            let count = (u..).zip(&*lines).map(|(u, _)| side.count(u)).max();
            let count = count.unwrap_or(0);
            for line in &mut *lines {
                line.clear();
                line.reserve(count);
            }
            for v in 0..count as isize {
                let mut place = side.origin + u as isize * side.strides[0] + v * side.strides[1];
                for line in &mut *lines {
                    line.push(heights[place as usize]);
                    place += side.strides[0];
                }
            }
        }
        &self.0[at][..side.count(u)]
    }
}

/// An octant of the grid: targets u samples away along the major direction, v across.
struct Side<'t> {
    terrain: &'t Terrain,
    viewpoint: &'t Viewpoint,
    /// Whether it is along columns, 0, or along rows, 1.
    major: usize,
    signs: [isize; 2],
    /// Index of the viewpoint, and how far the next sample along and across is from one.
    origin: isize,
    strides: [isize; 2],
    /// Distance between samples along and across. [Unit: m]
    steps: [f64; 2],
    /// How many lines there are along, and how many samples across beyond the first.
    lines: usize,
    across: usize,
}

impl<'t> Side<'t> {
    fn new(
        terrain: &'t Terrain,
        viewpoint: &'t Viewpoint,
        major: usize,
        signs: [isize; 2],
    ) -> Self {
        let width = terrain.width() as isize;
        let minor = 1 - major;
        let at = [viewpoint.sample.0, viewpoint.sample.1];
        let ends = [terrain.width() - 1, terrain.height() - 1];
        let beyond = |axis: usize, sign: isize| match sign {
            1 => ends[axis] - at[axis],
            _ => at[axis],
        };
        let strides = [1, width];
        let spacing = terrain.spacing();
        let reach = (viewpoint.max_distance / spacing[major]) as usize;
        Self {
            terrain,
            viewpoint,
            major,
            signs,
            origin: at[1] as isize * width + at[0] as isize,
            strides: [strides[major] * signs[0], strides[minor] * signs[1]],
            steps: [spacing[major], spacing[minor]],
            lines: reach
                .saturating_add(1)
                .min(beyond(major, signs[0]) as usize),
            across: beyond(minor, signs[1]) as usize,
        }
    }

    /// Number of samples that matter on a line: those that may be near enough, and their neighbours.
    fn count(&self, u: usize) -> usize {
        let along = u as f64 * self.steps[0];
        let left = self.viewpoint.max_distance.powi(2) - along * along;
        let reach = (left.max(0.0).sqrt() / self.steps[1]) as usize;
        u.min(self.across).min(reach.saturating_add(2)) + 1
    }

    /// Whether a target is no further away than anybody is seen.
    fn is_near(&self, u: usize, v: usize) -> bool {
        let most = self.viewpoint.max_distance;
        if most == f64::INFINITY {
            return true;
        }
        let mut metres = [u as f64 * self.steps[0], v as f64 * self.steps[1]];
        // In the order in which bakes add them up.
        if self.major == 1 {
            metres.reverse();
        }
        metres[0] * metres[0] + metres[1] * metres[1] <= most * most
    }

    /// A target's column and row.
    fn sample(&self, u: usize, v: usize) -> (u32, u32) {
        let (column, row) = self.viewpoint.sample;
        let mut apart = [u as isize * self.signs[0], v as isize * self.signs[1]];
        if self.major == 1 {
            apart.reverse();
        }
        (
            (column as isize + apart[0]) as u32,
            (row as isize + apart[1]) as u32,
        )
    }
}
