//! Files of every format version, kept as they were written: still read, still written alike.
//!
//! `VIEWCELL_BLESS=1 cargo test --test bundle golden` writes those of the present version anew.
//! Those of earlier versions must never change. The compressed sections' bytes are zstd's: an
//! update of that crate may call for new ones.

use std::path::{Path, PathBuf};

use viewcell::query::MappedBundle;
use viewcell_bake::bundle::verify;
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;

use crate::common::World;

/// Name, and the world of the fixed formula that it holds.
pub const GOLDEN: [(&str, u32, u32, u64); 3] = [
    ("1x1", 1, 1, 0),
    ("13x9-voids", 13, 9, 5),
    ("40x9", 40, 9, 0),
];

pub fn path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden/v1")
        .join(name)
        .with_extension("vcb")
}

#[test]
fn golden_files_are_written_alike() {
    for (name, width, height, voids) in GOLDEN {
        let world = World::new(width, height, voids);
        if std::env::var_os("VIEWCELL_BLESS").is_some() {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            world.try_write(&path(name), true).unwrap();
        }
        let kept = std::fs::read(path(name)).unwrap();
        let written = world.bundle();
        let differs = kept.iter().zip(&written).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}: the first byte that differs");
        assert_eq!(kept.len(), written.len(), "{name}");
    }
}

/// The same worlds in pairs of blocks.
pub fn pairs_path(name: &str) -> PathBuf {
    path(&format!("{name}-pairs"))
}

#[test]
fn golden_pairs_are_written_and_read_alike() {
    for (name, width, height, voids) in GOLDEN {
        let world = World::new(width, height, voids);
        let written = world.pairs();
        let path = pairs_path(name);
        if std::env::var_os("VIEWCELL_BLESS").is_some() {
            std::fs::write(&path, &written).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == written, "{name}");
        let report = verify(&path, &mut |_| {}).unwrap();
        assert!(report.is_sound(), "{name}: {report:#?}");
        let map = MappedBundle::open(&path).unwrap();
        let terrain = map.terrain().unwrap();
        for a in world.samples() {
            for b in world.samples().step_by(5) {
                assert_eq!(
                    terrain.visible(a, b),
                    world.sees(a, b),
                    "{name} {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn golden_files_are_read() {
    for (name, width, height, voids) in GOLDEN {
        let world = World::new(width, height, voids);
        let report = verify(&path(name), &mut |_| {}).unwrap();
        assert!(report.is_sound(), "{name}: {report:#?}");
        let map = MappedBundle::open(path(name)).unwrap();
        let terrain = map.terrain().unwrap();
        for a in world.samples().step_by(3) {
            for b in world.samples() {
                assert_eq!(
                    terrain.visible(a, b),
                    world.sees(a, b),
                    "{name} {a:?} {b:?}"
                );
            }
        }
    }
}

/// A graded bundle of three levels.
#[test]
fn a_golden_graded_bundle_is_baked_and_read_alike() {
    let (width, height) = (70, 45);
    let heights = (0..width * height).map(|i| {
        let (c, r) = (i % width, i / width);
        if c < 9 && r < 4 {
            f64::NAN
        } else {
            f64::from(c * 7 % 11) * 0.25 + f64::from(r * 5 % 13) * 0.5
        }
    });
    let terrain = Terrain::new(width, height, heights.collect(), [1.0; 2]).unwrap();
    let path = path("70x45-graded");
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("fresh.vcb");
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        grade: 4,
        ..BakeOptions::default()
    };
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &fresh, &Silent).unwrap();
    if std::env::var_os("VIEWCELL_BLESS").is_some() {
        std::fs::copy(&fresh, &path).unwrap();
    }
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&fresh).unwrap());
    let report = verify(&path, &mut |_| {}).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    let map = MappedBundle::open(&path).unwrap();
    let bundle = map.terrain().unwrap();
    assert_eq!(bundle.levels().unwrap().shape().levels(), 4);
}
