//! Bundles: who sees whom.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use numpy::ndarray::{Array1, Array2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use viewcell::query::{CellBundle, Quad, Sample, TerrainBundle, VisibilityMode};

use crate::error::{ClosedError, FormatError, KindError, OutsideError, of_open};
use crate::loaded::{Loaded, World};
use crate::sets;

/// An open bundle. Any number of threads may ask it; one of them may close it at any time.
#[pyclass(frozen, module = "viewcell._viewcell")]
pub struct Bundle {
    loaded: RwLock<Option<Arc<Loaded>>>,
}

impl Bundle {
    pub fn loaded(&self) -> PyResult<Arc<Loaded>> {
        let held = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        let held = held.as_ref().cloned();
        held.ok_or_else(|| ClosedError::new_err("the bundle was closed"))
    }
}

pub fn terrain(loaded: &Loaded) -> PyResult<&TerrainBundle<'static>> {
    match &loaded.world {
        World::Terrain(terrain) => Ok(terrain),
        World::Cells(_) => Err(KindError::new_err(
            "this is for a bundle of a terrain, and the bundle is of a level of cells",
        )),
    }
}

pub fn cells(loaded: &Loaded) -> PyResult<&CellBundle<'static>> {
    match &loaded.world {
        World::Cells(cells) => Ok(cells),
        World::Terrain(_) => Err(KindError::new_err(
            "this is for a bundle of a level of cells, and the bundle is of a terrain",
        )),
    }
}

/// The samples of an array of shape (n, 2).
fn samples(
    terrain: &TerrainBundle<'_>,
    places: &PyReadonlyArray2<'_, u32>,
) -> PyResult<Vec<Sample>> {
    let places = places.as_array();
    if places.ncols() != 2 {
        return Err(PyValueError::new_err("expected places of shape (n, 2)"));
    }
    let sample = |row: numpy::ndarray::ArrayView1<'_, u32>| {
        let sample = Sample::new(row[0], row[1]);
        terrain.grid().has_sample(sample).then_some(sample)
    };
    let found: Option<Vec<Sample>> = places.outer_iter().map(sample).collect();
    found.ok_or_else(|| OutsideError::new_err("a place lies outside the grid"))
}

fn numbers(level: &CellBundle<'_>, places: &PyReadonlyArray1<'_, u32>) -> PyResult<Vec<u32>> {
    let places = places.as_array();
    match places.iter().all(|&cell| cell < level.cells()) {
        true => Ok(places.to_vec()),
        false => Err(OutsideError::new_err("there is no such cell")),
    }
}

fn same_length<A, B>(a: &[A], b: &[B]) -> PyResult<()> {
    match a.len() == b.len() {
        true => Ok(()),
        false => Err(PyValueError::new_err(
            "expected as many places in b as in a",
        )),
    }
}

fn there(level: &CellBundle<'_>, cell: u32) -> PyResult<u32> {
    match cell < level.cells() {
        true => Ok(cell),
        false => Err(OutsideError::new_err("there is no such cell")),
    }
}

pub fn sample(terrain: &TerrainBundle<'_>, (column, row): (u32, u32)) -> PyResult<Sample> {
    let sample = Sample::new(column, row);
    match terrain.grid().has_sample(sample) {
        true => Ok(sample),
        false => Err(OutsideError::new_err("a place lies outside the grid")),
    }
}

/// A block bitmap as one boolean a sample, row by row.
fn unpacked(terrain: &TerrainBundle<'_>, words: &[u64], into: &mut [bool]) {
    let across = terrain.grid().block_shape().0 as usize;
    let width = terrain.grid().width() as usize;
    for (row, line) in into.chunks_exact_mut(width).enumerate() {
        for (column, place) in line.iter_mut().enumerate() {
            let word = words[row / 8 * across + column / 8];
            *place = word >> (row % 8 * 8 + column % 8) & 1 == 1;
        }
    }
}

fn damaged() -> PyErr {
    FormatError::new_err("the PVS is damaged; `viewcell verify` says where")
}

#[pymethods]
impl Bundle {
    #[new]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let loaded = py.detach(|| Loaded::open(&path)).map_err(of_open)?;
        Ok(Self {
            loaded: RwLock::new(Some(Arc::new(loaded))),
        })
    }

    fn close(&self) {
        let mut held = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        *held = None;
    }

    #[getter]
    fn closed(&self) -> bool {
        self.loaded().is_err()
    }

    /// What the bundle is of.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let loaded = self.loaded()?;
        let dict = PyDict::new(py);
        match &loaded.world {
            World::Terrain(terrain) => {
                let parameters = terrain.parameters();
                dict.set_item("kind", "terrain")?;
                dict.set_item("width", parameters.grid.width())?;
                dict.set_item("height", parameters.grid.height())?;
                dict.set_item("levels", parameters.grid.levels())?;
                dict.set_item("mutual", parameters.mutual)?;
                dict.set_item("lossy", parameters.lossy)?;
                dict.set_item("spacing", (parameters.spacing[0], parameters.spacing[1]))?;
                dict.set_item("eye_height", parameters.eye_height)?;
                dict.set_item("player_height", parameters.player_height)?;
                dict.set_item("max_distance", parameters.max_distance)?;
                dict.set_item(
                    "visibility",
                    match parameters.visibility {
                        VisibilityMode::Exact => "exact",
                        VisibilityMode::Conservative => "conservative",
                        VisibilityMode::Sectors(_) => "sectors",
                    },
                )?;
                dict.set_item("transform", parameters.transform)?;
                dict.set_item("crs", loaded.crs.as_deref())?;
            }
            World::Cells(level) => {
                let parameters = level.parameters();
                dict.set_item("kind", "cells")?;
                dict.set_item("cells", level.cells())?;
                dict.set_item("greatest_distance", parameters.greatest_distance)?;
                dict.set_item("has_bsp", parameters.nodes > 0)?;
                dict.set_item("has_neighbours", level.has_neighbours())?;
            }
        }
        Ok(dict)
    }

    fn visible_samples<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray2<'py, u32>,
        b: PyReadonlyArray2<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let (a, b) = (samples(terrain, &a)?, samples(terrain, &b)?);
        same_length(&a, &b)?;
        let ask = || {
            a.iter()
                .zip(&b)
                .map(|(&a, &b)| terrain.visible(a, b))
                .collect()
        };
        let visible: Vec<bool> = py.detach(ask);
        Ok(Array1::from(visible).into_pyarray(py))
    }

    /// One pair, without arrays.
    fn visible_sample(&self, a: (u32, u32), b: (u32, u32)) -> PyResult<bool> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        Ok(terrain.visible(sample(terrain, a)?, sample(terrain, b)?))
    }

    fn visible_cells<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray1<'py, u32>,
        b: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        let (a, b) = (numbers(level, &a)?, numbers(level, &b)?);
        same_length(&a, &b)?;
        let ask = || {
            a.iter()
                .zip(&b)
                .map(|(&a, &b)| level.visible(a, b))
                .collect()
        };
        let visible: Vec<bool> = py.detach(ask);
        Ok(Array1::from(visible).into_pyarray(py))
    }

    fn visible_cell(&self, a: u32, b: u32) -> PyResult<bool> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        Ok(level.visible(there(level, a)?, there(level, b)?))
    }

    fn visible_within(
        &self,
        py: Python<'_>,
        a: (u32, u32),
        b: (u32, u32),
        reaches: [f64; 2],
    ) -> PyResult<bool> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let (a, b) = (sample(terrain, a)?, sample(terrain, b)?);
        Ok(py.detach(|| terrain.visible_within(a, b, reaches)))
    }

    /// Number of visible steps between cells; -1 where no chain of them leads there.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray1<'py, u32>,
        b: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        let (a, b) = (numbers(level, &a)?, numbers(level, &b)?);
        same_length(&a, &b)?;
        let steps = |(&a, &b): (&u32, &u32)| level.distance(a, b).map_or(-1, |steps| steps as i32);
        let steps: Vec<i32> = py.detach(|| a.iter().zip(&b).map(steps).collect());
        Ok(Array1::from(steps).into_pyarray(py))
    }

    /// All that may be seen from a quad of a terrain, row by row.
    fn pvs<'py>(
        &self,
        py: Python<'py>,
        level: u32,
        place: (u32, u32),
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let grid = terrain.grid();
        let quad = Quad::new(level, place.0, place.1);
        if !grid.has_quad(quad) {
            return Err(OutsideError::new_err("there is no such quad"));
        }
        let mut seen = Array2::from_elem((grid.height() as usize, grid.width() as usize), false);
        py.detach(|| {
            let mut words = vec![0; grid.blocks()];
            terrain.pvs(quad)?.expand(&mut words);
            unpacked(terrain, &words, seen.as_slice_mut()?);
            Some(())
        })
        .ok_or_else(damaged)?;
        Ok(seen.into_pyarray(py))
    }

    /// Who may be seen from a cell.
    fn pvs_cell<'py>(&self, py: Python<'py>, cell: u32) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        let cell = there(level, cell)?;
        let seen: Vec<bool> = (0..level.cells())
            .map(|other| level.visible(cell, other))
            .collect();
        Ok(Array1::from(seen).into_pyarray(py))
    }

    /// How many samples of each PVS of level 0 are visible, row by row; 0 at voids.
    fn exposure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let grid = terrain.grid();
        let count = |words: &mut Vec<u64>, place: Sample| {
            words.fill(0);
            terrain.pvs(place.quad())?.expand(words);
            Some(words.iter().map(|word| word.count_ones()).sum::<u32>())
        };
        let mut seen = Array2::zeros((grid.height() as usize, grid.width() as usize));
        for (row, mut line) in seen.outer_iter_mut().enumerate() {
            // A row is the longest that Ctrl-C waits for.
            py.detach(|| {
                let mut words = vec![0; grid.blocks()];
                for (column, into) in line.iter_mut().enumerate() {
                    *into = count(&mut words, Sample::new(column as u32, row as u32))?;
                }
                Some(())
            })
            .ok_or_else(damaged)?;
            py.check_signals()?;
        }
        Ok(seen.into_pyarray(py))
    }

    /// How many cells see each cell.
    fn exposure_cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        let seen = py.detach(|| viewcell::internals::survey::seen_by(level));
        Ok(Array1::from(seen).into_pyarray(py))
    }

    /// Ground heights in metres, NaN for voids.
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let grid = terrain.grid();
        let shape = (grid.height() as usize, grid.width() as usize);
        let height = |(row, column): (usize, usize)| {
            terrain
                .height(Sample::new(column as u32, row as u32))
                .unwrap_or(f32::NAN)
        };
        Ok(Array2::from_shape_fn(shape, height).into_pyarray(py))
    }

    /// The sample at metres east and south of sample (0, 0); None off the map, and where nobody can be.
    fn locate(&self, east: f64, south: f64) -> PyResult<Option<(u32, u32)>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let found = terrain.locate(east, south);
        let found = found.filter(|&sample| terrain.valid().has_sample(sample));
        Ok(found.map(|sample| (sample.column, sample.row)))
    }

    /// The sample at a position in the bundle's coordinate reference system.
    fn locate_georeferenced(&self, x: f64, y: f64) -> PyResult<Option<(u32, u32)>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let found = terrain.locate_georeferenced(x, y);
        let found = found.filter(|&sample| terrain.valid().has_sample(sample));
        Ok(found.map(|sample| (sample.column, sample.row)))
    }

    fn locate_cell(&self, point: [f64; 3]) -> PyResult<Option<u32>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        match point.iter().any(|x| x.is_nan()) {
            true => Ok(None),
            false => Ok(level.locate(point)),
        }
    }

    /// The halves of a frontier set as booleans, row by row.
    fn frontier<'py>(
        &self,
        py: Python<'py>,
        a: (u32, u32),
        b: (u32, u32),
        options: sets::Options,
    ) -> PyResult<Option<[Bound<'py, PyArray2<bool>>; 2]>> {
        let loaded = self.loaded()?;
        let terrain = terrain(&loaded)?;
        let (a, b) = (sample(terrain, a)?, sample(terrain, b)?);
        let halves = py.detach(|| sets::of_terrain(terrain, a, b, &options))?;
        Ok(halves.map(|halves| halves.map(|half| half.into_pyarray(py))))
    }

    /// The same in a level of cells.
    fn frontier_cells<'py>(
        &self,
        py: Python<'py>,
        a: u32,
        b: u32,
        construction: &str,
    ) -> PyResult<Option<[Bound<'py, PyArray1<bool>>; 2]>> {
        let loaded = self.loaded()?;
        let level = cells(&loaded)?;
        let (a, b) = (there(level, a)?, there(level, b)?);
        let halves = sets::of_cells(level, a, b, construction)?;
        Ok(halves.map(|halves| halves.map(|half| half.into_pyarray(py))))
    }
}
