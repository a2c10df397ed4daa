//! Bundles as assets.

use std::fmt;
use std::sync::Arc;

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_math::DVec3;
use bevy_reflect::TypePath;
use viewcell::format::{Tag, crc32};
use viewcell::{Bundle, CellBundle, OpenError, Sample, TerrainBundle, WorldKind};

/// A bundle that `viewcell` baked. Clones share its bytes.
#[derive(Asset, Clone, Debug, TypePath)]
pub struct ViewCells {
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

impl ViewCells {
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
            WorldKind::Cells => World::Level(bundle.cells().map_err(LoadError::Bundle)?),
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
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
    }

    /// The place at a point in the bundle's own coordinates ([`Frame::to_bundle`](crate::Frame::to_bundle)). `None`
    /// where nobody can be: off the map, at a void or what is not walkable, in solid.
    pub fn locate(&self, point: DVec3) -> Option<Place> {
        match self.world() {
            World::Terrain(terrain) => {
                let sample = terrain.locate(point.x, point.y)?;
                terrain
                    .valid()
                    .has_sample(sample)
                    .then_some(Place::Sample(sample))
            }
            World::Level(level) => level.locate(point.to_array()).map(Place::Cell),
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

/// Loads `.vcb` files into memory, whole.
#[derive(Debug, Default, TypePath)]
pub struct ViewCellsLoader;

impl AssetLoader for ViewCellsLoader {
    type Asset = ViewCells;
    type Settings = ();
    type Error = LoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        _: &mut LoadContext<'_>,
    ) -> Result<ViewCells, LoadError> {
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(LoadError::Read)?;
        ViewCells::from_bytes(bytes)
    }

    fn extensions(&self) -> &[&str] {
        &["vcb"]
    }
}

/// Why an asset is no bundle. The asset server says of which file.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read.
    Read(std::io::Error),
    /// It is no bundle that this version reads.
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
            Self::Read(error) => write!(f, "cannot be read: {error}"),
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
            Self::Read(error) => Some(error),
            Self::Bundle(error) => Some(error),
            Self::Checksum { .. } => None,
        }
    }
}
