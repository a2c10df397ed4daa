//! Which format a level has, and its reader.

use super::lump::Lump;
use super::prt::{self, PortalFile};
use super::{json, quake, quake2, quake3, source, wad};
use crate::ingest::error::IngestError;
use crate::world::CellGraph;

/// What a person may say about a level's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellsOptions {
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

/// As [`crate::ingest::read_cells`], from the bytes of a file.
pub fn cells_from_bytes(
    bytes: &[u8],
    options: &CellsOptions,
) -> Result<IngestedCells, IngestError> {
    let format = sniff(bytes).ok_or_else(|| unknown(bytes))?;
    if options.map.is_some() && format != Format::Wad {
        return Err(IngestError::usage(
            "`map` with a WAD only",
            format!("a file that looks like {}", format.name()),
            "leave it out",
        ));
    }
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
    Quake(quake::Kind),
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
            if let Some(kind) = quake::Kind::of(magic) {
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
