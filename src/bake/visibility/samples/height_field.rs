//! The height field as the kernels read it: single precision, a margin of voids, and range tables of the least and the
//! greatest heights over windows of samples, one set for sight along each axis of the grid.

use crate::visibility::lanes::{Layout, MOST_VALUES, Strips, VOID, Windows, fold};
use crate::visibility::places::Places;
use crate::visibility::sightline::Stance;
use crate::visibility::surface::{Cover, POINTS, is_covered};
use crate::visibility::{Bodies, TOLERANCE};
use viewcell::format::Grid;
use viewcell_ingest::world::Terrain;

/// A terrain prepared for the kernels.
pub struct HeightField {
    pub(crate) grid: Grid,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) bodies: Bodies,
    pub(crate) stance: Stance,
    /// Where somebody can be.
    pub(crate) places: Places,
    /// For sight along columns, and along rows.
    pub(crate) axes: [Axis; 2],
    /// Nobody sees further than this over the ground, in metres.
    max_distance: f64,
    spacing: [f64; 2],
    /// What has to lie between terrain and sight, in metres, before single precision may call
    /// a sight blocked (`above`) or clear (`below`).
    pub(crate) above: f32,
    pub(crate) below: f32,
    /// The same before a line may hide a cell (`refine`).
    pub(crate) cell: f32,
}

impl HeightField {
    /// Whether the tables of so many columns and rows can be addressed: those of some 220 million
    /// samples can, at most [`Grid::MAX_SIDE`] a side.
    pub fn fits(width: u32, height: u32) -> bool {
        let grid = Grid::new(width, height);
        let (width, height) = (width as usize, height as usize);
        grid.is_ok() && Axis::fits(width, height) && Axis::fits(height, width)
    }

    /// Bytes that the tables of so many columns and rows take while they are made, and a bit more.
    pub fn bytes(width: u32, height: u32, stance: Stance) -> u64 {
        let (width, height) = (width as usize, height as usize);
        // Beside the terrain itself, one that is turned over its diagonal.
        let turned = 8 * (width * height) as u64;
        turned + Axis::bytes(width, height, stance) + Axis::bytes(height, width, stance)
    }

    /// Prepares `terrain`; takes about 570 bytes a sample, for cells 690.
    ///
    /// # Panics
    ///
    /// Unless the terrain [fits](Self::fits).
    pub fn new(terrain: &Terrain, bodies: Bodies, stance: Stance) -> Self {
        let grid = Grid::new(terrain.width(), terrain.height()).expect("see `HeightField::fits`");
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let [base, reach] = Self::frame(terrain, bodies);
        // A comparison below gathers at most 44 roundings of 2⁻²⁴ · reach: of two interpolations
        // with seven operations each on numbers of up to twice the reach, of the heights that go
        // in and of the difference. 64 leave room for the definition's own.
        let slack = 64.0 * reach * 2f64.powi(-24);
        Self {
            grid,
            width,
            height,
            bodies,
            stance,
            places: Places::new(terrain, bodies, stance),
            axes: [
                Axis::new(terrain, base, bodies, stance),
                Axis::new(&terrain.transposed(), base, bodies, stance),
            ],
            max_distance: f64::INFINITY,
            spacing: terrain.spacing(),
            above: (TOLERANCE + slack) as f32,
            below: (TOLERANCE - slack) as f32,
            // In `refine` some 60 roundings of numbers up to eight times the reach.
            cell: (TOLERANCE + 8.0 * slack) as f32,
        }
    }

    /// What all heights in the tables are less, so that single precision goes far, and no less than
    /// what is left of them. Which cells are found hidden depends a little on both. So the range of heights is rounded
    /// outwards: a crater a bit deeper than all other ground changes neither, and a re-bake need not ask for all pairs.
    pub(crate) fn frame(terrain: &Terrain, bodies: Bodies) -> [f64; 2] {
        let ground = if terrain.has_ground() {
            terrain.ground()
        } else {
            &[]
        };
        let [_, tops] = terrain.roofs().unwrap_or_default();
        let heights = terrain.heights().iter().chain(ground).chain(tops);
        let known = heights.filter(|h| !h.is_nan());
        let (low, high) = known.fold((f64::MAX, f64::MIN), |(l, h), &x| (l.min(x), h.max(x)));
        // To a power of two, an eighth to a quarter of the range.
        let unit = power_of_two_below((high - low) / 4.0);
        let (low, high) = if unit > 0.0 {
            ((low / unit).floor() * unit, (high / unit).ceil() * unit)
        } else {
            (low, high)
        };
        let reach = (high - low) / 2.0 + bodies.eye.max(bodies.head);
        [(low + high) / 2.0, reach]
    }

    /// The same field where nobody sees further than `metres` over the ground. Cells see each
    /// other as long as any of their positions do.
    pub fn with_max_distance(mut self, metres: f64) -> Self {
        self.max_distance = metres;
        self
    }

    /// Whether targets at least `p` columns and `q` rows away are too far to be seen.
    #[inline(always)]
    pub(crate) fn too_far(&self, p: i32, q: i32) -> bool {
        let slack = i32::from(self.stance == Stance::Cell);
        let x = f64::from((p - slack).max(0)) * self.spacing[0];
        let y = f64::from((q - slack).max(0)) * self.spacing[1];
        x * x + y * y > self.max_distance * self.max_distance
    }
}

/// The greatest power of two that is not above a normal number; 0 for one that is not above 0.
fn power_of_two_below(number: f64) -> f64 {
    // The digits behind the point are the low bits.
    let power = f64::from_bits(number.to_bits() & !((1 << (f64::MANTISSA_DIGITS - 1)) - 1));
    if number > 0.0 { power } else { 0.0 }
}

/// Side of the largest square of displacements that is decided at once. [Unit: samples]
pub(crate) const TOP: usize = 32;

/// Levels of nodes: sides of 1, 2, 4 ... `TOP` displacements.
pub(crate) const LEVELS: usize = TOP.ilog2() as usize + 1;

/// Samples of void around the grid, so that no lane reads outside: a square of displacements, a block,
/// and what a window may be longer than asked for.
const PAD: usize = 80;

/// The terrain as seen along the columns of a grid, which is the terrain's or that turned over its
/// diagonal: the major direction is x, and windows run along y. Heights are less a base.
///
/// What blocks is the surface: `ground`, `least` and `greatest`, where sight crosses it. Eyes and
/// heads, of all tables and bounds, are above the ground that is stood on. No kernel takes one for
/// the other: none looks at what blocks over the two ends of a line of sight, where eye and head are
/// above it if ground and surface are one ([`crate::visibility::places`] if they are not).
pub(crate) struct Axis {
    pub width: i32,
    pub height: i32,
    pub layout: Layout,
    /// Height of the ground that blocks, at the sample: for cells, only where all of its patches
    /// are there to be drawn.
    pub ground: Strips,
    /// Height of eye and head at the sample.
    pub eye: Strips,
    pub head: Strips,
    /// The least ground over a window.
    pub least: Windows,
    /// The greatest ground over a window and its neighbour one step on in the major direction:
    /// over a *slab*.
    pub greatest: Windows,
    /// Highest and lowest eye in the view cell.
    pub eye_max: Strips,
    pub eye_min: Strips,
    /// For cells: the highest head in the view cell.
    pub head_top: Option<Strips>,
    /// `head_max[k]`: the highest head in the 2^(k + 1) × 2^(k + 1) view cells that begin there.
    pub head_max: Vec<Strips>,
    /// The same for the lowest head; voids do not count.
    pub head_min: Vec<Strips>,
    /// For cells, sample by sample: `Cover::quarters`, for each corner (north-western first, row
    /// by row) that of each quarter (likewise).
    quarters: Vec<[f32; 16]>,
}

impl Axis {
    /// Whether so many columns and rows are few enough for the tables.
    pub(crate) fn fits(width: usize, height: usize) -> bool {
        Layout::new(width, height, PAD).most_values() <= MOST_VALUES
    }

    /// Bytes of the tables of so many columns and rows, and of what their making takes for a while.
    pub(crate) fn bytes(width: usize, height: usize, stance: Stance) -> u64 {
        let layout = Layout::new(width, height, PAD);
        let cells = stance == Stance::Cell;
        let padded = layout.stride as u64 * layout.rows as u64;
        // Ground, eye and head, the highest and the lowest eye, of cells the highest head; the
        // heads over squares; and windows.
        let tables = 5 + u64::from(cells) + 2 * u64::from(TOP.ilog2()) + Windows::TABLES * 2;
        let quarters = if cells {
            64 * (width * height) as u64
        } else {
            0
        };
        // Each value lies in two strips. Planes in the making: one each of the surface, the ground
        // that is stood on, the least and the greatest of that, what blocks and what slabs have, and
        // those of windows.
        tables * padded * 8 + quarters + (7 + Windows::TABLES) * padded * 4
    }

    pub(crate) fn new(terrain: &Terrain, base: f64, bodies: Bodies, stance: Stance) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let layout = Layout::new(width, height, PAD);
        let plane = |void: f32| vec![void; layout.stride * layout.rows];
        let mut ground = plane(VOID);
        let cells = stance == Stance::Cell;
        for r in 0..height {
            for c in 0..width {
                let h = terrain.at(c as u32, r as u32);
                if !h.is_nan() {
                    ground[layout.flat(c, r)] = (h - base) as f32;
                }
            }
        }
        let (eyes, quarters) = Feet::new(terrain, base, &layout, stance, bodies.eye);
        // Whose eye is covered may have the head in the open, or the other way round.
        let apart = !cells && terrain.has_ground() && !bodies.mutual();
        let heads = apart.then(|| Feet::new(terrain, base, &layout, stance, bodies.head).0);
        let heads = heads.as_ref().unwrap_or(&eyes);
        let mut blocking = ground.clone();
        if cells {
            // An engine draws no patch that lacks a sample, so that an edge between two samples
            // may have nothing on either side of it. Exact sight is blocked by that edge still.
            let missing = |c: usize, r: usize| {
                c < width && r < height && terrain.at(c as u32, r as u32).is_nan()
            };
            for (r, c) in (0..height).flat_map(|r| (0..width).map(move |c| (r, c))) {
                let beside = (0..9).map(|k| (c.wrapping_add(k % 3), r.wrapping_add(k / 3)));
                if beside
                    .map(|(c, r)| (c.wrapping_sub(1), r.wrapping_sub(1)))
                    .any(|(c, r)| missing(c, r))
                {
                    blocking[layout.flat(c, r)] = VOID;
                }
            }
        }
        let stride = layout.stride;
        let slabs = fold(&ground, 1, f32::max);
        let strips = |plane: &[f32]| Strips::new(&layout, [plane]);
        let raised =
            |plane: &[f32], by: f64| -> Vec<f32> { plane.iter().map(|&h| h + by as f32).collect() };
        Self {
            width: width as i32,
            height: height as i32,
            eye: strips(&raised(&eyes.at, bodies.eye)),
            head: strips(&raised(&heads.at, bodies.head)),
            least: Windows::new(&layout, blocking.clone(), stride, f32::min),
            greatest: Windows::new(&layout, slabs, stride, f32::max),
            eye_max: strips(&raised(&eyes.greatest, bodies.eye)),
            eye_min: strips(&raised(&eyes.least, bodies.eye)),
            head_top: cells.then(|| strips(&raised(&heads.greatest, bodies.head))),
            head_max: over_squares(&layout, raised(&heads.greatest, bodies.head), f32::max),
            head_min: over_squares(&layout, raised(&heads.least, bodies.head), f32::min),
            quarters,
            ground: strips(&blocking),
            layout,
        }
    }

    /// Whether a sample is on the grid.
    #[inline(always)]
    pub(crate) fn holds(&self, (column, row): (i32, i32)) -> bool {
        (0..self.width).contains(&column) && (0..self.height).contains(&row)
    }

    /// The ground's `quarters` in the cell of a sample.
    #[inline(always)]
    pub(crate) fn quarters(&self, (column, row): (i32, i32)) -> &[f32; 16] {
        &self.quarters[(row * self.width + column) as usize]
    }
}

/// The ground that is stood on, in planes of a padded grid.
struct Feet {
    /// At the sample.
    at: Vec<f32>,
    /// The least and the greatest in the view cell.
    least: Vec<f32>,
    greatest: Vec<f32>,
}

impl Feet {
    /// Of those whose eye, or head, is so many metres `above` the ground; and for cells, sample by
    /// sample, `Cover::quarters`, as [`Axis`] has them.
    ///
    /// Samples that are not asked for, or where the surface covers eye or head, count as voids; of
    /// cells all ground counts ([`Places`] says why).
    fn new(
        terrain: &Terrain,
        base: f64,
        layout: &Layout,
        stance: Stance,
        above: f64,
    ) -> (Self, Vec<[f32; 16]>) {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let plane = |void: f32| vec![void; layout.stride * layout.rows];
        let mut feet = Self {
            at: plane(VOID),
            least: plane(-VOID),
            greatest: plane(VOID),
        };
        let cells = stance == Stance::Cell;
        let mut quarters = vec![[VOID; 16]; if cells { width * height } else { 0 }];
        for (r, c) in (0..height).flat_map(|r| (0..width).map(move |c| (r, c))) {
            let place = (c as u32, r as u32);
            let ground = terrain.ground_at(place.0, place.1);
            let counts = match stance {
                Stance::Sample => {
                    terrain.has_place(place.0, place.1)
                        && !(terrain.has_ground() && is_covered(terrain, place, above, stance))
                }
                Stance::Cell => !ground.is_nan(),
            };
            if !counts {
                continue;
            }
            let i = layout.flat(c, r);
            feet.at[i] = (ground - base) as f32;
            (feet.least[i], feet.greatest[i]) = (feet.at[i], feet.at[i]);
            if cells {
                let cover = Cover::new(terrain, place.0, place.1);
                feet.least[i] = (cover.least - base) as f32;
                feet.greatest[i] = (cover.greatest - base) as f32;
                for (k, value) in quarters[r * width + c].iter_mut().enumerate() {
                    // The low bits of corner and quarter are columns.
                    let (corner, quarter) = (k / 4, k % 4);
                    let column = corner % 2 + quarter % 2;
                    let row = corner / 2 + quarter / 2;
                    *value = (cover.quarters[row * POINTS + column] - base) as f32;
                }
            }
        }
        (feet, quarters)
    }
}

/// Joins over squares of 2, 4 ... `TOP` samples a side.
pub(crate) fn over_squares(
    layout: &Layout,
    single: Vec<f32>,
    join: impl Fn(f32, f32) -> f32 + Copy,
) -> Vec<Strips> {
    let mut plane = single;
    let mut all = Vec::new();
    for k in 0..TOP.ilog2() {
        let wide = fold(&plane, 1 << k, join);
        plane = fold(&wide, layout.stride << k, join);
        all.push(Strips::new(layout, [&plane[..]]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{HeightField, power_of_two_below};
    use crate::visibility::Bodies;
    use viewcell::dice::Dice;
    use viewcell_ingest::world::Terrain;

    #[test]
    fn a_frame_holds_all_heights_and_seldom_changes_with_the_lowest() {
        let powers = [
            (1.0, 1.0),
            (1.99, 1.0),
            (0.3, 0.25),
            (0.0, 0.0),
            (-3.0, 0.0),
        ];
        for (number, power) in powers {
            assert_eq!(power_of_two_below(number), power, "{number}");
        }
        let bodies = Bodies {
            eye: 1.8,
            head: 0.5,
        };
        let mut dice = Dice(5);
        let mut same = 0;
        for _ in 0..1000 {
            let (low, range) = (8000.0 * dice.fraction() - 4000.0, 1000.0 * dice.fraction());
            let mut heights = vec![low, low + range, low + 0.5 * range, f64::NAN];
            let mut frame = || {
                let terrain = Terrain::new(2, 2, heights.clone(), [1.0; 2]).unwrap();
                let [base, reach] = HeightField::frame(&terrain, bodies);
                for height in heights.iter().filter(|height| !height.is_nan()) {
                    let above = if *height > base { bodies.eye } else { 0.0 };
                    assert!((height - base).abs() + above <= reach, "{heights:?}");
                }
                assert!(
                    reach <= 0.75 * range + 0.1 * range + bodies.eye,
                    "{heights:?}"
                );
                heights[0] -= 0.02 * range;
                [base, reach]
            };
            same += u32::from(frame() == frame());
        }
        assert!(same > 750, "{same}");
    }

    #[test]
    fn what_fits_is_known_without_memory_for_it() {
        // 18 values a sample with a margin of 80 around, and 2^32 of them.
        for (width, height) in [
            (4096, 4096),
            (15_200, 15_200),
            (65_536, 3400),
            (3400, 65_536),
        ] {
            assert!(HeightField::fits(width, height), "{width} x {height}");
        }
        for (width, height) in [
            (15_300, 15_300),
            (65_536, 3500),
            (3500, 65_536),
            (65_536, 65_536),
        ] {
            assert!(!HeightField::fits(width, height), "{width} x {height}");
        }
    }
}
