//! Ground from a heightmap, a stack of images, or voxels; stamps, a line of JSON each.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::build::{Ask, Depth, MOST_CUBES, build, of_layers};
use super::error::GroundError;
use super::frame::{Frame, Georeference, Sides};
use super::layered::{Layered, check_effect};
use super::patches::Patches;
use super::stamp::{Effect, Rule, Stamp};
use super::tree::Material;
use viewcell_ingest::ground::{
    EffectName, MaterialOf, REMEDY, StampLine, read_stamp_lines, unread,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestError, IngestOptions, file_bytes, file_length, read_terrain};

/// What ground is made from.
#[derive(Clone, Debug)]
pub enum GroundSource {
    /// A heightmap; layers have depths.
    Heightmap(PathBuf),
    /// Grey images of one size, the lowest slice first; layers have values. A folder is all its PNGs
    /// in the order of their names.
    Stack(Vec<PathBuf>),
    /// A byte a cube, the first row of the lowest slice first; its size is an option. Layers have
    /// values.
    Voxels(PathBuf),
}

/// What a person may say about it.
#[derive(Clone, Debug)]
pub struct GroundOptions {
    /// How rasters are read; the `size` of voxels, and their `spacing`.
    pub reading: IngestOptions,
    /// How high a cube is, in metres; else what the layers' file says.
    pub cube_height: Option<f64>,
    /// Sides of patches.
    pub sides: Sides,
    /// The most cubes.
    pub max_cubes: u64,
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self {
            reading: IngestOptions::default(),
            cube_height: None,
            sides: Sides::default(),
            max_cubes: MOST_CUBES,
        }
    }
}

/// Ground, and what a person should know.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// The ground.
    pub ground: Patches,
    /// What a person should know of the input.
    pub notes: Vec<String>,
}

/// Makes ground of files. `folder` is where the names of rasters in `layers` begin.
///
/// # Errors
///
/// Files that cannot be read or are not what they should be, images of different sizes, values that no
/// layer has, more cubes than are allowed: that is said before they are made.
pub fn read_ground(
    source: &GroundSource,
    layers: &LayersFile,
    folder: &Path,
    options: &GroundOptions,
) -> Result<Grounded, IngestError> {
    match source {
        GroundSource::Heightmap(path) => of_heightmap(path, layers, folder, options),
        GroundSource::Stack(paths) => of_stack(paths, layers, options),
        GroundSource::Voxels(path) => {
            of_voxels(path, layers, options).map_err(|error| error.about(path))
        }
    }
}

impl From<GroundError> for IngestError {
    fn from(error: GroundError) -> Self {
        let text = error.to_string();
        match error {
            GroundError::TooLarge { size, most } => Self::resource(
                format!("at most {most} cubes"),
                size.map(|side| side.to_string()).join(" x "),
                "make them higher (`cube_height`), take a part (`crop`), or raise the limit (`max_cubes`)",
            ),
            GroundError::Bad {
                place,
                expected,
                found,
            }
            | GroundError::Damaged {
                place,
                expected,
                found,
            } => Self::bad(expected, found, "correct it there").at(place),
            _ => Self::bad("something that fits the ground", text, "correct it"),
        }
    }
}

fn ask(size: [u32; 2], spacing: [f64; 2], layers: &LayersFile, options: &GroundOptions) -> Ask {
    let up = options.cube_height.or(layers.cube_height).unwrap_or(1.0);
    Ask {
        size,
        spacing: [spacing[0], spacing[1], up],
        materials: layers
            .layers
            .iter()
            .map(|layer| layer.name.clone())
            .collect(),
        sides: options.sides,
        most_cubes: options.max_cubes,
    }
}

fn of_heightmap(
    path: &Path,
    layers: &LayersFile,
    folder: &Path,
    options: &GroundOptions,
) -> Result<Grounded, IngestError> {
    let read = read_terrain(path, &options.reading)?;
    let (terrain, notes) = (read.terrain, read.notes);
    let depth_options = IngestOptions {
        spacing: Some(terrain.spacing()),
        crop: options.reading.crop,
        max_samples: options.reading.max_samples,
        ..IngestOptions::default()
    };
    let depth = |depth: &Option<DepthOf>| match depth {
        None => Ok(Depth::Rest),
        Some(DepthOf::Metres(metres)) => Ok(Depth::Constant(*metres)),
        Some(DepthOf::Raster(name)) => {
            let raster = read_terrain(&folder.join(name), &depth_options)?.terrain;
            if (raster.width(), raster.height()) != (terrain.width(), terrain.height()) {
                return Err(IngestError::bad(
                    format!("{} x {} depths", terrain.width(), terrain.height()),
                    format!("{} x {}", raster.width(), raster.height()),
                    "give a raster of the heightmap's size",
                )
                .about(&folder.join(name)));
            }
            Ok(Depth::Raster(raster.heights().to_vec()))
        }
    };
    let depths = layers.layers.iter().map(|layer| depth(&layer.depth));
    let depths: Vec<Depth> = depths.collect::<Result<_, _>>()?;
    let ask = ask(
        [terrain.width(), terrain.height()],
        terrain.spacing(),
        layers,
        options,
    );
    let ground = of_layers(&ask, terrain.heights(), &depths, layers.bottom).map_err(|error| {
        let of_layers =
            matches!(&error, GroundError::Bad { place, .. } if place.starts_with("layer"));
        IngestError::from(error).about(if of_layers { &layers.path } else { path })
    })?;
    Ok(Grounded {
        ground: placed(ground, &terrain),
        notes,
    })
}

/// The same ground, where a terrain lies.
fn placed(ground: Patches, terrain: &Terrain) -> Patches {
    let mut frame = ground.frame().clone();
    frame.place = terrain.georeference().map(|place| Georeference {
        crs: place.crs.clone(),
        transform: place.transform,
    });
    Patches::new(frame, ground.version(), ground.stacks().to_vec())
}

/// The material of each value; 255 where there is none.
fn materials(layers: &LayersFile) -> Result<Vec<Material>, IngestError> {
    let mut materials = vec![NONE; 1 << 16];
    materials[0] = 0;
    for (layer, number) in layers.layers.iter().zip(1u8..) {
        let value = layer.value.unwrap_or(number.into());
        if materials[usize::from(value)] != NONE {
            return Err(IngestError::bad(
                "a value of its own for each layer, other than 0",
                format!("{value} for {}", layer.name),
                "correct the file of layers",
            ));
        }
        materials[usize::from(value)] = number;
    }
    Ok(materials)
}

const NONE: Material = 255;

fn unnamed(value: f64, at: usize, width: u32, layers: &LayersFile) -> IngestError {
    let values = layers.layers.iter().zip(1u16..);
    let values = values.map(|(layer, number)| layer.value.unwrap_or(number).to_string());
    IngestError::bad(
        format!(
            "0 or a value of a layer ({})",
            values.collect::<Vec<_>>().join(", ")
        ),
        value.to_string(),
        "name it in the file of layers, with its \"value\"",
    )
    .at(format!(
        "cube ({}, {})",
        at as u32 % width,
        at as u32 / width
    ))
}

fn of_stack(
    paths: &[PathBuf],
    layers: &LayersFile,
    options: &GroundOptions,
) -> Result<Grounded, IngestError> {
    let images = images(paths)?;
    let materials = materials(layers)?;
    let reading = IngestOptions {
        spacing: Some(options.reading.spacing.unwrap_or([1.0; 2])),
        ..options.reading.clone()
    };
    let first = read_terrain(&images[0], &reading)?.terrain;
    let size = [first.width(), first.height()];
    let bottom = layers.first_slice.unwrap_or(0);
    let end = i32::try_from(images.len())
        .ok()
        .and_then(|many| bottom.checked_add(many));
    let end = end.unwrap_or(i32::MAX);
    let ask = ask(size, first.spacing(), layers, options);
    let ground = build(&ask, bottom..end, |slice, cubes: &mut [Material]| {
        let path = &images[(slice - bottom) as usize];
        let image = read_terrain(path, &reading)?.terrain;
        if [image.width(), image.height()] != size {
            return Err(IngestError::bad(
                format!(
                    "{} x {} pixels, as {} has",
                    size[0],
                    size[1],
                    images[0].display()
                ),
                format!("{} x {}", image.width(), image.height()),
                "give images of one size",
            )
            .about(path));
        }
        for (i, (cube, value)) in cubes.iter_mut().zip(image.heights()).enumerate() {
            let whole = value.fract() == 0.0 && (0.0..65536.0).contains(value);
            let material = if whole {
                materials[*value as usize]
            } else {
                NONE
            };
            if material == NONE {
                return Err(unnamed(*value, i, size[0], layers).about(path));
            }
            *cube = material;
        }
        Ok(())
    });
    Ok(Grounded {
        ground: ground.map_err(|error| error.about(&images[0]))?,
        notes: Vec::new(),
    })
}

/// The images that names stand for.
fn images(paths: &[PathBuf]) -> Result<Vec<PathBuf>, IngestError> {
    let mut images = Vec::new();
    for path in paths {
        if !path.is_dir() {
            images.push(path.clone());
            continue;
        }
        let listed = std::fs::read_dir(path).map_err(|error| IngestError::io(error).about(path))?;
        let mut found = Vec::new();
        for entry in listed {
            let file = entry
                .map_err(|error| IngestError::io(error).about(path))?
                .path();
            if file
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("png"))
            {
                found.push(file);
            }
        }
        found.sort();
        images.extend(found);
    }
    if images.is_empty() {
        let name = paths.first().cloned().unwrap_or_default();
        return Err(IngestError::bad(
            "PNG files",
            "none",
            "name images, or a folder that has some",
        )
        .about(&name));
    }
    Ok(images)
}

fn of_voxels(
    path: &Path,
    layers: &LayersFile,
    options: &GroundOptions,
) -> Result<Grounded, IngestError> {
    let length = file_length(path, "voxels, a byte each")?;
    let Some(size) = options.reading.size else {
        return Err(IngestError::usage(
            "columns and rows",
            "voxels without them",
            "give their `size`",
        ));
    };
    let slice_bytes = u64::from(size[0]) * u64::from(size[1]);
    if slice_bytes == 0 || !length.is_multiple_of(slice_bytes) {
        return Err(IngestError::bad(
            format!("whole slices of {} x {} bytes", size[0], size[1]),
            format!("{length} bytes"),
            "give the right `size`",
        ));
    }
    let bottom = layers.first_slice.unwrap_or(0);
    let many = i32::try_from(length / slice_bytes).ok();
    let end = many
        .and_then(|many| bottom.checked_add(many))
        .unwrap_or(i32::MAX);
    let materials = materials(layers)?;
    let spacing = options.reading.spacing.unwrap_or([1.0; 2]);
    let ask = ask(size, spacing, layers, options);
    ask.check(&(bottom..end))?;
    let mut file = File::open(path).map_err(IngestError::io)?;
    let mut bytes = vec![0; slice_bytes as usize];
    let ground = build(&ask, bottom..end, |slice, cubes: &mut [Material]| {
        let at = (slice - bottom) as u64 * slice_bytes;
        file.seek(SeekFrom::Start(at)).map_err(IngestError::io)?;
        file.read_exact(&mut bytes).map_err(IngestError::io)?;
        for (i, (cube, value)) in cubes.iter_mut().zip(&bytes).enumerate() {
            *cube = materials[usize::from(*value)];
            if *cube == NONE {
                let error = unnamed(f64::from(*value), i, size[0], layers);
                return Err(error);
            }
        }
        Ok(())
    })?;
    Ok(Grounded {
        ground,
        notes: Vec::new(),
    })
}

/// Reads all stamps of a file for some ground, each with the number of its line; lines that are blank
/// are none.
///
/// # Errors
///
/// A file that cannot be read, and the first line that is no stamp for this ground: of another form, of no
/// size, wholly outside, of a material that the ground does not have.
pub fn read_stamps(path: &Path, frame: &Frame) -> Result<Vec<(usize, Stamp)>, IngestError> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    read_stamp_lines(path, |line| stamp(&line, &folder, frame))
}

fn stamp(line: &StampLine, folder: &Path, frame: &Frame) -> Result<Stamp, IngestError> {
    let bad = |expected: &str, found: String| IngestError::bad(expected, found, REMEDY);
    let shape = line.shape(folder, frame.cubes_of(line.at), frame.spacing())?;
    let material = |name: &str, of: &Option<MaterialOf>| match of {
        None => Err(bad(name, "none".into())),
        Some(MaterialOf::Number(number)) => Ok(*number),
        Some(MaterialOf::Name(name)) => {
            let index = frame.materials().iter().position(|other| other == name);
            let number = index.map(|index| index as u8 + 1);
            let names = frame.materials().join(", ");
            number.ok_or_else(|| bad(&format!("a material of {names}"), name.clone()))
        }
    };
    let effect = match line.effect {
        EffectName::Dig => Effect::Dig,
        EffectName::Fill => Effect::Fill(material("a \"material\" to fill with", &line.material)?),
        EffectName::Replace => Effect::Replace {
            from: match &line.from {
                None => None,
                from => Some(material("a material", from)?),
            },
            to: material("a \"material\" to replace others by", &line.material)?,
        },
    };
    let rule = line.share.map_or(Rule::Halfway, Rule::Share);
    let stamp = Stamp {
        shape,
        effect,
        rule,
    };
    check_effect(frame, effect)?;
    // What would fail when it is made fails before the first is.
    stamp.shape.check()?;
    stamp.reach(frame)?;
    Ok(stamp)
}

/// The layers of some ground, from the top down. Their order gives materials their numbers: 1, 2 ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(title = "layers for viewcell experiment layered build")
)]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
            .map_err(|error| IngestError::bad("layers", unread(&error), LAYERS))?;
        layers.path = path.to_owned();
        let sound = |value: Option<f64>| value.is_none_or(f64::is_finite);
        if !(sound(layers.bottom) && layers.cube_height.is_none_or(|up| up > 0.0)) {
            let found = "others";
            return Err(IngestError::bad(
                "\"bottom\" and \"cube_height\" in metres",
                found,
                LAYERS,
            ));
        }
        if layers.layers.is_empty() || layers.layers.len() > 254 {
            let found = layers.layers.len().to_string();
            return Err(IngestError::bad("1 to 254 layers", found, LAYERS));
        }
        Ok(layers)
    };
    read().map_err(|error: IngestError| error.about(path))
}

const LAYERS: &str =
    "write it as in {\"layers\": [{\"name\": \"soil\", \"depth\": 2}, {\"name\": \"rock\"}]}";
