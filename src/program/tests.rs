//! The files in `schemas/` describe what the program reads and prints, and help has each verb in a group and with an
//! example: both are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`.

use clap::{Command, CommandFactory};
use schemars::{Schema, schema_for};
use viewcell_bake::bundle;
use viewcell_ingest as ingest;

use super::help::{GROUPS, WIDTH, shaped};
use super::schema_files::{self, schemas};
use super::{
    Cli, bake, check, diff, export, frontier, job, progress, query, rebake, render, repack, report,
    sign, simulate, verify, viewshed, why,
};

fn schemas() -> Vec<(&'static str, Schema)> {
    Vec::from(schemas! {
        "bake-dry-run.json" => bake::ForecastDocument,
        "bake.json" => bake::Document,
        "cells.json" => ingest::cells::CellGraphFile,
        "check.json" => check::Document,
        "diff.json" => diff::Document,
        "export-cells.json" => export::cells::Document,
        "export-exposure.json" => export::ExposureDocument,
        "export-horizon.json" => export::horizon::HorizonDocument,
        "export-skyview.json" => export::horizon::SkyviewDocument,
        "frontier.json" => frontier::Document,
        "stamp-line.json" => ingest::ground::StampLine,
        "info.json" => bundle::Info,
        "job.json" => job::JobFile,
        "merge.json" => repack::Document,
        "progress.json" => progress::Report,
        "query.json" => query::answer::Answer,
        "rebake.json" => rebake::Document,
        "render.json" => render::Document,
        "repack.json" => repack::Document,
        "report.json" => report::Document,
        "sign.json" => sign::SignDocument,
        "simulate-fit.json" => simulate::ways::FitDocument,
        "simulate.json" => simulate::document::Document,
        "verify.json" => verify::Document,
        "viewshed.json" => viewshed::Document,
        "why.json" => why::Document,
    })
}

#[test]
fn schemas_describe_what_the_program_reads_and_prints() {
    schema_files::hold(schemas());
}

#[test]
fn each_verb_is_in_one_group() {
    let mut grouped: Vec<&str> = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    grouped.sort_unstable();
    let mut command = Cli::command();
    command.build();
    let mut verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    verbs.sort_unstable();
    assert_eq!(grouped, verbs);
    let help = command.render_help().to_string();
    for part in [
        "Ask a bundle:\n  query        Ask",
        "Options:\n  -h, --help",
        "Exit codes:",
    ] {
        assert!(help.contains(part), "{part:?} in {help}");
    }
    assert!(
        help.lines().all(|line| line.chars().count() <= WIDTH),
        "{help}"
    );
}

/// The examples of a verb's help, without what a shell does with them.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_long_about().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let lines = help.lines().filter_map(|line| line.split_once("Example: "));
    lines.map(|(_, line)| line.to_owned()).collect()
}

fn check_examples(command: &Command) {
    if command.get_name() == "help" {
        return;
    }
    let found = examples(command);
    assert_eq!(found.len(), 1, "viewcell {}: {found:?}", command.get_name());
    let words = found[0].split(' ');
    let parsed = shaped(Cli::command());
    let words = bake::with_kind(&parsed, words.map(Into::into).collect());
    if let Err(error) = parsed.try_get_matches_from(words) {
        panic!("{}: {error}", found[0]);
    }
    command.get_subcommands().for_each(check_examples);
}

#[test]
fn each_verb_has_an_example_that_is_a_command_line() {
    Cli::command().get_subcommands().for_each(check_examples);
}

/// Verbs of many options: what is rare is in `--help` alone.
#[test]
fn short_help_fits_on_two_screens() {
    for verb in ["bake terrain", "bake solid", "viewshed", "simulate"] {
        let words = std::iter::once("viewcell").chain(verb.split(' '));
        let short = Cli::command().try_get_matches_from(words.chain(["-h"]));
        let lines = short.unwrap_err().to_string().lines().count();
        assert!((30..=80).contains(&lines), "{verb} -h: {lines} lines");
    }
}
