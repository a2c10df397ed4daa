//! `viewcell export horizon`: how high the terrain stands against the sky, by azimuth.

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::visibility::Horizons;

use super::look::{Look, Looked};
use super::work::Range;
use crate::cli::exit::Outcome;
use crate::cli::numbers;

/// The horizon of every sample, in degrees, for sectors clockwise from north
///
/// Sector i of N is centred on the azimuth 360·i/N degrees, clockwise from the raster's first row
/// (north). Its horizon is the greatest angle above the horizontal, in degrees, of the terrain on
/// that ray from an eye over the sample. It is negative where the eye looks down on all of it, and -90
/// where the ray meets no terrain at all: at the edge of the raster, beside voids, and where there is
/// none within --max-distance. Leave these out of means. The terrain is taken where the ray
/// crosses lines between neighbouring samples, linear between two samples.
///
/// The file has a band of 32-bit floats a sector, NaN for voids: a GeoTIFF that lies where the
/// terrain lies (a BigTIFF beyond 4 GiB), or a NumPy array of rows × columns × sectors.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    look: Look,
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 1.8, value_parser = numbers::finite)]
    eye_height: f64,
}

/// What `viewcell export horizon --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export horizon")]
pub struct Document {
    #[serde(flatten)]
    looked: Looked,
    /// The angles above the horizontal, in degrees.
    degrees: Range,
}

pub fn run(args: &Args) -> Outcome {
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
            words += "; -90° stands where a ray meets no ground, as at the edge";
        }
        (Document { looked, degrees }, words)
    };
    args.look
        .export(args.eye_height, &bands, Horizons::degrees, tell)
}
