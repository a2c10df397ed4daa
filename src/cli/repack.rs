//! `viewcell repack`: a bundle becomes another of the same PVSs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bake::{self, RepackOptions};
use viewcell::internals::bundle::{self, BundleFile, Info};

use super::compression::CompressionArgs;
use super::exit::{Failure, Outcome};
use super::output::check_outputs;
use super::progress::Progress;
use super::threads;
use super::written::Writing;

/// Write a bundle anew from one that has lost nothing, without baking again
///
/// With --budget the new bundle is as small as that, as a bake with that budget would make it. A
/// bundle that has lost something cannot be repacked: keep the one that has not.
///
/// Example: viewcell repack level.vcb --budget 30MB -o small.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle to read
    bundle: PathBuf,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    compression: CompressionArgs,
    /// Threads to work with; 0 for one a processor. The bundle does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads::parse)]
    threads: usize,
}

/// What `viewcell repack --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell repack")]
pub struct Document {
    /// The bundle written.
    output: PathBuf,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it.
    bundle: Info,
}

pub fn run(args: &Args) -> Outcome {
    let output = &args.writing.output;
    let make = |progress: &Progress| {
        check_outputs(&[&args.bundle], [output], args.writing.force)?;
        let options = RepackOptions {
            compression: args.compression.read(grid_of(&args.bundle)?)?,
            threads: args.threads,
            overwrite: args.writing.force,
        };
        bake::repack(&args.bundle, output, &options, progress)?;
        Ok(())
    };
    args.writing
        .run(make, |output, bundle| Document { output, bundle })
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
