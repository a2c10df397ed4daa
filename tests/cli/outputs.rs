//! What is there is kept: outputs replace neither others' files unasked, nor their own inputs ever.

use std::fs;

use crate::common::{Folder, wall};

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
    folder.ok(&[
        "bake",
        "terrain",
        "wall.asc",
        "--force",
        "--visibility",
        "exact",
    ]);
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
        &["ship", "wall.vcb", "-o", "wall.vcb", "--force"][..],
        &["unpack", "wall.vcb", "--force"],
        &["repack", "wall.vcb", "-o", "./wall.vcb", "--force"],
        &["merge", shards[0], shards[1], "-o", shards[1], "--force"],
        &["export", "json", "rooms.vcb", "-o", "rooms.vcb", "--force"],
        &[
            "export",
            "vis",
            "rooms.vcb",
            "rooms.json",
            "-o",
            "rooms.json",
            "--force",
        ],
        &[
            "import",
            "matrix",
            "rooms.csv",
            "-o",
            "rooms.csv",
            "--force",
        ],
        &[
            "import",
            "matrix",
            "rooms.csv",
            "--level",
            "rooms.json",
            "-o",
            "rooms.json",
            "--force",
        ],
        &[
            "frontier",
            "wall.vcb",
            "0,0",
            "8,0",
            "--members",
            "wall.vcb",
            "--force",
        ],
        &[
            "frontier",
            "rooms.vcb",
            "0",
            "1",
            "--members",
            "rooms.vcb",
            "--force",
        ],
        &[
            "experiment",
            "visibility",
            "wall.asc",
            "--chart",
            "wall.asc",
            "--force",
        ],
        &[
            "experiment",
            "compression",
            "wall.vcb",
            "--chart",
            "wall.vcb",
        ],
    ] {
        folder.fails(arguments, USAGE, &["is the input too", "another name"]);
        assert!(files() == before, "{arguments:?}");
    }
    for arguments in [
        &[
            "frontier",
            "wall.vcb",
            "0,0",
            "8,0",
            "-o",
            pictures,
            "--members",
            "./f.png",
        ][..],
        &[
            "experiment",
            "visibility",
            "wall.asc",
            "--chart",
            pictures,
            "--cost-chart",
            pictures,
        ],
    ] {
        folder.fails(arguments, USAGE, &["f.png", "different names"]);
        assert!(files() == before, "{arguments:?}");
    }
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
