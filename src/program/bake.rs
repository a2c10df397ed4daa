//! `viewcell bake`: a heightmap or a level becomes a bundle. `verb_options` has the options that all bakes share, `document`
//! what they print at the end.

mod cells;
mod document;
mod kind;
mod solid;
mod verb_options;

use std::path::{Path, PathBuf};

use viewcell::format::Grid;
use viewcell_bake::prepare::{free_memory, told_of_terrain};
use viewcell_bake::visibility;
use viewcell_bake::{BakeOptions, Forecast, Keep, Quality, ShardReport, Source};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestError, IngestErrorKind, Ingested, terrain_files};

use super::exit::{Exit, Failure, Outcome};
use super::input;
use super::job::TerrainJob;
use super::memory;
use super::progress::Progress;
use super::signals::Stop;

pub use cells::{ImportArgs, import};
use document::finish_shard;
pub use document::{Document, ForecastDocument, finish};
use document::{LONG, taken};
pub use kind::with_kind;
pub use solid::{Hull, no_places, reached};
use verb_options::{Long, VerbOptions, going_on, stopped};
pub use verb_options::{bundle_of, check_output};

/// Bake a world into a bundle that answers who can see whom
///
/// viewcell bake FILE detects from the content of FILE whether it is a heightmap, a level or a mesh, and takes the
/// options of that kind: terrain, cells (levels with view cells of their own) or solid.
///
/// A summary goes to stderr at the end; the times of all stages go to OUT.vcb.timings.json. A bake that is
/// stopped, by Ctrl-C or otherwise, keeps its finished work in OUT.vcb.checkpoint, and --resume continues from
/// there.
///
/// Example: viewcell bake level.tif -o level.vcb
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct Args {
    /// Bake what a job file in TOML says; its paths are relative to the file. - is stdin
    #[arg(long, value_name = "FILE.toml", required = true)]
    job: Option<PathBuf>,
    /// Overwrite the bundle if it exists, whatever the job file says
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    verb_options: VerbOptions,
    #[command(subcommand)]
    world: Option<World>,
}

#[derive(clap::Subcommand)]
enum World {
    /// Bake a heightmap
    ///
    /// Use --visibility conservative (the default) for players who move: what is hidden stays hidden wherever they
    /// stand between the samples. Use exact for the samples themselves: it is four to six times faster.
    ///
    /// Example: viewcell bake terrain level.tif -o level.vcb --player-height 1.8
    Terrain {
        #[command(flatten)]
        job: Box<TerrainJob>,
        #[command(flatten)]
        verb_options: VerbOptions,
    },
    Cells(Box<cells::CellsArgs>),
    Solid(Box<solid::Args>),
}

pub fn run(args: Args) -> Outcome {
    let (job, verb_options) = match (args.world, &args.job) {
        (Some(World::Cells(args)), _) => return cells::run(&args),
        (Some(World::Solid(args)), _) => return solid::run(&args),
        (Some(World::Terrain { job, verb_options }), _) => (*job, verb_options),
        (None, Some(file)) => {
            let mut job = TerrainJob::read(file)?;
            job.force |= args.force;
            (job, args.verb_options)
        }
        (None, None) => return Err(Failure::usage("expected a world to bake, or --job")),
    };
    let long = &verb_options.long;
    if long.dry_run {
        return dry_run(&job, &verb_options);
    }
    let output = long.output(job.output()?);
    if job.compression.is_lossy() && long.shard.is_some() {
        return Err(Failure::usage(
            "--budget: expected a whole bundle, found --shard; give it to viewcell merge",
        ));
    }
    check_output(&job.input, job.force, long.resume, &output)?;
    let stop = Stop::listen()?;
    let progress = Progress::new(&verb_options.voice, stop.clone());
    let result = bake(&job, &verb_options, &output, &progress);
    progress.finish();
    let (notes, shard) = match result {
        Err(failure) if stop.asked() => return Err(stopped(&failure, &stop)),
        other => other?,
    };
    if let Some(report) = shard {
        return finish_shard(report, output, notes, &verb_options);
    }
    finish(output, notes, &verb_options.voice, &verb_options.json)
}

/// The terrain of a job, and how to bake it.
fn prepare(job: &TerrainJob, keep: Keep) -> Result<(Ingested, BakeOptions), Failure> {
    let mut ingested = job.reading.read(&job.input)?;
    job.places.apply(&mut ingested, &job.input, &job.reading)?;
    let sight = job
        .sight
        .over(&ingested.terrain, &job.input, &job.reading)?;
    let terrain = &ingested.terrain;
    let mode = job.mode();
    let size = (terrain.width(), terrain.height());
    let sizes = job.cells.sizes(size, mode);
    let cells = |samples: u32| samples.div_ceil(1 << sizes.finest.min(31));
    let options = BakeOptions {
        eye_height: job.eye_height.unwrap_or(job.player_height),
        player_height: job.player_height,
        mode,
        finest: sizes.finest,
        grade: sizes.grade,
        detail: sizes.detail,
        max_distance: sight.max_distance,
        curvature: sight.curvature,
        inside: job.places.inside,
        threads: job.threads,
        simd: visibility::Simd::Auto,
        memory: job.memory.map(|size| size.0).or_else(free_memory),
        overwrite: job.force,
        keep,
        // What is weighted are view cells.
        compression: job
            .compression
            .read((cells(terrain.width()), cells(terrain.height())))?,
    };
    Ok((ingested, options))
}

/// Samples a side of the part of a terrain by which a bake of samples is foreseen where they are many.
const PART: u32 = 513;

/// What a bake will take. One of very many samples, of which a look alone takes minutes, is estimated by a part in the
/// middle: the work for each pair of samples is much the same.
fn forecast(
    terrain: &Terrain,
    options: &BakeOptions,
    name: &str,
    progress: &Progress,
) -> Result<Forecast, viewcell_bake::BakeError> {
    let (width, height) = (terrain.width(), terrain.height());
    let is_many = options.grade == 0 && options.finest == 0 && width.min(height) > PART + PART / 4;
    let middle = |side: u32| (side - PART) / 2..(side - PART) / 2 + PART;
    let part = if is_many {
        terrain.part(middle(width), middle(height))
    } else {
        None
    };
    let Some(part) = part else {
        return viewcell_bake::forecast(terrain, options, name, progress);
    };
    let found = viewcell_bake::forecast(&part, options, name, progress)?;
    let more = f64::from(width) * f64::from(height) / f64::from(PART * PART);
    let grid = Grid::new(width, height).map_err(|error| viewcell_bake::BakeError::Grid {
        input: name.to_owned(),
        error,
    })?;
    Ok(Forecast {
        cpu_seconds: found.cpu_seconds * more * more,
        bytes: (found.bytes as f64 * more * more) as u64,
        memory: options.memory_needed(grid),
        ..found
    })
}

/// Tells what a bake will take.
fn dry_run(job: &TerrainJob, verb_options: &VerbOptions) -> Outcome {
    let (ingested, options) = prepare(job, Keep::Nothing)?;
    verb_options.voice.tell_notes(&ingested.notes);
    let name = job.input.file_name().unwrap_or_default().to_string_lossy();
    let progress = Progress::new(&verb_options.voice, Stop::default());
    let terrain = &ingested.terrain;
    let forecast = forecast(terrain, &options, &name, &progress)?;
    let mut document = ForecastDocument::new(&forecast);
    document.files = terrain_files(&job.input);
    if job.cells.is_chosen() {
        for quality in Quality::ALL {
            let sizes = quality.cells(terrain.width(), terrain.height(), options.mode);
            let own = [options.finest, options.grade, options.detail];
            let found = if own == [sizes.finest, sizes.grade, sizes.detail] {
                forecast
            } else {
                let options = BakeOptions {
                    memory: None,
                    ..options.clone().with_cells(sizes)
                };
                self::forecast(terrain, &options, &name, &progress)?
            };
            document.add(quality, sizes, &found);
        }
    }
    progress.finish();
    document.tell("", &verb_options.json)
}

/// What is said before the work: which view cells the quality has chosen, what they take here and what its neighbours
/// would; or, of options given by hand that take more than an hour, what takes less.
fn said_first(
    job: &TerrainJob,
    terrain: &Terrain,
    options: &BakeOptions,
    long: &Long,
    progress: &Progress,
) -> Result<Option<String>, Failure> {
    let is_graded_by_quality = job.cells.is_chosen() && options.grade > 0;
    if long.resume
        || long.shard.is_some()
        || !(is_graded_by_quality || may_be_long(terrain, options))
    {
        return Ok(None);
    }
    let name = job.input.file_name().unwrap_or_default().to_string_lossy();
    let of = |quality: Quality| {
        let sizes = quality.cells(terrain.width(), terrain.height(), options.mode);
        let options = BakeOptions {
            memory: None,
            ..options.clone().with_cells(sizes)
        };
        let found = forecast(terrain, &options, &name, progress)?;
        Ok::<_, Failure>(format!("--quality {} {}", quality.name(), taken(&found)))
    };
    let own = forecast(terrain, options, &name, progress)?;
    if is_graded_by_quality {
        let side = 1 << options.finest;
        // To foresee finer cells may take more memory than the bake.
        let others: &[Quality] = match job.memory {
            Some(_) => &[],
            None => &[Quality::Draft, Quality::Good, Quality::Best],
        };
        let chosen = job.cells.quality.quality();
        let others = others.iter().filter(|&&other| other != chosen);
        let mut said = vec![taken(&own)];
        for &other in others {
            said.push(of(other)?);
        }
        return Ok(Some(format!(
            "{} samples: near players are told apart by squares of {side} × {side} samples, far ones by larger \
             squares (--finest {} --grade={}): some {}",
            terrain.samples(),
            options.finest,
            options.grade,
            said.join("; "),
        )));
    }
    if own.cpu_seconds < LONG {
        return Ok(None);
    }
    let (draft, good) = (of(Quality::Draft)?, of(Quality::Good)?);
    Ok(Some(format!(
        "warning: this takes some {}; {draft}, {good}",
        taken(&own)
    )))
}

/// Whether so many pairs of view cells may take an hour.
fn may_be_long(terrain: &Terrain, options: &BakeOptions) -> bool {
    let side = |samples: u32| f64::from(samples.div_ceil(1 << options.finest));
    let cells = side(terrain.width()) * side(terrain.height());
    let near = match options.grade {
        0 => cells,
        grade => (4.0 * f64::from(grade)).powi(2),
    };
    // A pair takes up to 50 ns of samples, and up to 4 µs of larger cells.
    let pair = if options.finest == 0 { 50e-9 } else { 4e-6 };
    cells * near * pair > LONG
}

/// Reads, bakes and writes; returns what a person should know and has been told, and what a shard came to.
fn bake(
    job: &TerrainJob,
    verb_options: &VerbOptions,
    output: &Path,
    progress: &Progress,
) -> Result<(Vec<String>, Option<ShardReport>), Failure> {
    let (long, voice) = (&verb_options.long, &verb_options.voice);
    let (ingested, mut options) = prepare(job, long.keep())?;
    // Before the work: what is wrong here would make hours of it worthless.
    voice.tell_notes(&ingested.notes);
    let source = source(job, ingested.format, &options)?;
    let terrain = &ingested.terrain;
    let mut notes = ingested.notes;
    if let Some(note) = said_first(job, terrain, &options, long, progress)? {
        voice.tell_notes(std::slice::from_ref(&note));
        notes.push(note);
    }
    let mut resumed = |kept: u32, total: u32| {
        if long.resume {
            let note = match kept {
                0 => "nothing to resume; baked from the beginning".to_owned(),
                _ => format!("{kept} of {total} tiles were done already"),
            };
            voice.tell_notes(std::slice::from_ref(&note));
            notes.push(note);
        }
    };
    let begun = match long.shard {
        None => vec![viewcell_bake::checkpoint_beside(output)],
        Some(_) => vec![viewcell_bake::shard_in_the_making(output)],
    };
    // What was there before may be worth something.
    if !begun.iter().any(|file| file.exists()) {
        memory::remove_if_short(begun);
    }
    let shard = match long.shard {
        None => {
            let report = going_on(&mut options, voice, |options| {
                viewcell_bake::bake_terrain(terrain, &source, options, output, progress)
            })?;
            resumed(report.kept_tiles, report.tiles);
            None
        }
        Some(part) => {
            let report = going_on(&mut options, voice, |options| {
                viewcell_bake::bake_shard(terrain, &source, options, part, output, progress)
            })?;
            resumed(report.kept_tiles, report.share.end - report.share.first);
            Some(report)
        }
    };
    Ok((notes, shard))
}

/// Where the terrain comes from, and the options that the bundle depends on.
fn source(job: &TerrainJob, format: &str, options: &BakeOptions) -> Result<Source, Failure> {
    let mut options = told_of_terrain(Some(&job.reading.options()), options);
    options.extend(job.places.options()?);
    input::source(&job.input, format, options)
}

impl From<viewcell_bake::BakeError> for Failure {
    fn from(error: viewcell_bake::BakeError) -> Self {
        let exit = match error.kind() {
            viewcell_bake::BakeErrorKind::Usage => Exit::Usage,
            viewcell_bake::BakeErrorKind::Input => Exit::BadInput,
            viewcell_bake::BakeErrorKind::Io => Exit::InputOutput,
            viewcell_bake::BakeErrorKind::Resource | viewcell_bake::BakeErrorKind::Cancelled => {
                Exit::Resource
            }
        };
        Self::new(exit, error)
    }
}

impl From<IngestErrorKind> for Exit {
    fn from(kind: IngestErrorKind) -> Self {
        match kind {
            IngestErrorKind::Read => Self::InputOutput,
            IngestErrorKind::Bad => Self::BadInput,
            IngestErrorKind::Resource => Self::Resource,
            IngestErrorKind::Usage => Self::Usage,
        }
    }
}

impl From<IngestError> for Failure {
    fn from(error: IngestError) -> Self {
        Self::new(error.kind().into(), error)
    }
}
