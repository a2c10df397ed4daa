//! `viewcell export exposure`: how many samples see each sample.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::picture::{self, RasterLayout, RasterWriter};
use viewcell::internals::survey;
use viewcell::internals::world::Georeference;

use super::work::{self, Manner, Range, RasterDocument, Work};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output;
use crate::cli::query;
use crate::cli::render::terrain::check_drawable;

/// How many samples see each sample: the total viewshed, counted in a bundle
///
/// A sample counts itself, so that 0 stands for voids alone. What one sample sees of another is as it
/// was baked: visibility mode, greatest distance, the earth's shape. The file is a GeoTIFF of 32-bit counts that lies where the
/// terrain lies, a NumPy array of rows × columns, or a picture: dark and blue where few see a
/// sample, light and yellow where many do.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy|.png")]
    output: PathBuf,
    #[command(flatten)]
    manner: Manner,
}

/// What `viewcell export exposure --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export exposure")]
pub struct Document {
    #[serde(flatten)]
    written: RasterDocument,
    /// How many samples see a sample, itself included.
    seen_by: Range,
}

pub fn run(args: &Args) -> Outcome {
    let format = work::format_of(&args.output, true)?;
    let work = Work::begin(&args.bundle, &args.output, &args.manner)?;
    let map = query::open(&args.bundle)?;
    let bundle = map
        .bundle()
        .map_err(|error| query::cannot_open(&args.bundle, error))?;
    let terrain = query::terrain(&args.bundle, &map)?;
    let (grid, parameters) = (terrain.grid(), terrain.parameters());
    if format.is_none() {
        check_drawable(&args.bundle, &terrain)?;
    }

    work.progress
        .begin("exposure", "viewpoints", grid.samples());
    let done = AtomicU64::new(0);
    let go_on = |viewpoints| {
        let before = done.fetch_add(viewpoints, Ordering::Relaxed);
        work.progress.reach(before + viewpoints);
        !work.stop.asked()
    };
    let counted = work.pool.install(|| survey::survey(&terrain, &go_on));
    work.progress.finish();
    let counted = counted
        .map_err(|damaged| Failure::bad_input(format!("{}: {damaged}", args.bundle.display())))?;
    let Some(survey) = counted else {
        return Ok(work.stop.stopped());
    };
    let counts = survey.exposure;

    let georeference = parameters.transform.map(|transform| Georeference {
        crs: bundle.crs().unwrap_or("").to_owned(),
        transform,
    });
    let saved = match format {
        Some(format) => {
            let layout = RasterLayout {
                width: grid.width(),
                height: grid.height(),
                bands: &["samples that see this sample".to_owned()],
                nodata: "0",
                spacing: parameters.spacing,
                georeference: georeference.as_ref(),
            };
            work.save(|file| {
                let mut raster = RasterWriter::new::<u32>(file, format, &layout)?;
                raster.write(&counts)?;
                raster.finish().map(drop)
            })?
        }
        None => {
            let ground = picture::Ground::new(&terrain);
            let drawn = picture::png(&picture::exposure_image(&ground, &counts));
            let bytes = drawn.map_err(|error| Failure::new(Exit::Resource, error))?;
            work.save(|file| file.write_all(&bytes))?
        }
    };
    if !saved {
        return Ok(work.stop.stopped());
    }

    let mut seen_by = Range::default();
    let terrain_only = counts.iter().filter(|count| **count > 0);
    seen_by.take(terrain_only.clone().map(|count| f64::from(*count)));
    let voids = grid.samples() - terrain_only.count() as u64;
    if args.manner.effort.json.json {
        output::print_json(&Document {
            written: RasterDocument::new(&args.output, grid.width(), grid.height(), voids),
            seen_by,
        })?;
    } else {
        output::print(format_args!(
            "{} x {} samples, each seen by {}",
            grid.width(),
            grid.height(),
            seen_by.words("", 0)
        ))?;
    }
    Ok(Exit::Done)
}
