//! The bakes themselves, one for each kind of world: a job is made in the caller's thread, and done in one of its own.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use viewcell_bake::bundle::{grid_of_cells, verify};
use viewcell_bake::prepare::{
    free_memory, notes_of_level, notes_of_places, told_of_cells, told_of_solid, told_of_terrain,
};
use viewcell_bake::{
    CellOptions, FlowMethod, SolidWorld, Source, bake_cells, bake_solid, bake_terrain,
    checkpoint_beside,
};
use viewcell_ingest::cells::{IngestCellsOptions, cells_from_bytes};
use viewcell_ingest::solid::read_solid;
use viewcell_ingest::world::Terrain;
use viewcell_ingest::world::solid::{Aabb, PlaceOptions, find_places};
use viewcell_ingest::{Ingested, level_bytes, read_terrain};

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
    let reading = arguments.reading.options()?;
    let layers = arguments.layers()?;
    Ok(Box::new(move |watch| {
        watch.begin("read", 1);
        let (mut ingested, source) = match heights {
            Heights::There(terrain) => {
                let source = Source::of_terrain(&terrain);
                let whole = [terrain.width(), terrain.height()];
                let ingested = Ingested {
                    terrain,
                    format: "heights",
                    whole,
                    notes: Vec::new(),
                };
                (ingested, (PathBuf::from("heights"), source, None))
            }
            Heights::File(path) => {
                let ingested = read_terrain(&path, &reading)?;
                let source = Source::new(&path, ingested.format, Default::default())
                    .map_err(|error| Fault::Io(path.clone(), error))?;
                (ingested, (path, source, Some(&reading)))
            }
        };
        let (input, mut source, read) = source;
        layers.apply(&mut ingested, &input, &reading)?;
        watch.note(ingested.notes.drain(..));
        let terrain = &ingested.terrain;
        let wants_verify = arguments.manner.verify;
        let options = arguments.bake_options([terrain.width(), terrain.height()])?;
        source.options = told_of_terrain(read, &options);
        let told = layers.told();
        source
            .options
            .extend(told.map_err(|(path, error)| Fault::Io(path, error))?);
        watch.before_writing()?;
        bake_terrain(terrain, &source, &options, &output, watch)?;
        if wants_verify { sound(&output) } else { Ok(()) }
    }))
}

/// Bakes a level of cells.
pub fn cells(input: PathBuf, arguments: CellArguments, output: PathBuf) -> PyResult<Job> {
    let options = CellOptions {
        symmetry: arguments.symmetry()?,
        threads: arguments.manner.threads(),
        overwrite: arguments.manner.overwrite,
        recompute: arguments.recompute,
        portals: arguments.portals,
        flow: if arguments.fast {
            FlowMethod::Fast
        } else {
            FlowMethod::Full
        },
        checkpoint: arguments.manner.resume.then(|| checkpoint_beside(&output)),
    };
    let reading = IngestCellsOptions {
        map: arguments.map.clone(),
    };
    Ok(Box::new(move |watch| {
        watch.begin("read", 1);
        let bytes = level_bytes(&input, arguments.pack.as_deref())?;
        let level = cells_from_bytes(&bytes, &reading).map_err(|error| error.about(&input))?;
        watch.note(level.notes);
        let told = told_of_cells(&reading, &options);
        let source = Source::of_file(&input, &bytes, level.format, told);
        watch.before_writing()?;
        bake_cells(&level.graph, &source, &options, &output, watch)?;
        if arguments.manner.verify {
            return sound(&output);
        }
        Ok(())
    }))
}

/// Bakes a solid level.
pub fn solid(input: PathBuf, arguments: SolidArguments, output: PathBuf) -> PyResult<Job> {
    let reading = arguments.reading()?;
    Ok(Box::new(move |watch| {
        watch.begin("read", 1);
        let mut read = read_solid(&input, &reading)?;
        let level = &read.level;
        let mut places = PlaceOptions::of(level);
        places.memory = free_memory();
        let hull = arguments.hull.map(|[a, b, c, d, e, f]| Aabb {
            min: [a, b, c],
            max: [d, e, f],
        });
        places.player = level.player.with(hull, arguments.eye);
        if let Some([size, height]) = arguments.cell {
            (places.size, places.height) = (size, height);
        }
        let reach = arguments.reach.iter();
        places.reach = reach.map(|&at| level.frame.to_level(at)).collect();
        watch.note(read.notes.drain(..));
        watch.note(notes_of_level(level, &places.player));
        watch.begin("places", 1);
        let found = find_places(level, &places);
        let found = found.map_err(|error| Fault::Places(input.clone(), error))?;
        watch.note(notes_of_places(level, &found));
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let told = told_of_solid(&reading, &places);
        let source = Source::of_bytes(&name, level.format, (read.bytes, read.crc32), told);
        let wants_verify = arguments.manner.verify;
        let grid = grid_of_cells(found.cells.len() as u32).grid();
        let options = arguments.bake_options(grid.samples())?;
        let world = SolidWorld {
            level,
            places: &found.cells,
            player: &places.player,
        };
        watch.before_writing()?;
        bake_solid(world, &source, &options, &output, watch)?;
        if wants_verify { sound(&output) } else { Ok(()) }
    }))
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
