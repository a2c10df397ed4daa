//! Convex polygons in space, and cutting them by planes.

/// A point, in the units of the level.
pub type Point = [f64; 3];

/// A polygon that lies no more than this in front of a plane is not in front of it at all: two
/// rooms that look into each other through a slit narrower than this do not see each other.
///
/// Portal files are written with noise of some 1e-5 (q3map2: 1e-3), and without a tolerance every
/// two coplanar portals would see each other by it. The compilers of the tradition use 0.1.
pub const ON_PLANE: f64 = 1e-3;

/// The points p with normal · p = dist; in front of it are those with more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Of length 1.
    pub normal: Point,
    /// Distance from the origin along the normal.
    pub dist: f64,
}

impl Plane {
    /// How far a point is in front of the plane.
    #[inline]
    pub fn height(&self, point: Point) -> f64 {
        dot(self.normal, point) - self.dist
    }

    /// The same plane, with front and back exchanged.
    pub fn flipped(&self) -> Self {
        Self {
            normal: self.normal.map(|x| -x),
            dist: -self.dist,
        }
    }

    /// The plane of a winding, its normal by the right hand (Newell's method, which holds for
    /// noisy corners too). None for a winding without area.
    pub fn of(winding: &[Point]) -> Option<Self> {
        let centre = centre(winding);
        let mut normal = [0.0; 3];
        for (i, &a) in winding.iter().enumerate() {
            let b = winding[(i + 1) % winding.len()];
            let turn = cross(minus(a, centre), minus(b, centre));
            normal = plus(normal, turn);
        }
        let length = dot(normal, normal).sqrt();
        if length.is_nan() || length < 1e-9 {
            return None;
        }
        let normal = normal.map(|x| x / length);
        let dist = dot(normal, centre);
        Some(Self { normal, dist })
    }
}

/// The mean of the corners.
pub fn centre(winding: &[Point]) -> Point {
    let sum = winding.iter().fold([0.0; 3], |sum, &p| plus(sum, p));
    sum.map(|x| x / winding.len().max(1) as f64)
}

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

#[inline]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline]
pub fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

#[inline]
pub fn plus(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] + b[k])
}
