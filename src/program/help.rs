//! Help: the verbs in groups. clap lists subcommands under one heading, so its template has the list as text.

use std::fmt::Write;

use clap::builder::styling::Styles;
use clap::{Arg, Command};

/// The verbs by what they are for.
pub(super) const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Make bundles",
        &["bake", "rebake", "merge", "repack", "import"],
    ),
    ("Ask a bundle", &["query", "why", "frontier", "export"]),
    ("Look at a bundle", &["view", "render", "report"]),
    ("Check a bundle", &["info", "verify", "check", "diff"]),
    ("Deliver a bundle", &["sign"]),
    ("Beside bundles", &["viewshed", "simulate", "experiment"]),
    ("This program", &["completions", "man", "help"]),
];

/// Headings of options in all verbs, and the options below each; the others stand below clap's own.
const HEADINGS: &str = "
Players: player-height eye-height visibility hull eye reach within azimuth tilt
View cells: quality cell finest grade detail
Sight: max-distance earth-curvature
Places: at xy ground ground-tolerance inside solids placement walkable max-slope water-level
Reading the heightmap: spacing vertical-scale size byte-order nodata crop
Reading the level: sky pack from opaque-without-material keep drop map
Visibility from portals: portals recompute fast
Long bakes: resume restart no-checkpoint dry-run shard
The work: threads memory quiet progress
";

/// The same command with each option below its heading, and with numbers below 0 for what they are, so that an error says what
/// was expected, not that there is no option -5.
pub(super) fn shaped(command: Command) -> Command {
    let heading = |option: &Arg| {
        let mut rows = HEADINGS.lines().filter_map(|row| row.split_once(": "));
        let found =
            rows.find(|(_, options)| options.split(' ').any(|of| option.get_long() == Some(of)));
        found.map(|(heading, _)| heading)
    };
    let command = command.mut_args(|argument| {
        let heading = heading(&argument);
        let is_number = argument.get_action().takes_values();
        argument
            .allow_negative_numbers(is_number)
            .help_heading(heading)
    });
    command.mut_subcommands(shaped)
}

/// Columns of a line of help.
pub(super) const WIDTH: usize = 80;
/// Columns before what a verb does.
const INDENT: usize = 15;

/// clap's template for a command with these verbs, in groups in place of its list.
pub(super) fn template(verbs: &Command) -> String {
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut list = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{header}{group}:{header:#}");
        for name in names {
            let about = match verbs.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                None => "Print this message, or the help of a verb".to_owned(),
            };
            let _ = writeln!(list, "  {literal}{name:<12}{literal:#} {}", wrapped(&about));
        }
        list.push('\n');
    }
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n\
         {{options}}{{after-help}}"
    )
}

/// A text in lines that begin below each other.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().filter(|line| {
            line.is_empty() || INDENT + line.chars().count() + 1 + word.chars().count() <= WIDTH
        });
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{:INDENT$}", ""))
}
