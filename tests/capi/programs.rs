//! Programs in C and Python that use the library as engines do: built with
//! `scripts/build-library`, compiled, run, and their answers compared with the runtime's.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use viewcell::bake::{BakeOptions, Compression, Keep, Mode, Observer, Source, Stage, bake_terrain};
use viewcell::bundle::InputFile;
use viewcell::runtime::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::runtime::{Bundle, MappedBundle, Sample};
use viewcell::visibility::Simd;
use viewcell::world::Terrain;

/// The most that the shared library may take, stripped.
const MOST_BYTES: u64 = 500_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn skip(what: &str) {
    // Straight to stderr: what a test that passes prints is not shown.
    writeln!(std::io::stderr(), "skipped: {what}").ok();
}

/// The folder of the libraries, built once.
fn library() -> &'static Path {
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

fn shared() -> PathBuf {
    let names = ["libviewcell.so", "libviewcell.dylib"].map(|name| library().join(name));
    names.into_iter().find(|file| file.exists()).unwrap()
}

fn ok(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Compiles a program with the static library; `None`, and said, without a C compiler.
fn compile(source: &str) -> Option<PathBuf> {
    if Command::new("cc").arg("--version").output().is_err() {
        skip("no C compiler (cc)");
        return None;
    }
    let program = library().join(source.trim_end_matches(".c"));
    let output = Command::new("cc")
        .args([
            "-std=c99",
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
        .arg(&program)
        .output()
        .unwrap();
    ok(&output);
    Some(program)
}

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: Stage, _: u64) {}
    fn advance(&self, _: Stage, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

fn bake(terrain: &Terrain, path: &Path) {
    let options = BakeOptions {
        eye_height: 1.8,
        player_height: 1.8,
        mode: Mode::Exact,
        max_distance: None,
        threads: 1,
        simd: Simd::Auto,
        overwrite: false,
        keep: Keep::Nothing,
        compression: Compression::Lossless,
    };
    let source = Source {
        input: InputFile::default(),
        options: serde_json::Map::new(),
    };
    bake_terrain(terrain, &source, &options, path, &Silent).unwrap();
}

/// A plain of 9 x 5 samples with a wall in column 4 and a void in the south-eastern corner.
fn wall() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.vcb");
    let height = |i: u32| match i {
        44 => f64::NAN,
        i if i % 9 == 4 => 100.0,
        _ => 0.0,
    };
    let heights = (0..45).map(height).collect();
    bake(&Terrain::new(9, 5, heights, [10.0, 10.0]).unwrap(), &path);
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
    let stdout = ok(&Command::new(program).arg(&path).output().unwrap());
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
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        return skip("no python3");
    }
    let (_folder, path) = wall();
    let output = Command::new("python3")
        .arg(root().join("tests/capi/query.py"))
        .args([&shared(), &path])
        .output()
        .unwrap();
    let stdout = ok(&output);
    let mut lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.remove(45), "outside the grid");
    assert_eq!(lines, matrix(&std::fs::read(&path).unwrap()));
    // And an error is a sentence.
    let output = Command::new("python3")
        .arg(root().join("tests/capi/query.py"))
        .args([&shared(), &root().join("Cargo.toml")])
        .output()
        .unwrap();
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
    bake(&Terrain::new(60, 50, heights, [10.0, 10.0]).unwrap(), &path);
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
