//! The JSON of a glTF file, and whether what it says can be true.

use gltf::json::Root;
use gltf::{Document, Error, Gltf};

use crate::ingest::error::IngestError;

/// What a binary file begins with.
const MAGIC: &[u8] = b"glTF";
/// The header, and that of the first chunk.
const SHORTEST: usize = 20;
/// What begins as these do is about colours and lights, and changes no corner.
const LOOKS: &[&str] = &[
    "EXT_lights_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_texture_",
];
/// What to do about a file that is wrong.
pub const REMEDY: &str = "export the mesh again";

/// Whether bytes begin as a glTF file does, binary or JSON.
pub fn is_gltf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || without_mark(bytes).trim_ascii_start().first() == Some(&b'{')
}

/// Its document, all of whose numbers lead to something, and its binary chunk.
pub fn open(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), IngestError> {
    let bytes = match bytes.starts_with(MAGIC) {
        true => whole(bytes)?,
        false => without_mark(bytes),
    };
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(told)?;
    let mut root = gltf.document.into_json();
    check(&mut root)?;
    let document = Document::from_json(root).map_err(told)?;
    Ok((document, gltf.blob))
}

/// JSON without a byte order mark, which some editors write.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The bytes that the header of a binary file counts. (The crate takes that number as it stands.)
fn whole(bytes: &[u8]) -> Result<&[u8], IngestError> {
    let length = bytes.get(8..).and_then(|rest| rest.first_chunk::<4>());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let expected = length.max(SHORTEST);
    let counted = bytes.get(..expected).filter(|_| length == expected);
    counted.ok_or_else(|| {
        IngestError::bad(
            format!("{expected} bytes"),
            format!("{} bytes, of which its header counts {length}", bytes.len()),
            "the file is cut short or damaged: fetch or export it again",
        )
        .at("header")
    })
}

/// What the crate does not look at, or only where it is too late.
fn check(root: &mut Root) -> Result<(), IngestError> {
    let asset = &root.asset;
    let least = asset.min_version.as_deref().unwrap_or("2.0");
    if !asset.version.starts_with("2.") || least != "2.0" {
        let found = format!("{:.20}, at least {least:.20}", asset.version);
        return Err(IngestError::bad("version 2.0", found, REMEDY).at("asset"));
    }
    root.extensions_required
        .retain(|name| !LOOKS.iter().any(|start| name.starts_with(start)));
    if let Some(name) = root.extensions_required.first() {
        let remedy = "export the mesh without it: uncompressed, with corners as 32-bit floats";
        return Err(
            IngestError::bad("no extension that changes meshes", name, remedy)
                .at("extensionsRequired"),
        );
    }
    for (i, mesh) in root.meshes.iter().enumerate() {
        let mut accessors = mesh.primitives.iter().flat_map(|p| p.attributes.values());
        if let Some(accessor) = accessors.find(|a| a.value() >= root.accessors.len()) {
            let expected = format!("one of {} accessors", root.accessors.len());
            let found = format!("accessor {}", accessor.value());
            return Err(IngestError::bad(expected, found, REMEDY).at(format!("mesh {i}")));
        }
    }
    Ok(())
}

fn told(error: Error) -> IngestError {
    match error {
        Error::Validation(faults) if !faults.is_empty() => {
            let (place, fault) = &faults[0];
            IngestError::bad("glTF 2.0", fault.to_string(), REMEDY).at(place.to_string())
        }
        error => IngestError::bad("glTF 2.0", error.to_string(), REMEDY),
    }
}
