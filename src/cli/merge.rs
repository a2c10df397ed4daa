//! `viewcell merge`: shards become a bundle.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bake::{self, Compression};
use viewcell::bundle::Info;

use super::compression::CompressionArgs;
use super::exit::{Failure, Outcome};
use super::output::{Json, say};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::written;

/// Join shards into the bundle that one bake would have written
///
/// Example: viewcell merge level.1-of-2.vcs level.2-of-2.vcs -o level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// Shards, in any order, that together hold all of one bake
    #[arg(required = true, value_name = "SHARDS")]
    shards: Vec<PathBuf>,
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    output: PathBuf,
    /// Overwrite the bundle if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    compression: CompressionArgs,
    /// Check the finished bundle with every rule of viewcell verify
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
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

pub fn run(args: Args) -> Outcome {
    let cannot_listen = |error| Failure::io("cannot listen for signals".into(), error);
    let stop = Stop::listen().map_err(cannot_listen)?;
    let progress = Progress::new(&args.voice, stop.clone());
    let result = merge(&args, &progress);
    progress.finish();
    if let Err(failure) = result {
        if stop.asked() {
            say("viewcell: stopped; nothing was written");
            return Ok(stop.exit());
        }
        return Err(failure);
    }
    written::tell(
        args.output,
        args.verify,
        &args.voice,
        &args.json,
        &progress,
        |output, bundle| Document { output, bundle },
    )
}

fn merge(args: &Args, progress: &Progress) -> Result<(), Failure> {
    let compression = match args.shards.first() {
        Some(shard) => args.compression.read(bake::grid_of_shard(shard)?)?,
        None => Compression::Lossless,
    };
    bake::merge(
        &args.shards,
        &args.output,
        args.force,
        &compression,
        progress,
    )?;
    Ok(())
}
