//! Axes and units of meshes: which axis of a file points up, and the coordinates of the engine that it comes
//! from.
//!
//! A level has x and y on the ground, z up, is right-handed and in metres. Files with y up are turned about
//! x: (x, -z, y). What engines have, and what their exporters write:
//!
//! | | engine | glTF | OBJ |
//! |---|---|---|---|
//! | Unity (glTFast, UnityGLTF; ProBuilder and most exporters of OBJ) | left-handed, y up, m | (-x, y, z) | (-x, y, z) |
//! | Unreal (its own exporters of glTF and OBJ) | left-handed, z up, cm | (x, z, y) / 100 | (x, z, y) |
//! | Godot | right-handed, y up, m | (x, y, z) | (x, y, z) |
//! | Blender (defaults of its exporters) | right-handed, z up, m | (x, z, -y) | (x, z, -y) |

use super::{Exporter, SolidOptions, UpAxis};
use crate::error::IngestError;
use crate::world::solid::{Aabb, Frame, Point};
use viewcell::convex::{cross, dot, minus};

/// How a level's coordinates come from those of a file.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    up: UpAxis,
    /// Metres in a unit of the file.
    scale: f64,
}

impl Axes {
    pub(super) fn to_level(self, [x, y, z]: Point) -> Point {
        let turned = match self.up {
            UpAxis::Y => [x, -z, y],
            UpAxis::Z => [x, y, z],
        };
        turned.map(|along| along * self.scale)
    }

    /// Of a glTF file, in metres and with y up unless told otherwise.
    pub(super) fn of_gltf(options: &SolidOptions) -> Result<Self, IngestError> {
        check(options)?;
        Ok(Self {
            up: options.up.unwrap_or(UpAxis::Y),
            scale: 1.0,
        })
    }

    /// Of an OBJ file with faces of these corners, which says nothing of axes and units.
    pub(super) fn of_obj<'a>(
        options: &SolidOptions,
        faces: impl Iterator<Item = &'a [Point]> + Clone,
        notes: &mut Vec<String>,
    ) -> Result<Self, IngestError> {
        check(options)?;
        let up = options.up.or(options.from.map(|_| UpAxis::Y));
        let up = up.unwrap_or_else(|| {
            let (up, why) = likely_up(faces);
            let asked = match up {
                UpAxis::Y => "y is taken as up, so x,y,z in the file is x,-z,y in queries",
                UpAxis::Z => "z is taken as up",
            };
            notes.push(format!(
                "OBJ does not define its axes: {asked} ({why}); if that is wrong, give `up`"
            ));
            up
        });
        let scale = match options.from {
            Some(Exporter::Unreal) => 0.01,
            _ => 1.0,
        };
        Ok(Self { up, scale })
    }
}

/// Other axes than those that an engine's exporters write would make its coordinates others.
fn check(options: &SolidOptions) -> Result<(), IngestError> {
    match (options.from, options.up) {
        (Some(from), Some(UpAxis::Z)) if from != Exporter::Blender => Err(IngestError::usage(
            "y up, as the exporters of the engine in `from` write",
            "z",
            "leave out `up` or `from`",
        )),
        _ => Ok(()),
    }
}

/// The coordinates that a level is asked with: those of the engine that it comes from.
pub(super) fn frame(from: Option<Exporter>) -> Frame {
    let (axes, scale) = match from {
        None | Some(Exporter::Blender) => ([1, 2, 3], 1.0),
        Some(Exporter::Unity) => ([-1, -3, 2], 1.0),
        Some(Exporter::Unreal) => ([1, -2, 3], 0.01),
        Some(Exporter::Godot) => ([1, -3, 2], 1.0),
    };
    Frame { axes, scale }
}

/// The axis that is more likely up, and what speaks for it. Three signs are added up, as logarithms: more can
/// be stood on along it; the other two axes are alike, since walls stand as often across the one as across the
/// other (towers have more area in walls than in roofs); and, with half the weight, there is less of it.
fn likely_up<'a>(faces: impl Iterator<Item = &'a [Point]> + Clone) -> (UpAxis, String) {
    /// Cosine of the steepest slope that is stood on.
    const LEVEL: f64 = 0.7;
    let size = Aabb::around(faces.clone().flatten()).size();
    let (mut floors, mut all) = ([0.0; 3], 0.0);
    for face in faces {
        let vector = area_vector(face);
        let area = 0.5 * dot(vector, vector).sqrt();
        all += area;
        for (floor, along) in floors.iter_mut().zip(vector) {
            *floor += if 0.5 * along > LEVEL * area {
                area
            } else {
                0.0
            };
        }
    }
    let of = |k: usize| format!("{:.1} of floors for {:.1} of height", floors[k], size[k]);
    let why = format!("with y {}, with z {}", of(1), of(2));
    // No floors at all are few, and no height is little.
    let area = floors.map(|floor| (floor + 1e-6 * all).ln());
    let height = size.map(|size| (size + 1e-6).ln());
    let odd = (area[0] - area[1]).abs() - (area[0] - area[2]).abs();
    let y_up = odd + (area[1] - area[2]) + 0.5 * (height[2] - height[1]);
    if y_up > 1e-9 {
        (UpAxis::Y, why)
    } else {
        (UpAxis::Z, why)
    }
}

/// Twice the area of a polygon, along its normal.
fn area_vector(polygon: &[Point]) -> Point {
    let Some((&first, rest)) = polygon.split_first() else {
        return [0.0; 3];
    };
    rest.windows(2).fold([0.0; 3], |sum, pair| {
        let turn = cross(minus(pair[0], first), minus(pair[1], first));
        std::array::from_fn(|k| sum[k] + turn[k])
    })
}
