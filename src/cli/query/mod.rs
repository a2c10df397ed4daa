//! `viewcell query`: questions to a bundle.

mod distance;
mod locate;
mod open;
mod pair;
pub(super) mod pairs;
mod place;
mod pvs;
mod solid;
mod visible;
mod within;

use super::exit::Outcome;

pub use open::{cannot_open, cells, open, solid, solid_of, terrain, world};
pub use pair::Pair;
pub use place::{
    By, Place, Position, check_by_number, check_cell, check_level, count_samples, in_degrees,
    quad_over, samples_of,
};

#[cfg(test)]
pub use distance::{DistanceDocument, PairsDocument as DistancePairsDocument};
#[cfg(test)]
pub use locate::{Document as LocateDocument, TerrainDocument as LocateTerrainDocument};
#[cfg(test)]
pub use pairs::PairsDocument;
#[cfg(test)]
pub use pvs::{CellPvsDocument, Document as PvsDocument};
pub use solid::cell_at;
#[cfg(test)]
pub use solid::{SolidLocateDocument, SolidPvsDocument, SolidVisibleDocument};
#[cfg(test)]
pub use visible::{CellVisibleDocument, VisibleDocument};
#[cfg(test)]
pub use within::Document as WithinDocument;

/// Ask a bundle who can see whom
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    Visible(visible::Args),
    Distance(distance::Args),
    Pvs(pvs::Args),
    Locate(locate::Args),
    Within(within::Args),
}

pub fn run(args: Args) -> Outcome {
    match args.question {
        Question::Visible(args) => visible::run(&args),
        Question::Distance(args) => distance::run(&args),
        Question::Pvs(args) => pvs::run(&args),
        Question::Locate(args) => locate::run(&args),
        Question::Within(args) => within::run(&args),
    }
}
