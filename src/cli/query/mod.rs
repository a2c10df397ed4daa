//! `viewcell query`: questions to a bundle.

mod cells;
mod distance;
mod locate;
pub(super) mod pairs;
mod pvs;
mod visible;
mod within;

use std::path::Path;
use std::str::FromStr;

use viewcell::runtime::{CellBundle, MappedBundle, OpenError, Quad, Sample, TerrainBundle};

use super::exit::{Exit, Failure, Outcome};

#[cfg(test)]
pub use cells::{CellPvsDocument, CellVisibleDocument};
#[cfg(test)]
pub use distance::{DistanceDocument, PairsDocument as DistancePairsDocument};
#[cfg(test)]
pub use locate::Document as LocateDocument;
#[cfg(test)]
pub use pvs::Document as PvsDocument;
#[cfg(test)]
pub use visible::{PairsDocument, VisibleDocument};
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

/// A place on the command line: COL,ROW of a terrain, or the number of a cell.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Sample(Sample),
    Cell(u32),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(cell) = text.trim().parse() {
            return Ok(Self::Cell(cell));
        }
        let sample = text.split_once(',').and_then(|(column, row)| {
            Some(Sample::new(
                column.trim().parse().ok()?,
                row.trim().parse().ok()?,
            ))
        });
        sample.map(Self::Sample).ok_or_else(|| {
            "expected COL,ROW: column counted from 0 in the west, row from 0 in the north; or the \
             number of a cell"
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

/// The level of cells in a mapped bundle.
pub(super) fn cells<'a>(path: &Path, map: &'a MappedBundle) -> Result<CellBundle<'a>, Failure> {
    map.cells().map_err(|error| cannot_open(path, error))
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
    let grid = terrain.grid();
    let sample = match place {
        Place::Sample(sample) => sample,
        Place::Cell(cell) => {
            return Err(Failure::usage(format!(
                "{cell}: expected COL,ROW, since {} is of a terrain",
                path.display()
            )));
        }
    };
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

/// The quad of a level over a place. Fails if the place is outside the grid, or there is no such
/// level.
pub(super) fn quad_over(
    path: &Path,
    terrain: &TerrainBundle,
    place: Place,
    level: u32,
) -> Result<Quad, Failure> {
    let sample = check_inside(path, terrain, place)?;
    check_level(path, terrain, level)?;
    Ok(Quad::new(
        level,
        sample.column >> level,
        sample.row >> level,
    ))
}

/// Fails if a terrain has no quads of a level.
pub(super) fn check_level(path: &Path, terrain: &TerrainBundle, level: u32) -> Result<(), Failure> {
    let highest = terrain.grid().root_level();
    if level <= highest {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--quad {level}: expected a level from 0 (a sample) to {highest} (all of {})",
        path.display()
    )))
}

/// Fails if a place is no cell of the level.
pub(super) fn check_cell(path: &Path, level: &CellBundle, place: Place) -> Result<u32, Failure> {
    match place {
        Place::Cell(cell) if cell < level.cells() => Ok(cell),
        Place::Cell(cell) => Err(Failure::usage(format!(
            "cell {cell} is not in {}: expected 0 to {}",
            path.display(),
            level.cells() - 1
        ))),
        Place::Sample(sample) => Err(Failure::usage(format!(
            "{},{}: expected the number of a cell, since {} is of a level of cells",
            sample.column,
            sample.row,
            path.display()
        ))),
    }
}
