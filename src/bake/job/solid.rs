//! Bakes a solid level into a bundle or a shard: gives `grid` its cells and its kernel.

use std::path::Path;

use super::error::BakeError;
use super::forecast::{Forecast, PROGRAM_BYTES, Sampled};
use super::grid::GridBake;
use super::observer::Observer;
use super::options::BakeOptions;
use super::parallel::thread_count;
use super::report::{BakeReport, ShardReport};
use super::source::{Source, job};
use super::store::group::Targets;
use super::tiles::ShardOf;
use super::visibility::{Kernels, VisibilityStage};
use crate::bundle::{GridHeader, GridKind, SolidSections, grid_of_cells, terrain_of_solid};
use crate::compress::ValidPyramid;
use crate::visibility::solid::{KnownOccluders, Looked, SolidField, Solids};
use crate::visibility::{LOOK_LEVEL, Sights, Viewsheds};
use fearless_simd::Level;
use viewcell::format::Grid;
use viewcell_ingest::world::solid::{PlaceCells, Player, Rock, SolidLevel};

/// What is baked of a solid level.
#[derive(Clone, Copy, Debug)]
pub struct SolidWorld<'l> {
    /// What hides.
    pub level: &'l SolidLevel,
    /// Where players can be. At least one cell.
    pub places: &'l PlaceCells,
    /// Who they are.
    pub player: &'l Player,
}

/// Bakes a solid level into a bundle at `output`. Of `options` those on visibility mean nothing here but `grade`, which
/// the bundle tells among its options; threads, instructions, memory, compression and what becomes of files count.
///
/// Takes time in the order of pairs of cells, and memory for each thread of 256 bitmaps of cells.
///
/// # Errors
///
/// Invalid options, memory that is not allowed, files that cannot be read or written, and a checkpoint or
/// shard of another job.
pub fn bake_solid(
    world: SolidWorld<'_>,
    source: &Source,
    options: &BakeOptions,
    output: &Path,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let subject = Subject::new(&mut KnownOccluders::default(), world, source, options)?;
    let bake = subject.bake(source, options, observer);
    bake.bundle(&bake.whole(|| &subject.field), output, observer)
}

/// Bakes a share of the tiles of a solid level into a shard at `output`, for [`super::merge`].
///
/// # Errors
///
/// As [`bake_solid`].
pub(crate) fn bake_solid_shard(
    world: SolidWorld<'_>,
    source: &Source,
    options: &BakeOptions,
    shard: ShardOf,
    output: &Path,
    observer: &dyn Observer,
) -> Result<ShardReport, BakeError> {
    let subject = Subject::new(&mut KnownOccluders::default(), world, source, options)?;
    let bake = subject.bake(source, options, observer);
    bake.shard(&bake.whole(|| &subject.field), shard, output, observer)
}

/// Foresees the bake of a solid level, by some of its quads of viewpoints; reuses the occluders of other cells of it. Takes one
/// or two seconds.
///
/// # Errors
///
/// Where [`bake_solid`] would refuse to begin.
pub(crate) fn forecast_solid(
    known: &mut KnownOccluders,
    world: SolidWorld<'_>,
    source: &Source,
    options: &BakeOptions,
    observer: &dyn Observer,
) -> Result<Forecast, BakeError> {
    let subject = Subject::new(known, world, source, options)?;
    let valid = &subject.valid;
    let (columns, rows) = valid.grid().quads_at(LOOK_LEVEL);
    let parts = (columns * rows).clamp(1, MOST_PARTS) as usize;
    let looked = Looked::default();
    let tables = || SampledField(&subject.field, parts, &looked);
    let visibility = VisibilityStage::prepare(tables, valid, Targets::All, options, observer);
    let blocks = valid.grid().blocks() as u64;
    let pairs = subject.field.pairs();
    let of_all = |work: u64| work as f64 / looked.pairs() * pairs;
    let found = Sampled::look(
        &visibility,
        valid,
        |_| looked.targets(),
        blocks * subject.field.targets(),
        |sampled, _| {
            let work = looked.work();
            sampled >= ENOUGH_QUADS
                || work > ENOUGH_WORK
                || work > ENOUGH_WORK / 4 && of_all(work) > HOPELESS_WORK
        },
        observer,
    )?;
    let sections = subject.header.kind.solid().map(SolidSections::bytes);
    let work = of_all(looked.work());
    Ok(Forecast {
        cpu_seconds: found.cpu_seconds,
        bytes: found.bytes + sections.unwrap_or(0) + 12 * blocks,
        memory: memory_needed(world.level, valid.grid(), options),
        sampled: found.quads,
        quads: visibility.levels.look_quads().len(),
        // A sample that ended early says how much work it is, and hardly more.
        hidden: (work <= HOPELESS_WORK).then(|| 1.0 - looked.visible() / looked.pairs()),
        work: Some(work),
        ..Forecast::default()
    })
}

/// Bytes of a cell in tables: eyes and bodies, and two nodes of the tree.
const CELL_BYTES: u64 = 400;

/// Bytes that a bake of view cells takes at most.
///
/// # Errors
///
/// Where the bake would refuse to begin: for options that no bake can have, and more memory than it may take. `input` is the
/// name of the level's file.
pub(crate) fn memory_of_solid(
    level: &SolidLevel,
    places: &PlaceCells,
    input: &str,
    options: &BakeOptions,
) -> Result<u64, BakeError> {
    options.check_simd()?;
    options.check_grade()?;
    let needed = memory_needed(level, numbers(level, places).grid(), options);
    options.check_memory(needed, input)?;
    Ok(needed)
}

fn memory_needed(level: &SolidLevel, grid: Grid, options: &BakeOptions) -> u64 {
    let threads = thread_count(options.threads) as u64;
    let sights = threads * Sights::bytes(grid);
    PROGRAM_BYTES + grid.samples() * CELL_BYTES + Rock::bytes(level) + sights
}

/// The grid that cells, and parts of objects, are numbered into.
pub(crate) fn numbers(level: &SolidLevel, places: &PlaceCells) -> ValidPyramid {
    grid_of_cells((places.len() + level.parts().count()) as u32)
}

/// The level as a grid of numbers.
struct Subject {
    header: GridHeader,
    valid: ValidPyramid,
    digest: String,
    field: SolidField,
}

impl Subject {
    fn new(
        known: &mut KnownOccluders,
        world: SolidWorld<'_>,
        source: &Source,
        options: &BakeOptions,
    ) -> Result<Self, BakeError> {
        let SolidWorld {
            level,
            places,
            player,
        } = world;
        memory_of_solid(level, places, &source.input.name, options)?;
        let sections = SolidSections::new(level, places, player, &source.input);
        let sections = sections.map_err(|error| BakeError::Cells {
            input: source.input.name.clone(),
            error,
        })?;
        let valid = numbers(level, places);
        let field =
            SolidField::reusing(known, level, places, player, valid.grid()).graded(options.grade);
        let sections = SolidSections {
            occluders: field.occluder_section(),
            ..sections
        };
        let header = GridHeader {
            parameters: terrain_of_solid(
                [player.hull.min, player.hull.max],
                player.eye,
                valid.grid(),
            ),
            crs: None,
            kind: GridKind::Solid(sections),
        };
        Ok(Self {
            digest: digest(level),
            header,
            valid,
            field,
        })
    }

    fn bake<'a>(
        &'a self,
        source: &Source,
        options: &'a BakeOptions,
        observer: &dyn Observer,
    ) -> GridBake<'a> {
        match self.field.left_out() {
            0 => {}
            parts => observer.note(&format!(
                "{parts} parts of planes with faces are too small for these cells to hide anybody: they stop players and \
                 hide nothing"
            )),
        }
        let mut source = source.clone();
        if options.grade > 0 {
            source.options.insert("grade".into(), options.grade.into());
        }
        GridBake {
            job: job(self.digest.clone(), &source, &self.header),
            header: &self.header,
            heights: &[],
            valid: &self.valid,
            options,
        }
    }
}

impl Kernels for &SolidField {
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_> {
        Box::new(Solids::new(self, level))
    }
}

/// A forecast divides the cells of a level into as many sets as there are quads of viewpoints, but into no more than this;
/// each quad looks at one.
const MOST_PARTS: u32 = 64;

/// So many quads of viewpoints are enough, or those that take so much work, some one and a half seconds. Both are the same on
/// every processor, as is what a quality chooses by them.
const ENOUGH_QUADS: usize = 64;
const ENOUGH_WORK: u64 = 12_000_000;

/// Cells that no quality takes for all the work that they would be, four times what `best` allows, need no better estimate.
const HOPELESS_WORK: f64 = 1.6e11;

/// A level of which each look sees one of so many sets of cells.
struct SampledField<'f>(&'f SolidField, usize, &'f Looked);

impl Kernels for SampledField<'_> {
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_> {
        Box::new(Solids::new(self.0, level).sampling(self.1, self.2))
    }
}

/// Digest of what hides, algorithm first.
fn digest(level: &SolidLevel) -> String {
    let mut digest = crc32fast::Hasher::new();
    let mut numbers = |numbers: &[f64]| {
        for number in numbers {
            digest.update(&number.to_le_bytes());
        }
    };
    for plane in level.solids.iter().flat_map(|solid| &solid.planes) {
        numbers(&plane.normal);
        numbers(&[plane.dist]);
    }
    for face in &level.faces {
        numbers(face.vertices.as_flattened());
        numbers(&[f64::from(face.two_sided)]);
    }
    for part in level.parts() {
        numbers(&part.min);
        numbers(&part.max);
    }
    format!("crc32:{:08x}", digest.finalize())
}
