//! Where a game is played: a terrain, a level of cells or a solid level, behind one face; which cells of a level touch, and
//! what is in a line of sight: through the BSP of a level, or by whoever knows better.

use viewcell::query::{CellBundle, Sample, SolidBundle, SolidParameters, TerrainBundle};

/// Where a player is: a cell, or a sample counted row by row. In a solid level cells are samples of the grid of their
/// numbers.
pub type Place = u32;

/// A bundle that is played on.
// One or two are made for a whole game: a box would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Field<'a> {
    /// Positions are metres east and south of sample (0, 0), and a height that nothing is asked of.
    Terrain(TerrainBundle<'a>),
    /// Positions are in the units and axes of the level.
    Level(Level<'a>),
    /// Positions are those of players' origins, in the units of the level.
    Solid(Solid<'a>),
}

/// A solid level, of which a bundle knows the view cells alone.
#[derive(Debug)]
pub struct Solid<'a> {
    /// The bundle.
    pub bundle: SolidBundle<'a>,
    /// Who knows what is in a line of sight.
    pub lines: Option<&'a dyn Lines>,
}

/// A level, and which of its cells touch.
#[derive(Debug)]
pub struct Level<'a> {
    /// The bundle.
    pub bundle: CellBundle<'a>,
    /// For each cell those that it touches, and how far their middles are from its own.
    pub touching: Vec<Vec<(u32, f64)>>,
}

impl Level<'_> {
    /// The cells that a cell touches, and how far their middles are from its own.
    pub(super) fn touching(&self, cell: Place) -> impl Iterator<Item = (Place, f64)> {
        self.touching[cell as usize].iter().copied()
    }
}

impl<'a> Field<'a> {
    /// A terrain.
    pub fn terrain(bundle: TerrainBundle<'a>) -> Self {
        Self::Terrain(bundle)
    }

    /// A level of cells. O(N²) where the bundle does not know which cells touch.
    pub fn level(bundle: CellBundle<'a>) -> Self {
        let touching = touching(&bundle);
        Self::Level(Level { bundle, touching })
    }

    /// A solid level; with lines of sight by whoever has its solids.
    pub fn solid(bundle: SolidBundle<'a>, lines: Option<&'a dyn Lines>) -> Self {
        Self::Solid(Solid { bundle, lines })
    }

    /// Who knows what is in a line of sight: of a level of cells its BSP.
    pub fn lines(&self) -> Option<&dyn Lines> {
        match self {
            Self::Terrain(_) => None,
            Self::Level(level) => Some(&level.bundle),
            Self::Solid(level) => level.lines,
        }
    }

    /// Who sees whom as a grid of samples; none for a level of cells.
    pub fn samples(&self) -> Option<&TerrainBundle<'a>> {
        match self {
            Self::Terrain(terrain) => Some(terrain),
            Self::Solid(level) => Some(level.bundle.sights()),
            Self::Level(_) => None,
        }
    }

    /// How many places there are.
    pub fn places(&self) -> u32 {
        match self {
            Self::Level(level) => level.bundle.cells(),
            Self::Terrain(grid) => u32::try_from(grid.grid().samples()).unwrap_or(u32::MAX),
            Self::Solid(level) => {
                u32::try_from(level.bundle.sights().grid().samples()).unwrap_or(u32::MAX)
            }
        }
    }

    /// The place that holds a position; none outside, in solid and in a void.
    pub fn locate(&self, [x, y, z]: [f64; 3]) -> Option<Place> {
        match self {
            Self::Terrain(terrain) => {
                let sample = terrain.locate(x, y)?;
                let stands = terrain.valid().has_sample(sample);
                stands.then(|| self.place_of(sample))
            }
            Self::Level(level) => level.bundle.locate([x, y, z]),
            Self::Solid(level) => {
                let cell = level.bundle.locate([x, y, z])?;
                Some(self.place_of(SolidParameters::sample(cell)))
            }
        }
    }

    /// The sample of a place; sample (0, 0) in a level of cells.
    pub fn sample(&self, place: Place) -> Sample {
        match self.samples() {
            Some(grid) => {
                let width = grid.grid().width();
                Sample::new(place % width, place / width)
            }
            None => Sample::new(0, 0),
        }
    }

    /// The place of a sample.
    pub fn place_of(&self, sample: Sample) -> Place {
        self.samples()
            .map_or(0, |grid| sample.row * grid.grid().width() + sample.column)
    }

    /// The middle of a place: of a sample at the height of the ground, of a cell's box.
    pub fn middle(&self, place: Place) -> [f64; 3] {
        match self {
            Self::Terrain(terrain) => {
                let sample = self.sample(place);
                let [dx, dy] = terrain.parameters().cell_spacing;
                [
                    f64::from(sample.column) * dx,
                    f64::from(sample.row) * dy,
                    terrain.height(sample).map_or(0.0, f64::from),
                ]
            }
            Self::Level(level) => {
                let corners = level.bundle.bounds(place).unwrap_or_default();
                let [low, high] = corners.map(|corner| corner.map(f64::from));
                let [a, b, c] = low;
                let [d, e, f] = high;
                [(a + d) / 2.0, (b + e) / 2.0, (c + f) / 2.0]
            }
            Self::Solid(level) => {
                let cell = SolidParameters::cell_of(self.sample(place));
                let [low, high] = level.bundle.bounds(cell).unwrap_or_default();
                std::array::from_fn(|k| (low[k] + high[k]) / 2.0)
            }
        }
    }

    /// Whether somebody at `to` may be seen from `from`.
    #[inline]
    pub fn visible(&self, from: Place, to: Place) -> bool {
        match self {
            Self::Terrain(terrain) => terrain.visible(self.sample(from), self.sample(to)),
            Self::Level(level) => level.bundle.visible(from, to),
            Self::Solid(level) => level
                .bundle
                .sights()
                .visible(self.sample(from), self.sample(to)),
        }
    }

    /// Whether sight is the same both ways.
    pub fn is_mutual(&self) -> bool {
        use viewcell::query::SymmetryCode;
        match self {
            Self::Terrain(terrain) => terrain.parameters().mutual,
            Self::Level(level) => level.bundle.parameters().symmetry != SymmetryCode::None,
            Self::Solid(_) => false,
        }
    }

    /// Whether neither of two players sees the other.
    pub fn hidden(&self, a: Place, b: Place) -> bool {
        !self.visible(a, b) && (self.is_mutual() || !self.visible(b, a))
    }

    /// Words of memory for [`Field::within`].
    pub fn within_memory(&self) -> Vec<u64> {
        match self {
            Self::Terrain(_) | Self::Solid(_) => Vec::new(),
            Self::Level(level) => vec![0; level.bundle.reach_memory().two],
        }
    }

    /// Whether two players may see each other when each has come up to `reach` far.
    pub fn within(&self, a: Place, b: Place, reach: f64, memory: &mut [u64]) -> bool {
        match self {
            Self::Terrain(terrain) => {
                terrain.visible_within(self.sample(a), self.sample(b), [reach; 2])
            }
            Self::Level(level) => {
                let seen = level.bundle.visible_within(a, b, [reach; 2], memory);
                seen.unwrap_or(true)
            }
            Self::Solid(level) => {
                // From the middle of a cell a player may be in any corner.
                let reach = [a, b].map(|place| reach + self.half_diagonal(&level.bundle, place));
                let [a, b] = [a, b].map(|place| self.middle(place));
                let level = &level.bundle;
                level.sees_within(a, b, reach) || level.sees_within(b, a, [reach[1], reach[0]])
            }
        }
    }

    /// How far the corners of a cell are from its middle.
    fn half_diagonal(&self, level: &SolidBundle, place: Place) -> f64 {
        let cell = SolidParameters::cell_of(self.sample(place));
        let [low, high] = level.bounds(cell).unwrap_or_default();
        distance(low, high) / 2.0
    }
}

/// Boxes of leaves are kept in whole units by most formats: those of leaves that touch may miss
/// each other by as much. [Unit: of the level]
const SLACK: f32 = 1.0;

/// For each cell those that it touches, with the distance between the middles of their boxes.
///
/// From the bundle where it knows; else cells touch whose boxes do. That is more than truly touch,
/// which does no harm where regions grow: what is hidden is looked up. Where the bundle has no
/// boxes either, no cells touch.
pub(super) fn touching(level: &CellBundle) -> Vec<Vec<(u32, f64)>> {
    let boxes: Vec<[[f32; 3]; 2]> = (0..level.cells())
        .map_while(|cell| level.bounds(cell))
        .collect();
    let middle = |cell: u32| match boxes.get(cell as usize) {
        Some([low, high]) => [0, 1, 2].map(|i| (f64::from(low[i]) + f64::from(high[i])) / 2.0),
        None => [0.0; 3],
    };
    let meet = |a: u32, b: u32| match (boxes.get(a as usize), boxes.get(b as usize)) {
        (Some(a), Some(b)) => {
            (0..3).all(|i| a[0][i] <= b[1][i] + SLACK && b[0][i] <= a[1][i] + SLACK)
        }
        _ => false,
    };
    (0..level.cells())
        .map(|a| {
            let cells: Vec<u32> = if level.has_neighbours() {
                level.neighbours(a).filter(|b| *b < level.cells()).collect()
            } else {
                (0..level.cells())
                    .filter(|b| *b != a && meet(a, *b))
                    .collect()
            };
            let far = |b| distance(middle(a), middle(b));
            cells.into_iter().map(|b| (b, far(b))).collect()
        })
        .collect()
}

/// The straight distance between two points.
pub(super) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    square.sqrt()
}

/// Who knows what is in a line of sight.
pub trait Lines: std::fmt::Debug + Sync {
    /// Whether a player at a position has another in a line of sight; positions are those of the field.
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool;
}

impl Lines for CellBundle<'_> {
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool {
        in_sight(self, viewer, other)
    }
}

/// How far below the eye the feet are, and how far aside the shoulders. [Unit: of the level]
const BODY: [f64; 2] = [44.0, 16.0];

/// Whether the eye, the feet or a shoulder of somebody whose eye is at a point can be seen from an eye.
fn in_sight(level: &CellBundle, eye: [f64; 3], [x, y, z]: [f64; 3]) -> bool {
    let [down, aside] = BODY;
    let (dx, dy) = (x - eye[0], y - eye[1]);
    let flat = (dx * dx + dy * dy).sqrt().max(1e-9);
    let (u, v) = (-dy / flat * aside, dx / flat * aside);
    let middle = z - down / 2.0;
    [
        [x, y, z],
        [x, y, z - down],
        [x + u, y + v, middle],
        [x - u, y - v, middle],
    ]
    .into_iter()
    .any(|point| level.along(eye, point).all(|part| part.cell.is_some()))
}
