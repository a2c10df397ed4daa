//! `--json` prints what `schemas/` describes, no less and no more.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Folder, PRIVATE_KEY};

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
        let word = OsString::from;
        for (verb, field) in [
            (vec![word("info"), bundle.clone()], ""),
            (vec![word("verify"), bundle.clone()], "bundle"),
            (
                vec![
                    word("check"),
                    bundle.clone(),
                    word("--max-exposed"),
                    word("100"),
                ],
                "bundle",
            ),
            (
                vec![
                    word("diff"),
                    bundle.clone(),
                    bundle.clone(),
                    word("--quiet"),
                ],
                "a",
            ),
            (
                vec![
                    word("query"),
                    word("visible"),
                    bundle.clone(),
                    word("0,0"),
                    word("8,0"),
                ],
                "",
            ),
            (
                vec![word("seal"), bundle.clone(), word("-o"), output.clone()],
                "output",
            ),
            (
                vec![
                    word("sign"),
                    bundle.clone(),
                    word("--key"),
                    word("key.pem"),
                    word("-o"),
                    output.clone(),
                ],
                "output",
            ),
            (
                vec![word("repack"), bundle.clone(), word("-o"), output.clone()],
                "output",
            ),
            (
                vec![word("ship"), bundle.clone(), word("-o"), output.clone()],
                "output",
            ),
            (
                vec![
                    word("bake"),
                    word("terrain"),
                    input,
                    word("-o"),
                    output.clone(),
                ],
                "output",
            ),
        ] {
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
    folder.write("observers.csv", "name,fov,screen,pixels\na,90,800,2\n");
    folder.write("targets.csv", "name,radius\na,1\nb,2\n");
    folder.write(
        "layers.json",
        r#"{"cube_height": 10, "layers": [{"name": "rock"}]}"#,
    );
    let ball = r#"{"shape":"sphere","at":[30,20,0],"radius":15,"do":"dig"}"#;
    folder.write("stamps.txt", ball);
    let cases: &[(&str, &[&str])] = &[
        (
            "bake.json",
            &[
                "bake",
                "terrain",
                "wall.asc",
                "-o",
                "other.vcb",
                "--visibility",
                "exact",
                "--json",
            ],
        ),
        ("info.json", &["info", "wall.vcb", "--json"]),
        (
            "check.json",
            &[
                "check",
                "wall.vcb",
                "--max-exposed",
                "100",
                "--against",
                "wall.vcb",
                "--json",
            ],
        ),
        (
            "query-visible.json",
            &["query", "visible", "wall.vcb", "0,0", "8,0", "--json"],
        ),
        (
            "query-pairs.json",
            &[
                "query",
                "visible",
                "wall.vcb",
                "--pairs",
                "pairs.txt",
                "--json",
            ],
        ),
        (
            "query-locate-terrain.json",
            &["query", "locate", "wall.vcb", "0,0", "--json"],
        ),
        (
            "query-pvs.json",
            &["query", "pvs", "wall.vcb", "0,0", "--json"],
        ),
        (
            "query-pvs.json",
            &["query", "pvs", "wall.vcb", "0,0", "--json", "-o", "a.png"],
        ),
        (
            "bake.json",
            &[
                "bake",
                "terrain",
                "wall.asc",
                "-o",
                "wall.vcs",
                "--visibility",
                "exact",
                "--shard",
                "1/1",
                "--json",
            ],
        ),
        (
            "sign.json",
            &[
                "sign",
                "wall.vcb",
                "--key",
                "key.pem",
                "-o",
                "signed.vcb",
                "--json",
            ],
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
            "experiment-frontier.json",
            &[
                "experiment",
                "frontier",
                "wall.vcb",
                "--pairs",
                "5",
                "--limits",
                "0.000001",
                "--quiet",
                "--json",
            ],
        ),
        (
            "frontier.json",
            &["frontier", "wall.vcb", "0,0", "8,0", "--json"],
        ),
        (
            "frontier.json",
            &[
                "frontier",
                "wall.vcb",
                "0,0",
                "8,0",
                "--order",
                "toward 1,1",
                "-o",
                "f.png",
                "--members",
                "f.txt",
                "--json",
            ],
        ),
        (
            "frontier.json",
            &["frontier", "wall.vcb", "--pairs", "one-pair.txt"],
        ),
        (
            "experiment-interest.json",
            &[
                "experiment",
                "interest",
                "--entities",
                "40",
                "--ticks",
                "5",
                "--matcher",
                "brute,lucid,sorted,grid",
                "--json",
            ],
        ),
        (
            "experiment-machines.json",
            &[
                "experiment",
                "machines",
                "--entities",
                "40",
                "--ticks",
                "5",
                "--ranks",
                "1,3",
                "--json",
            ],
        ),
        (
            "experiment-perception.json",
            &[
                "experiment",
                "perception",
                "--observers",
                "observers.csv",
                "--targets",
                "targets.csv",
                "--json",
            ],
        ),
        (
            "ground-build.json",
            &[
                "ground",
                "build",
                "--heightmap",
                "wall.asc",
                "--layers",
                "layers.json",
                "-o",
                "g.vcg",
                "--json",
            ],
        ),
        (
            "ground-stamp.json",
            &[
                "ground",
                "stamp",
                "g.vcg",
                "--stamps",
                "stamps.txt",
                "--json",
            ],
        ),
        (
            "ground-info.json",
            &["ground", "info", "g.vcg", "--slices", "--json"],
        ),
        (
            "ground-compact.json",
            &["ground", "compact", "g.vcg", "--json"],
        ),
        (
            "ground-export.json",
            &["ground", "export", "g.vcg", "--surface", "g.tif", "--json"],
        ),
        (
            "ground-render.json",
            &[
                "ground", "render", "g.vcg", "--row", "2", "-o", "g.png", "--json",
            ],
        ),
        ("completions.json", &["completions", "bash", "--json"]),
        ("man.json", &["man", "--json"]),
    ];
    for (schema, arguments) in cases {
        let document = document(&folder, arguments);
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
    let ran = folder.run(&["verify", "flipped.vcb", "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
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
    let folder = crate::solid::rooms();
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
    folder.ok(&[
        "bake",
        "solid",
        "rooms.map",
        "--cell",
        "40",
        "-o",
        "other.vcb",
        "--quiet",
    ]);
    let document = |arguments: &[&str], schema: &str, code: i32| {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
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
        document(
            &folder,
            &["query", "visible", "wall.vcb", "0,0", "8,0", "--json"]
        ),
        json!({"a": [0, 0], "b": [8, 0], "level": 0, "visible": false})
    );
    assert_eq!(
        document(
            &folder,
            &[
                "query",
                "visible",
                "wall.vcb",
                "--pairs",
                "pairs.txt",
                "--json"
            ]
        ),
        json!({"pairs": 2, "visible": 1, "nowhere": 0, "answers": [0, 1]})
    );
    let pvs = document(
        &folder,
        &["query", "pvs", "wall.vcb", "3,3", "--quad", "1", "--json"],
    );
    assert_eq!(pvs["origin"], json!([2, 2]));
    assert_eq!([&pvs["visible"], &pvs["hidden"], &pvs["void"]], [25, 19, 1]);
    let info = document(&folder, &["info", "wall.vcb", "--json"]);
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
    let ran = folder.ok(&[
        "bake",
        "terrain",
        "wall.asc",
        "-o",
        "other.vcb",
        "--visibility",
        "exact",
        "--progress",
        "json",
        "--json",
    ]);
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

#[test]
fn the_judge_of_documents_finds_faults() {
    let schema = json!({
        "$defs": {"Kind": {"enum": ["a", "b"]}},
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"$ref": "#/$defs/Kind"},
            "pair": {"type": ["array", "null"], "items": {"type": "integer"}},
            "few": {"type": "integer", "minimum": 1, "maximum": 3},
            "either": {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
        },
    });
    let faults = |document: Value| faults_of(&schema, &document).len();
    assert_eq!(
        faults(json!({"kind": "a", "pair": [1, 2], "either": true})),
        0
    );
    assert_eq!(faults(json!({"kind": "b", "pair": null})), 0);
    assert_eq!(faults(json!({"kind": "a", "few": 3})), 0);
    assert_eq!(faults(json!({"kind": "a", "few": 0})), 1);
    assert_eq!(faults(json!({"kind": "a", "few": 4})), 1);
    assert_eq!(faults(json!({"kind": "c"})), 1);
    assert_eq!(faults(json!({})), 1);
    assert_eq!(faults(json!([])), 1);
    assert_eq!(faults(json!({"kind": "a", "other": 1})), 1);
    assert_eq!(faults(json!({"kind": "a", "pair": [1.5, 2]})), 1);
    assert_eq!(faults(json!({"kind": "a", "either": 3})), 1);
}

fn document(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.ok(arguments);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn schema_of(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("schemas")
        .join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Where a document is not as its schema says. Of JSON Schema it knows what our schemas use,
/// and refuses the rest; properties that a schema does not name are faults.
fn faults_of(schema: &Value, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    judge(schema, schema, document, "", &mut faults);
    faults
}

fn judge(root: &Value, schema: &Value, value: &Value, place: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        assert_eq!(schema, &json!(true), "{place}: not a schema");
        return;
    };
    for (keyword, demand) in schema {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => {}
            "$ref" => {
                let path = demand.as_str().unwrap().strip_prefix('#').unwrap();
                judge(root, root.pointer(path).unwrap(), value, place, faults);
            }
            "type" => {
                let allowed = demand.as_array().cloned().unwrap_or(vec![demand.clone()]);
                if !allowed
                    .iter()
                    .any(|name| has_type(value, name.as_str().unwrap()))
                {
                    faults.push(format!("{place}: expected {demand}, found {value}"));
                }
            }
            "enum" if !demand.as_array().unwrap().contains(value) => {
                faults.push(format!("{place}: expected one of {demand}, found {value}"));
            }
            "const" if demand != value => {
                faults.push(format!("{place}: expected {demand}, found {value}"));
            }
            "enum" | "const" => {}
            "minimum" if value.as_f64().is_some_and(|v| Some(v) < demand.as_f64()) => {
                faults.push(format!(
                    "{place}: expected at least {demand}, found {value}"
                ));
            }
            "maximum" if value.as_f64().is_some_and(|v| Some(v) > demand.as_f64()) => {
                faults.push(format!("{place}: expected at most {demand}, found {value}"));
            }
            "minimum" | "maximum" => {}
            "required" => {
                for name in demand.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        faults.push(format!("{place}: no {name}"));
                    }
                }
            }
            "properties" | "additionalProperties" => {}
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    judge(root, demand, item, &format!("{place}/{i}"), faults);
                }
            }
            "minItems" | "maxItems" => {
                let (length, bound) = (value.as_array().map(Vec::len), demand.as_u64().unwrap());
                let fits = |length| {
                    if keyword == "minItems" {
                        length >= bound
                    } else {
                        length <= bound
                    }
                };
                if length.is_some_and(|length| !fits(length as u64)) {
                    faults.push(format!("{place}: expected {keyword} {bound}"));
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |choice| {
                    let mut faults = Vec::new();
                    judge(root, choice, value, place, &mut faults);
                    faults.is_empty()
                };
                if !demand.as_array().unwrap().iter().any(fits) {
                    faults.push(format!("{place}: none of the choices fits {value}"));
                }
            }
            other => panic!("{place}: the judge does not know {other:?}"),
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let others = schema.get("additionalProperties");
    for (name, value) in value.as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        match (properties.and_then(|known| known.get(name)), others) {
            (Some(schema), _) => judge(root, schema, value, &place, faults),
            (None, Some(schema)) if schema != &json!(false) => {
                judge(root, schema, value, &place, faults)
            }
            (None, None) if properties.is_none() => {}
            (None, _) => faults.push(format!("{place}: is not in the schema")),
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other:?} in JSON Schema"),
    }
}
