//! The bundle that benchmarks ask: a real one.
//!
//! `VIEWCELL_BENCH_BUNDLE` names a terrain bundle; without it, the demo terrain is baked once and
//! kept under `target/`.

use std::path::{Path, PathBuf};

use viewcell::bake::{BakeOptions, Mode, Silent, Source, bake_terrain};
use viewcell::ingest::{IngestOptions, read_terrain};
use viewcell::runtime::Sample;

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
            mode: Mode::Exact,
            ..BakeOptions::default()
        };
        let source = Source::new(&input, ingested.format, Default::default()).unwrap();
        bake_terrain(&ingested.terrain, &source, &options, &path, &Silent).unwrap();
    }
    path
}

/// Sample number `i` of a fixed, well-mixed sequence.
pub fn sample(i: u64, width: u32, height: u32) -> Sample {
    let z = viewcell::dice::mixed(i);
    Sample::new(z as u32 % width, (z >> 32) as u32 % height)
}
