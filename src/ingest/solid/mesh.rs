//! Meshes: OBJ, glTF and GLB; and what all readers of polygons share.

use std::collections::HashMap;
use std::path::Path;

use crate::ingest::error::IngestError;
use crate::ingest::mesh::{ObjFile, read_surface};
use crate::world::plane::{dot, minus};
use crate::world::solid::{Face, FaceError, Plane, Player, Point, Solid, SolidLevel, Units};

/// A polygon, as a file has it.
pub(super) struct Polygon {
    /// Anticlockwise seen from the front.
    pub vertices: Vec<Point>,
    pub two_sided: bool,
    pub opaque: bool,
    /// Where in the file it is.
    pub place: usize,
}

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

/// Reads an OBJ file, which says nothing of axes: z is taken to be up.
pub(super) fn obj(
    bytes: &[u8],
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let file = ObjFile::read(bytes)?;
    let clear = clear_materials(bytes, path, notes);
    let mut polygons = Vec::with_capacity(file.faces.len());
    for face in file.faces {
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
            opaque: !clear.contains(&face.material),
            place: face.line,
        });
    }
    level("OBJ", polygons, "line", notes)
}

/// Names of the materials that may be seen through: by the libraries beside an OBJ file, and all of them if
/// one of its libraries is missing.
fn clear_materials(bytes: &[u8], path: &Path, notes: &mut Vec<String>) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut clear = Vec::new();
    for name in text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mtllib "))
    {
        // Nothing but a file beside this one.
        let file = Path::new(name.trim())
            .file_name()
            .map(|name| path.with_file_name(name));
        let Some(library) = file.and_then(|file| std::fs::read(file).ok()) else {
            notes.push(format!(
                "the library of materials {} is not beside the file, so that faces with a material hide nothing: put it there, or take out its line if none of them is glass",
                name.trim()
            ));
            let used = text.lines().map(str::trim);
            let used = used.filter_map(|line| line.strip_prefix("usemtl "));
            clear.extend(used.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")));
            continue;
        };
        let mut material = String::new();
        for line in String::from_utf8_lossy(&library).lines() {
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or("");
            let rest: Vec<&str> = words.collect();
            let number = || rest.last().and_then(|word| word.parse::<f64>().ok());
            let through = match word {
                "newmtl" => {
                    material = rest.join(" ");
                    false
                }
                "d" => number() != Some(1.0),
                "Tr" => number() != Some(0.0),
                "map_d" => true,
                _ => false,
            };
            clear.extend(through.then(|| material.clone()));
        }
    }
    clear
}

/// Reads a glTF file, binary or JSON. In it y is up.
pub(super) fn gltf(
    bytes: &[u8],
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let surface = read_surface(bytes, path)?;
    let polygons = surface.triangles.iter().zip(&surface.looks).enumerate();
    let polygons = polygons.map(|(place, (triangle, look))| Polygon {
        // As the surface has them z is south and what was y is up.
        vertices: triangle
            .iter()
            .map(|&corner| surface.corners[corner as usize])
            .map(|[east, south, up]| [east, -south, up])
            .collect(),
        two_sided: look.two_sided,
        opaque: look.opaque,
        place,
    });
    level("glTF", polygons.collect(), "triangle", notes)
}

const REMEDY: &str = "export the mesh again";

/// The level of polygons that lie anywhere: those joined by vertices are one shell.
fn level(
    format: &'static str,
    polygons: Vec<Polygon>,
    place: &str,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let mut level = SolidLevel::new(format, Units::Metres, Player::PERSON);
    let mut tally = Tally::default();
    for shell in shells(polygons) {
        add_shell(&mut level, &shell, place, &mut tally)?;
    }
    tally.tell(&level, place, notes)?;
    Ok(level)
}

/// Polygons by connected shells, each in the order of the file.
fn shells(polygons: Vec<Polygon>) -> Vec<Vec<Polygon>> {
    let mut corners: HashMap<[u64; 3], usize> = HashMap::new();
    let mut parent: Vec<usize> = (0..polygons.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for (i, polygon) in polygons.iter().enumerate() {
        for &vertex in &polygon.vertices {
            let other = *corners.entry(key(vertex)).or_insert(i);
            let (a, b) = (root(&mut parent, i), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut shells: Vec<Vec<Polygon>> = Vec::new();
    let mut shell_of = HashMap::new();
    for (i, polygon) in polygons.into_iter().enumerate() {
        let shell = *shell_of.entry(root(&mut parent, i)).or_insert_with(|| {
            shells.push(Vec::new());
            shells.len() - 1
        });
        shells[shell].push(polygon);
    }
    shells
}

fn key(vertex: Point) -> [u64; 3] {
    // Minus zero is zero.
    vertex.map(|x| (x + 0.0).to_bits())
}

/// What a person should know at the end.
#[derive(Default)]
pub(super) struct Tally {
    /// Polygons without an area, and the place of the first.
    flat: (usize, Option<usize>),
    /// Shells that are inside out, and a place in the first.
    turned: (usize, Option<usize>),
}

impl Tally {
    fn count((number, first): &mut (usize, Option<usize>), place: usize) {
        *number += 1;
        first.get_or_insert(place);
    }

    /// Adds the notes. Errors for a level without a face.
    pub(super) fn tell(
        &self,
        level: &SolidLevel,
        place: &str,
        notes: &mut Vec<String>,
    ) -> Result<(), IngestError> {
        if level.obstacle_faces.is_empty() && level.obstacles.is_empty() {
            return Err(IngestError::bad("faces with an area", "none", REMEDY));
        }
        if let (number, Some(first)) = self.flat {
            notes.push(format!(
                "{number} faces have no area and hide nothing (the first: {place} {first})"
            ));
        }
        if let (number, Some(first)) = self.turned {
            notes.push(format!(
                "{number} closed shells are inside out: they hide from their inside alone (the first: {place} {first})"
            ));
        }
        Ok(())
    }
}

/// Adds the polygons of one shell. If they close it outwards and it is convex, it is a solid; else its faces
/// hide as they are.
pub(super) fn add_shell(
    level: &mut SolidLevel,
    polygons: &[Polygon],
    place: &str,
    tally: &mut Tally,
) -> Result<(), IngestError> {
    let mut faces = Vec::new();
    // All of each polygon is there, and hides.
    let mut whole = true;
    for polygon in polygons {
        match Face::from_polygon(&polygon.vertices, polygon.two_sided) {
            Ok(found) => {
                whole &= polygon.opaque && Face::make_up(&found, &polygon.vertices);
                faces.extend(found.into_iter().map(|face| (face, polygon.opaque)));
            }
            Err(FaceError::Area) => Tally::count(&mut tally.flat, polygon.place),
            Err(FaceError::Vertex(i)) => {
                let found = format!("another as vertex {i} of the face");
                return Err(IngestError::bad("finite coordinates", found, REMEDY)
                    .at(format!("{place} {}", polygon.place)));
            }
        }
    }
    let volume = closed_volume(polygons);
    if volume.is_some_and(|volume| volume < 0.0) {
        Tally::count(&mut tally.turned, polygons[0].place);
    }
    let closed = volume.is_some_and(|volume| volume > 0.0);
    if let Some(solid) = closed.then(|| convex_solid(&faces)).flatten() {
        if faces.iter().all(|(_, opaque)| *opaque) {
            level.solids.push(solid.clone());
        } else {
            level.faces.extend(
                faces
                    .into_iter()
                    .filter(|(_, opaque)| *opaque)
                    .map(|(face, _)| face),
            );
        }
        level.obstacles.push(solid);
        return Ok(());
    }
    let first = level.obstacle_faces.len();
    if closed && whole {
        level.shells.push(first..first + faces.len());
    }
    for (face, opaque) in faces {
        if opaque {
            level.faces.push(face.clone());
        }
        level.obstacle_faces.push(face);
    }
    Ok(())
}

/// The volume within a shell if every edge is used once each way; negative if it is inside out.
fn closed_volume(polygons: &[Polygon]) -> Option<f64> {
    let mut edges: HashMap<[[u64; 3]; 2], [u32; 2]> = HashMap::new();
    for polygon in polygons {
        let n = polygon.vertices.len();
        for i in 0..n {
            let (p, q) = (key(polygon.vertices[i]), key(polygon.vertices[(i + 1) % n]));
            if p != q {
                let back = usize::from(p > q);
                edges.entry([p.min(q), p.max(q)]).or_default()[back] += 1;
            }
        }
    }
    if edges.values().any(|&uses| uses != [1, 1]) {
        return None;
    }
    let about = *polygons.first()?.vertices.first()?;
    let mut volume = 0.0;
    for polygon in polygons {
        let Some((&first, rest)) = polygon.vertices.split_first() else {
            continue;
        };
        let first = minus(first, about);
        for pair in rest.windows(2) {
            let turn = crate::world::plane::cross(minus(pair[0], about), minus(pair[1], about));
            volume += dot(first, turn) / 6.0;
        }
    }
    Some(volume)
}

/// The solid within closed faces, if they are convex. [Unit of the tolerance: of the file]
fn convex_solid(faces: &[(Face, bool)]) -> Option<Solid> {
    const FLAT: f64 = 1e-5;
    // More faces than that are seldom convex, and each is tried with all vertices.
    const MOST: usize = 256;
    if faces.len() > MOST {
        return None;
    }
    let vertices = || faces.iter().flat_map(|(face, _)| &face.vertices);
    let behind = |plane: &Plane| vertices().all(|&v| plane.height(v) <= FLAT);
    if !faces.iter().all(|(face, _)| behind(&face.plane)) {
        return None;
    }
    let solid = Solid::from_planes(faces.iter().map(|(face, _)| face.plane)).ok()?;
    // Nothing that sticks out of the shell by more than rounding: each corner is a vertex of it.
    let is_vertex = |corner: &Point| {
        vertices().any(|&v| (0..3).all(|k| (v[k] - corner[k]).abs() <= 10.0 * FLAT))
    };
    solid.vertices.iter().all(is_vertex).then_some(solid)
}
