//! Opening a bundle to ask it.

use std::io;
use std::path::{Path, PathBuf};

use viewcell::internals::bake::Source;
use viewcell::internals::runtime::{
    CellBundle, Layers, MappedBundle, OpenError, SolidBundle, TerrainBundle, World,
};
use viewcell::internals::world::solid::SolidLevel;

use super::place::{By, check_by_number};

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::input;

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

/// The solid level in a mapped bundle.
pub fn solid<'a>(path: &Path, map: &'a MappedBundle) -> Result<SolidBundle<'a>, Failure> {
    map.solid().map_err(|error| cannot_open(path, error))
}

/// The same, if it was baked from this file, which `level` is.
pub fn solid_of<'a>(
    path: &Path,
    map: &'a MappedBundle,
    file: &Path,
    level: &SolidLevel,
) -> Result<SolidBundle<'a>, Failure> {
    let bundle = solid(path, map)?;
    let source = Source::new(file, level.format, Default::default());
    let input = source
        .map_err(|error| Failure::io(format!("{}: cannot be read", file.display()), error))?
        .input;
    let parameters = bundle.parameters();
    if (parameters.input_bytes, Some(parameters.input_crc32)) != (input.bytes, input.crc32()) {
        return Err(Failure::bad_input(format!(
            "{}: expected a bundle of {}, found one of another file; bake the level anew",
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

/// Asks a bundle, whichever kind of world it is of; a terrain may have patches over it. Fails where patches, or
/// places by coordinates, are given for a level.
pub fn ask(
    path: &Path,
    by: &By,
    over: &Over,
    ask: impl FnOnce(&MappedBundle, World<'_>) -> Outcome,
) -> Outcome {
    let map = open(path)?;
    match world(path, &map)? {
        World::Terrain(_) => over.ask(path, &map, |terrain| ask(&map, World::Terrain(terrain))),
        level => {
            check_by_number(path, by)?;
            over.check_none()?;
            ask(&map, level)
        }
    }
}

/// Patches over a bundle.
#[derive(clap::Args)]
pub struct Over {
    /// A patch over the bundle (viewcell rebake), or several in the order in which they were made
    #[arg(long, value_name = "P.vcp", num_args = 1..)]
    patch: Vec<PathBuf>,
}

impl Over {
    /// Asks the terrain of a mapped bundle, with the patches over it.
    pub fn ask(
        &self,
        path: &Path,
        map: &MappedBundle,
        ask: impl FnOnce(TerrainBundle<'_>) -> Outcome,
    ) -> Outcome {
        if self.patch.is_empty() {
            return ask(terrain(path, map)?);
        }
        let read = |patch: &PathBuf| input::read(patch, input::LARGE);
        let patches: Vec<Vec<u8>> = self.patch.iter().map(read).collect::<Result<_, _>>()?;
        let bundle = map.bundle().map_err(|error| cannot_open(path, error))?;
        let mut layers = Layers::new(&bundle).map_err(|error| cannot_open(path, error))?;
        for (bytes, name) in patches.iter().zip(&self.patch) {
            layers
                .lay(bytes)
                .map_err(|error| cannot_open(name, error))?;
        }
        ask(layers.terrain())
    }

    /// Errors if there are any, over a bundle of cells.
    pub fn check_none(&self) -> Result<(), Failure> {
        match self.patch.first() {
            None => Ok(()),
            Some(patch) => Err(Failure::usage(format!(
                "--patch {}: expected a bundle of a terrain, found one of cells",
                patch.display()
            ))),
        }
    }
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
