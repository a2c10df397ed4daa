//! `viewcell experiment`.

use serde_json::Value;

use crate::common::{Folder, hills};

#[test]
fn the_experiment_of_chapter_4_is_repeated_on_any_terrain() {
    let folder = Folder::new();
    folder.write("hills.r16", hills(48));
    let ran = folder.ok(&[
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
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    assert_eq!(document["samples"], 48 * 48);
    let mean = |case: &Value| case["size"]["mean"].as_f64().unwrap();
    for (i, case) in cases.iter().enumerate() {
        assert_eq!(case["grow"], ["simple", "hierarchical"][i / 2 % 2]);
        assert_eq!(case["merge"], ["lossless", "lossy"][i % 2]);
        assert_eq!(case["pairs"], [10, 30][i / 2 % 2]);
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
        assert!(tables.stdout.contains(words), "{}", tables.stdout);
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
