//! `viewcell experiment`: methods side by side, and the experiments of the papers, on worlds of one's
//! own.

mod compression;
mod epvs;
mod frontier;
mod ground;
mod interest;
mod machines;
mod merging;
mod perception;
mod play;
mod sent;
mod solid;
mod visibility;

use super::exit::Outcome;

pub use solid::player_of;

#[cfg(test)]
pub use compression::Document as CompressionDocument;
#[cfg(test)]
pub use frontier::Document as FrontierDocument;
#[cfg(test)]
pub use ground::Document as GroundDocument;
#[cfg(test)]
pub use interest::Document as InterestDocument;
#[cfg(test)]
pub use machines::Document as MachinesDocument;
#[cfg(test)]
pub use merging::Document as MergingDocument;
#[cfg(test)]
pub use perception::Document as PerceptionDocument;
#[cfg(test)]
pub use sent::Document as SentDocument;
#[cfg(test)]
pub use solid::Document as SolidDocument;
#[cfg(test)]
pub use viewcell::internals::experiment::EpvsDocument;
#[cfg(test)]
pub use visibility::Document as VisibilityDocument;

/// Set methods side by side, and repeat the papers' experiments
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    Frontier(frontier::Args),
    Epvs(epvs::Args),
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
        Which::Epvs(args) => epvs::run(args),
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
