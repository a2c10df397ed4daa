//! The bundle that benchmarks ask: a real one.
//!
//! `VIEWCELL_BENCH_BUNDLE` names a terrain bundle; without it, the demo terrain is baked once and
//! kept under `target/`. `VIEWCELL_BENCH_COPY=1` asks a copy in memory, in huge pages where the system has them, and
//! not the mapped file.

#![allow(dead_code, reason = "not every benchmark asks all of it")]

use std::path::{Path, PathBuf};

use divan::Bencher;
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::{IngestOptions, read_terrain};

/// The bundle to ask.
pub fn bundle() -> PathBuf {
    if let Some(path) = std::env::var_os("VIEWCELL_BENCH_BUNDLE") {
        return path.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("target/bench-jacksboro.vcb");
    if !path.exists() {
        eprintln!("baking {} first", path.display());
        std::fs::create_dir_all(root.join("target")).unwrap();
        let input = root.join("assets/jacksboro.tif");
        let ingested = read_terrain(&input, &IngestOptions::default()).unwrap();
        let options = BakeOptions {
            mode: VisibilityMode::Exact,
            ..BakeOptions::default()
        };
        let source = Source::new(&input, ingested.format, Default::default()).unwrap();
        bake_terrain(&ingested.terrain, &source, &options, &path, &Silent).unwrap();
    }
    path
}

/// The bundle at a path, as it is to be asked.
pub fn open(path: impl AsRef<Path>) -> MappedBundle {
    match std::env::var_os("VIEWCELL_BENCH_COPY") {
        Some(_) => MappedBundle::open_copy(path),
        None => MappedBundle::open(path),
    }
    .unwrap()
}

/// Sample number `i` of a fixed, well-mixed sequence.
pub fn sample(i: u64, width: u32, height: u32) -> Sample {
    let z = viewcell::dice::mixed(i);
    Sample::new(z as u32 % width, (z >> 32) as u32 % height)
}

/// What a machine does in a given time: half of it arithmetic, half of it reading from the second
/// cache. Nothing of the library is in it, so that `scripts/compare-benches` can divide by it.
#[divan::bench]
fn yardstick(bencher: Bencher) {
    const TABLE: usize = 1 << 16;
    let table: Vec<u64> = (0..TABLE as u64).map(stir).collect();
    bencher.bench_local(|| {
        let mut at = 0;
        for _ in 0..TABLE {
            at = stir(table[at as usize % TABLE] ^ at);
        }
        at
    });
}

/// A step of a generator of numbers that is written here alone, and so stays as it is.
fn stir(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_add(0x632b_e59b_d9b4_e019)
}
