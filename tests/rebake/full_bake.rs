//! The slow twin: a full bake of the new ground gives the same bytes.

use std::path::Path;

use viewcell::dice::Dice;
use viewcell::format::Tag;
use viewcell::query::Bundle;
use viewcell_bake::bundle::StageTime;
use viewcell_bake::{
    BakeOptions, RebakeJob, RebakeOptions, RebakeReport, Silent, VisibilityMode, bake_terrain,
    rebake,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::stamps::{Stamp, crop, exact, other_bakes};

/// All sections but that of provenance, and the checksums behind it.
pub fn sections(path: &Path) -> Vec<(Tag, Vec<u8>)> {
    let bytes = std::fs::read(path).unwrap();
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let tags = bundle.sections().map(|section| section.tag);
    tags.take_while(|&tag| tag != Tag::PROV)
        .map(|tag| (tag, bundle.section(tag).unwrap().1.to_vec()))
        .collect()
}

pub fn follow(bundle: &Path, terrain: &Terrain, output: &Path) -> RebakeReport {
    let job = RebakeJob {
        bundle,
        over: &[],
        output: Some(output),
        patch: None,
    };
    let options = RebakeOptions {
        threads: 1,
        overwrite: true,
        ..RebakeOptions::default()
    };
    rebake(&job, terrain, &source(), &options, &Silent).unwrap()
}

/// Follows a row of random stamps, each over those before, and compares.
fn compare(terrain: Terrain, options: BakeOptions, seed: u64, stamps: usize, radius: f64) {
    compare_places(terrain, options, seed, [stamps, 1], radius);
}

/// The same with several stamps at a time.
fn compare_places(
    terrain: Terrain,
    options: BakeOptions,
    seed: u64,
    [stamps, places]: [usize; 2],
    radius: f64,
) {
    // Of cells all are asked where the range of heights changes.
    let least = match options.mode {
        VisibilityMode::Exact => stamps / 4,
        _ => 0,
    };
    let folder = tempfile::tempdir().unwrap();
    let [mut old, mut new, twin] =
        ["old.vcb", "new.vcb", "twin.vcb"].map(|name| folder.path().join(name));
    let options = BakeOptions {
        threads: 1,
        overwrite: true,
        ..options
    };
    bake_terrain(&terrain, &source(), &options, &old, &Silent).unwrap();
    let mut dice = Dice(seed);
    let mut ground = terrain;
    let mut skipped = 0;
    for number in 0..stamps {
        let mut next = ground.clone();
        let mut stamp = Vec::new();
        for _ in 0..places {
            stamp.push(Stamp::random(&mut dice, &next, radius));
            next = stamp[stamp.len() - 1].on(&next);
        }
        if next.heights().iter().all(|height| height.is_nan()) {
            continue;
        }
        ground = next;
        let report = follow(&old, &ground, &new);
        skipped += usize::from(report.asked_pairs < report.all_pairs);
        bake_terrain(&ground, &source(), &options, &twin, &Silent).unwrap();
        for ((tag, found), (_, expected)) in sections(&new).iter().zip(sections(&twin)) {
            let first = found.iter().zip(&expected).position(|(a, b)| a != b);
            assert!(
                *found == expected,
                "seed {seed}, stamp {number} {stamp:?}: section {tag} of {} and {} bytes differs \
                 at {first:?}; {report:?}",
                found.len(),
                expected.len()
            );
        }
        std::mem::swap(&mut old, &mut new);
    }
    // Of many places on small ground nearly all pairs may have changed: then all are asked.
    assert!(
        skipped > least || places > 16,
        "only {skipped} of {stamps} asked less than all"
    );
}

#[test]
fn exact_bundles_follow_to_the_same_bytes() {
    compare(crop([120, 100], [75, 68]), exact(), 1, 16, 12.0);
    compare(crop([20, 200], [61, 40]), exact(), 2, 16, 4.0);
}

#[test]
fn changes_in_several_places_are_followed_at_once() {
    compare_places(crop([100, 90], [150, 130]), exact(), 8, [4, 2], 4.0);
    compare_places(crop([200, 150], [140, 120]), exact(), 9, [4, 5], 3.0);
    compare_places(crop([10, 100], [120, 60]), exact(), 10, [2, 30], 2.0);
}

#[test]
fn conservative_bundles_follow_to_the_same_bytes() {
    compare(
        crop([120, 100], [57, 50]),
        BakeOptions::default(),
        3,
        8,
        6.0,
    );
    compare(crop([200, 30], [90, 25]), BakeOptions::default(), 4, 8, 3.0);
    // So large that there are squares of displacements whose quarters are not all asked.
    compare(
        crop([150, 120], [120, 70]),
        BakeOptions::default(),
        11,
        8,
        3.0,
    );
}

#[test]
fn bundles_with_other_options_follow_to_the_same_bytes() {
    let [taller, near, conservative] = other_bakes();
    compare(crop([10, 10], [60, 50]), taller, 5, 8, 6.0);
    compare(crop([300, 250], [60, 50]), near, 6, 8, 6.0);
    compare(crop([300, 250], [50, 42]), conservative, 7, 6, 6.0);
}

#[test]
fn a_tenth_of_all_samples_moved_by_a_hair_costs_no_more_than_a_bake() {
    let terrain = crop([100, 90], [160, 130]);
    let options = BakeOptions {
        threads: 1,
        overwrite: true,
        ..exact()
    };
    let folder = tempfile::tempdir().unwrap();
    let [old, new, twin] = ["old.vcb", "new.vcb", "twin.vcb"].map(|name| folder.path().join(name));
    bake_terrain(&terrain, &source(), &options, &old, &Silent).unwrap();
    let mut dice = Dice(16);
    let moved = terrain.heights().iter();
    let moved = moved.map(|height| height + if dice.roll(10) == 0 { 0.001 } else { 0.0 });
    let moved = Terrain::new(160, 130, moved.collect(), terrain.spacing()).unwrap();
    let bake = bake_terrain(&moved, &source(), &options, &twin, &Silent).unwrap();
    let report = follow(&old, &moved, &new);
    assert!(sections(&new) == sections(&twin));
    assert_eq!(report.asked_pairs, report.all_pairs);
    // In processor time, which what else runs hardly changes.
    let seconds = |stages: &[StageTime]| -> f64 {
        let looking = stages.iter().filter(|stage| stage.name == "visibility");
        looking.map(|stage| stage.seconds).sum()
    };
    let [bake, rebake] = [seconds(&bake.timings.stages), seconds(&report.stages)];
    println!("visibility: bake {bake:.2} s, re-bake {rebake:.2} s");
    assert!(rebake < 2.0 * bake, "{rebake} s, a bake {bake} s");
}
