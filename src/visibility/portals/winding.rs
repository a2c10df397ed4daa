//! Convex polygons in space, and cutting them by planes.

pub use crate::world::plane::{Plane, Point, centre, cross, dot, minus, plus};

/// A polygon that lies no more than this in front of a plane is not in front of it at all: two
/// rooms that look into each other through a slit narrower than this do not see each other.
///
/// Portal files are written with noise of some 1e-5 (q3map2: 1e-3), and without a tolerance every
/// two coplanar portals would see each other by it. The compilers of the tradition use 0.1.
pub const ON_PLANE: f64 = 1e-3;

/// What is left of a polygon in front of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
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
pub fn clip(
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
pub fn between(a: Point, b: Point, t: f64) -> Point {
    std::array::from_fn(|k| a[k] + t * (b[k] - a[k]))
}
