//! `viewcell experiment`: methods side by side, and the experiments of the papers, on worlds of one's
//! own.

pub(super) mod compression;
pub(super) mod frontier;
pub(super) mod ground;
pub(super) mod interest;
pub(super) mod machines;
pub(super) mod perception;
pub(super) mod sent;
pub(super) mod solid;
pub(super) mod visibility;

use super::exit::Outcome;

pub use solid::player_of;

/// Compare methods, and repeat the papers' experiments
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    Frontier(frontier::Args),
    Epvs(frontier::EpvsArgs),
    Compression(compression::Args),
    Visibility(Box<visibility::Args>),
    Interest(interest::Args),
    Machines(machines::Args),
    Perception(perception::Args),
    Sent(sent::Args),
    Solid(solid::Args),
    Ground(ground::Args),
}

pub fn run(args: &Args) -> Outcome {
    match &args.which {
        Which::Frontier(args) => frontier::run(args),
        Which::Epvs(args) => frontier::epvs(args),
        Which::Compression(args) => compression::run(args),
        Which::Visibility(args) => visibility::run(args),
        Which::Interest(args) => interest::run(args),
        Which::Machines(args) => machines::run(args),
        Which::Perception(args) => perception::run(args),
        Which::Sent(args) => sent::run(args),
        Which::Solid(args) => solid::run(args),
        Which::Ground(args) => ground::run(args),
    }
}
