//! A bundle that lies in memory.

use std::fmt;
use std::sync::Arc;

use viewcell::internals::format::{Tag, crc32};
use viewcell::query::{Bundle, CellBundle, OpenError, Sample, TerrainBundle, WorldKind};

/// A bundle that `viewcell` baked. Clones share its bytes.
#[derive(Clone, Debug)]
pub struct OwnedBundle {
    loaded: Arc<Loaded>,
}

/// What a bundle is of.
// One a bundle, and behind a reference.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
pub enum World<'a> {
    /// A terrain: who sees whom between samples.
    Terrain(TerrainBundle<'a>),
    /// A level of cells.
    Level(CellBundle<'a>),
}

/// Where somebody can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On a terrain.
    Sample(Sample),
    /// In a level: the number of a cell.
    Cell(u32),
}

#[derive(Debug)]
struct Loaded {
    /// Borrows from the bytes beside it.
    world: World<'static>,
    _bytes: Arc<[u8]>,
}

impl OwnedBundle {
    /// Opens the bundle that `bytes` are. Looks at all of them once: each section must have its checksum.
    ///
    /// # Errors
    ///
    /// Where they are no bundle that this version reads, or a damaged one.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Result<Self, LoadError> {
        let bytes = bytes.into();
        // Sound: an `Arc`'s bytes stay where they are and as they are until it is dropped. `Loaded` drops it after
        // `world`, and lends its world only for as long as itself is borrowed.
        let lasting: &'static [u8] = unsafe { &*Arc::as_ptr(&bytes) };
        let bundle = Bundle::from_bytes(lasting).map_err(LoadError::Bundle)?;
        for section in bundle.sections() {
            let stored = bundle
                .section(section.tag)
                .map_or(&[][..], |(_, bytes)| bytes);
            let found = crc32(stored);
            if found != section.checksum {
                return Err(LoadError::Checksum {
                    section: section.tag,
                    expected: section.checksum,
                    found,
                });
            }
        }
        let world = match bundle.kind() {
            WorldKind::Terrain => World::Terrain(bundle.terrain().map_err(LoadError::Bundle)?),
            // Of a solid level it is an error that says so.
            WorldKind::Cells | WorldKind::Solid => {
                World::Level(bundle.cells().map_err(LoadError::Bundle)?)
            }
        };
        Ok(Self {
            loaded: Arc::new(Loaded {
                world,
                _bytes: bytes,
            }),
        })
    }

    /// What it is of, with all that the runtime of `viewcell` answers.
    pub fn world(&self) -> &World<'_> {
        &self.loaded.world
    }

    /// What it is of, for whoever keeps a clone of this for longer.
    pub(crate) fn lasting_world(&self) -> &World<'static> {
        &self.loaded.world
    }

    /// Whether two are the same bytes at the same place.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
    }

    /// The place at a point in the bundle's own coordinates: of a terrain, metres east and south of sample (0, 0), and
    /// a height that is not asked for; of a level, the units and axes that its file has. `None` where nobody can be:
    /// off the map, at a void or what is not walkable, in solid.
    pub fn locate(&self, point: [f64; 3]) -> Option<Place> {
        match self.world() {
            World::Terrain(terrain) => {
                let sample = terrain.locate(point[0], point[1])?;
                terrain
                    .valid()
                    .has_sample(sample)
                    .then_some(Place::Sample(sample))
            }
            World::Level(level) => level.locate(point).map(Place::Cell),
        }
    }

    /// Whether somebody at one place may see somebody at another. Places of a bundle of the other kind are hidden.
    #[inline]
    pub fn visible(&self, from: Place, to: Place) -> bool {
        match (self.world(), from, to) {
            (World::Terrain(terrain), Place::Sample(a), Place::Sample(b)) => terrain.visible(a, b),
            (World::Level(level), Place::Cell(a), Place::Cell(b)) => level.visible(a, b),
            _ => false,
        }
    }
}

/// Places by number, for engines whose scripts have no type for them.
impl OwnedBundle {
    /// How many places there are: samples or cells.
    pub fn places(&self) -> u64 {
        match self.world() {
            World::Terrain(terrain) => terrain.grid().samples(),
            World::Level(level) => level.cells().into(),
        }
    }

    /// The number of a place: row by row of a terrain, that of the cell in a level. `None` for one that is not there.
    pub fn number(&self, place: Place) -> Option<u64> {
        match (self.world(), place) {
            (World::Terrain(terrain), Place::Sample(sample)) => {
                let grid = terrain.grid();
                let number =
                    u64::from(sample.row) * u64::from(grid.width()) + u64::from(sample.column);
                grid.has_sample(sample).then_some(number)
            }
            (World::Level(level), Place::Cell(cell)) => {
                (cell < level.cells()).then_some(cell.into())
            }
            _ => None,
        }
    }

    /// The place that has a number. `None` where none has.
    pub fn place(&self, number: u64) -> Option<Place> {
        if number >= self.places() {
            return None;
        }
        Some(match self.world() {
            World::Terrain(terrain) => {
                let width = u64::from(terrain.grid().width());
                // Sides are numbers of 32 bits.
                Place::Sample(Sample::new(
                    (number % width) as u32,
                    (number / width) as u32,
                ))
            }
            World::Level(_) => Place::Cell(number as u32),
        })
    }
}

/// Why bytes are no bundle. Whoever read them says of which file.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// They are no bundle that this version reads.
    Bundle(OpenError),
    /// A section's bytes are not those that were written.
    Checksum {
        /// Which one.
        section: Tag,
        /// The checksum that the section table has.
        expected: u32,
        /// That of the bytes.
        found: u32,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundle(error) => write!(f, "{error}"),
            Self::Checksum {
                section,
                expected,
                found,
            } => write!(
                f,
                "section {section} is damaged: expected the checksum {expected:08x}, found {found:08x}; \
                 copy the bundle again, or bake it again"
            ),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Bundle(error) => Some(error),
            Self::Checksum { .. } => None,
        }
    }
}
