//! Buffers of a glTF file: in the file itself, in a URI, or in files beside it.

use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::Document;
use gltf::buffer::Source;
use percent_encoding::percent_decode_str;

use crate::error::IngestError;
use crate::source::file_start;

/// What to do about a file that is wrong.
pub(super) const REMEDY: &str = "export the mesh again";

/// The most bytes of all buffers together: far more than the largest mesh needs.
const MOST: u64 = 1 << 30;

/// Reads all buffers of the file at `path`, each of the length that the document says.
pub(super) fn read_buffers(
    document: &Document,
    mut blob: Option<Vec<u8>>,
    path: &Path,
) -> Result<Vec<Vec<u8>>, IngestError> {
    let total = document.buffers().try_fold(0, |sum: u64, buffer| {
        sum.checked_add(buffer.length() as u64)
    });
    if total.is_none_or(|total| total > MOST) {
        let found = total.map_or("more".into(), |total| total.to_string());
        let remedy = "export the mesh alone";
        return Err(
            IngestError::resource(format!("at most {MOST} bytes"), found, remedy).at("buffers"),
        );
    }
    let buffers = document.buffers().map(|buffer| {
        let length = buffer.length();
        let read = match buffer.source() {
            Source::Bin => blob.take().filter(|_| buffer.index() == 0).ok_or_else(|| {
                IngestError::bad("a URI, or the binary chunk of a .glb", "neither", REMEDY)
            }),
            Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(data) => of_data(data),
                None => beside(uri, length, path),
            },
        };
        let bytes = read.and_then(|bytes| cut(bytes, length));
        bytes.map_err(|error| error.within(format!("buffer {}", buffer.index())))
    });
    buffers.collect()
}

/// The bytes of a `data:` URI, from behind its colon.
fn of_data(data: &str) -> Result<Vec<u8>, IngestError> {
    let bad = |found: String| IngestError::bad("base64 in a data: URI", found, REMEDY);
    let text = data.split_once(',');
    let text = text.filter(|(kind, _)| kind.ends_with(";base64"));
    let (_, text) = text.ok_or_else(|| bad(format!("data:{:.40}", data)))?;
    STANDARD
        .decode(text)
        .map_err(|error| bad(error.to_string()))
}

/// The first bytes of a file that a URI names: in the folder of the file at `path`, or below.
fn beside(uri: &str, length: usize, path: &Path) -> Result<Vec<u8>, IngestError> {
    let name = inside(uri).ok_or_else(|| {
        let expected = "the name of a file in the folder of the mesh, or below";
        let remedy = "put the buffer beside the mesh, or export it as .glb";
        IngestError::bad(expected, format!("{uri:.200}"), remedy)
    })?;
    let file = path.parent().unwrap_or(Path::new("")).join(name);
    file_start(&file, "the mesh's buffer", length as u64)
        .and_then(|bytes| cut(bytes, length))
        .map_err(|error| error.about(&file))
}

/// The first bytes of a buffer, which may be longer.
fn cut(mut bytes: Vec<u8>, length: usize) -> Result<Vec<u8>, IngestError> {
    if bytes.len() < length {
        let found = format!("{} bytes", bytes.len());
        let remedy = "the buffer is cut short: fetch or export it again";
        return Err(IngestError::bad(format!("{length} bytes"), found, remedy));
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// The path that a URI names, if it is relative, and does not lead out of where it begins on any system.
fn inside(uri: &str) -> Option<PathBuf> {
    let text = percent_decode_str(uri).decode_utf8().ok()?;
    if uri.contains(':') || text.contains(['\\', ':', '\0']) {
        return None;
    }
    let path = PathBuf::from(text.as_ref());
    let mut parts = path.components();
    let below = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (below && path.file_name().is_some()).then_some(path)
}
