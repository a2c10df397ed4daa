//! Files of layered ground: opened, read whole, and made to grow.

use std::path::Path;

use viewcell_ingest::{IngestError, IngestErrorKind, file_bytes};
use viewcell_layered::{Appended, ChangeSet, GroundError, GroundFile, Layered, Patches, touched};

use viewcell_program::exit::{Exit, Failure};
use viewcell_program::flags::with_flags;

/// The bytes of a file. Devices are refused, which would be read until memory ends.
pub(in crate::verbs) fn map(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(file_bytes(path, "a file of layered ground").map_err(|error| error.about(path))?)
}

/// What an error about a file comes to.
pub(in crate::verbs) fn failure(path: &Path, error: GroundError) -> Failure {
    let exit = match &error {
        GroundError::TooLarge { .. } => Exit::Resource,
        _ => Exit::BadInput,
    };
    Failure::new(
        exit,
        anyhow::anyhow!("{}: {}", path.display(), flagged(&error.to_string())),
    )
}

/// The text with a flag for each option that it names.
fn flagged(text: &str) -> String {
    let own = text.replace("`cube_height`", "--cube-height METRES");
    with_flags(&own.replace("`max_cubes`", "--max-cubes"))
}

/// What an error of making ground comes to.
pub(in crate::verbs) fn unmade(error: &IngestError) -> Failure {
    let exit = match error.kind() {
        IngestErrorKind::Resource => Exit::Resource,
        IngestErrorKind::Usage => Exit::Usage,
        IngestErrorKind::Read => Exit::InputOutput,
        IngestErrorKind::Bad => Exit::BadInput,
    };
    Failure::new(exit, anyhow::anyhow!("{}", flagged(&error.to_string())))
}

/// Opens the bytes of a file.
pub(in crate::verbs) fn open<'a>(path: &Path, map: &'a [u8]) -> Result<GroundFile<'a>, Failure> {
    GroundFile::open(map).map_err(|error| failure(path, error))
}

/// Makes a file hold what change sets made of its ground.
pub(in crate::verbs) fn write(
    path: &Path,
    ground: &Patches,
    sets: &[ChangeSet],
) -> Result<(), Failure> {
    match append(path, ground, sets)? {
        Some(appended) => appended
            .commit()
            .map_err(|error| Failure::io(format!("{}: cannot be written", path.display()), error)),
        None => Ok(()),
    }
}

/// Appends to a file what change sets made of its ground: it counts when it is committed. `None` if there
/// is nothing to write.
pub(in crate::verbs) fn append(
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
pub(in crate::verbs) fn load(path: &Path) -> Result<Patches, Failure> {
    let map = map(path)?;
    open(path, &map)?
        .load()
        .map_err(|error| failure(path, error))
}

/// A file's ground in a few words.
pub(in crate::verbs) fn words(ground: &Patches) -> String {
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
