//! Answers about a level of cells.
//!
//! Sets of cells are sent as bits: 64 cells a `u64`, the lowest bit first.

use std::path::Path;
use std::time::Instant;
use viewcell::format::bits;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::terrain::micros_since;
use crate::picture::{Overhead, hillshade};
use viewcell::frontier::cells;
use viewcell::query::CellBundle;
use viewcell_bake::read_level;
use viewcell_bake::survey::seen_by;
use viewcell_ingest::world::ones;

/// What the level is.
pub(super) fn about(level: &CellBundle<'_>) -> Value {
    json!({
        "kind": "cells",
        "cells": level.cells(),
        "greatest": level.parameters().greatest_distance,
        "neighbours": level.has_neighbours(),
    })
}

/// The level from above, cut at a height: for each pixel its cell as `u32` (all ones
/// for none), the height of its floor as `f32` (NaN for none), and its light as `u8` (0 for none).
pub(super) fn ground(level: &CellBundle<'_>, cut: Option<f64>, path: &Path) -> Answer {
    let view = Overhead::new(level, cut, || read_level(path).ok());
    let light = light(view.width, &view.cells, &view.floors, view.pixel);
    let head = json!({
        "width": view.width,
        "height": view.height,
        "corner": view.corner,
        "pixel": view.pixel,
        "heights": view.heights,
    });
    let cells = view.cells.iter().map(|cell| cell.unwrap_or(u32::MAX));
    Answer::new(head)
        .with(cells)
        .with(view.floors.iter().copied())
        .with(light)
}

/// How much darker lines between cells are.
const LINE: f32 = 0.6;

/// The light of each pixel of a plan, 0 where there is none, with lines between cells.
pub(super) fn light(width: u32, cells: &[Option<u32>], heights: &[f32], pixel: f64) -> Vec<u8> {
    let light = hillshade(width, heights, [pixel.max(1.0); 2]);
    let light = light.iter().zip(cells).enumerate();
    let light = light.map(|(i, (light, cell))| {
        let differs = |other: Option<usize>| other.is_some_and(|i| cells[i] != *cell);
        let left = i
            .checked_sub(1)
            .filter(|_| !i.is_multiple_of(width as usize));
        let line = differs(left) || differs(i.checked_sub(width as usize));
        if light.is_nan() {
            0
        } else {
            1 + (254.0 * light * if line { LINE } else { 1.0 }).round() as u8
        }
    });
    light.collect()
}

/// The PVS of a cell.
pub(super) fn pvs(level: &CellBundle<'_>, at: &str) -> Result<Answer, Refusal> {
    let cell = place(level, at)?;
    let start = Instant::now();
    let row = level.pvs(cell);
    let words: Vec<u64> = row.words().collect();
    let micros = micros_since(start);
    let head = json!({ "seen": row.count(), "micros": micros });
    Ok(Answer::new(head).with(words))
}

/// How many visible steps lead from a cell to each cell: a `u32` a cell, all ones for none.
pub(super) fn distances(level: &CellBundle<'_>, at: &str) -> Result<Answer, Refusal> {
    let from = place(level, at)?;
    let steps = (0..level.cells()).map(|to| level.distance(from, to).unwrap_or(u32::MAX));
    Ok(Answer::new(json!({ "greatest": level.parameters().greatest_distance })).with(steps))
}

/// How many cells see each cell, itself included: a `u32` a cell.
pub(super) fn exposed(level: &CellBundle<'_>) -> Answer {
    let counts = seen_by(level);
    let most = counts.iter().max();
    Answer::new(json!({ "most": most })).with(counts.iter().copied())
}

/// The frontier between two cells: both regions.
pub(super) fn frontier(level: &CellBundle<'_>, a: &str, b: &str) -> Result<Answer, Refusal> {
    let [a, b] = [place(level, a)?, place(level, b)?];
    let mut memory = vec![0; cells::words(level.cells())];
    let start = Instant::now();
    let regions = regions(level, [a, b], &mut memory)?;
    let micros = micros_since(start);
    Ok(halves(regions)
        .entry("micros", micros)
        .entry("visible", level.visible(a, b) || level.visible(b, a)))
}

/// The two regions of a frontier; none where the cells see each other.
fn regions<'m>(
    level: &CellBundle<'_>,
    [a, b]: [u32; 2],
    memory: &'m mut [u64],
) -> Result<Option<[&'m [u64]; 2]>, Refusal> {
    let frontier = level.frontier(a, b, memory);
    let frontier = frontier.map_err(|error| Refusal::failed(error.to_string()))?;
    Ok(frontier.map(|frontier| [frontier.ab, frontier.ba]))
}

fn halves(regions: Option<[&[u64]; 2]>) -> Answer {
    let regions = regions.unwrap_or_default();
    let sizes = regions.map(|words| words.iter().map(|w| w.count_ones()).sum::<u32>());
    let words = regions.into_iter().flatten().copied();
    Answer::new(json!({ "sizes": sizes })).with(words)
}

/// Whether the frontier between two cells is valid: checks from every cell of both.
pub(super) fn check(level: &CellBundle<'_>, a: &str, b: &str) -> Result<Answer, Refusal> {
    let pair = [place(level, a)?, place(level, b)?];
    let mut memory = vec![0; cells::words(level.cells())];
    let regions = regions(level, pair, &mut memory)?;
    let start = Instant::now();
    let mut looked = 0;
    let mut sees = None;
    let [ab, ba] = regions.unwrap_or_default();
    for (own, other) in [(ab, ba), (ba, ab)] {
        for cell in ones(own).map(|cell| cell as u32) {
            looked += 1;
            let both: Vec<u64> = level
                .pvs(cell)
                .words()
                .zip(other)
                .map(|(s, o)| s & o)
                .collect();
            sees = sees.or(ones(&both).next().map(|seen| [cell, seen as u32]));
        }
    }
    Ok(Answer::new(json!({
        "holds": sees.is_none(),
        "sees": sees,
        "looked": looked,
        "micros": micros_since(start),
    })))
}

/// Two players in a level.
pub(super) struct LevelWalk<'a> {
    level: CellBundle<'a>,
    places: [u32; 2],
    /// Memory that holds the regions of the set, and how many words each takes.
    memory: Vec<u64>,
    has_set: bool,
    sets: u64,
    told: u64,
    ticks: u64,
    since: u64,
}

impl<'a> LevelWalk<'a> {
    /// Before the players are anywhere.
    pub(super) fn new(level: CellBundle<'a>) -> Self {
        Self {
            level,
            places: [0; 2],
            memory: vec![0; cells::words(level.cells())],
            has_set: false,
            sets: 0,
            told: 0,
            ticks: 0,
            since: 0,
        }
    }

    fn regions(&self) -> [&[u64]; 2] {
        let row = bits::words(self.level.cells());
        [&self.memory[..row], &self.memory[row..2 * row]]
    }
}

/// Moves players; where one has left their half of the set, another is made (figure 4 of Steed
/// and Angus).
pub(super) fn step(walk: &mut LevelWalk<'_>, to: &[Option<String>; 2]) -> Result<Answer, Refusal> {
    let level = walk.level;
    walk.ticks += 1;
    for (player, to) in to.iter().enumerate() {
        if let Some(to) = to {
            walk.places[player] = place(&level, to)?;
        }
    }
    let places = walk.places;
    let is_in = |(words, cell): (&[u64], u32)| bits::has(words, cell as usize);
    let stays = walk.has_set && walk.regions().into_iter().zip(places).all(is_in);
    let visible = level.visible(places[0], places[1]) || level.visible(places[1], places[0]);
    if !stays {
        let made = level.frontier(places[0], places[1], &mut walk.memory);
        walk.has_set = matches!(made, Ok(Some(_)));
        if walk.has_set {
            (walk.sets, walk.since) = (walk.sets + 1, walk.ticks)
        } else {
            walk.told += 2
        }
    }
    let age = walk.has_set.then(|| walk.ticks - walk.since);
    Ok(halves(walk.has_set.then(|| walk.regions()))
        .entry("sets", walk.sets)
        .entry("told", walk.told)
        .entry("ticks", walk.ticks)
        .entry("age", age)
        .entry("visible", visible))
}

/// The cell of a number, if it is one of the level's.
fn place(level: &CellBundle<'_>, text: &str) -> Result<u32, Refusal> {
    cell_number(text, level.cells())
}

/// The number of one of so many cells.
pub(super) fn cell_number(text: &str, cells: u32) -> Result<u32, Refusal> {
    let cell = text.parse().ok().filter(|cell| *cell < cells);
    cell.ok_or_else(|| {
        let last = cells - 1;
        Refusal::bad_request(format!(
            "{text:?}: expected the number of a cell, 0 to {last}"
        ))
    })
}
