//! How large the cells of a grid are: chosen from the regions themselves, anew where they no longer fit.
//!
//! Regions of like size share a *level*, a power of two that their longest side stays under. The
//! cells of a level are twice as long as the longest side of any region of that level or below it.
//! So a region of a level, widened by the size of another of the same or a higher level, meets two
//! cells of the higher level an axis, or three where rounding has it so.
//!
//! Of two regions the one of the lower level looks for the other, in the cells of the higher level.

use super::{Bounds, Regions};

/// As many as a float has exponents.
const LEVELS: usize = 256;

/// Regions that are looked at to tell how far they are spread.
const SAMPLES: usize = 64;

/// Cells are longer by this than they need be, so that what a world's maker has put at even distances
/// is not a whole number of cells apart, nor as far as a table wraps around.
const UNEVEN: f32 = 1.0734;

/// Sides may grow by this before levels are chosen anew.
const SLACK: f32 = 1.01;

/// Which box of a region counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boxes {
    /// Where it is.
    Now,
    /// All where it has been since the last tick: Liu's axis-aligned swept volume.
    Swept,
}

impl Boxes {
    #[inline]
    pub fn of(self, was: &Bounds, now: &Bounds) -> Bounds {
        match self {
            Self::Now => *now,
            Self::Swept => was.union(now),
        }
    }
}

/// What is known of one level.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Regions of either kind: updates, subscriptions.
    count: [u32; 2],
    /// Their longest sides, by kind.
    longest: [[f32; 3]; 2],
    /// One over the length of a cell.
    per_cell: [f32; 3],
}

/// The regions of a kind on one level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    pub level: u8,
    pub count: u32,
    /// The longest sides of these regions.
    pub longest: [f32; 3],
    /// One over the length of a cell.
    pub per_cell: [f32; 3],
    /// Over how many cells an axis the bulk of all regions is spread.
    pub cells: [f32; 3],
}

/// The levels there are.
#[derive(Debug)]
pub(super) struct Levels {
    levels: Vec<Level>,
    /// How far the bulk of the regions is spread along each axis.
    spread: [f32; 3],
    /// No region of a kind is put below this level: no region of the other kind is smaller, and
    /// looks for it there.
    lowest: [u8; 2],
    used: [Vec<Used>; 2],
    samples: [Vec<f32>; 3],
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            levels: vec![Level::default(); LEVELS],
            spread: [0.0; 3],
            lowest: [0; 2],
            used: [const { Vec::new() }; 2],
            samples: [const { Vec::new() }; 3],
        }
    }
}

/// A side, and no less than what rounding may hide at its coordinates.
#[inline]
fn side(min: f32, max: f32) -> f32 {
    (max - min).max(min.abs().max(max.abs()) * (4.0 * f32::EPSILON))
}

#[inline]
fn sides(bounds: &Bounds) -> [f32; 3] {
    let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
    [side(ax, bx), side(ay, by), side(az, bz)]
}

impl Levels {
    /// Looks at all regions.
    pub fn choose(&mut self, regions: &Regions, boxes: Boxes) {
        self.measure_spread(regions);
        self.levels.fill(Level::default());
        for (_, kind, _, was, now) in regions.iter() {
            let sides = sides(&boxes.of(was, now));
            let Some(level) = self.levels.get_mut(raw_level(sides, self.spread)) else {
                continue;
            };
            let ([updates, subscriptions], [u, s]) = (&mut level.count, &mut level.longest);
            if kind.updates() {
                *updates += 1;
                grow(u, sides);
            }
            if kind.subscribes() {
                *subscriptions += 1;
                grow(s, sides);
            }
        }
        self.raise();
        self.size();
    }

    /// A few regions that are far away tell nothing: up to a tenth of them may be anywhere.
    fn measure_spread(&mut self, regions: &Regions) {
        self.samples.iter_mut().for_each(Vec::clear);
        let places = regions.places();
        for index in (0..places).step_by(places.div_ceil(SAMPLES).max(1)) {
            let low = regions.now(index as u32).min();
            if low.iter().all(|low| low.is_finite()) {
                let axes = self.samples.iter_mut().zip(low);
                axes.for_each(|(samples, low)| samples.push(low));
            }
        }
        for (samples, spread) in self.samples.iter_mut().zip(&mut self.spread) {
            samples.sort_unstable_by(f32::total_cmp);
            let cut = samples.len() / 20;
            let ends = samples.get(cut).zip(samples.iter().rev().nth(cut));
            *spread = ends.map_or(0.0, |(first, last)| last - first);
        }
    }

    /// Moves regions up from levels where nobody looks for them.
    fn raise(&mut self) {
        let lowest = |kind: usize| {
            let has = |level: &Level| level.count.get(kind).is_some_and(|&count| count > 0);
            self.levels.iter().position(has).unwrap_or(0)
        };
        let [updates, subscriptions] = [lowest(0), lowest(1)];
        let floors = [subscriptions, updates];
        self.lowest = floors.map(|floor| floor as u8);
        for (kind, floor) in floors.into_iter().enumerate() {
            let mut raised = (0, [0.0; 3]);
            let (below, above) = self.levels.split_at_mut(floor);
            for level in below {
                let Some((count, longest)) = of(level, kind) else {
                    continue;
                };
                raised.0 += core::mem::take(count);
                grow(&mut raised.1, core::mem::take(longest));
            }
            if let Some((count, longest)) = above.first_mut().and_then(|level| of(level, kind)) {
                *count += raised.0;
                grow(longest, raised.1);
            }
        }
    }

    /// Gives each level its cells.
    fn size(&mut self) {
        self.used.iter_mut().for_each(Vec::clear);
        let [wx, wy, wz] = self.spread;
        let mut all = [0.0_f32; 3];
        for (index, level) in (0..=u8::MAX).zip(&mut self.levels) {
            level
                .longest
                .iter()
                .for_each(|sides| grow(&mut all, *sides));
            let per_cell = all.map(|side: f32| 1.0 / (2.0 * SLACK * UNEVEN * side));
            level.per_cell = per_cell;
            let [px, py, pz] = per_cell;
            let each = level.count.iter().zip(&level.longest).zip(&mut self.used);
            for ((&count, &longest), used) in each.filter(|((count, _), _)| **count > 0) {
                used.push(Used {
                    level: index,
                    count,
                    longest: longest.map(|side| side * SLACK),
                    per_cell,
                    cells: [wx * px, wy * py, wz * pz],
                });
            }
        }
    }

    /// The levels that have regions of a kind, from the lowest.
    pub fn used(&self, kind: usize) -> &[Used] {
        self.used.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The level of a region of a kind, and its sides, which that level may be too small for.
    #[inline]
    pub fn level(&self, kind: usize, bounds: &Bounds) -> (u8, [f32; 3]) {
        let lowest = self.lowest.get(kind).copied().unwrap_or(0);
        let sides = sides(bounds);
        ((raw_level(sides, self.spread) as u8).max(lowest), sides)
    }

    pub fn bytes(&self) -> usize {
        let used: usize = self.used.iter().map(Vec::capacity).sum();
        let samples: usize = self.samples.iter().map(Vec::capacity).sum();
        self.levels.capacity() * size_of::<Level>()
            + used * size_of::<Used>()
            + samples * size_of::<f32>()
    }
}

#[inline]
fn of(level: &mut Level, kind: usize) -> Option<(&mut u32, &mut [f32; 3])> {
    level.count.get_mut(kind).zip(level.longest.get_mut(kind))
}

#[inline]
fn grow(longest: &mut [f32; 3], [x, y, z]: [f32; 3]) {
    let [lx, ly, lz] = longest;
    (*lx, *ly, *lz) = (lx.max(x), ly.max(y), lz.max(z));
}

/// The exponent of the longest side. A side as long as the world is wide tells nothing, as the
/// height of columns that stand for regions of a plane.
#[inline]
fn raw_level([x, y, z]: [f32; 3], [wx, wy, wz]: [f32; 3]) -> usize {
    let counted = |side: f32, spread: f32| if side <= spread { side } else { 0.0 };
    let longest = counted(x, wx).max(counted(y, wy)).max(counted(z, wz));
    (longest.to_bits() >> 23) as usize & (LEVELS - 1)
}

/// The cell of a coordinate along one axis: a number that grows by 1 from cell to cell, and never
/// falls where the coordinate grows. All that is millions of cells away is in one.
#[inline]
pub(super) fn cell(coordinate: f32, per_cell: f32) -> u32 {
    const FAR: f32 = 4_000_000.0;
    let cells = coordinate * per_cell;
    // Also where this is no number, which zero times infinity is.
    let cells = if cells > -FAR { cells } else { -FAR };
    let cells = if cells < FAR { cells } else { FAR };
    // Where floats are 1 apart, rounding does the rest, and their bits count up.
    (cells + 12_582_912.0).to_bits()
}

/// Among which cells of a level the lower corners of all regions of that level lie that may overlap
/// `from` to `to` along an axis.
#[inline]
pub(super) fn reach(from: f32, to: f32, longest: f32, per_cell: f32) -> (u32, u32) {
    // Both subtractions round by at most a 2^-24th of these numbers' sum.
    let low = (from - longest) - (from.abs() + longest) * (2.0 * f32::EPSILON);
    (cell(low, per_cell), cell(to, per_cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_fall() {
        let mut last = 0;
        for step in -4000..4000 {
            let here = cell(step as f32 * 0.37, 0.9);
            assert!(here >= last);
            last = here;
        }
        for (low, high) in [(f32::MIN, -1e30), (-1.0, 0.0), (1e30, f32::MAX)] {
            for per_cell in [0.0, 1e-30, 1.0, 1e30, f32::INFINITY] {
                assert!(
                    cell(low, per_cell) <= cell(high, per_cell),
                    "{low} {per_cell}"
                );
            }
        }
        assert_eq!(cell(0.6, 1.0) - cell(-0.6, 1.0), 2);
    }
}
