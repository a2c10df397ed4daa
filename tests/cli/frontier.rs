//! `viewcell frontier`.

use serde_json::Value;

use crate::common::{Folder, words};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_wall_parts_two_players() {
    let folder = Folder::with_wall();
    let ran = folder.ok(&words(
        "frontier wall.vcb 0,2 8,2 --members m.txt -o f.png --json",
    ));
    let document = ran.json();
    // Four columns on either side of the wall, a void in the south-east; who stands on the wall
    // sees all.
    assert_eq!(document["size_a"], 20);
    assert_eq!(document["size_b"], 19);
    assert_eq!(document["visible"], false);
    assert_eq!(document["options"]["budget"], 64);
    assert!(document["micros"].as_f64().unwrap() > 0.0);
    let members = String::from_utf8(folder.read("m.txt")).unwrap();
    let mut lines: Vec<&str> = members.lines().collect();
    lines.sort_unstable();
    let mut expected = Vec::new();
    for row in 0..5 {
        expected.extend((0..4).map(|column| format!("a {column} {row}")));
        expected.extend((5..9).map(|column| format!("b {column} {row}")));
    }
    expected.retain(|line| line != "b 8 4");
    expected.sort_unstable();
    assert_eq!(lines, expected);
    let picture = image::load_from_memory(&folder.read("f.png")).unwrap();
    assert_eq!(picture.to_rgba8().get_pixel(0, 0)[3], 255);

    let text = folder.ok(&["frontier", "wall.vcb", "0,2", "8,2"]);
    let mut sizes = text.stdout.lines();
    assert!(
        sizes
            .next()
            .unwrap()
            .starts_with("a              20   45.5 %")
    );
    assert!(
        sizes
            .next()
            .unwrap()
            .starts_with("b              19   43.2 %")
    );
}

#[test]
fn every_option_is_taken_and_named_in_the_answer() {
    let folder = Folder::with_wall();
    for (arguments, name, value) in [
        (&["--budget", "9"][..], "budget", 9.into()),
        (&["--budget", "0"], "budget", Value::Null),
        (&["--margin", "1"], "margin", 1.into()),
    ] {
        let mut all = vec!["frontier", "wall.vcb", "0,2", "8,2", "--json"];
        all.extend(arguments);
        let document = folder.json(&all);
        assert_eq!(document["options"][name], value, "{arguments:?}");
        let (a, b) = (&document["size_a"], &document["size_b"]);
        assert!(
            a.as_u64() <= Some(20) && b.as_u64() <= Some(19),
            "{document}"
        );
    }
}

#[test]
fn a_margin_leaves_out_the_edge() {
    let folder = Folder::with_wall();
    let with = |margin: &str| {
        let ran = folder.ok(&[
            "frontier", "wall.vcb", "0,2", "8,2", "--json", "--margin", margin,
        ]);
        let document = ran.json();
        (
            document["size_a"].as_u64().unwrap(),
            document["size_b"].as_u64().unwrap(),
        )
    };
    // The edge of the grid and the void are no way out; the wall is.
    assert_eq!(with("1"), (15, 14));
    assert_eq!(with("3"), (5, 4));
    assert_eq!(with("9"), (0, 0));
}

#[test]
fn players_who_see_each_other_have_empty_regions_and_that_is_no_error() {
    let folder = Folder::with_wall();
    for (a, b) in [("0,2", "2,2"), ("0,2", "0,2"), ("0,2", "4,2")] {
        let ran = folder.ok(&[
            "frontier",
            "wall.vcb",
            a,
            b,
            "--json",
            "--members",
            "m.txt",
            "--force",
            "-o",
            "f.png",
        ]);
        let document = ran.json();
        assert_eq!(document["visible"], true);
        assert_eq!(
            (&document["size_a"], &document["size_b"]),
            (&0.into(), &0.into())
        );
        assert_eq!(folder.read("m.txt"), b"");
        ran.warns("see each other");
    }
}

#[test]
fn pairs_are_answered_line_by_line() {
    let folder = Folder::with_wall();
    folder.write("pairs.txt", "0 2 8 2\n0 2 1 2\n3,0 5,0\n");
    let ran = folder.ok(&["frontier", "wall.vcb", "--pairs", "pairs.txt"]);
    let lines: Vec<Value> = ran.stdout.lines().map(json).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["size_a"], 20);
    assert_eq!(lines[1]["visible"], true);
    assert_eq!(lines[2]["a"], json("[3,0]"));
    let from_stdin = folder.run_with_stdin(
        &["frontier", "wall.vcb", "--pairs", "-", "--budget", "5"],
        b"8 2 0 2\n",
    );
    assert_eq!(from_stdin.json()["size_b"], 20);

    folder.write("bad.txt", "0 2 8 2\n0 2 9 2\n");
    let ran = folder.ends(&["frontier", "wall.vcb", "--pairs", "bad.txt"], 3);
    assert_eq!(
        ran.stdout.lines().count(),
        1,
        "the line before keeps its answer"
    );
    ran.warns("bad.txt: line 2:");
    folder.write("void.txt", "0 2 8 4\n");
    let ran = folder.ends(&["frontier", "wall.vcb", "--pairs", "void.txt"], 3);
    ran.warns("line 1: 8,4 is a void");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::with_wall();
    folder.write("there.png", "mine");
    for (arguments, code, words) in [
        (&["0,2"][..], 2, &["<B>"][..]),
        (&["0,2", "9,2"], 2, &["9,2 is outside", "columns 0 to 8"]),
        (&["0,2", "8,4"], 2, &["8,4 is a void"]),
        (&["0,2", "8"], 2, &["8: expected COL,ROW"]),
        (&["0,2", "8,2", "-o", "f.gif"], 2, &["f.gif", ".png"]),
        (&["0,2", "8,2", "-o", "there.png"], 4, &["there.png"]),
        (&["0,2", "8,2", "--members", "no/m.txt"], 4, &["no"]),
        (&["0,2", "8,2", "--pairs", "x"], 2, &["--pairs"]),
        (&["--pairs", "absent.txt"], 4, &["absent.txt"]),
    ] {
        let mut all = vec!["frontier", "wall.vcb"];
        all.extend(arguments);
        folder.fails(&all, code, words);
    }
    assert_eq!(folder.read("there.png"), b"mine");
    folder.fails(&["frontier", "wall.asc", "0,2", "8,2"], 3, &["wall.asc"]);
    let mut cells = folder.read("wall.vcb");
    cells[12] = 2;
    let checksum = viewcell::format::crc32(&cells[..60]).to_le_bytes();
    cells[60..64].copy_from_slice(&checksum);
    folder.write("cells.vcb", cells);
    folder.fails(
        &["frontier", "cells.vcb", "1", "2"],
        3,
        &["cells.vcb", "cells"],
    );
}
