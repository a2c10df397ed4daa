//! Cyclic dependencies between the files of a crate: none is allowed.
//!
//! A file depends on another if it names an item that the other defines: in a private `use`, or in code, by a path or by
//! what a `use` brought in. Re-exports are followed to the definition, so that a `mod.rs` that only declares and re-exports
//! depends on nothing. Methods are not seen, for their types are not known here. What is under `#[cfg(test)]` does not
//! count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[allow(dead_code)]
#[path = "common/source.rs"]
mod source;

/// The crates, as folders of `src`.
const CRATES: &[&str] = &[
    "bake", "ingest", "papers", "program", "simulate", "view", "viewcell",
];

#[test]
fn no_files_depend_on_each_other() {
    let all = source::files();
    let mut faults = Vec::new();
    for folder in CRATES {
        let start = format!("{folder}/");
        let files: BTreeMap<&str, &str> = all
            .iter()
            .filter_map(|(file, text)| Some((file.strip_prefix(&start)?, text.as_str())))
            .collect();
        let graph = Crate::read(&files).graph();
        let edges: usize = graph.values().map(BTreeMap::len).sum();
        assert!(edges > files.len(), "{folder}: found only {edges} edges");
        let found = circles(&graph);
        faults.extend(found.iter().map(|circle| format!("{start}{circle}")));
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
    let found = |files: &[(&str, &str)]| {
        let files = files.iter().copied().collect();
        circles(&Crate::read(&files).graph())
    };
    let (down, up) = ("mod a; mod b;", "use crate::b::Up; pub struct Down;");
    for files in [
        // By a private `use`.
        [
            ("lib.rs", down),
            ("a.rs", up),
            ("b.rs", "use super::a::{self, Down}; pub struct Up;"),
        ],
        // By a path in code.
        [
            ("lib.rs", down),
            ("a.rs", up),
            ("b.rs", "pub struct Up(crate::a::Down);"),
        ],
        // By a path from a module.
        [
            ("lib.rs", down),
            ("a.rs", up),
            (
                "b.rs",
                "use crate::a; pub struct Up; fn f() { Up.g(a::Down::new()) }",
            ),
        ],
        // By a re-export under another name.
        [
            ("lib.rs", "pub use a::Down as Low; mod a; mod b;"),
            ("a.rs", up),
            ("b.rs", "use crate::Low; pub struct Up;"),
        ],
        // By a glob.
        [
            ("lib.rs", down),
            ("a.rs", up),
            ("b.rs", "use super::a::*; pub struct Up { down: Down }"),
        ],
        // By a module, whose name a function has, too.
        [
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "use crate::b; pub fn b() { b::up() } pub fn down() {}",
            ),
            (
                "b.rs",
                "use crate::a::{self, b}; pub fn up() { b(); a::down() }",
            ),
        ],
        [
            ("lib.rs", "pub mod a; mod b; pub use b::a;"),
            ("a.rs", "use crate::b::a; pub fn down() { a() }"),
            ("b.rs", "pub fn a() { crate::a::down() }"),
        ],
        // A parent and a child.
        [
            ("lib.rs", "mod a;"),
            (
                "a/mod.rs",
                "pub use b::Up; mod b; pub struct Down; fn f(up: Up) {}",
            ),
            ("a/b.rs", "use super::Down; pub struct Up;"),
        ],
    ] {
        assert_eq!(found(&files).len(), 1, "{files:?}");
    }
    for files in [
        // One way.
        [
            ("lib.rs", down),
            ("a.rs", up),
            ("b.rs", "pub struct Up; mod m {}"),
        ],
        // A parent that only declares and re-exports.
        [
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "pub use b::Up; mod b; pub struct Down;"),
            ("a/b.rs", "use super::Down; pub struct Up;"),
        ],
        // In tests.
        [
            ("lib.rs", down),
            ("a.rs", up),
            (
                "b.rs",
                "pub struct Up; #[cfg(test)] mod tests { use crate::a::Down; }",
            ),
        ],
        // Another crate, and a field.
        [
            ("lib.rs", down),
            ("a.rs", up),
            (
                "b.rs",
                "use std::a::Down; pub struct Up; fn f(x: X) { x.a::<Down>() }",
            ),
        ],
    ] {
        assert_eq!(found(&files), Vec::<String>::new(), "{files:?}");
    }
}

/// Files, each with those it depends on and the names by which it does.
type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The circles of a graph: strongly connected components of more than one file, each with its edges.
fn circles(graph: &Graph) -> Vec<String> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for start in graph.keys() {
        let seen = reached.entry(start).or_default();
        let mut open = vec![start];
        while let Some(file) = open.pop() {
            for next in graph.get(file).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    let is_mutual = |a: &str, b: &str| reached[a].contains(b) && reached[b].contains(a);
    let mut found = Vec::new();
    for file in graph.keys().filter(|file| is_mutual(file, file)) {
        let members: Vec<&String> = graph.keys().filter(|one| is_mutual(file, one)).collect();
        if members[0] != file {
            continue; // told before
        }
        let mut lines = String::new();
        for from in &members {
            for (to, names) in graph[*from].iter().filter(|(to, _)| members.contains(to)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines += &format!("{from} -> {to}: {}\n", names.join(", "));
            }
        }
        found.push(lines);
    }
    found
}

/// What a name of a module is.
#[derive(Clone)]
enum Named {
    /// An item that the module's file defines.
    Item,
    Module(usize),
    /// What a `use` brings in, from the module on.
    Used(Vec<String>),
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Target {
    /// An item of this module.
    Item(usize),
    Module(usize),
}

#[derive(Default)]
struct Module {
    file: String,
    parent: Option<usize>,
    /// A function may have the name of a module.
    names: HashMap<String, Vec<Named>>,
    globs: Vec<Vec<String>>,
    /// The paths of private `use`s.
    imports: Vec<Vec<String>>,
    /// Paths in code, outside of `use`.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate, from `lib.rs` on.
#[derive(Default)]
struct Crate {
    modules: Vec<Module>,
}

impl Crate {
    fn read(files: &BTreeMap<&str, &str>) -> Self {
        let mut this = Self::default();
        this.read_file(files, "lib.rs", "", None);
        this
    }

    /// Reads a file as a module; those that it declares lie in `folder`.
    fn read_file(
        &mut self,
        files: &BTreeMap<&str, &str>,
        file: &str,
        folder: &str,
        parent: Option<usize>,
    ) -> usize {
        let tokens = files[file].parse().expect(file);
        self.read_module(files, file, folder, parent, tokens)
    }

    fn read_module(
        &mut self,
        files: &BTreeMap<&str, &str>,
        file: &str,
        folder: &str,
        parent: Option<usize>,
        tokens: TokenStream,
    ) -> usize {
        let number = self.modules.len();
        self.modules.push(Module {
            file: file.into(),
            parent,
            ..Module::default()
        });
        let tokens: Vec<TokenTree> = source::shipped(tokens);
        let mut at = 0;
        let mut rest = Vec::new();
        while at < tokens.len() {
            let word = tokens[at].to_string();
            let name = tokens.get(at + 1).map(ToString::to_string);
            // `const fn`, `*const T`, `&'static T`, `impl T + use<>`.
            let is_no_item = word == "const" && matches!(name.as_deref(), Some("fn" | "unsafe"))
                || at > 0 && matches!(tokens[at - 1].to_string().as_str(), "*" | "'")
                || word == "use" && name.as_deref() == Some("<");
            match (word.as_str(), name, tokens.get(at + 2)) {
                _ if is_no_item => {
                    rest.push(tokens[at].clone());
                    at += 1;
                }
                ("mod", Some(name), Some(body)) => {
                    let inner = format!("{folder}{name}/");
                    let module = match body {
                        TokenTree::Group(body) => {
                            self.read_module(files, file, &inner, Some(number), body.stream())
                        }
                        _ => {
                            let own = format!("{folder}{name}.rs");
                            let own = if files.contains_key(own.as_str()) {
                                own
                            } else {
                                format!("{inner}mod.rs")
                            };
                            self.read_file(files, &own, &inner, Some(number))
                        }
                    };
                    self.modules[number].name(name, Named::Module(module));
                    at += 3;
                }
                ("use", ..) => {
                    let length = tokens[at..].iter().position(|t| t.to_string() == ";");
                    let end = at + length.expect("a semicolon");
                    let is_public = at > 0
                        && (tokens[at - 1].to_string() == "pub"
                            || at > 1 && tokens[at - 2].to_string() == "pub");
                    self.modules[number].read_use(&tokens[at + 1..end], &[], !is_public);
                    at = end + 1;
                }
                (
                    "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static",
                    Some(name),
                    _,
                ) => {
                    self.modules[number].name(name, Named::Item);
                    at += 2;
                }
                ("macro_rules", ..) => {
                    let name = tokens[at + 2].to_string();
                    self.modules[number].name(name, Named::Item);
                    rest.push(tokens[at + 3].clone());
                    at += 4;
                }
                _ => {
                    rest.push(tokens[at].clone());
                    at += 1;
                }
            }
        }
        self.modules[number].read_code(&rest);
        number
    }

    /// What a path leads to, seen from a module; nothing if it is of another crate. Of two things of one name it is the item
    /// if the path `ends` there.
    fn resolve(&self, module: usize, path: &[String], ends: bool, depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        if depth > 16 {
            return None; // globs of each other
        }
        let mut target = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules[module].parent?),
            name => self.lookup(module, name, ends && rest.is_empty(), depth + 1)?,
        };
        while let (Target::Module(at), Some((name, tail))) = (target, rest.split_first()) {
            target = match name.as_str() {
                "super" => Target::Module(self.modules[at].parent?),
                "self" => target,
                name => self.lookup(at, name, ends && tail.is_empty(), depth + 1)?,
            };
            rest = tail;
        }
        Some(target)
    }

    /// What a name is in a module: an item, where the path ends, or a module, where it goes on.
    fn lookup(&self, module: usize, name: &str, ends: bool, depth: usize) -> Option<Target> {
        let Some(named) = self.modules[module].names.get(name) else {
            return self.modules[module].globs.iter().find_map(|glob| {
                let from = self.resolve(module, glob, false, depth + 1)?;
                match from {
                    Target::Module(from) if from != module => {
                        self.lookup(from, name, ends, depth + 1)
                    }
                    _ => None,
                }
            });
        };
        let targets = named.iter().filter_map(|named| match named {
            Named::Item => Some(Target::Item(module)),
            Named::Module(child) => Some(Target::Module(*child)),
            Named::Used(path) => self.resolve(module, path, ends, depth + 1),
        });
        targets.max_by_key(|target| matches!(target, Target::Item(_)) == ends)
    }

    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (number, module) in self.modules.iter().enumerate() {
            let edges = graph.entry(module.file.clone()).or_default();
            // What a `use` brings in of two things of one name, code says.
            let imports = module.imports.iter().map(|path| (path, false));
            for (path, ends) in imports.chain(module.paths.iter().map(|path| (path, true))) {
                if let Some(Target::Item(other)) = self.resolve(number, path, ends, 0)
                    && self.modules[other].file != module.file
                {
                    let names = edges.entry(self.modules[other].file.clone()).or_default();
                    names.insert(path.join("::"));
                }
            }
        }
        graph
    }
}

impl Module {
    fn name(&mut self, name: String, named: Named) {
        self.names.entry(name).or_default().push(named);
    }

    /// The leaves of a `use`, behind `start`.
    fn read_use(&mut self, tokens: &[TokenTree], start: &[String], is_private: bool) {
        let mut path = start.to_vec();
        let mut name = None;
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "as" => {
                    name = Some(tokens[at + 1].to_string());
                    at += 1;
                }
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for leaf in inner.split(|token| token.to_string() == ",") {
                        if !leaf.is_empty() {
                            self.read_use(leaf, &path, is_private);
                        }
                    }
                    return;
                }
                TokenTree::Punct(mark) if mark.as_char() == '*' => {
                    // Of an enum's variants as well.
                    if is_private {
                        self.imports.push(path.clone());
                    }
                    self.globs.push(path);
                    return;
                }
                _ => {} // `::`
            }
            at += 1;
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if is_private {
            self.imports.push(path.clone());
        }
        let last = path.last().cloned().unwrap_or_default();
        let name = name.unwrap_or(last);
        // `use name;` is what the name is anyway.
        if path != [name.as_str()] {
            self.name(name, Named::Used(path));
        }
    }

    /// The paths in code, and the `use`s in bodies.
    fn read_code(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(one)) if one.as_char() == mark);
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.read_code(&inner);
                }
                TokenTree::Ident(word) if word == "use" => {
                    let length = tokens[at..].iter().position(|t| t.to_string() == ";");
                    let end = length.map_or(tokens.len(), |length| at + length);
                    // `impl Trait + use<'a>` is none.
                    if !is_mark(at + 1, '<') {
                        self.read_use(&tokens[at + 1..end], &[], true);
                        at = end;
                    }
                }
                // Who may see something is no use of it: `pub(in crate::a)`.
                TokenTree::Ident(word) if word == "in" && at == 0 => return,
                TokenTree::Ident(word) => {
                    let is_field =
                        at > 0 && is_mark(at - 1, '.') && !(at > 1 && is_mark(at - 2, '.'));
                    let first = at;
                    let mut path = vec![word.to_string()];
                    while is_mark(at + 1, ':')
                        && is_mark(at + 2, ':')
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    // A function that is called, or a type; not a variable of the same name.
                    let is_called = is_mark(at + 1, '!')
                        || matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    let is_type = path[0].starts_with(|first: char| first.is_uppercase());
                    let is_rest = first > 1 && is_mark(first - 1, ':') && is_mark(first - 2, ':');
                    if !is_field && !is_rest && (path.len() > 1 || is_called || is_type) {
                        self.paths.insert(path);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}
