//! `viewcell experiment schemes`: peers with frontier sets, beside the schemes of servers.

use crate::simulate::All;
use viewcell_program::exit::Outcome;
use viewcell_program::simulate;

/// Play peers with frontier sets, and groups, beside the schemes of viewcell simulate (Steed and Angus, 5 to 7)
///
/// All of viewcell simulate, with more schemes: FB as published, tightened, grown, agreed, and groups.
///
/// Example: viewcell experiment schemes dm2.vcb --traces play.csv --scheme CS,CSA,NPP,PPP,FB
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Also print what frontier sets could save at most, if all moves were known beforehand
    #[arg(long)]
    bound: bool,
    #[command(flatten)]
    all: simulate::Args,
}

pub(super) fn run(args: &Args) -> Outcome {
    simulate::run_with(&args.all, &All, args.bound)
}
