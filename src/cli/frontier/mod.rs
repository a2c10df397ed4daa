//! `viewcell frontier`: two regions that cannot see each other.

mod cells;
mod options;
mod solid;
mod terrain;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use viewcell::internals::runtime::World;
use viewcell::internals::runtime::cell_frontier::Construction;

use super::exit::Outcome;
use super::output;
use super::query::Pair;

#[cfg(test)]
pub use cells::Document as CellsDocument;
use options::Options;
#[cfg(test)]
pub use terrain::Document;

/// What is said of two who see each other.
pub const NO_SET: &str = "they can see each other: there is no frontier set";

/// How far may two players walk before they can see each other?
///
/// Prints the size of two regions, one around each player: no place in one can be seen from any
/// place in the other. Both are empty if the players can see each other.
#[derive(clap::Args)]
#[command(mut_arg("points", |points| points.hide(true)))]
pub struct Args {
    #[command(flatten)]
    pub pair: Pair,
    /// Draw both regions over a hillshade: a name that ends in .png
    #[arg(short, long, value_name = "PNG", conflicts_with = "pairs")]
    pub output: Option<PathBuf>,
    /// Write a line "a COL ROW" or "b COL ROW" for each sample of the regions; of levels "a CELL" or "b CELL"
    #[arg(long, value_name = "FILE", conflicts_with = "pairs")]
    pub members: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long)]
    pub force: bool,
    /// Of cells: how to make the regions
    #[arg(long, value_name = "HOW", value_parser = construction())]
    pub construction: Option<Construction>,
    #[command(flatten)]
    pub options: Options,
}

/// The sizes of two regions, and what share of `all` they are.
pub fn sizes([a, b]: [u64; 2], all: u64) -> String {
    let share = |size: u64| 100.0 * size as f64 / all.max(1) as f64;
    format!(
        "a    {a:>12}  {:5.1} %\nb    {b:>12}  {:5.1} %",
        share(a),
        share(b)
    )
}

/// Reads the name of a construction, with a line of help for each.
fn construction() -> impl TypedValueParser<Value = Construction> {
    let help = |construction| match construction {
        Construction::Published => "Equations 1 and 2 of Steed and Angus, by distances",
        Construction::Grown => "Both grow over cells that touch, each in turn",
        Construction::Widened => {
            "Both grow over cells that touch, the nearest first, and take in all that the other does not see"
        }
        _ => "The same for A, and for B everything that A's region does not see",
    };
    let values = Construction::ALL.map(|all| PossibleValue::new(all.name()).help(help(all)));
    PossibleValuesParser::new(values).map(|name| {
        let mut all = Construction::ALL.into_iter();
        all.find(|construction| construction.name() == name)
            .unwrap_or_default()
    })
}

pub fn run(args: &Args) -> Outcome {
    let outputs = args.output.iter().chain(&args.members);
    output::check_outputs(&[&args.pair.bundle], outputs, args.force)?;
    args.pair.ask(|map, world| match world {
        World::Terrain(terrain) => terrain::run(args, map, terrain),
        World::Cells(level) => cells::run(args, &level),
        World::Solid(level) => solid::run(args, &level),
    })
}
