//! A heightmap that is not baked: its ground, what is to be checked of it, and who sees whom by the exact kernel.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use super::super::answer::{Answer, Refusal};
use super::super::terrain::{column_row, micros_since, shaded};
use crate::picture::grouped;
use viewcell::format::GridError;
use viewcell::query::{Grid, Sample};
use viewcell_bake::Source;
use viewcell_bake::visibility::{Bodies, Looker, Viewpoint, ViewshedField};
use viewcell_ingest::world::{Short, Terrain};

/// A heightmap, and who stands on it.
pub(super) struct UnbakedTerrain {
    terrain: Arc<Terrain>,
    field: ViewshedField<Arc<Terrain>>,
    grid: Grid,
    format: String,
    bodies: Bodies,
    looker: Mutex<Looker>,
}

impl UnbakedTerrain {
    /// Of a heightmap that was read. The reason where its grid is too large.
    pub(super) fn new(
        terrain: Arc<Terrain>,
        source: &Source,
        bodies: Bodies,
    ) -> Result<Self, GridError> {
        Ok(Self {
            grid: Grid::new(terrain.width(), terrain.height())?,
            field: ViewshedField::new(terrain.clone()),
            looker: Mutex::default(),
            bodies,
            format: source.input.format.clone(),
            terrain,
        })
    }

    /// As the page has a terrain of a bundle.
    pub(super) fn about(&self) -> Value {
        let georeference = self.terrain.georeference();
        json!({
            "kind": "terrain",
            "width": self.grid.width(),
            "height": self.grid.height(),
            "levels": 1,
            "samples": self.terrain.samples() - self.terrain.voids(),
            "spacing": self.terrain.spacing(),
            "side": 1,
            "heightmap": [self.grid.width(), self.grid.height()],
            "mode": "exact",
            "mutual": self.bodies.mutual(),
            "eye": self.bodies.eye,
            "head": self.bodies.head,
            "crs": georeference.filter(|g| g.has_crs()).map(|g| &g.crs),
            "transform": georeference.map(|g| g.transform),
        })
    }

    /// What a person should check before a bake.
    pub(super) fn facts(&self) -> Vec<[String; 2]> {
        let terrain = &self.terrain;
        let number = |x: f64| Short((x * 100.0).round() / 100.0).to_string();
        let [dx, dy] = terrain.spacing();
        let extent = |samples: u32, spacing: f64| f64::from(samples - 1) * spacing;
        let (width, height) = (extent(terrain.width(), dx), extent(terrain.height(), dy));
        let unit = if width.max(height) < 10_000.0 {
            "m"
        } else {
            "km"
        };
        let long = |metres: f64| number(if unit == "m" { metres } else { metres / 1000.0 });
        let [low, high] = terrain.extremes();
        let mut facts = vec![
            ("Format", self.format.clone()),
            (
                "Samples",
                format!(
                    "{} × {}",
                    grouped(u64::from(terrain.width())),
                    grouped(u64::from(terrain.height()))
                ),
            ),
            ("Spacing", format!("{} × {} m", number(dx), number(dy))),
            (
                "Extent",
                format!("{} × {} {unit}", long(width), long(height)),
            ),
            ("Heights", format!("{} to {} m", number(low), number(high))),
        ];
        if terrain.voids() > 0 {
            facts.push(("Without height", grouped(terrain.voids() as u64)));
        }
        facts.push((
            "North",
            match terrain.georeference() {
                Some(known) if known.has_crs() => "up, by the file’s coordinates".to_owned(),
                _ => "up, if the file’s first row is its north".to_owned(),
            },
        ));
        facts.push((
            "Players",
            format!(
                "eyes at {} m, heads at {} m",
                Short(self.bodies.eye),
                Short(self.bodies.head)
            ),
        ));
        facts
            .into_iter()
            .map(|(name, value)| [name.to_owned(), value])
            .collect()
    }

    pub(super) fn ground(&self) -> Answer {
        let heights: Vec<f32> = self.terrain.heights().iter().map(|&h| h as f32).collect();
        shaded(self.grid.width(), heights, self.terrain.spacing())
    }

    /// What is seen from a sample.
    pub(super) fn pvs(&self, at: &str) -> Result<Answer, Refusal> {
        let [column, row] = column_row(at, [self.grid.width(), self.grid.height()])?;
        let start = Instant::now();
        let viewpoint = Viewpoint {
            sample: (column, row),
            bodies: self.bodies,
            max_distance: f64::INFINITY,
        };
        let mut looker = self.looker.lock().unwrap_or_else(PoisonError::into_inner);
        let shed = looker.look(&self.field, &viewpoint);
        drop(looker);
        let mut words = vec![0_u64; self.grid.blocks()];
        for (column, row) in shed.samples() {
            let (block, bit) = self.grid.block_bit(Sample::new(column, row));
            words[block] |= 1 << bit;
        }
        let seen: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        let here = self.terrain.at(column, row);
        let height = Some(here).filter(|height| !height.is_nan());
        let head = json!({ "seen": seen, "micros": micros_since(start), "height": height });
        Ok(Answer::new(head).with(words))
    }
}
