//! `viewcell export horizon`: how high the terrain stands against the sky by azimuth, or how much of the sky is seen, from each
//! sample of a heightmap.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::heightmap::{Heightmap, SightArgs, SightDocument};
use crate::values;
use crate::work::{self, Range, RasterDocument, WorkOptions};
use viewcell_bake::check_height;
use viewcell_bake::visibility::{Horizons, Simd};
use viewcell_view::picture::MAX_BANDS;

/// The horizon of every sample, in degrees, for sectors clockwise from north; or how much of its sky is seen
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
/// With --skyview it has one band, the sky view factor: the share of the hemisphere that is sky. It is 1 - Σ sin γ / N
/// over N sectors, where γ is the sector's horizon, or 0 if that is negative (Zakšek, Oštir & Kokalj 2011, Remote Sensing
/// 3(2)): 1 on a plain, one half at the foot of an endless wall.
///
/// Example: viewcell export horizon level.tif --sectors 36 -o horizon.tif
#[derive(clap::Args)]
pub struct HorizonArgs {
    /// Write the sky view factor of every sample instead
    #[arg(long)]
    skyview: bool,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy")]
    output: PathBuf,
    /// Radial sectors around a sample, 1 to 65535, the first centred on north
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BANDS)))]
    sectors: u32,
    /// Height of the eye above ground in metres [default: 1.8; with --skyview 0]
    #[arg(long, value_name = "METRES", value_parser = values::finite)]
    eye_height: Option<f64>,
    #[command(flatten)]
    work_options: WorkOptions,
    #[command(flatten)]
    sight: SightArgs,
    #[command(flatten)]
    heightmap: Heightmap,
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

/// What `viewcell export horizon --skyview --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export horizon --skyview")]
pub struct SkyviewDocument {
    #[serde(flatten)]
    looked: Looked,
    /// The sky view factors, 0 to 1.
    sky_view: Range,
}

pub fn run(args: &HorizonArgs) -> Outcome {
    if args.skyview {
        args.skyview()
    } else {
        args.horizon()
    }
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

impl HorizonArgs {
    fn horizon(&self) -> Outcome {
        let sectors = self.sectors;
        let azimuth = |sector| 360.0 * f64::from(sector) / f64::from(sectors);
        let bands = (0..sectors).map(azimuth).map(|azimuth| {
            let rounded = (azimuth * 1e4).round() / 1e4;
            format!("horizon at azimuth {rounded} degrees")
        });
        let tell = |looked, degrees: Range| {
            let mut words = format!(", {sectors} sectors: {}", degrees.words("°", 2));
            if degrees.least() == Some(-90.0) {
                words += "; -90° means that the ray meets no ground, as at the edge";
            }
            (HorizonDocument { looked, degrees }, words)
        };
        self.export(1.8, &bands.collect::<Vec<_>>(), Horizons::degrees, tell)
    }

    fn skyview(&self) -> Outcome {
        let bands = ["sky view factor".to_owned()];
        let tell = |looked, sky_view: Range| {
            let words = format!(": {}", sky_view.words("", 4));
            (SkyviewDocument { looked, sky_view }, words)
        };
        self.export(0.0, &bands, Horizons::sky_view, tell)
    }

    /// Looks around from eyes `usual` metres above ground, if no other height is given, writes a raster of what
    /// `of_rows` makes of every eight rows, and tells of it by `tell`: as a document, and in words.
    fn export<D: Serialize>(
        &self,
        usual: f64,
        bands: &[String],
        of_rows: impl Fn(&Horizons, u32) -> Vec<f32> + Sync,
        tell: impl FnOnce(Looked, Range) -> (D, String),
    ) -> Outcome {
        let input = &self.heightmap.input;
        let format = work::raster_format_of(&self.output)?;
        let work = self.work_options.begin(input, &self.output)?;
        let ingested = self.heightmap.read()?;
        let terrain = &ingested.terrain;
        work.tell(&ingested.notes);
        let eye_height = self.eye_height.unwrap_or(usual);
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
        self.work_options.json.tell(|| document, text)
    }
}
