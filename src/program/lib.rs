//! The command-line program `viewcell`: a module for each subcommand, or for several of one subject.
//!
//! A subcommand parses its arguments, calls the library, and prints. Results go to stdout, as text
//! or with `--json` as one document described in `schemas/`; messages go to stderr; the exit code
//! is the class of error.

#![deny(unsafe_code)]

pub mod bake;
mod check;
mod compression;
mod diff;
pub mod exit;
mod experiment;
mod export;
pub mod flags;
pub mod frontier;
pub mod heightmap;
mod help;
mod info;
pub mod input;
mod job;
pub mod level;
pub mod manual;
// The allocator.
#[allow(unsafe_code)]
mod memory;
mod moved;
pub mod output;
mod places;
pub mod progress;
pub mod query;
mod rebake;
pub mod render;
mod repack;
mod report;
#[cfg(test)]
mod schema_files;
mod shading;
mod sign;
pub mod signals;
pub mod simulate;
mod spelled;
mod table;
#[cfg(test)]
mod tests;
pub mod values;
mod verify;
mod view;
mod viewshed;
mod why;
pub mod work;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::{self, ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::Failure;

pub use memory::Memory;

/// Bakes who can see whom.
///
/// A terrain heightmap, a level or a mesh goes in, and a view cell bundle (.vcb) comes out: for every place in the
/// world, everything that may be seen from it. Games, servers and tools map the bundle into memory and query it.
#[derive(Parser)]
#[command(name = "viewcell", version, max_term_width = 100, help_template = help(), after_help = exit::TABLE)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    Bake(bake::Args),
    Rebake(rebake::Args),
    Merge(repack::MergeArgs),
    Repack(repack::RepackArgs),
    Sign(sign::SignArgs),
    Info(info::Args),
    Verify(verify::Args),
    Check(check::Args),
    View(view::Args),
    Query(query::Args),
    Why(why::Args),
    Viewshed(Box<viewshed::Args>),
    Frontier(frontier::Args),
    Simulate(Box<simulate::Args>),
    Render(render::Args),
    Diff(diff::Args),
    Report(report::Args),
    Export(export::Args),
    Experiment(experiment::Args),
    Import(bake::ImportArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// The template of the program's help.
fn help() -> String {
    help::template(&Verb::augment_subcommands(Command::new("viewcell")))
}

/// Runs `viewcell` on the process's arguments.
pub fn main() -> ExitCode {
    program(
        |command| {
            let arguments = spelled::spelled(std::env::args_os().collect());
            bake::with_kind(command, arguments)
        },
        |cli: Cli| match cli.verb {
            Verb::Bake(args) => bake::run(args),
            Verb::Rebake(args) => rebake::run(&args),
            Verb::Merge(args) => repack::merge(&args),
            Verb::Repack(args) => repack::repack(&args),
            Verb::Sign(args) => sign::sign(args),
            Verb::Info(args) => info::run(&args),
            Verb::Verify(args) => verify::run(&args),
            Verb::Check(args) => check::run(&args),
            Verb::View(args) => view::run(&args),
            Verb::Query(args) => query::run(args),
            Verb::Why(args) => why::run(&args),
            Verb::Viewshed(args) => viewshed::run(&args),
            Verb::Frontier(args) => frontier::run(&args),
            Verb::Simulate(args) => simulate::run(&args),
            Verb::Report(args) => report::run(&args),
            Verb::Diff(args) => diff::run(&args),
            Verb::Render(args) => render::run(&args),
            Verb::Export(args) => export::run(&args),
            Verb::Experiment(args) => experiment::run(&args),
            Verb::Import(args) => bake::import(&args),
            Verb::Completions(args) => manual::completions(&args, Cli::command()),
            Verb::Man(args) => manual::man(&args, help::shaped(Cli::command())),
        },
    )
}

/// Runs a program: `arguments` gives its arguments, `run` does what they ask for. What went wrong goes to stderr.
pub fn program<C: CommandFactory + FromArgMatches>(
    arguments: impl FnOnce(&Command) -> Vec<OsString>,
    run: impl FnOnce(C) -> exit::Outcome,
) -> ExitCode {
    flags::learn(Cli::command);
    signals::outlive_file_limits();
    signals::remove_parts_on_signals();
    let exit = match run(parsed(arguments)) {
        Ok(exit) => exit,
        Err(Failure::ClosedPipe) => exit::Exit::Done,
        Err(Failure::Stopped(exit)) => exit,
        Err(Failure::Failed { exit, error }) => {
            output::say(format_args!("viewcell: {}", flags::message(&error)));
            exit
        }
    };
    exit.into()
}

/// The arguments, or the end of the process with help or with what is wrong.
fn parsed<C: CommandFactory + FromArgMatches>(
    arguments: impl FnOnce(&Command) -> Vec<OsString>,
) -> C {
    let mut command = help::shaped(C::command());
    let arguments = values::with_negative_lists(arguments(&command));
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|matches| C::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| {
        if !error.use_stderr() {
            // Help, or the version. The library would not notice that nobody gets it.
            let shown = error.render();
            let shown = if io::stdout().is_terminal() {
                shown.ansi().to_string()
            } else {
                shown.to_string()
            };
            let written = write!(io::stdout(), "{shown}").and_then(|()| io::stdout().flush());
            match written {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    output::say(format_args!("viewcell: cannot write to stdout: {error}"));
                    process::exit(4)
                }
                _ => process::exit(0),
            }
        }
        if let Some(moved) = moved::sentence(&error) {
            output::say(format_args!("viewcell: {moved}"));
            process::exit(2)
        }
        let error = error.format(&mut command);
        let Some(number) = number_too_many(&error) else {
            error.exit();
        };
        output::say(format_args!(
            "viewcell: {number}: one place more than expected; a place is COL,ROW with a comma and \
             without a blank, or the number of a cell (or an option before it is not known, or takes its number after =, \
             as --grade=8; see --help)"
        ));
        process::exit(2)
    })
}

/// The number, or numbers with commas, that the parser does not know what to do with.
fn number_too_many(error: &clap::Error) -> Option<String> {
    let found = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(found)) if error.kind() == ErrorKind::UnknownArgument => found,
        _ => return None,
    };
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    found.split(',').all(is_number).then(|| found.clone())
}

// The code of the README and of the book compiles.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../assets/book/frontier.md")]
    struct Frontier;
    #[doc = include_str!("../../assets/book/ground.md")]
    struct Ground;
}
