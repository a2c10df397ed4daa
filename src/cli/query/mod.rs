//! `viewcell query`: questions to a bundle.

mod cells;
mod distance;
mod locate;
pub(super) mod pairs;
mod place;
mod pvs;
mod visible;
mod within;

use std::io;
use std::path::Path;

use viewcell::runtime::{CellBundle, MappedBundle, OpenError, Quad, Sample, TerrainBundle};

use super::exit::{Exit, Failure, Outcome};

pub use place::{By, Place};

#[cfg(test)]
pub use cells::{CellPvsDocument, CellVisibleDocument};
#[cfg(test)]
pub use distance::{DistanceDocument, PairsDocument as DistancePairsDocument};
#[cfg(test)]
pub use locate::{Document as LocateDocument, TerrainDocument as LocateTerrainDocument};
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
        // A map takes addresses, of which there may be few (ulimit -v).
        OpenError::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => Exit::Resource,
        OpenError::Io { .. } => Exit::InputOutput,
        _ => Exit::BadInput,
    };
    Failure::new(exit, error.at(path))
}

/// Fails if a place is outside the grid.
fn check_inside(path: &Path, terrain: &TerrainBundle, place: Place) -> Result<Sample, Failure> {
    let grid = terrain.grid();
    let sample = match place {
        Place::Sample(sample) => Some(sample),
        Place::Numbers(_) => None,
        Place::Cell(cell) => {
            return Err(Failure::usage(format!(
                "{cell}: expected COL,ROW, since {} is of a terrain",
                path.display()
            )));
        }
    };
    sample.filter(|sample| grid.has_sample(*sample)).ok_or_else(|| {
        let ends = format!(
            "columns 0 to {} and rows 0 to {}, as whole numbers (metres with --at, degrees with \
             --lonlat)",
            grid.width() - 1,
            grid.height() - 1
        );
        outside(path, place, &ends)
    })
}

/// The failure of a place that is not in a bundle, where `expected` is.
fn outside(path: &Path, place: Place, expected: &str) -> Failure {
    Failure::usage(format!(
        "{place} is outside {}: expected {expected}",
        path.display()
    ))
}

/// The quad of a level over a place. Fails if the place is outside the grid, or there is no such
/// level.
pub(super) fn quad_over(
    path: &Path,
    terrain: &TerrainBundle,
    sample: Sample,
    level: u32,
) -> Result<Quad, Failure> {
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

/// Fails if places of a level of cells are given as those of a terrain.
pub(super) fn check_by_number(path: &Path, by: &By) -> Result<(), Failure> {
    match by.is_grid() {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "--at, --lonlat, --xy: expected a terrain, found cells in {}; viewcell query locate tells \
             which cell holds a point",
            path.display()
        ))),
    }
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
        Place::Sample(_) | Place::Numbers(_) => Err(Failure::usage(format!(
            "{place}: expected the number of a cell, since {} is of a level of cells",
            path.display()
        ))),
    }
}
