//! Planes in space, and the plane of a winding.

/// A point, in the units of the level.
pub type Point = [f64; 3];

/// The points p with normal · p = dist; in front of it are those with more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Of length 1.
    pub normal: Point,
    /// Distance from the origin along the normal.
    pub dist: f64,
}

/// The scalar product.
#[inline]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Plane {
    /// How far a point is in front of the plane.
    #[inline]
    pub fn height(&self, point: Point) -> f64 {
        dot(self.normal, point) - self.dist
    }

    /// The same plane, counted from another origin.
    pub fn about(&self, origin: Point) -> Self {
        Self {
            normal: self.normal,
            dist: self.dist - dot(self.normal, origin),
        }
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

/// The vector product.
#[inline]
pub fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// a - b.
#[inline]
pub fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

/// a + b.
#[inline]
pub fn plus(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] + b[k])
}
