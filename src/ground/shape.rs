//! The shapes of acting entities (Pennings, section 4.2), cut by lines from west to east.
//!
//! All is in cubes: the cube at (column, row, slice) is the space from there to one more in each
//! direction. Where cubes are not as high as wide, a sphere is an ellipsoid here.

use super::error::GroundError;
use super::mesh::{Lines, Mesh};

/// A shape in cubes.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A sphere, squeezed as cubes are.
    Ellipsoid {
        /// Its middle.
        at: [f64; 3],
        /// Its radii east, south and up.
        radii: [f64; 3],
    },
    /// A box along the axes. Its western, northern and lower faces are part of it.
    Cuboid {
        /// Its least corner.
        from: [f64; 3],
        /// Its greatest corner.
        to: [f64; 3],
    },
    /// An upright cylinder.
    Cylinder {
        /// Its middle.
        at: [f64; 3],
        /// Its radii east and south.
        radii: [f64; 2],
        /// From bottom to top.
        height: f64,
    },
    /// A closed mesh of triangles.
    Mesh(Mesh),
}

impl Shape {
    /// Its least and greatest corner.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let around = |at: &[f64; 3], radii: [f64; 3]| {
            let ends = |sign: f64| [0, 1, 2].map(|axis| at[axis] + sign * radii[axis]);
            [ends(-1.0), ends(1.0)]
        };
        match self {
            Self::Ellipsoid { at, radii } => around(at, *radii),
            Self::Cuboid { from, to } => [*from, *to],
            Self::Cylinder { at, radii, height } => around(at, [radii[0], radii[1], height / 2.0]),
            Self::Mesh(mesh) => mesh.bounds(),
        }
    }

    /// Errors where it has no size, or a number of it is none.
    pub fn check(&self) -> Result<(), GroundError> {
        let [from, to] = self.bounds();
        let numbers = from.into_iter().chain(to);
        if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
            return Err(GroundError::bad(
                "stamp",
                "finite numbers",
                number.to_string(),
            ));
        }
        match (0..3).find(|&axis| to[axis] <= from[axis]) {
            None => Ok(()),
            Some(axis) => Err(GroundError::bad(
                "stamp",
                "a shape with a size",
                format!("none {}", ["east", "south", "up"][axis]),
            )),
        }
    }

    /// Cuts it at height `z` by lines: the first at `y`, the others `step` further south each.
    pub(super) fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines) {
        lines.iter_mut().for_each(Vec::clear);
        let at_line = |line: usize| y + step * line as f64;
        match self {
            Self::Mesh(mesh) => mesh.cut(z, y, step, lines),
            Self::Cuboid { from, to } => {
                if (from[2]..to[2]).contains(&z) {
                    for (i, line) in lines.iter_mut().enumerate() {
                        if (from[1]..to[1]).contains(&at_line(i)) {
                            line.push([from[0], to[0]]);
                        }
                    }
                }
            }
            Self::Ellipsoid { at, radii } => {
                let up = z - at[2];
                for (i, line) in lines.iter_mut().enumerate() {
                    let south = at_line(i) - at[1];
                    line.extend(chord(at[0], *radii, [south, up]));
                }
            }
            Self::Cylinder { at, radii, height } => {
                if (z - at[2]).abs() <= height / 2.0 {
                    for (i, line) in lines.iter_mut().enumerate() {
                        let radii = [radii[0], radii[1], radii[1]];
                        line.extend(chord(at[0], radii, [at_line(i) - at[1], 0.0]));
                    }
                }
            }
        }
    }
}

/// The piece of a line in an ellipsoid, its end part of it.
fn chord(middle: f64, [east, south, up]: [f64; 3], away: [f64; 2]) -> Option<[f64; 2]> {
    let half = if east == south && south == up {
        // Exact where numbers are small and whole, so that such spheres are alike on all sides.
        let left = east * east - away[0] * away[0] - away[1] * away[1];
        (left >= 0.0).then(|| left.sqrt())?
    } else {
        let [y, z] = [away[0] / south, away[1] / up];
        let left = 1.0 - y * y - z * z;
        (left >= 0.0).then(|| east * left.sqrt())?
    };
    // Whatever ends where a cube's middle is takes it on both sides.
    Some([middle - half, (middle + half).next_up()])
}
