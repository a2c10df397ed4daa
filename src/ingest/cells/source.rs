//! Source: VBSP of versions 17 to 21.
//!
//! ```text
//! 0   magic     "VBSP"
//! 4   version   i32
//! 8   lumps     64 × (offset, length, version, i32; and 4 bytes)
//! ```
//!
//! Tested with files that the tests build, for want of a free level.

use super::header::check_source;
use super::lump::Lump;
use super::quake2::ClusterLevel;
use crate::error::IngestError;
use crate::world::CellGraph;

const TABLE: usize = 8;
const ENTRY: usize = 16;

/// Reads a level.
pub(super) fn read(file: Lump, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
    check_source(&file)?;
    let lump = |index, name| file.entry(TABLE, ENTRY, index, name);
    let leaves = lump(10, "leaves")?;
    // Until version 19 leaves carry the light of the air in them.
    let leaf_version = file.i32(TABLE + 10 * ENTRY + 8)?;
    let leaf_len = match leaf_version {
        0 => 56,
        1 => 32,
        _ => {
            return Err(file.bad(
                TABLE + 10 * ENTRY + 8,
                "lump leaves of version 0 or 1",
                format!("version {leaf_version}"),
            ));
        }
    };
    ClusterLevel {
        visibility: lump(4, "visibility")?,
        planes: lump(1, "planes")?.records(20)?,
        nodes: lump(5, "nodes")?.records(32)?,
        leaves: leaves.records(leaf_len)?,
        models: lump(14, "models")?.records(48)?,
    }
    .read(notes)
}
