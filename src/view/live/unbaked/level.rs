//! A solid level that is not baked: where players can be in it, and who sees whom by the kernel of a bake.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::answer::{Answer, Refusal};
use super::super::level::cell_number;
use super::super::mesh::{Room, mesh};
use super::super::solid::{plans, words};
use super::super::terrain::micros_since;
use super::look::Look;
use crate::picture::Floors;
use viewcell::query::SolidParameters;
use viewcell_bake::bundle::grid_of_cells;
use viewcell_bake::plan::{InputWorld, SolidInput, notes_of_places, standing};
use viewcell_bake::visibility::Simd;
use viewcell_bake::visibility::solid::{SolidField, Solids};
use viewcell_bake::{Input, PlanError};
use viewcell_ingest::world::Short;
use viewcell_ingest::world::solid::{
    PlaceCells, PlaceOptions, Places, PlacesError, Point, SolidLevel, find_places,
};

/// What is told of a level that does not say where players begin.
const NO_SPAWNS: &str = "the file names no place where players begin: they are taken to be wherever somebody can stand, on \
                         roofs and in closed rooms as well; a list of positions, which viewcell view and viewcell bake \
                         take, says better";

/// Pixels of the longer side of a floor's plan.
const SIDE: u32 = 720;

/// A level, and where players can be in it.
pub(super) struct UnbakedLevel {
    solid: Arc<SolidInput>,
    /// Those that the page shows, which need not be those of a bake.
    places: PlaceCells,
    field: SolidField,
    floors: Option<Floors>,
    look: Look,
}

impl UnbakedLevel {
    /// Of a level that was read; adds to its notes.
    pub(super) fn new(input: &mut Input) -> Result<Self, PlanError> {
        let InputWorld::Solid(solid) = &mut input.world else {
            let found = "expected a heightmap or solids, found a level with view cells of its own";
            return Err(PlanError::Bad(format!("{}: {found}", input.path.display())));
        };
        let found = match places_to_show(&solid.level, &solid.usual) {
            Err(PlacesError::NoSpawn | PlacesError::Buried(_)) if solid.usual.reach.is_empty() => {
                let standing = standing(&solid.level, &solid.usual.player);
                if let Some(solid) = Arc::get_mut(solid) {
                    solid.reach_from(standing);
                }
                input.notes.push(NO_SPAWNS.to_owned());
                places_to_show(&solid.level, &solid.usual)
            }
            found => found,
        };
        let found = found.map_err(|error| PlanError::Places {
            path: input.path.clone(),
            error,
        })?;
        input.notes.extend(notes_of_places(&solid.level, &found));
        let places = found.cells;
        let grid = grid_of_cells(places.len() as u32).grid();
        Ok(Self {
            field: SolidField::new(&solid.level, &places, &solid.usual.player, grid),
            floors: Floors::of_places(&places, solid.level.frame, SIDE),
            look: Look::new(grid),
            places,
            solid: solid.clone(),
        })
    }

    /// As the page has a solid level of a bundle.
    pub(super) fn about(&self) -> Value {
        let frame = self.solid.level.frame;
        json!({
            "kind": "solid",
            "cells": self.places.len(),
            "unit": self.unit(),
            "cell": frame.upright().to_asked(self.places.cell),
            "eye": self.solid.usual.player.eye.map(|up| frame.length_to_asked(up)),
            "feet": frame.length_to_asked(self.solid.usual.player.hull.min[2]),
        })
    }

    /// What a unit is called that the level is asked with.
    fn unit(&self) -> &'static str {
        self.solid
            .level
            .units
            .stored()
            .asked(self.solid.level.frame)
    }

    /// What a person should check before a bake, in the coordinates that the level is asked with.
    pub(super) fn facts(&self) -> Vec<[String; 2]> {
        let (unit, frame) = (self.unit(), self.solid.level.frame);
        let sizes = |of: Point| frame.to_asked(of).map(f64::abs);
        let number = |x: f64| Short((x * 100.0).round() / 100.0).to_string();
        let row = |numbers: &[f64]| -> String {
            let words: Vec<String> = numbers.iter().map(|&x| number(x)).collect();
            words.join(" × ")
        };
        let player = &self.solid.usual.player;
        let [low, high] = player.eye.map(|up| frame.length_to_asked(up));
        let eyes = if low == high {
            number(low)
        } else {
            format!("{} to {}", number(low), number(high))
        };
        let facts = [
            ("Format", self.solid.level.format.to_owned()),
            (
                "Size",
                format!("{} {unit}", row(&sizes(self.solid.level.bounds().size()))),
            ),
            ("Up", ["x", "y", "z"][frame.up()].to_owned()),
            (
                "Solids, faces",
                format!(
                    "{}, {}",
                    self.solid.level.solids.len(),
                    self.solid.level.faces.len()
                ),
            ),
            ("Spawn points", self.solid.level.spawns.len().to_string()),
            (
                "Other positions",
                match self.solid.usual.reach.len() {
                    0 => "none".to_owned(),
                    some => some.to_string(),
                },
            ),
            (
                "View cells",
                format!(
                    "{} of {} {unit}",
                    self.places.len(),
                    row(&sizes(self.places.cell))
                ),
            ),
            (
                "Bodies",
                format!("{} {unit}, eyes at {eyes}", row(&sizes(player.hull.size()))),
            ),
        ];
        facts.map(|(name, value)| [name.to_owned(), value]).into()
    }

    pub(super) fn ground(&self) -> Result<Answer, Refusal> {
        let none = || Refusal::failed("no view cell of this level can be drawn");
        let floors = self.floors.as_ref().ok_or_else(none)?;
        let frame = self.solid.level.frame;
        let height = |cell: u32| {
            let low = self.places.bounds(cell as usize).min[2];
            Some(frame.length_to_asked(low) as f32)
        };
        Ok(plans(floors, self.places.len() as u32, height))
    }

    /// What hides, and where players can be.
    pub(super) fn mesh(&self) -> Result<Answer, Refusal> {
        let frame = self.solid.level.frame.upright();
        let boxes = (0..self.places.len()).map(|cell| {
            let bounds = self.places.bounds(cell);
            frame.corners_to_asked([bounds.min, bounds.max])
        });
        let hull = self.solid.usual.player.hull;
        let [cell, _, height] = frame.to_asked(self.places.cell);
        let room = Room {
            locate: &|at| self.places.locate(frame.to_level(at)),
            cell: [cell, height],
            half: frame.length_to_asked((hull.max[0] - hull.min[0]) / 2.0),
            feet: frame.length_to_asked(hull.min[2]),
            middle: self.solid.level.middle,
            frame,
        };
        mesh(&self.field.occluder_section(), boxes, &room)
    }

    /// What is seen from a cell.
    pub(super) fn pvs(&self, at: &str) -> Result<Answer, Refusal> {
        let count = self.places.len() as u32;
        let cell = cell_number(at, count)?;
        let start = Instant::now();
        let level = Simd::Auto
            .level()
            .ok_or_else(|| Refusal::failed("this processor is not known"))?;
        let sample = SolidParameters::sample(cell);
        let found = self.look.from(sample, || Solids::new(&self.field, level));
        let grid = grid_of_cells(count).grid();
        let columns = grid.block_shape().0;
        let cells = (0_u32..).zip(&found).flat_map(|(block, &word)| {
            let (left, top) = ((block % columns) << 3, (block / columns) << 3);
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| {
                    let sample = viewcell::query::Sample::new(left | bit & 7, top | bit >> 3);
                    SolidParameters::cell_of(sample)
                })
        });
        let (seen, words) = words(count, cells);
        let bounds = self.places.bounds(cell as usize);
        let head = json!({
            "seen": seen,
            "micros": micros_since(start),
            "bounds": self.solid.level.frame.corners_to_asked([bounds.min, bounds.max]),
        });
        Ok(Answer::new(head).with(words))
    }
}

/// Most view cells that the page shows.
const MOST_SHOWN: usize = 65_536;

/// Cells of the usual size, or twice as large and so on, until there are few enough to be shown.
fn places_to_show(level: &SolidLevel, usual: &PlaceOptions) -> Result<Places, PlacesError> {
    let mut options = usual.clone();
    options.most = options.most.min(MOST_SHOWN);
    loop {
        let found = find_places(level, &options);
        let is_coarsest = options.size > usual.size * 256.0;
        match found {
            Err(error) if error.is_of_size() && !is_coarsest => {
                options.size *= 2.0;
                options.height *= 2.0;
            }
            found => return found,
        }
    }
}
