//! What fuzzing begins with beside the golden bundles: graded bundles that are small enough to be taken whole, and keys.
//!
//! To write them anew: `VIEWCELL_WRITE_SEEDS=1 cargo test --test bundle seeds`.

use std::path::Path;

use viewcell::query::Bundle;
use viewcell::sign::{PrivateKey, PublicKey};
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;

use crate::signed::{OTHER, PRIVATE};

/// The most bytes of an input that `scripts/fuzz` takes.
const MOST: usize = 16_384;

#[track_caller]
fn is_committed(name: &str, bytes: &[u8]) {
    assert!(bytes.len() < MOST, "{name}: {} bytes", bytes.len());
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/seeds")
        .join(name);
    if std::env::var_os("VIEWCELL_WRITE_SEEDS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    let found = std::fs::read(&path).unwrap_or_default();
    assert!(found == bytes, "{} is out of date", path.display());
}

#[test]
fn seeds_of_graded_bundles() {
    let folder = tempfile::tempdir().unwrap();
    for (name, [width, height], mode) in [
        ("graded-exact.vcb", [33, 18], VisibilityMode::Exact),
        ("graded-cells.vcb", [40, 11], VisibilityMode::Conservative),
    ] {
        let heights = (0..width * height).map(|i| {
            let (c, r) = (i % width, i / width);
            match (c < 3, c * 7 % 11 + r * 5 % 13) {
                (true, 0..4) => f64::NAN,
                (_, height) => f64::from(height) * 0.25,
            }
        });
        let terrain = Terrain::new(width, height, heights.collect(), [1.0; 2]).unwrap();
        let options = BakeOptions {
            mode,
            grade: 1,
            ..BakeOptions::default()
        };
        let path = folder.path().join(name);
        let source = Source::of_terrain(&terrain);
        bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let levels = bundle.terrain().unwrap().levels().unwrap().shape().levels();
        assert!(levels > 2, "{name}: {levels} levels");
        is_committed(&format!("bundle/{name}"), &bytes);
    }
}

#[test]
fn seeds_of_keys() {
    assert!(PrivateKey::from_pem(PRIVATE).is_ok() && PublicKey::from_pem(OTHER).is_ok());
    // Between words of others, with other ends of lines.
    let framed = format!("a key\r\n{}\r\nand more", OTHER.replace('\n', "\r\n"));
    let short = PRIVATE.replace("BEGIN PRIVATE KEY-----", "BEGIN PRIVATE KEY----");
    assert!(PrivateKey::from_pem(&short).is_err());
    for (name, text) in [
        ("private", PRIVATE),
        ("public", OTHER),
        ("framed", &framed),
        ("dash-lost", &short),
    ] {
        is_committed(&format!("key/{name}"), text.as_bytes());
    }
}
