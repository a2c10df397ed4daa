//! `viewcell experiment epvs`: table 1 of Steed & Angus, of a level of one's own.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::dice::Dice;
use viewcell::runtime::CellBundle;

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::frontier::Construction;
use crate::cli::output::{self, Json};
use crate::cli::query;

/// Widths of a level, and density and size of its frontiers (Steed & Angus, table 1)
///
/// The widths are over ordered pairs of different cells that some chain of visible steps joins.
/// The density is the share of pairs of different cells, drawn at random, that have a frontier,
/// that is, that do not see each other. The size of a frontier is the number of cells in either
/// region, as a share of those that could be; its mean is over the pairs drawn that have one.
///
/// Once over all pairs, with all cells of the level counted as the paper does; and once over pairs
/// of one component, with its cells alone counted, lest parts of a level that never see each other
/// flatter the numbers.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Pairs to draw; if there are fewer, each is taken once
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pairs: u64,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment epvs --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment epvs")]
pub struct Document {
    /// Cells.
    cells: u32,
    /// Parts of the level between which nobody sees anybody.
    components: u64,
    /// Cells of the largest of them.
    largest_component: u64,
    /// Greatest distance between two cells that are not unreachable.
    max_width: u32,
    /// Mean distance of ordered pairs of different cells that are not unreachable.
    average_width: f64,
    /// Share of ordered pairs of different cells that are unreachable, in percent.
    unreachable: f64,
    /// Each construction, over all pairs and over those of one component.
    frontiers: Vec<Frontiers>,
}

/// The frontiers of one construction.
#[derive(Serialize, JsonSchema)]
struct Frontiers {
    /// `published`, `tightened` or `grown`.
    construction: &'static str,
    /// `all`, or `one component`.
    among: &'static str,
    /// Pairs looked at.
    pairs: u64,
    /// Share of them that have a frontier, in percent.
    density: f64,
    /// Mean share of cells in either region, in percent.
    size: f64,
    /// Mean share of cells in the smaller region, in percent.
    smaller: f64,
}

pub fn run(args: &Args) -> Outcome {
    let map = query::open(&args.bundle)?;
    let level = query::cells(&args.bundle, &map)?;
    let document = measure(&level, args.pairs)?;
    if args.json.json {
        output::print_json(&document)?;
        return Ok(Exit::Done);
    }
    let mut text = format!(
        "cells          {}\ncomponents     {}, the largest of {}\nmax width      {}\n\
         average width  {:.2}\nunreachable    {:.1} % of pairs\n\n\
         construction  among            pairs  density %   size %  smaller %\n",
        document.cells,
        document.components,
        document.largest_component,
        document.max_width,
        document.average_width,
        document.unreachable
    );
    for row in &document.frontiers {
        text.push_str(&format!(
            "{:<12}  {:<13} {:>8} {:>10.1} {:>8.1} {:>10.1}\n",
            row.construction, row.among, row.pairs, row.density, row.size, row.smaller
        ));
    }
    output::print(text.trim_end())?;
    Ok(Exit::Done)
}

fn measure(level: &CellBundle<'_>, limit: u64) -> Result<Document, Failure> {
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
    for construction in [
        Construction::Published,
        Construction::Tightened,
        Construction::Grown,
    ] {
        if construction == Construction::Grown && !level.has_neighbours() {
            continue;
        }
        let mut memory = vec![0; construction.runtime().words(cells)];
        // Over all pairs, and over those of one component.
        let mut rows = [[0.0_f64; 4]; 2];
        for &[a, b] in &pairs {
            let component = component_of[a as usize];
            let together = component == component_of[b as usize];
            rows[0][0] += 1.0;
            rows[1][0] += f64::from(u8::from(together));
            let frontier = level
                .frontier(a, b, construction.runtime(), &mut memory)
                .map_err(|error| Failure::new(Exit::Resource, error))?;
            let Some(frontier) = frontier else { continue };
            let count = |region: &[u64], inside: bool| -> f64 {
                let cells = viewcell::world::ones(region);
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
                construction: construction.name(),
                among,
                pairs: pairs as u64,
                density: percent(found, pairs),
                size: percent(size, found),
                smaller: percent(smaller, found),
            });
        }
    }
    Ok(Document {
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
