//! Convex polyhedra, from the planes around them.

use super::aabb::Aabb;
use super::polygon::{area, behind, same, square, without_repeats};
use viewcell::convex::{Plane, Point, dot, minus};

/// A convex polyhedron with volume: all points with normal · x <= dist for each of its planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Without duplicates; the solid has a face on each. Normals outwards, of unit length.
    pub planes: Vec<Plane>,
    /// The corners, each once, in no order.
    pub vertices: Vec<Point>,
    /// The box around the vertices.
    pub bounds: Aabb,
}

/// Why planes are no solid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidError {
    /// A plane with a number that is none, or without a normal.
    #[error("expected planes of finite numbers with a normal, found another as plane {0}")]
    Plane(usize),
    /// The planes have no common volume.
    #[error("expected planes around a volume, found none between them")]
    Empty,
    /// The planes leave a way to infinity.
    #[error("expected planes that close a volume, found an open one")]
    Open,
    /// More planes than a solid may have.
    #[error("expected at most {} planes, found more", Solid::MOST_PLANES)]
    Many,
}

/// Thinner solids than this on the mean are none. [Unit: of the file]
pub(super) const THINNEST: f64 = 1e-5;
/// Normals nearer to each other than this, of planes no further apart than vertices of one place, are one
/// plane's.
const ALIKE: f64 = 1e-9;

impl Solid {
    /// The most planes of different directions that a solid is made of: as many sides as q3map2 gives a brush. The time
    /// that it takes grows with their square.
    pub const MOST_PLANES: usize = 1024;

    /// The solid behind all planes. Normals need not be of unit length. A plane that touches the others'
    /// solid in less than a face (of 1e-6 units) is left out.
    ///
    /// # Errors
    ///
    /// [`SolidError`] for planes that are none, are too many, enclose no volume, or do not enclose it.
    pub fn from_planes(planes: impl IntoIterator<Item = Plane>) -> Result<Self, SolidError> {
        Self::enclosed(planes, Self::MOST_PLANES)
    }

    /// The solid behind all of at most so many planes.
    fn enclosed(planes: impl IntoIterator<Item = Plane>, most: usize) -> Result<Self, SolidError> {
        let mut unique: Vec<Plane> = Vec::new();
        for (i, plane) in planes.into_iter().enumerate() {
            let plane = unit(&plane).ok_or(SolidError::Plane(i))?;
            let alike = |other: &&mut Plane| {
                let across = minus(other.normal, plane.normal);
                across.iter().all(|x| x.abs() <= ALIKE)
            };
            let count = unique.len();
            match unique.iter_mut().find(alike) {
                Some(other) => other.dist = other.dist.min(plane.dist),
                None if count < most => unique.push(plane),
                None => return Err(SolidError::Many),
            }
        }
        let furthest = unique
            .iter()
            .map(|plane| plane.dist.abs())
            .fold(1e5, f64::max);
        // First from afar, to find where the solid is; then from near by, for the sake of accuracy.
        let far = 64.0 * furthest;
        let polygons = cut(&unique, [0.0; 3], far);
        let bounds = Aabb::around(polygons.iter().flatten());
        if polygons
            .iter()
            .filter(|polygon| !polygon.is_empty())
            .count()
            < 4
        {
            return Err(match unique.len() {
                0..4 => SolidError::Open,
                _ => SolidError::Empty,
            });
        }
        if bounds
            .min
            .iter()
            .chain(&bounds.max)
            .any(|x| x.abs() > 0.25 * far)
        {
            return Err(SolidError::Open);
        }
        let reach = bounds.size().into_iter().fold(1.0, f64::max);
        let polygons = cut(&unique, bounds.centre(), 2.0 * reach);
        let mut vertices: Vec<Point> = Vec::new();
        let (mut kept, mut volume, mut surface) = (Vec::new(), 0.0, 0.0);
        for (plane, polygon) in unique.into_iter().zip(polygons) {
            if polygon.is_empty() {
                continue;
            }
            let face = area(&polygon);
            surface += face;
            volume += face * -plane.height(bounds.centre()) / 3.0;
            kept.push(plane);
            for vertex in polygon {
                if !vertices.iter().any(|&other| same(other, vertex)) {
                    vertices.push(vertex);
                }
            }
        }
        if kept.len() < 4 || volume.is_nan() || volume <= THINNEST * surface {
            return Err(SolidError::Empty);
        }
        Ok(Self {
            bounds: Aabb::around(&vertices),
            planes: kept,
            vertices,
        })
    }

    /// The solid of a box.
    ///
    /// # Errors
    ///
    /// [`SolidError`] for a box without volume or with a number that is none.
    pub fn from_box(bounds: &Aabb) -> Result<Self, SolidError> {
        Self::from_planes(box_planes(bounds))
    }

    /// The face on plane `index`: its vertices, anticlockwise seen from outside. O(planes²).
    pub fn face(&self, index: usize) -> Vec<Point> {
        let reach = self.bounds.size().into_iter().fold(1.0, f64::max);
        face(&self.planes, index, self.bounds.centre(), 2.0 * reach)
    }

    /// The part of the solid that is behind a plane as well; none where that has no volume.
    pub fn behind(&self, plane: Plane) -> Option<Self> {
        let most = self
            .vertices
            .iter()
            .map(|&v| plane.height(v))
            .fold(f64::MIN, f64::max);
        if most <= 0.0 {
            Some(self.clone())
        } else {
            // Whatever their number: that there are many is not that there is no volume.
            Self::enclosed(self.planes.iter().copied().chain([plane]), usize::MAX).ok()
        }
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        let centre = self.bounds.centre();
        let part = |i: usize| area(&self.face(i)) * -self.planes[i].height(centre) / 3.0;
        (0..self.planes.len()).map(part).sum()
    }

    /// Whether a point lies inside; not on the surface.
    pub fn contains(&self, point: Point) -> bool {
        self.planes.iter().all(|plane| plane.height(point) < 0.0)
    }

    /// Whether a point of the closed segment lies inside the solid; a touch is none. The slow twin of all
    /// that decides about segments.
    pub fn meets(&self, a: Point, b: Point) -> bool {
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for plane in &self.planes {
            let (ha, hb) = (plane.height(a), plane.height(b));
            if ha >= 0.0 && hb >= 0.0 {
                return false;
            }
            let t = ha / (ha - hb);
            if ha >= 0.0 {
                enters = enters.max(t);
            } else if hb >= 0.0 {
                leaves = leaves.min(t);
            }
        }
        enters < leaves
    }
}

/// The six planes of a box.
pub fn box_planes(bounds: &Aabb) -> [Plane; 6] {
    std::array::from_fn(|i| {
        let (k, upper) = (i / 2, i % 2 == 1);
        let mut normal = [0.0; 3];
        normal[k] = if upper { 1.0 } else { -1.0 };
        let dist = if upper { bounds.max[k] } else { -bounds.min[k] };
        Plane { normal, dist }
    })
}

fn unit(plane: &Plane) -> Option<Plane> {
    let length = dot(plane.normal, plane.normal).sqrt();
    let found = Plane {
        normal: plane.normal.map(|x| x / length),
        dist: plane.dist / length,
    };
    let finite = length > 1e-30
        && found
            .normal
            .iter()
            .chain([&found.dist])
            .all(|x| x.is_finite());
    finite.then_some(found)
}

/// The face on each plane; empty where there is none.
fn cut(planes: &[Plane], centre: Point, reach: f64) -> Vec<Vec<Point>> {
    (0..planes.len())
        .map(|i| face(planes, i, centre, reach))
        .collect()
}

fn face(planes: &[Plane], index: usize, centre: Point, reach: f64) -> Vec<Point> {
    let mut polygon = square(&planes[index], centre, reach);
    for (i, plane) in planes.iter().enumerate() {
        if i != index && !polygon.is_empty() {
            polygon = behind(&polygon, plane);
        }
    }
    without_repeats(polygon)
}
