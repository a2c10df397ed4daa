//! Hidden pairs of terrains, decided again on the heights that the bundle holds.

use std::path::{Path, PathBuf};

use viewcell_bake::VisibilityMode;
use viewcell_bake::bundle::verify::Outcome;
use viewcell_bake::bundle::{Proofs, prove};
use viewcell_bake::visibility::Curvature;
use viewcell_bake::{BakeOptions, Silent, Source, bake_terrain};
use viewcell_ingest::world::Terrain;

use crate::common::{World, mix};

fn heights() -> Vec<f64> {
    (0..40 * 33)
        .map(|at| (mix(at) % 640) as f64 / 7.0)
        .collect()
}

/// A bundle of these heights in a folder that goes with it.
fn baked(heights: Vec<f64>, options: &BakeOptions) -> (tempfile::TempDir, PathBuf) {
    let terrain = Terrain::new(40, 33, heights, [20.0, 25.0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.vcb");
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, options, &path, &Silent).unwrap();
    (folder, path)
}

fn proofs(path: &Path) -> Proofs {
    prove(path, 200, &mut |_| {}).unwrap()
}

#[test]
fn hidden_pairs_of_sound_terrains_hold_on_their_heights() {
    let exact = BakeOptions {
        mode: VisibilityMode::Exact,
        ..BakeOptions::default()
    };
    for options in [
        BakeOptions::default(),
        exact.clone(),
        BakeOptions {
            grade: 2,
            ..BakeOptions::default()
        },
        BakeOptions {
            eye_height: 3.0,
            max_distance: Some(400.0),
            ..exact.clone()
        },
        BakeOptions {
            curvature: Some(Curvature::earth(0.1)),
            ..exact
        },
    ] {
        let mut heights = heights();
        heights[77] = f64::NAN;
        let (_folder, path) = baked(heights, &options);
        let found = proofs(&path);
        assert_eq!((found.pairs, found.proven, found.open), (200, 200, 0));
        assert_eq!(found.rule.unwrap().outcome, Outcome::Passed);
    }
}

/// Hidden by a formula, and not by the ground.
#[test]
fn pairs_that_see_each_other_over_the_heights_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.vcb");
    World::new(30, 27, 6).write(&path);
    let found = proofs(&path);
    // Where nobody is there is nothing to draw.
    assert!((190..=200).contains(&found.pairs), "{found:?}");
    let rule = found.rule.unwrap();
    assert_eq!(rule.outcome, Outcome::Failed);
    assert_eq!(rule.fault_count, found.pairs - found.proven);
    assert!(rule.faults[0].place.starts_with("sample ("), "{rule:?}");
}

#[test]
fn cells_of_several_samples_are_not_proven_by_one_height_each() {
    let options = BakeOptions {
        finest: 3,
        ..BakeOptions::default()
    };
    let (_folder, path) = baked(heights(), &options);
    let error = prove(&path, 9, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("several samples"), "{error}");
}
