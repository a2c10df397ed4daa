//! Frontier sets as arrays of booleans.

use numpy::ndarray::{Array1, Array2};
use pyo3::prelude::*;
use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions, Side, cells};
use viewcell::query::{CellBundle, Sample, TerrainBundle};

use crate::error::{OutsideError, VoidError};

/// Of terrains: after how many quads a set grows no more, 0 for never; none is for as many as the library has it.
pub fn options(budget: Option<u32>) -> FrontierOptions {
    budget.map_or_else(FrontierOptions::default, |most| FrontierOptions {
        limit: (most > 0).then_some(most),
    })
}

/// `None` where the two see each other.
pub fn of_terrain(
    terrain: &TerrainBundle<'_>,
    a: Sample,
    b: Sample,
    budget: Option<u32>,
) -> PyResult<Option<[Array2<bool>; 2]>> {
    let mut builder = FrontierBuilder::new(terrain);
    builder
        .build(a, b, &options(budget))
        .map_err(|error| match error {
            FrontierError::Void(_) => VoidError::new_err(error.to_string()),
            error => OutsideError::new_err(error.to_string()),
        })?;
    if Side::BOTH
        .iter()
        .all(|&side| builder.region(side).area() == 0)
    {
        return Ok(None);
    }
    let grid = terrain.grid();
    Ok(Some(Side::BOTH.map(|side| {
        let mut half = Array2::from_elem((grid.height() as usize, grid.width() as usize), false);
        for sample in builder.region(side).samples() {
            half[[sample.row as usize, sample.column as usize]] = true;
        }
        half
    })))
}

/// `None` where the two see each other.
pub fn of_cells(level: &CellBundle<'_>, a: u32, b: u32) -> Option<[Array1<bool>; 2]> {
    let mut memory = vec![0; cells::words(level.cells())];
    if !matches!(level.frontier(a, b, &mut memory), Ok(Some(_))) {
        return None;
    }
    let words = level.cells().div_ceil(64) as usize;
    Some([0, words].map(|from| {
        let bit = |cell: usize| memory[from + cell / 64] >> (cell % 64) & 1 == 1;
        (0..level.cells() as usize).map(bit).collect()
    }))
}
