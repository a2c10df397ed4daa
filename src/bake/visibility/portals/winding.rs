//! Convex polygons in space: cut by planes, and the separating planes between two of them.
//!
//! A separating plane touches both polygons, and has one on each side: a line of sight through both stays on its side
//! of it (S. J. Teller and C. H. Séquin 1991, "Visibility preprocessing for interactive walkthroughs", section 4).

pub(super) use viewcell::convex::{Plane, Point, centre, cross, dot, minus, plus};

/// A polygon that lies no more than this in front of a plane is not in front of it at all: two
/// rooms that look into each other through a slit narrower than this do not see each other.
///
/// Portal files are written with noise of some 1e-5 (q3map2: 1e-3), and without a tolerance every
/// two coplanar portals would see each other by it. The compilers of the tradition use 0.1.
pub const ON_PLANE: f64 = 1e-3;

/// What is left of a polygon in front of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clip {
    /// All of it; nothing was written.
    All,
    /// Nothing: no corner is more than [`ON_PLANE`] in front.
    Nothing,
    /// A part of it, which was appended to the points.
    Part,
}

/// Cuts the polygon `points[from..to]`, and appends what is left of it in front of the plane to
/// `points` if that is a part of it (Sutherland and Hodgman). Corners within `tolerance` of the
/// plane count as on it, and are kept.
pub(super) fn clip(
    points: &mut Vec<Point>,
    from: usize,
    to: usize,
    plane: &Plane,
    tolerance: f64,
) -> Clip {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for &point in &points[from..to] {
        let height = plane.height(point);
        least = least.min(height);
        most = most.max(height);
    }
    if most <= tolerance {
        return Clip::Nothing;
    }
    if least >= -tolerance {
        return Clip::All;
    }
    let mut a = points[to - 1];
    let mut height_a = plane.height(a);
    for i in from..to {
        let b = points[i];
        let height_b = plane.height(b);
        if height_a > tolerance && height_b < -tolerance
            || height_a < -tolerance && height_b > tolerance
        {
            points.push(between(a, b, height_a / (height_a - height_b)));
        }
        if height_b >= -tolerance {
            points.push(b);
        }
        (a, height_a) = (b, height_b);
    }
    Clip::Part
}

/// a + t (b - a).
#[inline]
pub(super) fn between(a: Point, b: Point, t: f64) -> Point {
    std::array::from_fn(|k| a[k] + t * (b[k] - a[k]))
}

/// How far on the wrong side of a separating plane a corner may lie, for rounding. A plane goes
/// through corners as they are, so their noise does not count. A sightline from one polygon
/// through the other then leaves the plane's front by no more than this times the ratio of its
/// lengths behind and before the second.
const TOLERANCE: f64 = 1e-7;

/// A corner whose distance from the line of an edge, times the length of the edge, is less makes
/// no plane with it.
const LEAST_AREA: f64 = 1e-4;

/// A convex polygon, as seen from another.
#[derive(Clone, Copy)]
pub(super) struct Face<'a> {
    /// Its corners, in order.
    pub corners: &'a [Point],
    /// Its normal, of length 1, on the side on which the other polygon lies.
    pub towards: Point,
    /// 1 if the corners wind about that normal by the right hand, -1 if by the left.
    pub hand: f64,
}

/// Appends the planes that have all of `a` behind them, all of `b` in front, and go through an
/// edge of the one and a corner of the other.
///
/// O(|a| · |b|): round each edge a plane is turned until nothing of the other polygon is left
/// outside.
pub(super) fn separators(a: Face, b: Face, planes: &mut Vec<Plane>) {
    for_each_edge(a, b.corners, |plane| planes.push(plane));
    for_each_edge(b, a.corners, |plane| planes.push(plane.flipped()));
}

/// Calls `found` with each plane through an edge of `a` and a corner of `b` that has `a` behind
/// it and `b` in front.
fn for_each_edge(a: Face, b: &[Point], mut found: impl FnMut(Plane)) {
    let up = a.towards;
    for (i, &tail) in a.corners.iter().enumerate() {
        let head = a.corners[if i + 1 == a.corners.len() { 0 } else { i + 1 }];
        let edge = minus(head, tail);
        let out = cross(edge, up).map(|x| x * a.hand);
        // Seen along the edge, `a` lies to the left, and `b` above. The plane through the edge and
        // a corner at angle φ from the right has in front what lies at smaller angles: so the
        // corner wanted is the one at the greatest.
        let mut candidate: Option<(Point, f64)> = None;
        for &corner in b {
            let to = minus(corner, tail);
            if candidate.is_some_and(|(normal, _)| dot(normal, to) >= 0.0) {
                continue;
            }
            let normal = cross(edge, to);
            let square = dot(normal, normal);
            if square < LEAST_AREA * LEAST_AREA {
                continue;
            }
            let clockwise = dot(to, up) * dot(normal, out) - dot(to, out) * dot(normal, up);
            let sign = 1f64.copysign(clockwise);
            candidate = Some((normal.map(|x| x * sign), square));
        }
        let Some((normal, square)) = candidate else {
            continue;
        };
        let scale = 1.0 / square.sqrt();
        let normal = normal.map(|x| x * scale);
        let dist = dot(normal, tail);
        let plane = Plane { normal, dist };
        let (least, most) = range(&plane, b);
        if least < -TOLERANCE || most <= TOLERANCE {
            continue; // it cuts b, or holds all of it
        }
        let (least, most) = range(&plane, a.corners);
        if most <= TOLERANCE && least < -TOLERANCE {
            found(plane);
        }
    }
}

/// The least and the greatest height of corners over a plane.
fn range(plane: &Plane, corners: &[Point]) -> (f64, f64) {
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for &corner in corners {
        let height = plane.height(corner);
        range = (range.0.min(height), range.1.max(height));
    }
    range
}
