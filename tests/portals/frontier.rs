//! Frontiers between cells: no cell of one region sees any of the other.

use proptest::prelude::*;
use viewcell::format::cells::{DistanceBits, DistanceRow, PvsRow};
use viewcell::frontier::cells::{
    Construction, Frontier, ShortMemory, by_distance, grow, spread, tightened, widen,
};
use viewcell_bake::hierarchy::epvs::{Epvs, UNREACHABLE};
use viewcell_bake::visibility::portals::recover;
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::{BitMatrix, CellGraph, ones};

use super::common::level;

const ALL: [Construction; 4] = Construction::ALL;

/// The rows that a bundle would hold.
struct Level {
    pvs: BitMatrix,
    bytes: Vec<u8>,
    bits: DistanceBits,
    distances: Vec<Vec<u8>>,
    neighbours: Vec<Vec<u32>>,
}

impl Level {
    /// Of a PVS that is made symmetric.
    fn new(pvs: &BitMatrix, adjacency: &[[u32; 2]], bits: Option<DistanceBits>) -> Self {
        let mut pvs = pvs.or_with_transpose();
        pvs.set_diagonal();
        let epvs = Epvs::new(&pvs);
        let bits = bits.unwrap_or(DistanceBits::for_greatest(epvs.greatest()));
        let cells = pvs.n() as u32;
        let rows = epvs.row_of().iter().map(|&row| {
            let mut bytes = vec![0; bits.row_len(cells)];
            for (cell, &distance) in (0..).zip(epvs.row(row as usize)) {
                let code = match distance {
                    UNREACHABLE => bits.unreachable(),
                    distance => distance.into(),
                };
                bits.put(&mut bytes, cell, code);
            }
            bytes
        });
        let distances = rows.collect();
        let mut neighbours = vec![Vec::new(); pvs.n()];
        for &[a, b] in adjacency {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        Self {
            bytes: pvs
                .rows()
                .flatten()
                .flat_map(|word| word.to_le_bytes())
                .collect(),
            pvs,
            bits,
            distances,
            neighbours,
        }
    }

    fn cells(&self) -> u32 {
        self.pvs.n() as u32
    }

    fn row(&self, cell: u32) -> PvsRow<'_> {
        let length = 8 * self.pvs.stride();
        PvsRow::new(
            &self.bytes[cell as usize * length..][..length],
            self.cells(),
        )
    }

    fn distances(&self, cell: u32) -> DistanceRow<'_> {
        DistanceRow::new(&self.distances[cell as usize], self.bits, self.cells())
    }

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

    /// As a bundle answers.
    fn frontier<'m>(
        &self,
        a: u32,
        b: u32,
        construction: Construction,
        memory: &'m mut [u64],
    ) -> Result<Option<Frontier<'m>>, ShortMemory> {
        if self.pvs.get(a as usize, b as usize) {
            return Ok(None);
        }
        let rows = [self.distances(a), self.distances(b)];
        match construction {
            Construction::Published => by_distance([a, b], rows, memory),
            Construction::Tightened => tightened([a, b], rows, |c| self.row(c), memory),
            Construction::Grown => {
                let neighbours = |c: u32| self.neighbours[c as usize].iter().copied();
                grow(self.cells(), [a, b], |c| self.row(c), neighbours, memory)
            }
            Construction::Widened => {
                let neighbours = |c| self.distant(c);
                widen(
                    self.cells(),
                    [&[a], &[b]],
                    |c| self.row(c),
                    neighbours,
                    memory,
                )
            }
        }
    }

    /// Whether a cell of F_AB sees a cell of F_BA.
    fn leaks_at_all(&self, frontier: &Frontier) -> bool {
        ones(frontier.ab).any(|a| {
            let mut both = self.pvs.row(a).iter().zip(frontier.ba);
            both.any(|(row, ba)| row & ba != 0)
        })
    }

    /// Cells of F_AB that see a cell of F_BA.
    fn leaks(&self, frontier: &Frontier) -> Vec<(usize, usize)> {
        let see = |a| {
            let both = self.pvs.row(a).iter().zip(frontier.ba);
            let seen: Vec<u64> = both.map(|(row, ba)| row & ba).collect();
            ones(&seen).map(|b| (a, b)).collect::<Vec<_>>()
        };
        ones(frontier.ab).flat_map(see).collect()
    }
}

/// EQ 1 and EQ 2, word for word, with `None` for infinity.
fn published(epvs: &Epvs, a: usize, b: usize) -> [Vec<usize>; 2] {
    let less = |x: Option<u32>, y: Option<u32>, by: u32| match (x, y) {
        (Some(x), Some(y)) => x + by <= y,
        (Some(_), None) => true,
        (None, _) => false,
    };
    let cells = 0..epvs.cells();
    let distance = |from, to| epvs.distance(from, to);
    [
        // dist(A,C) <= dist(B,C) - 1
        cells
            .clone()
            .filter(|&c| less(distance(a, c), distance(b, c), 1))
            .collect(),
        // dist(B,D) < dist(A,D) - 1
        cells
            .filter(|&d| less(distance(b, d), distance(a, d), 2))
            .collect(),
    ]
}

fn worlds() -> impl Strategy<Value = (BitMatrix, Vec<[u32; 2]>)> {
    // Cells in a ring or two that see a few steps ahead, and some chords.
    (2_u32..150, 1_u32..4, 0_usize..6, any::<u64>()).prop_map(|(n, sight, chords, seed)| {
        let mut state = seed | 1;
        let mut roll = |n: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % u64::from(n)) as u32
        };
        let gap = roll(n);
        let mut adjacency = Vec::new();
        let mut pvs = BitMatrix::new(n as usize);
        for a in 0..n {
            if a + 1 < n && a != gap {
                adjacency.push([a, a + 1]);
            }
            for b in a..n.min(a + sight + 1) {
                if !(a <= gap && gap < b) {
                    pvs.set(a as usize, b as usize);
                }
            }
        }
        for _ in 0..chords {
            let (a, b) = (roll(n), roll(n));
            pvs.set(a as usize, b as usize);
            if a < b {
                adjacency.push([a, b]);
            }
        }
        (pvs, adjacency)
    })
}

proptest! {
    #[test]
    fn regions_are_those_of_the_equations_and_never_leak((pvs, adjacency) in worlds()) {
        let level = Level::new(&pvs, &adjacency, None);
        let n = level.cells();
        let epvs = Epvs::new(&level.pvs);
        let mut memory = vec![u64::MAX; Construction::Widened.words(n)];
        for (a, b) in (0..n.min(12)).flat_map(|a| (0..n).rev().take(12).map(move |b| (a, b))) {
            for construction in ALL {
                let frontier = level.frontier(a, b, construction, &mut memory).unwrap();
                prop_assert_eq!(frontier.is_none(), level.pvs.get(a as usize, b as usize));
                let Some(frontier) = frontier else { continue };
                prop_assert_eq!(level.leaks(&frontier), vec![]);
                let regions = [frontier.ab, frontier.ba].map(|r| ones(r).collect::<Vec<_>>());
                prop_assert!(regions[0].contains(&(a as usize)));
                prop_assert!(regions[1].contains(&(b as usize)));
                prop_assert!(regions.iter().flatten().all(|&c| c < n as usize));
                let by_words = published(&epvs, a as usize, b as usize);
                match construction {
                    Construction::Published => prop_assert_eq!(&regions, &by_words),
                    Construction::Tightened => {
                        let unseen = (0..n as usize)
                            .filter(|&d| by_words[0].iter().all(|&c| !level.pvs.get(c, d)));
                        prop_assert_eq!(&regions, &[by_words[0].clone(), unseen.collect()]);
                    }
                    Construction::Grown => for (i, start) in [a, b].into_iter().enumerate() {
                        // Connected, and nothing on the rim could be taken in.
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
                    },
                    Construction::Widened => {
                        let grown = level.spread_slowly([a, b]);
                        let unseen = |region: &[usize]| -> Vec<usize> {
                            let all = 0..n as usize;
                            all.filter(|&d| region.iter().all(|&c| !level.pvs.get(c, d))).collect()
                        };
                        let first = unseen(&grown[1]);
                        prop_assert_eq!(&regions, &[first.clone(), unseen(&first)]);
                        for i in [0, 1] {
                            prop_assert!(grown[i].iter().all(|cell| regions[i].contains(cell)));
                        }
                        let neighbours = |c| level.distant(c);
                        let spread = spread(n, [&[a], &[b]], |c| level.row(c), neighbours, &mut memory);
                        let spread = spread.unwrap().unwrap();
                        let found = [spread.ab, spread.ba].map(|r| ones(r).collect::<Vec<_>>());
                        prop_assert_eq!(found, grown);
                    }
                }
            }
        }
    }

    #[test]
    fn distances_of_every_width_give_the_same_regions((pvs, _) in worlds()) {
        let widths = [DistanceBits::Eight, DistanceBits::Sixteen];
        let levels = widths.map(|bits| Level::new(&pvs, &[], Some(bits)));
        let narrow = Level::new(&pvs, &[], None);
        let n = narrow.cells();
        let words = Construction::Published.words(n);
        let (mut memory, mut other) = (vec![0; words], vec![0; words]);
        for (a, b) in (0..n.min(12)).flat_map(|a| (0..n).rev().take(12).map(move |b| (a, b))) {
            let expected = narrow.frontier(a, b, Construction::Published, &mut memory).unwrap();
            for level in &levels {
                let found = level.frontier(a, b, Construction::Published, &mut other).unwrap();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_row_meets_a_bitmap_if_they_have_a_cell_in_common(
        bits in prop::collection::vec((0_usize..700, any::<bool>()), 0..6),
        words in 0_usize..12,
        cut in 0_usize..3,
        first in 0_usize..20,
    ) {
        let mut rows = [vec![0_u64; words], vec![0_u64; words]];
        for (bit, own) in bits {
            if let Some(word) = rows[usize::from(own)].get_mut(bit / 64) {
                *word |= 1 << (bit % 64);
            }
        }
        let expected = rows[0].iter().zip(&rows[1]).any(|(a, b)| a & b != 0);
        let bytes: Vec<u8> = rows[0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let row = PvsRow::new(&bytes, 64 * words as u32);
        prop_assert_eq!(row.meets(&rows[1], first), expected);
        // What is not there is visible.
        let short = PvsRow::new(&bytes[..bytes.len().saturating_sub(cut)], 64 * words as u32);
        prop_assert_eq!(short.meets(&rows[1], first), expected || words > 0 && cut > 0);
    }
}

#[test]
fn too_little_memory_and_rows_that_are_cut_short() {
    let pvs = BitMatrix::from_fn(70, |a, b| a.abs_diff(b) < 2);
    let mut level = Level::new(&pvs, &[[3, 4]], None);
    for construction in ALL {
        let words = construction.words(70);
        let mut memory = vec![0; words - 1];
        let error = level
            .frontier(3, 60, construction, &mut memory)
            .unwrap_err();
        assert_eq!((error.expected, error.found), (words, words - 1));
        assert!(error.to_string().contains("words for a frontier"));
    }
    // What is not there is visible: no region that rests on it.
    level.distances[60].pop();
    let mut memory = vec![0; Construction::Grown.words(70)];
    for construction in [Construction::Published, Construction::Tightened] {
        assert_eq!(level.frontier(3, 60, construction, &mut memory), Ok(None));
    }
    let nothing = |_| PvsRow::new(&[], 70);
    let alone = grow(70, [3, 60], nothing, |_| [4].into_iter(), &mut memory)
        .unwrap()
        .unwrap();
    let [ab, ba] = [alone.ab, alone.ba].map(|region| ones(region).collect::<Vec<_>>());
    assert_eq!((ab, ba), (vec![3], vec![60]));
}

/// A real level, with the pairs that its portals join.
fn real(name: &str) -> Option<Level> {
    let path = level(name)?;
    let mut graph = read_cells(&path, &IngestCellsOptions::default())
        .unwrap()
        .graph;
    graph.portals = recover(&graph);
    let adjacency = CellGraph::adjacency_of(&graph.portals);
    Some(Level::new(&graph.pvs.unwrap(), &adjacency, None))
}

/// Holds pairs of a level against the definition.
fn hunt(name: &str, level: &Level, pairs: impl Iterator<Item = (u32, u32)>) -> String {
    let n = level.cells();
    let mut memory = vec![0; Construction::Widened.words(n)];
    let mut asked = 0_u64;
    let mut sizes = [[0_u64; 2]; 4];
    for (a, b) in pairs {
        asked += u64::from(!level.pvs.get(a as usize, b as usize));
        for (construction, sizes) in ALL.into_iter().zip(&mut sizes) {
            let Some(frontier) = level.frontier(a, b, construction, &mut memory).unwrap() else {
                assert!(level.pvs.get(a as usize, b as usize), "{name}: {a} {b}");
                continue;
            };
            if level.leaks_at_all(&frontier) {
                let leaks = level.leaks(&frontier);
                panic!("{name}: {construction:?} {a} {b}: {leaks:?}");
            }
            for (size, region) in sizes.iter_mut().zip([frontier.ab, frontier.ba]) {
                *size += region
                    .iter()
                    .map(|word| u64::from(word.count_ones()))
                    .sum::<u64>();
            }
        }
    }
    let columns = sizes.iter().map(|[ab, ba]| {
        let share = |sum: &u64| 100.0 * *sum as f64 / asked.max(1) as f64 / f64::from(n);
        format!("{:.1} + {:.1}", share(ab), share(ba))
    });
    let columns: Vec<String> = columns.collect();
    format!("| {name} | {n} | {asked} | {} |", columns.join(" | "))
}

#[test]
fn real_levels_leak_nothing_in_a_sample_of_pairs() {
    for name in [
        "q1-bsp29/dm4.bsp",
        "q1-bsp29/lqdm13.bsp",
        "q1-bsp29/lq_e0m2.bsp",
    ] {
        let Some(level) = real(name) else { continue };
        let n = u64::from(level.cells());
        let pairs = (0..2_000_u64).map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            ((mixed % n) as u32, (mixed / n % n) as u32)
        });
        hunt(name, &level, pairs);
    }
}

/// Run by `scripts/check cells`.
#[test]
#[ignore = "takes minutes: scripts/check cells"]
fn real_levels_leak_nothing() {
    let Some(folder) = level("") else { return };
    println!("Hidden pairs asked for, and F_AB + F_BA in % of the level's cells.\n");
    println!("| level | cells | hidden pairs | published | tightened | grown | widened |");
    println!("|---|---|---|---|---|---|---|");
    let mut names: Vec<String> = Vec::new();
    for kind in std::fs::read_dir(&folder).unwrap() {
        let kind = kind.unwrap().path();
        let files = std::fs::read_dir(&kind).into_iter().flatten();
        let paths = files.map(|file| file.unwrap().path());
        let bsp = paths.filter(|path| path.extension().is_some_and(|e| e == "bsp"));
        names.extend(bsp.map(|path| path.strip_prefix(&folder).unwrap().to_str().unwrap().into()));
    }
    names.sort();
    if let Ok(only) = std::env::var("VIEWCELL_HUNT_LEVELS") {
        let only: Vec<&str> = only.split(',').collect();
        names.retain(|name| only.contains(&name.as_str()));
    }
    for name in names {
        let Some(level) = real(&name) else { continue };
        let n = level.cells();
        let line = if n <= 2000 {
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            hunt(&name, &level, pairs)
        } else {
            // A million pairs, spread evenly, both directions of each.
            let pairs = (0..500_000_u64).flat_map(|i| {
                let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                let n = u64::from(n);
                let (a, b) = ((mixed % n) as u32, (mixed / n % n) as u32);
                [(a, b), (b, a)]
            });
            hunt(&name, &level, pairs)
        };
        println!("{line}");
    }
}
