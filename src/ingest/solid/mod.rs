//! Levels of solids from files, one file per format, which is detected from the content.
//!
//! | format | solids | player |
//! |---|---|---|
//! | IBSP46, IBSP47, IBSP38, VBSP | brushes of the world | of the game |
//! | BSP29, 2PSB, BSP2, BSP30 | solid leaves of the world's tree | of the game |
//! | Quake `.map` | brushes of worldspawn, groups and detail | of the game, as far as the map tells it |
//! | OBJ, glTF, GLB | faces; convex closed shells are solids as well | a person, metres |
//! | CityJSON | faces of solids and surfaces; convex shells are solids as well | a person, metres |
//!
//! What may be seen through hides nothing, and nothing is guessed towards *hidden*: liquids, what is translucent or
//! masked, curved patches, and all that moves. Sky hides where a level's compiler takes it for a wall, unless
//! [`SolidOptions::sky`] says otherwise. `contents` has the table of what hides and what stops players.

mod axes;
mod brushes;
mod city;
mod clusters;
mod contents;
mod drawn;
mod entities;
mod keys;
mod leaves;
mod map;
mod mesh;
mod options;
mod quake3;
mod shaders;
mod shell;

use std::path::Path;

use super::cells::lump::Lump;
use super::cells::{Format, header, sniff};
use super::error::IngestError;
use super::foreign;
use super::held::Held;
use super::mesh::{is_gltf, split};
use super::packs::Packs;
use super::source::file_bytes;
use crate::world::solid::SolidLevel;
pub use options::{Exporter, Sky, SolidOptions, UpAxis};
use shaders::{FOLDERS, Shaders, is_script};

/// A level of solids and what came up on the way.
#[derive(Clone, Debug)]
pub struct IngestedSolid {
    /// The level.
    pub level: SolidLevel,
    /// What a person should know: brushes without a volume, faces without an area.
    pub notes: Vec<String>,
    /// How many bytes the file has.
    pub bytes: u64,
    /// Their CRC-32.
    pub crc32: u32,
}

/// Reads a level of solids from a file of any known format, found by content.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is damaged or of another kind. Names the place in it.
pub fn read_solid(path: &Path, options: &SolidOptions) -> Result<IngestedSolid, IngestError> {
    let Some(folder) = &options.pack else {
        return file_bytes(path, "a level")
            .and_then(|bytes| solid_from_bytes(&bytes, path, options))
            .map_err(|error| error.about(path));
    };
    let mut held = Held::within(options.memory);
    let packs = Packs::open(folder, &mut held)?;
    let (bytes, from) = packs.read(path, &mut held)?;
    let mut shaders = Shaders::default();
    packs.texts(
        &FOLDERS,
        is_script,
        &mut held.of_texts(),
        |name, text, held| shaders.add(name, text, held),
    )?;
    let mut read = from_bytes(&bytes, path, &shaders, &mut held, options)
        .map_err(|error| error.about(path))?;
    read.notes
        .insert(0, format!("{} is from {from}", path.display()));
    Ok(read)
}

/// The glTF scene at `path` as a binary file, with its meshes divided by cubes of so many units, as
/// [`SolidOptions::split`] reads it: each part is a node below the mesh's own.
///
/// # Errors
///
/// As [`read_solid`]; a file of another format.
pub fn split_scene(path: &Path, size: f64) -> Result<Vec<u8>, IngestError> {
    let divided = file_bytes(path, "a glTF file").and_then(|bytes| match is_gltf(&bytes) {
        true => split(&bytes, path, size),
        false => Err(undivided()),
    });
    divided.map_err(|error| error.about(path))
}

/// As [`read_solid`], from the bytes of a file; `path` is where files are that it names. No pack is looked into.
pub fn solid_from_bytes(
    bytes: &[u8],
    path: &Path,
    options: &SolidOptions,
) -> Result<IngestedSolid, IngestError> {
    let mut held = Held::within(options.memory);
    let shaders = match sniff(bytes) {
        Some(Format::Quake3(_)) => Shaders::beside(path, &mut held.of_texts())?,
        None | Some(Format::Json) if map::matches(bytes) => {
            Shaders::beside(path, &mut held.of_texts())?
        }
        _ => Shaders::default(),
    };
    from_bytes(bytes, path, &shaders, &mut held, options)
}

/// The same, with shader scripts.
fn from_bytes(
    bytes: &[u8],
    path: &Path,
    scripts: &Shaders,
    held: &mut Held,
    options: &SolidOptions,
) -> Result<IngestedSolid, IngestError> {
    let stored = bytes;
    let bytes = &*header::in_order(stored, held)?;
    let (file, sky) = (Lump::file(bytes), options.sky);
    let mut notes = Vec::new();
    let mut level = match sniff(bytes) {
        Some(Format::Quake(kind)) => leaves::read(bytes, kind, sky, &mut notes)?,
        Some(Format::Quake2) => clusters::quake2(file, sky, &mut notes)?,
        Some(Format::Source) => clusters::source(file, sky, &mut notes)?,
        Some(format @ Format::Quake3(_)) => {
            quake3::read(file, format.name(), scripts, sky, &mut notes)?
        }
        Some(Format::Wad | Format::Portals) => return Err(unknown(bytes)),
        _ if map::matches(bytes) => map::read(bytes, scripts, sky, &mut notes)?,
        _ if city::matches(bytes) => city::read(bytes, options, held, &mut notes)?,
        _ if options.split.is_some() && !is_gltf(bytes) => return Err(undivided()),
        _ if is_gltf(bytes) => mesh::gltf(bytes, path, options, &mut notes)?,
        _ if mesh::is_obj(bytes) => mesh::obj(bytes, path, held, options, &mut notes)?,
        _ => return Err(unknown(bytes)),
    };
    let is_mesh = ["OBJ", "glTF"].contains(&level.format);
    if !is_mesh && (options.up.is_some() || options.from.is_some()) {
        return Err(IngestError::usage(
            "`from`, and `up`, with an OBJ or glTF file only",
            format!("{}, which has axes of its own", level.format),
            "leave them out",
        ));
    }
    let has_names = is_mesh || level.format == "CityJSON";
    if !(has_names || options.keep.is_empty() && options.drop.is_empty()) {
        return Err(IngestError::usage(
            "`keep` and `drop` with an OBJ, glTF or CityJSON file only",
            format!("{}, which says what is drawn", level.format),
            "leave them out",
        ));
    }
    level.centre();
    Ok(IngestedSolid {
        level,
        notes,
        bytes: stored.len() as u64,
        crc32: crc32fast::hash(stored),
    })
}

/// Whether a file that begins so, of this length, is a mesh of a format that is not read, which [`read_solid`] names.
pub fn is_foreign_mesh(head: &[u8], length: u64) -> bool {
    foreign::format(head, length).is_some()
}

fn undivided() -> IngestError {
    let remedy = "convert it to glTF, or divide its groups before the export";
    IngestError::bad(
        "a glTF scene, whose meshes are divided",
        "another file",
        remedy,
    )
    .unsupported()
}

fn unknown(bytes: &[u8]) -> IngestError {
    let (found, remedy) = foreign::other(bytes, bytes.len() as u64).unwrap_or((
        "a file of another kind",
        "name a level; heightmaps are for `viewcell bake terrain`, portal files and WADs for `viewcell bake cells`",
    ));
    IngestError::bad(
        "a level of solids: BSP29, 2PSB, BSP2, BSP30, IBSP38, IBSP46, IBSP47, VBSP, a Quake .map, OBJ, glTF, GLB or CityJSON",
        found,
        remedy,
    )
    .at("byte 0")
    .unsupported()
}
