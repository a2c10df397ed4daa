//! The stage that takes the time: who sees whom, tile by tile, into a store; and which kernel a
//! visibility mode takes.

use super::error::BakeError;
use super::observer::{Observer, Stage};
use super::options::{BakeOptions, mutual};
use super::parallel::{Workers, thread_count};
use super::report::stage_time;
use super::store::file::Store;
use super::store::group::{BlockOrder, Group};
use super::tiles::{Tile, pairs_by_tile};
use crate::bundle::StageTime;
use crate::compress::ValidPyramid;
use crate::compress::pairs::{PairBits, PairList, PairSymbols};
use crate::visibility::{
    BlockSight, Bodies, HeightField, Order, Rays, ShaftField, Shafts, Sights, Viewsheds, Window,
};
use cpu_time::ThreadTime;
use fearless_simd::Level;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use viewcell::format::Answer;
use viewcell::format::morton::comes_before;
use viewcell_ingest::world::Terrain;

/// A block's number, and its group as it lies in a store.
type Encoded = (usize, Vec<u8>);

/// Processor time, in nanoseconds, summed over threads.
#[derive(Default)]
struct Clock {
    visibility: AtomicU64,
    pairs: AtomicU64,
}

/// Tables that kernels share, of which each thread has one.
pub(crate) trait Kernels: Sync {
    /// A kernel for one thread, at a SIMD level, which changes no answer.
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_>;
}

/// The stage, with the tables that its kernels look at.
pub(crate) struct VisibilityStage<'t, K> {
    options: &'t BakeOptions,
    kernels: K,
    valid: &'t ValidPyramid,
    order: &'t BlockOrder,
    prepared: f64,
    clock: Clock,
}

/// What a thread works with.
pub(crate) struct KernelScratch<'k> {
    kernel: Box<dyn Viewsheds + 'k>,
    sights: Sights,
    pair: PairSymbols,
}

impl<'t, K: Kernels> VisibilityStage<'t, K> {
    /// Makes the tables.
    pub(super) fn prepare(
        make: impl FnOnce() -> K,
        valid: &'t ValidPyramid,
        order: &'t BlockOrder,
        options: &'t BakeOptions,
        observer: &dyn Observer,
    ) -> Self {
        observer.stage(Stage::Prepare, 1);
        let begun = ThreadTime::now();
        let kernels = make();
        observer.advance(Stage::Prepare, 1);
        Self {
            options,
            kernels,
            valid,
            order,
            prepared: begun.elapsed().as_secs_f64(),
            clock: Clock::default(),
        }
    }

    /// Computes the blocks of these tiles that `store` lacks, and appends them, tile by tile.
    pub(super) fn fill(
        &self,
        tiles: &[Tile],
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<(), BakeError> {
        let grid = self.valid.grid();
        let workers = Workers::new(thread_count(self.options.threads), observer)?;
        let samples: Vec<u64> = tiles.iter().map(|tile| tile.sample_count(grid)).collect();
        let pairs = pairs_by_tile(&samples, self.order.is_mutual());
        let missing: Vec<Vec<usize>> = tiles
            .iter()
            .map(|tile| tile.blocks.clone().filter(|&n| !store.has(n)).collect())
            .collect();
        // By what a kernel computes at once: a grid of cells may have fewer tiles than there are threads.
        let mut pieces = Vec::new();
        for (tile, missing) in missing.iter().enumerate() {
            let mut first = 0;
            let quad = |number: usize| self.order.look_quad(number);
            for together in missing.chunk_by(|&a, &b| quad(a) == quad(b)) {
                pieces.push((tile, first, together));
                first += together.len();
            }
        }
        let due = |tile: &usize| !missing[*tile].is_empty();
        let asked = (0..tiles.len()).filter(due).map(|tile| pairs[tile]).sum();
        observer.stage(Stage::Visibility, asked);
        let done = AtomicU64::new(0);
        // By piece: what is looked at, and not yet in the store.
        let looked = Mutex::new(BTreeMap::new());
        let mut kept = Vec::new();
        let filled = workers.run_in(
            || self.room(),
            0..pieces.len(),
            |_| Ok(()),
            |room, piece, ()| {
                let (tile, first, blocks) = pieces[piece];
                let groups = match self.look(room, blocks, &|| observer.cancelled())? {
                    Ok(groups) => groups,
                    Err(error) => return Some(Err(error)),
                };
                if let Ok(mut looked) = looked.lock() {
                    looked.insert(piece, groups);
                }
                // As if each of the tile's blocks came to as many pairs.
                let pairs =
                    |blocks: usize| pairs[tile] * blocks as u64 / missing[tile].len() as u64;
                let more = pairs(first + blocks.len()) - pairs(first);
                let done = done.fetch_add(more, Ordering::Relaxed) + more;
                observer.advance(Stage::Visibility, done);
                Some(Ok(()))
            },
            |piece, done| {
                let done = done.ok_or(BakeError::Cancelled)?;
                done.map_err(|error| store.cannot_encode(error))?;
                let groups = looked.lock().ok().and_then(|mut all| all.remove(&piece));
                kept.extend(groups.into_iter().flatten());
                // A tile is synced as a whole.
                let (tile, first, blocks) = pieces[piece];
                if first + blocks.len() < missing[tile].len() {
                    return Ok(());
                }
                Ok(store.append(&std::mem::take(&mut kept))?)
            },
        );
        if filled.is_err() {
            // Of tiles that are not done, the blocks that are.
            let rest = looked.into_inner().unwrap_or_default();
            kept.extend(rest.into_values().flatten());
            store.append(&kept).ok();
        }
        filled.map(drop)
    }

    /// Seconds that the tables took.
    pub(super) fn prepared(&self) -> f64 {
        self.prepared
    }

    /// What the stages took.
    pub(super) fn stages(&self) -> Vec<StageTime> {
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
        vec![
            stage_time("prepare", self.prepared),
            stage_time("visibility", seconds(&self.clock.visibility)),
            stage_time("pairs", seconds(&self.clock.pairs)),
        ]
    }

    pub(super) fn room(&self) -> KernelScratch<'_> {
        let level = self.options.simd.level().unwrap_or(Level::new());
        let kernel = self.kernels.viewsheds(level);
        KernelScratch {
            sights: Sights::new(self.valid.grid()),
            kernel,
            pair: PairSymbols::default(),
        }
    }

    /// The quads of viewpoints that a kernel computes at once: the numbers of their blocks.
    pub(super) fn quads(&self) -> Vec<std::ops::Range<usize>> {
        self.order.look_quads()
    }

    /// Looks from such a quad, and hands over its groups.
    pub(super) fn look_from(
        &self,
        room: &mut KernelScratch<'_>,
        blocks: &std::ops::Range<usize>,
        mut take: impl FnMut(usize, Group),
    ) {
        let quad = self.order.look_quad(blocks.start);
        room.kernel.look(quad, &mut room.sights);
        for number in blocks.clone() {
            let group = self.group(room, number);
            take(number, group);
        }
    }

    /// The groups of these blocks, by their numbers, of a quad that a kernel computes at once;
    /// `None` if it was stopped.
    fn look(
        &self,
        room: &mut KernelScratch<'_>,
        blocks: &[usize],
        stop: &dyn Fn() -> bool,
    ) -> Option<std::io::Result<Vec<Encoded>>> {
        let begun = ThreadTime::now();
        let quad = self.order.look_quad(blocks[0]);
        if !room.kernel.look_unless(quad, &mut room.sights, stop) {
            return None;
        }
        let looked = begun.elapsed().as_nanos() as u64;
        let groups = blocks
            .iter()
            .map(|&number| Ok((number, self.group(room, number).encode(number, self.order)?)))
            .collect();
        let all = begun.elapsed().as_nanos() as u64;
        self.clock.visibility.fetch_add(looked, Ordering::Relaxed);
        self.clock.pairs.fetch_add(all - looked, Ordering::Relaxed);
        Some(groups)
    }

    /// The group of a block, out of what the kernel has seen.
    fn group(&self, room: &mut KernelScratch<'_>, number: usize) -> Group {
        let (column, row) = self.order.block(number);
        let child = (row & 1) << 1 | column & 1;
        let terrain = self.valid.blocks();
        let viewpoints = terrain[self.order.index(number)];
        let mut group = Group {
            sights: vec![Answer::Hidden; terrain.len()],
            pairs: PairList::default(),
        };
        for target in self.order.told_by(number) {
            group.sights[target] = match room.sights.sight(child as usize, target) {
                BlockSight::Void | BlockSight::Hidden => Answer::Hidden,
                BlockSight::Visible => Answer::Visible,
                BlockSight::Mixed(rows) => {
                    let bits = PairBits::new(rows, viewpoints, terrain[target]);
                    let sight = bits.analyse(&mut room.pair);
                    if sight == Answer::Mixed {
                        group.pairs.push(room.pair.pair());
                    }
                    sight
                }
            };
        }
        group
    }
}

/// The terrain as the kernel of a mode reads it.
pub(crate) enum Kernel<'t> {
    /// With the order of blocks, if each pair is decided once.
    Rays(&'t Terrain, Box<HeightField>, Option<Order>),
    Shafts(Box<ShaftField<'t>>, Option<Order>),
}

impl<'t> Kernel<'t> {
    /// Tables of the mode that `options` ask for.
    pub(super) fn new(terrain: &'t Terrain, options: &BakeOptions) -> Self {
        let bodies = Bodies {
            eye: options.eye_height,
            head: options.player_height,
        };
        let max_distance = options.max_distance.unwrap_or(f64::INFINITY);
        let order = mutual(options).then_some(comes_before as Order);
        let stance = options.mode.stance();
        match options.finest {
            0 => {
                let field = HeightField::new(terrain, bodies, stance);
                let field = field.with_max_distance(max_distance);
                Self::Rays(terrain, Box::new(field), order)
            }
            finest => {
                let field = ShaftField::new(terrain, bodies, stance, finest)
                    .with_max_distance(max_distance)
                    .with_detail(options.detail);
                Self::Shafts(Box::new(field), order)
            }
        }
    }

    /// The same over a part of a grid, looking no further than a window says.
    pub(super) fn within(self, window: Window) -> Windowed<'t> {
        Windowed {
            kernel: self,
            window,
        }
    }
}

impl Kernels for Kernel<'_> {
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_> {
        match self {
            Self::Rays(terrain, field, order) => Box::new(rays(terrain, field, *order, level)),
            Self::Shafts(field, order) => Box::new(shafts(field, *order, level)),
        }
    }
}

/// A kernel over a part of a grid.
pub(super) struct Windowed<'t> {
    kernel: Kernel<'t>,
    window: Window,
}

/// A kernel for one thread that can be asked again what may have changed.
pub(super) enum ThreadKernel<'k> {
    Rays(Rays<'k>),
    Shafts(Shafts<'k>),
}

impl Windowed<'_> {
    pub(super) fn of_thread(&self, level: Level) -> ThreadKernel<'_> {
        match &self.kernel {
            Kernel::Rays(terrain, field, order) => {
                ThreadKernel::Rays(rays(terrain, field, *order, level).within(self.window))
            }
            Kernel::Shafts(field, order) => {
                ThreadKernel::Shafts(shafts(field, *order, level).within(self.window))
            }
        }
    }
}

impl Kernels for Windowed<'_> {
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_> {
        match self.of_thread(level) {
            ThreadKernel::Rays(rays) => Box::new(rays),
            ThreadKernel::Shafts(shafts) => Box::new(shafts),
        }
    }
}

/// The kernel of cells.
fn shafts<'k>(field: &'k ShaftField<'k>, order: Option<Order>, level: Level) -> Shafts<'k> {
    let shafts = Shafts::new(field, level);
    match order {
        Some(order) => shafts.deciding_once(order),
        None => shafts,
    }
}

/// The kernel of samples and of cells around them.
fn rays<'k>(
    terrain: &'k Terrain,
    field: &'k HeightField,
    order: Option<Order>,
    level: Level,
) -> Rays<'k> {
    let rays = Rays::new(terrain, field, level);
    match order {
        Some(order) => rays.deciding_once(order),
        None => rays,
    }
}
