//! `scripts/release` and `scripts/book`, in small trees of their own.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A tree with the script, and with scripts that stand in for what it calls.
struct Tree(TempDir);

impl Tree {
    /// Of version 1.2.3, committed.
    fn of_release() -> Self {
        let tree = Self::with("release");
        tree.write(
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"1.2.3\"\n\n[lib]\n",
        );
        tree.write("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - 2026-11-24\n");
        for script in ["test", "book", "check"] {
            tree.script(script, &format!("echo ran {script} $*"));
        }
        tree.script(
            "package",
            "if [ $1 = --list ]; then printf 'deb   a Debian package\\nwindows-archive  with Wine\\nnpm   of Node (not here: wasm-opt)\\n'; else echo ran package $1; fi",
        );
        tree.git("init --quiet");
        tree.commit();
        tree
    }

    fn with(script: &str) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        let here = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("scripts")
            .join(script);
        fs::create_dir(tree.0.path().join("scripts")).unwrap();
        fs::copy(here, tree.0.path().join("scripts").join(script)).unwrap();
        tree
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn script(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.0.path().join("scripts").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn git(&self, arguments: &str) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let mut git = Command::new("git");
        git.args(who)
            .args(arguments.split(' '))
            .current_dir(self.0.path());
        assert!(git.status().unwrap().success(), "{arguments}");
    }

    fn commit(&self) {
        self.git("add --all");
        self.git("commit --quiet --message=c");
    }

    fn run(&self, script: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.0.path().join("scripts").join(script));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    /// Runs what must fail, with all of these words on stderr and without a step after it.
    fn fails(&self, script: &str, words: &[&str]) {
        let output = self.run(script, &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "expected {words:?}");
        assert!(
            words.iter().all(|word| stderr.contains(word)),
            "expected {words:?}, found {stderr}"
        );
        assert!(
            !String::from_utf8(output.stdout)
                .unwrap()
                .contains("What a person does now")
        );
    }
}

fn lines_that_ran(output: &Output) -> Vec<String> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    stdout
        .lines()
        .filter(|line| line.starts_with("ran "))
        .map(String::from)
        .collect()
}

#[test]
fn a_release_runs_tests_makes_and_installs_all_packages_and_stops_before_the_tag() {
    let tree = Tree::of_release();
    let output = tree.run("release", &[]);
    assert_eq!(
        lines_that_ran(&output),
        [
            "ran test",
            "ran book",
            "ran package deb",
            "ran package windows-archive",
            "ran check packages",
            "ran check windows"
        ]
    );
    let stdout = String::from_utf8(output.stdout).unwrap();
    for words in ["git tag -s v1.2.3", "npm: wasm-opt\n"] {
        assert!(stdout.contains(words), "{stdout}");
    }
    // And a dry run names the same steps.
    let output = tree.run("release", &["--dry-run"]);
    assert_eq!(lines_that_ran(&output), [""; 0]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    for step in [
        "scripts/test",
        "scripts/book",
        "scripts/package deb",
        "scripts/package windows-archive",
        "scripts/check packages",
    ] {
        assert!(stdout.contains(step), "{stdout}");
    }
}

#[test]
fn a_release_says_what_is_not_ready() {
    let tree = Tree::of_release();
    tree.write("new.txt", "");
    tree.fails("release", &["new.txt", "commit"]);
    tree.git("clean --quiet --force");
    tree.write("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - unreleased\n");
    tree.commit();
    tree.fails("release", &["CHANGELOG.md has no date for 1.2.3"]);
    tree.write("CHANGELOG.md", "# Changelog\n\n## [1.2.2] - 2026-11-24\n");
    tree.commit();
    tree.fails(
        "release",
        &["CHANGELOG.md does not know version 1.2.3", "add a section"],
    );
    tree.write("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - 2026-11-24\n");
    tree.commit();
    tree.git("tag v1.2.3");
    tree.fails("release", &["the tag v1.2.3 is there already"]);
    tree.git("tag --delete v1.2.3");
    tree.script("book", "echo no mdBook >&2; exit 1");
    tree.commit();
    tree.fails("release", &["no mdBook", "failed at: the book"]);
    fs::remove_file(tree.0.path().join("scripts/package")).unwrap();
    tree.fails("release", &["scripts/package is missing"]);
    assert_eq!(tree.run("release", &["--dry"]).status.code(), Some(2));
}

#[test]
fn a_release_and_a_book_say_which_tool_is_missing() {
    let tools = tempfile::tempdir().unwrap();
    for tool in [
        "bash", "date", "dirname", "git", "grep", "python3", "sed", "sh",
    ] {
        let path = match tool {
            // Which may be a script that looks for the true one.
            "python3" => "python3 -c 'import sys; print(sys.executable)'",
            _ => "command -v $0",
        };
        let path = Command::new("sh")
            .args(["-c", path, tool])
            .output()
            .unwrap();
        let path = String::from_utf8(path.stdout).unwrap();
        std::os::unix::fs::symlink(path.trim(), tools.path().join(tool)).unwrap();
    }
    for (tree, script, words) in [
        (
            Tree::of_release(),
            "release",
            "cargo is missing: install it",
        ),
        (
            book("words"),
            "book",
            "cargo is missing, which would build it: install Rust",
        ),
    ] {
        let mut command = Command::new(tree.0.path().join("scripts").join(script));
        let output = command.env("PATH", tools.path()).output().unwrap();
        assert!(!output.status.success());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// A book of two pages and the three that are made, with these words on the first.
fn book(words: &str) -> Tree {
    let tree = Tree::with("book");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = "/* a.h: asks.\n */\n\n// Opens.\nviewcell_status viewcell_open(void);\n";
    tree.write("src/viewcell/capi/viewcell.h", header);
    tree.write("schemas/a.json", "{\"title\": \"a\"}");
    let pages =
        "[a](a.md)\n\n- [b](../../B.md)\n- [o](options.md)\n- [d](documents.md)\n- [c](c.md)\n";
    tree.write("assets/book/SUMMARY.md", &format!("# Summary\n\n{pages}"));
    tree.write("assets/book/a.md", &format!("# A\n\n{words}\n"));
    tree.write("B.md", "# B\n\n## Part two\n\n[a](assets/book/a.md#a)\n");
    let settings = fs::read_to_string(root.join("assets/book/book.toml")).unwrap();
    tree.write("assets/book/book.toml", &settings);
    tree.script(
        "viewcell",
        "printf 'Asks.\\n\\nCommands:\\n  ask  Ask\\n' | head -n $((5 - 4 * ($# - 1)))",
    );
    tree
}

/// `None`, and said, where there is no mdBook: it takes minutes to build.
fn make(tree: &Tree) -> Option<(bool, String)> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&others))).unwrap();
    let version = Command::new("mdbook")
        .arg("--version")
        .env("PATH", &path)
        .output();
    if !version.is_ok_and(|version| version.stdout.starts_with(b"mdbook v0.5.")) {
        use std::io::Write;
        writeln!(
            std::io::stderr(),
            "skipped: the book, for mdBook is not there; scripts/book builds it"
        )
        .ok();
        return None;
    }
    let program = tree.0.path().join("scripts/viewcell");
    let mut script = Command::new(tree.0.path().join("scripts/book"));
    let output = script
        .env("PATH", path)
        .env("VIEWCELL", program)
        .output()
        .unwrap();
    Some((
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    ))
}

#[test]
fn a_book_has_its_pages_from_wherever_they_lie_and_the_reference() {
    let tree = book(
        "[b](../../B.md#part-two), [header](../../src/viewcell/capi/viewcell.h), [folder](../../schemas)",
    );
    let Some((made, said)) = make(&tree) else {
        return;
    };
    assert!(made, "{said}");
    let read =
        |name: &str| fs::read_to_string(tree.0.path().join("target/book").join(name)).unwrap();
    assert!(read("a.html").contains("href=\"B.html#part-two\""));
    assert!(read("B.html").contains("href=\"a.html#a\""));
    assert!(read("options.html").contains("viewcell ask"));
    assert!(read("c.html").contains("id=\"viewcell_open\""));
    assert!(read("documents.html").contains("schemas/a.json"));
}

#[test]
fn a_book_with_a_link_that_leads_nowhere_is_not_made() {
    for (link, words) in [
        ("[b](../../C.md)", "C.md"),
        ("[b](../../none.txt)", "no such file"),
        ("[b](../../B.md#part-three)", "B.html#part-three"),
        ("[b](#none)", "#none"),
    ] {
        let tree = book(link);
        let Some((made, said)) = make(&tree) else {
            return;
        };
        assert!(!made && said.contains(words), "{link}: {said}");
        assert!(!tree.0.path().join("target/book").exists());
    }
}

/// The first page of a package leads to the package's own files, and not to the repository's around it.
#[test]
fn no_first_page_of_a_package_leads_out_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in [
        "scripts/packages/archive.md",
        "src/bindings/csharp/README.md",
        "src/bindings/godot/README.md",
        "src/bindings/python/README.md",
        "src/bindings/wasm/README.md",
    ] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let links = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
        for link in links.filter_map(|rest| rest.split([')', '#']).next()) {
            assert!(!link.starts_with(".."), "{page}: {link}");
        }
    }
    // The links that the packages have are followed.
    let folder = tempfile::tempdir().unwrap();
    let follow = |text: &str| {
        fs::write(folder.path().join("README.md"), text).unwrap();
        let mut script = Command::new(root.join("scripts/book"));
        script.arg("--links").arg(folder.path()).output().unwrap()
    };
    let whole = "# A page\n[a](README.md#a-page) [b](https://b.org/c) `[c](d.md)`\n";
    let led = follow(whole);
    assert!(
        led.status.success() && led.stdout == b"1 links\n",
        "{led:?}"
    );
    for dead in ["[a](no.md)", "[a](README.md#none)", "![a](a.png)"] {
        let led = follow(&format!("{whole}{dead}\n"));
        let words = String::from_utf8_lossy(&led.stderr).into_owned();
        assert!(
            !led.status.success() && words.contains("README.md links "),
            "{words}"
        );
    }
}
