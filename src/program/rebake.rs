//! `viewcell rebake`: a bundle follows ground that has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgGroup;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle::{self, Info, TerrainParts};
use viewcell_bake::plan::InputWorld;
use viewcell_bake::{Input, Observer, RebakeJob, RebakeOptions, RebakeReport, Source};
use viewcell_ingest::ground::stamp_top;
use viewcell_ingest::ground::{TopStamp, read_top_stamps};
use viewcell_ingest::world::Terrain;

use super::exit::{Failure, Outcome};
use super::heightmap::Reading;
use super::input;
use super::output::{Json, check_outputs, say};
use super::places::NewPlaces;
use super::progress::{Progress, Voice};
use super::sign::warn_of_lost_signature;
use super::values;

/// Update a bundle after a change of its ground, without a full bake
///
/// The options of the bake are those of the bundle, which stays unchanged. The result is what a bake of the new
/// terrain would make: a bundle, or with --patch a patch of the changes, to be applied to the bundle. The bundle
/// must be lossless. There are no patches of bundles whose cells grow with distance (--grade, and terrains of more than
/// 300,000 samples unless --quality samples was given).
///
/// A bundle of coarse cells (--finest), of a part of the places (--walkable and the like) or of ground below a
/// surface (--ground) does not hold the ground that it was made from. For these all pairs are computed again, and the
/// files of --ground, --solids and --walkable must be given again for the new terrain; --max-slope and --water-level keep
/// their values unless given, and how the files are taken is as it was.
///
/// With --stamps the new terrain is the bundle's own ground changed by stamps: spheres, boxes and cylinders in JSON, one
/// per line, as schemas/stamp-line.json describes:
///
///   {"shape":"sphere","at":[120,80,35],"radius":5,"do":"dig"}
///
/// Lengths are metres: east and south from the first sample, and up from height 0. A heightmap has one height per
/// column: dig lowers a surface inside the shape to the shape's bottom, and does nothing if the shape is entirely
/// below it; fill raises a lower surface to the shape's top; replace does nothing, and materials are ignored. Voids
/// stay voids.
///
/// Example: viewcell rebake level.vcb --terrain crater.tif -o after.vcb
#[derive(clap::Args)]
#[command(group(ArgGroup::new("after").args(["terrain", "stamps"]).required(true)))]
#[command(group(ArgGroup::new("made").args(["output", "patch"]).required(true).multiple(true)))]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Patches that are applied to the bundle already, in their order
    #[arg(value_name = "PATCHES")]
    over: Vec<PathBuf>,
    /// The new ground: the whole heightmap, read with the same options as the bundle's
    #[arg(long, value_name = "FILE")]
    terrain: Option<PathBuf>,
    /// Stamps on the bundle's own ground, in JSON, one per line
    #[arg(long, value_name = "FILE")]
    stamps: Option<PathBuf>,
    #[command(flatten)]
    places: NewPlaces,
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,
    /// Patch to write
    #[arg(long, value_name = "OUT.vcp")]
    patch: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// Number of threads; 0 for one per processor. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell rebake --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell rebake")]
pub struct Document {
    /// The bundle written, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
    /// The patch written, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "crate::output::names")]
    patch: Option<PathBuf>,
    /// Bytes of the patch, whether it was written or not.
    patch_bytes: u64,
    /// Samples whose ground has changed.
    changed_samples: u64,
    /// Pairs of blocks of 8 x 8 samples that were computed again.
    asked_pairs: u64,
    /// Pairs of blocks that a bake of the new terrain computes.
    all_pairs: u64,
    /// Pairs of blocks whose visibility changed.
    changed_pairs: u64,
    /// Processor time in seconds by stage, and of all.
    cpu_seconds: Seconds,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<Info>,
}

/// Processor time in seconds.
#[derive(Serialize, JsonSchema)]
struct Seconds {
    /// Reading the bundle.
    read: f64,
    /// Finding what has changed, and building the kernel's tables.
    prepare: f64,
    /// Computing visibility.
    visibility: f64,
    /// Finding the changes of the bundle.
    patch: f64,
    /// Writing the patch.
    write: f64,
    /// Writing the bundle.
    compress: f64,
    /// All of these.
    total: f64,
}

impl Seconds {
    fn of(report: &RebakeReport) -> Self {
        let stage = |name: &str| {
            let stages = report.stages.iter().filter(|stage| stage.name == name);
            stages.map(|stage| stage.seconds).sum()
        };
        Self {
            read: stage("read"),
            prepare: stage("prepare"),
            visibility: stage("visibility"),
            patch: stage("patch"),
            write: stage("write"),
            compress: stage("compress"),
            total: report.stages.iter().map(|stage| stage.seconds).sum(),
        }
    }
}

pub fn run(args: &Args) -> Outcome {
    let outputs = args.output.iter().chain(&args.patch);
    let inputs: Vec<&Path> = std::iter::once(&args.bundle)
        .chain(&args.terrain)
        .chain(&args.stamps)
        .chain(&args.over)
        .map(PathBuf::as_path)
        .collect();
    check_outputs(&inputs, outputs, args.force)?;
    let report = Progress::watch(&args.voice, |progress| follow(args, progress))?;
    let info = args.output.as_deref().map(bundle::info).transpose()?;
    if !args.voice.quiet {
        for output in args.output.iter().chain(&args.patch) {
            say(format_args!(
                "written: {}; {} samples changed, {} of {} pairs of blocks computed again, {} changed",
                output.display(),
                report.changed_samples,
                report.asked_pairs,
                report.all_pairs,
                report.changed_pairs
            ));
        }
    }
    if let Some(output) = &args.output {
        warn_of_lost_signature([args.bundle.as_path()], output);
    }
    args.json.document(|| Document {
        output: args.output.clone(),
        patch: args.patch.clone(),
        patch_bytes: report.patch_bytes,
        changed_samples: report.changed_samples,
        asked_pairs: report.asked_pairs,
        all_pairs: report.all_pairs,
        changed_pairs: report.changed_pairs,
        cpu_seconds: Seconds::of(&report),
        bundle: info,
    })
}

/// What the ground has become, of which file that is, and whether who is covered by a surface is asked for.
type After = (Arc<Terrain>, Source, bool);

/// Makes or reads what the ground has become, tells what was noticed in it, and has the bundle follow.
fn follow(args: &Args, progress: &Progress) -> Result<RebakeReport, Failure> {
    let (terrain, source, inside) = match (&args.terrain, &args.stamps) {
        (Some(terrain), _) => read(args, terrain, progress)?,
        (None, Some(stamps)) => stamped(args, stamps, progress)?,
        (None, None) => {
            return Err(Failure::usage(
                "expected --terrain or --stamps, found neither",
            ));
        }
    };
    let job = RebakeJob {
        bundle: &args.bundle,
        over: &args.over,
        output: args.output.as_deref(),
        patch: args.patch.as_deref(),
    };
    let how = RebakeOptions {
        threads: args.threads,
        overwrite: args.force,
        inside,
        ..RebakeOptions::default()
    };
    Ok(viewcell_bake::rebake(
        &job, &terrain, &source, &how, progress,
    )?)
}

/// Reads a terrain as the bundle's was.
fn read(args: &Args, path: &Path, progress: &Progress) -> Result<After, Failure> {
    let mut options = TerrainParts::provenance(&args.bundle)?.options;
    let places = args.places.all().over(&args.bundle, &mut options)?;
    let places = places.map_err(|error| strange(args, &error))?;
    let reading = Reading::of_bundle(&options);
    let reading = reading.map_err(|error| strange(args, &error))?;
    let input = Input::terrain(path, &reading.options(), &places.layers()?, progress)?;
    let InputWorld::Terrain(terrain, inside) = input.world else {
        return Err(Failure::usage("expected a terrain"));
    };
    options.extend(input.source.options);
    let source = Source {
        options,
        ..input.source
    };
    Ok((terrain, source, inside))
}

/// What the options of a bundle are that no bake has.
fn strange(args: &Args, error: &dyn std::fmt::Display) -> Failure {
    Failure::bad_input(format!(
        "{}: section PROV: expected the options of a bake, found others: {error}; bake the new terrain",
        args.bundle.display()
    ))
}

/// Stamps the bundle's own ground.
fn stamped(args: &Args, path: &Path, progress: &Progress) -> Result<After, Failure> {
    if let Some(option) = args.places.all().layers()?.told()?.keys().next() {
        return Err(Failure::usage(format!(
            "--{option}: expected with --terrain, found --stamps; leave it out"
        )));
    }
    let options = TerrainParts::provenance(&args.bundle)?.options;
    let ground = viewcell_bake::ground_of(&args.bundle, &args.over)?;
    let (width, spacing) = (ground.width(), ground.spacing());
    let mut heights = ground.heights().to_vec();
    for TopStamp {
        line,
        shape,
        effect,
    } in read_top_stamps(path)?
    {
        let place = format!("{}: line {line}", path.display());
        let changed = stamp_top(&mut heights, width, spacing, &shape, effect)
            .map_err(|error| Failure::bad_input(format!("{place}: {error}")))?;
        if changed == 0 {
            progress.note(&format!("{place}: changes no sample"));
        }
    }
    let stamped = Terrain::new(width, ground.height(), heights, spacing);
    let stamped = stamped.map_err(Failure::bad_file(path))?;
    let terrain = stamped.with_georeference(ground.georeference().cloned());
    let source = input::source(path, "stamps", options)?;
    Ok((Arc::new(terrain), source, false))
}
