//! The Rust files of `src`, and their tokens, for tests of the source tree.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files of `src` but of the bindings, which are crates of their own, and tests of the papers: paths from `src`, and
/// texts.
pub fn files() -> Vec<(String, String)> {
    let source = root().join("src");
    let mut folders: Vec<PathBuf> = vec![source.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(&source)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            if path.is_dir() {
                if !["bindings", "papers/benches", "papers/tests"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A file's tokens without the items under `#[cfg(test)]`.
pub fn shipped(all: TokenStream) -> Vec<TokenTree> {
    let all: Vec<TokenTree> = all.into_iter().collect();
    let mut kept = Vec::new();
    let mut i = 0;
    while i < all.len() {
        let text: Vec<String> = all[i..]
            .iter()
            .take(3)
            .map(|token| token.to_string().replace(' ', ""))
            .collect();
        if text.len() == 3 && text[..2] == ["#", "[cfg(test)]"] {
            i += 2;
            // A body or a semicolon ends an item; the body of a `use` does not.
            let is_use = text[2] == "use";
            while i < all.len() {
                let is_body = matches!(&all[i], TokenTree::Group(group)
                    if group.delimiter() == proc_macro2::Delimiter::Brace);
                let is_end = is_body && !is_use || all[i].to_string() == ";";
                i += 1;
                if is_end {
                    break;
                }
            }
        } else {
            kept.push(all[i].clone());
            i += 1;
        }
    }
    kept
}
