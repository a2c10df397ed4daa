//! Distances and frontiers of a level of cells (section 5 of Steed & Angus); and frontier sets made beforehand for all
//! pairs, as in 2004 (section 2), beside those that are made when they are asked for.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;
use viewcell::dice::Dice;
use viewcell::format::bits;
use viewcell::frontier::cells::{Frontier, ShortMemory, by_distance, words as frontier_words};
use viewcell::query::CellBundle;

use crate::constructions::Construction;

/// What `viewcell experiment epvs --json` prints.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(title = "viewcell experiment epvs")]
pub struct EpvsDocument {
    /// Cells.
    pub cells: u32,
    /// Parts of the level between which nobody sees anybody.
    pub components: u64,
    /// Cells of the largest of them.
    pub largest_component: u64,
    /// Greatest distance between two cells that are not unreachable.
    pub max_width: u32,
    /// Mean distance of ordered pairs of different cells that are not unreachable.
    pub average_width: f64,
    /// Share of ordered pairs of different cells that are unreachable, in percent.
    pub unreachable: f64,
    /// Each construction, over all pairs and over those of one component.
    pub frontiers: Vec<Frontiers>,
    /// Sets made beforehand for all pairs, beside those made when they are asked for.
    pub ahead: Ahead,
}

/// The frontiers of one construction.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Frontiers {
    /// `published`, `tightened` or `grown`.
    pub construction: &'static str,
    /// `all`, or `one component`.
    pub among: &'static str,
    /// Pairs looked at.
    pub pairs: u64,
    /// Share of them that have a frontier, in percent.
    pub density: f64,
    /// Mean share of cells in either region, in percent.
    pub size: f64,
    /// Mean share of cells in the smaller region, in percent.
    pub smaller: f64,
}

/// Measures a level: how far cells are apart, the frontiers of at most `limit` pairs, and those of as
/// many as take `memory` bytes when all are made beforehand.
///
/// # Errors
///
/// [`ShortMemory`] where a frontier needs more memory than its construction says.
pub fn measure_level(
    level: &CellBundle<'_>,
    limit: u64,
    memory: u64,
) -> Result<EpvsDocument, ShortMemory> {
    let cells = level.cells();
    let component_of = components(level);
    let mut sizes = vec![0_u64; component_of.iter().max().map_or(0, |last| last + 1)];
    for &component in &component_of {
        sizes[component] += 1;
    }
    let (mut sum, mut reached) = (0_u64, 0_u64);
    for a in 0..cells {
        for (b, code) in (0..cells).zip(level.distances(a).codes()) {
            if a != b && code != level.parameters().distance_bits.unreachable() {
                sum += u64::from(code);
                reached += 1;
            }
        }
    }
    let ordered = u64::from(cells) * u64::from(cells - 1);
    let percent = |part: f64, whole: f64| {
        if whole > 0.0 {
            100.0 * part / whole
        } else {
            0.0
        }
    };
    let pairs = pairs(cells, limit);
    let mut frontiers = Vec::new();
    use Construction::{Grown, Published, Tightened};
    for construction in [Published, Tightened, Grown] {
        if construction.needs_neighbours() && !level.has_neighbours() {
            continue;
        }
        // Over all pairs, and over those of one component.
        let mut rows = [[0.0_f64; 4]; 2];
        for &[a, b] in &pairs {
            let component = component_of[a as usize];
            let together = component == component_of[b as usize];
            rows[0][0] += 1.0;
            rows[1][0] += f64::from(u8::from(together));
            let Some(regions) = construction.regions(level, [a, b]) else {
                continue;
            };
            let count = |region: &[u64], inside: bool| -> f64 {
                let cells = viewcell_ingest::world::ones(region);
                cells
                    .filter(|&cell| !inside || component_of[cell] == component)
                    .count() as f64
            };
            for (row, inside) in rows.iter_mut().zip([false, true]) {
                if inside && !together {
                    continue;
                }
                let all = if inside {
                    sizes[component] as f64
                } else {
                    f64::from(cells)
                };
                let [ab, ba] = [0, 1].map(|side| count(&regions[side], inside));
                row[1] += 1.0;
                row[2] += (ab + ba) / all;
                row[3] += ab.min(ba) / all;
            }
        }
        for (among, [pairs, found, size, smaller]) in ["all", "one component"].into_iter().zip(rows)
        {
            frontiers.push(Frontiers {
                construction: construction.name(),
                among,
                pairs: pairs as u64,
                density: percent(found, pairs),
                size: percent(size, found),
                smaller: percent(smaller, found),
            });
        }
    }
    Ok(EpvsDocument {
        cells,
        components: sizes.len() as u64,
        largest_component: sizes.iter().copied().max().unwrap_or(0),
        max_width: match reached {
            0 => 0,
            _ => level.parameters().greatest_distance,
        },
        average_width: match reached {
            0 => 0.0,
            _ => sum as f64 / reached as f64,
        },
        unreachable: percent((ordered - reached) as f64, ordered as f64),
        frontiers,
        ahead: ahead(level, memory)?,
    })
}

/// For each cell its component, numbered from 0: who is joined by chains of visible steps,
/// whichever way.
fn components(level: &CellBundle<'_>) -> Vec<usize> {
    let cells = level.cells();
    let mut parent: Vec<u32> = (0..cells).collect();
    fn root(parent: &mut [u32], mut cell: u32) -> u32 {
        while parent[cell as usize] != cell {
            let above = parent[parent[cell as usize] as usize];
            parent[cell as usize] = above;
            cell = above;
        }
        cell
    }
    for a in 0..cells {
        for b in level.pvs(a).iter() {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut numbers = std::collections::HashMap::new();
    (0..cells)
        .map(|cell| {
            let next = numbers.len();
            *numbers.entry(root(&mut parent, cell)).or_insert(next)
        })
        .collect()
}

/// Unordered pairs of different cells: all, or `limit` drawn at random, the same each time.
fn pairs(cells: u32, limit: u64) -> Vec<[u32; 2]> {
    let all = u64::from(cells) * u64::from(cells - 1) / 2;
    if all <= limit {
        return (0..cells)
            .flat_map(|a| (a + 1..cells).map(move |b| [a, b]))
            .collect();
    }
    let mut dice = Dice(0);
    let mut pairs = Vec::new();
    while (pairs.len() as u64) < limit {
        let pair = [dice.roll(cells), dice.roll(cells)];
        if pair[0] != pair[1] {
            pairs.push(pair);
        }
    }
    pairs
}

/// What it takes to have all sets beforehand, and to make one when it is asked for.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
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
    let words = bits::words(cells);
    let mut working = vec![0; frontier_words(cells)];
    fn published<'m>(
        level: &CellBundle<'_>,
        [a, b]: [u32; 2],
        memory: &'m mut [u64],
    ) -> Result<Option<Frontier<'m>>, ShortMemory> {
        by_distance([a, b], [a, b].map(|cell| level.distances(cell)), memory)
    }
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
        let Some(set) = published(level, [a, b], &mut working)? else {
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
        std::hint::black_box(published(level, [a, b], &mut working)?);
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
