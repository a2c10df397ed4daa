//! Ground files: opening them, making them grow, and what their errors come to.

use std::path::Path;

use viewcell::ground::{ChangeSet, GroundError, GroundFile, Layered, Patches, grow, touched};
use viewcell::runtime::MappedFile;

use crate::cli::exit::{Exit, Failure};
use crate::cli::query;

/// Maps a file.
pub fn map(path: &Path) -> Result<MappedFile, Failure> {
    MappedFile::open(path).map_err(|error| query::cannot_open(path, error))
}

/// What an error about a file comes to.
pub fn failure(path: &Path, error: GroundError) -> Failure {
    let exit = match &error {
        GroundError::TooLarge { .. } => Exit::Resource,
        _ => Exit::BadInput,
    };
    Failure::new(
        exit,
        anyhow::Error::new(error).context(path.display().to_string()),
    )
}

/// Opens a mapped file.
pub fn open<'a>(path: &Path, map: &'a MappedFile) -> Result<GroundFile<'a>, Failure> {
    GroundFile::open(map).map_err(|error| failure(path, error))
}

/// Makes a file hold what change sets made of its ground.
pub fn write(path: &Path, ground: &Patches, sets: &[ChangeSet]) -> Result<(), Failure> {
    if sets.is_empty() {
        return Ok(());
    }
    let growth = {
        let map = map(path)?;
        let file = open(path, &map)?;
        if file.version() != sets[0].from {
            return Err(Failure::new(
                Exit::InputOutput,
                anyhow::anyhow!(
                    "{}: somebody else changed it in the meantime (version {} became {}); begin again",
                    path.display(),
                    sets[0].from.number,
                    file.version().number
                ),
            ));
        }
        file.grown(ground, &touched(sets))
            .map_err(|error| failure(path, error))?
    };
    grow(path, &growth).map_err(|error| {
        let what = format!(
            "{}: cannot be made longer (it holds version {} still)",
            path.display(),
            sets[0].from.number
        );
        Failure::io(what, error)
    })
}

/// All of a file's ground.
pub fn load(path: &Path) -> Result<Patches, Failure> {
    let map = map(path)?;
    open(path, &map)?
        .load()
        .map_err(|error| failure(path, error))
}

/// A file's ground in a few words.
pub fn words(ground: &Patches) -> String {
    let frame = ground.frame();
    format!(
        "{} x {} x {} cubes in {} patches, {} nodes, version {}",
        frame.width(),
        frame.height(),
        ground.slices().len(),
        frame.patches().len(),
        ground.nodes(),
        ground.version().number
    )
}
