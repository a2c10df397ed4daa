//! The drawings of Steed & Angus, and what the paper says of them.

use std::collections::BTreeSet;
use std::path::Path;

use viewcell_bake::hierarchy::epvs::Epvs;
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::CellGraph;

const NAMES: &str = "ABCDEFGHI";

fn drawing(name: &str) -> (CellGraph, Epvs) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("assets/cells").join(name);
    let graph = read_cells(&path, &IngestCellsOptions::default())
        .unwrap()
        .graph;
    let pvs = graph.pvs.as_ref().unwrap();
    assert!(pvs.is_symmetric(), "the paper's PVS is symmetric");
    let names: String = graph.names.as_ref().unwrap().concat();
    assert_eq!(names, NAMES);
    for &[a, b] in &graph.adjacency {
        assert!(pvs.get(a as usize, b as usize), "a door is seen through");
    }
    let epvs = Epvs::new(pvs);
    (graph, epvs)
}

fn number(name: char) -> usize {
    NAMES.find(name).unwrap()
}

fn set(names: &str) -> BTreeSet<char> {
    names.chars().collect()
}

/// Equations 1 and 2, to the letter.
fn frontiers(epvs: &Epvs, a: char, b: char) -> [BTreeSet<char>; 2] {
    let distance = |from, to| {
        let steps = epvs.distance(number(from), number(to));
        steps.map_or(i64::MAX / 2, i64::from)
    };
    let f_ab = |c: &char| distance(a, *c) < distance(b, *c);
    let f_ba = |d: &char| distance(b, *d) < distance(a, *d) - 1;
    [
        NAMES.chars().filter(f_ab).collect(),
        NAMES.chars().filter(f_ba).collect(),
    ]
}

#[test]
fn in_figure_2_a_sees_b_c_and_e_alone() {
    let (graph, _) = drawing("figures-2-and-5.json");
    let pvs = graph.pvs.unwrap();
    let seen = pvs.ones(number('A')).map(|cell| NAMES.as_bytes()[cell]);
    assert_eq!(String::from_utf8(seen.collect()).unwrap(), "ABCE");
}

#[test]
fn in_figure_5_the_distances_from_a_are_those_printed() {
    let (_, epvs) = drawing("figures-2-and-5.json");
    let distances: Vec<Option<u32>> = NAMES.chars().map(|c| epvs.distance(0, number(c))).collect();
    let printed = [0, 1, 1, 2, 1, 2, 2, 3, 3].map(Some);
    assert_eq!(distances, printed);
}

#[test]
fn in_figure_3_the_frontiers_are_those_printed() {
    let (graph, epvs) = drawing("figure-3.json");
    for (a, b, f_ab, f_ba) in [
        ('A', 'I', "ABCF", "GHI"),
        ('E', 'H', "ABCEF", "HI"),
        ('D', 'I', "ABCDEF", "I"),
    ] {
        let found = frontiers(&epvs, a, b);
        assert_eq!(found, [set(f_ab), set(f_ba)], "{a} and {b}");
        let pvs = graph.pvs.as_ref().unwrap();
        for &c in &found[0] {
            for &d in &found[1] {
                assert!(!pvs.get(number(c), number(d)), "{c} sees {d}");
            }
        }
    }
    // Panel c: no frontier, since they see each other.
    assert_eq!(epvs.distance(number('D'), number('H')), Some(1));
}
