//! Obstacles for a player's origin: Minkowski sums of obstacles and the mirrored box of a player.

use super::aabb::Aabb;
use super::face::Face;
use super::polyhedron::Solid;
use viewcell::convex::{Point, cross, dot, minus};

/// All origins at which a player's box meets an obstacle: normal · p <= dist for all of its planes.
pub(super) struct Sum {
    pub planes: Vec<(Point, f64)>,
    pub bounds: Aabb,
}

impl Sum {
    pub(super) fn of_solid(solid: &Solid, hull: &Aabb) -> Self {
        let normals = solid.planes.iter().map(|plane| plane.normal).collect();
        let mut edges = Vec::new();
        for i in 0..solid.planes.len() {
            let face = solid.face(i);
            for k in 0..face.len() {
                edges.push(minus(face[(k + 1) % face.len()], face[k]));
            }
        }
        Self::new(normals, &edges, &solid.vertices, hull)
    }

    pub(super) fn of_face(face: &Face, hull: &Aabb) -> Self {
        let edges: Vec<Point> = face.edges().map(|(p, q)| minus(q, p)).collect();
        let normals = vec![face.plane.normal, face.plane.normal.map(|x| -x)];
        Self::new(normals, &edges, &face.vertices, hull)
    }

    /// The planes of the sum of two polytopes are those of either, and those along an edge of each.
    fn new(mut normals: Vec<Point>, edges: &[Point], vertices: &[Point], hull: &Aabb) -> Self {
        for axis in 0..3 {
            let mut along = [0.0; 3];
            along[axis] = 1.0;
            normals.extend([along, along.map(|x: f64| -x)]);
            for &edge in edges {
                let normal = cross(edge, along);
                let length = dot(normal, normal).sqrt();
                if length > 1e-9 {
                    let normal = normal.map(|x| x / length);
                    normals.extend([normal, normal.map(|x| -x)]);
                }
            }
        }
        let mut planes: Vec<(Point, f64)> = Vec::with_capacity(normals.len());
        for normal in normals {
            let near =
                |other: &(Point, f64)| dot(minus(other.0, normal), minus(other.0, normal)) < 1e-18;
            if !planes.iter().any(near) {
                let reach = vertices
                    .iter()
                    .map(|&v| dot(normal, v))
                    .fold(f64::MIN, f64::max);
                let body = (0..3).map(|k| (-normal[k] * hull.min[k]).max(-normal[k] * hull.max[k]));
                planes.push((normal, reach + body.sum::<f64>()));
            }
        }
        let mirrored = Aabb {
            min: hull.max.map(|x| -x),
            max: hull.min.map(|x| -x),
        };
        let bounds = Aabb::around(vertices).plus(&mirrored);
        Self { planes, bounds }
    }
}
