//! Drawn faces of a level: the polygons of BSP29, 2PSB, BSP2, BSP30 and IBSP38, by way of their edges.
//!
//! A face says what a player looking at a solid would see. Where a compiler has left one out, there is nothing.

use std::collections::HashMap;

use crate::cells::lump::{Lump, Record, Records};
use crate::cells::quake::BspVersion;
use crate::error::IngestError;
use crate::packs::name;
use crate::world::solid::{Aabb, Face, area, behind};
use viewcell::convex::{Plane, Point, cross, dot, minus};

/// A polygon that is drawn.
pub(super) struct Drawn {
    pub face: Face,
    /// Number of its record of texture.
    pub texture: usize,
    bounds: Aabb,
}

/// Where the lumps of faces lie.
pub(super) struct Lumps<'a> {
    pub planes: Records<'a>,
    pub vertices: Records<'a>,
    pub faces: Records<'a>,
    pub edges: Records<'a>,
    /// Numbers of edges, negative where they are gone along backwards.
    pub surf_edges: Records<'a>,
    /// How many records of texture there are.
    pub textures: usize,
    /// Numbers are of 32 bits in faces and edges, else of 16.
    pub wide: bool,
}

impl<'a> Lumps<'a> {
    /// Of Quake and Half-Life.
    pub(super) fn quake(file: &Lump<'a>, kind: BspVersion) -> Result<Self, IngestError> {
        let lump = |index, name| file.entry(4, 8, index, name);
        let wide = kind.is_wide();
        Ok(Self {
            planes: lump(1, "planes")?.records(20)?,
            vertices: lump(3, "vertices")?.records(12)?,
            faces: lump(7, "faces")?.records(if wide { 28 } else { 20 })?,
            edges: lump(12, "edges")?.records(if wide { 8 } else { 4 })?,
            surf_edges: lump(13, "surfedges")?.records(4)?,
            textures: lump(6, "texinfo")?.records(40)?.len(),
            wide,
        })
    }

    /// Of Quake II.
    pub(super) fn quake2(file: &Lump<'a>) -> Result<Self, IngestError> {
        let lump = |index, name| file.entry(8, 8, index, name);
        Ok(Self {
            planes: lump(1, "planes")?.records(20)?,
            vertices: lump(2, "vertices")?.records(12)?,
            faces: lump(6, "faces")?.records(20)?,
            edges: lump(11, "edges")?.records(4)?,
            surf_edges: lump(12, "surfedges")?.records(4)?,
            textures: lump(5, "texinfo")?.records(76)?.len(),
            wide: false,
        })
    }

    /// The polygons of the faces `first` and `count` as a model stores them. What has no area is left out.
    pub(super) fn faces(&self, run: std::ops::Range<usize>) -> Result<Vec<Drawn>, IngestError> {
        let planes: Vec<Record> = self.planes.iter().collect();
        let vertices: Vec<Point> = self
            .vertices
            .iter()
            .map(|at| [0, 4, 8].map(|k| f64::from(at.f32(k))))
            .collect();
        let edges: Vec<Record> = self.edges.iter().collect();
        let surf_edges: Vec<i32> = self.surf_edges.iter().map(|edge| edge.i32(0)).collect();
        let mut found = Vec::new();
        for (number, record) in self.faces.iter().enumerate() {
            if !run.contains(&number) {
                continue;
            }
            let bad = |what: &str| {
                let at = self.faces.at(number);
                self.faces
                    .lump
                    .bad(at, format!("{what} that is there"), "another")
            };
            let [plane, side, first, count, texture] = if self.wide {
                [0, 4, 8, 12, 16].map(|at| i64::from(record.i32(at)))
            } else {
                let short = |at| i64::from(record.u16(at));
                [
                    short(0),
                    short(2),
                    record.i32(4).into(),
                    short(8),
                    short(10),
                ]
            };
            let at = |number: i64| usize::try_from(number).ok();
            let plane = at(plane).and_then(|plane| planes.get(plane));
            let plane = plane.ok_or_else(|| bad("a plane"))?;
            let texture = at(texture).filter(|&texture| texture < self.textures);
            let texture = texture.ok_or_else(|| bad("a texinfo"))?;
            let run = at(first).zip(at(count));
            let run =
                run.and_then(|(first, count)| surf_edges.get(first..first.saturating_add(count)));
            let run = run.ok_or_else(|| bad("a run of edges"))?;
            let corner = |&edge: &i32| {
                let record = edges.get(edge.unsigned_abs() as usize)?;
                let end = usize::from(edge < 0);
                let vertex = if self.wide {
                    usize::try_from(record.i32(4 * end)).ok()?
                } else {
                    record.u16(2 * end).into()
                };
                vertices.get(vertex).copied()
            };
            // Clockwise as compilers store it; which side is drawn the record says.
            let polygon: Option<Vec<Point>> = run.iter().rev().map(corner).collect();
            let mut polygon = polygon.ok_or_else(|| bad("an edge between vertices"))?;
            let mut front = [0, 4, 8].map(|k| f64::from(plane.f32(k)));
            if side != 0 {
                front = front.map(|x| -x);
            }
            if Plane::of(&polygon).is_some_and(|plane| dot(plane.normal, front) < 0.0) {
                polygon.reverse();
            }
            for face in Face::from_polygon(&polygon, false).unwrap_or_default() {
                // What is not in its plane is nowhere that is known.
                if dot(face.plane.normal, front) < 0.99 {
                    continue;
                }
                found.push(Drawn {
                    bounds: Aabb::around(&face.vertices),
                    face,
                    texture,
                });
            }
        }
        Ok(found)
    }
}

/// Names of textures by records of texture, in lower case, of Quake and Half-Life.
pub(super) fn texture_names(file: &Lump) -> Result<Vec<String>, IngestError> {
    let textures = file.entry(4, 8, 6, "texinfo")?.records(40)?;
    let lump = file.entry(4, 8, 2, "textures")?;
    let named = |record: Record| {
        let number = usize::try_from(record.i32(32)).ok()?;
        let count = lump.count(0, "a count of textures").ok()?;
        let at = lump.i32(4 + 4 * number).ok().filter(|_| number < count)?;
        let bytes = lump.get(usize::try_from(at).ok()?, 16).ok()?;
        Some(name(bytes))
    };
    Ok(textures
        .iter()
        .map(|record| named(record).unwrap_or_default())
        .collect())
}

/// Drawn faces by their planes.
pub(super) struct ByPlane<'a> {
    faces: HashMap<i64, Vec<&'a Drawn>>,
}

/// Faces nearer to a plane than this lie on it. [Unit: of the file]
const ON: f64 = 0.05;

impl<'a> ByPlane<'a> {
    pub(super) fn new(faces: impl Iterator<Item = &'a Drawn>) -> Self {
        let mut by_dist: HashMap<i64, Vec<&Drawn>> = HashMap::new();
        for drawn in faces {
            let dist = drawn.face.plane.dist.floor() as i64;
            by_dist.entry(dist).or_default().push(drawn);
        }
        Self { faces: by_dist }
    }

    /// How much of a polygon no face covers that looks the way its plane does. [Unit: of the file, squared]
    pub(super) fn uncovered(&self, plane: &Plane, polygon: &[Point]) -> f64 {
        let bounds = Aabb::around(polygon).grown(ON);
        let [first, last] = [plane.dist - ON, plane.dist + ON].map(|dist| dist.floor() as i64);
        let mut left = area(polygon);
        for drawn in (first..=last)
            .filter_map(|dist| self.faces.get(&dist))
            .flatten()
        {
            let other = &drawn.face.plane;
            if (other.dist - plane.dist).abs() > ON
                || dot(other.normal, plane.normal) < 0.999_999
                || !drawn.bounds.touches(&bounds)
            {
                continue;
            }
            let mut both = polygon.to_vec();
            for edge in edge_planes(&drawn.face) {
                both = behind(&both, &edge);
                if both.is_empty() {
                    break;
                }
            }
            left -= area(&both);
        }
        left
    }
}

/// Planes through the edges of a face, outwards.
fn edge_planes(face: &Face) -> impl Iterator<Item = Plane> {
    face.edges().map(|(p, q)| {
        let along = minus(q, p);
        let out = cross(along, face.plane.normal);
        let length = dot(out, out).sqrt();
        let normal = out.map(|x| x / length);
        Plane {
            normal,
            dist: dot(normal, p),
        }
    })
}
