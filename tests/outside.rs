//! Programs outside of the workspace: one against `src/viewcell` alone, others against the crates that bake, one for each
//! subject. Compiled and run, so that what they name has a public name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn public_names_are_enough_for_programs() {
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
    let expected = ["bake", "frontier", "live", "query", "simulate"];
    assert_eq!(programs, expected.map(str::to_owned).into());

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let built = Command::new(env!("CARGO"))
        .args("build --offline --locked --quiet --workspace --manifest-path".split(' '))
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
    for bundle in ["13x9-voids.vcb", "level.vcb", "solid.vcb"] {
        let engine = target
            .join("debug/viewcell-outside-engine")
            .with_extension(std::env::consts::EXE_EXTENSION);
        let ran = Command::new(engine)
            .arg(root.join("tests/golden/v1").join(bundle))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{bundle}: {said}");
    }
}
