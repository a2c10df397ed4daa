//! `viewcell export skyview`: how much of the sky is seen.

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::visibility::Horizons;

use super::look::{Look, Looked};
use super::work::Range;
use crate::cli::exit::Outcome;

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
    /// Height of the eye above ground in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0)]
    eye_height: f64,
}

/// What `viewcell export skyview --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export skyview")]
pub struct Document {
    #[serde(flatten)]
    looked: Looked,
    /// The sky view factors, 0 to 1.
    sky_view: Range,
}

pub fn run(args: &Args) -> Outcome {
    let bands = ["sky view factor".to_owned()];
    let tell = |looked, sky_view: Range| {
        let words = format!(": {}", sky_view.words("", 4));
        (Document { looked, sky_view }, words)
    };
    args.look
        .export(args.eye_height, &bands, Horizons::sky_view, tell)
}
