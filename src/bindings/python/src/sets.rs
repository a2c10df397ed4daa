//! Frontier sets as arrays of booleans.

use numpy::ndarray::{Array1, Array2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell::frontier::{
    FrontierBuilder, FrontierError, FrontierOptions, Side, cells::Construction,
};
use viewcell::frontier::{Grow, Merge};
use viewcell::query::{CellBundle, Sample, TerrainBundle};

use crate::error::{OutsideError, VoidError};

/// How frontier sets of terrains are grown; what is not given is as the library has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    grow: Option<String>,
    merge: Option<String>,
    extend: Option<bool>,
    tighten: Option<bool>,
    budget: Option<u32>,
}

fn choice<T>(name: &str, choices: &[(&str, T)], found: &str) -> PyResult<T>
where
    T: Copy,
{
    let chosen = choices.iter().find(|(word, _)| *word == found);
    chosen.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        PyValueError::new_err(format!(
            "{name}: expected {}, found {found:?}",
            words.join(" or ")
        ))
    })
}

impl Options {
    pub fn options(&self) -> PyResult<FrontierOptions> {
        let mut options = FrontierOptions::default();
        if let Some(grow) = &self.grow {
            let choices = [
                ("hierarchical", Grow::Hierarchical),
                ("simple", Grow::Simple),
            ];
            options.grow = choice("grow", &choices, grow)?;
        }
        if let Some(merge) = &self.merge {
            let choices = [("lossless", Merge::Lossless), ("lossy", Merge::Lossy)];
            options.merge = choice("merge", &choices, merge)?;
        }
        options.extend = self.extend.unwrap_or(options.extend);
        options.tighten = self.tighten.unwrap_or(options.tighten);
        options.limit = self.budget.or(options.limit);
        Ok(options)
    }
}

/// `None` where the two see each other.
pub fn of_terrain(
    terrain: &TerrainBundle<'_>,
    a: Sample,
    b: Sample,
    options: &Options,
) -> PyResult<Option<[Array2<bool>; 2]>> {
    let mut builder = FrontierBuilder::new(terrain);
    builder
        .build(a, b, &options.options()?)
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

/// How sets of a level are made.
pub fn construction(level: &CellBundle<'_>, name: &str) -> PyResult<Construction> {
    let choices = Construction::ALL.map(|construction| (construction.name(), construction));
    let construction = choice("construction", &choices, name)?;
    if construction.needs_neighbours() && !level.has_neighbours() {
        return Err(PyValueError::new_err(format!(
            "construction: {:?} needs a bundle that knows which cells touch, and this one does not",
            construction.name()
        )));
    }
    Ok(construction)
}

/// `None` where the two see each other.
pub fn of_cells(
    level: &CellBundle<'_>,
    a: u32,
    b: u32,
    name: &str,
) -> PyResult<Option<[Array1<bool>; 2]>> {
    let construction = construction(level, name)?;
    let mut memory = vec![0; construction.words(level.cells())];
    if !matches!(level.frontier(a, b, construction, &mut memory), Ok(Some(_))) {
        return Ok(None);
    }
    let words = level.cells().div_ceil(64) as usize;
    Ok(Some([0, words].map(|from| {
        let bit = |cell: usize| memory[from + cell / 64] >> (cell % 64) & 1 == 1;
        (0..level.cells() as usize).map(bit).collect()
    })))
}
