//! The stage that takes the time: who sees whom, quad by quad of viewpoints, into a store; and which kernel a
//! visibility mode takes.

use super::error::BakeError;
use super::levels::{LevelGroup, Levels};
use super::observer::{Observer, Stage};
use super::options::{BakeOptions, mutual};
use super::parallel::Workers;
use super::report::stage_time;
use super::store::file::Store;
use super::store::group::Targets;
use super::tiles::TILE_LEVEL;
use crate::bundle::StageTime;
use crate::compress::ValidPyramid;
use crate::compress::levels::{Block, quarter};
use crate::compress::pairs::PairSymbols;
use crate::visibility::{
    BlockSight, Bodies, HeightField, LOOK_LEVEL, Order, Rays, ShaftField, Shafts, Sights,
    Viewsheds, Window,
};
use cpu_time::ThreadTime;
use fearless_simd::Level;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::levels::Shape;
use viewcell::format::morton::comes_before;
use viewcell::format::{Answer, Grid, Quad};
use viewcell_ingest::world::Terrain;

/// Processor time, in nanoseconds, summed over threads.
#[derive(Default)]
pub(super) struct Clock {
    pub prepare: AtomicU64,
    visibility: AtomicU64,
    pairs: AtomicU64,
}

impl Clock {
    /// Seconds of preparing, of looking, and of what becomes of it.
    pub(super) fn seconds(&self) -> [f64; 3] {
        [&self.prepare, &self.visibility, &self.pairs]
            .map(|nanos| nanos.load(Ordering::Relaxed) as f64 * 1e-9)
    }

    /// What the stages took.
    pub(super) fn stages(&self) -> Vec<StageTime> {
        let named = ["prepare", "visibility", "pairs"].into_iter();
        let named = named.zip(self.seconds());
        named
            .map(|(name, seconds)| stage_time(name, seconds))
            .collect()
    }
}

/// Adds the time since `begun`.
pub(super) fn add(clock: &AtomicU64, begun: ThreadTime) {
    clock.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

/// Tables that kernels share, of which each thread has one.
pub(crate) trait Kernels: Sync {
    /// A kernel for one thread, at a SIMD level, which changes no answer.
    fn viewsheds(&self, level: Level) -> Box<dyn Viewsheds + '_>;
}

/// Makes the tables for a whole grid.
pub(super) fn prepare<K>(make: impl FnOnce() -> K, clock: &Clock, observer: &dyn Observer) -> K {
    observer.stage(Stage::Prepare, 1);
    let begun = ThreadTime::now();
    let kernels = make();
    add(&clock.prepare, begun);
    observer.advance(Stage::Prepare, 1);
    kernels
}

/// The tables of a whole grid, by which a bake is foreseen.
pub(crate) struct VisibilityStage<'t, K> {
    pub(super) kernels: K,
    pub(super) options: &'t BakeOptions,
    pub(super) levels: Levels,
    /// Seconds that the tables took.
    pub(super) prepared: f64,
}

impl<'t, K: Kernels> VisibilityStage<'t, K> {
    /// Makes the tables.
    pub(super) fn prepare(
        make: impl FnOnce() -> K,
        valid: &ValidPyramid,
        targets: Targets,
        options: &'t BakeOptions,
        observer: &dyn Observer,
    ) -> Self {
        let clock = Clock::default();
        let kernels = prepare(make, &clock, observer);
        let shape = Shape::new(valid.grid(), 0);
        Self {
            kernels,
            options,
            levels: Levels::of(shape, targets, valid),
            prepared: clock.seconds()[0],
        }
    }
}

/// Cells of a level that are looked from with the same tables.
pub(crate) struct Chunk<'a> {
    pub levels: &'a Levels,
    pub level: u32,
    /// The columns and rows of cells that the tables have.
    pub around: [Range<u32>; 2],
}

/// What a thread works with.
pub(super) struct KernelScratch<'k> {
    /// The kernel, and what it sees; none where nobody is.
    seen: Option<(Box<dyn Viewsheds + 'k>, Sights)>,
    tree: PairSymbols,
}

/// What is done with a chunk: by its kernels, of which there are none where nobody is, and the groups that are asked for.
pub(super) type Look<'l> =
    &'l mut dyn FnMut(&Chunk<'_>, Option<&dyn Kernels>, Vec<usize>) -> Result<(), BakeError>;

impl<'a> Chunk<'a> {
    /// All cells of level 0.
    pub(super) fn whole(levels: &'a Levels) -> Self {
        let grid = levels.all[0].grid;
        Self {
            levels,
            level: 0,
            around: [0..grid.width(), 0..grid.height()],
        }
    }

    /// The cells that the tables have, as a grid of their own.
    pub(crate) fn grid(&self) -> Grid {
        let [across, down] = [0, 1].map(|axis: usize| self.around[axis].len() as u32);
        Grid::new(across, down).expect("no more than the whole")
    }

    /// The quad from which a kernel looks at once that holds a block, by its number, in that grid.
    pub(crate) fn look_quad(&self, number: usize) -> Quad {
        let quad = self.levels.look_quad(number);
        let [columns, rows] = [0, 1].map(|axis: usize| self.around[axis].start >> LOOK_LEVEL);
        Quad::new(LOOK_LEVEL, quad.column - columns, quad.row - rows)
    }

    /// The place of a block in that grid, row by row.
    pub(crate) fn place(&self, (column, row): Block) -> usize {
        let [columns, rows] = &self.around;
        let across = columns.len().div_ceil(1 << BLOCK_LEVEL);
        let [column, row] = [(column, columns), (row, rows)]
            .map(|(at, cells)| (at - (cells.start >> BLOCK_LEVEL)) as usize);
        row * across + column
    }

    /// What its kernel looks at.
    pub(crate) fn window(&self) -> Window {
        let [columns, rows] = [0, 1].map(|axis: usize| self.around[axis].start >> BLOCK_LEVEL);
        Window {
            origin: (columns, rows),
            reach: self.levels.shape.reach(),
            is_outer: self.level > 0,
        }
    }

    /// What a thread looks with.
    pub(super) fn scratch<'k>(
        &self,
        kernels: Option<&'k dyn Kernels>,
        options: &BakeOptions,
    ) -> KernelScratch<'k> {
        let level = options.simd.level().unwrap_or(Level::new());
        let seen = |kernels: &'k dyn Kernels| (kernels.viewsheds(level), Sights::new(self.grid()));
        KernelScratch {
            seen: kernels.map(seen),
            tree: PairSymbols::default(),
        }
    }

    /// The groups of these blocks, by their numbers, of a quad that a kernel computes at once; `None` if it was stopped.
    pub(super) fn look(
        &self,
        scratch: &mut KernelScratch<'_>,
        numbers: &[usize],
        clock: &Clock,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<LevelGroup>> {
        let KernelScratch { seen, tree } = scratch;
        let begun = ThreadTime::now();
        if let Some((kernel, sights)) = seen
            && !kernel.look_unless(self.look_quad(numbers[0]), sights, stop)
        {
            return None;
        }
        add(&clock.visibility, begun);
        let begun = ThreadTime::now();
        let group = |&number: &usize| {
            let (_, own) = self.levels.find(number);
            let child = quarter(own) as usize;
            self.levels.group(number, tree, |target, rows| {
                let sight =
                    |(_, sights): &'_ (_, Sights)| match sights.sight(child, self.place(target)) {
                        BlockSight::Void | BlockSight::Hidden => Answer::Hidden,
                        BlockSight::Visible => Answer::Visible,
                        BlockSight::Mixed(seen) => {
                            *rows = *seen;
                            Answer::Mixed
                        }
                    };
                seen.as_ref().map_or(Answer::Hidden, sight)
            })
        };
        let groups = numbers.iter().map(group).collect();
        add(&clock.pairs, begun);
        Some(groups)
    }

    /// Computes the groups of these blocks of the chunk, and appends them in order; tells `advance` of those that are done.
    pub(super) fn fill(
        &self,
        (kernels, options): (Option<&dyn Kernels>, &BakeOptions),
        missing: &[usize],
        workers: &Workers,
        store: &mut Store,
        clock: &Clock,
        advance: &(dyn Fn(&[usize]) + Sync),
    ) -> Result<(), BakeError> {
        let quad = |number: usize| self.levels.look_quad(number);
        // By what a kernel computes at once: a grid of cells may have fewer tiles than there are threads.
        let pieces: Vec<&[usize]> = missing.chunk_by(|&a, &b| quad(a) == quad(b)).collect();
        let tile = |numbers: &[usize]| quad(numbers[0]).ancestor(TILE_LEVEL);
        // By piece: what is looked at, and not yet in the store.
        let looked = Mutex::new(BTreeMap::new());
        let mut kept = Vec::new();
        let filled = workers.run_in(
            || self.scratch(kernels, options),
            0..pieces.len(),
            |_| Ok(()),
            |scratch, piece, ()| {
                let numbers = pieces[piece];
                let stop = || workers.observer.cancelled();
                let groups = self.look(scratch, numbers, clock, &stop)?;
                let begun = ThreadTime::now();
                let record = |(&number, group): (&usize, &LevelGroup)| {
                    Ok((number, self.levels.record(number, group)?))
                };
                let records = numbers.iter().zip(&groups).map(record);
                let records: std::io::Result<Vec<_>> = records.collect();
                add(&clock.pairs, begun);
                let done = records.map(|records| {
                    if let Ok(mut looked) = looked.lock() {
                        looked.insert(piece, records);
                    }
                    advance(numbers);
                });
                Some(done)
            },
            |piece, done| {
                let done = done.ok_or(BakeError::Cancelled)?;
                done.map_err(|error| store.cannot_encode(error))?;
                let records = looked.lock().ok().and_then(|mut all| all.remove(&piece));
                kept.extend(records.into_iter().flatten());
                // A tile is kept as a whole.
                let next = pieces.get(piece + 1);
                if next.is_some_and(|next| tile(next) == tile(pieces[piece])) {
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
