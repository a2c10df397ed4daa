//! `viewcell bake`: a heightmap or a level becomes a bundle. `verb_options` has the options that all bakes share, `document`
//! what they print at the end.

mod cells;
mod document;
mod kind;
mod solid;
mod verb;
mod verb_options;
mod watch;

use std::path::PathBuf;

use viewcell_bake::plan::InputWorld;
use viewcell_bake::{BakeErrorKind, BakeOptions, Input, PlanError, PlanOptions, VisibilityMode};
use viewcell_ingest::IngestError;

use super::exit::{Exit, Failure, Outcome};
use super::job::{self, TerrainJob, Visibility};
use super::progress::Progress;

pub use cells::{ImportArgs, import};
pub use document::{Document, ForecastDocument};
pub use kind::with_kind;
pub use solid::{hull, reached};
use verb::Verb;
use verb_options::VerbOptions;
pub use verb_options::{bundle_of, check_output};

const JOBS: &str = "viewcell bake --job FILE.toml bakes what a job file says.";

/// Bake a world into a bundle that answers who can see whom
///
/// viewcell bake FILE detects from the content of FILE whether it is a heightmap, a level or a mesh, and takes the
/// options of that kind: terrain, cells (levels with view cells of their own) or solid. viewcell bake --job FILE.toml bakes
/// what a job file says.
///
/// A summary goes to stderr at the end; the times of all stages go to OUT.vcb.timings.json. A bake that is
/// stopped, by Ctrl-C or otherwise, keeps its finished work in OUT.vcb.checkpoint, and --resume continues from
/// there.
///
/// Example: viewcell bake level.tif -o level.vcb
#[derive(clap::Args)]
#[command(arg_required_else_help = true, after_help = JOBS)]
pub struct Args {
    #[command(subcommand)]
    world: World,
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
        /// Bake what a job file in TOML says, in place of TERRAIN and its options; its paths are relative to the file. - is
        /// stdin
        #[arg(long = "job", value_name = "FILE.toml", conflicts_with_all = job::OF_JOBS.split(' '))]
        file: Option<PathBuf>,
        /// Bake again whenever the file is saved, as a draft first: each in a line, until Ctrl-C. A page of viewcell view shows
        /// the newest
        #[arg(long, conflicts_with_all = ["resume", "restart", "no_checkpoint", "dry_run", "shard"])]
        watch: bool,
        #[command(flatten)]
        verb_options: VerbOptions,
    },
    Cells(Box<cells::CellsArgs>),
    Solid(Box<solid::Args>),
}

pub fn run(args: Args) -> Outcome {
    let (given, file, watch, verb_options) = match args.world {
        World::Cells(args) => return cells::run(&args),
        World::Solid(args) => return solid::run(&args),
        World::Terrain {
            job,
            file,
            watch,
            verb_options,
        } => (*job, file, watch, verb_options),
    };
    let forced = given.force;
    let mut job = match file {
        None => given,
        Some(file) => TerrainJob::read(&file)?,
    };
    job.force |= forced;
    let verb = Verb {
        input: &job.input,
        bundle: bundle_of(job.output.as_ref(), &job.input)?,
        force: job.force,
        is_lossy: job.compression.budget.is_some(),
        keeps_flow: false,
        watch,
        options: &verb_options,
    };
    verb.run(|progress| prepare(&job, progress))
}

/// The terrain of a job, and how to bake it.
fn prepare(job: &TerrainJob, progress: &Progress) -> Result<(Input, PlanOptions), Failure> {
    let (reading, layers) = (job.reading.options(), job.places.layers()?);
    let input = Input::terrain(&job.input, &reading, &layers, progress)?;
    let mut bake = BakeOptions {
        eye_height: job.eye_height.unwrap_or(job.player_height),
        player_height: job.player_height,
        mode: match job.visibility {
            Visibility::Conservative => VisibilityMode::Conservative,
            Visibility::Exact => VisibilityMode::Exact,
        },
        threads: job.threads,
        memory: job.memory.map(|size| size.0),
        ..BakeOptions::default()
    };
    if let InputWorld::Terrain(terrain, _) = &input.world {
        let sight = job.sight.over(terrain, &job.input, &job.reading)?;
        (bake.max_distance, bake.curvature) = (sight.max_distance, sight.curvature);
    }
    let options = PlanOptions {
        cells: job.cells.choice(),
        budget: job.compression.choice(),
        bake,
        ..PlanOptions::default()
    };
    Ok((input, options))
}

impl From<BakeErrorKind> for Exit {
    fn from(kind: BakeErrorKind) -> Self {
        match kind {
            BakeErrorKind::Usage => Self::Usage,
            BakeErrorKind::Input => Self::BadInput,
            BakeErrorKind::Io => Self::InputOutput,
            BakeErrorKind::Resource | BakeErrorKind::Cancelled => Self::Resource,
        }
    }
}

impl From<viewcell_bake::BakeError> for Failure {
    fn from(error: viewcell_bake::BakeError) -> Self {
        Self::new(error.kind().into(), error)
    }
}

impl From<IngestError> for Failure {
    fn from(error: IngestError) -> Self {
        PlanError::from(error).into()
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let exit = error.kind().into();
        match error {
            PlanError::Io { path, error } => Self::cannot_read(&path)(error),
            PlanError::Read(error) => Self::new(exit, error),
            PlanError::Bake(error) => Self::new(exit, error),
            error => Self::new(exit, error),
        }
    }
}
