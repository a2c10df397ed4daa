//! Meshes: OBJ, glTF and GLB.

use std::collections::HashMap;
use std::path::Path;

use super::SolidOptions;
use super::axes::{Axes, frame};
use super::contents::{Side, named};
use super::shell::{Polygon, level};
use crate::error::IngestError;
use crate::held::Held;
use crate::mesh::obj::{Libraries, ObjFile};
use crate::mesh::selection::Selection;
use crate::mesh::surface::Drawn;
use crate::mesh::undrawn::{Levels, of_material, of_object};
use crate::mesh::unhiding::{Reason, Stays, Unhiding};
use crate::mesh::{read_surface, split};
use crate::world::solid::{Aabb, Point, SceneObject, SolidLevel, parts};

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
    held: &mut Held,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let file = ObjFile::read(bytes)?;
    let selection = Selection::new(&options.keep, &options.drop);
    let materials = materials(&file, path, &selection, held, options, notes)?;
    let names = names(&file, &selection);
    selection.check()?;
    let mut faces = Unhiding::default();
    let mut polygons = Vec::with_capacity(file.faces.len());
    let (mut drawn, mut numbers) = (Vec::<Drawn>::new(), HashMap::new());
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
        let [of_object, of_groups] = face.names.map(|number| names[number as usize].clone());
        let of_part = match [&of_object, &of_groups].map(|of| of.kept) {
            [false, false] => Reason::of_both(of_object.reason, of_groups.reason),
            // What is dropped is so all the same.
            _ => of_object.dropped.or(of_groups.dropped),
        };
        let material = face.material.map(|number| number as usize);
        let of_material = material.and_then(|number| materials[number].clone());
        let reason = Reason::of_both(of_part.clone(), of_material.clone());
        let parts = face.names.map(|number| &file.names[number as usize][..]);
        faces.count(1, reason.as_ref(), || {
            let name = match material {
                Some(number) if reason == of_material => {
                    format!("material {}", file.materials[number])
                }
                _ => parts.join(" "),
            };
            format!("line {}, {:.80}", face.line, name.trim())
        });
        let stays = reason.map(|reason| reason.stays);
        // What has the name of what is not drawn is no object; what a material leaves out an engine may draw.
        if of_part.as_ref().is_none_or(|of| of.stays == Stays::Drawn) {
            let number = *numbers.entry(face.names).or_insert(drawn.len());
            if number == drawn.len() {
                let path = parts.join("/").trim_matches('/').to_owned();
                let always = of_part.is_some();
                drawn.push(Drawn {
                    path,
                    polygons: Vec::new(),
                    always,
                });
            }
            let here = polygons.len()..polygons.len() + 1;
            match stays.is_none_or(|stays| stays == Stays::Drawn) {
                true => drawn[number].polygons.push(here),
                false => drawn[number].always = true,
            }
        }
        if stays == Some(Stays::Out) {
            continue;
        }
        polygons.push(Polygon {
            vertices,
            two_sided: false,
            opaque: stays.is_none(),
            stops: true,
            drawn: stays != Some(Stays::Hull),
            place: face.line,
        });
    }
    let note = faces.note();
    if let (true, Some(note)) = (polygons.is_empty(), &note) {
        let remedy = "export what is drawn, too";
        return Err(IngestError::bad("a mesh that is drawn", note, remedy));
    }
    notes.extend(note);
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
    let objects = options.objects.then(|| objects(drawn, &polygons));
    let mut level = level("OBJ", polygons, "line", notes)?;
    level.objects = objects;
    level.frame = frame(options.from);
    Ok(level)
}

/// What is said of a name.
#[derive(Clone)]
struct OfName {
    kept: bool,
    dropped: Option<Reason>,
    /// What there is against the hiding of what has it, also if it is dropped.
    reason: Option<Reason>,
}

/// Of each name of an object or of groups, each of which counts, what there is against the hiding of what has it.
fn names(file: &ObjFile, selection: &Selection) -> Vec<OfName> {
    fn all(name: &str) -> impl Iterator<Item = &str> {
        std::iter::once(name).chain(name.split_whitespace())
    }
    let mut levels = Levels::default();
    for name in file.names.iter().flat_map(|name| all(name)) {
        levels.add(name);
    }
    let of_name = |name: &String| {
        let own = all(name).fold(None, |reason, name| {
            let own = Reason::of_both(of_object(name), levels.of(name));
            Reason::of_both(reason, own)
        });
        let names: Vec<&str> = all(name).collect();
        let dropped = selection.dropped(&names);
        OfName {
            kept: selection.keeps(&names),
            reason: Reason::of_both(own, dropped.clone()),
            dropped,
        }
    };
    file.names.iter().map(of_name).collect()
}

/// Of each material of a file what there is against its hiding: what its library says, and its name.
///
/// # Errors
///
/// A material that no library describes: it may be glass, and without it nothing might hide at all.
fn materials(
    file: &ObjFile,
    path: &Path,
    selection: &Selection,
    held: &mut Held,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Reason>>, IngestError> {
    let libraries = Libraries::read(&file.libraries, path, &mut held.of_texts())?;
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
    let reason = |name: &String| {
        let clear = libraries.clear.get(name).copied().flatten();
        let clear = clear.map(|word| {
            let what = match word {
                // MeshLab's Tr is what others call d.
                "Tr" => {
                    "transparent by Tr, which some programs write 1 of what is opaque".to_owned()
                }
                word => format!("transparent by {word}"),
            };
            Reason::new(&what, Stays::Drawn)
        });
        // Textures of levels have paths, and names of what they are.
        let texture = named(&name.to_lowercase());
        let through = texture.nothing || texture.side == Side::Through;
        let through = (name.contains('/') && through).then(|| {
            Reason::new(
                "of textures that are seen through, by their names",
                Stays::Drawn,
            )
        });
        let own = [clear, of_material(name), through];
        selection.of(&[name], own.into_iter().fold(None, Reason::of_both))
    };
    Ok(file.materials.iter().map(reason).collect())
}

/// What is drawn by one name each, of these polygons: all of it but what has none and is not always drawn.
fn objects(drawn: Vec<Drawn>, polygons: &[Polygon]) -> Vec<SceneObject> {
    let all = drawn.into_iter().filter_map(|of| {
        let corners = of.polygons.into_iter().flatten();
        let corners = corners.map(|number| &polygons[number].vertices);
        let corners: Vec<&Vec<Point>> = corners.collect();
        let triangles = corners
            .iter()
            .map(|corners| corners.len() - 2)
            .sum::<usize>() as u32;
        let parts = match of.always {
            true => Vec::new(),
            false => parts(corners.into_iter().map(Aabb::around).collect()),
        };
        (of.always || !parts.is_empty()).then_some(SceneObject {
            path: of.path,
            triangles,
            parts,
        })
    });
    all.collect()
}

/// Reads a glTF file, binary or JSON.
pub(super) fn gltf(
    bytes: &[u8],
    path: &Path,
    options: &SolidOptions,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let axes = Axes::of_gltf(options)?;
    let selection = Selection::new(&options.keep, &options.drop);
    let divided = options.split.map(|size| split(bytes, path, size));
    let divided = divided.transpose()?;
    let bytes = divided.as_deref().unwrap_or(bytes);
    let surface = read_surface(bytes, path, &selection, notes)?;
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
        drawn: look.drawn,
        place,
    });
    let polygons: Vec<Polygon> = polygons.collect();
    let objects = options.objects.then(|| objects(surface.drawn, &polygons));
    let mut level = level("glTF", polygons, "triangle", notes)?;
    level.objects = objects;
    level.frame = frame(options.from);
    Ok(level)
}
