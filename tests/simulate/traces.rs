//! The program on traces: the table of the paper on real ones, and ways that are made up.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Folder, words};
use crate::data::data;

#[test]
fn a_page_tells_it_with_charts() {
    let folder = hills();
    folder.ok(&words(
        "simulate hills.vcb --players 6 --seconds 20 --rtt 100 -o report.html",
    ));
    let page = String::from_utf8(folder.read("report.html")).unwrap();
    for words in [
        "<svg",
        "Bytes per frame of a client",
        "Late against exposed",
        "By latency",
        "best",
        "hills.vcb",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// Traces that are not part of the repository; says so if they are not there.
pub fn traces() -> Option<PathBuf> {
    data("traces")
}

fn scheme<'v>(document: &'v Value, name: &str) -> &'v Value {
    let schemes = document["schemes"].as_array().unwrap();
    schemes
        .iter()
        .find(|scheme| scheme["name"] == name)
        .unwrap()
}

/// All numbers of a document but the time that it took.
fn without_work(mut document: Value) -> Value {
    for scheme in document["schemes"].as_array_mut().unwrap() {
        scheme["cpu_us_per_tick"] = Value::Null;
    }
    document.as_object_mut().unwrap().remove("job");
    document
}

#[test]
fn real_players_of_quake_come_to_what_was_counted_by_hand() {
    let Some(traces) = traces() else { return };
    let folder = Folder::new();
    for (map, trace, perfect) in [
        ("dm2", "qw_4on4_dm2", 12.769),
        ("ps9ctf", "oa_ps9ctf", 171.013),
    ] {
        let bsp = traces.join(format!("maps/{map}.bsp"));
        let bundle = format!("{map}.vcb");
        folder.ok(&[
            "bake",
            "cells",
            bsp.to_str().unwrap(),
            "-o",
            &bundle,
            "--quiet",
        ]);
        let csv = traces.join(format!("{trace}.csv"));
        let csv = csv.to_str().unwrap();
        let document = folder.json(&[
            "simulate",
            &bundle,
            "--traces",
            csv,
            "--hz",
            "10",
            "--rtt",
            "0",
            "--loss",
            "0",
            "--json",
            "--scheme",
            "CS,CSA,NPP,PPP,best",
        ]);
        let number = |name: &str, field: &str| scheme(&document, name)[field].as_f64().unwrap();
        let players = document["players"].as_f64().unwrap();
        assert!((number("PPP", "packets_per_frame") - perfect).abs() < 1e-3);
        let relayed = number("CS", "packets_per_frame");
        assert!((relayed - perfect - players).abs() < 1e-3);
        assert_eq!(
            number("NPP", "packets_per_frame"),
            players * (players - 1.0)
        );
        for name in ["CS", "CSA", "NPP", "PPP", "best"] {
            assert_eq!(number(name, "late_frames"), 0.0, "{map} {name}");
        }
    }
}

/// With latency: whoever is told of is told in time, and of those behind walls not of many.
#[test]
fn on_dm2_at_50_ms_nobody_is_late_and_a_third_of_the_hidden_is_exposed() {
    let Some(traces) = traces() else { return };
    let folder = Folder::new();
    let bsp = traces.join("maps/dm2.bsp");
    let bsp = bsp.to_str().unwrap();
    folder.ok(&["bake", "cells", bsp, "-o", "dm2.vcb", "--quiet"]);
    let csv = traces.join("qw_4on4_dm2.csv");
    let run = |rtt: &str, hz: &str| {
        let csv = csv.to_str().unwrap();
        let told = ["--traces", csv, "--hz", hz, "--rtt", rtt, "--json"];
        let schemes = ["--scheme", "look-ahead,best"];
        let all = [&["simulate", "dm2.vcb"][..], &told, &schemes].concat();
        folder.json(&all)
    };
    for (rtt, hz, most) in [("50", "20", 0.35), ("100", "20", 0.35), ("150", "10", 0.7)] {
        let document = run(rtt, hz);
        let number = |name: &str, field: &str| scheme(&document, name)[field].as_f64().unwrap();
        for name in ["look-ahead", "best"] {
            assert_eq!(number(name, "late_frames"), 0.0, "{name} {rtt} {hz}");
            let exposed = number(name, "exposed_share");
            assert!(exposed <= most, "{name} {rtt} {hz}: {exposed}");
        }
        let sent = ["look-ahead", "best"].map(|name| number(name, "packets_per_frame"));
        assert!(sent[1] <= sent[0], "{rtt} {hz}: {sent:?}");
    }
}

/// A folder with `hills.vcb`: gentle hills that hide those behind them, and can be walked over.
fn hills() -> Folder {
    let (width, height) = (48, 40);
    let mut asc = format!(
        "ncols {width}\nnrows {height}\nxllcorner 0\nyllcorner 0\ncellsize 2\nNODATA_value -9999\n"
    );
    for row in 0..height {
        for column in 0..width {
            let wave = |at: i32, long: f64| (f64::from(at) * long).sin();
            let height = 3.0 * wave(column, 0.5) * wave(row, 0.45) + 2.0 * wave(column + row, 0.21);
            asc.push_str(&format!("{height:.3} "));
        }
        asc.push('\n');
    }
    let folder = Folder::new();
    folder.write("hills.asc", asc);
    folder.ok(&words("bake terrain hills.asc --visibility exact --quiet"));
    folder
}

#[test]
fn ways_in_a_level_play_back_to_the_same_numbers() {
    let folder = Folder::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let bsp = root.join("assets/cells/rooms.bsp");
    folder.ok(&[
        "bake",
        "cells",
        bsp.to_str().unwrap(),
        "-o",
        "rooms.vcb",
        "--quiet",
    ]);
    let options = ["simulate", "rooms.vcb", "--json"];
    let motion = words("--players 5 --motion objectives --seconds 20");
    let write = ["--seed", "3", "--write-trace", "ways.csv"];
    let made = folder.json(&[&options[..], &motion, &write].concat());
    assert_eq!(made["positions_nowhere"], 0);
    let played = folder.json(&[&options[..], &["--traces", "ways.csv"]].concat());
    assert!(without_work(made) == without_work(played));
}

#[test]
fn ways_that_are_made_up_play_back_to_the_same_numbers() {
    let folder = hills();
    for motion in ["waypoints", "objectives", "squads"] {
        let simulate = [
            "simulate",
            "hills.vcb",
            "--players",
            "9",
            "--motion",
            motion,
            "--seconds",
            "60",
            "--json",
            "--seed",
        ];
        let write = ["7", "--write-trace", "ways.csv", "--force"];
        let made = folder.json(&[&simulate[..], &write].concat());
        assert_eq!(made["players"], 9);
        assert_eq!(made["frames"], 601);
        assert_eq!(made["positions_nowhere"], 0);
        let played = folder.json(&["simulate", "hills.vcb", "--traces", "ways.csv", "--json"]);
        assert!(
            without_work(made.clone()) == without_work(played),
            "{motion}: played"
        );
        folder.write("made.json", made.to_string());
        let again = folder.json(&["simulate", "--job", "made.json", "--json"]);
        assert!(
            without_work(made.clone()) == without_work(again),
            "{motion}: told again"
        );
        let seen = scheme(&made, "PPP")["packets_per_frame"].as_f64().unwrap();
        assert!(
            seen > 0.0 && seen < 72.0,
            "{motion}: some see each other, some do not"
        );
        for name in ["CS", "CSA", "NPP", "PPP", "look-ahead", "best"] {
            assert_eq!(scheme(&made, name)["late_frames"], 0.0, "{motion} {name}");
        }
        let other = folder.json(&[&simulate[..], &["8"]].concat());
        // Not by `assert_ne`, which would print both.
        let differ = without_work(made)["schemes"] != without_work(other)["schemes"];
        assert!(differ, "{motion}: another seed, and the same ways");
    }
}

#[test]
fn several_seeds_tell_how_sure_a_mean_is() {
    let folder = hills();
    let document = folder.json(&words(
        "simulate hills.vcb --players 4 --seconds 20 --seed 1..5 --scheme PPP,best --json",
    ));
    assert_eq!(document["runs"], 5);
    let packets = &scheme(&document, "PPP")["packets"];
    let mean = packets["mean"].as_f64().unwrap();
    let [low, high] = [0, 1].map(|i| packets["confidence"][i].as_f64().unwrap());
    assert!(low < mean && mean < high, "{packets}");
}

#[test]
fn look_ahead_answers_on_the_command_line() {
    let folder = Folder::with_wall();
    let ran = folder.run(&["query", "visible", "wall.vcb", "0,0", "0,0"]);
    assert_eq!(ran.stdout, "visible\n");
    let near = folder.run(&["query", "within", "wall.vcb", "0,0", "0,0", "--reach", "0"]);
    assert_eq!((near.code, near.stdout.as_str()), (Some(0), "visible\n"));
    let far = folder.json(&words("query within wall.vcb 0,0 1,1 --reach 1e6,0 --json"));
    assert_eq!(far["visible"], true);
    assert_eq!(far["reach"][0], 1e6);
    let pairs = folder.run_with_stdin(
        &words("query within wall.vcb --pairs - --reach 3"),
        b"0 0 0 0\n1 1 2 2\n",
    );
    assert_eq!(pairs.stdout.lines().count(), 2);
    assert_eq!(
        folder
            .run(&["query", "within", "wall.vcb", "0,0", "1,1", "--reach", "-1"])
            .code,
        Some(2)
    );
    assert_eq!(
        folder
            .run(&[
                "query", "within", "wall.vcb", "0,0", "1,1", "--reach", "nan"
            ])
            .code,
        Some(2)
    );
}
