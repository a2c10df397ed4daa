//! A max pyramid of two levels over a height field, and exact sight between two samples that reads only the ground
//! which may rise above it.
//!
//! A segment is cut into pieces some [`SIDES`] samples long. Where the greatest ground of the tiles below a piece is
//! lower than the piece, nothing blocks it there. What is left is decided by the definition
//! ([`super::super::sightline`]), crossing by crossing and in the same arithmetic, so that the answer is the same.

use crate::visibility::sightline::{Bodies, Sightline};
use crate::world::Terrain;

/// Sides of the tiles of each level as powers of two, the finest first.
const SIDES: [u32; 2] = [4, 7];

/// By how many metres ground may be below sight and yet be looked at: more than the roundings of heights.
const SLACK: f64 = 1e-6;

/// The greatest ground of each tile, its edges included on all four sides.
pub(super) struct Tiles {
    columns: usize,
    /// Row by row; NaN is none.
    highest: Vec<f64>,
    shift: u32,
}

/// Tiles of each level.
pub(super) struct Pyramid([Tiles; SIDES.len()]);

impl Pyramid {
    pub(super) fn new(terrain: &Terrain) -> Self {
        Self(SIDES.map(|shift| Tiles::new(terrain, shift)))
    }

    /// Whether an eye over `a` sees a head over `b`, as [`super::super::sees`] does.
    pub(super) fn sees(
        &self,
        terrain: &Terrain,
        bodies: Bodies,
        a: (u32, u32),
        b: (u32, u32),
    ) -> bool {
        let Some(sight) = Sightline::new(terrain, bodies, a, b) else {
            return false;
        };
        let [tiles, coarse] = &self.0;
        sight.pieces(coarse.side(), (0.0, 1.0)).all(|piece| {
            !coarse.may_block(&sight, piece)
                || sight.pieces(tiles.side(), piece).all(|piece| {
                    !tiles.may_block(&sight, piece) || sight.is_clear_in(terrain, piece)
                })
        })
    }
}

impl Tiles {
    fn new(terrain: &Terrain, shift: u32) -> Self {
        let (width, height) = (terrain.width() as usize, terrain.height() as usize);
        let side = 1 << shift;
        let columns = width.div_ceil(side);
        let mut highest = vec![f64::NEG_INFINITY; columns * height.div_ceil(side)];
        for (row, heights) in terrain.heights().chunks_exact(width).enumerate() {
            // A row on the edge of two rows of tiles counts in both.
            let tile = row >> shift;
            let first = if row % side == 0 {
                tile.saturating_sub(1)
            } else {
                tile
            };
            for column in 0..columns {
                let end = ((column + 1) * side + 1).min(width);
                let part = &heights[column * side..end];
                let greatest = part.iter().fold(f64::NEG_INFINITY, |most, h| most.max(*h));
                for tile in first..=tile {
                    let highest = &mut highest[tile * columns + column];
                    *highest = highest.max(greatest);
                }
            }
        }
        Self {
            columns,
            highest,
            shift,
        }
    }

    fn side(&self) -> u32 {
        1 << self.shift
    }

    /// Whether any ground below a piece of a sight may block it.
    fn may_block(&self, sight: &Sightline, piece: (f64, f64)) -> bool {
        let [columns, rows] = sight.samples_below(piece);
        let lowest = sight.lowest(piece) - SLACK;
        // A tile has its far edges as well, so that a box which ends at an edge ends before it.
        let tiles = |(first, last): (u32, u32)| {
            let first = first >> self.shift;
            first..=((last.max(1) - 1) >> self.shift).max(first)
        };
        tiles(rows).any(|row| {
            let row = &self.highest[row as usize * self.columns..];
            tiles(columns).any(|column| row[column as usize] > lowest)
        })
    }
}
