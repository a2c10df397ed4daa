//! `viewcell query`: questions to a bundle.

pub(super) mod pairs;
mod pvs;
mod visible;

use std::path::Path;
use std::str::FromStr;

use viewcell::runtime::{MappedBundle, OpenError, Sample, TerrainBundle};

use super::exit::{Exit, Failure, Outcome};

#[cfg(test)]
pub use pvs::Document as PvsDocument;
#[cfg(test)]
pub use visible::{PairsDocument, VisibleDocument};

/// Ask a bundle who can see whom
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    Visible(visible::Args),
    Pvs(pvs::Args),
}

pub fn run(args: Args) -> Outcome {
    match args.question {
        Question::Visible(args) => visible::run(&args),
        Question::Pvs(args) => pvs::run(&args),
    }
}

/// A place on the command line: COL,ROW.
#[derive(Clone, Copy)]
pub(super) struct Place(pub(super) Sample);

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sample = text.split_once(',').and_then(|(column, row)| {
            Some(Sample::new(
                column.trim().parse().ok()?,
                row.trim().parse().ok()?,
            ))
        });
        sample.map(Self).ok_or_else(|| {
            "expected COL,ROW: column counted from 0 in the west, row from 0 in the north"
                .to_owned()
        })
    }
}

/// Maps a bundle.
pub(super) fn open(path: &Path) -> Result<MappedBundle, Failure> {
    MappedBundle::open(path).map_err(|error| cannot_open(path, error))
}

/// The terrain in a mapped bundle.
pub(super) fn terrain<'a>(
    path: &Path,
    map: &'a MappedBundle,
) -> Result<TerrainBundle<'a>, Failure> {
    map.terrain().map_err(|error| cannot_open(path, error))
}

pub(super) fn cannot_open(path: &Path, error: OpenError) -> Failure {
    let exit = match &error {
        OpenError::Io { .. } => Exit::InputOutput,
        _ => Exit::BadInput,
    };
    Failure::new(exit, error.at(path))
}

/// Fails if a place is outside the grid.
pub(super) fn check_inside(
    path: &Path,
    terrain: &TerrainBundle,
    place: Place,
) -> Result<Sample, Failure> {
    let (sample, grid) = (place.0, terrain.grid());
    if grid.has_sample(sample) {
        return Ok(sample);
    }
    Err(Failure::usage(format!(
        "{},{} is outside {}: expected columns 0 to {} and rows 0 to {}",
        sample.column,
        sample.row,
        path.display(),
        grid.width() - 1,
        grid.height() - 1
    )))
}
