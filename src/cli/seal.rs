//! `viewcell seal`: checksums by page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;

use super::exit::{Exit, Outcome};
use super::output::{self, Json, check_outputs, say};

/// Write a bundle with a checksum for each of its pages of 64 KiB
///
/// A server that opens it with `open_checked` (C: viewcell_open_checked) checks each page when it first
/// touches it, so that a file that has rotted on its disk hides nobody.
///
/// Example: viewcell seal level.vcb -o sealed.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    pub bundle: PathBuf,
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: PathBuf,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub json: Json,
}

/// What `viewcell seal --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell seal")]
pub struct Document {
    /// The bundle written.
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
}

pub fn run(args: Args) -> Outcome {
    let Args { bundle, output, .. } = args;
    check_outputs(&[&bundle], [&output], args.force)?;
    let bytes = bundle::seal(&bundle, &output, args.force)?.bytes;
    if !args.quiet {
        say(format_args!("written: {}; {bytes} bytes", output.display()));
    }
    if args.json.json {
        output::print_json(&Document { output, bytes })?;
    }
    Ok(Exit::Done)
}
