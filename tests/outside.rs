//! Programs against the library alone, one for each public module: compiled outside of this repository's features and
//! run, so that what they name has a public name, and what is `non_exhaustive` can be made.
#![cfg(feature = "bake")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn each_public_module_is_enough_for_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let outside = root.join("tests/outside");
    let programs: BTreeSet<String> = fs::read_dir(outside.join("src/bin"))
        .unwrap()
        .map(|file| {
            file.unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let library = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let modules = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "));
    let modules: BTreeSet<String> = modules
        .filter_map(|line| line.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(programs, modules, "a program for each public module");

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--offline",
            "--locked",
            "--quiet",
            "--manifest-path",
        ])
        .arg(outside.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let folder = tempfile::tempdir().unwrap();
    for program in programs {
        let path = target
            .join("debug")
            .join(&program)
            .with_extension(std::env::consts::EXE_EXTENSION);
        let ran = Command::new(path).arg(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{program}: {said}");
    }
}
