//! The Rust files of `src`, and their tokens, for tests of the source tree.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder whose names end so, but of what is built or fetched.
pub fn below(folder: &Path, end: &str, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !matches!(name, "target" | ".git" | "node_modules") {
            below(&path, end, into);
        } else if name.ends_with(end) {
            into.push(path);
        }
    }
}

/// All files of `src` but of the bindings, which are crates of their own, and tests of the papers: paths from `src`, and
/// texts.
pub fn files() -> Vec<(String, String)> {
    let source = root().join("src");
    let mut all = Vec::new();
    below(&source, ".rs", &mut all);
    let name = |path: &Path| {
        path.strip_prefix(&source)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/")
    };
    let mut found: Vec<(String, String)> = all
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect();
    let apart = ["bindings/", "papers/benches/", "papers/tests/"];
    found.retain(|(file, _)| !apart.iter().any(|folder| file.starts_with(folder)));
    found.sort();
    found
}

/// A file's tokens without the items under `#[cfg(test)]`: words, marks with `::` as one, brackets, and literals but of
/// documentation.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    flatten(text.parse().unwrap(), &mut words);
    words
}

fn flatten(tokens: TokenStream, into: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let text = token.to_string().replace(' ', "");
        let is_attribute = into
            .last()
            .is_some_and(|last| matches!(last.as_str(), "#" | "!"));
        if is_attribute && text.starts_with("[doc=") {
            continue;
        } else if is_attribute && text == "[cfg(test)]" {
            into.pop();
            // A body or a semicolon ends an item; the body of a `use` does not.
            let is_use = tokens
                .peek()
                .is_some_and(|token| token.to_string() == "use");
            let is_end = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_use,
                token => token.to_string() == ";",
            };
            while tokens.next().is_some_and(|token| !is_end(&token)) {}
        } else if let TokenTree::Group(group) = &token {
            let marks = match group.delimiter() {
                Delimiter::Parenthesis => ["(", ")"],
                Delimiter::Brace => ["{", "}"],
                Delimiter::Bracket => ["[", "]"],
                Delimiter::None => ["", ""],
            };
            into.push(marks[0].into());
            flatten(group.stream(), into);
            into.push(marks[1].into());
        } else if text == ":" && into.last().is_some_and(|last| last == ":") {
            *into.last_mut().unwrap() = "::".into();
        } else {
            into.push(token.to_string());
        }
    }
}
