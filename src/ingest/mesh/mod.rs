//! Meshes from files, whose format is detected from their first bytes.

mod closed;
mod gltf;
pub(super) mod obj;
pub(super) mod selection;
pub(super) mod surface;
pub(super) mod undrawn;
pub(super) mod unhiding;

use std::path::Path;

pub use self::closed::Mesh;
use self::gltf::read_gltf;
pub(super) use self::gltf::{is_gltf, read_surface, split, without_mark};
use self::obj::{ObjFace, ObjFile};
use super::error::IngestError;
use super::source::file_bytes;

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
    let mesh = bytes.and_then(|bytes| {
        if is_gltf(&bytes) {
            read_gltf(&bytes, path)
        } else {
            read_obj(&bytes)
        }
    });
    mesh.map_err(|error| error.about(path))
}

/// Reads a closed mesh. Faces of more than three corners are cut into triangles from their first
/// corner; coordinates are taken as metres east, south and up.
///
/// # Errors
///
/// Bytes that are no OBJ, a mesh that is not closed.
pub(super) fn read_obj(bytes: &[u8]) -> Result<Mesh, IngestError> {
    let ObjFile { corners, faces, .. } = ObjFile::read(bytes)?;
    let fan = |face: &ObjFace| -> Vec<[u32; 3]> {
        let (first, rest) = (face.corners[0], &face.corners[1..]);
        rest.windows(2)
            .map(|pair| [first, pair[0], pair[1]])
            .collect()
    };
    let triangles = faces.iter().flat_map(fan).collect();
    Mesh::new(corners, triangles)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const CUBE: &str = "# a cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                        vn 0 0 1\nf 4 3 2 1\nf 5/1/1 6/1/1 7/1/1 8//1\nf 1 2 6 5\nf 2 3 7 6\n\
                        f 3 4 8 7\nf -5 -8 -4 -1\n";

    #[test]
    fn faces_become_triangles() {
        let mesh = read_obj(CUBE.as_bytes()).unwrap();
        assert_eq!((mesh.corners().len(), mesh.triangles().len()), (8, 12));
    }

    #[test]
    fn what_is_no_closed_mesh_is_refused_with_its_line() {
        let fails = |text: &str, words: &str| {
            let error = read_obj(text.as_bytes())
                .unwrap_err()
                .about(Path::new("a.obj"));
            assert!(error.to_string().contains(words), "{error}");
        };
        fails(&CUBE.replace("f 1 2 6 5\n", ""), "closed");
        fails(&CUBE.replace("v 1 1 1", "v 1 one 1"), "line 8");
        fails(&CUBE.replace("f 1 2 6 5", "f 1 0 6 5"), "line 13");
        fails(&CUBE.replace("f 1 2 6 5", "f 1 2 6 500"), "corners");
        fails("", "triangles");
    }
}
