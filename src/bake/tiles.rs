//! The work: tiles of viewpoints in parallel, handed on in bake order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};

use cpu_time::ThreadTime;

use super::crew::pool;
use super::kernel::Kernel;
use super::report::stage_time;
use super::{BakeError, BakeOptions, Observer, Stage, mutual, share};
use crate::bundle::{StageTime, Tile};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::Grid;
use crate::hierarchy::{Plan, TileWalk, Viewcell};
use crate::world::Terrain;

/// Processor time of the stages, in nanoseconds, summed over threads.
#[derive(Default)]
pub(super) struct Clock {
    visibility: AtomicU64,
    trees: AtomicU64,
}

/// What a tile becomes: its quads' trees in bake order, and its PVS.
pub(super) struct BakedTile {
    pub tile: Tile,
    pub union: Vec<u64>,
}

/// Threads to work with.
pub(super) fn threads(options: &BakeOptions) -> usize {
    thread_count(options.threads)
}

/// Threads, where 0 stands for as many as there are processors.
pub(super) fn thread_count(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    }
}

/// Tables for the kernels.
pub(super) struct Prepared<'t> {
    options: &'t BakeOptions,
    kernel: Kernel<'t>,
    pub valid: ValidPyramid,
    seconds: f64,
}

impl<'t> Prepared<'t> {
    pub fn new(
        terrain: &'t Terrain,
        grid: Grid,
        options: &'t BakeOptions,
        observer: &dyn Observer,
    ) -> Self {
        observer.stage(Stage::Prepare, 1);
        let prepare = ThreadTime::now();
        let kernel = Kernel::new(terrain, options);
        let valid = ValidPyramid::from_heights(grid, terrain.heights());
        observer.advance(Stage::Prepare, 1);
        Self {
            options,
            kernel,
            valid,
            seconds: prepare.elapsed().as_secs_f64(),
        }
    }

    /// What the stages up to the trees took.
    pub fn stages(&self, clock: &Clock) -> Vec<StageTime> {
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
        vec![
            stage_time("prepare", self.seconds),
            stage_time("visibility", seconds(&clock.visibility)),
            stage_time("hierarchy and trees", seconds(&clock.trees)),
        ]
    }

    /// Bakes tiles, and hands them to `take` in order.
    pub fn bake_tiles(
        &self,
        due: Range<usize>,
        observer: &dyn Observer,
        take: &mut dyn FnMut(Viewcell, BakedTile) -> Result<(), BakeError>,
    ) -> Result<Clock, BakeError> {
        let clock = Clock::default();
        let grid = self.valid.grid();
        let plan = Plan::new(grid.width(), grid.height());
        let tiles = plan.tiles();
        let threads = threads(self.options);
        let level = self.options.simd.level();
        let level = level.unwrap_or(fearless_simd::Level::new());
        let pool = pool(threads)?;
        let samples: Vec<u64> = tiles.iter().map(|&tile| plan.samples(tile)).collect();
        let pairs = share::pairs(&samples, mutual(self.options));
        observer.stage(Stage::Visibility, pairs[due.clone()].iter().sum());
        let done = AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let workers = Mutex::new(Vec::new());
        let work = |index: usize| {
            let idle = workers.lock().ok().and_then(|mut all| all.pop());
            let (mut walk, mut scratch) = idle.unwrap_or_else(|| {
                let viewsheds = self.kernel.viewsheds(level);
                (TileWalk::new(plan, viewsheds), Scratch::default())
            });
            let baked = bake_tile(
                &mut walk,
                &mut scratch,
                &self.valid,
                (index, tiles[index]),
                &clock,
                &mut |viewpoints| {
                    // As if each of the tile's viewpoints came to as many.
                    let more = pairs[index] * viewpoints / samples[index];
                    let done = done.fetch_add(more, Ordering::Relaxed) + more;
                    observer.advance(Stage::Visibility, done);
                    !stop.load(Ordering::Relaxed) && !observer.cancelled()
                },
            );
            if let Ok(mut all) = workers.lock() {
                all.push((walk, scratch));
            }
            baked
        };

        // As many tiles are on their way as keep all threads busy while one waits to be written.
        let window = 2 * threads + 1;
        let (sender, receiver) = mpsc::channel();
        pool.in_place_scope(|scope| {
            let start = |index: usize| {
                let (sender, work) = (sender.clone(), &work);
                scope.spawn(move |_| {
                    // Nobody listens any more once writing has failed.
                    sender.send((index, work(index))).ok();
                });
            };
            let mut waiting = BTreeMap::new();
            let mut started = due.end.min(due.start + window);
            (due.start..started).for_each(start);
            let mut write = || -> Result<(), BakeError> {
                for index in due.clone() {
                    let baked = loop {
                        if let Some(baked) = waiting.remove(&index) {
                            break baked;
                        }
                        let Ok((at, baked)) = receiver.recv() else {
                            return Err(BakeError::Cancelled);
                        };
                        waiting.insert(at, baked);
                    };
                    let baked: BakedTile = baked.ok_or(BakeError::Cancelled)?;
                    take(tiles[index], baked)?;
                    if started < due.end {
                        start(started);
                        started += 1;
                    }
                }
                Ok(())
            };
            let written = write();
            stop.store(true, Ordering::Relaxed);
            written
        })?;
        Ok(clock)
    }
}

/// Visibility, unions and trees of one tile; `None` if `go_on` said to stop.
fn bake_tile(
    walk: &mut TileWalk<'_>,
    scratch: &mut Scratch,
    valid: &ValidPyramid,
    (index, tile): (usize, Viewcell),
    clock: &Clock,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<BakedTile> {
    let (mut lengths, mut trees) = (Vec::new(), Vec::new());
    let began = ThreadTime::now();
    let mut encoding = 0;
    let mut fresh = 0;
    // Time between a call without a quad and the first with one is the kernel's.
    let mut since = ThreadTime::now();
    let union = walk.walk(tile, &mut |shown| {
        let Some((quad, pvs)) = shown else {
            if fresh > 0 {
                encoding += since.elapsed().as_nanos() as u64;
            }
            return go_on(std::mem::take(&mut fresh));
        };
        if fresh == 0 && quad.level == 0 {
            since = ThreadTime::now();
        }
        fresh += u64::from(quad.level == 0);
        let before = trees.len();
        encode(valid, pvs, scratch, &mut trees);
        lengths.push((trees.len() - before) as u32);
        true
    });
    let tile = Tile::new(index as u32, lengths, trees);
    encoding += since.elapsed().as_nanos() as u64;
    let total = began.elapsed().as_nanos() as u64;
    clock.trees.fetch_add(encoding, Ordering::Relaxed);
    clock
        .visibility
        .fetch_add(total.saturating_sub(encoding), Ordering::Relaxed);
    go_on(fresh);
    Some(BakedTile {
        tile,
        union: union?,
    })
}
