//! Levels to cell graphs, one file per format, which is detected from the content.
//!
//! [`read_cells`] reads levels of Quake and its kin, portal files, Doom's REJECT tables and our
//! own JSON. What a file says is taken as it says it: visibility is neither made symmetric nor
//! given a diagonal here, and visibility that was never computed is distinguished from none.
//!
//! | format | cells | visibility |
//! |---|---|---|
//! | BSP29, 2PSB, BSP2, BSP30 | leaves that share a row | rows of leaves, zeros run-length coded |
//! | IBSP38, VBSP | clusters | rows of clusters, zeros run-length coded; PVS and PHS |
//! | IBSP46, IBSP47 | clusters | a raw matrix |
//! | Doom WAD | sectors of a map | REJECT, a bit a pair, 1 = not visible |
//! | PRT1, PRT2, PRT1-AM | leaves or clusters, with portals | none |
//! | JSON | as written | as written |

pub(crate) mod bsp;
mod count;
pub(crate) mod header;
mod json;
pub(crate) mod lump;
mod orientation;
mod prt;
pub(crate) mod quake;
mod quake2;
mod quake3;
mod source;
pub(crate) mod wad;

use std::path::Path;

use lump::Lump;

use super::error::IngestError;
use super::held::Held;
use super::source::file_bytes;
use crate::world::CellGraph;

pub use count::MAX_CELLS;
use count::check_count;
pub use json::{CellFile, CellGraphFile, CellRef, JsonCells, PortalEntry};
pub use prt::{OpaqueFace, PortalFile, PortalFileKind};

/// Reads a level from a file of any known format, found by content.
///
/// Memory is the file's length, and N²/8 bytes a matrix of N cells.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged, has more cells than
/// [`MAX_CELLS`], or does not agree with the options. Names lump and offset.
pub fn read_cells(path: &Path, options: &IngestCellsOptions) -> Result<IngestedCells, IngestError> {
    file_bytes(path, "a level")
        .and_then(|bytes| cells_from_bytes(&bytes, options))
        .map_err(|error| error.about(path))
}

/// What a person may say about a level's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IngestCellsOptions {
    /// Which map of a WAD, such as `MAP01`; needed where there are several.
    pub map: Option<String>,
}

/// A cell graph and what came up on the way.
#[derive(Clone, Debug)]
pub struct IngestedCells {
    /// The level.
    pub graph: CellGraph,
    /// What the file was: `BSP29`, `2PSB`, `BSP2`, `BSP30`, `IBSP38`, `IBSP46`, `IBSP47`, `VBSP`,
    /// `Doom WAD`, `portal file` or `JSON cell graph`.
    pub format: &'static str,
    /// What a person should know: missing visibility, readings of doubtful places.
    pub notes: Vec<String>,
}

/// As [`read_cells`], from the bytes of a file.
pub fn cells_from_bytes(
    bytes: &[u8],
    options: &IngestCellsOptions,
) -> Result<IngestedCells, IngestError> {
    let format = sniff(bytes).ok_or_else(|| unknown(bytes))?;
    if options.map.is_some() && format != Format::Wad {
        return Err(IngestError::usage(
            "`map` with a WAD only",
            format!("a file that looks like {}", format.name()),
            "leave it out",
        ));
    }
    let bytes = &*header::in_order(bytes, &mut Held::within(None))?;
    let file = Lump::file(bytes);
    let mut notes = Vec::new();
    let graph = match format {
        Format::Quake(kind) => quake::read(file, kind, &mut notes)?,
        Format::Quake2 => quake2::read(file, &mut notes)?,
        Format::Quake3(_) => quake3::read(file, &mut notes)?,
        Format::Source => source::read(file, &mut notes)?,
        Format::Wad => wad::read(file, options.map.as_deref(), &mut notes)?,
        Format::Portals => PortalFile::read(bytes)?.into_graph(),
        Format::Json => json::read(bytes)?,
    };
    Ok(IngestedCells {
        graph,
        format: format.name(),
        notes,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Quake(quake::BspVersion),
    Quake2,
    Quake3(u32),
    Source,
    Wad,
    Portals,
    Json,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quake(kind) => kind.name(),
            Self::Quake2 => "IBSP38",
            Self::Quake3(47) => "IBSP47",
            Self::Quake3(_) => "IBSP46",
            Self::Source => "VBSP",
            Self::Wad => "Doom WAD",
            Self::Portals => "portal file",
            Self::Json => "JSON cell graph",
        }
    }
}

pub(crate) fn sniff(bytes: &[u8]) -> Option<Format> {
    let word = |at: usize| bytes.get(at..)?.first_chunk::<4>();
    let magic = word(0)?;
    let version = word(4).map(|word| u32::from_le_bytes(*word));
    match (magic, version) {
        (b"IBSP", Some(38)) => Some(Format::Quake2),
        (b"IBSP", Some(version @ (46 | 47))) => Some(Format::Quake3(version)),
        (b"VBSP", _) => Some(Format::Source),
        (b"IWAD" | b"PWAD", _) => Some(Format::Wad),
        _ => {
            if let Some(kind) = quake::BspVersion::of(magic) {
                return Some(Format::Quake(kind));
            }
            if prt::matches(bytes) {
                return Some(Format::Portals);
            }
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
            (first == Some(&b'{')).then_some(Format::Json)
        }
    }
}

pub(crate) fn unknown(bytes: &[u8]) -> IngestError {
    const LEVELS: &str = "a level: BSP29, 2PSB, BSP2, BSP30, IBSP38, IBSP46, IBSP47, VBSP, a portal file (PRT1, PRT2), a Doom WAD or a JSON cell graph";
    let head = &bytes[..bytes.len().min(8)];
    let hex: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
    let found = match head {
        [b'I', b'B', b'S', b'P', version, ..] => format!("IBSP of version {version}"),
        [b'W', b'A', b'D', b'2' | b'3', ..] => "a WAD of textures".to_owned(),
        [0x89, b'V', b'C', b'B', ..] => "a bundle, which is baked already".to_owned(),
        _ => format!(
            "a file of unknown format that begins with {}",
            hex.join(" ")
        ),
    };
    IngestError::bad(
        LEVELS,
        found,
        "name a level; heightmaps are for `viewcell bake terrain`",
    )
    .at("byte 0")
    .unsupported()
}
