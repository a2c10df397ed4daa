//! `viewcell bake FILE`: the verb that is left out is the kind of world that the file is of.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Command;

use viewcell_bake::plan::WorldFile;

/// The arguments of the program with the verb that `bake FILE` leaves out: the kind that its input has.
///
/// Which of the words is the input the parser says. Where no kind takes all of the options, it is the first that is a
/// file, and the verb says what is wrong.
pub fn with_kind(command: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let verbs = ["terrain", "cells", "solid", "help"];
    let rest = if arguments.get(1).is_some_and(|verb| verb == "bake") {
        arguments.get(2..).unwrap_or_default()
    } else {
        return arguments;
    };
    let is = |words: &[&str], at: &OsString| words.iter().any(|word| at == word);
    if rest.first().is_none_or(|first| is(&verbs, first)) {
        return arguments;
    }
    let is_job = |at: &OsString| is(&["--job"], at) || at.to_string_lossy().starts_with("--job=");
    if rest.iter().any(is_job) {
        arguments.insert(2, WorldFile::Terrain.name().into());
        return arguments;
    }
    let kinds = [WorldFile::Terrain, WorldFile::Cells, WorldFile::Solid];
    let inputs = kinds.map(|kind| input(command, kind, &arguments));
    let found = inputs
        .each_ref()
        .map(|input| WorldFile::of(input.as_deref()?));
    let own = kinds
        .into_iter()
        .zip(found)
        .find(|(kind, of)| *of == Some(*kind));
    let mut words = rest
        .iter()
        .filter(|at| !at.to_string_lossy().starts_with('-'));
    let kind = own
        .map(|(kind, _)| kind)
        .or_else(|| found.into_iter().flatten().next())
        .or_else(|| words.clone().find_map(|at| WorldFile::of(Path::new(at))));
    let kind = match kind {
        Some(kind) => kind,
        // That there is no such file is said by the verb; a word without a dot is no file's name.
        None if words.any(|at| at.to_string_lossy().contains(['.', '/'])) => WorldFile::Terrain,
        None => return arguments,
    };
    arguments.insert(2, kind.name().into());
    arguments
}

/// The input by the options of a kind; `None` where it does not take all of them.
fn input(command: &Command, kind: WorldFile, arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.to_vec();
    arguments.insert(2, kind.name().into());
    let parsed = command.clone().try_get_matches_from(arguments).ok()?;
    let (_, bake) = parsed.subcommand()?;
    let (_, of_kind) = bake.subcommand()?;
    of_kind.try_get_one::<PathBuf>("input").ok()?.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_stay_as_they_are_and_files_and_jobs_get_one() {
        let with = |words: &str| {
            let words = words.split(' ').map(OsString::from);
            let command = <crate::Cli as clap::CommandFactory>::command();
            let all: Vec<String> = with_kind(&command, words.collect())
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect();
            all.join(" ")
        };
        for line in [
            "viewcell bake terrain no.tif",
            "viewcell bake --help",
            "viewcell bake",
            "viewcell bake nonsense",
            "viewcell info no.vcb",
        ] {
            assert_eq!(with(line), line);
        }
        for rest in ["no.tif", "--job no.toml"] {
            assert_eq!(
                with(&format!("viewcell bake {rest}")),
                format!("viewcell bake terrain {rest}")
            );
        }
    }
}
