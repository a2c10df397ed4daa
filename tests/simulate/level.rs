//! Sight with a look-ahead in levels: beside a slow twin, and beside players who walk.

use std::collections::BTreeSet;

use viewcell::dice::Dice;
use viewcell::query::{Bundle, CellBundle, MappedBundle};

pub const LEVEL: &[u8] = include_bytes!("../golden/v1/level.vcb");

fn golden() -> CellBundle<'static> {
    Bundle::from_bytes(LEVEL).unwrap().cells().unwrap()
}

type Corners = [[f64; 3]; 2];

fn corners(level: &CellBundle, cell: u32) -> Corners {
    let everything = [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]];
    let corners = level.bounds(cell).unwrap_or(everything);
    corners.map(|corner| corner.map(f64::from))
}

fn gap(a: Corners, b: Corners) -> f64 {
    let side = |i: usize| (b[0][i] - a[1][i]).max(a[0][i] - b[1][i]).max(0.0);
    (0..3).map(|i| side(i) * side(i)).sum::<f64>().sqrt()
}

/// The cells within reach, by going through all pairs of cells over and over until nothing is news.
fn slow_reach(level: &CellBundle, start: u32, reach: f64) -> BTreeSet<u32> {
    let from = corners(level, start);
    let mut found = BTreeSet::from([start]);
    if reach <= 0.0 {
        return found;
    }
    loop {
        let next = (0..level.cells()).find(|&cell| {
            let here = corners(level, cell);
            let near = gap(from, here) < reach || reach == f64::INFINITY;
            let touches = |&other: &u32| gap(here, corners(level, other)) <= 1.0 / 64.0;
            near && !found.contains(&cell) && found.iter().any(touches)
        });
        let Some(next) = next else {
            return found;
        };
        found.insert(next);
    }
}

#[test]
fn reaches_are_those_of_the_slow_twin() {
    let level = golden();
    let mut memory = vec![!0; level.reach_memory()];
    for start in 0..level.cells() {
        for reach in [0.0, 1.0, 20.0, 64.0, 100.0, 300.0, f64::INFINITY] {
            let expected = slow_reach(&level, start, reach);
            let found = level.reach(start, reach, &mut memory).unwrap();
            let found: BTreeSet<u32> = (0..level.cells()).filter(|c| found.contains(*c)).collect();
            assert_eq!(found, expected, "cell {start}, reach {reach}");
        }
    }
}

#[test]
fn two_may_see_each_other_if_any_cells_in_reach_do() {
    let level = golden();
    for a in 0..level.cells() {
        for b in 0..level.cells() {
            for reach in [[0.0, 0.0], [64.0, 0.0], [30.0, 100.0]] {
                let (of_a, of_b) = (
                    slow_reach(&level, a, reach[0]),
                    slow_reach(&level, b, reach[1]),
                );
                let expected = of_a.iter().any(|&p| {
                    of_b.iter()
                        .any(|&q| level.visible(p, q) || level.visible(q, p))
                });
                let found = level.visible_within(a, b, reach);
                assert_eq!(found, expected, "{a} {b} {reach:?}");
            }
        }
    }
}

#[test]
fn whoever_walks_less_than_the_reach_stays_in_it() {
    let Some(traces) = crate::traces::traces() else {
        return;
    };
    let folder = crate::common::Folder::new();
    let bsp = traces.join("maps/dm2.bsp");
    let bsp = bsp.to_str().unwrap();
    // With and without knowing which cells touch.
    folder.ok(&["bake", "cells", bsp, "-o", "dm2.vcb", "--quiet"]);
    folder.ok(&[
        "bake",
        "cells",
        bsp,
        "-o",
        "portals.vcb",
        "--portals",
        "--quiet",
    ]);
    for name in ["dm2.vcb", "portals.vcb"] {
        let map = MappedBundle::open(folder.path(name)).unwrap();
        walk(&map.bundle().unwrap().cells().unwrap());
    }
}

fn walk(level: &CellBundle) {
    let mut memory = vec![!0; level.reach_memory()];
    let mut dice = Dice(11);
    let mut walked = 0;
    for start in 0..level.cells() {
        let [low, high] = corners(level, start);
        for _ in 0..12 {
            let within = |i: usize, dice: &mut Dice| low[i] + dice.fraction() * (high[i] - low[i]);
            let mut at = [0, 1, 2].map(|i| within(i, &mut dice));
            if level.locate(at) != Some(start) {
                continue;
            }
            let reach = 200.0 * dice.fraction();
            let mut left = reach * 0.999;
            for _ in 0..4 {
                let far = left * dice.fraction();
                let way = [0, 1, 2].map(|_| dice.fraction() - 0.5);
                let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
                let to = [0, 1, 2].map(|i| at[i] + way[i] / length * far);
                // Nobody walks through walls.
                if level.along(at, to).all(|part| part.cell.is_some()) {
                    at = to;
                    left -= far;
                    walked += 1;
                }
            }
            let found = level.reach(start, reach, &mut memory).unwrap();
            let end = level.locate(at);
            assert!(
                end.is_none_or(|end| found.contains(end)),
                "{start} {reach} {end:?}"
            );
        }
    }
    assert!(walked > 100, "only {walked} steps");
}

#[test]
fn memory_that_is_too_short_is_told_of() {
    let level = golden();
    let words = level.reach_memory();
    let mut memory = vec![0; words - 1];
    let short = level.reach(0, 9.0, &mut memory);
    assert!(short.is_err_and(|error| error.expected == words && error.found == words - 1));
}
