//! Meshes of Wavefront OBJ files: corners and faces, nothing else.

use crate::ground::Mesh;
use crate::ingest::error::IngestError;

/// Reads a closed mesh. Faces of more than three corners are cut into triangles from their first
/// corner; coordinates are taken as metres east, south and up.
///
/// # Errors
///
/// Bytes that are no OBJ, a mesh that is not closed.
pub fn read_obj(bytes: &[u8]) -> Result<Mesh, IngestError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let bad = |expected: &str| {
            IngestError::bad(
                expected,
                format!("{:.60}", line.trim()),
                "export the mesh again",
            )
            .at(format!("line {}", i + 1))
        };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Option<Vec<f64>> =
                    words.take(3).map(|word| word.parse().ok()).collect();
                let corner = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
                corners.push(corner.ok_or_else(|| bad("v and three numbers"))?);
            }
            Some("f") => {
                let corner = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let number = match number {
                        1.. => number - 1,
                        // Counted back from the last.
                        ..=-1 => corners.len() as i64 + number,
                        0 => return None,
                    };
                    u32::try_from(number).ok()
                };
                let face: Option<Vec<u32>> = words.map(corner).collect();
                let face = face.filter(|face| face.len() >= 3);
                let face = face.ok_or_else(|| bad("f and the numbers of three corners or more"))?;
                let pairs = face[1..].windows(2);
                triangles.extend(pairs.map(|pair| [face[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(Mesh::new(corners, triangles)?)
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
                .of(Path::new("a.obj"));
            assert!(error.to_string().contains(words), "{error}");
        };
        fails(&CUBE.replace("f 1 2 6 5\n", ""), "closed");
        fails(&CUBE.replace("v 1 1 1", "v 1 one 1"), "line 8");
        fails(&CUBE.replace("f 1 2 6 5", "f 1 0 6 5"), "line 13");
        fails(&CUBE.replace("f 1 2 6 5", "f 1 2 6 500"), "corners");
        fails("", "triangles");
    }
}
