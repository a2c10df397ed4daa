//! What is asked for.

use std::path::{Path, PathBuf};

use crate::cli::export::work::Manner;
use crate::cli::query::{By, Place};

/// Draw what a bundle says, with a legend: a PNG
///
/// Give one of --pvs, --frontier, --exposure, --lost and --distance; without any, the terrain or level
/// is drawn by itself. A place is COL,ROW of a terrain, the number of a cell, or X,Y,Z in a solid level, as in
/// `viewcell query`.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    pub bundle: PathBuf,
    #[command(flatten)]
    pub what: What,
    #[command(flatten)]
    pub by: By,
    /// With --pvs and --lost of a terrain: for squares of 2^LEVEL samples a side, not for samples
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    pub quad: u32,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Width in pixels [default: 1200; with --bare, one pixel a sample of a terrain]
    #[arg(long, value_name = "N")]
    pub width: Option<u32>,
    /// The map alone, without title, legend and scale; the floors of a level one below the other
    #[arg(long)]
    pub bare: bool,
    #[command(flatten)]
    pub manner: Manner,
}

/// What is drawn.
#[derive(clap::Args)]
#[group(multiple = false)]
pub struct What {
    /// What may be seen from A
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub pvs: Option<Place>,
    /// How far A and B may walk before they can see each other, and in what order the regions
    /// grew
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub frontier: Option<Vec<Place>>,
    /// How much sees each place
    #[arg(long)]
    pub exposure: bool,
    /// What is hidden here and visible in another bundle of the same input, as after a budget
    #[arg(long, value_name = "OTHER")]
    pub lost: Option<PathBuf>,
    /// How many visible steps each cell is from A
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub distance: Option<Place>,
}

/// The last part of a path, for people.
pub fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
