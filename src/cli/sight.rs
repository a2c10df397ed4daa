//! How far sight goes, and over what earth: options of all that looks over a heightmap.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use viewcell::internals::bake::check_sight;
use viewcell::internals::visibility::Curvature;
use viewcell::internals::world::Terrain;

use super::exit::Failure;
use super::heightmap::Reading;

/// How far sight goes, and over what earth.
#[derive(Clone, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Sight")]
pub struct SightArgs {
    /// How far one can see, in metres over the ground; if not given, without limit
    #[arg(long, value_name = "METRES")]
    pub max_distance: Option<f64>,

    /// Let the earth be round, and air bend lines of sight. Needs a file that says how long a unit of
    /// its coordinates is, or --spacing
    #[arg(long)]
    #[serde(default)]
    pub earth_curvature: bool,

    /// How much air bends sight, as a share of the earth's curvature: 0 to less than 1; 1/7 if not
    /// given
    #[arg(long, value_name = "K", requires = "earth_curvature")]
    pub refraction: Option<f64>,
}

/// The same, as results tell it.
#[derive(Serialize, JsonSchema)]
pub struct Sight {
    /// Distance in metres beyond which nothing is seen; absent for none.
    pub max_distance: Option<f64>,
    /// Radius of the earth in metres for curvature; absent for a flat one.
    earth_radius: Option<f64>,
    /// Refraction coefficient; 0 for none.
    refraction: f64,
    #[serde(skip)]
    pub curvature: Option<Curvature>,
}

impl SightArgs {
    /// What they come to over `terrain`, which was read from `input`.
    pub fn over(
        &self,
        terrain: &Terrain,
        input: &Path,
        reading: &Reading,
    ) -> Result<Sight, Failure> {
        // A job file knows of no options that need others.
        if let (false, Some(k)) = (self.earth_curvature, self.refraction) {
            return Err(Failure::usage(format!(
                "--refraction {k}: expected only with --earth-curvature; add it, or leave out --refraction"
            )));
        }
        let placed = terrain.georeference().is_some_and(|place| place.has_crs());
        if self.earth_curvature && !placed && reading.spacing.is_none() {
            return Err(Failure::bad_input(format!(
                "{}: --earth-curvature expects to know how many metres apart samples are, and the file names no coordinate reference system; give --spacing DX[,DY]",
                input.display()
            )));
        }
        let curvature = self.refraction_of_earth().map(Curvature::earth);
        check_sight(terrain, self.max_distance, curvature)?;
        Ok(Sight {
            max_distance: self.max_distance,
            earth_radius: curvature.map(|earth| earth.radius),
            refraction: curvature.map_or(0.0, |earth| earth.refraction),
            curvature,
        })
    }

    /// The refraction coefficient on a round earth; `None` on a flat one.
    pub fn refraction_of_earth(&self) -> Option<f64> {
        let refraction = self.refraction.unwrap_or(Curvature::REFRACTION);
        self.earth_curvature.then_some(refraction)
    }
}
