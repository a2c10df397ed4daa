//! The verbs on levels of cells.

use serde_json::Value;

use crate::common::{Folder, words};

/// Three rooms in a row and a closet that nobody sees: a - b - c, d.
const ROOMS: &str = r#"{
  "cells": [
    {"name": "a", "bounds": [[0, 0, 0], [1, 1, 1]]},
    {"name": "b", "bounds": [[1, 0, 0], [2, 1, 1]]},
    {"name": "c", "bounds": [[2, 0, 0], [3, 1, 1]]},
    {"name": "d", "bounds": [[-9, 0, 0], [-8, 1, 1]]}
  ],
  "adjacency": [["a", "b"], ["b", "c"]],
  "pvs": [["b"], ["a", "c"], [], []]
}"#;

fn rooms() -> Folder {
    let folder = Folder::new();
    folder.write("rooms.json", ROOMS);
    folder.sound(&["bake", "cells", "rooms.json", "--quiet"]);
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_level_is_baked_and_asked() {
    let folder = rooms();
    let ask = |arguments: &[&str]| folder.ok(arguments).stdout;
    let visible = |a, b| ask(&["query", "visible", "rooms.vcb", a, b]);
    assert_eq!(visible("0", "1"), "visible\n");
    assert_eq!(visible("2", "1"), "visible\n", "one way counts as both");
    assert_eq!(visible("0", "2"), "hidden\n");
    let distance = |a, b| ask(&["query", "distance", "rooms.vcb", a, b]);
    assert_eq!(distance("0", "0"), "0\n");
    assert_eq!(distance("0", "1"), "1\n");
    assert_eq!(distance("0", "2"), "2\n");
    assert_eq!(distance("3", "0"), "unreachable\n");
    let locate = |point| ask(&["query", "locate", "rooms.vcb", point]);
    assert_eq!(locate("1.5,0.5,0.5"), "1\n");
    assert_eq!(locate("-8.5,0.5,0.5"), "3\n");
    assert_eq!(locate("50,0,0"), "nowhere\n");
    folder.write("bare.json", r#"{"cells": 2, "pvs": [[1], [0]]}"#);
    folder.ok(&["bake", "cells", "bare.json", "--quiet"]);
    // Not "nowhere": nobody knows where its cells are.
    folder.fails(
        &["query", "locate", "bare.vcb", "50,0,0"],
        3,
        &["bare.vcb", "boxes"],
    );
    let pvs = ask(&["query", "pvs", "rooms.vcb", "1"]);
    assert!(pvs.ends_with("cells    0 1 2\n"), "{pvs}");

    let info = ask(&["info", "rooms.vcb"]);
    for words in ["cells", "2, the largest of 3 cells", "1 pairs in the input"] {
        assert!(info.contains(words), "no {words:?} in {info}");
    }
}

#[test]
fn pairs_are_answered_line_by_line() {
    let folder = rooms();
    let pairs = b"0 1\n0 2\n\t2,0\r\n3 0\n3 3\n";
    let ask = |question, more: &[&str]| {
        let arguments = [&["query", question, "rooms.vcb", "--pairs", "-"], more].concat();
        let ran = folder.run_with_stdin(&arguments, pairs);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    assert_eq!(ask("visible", &[]), "1\n0\n0\n0\n1\n");
    assert_eq!(ask("distance", &[]), "1\n2\n2\nunreachable\n0\n");
    let document = json(&ask("distance", &["--json"]));
    assert_eq!(document["unreachable"], 1);
    assert_eq!(document["answers"], json("[1, 2, 2, null, 0]"));
    let document = json(&ask("visible", &["--json"]));
    assert_eq!(document["answers"], json("[1, 0, 0, 0, 1]"));

    let arguments = ["query", "distance", "rooms.vcb", "--pairs", "-"];
    for (line, words) in [
        ("0 4\n", "cell 4 does not exist: expected 0 to 3"),
        ("0\n", "two whole numbers"),
        ("0 1 2\n", "two whole numbers"),
    ] {
        let ran = folder.run_with_stdin(&arguments, format!("0 1\n{line}").as_bytes());
        assert_eq!(ran.code, Some(3));
        assert_eq!(ran.stdout, "1\n", "the line before keeps its answer");
        assert!(ran.stderr.contains("stdin: line 2") && ran.stderr.contains(words));
    }
}

#[test]
fn documents_say_what_the_text_says() {
    let folder = rooms();
    let ask = |arguments: &[&str]| folder.json(arguments);
    let document = ask(&["query", "distance", "rooms.vcb", "0", "3", "--json"]);
    assert_eq!(document["distance"], Value::Null);
    let document = ask(&["query", "pvs", "rooms.vcb", "0", "--json"]);
    assert_eq!(document["cells"], json("[0, 1]"));
    let document = ask(&["query", "locate", "rooms.vcb", "0.5,0,0", "--json"]);
    assert_eq!(document["cell"], 0);
    let document = ask(&["query", "visible", "rooms.vcb", "0", "2", "--json"]);
    assert_eq!(document["visible"], false);
    let document = ask(&["info", "rooms.vcb", "--json"]);
    assert_eq!(document["kind"], "cells");
    assert_eq!(document["cells"]["symmetry"], "or");
    let statistics = &document["provenance"]["cells"];
    assert_eq!(statistics["one_way_pairs"], 1);
    assert_eq!(statistics["unreachable_pairs"], 6);
    assert_eq!(statistics["components"], 2);
    assert_eq!(statistics["pairs_by_distance"], json("[4, 2]"));
    let document = ask(&["bake", "cells", "rooms.json", "-o", "b.vcb", "--json"]);
    assert_eq!(document["bundle"]["kind"], "cells");
    assert_eq!(document["output"], "b.vcb");
    assert!(document["notes"][0].as_str().unwrap().contains("one way"));
}

#[test]
fn symmetry_is_a_choice() {
    let folder = rooms();
    for (symmetry, forth, back) in [
        ("or", "visible\n", "visible\n"),
        ("and", "hidden\n", "hidden\n"),
        ("none", "visible\n", "hidden\n"),
    ] {
        let name = format!("{symmetry}.vcb");
        let bake = ["bake", "cells", "rooms.json", "-o", &name];
        folder.sound(&[&bake[..], &["--symmetry", symmetry]].concat());
        let ask = |a, b| folder.ok(&["query", "visible", &name, a, b]).stdout;
        assert_eq!([ask("1", "2"), ask("2", "1")], [forth, back], "{symmetry}");
    }
}

#[test]
fn a_terrain_and_a_level_are_told_apart() {
    let folder = Folder::with_wall();
    folder.write("rooms.json", ROOMS);
    folder.ok(&["bake", "cells", "rooms.json", "--quiet"]);
    folder.fails(
        &["query", "distance", "wall.vcb", "0", "1"],
        3,
        &["wall.vcb", "cells", "terrain"],
    );
    folder.fails(
        &["query", "locate", "wall.vcb", "0,1,2"],
        3,
        &["wall.vcb", "cells", "terrain"],
    );
    folder.fails(
        &["query", "visible", "wall.vcb", "0", "1"],
        2,
        &["COL,ROW", "terrain"],
    );
    folder.fails(
        &["query", "visible", "rooms.vcb", "0,0", "1,0"],
        2,
        &["number of a cell", "rooms.vcb"],
    );
    folder.fails(
        &["query", "visible", "rooms.vcb", "0", "4"],
        2,
        &["cell 4", "0 to 3"],
    );
    folder.fails(
        &["query", "pvs", "rooms.vcb", "0", "-o", "a.png"],
        2,
        &["terrain"],
    );
    folder.fails(
        &["export", "exposure", "rooms.vcb", "-o", "a.tif"],
        3,
        &["rooms.vcb", "terrain", "cells"],
    );
    folder.fails(
        &["bake", "cells", "wall.asc", "-o", "x.vcb"],
        3,
        &["a level"],
    );
    folder.fails(
        &["bake", "cells", "wall.vcb", "-o", "x.vcb"],
        3,
        &["baked already"],
    );
    folder.fails(
        &["bake", "terrain", "rooms.json", "-o", "x.vcb"],
        3,
        &["rooms.json"],
    );
}

#[test]
fn a_level_without_visibility_is_not_taken_for_one_in_which_nobody_sees() {
    let folder = Folder::new();
    folder.write("unknown.json", r#"{"cells": 3}"#);
    folder.fails(
        &["bake", "cells", "unknown.json"],
        3,
        &["visibility or portals"],
    );
    folder.write("blind.json", r#"{"cells": 3, "pvs": [[], [], []]}"#);
    folder.ok(&["bake", "cells", "blind.json"]);
    let ran = folder.ok(&["query", "distance", "blind.vcb", "0", "1"]);
    assert_eq!(ran.stdout, "unreachable\n");
}

#[test]
fn matrices_go_out_and_come_back() {
    let folder = rooms();
    for name in ["pvs.csv", "pvs.npy", "pvs.png"] {
        let export = ["export", "matrix", "rooms.vcb", "-o", name, "--json"];
        let document = folder.json(&export);
        assert_eq!(document["cells"], 4);
        assert_eq!(document["bytes"], folder.read(name).len() as u64);
        let import = ["import", "matrix", name, "-o", "back.vcb", "--force"];
        folder.sound(&[&import[..], &["--level", "rooms.json"]].concat());
        let again = format!("again-{name}");
        folder.ok(&["export", "matrix", "back.vcb", "-o", &again]);
        assert_eq!(folder.read(name), folder.read(&again), "{name}");
    }
    assert_eq!(
        folder.read("pvs.csv"),
        b"1,1,0,0\n1,1,1,0\n0,1,1,0\n0,0,0,1\n"
    );
    folder.ok(&words("export matrix rooms.vcb -o d.csv --distances"));
    assert_eq!(
        folder.read("d.csv"),
        b"0,1,2,-1\n1,0,1,-1\n2,1,0,-1\n-1,-1,-1,0\n"
    );
    let array = folder.read("pvs.npy");
    assert!(array.starts_with(b"\x93NUMPY\x01\0"));
    assert_eq!(
        array.len() % 64,
        16,
        "a head of whole 64 bytes, and 16 numbers"
    );

    // An edited one: nobody but 0 and 3 see each other.
    folder.write("edited.csv", "1 0 0 1\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    folder.ok(&["import", "matrix", "edited.csv", "-o", "edited.vcb"]);
    let ask = |a, b| folder.ok(&["query", "visible", "edited.vcb", a, b]).stdout;
    assert_eq!([ask("3", "0"), ask("0", "1")], ["visible\n", "hidden\n"]);
    for (text, words) in [
        ("1 0\n0\n", "line 2"),
        ("1 0\n", "square"),
        ("1 x\n0 1\n", "\"x\""),
        ("", "empty"),
    ] {
        folder.write("bad.csv", text);
        folder.fails(
            &["import", "matrix", "bad.csv", "-o", "bad.vcb"],
            3,
            &["bad.csv", words],
        );
    }
    folder.write("two.csv", "1 0\n0 1\n");
    folder.fails(
        &["import", "matrix", "two.csv", "--level", "rooms.json"],
        3,
        &["expected 4 rows"],
    );
    folder.fails(
        &["export", "matrix", "rooms.vcb", "-o", "pvs.txt"],
        2,
        &[".png, .npy or .csv"],
    );
}

#[test]
fn a_level_goes_out_as_json_and_bakes_to_the_same_sections() {
    let folder = rooms();
    folder.ok(&["export", "json", "rooms.vcb", "-o", "out.json"]);
    folder.ok(&["bake", "cells", "out.json", "-o", "out.vcb", "--quiet"]);
    let sections = |name| {
        let bytes = folder.read(name);
        let bundle = viewcell::query::Bundle::from_bytes(&bytes).unwrap();
        let stored = bundle.sections().map(|section| {
            let (_, stored) = bundle.section(section.tag).unwrap();
            (section.tag.to_string(), stored.to_vec())
        });
        let stored: Vec<_> = stored.take_while(|(tag, _)| tag != "PROV").collect();
        stored
    };
    assert_eq!(sections("rooms.vcb"), sections("out.vcb"));
    // A JSON level has no place for visibility of the compilers' kind.
    folder.fails(
        &["export", "vis", "rooms.vcb", "rooms.json", "-o", "x.bsp"],
        3,
        &["JSON cell graph"],
    );
}

/// Four rooms in a row with a door between each two, and nobody knows who sees whom: two portals
/// in line, the third to one side.
const DOORS: &str = "PRT1\n4\n3\n\
    4 0 1 (16 0 0 ) (16 8 0 ) (16 8 8 ) (16 0 8 )\n\
    4 1 2 (32 0 0 ) (32 8 0 ) (32 8 8 ) (32 0 8 )\n\
    4 2 3 (40 16 0 ) (40 16 8 ) (44 16 8 ) (44 16 0 )\n";

#[test]
fn what_has_portals_gets_its_visibility_from_them() {
    let folder = Folder::new();
    folder.write("doors.prt", DOORS);
    folder.sound(&["bake", "cells", "doors.prt", "--quiet"]);
    let distance = |name, a, b| folder.ok(&["query", "distance", name, a, b]).stdout;
    assert_eq!(distance("doors.vcb", "0", "1"), "1\n");
    assert_eq!(distance("doors.vcb", "0", "2"), "1\n", "two doors in line");
    folder.sound(&["bake", "cells", "doors.prt", "-o", "fast.vcb", "--fast"]);
    assert_eq!(distance("fast.vcb", "0", "2"), "1\n");
    folder.ok(&["export", "prt", "doors.vcb", "-o", "out.prt"]);
    folder.ok(&["bake", "cells", "out.prt", "-o", "again.vcb"]);
    let matrix = |bundle: &str, name: &str| {
        folder.ok(&["export", "matrix", bundle, "-o", name]);
        folder.read(name)
    };
    assert_eq!(matrix("doors.vcb", "a.csv"), matrix("again.vcb", "b.csv"));
    // A checkpoint goes when the bundle is there.
    let kept = ["bake", "cells", "doors.prt", "-o", "kept.vcb", "--resume"];
    folder.ok(&kept);
    assert_eq!(matrix("kept.vcb", "c.csv"), matrix("doors.vcb", "d.csv"));
    let left = "kept.vcb.checkpoint".to_owned();
    assert!(!folder.names().contains(&left));

    std::fs::create_dir(folder.path("x.vcb.checkpoint")).unwrap();
    folder.fails(
        &["bake", "cells", "doors.prt", "-o", "x.vcb", "--resume"],
        4,
        &["x.vcb.checkpoint"],
    );

    folder.write("minus.json", r#"{"cells": -1}"#);
    folder.fails(
        &["bake", "cells", "minus.json"],
        3,
        &["neither a number nor a list of cells"],
    );
    folder.write("rooms.json", ROOMS);
    folder.fails(
        &["bake", "cells", "rooms.json", "--fast"],
        2,
        &["--recompute"],
    );
    folder.fails(
        &["bake", "cells", "rooms.json", "--recompute"],
        3,
        &["portals"],
    );
    folder.ok(&["bake", "cells", "rooms.json"]);
    folder.fails(
        &["export", "prt", "rooms.vcb", "-o", "x.prt"],
        3,
        &["--portals"],
    );
}

#[test]
fn frontiers_between_cells() {
    let folder = Folder::new();
    let drawing = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cells/figure-3.json");
    folder.sound(&["bake", "cells", drawing, "-o", "f.vcb"]);
    let document = folder.json(&["frontier", "f.vcb", "3", "7", "--json"]);
    assert_eq!(document["visible"], true);
    assert_eq!(document["size_a"], 0);
    let text = folder.ok(&["frontier", "f.vcb", "0", "8", "--members", "m.txt"]);
    assert!(
        text.stdout.starts_with("a               4   44.4 %"),
        "{}",
        text.stdout
    );
    assert!(folder.read("m.txt").starts_with(b"a 0\na 1\na 2\na 5\nb "));
    let pairs = folder.run_with_stdin(&["frontier", "f.vcb", "--pairs", "-"], b"0 8\n3 7\n");
    assert_eq!(pairs.code, Some(0), "{}", pairs.stderr);
    assert_eq!(pairs.stdout.lines().count(), 2);
    folder.fails(
        &["frontier", "f.vcb", "0", "8", "-o", "f.png"],
        2,
        &["--members"],
    );
    folder.fails(&["frontier", "f.vcb", "0,1", "8"], 2, &["number of a cell"]);
    let told = folder.ok(&["frontier", "f.vcb", "0", "0"]).stderr;
    assert!(told.contains("they can see each other"), "{told}");
}
