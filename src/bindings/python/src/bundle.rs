//! Bundles: who sees whom.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use numpy::ndarray::{Array1, Array2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use viewcell::format::Objects;
use viewcell::query::{
    CellBundle, OwnedBundle, Place, Quad, Sample, SolidBundle, TerrainBundle, VisibilityMode,
    World, WorldKind,
};

use crate::error::{ClosedError, FormatError, KindError, OutsideError, of_open};
use crate::session::{self, Session};
use crate::sets;
use crate::watch::Watch;

/// An open bundle. Any number of threads may ask it; one of them may close it at any time.
#[pyclass(frozen, module = "viewcell._viewcell")]
pub struct Bundle {
    opened: RwLock<Option<OwnedBundle>>,
}

impl Bundle {
    fn opened(&self) -> PyResult<OwnedBundle> {
        let held = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let held = held.as_ref().cloned();
        held.ok_or_else(|| ClosedError::new_err("the bundle was closed"))
    }
}

/// What a question is not for.
fn other_kind(expected: &str, found: &World<'_>) -> PyErr {
    let found = match found.kind() {
        WorldKind::Terrain => "a terrain",
        WorldKind::Cells => "a level of cells",
        WorldKind::Solid => "a solid level",
    };
    KindError::new_err(format!(
        "this is for a bundle of {expected}, and the bundle is of {found}"
    ))
}

fn terrain(opened: &OwnedBundle) -> PyResult<&TerrainBundle<'_>> {
    let world = opened.world();
    world
        .terrain()
        .ok_or_else(|| other_kind("a terrain", world))
}

fn cells(opened: &OwnedBundle) -> PyResult<&CellBundle<'_>> {
    let world = opened.world();
    world
        .cells()
        .ok_or_else(|| other_kind("a level of cells", world))
}

fn solid(opened: &OwnedBundle) -> PyResult<&SolidBundle<'_>> {
    let world = opened.world();
    world
        .solid()
        .ok_or_else(|| other_kind("a solid level", world))
}

/// A scene and its objects.
fn scene(opened: &OwnedBundle) -> PyResult<(&SolidBundle<'_>, Objects<'_>)> {
    let scene = solid(opened)?;
    let objects = scene.objects();
    objects
        .map(|objects| (scene, objects))
        .ok_or_else(|| other_kind("a scene", opened.world()))
}

/// A level of either kind, whose places are cells.
fn level(opened: &OwnedBundle) -> PyResult<&World<'_>> {
    match opened.world() {
        found if found.terrain().is_some() => Err(other_kind("a level", found)),
        level => Ok(level),
    }
}

/// A cell that is there.
fn there(level: &World<'_>, cell: u32) -> PyResult<u32> {
    match u64::from(cell) < level.places() {
        true => Ok(cell),
        false => Err(OutsideError::new_err("there is no such cell")),
    }
}

/// Cells that are all there.
fn numbers(level: &World<'_>, cells: &PyReadonlyArray1<'_, u32>) -> PyResult<Vec<u32>> {
    let cells = cells.as_array();
    cells.iter().map(|&cell| there(level, cell)).collect()
}

/// The positions of an array of shape (n, 3).
fn points(places: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<[f64; 3]>> {
    let places = places.as_array();
    if places.ncols() != 3 {
        return Err(PyValueError::new_err("expected positions of shape (n, 3)"));
    }
    let point = |row: numpy::ndarray::ArrayView1<'_, f64>| [row[0], row[1], row[2]];
    Ok(places.outer_iter().map(point).collect())
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

fn same_length<A, B>(a: &[A], b: &[B]) -> PyResult<()> {
    match a.len() == b.len() {
        true => Ok(()),
        false => Err(PyValueError::new_err(
            "expected as many places in b as in a",
        )),
    }
}

fn sample(terrain: &TerrainBundle<'_>, (column, row): (u32, u32)) -> PyResult<Sample> {
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
        let opened = py.detach(|| OwnedBundle::open(&path)).map_err(of_open)?;
        Ok(Self {
            opened: RwLock::new(Some(opened)),
        })
    }

    fn close(&self) {
        let mut held = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        *held = None;
    }

    #[getter]
    fn closed(&self) -> bool {
        self.opened().is_err()
    }

    /// What the bundle is of.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let opened = self.opened()?;
        let dict = PyDict::new(py);
        dict.set_item("kind", opened.world().kind().to_string())?;
        match opened.world() {
            World::Terrain(terrain) => {
                let parameters = terrain.parameters();
                dict.set_item("width", parameters.grid.width())?;
                dict.set_item("height", parameters.grid.height())?;
                dict.set_item("levels", parameters.grid.levels())?;
                dict.set_item("mutual", parameters.mutual)?;
                dict.set_item("lossy", parameters.lossy)?;
                dict.set_item("spacing", <(f64, f64)>::from(parameters.cell_spacing))?;
                let spacing = parameters.sample_spacing();
                dict.set_item("sample_spacing", <(f64, f64)>::from(spacing))?;
                dict.set_item("heightmap", <(u32, u32)>::from(parameters.heightmap()))?;
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
                dict.set_item("crs", opened.bundle().crs())?;
            }
            World::Cells(level) => {
                let parameters = level.parameters();
                dict.set_item("cells", level.cells())?;
                dict.set_item("greatest_distance", parameters.greatest_distance)?;
                dict.set_item("has_bsp", parameters.nodes > 0)?;
                dict.set_item("has_neighbours", level.has_neighbours())?;
            }
            World::Solid(level) => {
                let parameters = level.parameters();
                dict.set_item("cells", level.cells())?;
                let objects = level.objects().map_or(0, |all| all.count());
                dict.set_item("objects", objects)?;
                dict.set_item("solids", parameters.solids)?;
                dict.set_item("faces", parameters.faces)?;
                dict.set_item("mutual", level.sights().parameters().mutual)?;
                dict.set_item("cell", <(f64, f64, f64)>::from(parameters.cell))?;
                let hull = parameters.hull.map(<(f64, f64, f64)>::from);
                dict.set_item("hull", (hull[0], hull[1]))?;
                dict.set_item("eye", <(f64, f64)>::from(parameters.eye))?;
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
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
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
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
        Ok(terrain.visible(sample(terrain, a)?, sample(terrain, b)?))
    }

    fn visible_cells<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray1<'py, u32>,
        b: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let opened = self.opened()?;
        let level = level(&opened)?;
        let (a, b) = (numbers(level, &a)?, numbers(level, &b)?);
        same_length(&a, &b)?;
        let ask = || {
            a.iter()
                .zip(&b)
                .map(|(&a, &b)| level.visible(Place::Cell(a), Place::Cell(b)))
                .collect()
        };
        let visible: Vec<bool> = py.detach(ask);
        Ok(Array1::from(visible).into_pyarray(py))
    }

    fn visible_cell(&self, a: u32, b: u32) -> PyResult<bool> {
        let opened = self.opened()?;
        let level = level(&opened)?;
        let [a, b] = [there(level, a)?, there(level, b)?].map(Place::Cell);
        Ok(level.visible(a, b))
    }

    /// Whether players whose origins are at a may see any part of those whose origins are at b, in a solid level.
    fn visible_points<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray2<'py, f64>,
        b: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let opened = self.opened()?;
        let level = solid(&opened)?;
        let (a, b) = (points(&a)?, points(&b)?);
        same_length(&a, &b)?;
        let pairs = || a.iter().zip(&b);
        let visible: Vec<bool> = py.detach(|| {
            pairs()
                .map(|(&a, &b)| level.positions_visible(a, b))
                .collect()
        });
        Ok(Array1::from(visible).into_pyarray(py))
    }

    fn visible_within_points(
        &self,
        py: Python<'_>,
        a: [f64; 3],
        b: [f64; 3],
        reaches: [f64; 2],
    ) -> PyResult<bool> {
        let opened = self.opened()?;
        let level = solid(&opened)?;
        Ok(py.detach(|| level.positions_visible_within(a, b, reaches)))
    }

    /// Least and greatest corner of a cell; None where the bundle does not know.
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        cell: u32,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let opened = self.opened()?;
        let level = level(&opened)?;
        let corners = level.bounds(Place::Cell(there(level, cell)?));
        Ok(corners.map(|corners| numpy::ndarray::arr2(&corners).into_pyarray(py)))
    }

    fn visible_within(
        &self,
        py: Python<'_>,
        a: (u32, u32),
        b: (u32, u32),
        reaches: [f64; 2],
    ) -> PyResult<bool> {
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
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
        let opened = self.opened()?;
        let level = cells(&opened)?;
        let world = opened.world();
        let (a, b) = (numbers(world, &a)?, numbers(world, &b)?);
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
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
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
        let opened = self.opened()?;
        let level = level(&opened)?;
        let cell = there(level, cell)?;
        let places = (0..level.places()).filter_map(|number| level.place(number));
        let seen: Vec<bool> = places
            .map(|other| level.visible(Place::Cell(cell), other))
            .collect();
        Ok(Array1::from(seen).into_pyarray(py))
    }

    /// The objects of a scene that a camera at a position may see, by number.
    fn objects_seen<'py>(
        &self,
        py: Python<'py>,
        position: [f64; 3],
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let opened = self.opened()?;
        let (scene, _) = scene(&opened)?;
        let seen: Vec<u32> = scene.objects_from(scene.locate(position)).collect();
        Ok(Array1::from(seen).into_pyarray(py))
    }

    /// Where each object is in its scene.
    fn object_paths(&self) -> PyResult<Vec<String>> {
        let opened = self.opened()?;
        let (_, objects) = scene(&opened)?;
        let path = |number| objects.get(number).map(|of| of.path.to_owned());
        let paths = (0..objects.count()).map(path).collect::<Option<_>>();
        paths.ok_or_else(damaged)
    }

    /// How many samples of each PVS of level 0 are visible, row by row; 0 at voids.
    fn exposure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
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
        let opened = self.opened()?;
        let level = level(&opened)?;
        let mut seen = vec![0; level.places() as usize];
        let count = || {
            for place in (0..level.places()).filter_map(|cell| level.place(cell)) {
                for other in level.pvs(place, 0)?.places() {
                    seen[level.number(other)? as usize] += 1;
                }
            }
            Some(())
        };
        py.detach(count).ok_or_else(damaged)?;
        Ok(Array1::from(seen).into_pyarray(py))
    }

    /// Ground heights in metres, NaN for voids.
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
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
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
        let found = terrain.locate(east, south);
        let found = found.filter(|&sample| terrain.valid().has_sample(sample));
        Ok(found.map(|sample| (sample.column, sample.row)))
    }

    /// The sample at a position in the bundle's coordinate reference system.
    fn locate_georeferenced(&self, x: f64, y: f64) -> PyResult<Option<(u32, u32)>> {
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
        let found = terrain.locate_georeferenced(x, y);
        let found = found.filter(|&sample| terrain.valid().has_sample(sample));
        Ok(found.map(|sample| (sample.column, sample.row)))
    }

    /// The cell at a position in a level; None in solid, and where no player can be.
    fn locate_cell(&self, point: [f64; 3]) -> PyResult<Option<u32>> {
        let opened = self.opened()?;
        Ok(match level(&opened)?.locate(point) {
            Some(Place::Cell(cell)) => Some(cell),
            _ => None,
        })
    }

    /// The halves of a frontier set as booleans, row by row.
    fn frontier<'py>(
        &self,
        py: Python<'py>,
        a: (u32, u32),
        b: (u32, u32),
        budget: Option<u32>,
    ) -> PyResult<Option<[Bound<'py, PyArray2<bool>>; 2]>> {
        let opened = self.opened()?;
        let terrain = terrain(&opened)?;
        let (a, b) = (sample(terrain, a)?, sample(terrain, b)?);
        let halves = py.detach(|| sets::of_terrain(terrain, a, b, budget))?;
        Ok(halves.map(|halves| halves.map(|half| half.into_pyarray(py))))
    }

    /// The same in a level of cells.
    fn frontier_cells<'py>(
        &self,
        py: Python<'py>,
        a: u32,
        b: u32,
    ) -> PyResult<Option<[Bound<'py, PyArray1<bool>>; 2]>> {
        let opened = self.opened()?;
        let level = cells(&opened)?;
        let world = opened.world();
        let (a, b) = (there(world, a)?, there(world, b)?);
        let halves = sets::of_cells(level, a, b);
        Ok(halves.map(|halves| halves.map(|half| half.into_pyarray(py))))
    }

    /// Many players.
    fn session(&self, players: usize, options: session::Options) -> PyResult<Session> {
        Session::new(&self.opened()?, players, &options)
    }

    fn watch(&self, players: usize, max_ahead: f64) -> PyResult<Watch> {
        Watch::new(&self.opened()?, players, max_ahead)
    }
}
