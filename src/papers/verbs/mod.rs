//! `viewcell experiment`: methods side by side, and the experiments of the papers, on worlds of one's own.

mod compression;
mod frontier;
mod ground;
mod growth;
mod interest;
mod layered;
mod machines;
mod perception;
#[cfg(test)]
#[path = "../../program/schema_files.rs"]
mod schema_files;
mod schemes;
mod sent;
mod solid;
#[cfg(test)]
mod tests;
mod visibility;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use viewcell_program::manual;

/// Compare methods, and repeat the papers' experiments
#[derive(Parser)]
#[command(name = "viewcell-experiment", bin_name = "viewcell experiment", version, max_term_width = 100,
    after_help = viewcell_program::exit::TABLE)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    Frontier(frontier::Args),
    Epvs(frontier::EpvsArgs),
    Compression(compression::Args),
    Visibility(Box<visibility::Args>),
    Interest(interest::Args),
    Machines(machines::Args),
    Perception(perception::Args),
    Schemes(Box<schemes::Args>),
    Sent(sent::Args),
    Solid(solid::Args),
    Ground(ground::Args),
    Growth(Box<growth::Args>),
    Layered(Box<layered::Args>),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Runs `viewcell-experiment` on the process's arguments.
pub fn main() -> ExitCode {
    viewcell_program::program(
        |_| std::env::args_os().collect(),
        |cli: Cli| match &cli.verb {
            Verb::Frontier(args) => frontier::run(args),
            Verb::Epvs(args) => frontier::epvs(args),
            Verb::Compression(args) => compression::run(args),
            Verb::Visibility(args) => visibility::run(args),
            Verb::Interest(args) => interest::run(args),
            Verb::Machines(args) => machines::run(args),
            Verb::Perception(args) => perception::run(args),
            Verb::Schemes(args) => schemes::run(args),
            Verb::Sent(args) => sent::run(args),
            Verb::Solid(args) => solid::run(args),
            Verb::Ground(args) => ground::run(args),
            Verb::Growth(args) => growth::run(args),
            Verb::Layered(args) => layered::run(args),
            Verb::Completions(args) => manual::completions(args, Cli::command()),
            Verb::Man(args) => manual::man(args, Cli::command()),
        },
    )
}
