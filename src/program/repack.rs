//! `viewcell repack` and `viewcell merge`: a bundle made of another of the same PVSs, or of shards and patches; and the end
//! of every verb that writes a bundle.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle::{self, BundleFile, Info};
use viewcell_bake::{Compression, RepackOptions};

use super::compression::CompressionArgs;
use super::exit::{Failure, Outcome};
use super::info::Brief;
use super::output::{Json, check_outputs, say};
use super::progress::{Progress, Voice};
use super::sign::warn_of_lost_signature;
use super::values;

/// Write a lossless bundle again in a smaller size, without another bake
///
/// With --budget the result is the same as that of a bake with that budget. A lossy bundle cannot be repacked:
/// keep the lossless one.
///
/// Example: viewcell repack level.vcb --budget 30MB -o small.vcb
#[derive(clap::Args)]
pub struct RepackArgs {
    /// The bundle to read
    bundle: PathBuf,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    compression: CompressionArgs,
    /// Number of threads; 0 for one per processor. The bundle does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
}

/// What `viewcell repack --json` and `viewcell merge --json` print.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell repack, viewcell merge")]
pub struct Document {
    /// The bundle written.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it.
    bundle: Info,
}

pub fn repack(args: &RepackArgs) -> Outcome {
    let output = &args.writing.output;
    let make = |progress: &Progress| {
        check_outputs(&[&args.bundle], [output], args.writing.force)?;
        let options = RepackOptions {
            compression: args.compression.read(grid_of(&args.bundle)?)?,
            threads: args.threads,
            overwrite: args.writing.force,
        };
        viewcell_bake::repack(&args.bundle, output, &options, progress)?;
        progress.finish();
        warn_of_lost_signature([args.bundle.as_path()], output);
        Ok(())
    };
    args.writing.run(make)
}

/// Columns and rows of a bundle, or of the grid that the cells of a solid level are numbered into.
pub fn grid_of(path: &std::path::Path) -> Result<(u32, u32), Failure> {
    // `info` reads patches, too.
    BundleFile::open(path)?;
    let info = bundle::info(path)?;
    match (&info.terrain, &info.solid) {
        (Some(terrain), _) => Ok((terrain.width, terrain.height)),
        (None, Some(solid)) => Ok(solid.grid.into()),
        (None, None) => Err(Failure::bad_input(format!(
            "{}: expected a bundle of a terrain or a solid level, found {}",
            path.display(),
            info.kind
        ))),
    }
}

/// Join shards, or a bundle and patches, into the bundle that one bake would have written
///
/// Example: viewcell merge level.1-of-2.vcs level.2-of-2.vcs -o level.vcb
#[derive(clap::Args)]
pub struct MergeArgs {
    /// Shards of one bake, all of them, in any order; or a bundle and its patches (viewcell rebake), in the order
    /// in which they were made
    #[arg(required = true, value_name = "SHARDS")]
    shards: Vec<PathBuf>,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    compression: CompressionArgs,
}

pub fn merge(args: &MergeArgs) -> Outcome {
    let Writing { output, force, .. } = &args.writing;
    let make = |progress: &Progress| {
        let shards: Vec<&Path> = args.shards.iter().map(PathBuf::as_path).collect();
        check_outputs(&shards, [output], *force)?;
        if let Some((bundle, patches)) = bundle_and_patches(&args.shards)? {
            let compression = args.compression.read(grid_of(bundle)?)?;
            viewcell_bake::merge_patches(bundle, patches, output, *force, &compression, progress)?;
            progress.finish();
            warn_of_lost_signature([bundle.as_path()], output);
            return Ok(());
        }
        let compression = match args.shards.first() {
            Some(shard) => args
                .compression
                .read(viewcell_bake::grid_of_shard(shard)?)?,
            None => Compression::Lossless,
        };
        viewcell_bake::merge(&args.shards, output, *force, &compression, progress)?;
        Ok(())
    };
    args.writing.run(make)
}

/// A bundle and the patches over it, if that is what was given; errors where bundles, patches and shards are mixed
/// otherwise.
fn bundle_and_patches(files: &[PathBuf]) -> Result<Option<(&PathBuf, &[PathBuf])>, Failure> {
    let kinds = || files.iter().map(|file| bundle::kind_of(file));
    if !kinds().any(|kind| matches!(kind, Some("a bundle" | "a patch"))) {
        return Ok(None);
    }
    let expected = ["a bundle"].into_iter().chain(std::iter::repeat("a patch"));
    for ((file, kind), expected) in files.iter().zip(kinds()).zip(expected) {
        if let Some(found) = kind.filter(|found| *found != expected) {
            return Err(Failure::bad_input(format!(
                "{}: expected {expected}, found {found}; give shards alone, or the bundle first, and then the \
                 patches over it in the order in which they were made",
                file.display()
            )));
        }
    }
    match files.split_first() {
        Some((bundle, patches)) if !patches.is_empty() => Ok(Some((bundle, patches))),
        _ => Err(Failure::bad_input(format!(
            "{}: expected patches over it, found no other file; a bundle alone needs no merging",
            files
                .first()
                .map_or(Path::new(""), PathBuf::as_path)
                .display()
        ))),
    }
}

/// The options of verbs that make a bundle of others.
#[derive(clap::Args)]
pub struct Writing {
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: PathBuf,
    /// Overwrite the bundle if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

impl Writing {
    /// Has `make` write the bundle, and tells of it, or that a signal stopped it.
    fn run(&self, make: impl FnOnce(&Progress) -> Result<(), Failure>) -> Outcome {
        Progress::watch(&self.voice, make)?;
        let output = self.output.clone();
        tell(output, &self.voice, &self.json, |output, bundle| Document {
            output,
            bundle,
        })
    }
}

/// Tells of a bundle written, and prints its document if that is wanted.
pub fn tell<D: Serialize>(
    output: PathBuf,
    voice: &Voice,
    json: &Json,
    document: impl FnOnce(PathBuf, Info) -> D,
) -> Outcome {
    let info = bundle::info(&output)?;
    if !voice.quiet {
        say(Brief {
            info: &info,
            output: &output,
        });
    }
    json.document(|| document(output, info))
}
