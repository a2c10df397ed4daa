//! Baking in the process of Python.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use numpy::PyReadonlyArray2;
use pyo3::exceptions::{PyFileExistsError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use viewcell_bake::BakeErrorKind;
use viewcell_bake::bundle::Timings;
use viewcell_bake::{
    BakeError as Reason, BakeOptions, Budget, Compression, Curvature, Georeference, Observer,
    Source, Stage, Terrain, VisibilityMode, Weight, bake_terrain,
};

use crate::error::BakeError;

/// How often Python looks whether there is news, or Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// What the threads of a bake tell, for Python to read in a thread of its own: none of them waits
/// for the interpreter.
#[derive(Default)]
struct Watch {
    stages: Mutex<Vec<(Stage, u64)>>,
    done: AtomicU64,
    stop: AtomicBool,
}

impl Observer for Watch {
    fn stage(&self, stage: Stage, total: u64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Ordering::Relaxed);
        stages.push((stage, total));
    }

    fn advance(&self, _: Stage, done: u64) {
        self.done.fetch_max(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Watch {
    /// Tells what is new: every stage at its beginning, and how far the current one has come.
    fn tell(&self, progress: &Bound<'_, PyAny>, told: &mut (usize, u64)) -> PyResult<()> {
        let (stages, done) = {
            let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
            (stages.clone(), self.done.load(Ordering::Relaxed))
        };
        for (stage, total) in stages.iter().skip(told.0) {
            progress.call1((stage.name(), 0, *total))?;
        }
        if stages.len() > told.0 {
            *told = (stages.len(), 0);
        }
        if let Some((stage, total)) = stages.last()
            && done > told.1
        {
            told.1 = done;
            progress.call1((stage.name(), done.min(*total), *total))?;
        }
        Ok(())
    }
}

/// Options, as `viewcell.bake` has looked at them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Options {
    spacing: [f64; 2],
    transform: Option<[f64; 6]>,
    crs: Option<String>,
    visibility: String,
    sectors: u32,
    eye_height: f64,
    player_height: f64,
    max_distance: Option<f64>,
    curvature: Option<(f64, f64)>,
    threads: usize,
    memory: Option<u64>,
    budget: Option<u64>,
    overwrite: bool,
}

fn raised(reason: &Reason) -> PyErr {
    let words = reason.to_string();
    match reason {
        Reason::Option { .. } => return PyValueError::new_err(words),
        Reason::Bundle(viewcell_bake::bundle::BundleError::Exists { .. }) => {
            return PyFileExistsError::new_err(words);
        }
        _ => {}
    }
    match reason.kind() {
        BakeErrorKind::Resource => PyMemoryError::new_err(words),
        BakeErrorKind::Io => PyOSError::new_err(words),
        _ => BakeError::new_err(words),
    }
}

/// Bakes heights, of shape (rows, columns) and in metres, into a bundle. `progress` is called in the
/// thread of the caller; what it raises, and Ctrl-C, ends the bake.
#[pyfunction]
pub fn bake(
    py: Python<'_>,
    heights: PyReadonlyArray2<'_, f64>,
    output: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let options: Options = options.extract()?;
    let heights = heights.as_array();
    let side = |n: usize| {
        u32::try_from(n)
            .map_err(|_| PyValueError::new_err("expected fewer than 2^32 rows and columns"))
    };
    let (height, width) = (side(heights.nrows())?, side(heights.ncols())?);
    let terrain = Terrain::new(
        width,
        height,
        heights.iter().copied().collect(),
        options.spacing,
    )
    .map_err(|error| PyValueError::new_err(error.to_string()))?
    .with_georeference(options.transform.map(|transform| {
        Georeference {
            crs: options
                .crs
                .unwrap_or_else(|| Georeference::UNKNOWN_CRS.to_owned()),
            transform,
        }
    }));
    let source = Source::of_terrain(&terrain);
    let options = BakeOptions {
        eye_height: options.eye_height,
        player_height: options.player_height,
        mode: match options.visibility.as_str() {
            "exact" => VisibilityMode::Exact,
            "sectors" => VisibilityMode::Sectors(options.sectors),
            _ => VisibilityMode::Conservative,
        },
        max_distance: options.max_distance,
        curvature: options
            .curvature
            .map(|(radius, refraction)| Curvature { radius, refraction }),
        threads: options.threads,
        memory: options.memory,
        overwrite: options.overwrite,
        compression: options.budget.map_or(Compression::Lossless, |bytes| {
            Compression::Optimal(Budget {
                bytes,
                weight: Weight::default(),
            })
        }),
        ..BakeOptions::default()
    };

    let was_there = output.exists();
    let watch = Watch::default();
    std::thread::scope(|scope| {
        let (done, ended) = channel();
        // Waiting with the interpreter let go asks for what threads may share.
        let ended = Mutex::new(ended);
        let (terrain, source, options, output, watch) =
            (&terrain, &source, &options, &output, &watch);
        let baker = scope.spawn(move || {
            let result = bake_terrain(terrain, source, options, output, watch);
            // Who waits for it is there until it has come.
            done.send(result).ok();
        });
        let mut told = (0, 0);
        let mut fault: Option<PyErr> = None;
        loop {
            let news = py.detach(|| {
                let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                ended.recv_timeout(TICK)
            });
            if fault.is_none() {
                let mut look = || {
                    py.check_signals()?;
                    progress
                        .as_ref()
                        .map_or(Ok(()), |progress| watch.tell(progress, &mut told))
                };
                if let Err(raised) = look() {
                    watch.stop.store(true, Ordering::Relaxed);
                    fault = Some(raised);
                }
            }
            match (news, fault.take()) {
                (Err(RecvTimeoutError::Timeout), still) => fault = still,
                (news, Some(fault)) => {
                    baker.join().ok();
                    // It may have come to its end before it was told to stop. What it has replaced is gone, and what
                    // replaced it stays.
                    let is_whole = news.is_ok_and(|result| result.is_ok());
                    if is_whole && !was_there {
                        std::fs::remove_file(Timings::path_beside(output)).ok();
                        std::fs::remove_file(output)?;
                    }
                    return Err(fault);
                }
                (Ok(Ok(_)), None) => return Ok(()),
                (Ok(Err(reason)), None) => return Err(raised(&reason)),
                (Err(RecvTimeoutError::Disconnected), None) => {
                    // It has panicked, which ends here.
                    baker.join().ok();
                    return Err(BakeError::new_err(
                        "a fault of the library's own; please report it",
                    ));
                }
            }
        }
    })
}
