//! `--json` prints what `schemas/` describes, no less and no more.

use serde_json::{Value, json};

use crate::common::{Folder, PRIVATE_KEY, words};
use crate::schema::{faults_of, schema_of};

/// A name with a line's end made escapes of all that was printed, and one that is no Unicode an error.
#[test]
#[cfg(target_os = "linux")]
fn json_is_json_whatever_a_name_holds() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY);
    for name in [
        &b"x\ny"[..],
        b"\r",
        b"q\"u'o\\te",
        b"\x1b[2K\x7f",
        "\u{9b}2K\u{202e}\u{1f600}".as_bytes(),
        b"\xff\xfe",
        b"half\xe2\x82",
        b"\xff\n\"",
    ] {
        let named = |before: &str, after: &str| {
            let bytes = [before.as_bytes(), name, after.as_bytes()].concat();
            OsStr::from_bytes(&bytes).to_owned()
        };
        let [input, bundle, output] =
            [named("", ".asc"), named("", ".vcb"), named("other", ".vcb")];
        folder.write_at(&input, crate::common::wall());
        folder.write_at(&bundle, folder.read("wall.vcb"));
        // IN, BUNDLE and OUT stand for the names.
        for line in [
            ": info BUNDLE",
            "bundle: verify BUNDLE",
            "bundle: check BUNDLE --max-exposed 100",
            "a: diff BUNDLE BUNDLE --quiet",
            ": query visible BUNDLE 0,0 8,0",
            "output: sign BUNDLE --key key.pem -o OUT",
            "output: repack BUNDLE -o OUT",
            "output: bake terrain IN -o OUT",
        ] {
            let (field, line) = line.split_once(": ").unwrap();
            let word = |word| match word {
                "IN" => input.clone(),
                "BUNDLE" => bundle.clone(),
                "OUT" => output.clone(),
                word => OsString::from(word),
            };
            let verb: Vec<OsString> = line.split(' ').map(word).collect();
            let ran = folder
                .command(&[])
                .args(&verb)
                .arg("--json")
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(0), "{verb:?}: {stderr}");
            let document: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| {
                panic!(
                    "{verb:?}: {error}: {:?}",
                    String::from_utf8_lossy(&ran.stdout)
                )
            });
            if !field.is_empty() {
                let expected = if field == "output" { &output } else { &bundle };
                assert_eq!(
                    document[field],
                    expected.to_string_lossy().as_ref(),
                    "{verb:?}"
                );
            }
            std::fs::remove_file(folder.path("").join(&output)).ok();
        }
    }
}

#[test]
fn every_verb_prints_the_document_that_its_schema_describes() {
    let folder = Folder::with_wall();
    folder.write("pairs.txt", "0 0 8 0\n0 0 3 0\n");
    folder.write("key.pem", PRIVATE_KEY);
    folder.write("one-pair.txt", "0 0 8 0\n");
    folder.write(
        "layers.json",
        r#"{"cube_height": 10, "layers": [{"name": "rock"}]}"#,
    );
    let ball = r#"{"shape":"sphere","at":[30,20,0],"radius":15,"do":"dig"}"#;
    folder.write("stamps.txt", ball);
    let cases: &[(&str, &[&str])] = &[
        (
            "bake.json",
            &words("bake terrain wall.asc -o other.vcb --visibility exact --json"),
        ),
        ("info.json", &["info", "wall.vcb", "--json"]),
        (
            "check.json",
            &words("check wall.vcb --max-exposed 100 --against wall.vcb --json"),
        ),
        (
            "query.json",
            &["query", "visible", "wall.vcb", "0,0", "8,0", "--json"],
        ),
        (
            "query.json",
            &words("query visible wall.vcb --pairs pairs.txt --json"),
        ),
        (
            "query.json",
            &["query", "locate", "wall.vcb", "0,0", "--json"],
        ),
        ("query.json", &["query", "pvs", "wall.vcb", "0,0", "--json"]),
        (
            "query.json",
            &["query", "pvs", "wall.vcb", "0,0", "--json", "-o", "a.png"],
        ),
        (
            "bake.json",
            &words("bake terrain wall.asc -o wall.vcs --visibility exact --shard 1/1 --json"),
        ),
        (
            "sign.json",
            &words("sign wall.vcb --key key.pem -o signed.vcb --json"),
        ),
        (
            "merge.json",
            &["merge", "wall.vcs", "-o", "merged.vcb", "--json"],
        ),
        (
            "export-horizon.json",
            &["export", "horizon", "wall.asc", "-o", "h.npy", "--json"],
        ),
        (
            "export-skyview.json",
            &["export", "skyview", "wall.asc", "-o", "s.tif", "--json"],
        ),
        (
            "export-exposure.json",
            &["export", "exposure", "wall.vcb", "-o", "e.png", "--json"],
        ),
        (
            "frontier.json",
            &["frontier", "wall.vcb", "0,0", "8,0", "--json"],
        ),
        (
            "frontier.json",
            &words("frontier wall.vcb 0,0 8,0 -o f.png --members f.txt --json"),
        ),
        (
            "frontier.json",
            &["frontier", "wall.vcb", "--pairs", "one-pair.txt"],
        ),
    ];
    for (schema, arguments) in cases {
        let document = folder.json(arguments);
        let faults = faults_of(&schema_of(schema), &document);
        assert!(
            faults.is_empty(),
            "{arguments:?} against {schema}: {faults:?}"
        );
    }
}

#[test]
fn the_document_of_a_damaged_bundle_has_its_faults() {
    let folder = Folder::with_wall();
    let mut bytes = folder.read("wall.vcb");
    *bytes.last_mut().unwrap() ^= 1;
    folder.write("flipped.vcb", bytes);
    let ran = folder.ends(&["verify", "flipped.vcb", "--json"], 1);
    let document = ran.json();
    assert_eq!(
        faults_of(&schema_of("verify.json"), &document),
        Vec::<String>::new()
    );
    assert_eq!(document["sound"], false);
    let failed = |rule: &&Value| rule["outcome"] == "failed";
    let rules = document["rules"].as_array().unwrap();
    let failed = rules.iter().find(failed).expect("a failed rule");
    assert!(failed["faults"][0]["expected"].is_string());
}

#[test]
fn documents_of_solid_levels_are_as_their_schemas_say() {
    let folder = crate::common::rooms();
    let map = folder.read("rooms.map");
    // Without the wall between the rooms, which is the last of seven brushes.
    let text = String::from_utf8(map).unwrap();
    let (before, wall) = text
        .match_indices("}\n{\n")
        .nth(5)
        .map(|(at, _)| text.split_at(at + 2))
        .unwrap();
    let behind = wall.split_once("}\n").unwrap().1;
    folder.write("hall.map", format!("{before}{behind}"));
    folder.ok(&["bake", "solid", "hall.map", "--cell", "32", "--quiet"]);
    folder.ok(&words(
        "bake solid rooms.map --cell 40 -o other.vcb --quiet",
    ));
    let document = |arguments: &[&str], schema: &str, code: i32| {
        let ran = folder.ends(arguments, code);
        let document = ran.json();
        let faults = faults_of(&schema_of(schema), &document);
        assert!(faults.is_empty(), "{arguments:?}: {faults:?}");
        document
    };
    let proven = document(
        &["verify", "rooms.vcb", "--prove", "50", "--json"],
        "verify.json",
        0,
    );
    assert_eq!(
        proven["proofs"],
        json!({ "pairs": 50, "proven": 50, "open": 0 })
    );
    let same = document(
        &["diff", "rooms.vcb", "rooms.vcb", "--json"],
        "diff.json",
        0,
    );
    assert_eq!(
        (&same["kind"], &same["equal"]),
        (&json!("solid"), &json!(true))
    );
    // In the hall all see each other; there are cells where the wall was.
    let differ = document(&["diff", "rooms.vcb", "hall.vcb", "--json"], "diff.json", 1);
    let [level] = &differ["levels"].as_array().unwrap()[..] else {
        panic!("{differ}");
    };
    let cells = &differ["cells"];
    let [both, only_a, only_b] = ["both", "only_a", "only_b"].map(|of| cells[of].as_u64().unwrap());
    assert!(both > 50 && only_b > 0, "{cells}");
    assert_eq!(level["pairs"], both * both);
    assert!(
        level["hidden_in_a_visible_in_b"].as_u64().unwrap() > both,
        "{level}"
    );
    assert_eq!(level["visible_in_a_hidden_in_b"], 0);
    let back = document(&["diff", "hall.vcb", "rooms.vcb", "--json"], "diff.json", 1);
    assert_eq!(
        back["cells"],
        json!({ "both": both, "only_a": only_b, "only_b": only_a })
    );
    let (there, back) = (level, &back["levels"][0]);
    assert_eq!(
        there["hidden_in_a_visible_in_b"],
        back["visible_in_a_hidden_in_b"]
    );
    let told = folder.run(&["diff", "rooms.vcb", "hall.vcb"]).stdout;
    assert!(
        told.contains(&format!("{both} in both")) && told.contains("they differ"),
        "{told}"
    );
    folder.fails(
        &["diff", "rooms.vcb", "other.vcb"],
        3,
        &["same size", "other.vcb"],
    );
    folder.fails(
        &["diff", "rooms.vcb", "hall.vcb", "-o", "d.png"],
        2,
        &["--output", "solid levels"],
    );
    // What holds nothing that hides.
    folder.write("level.json", r#"{"cells": 3, "pvs": [[1], [2], []]}"#);
    folder.ok(&["bake", "cells", "level.json", "--quiet"]);
    folder.fails(
        &["verify", "level.vcb", "--prove", "5"],
        3,
        &["a level of cells", "viewcell diff"],
    );
}

#[test]
fn documents_hold_the_answers() {
    let folder = Folder::with_wall();
    folder.write("pairs.txt", "0 0 8 0\n0 0 3 0\n");
    assert_eq!(
        folder.json(&["query", "visible", "wall.vcb", "0,0", "8,0", "--json"]),
        json!({"kind": "terrain", "a": [0, 0], "b": [8, 0], "level": 0, "visible": false})
    );
    assert_eq!(
        folder.json(&[
            "query",
            "visible",
            "wall.vcb",
            "--pairs",
            "pairs.txt",
            "--json"
        ]),
        json!({"kind": "terrain", "pairs": 2, "visible": 1, "nowhere": 0, "answers": [0, 1]})
    );
    let pvs = folder.json(&["query", "pvs", "wall.vcb", "3,3", "--quad", "1", "--json"]);
    assert_eq!(pvs["origin"], json!([2, 2]));
    assert_eq!([&pvs["visible"], &pvs["hidden"], &pvs["void"]], [25, 19, 1]);
    let info = folder.json(&["info", "wall.vcb", "--json"]);
    assert_eq!(info["terrain"]["samples"], 45);
    assert_eq!(info["terrain"]["spacing"], json!([10.0, 10.0]));
    assert_eq!(info["provenance"]["options"]["visibility"], "exact");
    assert_eq!(info["provenance"]["statistics"]["voids"], 1);
    let stages = info["timings"]["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["name"] == "visibility"));
    assert!(info["timings"]["peak_memory_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn progress_in_json_is_a_document_a_line() {
    let folder = Folder::with_wall();
    let ran = folder.ok(&words(
        "bake terrain wall.asc -o other.vcb --visibility exact --progress json --json",
    ));
    let lines: Vec<Value> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    for line in &lines {
        assert_eq!(
            faults_of(&schema_of("progress.json"), line),
            Vec::<String>::new()
        );
    }
    let last = lines
        .iter()
        .rfind(|line| line["stage"] == "visibility")
        .unwrap();
    // Each of 45 samples with itself and with those after it.
    assert_eq!(
        (&last["done"], &last["total"]),
        (&json!(1035), &json!(1035))
    );
    assert!(last["rate"].is_f64() && last["seconds_left"].is_f64());
}
