//! The stage that takes the time: who sees whom, tile by tile, into a store.

use std::sync::atomic::{AtomicU64, Ordering};

use cpu_time::ThreadTime;

use super::crew::{Crew, thread_count};
use super::error::BakeError;
use super::kernel::Kernel;
use super::observer::{Observer, Stage};
use super::options::{BakeOptions, mutual};
use super::report::stage_time;
use super::share;
use super::store::file::Store;
use super::store::group::{BlockOrder, Group};
use super::tiles::Tile;
use crate::bundle::StageTime;
use crate::compress::ValidPyramid;
use crate::compress::pairs::{PairBits, PairList, PairSymbols, Sight};
use crate::format::Quad;
use crate::format::grid::BLOCK_LEVEL;
use crate::visibility::{BlockSight, LOOK_LEVEL, Sights, Viewsheds};
use crate::world::Terrain;

/// A block's number, and its group as it lies in a store.
type Encoded = (usize, Vec<u8>);

/// Processor time, in nanoseconds, summed over threads.
#[derive(Default)]
struct Clock {
    visibility: AtomicU64,
    pairs: AtomicU64,
}

/// Tables for the kernels.
pub(super) struct Visibility<'t> {
    options: &'t BakeOptions,
    kernel: Kernel<'t>,
    valid: &'t ValidPyramid,
    order: &'t BlockOrder,
    prepared: f64,
    clock: Clock,
}

/// What a thread works with.
pub(super) struct Room<'k> {
    kernel: Box<dyn Viewsheds + 'k>,
    sights: Sights,
    pair: PairSymbols,
}

impl<'t> Visibility<'t> {
    /// Makes the tables for `terrain`.
    pub fn prepare(
        terrain: &'t Terrain,
        valid: &'t ValidPyramid,
        order: &'t BlockOrder,
        options: &'t BakeOptions,
        observer: &dyn Observer,
    ) -> Self {
        observer.stage(Stage::Prepare, 1);
        let begun = ThreadTime::now();
        let kernel = Kernel::new(terrain, options);
        observer.advance(Stage::Prepare, 1);
        Self {
            options,
            kernel,
            valid,
            order,
            prepared: begun.elapsed().as_secs_f64(),
            clock: Clock::default(),
        }
    }

    /// Computes the blocks of these tiles that `store` lacks, and appends them, tile by tile.
    pub fn fill(
        &self,
        tiles: &[Tile],
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<(), BakeError> {
        let grid = self.valid.grid();
        let crew = Crew::new(thread_count(self.options.threads), observer)?;
        let samples: Vec<u64> = tiles.iter().map(|tile| tile.sample_count(grid)).collect();
        let pairs = share::pairs(&samples, mutual(self.options));
        let missing: Vec<Vec<usize>> = tiles
            .iter()
            .map(|tile| tile.blocks.clone().filter(|&n| !store.has(n)).collect())
            .collect();
        // What a kernel looks from at once: a grid of cells may have fewer tiles than there are threads.
        let mut pieces = Vec::new();
        for (tile, missing) in missing.iter().enumerate() {
            let mut first = 0;
            for together in missing.chunk_by(|&a, &b| self.quad(a) == self.quad(b)) {
                pieces.push((tile, first, together));
                first += together.len();
            }
        }
        let due = |tile: &usize| !missing[*tile].is_empty();
        let asked = (0..tiles.len()).filter(due).map(|tile| pairs[tile]).sum();
        observer.stage(Stage::Visibility, asked);
        let done = AtomicU64::new(0);
        let mut kept = Vec::new();
        crew.run_in(
            || self.room(),
            0..pieces.len(),
            |_| Ok(()),
            |room, piece, ()| {
                let (tile, first, blocks) = pieces[piece];
                let groups = self.look(room, blocks);
                // As if each of the tile's blocks came to as many pairs.
                let pairs =
                    |blocks: usize| pairs[tile] * blocks as u64 / missing[tile].len() as u64;
                let more = pairs(first + blocks.len()) - pairs(first);
                let done = done.fetch_add(more, Ordering::Relaxed) + more;
                observer.advance(Stage::Visibility, done);
                groups
            },
            |piece, groups| {
                kept.extend(groups.map_err(|error| store.cannot_encode(error))?);
                // A tile is kept as a whole.
                let (tile, first, blocks) = pieces[piece];
                if first + blocks.len() < missing[tile].len() {
                    return Ok(());
                }
                Ok(store.append(&std::mem::take(&mut kept))?)
            },
        )?;
        Ok(())
    }

    /// What the stages took.
    pub fn stages(&self) -> Vec<StageTime> {
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
        vec![
            stage_time("prepare", self.prepared),
            stage_time("visibility", seconds(&self.clock.visibility)),
            stage_time("pairs", seconds(&self.clock.pairs)),
        ]
    }

    pub fn room(&self) -> Room<'_> {
        let level = self.options.simd.level();
        let kernel = self
            .kernel
            .viewsheds(level.unwrap_or(fearless_simd::Level::new()));
        Room {
            sights: Sights::new(self.valid.grid()),
            kernel,
            pair: PairSymbols::default(),
        }
    }

    /// The quads that a kernel looks from at once: the numbers of their blocks.
    pub fn quads(&self) -> Vec<std::ops::Range<usize>> {
        let numbers: Vec<usize> = (0..self.order.len()).collect();
        let together = numbers.chunk_by(|&a, &b| self.quad(a) == self.quad(b));
        together
            .map(|blocks| blocks[0]..blocks[0] + blocks.len())
            .collect()
    }

    /// Looks from such a quad, and hands over its groups.
    pub fn look_from(
        &self,
        room: &mut Room<'_>,
        blocks: &std::ops::Range<usize>,
        mut take: impl FnMut(usize, Group),
    ) {
        room.kernel.look(self.quad(blocks.start), &mut room.sights);
        for number in blocks.clone() {
            let group = self.group(room, number);
            take(number, group);
        }
    }

    /// The quad that a kernel looks from at once to which a block belongs.
    fn quad(&self, number: usize) -> Quad {
        let (column, row) = self.order.block(number);
        let up = LOOK_LEVEL - BLOCK_LEVEL;
        Quad::new(LOOK_LEVEL, column >> up, row >> up)
    }

    /// The groups of these blocks, by their numbers, of a quad that a kernel looks from at once.
    fn look(&self, room: &mut Room<'_>, blocks: &[usize]) -> std::io::Result<Vec<Encoded>> {
        let begun = ThreadTime::now();
        room.kernel.look(self.quad(blocks[0]), &mut room.sights);
        let looked = begun.elapsed().as_nanos() as u64;
        let mut groups = Vec::with_capacity(blocks.len());
        for &number in blocks {
            groups.push((number, self.group(room, number).encode(number, self.order)?));
        }
        let all = begun.elapsed().as_nanos() as u64;
        self.clock.visibility.fetch_add(looked, Ordering::Relaxed);
        self.clock.pairs.fetch_add(all - looked, Ordering::Relaxed);
        Ok(groups)
    }

    /// The group of a block, out of what the kernel has seen.
    fn group(&self, room: &mut Room<'_>, number: usize) -> Group {
        let (column, row) = self.order.block(number);
        let child = (row & 1) << 1 | column & 1;
        let terrain = self.valid.blocks();
        let viewpoints = terrain[self.order.index(number)];
        let mut group = Group {
            sights: vec![Sight::Hidden; terrain.len()],
            pairs: PairList::default(),
        };
        for target in self.order.told_by(number) {
            group.sights[target] = match room.sights.sight(child as usize, target) {
                BlockSight::Void | BlockSight::Hidden => Sight::Hidden,
                BlockSight::Visible => Sight::Visible,
                BlockSight::Mixed(rows) => {
                    let bits = PairBits::new(rows, viewpoints, terrain[target]);
                    let sight = bits.analyse(&mut room.pair);
                    if sight == Sight::Mixed {
                        group.pairs.push(room.pair.pair());
                    }
                    sight
                }
            };
        }
        group
    }
}
