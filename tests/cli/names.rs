//! Help and pages name verbs, options and functions of C that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;

/// An option of another program that a page names by itself: maturin's.
const OTHERS: &[&str] = &["--sdist"];

/// What starts as functions of C do, and is none: crates, a package, groups of nodes in Godot.
const NO_FUNCTIONS: &[&str] = &[
    "viewcell_X",
    "viewcell_bake",
    "viewcell_ignore",
    "viewcell_ingest",
    "viewcell_opaque",
    "viewcell_spawn",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Help of a verb and of all below it, by their words.
fn helps(folder: &Folder, words: &[&str], into: &mut Vec<(String, String)>) {
    let help = folder.ok(&[words, &["--help"]].concat()).stdout;
    let lists = help.split("\nOptions:").next().unwrap_or_default();
    let lists = lists.split_once("Usage:").map_or("", |(_, lists)| lists);
    let verbs = lists.lines().filter_map(|line| line.strip_prefix("  "));
    let verbs = verbs.filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
    let verbs: Vec<String> = verbs
        .filter_map(|line| line.split_once("  ").map(|(verb, _)| verb.to_owned()))
        .filter(|verb| !["help", "experiment"].contains(&verb.as_str()) && !verb.contains(' '))
        .collect();
    into.push((words.join(" "), help));
    for verb in &verbs {
        helps(folder, &[words, &[verb]].concat(), into);
    }
}

/// The words of a text that begin so, up to what no name has.
fn names<'t>(text: &'t str, start: &'t str, more: &'static str) -> impl Iterator<Item = &'t str> {
    let is_name = move |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    text.match_indices(start).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let end = text[at..]
            .find(|c| !is_name(c))
            .map_or(text.len(), |end| at + end);
        (!before.is_some_and(|c| is_name(c) || c == '/'))
            .then(|| text[at..end].trim_end_matches('-'))
    })
}

fn markdown(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            markdown(&path, into);
        } else if path.extension().is_some_and(|end| end == "md") {
            into.push(path);
        }
    }
}

/// Inline code of a page.
fn code(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

#[test]
fn help_and_pages_name_what_exists() {
    let folder = Folder::new();
    let mut all = Vec::new();
    helps(&folder, &[], &mut all);
    assert!(all.len() > 30, "{}", all.len());
    let header = fs::read_to_string(root().join("src/viewcell/capi/viewcell.h")).unwrap();
    let functions: BTreeSet<&str> = names(&header, "viewcell_", "_").collect();
    let helps = || all.iter().map(|(_, help)| help.as_str());
    let mut options: BTreeSet<&str> = helps().flat_map(|help| names(help, "--", "-")).collect();
    options.remove("--");
    let verbs: BTreeSet<&str> = all.iter().map(|(words, _)| words.as_str()).collect();
    // The papers' program is built by their own tests.
    let mut papers = String::new();
    for entry in fs::read_dir(root().join("src/papers/verbs")).unwrap() {
        let path = entry.unwrap().path();
        papers += &fs::read_to_string(path).unwrap_or_default();
    }
    let mut pages = Vec::new();
    for place in ["assets/book", "src/bindings"] {
        markdown(&root().join(place), &mut pages);
    }
    pages.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    let pages: Vec<(String, String)> = pages
        .into_iter()
        .filter(|page| {
            !page
                .components()
                .any(|part| part.as_os_str() == "node_modules")
        })
        .map(|page| {
            (
                page.display().to_string(),
                fs::read_to_string(page).unwrap(),
            )
        })
        .collect();
    let mut faults = Vec::new();
    for (name, text) in all
        .iter()
        .map(|(n, t)| (n, t))
        .chain(pages.iter().map(|(n, t)| (n, t)))
    {
        // `viewcell_reachable_*` is all that begin so.
        let is_known = |word: &str| {
            let mut all = functions.iter().chain(NO_FUNCTIONS);
            all.any(|known| *known == word || word.ends_with('_') && known.starts_with(word))
        };
        let unknown = names(text, "viewcell_", "_").filter(|word| !is_known(word));
        faults.extend(unknown.map(|word| format!("{name}: {word}")));
    }
    for (name, page) in &pages {
        for code in code(page) {
            let option = code.split([' ', '=', ',']).next().unwrap_or_default();
            if option.starts_with("--")
                && !options.contains(option)
                && !OTHERS.contains(&option)
                && !papers.contains(&option[2..].replace('-', "_"))
            {
                faults.push(format!("{name}: {option}"));
            }
            let words: Vec<&str> = code.split(' ').collect();
            if words[0] == "viewcell" && words.len() > 1 {
                let verb = words[1];
                let is_verb = verbs.contains(verb) || ["experiment", "help"].contains(&verb);
                if verb.starts_with(|c: char| c.is_ascii_lowercase()) && !is_verb {
                    faults.push(format!("{name}: {code}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
