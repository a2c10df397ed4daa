//! A cell bundle of format version 1, kept as it was written; and the second reader of it.
//!
//! `VIEWCELL_BLESS=1 cargo test --test cells golden` writes it anew, while version 1 is not out.

use std::path::{Path, PathBuf};

use viewcell::query::{Bundle, MappedBundle};
use viewcell_bake::bundle::verify;
use viewcell_ingest::world::{
    BitMatrix, BspChild, BspLeaf, BspNode, BspTree, CellGraph, Portal, Symmetry,
};

use crate::bundle::{answers_are_right, bake, made_symmetric};
use crate::reader::said;

fn path() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden/v1/level.vcb")
}

/// A corridor of ten cells along x, each seeing those up to two further on; cells 8 and 9 are
/// two halves of a room of its own, that see the same. With everything that a level can have.
pub fn corridor() -> CellGraph {
    let cells = 10;
    let mut graph = CellGraph::new(cells);
    graph.pvs = Some(BitMatrix::from_fn(cells, |a, b| {
        (a < 8 && b < 8 && (a..a + 3).contains(&b)) || (a >= 8 && b >= 8)
    }));
    let corners = |i: usize| {
        let x = 16.0 * i as f32;
        [[x, 0.0, -8.0], [x + 16.0, 16.0, 8.0]]
    };
    graph.bounds = Some((0..cells).map(corners).collect());
    graph.positions = Some(
        (0..cells)
            .map(|i| [16.0 * i as f64 + 8.0, 8.0, 0.1])
            .collect(),
    );
    graph.names = Some((0..cells).map(|i| format!("cell {i}")).collect());
    graph.portals = (0..cells as u32 - 1)
        .filter(|&a| a != 7)
        .map(|a| {
            let x = 16.0 * f64::from(a) + 16.0;
            let corner = |y, z| [x, y, z];
            Portal {
                cells: [a, a + 1],
                winding: vec![corner(0.0, -8.0), corner(16.0, -8.0), corner(16.0, 8.0)],
            }
        })
        .collect();
    graph.adjacency = CellGraph::adjacency_of(&graph.portals);
    let leaf = |cell| BspLeaf {
        contents: 0,
        cell,
        bounds: [[0.0; 3]; 2],
    };
    let leaves = std::iter::once(leaf(None)).chain((0..cells as u32).map(|i| leaf(Some(i))));
    let nodes = (0..=cells as u32).map(|i| BspNode {
        normal: [1.0, 0.0, 0.0],
        dist: 16.0 * f64::from(i),
        children: [
            if i == 10 {
                BspChild::Leaf(0)
            } else {
                BspChild::Node(i + 1)
            },
            BspChild::Leaf(i),
        ],
    });
    let tree = BspTree::new(nodes.collect(), leaves.collect(), BspChild::Node(0), cells);
    graph.tree = Some(tree.unwrap());
    graph
}

/// Sections but for the provenance, which names the version of the program, and the checksums behind it.
fn sections(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let bundle = Bundle::from_bytes(bytes).unwrap();
    let stored = bundle.sections().map(|section| {
        let (_, stored) = bundle.section(section.tag).unwrap();
        (section.tag.to_string(), stored.to_vec())
    });
    stored.take_while(|(tag, _)| tag != "PROV").collect()
}

#[test]
fn the_golden_level_is_written_alike() {
    let written = bake(&corridor(), Symmetry::Or, 1);
    if std::env::var_os("VIEWCELL_BLESS").is_some() {
        std::fs::write(path(), &written).unwrap();
    }
    let kept = std::fs::read(path()).unwrap();
    let (kept, written) = (sections(&kept), sections(&written));
    assert_eq!(kept.len(), 10, "every section of a cell bundle");
    for (kept, written) in kept.iter().zip(&written) {
        assert_eq!(kept, written);
    }
}

#[test]
fn the_golden_level_is_read() {
    let report = verify(&path(), &mut |_| {}).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    let map = MappedBundle::open(path()).unwrap();
    let level = map.bundle().unwrap().cells().unwrap();
    let graph = corridor();
    answers_are_right(&level, &graph, &made_symmetric(&graph, Symmetry::Or));
    for x in -1..11 {
        let cell = (0..10).contains(&x).then_some(x as u32);
        assert_eq!(level.locate([16.0 * f64::from(x) + 1.0, 3.0, 0.0]), cell);
    }
}

#[test]
fn the_second_reader_reads_the_same() {
    let map = MappedBundle::open(path()).unwrap();
    let level = map.bundle().unwrap().cells().unwrap();
    let pairs: Vec<[u32; 2]> = (0..100).map(|i| [i / 10, i % 10]).collect();
    let input: String = pairs.iter().map(|[a, b]| format!("{a} {b}\n")).collect();
    let Some(visible) = said("visible", &path(), &["--pairs", "-"], &input) else {
        return;
    };
    let distance = said("distance", &path(), &["--pairs", "-"], &input).unwrap();
    assert_eq!(visible.lines().count(), 100);
    for (([a, b], visible), distance) in pairs.iter().zip(visible.lines()).zip(distance.lines()) {
        assert_eq!(visible == "1", level.visible(*a, *b), "{a} {b}");
        let steps = level.distance(*a, *b);
        let words = steps.map_or("unreachable".into(), |steps| steps.to_string());
        assert_eq!(distance, words, "{a} {b}");
    }
    assert_eq!(said("verify", &path(), &[], "").unwrap(), "no faults\n");
    assert!(said("info", &path(), &[], "").unwrap().contains("10 cells"));
    for (point, cell) in [
        ("17,1,1", "1\n"),
        ("500,1,1", "nowhere\n"),
        ("-3,1,1", "nowhere\n"),
    ] {
        assert_eq!(
            said("locate", &path(), &["--", point], "").unwrap(),
            cell,
            "{point}"
        );
    }
}
