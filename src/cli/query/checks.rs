//! Whether a bundle has what is asked for.

use std::path::Path;

use viewcell::runtime::{CellBundle, Quad, Sample, TerrainBundle};

use super::place::{By, Place};
use crate::cli::exit::Failure;

/// The quad of a level over a place. Fails if the place is outside the grid, or there is no such
/// level.
pub fn quad_over(
    path: &Path,
    terrain: &TerrainBundle,
    sample: Sample,
    level: u32,
) -> Result<Quad, Failure> {
    check_level(path, terrain, level)?;
    // A quad of the heightmap that is finer than the bundle is answered for by the cell around it.
    let level = level.saturating_sub(terrain.parameters().finest());
    Ok(Quad::new(
        level,
        sample.column >> level,
        sample.row >> level,
    ))
}

/// Fails if a terrain has no quads of a level of its heightmap.
pub fn check_level(path: &Path, terrain: &TerrainBundle, level: u32) -> Result<(), Failure> {
    let highest = terrain.grid().root_level() + terrain.parameters().finest();
    if level <= highest {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--quad {level}: expected a level from 0 (a sample) to {highest} (all of {})",
        path.display()
    )))
}

/// Fails if places of a level of cells are given as those of a terrain.
pub fn check_by_number(path: &Path, by: &By) -> Result<(), Failure> {
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
pub fn check_cell(path: &Path, level: &CellBundle, place: Place) -> Result<u32, Failure> {
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
