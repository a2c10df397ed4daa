//! What the tests of levels of solids share.

use std::io::Write;
use std::path::PathBuf;

use viewcell_bake::ingest::solid::{IngestedSolid, SolidOptions, read_solid};

/// A file of the real data; says so if it is not there.
pub fn data(name: &str) -> Option<PathBuf> {
    let data = std::env::var_os("VIEWCELL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = data.join(name);
    if !path.exists() {
        // Straight to stderr: what a test that passes prints is not shown.
        writeln!(std::io::stderr(), "skipped: {} not found", path.display()).ok();
        return None;
    }
    Some(path)
}

/// A level of the real data.
pub fn level(name: &str) -> Option<IngestedSolid> {
    Some(read_solid(&data(name)?, &SolidOptions::default()).unwrap())
}

/// Where the players of a trace were while they lived.
pub fn positions(name: &str) -> Option<Vec<[f64; 3]>> {
    let text = std::fs::read_to_string(data(name)?).unwrap();
    let lines = text.lines().skip(1).map(|line| line.split(',').collect());
    let alive = lines.filter(|words: &Vec<&str>| words[7] == "0");
    Some(
        alive
            .map(|words| [2, 3, 4].map(|i| words[i].parse().unwrap()))
            .collect(),
    )
}
