//! The commands of the README, in order, in a folder that has no more than a clean clone.
//!
//! A block of `sh` runs line by line; a line that says "exit code N" has to end so, any other with 0.
//! A block of `toml` is the file that its first line names. A comment `<!-- not run: WHY -->` before
//! a block leaves it out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Folder, VIEWCELL};

/// All commands together are done by then, on a slow machine that has much else to do.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// What the README asks for.
#[derive(Debug, PartialEq)]
enum Step {
    Run(String),
    Write(String, String),
    Skip(String, String),
}

fn steps(readme: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = readme.lines();
    let mut why: Option<String> = None;
    while let Some(line) = lines.next() {
        if let Some(reason) = line.strip_prefix("<!-- not run: ") {
            why = Some(reason.trim_end_matches("-->").trim().to_owned());
            continue;
        }
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let skipped = why.take();
        match (language, skipped) {
            ("sh", Some(why)) => steps.push(Step::Skip(block.join("\n"), why)),
            ("sh", None) => {
                let commands = block.iter().filter(|line| !line.trim().is_empty());
                steps.extend(commands.map(|line| Step::Run((*line).to_owned())));
            }
            ("toml", None) => {
                let name = block.first().and_then(|line| line.strip_prefix("# "));
                let name = name.expect("a file's name").to_owned();
                steps.push(Step::Write(name, block.join("\n") + "\n"));
            }
            _ => {}
        }
    }
    steps
}

#[test]
fn every_command_of_the_readme_runs_in_order_from_a_clean_clone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let folder = Folder::new();
    copy(&root.join("assets"), &folder.path("assets"));
    let bin = Path::new(VIEWCELL).parent().unwrap();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = [bin.to_owned()]
        .into_iter()
        .chain(std::env::split_paths(&others));
    let path = std::env::join_paths(path).unwrap();

    let begun = Instant::now();
    let (mut ran, mut skipped) = (0, 0);
    for step in steps(&readme) {
        match step {
            Step::Write(name, text) => folder.write(&name, text),
            Step::Skip(block, why) => {
                skipped += 1;
                eprintln!("skipped ({why}):\n{block}\n");
            }
            Step::Run(line) => {
                let expected = line
                    .split_once("exit code ")
                    .map_or(0, |(_, code)| code.trim().parse().unwrap());
                let mut child = Command::new("sh")
                    .args(["-c", &line])
                    .current_dir(folder.path("."))
                    .env("PATH", &path)
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(fs::File::create(folder.path("stderr.txt")).unwrap())
                    .spawn()
                    .unwrap();
                let since = Instant::now();
                let code = loop {
                    if let Some(status) = child.try_wait().unwrap() {
                        break status.code();
                    }
                    if begun.elapsed() > LONGEST {
                        child.kill().unwrap();
                        panic!("too long: {line}");
                    }
                    thread::sleep(Duration::from_millis(20));
                };
                let said = String::from_utf8_lossy(&folder.read("stderr.txt")).into_owned();
                assert_eq!(code, Some(expected), "{line}\n{said}");
                eprintln!("{:6.1} s  {line}", since.elapsed().as_secs_f64());
                ran += 1;
            }
        }
    }
    eprintln!("{ran} commands ran, {skipped} blocks were skipped");
    assert!(ran >= 80 && skipped <= 6, "{ran} ran, {skipped} skipped");
}

#[test]
fn a_block_is_run_written_or_skipped_as_it_says() {
    let readme = "words\n```sh\na b\n\nc  # exit code 1\n```\n<!-- not run: needs d -->\n```sh\nd\n```\n\
                  ```toml\n# e.toml\nf = 1\n```\n```rust\ng\n```\n";
    let expected = [
        Step::Run("a b".into()),
        Step::Run("c  # exit code 1".into()),
        Step::Skip("d".into(), "needs d".into()),
        Step::Write("e.toml".into(), "# e.toml\nf = 1\n".into()),
    ];
    assert_eq!(steps(readme), expected);
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
