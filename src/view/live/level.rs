//! Answers about a level of cells.

use std::path::Path;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use crate::picture::{Overhead, hillshade};
use viewcell::query::CellBundle;
use viewcell_bake::read_level;
use viewcell_bake::survey::seen_by;

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

/// How many visible steps lead from a cell to each cell: a `u32` a cell, all ones for none.
pub(super) fn distances(level: &CellBundle<'_>, at: &str) -> Result<Answer, Refusal> {
    let from = cell_number(at, level.cells())?;
    let steps = (0..level.cells()).map(|to| level.distance(from, to).unwrap_or(u32::MAX));
    Ok(Answer::new(json!({ "greatest": level.parameters().greatest_distance })).with(steps))
}

/// How many cells see each cell, itself included: a `u32` a cell.
pub(super) fn exposed(level: &CellBundle<'_>) -> Answer {
    let counts = seen_by(level);
    let most = counts.iter().max();
    Answer::new(json!({ "most": most })).with(counts.iter().copied())
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
