//! The command line: one file a verb.
//!
//! A verb parses its arguments, calls the library, and prints. The result goes to stdout, as
//! text or with `--json` as one document described in `schemas/`; everything said to people goes
//! to stderr; the exit code says which class of thing happened.

mod bake;
mod completions;
mod compression;
mod diff;
mod exit;
mod experiment;
mod export;
mod frontier;
mod heightmap;
mod import;
mod info;
mod job;
mod man;
mod merge;
mod output;
mod progress;
mod query;
mod render;
mod repack;
mod report;
#[cfg(test)]
mod schemas;
mod ship;
mod sight;
mod signals;
mod simulate;
mod threads;
mod verify;
mod view;
mod written;

use std::process::ExitCode;

use clap::Parser;

use exit::Failure;

/// Bakes who can see whom.
///
/// A terrain heightmap goes in, a view cell bundle (.vcb) comes out: for every place in the
/// world, everything that may be seen from it. Games, servers and tools map the bundle and ask.
#[derive(Parser)]
#[command(name = "viewcell", version, max_term_width = 100, after_help = exit::TABLE)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    Bake(bake::Args),
    Merge(merge::Args),
    Repack(repack::Args),
    Ship(ship::ShipArgs),
    Unpack(ship::UnpackArgs),
    Info(info::Args),
    Verify(verify::Args),
    View(view::Args),
    Query(query::Args),
    Frontier(frontier::Args),
    Simulate(Box<simulate::Args>),
    Render(render::Args),
    Diff(diff::Args),
    Report(report::Args),
    Export(export::Args),
    Experiment(experiment::Args),
    Import(import::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().verb {
        Verb::Bake(args) => bake::run(args),
        Verb::Merge(args) => merge::run(&args),
        Verb::Repack(args) => repack::run(&args),
        Verb::Ship(args) => ship::ship(args),
        Verb::Unpack(args) => ship::unpack(args),
        Verb::Info(args) => info::run(&args),
        Verb::Verify(args) => verify::run(&args),
        Verb::View(args) => view::run(&args),
        Verb::Query(args) => query::run(args),
        Verb::Frontier(args) => frontier::run(&args),
        Verb::Simulate(args) => simulate::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Render(args) => render::run(&args),
        Verb::Export(args) => export::run(&args),
        Verb::Experiment(args) => experiment::run(&args),
        Verb::Import(args) => import::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    };
    let exit = match outcome {
        Ok(exit) => exit,
        Err(Failure::ClosedPipe) => exit::Exit::Done,
        Err(Failure::Failed { exit, error }) => {
            output::say(format_args!("viewcell: {error:#}"));
            exit
        }
    };
    exit.into()
}
