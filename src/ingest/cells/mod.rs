//! Levels to cell graphs, one file per format, sniffed by content.
//!
//! [`read_cells`] reads levels of Quake and its kin, portal files, Doom's REJECT tables and our
//! own JSON. What a file says is taken as it says it: visibility is neither made symmetric nor
//! given a diagonal here, and visibility that was never computed is told apart from none.
//!
//! | format | cells | visibility |
//! |---|---|---|
//! | BSP29, 2PSB, BSP2, BSP30 | leaves that share a row | rows of leaves, zeros run-length coded |
//! | IBSP38, VBSP | clusters | rows of clusters, zeros run-length coded; PVS and PHS |
//! | IBSP46, IBSP47 | clusters | a raw matrix |
//! | Doom WAD | sectors of a map | REJECT, a bit a pair, 1 = not visible |
//! | PRT1, PRT2, PRT1-AM | leaves or clusters, with portals | none |
//! | JSON | as written | as written |

pub(crate) mod json;
pub(super) mod limit;
pub(crate) mod lump;
mod orientation;
mod prt;
pub(crate) mod quake;
mod quake2;
mod quake3;
pub(crate) mod read;
pub(crate) mod runs;
mod source;
mod tree;
pub(crate) mod wad;

use std::path::Path;

pub use json::CellGraphFile;
pub use limit::MAX_CELLS;
pub use prt::{OpaqueFace, PortalFile, PortalFileKind};
pub use read::{CellsOptions, IngestedCells, cells_from_bytes};
pub use wad::wad_maps;

use super::error::IngestError;
use super::source::file_bytes;

/// Reads a level from a file of any known format, found by content.
///
/// Memory is the file's length, and N²/8 bytes a matrix of N cells.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged, has more cells than
/// [`MAX_CELLS`], or does not agree with the options. Names lump and offset.
pub fn read_cells(path: &Path, options: &CellsOptions) -> Result<IngestedCells, IngestError> {
    file_bytes(path, "a level")
        .and_then(|bytes| cells_from_bytes(&bytes, options))
        .map_err(|error| error.of(path))
}
