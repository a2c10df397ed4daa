//! Source: VBSP of versions 17 to 21.
//!
//! ```text
//! 0   magic     "VBSP"
//! 4   version   i32
//! 8   lumps     64 × (offset, length, version, i32; and 4 bytes, the unpacked length if packed)
//! ```
//!
//! Tested with files that the tests build, for want of a free level.

use super::lump::Lump;
use super::quake2::ClusterLevel;
use crate::error::IngestError;
use crate::world::CellGraph;

const TABLE: usize = 8;
const ENTRY: usize = 16;

/// Reads a level.
pub(super) fn read(file: Lump, notes: &mut Vec<String>) -> Result<CellGraph, IngestError> {
    let version = file.i32(4)?;
    if !(17..=21).contains(&version) {
        return Err(file
            .bad(4, "VBSP of version 17 to 21", format!("version {version}"))
            .unsupported());
    }
    let lump = |index, name| packed_not(file, index, name);
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

/// A lump that must not be packed.
fn packed_not<'a>(file: Lump<'a>, index: usize, name: &'a str) -> Result<Lump<'a>, IngestError> {
    let lump = file.entry(TABLE, ENTRY, index, name)?;
    if lump.bytes.starts_with(b"LZMA") {
        return Err(IngestError::bad(
            format!("lump {name} as it is"),
            "one packed with LZMA",
            "unpack it with `bspzip -repack INPUT` (without -compress)",
        )
        .at(lump.place(0))
        .unsupported());
    }
    Ok(lump)
}
