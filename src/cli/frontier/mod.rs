//! `viewcell frontier`: two regions that cannot see each other.

mod cells;
mod options;
mod terrain;

use std::path::PathBuf;

use viewcell::runtime::WorldKind;

use super::exit::{Failure, Outcome};
use super::output::{self, Json};
use super::query;

pub use cells::Construction;
#[cfg(test)]
pub use cells::Document as CellsDocument;
#[cfg(test)]
pub use terrain::Document;

/// What is said of two who see each other.
const NO_SET: &str = "they can see each other: there is no frontier set";

/// How far may two players walk before they can see each other?
///
/// Prints the size of two regions, one around each player: no place in one can be seen from any
/// place in the other. Both are empty if the players can see each other.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// One player: COL,ROW, or a cell's number
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<query::Place>,
    /// The other player: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    b: Option<query::Place>,
    #[command(flatten)]
    by: query::By,
    /// Draw both regions over a hillshade: a name that ends in .png
    #[arg(short, long, value_name = "PNG", conflicts_with = "pairs")]
    output: Option<PathBuf>,
    /// Write a line "a COL ROW" or "b COL ROW" for each sample of the regions
    #[arg(long, value_name = "FILE", conflicts_with = "pairs")]
    members: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long)]
    force: bool,
    /// Answer each line "c0 r0 c1 r1" of a file, or of stdin if it is -, with a line of JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pairs: Option<PathBuf>,
    /// Of cells: how to make the regions
    #[arg(long, value_name = "HOW", value_enum)]
    construction: Option<cells::Construction>,
    #[command(flatten)]
    options: options::Options,
    #[command(flatten)]
    json: Json,
}

pub fn run(args: &Args) -> Outcome {
    let outputs = args.output.iter().chain(&args.members);
    output::check_outputs(&[&args.bundle], outputs, args.force)?;
    let map = query::open(&args.bundle)?;
    match map.kind() {
        Some(WorldKind::Terrain) | None => {
            terrain::run(args, &map, query::terrain(&args.bundle, &map)?)
        }
        Some(WorldKind::Cells) => {
            query::check_by_number(&args.bundle, &args.by)?;
            cells::run(args, &query::cells(&args.bundle, &map)?)
        }
    }
}

/// Prints the sizes of two regions, and what share of `all` they are.
fn print_sizes([a, b]: [u64; 2], all: u64) -> Result<(), Failure> {
    let share = |size: u64| 100.0 * size as f64 / all.max(1) as f64;
    output::print(format_args!(
        "a    {a:>12}  {:5.1} %\nb    {b:>12}  {:5.1} %",
        share(a),
        share(b)
    ))
}
