//! A mapped file and what lies in it, together.

use std::path::Path;

use viewcell::query::{CellBundle, MappedBundle, OpenError, TerrainBundle, WorldKind};

/// Borrows from the map beside it.
pub enum World {
    Terrain(TerrainBundle<'static>),
    Cells(CellBundle<'static>),
}

/// An open bundle. Fields are dropped in this order: what borrows goes first.
pub struct Loaded {
    pub world: World,
    pub crs: Option<String>,
    _map: Box<MappedBundle>,
}

impl Loaded {
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let map = Box::new(MappedBundle::open(path)?);
        // Sound: the mapped bytes stay where they are until the map is dropped, `Loaded` drops it
        // last, and hands out its world only for as long as itself is borrowed.
        let lasting: &'static MappedBundle = unsafe { &*(&raw const *map) };
        let bundle = lasting.bundle()?;
        let world = match bundle.kind() {
            WorldKind::Terrain => World::Terrain(bundle.terrain()?),
            // Of a solid level it is an error that says so.
            WorldKind::Cells | WorldKind::Solid => World::Cells(bundle.cells()?),
        };
        let crs = bundle.crs().map(str::to_owned);
        Ok(Self {
            world,
            crs,
            _map: map,
        })
    }
}
