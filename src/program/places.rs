//! Where players can be, and on what ground: `--ground`, `--walkable` and the like; and buildings on a terrain: `--solids`
//! and `--placement`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use viewcell_bake::plan::{Layer, Layers};
use viewcell_ingest::Ingested;
use viewcell_ingest::world::solid::Placement;

use super::exit::Failure;
use super::flags::noted;
use super::heightmap::Reading;
use super::level::MeshArgs;
use super::values;

/// Where players can be, and on what ground.
#[derive(Clone, Default, clap::Args, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct PlaceArgs {
    /// Heightmap of the ground that players stand on, with the same samples and reading options as INPUT. INPUT,
    /// the surface with houses and trees, hides
    ///
    /// Places where INPUT covers a player's eye and head, as in a house, are left out: see --inside. Nobody can
    /// stand where GROUND is void, and nothing hides where INPUT is void.
    #[arg(long, value_name = "GROUND")]
    pub ground: Option<PathBuf>,

    /// With --ground: accept ground that is above INPUT by up to this many metres. Feet are on GROUND, and INPUT
    /// hides as it is
    #[arg(
        hide_short_help = true,
        long,
        value_name = "METRES",
        requires = "ground"
    )]
    pub ground_tolerance: Option<f64>,

    /// With --ground: include places in houses and trees. Players there are hidden from all others
    #[arg(long, hide_short_help = true, requires = "ground")]
    #[serde(default)]
    pub inside: bool,

    /// Level of solids, such as a town in CityJSON, that stands on the terrain. Closed bodies hide where they are
    /// solid from the ground up, and players stand on top. Positioned by its coordinate reference system, or by
    /// --placement
    #[arg(long, value_name = "FILE")]
    pub solids: Option<PathBuf>,

    /// With --solids: position of their origin, in metres east and south of the first sample and up, and
    /// optionally metres per unit
    #[arg(
        hide_short_help = true,
        long,
        value_name = "EAST,SOUTH,UP[,SCALE]",
        requires = "solids"
    )]
    pub placement: Option<String>,

    #[command(flatten)]
    #[serde(flatten)]
    pub mesh: MeshArgs,

    /// Raster with the same samples, 0 or nodata where nobody can be. Such places still hide what is behind them,
    /// but cannot be queried: the bake is faster, and the bundle smaller
    #[arg(long, value_name = "MASK")]
    pub walkable: Option<PathBuf>,

    /// Nobody can be where the ground is steeper than this, 0 to 90
    #[arg(long, value_name = "DEGREES")]
    pub max_slope: Option<f64>,

    /// Nobody can be where the ground is at this height or below
    #[arg(long, value_name = "METRES", value_parser = values::finite)]
    pub water_level: Option<f64>,
}

/// Where players can be after a change of the ground: how the files are taken, the bundle says.
///
/// Flattened into [`PlaceArgs`], what the two have in common would lose the line of a fault in a job file.
#[derive(Clone, clap::Args)]
pub struct NewPlaces {
    /// New ground below the surface, if the bundle has one: with the same samples as the new terrain
    #[arg(long, value_name = "GROUND")]
    pub ground: Option<PathBuf>,

    /// Level of solids that stands on the new terrain, if one stands on the bundle's
    #[arg(long, value_name = "FILE")]
    pub solids: Option<PathBuf>,

    /// Raster with the same samples as the new terrain, 0 or nodata where nobody can be
    #[arg(long, value_name = "MASK")]
    pub walkable: Option<PathBuf>,

    /// Nobody can be where the ground is steeper than this, 0 to 90
    #[arg(long, value_name = "DEGREES")]
    pub max_slope: Option<f64>,

    /// Nobody can be where the ground is at this height or below
    #[arg(long, value_name = "METRES", value_parser = values::finite)]
    pub water_level: Option<f64>,
}

impl NewPlaces {
    /// Taken as files usually are.
    pub fn all(&self) -> PlaceArgs {
        PlaceArgs {
            ground: self.ground.clone(),
            solids: self.solids.clone(),
            walkable: self.walkable.clone(),
            max_slope: self.max_slope,
            water_level: self.water_level,
            ..PlaceArgs::default()
        }
    }
}

impl PlaceArgs {
    /// These for the new terrain of a bundle, and what the bundle's options have else of places, which is taken out of them.
    pub fn over(
        self,
        bundle: &Path,
        options: &mut Map<String, Value>,
    ) -> Result<serde_json::Result<Self>, Failure> {
        let given = [
            ("ground", &self.ground),
            ("solids", &self.solids),
            ("walkable", &self.walkable),
        ];
        for (name, given) in given {
            if let Some(file) = options.remove(name)
                && given.is_none()
            {
                return Err(Failure::usage(format!(
                    "{}: was baked with --{name} {}; give --{name} for the new terrain",
                    bundle.display(),
                    file.as_str().unwrap_or("FILE")
                )));
            }
        }
        let mut number = |name| options.remove(name).as_ref().and_then(Value::as_f64);
        let tolerance = number("ground-tolerance");
        let [max_slope, water_level] = ["max-slope", "water-level"].map(number);
        let inside = options.remove("inside").is_some();
        let placement = options.remove("placement");
        let mesh = match &self.solids {
            Some(_) => MeshArgs::deserialize(Value::Object(options.clone())),
            None => Ok(MeshArgs::default()),
        };
        Ok(mesh.map(|mesh| Self {
            inside: inside && self.ground.is_some(),
            ground_tolerance: tolerance.filter(|_| self.ground.is_some()),
            placement: placement.and_then(|placement| placement.as_str().map(str::to_owned)),
            mesh,
            max_slope: self.max_slope.or(max_slope),
            water_level: self.water_level.or(water_level),
            ..self
        }))
    }

    /// Puts the terrain, which was read from `input`, on its ground, and takes away where nobody can
    /// be. What a person should know of it goes to the notes.
    pub fn apply(
        &self,
        ingested: &mut Ingested,
        input: &Path,
        reading: &Reading,
    ) -> Result<(), Failure> {
        self.layers()?.apply(ingested, input, &reading.options())?;
        noted(&mut ingested.notes);
        Ok(())
    }

    /// For the library.
    pub fn layers(&self) -> Result<Layers, Failure> {
        Ok(Layers {
            ground: self.ground.clone().map(Layer::File),
            ground_tolerance: self.ground_tolerance,
            inside: self.inside,
            solids: self.solids.clone(),
            mesh: self.mesh.options(),
            placement: self.placement.as_deref().map(parse).transpose()?,
            walkable: self.walkable.clone().map(Layer::File),
            max_slope: self.max_slope,
            water_level: self.water_level,
        })
    }

    /// Files that it names are taken from a folder.
    pub fn within(&mut self, folder: &Path) {
        let files = [&mut self.ground, &mut self.solids, &mut self.walkable];
        for path in files.into_iter().flatten() {
            *path = folder.join(&*path);
        }
    }
}

/// Three or four numbers.
fn parse(text: &str) -> Result<Placement, Failure> {
    match values::numbers(text).as_deref() {
        Some(&[east, south, up]) => Ok((east, south, up, 1.0)),
        Some(&[east, south, up, scale]) if scale > 0.0 => Ok((east, south, up, scale)),
        _ => Err(Failure::usage(format!(
            "--placement {text}: expected EAST,SOUTH,UP or EAST,SOUTH,UP,SCALE: metres, and metres a unit, more than 0"
        ))),
    }
    .map(|(east, south, up, scale)| Placement {
        origin: [east, south, up],
        scale,
    })
}
