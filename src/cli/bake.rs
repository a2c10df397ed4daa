//! `viewcell bake`: a heightmap becomes a bundle.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bake::{self, BakeOptions, Source};
use viewcell::bundle::{self, Info};
use viewcell::ingest::{IngestError, IngestErrorKind, read_terrain};
use viewcell::visibility;

use super::exit::{Exit, Failure, Outcome};
use super::info::Summary;
use super::job::{Simd, TerrainJob, Visibility};
use super::output::{self, Json, say};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::verify;

/// Bake a world into a bundle that answers who can see whom
///
/// A summary goes to stderr at the end. Ctrl-C stops a bake and leaves nothing behind.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct Args {
    /// Bake what a job file says, in TOML; its paths are relative to itself
    #[arg(long, value_name = "FILE.toml", required = true)]
    job: Option<PathBuf>,
    /// Overwrite the bundle if it is there, whatever the job file says
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
    /// Example: viewcell bake terrain level.tif -o level.vcb --player-height 1.8
    Terrain {
        #[command(flatten)]
        job: Box<TerrainJob>,
        #[command(flatten)]
        manner: Manner,
    },
}

/// What a person sees of the bake; no part of the job.
#[derive(clap::Args)]
struct Manner {
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell bake --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake")]
pub struct Document {
    /// The bundle written.
    output: PathBuf,
    /// What a person should know about the input: assumptions, conversions, voids.
    notes: Vec<String>,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it.
    bundle: Info,
}

pub fn run(args: Args) -> Outcome {
    let (job, manner) = match (args.world, &args.job) {
        (Some(World::Terrain { job, manner }), _) => (*job, manner),
        (None, Some(file)) => {
            let mut job = TerrainJob::read(file)?;
            job.force |= args.force;
            (job, args.manner)
        }
        (None, None) => return Err(Failure::usage("expected a world to bake, or --job".into())),
    };
    let output = job.output()?;
    check_output(&job, &output)?;
    let cannot_listen = |error| Failure::io("cannot listen for signals".into(), error);
    let stop = Stop::listen().map_err(cannot_listen)?;
    let progress = Progress::new(&manner.voice, stop.clone());
    let result = bake(&job, &output, &progress);
    progress.finish();
    let notes = match result {
        Err(_) if stop.asked() => {
            say("viewcell: stopped; nothing was written");
            return Ok(stop.exit());
        }
        other => other?,
    };
    if !manner.voice.quiet {
        for note in &notes {
            say(format_args!("note: {note}"));
        }
    }
    let info = bundle::info(&output)?;
    if !manner.voice.quiet {
        say(Summary(&info));
        say(format_args!("written: {}", output.display()));
    }
    let exit = if job.verify {
        verify::check(&output, &progress)?
    } else {
        Exit::Done
    };
    if manner.json.json {
        output::print_json(&Document {
            output,
            notes,
            bundle: info,
        })?;
    }
    Ok(exit)
}

/// What would fail at the end of the bake fails before its beginning.
fn check_output(job: &TerrainJob, output: &Path) -> Result<(), Failure> {
    if let (Ok(input), Ok(there)) = (fs::canonicalize(&job.input), fs::canonicalize(output))
        && input == there
    {
        return Err(Failure::usage(format!(
            "{}: is the input too, and was kept; write the bundle elsewhere with -o",
            output.display()
        )));
    }
    Ok(bundle::check_output(output, job.force)?)
}

/// Reads, bakes and writes; returns what a person should know of the input.
fn bake(job: &TerrainJob, output: &Path, progress: &Progress) -> Result<Vec<String>, Failure> {
    let ingested = read_terrain(&job.input, &job.ingest_options())?;
    let source = source(job, ingested.format)?;
    let options = BakeOptions {
        eye_height: job.eye_height.unwrap_or(job.player_height),
        player_height: job.player_height,
        mode: match job.visibility {
            Visibility::Conservative => bake::Mode::Conservative,
            Visibility::Exact => bake::Mode::Exact,
        },
        max_distance: job.max_distance,
        threads: job.threads,
        simd: match job.simd {
            Simd::Auto => visibility::Simd::Auto,
            Simd::Avx512 => visibility::Simd::Avx512,
            Simd::Avx2 => visibility::Simd::Avx2,
            Simd::Sse42 => visibility::Simd::Sse42,
            Simd::Scalar => visibility::Simd::Scalar,
        },
        overwrite: job.force,
    };
    bake::bake_terrain(&ingested.terrain, &source, &options, output, progress)?;
    Ok(ingested.notes)
}

/// Where the terrain comes from, and the options that the bundle depends on.
fn source(job: &TerrainJob, format: &str) -> Result<Source, Failure> {
    let cannot_read =
        |error| Failure::io(format!("{}: cannot be read", job.input.display()), error);
    Source::new(&job.input, format, job.options()).map_err(cannot_read)
}

impl From<bake::BakeError> for Failure {
    fn from(error: bake::BakeError) -> Self {
        let exit = match error.kind() {
            bake::BakeErrorKind::Usage => Exit::Usage,
            bake::BakeErrorKind::Input => Exit::BadInput,
            bake::BakeErrorKind::Io => Exit::InputOutput,
            bake::BakeErrorKind::Resource | bake::BakeErrorKind::Cancelled => Exit::Resource,
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
