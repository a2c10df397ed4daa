//! Signals, closed pipes and full disks.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Folder, VIEWCELL, hills, rooms, words};

const SIDE: u32 = 256;

/// Starts a bake that takes long, sends it a signal when it is at work and `ready`, and says its
/// exit code, its words, and what is in its folder.
fn interrupted(
    signal: &str,
    more: &[&str],
    ready: impl Fn(&Folder) -> bool,
) -> (Option<i32>, String, Vec<String>) {
    let folder = Folder::new();
    folder.write("hills.r16", hills(SIDE));
    folder.write("kept.vcb", "precious");
    let size = format!("{SIDE}x{SIDE}");
    let bake = [
        "bake",
        "terrain",
        "hills.r16",
        "--size",
        &size,
        "--spacing",
        "1",
        "--visibility",
        "exact",
        "-o",
        "kept.vcb",
        "--force",
        "--threads",
        "1",
        "--progress",
        "json",
    ];
    let mut child = folder
        .command(&[&bake, more].concat())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"visibility\"") || !ready(&folder) {
        line.clear();
        assert!(
            stderr.read_line(&mut line).unwrap() > 0,
            "the bake ended early"
        );
    }
    let killed = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(folder.read("kept.vcb"), b"precious");
    (status.code(), rest, folder.names())
}

#[test]
fn a_watched_level_is_baked_again_whenever_it_is_saved() {
    let folder = rooms();
    let level = std::fs::read_to_string(folder.path("rooms.map")).unwrap();
    let mut watch = folder.command(&words(
        "bake rooms.map --watch --force --json --progress none",
    ));
    let mut child = watch
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut bakes = |quality: Value| {
        let line = stdout.next().unwrap().unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let made = &told["bundle"]["provenance"];
        assert_eq!(made["options"]["quality"], quality);
        made["input"]["digest"].clone()
    };
    let digest = bakes("draft".into());
    assert_eq!(
        bakes(Value::Null),
        digest,
        "what needs no quality to be known by"
    );
    folder.write("rooms.map", &level[..level.len() / 2]);
    let words = |line: &str| line.contains("rooms.map: line ");
    assert!(stderr.any(|line| words(&line.unwrap())));
    folder.write("rooms.map", level + "// saved\n");
    assert_ne!(bakes("draft".into()), digest);
    bakes(Value::Null);
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success() && child.wait().unwrap().success());
    assert_eq!(
        folder.names(),
        [
            "rooms.map",
            "rooms.vcb",
            "rooms.vcb.timings.json",
            "walks.csv"
        ]
    );
}

#[test]
fn ctrl_c_stops_a_bake_without_checkpoints_and_leaves_nothing_behind() {
    let (code, words, names) = interrupted("-INT", &["--no-checkpoint"], |_| true);
    assert_eq!(code, Some(130));
    assert!(words.contains("nothing was written"), "{words}");
    assert_eq!(names, ["hills.r16", "kept.vcb"], "something is left behind");
}

#[test]
fn termination_stops_a_bake_and_keeps_what_is_done() {
    // A tile is done when the checkpoint has grown.
    let first = std::cell::Cell::new(usize::MAX);
    let has_tiles = |folder: &Folder| {
        let length = folder.read("kept.vcb.checkpoint").len();
        first.set(first.get().min(length));
        length > first.get()
    };
    let (code, words, names) = interrupted("-TERM", &[], has_tiles);
    assert_eq!(code, Some(143));
    for word in [
        "of 64 tiles are kept in kept.vcb.checkpoint",
        "--resume",
        "--restart",
    ] {
        assert!(words.contains(word), "no {word:?} in {words}");
    }
    assert_eq!(names, ["hills.r16", "kept.vcb", "kept.vcb.checkpoint"]);
}

#[test]
fn a_reader_who_has_read_enough_is_no_failure() {
    let folder = Folder::with_wall();
    folder.write("pairs.txt", "0 0 8 0\n".repeat(200_000));
    for arguments in [
        &["query", "visible", "wall.vcb", "--pairs", "pairs.txt"][..],
        &words("query visible wall.vcb --pairs pairs.txt --json"),
        &["info", "wall.vcb"],
        &["completions", "bash"],
    ] {
        let mut child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "",
            "{arguments:?}"
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_stdout_is_noticed() {
    let folder = Folder::with_wall();
    for arguments in [
        &["info", "wall.vcb"][..],
        &["info", "wall.vcb", "--json"],
        &["man"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = folder.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{arguments:?}");
        assert!(
            String::from_utf8(output.stderr).unwrap().contains("stdout"),
            "{arguments:?}"
        );
    }
}

/// A limit on the size of files stands in for a disk that fills up during the bake.
#[test]
fn no_space_for_the_bundle_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(64));
    let bake = format!(
        "trap '' XFSZ; ulimit -f 8; exec {VIEWCELL} bake terrain hills.r16 --size 64x64 \
         --spacing 1 --visibility exact -o hills.vcb"
    );
    let output = Command::new("sh")
        .args(["-c", &bake])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("hills.vcb"), "{stderr}");
    assert!(stderr.contains("ulimit -f"), "{stderr}");
    assert_eq!(folder.names(), ["hills.r16"]);
}
