//! Frontier sets made beforehand for all pairs of a level, as in 2004 (section 2 of Steed & Angus),
//! beside those that are made when they are asked for.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;

use crate::runtime::CellBundle;
use crate::runtime::cell_frontier::{Construction, ShortMemory};

/// What it takes to have all sets beforehand, and to make one when it is asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Ahead {
    /// Pairs of cells that do not see each other: as many sets.
    pub sets: u64,
    /// Bytes of both regions of all of them, a bit a cell.
    pub bytes: u64,
    /// Regions that differ from all others.
    pub distinct_regions: u64,
    /// Bytes of these, and of four a region that say which it is.
    pub shared_bytes: u64,
    /// How long all took, in seconds. Where not all were made, by those that were.
    pub seconds: f64,
    /// Sets that were made to measure that: all, or as many as memory was allowed for.
    pub made: u64,
    /// How long it takes to look up whether two places are in a set made beforehand, in nanoseconds.
    pub lookup_ns: f64,
    /// How long it takes to make a set when it is asked for, in microseconds.
    pub asked_us: f64,
    /// Bytes that a set made when it is asked for takes, for as long as it is in force.
    pub asked_bytes: u64,
}

/// Makes the sets of all pairs by the equations of the paper, or of so many as take `memory` bytes.
///
/// # Errors
///
/// [`ShortMemory`] where a set needs more memory than its construction says.
pub fn ahead(level: &CellBundle<'_>, memory: u64) -> Result<Ahead, ShortMemory> {
    let cells = level.cells();
    let words = (cells as usize).div_ceil(64);
    let construction = Construction::Published;
    let mut working = vec![0; construction.words(cells)];
    let most = memory / (16 * words as u64).max(1);
    let hidden = |a: u32, b: u32| !level.visible(a, b) && !level.visible(b, a);
    let all_pairs = || (0..cells).flat_map(|a| (a + 1..cells).map(move |b| (a, b)));
    let sets = all_pairs().filter(|&(a, b)| hidden(a, b)).count() as u64;
    // Every so-manieth, where there are too many for memory.
    let every = sets.div_ceil(most.max(1)).max(1);
    let (mut regions, mut numbers) = (Vec::<u64>::new(), HashMap::new());
    let (mut made, mut whose) = (0_u64, Vec::new());
    let pairs = all_pairs()
        .filter(|&(a, b)| hidden(a, b))
        .step_by(every as usize);
    let pairs: Vec<(u32, u32)> = pairs.collect();
    let begin = Instant::now();
    for &(a, b) in &pairs {
        let Some(set) = level.frontier(a, b, construction, &mut working)? else {
            continue;
        };
        made += 1;
        for region in [set.ab, set.ba] {
            let next = numbers.len() as u32;
            let number = *numbers.entry(region.to_vec()).or_insert_with(|| {
                regions.extend_from_slice(region);
                next
            });
            whose.push(number);
        }
    }
    let seconds = begin.elapsed().as_secs_f64() * sets as f64 / made.max(1) as f64;
    let begin = Instant::now();
    let mut inside = 0_u64;
    for (set, &(a, b)) in whose.chunks_exact(2).zip(&pairs) {
        for (region, cell) in set.iter().zip([a, b]) {
            let word = regions[*region as usize * words + cell as usize / 64];
            inside += word >> (cell % 64) & 1;
        }
    }
    let lookup = begin.elapsed().as_secs_f64() / made.max(1) as f64;
    assert_eq!(inside, 2 * made, "everybody is in their own region");
    let few: Vec<(u32, u32)> = pairs
        .iter()
        .copied()
        .step_by(pairs.len().div_ceil(2000).max(1))
        .collect();
    let begin = Instant::now();
    for &(a, b) in &few {
        std::hint::black_box(level.frontier(a, b, construction, &mut working)?);
    }
    let asked = begin.elapsed().as_secs_f64() / few.len().max(1) as f64;
    let row = 8 * words as u64;
    let distinct = numbers.len() as u64;
    Ok(Ahead {
        sets,
        bytes: sets * 2 * row,
        distinct_regions: distinct,
        shared_bytes: distinct * row + sets * 8,
        seconds,
        made,
        lookup_ns: 1e9 * lookup,
        asked_us: 1e6 * asked,
        asked_bytes: 2 * row,
    })
}
