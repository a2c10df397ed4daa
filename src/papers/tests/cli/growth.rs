//! `viewcell experiment growth`: a frontier set by the papers' algorithms.

use serde_json::Value;

use crate::common::Folder;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_way_to_grow_gives_a_set_within_what_the_wall_hides() {
    let folder = Folder::with_wall();
    let mut sizes = std::collections::BTreeSet::new();
    for options in [
        &["--grow", "simple"][..],
        &["--grow", "hierarchical"],
        &["--merge", "lossless"],
        &["--merge", "lossy"],
        &["--merge", "blocks"],
        &["--merge", "lossy", "--tighten"],
        &["--extend"],
        &["--tighten", "no"],
        &["--order", "gain"],
        &["--order", "ground"],
        &["--order", "toward 2,3"],
        &["--order", "toward 2,3 7,1"],
        &["--turns", "balance"],
        &["--neighbours", "4"],
        &["--finest", "2"],
        &["--grow", "simple", "--budget", "9"],
    ] {
        let ask = ["experiment", "growth", "wall.vcb", "0,2", "8,2", "--json"];
        let document = folder.json(&[&ask[..], options].concat());
        let size = |name: &str| document[name].as_u64().unwrap();
        assert!(
            (1..=20).contains(&size("size_a")),
            "{options:?}: {document}"
        );
        assert!(
            (1..=19).contains(&size("size_b")),
            "{options:?}: {document}"
        );
        sizes.insert([size("size_a"), size("size_b")]);
    }
    assert!(sizes.len() > 1, "{sizes:?}");
    for (options, words) in [
        (&["--order", "random"][..], "fifo, coarse"),
        (&["--order", "toward"], "toward C,R"),
        (&["--order", "toward 1,2 3,4 5,6"], "toward C,R"),
        (&["--neighbours", "6"], "4, 8"),
    ] {
        let ask = ["experiment", "growth", "wall.vcb", "0,2", "8,2"];
        folder.fails(&[&ask[..], options].concat(), 2, &[words]);
    }
}

#[test]
fn cells_are_joined_as_the_paper_prints() {
    let folder = Folder::new();
    let drawing = crate::common::demo()
        .with_file_name("cells")
        .join("figure-3.json");
    folder.ok(&["bake", "cells", drawing.to_str().unwrap(), "-o", "f.vcb"]);
    let ask = |a, b, how| {
        let ask = [
            "experiment",
            "growth",
            "f.vcb",
            a,
            b,
            "--construction",
            how,
            "--json",
        ];
        folder.json(&ask)
    };
    // A and I, as the paper prints: A, B, C, F and G, H, I.
    let document = ask("0", "8", "published");
    assert_eq!(document["region_a"], json("[0, 1, 2, 5]"));
    assert_eq!(document["region_b"], json("[6, 7, 8]"));
    let document = ask("3", "7", "published");
    assert_eq!(document["visible"], true);
    assert_eq!(document["size_a"], 0);
    let document = ask("0", "8", "tightened");
    assert_eq!(document["region_a"], json("[0, 1, 2, 5]"));
    assert!(document["size_b"].as_u64().unwrap() >= 3);
    assert_eq!(ask("0", "8", "grown")["visible"], false);
}
