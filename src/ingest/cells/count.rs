//! The number of cells that a level may have.

use crate::error::IngestError;

/// Most cells that are read: a matrix of so many takes half a gigabyte.
pub const MAX_CELLS: usize = 65_536;

/// Errors unless a level has at least one cell and at most [`MAX_CELLS`].
pub(super) fn check_count(cells: usize, place: impl FnOnce() -> String) -> Result<(), IngestError> {
    match cells {
        0 => Err(IngestError::bad(
            "at least one cell",
            "none",
            "compile the level again: it has no inside that anybody could see",
        )
        .at(place())),
        1..=MAX_CELLS => Ok(()),
        _ => Err(IngestError::resource(
            format!("at most {MAX_CELLS} cells"),
            format!("{cells}"),
            "compile the level with fewer cells (more detail brushes)",
        )
        .at(place())),
    }
}
