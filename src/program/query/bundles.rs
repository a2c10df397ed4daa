//! Bundles opened: mapped, and read as the world that they are of.

use std::io;
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::output;
use viewcell::format::WorldKind;
use viewcell::query::{CellBundle, MappedBundle, OpenError, SolidBundle, TerrainBundle, World};
use viewcell_ingest::solid::IngestedSolid;

/// Maps a bundle.
pub fn open(path: &Path) -> Result<MappedBundle, Failure> {
    let map = MappedBundle::open(path).map_err(|error| cannot_open(path, error))?;
    let header = map
        .bundle()
        .map_err(|error| cannot_open(path, error))?
        .header();
    if header.kind == WorldKind::Solid && header.version < header.kind.version() {
        output::say(format_args!(
            "{}: a solid level of format version {}: it was baked for one height of the eye, far from the origin with \
             gaps closed that are open, and by readers that took fences, glass and clear surfaces for walls; bake it again",
            path.display(),
            header.version
        ));
    }
    Ok(map)
}

/// The terrain in a mapped bundle.
pub fn terrain<'a>(path: &Path, map: &'a MappedBundle) -> Result<TerrainBundle<'a>, Failure> {
    map.terrain().map_err(|error| cannot_open(path, error))
}

/// The level of cells in a mapped bundle.
pub fn cells<'a>(path: &Path, map: &'a MappedBundle) -> Result<CellBundle<'a>, Failure> {
    map.cells().map_err(|error| cannot_open(path, error))
}

/// The solid level in a mapped bundle.
pub fn solid<'a>(path: &Path, map: &'a MappedBundle) -> Result<SolidBundle<'a>, Failure> {
    map.solid().map_err(|error| cannot_open(path, error))
}

/// The same, if it was baked from this file, which was read.
pub fn solid_of<'a>(
    path: &Path,
    map: &'a MappedBundle,
    file: &Path,
    read: &IngestedSolid,
) -> Result<SolidBundle<'a>, Failure> {
    let bundle = solid(path, map)?;
    let parameters = bundle.parameters();
    if (parameters.input_bytes, parameters.input_crc32) != (read.bytes, read.crc32) {
        return Err(Failure::bad_input(format!(
            "{}: expected a bundle of {}, found one of another file; bake the level again",
            path.display(),
            file.display()
        )));
    }
    Ok(bundle)
}

/// What a mapped bundle is of.
pub fn world<'a>(path: &Path, map: &'a MappedBundle) -> Result<World<'a>, Failure> {
    let world = map.bundle().and_then(|bundle| bundle.world());
    world.map_err(|error| cannot_open(path, error))
}

pub fn cannot_open(path: &Path, error: OpenError) -> Failure {
    let exit = match &error {
        // A map takes addresses, of which there may be few (ulimit -v).
        OpenError::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => Exit::Resource,
        OpenError::Io { .. } => Exit::InputOutput,
        _ => Exit::BadInput,
    };
    Failure::new(exit, error.at(path))
}
