//! Opening a bundle to ask it.

use std::io;
use std::path::{Path, PathBuf};

use viewcell::runtime::{CellBundle, Layers, MappedBundle, OpenError, TerrainBundle};

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

/// The bytes of patches.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Failure> {
    let read = |path: &PathBuf| {
        std::fs::read(path)
            .map_err(|error| Failure::io(format!("{}: cannot be read", path.display()), error))
    };
    paths.iter().map(read).collect()
}

/// A mapped bundle with patches over it, if there are any.
pub fn layers<'a>(
    path: &Path,
    map: &'a MappedBundle,
    names: &[PathBuf],
    patches: &'a [Vec<u8>],
) -> Result<Option<Layers<'a>>, Failure> {
    if patches.is_empty() {
        return Ok(None);
    }
    let bundle = map.bundle().map_err(|error| cannot_open(path, error))?;
    let mut layers = Layers::new(&bundle).map_err(|error| cannot_open(path, error))?;
    for (bytes, name) in patches.iter().zip(names) {
        layers
            .lay(bytes)
            .map_err(|error| cannot_open(name, error))?;
    }
    Ok(Some(layers))
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
