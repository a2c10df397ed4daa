//! Tiles: the blocks that are computed and kept together; and how a bake is split into shards of
//! about the same work.

use crate::compress::pairs::group::morton_blocks;
use std::ops::Range;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::levels::Shape;
use viewcell::format::{Grid, Quad, TerrainParameters, TreeCode};

/// Level of a tile in a quadtree that is at least that high: 32 × 32 viewpoints.
pub(super) const TILE_LEVEL: u32 = 5;

/// A quad of viewpoints, and its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The quad.
    pub quad: Quad,
    /// The numbers of its blocks in Morton order.
    pub blocks: Range<usize>,
}

/// Level of the tiles of a grid.
fn level_in(grid: Grid) -> u32 {
    grid.root_level().min(TILE_LEVEL)
}

/// The grids whose blocks have groups that kernels compute: those of the levels of a lossless bundle.
pub(super) fn grids(parameters: &TerrainParameters) -> Vec<Grid> {
    match parameters.tree_code {
        TreeCode::Single => vec![parameters.grid],
        TreeCode::Levels => {
            let shape = Shape::of(parameters);
            (0..shape.levels())
                .map(|level| shape.level(level))
                .collect()
        }
    }
}

/// Number of tiles that a bake comes to.
pub(super) fn tile_count(parameters: &TerrainParameters) -> u64 {
    let tiles = |grid: Grid| {
        let (columns, rows) = grid.quads_at(level_in(grid));
        u64::from(columns) * u64::from(rows)
    };
    grids(parameters).into_iter().map(tiles).sum()
}

/// Number of groups that a bake comes to.
pub(super) fn group_count(parameters: &TerrainParameters) -> usize {
    grids(parameters).iter().map(Grid::blocks).sum()
}

/// The tiles of a grid in bake order. Together they hold each block once.
pub(super) fn tiles(grid: Grid) -> Vec<Tile> {
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

/// One of so many shares of a bake: `2/7` is the second of seven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardOf {
    index: u32,
    of: u32,
}

impl ShardOf {
    /// Share `index`, from 1, of `of`; `None` unless there is such a share.
    pub fn new(index: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&index).then_some(Self { index, of })
    }

    /// Its number, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many shares there are.
    pub fn of(self) -> u32 {
        self.of
    }

    /// The tiles of the share, by their place in bake order, where each comes to so many `pairs`:
    /// a run of tiles with as many as those of the other shares, as nearly as tiles go. Where
    /// there are more shares than tiles, some are empty.
    pub fn tiles(self, pairs: &[u64]) -> Range<usize> {
        let total: u64 = pairs.iter().sum();
        // Tiles whose middle lies before the share's border.
        let border = |share: u32| {
            let border = u128::from(total) * u128::from(share) * 2;
            let mut before = 0;
            let within = |&&weight: &&u64| {
                let middle = (2 * before + u128::from(weight)) * u128::from(self.of);
                before += u128::from(weight);
                middle < border
            };
            if share == self.of {
                pairs.len()
            } else {
                pairs.iter().take_while(within).count()
            }
        };
        border(self.index - 1)..border(self.index)
    }
}

impl std::str::FromStr for ShardOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('/')
            .and_then(|(index, of)| Self::new(index.parse().ok()?, of.parse().ok()?))
            .ok_or_else(|| "expected I/N: share I, from 1, of N".to_owned())
    }
}

impl std::fmt::Display for ShardOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Pairs that are decided for each tile or block, by the samples of all: with all samples, or if that
/// is done `once` for each pair, with its own and those of later ones.
pub(crate) fn pairs_by_tile(samples: &[u64], once: bool) -> Vec<u64> {
    let all: u64 = samples.iter().sum();
    let mut before = 0;
    let pairs = samples.iter().map(|&own| {
        let pairs = own * (all - before)
            - if once {
                own * own.saturating_sub(1) / 2
            } else {
                0
            };
        before += if once { own } else { 0 };
        pairs
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::{tiles, *};
    use crate::compress::ValidPyramid;
    use viewcell_ingest::world::Terrain;

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
            let (columns, rows) = grid.quads_at(level_in(grid));
            assert_eq!(u64::from(columns) * u64::from(rows), tiles.len() as u64);
            let samples = |tile: &Tile| {
                let Quad { level, column, row } = tile.quad;
                let side = |at: u32, end: u32| ((at + 1) << level).min(end) - (at << level);
                u64::from(side(column, width)) * u64::from(side(row, height))
            };
            let samples: u64 = tiles.iter().map(samples).sum();
            assert_eq!(samples, grid.samples());
        }
    }

    #[test]
    fn shares_hold_every_tile_once_and_are_balanced() {
        let heights = (0..300 * 170).map(|i| if i % 300 < 90 { f64::NAN } else { 0.0 });
        let terrain = Terrain::new(300, 170, heights.collect(), [1.0; 2]).unwrap();
        let grid = Grid::new(300, 170).unwrap();
        let tiles = tiles(grid);
        let blocks = morton_blocks(grid);
        let valid = ValidPyramid::from_places(grid, terrain.places());
        let across = grid.block_shape().0;
        let of_block = |number: usize| {
            let (column, row) = blocks[number];
            u64::from(valid.blocks()[(row * across + column) as usize].count_ones())
        };
        let viewpoints = tiles
            .iter()
            .map(|tile| tile.blocks.clone().map(of_block).sum());
        let viewpoints: Vec<u64> = viewpoints.collect();
        let samples = 210 * 170;
        for (once, all) in [
            (false, samples * samples),
            (true, samples * (samples + 1) / 2),
        ] {
            let pairs = pairs_by_tile(&viewpoints, once);
            let sum: u64 = pairs.iter().sum();
            assert_eq!(sum, all);
            for of in [1, 2, 3, 7, 60, 100] {
                let mut next = 0;
                for index in 1..=of {
                    let share = ShardOf::new(index, of).unwrap().tiles(&pairs);
                    assert_eq!(share.start, next);
                    next = share.end;
                    let found: u64 = pairs[share].iter().sum();
                    let even = sum / u64::from(of);
                    assert!(
                        found.abs_diff(even) <= 1024 * samples,
                        "{index}/{of}: {found}"
                    );
                }
                assert_eq!(next, tiles.len());
            }
        }
    }

    #[test]
    fn shares_are_read_whole_or_not_at_all() {
        assert_eq!("2/7".parse(), Ok(ShardOf { index: 2, of: 7 }));
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/2", ""] {
            assert!(text.parse::<ShardOf>().is_err(), "{text}");
        }
    }
}
