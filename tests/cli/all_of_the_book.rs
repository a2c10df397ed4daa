//! The commands of the README and of the book's pages, in order, in a folder that has no more than a clean clone.
//!
//! A block of `sh` runs line by line; a line that says "exit code N" has to end so, any other with 0. A block of `text`
//! right behind it is how what it prints must end. Any other block is the file whose name ends the words before it, as in
//! "In `level.toml`:"; but Rust is compiled with the crate's documentation. A comment before a block says when it does
//! not run: `<!-- not run: WHY -->`, `<!-- built: WHY -->` where `scripts/time-tutorials` alone runs it, and
//! `<!-- needs: COMMAND -->` where it runs if that command does.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Folder, VIEWCELL};

/// All commands together are done by then, on a slow machine that has much else to do.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// What a page asks for.
#[derive(Debug, PartialEq)]
enum Step {
    Run(Commands),
    Write(String, String),
    Skip(String, String),
}

#[derive(Debug, Default, PartialEq)]
struct Commands {
    lines: Vec<String>,
    /// The command that must succeed, else these do not run.
    needs: Option<String>,
    /// How all that they print must end.
    printed: String,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    let mut before = "";
    let mut comment = None;
    let mut behind_commands = false;
    while let Some(line) = lines.next() {
        if let Some((kind, words)) = line
            .strip_prefix("<!-- ")
            .and_then(|line| line.strip_suffix(" -->")?.split_once(": "))
        {
            comment = Some((kind, words.to_owned()));
            continue;
        }
        let Some(language) = line.strip_prefix("```") else {
            if !line.is_empty() {
                (before, behind_commands) = (line, false);
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.join("\n") + "\n";
        match (language.split(',').next().unwrap(), comment.take()) {
            ("sh", Some(("not run" | "built", why))) => steps.push(Step::Skip(text, why)),
            ("sh", needs) => {
                let commands = block.iter().filter(|line| !line.trim().is_empty());
                steps.push(Step::Run(Commands {
                    lines: commands.map(|line| (*line).to_owned()).collect(),
                    needs: needs.map(|(_, command)| command),
                    printed: String::new(),
                }));
                behind_commands = true;
                continue;
            }
            ("text", _) => {
                if let (true, Some(Step::Run(commands))) = (behind_commands, steps.last_mut()) {
                    commands.printed = text;
                }
            }
            ("rust", _) => {}
            _ => {
                let name = before.strip_suffix("`:").and_then(|w| w.rsplit('`').next());
                let name = name.unwrap_or_else(|| panic!("a block without a file's name: {text}"));
                steps.push(Step::Write(name.to_owned(), text));
            }
        }
        behind_commands = false;
    }
    steps
}

/// The README and the pages of the book, in its order, by their paths.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let book = root.join("assets/book");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let linked = summary
        .split("](")
        .skip(1)
        .map(|rest| &rest[..rest.find(')').unwrap()]);
    // Those that lie elsewhere are tested where they lie, and three are made by scripts/book.
    let pages = linked
        .map(|link| book.join(link))
        .filter(|page| page.parent() == Some(&book) && page.exists());
    let pages: Vec<PathBuf> = [root.join("README.md")].into_iter().chain(pages).collect();
    let here = fs::read_dir(&book)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for page in here.filter(|path| path.extension().is_some_and(|end| end == "md")) {
        assert!(
            pages.contains(&page) || page.ends_with("SUMMARY.md"),
            "{} is not in SUMMARY.md",
            page.display()
        );
    }
    pages
}

#[test]
fn every_command_of_the_readme_and_the_book_runs_in_order_from_a_clean_clone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new();
    copy(&root.join("assets"), &folder.path("assets"));
    build_library(root, &folder);
    // The program, and Python as scripts/test-bindings has set it up, with the package.
    let first = [
        Path::new(VIEWCELL).parent().unwrap().to_owned(),
        root.join("target/bindings/try-python/bin"),
    ];
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(first.into_iter().chain(std::env::split_paths(&others))).unwrap();

    let begun = Instant::now();
    let shell = |line: &str| {
        let stream = |name| Stdio::from(fs::File::create(folder.path(name)).unwrap());
        let mut child = Command::new("sh")
            .args(["-c", line])
            .current_dir(folder.path("."))
            .env("PATH", &path)
            .stdin(Stdio::null())
            .stdout(stream("stdout.txt"))
            .stderr(stream("stderr.txt"))
            .spawn()
            .unwrap();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            if begun.elapsed() > LONGEST {
                child.kill().unwrap();
                panic!("too long: {line}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    };
    let said = |name| String::from_utf8_lossy(&folder.read(name)).into_owned();

    let (mut ran, mut skipped, mut compared) = (0, 0, 0);
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for step in steps(&fs::read_to_string(&page).unwrap()) {
            match step {
                Step::Write(name, text) => folder.write(&name, text),
                Step::Skip(block, why) => {
                    skipped += 1;
                    eprintln!("skipped ({why}):\n{block}");
                }
                Step::Run(Commands {
                    needs: Some(needs), ..
                }) if shell(&needs) != Some(0) => {
                    // Straight to stderr: what a test that passes prints is not shown.
                    writeln!(
                        std::io::stderr(),
                        "skipped: a part of {name}, which needs {needs}"
                    )
                    .ok();
                }
                Step::Run(commands) => {
                    let mut printed = String::new();
                    for line in &commands.lines {
                        let code = line
                            .split_once("exit code ")
                            .map_or(0, |(_, code)| code.trim().parse().unwrap());
                        let since = Instant::now();
                        assert_eq!(
                            shell(line),
                            Some(code),
                            "{name}: {line}\n{}",
                            said("stderr.txt")
                        );
                        eprintln!("{:6.1} s  {line}", since.elapsed().as_secs_f64());
                        printed += &said("stdout.txt");
                        ran += 1;
                    }
                    let expected = &commands.printed;
                    assert!(
                        printed.ends_with(expected),
                        "{name}: expected\n{expected}found\n{printed}"
                    );
                    compared += usize::from(!expected.is_empty());
                }
            }
        }
    }
    eprintln!(
        "{ran} commands ran, what {compared} blocks print was compared, {skipped} blocks were skipped"
    );
    assert!(
        // Two pages bake what an engine's editor exports.
        ran >= 105 && compared >= 9 && skipped <= 14,
        "{ran} ran, {compared} compared, {skipped} skipped"
    );
}

/// What `scripts/build-library` makes, where the pages look for it; built once with the tests of the C interface.
fn build_library(root: &Path, folder: &Folder) {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    let built = Command::new(root.join("scripts/build-library"))
        .arg(&library)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    fs::create_dir_all(folder.path("target/library")).unwrap();
    for name in ["libviewcell.a", "viewcell.h"] {
        fs::copy(library.join(name), folder.path("target/library").join(name)).unwrap();
    }
}

/// The crate's documentation includes them (`src/program/lib.rs`), so that their Rust is compiled.
#[test]
fn every_page_with_rust_is_compiled() {
    let library = include_str!("../../src/program/lib.rs");
    for page in pages() {
        if fs::read_to_string(&page).unwrap().contains("```rust") {
            let name = page
                .strip_prefix(env!("CARGO_MANIFEST_DIR"))
                .unwrap()
                .to_str()
                .unwrap();
            assert!(
                library.contains(&format!("\"../../{name}\"")),
                "{name} is not in src/program/lib.rs"
            );
        }
    }
}

#[test]
fn a_block_is_run_written_or_skipped_as_it_says() {
    let page = "words\n```sh\na b\n\nc  # exit code 1\n```\n<!-- not run: needs d -->\n```sh\nd\n```\n\
                In `e.toml`:\n\n```toml\nf = 1\n```\n```rust\ng\n```\n<!-- needs: h -->\n```sh\ni\n```\n\n```text\nj\n```\n\
                words\n```text\nk\n```\n";
    let run = |lines: &[&str], needs: Option<&str>, printed: &str| {
        Step::Run(Commands {
            lines: lines.iter().map(|line| (*line).into()).collect(),
            needs: needs.map(Into::into),
            printed: printed.into(),
        })
    };
    let expected = [
        run(&["a b", "c  # exit code 1"], None, ""),
        Step::Skip("d\n".into(), "needs d".into()),
        Step::Write("e.toml".into(), "f = 1\n".into()),
        run(&["i"], Some("h"), "j\n"),
    ];
    assert_eq!(steps(page), expected);
}

fn copy(from: &Path, to: &PathBuf) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
