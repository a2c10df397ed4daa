//! `viewcell ground apply`: change sets that were made elsewhere.

use std::path::PathBuf;

use viewcell::internals::ground::{ChangeSet, Layered};

use super::stamp::Document;
use crate::cli::exit::Outcome;
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
    let mut ground = super::load(&args.ground)?;
    // A map refuses devices, which would be read until memory ends.
    let bytes = super::map(&args.changes)?;
    let before = ground.nodes();
    let told = |error| super::failure(&args.changes, error);
    let sets = ChangeSet::decode_all(&bytes).map_err(told)?;
    for set in &sets {
        ground.apply(set).map_err(told)?;
    }
    super::write(&args.ground, &ground, &sets)?;
    Document::new(sets.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}
