//! What the checks read: the files of `src`, their modules, and their tokens.

use std::fs;
use std::path::{Path, PathBuf};

/// All `.rs` files under a folder, sorted; not of the bindings, which are crates of their own.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("src/bindings") {
            continue;
        }
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// `src/runtime/open.rs` is the module `["runtime", "open"]`; `lib.rs` and `main.rs` are `[]`.
pub fn module_of(file: &str) -> Vec<String> {
    let path = file
        .strip_prefix("src/")
        .unwrap()
        .strip_suffix(".rs")
        .unwrap();
    let mut module: Vec<String> = path.split('/').map(String::from).collect();
    if matches!(module.last().unwrap().as_str(), "mod" | "lib" | "main") {
        module.pop();
    }
    module
}

/// Drops each `mod` that stands under `#[cfg(test)]`.
pub fn without_tests(tokens: &[String]) -> Vec<String> {
    let cfg_test = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if tokens[i..].len() >= cfg_test.len()
            && tokens[i..].iter().zip(cfg_test).all(|(a, b)| a == b)
        {
            let mut depth = 0;
            while i < tokens.len() {
                match tokens[i].as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                let ends = depth == 0 && matches!(tokens[i].as_str(), "}" | ";");
                i += 1;
                if ends {
                    break;
                }
            }
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// Identifiers, `::` and single punctuation marks; comments, strings and lifetimes are left out.
pub fn tokens(text: &str) -> Vec<String> {
    let c: Vec<char> = text.chars().collect();
    let at = |i: usize| c.get(i).copied().unwrap_or('\0');
    let mut out = Vec::new();
    let mut i = 0;
    while i < c.len() {
        match c[i] {
            '/' if at(i + 1) == '/' => {
                while i < c.len() && c[i] != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                while i < c.len() {
                    match (c[i], at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            '"' => {
                i += 1;
                while i < c.len() && c[i] != '"' {
                    i += if c[i] == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            // A character literal is closed by a quote; a lifetime is not.
            '\'' if at(i + 1) == '\\' => {
                i += 3;
                while i < c.len() && c[i] != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            '\'' => {
                i += 1;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
            }
            x if x.is_alphanumeric() || x == '_' => {
                let start = i;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                let word: String = c[start..i].iter().collect();
                let hashes = c[i..].iter().take_while(|x| **x == '#').count();
                if matches!(word.as_str(), "r" | "br" | "cr") && at(i + hashes) == '"' {
                    i += hashes + 1;
                    while i < c.len()
                        && !(c[i] == '"'
                            && c[i + 1..]
                                .iter()
                                .take(hashes)
                                .filter(|x| **x == '#')
                                .count()
                                == hashes)
                    {
                        i += 1;
                    }
                    i += hashes + 1;
                } else {
                    out.push(word);
                }
            }
            ':' if at(i + 1) == ':' => {
                out.push("::".into());
                i += 2;
            }
            x => {
                if !x.is_whitespace() {
                    out.push(x.into());
                }
                i += 1;
            }
        }
    }
    out
}
