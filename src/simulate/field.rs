//! Where a game is played: a terrain or a level of cells, behind one face.

use crate::runtime::{CellBundle, Sample, TerrainBundle};

use super::touch::touching;

/// Where a player is, as the bundle numbers it: a cell, or a sample counted row by row.
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
}

/// A level, and which of its cells touch.
#[derive(Debug)]
pub struct Level<'a> {
    /// The bundle.
    pub bundle: CellBundle<'a>,
    /// For each cell those that it touches, and how far their middles are from its own.
    pub touching: Vec<Vec<(u32, f64)>>,
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

    /// How many places there are.
    pub fn places(&self) -> u32 {
        match self {
            Self::Terrain(terrain) => u32::try_from(terrain.grid().samples()).unwrap_or(u32::MAX),
            Self::Level(level) => level.bundle.cells(),
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
        }
    }

    /// The sample of a place of a terrain; sample (0, 0) in a level.
    pub fn sample(&self, place: Place) -> Sample {
        match self {
            Self::Terrain(terrain) => {
                let width = terrain.grid().width();
                Sample::new(place % width, place / width)
            }
            Self::Level(_) => Sample::new(0, 0),
        }
    }

    /// The place of a sample of a terrain.
    pub fn place_of(&self, sample: Sample) -> Place {
        match self {
            Self::Terrain(terrain) => sample.row * terrain.grid().width() + sample.column,
            Self::Level(_) => 0,
        }
    }

    /// The middle of a place: of a sample at the height of the ground, of a cell's box.
    pub fn middle(&self, place: Place) -> [f64; 3] {
        match self {
            Self::Terrain(terrain) => {
                let sample = self.sample(place);
                let [dx, dy] = terrain.parameters().spacing;
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
        }
    }

    /// Whether somebody at `to` may be seen from `from`.
    #[inline]
    pub fn visible(&self, from: Place, to: Place) -> bool {
        match self {
            Self::Terrain(terrain) => terrain.visible(self.sample(from), self.sample(to)),
            Self::Level(level) => level.bundle.visible(from, to),
        }
    }

    /// Whether sight is the same both ways.
    pub fn is_mutual(&self) -> bool {
        use crate::runtime::SymmetryCode;
        match self {
            Self::Terrain(terrain) => terrain.parameters().mutual,
            Self::Level(level) => level.bundle.parameters().symmetry != SymmetryCode::None,
        }
    }

    /// Whether neither of two players sees the other.
    pub fn hidden(&self, a: Place, b: Place) -> bool {
        !self.visible(a, b) && (self.is_mutual() || !self.visible(b, a))
    }

    /// Words of memory for [`Field::within`].
    pub fn within_memory(&self) -> Vec<u64> {
        match self {
            Self::Terrain(_) => Vec::new(),
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
        }
    }
}
