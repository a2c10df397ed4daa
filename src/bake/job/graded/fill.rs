//! The work of a graded bake, level by level: how blocks see the near blocks of their level.
//!
//! A kernel is given a *chunk* of a level, 256 × 256 cells, and the terrain that lies as far around it as it looks. Chunks
//! are the same whatever the threads and shards, so that answers are, too: single precision goes by the range of heights in
//! a chunk's terrain.

use std::ops::Range;

use cpu_time::ThreadTime;

use crate::compress::ValidPyramid;
use crate::job::error::BakeError;
use crate::job::grid::Work;
use crate::job::levels::Levels;
use crate::job::observer::Observer;
use crate::job::options::BakeOptions;
use crate::job::tiles::Tile;
use crate::job::visibility::{Chunk, Clock, Kernel, Kernels, Look, add};
use crate::visibility::LOOK_LEVEL;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::morton;
use viewcell::format::{Quad, TerrainParameters};
use viewcell_ingest::world::Terrain;

/// Level of a chunk, as a quad of the cells of its level.
const CHUNK_LEVEL: u32 = 8;

/// What deciding a pair of cells costs beside one of samples, by the level of the cells as quads of samples. Measured on made-up
/// mountains; elsewhere it may be a multiple of that.
const PAIR_COSTS: [u64; 7] = [1, 5, 10, 20, 40, 60, 120];

/// Samples of the terrain that are read beyond those that are looked at: an engine draws the ground of a sample's square
/// by its neighbours, and what they lack.
const BEYOND: u32 = 2;

/// The groups of a graded bundle.
pub(crate) struct GradedWork<'a> {
    levels: Levels,
    /// The ground that straight sight meets.
    terrain: &'a Terrain,
    options: &'a BakeOptions,
}

impl<'a> GradedWork<'a> {
    pub(crate) fn new(
        parameters: &TerrainParameters,
        valid: &ValidPyramid,
        terrain: &'a Terrain,
        options: &'a BakeOptions,
    ) -> Self {
        Self {
            levels: Levels::new(parameters, valid),
            terrain,
            options,
        }
    }

    /// Level of the view cells, as quads of samples.
    pub(super) fn finest(&self) -> u32 {
        self.options.finest
    }

    /// Samples of the terrain that the tables of all chunks of a level have together.
    pub(super) fn table_samples(&self, level: u32) -> f64 {
        let grid = self.levels.all[level as usize].grid;
        let (columns, rows) = grid.quads_at(CHUNK_LEVEL);
        let chunks = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let chunk = |(column, row)| self.chunk(level, Quad::new(CHUNK_LEVEL, column, row));
        chunks.map(|quad| self.samples(&chunk(quad))).sum()
    }

    /// The chunks of all groups, in the order in which they are filled, and the numbers of their groups.
    pub(crate) fn chunks(&self, mut tiles: Vec<Tile>) -> Vec<(Chunk<'_>, Vec<usize>)> {
        self.sort_by_chunk(&mut tiles);
        let together = tiles.chunk_by(|a, b| self.chunk_of(a) == self.chunk_of(b));
        let chunk = |tiles: &[Tile]| {
            let (level, quad) = self.chunk_of(&tiles[0]);
            let numbers = tiles.iter().flat_map(|tile| tile.blocks.clone());
            (self.chunk(level, quad), numbers.collect())
        };
        together.map(chunk).collect()
    }

    /// Puts tiles whose cells are looked from with the same tables next to each other, the lowest level first.
    fn sort_by_chunk(&self, tiles: &mut [Tile]) {
        let place = |quad: Quad| morton::number(quad.column, quad.row);
        tiles.sort_by_cached_key(|tile| {
            let (level, chunk) = self.chunk_of(tile);
            (level, place(chunk), tile.blocks.start)
        });
    }

    /// The chunk that the blocks of a tile lie in.
    fn chunk_of(&self, tile: &Tile) -> (u32, Quad) {
        let (level, (column, row)) = self.levels.find(tile.blocks.start);
        let up = CHUNK_LEVEL - BLOCK_LEVEL;
        (level, Quad::new(CHUNK_LEVEL, column >> up, row >> up))
    }

    /// The chunk of a quad of cells of a level: its tables have those that are looked at, and some beyond.
    pub(super) fn chunk(&self, level: u32, quad: Quad) -> Chunk<'_> {
        let grid = self.levels.all[level as usize].grid;
        let reach = self.levels.shape.reach().saturating_mul(1 << BLOCK_LEVEL);
        let more = reach.saturating_add(BEYOND);
        let around = |at: u32, end: u32| {
            let first = (at << quad.level).saturating_sub(more);
            let last = ((at + 1) << quad.level).saturating_add(more);
            first >> LOOK_LEVEL << LOOK_LEVEL..last.min(end)
        };
        Chunk {
            levels: &self.levels,
            level,
            around: [
                around(quad.column, grid.width()),
                around(quad.row, grid.height()),
            ],
        }
    }

    /// Samples of the terrain that the tables of a chunk have.
    pub(super) fn samples(&self, chunk: &Chunk<'_>) -> f64 {
        let [columns, rows] = &chunk.around;
        let cells = columns.len() as f64 * rows.len() as f64;
        cells * 4f64.powi((self.options.finest + chunk.level) as i32)
    }

    /// Does something with the kernels of a chunk.
    pub(super) fn with_kernels<T>(
        &self,
        chunk: &Chunk<'_>,
        clock: &Clock,
        then: impl FnOnce(Option<&dyn Kernels>) -> T,
    ) -> T {
        let begun = ThreadTime::now();
        let options = self.options_of(chunk);
        let part = self.part(chunk, self.terrain);
        let kernels = |part| Kernel::new(part, &options).within(chunk.window());
        let kernels = part.as_ref().map(kernels);
        add(&clock.prepare, begun);
        then(kernels.as_ref().map(|kernels| kernels as &dyn Kernels))
    }

    /// The options of a chunk's kernel.
    pub(crate) fn options_of(&self, chunk: &Chunk<'_>) -> BakeOptions {
        let options = self.options;
        BakeOptions {
            finest: options.finest + chunk.level,
            grade: 0,
            // As much less than cells as is distinguished within those of level 0.
            detail: match options.detail {
                0 => 0,
                detail => detail + chunk.level,
            },
            ..options.clone()
        }
    }

    /// The part of a terrain that a chunk's tables are of; `None` where nobody is.
    pub(crate) fn part(&self, chunk: &Chunk<'_>, terrain: &Terrain) -> Option<Terrain> {
        let level = self.options.finest + chunk.level;
        let samples = |cells: &Range<u32>, end: u32| {
            let at = |cell: u32| (u64::from(cell) << level).min(u64::from(end)) as u32;
            at(cells.start)..at(cells.end)
        };
        let [columns, rows] = &chunk.around;
        terrain.part(
            samples(columns, self.terrain.width()),
            samples(rows, self.terrain.height()),
        )
    }
}

impl Work for GradedWork<'_> {
    fn levels(&self) -> &Levels {
        &self.levels
    }

    /// About how long it takes: pairs of cells, each times what a pair of its level does ([`PAIR_COSTS`]).
    fn weight(&self, number: usize) -> u64 {
        let (at, block) = self.levels.find(number);
        let cells = self.levels.all[at as usize].terrain(block).count_ones();
        let level = (self.options.finest + at) as usize;
        let cost = PAIR_COSTS[level.min(PAIR_COSTS.len() - 1)];
        u64::from(cells) * self.levels.told(at, block) * cost
    }

    fn look(
        &self,
        tiles: Vec<Tile>,
        clock: &Clock,
        _: &dyn Observer,
        look: Look<'_>,
    ) -> Result<(), BakeError> {
        for (chunk, numbers) in self.chunks(tiles) {
            self.with_kernels(&chunk, clock, |kernels| look(&chunk, kernels, numbers))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::terrain::TerrainCells;
    use crate::job::tiles::ShardOf;

    #[test]
    fn shards_have_as_much_of_each_level_as_others() {
        let (width, height) = (1100, 900);
        let heights = vec![0.0; width as usize * height as usize];
        let terrain = Terrain::new(width, height, heights, [1.0; 2]).unwrap();
        let options = BakeOptions {
            finest: 1,
            grade: 4,
            ..BakeOptions::default()
        };
        let cells = TerrainCells::of(&terrain, &options);
        let valid = cells.valid();
        let work = GradedWork::new(&cells.header().parameters, &valid, &terrain, &options);
        let tiles = work.tiles();
        let weights = work.weights(&tiles);
        let blocks = |tiles: &[Tile], level: u32| -> usize {
            let tiles = tiles.iter().map(|tile| tile.blocks.clone());
            let of_level = |blocks: &Range<usize>| work.levels.find(blocks.start).0 == level;
            tiles.filter(of_level).map(|blocks| blocks.len()).sum()
        };
        for of in [2, 3, 5] {
            let mut missing: Vec<bool> = vec![true; work.levels.blocks()];
            for index in 1..=of {
                let share = &tiles[ShardOf::new(index, of).unwrap().tiles(&weights)];
                for block in share.iter().flat_map(|tile| tile.blocks.clone()) {
                    assert!(std::mem::take(&mut missing[block]), "twice: {block}");
                }
                for level in 0..2 {
                    let even = work.levels.all[level as usize].blocks.len() / of as usize;
                    let found = blocks(share, level);
                    assert!(
                        found.abs_diff(even) <= even / 4,
                        "{index}/{of}: {found} blocks of level {level}, even {even}"
                    );
                }
            }
            assert!(!missing.contains(&true));
        }
    }
}
