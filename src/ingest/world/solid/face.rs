//! Opaque polygons without volume.

use super::polygon::{SAME, area, area_vector, axes, without_repeats};
use viewcell::convex::{Plane, Point, cross, dot, minus};

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
/// Convex polygons of more corners are cut into such of as many: what follows takes time that grows with their square.
pub(crate) const MOST_CORNERS: usize = 256;
/// Polygons of no more corners are compared corner by corner.
const FEW: usize = 64;
/// The most corners that are looked for in ears, for each corner of a polygon: 4,096 right turns are a polygon of
/// at least twice as many corners.
const MOST_TESTS: usize = 4096;
/// Vertices nearer to the plane of their polygon than this lie on it. [Unit: of the file]
const PLANAR: f64 = 1e-6;

impl Face {
    /// The faces of a simple polygon: itself if it is planar and convex (in pieces of at most 256 corners), else
    /// triangles, as many as have an area. (What is convex but not planar is fanned out from its first vertex, as most
    /// programs do.)
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
            let mut pieces = Vec::new();
            cut_up(polygon, &mut pieces);
            let of = |vertices| Self {
                plane,
                vertices,
                two_sided,
            };
            return Ok(pieces.into_iter().map(of).collect());
        }
        let triangles = if bent {
            (2..polygon.len()).map(|i| [0, i - 1, i]).collect()
        } else {
            ears(&polygon, plane.normal)
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
        if faces.is_empty() {
            Err(FaceError::Area)
        } else {
            Ok(faces)
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

/// Adds the pieces of a convex polygon, halved until each has few corners; none without an area.
fn cut_up(mut polygon: Vec<Point>, pieces: &mut Vec<Vec<Point>>) {
    if polygon.len() <= MOST_CORNERS {
        if area(&polygon) >= LEAST_AREA {
            pieces.push(polygon);
        }
        return;
    }
    let half = polygon.len() / 2;
    let mut second = polygon[half..].to_vec();
    second.push(polygon[0]);
    polygon.truncate(half + 1);
    cut_up(polygon, pieces);
    cut_up(second, pieces);
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
    if left && n > FEW {
        return is_left_of_all(polygon, plane.normal);
    }
    left && (0..n).all(|i| {
        let (p, a) = (polygon[i], edge(i));
        let length = dot(a, a).sqrt();
        polygon
            .iter()
            .all(|&v| dot(cross(a, minus(v, p)), plane.normal) >= -SAME * length)
    })
}

/// Whether all corners are left of every edge, or nearly, in O(n log n): of the corners' convex hull the one that
/// is furthest to the right of an edge is found by the directions of the hull's edges.
fn is_left_of_all(polygon: &[Point], normal: Point) -> bool {
    let [u, v] = axes(normal);
    let flat = |&at: &Point| {
        let at = minus(at, polygon[0]);
        [dot(at, u), dot(at, v)]
    };
    let flat: Vec<[f64; 2]> = polygon.iter().map(flat).collect();
    let hull = hull(&flat);
    let along = |p: [f64; 2], q: [f64; 2]| [q[0] - p[0], q[1] - p[1]];
    // The hull begins with its leftmost corner: directions grow from straight down on.
    let angle = |[x, y]: [f64; 2]| {
        let angle = y.atan2(x);
        if angle <= -std::f64::consts::FRAC_PI_2 {
            angle + std::f64::consts::TAU
        } else {
            angle
        }
    };
    let m = hull.len();
    let edges: Vec<f64> = (0..m)
        .map(|i| angle(along(hull[i], hull[(i + 1) % m])))
        .collect();
    (0..flat.len()).all(|i| {
        let p = flat[i];
        let edge = along(p, flat[(i + 1) % flat.len()]);
        let length = edge[0].hypot(edge[1]);
        let at = edges.partition_point(|&other| other < angle(edge));
        // Its neighbours, too: angles are rounded.
        (0..3).all(|beside| {
            let [x, y] = along(p, hull[(at + m - 1 + beside) % m]);
            edge[0] * y - edge[1] * x >= -SAME * length
        })
    })
}

/// The convex hull, anticlockwise from its leftmost corner on (Andrew's monotone chain).
fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    let mut hull: Vec<[f64; 2]> = Vec::new();
    let mut half = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let first = hull.len();
        for &point in points {
            while hull.len() >= first + 2 {
                let [a, b] = [hull[hull.len() - 2], hull[hull.len() - 1]];
                let turn = (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
                if turn > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
    };
    half(&mut sorted.iter());
    half(&mut sorted.iter().rev());
    hull
}

/// As [`ears`], of many corners: only corners that turn right can lie in an ear, and no ear is looked for behind
/// the one before until all others were. After [`MOST_TESTS`] for each corner the rest is left as it is.
fn ears_of_many(polygon: &[Point], normal: Point) -> Vec<[usize; 3]> {
    let n = polygon.len();
    let turn = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (polygon[a], polygon[b], polygon[c]);
        dot(cross(minus(b, a), minus(c, a)), normal)
    };
    // Most corners are distinguished from an ear by the box around it.
    let [u, v] = axes(normal);
    let flat: Vec<[f64; 2]> = polygon
        .iter()
        .map(|&at| minus(at, polygon[0]))
        .map(|at| [dot(at, u), dot(at, v)])
        .collect();
    let mut before: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
    let mut after: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    // Who turns left goes on to do so when ears beside are cut off.
    let mut right: Vec<usize> = (0..n)
        .filter(|&i| turn(before[i], i, after[i]) <= 0.0)
        .collect();
    let mut gone = vec![false; n];
    let (mut triangles, mut left, mut tests) = (Vec::new(), n, n.saturating_mul(MOST_TESTS));
    let (mut at, mut missed) = (0, 0);
    while left > 3 && missed < left {
        let (a, b, c) = (before[at], at, after[at]);
        let size = turn(a, b, c);
        let is_ear = size > 0.0 && {
            tests = match tests.checked_sub(right.len()) {
                Some(tests) => tests,
                None => return triangles,
            };
            let corners = [a, b, c].map(|q| flat[q]);
            let [across, up] = [0, 1].map(|k| {
                let along = corners.map(|corner| corner[k]);
                let [x, y, z] = along;
                [x.min(y).min(z) - SAME, x.max(y).max(z) + SAME]
            });
            !right.iter().any(|&p| {
                let [x, y] = flat[p];
                x >= across[0]
                    && x <= across[1]
                    && y >= up[0]
                    && y <= up[1]
                    && !gone[p]
                    && ![a, b, c].map(|q| polygon[q]).contains(&polygon[p])
                    && turn(a, b, p) >= 0.0
                    && turn(b, c, p) >= 0.0
                    && turn(c, a, p) >= 0.0
            })
        };
        // Of what is straight nothing is lost, once there is no ear.
        let is_flat = size == 0.0 && missed + 1 >= left;
        if is_ear || is_flat {
            if is_ear {
                triangles.push([a, b, c]);
            }
            (after[a], before[c], gone[b]) = (c, a, true);
            left -= 1;
            missed = 0;
            if left.is_power_of_two() {
                right.retain(|&p| !gone[p] && turn(before[p], p, after[p]) <= 0.0);
            }
        } else {
            missed += 1;
        }
        at = c;
    }
    let (a, c) = (before[at], after[at]);
    if left == 3 && turn(a, at, c) > 0.0 {
        triangles.push([a, at, c]);
    }
    triangles
}

/// Triangles of a simple polygon, by cutting off ears. What cuts itself is left unfinished.
fn ears(polygon: &[Point], normal: Point) -> Vec<[usize; 3]> {
    if polygon.len() > FEW {
        return ears_of_many(polygon, normal);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    /// A polygon about the origin whose corners lie at a radius by number, in a plane that leans.
    fn round(corners: usize, radius: impl Fn(usize) -> f64) -> Vec<Point> {
        let (u, v) = ([0.8, 0.6, 0.0], [0.0, 0.0, 1.0]);
        (0..corners)
            .map(|i| {
                let angle = i as f64 / corners as f64 * std::f64::consts::TAU;
                let (a, b) = (radius(i) * angle.cos(), radius(i) * angle.sin());
                std::array::from_fn(|k| 5e6 + a * u[k] + b * v[k])
            })
            .collect()
    }

    fn area_of(faces: &[Face]) -> f64 {
        faces.iter().map(|face| area(&face.vertices)).sum()
    }

    /// Each of 40,000 corners was compared with all others.
    #[test]
    fn polygons_of_many_corners_take_no_longer_than_the_corners() {
        let started = std::time::Instant::now();
        let convex = round(40_000, |_| 1000.0);
        let faces = Face::from_polygon(&convex, false).unwrap();
        assert!(faces.iter().all(|face| face.vertices.len() <= MOST_CORNERS));
        assert!((area_of(&faces) - area(&convex)).abs() < 1e-6 * area(&convex));
        // A comb of few teeth, and one of too many: what is left out hides nothing.
        let gear = round(40_000, |i| if i % 400 < 200 { 1000.0 } else { 900.0 });
        let faces = Face::from_polygon(&gear, false).unwrap();
        assert!(Face::make_up(&faces, &gear), "{}", faces.len());
        let star = round(40_000, |i| if i % 2 == 0 { 1000.0 } else { 500.0 });
        let faces = Face::from_polygon(&star, false).unwrap();
        assert!(area_of(&faces) <= area(&star) * (1.0 + 1e-9));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    /// Both ways of many corners, beside those of few.
    #[test]
    fn many_corners_are_decided_as_few_are() {
        let mut dice = Dice(7);
        let mut convex = 0;
        for round_number in 0..200 {
            let dents = [0.0, 1e-9, 1e-3, 0.3][round_number % 4];
            let corners = 5 + dice.roll(60) as usize;
            let radii: Vec<f64> = (0..corners)
                .map(|_| 10.0 * (1.0 - dents * dice.fraction()))
                .collect();
            let polygon = round(corners, |i| radii[i]);
            let normal = plane_of(&polygon).unwrap().normal;
            let n = polygon.len();
            let slow = (0..n).all(|i| {
                let (p, a) = (polygon[i], minus(polygon[(i + 1) % n], polygon[i]));
                let least = -SAME * dot(a, a).sqrt();
                polygon
                    .iter()
                    .all(|&q| dot(cross(a, minus(q, p)), normal) >= least)
            });
            assert_eq!(is_left_of_all(&polygon, normal), slow, "{dents} {corners}");
            convex += usize::from(slow);
            let total = |triangles: Vec<[usize; 3]>| -> f64 {
                let area = |corners: [usize; 3]| area(&corners.map(|i| polygon[i]));
                triangles.into_iter().map(area).sum()
            };
            let (few, many) = (ears(&polygon, normal), ears_of_many(&polygon, normal));
            let [few, many] = [few, many].map(total);
            assert!((few - many).abs() < 1e-6 * few, "{few} {many}");
            assert!((many - area(&polygon)).abs() < 1e-6 * many, "{many}");
        }
        assert!(convex > 50 && convex < 190, "{convex}");
    }
}
