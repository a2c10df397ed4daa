//! Opening a bundle to ask it.

use std::io;
use std::path::Path;

use viewcell::runtime::{CellBundle, MappedBundle, OpenError, TerrainBundle};

use crate::cli::exit::{Exit, Failure};

/// Maps a bundle.
pub fn open(path: &Path) -> Result<MappedBundle, Failure> {
    MappedBundle::open(path).map_err(|error| cannot_open(path, error))
}

/// The terrain in a mapped bundle.
pub fn terrain<'a>(path: &Path, map: &'a MappedBundle) -> Result<TerrainBundle<'a>, Failure> {
    map.terrain().map_err(|error| cannot_open(path, error))
}

/// The level of cells in a mapped bundle.
pub fn cells<'a>(path: &Path, map: &'a MappedBundle) -> Result<CellBundle<'a>, Failure> {
    map.cells().map_err(|error| cannot_open(path, error))
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
