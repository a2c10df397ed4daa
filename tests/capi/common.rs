//! Building the libraries and the programs that use them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn skip(what: &str) {
    // Straight to stderr: what a test that passes prints is not shown.
    writeln!(std::io::stderr(), "skipped: {what}").ok();
}

/// The folder of the libraries, built once.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
        let output = Command::new(root().join("scripts/build-library"))
            .arg(&folder)
            .output()
            .unwrap();
        ok(&output);
        folder
    })
}

pub fn shared() -> PathBuf {
    let names = ["libviewcell.so", "libviewcell.dylib"].map(|name| library().join(name));
    names.into_iter().find(|file| file.exists()).unwrap()
}

pub fn ok(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Errors at the first line that differs.
pub fn same(found: &str, expected: &str) {
    for (i, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", i + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "lines");
}

/// Compiles a program in C or C++ with the static library; `None`, and said, without a compiler.
pub fn compile(source: &str) -> Option<PathBuf> {
    let (name, language) = source.split_once('.').unwrap();
    let (compiler, standard) = match language {
        "c" => ("cc", "-std=c99"),
        _ => ("c++", "-std=c++17"),
    };
    if Command::new(compiler).arg("--version").output().is_err() {
        skip(&format!("no compiler ({compiler})"));
        return None;
    }
    let program = library().join(name);
    // Tests that run side by side compile the same program: each to a file of its own, which then takes the name.
    let made = tempfile::NamedTempFile::new_in(library())
        .unwrap()
        .into_temp_path();
    let output = Command::new(compiler)
        .args([
            standard,
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-O1",
            "-I",
        ])
        .arg(library())
        .arg(root().join("tests/capi").join(source))
        .arg(library().join("libviewcell.a"))
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&made)
        .output()
        .unwrap();
    ok(&output);
    made.persist(&program).unwrap();
    Some(program)
}

/// What a script in Python prints that is given the shared library and a bundle; `None`, and said,
/// without Python.
pub fn python(script: &str, bundle: &Path) -> Option<Output> {
    let version = Command::new("python3").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        skip("no python3");
        return None;
    }
    let mut command = Command::new("python3");
    command.arg(root().join("tests/capi").join(script));
    Some(command.args([&shared(), bundle]).output().unwrap())
}
