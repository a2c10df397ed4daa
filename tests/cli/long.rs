//! Long bakes from outside: killed, interrupted, resumed, shared out and merged.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Folder, demo, wall};

/// The arguments of a bake of a part of the demo: 16 tiles, and a fraction of a second.
fn bake<'a>(demo: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let arguments = [
        "bake",
        "terrain",
        demo,
        "--crop",
        "100,90,128,128",
        "--visibility",
        "exact",
        "--quiet",
    ];
    [&arguments[..], more].concat()
}

#[test]
fn killed_at_twenty_moments_and_resumed_a_bake_ends_with_the_same_bytes() {
    let demo = demo();
    let demo = demo.to_str().unwrap();
    let folder = Folder::new();
    let begun = Instant::now();
    folder.ok(&bake(demo, &["-o", "whole.vcb", "--threads", "1"]));
    let mut whole = begun.elapsed();
    let expected = folder.read("whole.vcb");

    // Moments spread over a bake's time; each at another place within its twentieth.
    let mut seed = 2026_u32;
    let mut killed = 0;
    for moment in 0..20 {
        let folder = Folder::new();
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let within = (moment as f64 + f64::from(seed >> 8) / f64::from(1 << 24)) / 20.0;
        let threads = if moment % 2 == 0 { "1" } else { "2" };
        // Killed a second time while it resumes.
        for share in [1.0, 0.5] {
            let arguments = bake(demo, &["-o", "a.vcb", "--threads", threads, "--resume"]);
            let mut child = folder.command(&arguments).spawn().unwrap();
            let moment = whole.mul_f64(within * share);
            std::thread::sleep(moment);
            child.kill().unwrap();
            let ended = child.wait().unwrap().success();
            killed += u32::from(!ended);
            // The machine is less busy than it was.
            if ended {
                whole = whole.min(moment);
            }
        }
        let stray = |name: &&String| name.contains(".part") || name.contains(".checkpoint");
        let left = || folder.names().iter().any(|name| stray(&name));
        // Killed when it had named the bundle, a bake is resumed to tidy up.
        if !folder.path("a.vcb").exists() || left() {
            folder.ok(&bake(demo, &["-o", "a.vcb", "--resume"]));
        }
        assert!(folder.read("a.vcb") == expected, "moment {moment}");
        assert!(!left(), "moment {moment}: {:?}", folder.names());
    }
    assert!(killed >= 20, "only {killed} were killed in time");
}

#[test]
fn a_bake_that_is_there_to_be_resumed_is_told_of() {
    let demo = demo();
    let demo = demo.to_str().unwrap();
    let folder = Folder::new();
    let mut child = folder
        .command(&bake(demo, &["-o", "a.vcb", "--threads", "1"]))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    // A tile is done when the checkpoint has grown.
    let length = || std::fs::metadata(folder.path("a.vcb.checkpoint")).map_or(0, |file| file.len());
    let mut first = 0;
    while first == 0 || length() == first {
        first = if first == 0 { length() } else { first };
        assert!(begun.elapsed() < Duration::from_secs(60), "no tile is done");
        std::thread::sleep(Duration::from_millis(1));
    }
    // A kill in the middle of writing a tile would leave a part of it.
    std::thread::sleep(Duration::from_millis(20));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.names(), ["a.vcb.checkpoint"]);

    let again = bake(demo, &["-o", "a.vcb"]);
    folder.fails(&again, 4, &["a.vcb.checkpoint", "of 16 tiles", "--resume"]);
    let other = bake(demo, &["-o", "a.vcb", "--resume", "--player-height", "3"]);
    folder.fails(&other, 2, &["a.vcb.checkpoint", "-height 3.0", "found 1.8"]);
    assert_eq!(folder.names(), ["a.vcb.checkpoint"]);
    let checkpoint = folder.read("a.vcb.checkpoint");

    let arguments: Vec<&str> = again.iter().copied().filter(|&a| a != "--quiet").collect();
    let ran = folder.ok(&[&arguments[..], &["--resume"]].concat());
    ran.warns("of 16 tiles were done already");
    assert_eq!(folder.names(), ["a.vcb", "a.vcb.timings.json"]);

    // As if it had been killed when the bundle had its name: what is left goes, the bundle stays.
    let bundle = folder.read("a.vcb");
    let leave = || std::fs::write(folder.path("a.vcb.checkpoint"), &checkpoint).unwrap();
    leave();
    let ran = folder.ok(&[&arguments[..], &["--resume"]].concat());
    ran.warns("16 of 16 tiles were done already");
    assert_eq!(folder.names(), ["a.vcb", "a.vcb.timings.json"]);
    assert!(folder.read("a.vcb") == bundle);
    // Another bundle of that name is kept, and so is what was left.
    folder.ok(&bake(demo, &["-o", "b.vcb", "--player-height", "3"]));
    std::fs::rename(folder.path("b.vcb"), folder.path("a.vcb")).unwrap();
    leave();
    let resumed = [&again[..], &["--resume"]].concat();
    folder.fails(&resumed, 4, &["a.vcb", "exists already"]);
    assert!(folder.names().contains(&"a.vcb.checkpoint".to_owned()));

    std::fs::remove_file(folder.path("a.vcb.checkpoint")).unwrap();
    let ran = folder.ok(&[&arguments[..], &["--resume", "--force"]].concat());
    ran.warns("nothing to resume");

    // A bundle that may be overwritten: the bake ended with an error about what it had kept itself.
    leave();
    let ran = folder.ok(&[&arguments[..], &["--force"]].concat());
    ran.warns("continuing it");
    assert!(!folder.names().contains(&"a.vcb.checkpoint".to_owned()));
    assert!(folder.read("a.vcb") == bundle);
    // What another job has kept is not deleted for that.
    leave();
    let other = bake(demo, &["-o", "a.vcb", "--force", "--player-height", "3"]);
    folder.fails(&other, 2, &["a.vcb.checkpoint", "--restart"]);
}

#[test]
fn shards_merge_to_the_bundle_of_one_bake() {
    let demo = demo();
    let demo = demo.to_str().unwrap();
    let folder = Folder::new();
    folder.ok(&bake(demo, &["-o", "whole.vcb"]));
    folder.ok(&bake(demo, &["-o", "a.vcb", "--shard", "1/3"]));
    folder.ok(&bake(
        demo,
        &["-o", "a.vcb", "--shard", "2/3", "--threads", "1"],
    ));
    folder.ok(&bake(demo, &["-o", "last.vcs", "--shard", "3/3"]));
    let shards = ["a.1-of-3.vcs", "a.2-of-3.vcs", "last.vcs"];
    for name in shards {
        assert!(folder.path(name).exists(), "{name}");
    }
    let merge = |shards: &[&'static str], more: &[&'static str]| {
        [&["merge"], shards, &["-o", "a.vcb"], more].concat()
    };
    folder.fails(
        &merge(&shards[..2], &[]),
        3,
        &["tiles", "of 16 are missing", "a.2-of-3.vcs"],
    );
    folder.fails(
        &merge(&["whole.vcb"], &[]),
        3,
        &["whole.vcb", "a bundle alone needs no merging"],
    );
    folder.fails(&merge(&["none.vcs"], &[]), 4, &["none.vcs"]);
    folder.fails(&["merge", "last.vcs"], 2, &["--output"]);
    assert!(!folder.path("a.vcb").exists());

    let ran = folder.sound(&merge(&shards, &[]));
    ran.warns("written: a.vcb");
    assert!(folder.read("a.vcb") == folder.read("whole.vcb"));
    folder.fails(&merge(&shards, &[]), 4, &["a.vcb", "exists already"]);
    folder.ok(&merge(&shards, &["--force", "--quiet"]));
}

#[test]
fn options_that_cannot_be_together_are_told() {
    let folder = Folder::with_wall();
    let bake =
        |more: &[&'static str]| [&["bake", "terrain", "wall.asc", "-o", "b.vcb"], more].concat();
    folder.fails(&bake(&["--shard", "3/2"]), 2, &["--shard", "expected I/N"]);
    folder.fails(
        &bake(&["--resume", "--restart"]),
        2,
        &["--resume", "--restart"],
    );
    folder.fails(
        &bake(&["--resume", "--no-checkpoint"]),
        2,
        &["--no-checkpoint"],
    );
}

/// Whoever may write to the folder could have put links there, to files of whoever bakes.
#[test]
#[cfg(unix)]
fn nothing_beside_an_output_is_written_through_a_link() {
    let bake: &[&str] = &["bake", "terrain", "wall.asc", "-o", "a.vcb", "--quiet"];
    let flow: &[&str] = &[
        "bake", "cells", "two.prt", "-o", "a.vcb", "--resume", "--quiet",
    ];
    let portals = "PRT1\n2\n1\n4 0 1 (0 0 0 ) (0 0 9 ) (0 9 9 ) (0 9 0 )\n";
    for (verb, more, beside) in [
        (bake, &[][..], "a.vcb.checkpoint.new"),
        (bake, &["--restart"], "a.vcb.checkpoint.new"),
        (bake, &["--shard", "1/2"], "a.1-of-2.vcs.part.new"),
        (bake, &[], "a.vcb.checkpoint"),
        (bake, &["--resume"], "a.vcb.checkpoint"),
        (bake, &["--restart"], "a.vcb.checkpoint"),
        (bake, &["--shard", "1/2", "--restart"], "a.1-of-2.vcs.part"),
        (bake, &["--force"], "a.vcb"),
        (bake, &["--force"], "a.vcb.timings.json"),
        (flow, &[], "a.vcb.checkpoint"),
    ] {
        // What there is to lose: words, nothing, and what is not there.
        for kept in [Some("precious"), Some(""), None] {
            let folder = Folder::new();
            folder.write("wall.asc", wall());
            folder.write("two.prt", portals);
            if let Some(kept) = kept {
                folder.write("kept", kept);
            }
            std::os::unix::fs::symlink("kept", folder.path(beside)).unwrap();
            let ran = folder.run(&[verb, more].concat());
            let found = std::fs::read_to_string(folder.path("kept")).ok();
            assert_eq!(found.as_deref(), kept, "{beside} {more:?}");
            match ran.code {
                Some(0) if folder.path("a.vcb").exists() => folder.ok(&["verify", "a.vcb"]).code,
                Some(0) => None,
                code => {
                    let words = format!("{beside}: ");
                    assert!(ran.stderr.contains(&words), "{beside}: {}", ran.stderr);
                    ran.warns("found a link");
                    assert_eq!(code, Some(4), "{beside}: {}", ran.stderr);
                    None
                }
            };
        }
    }
}
