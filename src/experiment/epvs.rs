//! Distances and frontiers of a level of cells (section 5 of Steed & Angus).

use serde::Serialize;

use super::ahead::{Ahead, ahead};
use crate::dice::Dice;
use crate::runtime::CellBundle;
use crate::runtime::cell_frontier::{Construction, ShortMemory};

/// What `viewcell experiment epvs --json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", schemars(title = "viewcell experiment epvs"))]
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
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
    for (construction, name) in [
        (Construction::Published, "published"),
        (Construction::Tightened, "tightened"),
        (Construction::Grown, "grown"),
    ] {
        if construction == Construction::Grown && !level.has_neighbours() {
            continue;
        }
        let mut memory = vec![0; construction.words(cells)];
        // Over all pairs, and over those of one component.
        let mut rows = [[0.0_f64; 4]; 2];
        for &[a, b] in &pairs {
            let component = component_of[a as usize];
            let together = component == component_of[b as usize];
            rows[0][0] += 1.0;
            rows[1][0] += f64::from(u8::from(together));
            let frontier = level.frontier(a, b, construction, &mut memory)?;
            let Some(frontier) = frontier else { continue };
            let count = |region: &[u64], inside: bool| -> f64 {
                let cells = crate::world::ones(region);
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
                let [ab, ba] = [count(frontier.ab, inside), count(frontier.ba, inside)];
                row[1] += 1.0;
                row[2] += (ab + ba) / all;
                row[3] += ab.min(ba) / all;
            }
        }
        for (among, [pairs, found, size, smaller]) in ["all", "one component"].into_iter().zip(rows)
        {
            frontiers.push(Frontiers {
                construction: name,
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
