//! `viewcell experiment`: the experiments of the papers, on a terrain of one's own.

mod chart;
mod frontier;
mod measure;

use super::exit::Outcome;

#[cfg(test)]
pub use frontier::Document as FrontierDocument;

/// Repeat the papers' experiments on a terrain
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    Frontier(frontier::Args),
}

pub fn run(args: &Args) -> Outcome {
    match &args.which {
        Which::Frontier(args) => frontier::run(args),
    }
}
