//! Flow: nothing that is seen is called hidden, whoever computes it and however often it is
//! interrupted.

use std::ops::ControlFlow;

use proptest::prelude::*;
use viewcell_bake::visibility::portals::{
    FlowError, FlowMethod, FlowOptions, ON_PLANE, Sightlines, flow,
};
use viewcell_ingest::world::{BitMatrix, CellGraph, Portal};

use super::common::{bsp_as_portal_file, portal_file, pvs, rooms};

/// Distance from the edges of portals at which a line of sight counts as found.
const CLEARANCE: f64 = 1.5 * ON_PLANE;

fn in_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

fn ones(pvs: &BitMatrix) -> Vec<(usize, usize)> {
    (0..pvs.n())
        .flat_map(|a| pvs.ones(a).map(move |b| (a, b)))
        .collect()
}

#[test]
fn a_wall_between_two_doors_hides_and_a_straight_row_of_doors_does_not() {
    let straight = [[0.0, 0.0], [2.0, 4.0]];
    let pvs_of = |doors: &[[[f64; 2]; 2]]| pvs(&rooms(doors), FlowMethod::Full);
    assert_eq!(pvs_of(&[straight; 5]).count_ones(), 36);

    // Through a door on the left, and one far on the right, nobody sees the left of the next.
    let right = [[6.0, 0.0], [8.0, 4.0]];
    let seen = pvs_of(&[straight, right, straight]);
    let hidden: Vec<_> = (0..4)
        .flat_map(|a| (0..4).map(move |b| (a, b)))
        .filter(|&(a, b)| !seen.get(a, b))
        .collect();
    assert_eq!(hidden, [(0, 3), (3, 0)]);
}

#[test]
fn doors_that_touch_in_a_line_of_sight_of_no_width_hide() {
    // The second door begins where the first ends: only lines in the plane between lead on.
    let doors = [
        [[0.0, 0.0], [2.0, 4.0]],
        [[2.0, 0.0], [4.0, 4.0]],
        [[0.0, 0.0], [2.0, 4.0]],
    ];
    assert!(!pvs(&rooms(&doors), FlowMethod::Full).get(0, 3));
    // A little more room than the tolerance, and they see each other.
    let doors = [
        [[0.0, 0.0], [2.0, 4.0]],
        [[1.99, 0.0], [4.0, 4.0]],
        [[0.0, 0.0], [2.0, 4.0]],
    ];
    assert!(pvs(&rooms(&doors), FlowMethod::Full).get(0, 3));
}

#[test]
fn levels_without_portals_or_with_wrong_ones() {
    let alone = pvs(&CellGraph::new(3), FlowMethod::Full);
    assert_eq!(ones(&alone), [(0, 0), (1, 1), (2, 2)]);

    let mut graph = rooms(&[[[0.0, 0.0], [2.0, 4.0]]]);
    let line = vec![[8.0, 0.0, 0.0], [8.0, 1.0, 0.0], [8.0, 2.0, 0.0]];
    graph.portals[0].winding = line;
    assert_eq!(ones(&pvs(&graph, FlowMethod::Full)), [(0, 0), (1, 1)]);

    graph.portals[0].cells = [0, 2];
    let error = flow(&graph, &FlowOptions::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(error, Err(FlowError::Cell { portal: 0, .. })));
}

/// Ordered pairs that see each other by our full flow and not by theirs (extra), and by theirs and
/// not by ours (missing).
///
/// Theirs is the visdata of the level. It has one-way pairs, of which one direction is wrong; ours
/// has none. Their tolerance hides what is seen through slits of up to 0.1.
#[test]
fn levels_compared_with_the_visibility_that_their_compilers_found() {
    let counts = [
        ("hl-bsp30/lqdm11", [79, 23]),
        ("q1-2psb/q1_detail_fence", [0, 0]),
        ("q1-bsp29/light_general", [0, 0]),
        ("q1-bsp29/lqdm11", [71, 29]),
        ("q1-bsp29/dm4", [79, 98]),
        ("q1-bsp29/e1m1", [534, 979]),
        ("q2-ibsp38/dm4", [78, 126]),
        ("q2-ibsp38/e1m1", [528, 949]),
        ("q2-ibsp38/q2_areaportals", [0, 0]),
        ("q3-ibsp46/stormkeep-own", [286, 797]),
    ];
    for (name, expected) in counts {
        assert_eq!(compared(name).unwrap_or(expected), expected, "{name}");
    }
}

/// Run by `scripts/check cells`.
#[test]
#[ignore = "takes minutes: scripts/check cells"]
fn large_levels_compared_with_the_visibility_that_their_compilers_found() {
    for (name, expected) in [
        ("q1-bsp29/lqdm13", [459, 1812]),
        ("q1-bsp29/lq_e0m2", [311, 2723]),
        ("q1-bsp29/lq_e4m4", [4406, 14245]),
    ] {
        assert_eq!(compared(name).unwrap_or(expected), expected, "{name}");
    }
}

/// Extra and missing pairs of a level; shows each missing one hidden by a search for a line of
/// sight.
fn compared(name: &str) -> Option<[u32; 2]> {
    let file = portal_file(name)?;
    let theirs = bsp_as_portal_file(name, &file)?.pvs.unwrap();
    let graph = file.into_graph();
    let ours = pvs(&graph, FlowMethod::Full);
    assert!(ours.is_symmetric(), "{name}");
    let fast = pvs(&graph, FlowMethod::Fast);
    assert!(ones(&ours).iter().all(|&(a, b)| fast.get(a, b)), "{name}");

    let mut search = Sightlines::new(&graph, CLEARANCE, 1);
    let mut found = [0, 0];
    for (a, b) in (0..graph.cells).flat_map(|a| (0..graph.cells).map(move |b| (a, b))) {
        match (ours.get(a, b), theirs.get(a, b)) {
            (true, false) if a != b => found[0] += 1,
            (false, true) => {
                found[1] += 1;
                let line = search.between(a as u32, b as u32, 1000);
                assert_eq!(line, None, "{name}: {a} sees {b}");
            }
            _ => {}
        }
    }
    let counts = [&ours, &theirs].map(BitMatrix::count_ones);
    println!(
        "{name}: ours {}, theirs {}, extra and missing {found:?}",
        counts[0], counts[1]
    );
    Some(found)
}

#[test]
fn lines_at_random_find_nothing_that_is_hidden() {
    for name in "q1-bsp29/lqdm11 q1-bsp29/dm4 q2-ibsp38/dm4 q3-ibsp46/stormkeep-own".split(' ') {
        let Some(file) = portal_file(name) else {
            continue;
        };
        let graph = file.into_graph();
        let ours = pvs(&graph, FlowMethod::Full);
        let mut search = Sightlines::new(&graph, CLEARANCE, 2);
        let mut met = BitMatrix::new(graph.cells);
        for _ in 0..200_000 {
            let cells = search.cast();
            for (i, &a) in cells.iter().enumerate() {
                for &b in &cells[i..] {
                    assert!(ours.get(a as usize, b as usize), "{name}: {a} sees {b}");
                    met.set(a as usize, b as usize);
                    met.set(b as usize, a as usize);
                }
            }
        }
        // The hunt is worth something: it meets most of what is visible.
        let share = met.count_ones() as f64 / ours.count_ones() as f64;
        assert!(share > 0.5, "{name}: {share:.3}");
    }
}

#[test]
fn one_thread_two_and_five_find_the_same() {
    let Some(file) = portal_file("q1-bsp29/lqdm11") else {
        return;
    };
    let graph = file.into_graph();
    let one = in_threads(1, || pvs(&graph, FlowMethod::Full));
    for threads in [2, 5] {
        assert_eq!(in_threads(threads, || pvs(&graph, FlowMethod::Full)), one);
    }
}

#[test]
fn a_flow_that_was_killed_anywhere_goes_on_and_finds_the_same() {
    let Some(file) = portal_file("q1-bsp29/lqdm11") else {
        return;
    };
    let graph = file.into_graph();
    let whole = pvs(&graph, FlowMethod::Full);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.checkpoint");
    let options = FlowOptions {
        method: FlowMethod::Full,
        checkpoint: Some(&path),
    };
    // Each run is stopped after some batches more, and loses a different part of the file.
    for (batches, lost) in [(1, 0), (3, 5), (4, 8), (7, 1000), (9, 0)] {
        let mut left = batches;
        let stopped = flow(&graph, &options, &mut |_| {
            left -= 1;
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(matches!(stopped, Err(FlowError::Stopped)));
        let length = std::fs::metadata(&path).unwrap().len();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(length - lost).unwrap();
    }
    // A byte in the last batch that a failing disk has turned.
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let mut steps = Vec::new();
    let resumed = flow(&graph, &options, &mut |at| {
        steps.push(at);
        ControlFlow::Continue(())
    });
    assert_eq!(resumed.unwrap(), whole);
    assert!(steps.windows(2).all(|pair| pair[0].done < pair[1].done));
    assert_eq!(steps.last().unwrap().done, steps.last().unwrap().total);

    let other = rooms(&[[[0.0, 0.0], [2.0, 4.0]]]);
    let refused = flow(&other, &options, &mut |_| ControlFlow::Continue(()));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("found that of other portals"), "{message}");
    std::fs::write(&path, b"something else that somebody needs").unwrap();
    let refused = flow(&graph, &options, &mut |_| ControlFlow::Continue(()));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("found another file"), "{message}");
    assert_eq!(
        std::fs::read(&path).unwrap(),
        b"something else that somebody needs"
    );
}

/// A block of 3 × 3 × 3 cubes with a window somewhere in each wall.
fn blocks() -> impl Strategy<Value = CellGraph> {
    let window = (0.0..0.9f64, 0.0..0.9f64, 0.05..1.0f64, 0.05..1.0f64);
    prop::collection::vec(prop::option::weighted(0.8, window), 54).prop_map(|windows| {
        let mut portals = Vec::new();
        let mut windows = windows.into_iter();
        let cell = |c: [usize; 3]| (c[0] + 3 * c[1] + 9 * c[2]) as u32;
        for axis in 0..3 {
            for i in 0..27 {
                let from = [i % 3, i / 3 % 3, i / 9];
                if from[axis] == 2 {
                    continue;
                }
                let mut to = from;
                to[axis] += 1;
                let Some((u, v, w, h)) = windows.next().flatten() else {
                    continue;
                };
                let (u1, v1) = ((u + w).min(1.0), (v + h).min(1.0));
                let corner = |a: f64, b: f64| {
                    let mut p = from.map(|x| x as f64);
                    p[axis] += 1.0;
                    p[(axis + 1) % 3] += a;
                    p[(axis + 2) % 3] += b;
                    p.map(|x| 64.0 * x)
                };
                portals.push(Portal {
                    cells: [cell(from), cell(to)],
                    winding: vec![corner(u, v), corner(u1, v), corner(u1, v1), corner(u, v1)],
                });
            }
        }
        CellGraph {
            adjacency: CellGraph::adjacency_of(&portals),
            portals,
            ..CellGraph::new(27)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_line_leads_through_windows_of_cubes_to_what_is_hidden(
        graph in blocks(),
        seed in any::<u64>(),
    ) {
        let ours = pvs(&graph, FlowMethod::Full);
        prop_assert!(ours.is_symmetric());
        let mut search = Sightlines::new(&graph, CLEARANCE, seed);
        for _ in 0..2000 {
            let cells = search.cast();
            if let (Some(&a), Some(&b)) = (cells.first(), cells.last()) {
                prop_assert!(ours.get(a as usize, b as usize), "{} sees {}", a, b);
            }
        }
        for (a, b) in (0..27).flat_map(|a| (0..a).map(move |b| (a, b))) {
            if !ours.get(a, b) {
                prop_assert_eq!(search.between(a as u32, b as u32, 20), None);
            }
        }
    }
}
