//! Heads of files (`//!`): the modules, files and items that they name exist.

use std::collections::{BTreeMap, BTreeSet};

use source::{files, root};

#[allow(dead_code)]
#[path = "common/source.rs"]
mod source;

/// Names in heads that are no code of this source tree: an asset, and other crates.
const NO_CODE: &[&str] = &["jacksboro", "tiny_http", "tokio"];

/// Heads of files (`//!`) outlive what they tell of, unless somebody looks.
#[test]
fn heads_name_what_exists() {
    let tree = SourceTree::new(files());
    let mut faults = Vec::new();
    let mut found = 0;
    for (file, text) in &tree.files {
        let names = names_in_head(file, text);
        found += names.len();
        let missing = names.iter().filter(|name| !tree.has(file, name));
        faults.extend(missing.map(|name| format!("src/{file}: `{}` in its head", name.name)));
    }
    assert!(found > 300, "found only {found} names");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn heads_that_name_what_is_gone_are_found() {
    let part = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = vec![
        part("bake/a/mod.rs", "mod inner; pub struct Kept;"),
        part("bake/a/inner.rs", "fn f() {}"),
        part("bake/b.rs", "fn g() {}"),
        part("bake/lib.rs", "mod a; mod b;"),
    ];
    let tree = SourceTree::new(files);
    let missing = |file: &str, head: &str| {
        let names = names_in_head(file, head);
        assert!(!names.is_empty(), "{head}");
        names.iter().any(|name| !tree.has(file, name))
    };
    for (file, head) in [
        ("bake/a/mod.rs", "//! As `gone` has it."),
        ("bake/a/mod.rs", "//! As `g` has it, of another folder."),
        ("bake/a/mod.rs", "//! As [`super::b::gone`] has it."),
        ("bake/a/mod.rs", "//! As `a/gone.rs` has it."),
        ("bake/a/mod.rs", "//! - `inner`, [`gone`]: two parts;"),
        ("bake/a/mod.rs", "//! - `f`: no part of the folder's own;"),
        ("bake/lib.rs", "//! ```text\n//! a, gone  parts\n//! ```"),
    ] {
        assert!(missing(file, head), "{file}: {head}");
    }
    for (file, head) in [
        (
            "bake/a/mod.rs",
            "//! As `f` has it, [`Kept`], [`super::b::g`] and `a/inner.rs`.",
        ),
        ("bake/a/mod.rs", "//! - `inner`, [`Kept`]: two parts;"),
        ("bake/lib.rs", "//! ```text\n//! a, b  parts\n//! ```"),
    ] {
        assert!(!missing(file, head), "{file}: {head}");
    }
}

/// A name in a head.
struct Named {
    name: String,
    /// It is in a list of the parts of a folder, before the colon.
    is_part: bool,
}

/// The names in a file's head: those in backquotes that look like modules, files or items; in lists of a `mod.rs` and
/// in the first column of a `lib.rs`'s table, parts of the folder.
fn names_in_head(file: &str, text: &str) -> Vec<Named> {
    let is_folder = file.ends_with("/mod.rs");
    let mut names = Vec::new();
    let mut fence = None;
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(kind) = line.strip_prefix("```") {
            fence = fence.is_none().then_some(kind);
            continue;
        }
        if fence.is_some() {
            let is_table = fence == Some("text") && file.ends_with("/lib.rs");
            if is_table && let Some((parts, _)) = line.split_once("  ") {
                let parts = parts.split(", ").filter(|part| !part.is_empty());
                names.extend(parts.map(|part| Named {
                    name: part.to_owned(),
                    is_part: true,
                }));
            }
            continue;
        }
        let list = line.strip_prefix("- ").filter(|_| is_folder);
        let ends = |list: &str| [": ", " is "].iter().filter_map(|end| list.find(end)).min();
        let end = list.and_then(ends).map_or(0, |at| at + 2);
        for (number, name) in line.split('`').enumerate() {
            let at = name.as_ptr() as usize - line.as_ptr() as usize;
            let is_file = name.ends_with(".rs");
            let is_path = name.split("::").all(|word| {
                let mut letters = word.chars();
                letters.next().is_some_and(|c| c.is_ascii_alphabetic())
                    && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            });
            let looks =
                is_path && (name.contains("::") || !name.chars().any(|c| c.is_ascii_uppercase()));
            if number % 2 == 1 && (is_file || looks) {
                names.push(Named {
                    name: name.to_owned(),
                    is_part: at < end && !name.contains("::"),
                });
            }
        }
    }
    names
}

/// The files of `src`, and the words in the code and the literals of each.
struct SourceTree {
    files: Vec<(String, String)>,
    words: BTreeMap<String, BTreeSet<String>>,
}

impl SourceTree {
    fn new(files: Vec<(String, String)>) -> Self {
        let words = files.iter().map(|(file, text)| {
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let words =
                code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            (file.clone(), words.map(str::to_owned).collect())
        });
        let words = words.collect();
        Self { files, words }
    }

    /// Whether what a head names exists: a part of a folder in that folder, a path anywhere, a single word in the
    /// folder or below it.
    fn has(&self, head: &str, named: &Named) -> bool {
        let name = named.name.as_str();
        let (folder, _) = head.rsplit_once('/').expect("a crate");
        let folder = format!("{folder}/");
        if name.ends_with(".rs") {
            let is_it =
                |(file, _): &(String, String)| format!("/{file}").ends_with(&format!("/{name}"));
            return self.files.iter().any(is_it) || root().join(name).exists();
        }
        let last = name.rsplit("::").next().unwrap_or(name);
        let is_file = |file: &str| {
            file.strip_prefix(&folder)
                .is_some_and(|rest| rest.split(['/', '.']).next() == Some(last))
        };
        let is_beside = self.files.iter().any(|(file, _)| is_file(file));
        let has_word = |start: &str| {
            let mut files = self
                .words
                .iter()
                .filter(|(file, _)| file.starts_with(start));
            files.any(|(_, words)| words.contains(last))
        };
        if named.is_part {
            return is_beside
                || self
                    .words
                    .get(head)
                    .is_some_and(|words| words.contains(last));
        }
        let place = if name.contains("::") { "" } else { &folder };
        is_beside || has_word(place) || NO_CODE.contains(&name)
    }
}
