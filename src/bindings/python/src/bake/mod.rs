//! Baking in the process of Python: in a thread of its own, while Python's looks for news and for Ctrl-C.

mod fault;
mod observe;
mod options;
mod world;

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use viewcell_bake::bundle::Timings;
use viewcell_bake::plan::WorldFile;
use viewcell_ingest::world::{Georeference, Terrain};

use crate::error::BakeError;
use observe::{Told, Watch};
use options::{CellArguments, SolidArguments, TerrainArguments};
use world::{Heights, Job};

/// How often Python looks whether there is news, or Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// What a file is baked as: "terrain", "cells" or "solid", by its content. `None` where it cannot be read.
#[pyfunction]
pub fn kind_of(path: PathBuf) -> Option<&'static str> {
    WorldFile::of(&path).map(WorldFile::name)
}

/// Bakes heights, of shape (rows, columns) and in metres, into a bundle.
#[pyfunction]
pub fn bake_heights(
    py: Python<'_>,
    heights: PyReadonlyArray2<'_, f64>,
    output: PathBuf,
    options: &Bound<'_, PyAny>,
    hear: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let options: TerrainArguments = options.extract()?;
    let heights = heights.as_array();
    let side = |n: usize| {
        u32::try_from(n)
            .map_err(|_| PyValueError::new_err("expected fewer than 2^32 rows and columns"))
    };
    let (height, width) = (side(heights.nrows())?, side(heights.ncols())?);
    let spacing = options.reading.spacing.unwrap_or([1.0; 2]);
    let terrain = Terrain::new(width, height, heights.iter().copied().collect(), spacing)
        .map_err(|error| PyValueError::new_err(error.to_string()))?
        .with_georeference(options.transform.map(|transform| {
            Georeference {
                crs: options
                    .crs
                    .clone()
                    .unwrap_or_else(|| Georeference::UNKNOWN_CRS.to_owned()),
                transform,
            }
        }));
    let job = world::terrain(Heights::There(terrain), options, output.clone())?;
    run(py, output, job, hear, progress)
}

/// Bakes a file of this kind into a bundle.
#[pyfunction]
pub fn bake_file(
    py: Python<'_>,
    input: PathBuf,
    kind: &str,
    output: PathBuf,
    options: &Bound<'_, PyAny>,
    hear: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let job = match kind {
        "cells" => {
            let options: CellArguments = options.extract()?;
            world::cells(input, options, output.clone())?
        }
        "solid" => {
            let options: SolidArguments = options.extract()?;
            world::solid(input, options, output.clone())?
        }
        _ => {
            let options: TerrainArguments = options.extract()?;
            world::terrain(Heights::File(input), options, output.clone())?
        }
    };
    run(py, output, job, hear, progress)
}

/// Runs a job. `hear` is told notes, and `progress` how far it has come, in the thread of the caller; what they raise, and
/// Ctrl-C, ends the bake.
fn run(
    py: Python<'_>,
    output: PathBuf,
    job: Job,
    hear: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let was_there = output.exists();
    let watch = Arc::new(Watch::default());
    let (done, ended) = channel();
    // Waiting with the interpreter let go asks for what threads may share.
    let ended = Mutex::new(ended);
    let baker = std::thread::spawn({
        let watch = Arc::clone(&watch);
        move || {
            // Whoever waits for it may have gone.
            done.send(job(&watch)).ok();
        }
    });
    let mut told = Told::default();
    let mut fault: Option<PyErr> = None;
    loop {
        let news = py.detach(|| {
            let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.recv_timeout(TICK)
        });
        if fault.is_none() {
            let mut look = || {
                py.check_signals()?;
                watch.tell(hear, progress.as_ref(), &mut told)
            };
            if let Err(raised) = look() {
                fault = Some(raised);
                // It has read its input so far and written nothing, and never will: it ends by itself.
                if watch.stop() && news.is_err() {
                    break;
                }
            }
        }
        match (news, fault.take()) {
            (Err(RecvTimeoutError::Timeout), still) => fault = still,
            (news, Some(raised)) => {
                baker.join().ok();
                // It may have come to its end before it was told to stop. What it has replaced is gone, and what
                // replaced it stays.
                let is_whole = news.is_ok_and(|result| result.is_ok());
                if is_whole && !was_there {
                    std::fs::remove_file(Timings::path_beside(&output)).ok();
                    std::fs::remove_file(&output)?;
                }
                return Err(raised);
            }
            (Ok(Ok(())), None) => return Ok(()),
            (Ok(Err(found)), None) => return Err(found.raised()),
            (Err(RecvTimeoutError::Disconnected), None) => {
                // It has panicked, which ends here.
                baker.join().ok();
                return Err(BakeError::new_err(
                    "a fault of the library's own; please report it",
                ));
            }
        }
    }
    Err(fault.unwrap_or_else(|| BakeError::new_err("stopped")))
}
