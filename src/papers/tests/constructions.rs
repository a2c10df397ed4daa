//! Frontiers between cells by every construction: as defined, and no cell of one region sees any of the other.

#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/common/data.rs"]
mod data;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/portals/rows.rs"]
mod rows;

use proptest::prelude::*;
use viewcell::format::cells::PvsRow;
use viewcell_ingest::world::{BitMatrix, ones};
use viewcell_papers::constructions::{Regions, grow, spread, widen};

use rows::{Level, worlds};

impl Level {
    /// Neighbours at made-up distances, some of them equal.
    fn distant(&self, cell: u32) -> impl Iterator<Item = (u32, f64)> {
        let length = move |next: u32| f64::from((7 * cell + 7 * next) % 5) + 0.5;
        let neighbours = &self.neighbours[cell as usize];
        neighbours.iter().map(move |&next| (next, length(next)))
    }

    /// The regions of [`spread`], by a list of all that waits.
    fn spread_slowly(&self, seeds: [u32; 2]) -> [Vec<usize>; 2] {
        let mut waiting = vec![(0, 0, 0, seeds[0]), (0, 1, 1, seeds[1])];
        let (mut offers, mut tried) = (2, Vec::new());
        let mut regions = [vec![], vec![]];
        while let Some(&first) = waiting.iter().min() {
            waiting.retain(|other| *other != first);
            let (far, _, side, cell) = first;
            if tried.contains(&(side, cell)) {
                continue;
            }
            tried.push((side, cell));
            let other: &Vec<usize> = &regions[1 - side];
            if other.iter().any(|&c| self.pvs.get(c, cell as usize)) {
                continue;
            }
            regions[side].push(cell as usize);
            for (next, length) in self.distant(cell) {
                waiting.push((far + (16.0 * length) as u64 + 1, offers, side, next));
                offers += 1;
            }
        }
        regions.map(|mut region| {
            region.sort_unstable();
            region
        })
    }

    fn grown(&self, pair: [u32; 2]) -> Regions {
        let neighbours = |c: u32| self.neighbours[c as usize].iter().copied();
        grow(self.cells(), pair, |c| self.row(c), neighbours)
    }

    fn widened(&self, [a, b]: [u32; 2]) -> Regions {
        let row = |c| self.row(c);
        widen(self.cells(), [&[a], &[b]], row, |c| self.distant(c))
    }
}

fn listed(regions: &Regions) -> [Vec<usize>; 2] {
    regions.each_ref().map(|region| ones(region).collect())
}

proptest! {
    #[test]
    fn grown_regions_are_connected_and_can_grow_no_more((pvs, adjacency) in worlds()) {
        let level = Level::new(&pvs, &adjacency, None);
        for (a, b) in level.pairs().filter(|(a, b)| !level.pvs.get(*a as usize, *b as usize)) {
            let grown = level.grown([a, b]);
            prop_assert_eq!(level.leaks([&grown[0], &grown[1]]), vec![]);
            let regions = listed(&grown);
            for (i, start) in [a, b].into_iter().enumerate() {
                prop_assert!(regions[i].contains(&(start as usize)));
                let mut reached = vec![start];
                let mut head = 0;
                while head < reached.len() {
                    for &next in &level.neighbours[reached[head] as usize] {
                        let inside = regions[i].contains(&(next as usize));
                        if inside && !reached.contains(&next) {
                            reached.push(next);
                        }
                        let sees = |&c: &usize| level.pvs.get(next as usize, c);
                        prop_assert!(inside || regions[1 - i].iter().any(sees));
                    }
                    head += 1;
                }
                prop_assert_eq!(reached.len(), regions[i].len());
            }
        }
    }

    #[test]
    fn widened_regions_are_all_that_the_other_does_not_see((pvs, adjacency) in worlds()) {
        let level = Level::new(&pvs, &adjacency, None);
        let n = level.cells();
        for (a, b) in level.pairs().filter(|(a, b)| !level.pvs.get(*a as usize, *b as usize)) {
            let wide = level.widened([a, b]);
            prop_assert_eq!(level.leaks([&wide[0], &wide[1]]), vec![]);
            let grown = level.spread_slowly([a, b]);
            let unseen = |region: &[usize]| -> Vec<usize> {
                let all = 0..n as usize;
                all.filter(|&d| region.iter().all(|&c| !level.pvs.get(c, d))).collect()
            };
            let first = unseen(&grown[1]);
            let regions = listed(&wide);
            prop_assert_eq!(&regions, &[first.clone(), unseen(&first)]);
            for i in [0, 1] {
                prop_assert!(grown[i].iter().all(|cell| regions[i].contains(cell)));
            }
            let found = spread(n, [&[a], &[b]], |c| level.row(c), |c| level.distant(c));
            prop_assert_eq!(listed(&found), grown);
        }
    }
}

/// What is not there is visible: no region that rests on it. Boxes of a damaged bundle may lie anywhere.
#[test]
fn regions_of_rows_that_are_missing_or_infinitely_far_apart() {
    let nothing = |_| PvsRow::new(&[], 70);
    let alone = grow(70, [3, 60], nothing, |_| [4].into_iter());
    assert_eq!(listed(&alone), [vec![3], vec![60]]);
    let sees_itself = [0b001_u64, 0b010, 0b100].map(u64::to_le_bytes);
    let pvs = |cell: u32| PvsRow::new(&sees_itself[cell as usize], 3);
    let all = |_| (0..3).map(|cell| (cell, f64::INFINITY));
    let [ab, ba] = spread(3, [&[0], &[2]], pvs, all);
    assert_eq!((ab[0] & 0b101, ba[0] & 0b101), (0b001, 0b100));
    assert_eq!(ab[0] | ba[0], 0b111, "the middle is one's or the other's");
}

#[test]
fn real_levels_leak_nothing_in_a_sample_of_pairs() {
    for name in ["q1-bsp29/dm4.bsp", "q1-bsp29/lq_e0m2.bsp"] {
        let Some(level) = Level::real(name) else {
            continue;
        };
        let n = u64::from(level.cells());
        let pairs = (0..300_u64).map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            [(mixed % n) as u32, (mixed / n % n) as u32]
        });
        for pair in pairs.filter(|[a, b]| !level.pvs.get(*a as usize, *b as usize)) {
            for [ab, ba] in [level.grown(pair), level.widened(pair)] {
                assert!(!level.leaks_at_all([&ab, &ba]), "{name} {pair:?}");
            }
        }
    }
}

/// Cells of one kind of each that the equations do not tell apart.
#[test]
fn a_line_of_cells_is_cut_in_the_middle() {
    let pvs = BitMatrix::from_fn(12, |a, b| a.abs_diff(b) < 2);
    let adjacency: Vec<[u32; 2]> = (1..12).map(|cell| [cell - 1, cell]).collect();
    let level = Level::new(&pvs, &adjacency, None);
    let [ab, ba] = listed(&level.grown([0, 11]));
    assert_eq!((ab, ba), ((0..6).collect(), (7..12).collect()));
}
