//! What exports of horizons have in common: they look around from each sample of a heightmap.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bake::check_height;
use viewcell::internals::picture::MAX_BANDS;
use viewcell::internals::visibility::{Horizons, Simd};

use super::work::{self, Manner, Range, RasterDocument, Work};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::heightmap::Heightmap;
use crate::cli::output;
use crate::cli::sight::{Sight, SightArgs};

/// Horizons: of what, how many, and where to.
#[derive(clap::Args)]
pub struct Look {
    #[command(flatten)]
    heightmap: Heightmap,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy")]
    output: PathBuf,
    /// Radial sectors around a sample, 1 to 65535, the first centred on north
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BANDS)))]
    pub sectors: u32,
    #[command(flatten)]
    sight: SightArgs,
    #[command(flatten)]
    manner: Manner,
}

/// What they tell of the result.
#[derive(Serialize, JsonSchema)]
pub struct Looked {
    #[serde(flatten)]
    written: RasterDocument,
    /// Number of sectors; sector i is centred on 360·i / sectors degrees clockwise from north.
    sectors: u32,
    /// Height of the eye above ground in metres.
    eye_height: f64,
    #[serde(flatten)]
    sight: Sight,
    /// What a person should know about the input.
    notes: Vec<String>,
}

impl Look {
    /// Looks around from eyes `eye_height` metres above ground, writes a raster of what `of_rows`
    /// makes of every eight rows, and tells of it by `tell`: as a document, and in words.
    pub fn export<D: Serialize>(
        &self,
        eye_height: f64,
        bands: &[String],
        of_rows: impl Fn(&Horizons, u32) -> Vec<f32> + Sync,
        tell: impl FnOnce(Looked, Range) -> (D, String),
    ) -> Outcome {
        let input = &self.heightmap.input;
        let format = work::raster_format_of(&self.output)?;
        let work = Work::begin(input, &self.output, &self.manner)?;
        let ingested = self.heightmap.read()?;
        let terrain = &ingested.terrain;
        work.tell(&ingested.notes);
        check_height("eye_height", eye_height)?;
        let sight = self.sight.over(terrain, input, &self.heightmap.reading)?;
        let level = Simd::Auto.level();
        let level = level.ok_or_else(|| Failure::usage("this processor is not known".into()))?;
        let mut horizons = Horizons::new(terrain, eye_height, self.sectors, level);
        if let Some(curvature) = sight.curvature {
            horizons = horizons.with_curvature(curvature);
        }
        if let Some(metres) = sight.max_distance {
            horizons = horizons.with_max_distance(metres);
        }
        let saved = work.save_horizons(terrain, format, bands, |row| of_rows(&horizons, row))?;
        let Some(range) = saved else {
            return Ok(work.stop.stopped());
        };
        let looked = Looked {
            written: RasterDocument::new(
                &self.output,
                terrain.width(),
                terrain.height(),
                terrain.voids() as u64,
            ),
            sectors: self.sectors,
            eye_height,
            sight,
            notes: ingested.notes,
        };
        let (document, words) = tell(looked, range);
        match self.manner.effort.json.json {
            true => output::print_json(&document)?,
            false => output::print(format_args!(
                "{} x {} samples{words}",
                terrain.width(),
                terrain.height()
            ))?,
        }
        Ok(Exit::Done)
    }
}
