//! `viewcell repack`: a bundle becomes another of the same PVSs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bake::{self, RepackOptions};
use viewcell::bundle::{self, Info};

use super::compression::CompressionArgs;
use super::exit::{Failure, Outcome};
use super::output::{Json, say};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::{threads, written};

/// Write a bundle anew from one that has lost nothing, without baking again
///
/// With --budget, what is hidden is given up where it costs most bytes, as a bake with that budget
/// does it.
///
/// Example: viewcell repack level.vcb --budget 30MB -o small.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle to read
    bundle: PathBuf,
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    output: PathBuf,
    /// Overwrite the bundle if it is there
    #[arg(long)]
    force: bool,
    /// Check the finished bundle with every rule of viewcell verify
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    compression: CompressionArgs,
    /// Threads to work with; 0 for one a processor. The bundle does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads::parse)]
    threads: usize,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
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

pub fn run(args: Args) -> Outcome {
    let cannot_listen = |error| Failure::io("cannot listen for signals".into(), error);
    let stop = Stop::listen().map_err(cannot_listen)?;
    if let (Ok(input), Ok(output)) = (args.bundle.canonicalize(), args.output.canonicalize())
        && input == output
    {
        return Err(Failure::usage(format!(
            "{}: is the input too, and was kept; write the bundle elsewhere with -o",
            args.output.display()
        )));
    }
    let grid = grid_of(&args.bundle)?;
    let options = RepackOptions {
        compression: args.compression.read(grid)?,
        threads: args.threads,
        overwrite: args.force,
    };
    let progress = Progress::new(&args.voice, stop.clone());
    let result = bake::repack(&args.bundle, &args.output, &options, &progress);
    progress.finish();
    if let Err(error) = result {
        if stop.asked() {
            say("viewcell: stopped; nothing was written");
            return Ok(stop.exit());
        }
        return Err(error.into());
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

/// Columns and rows of a bundle.
fn grid_of(path: &std::path::Path) -> Result<(u32, u32), Failure> {
    match bundle::info(path)?.terrain {
        Some(terrain) => Ok((terrain.width, terrain.height)),
        None => Err(Failure::bad_input(format!(
            "{}: expected a bundle of a terrain, found one of cells",
            path.display()
        ))),
    }
}
