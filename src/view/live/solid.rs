//! Answers about a solid level: the plans of its floors, and sets of its view cells.
//!
//! Plans and boxes have z up, and the unit that the level is asked with; positions that are shown have the engine's axes.
//!
//! Sets of cells are sent as those of a level of cells: 64 cells a `u64`, the lowest bit first.

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::level::light;
use super::mesh::{Room, mesh};
use super::source::Opened;
use crate::picture::{Floors, NOBODY};
use viewcell::format::{Tag, bits};
use viewcell::query::SolidBundle;

/// Pixels of the longer side of a floor's plan.
const SIDE: u32 = 720;

/// What the level is.
pub(super) fn about(level: &SolidBundle<'_>) -> Value {
    let level = level.upright();
    json!({
        "kind": "solid",
        "cells": level.cells(),
        "unit": level.unit(),
        "cell": level.cell_size(),
        "eye": level.eye(),
        "feet": level.hull()[0][2],
    })
}

/// The plans of all floors.
pub(super) fn ground(opened: &Opened, level: &SolidBundle<'_>) -> Result<Answer, Refusal> {
    let floors = opened.floors.get_or_init(|| Floors::of_solid(level, SIDE));
    let floors = floors.as_ref().ok_or_else(Refusal::damaged)?;
    let level = level.upright();
    let height = |cell| Some(level.bounds(cell)?[0][2] as f32);
    Ok(plans(floors, level.cells(), height))
}

/// The plans of floors, the lowest first: for each pixel of each its cell as `u32` (all ones for none); then for each of
/// the `cells` the number of its floor as `u8` (255 for none); then for each pixel its light as `u8` (0 for none).
/// `height` is that of a cell's ground.
pub(super) fn plans(floors: &Floors, cells: u32, height: impl Fn(u32) -> Option<f32>) -> Answer {
    let size = floors.size();
    let mut floor_of = vec![u8::MAX; cells as usize];
    let mut lights = Vec::new();
    for (number, floor) in (0_u8..).zip(floors.list()) {
        for cell in &floor.members {
            floor_of[*cell as usize] = number;
        }
        let cells = floor
            .cells
            .iter()
            .map(|cell| Some(*cell).filter(|c| *c != NOBODY));
        let cells: Vec<Option<u32>> = cells.collect();
        let heights = cells
            .iter()
            .map(|cell| cell.and_then(&height).unwrap_or(f32::NAN));
        let heights: Vec<f32> = heights.collect();
        lights.extend(light(size.0, &cells, &heights, floors.pixel()));
    }
    let heights: Vec<[f32; 2]> = floors.list().iter().map(|floor| floor.heights).collect();
    let head = json!({
        "width": size.0,
        "height": size.1,
        "corner": floors.corner(),
        "pixel": floors.pixel(),
        "floors": heights,
    });
    let cells = floors
        .list()
        .iter()
        .flat_map(|floor| floor.cells.iter().copied());
    Answer::new(head).with(cells).with(floor_of).with(lights)
}

/// What hides, and where players can be.
pub(super) fn mesh_of(opened: &Opened, level: &SolidBundle<'_>) -> Result<Answer, Refusal> {
    let none = "this bundle does not say what hides: bake it again with this version";
    let section = opened.bundle.bundle().section(Tag::SOCC);
    let (_, bytes) = section.ok_or_else(|| Refusal::not_found(none))?;
    let level = level.upright();
    let boxes = (0..level.cells()).map(|cell| level.bounds(cell).unwrap_or_default());
    let (hull, cell) = (level.hull(), level.cell_size());
    let room = Room {
        locate: &|at| level.locate(at),
        cell: [cell[0], cell[2]],
        half: (hull[1][0] - hull[0][0]) / 2.0,
        feet: hull[0][2],
        middle: level.parameters().middle,
        frame: level.frame(),
    };
    mesh(bytes, boxes, &room)
}

/// A set of cells, of so many: how many they are, and their bits.
pub(super) fn words(all: u32, cells: impl Iterator<Item = u32>) -> (u32, Vec<u64>) {
    let mut words = vec![0_u64; bits::words(all)];
    let mut count = 0;
    for cell in cells.filter(|cell| *cell < all) {
        bits::set(&mut words, cell as usize);
        count += 1;
    }
    (count, words)
}
