//! `viewcell export skyview`: how much of the sky is seen.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::work::{self, Look, Manner, Range, Work, Written};
use crate::cli::exit::{Exit, Outcome};
use crate::cli::output;

/// The sky view factor of every sample: the share of the hemisphere that is sky
///
/// It is 1 - Σ sin γ / N over N sectors, where γ is the sector's horizon as viewcell export
/// horizon has it, or 0 where that is negative (Zakšek, Oštir & Kokalj 2011, Remote Sensing 3(2)):
/// 1 on a plain, one half at the foot of an endless wall. The file has 32-bit floats, NaN for
/// voids: a GeoTIFF that lies where the terrain lies, or a NumPy array of rows × columns.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    look: Look,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy")]
    output: PathBuf,
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0)]
    eye_height: f64,
    #[command(flatten)]
    manner: Manner,
}

/// What `viewcell export skyview --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export skyview")]
pub struct Document {
    #[serde(flatten)]
    written: Written,
    /// Number of sectors.
    sectors: u32,
    /// Height of the eye above ground in metres.
    eye_height: f64,
    /// The sky view factors, 0 to 1.
    sky_view: Range,
    /// What a person should know about the input.
    notes: Vec<String>,
}

pub fn run(args: &Args) -> Outcome {
    let format = work::raster_format_of(&args.output)?;
    let work = Work::begin(&args.look.heightmap.input, &args.output, &args.manner)?;
    let ingested = args.look.heightmap.read()?;
    let (terrain, sectors) = (&ingested.terrain, args.look.sectors);
    work.tell(&ingested.notes);
    let horizons = work::horizons(terrain, args.eye_height, sectors)?;
    let bands = ["sky view factor".to_owned()];
    let saved = work.save_horizons(terrain, format, &bands, |row| horizons.sky_view(row))?;
    let Some(sky_view) = saved else {
        return Ok(work::stopped(&work));
    };
    if args.manner.json.json {
        let voids = terrain.voids() as u64;
        output::print_json(&Document {
            written: Written::new(&args.output, terrain.width(), terrain.height(), voids),
            sectors,
            eye_height: args.eye_height,
            sky_view,
            notes: ingested.notes,
        })?;
    } else {
        output::print(format_args!(
            "{} x {} samples: {}",
            terrain.width(),
            terrain.height(),
            sky_view.words("", 4)
        ))?;
    }
    Ok(Exit::Done)
}
