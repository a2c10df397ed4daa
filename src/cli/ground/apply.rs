//! `viewcell ground apply`: change sets that were made elsewhere.

use std::path::PathBuf;

use viewcell::ground::{ChangeSet, Layered};

use super::open;
use super::stamp::Document;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::Json;

/// Apply change sets that viewcell ground stamp wrote: all of them, or none if one does not fit
///
/// Each is for one version of one ground. Those that were applied already, or that come too early, are
/// refused.
#[derive(clap::Args)]
pub struct Args {
    /// The ground file, which is changed
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Change sets, one after the other
    #[arg(long, value_name = "FILE.vch")]
    changes: PathBuf,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

pub fn run(args: &Args) -> Outcome {
    let mut ground = open::load(&args.ground)?;
    let bytes = std::fs::read(&args.changes).map_err(|error| {
        Failure::io(format!("{}: cannot be read", args.changes.display()), error)
    })?;
    let before = ground.nodes();
    let told = |error| open::failure(&args.changes, error);
    let sets = ChangeSet::decode_all(&bytes).map_err(told)?;
    for set in &sets {
        ground.apply(set).map_err(told)?;
    }
    open::write(&args.ground, &ground, &sets)?;
    Document::new(sets.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}
