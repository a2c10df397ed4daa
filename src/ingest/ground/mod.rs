//! Ground that changes: shapes, and stamps on heightmaps, which lower or raise its columns.

mod stamps;

pub use super::mesh::{Mesh, read_mesh};
use crate::error::IngestError;
pub use stamps::{
    EffectName, MaterialOf, REMEDY, ShapeName, StampLine, TopStamp, read_stamp_lines,
    read_top_stamps,
};

/// What a parser says of JSON that it cannot read. It quotes names of fields as errors here quote names of
/// options.
pub fn unread(error: &serde_json::Error) -> String {
    format!("JSON that does not fit: {error}").replace('`', "\"")
}

/// What is nearer to a surface than this lies on it, whatever rounding makes of them: those on the surface of a sphere, an
/// ellipsoid or a cylinder are in it, and those on the western, northern or lower face of a box.
pub const ON: f64 = 1e-9;

/// What stamps on heightmaps have for shapes.
const NO_MESH: &str = "a sphere, a box or a cylinder, on a heightmap";

fn bad(expected: &str, found: impl Into<String>) -> IngestError {
    let remedy =
        "give the stamp in metres east and south of the first sample, and up from height 0";
    IngestError::bad(expected, found, remedy).at("stamp")
}

/// A shape, in metres or in cubes: east, south and up.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A sphere; squeezed, where lengths are not the same in all directions.
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

    /// Checks its size and its numbers.
    ///
    /// # Errors
    ///
    /// Where it has no size, or a number of it is NaN or infinite.
    pub fn check(&self) -> Result<(), IngestError> {
        let [from, to] = self.bounds();
        let numbers = from.into_iter().chain(to);
        if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
            return Err(bad("finite numbers", number.to_string()));
        }
        match (0..3).find(|&axis| to[axis] <= from[axis]) {
            None => Ok(()),
            Some(axis) => Err(bad(
                "a shape with a size",
                format!("none {}", ["east", "south", "up"][axis]),
            )),
        }
    }
}

/// What a stamp does to the top of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopEffect {
    /// A shape that holds the top lowers it to the shape's bottom. What lies wholly under the top is
    /// a cave, which a heightmap cannot have: the top stays.
    Dig,
    /// A shape that ends above the top raises it to there, whatever is between them.
    Fill,
}

/// Lowers or raises ground where `shape` is, in metres: east and south of the first sample, and up from
/// height 0. `heights` are row by row, of so many columns with this spacing, in metres; voids are NaN, and
/// stay voids. Returns how many samples have changed.
///
/// # Errors
///
/// A shape of no size, numbers that are none, one over no sample, and a mesh.
pub fn stamp_top(
    heights: &mut [f64],
    width: u32,
    [dx, dy]: [f64; 2],
    shape: &Shape,
    effect: TopEffect,
) -> Result<u64, IngestError> {
    if matches!(shape, Shape::Mesh(_)) {
        return Err(bad(NO_MESH, "a mesh"));
    }
    shape.check()?;
    let height = (heights.len() / width.max(1) as usize) as u32;
    let [from, to] = shape.bounds();
    let range = |from: f64, to: f64, limit: u32| {
        let end = ((to + ON).floor() + 1.0).clamp(0.0, limit.into()) as u32;
        ((from - ON).ceil().clamp(0.0, limit.into()) as u32).min(end)..end
    };
    let columns = range(from[0] / dx, to[0] / dx, width);
    let rows = range(from[1] / dy, to[1] / dy, height);
    let (mut covered, mut changed) = (0, 0);
    for row in rows {
        for column in columns.clone() {
            let place = [f64::from(column) * dx, f64::from(row) * dy];
            let Some([bottom, top]) = piece(shape, place, ON * dx.min(dy)) else {
                continue;
            };
            covered += 1;
            let height = &mut heights[row as usize * width as usize + column as usize];
            let after = match effect {
                TopEffect::Dig if bottom < *height && *height <= top => bottom,
                TopEffect::Fill if top > *height => top,
                _ => *height,
            };
            changed += u64::from(after != *height && !height.is_nan());
            *height = after;
        }
    }
    if covered == 0 {
        return Err(bad(
            "a stamp over a sample of the ground",
            "one that is wholly beside it",
        ));
    }
    Ok(changed)
}

/// Bottom and top of a shape over a place; `None` beside it. Places no further than `on` from its side are on it.
fn piece(shape: &Shape, [x, y]: [f64; 2], on: f64) -> Option<[f64; 2]> {
    let away = |at: &[f64; 3], east: f64, south: f64| {
        let [x, y] = [(x - at[0]) / east, (y - at[1]) / south];
        x * x + y * y
    };
    let holds = |at, east, south| away(at, east + on, south + on) <= 1.0;
    match shape {
        Shape::Ellipsoid { at, radii } => {
            let left = (1.0 - away(at, radii[0], radii[1])).max(0.0);
            let half = holds(at, radii[0], radii[1]).then(|| radii[2] * left.sqrt())?;
            Some([at[2] - half, at[2] + half])
        }
        Shape::Cuboid { from, to } => {
            let [x, y] = [x + on, y + on];
            let inside = (from[0]..to[0]).contains(&x) && (from[1]..to[1]).contains(&y);
            inside.then_some([from[2], to[2]])
        }
        Shape::Cylinder { at, radii, height } => {
            let inside = holds(at, radii[0], radii[1]);
            inside.then_some([at[2] - height / 2.0, at[2] + height / 2.0])
        }
        Shape::Mesh(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six columns and five rows with a void, after a stamp; and how many samples it changed.
    fn stamped(shape: &Shape, effect: TopEffect) -> Result<(Vec<f64>, u64), IngestError> {
        let mut heights = vec![10.0; 30];
        heights[7] = f64::NAN;
        let changed = stamp_top(&mut heights, 6, [2.0, 3.0], shape, effect)?;
        Ok((heights, changed))
    }

    fn sphere(at: [f64; 3], radius: f64) -> Shape {
        Shape::Ellipsoid {
            at,
            radii: [radius; 3],
        }
    }

    #[test]
    fn a_sphere_digs_to_its_bottom_and_fills_to_its_top() {
        let here = sphere([4.0, 6.0, 10.0], 2.0);
        let (dug, changed) = stamped(&here, TopEffect::Dig).unwrap();
        // Beside the middle, at its border, it has no depth.
        assert_eq!((changed, dug[14], dug[13]), (1, 8.0, 10.0));
        let (filled, changed) = stamped(&here, TopEffect::Fill).unwrap();
        assert_eq!((changed, filled[14]), (1, 12.0));
    }

    #[test]
    fn a_cave_leaves_the_top_and_a_void_stays_one() {
        let under = sphere([4.0, 6.0, 3.0], 2.5);
        assert_eq!(stamped(&under, TopEffect::Dig).unwrap().1, 0);
        let all = Shape::Cuboid {
            from: [-1.0, -1.0, 4.0],
            to: [99.0, 99.0, 50.0],
        };
        let (dug, changed) = stamped(&all, TopEffect::Dig).unwrap();
        assert_eq!((changed, dug[7].is_nan(), dug[29]), (29, true, 4.0));
        let upright = Shape::Cylinder {
            at: [0.0, 0.0, 20.0],
            radii: [2.5; 2],
            height: 4.0,
        };
        let (filled, changed) = stamped(&upright, TopEffect::Fill).unwrap();
        assert_eq!((changed, filled[1], filled[6]), (2, 22.0, 10.0));
    }

    #[test]
    fn what_is_no_stamp_is_refused() {
        let dig = |shape: &Shape| stamped(shape, TopEffect::Dig);
        let beside = dig(&sphere([-9.0, 0.0, 10.0], 2.0)).unwrap_err();
        assert!(beside.found().contains("beside"), "{beside}");
        assert!(dig(&sphere([4.0, 6.0, 10.0], 0.0)).is_err());
        assert!(dig(&sphere([4.0, f64::NAN, 10.0], 1.0)).is_err());
    }
}
