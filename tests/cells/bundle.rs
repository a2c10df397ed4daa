//! Levels baked, verified, and asked.

use std::path::Path;

use proptest::prelude::*;
use viewcell::format::Sizes;
use viewcell::query::{Bundle, CellBundle};
use viewcell_bake::bundle::verify;
use viewcell_bake::{CellOptions, Silent, bake_cells};
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::{BitMatrix, CellGraph, Portal, Symmetry};

use crate::baking::source;
use crate::common::{levels, slow_distances};

/// The bytes of a level's bundle, which keeps every rule.
pub fn bake(graph: &CellGraph, symmetry: Symmetry, threads: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.vcb");
    let options = CellOptions {
        symmetry,
        threads,
        ..CellOptions::default()
    };
    bake_cells(graph, &source(), &options, &path, &Silent).unwrap();
    sound(&path);
    std::fs::read(path).unwrap()
}

fn sound(path: &Path) {
    let report = verify(path, &mut |_| {}).unwrap();
    let failed: Vec<_> = report.failed().collect();
    assert!(report.is_sound(), "{failed:#?}");
}

/// Every answer equals the slow one.
pub fn answers_are_right(level: &CellBundle, graph: &CellGraph, pvs: &BitMatrix) {
    let slow = slow_distances(pvs);
    assert_eq!(level.cells() as usize, graph.cells);
    for (a, slow) in slow.iter().enumerate() {
        let row = level.pvs(a as u32);
        let seen: Vec<usize> = row.iter().map(|cell| cell as usize).collect();
        assert_eq!(seen, pvs.ones(a).collect::<Vec<_>>());
        assert_eq!(row.count() as usize, seen.len());
        let distances = level.distances(a as u32);
        for (b, &expected) in slow.iter().enumerate() {
            let (from, to) = (a as u32, b as u32);
            assert_eq!(level.visible(from, to), pvs.get(a, b), "{a} to {b}");
            assert_eq!(level.distance(from, to), expected, "{a} to {b}");
            assert_eq!(distances.get(to), expected.map(|d| d.max(1)));
        }
        let touching: Vec<u32> = level.neighbours(a as u32).collect();
        let expected: Vec<u32> = (0..graph.cells as u32)
            .filter(|&b| {
                let pair = [b.min(a as u32), b.max(a as u32)];
                graph.adjacency.contains(&pair)
            })
            .collect();
        assert_eq!(touching, expected);
        assert_eq!(
            level.bounds(a as u32),
            graph.bounds.as_ref().map(|all| all[a])
        );
        assert_eq!(
            level.position(a as u32),
            graph.positions.as_ref().map(|all| all[a])
        );
    }
}

pub fn made_symmetric(graph: &CellGraph, symmetry: Symmetry) -> BitMatrix {
    let mut pvs = graph.pvs.clone().unwrap();
    pvs.set_diagonal();
    pvs.symmetrised(symmetry)
}

/// A level of `n` cells with everything that a level can have.
pub fn random_level(n: usize, seed: u64, rare: u64) -> CellGraph {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut graph = CellGraph::new(n);
    graph.pvs = Some(BitMatrix::from_fn(n, |_, _| random() % rare == 0));
    for _ in 0..n {
        let (a, b) = (random() as usize % n, random() as usize % n);
        if a != b {
            graph.portals.push(Portal {
                cells: [a as u32, b as u32],
                winding: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, random() as f64, 0.0]],
            });
        }
    }
    graph.adjacency = CellGraph::adjacency_of(&graph.portals);
    graph.bounds = Some(
        (0..n)
            .map(|i| [[i as f32, 0.0, -1.5], [i as f32 + 1.0, 8.0, 0.25]])
            .collect(),
    );
    graph.positions = Some((0..n).map(|i| [i as f64 + 0.5, 1e9, -0.1]).collect());
    graph.names = Some((0..n).map(|i| format!("cell \"{i}\"")).collect());
    graph
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_answer_is_the_slow_one(
        n in 1_usize..100, seed: u64, rare in 1_u64..80, symmetry in 0_usize..3,
    ) {
        let symmetry = [Symmetry::Or, Symmetry::And, Symmetry::None][symmetry];
        let graph = random_level(n, seed, rare);
        let bytes = bake(&graph, symmetry, 1);
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let level = bundle.cells().unwrap();
        answers_are_right(&level, &graph, &made_symmetric(&graph, symmetry));
        prop_assert_eq!(level.locate([0.5, 1.0, 0.0]), Some(0));
        prop_assert_eq!(level.locate([-0.5, 1.0, 0.0]), None);
    }
}

#[test]
fn long_chains_take_wider_distances() {
    for (cells, bits) in [(15, 4), (16, 8), (255, 8), (256, 16), (400, 16)] {
        let mut graph = CellGraph::new(cells);
        graph.pvs = Some(BitMatrix::from_fn(cells, |a, b| a.abs_diff(b) <= 1));
        let bytes = bake(&graph, Symmetry::Or, 1);
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let level = bundle.cells().unwrap();
        assert_eq!(level.parameters().distance_bits.bits(), bits, "{cells}");
        let last = cells as u32 - 1;
        assert_eq!(level.distance(0, last), Some(last));
        assert_eq!(level.distance(last, 0), Some(last));
    }
}

#[test]
fn cells_that_see_the_same_share_a_row() {
    let mut graph = CellGraph::new(1000);
    graph.pvs = Some(BitMatrix::from_fn(1000, |a, b| a / 100 == b / 100));
    let bytes = bake(&graph, Symmetry::Or, 1);
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let level = bundle.cells().unwrap();
    assert_eq!(level.parameters().rows, 10);
    assert!(bytes.len() < 20_000, "{} bytes", bytes.len());
    assert_eq!(level.distance(7, 7), Some(0));
    assert_eq!(level.distance(7, 8), Some(1));
    assert_eq!(level.distance(7, 100), None);
}

#[test]
fn real_levels_are_baked_verified_and_asked() {
    let Some(folder) = levels() else { return };
    for name in
        "q1-2psb/q1_detail_fence.bsp q1-bsp29/light_general.bsp q1-bsp2/dm4.bsp hl-bsp30/lqdm11.bsp
        q2-ibsp38/dm4.bsp q2-ibsp38/e1m1.bsp q3-ibsp46/stormkeep.bsp"
            .split_whitespace()
    {
        let graph = read_cells(&folder.join(name), &IngestCellsOptions::default())
            .unwrap()
            .graph;
        let bytes = bake(&graph, Symmetry::Or, 1);
        assert_eq!(bytes, bake(&graph, Symmetry::Or, 2), "{name}: two threads");
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let level = bundle.cells().unwrap();
        answers_are_right(&level, &graph, &made_symmetric(&graph, Symmetry::Or));

        // Distances take half a byte a pair, and rows that are shared less.
        let n = graph.cells as u64;
        let sizes = Sizes::from(level.parameters());
        let stored = sizes.rows * sizes.distance_row;
        assert!(stored <= n * n.div_ceil(2), "{name}: {stored} bytes");

        // The bundle's tree finds the cells that the level's own does.
        let tree = graph.tree.as_ref().unwrap();
        let mut found = 0;
        for bounds in graph.bounds.as_ref().unwrap() {
            for i in 0..8 {
                let [low, high] = bounds;
                let point = [0, 1, 2].map(|k| {
                    let share = [0.25, 0.6][i >> k & 1];
                    f64::from(low[k]) + share * f64::from(high[k] - low[k])
                });
                assert_eq!(level.locate(point), tree.locate(point), "{name}: {point:?}");
                found += usize::from(level.locate(point).is_some());
            }
        }
        assert!(found > graph.cells, "{name}: {found} points in cells");
        assert_eq!(level.locate([1e7, 1e7, 1e7]), tree.locate([1e7; 3]));
    }
}
