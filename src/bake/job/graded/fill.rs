//! The stage that takes the time, level by level: how blocks see the near blocks of their level.
//!
//! A kernel is given a *chunk* of a level, 256 × 256 cells, and the terrain that lies as far around it as it looks. Chunks
//! are the same whatever the threads and shards, so that answers are, too: single precision goes by the range of heights in
//! a chunk's terrain.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use cpu_time::ThreadTime;
use fearless_simd::Level as Simd;

use crate::bundle::StageTime;
use crate::compress::ValidPyramid;
use crate::compress::levels::Block;
use crate::compress::pairs::PairSymbols;
use crate::job::error::BakeError;
use crate::job::grid::Work;
use crate::job::levels::Levels;
use crate::job::observer::{Observer, Stage};
use crate::job::options::BakeOptions;
use crate::job::parallel::{Workers, thread_count};
use crate::job::report::stage_time;
use crate::job::store::file::Store;
use crate::job::tiles::Tile;
use crate::job::visibility::{Kernel, Kernels};
use crate::visibility::{BlockSight, LOOK_LEVEL, Sights, Viewsheds, Window};
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::morton;
use viewcell::format::{Grid, Quad, TerrainParameters};
use viewcell_ingest::world::Terrain;

/// Level of a chunk, as a quad of the cells of its level.
const CHUNK_LEVEL: u32 = 8;

/// What deciding a pair of cells costs beside one of samples, by the level of the cells as quads of samples. Measured on made-up
/// mountains; elsewhere it may be a multiple of that.
const PAIR_COSTS: [u64; 7] = [1, 5, 10, 20, 40, 60, 120];

/// Samples of the terrain that are read beyond those that are looked at: an engine draws the ground of a sample's square
/// by its neighbours, and what they lack.
const BEYOND: u32 = 2;

/// A block's number, and its group as it lies in a store.
type Record = (usize, Vec<u8>);

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

    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
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
        let chunk = |(column, row)| Chunk::new(self, level, Quad::new(CHUNK_LEVEL, column, row));
        chunks.map(|quad| chunk(quad).samples()).sum()
    }

    /// The chunks of all groups, in the order in which they are filled, and the numbers of their groups.
    pub(crate) fn chunks(&self, mut tiles: Vec<Tile>) -> Vec<(Chunk<'_>, Vec<usize>)> {
        self.sort_by_chunk(&mut tiles);
        let together = tiles.chunk_by(|a, b| self.chunk_of(a) == self.chunk_of(b));
        let chunk = |tiles: &[Tile]| {
            let (level, quad) = self.chunk_of(&tiles[0]);
            let numbers = tiles.iter().flat_map(|tile| tile.blocks.clone());
            (Chunk::new(self, level, quad), numbers.collect())
        };
        together.map(chunk).collect()
    }

    /// Number of blocks of all levels.
    pub(crate) fn blocks(&self) -> usize {
        self.levels.blocks()
    }

    /// Puts tiles whose cells are looked from with the same tables next to each other, the lowest level first.
    fn sort_by_chunk(&self, tiles: &mut [Tile]) {
        let place = |quad: Quad| morton::number(quad.column, quad.row);
        tiles.sort_by_cached_key(|tile| {
            let (level, chunk) = self.chunk_of(tile);
            (level, place(chunk), tile.blocks.start)
        });
    }

    /// About how long the group of a block takes: pairs of cells, each times what a pair of its level does ([`PAIR_COSTS`]).
    fn weight(&self, number: usize) -> u64 {
        let (at, block) = self.levels.find(number);
        let cells = self.levels.all[at as usize].terrain(block).count_ones();
        let level = (self.options.finest + at) as usize;
        let cost = PAIR_COSTS[level.min(PAIR_COSTS.len() - 1)];
        u64::from(cells) * self.levels.told(at, block) * cost
    }

    /// The chunk that the blocks of a tile lie in.
    fn chunk_of(&self, tile: &Tile) -> (u32, Quad) {
        let (level, (column, row)) = self.levels.find(tile.blocks.start);
        let up = CHUNK_LEVEL - BLOCK_LEVEL;
        (level, Quad::new(CHUNK_LEVEL, column >> up, row >> up))
    }
}

impl Work for GradedWork<'_> {
    fn tiles(&self) -> Vec<Tile> {
        self.levels.tiles()
    }

    fn weights(&self, tiles: &[Tile]) -> Vec<u64> {
        let weight = |tile: &Tile| tile.blocks.clone().map(|number| self.weight(number)).sum();
        tiles.iter().map(weight).collect()
    }

    fn fill(
        &self,
        tiles: &[Tile],
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<Vec<StageTime>, BakeError> {
        let workers = Workers::new(thread_count(self.options.threads), observer)?;
        let due = |tile: &Tile| tile.blocks.clone().any(|number| !store.has(number));
        let due: Vec<Tile> = tiles.iter().filter(|&tile| due(tile)).cloned().collect();
        let all: u64 = self.weights(&due).into_iter().sum();
        observer.stage(Stage::Visibility, all);
        let clock = Clock::default();
        let mut done = 0;
        let mut advance = |numbers: &[usize]| {
            let weights = numbers.iter().map(|&number| self.weight(number));
            done += weights.sum::<u64>();
            observer.advance(Stage::Visibility, done);
        };
        for (chunk, mut missing) in self.chunks(due) {
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            missing.retain(|&number| !store.has(number));
            chunk.fill(&missing, &workers, store, &clock, &mut advance)?;
        }
        Ok(clock.stages())
    }
}

/// Processor time, in nanoseconds, summed over threads.
#[derive(Default)]
pub(super) struct Clock {
    prepare: AtomicU64,
    visibility: AtomicU64,
    pairs: AtomicU64,
}

impl Clock {
    /// Seconds of preparing, and of all else.
    pub(super) fn seconds(&self) -> [f64; 2] {
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
        [
            seconds(&self.prepare),
            seconds(&self.visibility) + seconds(&self.pairs),
        ]
    }

    fn stages(&self) -> Vec<StageTime> {
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
        vec![
            stage_time("prepare", seconds(&self.prepare)),
            stage_time("visibility", seconds(&self.visibility)),
            stage_time("pairs", seconds(&self.pairs)),
        ]
    }
}

fn add(clock: &AtomicU64, begun: ThreadTime) {
    clock.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

/// Cells of a level that are looked from with the same tables.
pub(crate) struct Chunk<'a> {
    work: &'a GradedWork<'a>,
    level: u32,
    /// Of cells of the level.
    quad: Quad,
}

/// What a thread works with.
struct FillScratch<'k> {
    kernel: Box<dyn Viewsheds + 'k>,
    sights: Sights,
    tree: PairSymbols,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(work: &'a GradedWork<'a>, level: u32, quad: Quad) -> Self {
        Self { work, level, quad }
    }

    /// Samples of the terrain that its tables have.
    pub(super) fn samples(&self) -> f64 {
        let [columns, rows] = self.around();
        let cells = columns.len() as f64 * rows.len() as f64;
        cells * 4f64.powi((self.work.options.finest + self.level) as i32)
    }

    /// Computes the groups of these blocks of the chunk; tells `advance` of those that are done.
    pub(super) fn fill(
        &self,
        missing: &[usize],
        workers: &Workers,
        store: &mut Store,
        clock: &Clock,
        advance: &mut dyn FnMut(&[usize]),
    ) -> Result<(), BakeError> {
        let GradedWork {
            levels, terrain, ..
        } = self.work;
        let begun = ThreadTime::now();
        let options = self.options();
        let part = self.part(terrain);
        let kernel = part
            .as_ref()
            .map(|part| Kernel::new(part, &options).within(self.window()));
        let grid = self.grid();
        let simd = options.simd.level().unwrap_or(Simd::new());
        add(&clock.prepare, begun);
        let quad = |number: usize| levels.look_quad(number);
        let pieces: Vec<&[usize]> = missing.chunk_by(|&a, &b| quad(a) == quad(b)).collect();
        workers.run_in(
            || {
                kernel.as_ref().map(|kernel| FillScratch {
                    kernel: kernel.viewsheds(simd),
                    sights: Sights::new(grid),
                    tree: PairSymbols::default(),
                })
            },
            0..pieces.len(),
            |_| Ok(()),
            |room, piece, ()| {
                let numbers = pieces[piece];
                let Some(room) = room else {
                    // Nobody is there.
                    let mut tree = PairSymbols::default();
                    let mut nothing = |&number: &usize| {
                        Ok((number, levels.encode(number, &mut tree, |_| [0; 64])?))
                    };
                    return Some(numbers.iter().map(&mut nothing).collect());
                };
                let begun = ThreadTime::now();
                let local = self.look_quad(numbers[0]);
                let stop = || workers.observer.cancelled();
                if !room.kernel.look_unless(local, &mut room.sights, &stop) {
                    return None;
                }
                add(&clock.visibility, begun);
                let begun = ThreadTime::now();
                let groups = numbers
                    .iter()
                    .map(|&number| self.group(number, room))
                    .collect();
                add(&clock.pairs, begun);
                Some(groups)
            },
            |piece, groups: Option<std::io::Result<Vec<Record>>>| {
                let groups = groups.ok_or(BakeError::Cancelled)?;
                let groups = groups.map_err(|error| store.cannot_encode(error))?;
                store.append(&groups)?;
                advance(pieces[piece]);
                Ok(())
            },
        )?;
        Ok(())
    }

    /// The columns and rows of cells that the chunk's tables have: those that are looked at, and some beyond.
    fn around(&self) -> [Range<u32>; 2] {
        let levels = &self.work.levels;
        let grid = levels.all[self.level as usize].grid;
        let reach = levels.shape.reach().saturating_mul(1 << BLOCK_LEVEL);
        let more = reach.saturating_add(BEYOND);
        let around = |at: u32, end: u32| {
            let first = (at << self.quad.level).saturating_sub(more);
            let last = ((at + 1) << self.quad.level).saturating_add(more);
            first >> LOOK_LEVEL << LOOK_LEVEL..last.min(end)
        };
        [
            around(self.quad.column, grid.width()),
            around(self.quad.row, grid.height()),
        ]
    }

    /// The cells that they have, as a grid of their own.
    pub(crate) fn grid(&self) -> Grid {
        let [across, down] = self.around().map(|cells| cells.len() as u32);
        Grid::new(across, down).expect("no more than the whole")
    }

    /// The quad from which a kernel looks at once that holds a block, by its number, in that grid.
    pub(crate) fn look_quad(&self, number: usize) -> Quad {
        let quad = self.work.levels.look_quad(number);
        let [columns, rows] = self.around().map(|cells| cells.start >> LOOK_LEVEL);
        Quad::new(LOOK_LEVEL, quad.column - columns, quad.row - rows)
    }

    /// The place of a block in that grid, row by row.
    pub(crate) fn place(&self, (column, row): Block) -> usize {
        let [columns, rows] = self.around();
        let across = columns.len().div_ceil(1 << BLOCK_LEVEL);
        let [column, row] = [(column, columns), (row, rows)]
            .map(|(at, cells)| (at - (cells.start >> BLOCK_LEVEL)) as usize);
        row * across + column
    }

    /// What its kernel looks at.
    pub(crate) fn window(&self) -> Window {
        let [columns, rows] = self.around().map(|cells| cells.start >> BLOCK_LEVEL);
        Window {
            origin: (columns, rows),
            reach: self.work.levels.shape.reach(),
            is_outer: self.level > 0,
        }
    }

    /// The options of its kernel.
    pub(crate) fn options(&self) -> BakeOptions {
        let options = self.work.options;
        BakeOptions {
            finest: options.finest + self.level,
            grade: 0,
            // As much less than cells as is distinguished within those of level 0.
            detail: match options.detail {
                0 => 0,
                detail => detail + self.level,
            },
            ..options.clone()
        }
    }

    /// The part of a terrain that its tables are of; `None` where nobody is.
    pub(crate) fn part(&self, terrain: &Terrain) -> Option<Terrain> {
        let [columns, rows] = self.ground();
        terrain.part(columns, rows)
    }

    /// The columns and rows of samples of the terrain that they are made of.
    fn ground(&self) -> [Range<u32>; 2] {
        let GradedWork {
            terrain, options, ..
        } = self.work;
        let level = options.finest + self.level;
        let samples = |cells: Range<u32>, end: u32| {
            let at = |cell: u32| (u64::from(cell) << level).min(u64::from(end)) as u32;
            at(cells.start)..at(cells.end)
        };
        let [columns, rows] = self.around();
        [
            samples(columns, terrain.width()),
            samples(rows, terrain.height()),
        ]
    }

    /// The group of a block, out of what a kernel has seen.
    fn group(&self, number: usize, room: &mut FillScratch<'_>) -> std::io::Result<Record> {
        let levels = &self.work.levels;
        let (_, own) = levels.find(number);
        let child = ((own.1 & 1) << 1 | own.0 & 1) as usize;
        let FillScratch { sights, tree, .. } = room;
        let record = levels.encode(number, tree, |target| {
            match sights.sight(child, self.place(target)) {
                BlockSight::Void | BlockSight::Hidden => [0; 64],
                BlockSight::Visible => [!0; 64],
                BlockSight::Mixed(rows) => *rows,
            }
        })?;
        Ok((number, record))
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
            let mut missing: Vec<bool> = vec![true; work.blocks()];
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
