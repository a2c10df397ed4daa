//! Portals recovered from BSP trees are those that the compilers wrote beside them.

use std::collections::BTreeSet;

use viewcell_bake::visibility::portals::{FlowMethod, recover};
use viewcell_ingest::cells::{IngestCellsOptions, PortalFileKind, read_cells};
use viewcell_ingest::world::{BspChild, BspLeaf, BspNode, BspTree, CellGraph};

use super::common::{level, portal_file, pvs};

/// Pairs of the portal file that a level's own tree has no trace of: all of their portals lie in
/// solid detail (see the test).
const UNSEEN: [(&str, usize); 15] = [
    ("hl-bsp30/lqdm11", 5),
    ("q1-2psb/q1_detail_fence", 0),
    ("q1-bsp2/dm4", 0),
    ("q1-bsp29/dm4", 0),
    ("q1-bsp29/e1m1", 0),
    ("q1-bsp29/light_general", 0),
    ("q1-bsp29/lq_e0m2", 0),
    ("q1-bsp29/lq_e4m4", 61),
    ("q1-bsp29/lqdm11", 5),
    ("q1-bsp29/lqdm13", 0),
    ("q1-bsp29/q1_detail_fence", 0),
    ("q2-ibsp38/dm4", 0),
    ("q2-ibsp38/e1m1", 0),
    ("q2-ibsp38/q2_areaportals", 0),
    ("q3-ibsp46/stormkeep-own", 0),
];

type Point = [f64; 3];

fn middle_of(winding: &[Point]) -> Point {
    let corners = winding.len() as f64;
    std::array::from_fn(|k| winding.iter().map(|p| p[k]).sum::<f64>() / corners)
}

/// Of length 1, from the three corners that are least in line.
fn normal_of(winding: &[Point]) -> Point {
    let minus = |a: Point, b: Point| -> Point { std::array::from_fn(|k| a[k] - b[k]) };
    let n = winding.len();
    let crosses = (0..n).map(|i| {
        let u = minus(winding[(i + 1) % n], winding[i]);
        let v = minus(winding[(i + 2) % n], winding[(i + 1) % n]);
        [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ]
    });
    let length = |v: &Point| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let longest = crosses
        .max_by(|a, b| length(a).total_cmp(&length(b)))
        .unwrap();
    longest.map(|x| x / length(&longest))
}

fn along(point: Point, normal: Point, step: f64) -> Point {
    std::array::from_fn(|k| point[k] + step * normal[k])
}

/// Points all over a convex polygon, none at its rim.
fn points_on(winding: &[Point]) -> impl Iterator<Item = Point> {
    let middle = middle_of(winding);
    let n = winding.len();
    (0..n).flat_map(move |i| {
        let (a, b) = (winding[i], winding[(i + 1) % n]);
        (0..10).flat_map(move |u| {
            (0..10).map(move |v| {
                let (u, v) = (f64::from(u) / 10.0, f64::from(v) / 10.5);
                std::array::from_fn(|k| {
                    let rim = a[k] + u * (b[k] - a[k]);
                    middle[k] + v * (rim - middle[k])
                })
            })
        })
    })
}

#[test]
fn every_pair_that_anybody_looks_through_and_none_more() {
    for (name, unseen) in UNSEEN {
        let (Some(file), Some(path)) = (portal_file(name), level(&format!("{name}.bsp"))) else {
            continue;
        };
        let graph = read_cells(&path, &IngestCellsOptions::default())
            .unwrap()
            .graph;
        let tree = graph.tree.as_ref().unwrap();
        // Their number of a cell to ours.
        let mut ours: Vec<u32> = (0..file.cells as u32).collect();
        if let PortalFileKind::Prt2 { cell_of_leaf } = &file.kind {
            for (leaf, &cell) in tree.leaves()[1..].iter().zip(cell_of_leaf) {
                ours[cell as usize] = leaf.cell.unwrap();
            }
        }
        let pair = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let expected: BTreeSet<[u32; 2]> = file
            .portals
            .iter()
            .map(|portal| pair(portal.cells.map(|cell| ours[cell as usize])))
            .collect();
        let portals = recover(&graph);
        let found: BTreeSet<[u32; 2]> = portals.iter().map(|p| pair(p.cells)).collect();
        let more: Vec<_> = found.difference(&expected).collect();
        assert!(more.is_empty(), "{name}: {more:?}");
        let missing: BTreeSet<_> = expected.difference(&found).copied().collect();
        assert_eq!(missing.len(), unseen, "{name}: {missing:?}");

        // Nobody looks through them: wherever one crosses such a portal, it is into or out of
        // solid.
        for portal in &file.portals {
            let cells = portal.cells.map(|cell| ours[cell as usize]);
            if !missing.contains(&pair(cells)) {
                continue;
            }
            let normal = normal_of(&portal.winding);
            for point in points_on(&portal.winding) {
                let sides = [-0.02, 0.02].map(|step| tree.locate(along(point, normal, step)));
                assert!(
                    sides.contains(&None),
                    "{name}: {cells:?} {point:?} {sides:?}"
                );
            }
        }

        // Each points from its first cell into its second.
        for portal in &portals {
            let middle = middle_of(&portal.winding);
            let normal = normal_of(&portal.winding);
            let sides = [-0.05, 0.05].map(|step| tree.locate(along(middle, normal, step)));
            // In a cell of several leaves the middle may be solid detail.
            let wrong = sides == [Some(portal.cells[1]), Some(portal.cells[0])];
            assert!(!wrong, "{name}: {portal:?}");
        }
    }
}

#[test]
fn recovered_portals_flow_as_those_of_the_file_do() {
    for name in ["q2-ibsp38/dm4", "q3-ibsp46/stormkeep-own"] {
        let (Some(file), Some(path)) = (portal_file(name), level(&format!("{name}.bsp"))) else {
            continue;
        };
        let mut graph = read_cells(&path, &IngestCellsOptions::default())
            .unwrap()
            .graph;
        graph.portals = recover(&graph);
        let (a, b) = (
            pvs(&graph, FlowMethod::Full),
            pvs(&file.into_graph(), FlowMethod::Full),
        );
        let pairs = (0..a.n()).flat_map(|i| (0..a.n()).map(move |j| (i, j)));
        let differ = pairs.filter(|&(i, j)| a.get(i, j) != b.get(i, j)).count();
        // Corners differ by rounding, and with them what is seen through a crack.
        let share = differ as f64 / b.count_ones() as f64;
        assert!(share < 0.002, "{name}: {differ} of {}", b.count_ones());
    }
}

fn leaf(cell: Option<u32>) -> BspLeaf {
    BspLeaf {
        contents: if cell.is_some() { -1 } else { -2 },
        cell,
        bounds: [[-64.0; 3], [64.0; 3]],
    }
}

fn level_of(nodes: Vec<BspNode>, leaves: Vec<BspLeaf>, cells: usize) -> CellGraph {
    let tree = BspTree::new(nodes, leaves, BspChild::Node(0), cells).unwrap();
    CellGraph {
        tree: Some(tree),
        ..CellGraph::new(cells)
    }
}

#[test]
fn a_wall_with_a_door_gives_one_portal() {
    // Planes around a door 16 wide and 32 high in a wall of no thickness at x = 0.
    let node = |normal, dist, front, back| BspNode {
        normal,
        dist,
        children: [front, back],
    };
    use BspChild::{Leaf, Node};
    // Behind x = 0 a room; before it a wall 8 thick with the door, and a room beyond.
    let nodes = vec![
        node([1.0, 0.0, 0.0], 0.0, Node(1), Leaf(1)),
        node([1.0, 0.0, 0.0], 8.0, Leaf(3), Node(2)),
        node([0.0, 1.0, 0.0], 8.0, Leaf(0), Node(3)),
        node([0.0, -1.0, 0.0], 8.0, Leaf(0), Node(4)),
        node([0.0, 0.0, 1.0], 32.0, Leaf(0), Node(5)),
        node([0.0, 0.0, -1.0], 0.0, Leaf(0), Leaf(2)),
    ];
    let leaves = vec![leaf(None), leaf(Some(0)), leaf(Some(1)), leaf(Some(2))];
    let portals = recover(&level_of(nodes, leaves, 3));
    let mut found: Vec<_> = portals.iter().map(|p| p.cells).collect();
    found.sort_unstable();
    assert_eq!(found, [[0, 1], [1, 2]]);
    for portal in &portals {
        let mut corners = portal.winding.clone();
        corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let x = corners[0][0];
        assert_eq!(
            corners,
            [
                [x, -8.0, 0.0],
                [x, -8.0, 32.0],
                [x, 8.0, 0.0],
                [x, 8.0, 32.0]
            ]
        );
    }
}

#[test]
fn a_tree_as_deep_as_it_has_nodes_is_no_trouble() {
    let count = 3000;
    let nodes: Vec<BspNode> = (0..count)
        .map(|i| BspNode {
            normal: [1.0, 0.0, 0.0],
            dist: f64::from(i) / 100.0,
            children: [
                if i + 1 == count {
                    BspChild::Leaf(count)
                } else {
                    BspChild::Node(i + 1)
                },
                BspChild::Leaf(i),
            ],
        })
        .collect();
    let leaves: Vec<BspLeaf> = (0..=count).map(|i| leaf(Some(i))).collect();
    let portals = recover(&level_of(nodes, leaves, count as usize + 1));
    assert_eq!(portals.len(), count as usize);
    assert!(recover(&CellGraph::new(3)).is_empty());
}
