//! Opaque faces that lie in one plane, together.

use super::level::SolidLevel;
use super::polygon::axes;
use viewcell::convex::{Plane, Point, dot, minus};

/// All opaque faces in one plane that hide from the same side or sides.
///
/// A segment that crosses the plane, from its front if it is one-sided, inside the union of the polygons is
/// blocked; there are no seams between polygons that touch. Faces of solids hide from both sides, since the
/// solid is behind them. Those between two solids belong as well: a union with holes is a whole wall.
#[derive(Clone, Debug, PartialEq)]
pub struct FacePlane {
    /// The plane; every vertex of every face lies within [`FacePlane::TOLERANCE`] of it.
    pub plane: Plane,
    /// Whether the faces hide from behind as well.
    pub two_sided: bool,
    /// Convex, anticlockwise seen from the front, touching and overlapping as they come. A point (u, v) is
    /// `origin + u axes[0] + v axes[1]`.
    pub polygons: Vec<Vec<[f64; 2]>>,
    /// Unit vectors in the plane, a right-handed frame with its normal.
    pub axes: [Point; 2],
    /// A point of the plane.
    pub origin: Point,
}

impl FacePlane {
    /// How far vertices of one plane may lie beside it. [Unit: of the file]
    pub const TOLERANCE: f64 = 1e-4;

    /// All planes of a level's opaque faces, in the order of their first faces.
    pub fn all(level: &SolidLevel) -> Vec<Self> {
        let mut groups = Groups::default();
        for solid in &level.solids {
            for (i, &plane) in solid.planes.iter().enumerate() {
                groups.add(plane, &solid.face(i), true);
            }
        }
        for face in &level.faces {
            groups.add(face.plane, &face.vertices, face.two_sided);
        }
        groups.planes
    }

    fn new(plane: Plane, two_sided: bool) -> Self {
        Self {
            plane,
            two_sided,
            polygons: Vec::new(),
            axes: axes(plane.normal),
            origin: plane.normal.map(|x| x * plane.dist),
        }
    }

    /// Where a point of the plane is in it.
    pub fn flat(&self, point: Point) -> [f64; 2] {
        self.axes.map(|axis| dot(axis, minus(point, self.origin)))
    }
}

#[derive(Default)]
struct Groups {
    planes: Vec<FacePlane>,
    /// Indices into `planes`, by sidedness and rounded plane.
    near: std::collections::HashMap<(bool, [i64; 4]), Vec<usize>>,
}

/// Planes whose faces may be in one differ by no more than one of these in each number, or hardly ever do.
const NORMAL_STEP: f64 = 1e-3;
const DIST_STEP: f64 = 0.25;

impl Groups {
    fn add(&mut self, plane: Plane, vertices: &[Point], two_sided: bool) {
        if vertices.len() < 3 {
            return;
        }
        // What hides from both sides has no front: one of the two, the same for both.
        let first = plane
            .normal
            .iter()
            .find(|x| x.abs() > 1e-6)
            .copied()
            .unwrap_or(1.0);
        let turned = two_sided && first < 0.0;
        let plane = if turned { plane.flipped() } else { plane };
        let fits = |group: &FacePlane| {
            dot(group.plane.normal, plane.normal) > 0.0
                && vertices
                    .iter()
                    .all(|&v| group.plane.height(v).abs() <= FacePlane::TOLERANCE)
        };
        let key = key(&plane);
        let found = around(key).find_map(|key| {
            let there = self.near.get(&(two_sided, key))?;
            there.iter().copied().find(|&i| fits(&self.planes[i]))
        });
        let index = found.unwrap_or_else(|| {
            self.near
                .entry((two_sided, key))
                .or_default()
                .push(self.planes.len());
            self.planes.push(FacePlane::new(plane, two_sided));
            self.planes.len() - 1
        });
        let group = &mut self.planes[index];
        let mut polygon: Vec<[f64; 2]> = vertices.iter().map(|&v| group.flat(v)).collect();
        if turned {
            polygon.reverse();
        }
        group.polygons.push(polygon);
    }
}

fn key(plane: &Plane) -> [i64; 4] {
    let [x, y, z] = plane.normal.map(|x| (x / NORMAL_STEP).round() as i64);
    [x, y, z, (plane.dist / DIST_STEP).round() as i64]
}

/// A key, and those beside it.
fn around(key: [i64; 4]) -> impl Iterator<Item = [i64; 4]> {
    (0..81).map(move |i| {
        std::array::from_fn(|k| key[k] + i64::from([0, -1, 1][i / [1, 3, 9, 27][k] % 3]))
    })
}
