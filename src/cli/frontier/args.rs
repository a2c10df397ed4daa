//! What is asked for, and what both kinds of worlds answer alike.

use std::path::PathBuf;

use viewcell::runtime::cell_frontier;

use super::options::Options;
use crate::cli::exit::Failure;
use crate::cli::output::{self, Json};
use crate::cli::query;

/// What is said of two who see each other.
pub const NO_SET: &str = "they can see each other: there is no frontier set";

/// How far may two players walk before they can see each other?
///
/// Prints the size of two regions, one around each player: no place in one can be seen from any
/// place in the other. Both are empty if the players can see each other.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    pub bundle: PathBuf,
    /// One player: COL,ROW, or a cell's number
    #[arg(
        required_unless_present = "pairs",
        requires = "b",
        allow_hyphen_values = true
    )]
    pub a: Option<query::Place>,
    /// The other player: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    pub b: Option<query::Place>,
    #[command(flatten)]
    pub by: query::By,
    #[command(flatten)]
    pub over: query::Over,
    /// Draw both regions over a hillshade: a name that ends in .png
    #[arg(short, long, value_name = "PNG", conflicts_with = "pairs")]
    pub output: Option<PathBuf>,
    /// Write a line "a COL ROW" or "b COL ROW" for each sample of the regions
    #[arg(long, value_name = "FILE", conflicts_with = "pairs")]
    pub members: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long)]
    pub force: bool,
    /// Answer each line "c0 r0 c1 r1" of a file, or of stdin if it is -, with a line of JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pub pairs: Option<PathBuf>,
    /// Of cells: how to make the regions
    #[arg(long, value_name = "HOW", value_enum)]
    pub construction: Option<Construction>,
    #[command(flatten)]
    pub options: Options,
    #[command(flatten)]
    pub json: Json,
}

/// Prints the sizes of two regions, and what share of `all` they are.
pub fn print_sizes([a, b]: [u64; 2], all: u64) -> Result<(), Failure> {
    let share = |size: u64| 100.0 * size as f64 / all.max(1) as f64;
    output::print(format_args!(
        "a    {a:>12}  {:5.1} %\nb    {b:>12}  {:5.1} %",
        share(a),
        share(b)
    ))
}

/// How regions are made.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Construction {
    /// Equations 1 and 2 of Steed and Angus, by distances
    Published,
    /// The same for A, and for B everything that A's region does not see
    #[default]
    Tightened,
    /// Both grow over cells that touch, each in turn
    Grown,
}

impl Construction {
    pub fn runtime(self) -> cell_frontier::Construction {
        match self {
            Self::Published => cell_frontier::Construction::Published,
            Self::Tightened => cell_frontier::Construction::Tightened,
            Self::Grown => cell_frontier::Construction::Grown,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Tightened => "tightened",
            Self::Grown => "grown",
        }
    }
}
