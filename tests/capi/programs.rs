//! Programs in C and Python that use the library as engines do: built with
//! `scripts/build-library`, compiled, run, and their answers compared with the runtime's.

use std::path::PathBuf;
use std::process::Command;

use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{Bundle, MappedBundle, Sample};
use viewcell_bake::visibility::Bodies;
use viewcell_ingest::world::Terrain;

use crate::baking::bake_exactly;
use crate::common::{compile, ok, python, root, shared, skip};

/// The most that the shared library may take, stripped. Nearly all of it is code: sight and frontier sets are
/// some 300 KB of it, interest and awareness 120 KB, levels 100 KB, patches 30 KB, solid levels and
/// checksums by page some 40 KB, look-ahead by motion 10 KB, tests at run time 30 KB, the largest sets of cells 6 KB,
/// copies in huge pages 4 KB, a watch with the lanes of its proofs 80 KB, graded bundles 20 KB.
const MOST_BYTES: u64 = 890_000;

/// Players whose eyes are at the tops of their heads.
pub const MUTUAL: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// A plain of 9 x 5 samples with a wall in column 4 and a void in the south-eastern corner.
pub fn wall() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.vcb");
    let height = |i: u32| match i {
        44 => f64::NAN,
        i if i % 9 == 4 => 100.0,
        _ => 0.0,
    };
    let heights = (0..45).map(height).collect();
    let terrain = Terrain::new(9, 5, heights, [10.0, 10.0]).unwrap();
    bake_exactly(&terrain, MUTUAL, &path);
    (folder, path)
}

fn matrix(bytes: &[u8]) -> Vec<String> {
    let terrain = Bundle::from_bytes(bytes).unwrap().terrain().unwrap();
    let grid = terrain.grid();
    let bit = |bit: bool| if bit { '1' } else { '0' };
    let mut lines: Vec<String> = grid
        .row_by_row()
        .map(|a| {
            grid.row_by_row()
                .map(|b| bit(terrain.visible(a, b)))
                .collect()
        })
        .collect();
    let mut builder = FrontierBuilder::new(&terrain);
    builder
        .build(
            Sample::new(0, 2),
            Sample::new(8, 2),
            &FrontierOptions::default(),
        )
        .unwrap();
    lines.extend(Side::BOTH.map(|side| {
        let region = builder.region(side);
        grid.row_by_row().map(|s| bit(region.contains(s))).collect()
    }));
    lines
}

#[test]
fn a_program_in_c_gets_the_answers_of_the_runtime_and_every_failure_its_status() {
    let Some(program) = compile("manual.c") else {
        return;
    };
    let (_folder, path) = wall();
    let unpaged = root().join("tests/golden/v1/20x18-pruned.vcb");
    let stdout = ok(&Command::new(program)
        .args([&path, &unpaged])
        .output()
        .unwrap());
    let mut lines = stdout.lines();
    assert_eq!(
        lines.next(),
        Some("9 x 5, 5 levels, mutual 1, spacing 10 x 10, eye 1.8, player 1.8")
    );
    assert_eq!(lines.next(), Some("8,2"));
    let rest: Vec<&str> = lines.collect();
    assert_eq!(rest, matrix(&std::fs::read(&path).unwrap()));
}

#[test]
fn a_script_in_python_gets_the_answers_of_the_runtime() {
    let (_folder, path) = wall();
    let Some(output) = python("query.py", &path) else {
        return;
    };
    let stdout = ok(&output);
    let mut lines: Vec<&str> = stdout.lines().collect();
    assert!(lines.remove(45).starts_with("outside the world"));
    assert_eq!(lines, matrix(&std::fs::read(&path).unwrap()));
    // And an error is a sentence.
    let output = python("query.py", &root().join("Cargo.toml")).unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("Cargo.toml: "));
}

#[test]
fn a_server_in_c_passes_on_what_may_be_seen_and_nothing_else() {
    let Some(program) = compile("server.c") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.vcb");
    let heights = (0..60 * 50)
        .map(|i| {
            let (c, r) = (f64::from(i % 60), f64::from(i / 60));
            20.0 * ((c * 0.4).sin() + (r * 0.3).cos())
        })
        .collect();
    let terrain = Terrain::new(60, 50, heights, [10.0, 10.0]).unwrap();
    bake_exactly(&terrain, MUTUAL, &path);
    let output = Command::new(program)
        .arg(&path)
        .args(["16", "400"])
        .output()
        .unwrap();
    let stdout = ok(&output);
    let numbers: Vec<u64> = stdout
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [updates, sent, sets, silent] = numbers[..] else {
        panic!("{stdout}");
    };
    assert_eq!(updates, 16 * 15 * 400);
    assert!(sent + silent <= updates && sent > 0 && sets > 0, "{stdout}");
    assert!(
        silent > updates / 4,
        "frontiers keep pairs silent: {stdout}"
    );
    // It is the same program as everywhere: a map can be opened for it.
    assert!(MappedBundle::open(&path).is_ok());
}

#[test]
fn the_shared_library_is_small_and_needs_the_c_library_alone() {
    let library = shared();
    let bytes = std::fs::metadata(&library).unwrap().len();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    let Ok(output) = Command::new("ldd").arg(&library).output() else {
        return skip("no ldd");
    };
    for line in ok(&output).lines() {
        let name = line.split_whitespace().next().unwrap();
        let known = [
            "libc.",
            "libgcc_s.",
            "linux-vdso.",
            "ld-linux",
            "libm.",
            "ld64",
            "ld-musl",
        ];
        assert!(known.iter().any(|known| name.contains(known)), "{line}");
    }
}
