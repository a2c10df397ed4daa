//! Options by their names on the command line.
//!
//! The library names options after its own fields, in backquotes: "give its `spacing`". Here
//! those names become flags, in its errors and notes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use clap::Command;
use viewcell_bake::bundle::BundleError;
use viewcell_bake::{BakeError, PlanError};
use viewcell_ingest::IngestError;
use viewcell_view::live::ViewError;
use viewcell_view::picture::PictureError;

/// The names that the library's messages have for options which are called otherwise here, their flags or what there is
/// instead of one; and how a value looks where there is a form to keep to.
const FLAGS: &[(&str, &str, &str)] = &[
    ("crop", "--crop", "C,R,W,H"),
    ("curvature", "--earth-curvature", ""),
    ("drop", "--drop", "NAME"),
    ("from", "--from", "NAME"),
    ("ground_tolerance", "--ground-tolerance", "METRES"),
    ("map", "--map", "NAME"),
    // As many samples are read as there is memory for.
    ("max_samples", "more memory", ""),
    ("output", "-o", ""),
    ("overwrite", "--force", ""),
    ("pack", "--pack", "DIR"),
    ("reach", "--reach", "FILE.csv"),
    ("refraction", "--earth-curvature", ""),
    ("schemes", "--scheme", ""),
    ("size", "--size", "WxH"),
    ("spacing", "--spacing", "DX[,DY]"),
    ("up", "--from", "y-up|z-up"),
    ("within", "--within", "X0,Y0,Z0,X1,Y1,Z1"),
    ("vertical_offset", "--vertical-scale", "S,METRES"),
];

/// The program's command, once it runs.
static COMMAND: OnceLock<fn() -> Command> = OnceLock::new();

/// Makes the options of a command known.
pub fn learn(command: fn() -> Command) {
    // Whoever comes later says the same.
    let _ = COMMAND.set(command);
}

/// What to tell of an error.
pub fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Some quote their cause themselves.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    // Other errors may quote words of files, which are no options.
    let of_the_library = error.chain().any(|error| {
        error.is::<BakeError>()
            || error.is::<BundleError>()
            || error.is::<IngestError>()
            || error.is::<PlanError>()
            || error.is::<PictureError>()
            || error.is::<ViewError>()
    });
    if of_the_library {
        with_flags(&text)
    } else {
        text
    }
}

/// Notes in words of the command line.
pub fn noted(notes: &mut [String]) {
    notes.iter_mut().for_each(|note| *note = with_flags(note));
}

/// The text with a flag for each option in backquotes; with the form of its value, unless a blank
/// follows, after which the sentence may give one.
pub fn with_flags(text: &str) -> String {
    let (mut told, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('`') {
        told.push_str(before);
        rest = match option(after) {
            Some((flag, form, after)) => {
                told.push_str(&flag);
                if !form.is_empty() && !after.starts_with(' ') {
                    told.extend([" ", form]);
                }
                after
            }
            None => {
                told.push('`');
                after
            }
        };
    }
    told + rest
}

/// The flag, and the form of its value, of the option that a text begins with and that a backquote
/// closes; and the text after it.
fn option(text: &str) -> Option<(Cow<'static, str>, &'static str, &str)> {
    let (name, after) = text.split_once('`')?;
    // Options of an earlier bake have the names that this program gave them, with hyphens.
    let name = name.replace('-', "_");
    if let Some((_, flag, form)) = FLAGS.iter().find(|(option, ..)| *option == name) {
        return Some(((*flag).into(), form, after));
    }
    let flag = format!("--{}", name.replace('_', "-"));
    let mut all = BTreeSet::new();
    if let Some(command) = COMMAND.get() {
        flags(&command(), &mut all);
    }
    all.contains(&flag).then(|| (flag.into(), "", after))
}

/// All options of a command and of those below it, as they are written.
fn flags(command: &Command, into: &mut BTreeSet<String>) {
    for option in command.get_arguments() {
        into.extend(option.get_long().map(|long| format!("--{long}")));
        into.extend(option.get_short().map(|short| format!("-{short}")));
    }
    for below in command.get_subcommands() {
        flags(below, into);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn options_become_flags_and_other_words_stay() {
        learn(crate::Cli::command);
        const ROWS: &str = "\
give `spacing` => give --spacing DX[,DY]
give its `spacing` in metres => give its --spacing in metres
`player_height`: expected => --player-height: expected
expected `player-height` 2 => expected --player-height 2
go on (`resume`), or write (`output`) => go on (--resume), or write (-o)
`gdal_translate A B`, `crop` => `gdal_translate A B`, --crop C,R,W,H
`unknown` and ` => `unknown` and `
it`s.tif: give `spacing` => it`s.tif: give --spacing DX[,DY]
 => ";
        for (text, told) in ROWS.lines().map(|row| row.split_once(" => ").unwrap()) {
            assert_eq!(with_flags(text), told);
        }
    }

    #[test]
    fn an_error_of_the_library_is_told_with_flags_and_another_as_it_is() {
        learn(crate::Cli::command);
        let error = BundleError::Exists {
            path: "a.vcb".into(),
        };
        let error = anyhow::Error::new(error);
        assert!(message(&error).ends_with("overwrite it (--force)"));
        let error = error.context("the first of two");
        assert!(message(&error).ends_with("overwrite it (--force)"));
        let error = anyhow::anyhow!("a.toml: duplicate key `crop`");
        assert_eq!(message(&error), "a.toml: duplicate key `crop`");
    }

    #[test]
    fn every_flag_is_one_of_the_command_line() {
        let mut known = BTreeSet::new();
        flags(&crate::Cli::command(), &mut known);
        for (name, flag, _) in FLAGS.iter().filter(|(name, ..)| *name != "max_samples") {
            assert!(known.contains(*flag), "{name}: {flag}");
        }
    }

    /// The words in backquotes, of small letters and low lines, outside comments.
    fn names_in(folder: &Path, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_in(&path, into);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                let line = line.split("//").next().unwrap_or_default();
                let quoted = line.split('`').skip(1).step_by(2);
                let is_name = |word: &&str| {
                    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                };
                into.extend(quoted.filter(is_name).map(str::to_owned));
            }
        }
    }

    #[test]
    fn every_option_that_the_library_names_has_a_flag() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut named = BTreeSet::new();
        for room in [
            "bake/job",
            "bake/live",
            "bake/bundle",
            "bake/plan",
            "ingest",
            "view",
        ] {
            names_in(&source.join(room), &mut named);
        }
        assert!(named.len() > 10, "{named:?}");
        for name in named {
            assert!(option(&format!("{name}`")).is_some(), "{name}");
        }
    }
}
