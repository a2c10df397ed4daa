//! A bake that was stopped, and goes on.

use std::fs;
use std::path::{Path, PathBuf};

use viewcell_bake::{
    BakeError, BakeErrorKind, BakeOptions, Budget, Compression, Keep, StoreError, VisibilityMode,
    Weight, bake_terrain, checkpoint_beside,
};
use viewcell_ingest::world::Terrain;

use crate::common::{StopAfter, World, names, says};

/// A folder with what a bake left behind that was stopped after so many viewpoints.
struct Stopped {
    folder: tempfile::TempDir,
    checkpoint: Vec<u8>,
    done: u32,
}

impl Stopped {
    fn new(world: &World, viewpoints: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("a.vcb");
        let stop = StopAfter::new(world.pairs(viewpoints));
        let error = world.bake_until(&output, Keep::New, &stop).unwrap_err();
        let BakeError::Kept { error, done, .. } = error else {
            panic!("nothing is kept: {error}");
        };
        assert!(matches!(*error, BakeError::Cancelled));
        assert_eq!(names(folder.path()), ["a.vcb.checkpoint"]);
        Self {
            checkpoint: fs::read(checkpoint_beside(&output)).unwrap(),
            folder,
            done,
        }
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("a.vcb")
    }

    /// As it was left, but for these bytes.
    fn put(&self, checkpoint: &[u8]) {
        for name in names(self.folder.path()) {
            fs::remove_file(self.folder.path().join(name)).unwrap();
        }
        fs::write(checkpoint_beside(&self.output()), checkpoint).unwrap();
    }

    /// What is there is what was left.
    fn is_untouched(&self) {
        assert_eq!(names(self.folder.path()), ["a.vcb.checkpoint"]);
        let checkpoint = fs::read(checkpoint_beside(&self.output())).unwrap();
        assert!(checkpoint == self.checkpoint);
    }

    /// Resumes to the end; returns the bundle and the number of tiles that were kept.
    fn resume(&self, world: &World) -> (Vec<u8>, u32) {
        let report = world.bake(&self.output(), Keep::Resume).unwrap();
        let there = names(self.folder.path());
        assert_eq!(there, ["a.vcb", "a.vcb.timings.json"]);
        (fs::read(self.output()).unwrap(), report.kept_tiles)
    }
}

#[test]
fn a_checkpoint_cut_off_anywhere_resumes_to_the_same_bytes() {
    let world = World::new(34, 1);
    let expected = world.bundle();
    let stopped = Stopped::new(&world, 32);
    assert_eq!(stopped.done, 1);
    let end = stopped.checkpoint.len();
    // Every byte of the start, the last record and what is around; of the rest some.
    let lengths = (0..=end).filter(|length| *length < 40 || *length % 7 == 0 || end - length < 40);
    for length in lengths {
        stopped.put(&stopped.checkpoint[..length]);
        let (bundle, kept) = stopped.resume(&world);
        assert!(bundle == expected, "cut off at {length}");
        // Only all of the file keeps the tile.
        assert_eq!(kept, u32::from(length == end), "cut off at {length}");
    }
}

#[test]
fn a_checkpoint_of_many_tiles_cut_off_or_changed_resumes_to_the_same_bytes() {
    let world = World::new(66, 40);
    let expected = world.bundle();
    let stopped = Stopped::new(&world, 2300);
    let mut seen = vec![0; stopped.done as usize + 1];
    let length = stopped.checkpoint.len();
    let groups = length / 4;
    for place in (groups..length)
        .step_by(length / 60 + 1)
        .chain([length - 1])
    {
        stopped.put(&stopped.checkpoint[..place]);
        let (bundle, kept) = stopped.resume(&world);
        assert!(bundle == expected, "cut off at {place}");
        seen[kept as usize] += 1;

        let mut changed = stopped.checkpoint.clone();
        changed[place] ^= 0x40;
        changed.extend([0xFF; 100_000]);
        stopped.put(&changed);
        assert!(stopped.resume(&world).0 == expected, "changed at {place}");
    }
    assert!(
        seen.iter().filter(|&&times| times > 0).count() >= 2,
        "{seen:?}"
    );
}

#[test]
fn a_changed_byte_in_a_checkpoint_is_refused_or_made_good() {
    let world = World::new(34, 1);
    let expected = world.bundle();
    let stopped = Stopped::new(&world, 32);
    let (mut refused, mut made_good) = (0, 0);
    for place in (0..stopped.checkpoint.len()).step_by(2) {
        let mut checkpoint = stopped.checkpoint.clone();
        checkpoint[place] ^= 0x10;
        stopped.put(&checkpoint);
        match world.bake(&stopped.output(), Keep::Resume) {
            Ok(_) => {
                assert!(
                    fs::read(stopped.output()).unwrap() == expected,
                    "at {place}"
                );
                made_good += 1;
            }
            Err(error) => {
                says(&error, &["a.vcb.checkpoint", "expected", "found"]);
                assert_eq!(error.kind(), BakeErrorKind::Input);
                let left = fs::read(checkpoint_beside(&stopped.output())).unwrap();
                assert!(left == checkpoint, "at {place}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100 && made_good > 100, "{refused}, {made_good}");
}

#[test]
fn stopped_again_and_again_with_any_number_of_threads() {
    let world = World::new(200, 140);
    let expected = world.bundle();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.vcb");
    let (mut runs, mut kept) = (0, 0);
    loop {
        let options = world.with(Keep::Resume, 1 + runs % 3);
        let stop = StopAfter::new(world.pairs(1500));
        match bake_terrain(&world.terrain, &world.source, &options, &output, &stop) {
            Ok(report) => {
                assert!(report.kept_tiles >= kept);
                break;
            }
            Err(BakeError::Kept { done, total, .. }) => {
                assert!(done >= kept && total == 35);
                kept = done;
            }
            Err(error) => panic!("{error}"),
        }
        runs += 1;
        assert!(runs < 100);
    }
    assert!(runs > 2);
    assert!(fs::read(&output).unwrap() == expected);
}

#[test]
fn a_bake_of_another_input_or_with_other_options_does_not_resume() {
    let world = World::new(66, 40);
    let stopped = Stopped::new(&world, 2048);
    let refused = |world: &World, words: &[&str]| {
        for keep in [Keep::Resume, Keep::New] {
            let error = world.bake(&stopped.output(), keep).unwrap_err();
            assert_eq!(error.kind(), BakeErrorKind::Usage);
            says(
                &error,
                &["a.vcb.checkpoint", "expected", "found", "`restart`"],
            );
            says(&error, words);
            stopped.is_untouched();
        }
    };
    let mut other = World::new(66, 40);
    other.source.input.digest = "crc32:76543210".to_owned();
    refused(&other, &["input", "crc32:01234567", "crc32:76543210"]);

    let mut other = World::new(66, 40);
    other.source.options["player-height"] = serde_json::json!(2.5);
    refused(&other, &["`player-height` 2.5", "found 1.8"]);

    let mut other = World::new(66, 40);
    other
        .source
        .options
        .insert("crop".into(), serde_json::json!([0, 0, 66, 40]));
    refused(&other, &["`crop`", "not given"]);

    // The same by its name and digest, but read otherwise.
    let mut other = World::new(66, 40);
    other.terrain = World::new(66, 41).terrain;
    refused(&other, &["ground heights"]);

    let mut other = World::new(66, 40);
    other.options.eye_height = 1.5;
    refused(&other, &["parameters"]);
}

#[test]
fn what_is_kept_is_told_of_and_not_deleted_unasked() {
    let world = World::new(66, 40);
    let expected = world.bundle();
    let stopped = Stopped::new(&world, 2048);
    let error = world.bake(&stopped.output(), Keep::New).unwrap_err();
    assert!(matches!(
        error,
        BakeError::Store(StoreError::Unfinished {
            done: 2,
            total: 6,
            ..
        })
    ));
    assert_eq!(error.kind(), BakeErrorKind::Io);
    says(&error, &["2 of 6 tiles", "`resume`", "`restart`"]);
    stopped.is_untouched();

    // A bake that keeps nothing does not touch what another has kept.
    world.bake(&stopped.output(), Keep::Nothing).unwrap();
    assert!(fs::read(stopped.output()).unwrap() == expected);
    for name in ["a.vcb", "a.vcb.timings.json"] {
        fs::remove_file(stopped.folder.path().join(name)).unwrap();
    }
    stopped.is_untouched();

    let report = world.bake(&stopped.output(), Keep::Restart).unwrap();
    assert_eq!((report.tiles, report.kept_tiles), (6, 0));
    assert!(fs::read(stopped.output()).unwrap() == expected);
    assert_eq!(
        names(stopped.folder.path()),
        ["a.vcb", "a.vcb.timings.json"]
    );
}

#[test]
fn a_bake_stopped_before_its_first_tile_leaves_nothing_behind() {
    let world = World::new(66, 40);
    for keep in [Keep::Nothing, Keep::New, Keep::Resume, Keep::Restart] {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("a.vcb");
        let error = world
            .bake_until(&output, keep, &StopAfter::new(0))
            .unwrap_err();
        assert!(matches!(error, BakeError::Cancelled), "{error}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn stopped_while_it_resumes_a_bake_loses_nothing() {
    let world = World::new(66, 40);
    let stopped = Stopped::new(&world, 2048);
    let stop = StopAfter::new(0);
    world
        .bake_until(&stopped.output(), Keep::Resume, &stop)
        .unwrap_err();
    stopped.is_untouched();
}

#[test]
fn what_keeps_nothing_leaves_nothing() {
    let world = World::new(66, 40);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.vcb");
    let stop = StopAfter::new(world.pairs(2048));
    let error = world.bake_until(&output, Keep::Nothing, &stop).unwrap_err();
    assert!(matches!(error, BakeError::Cancelled), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
}

/// A bake to a folder in which there is something in the way.
fn refused(folder: &Path, words: &[&str]) {
    let world = World::new(66, 1);
    let before = names(folder);
    for keep in [Keep::New, Keep::Resume, Keep::Restart] {
        let error = world.bake(&folder.join("a.vcb"), keep).unwrap_err();
        says(&error, words);
        assert_eq!(names(folder), before);
    }
}

#[test]
fn files_of_others_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("a.vcb.checkpoint");
    fs::write(&checkpoint, "precious").unwrap();
    refused(
        folder.path(),
        &["a.vcb.checkpoint", "expected a checkpoint"],
    );
    assert_eq!(fs::read(&checkpoint).unwrap(), b"precious");

    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a.vcb.checkpoint")).unwrap();
    refused(folder.path(), &["a.vcb.checkpoint"]);
}

#[test]
fn two_bakes_of_one_output_do_not_meet() {
    let world = World::new(66, 40);
    let stopped = Stopped::new(&world, 2048);
    let path = checkpoint_beside(&stopped.output());
    let other = fs::File::open(path).unwrap();
    other.lock().unwrap();
    for keep in [Keep::New, Keep::Resume, Keep::Restart] {
        let error = world.bake(&stopped.output(), keep).unwrap_err();
        says(&error, &["a.vcb.checkpoint", "another bake is at work"]);
        stopped.is_untouched();
    }
    drop(other);
    assert!(stopped.resume(&world).0 == world.bundle());
}

#[test]
fn an_output_that_somebody_else_made_meanwhile_is_kept_and_so_is_the_work() {
    let world = World::new(66, 40);
    let stopped = Stopped::new(&world, 2048);
    fs::write(stopped.output(), "precious").unwrap();
    let error = world.bake(&stopped.output(), Keep::Resume).unwrap_err();
    says(&error, &["a.vcb", "exists already", "`overwrite`"]);
    assert_eq!(fs::read(stopped.output()).unwrap(), b"precious");
    fs::remove_file(stopped.output()).unwrap();
    stopped.is_untouched();
}

#[test]
fn resuming_what_is_finished_is_done_at_once_and_for_nobody_else() {
    let world = World::new(66, 40);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.vcb");
    world.bake(&output, Keep::New).unwrap();
    let expected = fs::read(&output).unwrap();
    let report = world.bake(&output, Keep::Resume).unwrap();
    assert_eq!((report.tiles, report.kept_tiles), (6, 6));
    // Killed when it had named the bundle, and before it had tidied up.
    let stopped = Stopped::new(&world, 2048);
    fs::write(checkpoint_beside(&output), &stopped.checkpoint).unwrap();
    world.bake(&output, Keep::Resume).unwrap();
    assert_eq!(names(folder.path()), ["a.vcb", "a.vcb.timings.json"]);
    assert!(fs::read(&output).unwrap() == expected);
    // Another job's output is in the way.
    let mut other = World::new(66, 40);
    other.source.input.digest = "crc32:76543210".to_owned();
    let error = other.bake(&output, Keep::Resume).unwrap_err();
    says(&error, &["a.vcb", "exists already"]);
    // And so for shards.
    let shard = folder.path().join("b.vcs");
    world.shard("1/2", &shard, Keep::New).unwrap();
    let report = world.shard("1/2", &shard, Keep::Resume).unwrap();
    assert_eq!(report.kept_tiles, report.share.end - report.share.first);
    assert_eq!(report.bytes, fs::metadata(&shard).unwrap().len());
    let error = world.shard("2/2", &shard, Keep::Resume).unwrap_err();
    says(&error, &["b.vcs", "exists already"]);
}

#[test]
fn a_finished_bundle_of_another_job_is_not_taken_for_this_ones() {
    let world = World::new(66, 40);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.vcb");
    let bytes = world.bake(&output, Keep::New).unwrap().bytes;
    let resume = |world: &World, compression: &Compression| {
        let options = BakeOptions {
            compression: compression.clone(),
            ..world.with(Keep::Resume, 1)
        };
        let never = StopAfter::never();
        bake_terrain(&world.terrain, &world.source, &options, &output, &never)
    };
    let refused = |world: &World, compression: Compression| {
        let error = resume(world, &compression).unwrap_err();
        says(&error, &["a.vcb", "exists already"]);
    };
    let lossless = Compression::Lossless;
    // The same name, digest and options, read otherwise: by another header beside it, say.
    let mut other = World::new(66, 40);
    let mut heights = other.terrain.heights().to_vec();
    let ground = heights.iter().position(|height| !height.is_nan()).unwrap();
    heights[ground] += 1e-9;
    other.terrain = Terrain::new(66, 40, heights, [10.0, 12.5]).unwrap();
    refused(&other, lossless.clone());
    heights = world.terrain.heights().to_vec();
    heights[ground] = f64::NAN;
    other.terrain = Terrain::new(66, 40, heights, [10.0, 12.5]).unwrap();
    refused(&other, lossless.clone());
    let heights = world.terrain.heights().to_vec();
    other.terrain = Terrain::new(66, 40, heights, [10.0, 12.0]).unwrap();
    refused(&other, lossless.clone());
    // Other players, of whom the source does not speak.
    let mut other = World::new(66, 40);
    other.options.eye_height = 1.5;
    refused(&other, lossless.clone());
    let mut other = World::new(66, 40);
    other.options.mode = VisibilityMode::Conservative;
    refused(&other, lossless);

    // Nothing was lost, but it is larger than the budget; or than what is asked for may be.
    let budget = |bytes, weight| Compression::Optimal(Budget { bytes, weight });
    refused(&world, budget(bytes - 1, Weight::Area));
    assert_eq!(
        resume(&world, &budget(bytes, Weight::Area)).unwrap().bytes,
        bytes
    );

    // What was lost, was lost to something else.
    let made = budget(bytes - 500, Weight::Area);
    fs::remove_file(&output).unwrap();
    resume(&world, &made).unwrap();
    let there = fs::read(&output).unwrap();
    resume(&world, &made).unwrap();
    for other in [
        budget(bytes - 500, Weight::Level),
        budget(bytes - 501, Weight::Area),
        Compression::Lossless,
    ] {
        refused(&world, other);
    }
    assert!(fs::read(&output).unwrap() == there);
    // What places are worth is nowhere to be read.
    let places = |worth: f64| {
        let mut places = vec![1.0; 66 * 40];
        places[..66 * 20].fill(worth);
        budget(bytes - 500, Weight::Places(places))
    };
    fs::remove_file(&output).unwrap();
    resume(&world, &places(5.0)).unwrap();
    refused(&world, places(0.0));
}
