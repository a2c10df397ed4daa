//! The files of `schemas` describe what the program prints, and are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`.

use clap::{Command, CommandFactory};

use super::schema_files::{self, schemas};
use super::{
    compression, frontier, ground, interest, layered, machines, perception, sent, solid, visibility,
};
use schemars::{Schema, schema_for};

fn schemas() -> Vec<(&'static str, Schema)> {
    Vec::from(schemas! {
        "experiment-compression-level.json" => compression::MergingDocument,
        "experiment-compression.json" => compression::Document,
        "experiment-epvs.json" => crate::EpvsDocument,
        "experiment-frontier.json" => frontier::Document,
        "experiment-ground.json" => ground::Document,
        "layered-build.json" => layered::build::Document,
        "layered-compact.json" => layered::CompactDocument,
        "layered-export.json" => layered::show::ExportDocument,
        "layered-info.json" => layered::show::InfoDocument,
        "layered-layers.json" => viewcell_layered::LayersFile,
        "layered-render.json" => layered::show::RenderDocument,
        "layered-stamp.json" => layered::StampDocument,
        "experiment-interest.json" => interest::Document,
        "experiment-machines.json" => machines::Document,
        "experiment-perception.json" => perception::Document,
        "experiment-sent.json" => sent::Document,
        "experiment-solid.json" => solid::Document,
        "experiment-visibility.json" => visibility::Document,
    })
}

#[test]
fn schemas_describe_what_the_program_prints() {
    schema_files::hold(schemas());
}

#[test]
fn each_verb_has_an_example_that_is_a_command_line() {
    let command = super::Cli::command();
    let mut verbs = 0;
    for verb in command
        .get_subcommands()
        .filter(|verb| verb.get_name() != "help")
    {
        let help = verb
            .get_long_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let lines = help.lines().filter_map(|line| line.split_once("Example: "));
        let found: Vec<&str> = lines.map(|(_, line)| line).collect();
        assert_eq!(found.len(), 1, "{}: {found:?}", verb.get_name());
        // Of what both programs have the example is the first one's.
        let words = found[0]
            .trim_start_matches("viewcell ")
            .trim_start_matches("experiment ");
        let words = std::iter::once("viewcell-experiment").chain(words.split(' '));
        let parsed: Result<_, clap::Error> = Command::try_get_matches_from(command.clone(), words);
        assert!(parsed.is_ok(), "{}: {:?}", found[0], parsed.err());
        verbs += 1;
    }
    assert_eq!(verbs, 15);
}
