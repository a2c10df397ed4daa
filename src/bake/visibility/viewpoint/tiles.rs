//! A max pyramid of two levels over a height field, and exact sight between two samples that reads only the ground
//! which may rise above it.
//!
//! A segment is cut into pieces some [`SIDES`] samples long. Where the greatest ground of the tiles below a piece is
//! lower than the piece, nothing blocks it there. What is left is decided by the definition
//! ([`super::super::sightline`]), crossing by crossing and in the same arithmetic, so that the answer is the same.

use crate::visibility::sightline::{Bodies, Sightline};
use viewcell_ingest::world::Terrain;

/// Sides of the tiles of each level as powers of two, the finest first.
const SIDES: [u32; 2] = [4, 7];

/// By how many metres ground may be below sight and yet be looked at: more than the roundings of heights.
const SLACK: f64 = 1e-6;

/// The greatest ground of each tile, its edges included on all four sides; so larger tiles are those of smaller ones together.
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
        let [fine, coarse] = SIDES;
        let tiles = Tiles::new(terrain, fine);
        let joined = tiles.joined(coarse - fine);
        Self([tiles, joined])
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
        let mut highest = Vec::with_capacity(columns * height.div_ceil(side));
        // The greatest of each column of the samples of a row of tiles.
        let mut tall = vec![f64::NEG_INFINITY; width];
        let greater = |most: f64, height: f64| if height > most { height } else { most };
        for first in (0..height).step_by(side) {
            tall.fill(f64::NEG_INFINITY);
            let end = (first + side + 1).min(height);
            for row in terrain.heights()[first * width..end * width].chunks_exact(width) {
                for (tall, height) in tall.iter_mut().zip(row) {
                    *tall = greater(*tall, *height);
                }
            }
            highest.extend((0..columns).map(|column| {
                let end = ((column + 1) * side + 1).min(width);
                let part = tall[column * side..end].iter().copied();
                part.fold(f64::NEG_INFINITY, greater)
            }));
        }
        Self {
            columns,
            highest,
            shift,
        }
    }

    /// Tiles whose sides are 2^`more` times as long.
    fn joined(&self, more: u32) -> Self {
        let side = 1 << more;
        let columns = self.columns.div_ceil(side);
        let rows = self.highest.chunks_exact(self.columns).collect::<Vec<_>>();
        let join = |(rows, column): (&[&[f64]], usize)| {
            let end = self.columns.min((column + 1) * side);
            let of_tile = rows.iter().flat_map(|row| &row[column * side..end]);
            of_tile.copied().fold(f64::NEG_INFINITY, f64::max)
        };
        let rows = rows.chunks(side);
        let tiles = rows.flat_map(|rows| (0..columns).map(move |column| (rows, column)));
        Self {
            columns,
            highest: tiles.map(join).collect(),
            shift: self.shift + more,
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
