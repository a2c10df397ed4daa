//! Visibility queries on a bundle of any kind of world: point location, cell-to-cell visibility, view cells by number.
//! Whoever asks through [`World`] need not know the kind. What looks ahead is in `within/world.rs`.

use super::bundle::Bundle;
use super::cells::CellBundle;
use super::error::OpenError;
use super::solid::SolidBundle;
use super::terrain::TerrainBundle;
use super::within::Extent;
use crate::format::cells::SymmetryCode;
use crate::format::{Frame, Sample, SolidParameters, WorldKind};

/// A bundle of any kind, ready for queries. Copy it freely: it is a handful of slices.
#[allow(clippy::large_enum_variant, reason = "one a bundle")]
#[derive(Clone, Copy, Debug)]
pub enum World<'a> {
    /// A terrain: who sees whom between samples.
    Terrain(TerrainBundle<'a>),
    /// A level of cells.
    Cells(CellBundle<'a>),
    /// A solid level: cells are boxes in space.
    Solid(SolidBundle<'a>),
}

/// Where somebody can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On a terrain.
    Sample(Sample),
    /// In a level: the number of a cell.
    Cell(u32),
}

impl<'a> Bundle<'a> {
    /// The bundle as one of the kind that it is. O(1) as [`Bundle::terrain`], [`Bundle::cells`] and
    /// [`Bundle::solid`] are.
    ///
    /// # Errors
    ///
    /// Where they do.
    pub fn world(&self) -> Result<World<'a>, OpenError> {
        match self.kind() {
            WorldKind::Terrain => self.terrain().map(World::Terrain),
            WorldKind::Cells => self.cells().map(World::Cells),
            WorldKind::Solid => self.solid().map(World::Solid),
        }
    }
}

/// Of which kind it is, and what only some kinds have.
impl<'a> World<'a> {
    /// Which kind it is.
    pub const fn kind(&self) -> WorldKind {
        match self {
            Self::Terrain(_) => WorldKind::Terrain,
            Self::Cells(_) => WorldKind::Cells,
            Self::Solid(_) => WorldKind::Solid,
        }
    }

    /// The terrain, if it is one.
    pub const fn terrain(&self) -> Option<&TerrainBundle<'a>> {
        match self {
            Self::Terrain(terrain) => Some(terrain),
            _ => None,
        }
    }

    /// The level of cells, if it is one.
    pub const fn cells(&self) -> Option<&CellBundle<'a>> {
        match self {
            Self::Cells(level) => Some(level),
            _ => None,
        }
    }

    /// The solid level, if it is one.
    pub const fn solid(&self) -> Option<&SolidBundle<'a>> {
        match self {
            Self::Solid(level) => Some(level),
            _ => None,
        }
    }

    /// Who sees whom as a grid of samples: a terrain itself, a solid level by [`SolidBundle::sights`]. `None` for a level of
    /// cells.
    pub fn sights(&self) -> Option<&TerrainBundle<'a>> {
        self.terrain().or(self.solid().map(SolidBundle::sights))
    }

    /// The sample of [`World::sights`] that a place is. `None` in a level of cells, and for a place that is not there.
    pub fn sample(&self, place: Place) -> Option<Sample> {
        self.sights()?;
        self.number(place)?;
        Some(place.sample())
    }

    /// The place that a sample of [`World::sights`] is: the other way round.
    pub fn place_of(&self, sample: Sample) -> Option<Place> {
        let place = match self.sights()? {
            _ if self.terrain().is_some() => Place::Sample(sample),
            _ => Place::Cell(SolidParameters::cell_of(sample)),
        };
        self.number(place)?;
        Some(place)
    }
}

impl Place {
    /// The sample itself, or the one that stands for a cell of a solid level ([`SolidParameters::sample`]).
    pub(crate) fn sample(self) -> Sample {
        match self {
            Self::Sample(sample) => sample,
            Self::Cell(cell) => SolidParameters::sample(cell),
        }
    }
}

impl World<'_> {
    /// How the coordinates that a world is asked with become its own: those of the engine that a solid level was exported from;
    /// else they are its own.
    pub fn frame(&self) -> Frame {
        self.solid().map_or(Frame::default(), SolidBundle::frame)
    }

    /// The same world, asked with its own coordinates ([`SolidBundle::as_baked`]).
    pub fn as_baked(&self) -> Self {
        self.solid()
            .map_or(*self, |level| Self::Solid(level.as_baked()))
    }

    /// The same world, asked with z up ([`SolidBundle::upright`]).
    pub fn upright(&self) -> Self {
        self.solid()
            .map_or(*self, |level| Self::Solid(level.upright()))
    }

    /// What a unit of its positions and lengths is called: `m`, `cm`, `mm`, `ft`, or `units`.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Terrain(_) => "m",
            Self::Cells(_) => "units",
            Self::Solid(level) => level.unit(),
        }
    }

    /// The place at a point in the bundle's coordinates: of a terrain, metres east and south of sample (0, 0), and
    /// a height that is not asked for; of a level, the units and axes of its file, or of the engine that a solid level was
    /// exported from ([`World::frame`]). `None` where nobody can be: off the map, at a void or what is not walkable, in solid. In a solid level whoever is there anyway sees all and
    /// is seen by all.
    pub fn locate(&self, point: [f64; 3]) -> Option<Place> {
        match self {
            Self::Terrain(terrain) => {
                let [east, south, _] = point;
                let place = Place::Sample(terrain.locate(east, south)?);
                self.can_be_at(place).then_some(place)
            }
            _ if point.iter().any(|at| at.is_nan()) => None,
            Self::Cells(level) => level.locate(point).map(Place::Cell),
            Self::Solid(level) => level.locate(point).map(Place::Cell),
        }
    }

    /// Whether somebody can be at a place: it is there, and on a terrain it is no void and walkable.
    pub fn can_be_at(&self, place: Place) -> bool {
        match (self.terrain(), place) {
            (Some(terrain), Place::Sample(sample)) => terrain.valid().has_sample(sample),
            _ => self.number(place).is_some(),
        }
    }

    /// Whether somebody at one place may see somebody at another. Samples outside the grid and at voids neither see nor
    /// are seen; cells that are not there, and places of the other kind, see all and are seen.
    #[inline]
    pub fn visible(&self, from: Place, to: Place) -> bool {
        match (self, from, to) {
            (Self::Terrain(terrain), Place::Sample(a), Place::Sample(b)) => terrain.visible(a, b),
            (Self::Cells(level), Place::Cell(a), Place::Cell(b)) => level.visible(a, b),
            (Self::Solid(level), Place::Cell(a), Place::Cell(b)) => level.visible(a, b),
            _ => true,
        }
    }

    /// Whether somebody at one position may see somebody at another, in coordinates of [`World::locate`]. `true` where
    /// either is at no place.
    #[inline]
    pub fn positions_visible(&self, from: [f64; 3], to: [f64; 3]) -> bool {
        match (self.locate(from), self.locate(to)) {
            (Some(from), Some(to)) => self.visible(from, to),
            _ => true,
        }
    }

    /// Whether sight is the same both ways. Where it is not, ask both.
    pub fn is_mutual(&self) -> bool {
        match self {
            Self::Terrain(terrain) => terrain.parameters().mutual,
            Self::Cells(level) => level.parameters().symmetry != SymmetryCode::None,
            Self::Solid(level) => level.sights().parameters().mutual,
        }
    }
}

/// Where places are.
impl World<'_> {
    /// The positions of somebody at a place; any more of them err towards visible. Of a sample the point that stands for
    /// it, of a cell its box. Everywhere for a cell without a box, and for a place that is not there.
    pub fn extent(&self, place: Place) -> Extent {
        match (self, place) {
            (Self::Terrain(terrain), Place::Sample(sample)) => {
                let [dx, dy] = terrain.parameters().cell_spacing;
                let middle = [f64::from(sample.column) * dx, f64::from(sample.row) * dy];
                Extent::ball([middle[0], middle[1], 0.0], 0.0)
            }
            (Self::Cells(level), Place::Cell(cell)) => Extent::of_box(level.corners(cell, true)),
            (Self::Solid(level), Place::Cell(cell)) => level.extent_of(cell),
            _ => Extent::everywhere(),
        }
    }

    /// The positions that stand for a place: least and greatest corner. Of a sample the square around it, at the height of
    /// its ground; of a cell its box. `None` for a place that is not there, and for one without a height or a box.
    pub fn bounds(&self, place: Place) -> Option<[[f64; 3]; 2]> {
        match (self, place) {
            (Self::Terrain(terrain), Place::Sample(sample)) => {
                let height = terrain.height(sample)?.into();
                let [[west, north], [east, south]] = terrain.square(sample);
                Some([[west, north, height], [east, south, height]])
            }
            (Self::Cells(level), Place::Cell(cell)) => {
                let corners = level.bounds(cell)?;
                Some(corners.map(|corner| corner.map(f64::from)))
            }
            (Self::Solid(level), Place::Cell(cell)) => level.bounds(cell),
            _ => None,
        }
    }

    /// The middle of a place: of a sample, at the height of its ground; of a cell, that of its box. `None` for a place
    /// that is not there, and for one without a height or a box.
    pub fn middle(&self, place: Place) -> Option<[f64; 3]> {
        if let (Self::Terrain(terrain), Place::Sample(sample)) = (self, place) {
            let [dx, dy] = terrain.parameters().cell_spacing;
            let [column, row] = [sample.column, sample.row].map(f64::from);
            let height = terrain.height(sample)?;
            return Some([column * dx, row * dy, height.into()]);
        }
        let [[a, b, c], [d, e, f]] = self.bounds(place)?;
        Some([(a + d) / 2.0, (b + e) / 2.0, (c + f) / 2.0])
    }
}

/// Places by number, for whoever has no type for them.
impl World<'_> {
    /// How many places there are: samples or cells.
    pub fn places(&self) -> u64 {
        match self {
            Self::Terrain(terrain) => terrain.grid().samples(),
            Self::Cells(level) => level.cells().into(),
            Self::Solid(level) => level.cells().into(),
        }
    }

    /// The number of a place: row by row of a terrain, that of the cell in a level. `None` for one that is not there.
    pub fn number(&self, place: Place) -> Option<u64> {
        let number = match (self.terrain(), place) {
            (Some(terrain), Place::Sample(sample)) => {
                let grid = terrain.grid();
                let row = u64::from(sample.row) * u64::from(grid.width());
                grid.has_sample(sample)
                    .then_some(row + u64::from(sample.column))?
            }
            (None, Place::Cell(cell)) => cell.into(),
            _ => return None,
        };
        (number < self.places()).then_some(number)
    }

    /// The place that has a number. `None` where none has.
    #[inline]
    pub fn place(&self, number: u64) -> Option<Place> {
        if number >= self.places() {
            return None;
        }
        let Some(terrain) = self.terrain() else {
            return Some(Place::Cell(number as u32));
        };
        // There are at most 2^32 samples, and divisions of 32 bits are quicker.
        let (number, width) = (number as u32, terrain.grid().width());
        let column = number.checked_rem(width)?;
        Some(Place::Sample(Sample::new(
            column,
            number.checked_div(width)?,
        )))
    }
}
