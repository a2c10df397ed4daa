//! What fuzzing the readers of levels begins with: small levels of every format.
//!
//! To write them anew: `VIEWCELL_WRITE_SEEDS=1 cargo test --test cells seeds`.

use std::path::Path;

use viewcell_ingest::cells::{IngestCellsOptions, cells_from_bytes};
use viewcell_ingest::world::BitMatrix;

use crate::builder::{KINDS, level, wad};

const PORTALS: [(&str, &str); 4] = [
    (
        "prt1",
        "PRT1\n3\n2\n4 0 1 (8 0 0 ) (8 8 0 ) (8 8 8 ) (8 0 8 )\n3 1 2 (16 0 0 ) (16 1 0 ) (16 1 1 )\n",
    ),
    (
        "q3map2",
        "PRT1\n2\n1\n1\n3 0 1 1 (8 0 0 ) (8 8 0 ) (8 8 8 )\n3 0 (0 0 0 ) (1 0 0 ) (0 1 0 )\n",
    ),
    (
        "prt2",
        "PRT2\n3\n2\n1\n3 0 1 (8 0 0 ) (8 8 0 ) (8 8 8 )\n0 1 -1\n2 -1\n",
    ),
    (
        "prt1-am",
        "PRT1-AM\n2\n1\n3\n3 0 1 (8 0 0 ) (8 8 0 ) (8 8 8 )\n0\n0\n1\n",
    ),
];

const GRAPHS: [(&str, &str); 2] = [
    (
        "portals",
        r#"{"cells": [{"name": "a", "position": [4, 0, 0], "bounds": [[0, 0, 0], [8, 8, 8]]}, {"name": "b", "position": [12, 0, 0], "bounds": [[8, 0, 0], [16, 8, 8]]}], "portals": [{"cells": ["a", "b"], "winding": [[8, 0, 0], [8, 8, 0], [8, 8, 8]]}]}"#,
    ),
    (
        "pvs",
        r#"{"about": "three in a row", "cells": 3, "adjacency": [[0, 1], [1, 2]], "pvs": [[1], [0, 2], [1]]}"#,
    ),
];

/// Target, name and bytes of each seed.
fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let pvs = BitMatrix::from_fn(5, |a, b| a.abs_diff(b) < 2);
    let levels = KINDS.iter().map(|&kind| {
        let name = format!("{kind:?}").to_ascii_lowercase();
        ("bsp", name, level(kind, 5, Some(&pvs)))
    });
    let wads = [
        ("one", wad(&[("MAP01", Some(&[0x55, 1]))])),
        ("two", wad(&[("MAP01", Some(&[])), ("E1M1", None)])),
    ];
    let wads = wads.map(|(name, bytes)| ("wad", name.to_owned(), bytes));
    let text = |target, (name, text): (&str, &str)| (target, name.to_owned(), text.into());
    levels
        .chain(wads)
        .chain(PORTALS.map(|seed| text("prt", seed)))
        .chain(GRAPHS.map(|seed| text("json", seed)))
        .collect()
}

#[test]
fn seeds_are_levels_and_are_those_that_are_committed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds");
    for (target, name, bytes) in seeds() {
        let options = IngestCellsOptions {
            map: (name == "two").then(|| "E1M1".to_owned()),
        };
        let read = cells_from_bytes(&bytes, &options);
        assert!(read.is_ok(), "{target}/{name}: {:?}", read.err());
        let path = folder.join(target).join(&name);
        if std::env::var_os("VIEWCELL_WRITE_SEEDS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let found = std::fs::read(&path).unwrap_or_default();
        assert!(found == bytes, "{} is out of date", path.display());
    }
}
