//! `viewcell export horizon` and `skyview`: how high the terrain stands against the sky by azimuth, and how much of the sky
//! is seen. Both look around from each sample of a heightmap.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::heightmap::{Heightmap, SightArgs, SightDocument};
use crate::values;
use crate::work::{self, Manner, Range, RasterDocument, Work};
use viewcell_bake::check_height;
use viewcell_bake::visibility::{Horizons, Simd};
use viewcell_view::picture::MAX_BANDS;

/// The horizon of every sample, in degrees, for sectors clockwise from north
///
/// Sector i of N is centred on the azimuth 360·i/N degrees, clockwise from the raster's first row (north). Its
/// horizon is the greatest angle above the horizontal, in degrees, of the terrain on that ray from an eye above
/// the sample. It is negative if the eye looks down on all of it, and -90 if the ray meets no terrain at all: at
/// the edge of the raster, beside voids, and if there is none within --max-distance. Leave these values out of
/// averages. Between samples the terrain is linear: it is evaluated where the ray crosses lines between
/// neighbouring samples.
///
/// The file has one band of 32-bit floats per sector, NaN for voids: a georeferenced GeoTIFF (a BigTIFF beyond 4
/// GiB), or a NumPy array of rows × columns × sectors.
///
/// Example: viewcell export horizon level.tif --sectors 36 -o horizon.tif
#[derive(clap::Args)]
pub struct HorizonArgs {
    #[command(flatten)]
    look: Look,
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 1.8, value_parser = values::finite)]
    eye_height: f64,
}

/// What `viewcell export horizon --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export horizon")]
pub struct HorizonDocument {
    #[serde(flatten)]
    looked: Looked,
    /// The angles above the horizontal, in degrees.
    degrees: Range,
}

pub fn horizon(args: &HorizonArgs) -> Outcome {
    let sectors = args.look.sectors;
    let bands: Vec<String> = (0..sectors)
        .map(|sector| 360.0 * f64::from(sector) / f64::from(sectors))
        .map(|azimuth| {
            format!(
                "horizon at azimuth {} degrees",
                (azimuth * 1e4).round() / 1e4
            )
        })
        .collect();
    let tell = |looked, degrees: Range| {
        let mut words = format!(", {sectors} sectors: {}", degrees.words("°", 2));
        if degrees.least() == Some(-90.0) {
            words += "; -90° means that the ray meets no ground, as at the edge";
        }
        (HorizonDocument { looked, degrees }, words)
    };
    args.look
        .export(args.eye_height, &bands, Horizons::degrees, tell)
}

/// The sky view factor of every sample: the share of the hemisphere that is sky
///
/// It is 1 - Σ sin γ / N over N sectors, where γ is the sector's horizon from viewcell export horizon, or 0 if
/// that is negative (Zakšek, Oštir & Kokalj 2011, Remote Sensing 3(2)): 1 on a plain, one half at the foot of an
/// endless wall. The file has 32-bit floats, NaN for voids: a georeferenced GeoTIFF, or a NumPy array of rows ×
/// columns.
///
/// Example: viewcell export skyview level.tif -o sky.tif
#[derive(clap::Args)]
pub struct SkyviewArgs {
    #[command(flatten)]
    look: Look,
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0)]
    eye_height: f64,
}

/// What `viewcell export skyview --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export skyview")]
pub struct SkyviewDocument {
    #[serde(flatten)]
    looked: Looked,
    /// The sky view factors, 0 to 1.
    sky_view: Range,
}

pub fn skyview(args: &SkyviewArgs) -> Outcome {
    let bands = ["sky view factor".to_owned()];
    let tell = |looked, sky_view: Range| {
        let words = format!(": {}", sky_view.words("", 4));
        (SkyviewDocument { looked, sky_view }, words)
    };
    args.look
        .export(args.eye_height, &bands, Horizons::sky_view, tell)
}

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
    sight: SightDocument,
    /// Notes about the input.
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
        let level = level.ok_or_else(|| Failure::usage("this processor is not known"))?;
        let mut horizons = Horizons::new(terrain, eye_height, self.sectors, level);
        if let Some(curvature) = sight.curvature {
            horizons = horizons.with_curvature(curvature);
        }
        if let Some(metres) = sight.max_distance {
            horizons = horizons.with_max_distance(metres);
        }
        let range = work.save_horizons(terrain, format, bands, |row| of_rows(&horizons, row))?;
        let (width, height) = (terrain.width(), terrain.height());
        let looked = Looked {
            written: RasterDocument::new(&self.output, width, height, terrain.voids() as u64),
            sectors: self.sectors,
            eye_height,
            sight,
            notes: ingested.notes,
        };
        let (document, words) = tell(looked, range);
        let text = format_args!("{width} x {height} samples{words}");
        self.manner.effort.json.tell(|| document, text)
    }
}
