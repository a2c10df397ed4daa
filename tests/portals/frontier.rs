//! Frontiers between cells: no cell of one region sees any of the other.

use proptest::prelude::*;
use viewcell::format::cells::{DistanceBits, PvsRow};
use viewcell::frontier::cells::{Frontier, ShortMemory, by_distance, tightened, words};
use viewcell_bake::hierarchy::epvs::Epvs;
use viewcell_ingest::world::{BitMatrix, ones};

use super::common::level;
use super::rows::{Level, published, worlds};

impl Level {
    /// As a bundle answers.
    fn frontier<'m>(
        &self,
        a: u32,
        b: u32,
        memory: &'m mut [u64],
    ) -> Result<Option<Frontier<'m>>, ShortMemory> {
        if self.pvs.get(a as usize, b as usize) {
            return Ok(None);
        }
        let rows = [self.distances(a), self.distances(b)];
        tightened([a, b], rows, |c| self.row(c), memory)
    }
}

proptest! {
    #[test]
    fn regions_are_those_of_the_equations_and_never_leak((pvs, adjacency) in worlds()) {
        let level = Level::new(&pvs, &adjacency, None);
        let n = level.cells();
        let epvs = Epvs::new(&level.pvs);
        let (mut memory, mut other) = (vec![u64::MAX; words(n)], vec![u64::MAX; words(n)]);
        for (a, b) in level.pairs() {
            let frontier = level.frontier(a, b, &mut memory).unwrap();
            prop_assert_eq!(frontier.is_none(), level.pvs.get(a as usize, b as usize));
            let Some(frontier) = frontier else { continue };
            prop_assert_eq!(level.leaks([frontier.ab, frontier.ba]), vec![]);
            let by_words = published(&epvs, a as usize, b as usize);
            let regions = [frontier.ab, frontier.ba].map(|r| ones(r).collect::<Vec<_>>());
            let unseen = (0..n as usize).filter(|&d| by_words[0].iter().all(|&c| !level.pvs.get(c, d)));
            prop_assert_eq!(&regions, &[by_words[0].clone(), unseen.collect()]);
            let rows = [level.distances(a), level.distances(b)];
            let equations = by_distance([a, b], rows, &mut other).unwrap().unwrap();
            let regions = [equations.ab, equations.ba].map(|r| ones(r).collect::<Vec<_>>());
            prop_assert_eq!(&regions, &by_words);
        }
    }

    #[test]
    fn distances_of_every_width_give_the_same_regions((pvs, _) in worlds()) {
        let widths = [DistanceBits::Eight, DistanceBits::Sixteen];
        let levels = widths.map(|bits| Level::new(&pvs, &[], Some(bits)));
        let narrow = Level::new(&pvs, &[], None);
        let length = words(narrow.cells());
        let (mut memory, mut other) = (vec![0; length], vec![0; length]);
        for (a, b) in narrow.pairs() {
            let expected = narrow.frontier(a, b, &mut memory).unwrap();
            for level in &levels {
                prop_assert_eq!(&level.frontier(a, b, &mut other).unwrap(), &expected);
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
    let words = words(70);
    let mut memory = vec![0; words];
    let error = level.frontier(3, 60, &mut memory[1..]).unwrap_err();
    assert_eq!((error.expected, error.found), (words, words - 1));
    assert!(error.to_string().contains("words for a frontier"));
    // What is not there is visible: no region that rests on it.
    level.distances[60].pop();
    assert_eq!(level.frontier(3, 60, &mut memory), Ok(None));
}

/// Holds pairs of a level against the definition.
fn hunt(name: &str, level: &Level, pairs: impl Iterator<Item = (u32, u32)>) -> String {
    let n = level.cells();
    let mut memory = vec![0; words(n)];
    let (mut asked, mut sizes) = (0_u64, [0_u64; 2]);
    for (a, b) in pairs {
        let Some(Frontier { ab, ba }) = level.frontier(a, b, &mut memory).unwrap() else {
            assert!(level.pvs.get(a as usize, b as usize), "{name}: {a} {b}");
            continue;
        };
        asked += 1;
        if level.leaks_at_all([ab, ba]) {
            panic!("{name}: {a} {b}: {:?}", level.leaks([ab, ba]));
        }
        for (size, region) in sizes.iter_mut().zip([ab, ba]) {
            *size += region
                .iter()
                .map(|word| u64::from(word.count_ones()))
                .sum::<u64>();
        }
    }
    let [ab, ba] = sizes.map(|sum| 100.0 * sum as f64 / asked.max(1) as f64 / f64::from(n));
    format!("| {name} | {n} | {asked} | {ab:.1} + {ba:.1} |")
}

#[test]
fn real_levels_leak_nothing_in_a_sample_of_pairs() {
    for name in [
        "q1-bsp29/dm4.bsp",
        "q1-bsp29/lqdm13.bsp",
        "q1-bsp29/lq_e0m2.bsp",
    ] {
        let Some(level) = Level::real(name) else {
            continue;
        };
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
    println!("| level | cells | hidden pairs | F_AB + F_BA |");
    println!("|---|---|---|---|");
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
        let Some(level) = Level::real(&name) else {
            continue;
        };
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
