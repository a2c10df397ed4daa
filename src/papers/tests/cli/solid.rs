//! `viewcell experiment solid` and `sent`: levels held to what is in sight.

use serde_json::Value;

use crate::common::rooms;

#[test]
fn view_cells_are_held_to_what_is_in_sight() {
    let folder = rooms();
    let arguments = [
        "experiment",
        "solid",
        "rooms.map",
        "--trace",
        "walks.csv",
        "--bundle",
        "rooms.vcb",
        "--segments",
        "100000",
        "--threads",
        "2",
    ];
    let document = folder.json(&[&arguments[..], &["--json"]].concat());
    let trace = &document["trace"];
    let (pairs, seen) = (
        trace["pairs"].as_u64().unwrap(),
        trace["in_sight"].as_u64().unwrap(),
    );
    assert!(
        pairs == 61 * 6 && seen > 61 * 2 && seen < pairs,
        "{document}"
    );
    let rows = trace["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        assert_eq!(
            (&row["missed"], &row["nowhere"]),
            (&Value::from(0), &Value::from(0))
        );
        let visible = row["visible"].as_u64().unwrap();
        assert!(seen <= visible && visible < pairs, "{row}");
    }
    let hunt = &document["hunt"];
    assert!(hunt["by_bundle"].as_bool().unwrap() && hunt["pairs"].as_u64().unwrap() > 100);
    assert!(
        hunt["clear"] == 0 && hunt["segments"].as_u64().unwrap() >= 100_000,
        "{hunt}"
    );
    let text = folder.ok(&arguments).stdout;
    for words in [
        "7 solids, 0 faces",
        "% in sight",
        "together",
        "bundle",
        "0 clear",
    ] {
        assert!(text.contains(words), "{text}");
    }
    // By the kernel, and the same for any number of threads.
    let hunted = |threads: &str| {
        let arguments = [
            "experiment",
            "solid",
            "rooms.map",
            "--segments",
            "200000",
            "--cell",
            "64",
        ];
        folder
            .ok(&[&arguments[..], &["--threads", threads]].concat())
            .stdout
    };
    assert_eq!(hunted("1"), hunted("2"));
}

#[test]
fn an_experiment_on_another_level_is_refused() {
    let folder = rooms();
    let mut other = folder.read("rooms.map");
    other.extend(b"// another\n");
    folder.write("other.map", other);
    let arguments = [
        "experiment",
        "solid",
        "other.map",
        "--bundle",
        "rooms.vcb",
        "--segments",
        "9",
    ];
    folder.fails(&arguments, 3, &["rooms.vcb", "other.map"]);
    folder.fails(&["experiment", "solid", "rooms.map"], 2, &["--trace"]);
    folder.fails(
        &["experiment", "solid", "none.map", "--segments", "9"],
        4,
        &["none.map"],
    );
    let size = [
        "experiment",
        "solid",
        "rooms.map",
        "--segments",
        "9",
        "--cell",
        "0",
    ];
    folder.fails(&size, 2, &["--cell"]);
}

#[test]
fn a_level_is_found_in_a_games_folder() {
    let folder = rooms();
    std::fs::create_dir_all(folder.path("game/maps")).unwrap();
    folder.write("game/maps/packed.map", folder.read("rooms.map"));
    let of = ["maps/packed.map", "--pack", "game"];
    let bake = [
        &["bake", "solid"][..],
        &of,
        &["--cell", "32", "-o", "packed.vcb"],
    ]
    .concat();
    folder.ok(&bake);
    // The same file is asked for by the same name.
    let hunt = ["--bundle", "packed.vcb", "--segments", "1000"];
    folder.ok(&[&["experiment", "solid"][..], &of, &hunt].concat());
}

/// Each method sends whoever is in sight, in time; the finer one sends no more than the coarser one.
#[test]
fn what_a_server_would_send_by_each_method_is_never_late() {
    let folder = rooms();
    let sent = |options: &[&str]| -> Vec<Value> {
        let first = [
            "experiment",
            "sent",
            "--traces",
            "walks.csv",
            "--level",
            "rooms.map",
            "--solid",
            "rooms.vcb",
            "--speed",
            "120",
            "--json",
        ];
        let document = folder.json(&[&first[..], options].concat());
        document["methods"].as_array().unwrap().clone()
    };
    for rtt in ["0", "50", "150"] {
        let methods = sent(&["--rtt", rtt, "--between", "2"]);
        let names: Vec<&str> = methods
            .iter()
            .map(|row| row["method"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["bake", "watch"]);
        let mut most = u64::MAX;
        for row in &methods {
            let lines = &row["lines"];
            let count = |name: &str| lines[name].as_u64().unwrap();
            assert_eq!(
                (count("late"), count("late_frames")),
                (0, 0),
                "{rtt} ms: {row}"
            );
            // Who begins to walk is faster than the first frame says.
            for (outside, all) in [0, 1].map(|k| (&row["outside"][k], &row["reached"][k])) {
                let [outside, all] = [outside, all].map(|count| count.as_u64().unwrap());
                assert!(outside * 20 < all, "{rtt} ms: {row}");
            }
            assert!(
                count("in_sight") > 100 && count("sent") >= count("in_sight"),
                "{row}"
            );
            // In two rooms somebody is hidden at times.
            assert!(count("sent") < count("pairs"), "{rtt} ms: {row}");
            assert!(count("sent") <= most, "{rtt} ms: {row}");
            most = count("sent");
        }
        assert!(methods[1]["work"].as_f64().unwrap() > 0.0);
        // By a clock: whose figures they are, `simulate/culling.rs` tests by one of its own.
        assert!(methods[1]["longest"]["pairs"].as_u64().unwrap() > 0);
        assert!(methods[0].get("longest").is_none_or(Value::is_null));
    }
    // Without work nothing new is proven.
    let idle = sent(&["--work", "1"]);
    let whole = sent(&[]);
    let sends = |rows: &[Value]| rows[1]["lines"]["sent"].as_u64().unwrap();
    assert!(sends(&idle) >= sends(&whole));
    folder.fails(
        &[
            "experiment",
            "sent",
            "--traces",
            "walks.csv",
            "--solid",
            "rooms.vcb",
        ],
        2,
        &["--level"],
    );
}
