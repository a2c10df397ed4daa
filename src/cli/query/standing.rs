//! Why nobody can be at a place.

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::{Quad, Sample, TerrainBundle};

/// Whether somebody can be at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Somebody can.
    Walkable,
    /// There is ground, on which nobody can be.
    NotWalkable,
    /// There is no ground.
    Void,
}

impl Standing {
    /// At a sample of the bundle's grid.
    pub fn at(terrain: &TerrainBundle, sample: Sample) -> Self {
        Self::within(terrain, Quad::new(0, sample.column, sample.row))
    }

    /// Anywhere in a quad of the bundle's grid.
    pub fn within(terrain: &TerrainBundle, quad: Quad) -> Self {
        if terrain.valid().has_quad(quad) {
            return Self::Walkable;
        }
        let Sample { column, row } = quad.origin();
        let side = 1_u32 << quad.level;
        let grid = terrain.grid();
        let rows = row..grid.height().min(row + side);
        let columns = column..grid.width().min(column + side);
        let mut samples = rows.flat_map(|r| columns.clone().map(move |c| Sample::new(c, r)));
        match samples.any(|sample| terrain.height(sample).is_some()) {
            true => Self::NotWalkable,
            false => Self::Void,
        }
    }
}
