//! `viewcell merge`: shards become a bundle.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bake::{self, Compression};
use viewcell::internals::bundle::Info;
use viewcell::internals::format::header::MAGIC;

use super::compression::CompressionArgs;
use super::exit::Outcome;
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
        if let Some((bundle, patches)) = args.shards.split_first()
            && !patches.is_empty()
            && is_bundle(bundle)
        {
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

/// Whether a file begins as a bundle does.
fn is_bundle(path: &Path) -> bool {
    magic_of(path) == Some(MAGIC)
}

/// The first bytes of a file, by which formats are told apart.
pub fn magic_of(path: &Path) -> Option<[u8; 8]> {
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.ok().map(|()| magic)
}
