//! `viewcell experiment`: methods side by side, and the papers' experiments.

use serde_json::{Value, json};

use crate::common::{Folder, demo, hills};

#[test]
fn the_experiment_of_chapter_4_is_repeated_on_any_terrain() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(48));
    let document = folder.json(&[
        "experiment",
        "frontier",
        "hills.r16",
        "--size",
        "48x48",
        "--pairs",
        "30",
        "--simple-pairs",
        "10",
        // 30 and 3,000 nodes a PVS: more than a tree of 48 x 48 samples has.
        "--limits",
        "0.0003,0.03",
        "--figures",
        "figures",
        "--quiet",
        "--json",
    ]);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    assert_eq!(document["samples"], 48 * 48);
    let mean = |case: &Value| case["size"]["mean"].as_f64().unwrap();
    for (i, case) in cases.iter().enumerate() {
        assert_eq!(case["grow"], ["simple", "hierarchical"][i / 2 % 2]);
        assert_eq!(case["merge"], ["lossless", "lossy"][i % 2]);
        assert_eq!(case["pairs"], [10, 30, 30, 30][i % 4]);
        assert!(mean(case) >= 2.0, "{case}");
        let time = &case["milliseconds"];
        assert!(time["median"].as_f64() <= time["p99"].as_f64());
        assert!(time["p99"].as_f64() <= time["max"].as_f64());
    }
    // Hierarchical, lossless: more nodes, larger sets; and without a limit, as with enough.
    assert!(mean(&cases[6]) > mean(&cases[2]));
    assert_eq!(mean(&cases[6]), mean(&document["unlimited"]));
    assert_eq!(cases[2]["nodes"].as_u64(), Some(322_122 / 3 / 3077));

    let figures = folder.path("figures");
    for name in ["time.png", "size.png", "times-0.03.png", "sizes-0.0003.png"] {
        let picture = image::open(figures.join(name)).unwrap();
        assert!(picture.width() > 100, "{name}");
    }
    let tables = folder.ok(&[
        "experiment",
        "frontier",
        "hills.r16",
        "--size",
        "48x48",
        "--pairs",
        "9",
        "--limits",
        "0.001",
        "--quiet",
    ]);
    for words in ["hierarchical/lossless", "0.001 GB", "our default", "±"] {
        tables.says(words);
    }
}

#[test]
fn an_experiment_that_cannot_be_is_refused() {
    let folder = Folder::with_wall();
    folder.fails(
        &["experiment", "frontier", "wall.vcb", "--pairs", "0"],
        2,
        &["at least one pair"],
    );
    folder.fails(
        &["experiment", "frontier", "wall.vcb", "--limits", "0"],
        2,
        &["above 0"],
    );
    folder.fails(&["experiment", "frontier", "none.tif"], 4, &["none.tif"]);
    folder.write("flat.r16", vec![0; 8 * 8 * 2]);
    folder.fails(
        &[
            "experiment",
            "frontier",
            "flat.r16",
            "--size",
            "8x8",
            "--quiet",
        ],
        3,
        &["hardly any"],
    );
}

#[test]
fn the_modes_of_visibility_side_by_side() {
    let folder = Folder::new();
    let demo = demo();
    let arguments = [
        "experiment",
        "visibility",
        demo.to_str().unwrap(),
        "--crop",
        "100,100,40,30",
        "--sectors",
        "90",
        "--pairs",
        "400",
        "--positions",
        "100",
        "--quiet",
        "--json",
        "--chart",
        "modes.svg",
        "--cost-chart",
        "costs.svg",
    ];
    let document = folder.json(&arguments);
    assert_eq!(document["samples"], 1200);
    let modes = document["modes"].as_array().unwrap();
    let share = |mode: usize, of: &str, what: &str| modes[mode][of][what].as_f64().unwrap();
    let visible = |mode: usize| modes[mode]["visible"].as_f64().unwrap();
    assert_eq!(modes[0]["mode"], "exact");
    assert_eq!(share(0, "against_exact", "missed"), 0.0);
    assert_eq!(share(0, "against_exact", "falsely_visible"), 0.0);
    // What moves between the samples sees more than the samples, and conservative misses nothing.
    assert!(share(0, "against_motion", "missed") > 0.0);
    assert_eq!(share(1, "against_exact", "missed"), 0.0);
    assert_eq!(share(1, "against_motion", "missed"), 0.0);
    assert!(visible(0) < visible(1));
    let motion = document["motion"]["visible"].as_f64().unwrap();
    assert!(visible(0) < motion && motion <= visible(1), "{document}");
    assert!(share(2, "against_exact", "missed") > 0.0);
    assert!(
        modes
            .iter()
            .all(|mode| mode["bytes"].as_u64().unwrap() > 1000)
    );
    let chart = String::from_utf8(folder.read("modes.svg")).unwrap();
    assert!(
        chart.starts_with("<svg") && chart.contains("conservative"),
        "{chart}"
    );
    let costs = document["costs"].as_array().unwrap();
    let sizes: Vec<&Value> = costs.iter().map(|cost| &cost["size"]).collect();
    assert_eq!(json!(sizes), json!([[10, 7], [20, 15], [30, 22], [40, 30]]));
    for cost in costs {
        let each = cost["nanoseconds_a_pair"].as_array().unwrap();
        assert!(each.len() == 3 && each.iter().all(|cost| cost.as_f64() > Some(0.0)));
    }
    let chart = String::from_utf8(folder.read("costs.svg")).unwrap();
    assert!(chart.contains("30 x 22") && chart.contains("sectors"));
    // Nothing else is left behind.
    assert_eq!(folder.names(), ["costs.svg", "modes.svg"]);

    let table = folder.ok(&arguments[..12]).stdout;
    assert!(
        table.contains("against motion") && table.contains("sectors"),
        "{table}"
    );
    assert!(!table.contains("ns a pair"), "{table}");
    folder.fails(&arguments, 4, &["modes.svg", "--force"]);
}

#[test]
fn no_mode_is_tried_on_what_cannot_be() {
    let folder = Folder::new();
    folder.write("short.asc", "ncols 2\nnrows 2\ncellsize 1\n1 2 3\n");
    folder.fails(
        &["experiment", "visibility", "short.asc"],
        3,
        &["short.asc"],
    );
    folder.fails(
        &["experiment", "visibility", "short.asc", "--sectors", "0"],
        2,
        &["--sectors"],
    );
    folder.fails(
        &[
            "experiment",
            "visibility",
            "short.asc",
            "--eye-height",
            "inf",
        ],
        2,
        &["--eye-height"],
    );
}

#[test]
fn ranks_and_matchers_print_one_digest_over_space_and_time() {
    let folder = Folder::new();
    let world = [
        "--entities",
        "200",
        "--ticks",
        "5",
        "--space-time",
        "--json",
    ];
    let digest = |name: &str, more: &[&str], rows: &str| -> String {
        let arguments = [&["experiment", name][..], &world, more].concat();
        let told = folder.json(&arguments);
        told[rows][0]["digest"].as_str().unwrap().to_owned()
    };
    let ranks = ["--ranks", "2", "--balance", "none"];
    assert_eq!(
        digest("interest", &[], "matchers"),
        digest("machines", &ranks, "runs")
    );
}

#[test]
fn methods_of_pruning_side_by_side() {
    let folder = Folder::new();
    let demo = demo();
    let bake = ["bake", "terrain", demo.to_str().unwrap(), "-o", "all.vcb"];
    let part = [
        "--crop",
        "200,100,64,48",
        "--visibility",
        "exact",
        "--quiet",
    ];
    folder.ok(&[bake, part].concat());
    let size = (folder.read("all.vcb").len() * 3 / 4).to_string();
    let told = folder.json(&[
        "experiment",
        "compression",
        "all.vcb",
        "--budgets",
        &size,
        "--nodes",
        "40",
        "--chart",
        "chart.png",
        "--json",
        "--quiet",
    ]);
    let rows = told["rows"].as_array().unwrap();
    let kept = |method: &str| {
        let row = rows.iter().find(|row| row["method"] == method).unwrap();
        row["kept"][0].as_f64().unwrap()
    };
    assert_eq!(rows.len(), 5);
    assert!(kept("deepest-first, fewest hidden") >= 0.3, "{told}");
    assert!((0.3..1.0).contains(&kept("optimal")), "{told}");
    assert!((0.3..=1.0).contains(&kept("deepest-first")), "{told}");
    assert!(folder.read("chart.png").starts_with(b"\x89PNG"));
}

#[test]
fn visibility_distances_and_frontiers_of_cells() {
    let folder = Folder::new();
    let drawing = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../assets/cells/figure-3.json"
    );
    folder.ok(&["bake", "cells", drawing, "-o", "f.vcb"]);
    let document = folder.json(&["experiment", "epvs", "f.vcb", "--json"]);
    assert_eq!(document["cells"], 9);
    assert_eq!(document["components"], 1);
    assert_eq!(document["unreachable"], 0.0);
    let rows = document["frontiers"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    // 36 pairs, 12 of which see each other.
    for row in rows {
        let density = row["density"].as_f64().unwrap();
        assert!((density - 100.0 * 24.0 / 36.0).abs() < 1e-9, "{row}");
    }
    let text = folder.ok(&["experiment", "epvs", "f.vcb"]).stdout;
    assert!(text.contains("tightened"), "{text}");
}

#[test]
fn modes_are_compared_on_the_round_earth_as_far_as_sight_goes() {
    let folder = Folder::new();
    folder.write("sea.asc", crate::common::sea());
    let compare = |more: &[&str]| {
        let experiment = ["experiment", "visibility", "sea.asc", "--quiet", "--json"];
        let fixed = ["--spacing", "50", "--pairs", "300", "--positions", "20"];
        let document = folder.json(&[&experiment[..], &fixed, more].concat());
        for mode in 0..2 {
            // Conservative misses nothing; exact is exact.
            let against = ["against_exact", "against_motion"][mode];
            assert_eq!(
                document["modes"][mode][against]["missed"], 0.0,
                "{document}"
            );
        }
        document
    };
    let visible = |document: &Value| document["modes"][0]["visible"].as_f64().unwrap();
    let flat = compare(&[]);
    assert_eq!(visible(&flat), 1.0);
    let round = compare(&["--earth-curvature"]);
    assert_eq!(round["earth_radius"], 6_371_008.8);
    // Pairs up to 10.35 of 12.5 km apart.
    assert!((visible(&round) - 0.97).abs() < 0.01, "{round}");
    let short = compare(&["--earth-curvature", "--max-distance", "1000"]);
    assert_eq!(short["max_distance"], 1000.0);
    assert!((visible(&short) - 0.156).abs() < 0.01, "{short}");
    assert!(
        short["motion"]["visible"].as_f64() >= Some(visible(&short)),
        "{short}"
    );
}
