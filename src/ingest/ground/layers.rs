//! What layers some ground has: a JSON file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::json::unread;
use crate::ingest::error::IngestError;
use crate::ingest::source::file_bytes;

/// The layers of some ground, from the top down. Their order gives materials their numbers: 1, 2 ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", schemars(title = "layers for viewcell ground build"))]
#[serde(deny_unknown_fields)]
pub struct LayersFile {
    /// The layers.
    pub layers: Vec<LayerOf>,
    /// How high a cube is, in metres; 1 if not said, here or on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cube_height: Option<f64>,
    /// The height at which the last layer ends, in metres; ten cubes below the lowest place of its
    /// top if not said. For heightmaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// The number of the lowest slice; 0 if not said. For images and voxels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_slice: Option<i32>,
    /// The file that it was read from, for errors.
    #[serde(skip)]
    pub path: PathBuf,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LayerOf {
    /// The name of its material.
    pub name: String,
    /// How deep it is; down to the bottom if not said, which only the last may be. For heightmaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthOf>,
    /// Which value of images and voxels stands for it; its number if not said. 0 is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u16>,
}

/// How deep a layer is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "expected a depth in metres, or the name of a raster of depths"
)]
pub enum DepthOf {
    /// The same everywhere, in metres.
    Metres(f64),
    /// A raster of depths in metres, as many samples as the heightmap; its name is from the folder of
    /// the layers' file.
    Raster(PathBuf),
}

/// Reads a file of layers.
///
/// # Errors
///
/// A file that cannot be read, or is not what [`LayersFile`] says.
pub fn read_layers(path: &Path) -> Result<LayersFile, IngestError> {
    let read = || {
        let bytes = file_bytes(path, "a JSON file of layers")?;
        let mut layers: LayersFile = serde_json::from_slice(&bytes)
            .map_err(|error| IngestError::bad("layers", unread(&error), REMEDY))?;
        layers.path = path.to_owned();
        let sound = |value: Option<f64>| value.is_none_or(f64::is_finite);
        if !(sound(layers.bottom) && layers.cube_height.is_none_or(|up| up > 0.0)) {
            let found = "others";
            return Err(IngestError::bad(
                "\"bottom\" and \"cube_height\" in metres",
                found,
                REMEDY,
            ));
        }
        if layers.layers.is_empty() || layers.layers.len() > 254 {
            let found = layers.layers.len().to_string();
            return Err(IngestError::bad("1 to 254 layers", found, REMEDY));
        }
        Ok(layers)
    };
    read().map_err(|error: IngestError| error.of(path))
}

const REMEDY: &str =
    "write it as in {\"layers\": [{\"name\": \"soil\", \"depth\": 2}, {\"name\": \"rock\"}]}";
