//! Bundles that are read into memory.

use std::fs;
use std::path::Path;

use viewcell::query::{MappedBundle, OpenError, OwnedBundle, Sample, TerrainBundle, World};

use crate::golden::pairs_path;

/// What everybody sees.
pub fn answers(terrain: &TerrainBundle<'_>) -> Vec<bool> {
    let samples: Vec<Sample> = terrain.grid().row_by_row().collect();
    let pairs = samples
        .iter()
        .flat_map(|&a| samples.iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| terrain.visible(a, b)).collect()
}

fn answers_of(world: &World<'_>) -> Vec<bool> {
    let World::Terrain(terrain) = world else {
        panic!("a terrain")
    };
    answers(terrain)
}

#[test]
fn a_copy_answers_as_the_file_did_after_it_was_cut_short_and_deleted() {
    let from = pairs_path("40x9");
    let expected = answers_of(OwnedBundle::open(&from).unwrap().world());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.vcb");
    fs::copy(&from, &path).unwrap();
    let opened = MappedBundle::open_copy(&path).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(1).unwrap();
    // What a map would have read again from the file.
    opened.let_go();
    let copy = OwnedBundle::of_map(opened).unwrap();
    assert!(answers_of(copy.world()) == expected);
    fs::remove_file(&path).unwrap();
    assert!(answers_of(copy.world()) == expected);
}

#[test]
fn what_cannot_be_copied_is_said_as_of_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.vcb");
    let of = |path: &Path| {
        let [copied, mapped] = [MappedBundle::open_copy(path), MappedBundle::open(path)];
        let (copied, mapped) = (copied.unwrap_err(), mapped.unwrap_err());
        assert_eq!(copied.to_string(), mapped.to_string());
        copied
    };
    assert!(matches!(of(&path), OpenError::Io { .. }));
    assert!(matches!(of(folder.path()), OpenError::Io { .. }));
    for bytes in [&b""[..], b"no bundle"] {
        fs::write(&path, bytes).unwrap();
        assert!(!matches!(of(&path), OpenError::Io { .. }));
    }
}
