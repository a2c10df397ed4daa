//! `viewcell merge`: shards become a bundle.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bake::{self, Compression};
use viewcell::internals::bundle::{self, Info};

use super::compression::CompressionArgs;
use super::exit::{Failure, Outcome};
use super::output::check_outputs;
use super::progress::Progress;
use super::repack::grid_of;
use super::written::Writing;

/// Join shards, or a bundle and patches, into the bundle that one bake would have written
///
/// Example: viewcell merge level.1-of-2.vcs level.2-of-2.vcs -o level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// Shards, in any order, that together hold all of one bake; or a bundle and patches over it
    /// (viewcell rebake), in the order in which they were made
    #[arg(required = true, value_name = "SHARDS")]
    shards: Vec<PathBuf>,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    compression: CompressionArgs,
}

/// What `viewcell merge --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell merge")]
pub struct Document {
    /// The bundle written.
    output: PathBuf,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it.
    bundle: Info,
}

pub fn run(args: &Args) -> Outcome {
    let Writing { output, force, .. } = &args.writing;
    let make = |progress: &Progress| {
        let shards: Vec<&Path> = args.shards.iter().map(PathBuf::as_path).collect();
        check_outputs(&shards, [output], *force)?;
        if let Some((bundle, patches)) = bundle_and_patches(&args.shards)? {
            let compression = args.compression.read(grid_of(bundle)?)?;
            bake::merge_patches(bundle, patches, output, *force, &compression, progress)?;
            return Ok(());
        }
        let compression = match args.shards.first() {
            Some(shard) => args.compression.read(bake::grid_of_shard(shard)?)?,
            None => Compression::Lossless,
        };
        bake::merge(&args.shards, output, *force, &compression, progress)?;
        Ok(())
    };
    args.writing
        .run(make, |output, bundle| Document { output, bundle })
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
