//! Convex planar polygons in space: cutting, areas, planes.

use viewcell::convex::{Plane, Point, cross, dot, minus};

/// Points nearer to a plane than this lie on it. [Unit: of the file]
pub(super) const ON: f64 = 1e-7;
/// Vertices nearer to each other than this are one. [Unit: of the file]
pub(super) const SAME: f64 = 1e-6;

/// The part of a convex polygon behind a plane (normal · x <= dist); empty where none but its edge is.
pub fn behind(polygon: &[Point], plane: &Plane) -> Vec<Point> {
    let heights: Vec<f64> = polygon.iter().map(|&p| plane.height(p)).collect();
    if heights.iter().all(|&h| h >= -ON) {
        return Vec::new();
    }
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        let (p, q, hp, hq) = (polygon[i], polygon[j], heights[i], heights[j]);
        if hp <= ON {
            kept.push(p);
        }
        if (hp > ON && hq < -ON) || (hp < -ON && hq > ON) {
            let t = hp / (hp - hq);
            kept.push(std::array::from_fn(|k| p[k] + t * (q[k] - p[k])));
        }
    }
    kept
}

/// The polygon without vertices that repeat the one before; empty if fewer than three are left.
pub(super) fn without_repeats(polygon: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(polygon.len());
    for p in polygon {
        if kept.last().is_none_or(|&last| !same(last, p)) {
            kept.push(p);
        }
    }
    while kept.len() > 1 && same(kept[0], kept[kept.len() - 1]) {
        kept.pop();
    }
    if kept.len() < 3 { Vec::new() } else { kept }
}

/// Whether two vertices are one.
pub(super) fn same(a: Point, b: Point) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() <= SAME)
}

/// Twice the area vector of a polygon, by the right hand (Newell).
pub(super) fn area_vector(polygon: &[Point]) -> Point {
    let mut sum = [0.0; 3];
    let Some(&first) = polygon.first() else {
        return sum;
    };
    for pair in polygon[1..].windows(2) {
        let turn = cross(minus(pair[0], first), minus(pair[1], first));
        sum = std::array::from_fn(|k| sum[k] + turn[k]);
    }
    sum
}

/// The area of a planar polygon.
pub(crate) fn area(polygon: &[Point]) -> f64 {
    let vector = area_vector(polygon);
    0.5 * dot(vector, vector).sqrt()
}

/// A square of the plane around the point of it nearest to `centre`, `reach` from there to each side,
/// anticlockwise seen from the front.
pub fn square(plane: &Plane, centre: Point, reach: f64) -> Vec<Point> {
    let height = plane.height(centre);
    let middle: Point = std::array::from_fn(|k| centre[k] - height * plane.normal[k]);
    let [u, v] = axes(plane.normal);
    let corner =
        |a: f64, b: f64| std::array::from_fn(|k| middle[k] + reach * (a * u[k] + b * v[k]));
    vec![
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ]
}

/// Two unit vectors that make a right-handed frame with a unit normal: u × v = normal.
pub(super) fn axes(normal: Point) -> [Point; 2] {
    // Of an axis that lies well across the normal.
    let least = (0..3).fold(0, |least, k| {
        if normal[k].abs() < normal[least].abs() {
            k
        } else {
            least
        }
    });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let u = cross(axis, normal);
    let length = dot(u, u).sqrt();
    let u = u.map(|x| x / length);
    [u, cross(normal, u)]
}
