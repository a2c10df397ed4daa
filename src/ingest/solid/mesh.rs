//! Meshes: OBJ, glTF and GLB.

use std::path::Path;

use super::SolidOptions;
use super::axes::{Axes, frame};
use super::shell::{Polygon, level};
use crate::error::IngestError;
use crate::mesh::obj::{Libraries, ObjFile};
use crate::mesh::read_surface;
use crate::world::solid::{Point, SolidLevel};

const REMEDY: &str = "export the mesh again";

/// Whether a text looks like an OBJ file: the first line that is no comment begins with one of its words.
pub(super) fn is_obj(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let mut lines = head.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let word = first.and_then(|line| line.split_whitespace().next());
    word.is_some_and(|word| {
        ["v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"].contains(&word)
    })
}

/// Reads an OBJ file and the libraries of materials that it names.
pub(super) fn obj(
    bytes: &[u8],
    path: &Path,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let file = ObjFile::read(bytes)?;
    let clear = clear_materials(&file, path, options, notes)?;
    let mut polygons = Vec::with_capacity(file.faces.len());
    for face in &file.faces {
        let vertices: Result<Vec<Point>, u32> = face
            .corners
            .iter()
            .map(|&corner| file.corners.get(corner as usize).copied().ok_or(corner))
            .collect();
        let vertices = vertices.map_err(|corner| {
            let expected = format!("numbers of {} corners", file.corners.len());
            IngestError::bad(expected, (u64::from(corner) + 1).to_string(), REMEDY)
                .at(format!("line {}", face.line))
        })?;
        polygons.push(Polygon {
            vertices,
            two_sided: false,
            opaque: face.material.is_none_or(|number| !clear[number as usize]),
            stops: true,
            place: face.line,
        });
    }
    if let (number @ 1.., line) = file.others {
        notes.push(format!(
            "{number} points, lines, curves and free-form surfaces are left out and hide nothing (the first: line {line})"
        ));
    }
    let corners = polygons.iter().map(|polygon| &polygon.vertices[..]);
    let axes = Axes::of_obj(options, corners, notes)?;
    for vertex in polygons
        .iter_mut()
        .flat_map(|polygon| &mut polygon.vertices)
    {
        *vertex = axes.to_level(*vertex);
    }
    let mut level = level("OBJ", polygons, "line", notes)?;
    level.frame = frame(options.from);
    Ok(level)
}

/// Of each material of a file, whether it is seen through.
///
/// # Errors
///
/// A material that no library describes: it may be glass, and without it nothing might hide at all.
fn clear_materials(
    file: &ObjFile,
    path: &Path,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<bool>, IngestError> {
    let libraries = Libraries::read(&file.libraries, path)?;
    let mut used = vec![None; file.materials.len()];
    for face in &file.faces {
        if let Some(number) = face.material {
            used[number as usize].get_or_insert(face.line);
        }
    }
    let materials = || file.materials.iter().zip(&used);
    let mut unknown = materials().filter_map(|(name, line)| {
        let line = (*line)?;
        (!libraries.clear.contains_key(name)).then_some((name, line))
    });
    let first = unknown.next();
    let count = match unknown.count() + 1 {
        1 => "1 material".to_owned(),
        count => format!("{count} materials"),
    };
    let missing = match libraries.missing.len() {
        0 if file.libraries.is_empty() => "no library is named".to_owned(),
        0 => "its libraries have no such material".to_owned(),
        1 => format!("no library {} beside the file", libraries.missing[0]),
        more => format!(
            "no library {} beside the file, nor {} others",
            libraries.missing[0],
            more - 1
        ),
    };
    match first {
        Some((name, line)) if !options.opaque_without_material => {
            return Err(IngestError::bad(
                "a definition of each material, which says whether it is transparent",
                format!("{count} without one, the first {name:.80}; {missing}"),
                "put the library (.mtl) beside the file, or give `opaque_without_material` if \
                 those materials are opaque",
            )
            .at(format!("line {line}")));
        }
        Some((name, line)) => notes.push(format!(
            "{count} without a definition taken as opaque, as requested (the first: {name:.80}, line {line}; \
             {missing})"
        )),
        None if !libraries.missing.is_empty() => {
            notes.push(format!("{missing}; no face needs it"));
        }
        None => {}
    }
    let seen_through = |name| libraries.clear.get(name).copied().unwrap_or(false);
    Ok(file.materials.iter().map(seen_through).collect())
}

/// Reads a glTF file, binary or JSON.
pub(super) fn gltf(
    bytes: &[u8],
    path: &Path,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let axes = Axes::of_gltf(options)?;
    let surface = read_surface(bytes, path, notes)?;
    let polygons = surface.triangles.iter().zip(&surface.looks).enumerate();
    let polygons = polygons.map(|(place, (triangle, look))| Polygon {
        vertices: triangle
            .iter()
            .map(|&corner| surface.corners[corner as usize])
            // As the surface has them y and z of the file are exchanged.
            .map(|[x, z, y]| axes.to_level([x, y, z]))
            .collect(),
        two_sided: look.two_sided,
        opaque: look.opaque,
        stops: true,
        place,
    });
    let mut level = level("glTF", polygons.collect(), "triangle", notes)?;
    level.frame = frame(options.from);
    Ok(level)
}
