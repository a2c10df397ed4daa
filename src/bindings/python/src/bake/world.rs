//! The bakes themselves, one for each kind of world: a job is made in the caller's thread, and done in one of its own.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use viewcell_bake::bundle::verify;
use viewcell_bake::{Input, PlanError, PlanOptions, plan, run};
use viewcell_ingest::cells::IngestCellsOptions;
use viewcell_ingest::world::Terrain;

use super::fault::Fault;
use super::observe::Watch;
use super::options::{CellArguments, SolidArguments, TerrainArguments};

/// A bake, with all that it needs.
pub type Job = Box<dyn FnOnce(&Watch) -> Result<(), Fault> + Send>;

/// Where heights come from.
pub enum Heights {
    There(Terrain),
    File(PathBuf),
}

/// Bakes a terrain.
pub fn terrain(
    heights: Heights,
    mut arguments: TerrainArguments,
    output: PathBuf,
) -> PyResult<Job> {
    let (reading, layers) = (arguments.reading.options()?, arguments.layers()?);
    let wants_verify = arguments.manner.verify;
    let options = arguments.options()?;
    Ok(job(
        output,
        wants_verify,
        options,
        move |watch| match heights {
            Heights::There(terrain) => Input::heights(terrain, &layers, watch),
            Heights::File(path) => Input::terrain(&path, &reading, &layers, watch),
        },
    ))
}

/// Bakes a level of cells.
pub fn cells(input: PathBuf, arguments: CellArguments, output: PathBuf) -> PyResult<Job> {
    let (options, wants_verify) = (arguments.options()?, arguments.manner.verify);
    let CellArguments { map, pack, .. } = arguments;
    Ok(job(output, wants_verify, options, move |watch| {
        Input::cells(&input, pack.as_deref(), &IngestCellsOptions { map }, watch)
    }))
}

/// Bakes a solid level.
pub fn solid(input: PathBuf, mut arguments: SolidArguments, output: PathBuf) -> PyResult<Job> {
    let (reading, players) = (arguments.reading()?, arguments.players());
    let wants_verify = arguments.manner.verify;
    let options = arguments.options()?;
    Ok(job(output, wants_verify, options, move |watch| {
        Input::solid(&input, &reading, &players, watch)
    }))
}

/// Reads, plans, bakes, and looks at what came out.
fn job(
    output: PathBuf,
    wants_verify: bool,
    options: PlanOptions,
    read: impl FnOnce(&Watch) -> Result<Input, PlanError> + Send + 'static,
) -> Job {
    Box::new(move |watch| {
        let input = read(watch)?;
        let plan = plan(&input, &options, watch)?;
        watch.before_writing()?;
        run(&plan, &output, None, watch)?;
        if wants_verify { sound(&output) } else { Ok(()) }
    })
}

/// Errors unless every rule of bundles holds.
fn sound(output: &Path) -> Result<(), Fault> {
    let report = verify(output, &mut |_| {}).map_err(|error| Fault::Unsound(error.to_string()))?;
    let Some(rule) = report.failed().next() else {
        return Ok(());
    };
    let fault = rule.faults.first();
    let words = fault.map(|fault| {
        format!(
            "{}: expected {}, found {}",
            fault.place, fault.expected, fault.found
        )
    });
    Err(Fault::Unsound(format!(
        "{}: a fault of the library's own, please report it: {}",
        output.display(),
        words.unwrap_or_default()
    )))
}
