//! Levels of solids from files, one file per format, sniffed by content.
//!
//! | format | solids | player |
//! |---|---|---|
//! | IBSP46, IBSP47, IBSP38, VBSP | brushes of the world | of the game |
//! | BSP29, 2PSB, BSP2, BSP30 | solid leaves of the world's tree | of Quake |
//! | Quake `.map` | brushes of worldspawn, groups and detail | of Quake |
//! | OBJ, glTF, GLB | faces; convex closed shells are solids as well | a person, metres |
//! | CityJSON | faces of solids and surfaces; convex shells are solids as well | a person, metres |
//!
//! What may be seen through hides nothing, and nothing is guessed towards *hidden*: sky, liquids, what is
//! translucent or masked, curved patches, and all that moves.

mod brushes;
mod city;
mod clusters;
mod entities;
mod leaves;
mod map;
mod mesh;
mod quake3;

use std::path::Path;

use super::cells::lump::Lump;
use super::cells::{Format, sniff};
use super::error::IngestError;
use super::mesh::is_gltf;
use super::source::file_bytes;
use crate::world::solid::SolidLevel;

/// A level of solids and what came up on the way.
#[derive(Clone, Debug)]
pub struct IngestedSolid {
    /// The level.
    pub level: SolidLevel,
    /// What a person should know: brushes without a volume, faces without an area.
    pub notes: Vec<String>,
}

/// Reads a level of solids from a file of any known format, found by content.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged or of another kind. Names the place in it.
pub fn read_solid(path: &Path) -> Result<IngestedSolid, IngestError> {
    file_bytes(path, "a level")
        .and_then(|bytes| solid_from_bytes(&bytes, path))
        .map_err(|error| error.of(path))
}

/// As [`read_solid`], from the bytes of a file; `path` is where files are that it names.
pub fn solid_from_bytes(bytes: &[u8], path: &Path) -> Result<IngestedSolid, IngestError> {
    let file = Lump::file(bytes);
    let mut notes = Vec::new();
    let level = match sniff(bytes) {
        Some(Format::Quake(kind)) => leaves::read(bytes, kind, &mut notes)?,
        Some(Format::Quake2) => clusters::quake2(file, &mut notes)?,
        Some(Format::Source) => clusters::source(file, &mut notes)?,
        Some(format @ Format::Quake3(_)) => quake3::read(file, format.name(), &mut notes)?,
        Some(Format::Wad | Format::Portals) => return Err(unknown()),
        _ if map::matches(bytes) => map::read(bytes, &mut notes)?,
        _ if city::matches(bytes) => city::read(bytes, &mut notes)?,
        _ if is_gltf(bytes) => mesh::gltf(bytes, path, &mut notes)?,
        _ if mesh::is_obj(bytes) => mesh::obj(bytes, path, &mut notes)?,
        _ => return Err(unknown()),
    };
    Ok(IngestedSolid { level, notes })
}

fn unknown() -> IngestError {
    IngestError::bad(
        "a level of solids: BSP29, 2PSB, BSP2, BSP30, IBSP38, IBSP46, IBSP47, VBSP, a Quake .map, OBJ, glTF, GLB or CityJSON",
        "a file of another kind",
        "name a level; heightmaps are for `viewcell bake terrain`, portal files and WADs for `viewcell bake cells`",
    )
    .at("byte 0")
    .unsupported()
}
