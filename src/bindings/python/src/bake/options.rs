//! Arguments of a bake, as `viewcell.bake` has looked at them: names become what the library knows.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell_bake::prepare::{Layer, Layers, free_memory};
use viewcell_bake::{
    BakeOptions, Budget, CellSizes, Compression, Curvature, Keep, Quality, VisibilityMode, Weight,
};
use viewcell_ingest::solid::{Exporter, Sky, SolidOptions, UpAxis};
use viewcell_ingest::world::Symmetry;
use viewcell_ingest::world::solid::Placement;
use viewcell_ingest::{ByteOrder, IngestOptions};

/// Of every bake.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Manner {
    threads: usize,
    memory: Option<u64>,
    pub overwrite: bool,
    pub resume: bool,
    pub verify: bool,
}

/// What a file of heights leaves open.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Reading {
    pub spacing: Option<[f64; 2]>,
    vertical_scale: f64,
    vertical_offset: f64,
    size: Option<[u32; 2]>,
    byte_order: Option<String>,
    crop: Option<[u32; 4]>,
    nodata: Option<f64>,
    max_samples: Option<u64>,
}

/// What a mesh leaves open.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Mesh {
    up: Option<String>,
    exporter: Option<String>,
    opaque_without_material: bool,
    keep: Vec<String>,
    drop: Vec<String>,
}

/// Numbers of a raster, or its file.
#[derive(FromPyObject)]
enum Raster {
    File(PathBuf),
    Samples(Vec<f64>),
}

impl From<Raster> for Layer {
    fn from(raster: Raster) -> Self {
        match raster {
            Raster::File(path) => Self::File(path),
            Raster::Samples(samples) => Self::Samples(samples),
        }
    }
}

/// Where players can be.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Places {
    ground: Option<Raster>,
    ground_tolerance: Option<f64>,
    inside: bool,
    solids: Option<PathBuf>,
    placement: Option<Vec<f64>>,
    walkable: Option<Raster>,
    max_slope: Option<f64>,
    water_level: Option<f64>,
}

/// What hidden places are worth.
#[derive(FromPyObject)]
enum Weights {
    Name(String),
    Samples(Vec<f64>),
}

/// What is kept of a bake.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Size {
    budget: Option<u64>,
    weight: Option<Weights>,
}

/// Of a terrain.
#[derive(FromPyObject)]
pub struct TerrainArguments {
    #[pyo3(item)]
    pub reading: Reading,
    #[pyo3(item)]
    mesh: Mesh,
    #[pyo3(item)]
    places: Places,
    #[pyo3(item)]
    size: Size,
    #[pyo3(item)]
    pub manner: Manner,
    #[pyo3(item)]
    pub transform: Option<[f64; 6]>,
    #[pyo3(item)]
    pub crs: Option<String>,
    #[pyo3(item)]
    quality: String,
    #[pyo3(item)]
    finest: Option<u32>,
    #[pyo3(item)]
    grade: Option<u32>,
    #[pyo3(item)]
    detail: Option<u32>,
    #[pyo3(item)]
    visibility: String,
    #[pyo3(item)]
    eye_height: f64,
    #[pyo3(item)]
    player_height: f64,
    #[pyo3(item)]
    max_distance: Option<f64>,
    #[pyo3(item)]
    curvature: Option<(f64, f64)>,
}

/// Of a level of cells.
#[derive(FromPyObject)]
pub struct CellArguments {
    #[pyo3(item)]
    pub manner: Manner,
    #[pyo3(item)]
    symmetry: String,
    #[pyo3(item)]
    pub recompute: bool,
    #[pyo3(item)]
    pub fast: bool,
    #[pyo3(item)]
    pub portals: bool,
    #[pyo3(item)]
    pub map: Option<String>,
    #[pyo3(item)]
    pub pack: Option<PathBuf>,
}

/// Of a solid level.
#[derive(FromPyObject)]
pub struct SolidArguments {
    #[pyo3(item)]
    mesh: Mesh,
    #[pyo3(item)]
    size: Size,
    #[pyo3(item)]
    pub manner: Manner,
    #[pyo3(item)]
    pub cell: Option<[f64; 2]>,
    #[pyo3(item)]
    pub grade: u32,
    #[pyo3(item)]
    pub hull: Option<[f64; 6]>,
    #[pyo3(item)]
    pub eye: Option<[f64; 2]>,
    #[pyo3(item)]
    pub reach: Vec<[f64; 3]>,
    #[pyo3(item)]
    sky: String,
    #[pyo3(item)]
    pack: Option<PathBuf>,
}

/// The value of a name; what names there are, in the words of an error.
fn named<T: Copy>(option: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
        PyValueError::new_err(format!(
            "{option}: expected one of {}, found {name:?}",
            known.join(", ")
        ))
    })
}

impl Manner {
    /// What all kinds of bakes have in common.
    pub fn options(&self) -> BakeOptions {
        BakeOptions {
            threads: self.threads,
            memory: self.memory.or_else(free_memory),
            overwrite: self.overwrite,
            keep: if self.resume {
                Keep::Resume
            } else {
                Keep::Nothing
            },
            ..BakeOptions::default()
        }
    }

    /// Threads that compute.
    pub fn threads(&self) -> usize {
        self.threads
    }
}

impl Reading {
    /// For the readers.
    pub fn options(&self) -> PyResult<IngestOptions> {
        let orders = [("little", ByteOrder::Little), ("big", ByteOrder::Big)];
        let order = self.byte_order.as_deref();
        let default = IngestOptions::default();
        Ok(IngestOptions {
            spacing: self.spacing,
            vertical_scale: self.vertical_scale,
            vertical_offset: self.vertical_offset,
            size: self.size,
            byte_order: order
                .map(|name| named("byte_order", name, &orders))
                .transpose()?,
            crop: self.crop,
            nodata: self.nodata,
            max_samples: self.max_samples.unwrap_or(default.max_samples),
        })
    }
}

impl Mesh {
    fn options(&self) -> PyResult<SolidOptions> {
        let axes = [("y", UpAxis::Y), ("z", UpAxis::Z)];
        let exporters = [
            ("unity", Exporter::Unity),
            ("unreal", Exporter::Unreal),
            ("godot", Exporter::Godot),
            ("blender", Exporter::Blender),
        ];
        let (up, from) = (self.up.as_deref(), self.exporter.as_deref());
        Ok(SolidOptions {
            up: up.map(|name| named("up", name, &axes)).transpose()?,
            from: from
                .map(|name| named("exporter", name, &exporters))
                .transpose()?,
            opaque_without_material: self.opaque_without_material,
            keep: self.keep.clone(),
            drop: self.drop.clone(),
            ..SolidOptions::default()
        })
    }
}

impl Size {
    /// What is kept of a bundle of so many samples, which are cells where cells are coarse.
    fn compression(self, samples: u64) -> PyResult<Compression> {
        let Some(bytes) = self.budget else {
            return match self.weight {
                None => Ok(Compression::Lossless),
                Some(_) => Err(PyValueError::new_err("weight: expected a budget with it")),
            };
        };
        let weight = match self.weight {
            None => Weight::Area,
            Some(Weights::Name(name)) => {
                let known = [("area", false), ("level", true)];
                if named("weight", &name, &known)? {
                    Weight::Level
                } else {
                    Weight::Area
                }
            }
            Some(Weights::Samples(weights)) => {
                let weights = weights
                    .into_iter()
                    .map(|w| if w.is_nan() { 0.0 } else { w });
                Weight::places(weights.collect(), samples)
                    .map_err(|words| PyValueError::new_err(format!("weight: {words}")))?
            }
        };
        Ok(Compression::Optimal(Budget { bytes, weight }))
    }
}

impl TerrainArguments {
    /// Where players can be.
    pub fn layers(&mut self) -> PyResult<Layers> {
        let places = &mut self.places;
        let placement = places.placement.as_deref();
        let placement = placement.map(|numbers| match *numbers {
            [east, south, up] => Ok((east, south, up, 1.0)),
            [east, south, up, scale] => Ok((east, south, up, scale)),
            _ => Err(PyValueError::new_err(
                "placement: expected east, south and up in metres, and metres a unit if it is none",
            )),
        });
        Ok(Layers {
            ground: places.ground.take().map(Layer::from),
            ground_tolerance: places.ground_tolerance,
            inside: places.inside,
            solids: places.solids.take(),
            mesh: self.mesh.options()?,
            placement: placement
                .transpose()?
                .map(|(east, south, up, scale)| Placement {
                    origin: [east, south, up],
                    scale,
                }),
            walkable: places.walkable.take().map(Layer::from),
            max_slope: places.max_slope,
            water_level: places.water_level,
        })
    }

    /// How a terrain of so many columns and rows is baked.
    pub fn bake_options(self, [width, height]: [u32; 2]) -> PyResult<BakeOptions> {
        let modes = [
            ("conservative", VisibilityMode::Conservative),
            ("exact", VisibilityMode::Exact),
        ];
        let mode = named("visibility", &self.visibility, &modes)?;
        let qualities = Quality::ALL.map(|quality| (quality.name(), quality));
        let quality = named("quality", &self.quality, &qualities)?;
        let sizes = match [self.finest, self.grade, self.detail] {
            [None, None, None] if self.size.budget.is_some() => {
                Quality::Samples.cells(width, height, mode)
            }
            [None, None, None] => quality.cells(width, height, mode),
            given => {
                let [finest, grade, detail] = given.map(Option::unwrap_or_default);
                CellSizes {
                    finest,
                    grade,
                    detail,
                }
            }
        };
        let cells = |side: u32| u64::from(side.div_ceil(1 << sizes.finest.min(31)));
        let options = BakeOptions {
            eye_height: self.eye_height,
            player_height: self.player_height,
            mode,
            max_distance: self.max_distance,
            curvature: self
                .curvature
                .map(|(radius, refraction)| Curvature { radius, refraction }),
            inside: self.places.inside,
            compression: self.size.compression(cells(width) * cells(height))?,
            ..self.manner.options()
        };
        Ok(options.with_cells(sizes))
    }
}

impl CellArguments {
    pub fn symmetry(&self) -> PyResult<Symmetry> {
        let known = [
            ("or", Symmetry::Or),
            ("and", Symmetry::And),
            ("none", Symmetry::None),
        ];
        named("symmetry", &self.symmetry, &known)
    }
}

impl SolidArguments {
    pub fn reading(&self) -> PyResult<SolidOptions> {
        let known = [("opaque", Sky::Opaque), ("clear", Sky::Clear)];
        Ok(SolidOptions {
            sky: named("sky", &self.sky, &known)?,
            pack: self.pack.clone(),
            ..self.mesh.options()?
        })
    }

    /// How a level of so many cells is baked.
    pub fn bake_options(self, cells: u64) -> PyResult<BakeOptions> {
        Ok(BakeOptions {
            grade: self.grade,
            compression: self.size.compression(cells)?,
            ..self.manner.options()
        })
    }
}
