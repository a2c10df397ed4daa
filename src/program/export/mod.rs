//! `viewcell export`: what a terrain or a bundle knows, for other tools; here how many samples see each sample
//! (`exposure`).

pub(super) mod cells;
pub(super) mod horizon;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_view::picture::{self, RasterLayout, RasterWriter};

use super::exit::{Failure, Outcome};
use super::output::FileWorkOptions;
use super::query;
use super::render::{check_drawable, survey};
use super::work::{self, Range, RasterDocument};

/// Write horizons, exposure or sky view factors of terrains, or the visibility of cells, for other tools
///
/// Example: viewcell export horizon level.tif -o horizon.tif
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Horizon(horizon::HorizonArgs),
    Exposure(ExposureArgs),
    Matrix(cells::MatrixArgs),
    Vis(cells::VisArgs),
    Prt(cells::PrtArgs),
    Json(cells::JsonArgs),
}

pub fn run(args: &Args) -> Outcome {
    match &args.what {
        What::Horizon(args) => horizon::run(args),
        What::Exposure(args) => exposure(args),
        What::Matrix(args) => cells::matrix(args),
        What::Vis(args) => cells::vis(args),
        What::Prt(args) => cells::prt(args),
        What::Json(args) => cells::json(args),
    }
}

/// How many samples see each sample: the total viewshed, counted in a bundle
///
/// A sample counts itself, so 0 stands for voids alone. Visibility is that of the bake: its mode, maximum distance
/// and curvature. The file is a georeferenced GeoTIFF of 32-bit counts, a NumPy array of rows × columns, or a
/// picture: dark and blue where few samples see a sample, light and yellow where many do.
///
/// Example: viewcell export exposure level.vcb -o exposure.tif
#[derive(clap::Args)]
pub struct ExposureArgs {
    /// The bundle
    bundle: PathBuf,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy|.png")]
    output: PathBuf,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

/// What `viewcell export exposure --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export exposure")]
pub struct ExposureDocument {
    #[serde(flatten)]
    written: RasterDocument,
    /// How many samples see a sample, itself included.
    seen_by: Range,
}

pub fn exposure(args: &ExposureArgs) -> Outcome {
    let format = work::format_of(&args.output, true)?;
    let work = args.work_options.begin(&args.bundle, &args.output)?;
    let opened = query::open(&args.bundle)?;
    let (bundle, terrain) = (opened.bundle(), opened.terrain()?);
    let (grid, parameters) = (terrain.grid(), terrain.parameters());
    if format.is_none() {
        check_drawable(&args.bundle, &terrain)?;
    }

    let counts = survey(&work, &args.bundle, &terrain)?.exposure;

    let georeference = picture::georeference_of(&bundle, &terrain);
    match format {
        Some(format) => {
            let layout = RasterLayout {
                width: grid.width(),
                height: grid.height(),
                description: "",
                bands: &["samples that see this sample".to_owned()],
                nodata: "0",
                spacing: parameters.cell_spacing,
                georeference: georeference.as_ref(),
            };
            work.save(|file| {
                let mut raster = RasterWriter::new::<u32>(file, format, &layout)?;
                raster.write(&counts)?;
                raster.finish().map(drop)
            })?;
        }
        None => {
            let ground = picture::Ground::new(&terrain);
            let drawn = picture::png(&picture::exposure_image(&ground, &counts));
            let bytes = drawn.map_err(Failure::resource)?;
            work.save(|file| file.write_all(&bytes))?;
        }
    }

    let mut seen_by = Range::default();
    let terrain_only = counts.iter().filter(|count| **count > 0);
    seen_by.take(terrain_only.clone().map(|count| f64::from(*count)));
    let voids = grid.samples() - terrain_only.count() as u64;
    let (width, height) = (grid.width(), grid.height());
    let document = || ExposureDocument {
        written: RasterDocument::new(&args.output, width, height, voids),
        seen_by,
    };
    let seen = seen_by.words("", 0);
    let text = format_args!("{width} x {height} samples, each seen by {seen}");
    args.work_options.json.tell(document, text)
}
