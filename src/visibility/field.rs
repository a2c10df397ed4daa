//! The terrain as the kernels read it: single precision, padded, with tables of the least and
//! greatest heights over windows.

use super::lanes::{Layout, Strips, VOID, Windows, fold};
use super::surface::{Cover, POINTS};
use super::{Bodies, TOLERANCE};
use crate::world::Terrain;

/// Side of the largest block of targets, in samples.
pub(super) const TOP: usize = 32;

/// Samples of void around the grid, so that no lane reads outside: a block of targets, a patch,
/// and what a window may be longer than asked for.
const PAD: usize = 80;

/// Where viewers and players may stand in a view cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// On the sample.
    Sample,
    /// Anywhere in the unit square around it, on any of the surfaces that an engine may draw.
    Cell,
}

/// Least and greatest ground along lines of one direction.
pub(super) struct Bounds {
    /// The least ground over a window.
    pub least: Windows,
    /// The greatest ground over a window and its neighbour one step on in the major direction:
    /// over a *slab*.
    pub greatest: Windows,
}

/// A terrain prepared for the kernels. All heights are less `base`, so that single precision
/// goes far.
pub struct Field {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bodies: Bodies,
    pub(super) stance: Stance,
    pub(super) layout: Layout,
    /// Where terrain is: a word for every 8 × 8 block, row by row.
    pub(super) valid: Vec<u64>,
    /// Height of the ground that blocks, at the sample: for cells, only where all of its patches
    /// are there to be drawn.
    pub(super) ground: Strips,
    /// Height of eye and head at the sample.
    pub(super) eye: Strips,
    pub(super) head: Strips,
    /// For sight along columns (the major direction is x, windows run along y), and along rows.
    pub(super) bounds: [Bounds; 2],
    /// Highest and lowest eye in the view cell.
    pub(super) eye_max: Strips,
    pub(super) eye_min: Strips,
    /// `head_max[k]`: the highest head in the 2^k × 2^k view cells that begin there.
    pub(super) head_max: Vec<Strips>,
    /// The same for the lowest head; voids do not count.
    pub(super) head_min: Vec<Strips>,
    /// For cells: `Cover::whole`, a plane for each corner.
    pub(super) whole: Vec<Strips>,
    /// For cells: `Cover::raised`.
    pub(super) raised: Option<Strips>,
    /// For cells, sample by sample: `Cover::quarters`, for each corner (north-western first, row
    /// by row) that of each quarter (likewise).
    quarters: Vec<[f32; 16]>,
    /// Nobody sees further than this over the ground, in metres.
    max_distance: f64,
    spacing: [f64; 2],
    /// What has to lie between terrain and sight, in metres, before single precision may call
    /// a sight blocked (`above`) or clear (`below`).
    pub(super) above: f32,
    pub(super) below: f32,
    /// The same before a line may hide a cell (`ridge`).
    pub(super) ridge: f32,
}

impl Field {
    /// Prepares `terrain`; takes about 500 bytes a sample, for cells 700.
    pub fn new(terrain: &Terrain, bodies: Bodies, stance: Stance) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let layout = Layout::new(width, height, PAD);
        let (low, high) = terrain
            .heights()
            .iter()
            .filter(|h| !h.is_nan())
            .fold((f64::MAX, f64::MIN), |(l, h), &x| (l.min(x), h.max(x)));
        let base = (low + high) / 2.0;
        let reach = (high - low) / 2.0 + bodies.eye.max(bodies.head);
        // A comparison below gathers at most 40 roundings of 2⁻²⁴ · reach: of two interpolations
        // with six operations each on numbers of up to twice the reach, of the heights that go
        // in and of the difference. 64 leave room for the definition's own.
        let slack = 64.0 * reach * 2f64.powi(-24);
        let blocks_x = width.div_ceil(8);
        let mut valid = vec![0; blocks_x * height.div_ceil(8)];

        let plane = |void: f32| vec![void; layout.stride * layout.rows];
        let mut ground = plane(VOID);
        let (mut greatest, mut least) = (plane(VOID), plane(-VOID));
        let cells = stance == Stance::Cell;
        let mut whole = vec![plane(VOID); if cells { 4 } else { 0 }];
        let mut lifts = plane(0.0);
        let mut quarters = vec![[VOID; 16]; if cells { width * height } else { 0 }];
        for r in 0..height {
            for c in 0..width {
                let h = terrain.at(c as u32, r as u32);
                if h.is_nan() {
                    continue;
                }
                valid[r / 8 * blocks_x + c / 8] |= 1 << (r % 8 * 8 + c % 8);
                let i = layout.flat(c, r);
                ground[i] = (h - base) as f32;
                (least[i], greatest[i]) = (ground[i], ground[i]);
                if cells {
                    let cover = Cover::new(terrain, c as u32, r as u32);
                    least[i] = (cover.least - base) as f32;
                    greatest[i] = (cover.greatest - base) as f32;
                    lifts[i] = cover.raised as f32;
                    for (plane, corner) in whole.iter_mut().zip(cover.whole) {
                        plane[i] = (corner - base) as f32;
                    }
                    for (k, value) in quarters[r * width + c].iter_mut().enumerate() {
                        // The low bits of corner and quarter are columns.
                        let (corner, quarter) = (k / 4, k % 4);
                        let column = corner % 2 + quarter % 2;
                        let row = corner / 2 + quarter / 2;
                        *value = (cover.quarters[row * POINTS + column] - base) as f32;
                    }
                }
            }
        }
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
        let bounds = [(1, stride), (stride, 1)].map(|(major, minor)| Bounds {
            least: Windows::new(&layout, blocking.clone(), minor, f32::min),
            greatest: Windows::new(&layout, fold(&ground, major, f32::max), minor, f32::max),
        });
        let strips = |plane: &[f32]| Strips::new(&layout, [plane]);
        let raised =
            |plane: &[f32], by: f64| -> Vec<f32> { plane.iter().map(|&h| h + by as f32).collect() };
        Self {
            width,
            height,
            bodies,
            stance,
            valid,
            eye: strips(&raised(&ground, bodies.eye)),
            head: strips(&raised(&ground, bodies.head)),
            bounds,
            eye_max: strips(&raised(&greatest, bodies.eye)),
            eye_min: strips(&raised(&least, bodies.eye)),
            head_max: blocks(&layout, raised(&greatest, bodies.head), f32::max),
            head_min: blocks(&layout, raised(&least, bodies.head), f32::min),
            whole: whole.iter().map(|plane| strips(plane)).collect(),
            raised: cells.then(|| strips(&lifts)),
            quarters,
            ground: strips(&blocking),
            max_distance: f64::INFINITY,
            spacing: terrain.spacing(),
            above: (TOLERANCE + slack) as f32,
            below: (TOLERANCE - slack) as f32,
            // In `ridge` some 60 roundings of numbers up to eight times the reach.
            ridge: (TOLERANCE + 8.0 * slack) as f32,
            layout,
        }
    }

    /// The ground's `quarters` in the cell of a sample.
    #[inline(always)]
    pub(super) fn quarters(&self, (column, row): (i32, i32)) -> &[f32; 16] {
        &self.quarters[row as usize * self.width + column as usize]
    }

    /// The same field where nobody sees further than `metres` over the ground. Cells see each
    /// other as long as any of their positions do.
    pub fn with_max_distance(mut self, metres: f64) -> Self {
        self.max_distance = metres;
        self
    }

    /// Whether targets at least `p` columns and `q` rows away are too far to be seen.
    #[inline(always)]
    pub(super) fn too_far(&self, p: i32, q: i32) -> bool {
        let slack = i32::from(self.stance == Stance::Cell);
        let x = f64::from((p - slack).max(0)) * self.spacing[0];
        let y = f64::from((q - slack).max(0)) * self.spacing[1];
        x * x + y * y > self.max_distance * self.max_distance
    }

    /// Words of a bitmap: a `u64` for every 8 × 8 block, row by row.
    pub fn words(&self) -> usize {
        self.valid.len()
    }
}

/// Joins over blocks of 1, 2, 4 ... `TOP` samples a side.
fn blocks(layout: &Layout, single: Vec<f32>, join: fn(f32, f32) -> f32) -> Vec<Strips> {
    let mut plane = single;
    let mut all = vec![Strips::new(layout, [&plane[..]])];
    for k in 0..TOP.ilog2() {
        let wide = fold(&plane, 1 << k, join);
        plane = fold(&wide, layout.stride << k, join);
        all.push(Strips::new(layout, [&plane[..]]));
    }
    all
}
