//! Closed shells of polygons: what all readers of meshes share. A convex shell is a solid; of others the
//! polygons are faces.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::IngestError;
use crate::world::solid::{Aabb, Face, FaceError, Plane, Player, Point, Solid, SolidLevel, Units};
use viewcell::convex::{dot, minus, plus};

/// A polygon, as a file has it.
pub(super) struct Polygon {
    /// Anticlockwise seen from the front.
    pub vertices: Vec<Point>,
    pub two_sided: bool,
    pub opaque: bool,
    /// Players do not go through.
    pub stops: bool,
    /// It is no hull that stops players unseen, and no part of what is drawn.
    pub drawn: bool,
    /// Where in the file it is.
    pub place: usize,
}

const REMEDY: &str = "export the mesh again";

/// The level of polygons that lie anywhere: those joined by vertices are one shell.
pub(super) fn level(
    format: &'static str,
    polygons: Vec<Polygon>,
    place: &str,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let mut level = SolidLevel::new(format, Units::Metres, Player::PERSON);
    let mut tally = Tally::default();
    let all = polygons.len();
    let polygons = once(polygons);
    if polygons.len() < all {
        notes.push(format!(
            "{} duplicate faces are left out",
            all - polygons.len()
        ));
    }
    let (drawn, hulls) = polygons.into_iter().partition(|polygon| polygon.drawn);
    for shell in [drawn, hulls].into_iter().flat_map(shells) {
        add_shell(&mut level, &shell, place, &mut tally)?;
    }
    tally.tell(&level, place, notes)?;
    Ok(level)
}

/// Polygons without those that repeat another: the same corners in the same order, and the same look.
fn once(polygons: Vec<Polygon>) -> Vec<Polygon> {
    let mut first: HashMap<u64, u32> = HashMap::new();
    let mut kept: Vec<Polygon> = Vec::with_capacity(polygons.len());
    for polygon in polygons {
        let mut hasher = DefaultHasher::new();
        for corner in corners_from_least(&polygon) {
            corner.hash(&mut hasher);
        }
        let next = kept.len() as u32;
        let other = *first.entry(hasher.finish()).or_insert(next);
        let repeats = kept
            .get(other as usize)
            .is_some_and(|other| is_same(other, &polygon));
        if !repeats {
            kept.push(polygon);
        }
    }
    kept
}

/// The corners from the least of them on, wherever the file begins.
fn corners_from_least(polygon: &Polygon) -> impl Iterator<Item = [u64; 3]> {
    let corners = &polygon.vertices;
    let least = (0..corners.len())
        .min_by_key(|&i| key(corners[i]))
        .unwrap_or(0);
    let (before, from) = corners.split_at(least);
    from.iter().chain(before).map(|&corner| key(corner))
}

fn is_same(a: &Polygon, b: &Polygon) -> bool {
    let look = |of: &Polygon| (of.two_sided, of.opaque, of.stops, of.drawn);
    look(a) == look(b) && corners_from_least(a).eq(corners_from_least(b))
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
    // Nobody goes in or out.
    let stops = polygons.iter().all(|polygon| polygon.stops);
    for polygon in polygons {
        match Face::from_polygon(&polygon.vertices, polygon.two_sided) {
            Ok(found) => {
                whole &= polygon.opaque && Face::make_up(&found, &polygon.vertices);
                faces.extend(found.into_iter().map(|face| (face, polygon)));
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
    if let Some(solid) = (closed && stops).then(|| convex_solid(&faces)).flatten() {
        if faces.iter().all(|(_, polygon)| polygon.opaque) {
            level.solids.push(solid.clone());
        } else {
            let opaque = faces.into_iter().filter(|(_, polygon)| polygon.opaque);
            level.faces.extend(opaque.map(|(face, _)| face));
        }
        level.obstacles.push(solid);
        return Ok(());
    }
    let first = level.obstacle_faces.len();
    // A body so small that none of its faces has an area hides nothing.
    if closed && stops && whole && !faces.is_empty() {
        level.shells.push(first..first + faces.len());
    }
    for (face, polygon) in faces {
        if polygon.opaque {
            level.faces.push(face.clone());
        }
        if polygon.stops {
            level.obstacle_faces.push(face);
        }
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
            let turn = viewcell::convex::cross(minus(pair[0], about), minus(pair[1], about));
            volume += dot(first, turn) / 6.0;
        }
    }
    Some(volume)
}

/// The solid within closed faces, if they are convex. [Unit of the tolerance: of the file]
fn convex_solid(faces: &[(Face, &Polygon)]) -> Option<Solid> {
    const FLAT: f64 = 1e-5;
    // More faces than that are seldom convex, and each is tried with all vertices.
    const MOST: usize = 256;
    if faces.len() > MOST {
        return None;
    }
    // From a vertex on: in national grids the planes of a house lie 5,000 km from the origin, and are
    // intersected with an error that grows with that.
    let about = *faces.first()?.0.vertices.first()?;
    let planes: Vec<Plane> = faces.iter().map(|(face, _)| near(face, about)).collect();
    let vertices = || {
        let all = faces.iter().flat_map(|(face, _)| &face.vertices);
        all.map(|&vertex| minus(vertex, about))
    };
    if !planes
        .iter()
        .all(|plane| vertices().all(|vertex| plane.height(vertex) <= FLAT))
    {
        return None;
    }
    let solid = Solid::from_planes(planes).ok()?;
    // Nothing that sticks out of the shell by more than rounding: each corner is a vertex of it.
    let is_vertex = |corner: &Point| {
        vertices().any(|v| (0..3).all(|k| (v[k] - corner[k]).abs() <= 10.0 * FLAT))
    };
    solid.vertices.iter().all(is_vertex).then(|| Solid {
        planes: solid
            .planes
            .iter()
            .map(|plane| Plane {
                dist: plane.dist + dot(plane.normal, about),
                ..*plane
            })
            .collect(),
        vertices: solid.vertices.iter().map(|&v| plus(v, about)).collect(),
        bounds: Aabb {
            min: plus(solid.bounds.min, about),
            max: plus(solid.bounds.max, about),
        },
    })
}

/// The plane of a face relative to a point near it.
fn near(face: &Face, about: Point) -> Plane {
    let Plane { normal, .. } = face.plane;
    let heights = face.vertices.iter().map(|&v| dot(normal, minus(v, about)));
    Plane {
        normal,
        dist: heights.sum::<f64>() / face.vertices.len() as f64,
    }
}
