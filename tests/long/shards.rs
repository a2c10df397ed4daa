//! A bake in shares, and their merge.

use std::fs;
use std::path::{Path, PathBuf};

use viewcell_bake::{
    BakeError, BakeErrorKind, Compression, Keep, ShardOf, VisibilityMode, bake_shard, merge,
    shard_in_the_making,
};

use crate::common::{StopAfter, World, names, says};

/// Bakes all shares, the last first, with one thread or two.
fn shards(world: &World, folder: &Path, of: u32) -> Vec<PathBuf> {
    let shard = |index: u32| {
        let path = folder.join(format!("{index}-of-{of}.vcs"));
        let options = world.with(Keep::New, 1 + index as usize % 2);
        let part = ShardOf::new(index, of).unwrap();
        let (terrain, source) = (&world.terrain, &world.source);
        let stop = StopAfter::never();
        let report = bake_shard(terrain, source, &options, part, &path, &stop).unwrap();
        assert_eq!(report.bytes, fs::metadata(&path).unwrap().len());
        path
    };
    (1..=of).rev().map(shard).collect()
}

fn merged(shards: &[PathBuf], output: &Path) -> Result<Vec<u8>, BakeError> {
    merge(
        shards,
        output,
        false,
        &Compression::Lossless,
        &StopAfter::never(),
    )?;
    Ok(fs::read(output).unwrap())
}

#[test]
fn any_split_merges_to_the_bytes_of_one_bake() {
    let world = World::new(150, 70);
    let expected = world.bundle();
    // There are 15 tiles.
    for of in [1, 2, 3, 7, 15, 20] {
        let folder = tempfile::tempdir().unwrap();
        let shards = shards(&world, folder.path(), of);
        let output = folder.path().join("a.vcb");
        assert!(merged(&shards, &output).unwrap() == expected, "{of} shards");
        assert_eq!(names(folder.path()).len(), of as usize + 2);
    }
    // Shares of different splits, where they meet.
    let folder = tempfile::tempdir().unwrap();
    let halves = shards(&world, folder.path(), 2);
    let quarters = shards(&world, folder.path(), 4);
    let mixed = [&halves[1..], &quarters[..2]].concat();
    let output = folder.path().join("a.vcb");
    assert!(merged(&mixed, &output).unwrap() == expected);
}

#[test]
fn the_conservative_mode_is_split_and_resumed_too() {
    let mut world = World::new(70, 40);
    world.options.mode = VisibilityMode::Conservative;
    let expected = world.bundle();
    let folder = tempfile::tempdir().unwrap();
    let shards = shards(&world, folder.path(), 3);
    let output = folder.path().join("a.vcb");
    assert!(merged(&shards, &output).unwrap() == expected);
    let output = folder.path().join("b.vcb");
    let stop = StopAfter::new(world.pairs(1100));
    world.bake_until(&output, Keep::New, &stop).unwrap_err();
    let report = world.bake(&output, Keep::Resume).unwrap();
    assert!(report.kept_tiles > 0);
    assert!(fs::read(&output).unwrap() == expected);
}

#[test]
fn the_smallest_terrain_is_split_too() {
    let world = World::new(2, 1);
    let folder = tempfile::tempdir().unwrap();
    let shards = shards(&world, folder.path(), 3);
    let output = folder.path().join("a.vcb");
    assert!(merged(&shards, &output).unwrap() == world.bundle());
}

/// A merge that is refused, and leaves nothing behind.
fn refused(shards: &[PathBuf], words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let error = merged(shards, &folder.path().join("a.vcb")).unwrap_err();
    assert_eq!(error.kind(), BakeErrorKind::Input, "{error}");
    says(&error, words);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn gaps_and_overlaps_are_refused_by_name() {
    let world = World::new(150, 70);
    let folder = tempfile::tempdir().unwrap();
    let mut thirds = shards(&world, folder.path(), 3);
    thirds.reverse();
    let halves = shards(&world, folder.path(), 2);
    let pick = |shards: &[PathBuf], which: &[usize]| -> Vec<PathBuf> {
        which.iter().map(|&i| shards[i].clone()).collect()
    };
    refused(
        &pick(&thirds, &[1, 2]),
        &["tiles 0 to", "of 15", "2-of-3.vcs is the first"],
    );
    refused(
        &pick(&thirds, &[2, 0]),
        &[
            "are missing",
            "1-of-3.vcs ends before them, ",
            "3-of-3.vcs begins after",
        ],
    );
    refused(
        &pick(&thirds, &[0, 1]),
        &["to 14 of 15", "2-of-3.vcs is the last"],
    );
    refused(
        &pick(&thirds, &[0, 1, 1, 2]),
        &["2-of-3.vcs", "both hold tiles", "leave one"],
    );
    // Sorted by tiles: the last half begins within the second third.
    let crossing = [thirds, pick(&halves, &[0])].concat();
    refused(
        &crossing,
        &["2-of-3.vcs and ", "2-of-2.vcs", "both hold tiles"],
    );
    let folder = tempfile::tempdir().unwrap();
    let error = merged(&[], &folder.path().join("a.vcb")).unwrap_err();
    assert_eq!(error.kind(), BakeErrorKind::Usage);
    says(&error, &["at least one shard"]);
}

#[test]
fn shards_of_other_inputs_or_options_are_refused() {
    let world = World::new(66, 40);
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("1-of-2.vcs");
    world.shard("1/2", &first, Keep::New).unwrap();
    let with = |change: &dyn Fn(&mut World), words: &[&str]| {
        let mut other = World::new(66, 40);
        change(&mut other);
        let second = folder.path().join("second.vcs");
        other.shard("2/2", &second, Keep::New).unwrap();
        let both = [first.clone(), second.clone()];
        refused(&both, &["1-of-2.vcs", "second.vcs", "different bakes"]);
        refused(&both, words);
        fs::remove_file(second).unwrap();
    };
    with(
        &|other| other.source.input.digest = "crc32:76543210".to_owned(),
        &["input", "76543210"],
    );
    with(
        &|other| other.source.options["player-height"] = serde_json::json!(2),
        &["`player-height`", "1.8", "2"],
    );
    with(
        &|other| other.terrain = World::new(40, 66).terrain,
        &["ground heights"],
    );
    with(&|other| other.options.eye_height = 3.0, &["parameters"]);
}

#[test]
fn a_damaged_shard_is_refused_wherever_it_is_damaged() {
    let world = World::new(66, 3);
    let folder = tempfile::tempdir().unwrap();
    let shards = shards(&world, folder.path(), 2);
    let bytes = fs::read(&shards[1]).unwrap();
    let damaged = folder.path().join("damaged.vcs");
    let both = [shards[0].clone(), damaged.clone()];
    let step = bytes.len() / 200 + 1;
    let places = (0..60)
        .chain((60..bytes.len()).step_by(step))
        .chain([bytes.len() - 1]);
    for place in places {
        let mut changed = bytes.clone();
        changed[place] ^= 0x04;
        fs::write(&damaged, changed).unwrap();
        refused(&both, &["damaged.vcs", "expected", "found"]);
        fs::write(&damaged, &bytes[..place]).unwrap();
        refused(&both, &["damaged.vcs"]);
    }
    fs::write(&damaged, [&bytes[..], b"more"].concat()).unwrap();
    refused(&both, &["damaged.vcs", "found no end"]);
    fs::write(&damaged, world.bundle()).unwrap();
    refused(&both, &["damaged.vcs", "expected a shard"]);
    fs::write(&damaged, &bytes).unwrap();
    assert!(merged(&both, &folder.path().join("a.vcb")).unwrap() == world.bundle());
}

#[test]
fn a_shard_in_the_making_is_refused_and_resumes_to_the_same_bytes() {
    let world = World::new(100, 50);
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.vcs");
    world.shard("2/2", &whole, Keep::New).unwrap();
    let expected = fs::read(&whole).unwrap();
    fs::remove_file(&whole).unwrap();

    let output = folder.path().join("b.vcs");
    let stop = StopAfter::new(world.pairs(1500));
    let error = world
        .shard_until("2/2", &output, Keep::New, &stop)
        .unwrap_err();
    assert!(matches!(error, BakeError::Kept { .. }), "{error}");
    let part = shard_in_the_making(&output);
    assert_eq!(names(folder.path()), ["b.vcs.part"]);
    says(&error, &["b.vcs.part", "`resume`"]);
    refused(
        std::slice::from_ref(&part),
        &["b.vcs.part", "2/2", "found no end"],
    );

    let error = world.shard("2/2", &output, Keep::New).unwrap_err();
    says(&error, &["b.vcs.part", "`resume`", "`restart`"]);
    for other in ["1/2", "2/3"] {
        let error = world.shard(other, &output, Keep::Resume).unwrap_err();
        says(&error, &["share", other, "2/2"]);
    }
    let error = world.bake(&part, Keep::New).unwrap_err();
    says(&error, &["exists already"]);

    let left = fs::read(&part).unwrap();
    let mut seen = Vec::new();
    for length in (0..left.len()).step_by(left.len() / 20).chain([left.len()]) {
        fs::write(&part, &left[..length]).unwrap();
        let report = world.shard("2/2", &output, Keep::Resume).unwrap();
        assert!(
            fs::read(&output).unwrap() == expected,
            "cut off at {length}"
        );
        assert_eq!(names(folder.path()), ["b.vcs"]);
        seen.push(report.kept_tiles);
        fs::remove_file(&output).unwrap();
    }
    assert!(
        seen.is_sorted() && seen[0] == 0 && *seen.last().unwrap() >= 2,
        "{seen:?}"
    );
    // What is damaged in the middle is made anew from there on.
    let mut changed = left.clone();
    changed[left.len() / 2] ^= 1;
    fs::write(&part, &changed).unwrap();
    world.shard("2/2", &output, Keep::Resume).unwrap();
    assert!(fs::read(&output).unwrap() == expected);
}

#[test]
fn a_shard_stopped_before_its_first_tile_leaves_nothing_behind() {
    let world = World::new(66, 40);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.vcs");
    for keep in [Keep::Nothing, Keep::New, Keep::Resume] {
        let stop = StopAfter::new(0);
        world.shard_until("1/2", &output, keep, &stop).unwrap_err();
        assert_eq!(names(folder.path()), [""; 0]);
    }
    let stop = StopAfter::new(world.pairs(1024));
    world
        .shard_until("1/1", &output, Keep::Nothing, &stop)
        .unwrap_err();
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_output_that_is_there_is_kept() {
    let world = World::new(66, 1);
    let folder = tempfile::tempdir().unwrap();
    let shards = shards(&world, folder.path(), 1);
    let error = world.shard("1/1", &shards[0], Keep::New).unwrap_err();
    says(&error, &["1-of-1.vcs", "exists already"]);
    let output = folder.path().join("a.vcb");
    fs::write(&output, "precious").unwrap();
    let error = merged(&shards, &output).unwrap_err();
    assert_eq!(error.kind(), BakeErrorKind::Io);
    says(&error, &["a.vcb", "exists already"]);
    assert_eq!(fs::read(&output).unwrap(), b"precious");
    merge(
        &shards,
        &output,
        true,
        &Compression::Lossless,
        &StopAfter::never(),
    )
    .unwrap();
    assert!(fs::read(&output).unwrap() == world.bundle());
}
