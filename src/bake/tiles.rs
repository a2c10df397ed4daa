//! Tiles: the blocks that are computed and kept together.

use std::ops::Range;

use crate::compress::pairs::group::morton_blocks;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Grid, Quad};
use crate::world::Terrain;

/// Level of a tile in a quadtree that is at least that high: 32 × 32 viewpoints.
const TILE_LEVEL: u32 = 5;

/// A quad of viewpoints, and its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The quad.
    pub quad: Quad,
    /// The numbers of its blocks in Morton order.
    pub blocks: Range<usize>,
}

/// Level of the tiles of a grid.
fn level_in(grid: Grid) -> u32 {
    grid.root_level().min(TILE_LEVEL)
}

/// Number of tiles of a grid.
pub fn tile_count(grid: Grid) -> u64 {
    let (columns, rows) = grid.quads_at(level_in(grid));
    u64::from(columns) * u64::from(rows)
}

/// The tiles of a grid in bake order. Together they hold each block once.
pub fn tiles(grid: Grid) -> Vec<Tile> {
    let level = level_in(grid);
    let up = level - BLOCK_LEVEL;
    let mut tiles: Vec<Tile> = Vec::new();
    for (number, (column, row)) in morton_blocks(grid).into_iter().enumerate() {
        let quad = Quad::new(level, column >> up, row >> up);
        match tiles.last_mut() {
            Some(tile) if tile.quad == quad => tile.blocks.end = number + 1,
            _ => tiles.push(Tile {
                quad,
                blocks: number..number + 1,
            }),
        }
    }
    tiles
}

impl Tile {
    /// Columns and rows of its samples in a grid of so many.
    fn samples(&self, width: u32, height: u32) -> [Range<u32>; 2] {
        let Quad { level, column, row } = self.quad;
        [(column, width), (row, height)]
            .map(|(at, side)| at << level..((at + 1) << level).min(side))
    }

    /// Number of its samples.
    pub fn sample_count(&self, grid: Grid) -> u64 {
        let [columns, rows] = self.samples(grid.width(), grid.height());
        columns.len() as u64 * rows.len() as u64
    }

    /// Number of its samples where somebody can be.
    pub fn viewpoints(&self, terrain: &Terrain) -> u64 {
        let [columns, rows] = self.samples(terrain.width(), terrain.height());
        let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        places.filter(|&(c, r)| terrain.has_place(c, r)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_each_block_once_and_all_samples() {
        for (width, height) in [(1, 1), (9, 5), (33, 70), (200, 140)] {
            let grid = Grid::new(width, height).unwrap();
            let tiles = tiles(grid);
            let mut next = 0;
            for tile in &tiles {
                assert_eq!(tile.blocks.start, next);
                next = tile.blocks.end;
            }
            assert_eq!(next, grid.blocks());
            assert_eq!(tile_count(grid), tiles.len() as u64);
            let samples: u64 = tiles.iter().map(|tile| tile.sample_count(grid)).sum();
            assert_eq!(samples, grid.samples());
        }
    }
}
