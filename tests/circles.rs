//! Cyclic dependencies between the files of a crate: none is allowed.
//!
//! A file depends on another if it names an item that the other defines: in a private `use`, or in code, by a path or by
//! what a `use` brought in. Re-exports are followed to the definition, so that a `mod.rs` that only declares and re-exports
//! depends on nothing. Methods are not seen, for their types are not known here. What is under `#[cfg(test)]` does not
//! count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

#[allow(dead_code)]
#[path = "common/source.rs"]
mod source;

#[test]
fn no_files_depend_on_each_other() {
    let all = source::files();
    let mut faults = Vec::new();
    for folder in [
        "bake", "ingest", "papers", "program", "simulate", "view", "viewcell",
    ] {
        let of_crate = |(file, text): &(String, String)| {
            Some((
                file.strip_prefix(folder)?.strip_prefix('/')?.to_owned(),
                text.clone(),
            ))
        };
        let files: BTreeMap<String, String> = all.iter().filter_map(of_crate).collect();
        let graph = Crate::read(&files).graph();
        let edges: usize = graph.values().map(BTreeMap::len).sum();
        assert!(edges > files.len(), "{folder}: found only {edges} edges");
        faults.extend(
            circles(&graph)
                .iter()
                .map(|circle| format!("{folder}/{circle}")),
        );
    }
    assert!(
        faults.is_empty(),
        "{} circles of files\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn circles_are_found_and_nothing_else() {
    // How many circles are in some files; without a `lib.rs` it is that of the first line.
    let cases = r"
0 lib.rs: mod a; mod b; | a.rs: use crate::b::Up; pub struct Down; | b.rs: pub struct Up; mod m {}
By a private `use`, a path in code, a path from a module, a glob, a re-export under another name.
1 a.rs: use crate::b::Up; pub struct Down; | b.rs: use super::a::{self, Down}; pub struct Up;
1 a.rs: use crate::b::Up; pub struct Down; | b.rs: pub struct Up(crate::a::Down);
1 a.rs: use crate::b::Up; pub struct Down; | b.rs: use crate::a; pub struct Up; fn f() { Up.g(a::Down::new()) }
1 a.rs: use crate::b::Up; pub struct Down; | b.rs: use super::a::*; pub struct Up { down: Down }
1 lib.rs: pub use a::Down as Low; mod a; mod b; | a.rs: use crate::b::Up; pub struct Down; | b.rs: use crate::Low; pub struct Up;
By a module, whose name a function has, too.
1 a.rs: use crate::b; pub fn b() { b::up() } pub fn down() {} | b.rs: use crate::a::{self, b}; pub fn up() { b(); a::down() }
1 lib.rs: pub mod a; mod b; pub use b::a; | a.rs: use crate::b::a; pub fn down() { a() } | b.rs: pub fn a() { crate::a::down() }
A parent and a child; a parent that only declares and re-exports.
1 lib.rs: mod a; | a/mod.rs: pub use b::Up; mod b; pub struct Down; fn f(up: Up) {} | a/b.rs: use super::Down; pub struct Up;
0 lib.rs: mod a; | a/mod.rs: pub use b::Up; mod b; pub struct Down; | a/b.rs: use super::Down; pub struct Up;
In tests; another crate, and a field.
0 a.rs: use crate::b::Up; pub struct Down; | b.rs: pub struct Up; #[cfg(test)] mod tests { use crate::a::Down; }
0 a.rs: use crate::b::Up; pub struct Down; | b.rs: use std::a::Down; pub struct Up; fn f(x: X) { x.a::<Down>() }";
    let cases = cases.lines().filter(|case| case.starts_with(['0', '1']));
    for case in cases {
        let files = ["lib.rs: mod a; mod b;"]
            .into_iter()
            .chain(case[2..].split(" | "));
        let files = files.filter_map(|file| file.split_once(": "));
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let found = circles(&Crate::read(&files.collect()).graph());
        assert_eq!(found.len().to_string(), case[..1], "{case}");
    }
}

/// Files, each with those it depends on and the names by which it does.
type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;
type Path = Vec<String>;

/// The circles of a graph: strongly connected components of more than one file, each with its edges.
fn circles(graph: &Graph) -> Vec<String> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for start in graph.keys() {
        let seen = reached.entry(start).or_default();
        let mut open = vec![start];
        while let Some(file) = open.pop() {
            let next = graph.get(file).into_iter().flat_map(BTreeMap::keys);
            open.extend(next.filter(|next| seen.insert(next)));
        }
    }
    let is_mutual = |a: &str, b: &str| reached[a].contains(b) && reached[b].contains(a);
    let mut found = Vec::new();
    for file in graph.keys() {
        let members: Vec<&String> = graph.keys().filter(|one| is_mutual(file, one)).collect();
        if members.first() != Some(&file) {
            continue; // in none, or told before
        }
        let edges = members.iter().flat_map(|from| {
            graph[*from]
                .iter()
                .map(move |(to, names)| (from, to, names))
        });
        let edges = edges.filter(|(_, to, _)| members.contains(to));
        found.push(
            edges
                .map(|(from, to, names)| format!("{from} -> {to}: {names:?}\n"))
                .collect(),
        );
    }
    found
}

/// What a name of a module is: an item that its file defines, a module, or what a `use` brings in, from the module on.
enum Named {
    Item,
    Module(usize),
    Used(Path),
}

/// What a path leads to: an item of a module, or a module.
#[derive(Clone, Copy)]
enum Target {
    Item(usize),
    Module(usize),
}

/// A file; modules within it are part of it.
#[derive(Default)]
struct Module {
    file: String,
    parent: Option<usize>,
    /// A function may have the name of a module.
    names: HashMap<String, Vec<Named>>,
    globs: Vec<Path>,
    /// The paths of private `use`s and, with `true`, those in code.
    paths: BTreeSet<(Path, bool)>,
}

/// The modules of a crate, from `lib.rs` on.
#[derive(Default)]
struct Crate(Vec<Module>);

impl Crate {
    fn read(files: &BTreeMap<String, String>) -> Self {
        let mut this = Self::default();
        this.read_file(files, "lib.rs".into(), "", None);
        this
    }

    /// Reads a file as a module; those that it declares lie in `folder`.
    fn read_file(
        &mut self,
        files: &BTreeMap<String, String>,
        file: String,
        folder: &str,
        parent: Option<usize>,
    ) -> usize {
        let number = self.0.len();
        let words = source::words(&files[&file]);
        self.0.push(Module {
            file,
            parent,
            ..Module::default()
        });
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let is_name = |at: usize| word(at).starts_with(|c: char| c.is_alphabetic() || c == '_');
        let (mut at, mut depth, mut items_at) = (0, 0, 0);
        while at < words.len() {
            let before = if at == 0 { "" } else { word(at - 1) };
            match word(at) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    items_at = items_at.min(depth);
                }
                "mod" if is_name(at + 1) && word(at + 2) == "{" => items_at += 1,
                "mod" if is_name(at + 1) => {
                    let inner = format!("{folder}{}/", word(at + 1));
                    let beside = format!("{folder}{}.rs", word(at + 1));
                    let own = if files.contains_key(&beside) {
                        beside
                    } else {
                        format!("{inner}mod.rs")
                    };
                    let module = self.read_file(files, own, &inner, Some(number));
                    self.0[number].name(word(at + 1), Named::Module(module));
                    at += 1;
                }
                // `impl T + use<>` is none.
                "use" if word(at + 1) != "<" => {
                    let end = at
                        + words[at..]
                            .iter()
                            .position(|word| word == ";")
                            .expect("a semicolon");
                    self.0[number].read_use(&words[at + 1..=end], !matches!(before, "pub" | ")"));
                    at = end;
                }
                // `*const T`, `&'static T`.
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                    if depth == items_at && is_name(at + 1) && !matches!(before, "*" | "'") =>
                {
                    self.0[number].name(word(at + 1), Named::Item);
                }
                "macro_rules" => self.0[number].name(word(at + 2), Named::Item),
                _ if is_name(at) => {
                    let is_field = before == "." && (at < 2 || word(at - 2) != ".");
                    // Who may see something is no use of it: `pub(in crate::a)`.
                    let is_place = before == "in" && at > 1 && word(at - 2) == "(";
                    let mut path = vec![word(at).to_owned()];
                    while word(at + 1) == "::" && is_name(at + 2) {
                        path.push(word(at + 2).to_owned());
                        at += 2;
                    }
                    // A function that is called, or a type; not a variable of the same name.
                    let is_used = path.len() > 1
                        || matches!(word(at + 1), "!" | "(")
                        || path[0].starts_with(char::is_uppercase);
                    if is_used && !is_field && !is_place && before != "::" {
                        self.0[number].paths.insert((path, true));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        number
    }

    /// What a path leads to, seen from a module; nothing if it is of another crate. Of two things of one name it is the item
    /// if the path `ends` there.
    fn resolve(&self, module: usize, path: &[String], ends: bool, depth: usize) -> Option<Target> {
        let mut target = Target::Module(module);
        for (number, name) in path.iter().enumerate() {
            let Target::Module(at) = target else { break };
            target = match name.as_str() {
                "crate" => Target::Module(0),
                "self" => target,
                "super" => Target::Module(self.0[at].parent?),
                name => self.lookup(at, name, ends && number + 1 == path.len(), depth + 1)?,
            };
        }
        Some(target)
    }

    /// What a name is in a module: an item, where the path ends, or a module, where it goes on.
    fn lookup(&self, module: usize, name: &str, ends: bool, depth: usize) -> Option<Target> {
        if depth > 16 {
            return None; // globs of each other
        }
        let Some(named) = self.0[module].names.get(name) else {
            let from = |glob: &Path| match self.resolve(module, glob, false, depth)? {
                Target::Module(from) if from != module => self.lookup(from, name, ends, depth + 1),
                _ => None,
            };
            return self.0[module].globs.iter().find_map(from);
        };
        let targets = named.iter().filter_map(|named| match named {
            Named::Item => Some(Target::Item(module)),
            Named::Module(child) => Some(Target::Module(*child)),
            Named::Used(path) => self.resolve(module, path, ends, depth),
        });
        targets.max_by_key(|target| matches!(target, Target::Item(_)) == ends)
    }

    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (number, module) in self.0.iter().enumerate() {
            let edges = graph.entry(module.file.clone()).or_default();
            // What a `use` brings in of two things of one name, code says.
            for (path, ends) in &module.paths {
                if let Some(Target::Item(other)) = self.resolve(number, path, *ends, 0)
                    && other != number
                {
                    let names: &mut BTreeSet<String> =
                        edges.entry(self.0[other].file.clone()).or_default();
                    names.insert(path.join("::"));
                }
            }
        }
        graph
    }
}

impl Module {
    fn name(&mut self, name: &str, named: Named) {
        self.names.entry(name.to_owned()).or_default().push(named);
    }

    /// The leaves of a `use`, whose last word is the semicolon.
    fn read_use(&mut self, words: &[String], is_private: bool) {
        let (mut path, mut starts, mut name): (Path, Vec<usize>, Option<&str>) =
            (vec![], vec![0], None);
        for (at, word) in words.iter().enumerate() {
            match word.as_str() {
                "::" => {}
                "as" => name = Some(&words[at + 1]),
                "{" => starts.push(path.len()),
                "," | "}" | ";" => {
                    if path.len() > starts[starts.len() - 1] {
                        self.read_leaf(path.clone(), name.take(), is_private);
                    }
                    if word == "}" {
                        starts.pop();
                    }
                    path.truncate(starts[starts.len() - 1]);
                }
                word if name.is_none() => path.push(word.to_owned()),
                _ => {}
            }
        }
    }

    fn read_leaf(&mut self, mut path: Path, name: Option<&str>, is_private: bool) {
        let last = path[path.len() - 1].clone();
        if last == "*" || last == "self" && path.len() > 1 {
            path.pop();
        }
        if is_private {
            self.paths.insert((path.clone(), false));
        }
        let name = name.unwrap_or(&path[path.len() - 1]).to_owned();
        if last == "*" {
            self.globs.push(path);
        } else if path != [name.as_str()] {
            // `use name;` is what the name is anyway.
            self.name(&name, Named::Used(path));
        }
    }
}
