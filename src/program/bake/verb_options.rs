//! How a bake is done: resumed, restarted, in shards; where its bundle goes, and what is said when it stops.

use std::path::{Path, PathBuf};

use viewcell_bake::bundle::{self, BundleError};
use viewcell_bake::{BakeError, Keep, ShardOf};

use crate::exit::Failure;
use crate::output::{Json, check_not_input, check_not_stream, is_stream, say};
use crate::progress::Voice;
use crate::signals::Stop;

/// What happens around the bake; no part of the job.
#[derive(clap::Args)]
pub(super) struct VerbOptions {
    #[command(flatten)]
    pub(super) long: Long,
    #[command(flatten)]
    pub(super) voice: Voice,
    #[command(flatten)]
    pub(super) json: Json,
}

/// How to do a bake that takes long.
#[derive(Default, clap::Args)]
pub(super) struct Long {
    /// Continue a stopped bake of the same job; if there is none, begin one
    #[arg(long)]
    pub(super) resume: bool,

    /// Delete the finished work of a stopped bake, and start again
    #[arg(long, hide_short_help = true, conflicts_with = "resume")]
    pub(super) restart: bool,

    /// Do not save finished work: a stopped bake has to start again
    #[arg(long, conflicts_with_all = ["resume", "restart"])]
    pub(super) no_checkpoint: bool,

    /// Bake nothing, but estimate what the bake will take: seconds of one processor, bytes of the bundle, memory.
    /// Computes a sample of the viewpoints, which takes some seconds
    #[arg(long, conflicts_with_all = ["resume", "restart", "shard"])]
    pub(super) dry_run: bool,

    /// Bake share I of N, into OUT.I-of-N.vcs unless -o names a file that does not end in .vcb; viewcell merge
    /// joins shares. All shares are about the same work, so the first has fewer tiles than the last
    #[arg(long, hide_short_help = true, value_name = "I/N")]
    pub(super) shard: Option<ShardOf>,
}

impl Long {
    pub(super) fn keep(&self) -> Keep {
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
    pub(super) fn output(&self, bundle: PathBuf) -> PathBuf {
        match self.shard {
            Some(part) if bundle.extension().is_some_and(|end| end == "vcb") => {
                bundle.with_extension(format!("{}-of-{}.vcs", part.index(), part.of()))
            }
            _ => bundle,
        }
    }
}

/// The last words of a bake that a signal stopped.
pub(super) fn stopped(failure: &Failure, stop: &Stop) -> Failure {
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

/// Where a bundle goes: if nobody says, it has the input's name, in the current folder.
pub fn bundle_of(output: Option<&PathBuf>, input: &Path) -> Result<PathBuf, Failure> {
    match (output, input.file_stem()) {
        (Some(output), _) => Ok(output.clone()),
        (None, Some(stem)) => Ok(PathBuf::from(stem).with_added_extension("vcb")),
        (None, None) => Err(Failure::usage(format!(
            "{}: expected the name of a file, found a folder",
            input.display()
        ))),
    }
}

/// What would fail at the end of the bake fails before its beginning.
/// Endings of what is baked, of which no bundle has one.
const INPUTS: &str =
    "tif tiff png asc hgt raw r16 r32 bil flt hdr dem bsp map wad prt json obj gltf glb csv toml";

/// Fails for a bundle that would be named as what is baked.
pub(super) fn check_ending(output: &Path) -> Result<(), Failure> {
    let end = output
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    if !INPUTS.split(' ').any(|input| input == end) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: expected the name of a bundle, such as {}, found .{end}, the ending of a file to bake",
        output.display(),
        output.with_extension("vcb").display()
    )))
}

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
