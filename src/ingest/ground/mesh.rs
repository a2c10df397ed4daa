//! Meshes from files, whose form is told by their first bytes.

use std::path::Path;

use super::gltf::{is_gltf, read_gltf};
use super::obj::read_obj;
use crate::ground::Mesh;
use crate::ingest::error::IngestError;
use crate::ingest::source::file_bytes;

/// Reads a closed mesh of a Wavefront OBJ or a glTF 2.0 file, binary or JSON. Metres east, south and up.
///
/// OBJ says nothing of axes: its coordinates are taken as they stand, x east, y south, z up. In glTF y is up,
/// and the front of a model looks along z: x is east, z south, y up, so that nothing is mirrored, and a model's
/// front looks south.
///
/// # Errors
///
/// A file that cannot be read or is neither, a buffer of it that is not there, a mesh that is not closed.
pub fn read_mesh(path: &Path) -> Result<Mesh, IngestError> {
    let bytes = file_bytes(path, "an OBJ or glTF file");
    let mesh = bytes.and_then(|bytes| match is_gltf(&bytes) {
        true => read_gltf(&bytes, path),
        false => read_obj(&bytes),
    });
    mesh.map_err(|error| error.of(path))
}
