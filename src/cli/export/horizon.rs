//! `viewcell export horizon`: how high the terrain stands against the sky, by azimuth.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::work::{self, Look, Manner, Range, Work, Written};
use crate::cli::exit::{Exit, Outcome};
use crate::cli::output::{self};

/// The horizon of every sample, in degrees, for sectors clockwise from north
///
/// Sector i of N is centred on the azimuth 360·i/N degrees, clockwise from the raster's first row
/// (north). Its horizon is the greatest angle above the horizontal, in degrees, of the terrain on
/// that ray from an eye over the sample; negative where the eye looks down on all, -90 where
/// there is no terrain on the ray. The terrain is taken where the ray crosses lines between
/// neighbouring samples, linear between two samples; the earth is flat.
///
/// The file has a band of 32-bit floats a sector, NaN for voids: a GeoTIFF that lies where the
/// terrain lies (a BigTIFF beyond 4 GiB), or a NumPy array of rows × columns × sectors.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    look: Look,
    /// File to write
    #[arg(short, long, value_name = "OUT.tif|.npy")]
    output: PathBuf,
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 1.8)]
    eye_height: f64,
    #[command(flatten)]
    manner: Manner,
}

/// What `viewcell export horizon --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export horizon")]
pub struct Document {
    #[serde(flatten)]
    written: Written,
    /// Number of sectors; sector i is centred on 360·i / sectors degrees clockwise from north.
    sectors: u32,
    /// Height of the eye above ground in metres.
    eye_height: f64,
    /// The angles above the horizontal, in degrees.
    degrees: Range,
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
    let bands: Vec<String> = (0..sectors)
        .map(|sector| 360.0 * f64::from(sector) / f64::from(sectors))
        .map(|azimuth| {
            format!(
                "horizon at azimuth {} degrees",
                (azimuth * 1e4).round() / 1e4
            )
        })
        .collect();
    let saved = work.save_horizons(terrain, format, &bands, |row| horizons.degrees(row))?;
    let Some(degrees) = saved else {
        return Ok(work::stopped(&work));
    };
    if args.manner.json.json {
        let voids = terrain.voids() as u64;
        output::print_json(&Document {
            written: Written::new(&args.output, terrain.width(), terrain.height(), voids),
            sectors,
            eye_height: args.eye_height,
            degrees,
            notes: ingested.notes,
        })?;
    } else {
        output::print(format_args!(
            "{} x {} samples, {sectors} sectors: {}",
            terrain.width(),
            terrain.height(),
            degrees.words("°", 2)
        ))?;
    }
    Ok(Exit::Done)
}
