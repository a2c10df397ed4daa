//! No two files of `src` import each other, directly or by way of others.
//!
//! An import is a path in shipped code that leads from one file to another: in a `use`, in a `pub use`,
//! or where a name is used. It leads to the file of the last module on the path, so that `super::error::X`
//! is an import of `error.rs`, and `super::X` one of the parent, even where the parent only hands X on.
//!
//! A *door* is a file that has nothing but `mod` and `use` lines, such as `lib.rs` and many a `mod.rs`. It is
//! no party: a path through it leads to the file that the door took the name from. (Else each child that uses
//! a sibling through its parent would be a loop, although the two could be compiled one after the other.)
//!
//! What stands under `#[cfg(test)]` may import what it likes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use crate::source::{module_of, rust_files, tokens, without_tests};

#[test]
fn no_two_files_import_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<(String, String)> = rust_files(&root.join("src"))
        .iter()
        .map(|file| {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap();
            (name.replace('\\', "/"), fs::read_to_string(file).unwrap())
        })
        .collect();
    let imports = imports(&files);
    let edges: usize = imports.values().map(BTreeSet::len).sum();
    assert!(edges > files.len(), "found only {edges} imports");
    let loops = loops(&imports);
    assert!(
        loops.is_empty(),
        "{} loops of imports; move what both sides need into a file of its own:\n{}",
        loops.len(),
        loops.join("\n")
    );
}

#[test]
fn loops_are_found_through_each_kind_of_path() {
    // How a.rs imports b.rs; b.rs, or what it imports, imports a.rs.
    let faulty: &[&[(&str, &str)]] = &[
        &[("a", "use crate::b::X;"), ("b", "use crate::a::Y;")],
        &[("a", "use super::b::X;"), ("b", "fn f() { super::a::g() }")],
        &[
            ("a", "use crate::{c, b::X};"),
            ("b", "use super::a;"),
            ("c", "struct C;"),
        ],
        &[("a", "use crate::b as other;"), ("b", "use crate::a::Y;")],
        &[("a", "use crate::b::X;"), ("b", "use viewcell::a::Y;")],
        &[
            ("a", "mod inner { use super::super::b::X; }"),
            ("b", "use crate::a::Y;"),
        ],
        // By way of a third file.
        &[
            ("a", "use crate::b::X;"),
            ("b", "use crate::c::X;"),
            ("c", "use crate::a::X;"),
        ],
        // A parent that has items of its own, and a child that uses them.
        &[
            ("a/mod", "mod b; pub use b::X; struct Y;"),
            ("a/b", "use super::Y;"),
        ],
        &[
            ("a/mod", "mod b; fn f() { b::g() }"),
            ("a/b", "use super::Y;"),
        ],
        &[
            ("a", "mod b; use self::b::X; struct Y;"),
            ("a/b", "use super::Y;"),
        ],
        // Through doors.
        &[
            ("a/mod", "mod b; mod c; pub use b::X; pub(crate) use c::*;"),
            ("a/b", "use super::Y;"),
            ("a/c", "use super::X; pub struct Y;"),
        ],
        // By a module's name that was imported.
        &[
            ("a", "use crate::d; fn f() { d::b::g() }"),
            ("d/mod", "pub mod b;"),
            ("d/b", "use crate::a::X;"),
        ],
    ];
    for files in faulty {
        assert_eq!(loops_of(files).len(), 1, "{files:?}");
    }
    let sound: &[&[(&str, &str)]] = &[
        &[
            ("a", "use crate::b::X;"),
            ("b", "use std::fs; use self::Y;"),
        ],
        // What tests use does not ship.
        &[
            ("a", "use crate::b::X;"),
            ("b", "#[cfg(test)] mod tests { use crate::a::Y; }"),
        ],
        &[
            (
                "a/mod",
                "mod b; #[cfg(test)] mod twin; pub use b::X; struct Y;",
            ),
            ("a/b", "struct X;"),
            ("a/twin", "use super::Y;"),
        ],
        // A door is no party.
        &[
            ("a/mod", "mod b; mod c; pub use b::X; pub use c::Y;"),
            ("a/b", "use super::Y;"),
            ("a/c", "struct Y;"),
        ],
        // A child that uses a sibling by its own name does not use the parent.
        &[
            ("a/mod", "mod b; mod c; pub use c::Y; fn f() { b::g() }"),
            ("a/b", "use super::c::Y; pub(super) fn g() {}"),
            ("a/c", "pub(in crate::a) struct Y;"),
        ],
    ];
    for files in sound {
        assert_eq!(loops_of(files), Vec::<String>::new(), "{files:?}");
    }
}

fn loops_of(files: &[(&str, &str)]) -> Vec<String> {
    let named = |(name, text): &(&str, &str)| {
        // Without an item of its own, a file is a door.
        let item = if name.ends_with("/mod") {
            ""
        } else {
            "struct Own;"
        };
        (format!("src/{name}.rs"), format!("{text} {item}"))
    };
    loops(&imports(&files.iter().map(named).collect::<Vec<_>>()))
}

type Module = Vec<String>;

/// One file as a module: its name, its text without tests, and what names mean in it.
struct File {
    name: String,
    tokens: Vec<String>,
    /// Only `mod` and `use` lines.
    is_door: bool,
    /// Names that `use` brings in, and the paths they stand for, from the crate's root.
    names: BTreeMap<String, Module>,
    /// Modules whose names are all brought in: `use path::*`.
    globs: Vec<Module>,
}

/// Which files each file imports, by name.
fn imports(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut house = BTreeMap::new();
    for (name, text) in files {
        let all = tokens(text);
        let module = module_of(name);
        for test in test_modules(&all) {
            let child = module.iter().cloned().chain([test]).collect::<Module>();
            house.insert(child, None);
        }
    }
    for (name, text) in files {
        let module = module_of(name);
        // lib.rs and main.rs are both the root: doors, from which nothing is imported but modules.
        if !module.is_empty() {
            let file = read(name, &module, &tokens(text));
            let entry = house.entry(module).or_insert_with(|| Some(file));
            if entry.is_none() {
                continue; // a file under #[cfg(test)]
            }
        }
    }
    let house: BTreeMap<Module, File> = house
        .into_iter()
        .filter_map(|(module, file)| Some((module, file?)))
        .collect();
    let mut imports = BTreeMap::new();
    for (module, file) in house.iter().filter(|(_, file)| !file.is_door) {
        let mut targets = BTreeSet::new();
        for path in paths(module, file, &house) {
            if let Some(target) = resolve(&path, &house, 0) {
                targets.insert(target.name.clone());
            }
        }
        targets.remove(&file.name);
        imports.insert(file.name.clone(), targets);
    }
    imports
}

fn read(name: &str, module: &[String], all: &[String]) -> File {
    let tokens = without_tests(all);
    let mut file = File {
        name: name.into(),
        is_door: is_door(&tokens),
        tokens,
        names: BTreeMap::new(),
        globs: Vec::new(),
    };
    let mut scope = Scope::new(module);
    let mut i = 0;
    while i < file.tokens.len() {
        scope.step(&file.tokens, i);
        if is_use(&file.tokens, i) {
            i += 1;
            let mut leaves = Vec::new();
            use_tree(&file.tokens, &mut i, &[], &mut leaves);
            for (path, name) in leaves {
                // Also without a first word that says where to start: a child's name, or a crate's.
                let path = scope.absolute(&path).unwrap_or_else(|| {
                    module.iter().cloned().chain(path.iter().cloned()).collect()
                });
                match name.as_str() {
                    "*" => file.globs.push(path),
                    _ => drop(file.names.insert(name, path)),
                }
            }
        }
        i += 1;
    }
    file
}

/// The names of modules that are declared, but not written, under `#[cfg(test)]`.
fn test_modules(all: &[String]) -> Vec<String> {
    let cfg_test = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
    let n = cfg_test.len();
    all.windows(n + 2)
        .filter(|t| t.iter().zip(cfg_test).all(|(a, b)| a == b) && t[n + 1] == ";")
        .map(|t| t[n].clone())
        .collect()
}

/// Nothing but `mod NAME;` and `use`, with their attributes and visibility?
fn is_door(tokens: &[String]) -> bool {
    let mut i = 0;
    let skip_to = |i: &mut usize, end: &str| {
        while tokens.get(*i).is_some_and(|t| t != end) {
            *i += 1;
        }
        *i += 1;
    };
    while i < tokens.len() {
        match tokens[i].as_str() {
            "#" => skip_to(&mut i, "]"),
            "pub" => i += 1,
            "(" => skip_to(&mut i, ")"),
            "mod" if tokens.get(i + 2).is_some_and(|t| t == ";") => i += 3,
            "use" => skip_to(&mut i, ";"),
            _ => return false,
        }
    }
    true
}

/// Is this the word that begins an import, and not the `use<'a>` of a type?
fn is_use(tokens: &[String], i: usize) -> bool {
    tokens[i] == "use" && tokens.get(i + 1).is_some_and(|t| t != "<")
}

/// The leaves of a `use`: paths, and the names that they get. Leaves `i` at what ends the tree.
fn use_tree(
    tokens: &[String],
    i: &mut usize,
    before: &[String],
    leaves: &mut Vec<(Module, String)>,
) {
    let mut path = before.to_vec();
    loop {
        match tokens.get(*i).map(String::as_str) {
            Some("::") => {}
            Some("{") => {
                *i += 1;
                while tokens.get(*i).is_some_and(|t| t != "}") {
                    use_tree(tokens, i, &path, leaves);
                    if tokens.get(*i).is_some_and(|t| t == ",") {
                        *i += 1;
                    }
                }
                *i += 1;
                return;
            }
            Some("*") => {
                leaves.push((path, "*".into()));
                *i += 1;
                return;
            }
            Some("as") => {
                leaves.push((path, tokens[*i + 1].clone()));
                *i += 2;
                return;
            }
            None | Some("," | "}" | ";") => {
                if let Some(name) = path.last().cloned() {
                    leaves.push((path, name));
                }
                return;
            }
            // `use path::{self, X}` brings in the path itself.
            Some("self") if path.len() > before.len() || !before.is_empty() => {}
            Some(word) => path.push(word.into()),
        }
        *i += 1;
    }
}

/// Where in a file's inline modules a token stands.
struct Scope {
    module: Module,
    /// One entry for each open brace: the inline module that it opens, if it does.
    braces: Vec<Option<String>>,
}

impl Scope {
    fn new(module: &[String]) -> Scope {
        Scope {
            module: module.to_vec(),
            braces: Vec::new(),
        }
    }

    fn step(&mut self, tokens: &[String], i: usize) {
        match tokens[i].as_str() {
            "{" => {
                let opens_module = i >= 2 && tokens[i - 2] == "mod";
                self.braces
                    .push(opens_module.then(|| tokens[i - 1].clone()));
            }
            "}" => drop(self.braces.pop()),
            _ => {}
        }
    }

    /// A path that starts with `crate`, `self`, `super` or the crate's name, from the crate's root.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let inline = self.braces.iter().flatten();
        let mut here: Module = self.module.iter().chain(inline).cloned().collect();
        let (first, mut rest) = path.split_first()?;
        match first.as_str() {
            "crate" | "viewcell" => here.clear(),
            "self" => {}
            "super" => {
                here.pop();
                while rest.first().is_some_and(|word| word == "super") {
                    here.pop();
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
        here.extend(rest.iter().cloned());
        Some(here)
    }
}

/// All paths in a file that may lead to another, from the crate's root.
fn paths(module: &[String], file: &File, house: &BTreeMap<Module, File>) -> Vec<Module> {
    let mut found: Vec<Module> = file.names.values().chain(&file.globs).cloned().collect();
    let mut scope = Scope::new(module);
    let mut i = 0;
    while i < file.tokens.len() {
        scope.step(&file.tokens, i);
        if is_use(&file.tokens, i) {
            i += 1;
            use_tree(&file.tokens, &mut i, &[], &mut Vec::new());
            continue;
        }
        // Not `pub(in path)`, which says only who may see an item.
        let starts = (i == 0 || file.tokens[i - 1] != "::")
            && !(i >= 3 && file.tokens[i - 3..i] == ["pub", "(", "in"]);
        let mut end = i;
        while file.tokens.get(end + 1).is_some_and(|t| t == "::") && end + 2 < file.tokens.len() {
            end += 2;
        }
        if starts && end > i {
            let path: Module = file.tokens[i..=end].iter().step_by(2).cloned().collect();
            let (first, rest) = path.split_first().unwrap();
            let child: Module = module.iter().cloned().chain([first.clone()]).collect();
            if let Some(absolute) = scope.absolute(&path) {
                found.push(absolute);
            } else if let Some(start) = file.names.get(first) {
                found.push(start.iter().chain(rest).cloned().collect());
            } else if house.contains_key(&child) {
                found.push(child.iter().chain(rest).cloned().collect());
            }
        }
        i += 1;
    }
    found
}

/// The file to which a path from the crate's root leads, if it is one of `src` and no door.
fn resolve<'a>(path: &[String], house: &'a BTreeMap<Module, File>, depth: u32) -> Option<&'a File> {
    assert!(depth < 20, "a `use` that leads to itself: {path:?}");
    let modules = (1..=path.len())
        .take_while(|&n| house.contains_key(&path[..n]))
        .count();
    let file = house.get(&path[..modules])?;
    if !file.is_door {
        return Some(file);
    }
    let (name, rest) = path[modules..].split_first()?;
    let on = |start: &Module| -> Module { start.iter().chain(rest).cloned().collect() };
    if let Some(start) = file.names.get(name) {
        return resolve(&on(start), house, depth + 1);
    }
    file.globs.iter().find_map(|glob| {
        let target = resolve(glob, house, depth + 1)?;
        let declared = target.tokens.windows(2).any(|t| {
            let kind = t[0].as_str();
            let item = [
                "struct", "enum", "union", "trait", "type", "fn", "const", "static",
            ];
            item.contains(&kind) && t[1] == *name
        });
        declared.then_some(target)
    })
}

/// The shortest loop through each file, told once each: `a.rs -> b.rs -> a.rs`.
fn loops(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut told = BTreeMap::new();
    for start in imports.keys() {
        let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(file) = queue.pop_front() {
            for next in imports.get(file).into_iter().flatten() {
                if !came_from.contains_key(next) {
                    came_from.insert(next, file);
                    queue.push_back(next);
                }
            }
        }
        if came_from.contains_key(start) {
            let mut way = vec![start.as_str()];
            let mut file = came_from[start];
            while file != start {
                way.push(file);
                file = came_from[file];
            }
            way.push(start);
            way.reverse();
            let members: BTreeSet<&str> = way.iter().copied().collect();
            told.entry(members).or_insert_with(|| way.join(" -> "));
        }
    }
    told.into_values().collect()
}
