//! Opaque polygons without volume.

use super::super::plane::{Plane, Point, cross, dot, minus};
use super::polygon::{SAME, area, area_vector, without_repeats};

/// An opaque convex planar polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its plane, the normal towards the front.
    pub plane: Plane,
    /// Its corners, anticlockwise seen from the front.
    pub vertices: Vec<Point>,
    /// Whether it hides from behind as well. An engine draws no back of a one-sided face.
    pub two_sided: bool,
}

/// Why vertices are no face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaceError {
    /// A coordinate that is none.
    #[error("expected finite coordinates, found others at vertex {0}")]
    Vertex(usize),
    /// Fewer than three different vertices, or all on a line.
    #[error("expected a polygon with an area, found none")]
    Area,
}

/// Polygons of less area than this are none. [Unit: of the file, squared]
const LEAST_AREA: f64 = 1e-9;
/// Vertices nearer to the plane of their polygon than this lie on it. [Unit: of the file]
const PLANAR: f64 = 1e-6;

impl Face {
    /// The faces of a simple polygon: itself if it is planar and convex, else triangles, as many as have an
    /// area. (What is convex but not planar is fanned out from its first vertex, as most programs do.)
    ///
    /// # Errors
    ///
    /// [`FaceError`] for a polygon without an area, or with a coordinate that is none.
    pub fn from_polygon(vertices: &[Point], two_sided: bool) -> Result<Vec<Self>, FaceError> {
        if let Some(i) = vertices
            .iter()
            .position(|v| v.iter().any(|x| !x.is_finite()))
        {
            return Err(FaceError::Vertex(i));
        }
        let polygon = without_repeats(vertices.to_vec());
        let plane = plane_of(&polygon).ok_or(FaceError::Area)?;
        let off = polygon
            .iter()
            .map(|&v| plane.height(v).abs())
            .fold(0.0, f64::max);
        let bent = is_convex(&polygon, &plane);
        if bent && (polygon.len() == 3 || off <= PLANAR) {
            let vertices = polygon;
            return Ok(vec![Self {
                plane,
                vertices,
                two_sided,
            }]);
        }
        let triangles = match bent {
            true => (2..polygon.len()).map(|i| [0, i - 1, i]).collect(),
            false => ears(&polygon, plane.normal),
        };
        let faces: Vec<Self> = triangles
            .into_iter()
            .filter_map(|corners| {
                let vertices = corners.map(|i| polygon[i]).to_vec();
                let plane = plane_of(&vertices)?;
                Some(Self {
                    plane,
                    vertices,
                    two_sided,
                })
            })
            .collect();
        match faces.is_empty() {
            true => Err(FaceError::Area),
            false => Ok(faces),
        }
    }

    /// Whether faces are all of the polygon that they were made of: none of its ears was left.
    pub fn make_up(faces: &[Self], polygon: &[Point]) -> bool {
        let mut off = area_vector(polygon);
        for face in faces {
            off = minus(off, area_vector(&face.vertices));
        }
        dot(off, off).sqrt() <= SAME * (1.0 + area(polygon))
    }

    /// Whether the closed segment goes through the inside of the face, from its front if it is one-sided; a
    /// touch is none. The slow twin of all that decides about segments.
    pub fn meets(&self, a: Point, b: Point) -> bool {
        let (ha, hb) = (self.plane.height(a), self.plane.height(b));
        let crosses = ha > 0.0 && hb < 0.0 || self.two_sided && ha < 0.0 && hb > 0.0;
        if !crosses {
            return false;
        }
        let t = ha / (ha - hb);
        let at: Point = std::array::from_fn(|k| a[k] + t * (b[k] - a[k]));
        self.edges()
            .all(|(p, q)| dot(cross(minus(q, p), minus(at, p)), self.plane.normal) > 0.0)
    }

    /// The edges, anticlockwise.
    pub fn edges(&self) -> impl Iterator<Item = (Point, Point)> {
        let n = self.vertices.len();
        (0..n).map(move |i| (self.vertices[i], self.vertices[(i + 1) % n]))
    }
}

/// The plane of a polygon, through the mean of its vertices; none if it has no area.
fn plane_of(polygon: &[Point]) -> Option<Plane> {
    if polygon.len() < 3 || area(polygon) < LEAST_AREA {
        return None;
    }
    let vector = area_vector(polygon);
    let length = dot(vector, vector).sqrt();
    let normal = vector.map(|x| x / length);
    // About the first vertex, since coordinates may be large.
    let first = polygon[0];
    let heights = polygon.iter().map(|&v| dot(normal, minus(v, first)));
    let dist = dot(normal, first) + heights.sum::<f64>() / polygon.len() as f64;
    Some(Plane { normal, dist })
}

/// Whether a polygon turns left at every vertex, and around once.
fn is_convex(polygon: &[Point], plane: &Plane) -> bool {
    let n = polygon.len();
    let edge = |i: usize| minus(polygon[(i + 1) % n], polygon[i % n]);
    let left = (0..n).all(|i| {
        let (a, b) = (edge(i), edge(i + 1));
        let turn = dot(cross(a, b), plane.normal);
        turn >= -SAME * (dot(a, a) * dot(b, b)).sqrt().sqrt() * 1e-3
            && (turn > 0.0 || dot(a, b) > 0.0)
    });
    // All of it left of every edge: what goes around twice does not.
    left && (0..n).all(|i| {
        let (p, a) = (polygon[i], edge(i));
        let length = dot(a, a).sqrt();
        polygon
            .iter()
            .all(|&v| dot(cross(a, minus(v, p)), plane.normal) >= -SAME * length)
    })
}

/// Triangles of a simple polygon, by cutting off ears. What cuts itself is left unfinished.
fn ears(polygon: &[Point], normal: Point) -> Vec<[usize; 3]> {
    let mut rest: Vec<usize> = (0..polygon.len()).collect();
    let mut triangles = Vec::new();
    let turn = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (polygon[a], polygon[b], polygon[c]);
        dot(cross(minus(b, a), minus(c, a)), normal)
    };
    while rest.len() > 3 {
        let n = rest.len();
        let corner = |i: usize| [rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]];
        let is_ear = |i: &usize| {
            let [a, b, c] = corner(*i);
            let inside =
                |&p: &usize| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            let others = rest
                .iter()
                .filter(|p| ![a, b, c].map(|q| polygon[q]).contains(&polygon[**p]));
            turn(a, b, c) > 0.0 && !others.into_iter().any(inside)
        };
        // Of what is straight nothing is lost.
        let flat = |i: &usize| {
            let [a, b, c] = corner(*i);
            turn(a, b, c) == 0.0
        };
        match (0..n).find(is_ear) {
            Some(i) => {
                triangles.push(corner(i));
                rest.remove(i);
            }
            None => match (0..n).find(flat) {
                Some(i) => drop(rest.remove(i)),
                None => return triangles,
            },
        }
    }
    if let [a, b, c] = rest[..]
        && turn(a, b, c) > 0.0
    {
        triangles.push([a, b, c]);
    }
    triangles
}
