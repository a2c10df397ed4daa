//! Stamps, a line of JSON each.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{NO_MESH, Shape, TopEffect, unread};
use crate::error::IngestError;
use crate::mesh::read_mesh;
use crate::source::file_bytes;
use crate::world::Short;

/// A line of a file of stamps. Lengths are metres: east and south from the first sample, and up from
/// height 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "a line of stamps"))]
#[serde(deny_unknown_fields)]
pub struct StampLine {
    /// What it looks like.
    pub shape: ShapeName,
    /// Its middle; of a mesh, where the mesh's origin is put.
    pub at: [f64; 3],
    /// Radius of a sphere or a cylinder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// From bottom to top of a cylinder, which stands upright.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Sides of a box: east, south, up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 3]>,
    /// A mesh's file, OBJ or glTF 2.0 (.glb, .gltf); its name is from the folder of the stamps' file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How many times as large as in its file a mesh is; 1 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// What it does: `dig` empties, `fill` fills what is empty, `replace` makes what is not empty
    /// another material.
    #[serde(rename = "do")]
    pub effect: EffectName,
    /// The material of a fill or replacement, by number or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialOf>,
    /// Only this material is replaced, by number or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MaterialOf>,
    /// A cube is taken if this share of it, more than 0 and at most 1, is occupied; if not said, when its
    /// middle is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// The shapes that stamps have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShapeName {
    /// With a `radius`.
    Sphere,
    /// With a `size`.
    Box,
    /// With a `radius` and a `height`.
    Cylinder,
    /// With a `file`.
    Mesh,
}

/// What stamps do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EffectName {
    /// Empties.
    Dig,
    /// Fills what is empty.
    Fill,
    /// Makes what is not empty another material.
    Replace,
}

/// A material by its number or name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected the number or the name of a material")]
pub enum MaterialOf {
    /// Its number.
    Number(u8),
    /// Its name.
    Name(String),
}

/// A stamp on a heightmap: a shape in metres, and what it does to the top of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct TopStamp {
    /// Its line in the file.
    pub line: usize,
    /// East and south from the first sample, and up from height 0, in metres.
    pub shape: Shape,
    /// What it does.
    pub effect: TopEffect,
}

/// Reads all stamps of a file for a heightmap, which has no materials: what they are filled with is
/// not asked for, and a `replace` does nothing.
///
/// # Errors
///
/// A file that cannot be read, and the first line that is no stamp for a heightmap: of another form, of no
/// size, of a mesh.
pub fn read_top_stamps(path: &Path) -> Result<Vec<TopStamp>, IngestError> {
    let stamps = read_stamp_lines(path, |line| {
        let effect = match line.effect {
            EffectName::Dig => TopEffect::Dig,
            EffectName::Fill => TopEffect::Fill,
            EffectName::Replace => return Ok(None),
        };
        if line.shape == ShapeName::Mesh {
            return Err(IngestError::bad(NO_MESH, "a mesh", REMEDY));
        }
        let shape = line.shape(Path::new(""), line.at, [1.0; 3])?;
        shape.check()?;
        Ok(Some((shape, effect)))
    })?;
    let stamps = stamps.into_iter().filter_map(|(line, stamp)| {
        let (shape, effect) = stamp?;
        Some(TopStamp {
            line,
            shape,
            effect,
        })
    });
    Ok(stamps.collect())
}

/// Makes something of each line that is not blank, and returns it with the line's number.
///
/// # Errors
///
/// A file that cannot be read, and the first line that is no stamp, or of which nothing could be made.
pub fn read_stamp_lines<T>(
    path: &Path,
    make: impl Fn(StampLine) -> Result<T, IngestError>,
) -> Result<Vec<(usize, T)>, IngestError> {
    let read = || {
        let bytes = file_bytes(path, "stamps, a line of JSON each")?;
        let mut stamps = Vec::new();
        for (i, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line = serde_json::from_slice(line)
                .map_err(|error| IngestError::bad("a stamp", unread(&error), REMEDY));
            let stamp = line.and_then(&make);
            let stamp = stamp.map_err(|error| {
                if error.path().as_os_str().is_empty() {
                    error.within(format!("line {}", i + 1))
                } else {
                    // A mesh's file has lines of its own.
                    error
                }
            })?;
            stamps.push((i + 1, stamp));
        }
        Ok(stamps)
    };
    read().map_err(|error: IngestError| error.about(path))
}

impl StampLine {
    /// The shape of a line whose middle is `at`, where a unit has so many metres. The names of meshes begin in `folder`.
    ///
    /// # Errors
    ///
    /// A shape without what it needs, lengths of 0 or less, a mesh that cannot be read or is not closed.
    pub fn shape(
        &self,
        folder: &Path,
        at: [f64; 3],
        [dx, dy, dz]: [f64; 3],
    ) -> Result<Shape, IngestError> {
        let bad = |expected: &str, found: String| IngestError::bad(expected, found, REMEDY);
        let positive = |value: f64, name: &str| {
            if value > 0.0 {
                Ok(value)
            } else {
                Err(bad(&format!("{name} above 0"), Short(value).to_string()))
            }
        };
        let needed = |value: Option<f64>, name: &str| match value {
            Some(value) => positive(value, name),
            None => Err(bad(name, format!("a {:?} without it", self.shape))),
        };
        Ok(match self.shape {
            ShapeName::Sphere => {
                let radius = needed(self.radius, "a \"radius\"")?;
                Shape::Ellipsoid {
                    at,
                    radii: [radius / dx, radius / dy, radius / dz],
                }
            }
            ShapeName::Box => {
                let Some(size) = self.size else {
                    return Err(bad(
                        "a \"size\" of three lengths",
                        "a box without it".into(),
                    ));
                };
                for length in size {
                    positive(length, "a \"size\" of three lengths")?;
                }
                let half = [size[0] / dx / 2.0, size[1] / dy / 2.0, size[2] / dz / 2.0];
                Shape::Cuboid {
                    from: [0, 1, 2].map(|axis| at[axis] - half[axis]),
                    to: [0, 1, 2].map(|axis| at[axis] + half[axis]),
                }
            }
            ShapeName::Cylinder => {
                let radius = needed(self.radius, "a \"radius\"")?;
                let height = needed(self.height, "a \"height\"")?;
                Shape::Cylinder {
                    at,
                    radii: [radius / dx, radius / dy],
                    height: height / dz,
                }
            }
            ShapeName::Mesh => {
                let Some(file) = &self.file else {
                    return Err(bad("a \"file\"", "a mesh without it".into()));
                };
                let scale = self.scale.unwrap_or(1.0);
                let spacing = [dx, dy, dz];
                let place = |corner: [f64; 3]| {
                    [0, 1, 2].map(|axis| at[axis] + scale * corner[axis] / spacing[axis])
                };
                Shape::Mesh(read_mesh(&folder.join(file))?.moved(place))
            }
        })
    }
}

/// What to do about a line that is no stamp.
pub const REMEDY: &str =
    "write it as in {\"shape\":\"sphere\",\"at\":[120,80,35],\"radius\":5,\"do\":\"dig\"}";
