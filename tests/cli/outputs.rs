//! What is there is kept: outputs replace neither others' files unasked, nor their own inputs ever.

use std::fs;

use viewcell::query::MappedBundle;

use crate::common::{Folder, PRIVATE_KEY, wall, words};

const USAGE: i32 = 2;
const INPUT_OUTPUT: i32 = 4;

#[test]
fn a_bundle_that_is_there_is_kept_unless_forced() {
    let folder = Folder::new();
    folder.write("wall.asc", wall());
    folder.write("wall.vcb", "precious");
    folder.fails(
        &["bake", "terrain", "wall.asc"],
        INPUT_OUTPUT,
        &["wall.vcb", "--force"],
    );
    assert_eq!(folder.read("wall.vcb"), b"precious");
    // Also where the bake fails half way: the old file stays until the new one is whole.
    folder.fails(
        &["bake", "terrain", "none.asc", "-o", "wall.vcb", "--force"],
        INPUT_OUTPUT,
        &["none.asc"],
    );
    assert_eq!(folder.read("wall.vcb"), b"precious");
    folder.ok(&words("bake terrain wall.asc --force --visibility exact"));
    assert_eq!(
        folder
            .ok(&["query", "visible", "wall.vcb", "0,0", "8,0"])
            .stdout,
        "hidden\n"
    );
}

#[test]
fn a_bundle_never_replaces_its_input() {
    let folder = Folder::new();
    folder.write("wall.asc", wall());
    folder.fails(
        &["bake", "terrain", "wall.asc", "-o", "./wall.asc", "--force"],
        USAGE,
        &["wall.asc"],
    );
    assert_eq!(folder.read("wall.asc"), wall().as_bytes());
}

#[test]
fn no_output_replaces_an_input_or_another_output() {
    let folder = Folder::with_wall();
    folder.write("rooms.json", r#"{"cells": 2, "pvs": [[1], [0]]}"#);
    folder.ok(&["bake", "cells", "rooms.json", "-o", "rooms.vcb", "-q"]);
    folder.ok(&["export", "matrix", "rooms.vcb", "-o", "rooms.csv", "-q"]);
    let shard = ["bake", "terrain", "wall.asc", "-q", "--visibility", "exact"];
    for part in ["1/2", "2/2"] {
        folder.ok(&[&shard[..], &["--shard", part]].concat());
    }
    let files = || -> Vec<_> {
        let names = folder.names().into_iter();
        names.map(|name| (folder.read(&name), name)).collect()
    };
    let before = files();
    let (shards, pictures) = (["wall.1-of-2.vcs", "wall.2-of-2.vcs"], "f.png");
    for arguments in [
        &["repack", "wall.vcb", "-o", "./wall.vcb", "--force"][..],
        &["merge", shards[0], shards[1], "-o", shards[1], "--force"],
        &["export", "json", "rooms.vcb", "-o", "rooms.vcb", "--force"],
        &words("export vis rooms.vcb rooms.json -o rooms.json --force"),
        &words("import matrix rooms.csv -o rooms.csv --force"),
        &words("import matrix rooms.csv --level rooms.json -o rooms.json --force"),
        &words("frontier wall.vcb 0,0 8,0 --members wall.vcb --force"),
        &words("frontier rooms.vcb 0 1 --members rooms.vcb --force"),
    ] {
        folder.fails(arguments, USAGE, &["is also the input", "another name"]);
        assert!(files() == before, "{arguments:?}");
    }
    let twice = ["-o", pictures, "--members", "./f.png"];
    let arguments = [&["frontier", "wall.vcb", "0,0", "8,0"][..], &twice].concat();
    folder.fails(&arguments, USAGE, &["f.png", "different names"]);
    assert!(files() == before);
}

#[test]
fn an_output_that_cannot_be_is_refused_before_the_work() {
    let folder = Folder::with_wall();
    fs::create_dir(folder.path("folder.png")).unwrap();
    let before = folder.names();
    // A missing folder, a folder, a file in place of a folder.
    for (output, word) in [
        ("nowhere/new.png", "nowhere"),
        ("folder.png", "folder.png"),
        ("wall.asc/new.png", "wall.asc"),
    ] {
        for arguments in [
            ["bake", "terrain", "wall.asc", "--force", "-o", output].as_slice(),
            &["query", "pvs", "wall.vcb", "0,0", "--force", "-o", output],
        ] {
            folder.fails(arguments, INPUT_OUTPUT, &[word]);
        }
    }
    assert_eq!(folder.names(), before);
}

/// Every verb that writes a file, with the file. `{}` is where it goes.
const WRITERS: &[(&str, &[&str])] = &[
    ("a.vcb", &["bake", "terrain", "wall.asc"]),
    ("b.vcb", &["bake", "cells", "rooms.json"]),
    ("c.vcb", &["repack", "wall.vcb"]),
    ("d.vcb", &["merge", "wall.1-of-1.vcs"]),
    ("g.vcb", &["rebake", "wall.vcb", "--terrain", "wall.asc"]),
    ("h.png", &["query", "pvs", "wall.vcb", "0,0"]),
    ("i.tif", &["query", "pvs", "wall.vcb", "0,0"]),
    ("j.png", &["frontier", "wall.vcb", "0,0", "8,0"]),
    ("k.png", &["render", "wall.vcb"]),
    ("l.html", &["report", "wall.vcb"]),
    ("m.tif", &["export", "skyview", "wall.asc"]),
    ("n.npy", &["export", "horizon", "wall.asc"]),
    ("o.tif", &["export", "exposure", "wall.vcb"]),
    ("p.csv", &["export", "matrix", "rooms.vcb"]),
    ("q.json", &["export", "json", "rooms.vcb"]),
    ("r.vcb", &["import", "matrix", "rooms.csv"]),
    ("s.html", &["simulate", "wall.vcb", "--seconds", "2"]),
    ("y.vcb", &["sign", "wall.vcb", "--key", "key.pem"]),
];

/// A file that a verb replaces is another file: the old one keeps its bytes to the end, whatever becomes of
/// the process, and whoever has it open or mapped.
#[test]
fn every_verb_writes_a_file_of_its_own_and_renames_it() {
    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY);
    folder.write("rooms.json", r#"{"cells": 2, "pvs": [[1], [0]]}"#);
    for arguments in [
        &["bake", "cells", "rooms.json", "-o", "rooms.vcb", "-q"][..],
        &["export", "matrix", "rooms.vcb", "-o", "rooms.csv", "-q"],
        &["bake", "terrain", "wall.asc", "-q", "--shard", "1/1"],
    ] {
        folder.ok(arguments);
    }
    let check = |name: &str, arguments: &[&str]| {
        let kept = format!("kept.{name}");
        folder.write(name, "as it was");
        fs::hard_link(folder.path(name), folder.path(&kept)).unwrap();
        folder.ok(arguments);
        assert_eq!(folder.read(&kept), b"as it was", "{arguments:?}");
        assert_ne!(folder.read(name), b"as it was", "{arguments:?}");
    };
    for (name, arguments) in WRITERS {
        check(name, &[arguments, &["-o", name, "--force"][..]].concat());
        if name.ends_with(".vcb") {
            MappedBundle::open_checked(folder.path(name)).expect("checksums by page");
        }
    }
    let play = ["simulate", "wall.vcb", "--seconds", "2", "--force"];
    check("w.csv", &[&play[..], &["--write-trace", "w.csv"]].concat());
    let set = ["frontier", "wall.vcb", "0,0", "8,0", "--force"];
    check("x.txt", &[&set[..], &["--members", "x.txt"]].concat());
    let parts = |name: &String| name.ends_with(".part");
    assert!(!folder.names().iter().any(parts), "{:?}", folder.names());
}

/// On Linux, where files in the making have no name.
#[test]
#[cfg(target_os = "linux")]
fn no_part_is_left_of_a_process_that_a_signal_ends() {
    use crate::common::hills;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = Folder::new();
    folder.write("hills.r16", hills(640));
    let export = words("export horizon hills.r16 --size 640x640 --spacing 1 -o h.npy --threads 1");
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        let mut child = folder
            .command(&export)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let is_at_work = child.try_wait().unwrap().is_none();
        assert!(is_at_work, "the export ended early");
        let number = child.id().to_string();
        Command::new("kill")
            .args([signal, &number])
            .status()
            .unwrap();
        child.wait().unwrap();
        assert_eq!(folder.names(), ["hills.r16"], "{signal}");
    }
}

#[test]
fn parts_of_killed_processes_are_removed_and_those_of_others_stay() {
    use std::time::{Duration, SystemTime};

    let folder = Folder::with_wall();
    let old = SystemTime::now() - Duration::from_secs(600);
    let part = |name: &str| {
        folder.write(name, "half");
        let file = fs::OpenOptions::new()
            .write(true)
            .open(folder.path(name))
            .unwrap();
        file.set_modified(old).unwrap();
        file
    };
    part(".viewcell-dead.part");
    let alive = part(".viewcell-alive.part");
    alive.lock().unwrap();
    part("other.part");
    folder.write(".viewcell-young.part", "half");
    folder.ok(&["query", "pvs", "wall.vcb", "0,0", "-o", "pvs.png"]);
    let names = folder.names();
    assert!(!names.contains(&".viewcell-dead.part".to_owned()));
    for kept in [".viewcell-alive.part", ".viewcell-young.part", "other.part"] {
        assert!(names.contains(&kept.to_owned()), "{kept}");
    }
}

/// A bundle by the name of a picture opened as none, and a slip of the finger cost a heightmap.
#[test]
fn a_bake_is_not_written_under_the_name_of_an_input() {
    let folder = Folder::with_wall();
    for end in ["tif", "PNG", "asc", "bsp", "obj", "glb", "json", "toml"] {
        let output = format!("a.{end}");
        let bake = ["bake", "wall.asc", "-o", &output, "--force"];
        folder.fails(
            &bake,
            2,
            &[&output, "expected the name of a bundle, such as a.vcb"],
        );
    }
    assert_eq!(
        folder.names(),
        ["wall.asc", "wall.vcb", "wall.vcb.timings.json"]
    );
}
