//! Who may use whom: each folder of `src` uses only the folders that the table allows it.
//!
//! The rule is about what ships: modules under `#[cfg(test)]` may use what they like.

mod loops;
mod source;

use std::fs;
use std::path::Path;

use source::{module_of, rust_files, tokens, without_tests};

/// The folders in the order in which data flows, and what each may use beside itself.
const HOUSE: &[(&str, &[&str])] = &[
    ("dice", &[]),
    ("format", &[]),
    ("runtime", &["format"]),
    ("world", &["format"]),
    ("ground", &["format"]),
    ("ingest", &["ground", "world"]),
    ("visibility", &["dice", "format", "world"]),
    ("hierarchy", &["format", "visibility", "world"]),
    ("compress", &["format", "hierarchy"]),
    ("bundle", &["dice", "format", "compress"]),
    ("export", &["ingest", "world"]),
    ("survey", &["format", "runtime"]),
    ("picture", &["format", "world", "runtime", "survey"]),
    (
        "bake",
        &[
            "dice",
            "format",
            "runtime",
            "world",
            "ground",
            "visibility",
            "hierarchy",
            "compress",
            "bundle",
            "survey",
        ],
    ),
    ("simulate", &["dice", "runtime"]),
    ("experiment", EVERYTHING),
    (
        "view",
        &["bake", "picture", "runtime", "simulate", "survey", "world"],
    ),
    ("cli", EVERYTHING),
];

const EVERYTHING: &[&str] = &[
    "dice",
    "format",
    "runtime",
    "world",
    "ground",
    "ingest",
    "visibility",
    "hierarchy",
    "compress",
    "bundle",
    "export",
    "survey",
    "picture",
    "simulate",
    "bake",
    "experiment",
    "view",
];

/// Names that would bring the standard library, an allocation or a panic into `format`.
const NOT_IN_FORMAT: &[&str] = &[
    "std",
    "alloc",
    "Vec",
    "String",
    "Box",
    "format!",
    "vec!",
    "println!",
    "eprintln!",
];

/// Names that panic on what a hostile file can bring about.
const PANICS: &[&str] = &[
    "unwrap",
    "expect",
    "panic!",
    "unreachable!",
    "todo!",
    "unimplemented!",
];

/// The rooms where `unsafe` is allowed: the memory map, the C interface, and the allocator.
const UNSAFE_ROOMS: &[&str] = &[
    "src/runtime/map.rs",
    "src/runtime/capi/",
    "src/cli/memory.rs",
];

#[test]
fn every_folder_uses_only_what_the_table_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = rust_files(&root.join("src"));
    assert!(
        files.len() >= HOUSE.len(),
        "found only {} files",
        files.len()
    );
    let mut faults = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap().to_str().unwrap();
        faults.extend(check(
            &name.replace('\\', "/"),
            &fs::read_to_string(&file).unwrap(),
        ));
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Python bakes in its process; all other bindings ask, and link nothing else.
#[test]
fn bindings_link_the_runtime_alone() {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bindings");
    let mut crates = 0;
    for folder in fs::read_dir(bindings).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else {
            continue; // no crate
        };
        crates += 1;
        let allowed: &[&str] = match folder.file_name().unwrap().to_str().unwrap() {
            "python" => &["bake"],
            _ => &["capi", "mmap"],
        };
        let faults = link_faults(&manifest, allowed);
        assert!(faults.is_empty(), "{}: {faults:?}", folder.display());
    }
    assert!(crates >= 2, "found only {crates}");
    let line = "viewcell = { path = \"../../..\", default-features = false";
    assert!(link_faults(&format!("{line} }}\n[workspace]"), &[]).is_empty());
    let bakes = format!("{line}, features = [\"mmap\", \"bake\"] }}\n[workspace]");
    assert_eq!(link_faults(&bakes, &["mmap"]).len(), 1);
    let all = "viewcell = { path = \"../../..\" }\n[workspace]";
    assert_eq!(link_faults(all, &[]).len(), 1);
    assert_eq!(link_faults(&format!("{line} }}"), &[]).len(), 1);
}

/// How a binding's manifest links more of the crate than it may, or weighs on the crate's own build.
fn link_faults(manifest: &str, features: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    if !manifest.lines().any(|line| line == "[workspace]") {
        faults.push("no `[workspace]`, and so no lock file of its own".into());
    }
    for line in manifest
        .lines()
        .filter(|line| line.starts_with("viewcell = "))
    {
        if !line.contains("default-features = false") {
            faults.push(format!("default features: {line}"));
        }
        let list = line.split_once("features = [").map_or("", |(_, rest)| rest);
        let named = list
            .split(']')
            .next()
            .unwrap_or("")
            .split('"')
            .skip(1)
            .step_by(2);
        faults.extend(
            named
                .filter(|name| !features.contains(name))
                .map(String::from),
        );
    }
    faults
}

#[test]
fn the_table_of_the_architecture_is_the_one_that_is_held() {
    let page = include_str!("../../ARCHITECTURE.md");
    let words = |cell: &str| -> Vec<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(String::from)
            .collect()
    };
    let rows: Vec<Vec<&str>> = page
        .lines()
        .map(|line| line.trim_matches('|').split(" | ").collect())
        .collect();
    for (folder, allowed) in HOUSE.iter().filter(|(_, allowed)| *allowed != EVERYTHING) {
        if *folder == "dice" {
            continue; // a file beside the folders
        }
        let row = rows
            .iter()
            .find(|row| row.len() == 3 && words(row[0]) == [*folder]);
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{folder}`"));
        let mut told = words(row[2]);
        let mut held: Vec<&str> = allowed.to_vec();
        told.sort();
        held.sort();
        assert_eq!(told, held, "`{folder}` in ARCHITECTURE.md");
    }
}

#[test]
fn the_checker_finds_each_kind_of_fault() {
    let faulty = [
        ("src/runtime/open.rs", "use crate::bundle::Writer;"),
        (
            "src/runtime/open.rs",
            "use crate::{format::Header, bundle};",
        ),
        (
            "src/runtime/open.rs",
            "use crate::{format::{self, Header}, compress::x};",
        ),
        ("src/runtime/mod.rs", "fn f() { crate::ingest::read(); }"),
        ("src/runtime/mod.rs", "fn f() { g(crate::ingest::read) }"),
        ("src/runtime/mod.rs", "use super::bundle::Writer;"),
        ("src/runtime/open.rs", "use super::super::bundle;"),
        (
            "src/runtime/open.rs",
            "mod inner { use super::super::super::bundle; }",
        ),
        ("src/runtime/open.rs", "use crate::*;"),
        ("src/runtime/open.rs", "use crate as all;"),
        ("src/runtime/open.rs", "use viewcell::world::Terrain;"),
        (
            "src/runtime/open.rs",
            "fn f(x: Option<u8>) -> u8 { x.unwrap() }",
        ),
        ("src/runtime/open.rs", "fn f() { unsafe { g() } }"),
        ("src/world/terrain.rs", "use crate::visibility::Kernel;"),
        ("src/format/mod.rs", "use std::io;"),
        ("src/format/mod.rs", "extern crate alloc;"),
        ("src/format/mod.rs", "fn f() -> Vec<u8> { g() }"),
        ("src/format/mod.rs", "fn f() { panic!(\"no\") }"),
        ("src/bake/prune.rs", "use crate::picture::Ground;"),
        ("src/bake/cells.rs", "use crate::ingest::read_cells;"),
        ("src/attic/mod.rs", "fn f() {}"),
        (
            "src/picture/shade.rs",
            "#[cfg(test)] mod tests {} use crate::bake::run;",
        ),
        ("src/cli/bake.rs", "fn f() { unsafe { g() } }"),
    ];
    for (file, text) in faulty {
        assert_eq!(check(file, text).len(), 1, "{file}: {text}");
    }
    let sound = [
        (
            "src/runtime/open.rs",
            "use crate::{format::Header, runtime::x};",
        ),
        (
            "src/runtime/open.rs",
            "use super::super::format; use super::mmap;",
        ),
        (
            "src/runtime/open.rs",
            "mod inner { use super::super::mmap; }",
        ),
        (
            "src/runtime/open.rs",
            "pub(crate) fn f<'a>(x: &'a str) -> char { 'x' }",
        ),
        (
            "src/runtime/open.rs",
            "// use crate::bundle;\n/* /* */ unsafe */ /// crate::bake",
        ),
        (
            "src/runtime/open.rs",
            r##"const A: &str = r#"" crate::bundle "#; const B: &str = "\" unsafe";"##,
        ),
        (
            "src/runtime/open.rs",
            "#[cfg(test)]\nmod tests { use crate::bundle::Writer; fn f() { x.unwrap(); } }",
        ),
        ("src/runtime/map.rs", "fn f() { unsafe { g() } }"),
        ("src/runtime/capi/bundle.rs", "fn f() { unsafe { g() } }"),
        (
            "src/format/mod.rs",
            "use core::mem; fn f(x: Option<u8>) -> u8 { x.unwrap_or(0) }",
        ),
        (
            "src/bake.rs",
            "use crate::{bundle, compress, hierarchy, visibility, world};",
        ),
        ("src/main.rs", "mod cli; use viewcell::bake;"),
        (
            "src/lib.rs",
            "pub mod format; pub use crate::runtime::Bundle;",
        ),
    ];
    for (file, text) in sound {
        assert_eq!(check(file, text), Vec::<String>::new(), "{file}: {text}");
    }
}

/// The faults of one source file; `file` is its path from the repository's root.
fn check(file: &str, text: &str) -> Vec<String> {
    let module = module_of(file);
    let shipped = without_tests(&tokens(text));
    let mut faults = Vec::new();

    if !UNSAFE_ROOMS.iter().any(|room| file.starts_with(room)) && uses(&shipped, "unsafe") {
        faults.push(format!("{file}: `unsafe` outside {UNSAFE_ROOMS:?}"));
    }
    let Some(own) = module.first() else {
        return faults; // lib.rs and main.rs are the doors
    };
    let Some((_, allowed)) = HOUSE.iter().find(|(folder, _)| folder == own) else {
        faults.push(format!("{file}: `{own}` is not in the table of the house"));
        return faults;
    };
    for used in folders_used(&module, &shipped) {
        if used != *own && !allowed.contains(&used.as_str()) {
            faults.push(format!(
                "{file}: `{own}` may not use `{used}`, only {allowed:?}"
            ));
        }
    }
    let banned: &[&[&str]] = match own.as_str() {
        "format" => &[NOT_IN_FORMAT, PANICS],
        "runtime" => &[PANICS],
        _ => &[],
    };
    for name in banned.iter().copied().flatten() {
        if uses(&shipped, name) {
            faults.push(format!("{file}: `{name}` has no place in `{own}`"));
        }
    }
    faults
}

/// Does the code name this identifier, or, with a trailing `!`, this macro?
fn uses(tokens: &[String], name: &str) -> bool {
    match name.strip_suffix('!') {
        Some(word) => tokens.windows(2).any(|t| t[0] == word && t[1] == "!"),
        None => tokens.iter().any(|t| t == name),
    }
}

/// The top-level modules that paths from `crate`, `super` and the crate's own name lead to.
fn folders_used(file_module: &[String], tokens: &[String]) -> Vec<String> {
    let mut used = Vec::new();
    // One entry for each open brace: the name of the inline module it opens, if it does.
    let mut braces: Vec<Option<&str>> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        match tokens[i].as_str() {
            "{" => {
                let opens_module = i >= 2 && tokens[i - 2] == "mod";
                braces.push(opens_module.then(|| tokens[i - 1].as_str()));
            }
            "}" => drop(braces.pop()),
            // pub(crate) and `extern crate` name no path.
            "crate" if tokens.get(i + 1).is_some_and(|t| t == ")") => {}
            "crate" if i > 0 && tokens[i - 1] == "extern" => {}
            "crate" | "viewcell" => heads(tokens, i + 1, &mut used),
            "super" => {
                let inline = braces.iter().flatten().map(|name| name.to_string());
                let mut module: Vec<String> = file_module.iter().cloned().chain(inline).collect();
                module.pop();
                while tokens.get(i + 1).is_some_and(|t| t == "::")
                    && tokens.get(i + 2).is_some_and(|t| t == "super")
                {
                    module.pop();
                    i += 2;
                }
                if module.is_empty() {
                    heads(tokens, i + 1, &mut used);
                }
            }
            _ => {}
        }
        i += 1;
    }
    used
}

/// The first names of the path or `{group}` that follows the crate's root at `tokens[i]`.
fn heads(tokens: &[String], i: usize, used: &mut Vec<String>) {
    if tokens.get(i).is_none_or(|t| t != "::") {
        used.push("the whole crate".into());
        return;
    }
    match tokens.get(i + 1).map(String::as_str) {
        Some("{") => {
            let mut depth = 0;
            let mut first = true;
            for token in &tokens[i + 1..] {
                match token.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    "," if depth == 1 => first = true,
                    name if depth == 1 && first => {
                        used.push(name.into());
                        first = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        Some(name) => used.push(name.into()),
        None => {}
    }
}
