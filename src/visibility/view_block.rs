//! A block of viewpoints that look at once.

use super::lanes::{LANES, SIDE};
use crate::format::{Quad, Sample};
use crate::world::Terrain;

/// A block of 8 × 8 viewpoints.
pub(super) struct ViewBlock {
    /// Its north-western viewpoint.
    pub column: i32,
    pub row: i32,
    /// Lanes with terrain to stand on.
    pub standing: u64,
    /// Which child it is of the quad that is looked from.
    pub child: usize,
}

impl ViewBlock {
    pub fn new(terrain: &Terrain, quad: Quad, child: usize) -> Self {
        let Sample { column, row } = quad.origin();
        let (column, row) = (column as usize, row as usize);
        let (column, row) = (column + child % 2 * SIDE, row + child / 2 * SIDE);
        Self {
            column: column as i32,
            row: row as i32,
            standing: standing(terrain, column, row),
            child,
        }
    }
}

/// The lanes of a block that have terrain to stand on.
fn standing(terrain: &Terrain, column: usize, row: usize) -> u64 {
    (0..LANES).fold(0, |lanes, i| {
        let (c, r) = ((column + i % SIDE) as u32, (row + i / SIDE) as u32);
        let stands = c < terrain.width() && r < terrain.height() && !terrain.at(c, r).is_nan();
        lanes | u64::from(stands) << i
    })
}
