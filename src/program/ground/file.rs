//! Files of layered ground: opened, read whole, and made to grow.

use std::path::Path;

use viewcell::query::MappedFile;
use viewcell_ground::{Appended, ChangeSet, GroundError, GroundFile, Layered, Patches, touched};

use crate::exit::{Exit, Failure};
use crate::query;

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
    match append(path, ground, sets)? {
        Some(appended) => appended
            .commit()
            .map_err(|error| Failure::io(format!("{}: cannot be written", path.display()), error)),
        None => Ok(()),
    }
}

/// Appends to a file what change sets made of its ground: it counts when it is committed. `None` if there
/// is nothing to write.
pub fn append(
    path: &Path,
    ground: &Patches,
    sets: &[ChangeSet],
) -> Result<Option<Appended>, Failure> {
    let Some(first) = sets.first() else {
        return Ok(None);
    };
    let growth = {
        let map = map(path)?;
        let file = open(path, &map)?;
        if file.version() != first.from {
            return Err(Failure::new(
                Exit::InputOutput,
                anyhow::anyhow!(
                    "{}: another process changed it in the meantime (version {} became {}); start \
                     again",
                    path.display(),
                    first.from.number,
                    file.version().number
                ),
            ));
        }
        file.grown(ground, &touched(sets))
            .map_err(|error| failure(path, error))?
    };
    let appended = Appended::new(path, &growth).map_err(|error| {
        let what = format!(
            "{}: cannot be extended (it still holds version {})",
            path.display(),
            first.from.number
        );
        Failure::io(what, error)
    })?;
    Ok(Some(appended))
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
