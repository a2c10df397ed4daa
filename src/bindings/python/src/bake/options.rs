//! Arguments of a bake, as `viewcell.bake` has looked at them: names become what the library knows.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell_bake::plan::{BudgetChoice, CellChoice, Grade, Layer, Layers, Players, WeightChoice};
use viewcell_bake::{
    BakeOptions, CellOptions, Curvature, FlowMethod, Keep, PlanOptions, Quality, VisibilityMode,
};
use viewcell_ingest::solid::{Exporter, Sky, SolidOptions, UpAxis};
use viewcell_ingest::world::Symmetry;
use viewcell_ingest::world::solid::{Aabb, Placement};
use viewcell_ingest::{ByteOrder, IngestOptions};

/// Of every bake.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Manner {
    threads: usize,
    memory: Option<u64>,
    overwrite: bool,
    resume: bool,
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
    recompute: bool,
    #[pyo3(item)]
    fast: bool,
    #[pyo3(item)]
    portals: bool,
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
    cell: Option<[f64; 2]>,
    #[pyo3(item)]
    grade: u32,
    #[pyo3(item)]
    hull: Option<[f64; 6]>,
    #[pyo3(item)]
    eye: Option<[f64; 2]>,
    #[pyo3(item)]
    reach: Vec<[f64; 3]>,
    #[pyo3(item)]
    within: Option<[f64; 6]>,
    #[pyo3(item)]
    sky: String,
    #[pyo3(item)]
    pack: Option<PathBuf>,
}

/// The value of a name; what names there are, in the words of an error.
fn named<T: Clone>(option: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
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
            memory: self.memory,
            overwrite: self.overwrite,
            keep: if self.resume {
                Keep::Resume
            } else {
                Keep::Nothing
            },
            ..BakeOptions::default()
        }
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
    /// How much is kept.
    fn budget(self) -> PyResult<Option<BudgetChoice>> {
        let Some(bytes) = self.budget else {
            return match self.weight {
                None => Ok(None),
                Some(_) => Err(PyValueError::new_err("weight: expected a budget with it")),
            };
        };
        let weight = match self.weight {
            None => WeightChoice::Area,
            Some(Weights::Name(name)) => {
                let known = [("area", WeightChoice::Area), ("level", WeightChoice::Level)];
                named("weight", &name, &known)?
            }
            Some(Weights::Samples(weights)) => WeightChoice::Raster(Layer::Samples(weights)),
        };
        Ok(Some(BudgetChoice { bytes, weight }))
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

    /// How it is baked.
    pub fn options(self) -> PyResult<PlanOptions> {
        let modes = [
            ("conservative", VisibilityMode::Conservative),
            ("exact", VisibilityMode::Exact),
        ];
        let qualities = Quality::ALL.map(|quality| (quality.name(), quality));
        let quality = named("quality", &self.quality, &qualities)?;
        let cells = CellChoice {
            quality: match self.size.budget {
                Some(_) => Quality::Samples,
                None => quality,
            },
            finest: self.finest,
            grade: self.grade.map(Grade::Ratio),
            detail: self.detail,
            cell: None,
        };
        let bake = BakeOptions {
            eye_height: self.eye_height,
            player_height: self.player_height,
            mode: named("visibility", &self.visibility, &modes)?,
            max_distance: self.max_distance,
            curvature: self
                .curvature
                .map(|(radius, refraction)| Curvature { radius, refraction }),
            ..self.manner.options()
        };
        Ok(PlanOptions {
            cells,
            budget: self.size.budget()?,
            bake,
            ..PlanOptions::default()
        })
    }
}

impl CellArguments {
    /// How it is baked.
    pub fn options(&self) -> PyResult<PlanOptions> {
        let known = [
            ("or", Symmetry::Or),
            ("and", Symmetry::And),
            ("none", Symmetry::None),
        ];
        let graph = CellOptions {
            symmetry: named("symmetry", &self.symmetry, &known)?,
            recompute: self.recompute,
            portals: self.portals,
            flow: if self.fast {
                FlowMethod::Fast
            } else {
                FlowMethod::Full
            },
            ..CellOptions::default()
        };
        Ok(PlanOptions {
            bake: self.manner.options(),
            graph,
            ..PlanOptions::default()
        })
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

    /// Who plays in it.
    pub fn players(&mut self) -> Players {
        let corners = |[a, b, c, d, e, f]: [f64; 6]| [[a, b, c], [d, e, f]];
        Players {
            hull: self.hull.map(corners).map(|[min, max]| Aabb { min, max }),
            eye: self.eye,
            reach: std::mem::take(&mut self.reach),
            within: self.within.map(corners),
            ..Players::default()
        }
    }

    /// How it is baked.
    pub fn options(self) -> PyResult<PlanOptions> {
        let cells = CellChoice {
            cell: self.cell,
            grade: Some(Grade::Ratio(self.grade)),
            ..CellChoice::default()
        };
        Ok(PlanOptions {
            cells,
            bake: self.manner.options(),
            budget: self.size.budget()?,
            ..PlanOptions::default()
        })
    }
}
