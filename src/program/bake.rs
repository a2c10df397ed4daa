//! `viewcell bake`: a heightmap or a level becomes a bundle; here what a bake checks before it begins, and tells at its
//! end.

mod cells;
mod kind;
mod solid;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle::{self, BundleError, Info};
use viewcell_bake::ingest::{IngestError, IngestErrorKind, Ingested};
use viewcell_bake::visibility;
use viewcell_bake::{
    BakeError, BakeOptions, Forecast, Keep, ShardOf, ShardReport, Source, StoreError,
};

use super::exit::{Exit, Failure, Outcome};
use super::input;
use super::job::{Simd, TerrainJob};
use super::output::{Json, check_not_input, check_not_stream, is_stream, say};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::{memory, repack};

pub use cells::{ImportArgs, import};
pub use kind::with_kind;
pub use solid::{Hull, no_places, reached};

/// Bake a world into a bundle that answers who can see whom
///
/// viewcell bake FILE detects from the content of FILE whether it is a heightmap, a level or a mesh, and takes the
/// options of that kind: terrain, cells (levels with view cells of their own) or solid.
///
/// A summary goes to stderr at the end; the times of all stages go to OUT.vcb.timings.json. A bake that is
/// stopped, by Ctrl-C or otherwise, keeps its finished work in OUT.vcb.checkpoint, and --resume continues from
/// there.
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
    manner: Manner,
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
        manner: Manner,
    },
    Cells(Box<cells::CellsArgs>),
    Solid(Box<solid::Args>),
}

/// What happens around the bake; no part of the job.
#[derive(clap::Args)]
struct Manner {
    #[command(flatten)]
    long: Long,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// How to do a bake that takes long.
#[derive(clap::Args)]
struct Long {
    /// Continue a stopped bake of the same job; if there is none, begin one
    #[arg(long, help_heading = "Long bakes")]
    resume: bool,

    /// Delete the finished work of a stopped bake, and start again
    #[arg(long, conflicts_with = "resume", help_heading = "Long bakes")]
    restart: bool,

    /// Do not save finished work: a stopped bake has to start again
    #[arg(long, conflicts_with_all = ["resume", "restart"], help_heading = "Long bakes")]
    no_checkpoint: bool,

    /// Bake nothing, but estimate what the bake will take: seconds of one processor, bytes of the bundle, memory.
    /// Computes a sample of the viewpoints, which takes some seconds
    #[arg(long, conflicts_with_all = ["resume", "restart", "shard"], help_heading = "Long bakes")]
    dry_run: bool,

    /// Bake share I of N, into OUT.I-of-N.vcs unless -o names a file that does not end in .vcb; viewcell merge
    /// joins shares. All shares are about the same work, so the first has fewer tiles than the last
    #[arg(long, value_name = "I/N", help_heading = "Long bakes")]
    shard: Option<ShardOf>,
}

impl Long {
    fn keep(&self) -> Keep {
        match self {
            Self { resume: true, .. } => Keep::Resume,
            Self { restart: true, .. } => Keep::Restart,
            Self {
                no_checkpoint: true,
                ..
            } => Keep::Nothing,
            _ => Keep::New,
        }
    }

    /// What to write, where the bundle would be `bundle`.
    fn output(&self, bundle: PathBuf) -> PathBuf {
        match self.shard {
            Some(part) if bundle.extension().is_some_and(|end| end == "vcb") => {
                bundle.with_extension(format!("{}-of-{}.vcs", part.index(), part.of()))
            }
            _ => bundle,
        }
    }
}

pub fn run(args: Args) -> Outcome {
    let (job, manner) = match (args.world, &args.job) {
        (Some(World::Cells(args)), _) => return cells::run(&args),
        (Some(World::Solid(args)), _) => return solid::run(&args),
        (Some(World::Terrain { job, manner }), _) => (*job, manner),
        (None, Some(file)) => {
            let mut job = TerrainJob::read(file)?;
            job.force |= args.force;
            (job, args.manner)
        }
        (None, None) => return Err(Failure::usage("expected a world to bake, or --job")),
    };
    job.mode()?;
    let long = &manner.long;
    if long.dry_run {
        return dry_run(&job, &manner);
    }
    let output = long.output(job.output()?);
    if job.verify && long.shard.is_some() {
        return Err(Failure::usage(
            "--verify: expected a bundle to check, found --shard; give --verify to viewcell merge",
        ));
    }
    if job.compression.is_lossy() && long.shard.is_some() {
        return Err(Failure::usage(
            "--budget, --compression: expected a whole bundle, found --shard; give them to viewcell merge",
        ));
    }
    check_output(&job.input, job.force, long.resume, &output)?;
    let stop = Stop::listen()?;
    let progress = Progress::new(&manner.voice, stop.clone());
    let result = bake(&job, &manner, &output, &progress);
    progress.finish();
    let (notes, shard) = match result {
        Err(failure) if stop.asked() => return Err(stopped(&failure, &stop)),
        other => other?,
    };
    if let Some(report) = shard {
        return finish_shard(report, output, notes, &manner);
    }
    finish(
        output,
        notes,
        job.verify,
        &manner.voice,
        &manner.json,
        &progress,
    )
}

/// Tells of a shard written.
fn finish_shard(
    report: ShardReport,
    output: PathBuf,
    notes: Vec<String>,
    manner: &Manner,
) -> Outcome {
    let share = report.share;
    let tiles = share.end - share.first;
    if !manner.voice.quiet {
        say(format_args!(
            "written: {}, {tiles} of {} tiles, {} bytes; viewcell merge joins the shards (each is \
             about the same work, so later shards have more tiles)",
            output.display(),
            report.total_tiles,
            report.bytes
        ));
    }
    manner.json.document(|| Document {
        output,
        notes,
        bundle: None,
        shard: Some(Shard {
            index: share.index,
            of: share.of,
            first_tile: share.first,
            tiles,
            total_tiles: report.total_tiles,
            bytes: report.bytes,
        }),
    })
}

/// The last words of a bake that a signal stopped.
fn stopped(failure: &Failure, stop: &Stop) -> Failure {
    let error = match failure {
        Failure::Failed { error, .. } => error.downcast_ref(),
        Failure::ClosedPipe | Failure::Stopped(_) => None,
    };
    let Some(BakeError::Kept {
        checkpoint,
        done,
        total,
        ..
    }) = error
    else {
        return stop.stopped();
    };
    say(format_args!(
        "viewcell: stopped; {done} of {total} tiles are kept in {}, and finished parts of others: \
         continue with --resume, or start again with --restart",
        checkpoint.display()
    ));
    Failure::Stopped(stop.exit())
}

/// The terrain of a job, and how to bake it.
fn prepare(job: &TerrainJob, keep: Keep) -> Result<(Ingested, BakeOptions), Failure> {
    let mut ingested = job.reading.read(&job.input)?;
    job.places.apply(&mut ingested, &job.input, &job.reading)?;
    let sight = job
        .sight
        .over(&ingested.terrain, &job.input, &job.reading)?;
    let terrain = &ingested.terrain;
    let cells = |samples: u32| samples.div_ceil(1 << job.cells.finest.min(31));
    let options = BakeOptions {
        eye_height: job.eye_height.unwrap_or(job.player_height),
        player_height: job.player_height,
        mode: job.mode()?,
        finest: job.cells.finest,
        grade: job.cells.grade,
        detail: job.cells.detail,
        max_distance: sight.max_distance,
        curvature: sight.curvature,
        inside: job.places.inside,
        threads: job.threads,
        simd: match job.simd {
            Simd::Auto => visibility::Simd::Auto,
            Simd::Avx512 => visibility::Simd::Avx512,
            Simd::Avx2 => visibility::Simd::Avx2,
            Simd::Baseline => visibility::Simd::Baseline,
        },
        memory: job.memory.map(|size| size.0).or_else(memory::free),
        overwrite: job.force,
        keep,
        // What is weighted are view cells.
        compression: job
            .compression
            .read((cells(terrain.width()), cells(terrain.height())))?,
    };
    Ok((ingested, options))
}

/// Tells what a bake will take.
fn dry_run(job: &TerrainJob, manner: &Manner) -> Outcome {
    let (ingested, options) = prepare(job, Keep::Nothing)?;
    manner.voice.tell_notes(&ingested.notes);
    let name = job.input.file_name().unwrap_or_default().to_string_lossy();
    let forecast = viewcell_bake::forecast(&ingested.terrain, &options, &name)?;
    ForecastDocument::new(&forecast).tell("", &manner.json)
}

/// Bakes. Where the bundle may be overwritten and an earlier bake of the same job was stopped, goes on with what that has
/// kept, and says so: the bundle is the same.
fn going_on<T>(
    options: &mut BakeOptions,
    voice: &Voice,
    bake: impl Fn(&BakeOptions) -> Result<T, BakeError>,
) -> Result<T, BakeError> {
    let baked = bake(options);
    let Err(BakeError::Store(StoreError::Unfinished { path, done, total })) = &baked else {
        return baked;
    };
    if !options.overwrite || options.keep != Keep::New {
        return baked;
    }
    voice.tell_notes(&[format!(
        "{}: an earlier bake of the same job was stopped after {done} of {total} tiles; continuing \
         it (--restart starts again)",
        path.display()
    )]);
    options.keep = Keep::Resume;
    bake(options)
}

/// Reads, bakes and writes; returns what a person should know and has been told, and what a shard came to.
fn bake(
    job: &TerrainJob,
    manner: &Manner,
    output: &Path,
    progress: &Progress,
) -> Result<(Vec<String>, Option<ShardReport>), Failure> {
    let (long, voice) = (&manner.long, &manner.voice);
    let (ingested, mut options) = prepare(job, long.keep())?;
    // Before the work: what is wrong here would make hours of it worthless.
    voice.tell_notes(&ingested.notes);
    let source = source(job, ingested.format)?;
    let terrain = &ingested.terrain;
    let mut notes = ingested.notes;
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
fn source(job: &TerrainJob, format: &str) -> Result<Source, Failure> {
    let mut options = job.options();
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

impl From<IngestError> for Failure {
    fn from(error: IngestError) -> Self {
        let exit = match error.kind() {
            IngestErrorKind::Read => Exit::InputOutput,
            IngestErrorKind::Bad => Exit::BadInput,
            IngestErrorKind::Resource => Exit::Resource,
            IngestErrorKind::Usage => Exit::Usage,
        };
        Self::new(exit, error)
    }
}

/// Where the bundle of a level goes.
fn bundle_of(output: Option<&PathBuf>, input: &Path) -> Result<PathBuf, Failure> {
    match (output, input.file_stem()) {
        (Some(output), _) => Ok(output.clone()),
        (None, Some(stem)) => Ok(PathBuf::from(stem).with_extension("vcb")),
        (None, None) => Err(Failure::usage("expected a level to bake")),
    }
}

/// What would fail at the end of the bake fails before its beginning.
pub fn check_output(input: &Path, force: bool, resume: bool, output: &Path) -> Result<(), Failure> {
    check_not_stream(output)?;
    if is_stream(input) {
        return Err(Failure::usage(
            "-: expected the name of a file to bake: a bake reads its input twice (for its digest) \
             and may be resumed, so it cannot come from stdin; write it to a file first",
        ));
    }
    check_not_input(input, output)?;
    match bundle::check_output(output, force) {
        // It may be what this very job made: the bake tells.
        Err(BundleError::Exists { .. }) if resume => Ok(()),
        checked => Ok(checked?),
    }
}

/// Tells of a bundle written, and verifies it if that is wanted.
pub fn finish(
    output: PathBuf,
    notes: Vec<String>,
    verify: bool,
    voice: &Voice,
    json: &Json,
    progress: &Progress,
) -> Outcome {
    repack::tell(output, verify, voice, json, progress, |output, info| {
        Document {
            output,
            notes,
            bundle: Some(info),
            shard: None,
        }
    })
}

/// What `viewcell bake --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake")]
pub struct Document {
    /// The bundle written, or with --shard the shard.
    pub output: PathBuf,
    /// Notes about the input (assumptions, conversions, voids) and about finished work of a stopped bake that was
    /// used.
    pub notes: Vec<String>,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it; absent with
    /// --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Info>,
    /// What the shard holds; absent without --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A shard written.
#[derive(Serialize, JsonSchema)]
pub struct Shard {
    /// Its number, from 1.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
    /// Its first tile of 32 x 32 viewpoints, in bake order.
    pub first_tile: u32,
    /// Its tiles.
    pub tiles: u32,
    /// Tiles of the whole bake.
    pub total_tiles: u32,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What `viewcell bake terrain --dry-run --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake terrain --dry-run")]
pub struct ForecastDocument {
    /// Processor time of all threads together, in seconds.
    cpu_seconds: f64,
    /// Bytes of the bundle.
    bytes: u64,
    /// Bytes of memory, at most.
    memory: u64,
    /// Quads of viewpoints that were computed for the estimate.
    sampled_quads: usize,
    /// Quads of viewpoints of the whole bake.
    quads: usize,
}

impl ForecastDocument {
    pub fn new(forecast: &Forecast) -> Self {
        Self {
            cpu_seconds: forecast.cpu_seconds,
            bytes: forecast.bytes,
            memory: forecast.memory,
            sampled_quads: forecast.sampled,
            quads: forecast.quads,
        }
    }

    /// Prints it; as text, `first` comes before.
    fn tell(&self, first: &str, json: &Json) -> Outcome {
        let text = format!(
            "{first}{:.3} s of one processor, {:.3} MB of bundle, {:.0} MB of memory at most; \
             estimated from {} of {} quads of viewpoints",
            self.cpu_seconds,
            self.bytes as f64 / 1e6,
            self.memory as f64 / 1e6,
            self.sampled_quads,
            self.quads,
        );
        json.tell(|| self, text)
    }
}
