//! Bakes a grid of view cells, of a terrain or of a solid level, into a bundle or a shard, by whichever kernel.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::destination::Destination;
use super::error::BakeError;
use super::levels::{self, Levels};
use super::observer::{Observer, Stage};
use super::options::BakeOptions;
use super::parallel::{Workers, thread_count};
use super::report::{BakeReport, Finish, ShardReport};
use super::source::TOOL;
use super::store::file::{Keep, Role, Shape, Store, beside};
use super::store::records::{Head, Job, Share};
use super::store::shard::Shard;
use super::tiles::{ShardOf, Tile, group_count, pairs_by_tile};
use super::visibility::{Chunk, Clock, Kernels, Look, prepare};
use crate::bundle::{GridHeader, Info, StageTime, TerrainParts, check_output, info};
use crate::compress::ValidPyramid;
use crate::compress::levels::Block;

/// The checkpoint of a bundle in the making.
pub fn checkpoint_beside(bundle: &Path) -> PathBuf {
    beside(bundle, ".checkpoint")
}

/// A shard in the making.
pub fn shard_in_the_making(shard: &Path) -> PathBuf {
    beside(shard, ".part")
}

/// What is baked.
pub(super) struct GridBake<'a> {
    /// What it is of, for whoever resumes it or merges its shards.
    pub job: Job,
    /// What the bundle begins with; the grid is in its parameters.
    pub header: &'a GridHeader,
    /// Heights of the ground, row by row, as the bundle has them; none of a solid level.
    pub heights: &'a [f64],
    /// Where somebody can be.
    pub valid: &'a ValidPyramid,
    /// Threads, instructions, compression, and what becomes of files.
    pub options: &'a BakeOptions,
}

/// The groups of a bake, and how they are computed.
pub(super) trait Work: Sync {
    /// The levels whose blocks have groups.
    fn levels(&self) -> &Levels;

    /// What the group of a block comes to beside others.
    fn weight(&self, number: usize) -> u64;

    /// The same in the units of its progress.
    fn pairs(&self, number: usize) -> u64 {
        self.weight(number)
    }

    /// Has those chunks looked at that hold these tiles, with the blocks of these.
    fn look(
        &self,
        tiles: Vec<Tile>,
        clock: &Clock,
        observer: &dyn Observer,
        look: Look<'_>,
    ) -> Result<(), BakeError>;

    /// The tiles, which together hold each group once.
    fn tiles(&self) -> Vec<Tile> {
        self.levels().tiles()
    }

    /// By tile, what it comes to beside the others.
    fn weights(&self, tiles: &[Tile]) -> Vec<u64> {
        let weight = |tile: &Tile| tile.blocks.clone().map(|number| self.weight(number)).sum();
        tiles.iter().map(weight).collect()
    }

    /// Computes the groups of these tiles that `store` lacks, and appends them, tile by tile. Returns what it took.
    fn fill(
        &self,
        tiles: &[Tile],
        (store, options): (&mut Store, &BakeOptions),
        observer: &dyn Observer,
    ) -> Result<Vec<StageTime>, BakeError> {
        let workers = Workers::new(thread_count(options.threads), observer)?;
        let clock = Clock::default();
        let is_due = |number: &usize| !store.has(*number);
        let due = tiles
            .iter()
            .filter(|tile| tile.blocks.clone().any(|number| is_due(&number)));
        let due: Vec<Tile> = due.cloned().collect();
        let pairs = |numbers: &mut dyn Iterator<Item = usize>| -> u64 {
            numbers.map(|number| self.pairs(number)).sum()
        };
        let all = due.iter().flat_map(|tile| tile.blocks.clone());
        let all = pairs(&mut all.filter(is_due));
        let done = AtomicU64::new(0);
        let mut begun = false;
        self.look(due, &clock, observer, &mut |chunk, kernels, mut numbers| {
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            if !std::mem::replace(&mut begun, true) {
                observer.stage(Stage::Visibility, all);
            }
            numbers.retain(|&number| !store.has(number));
            let advance = |numbers: &[usize]| {
                let more = pairs(&mut numbers.iter().copied());
                let done = done.fetch_add(more, Ordering::Relaxed) + more;
                observer.advance(Stage::Visibility, done);
            };
            chunk.fill(
                (kernels, options),
                &numbers,
                &workers,
                store,
                &clock,
                &advance,
            )
        })?;
        Ok(clock.stages())
    }
}

/// Groups that each cover the whole grid.
struct Whole<F> {
    levels: Levels,
    /// By number of a block: pairs that its group covers, of places where somebody can be, and of all.
    pairs: [Vec<u64>; 2],
    prepare: F,
}

impl<K: Kernels, F: Fn() -> K + Sync> Work for Whole<F> {
    fn levels(&self) -> &Levels {
        &self.levels
    }

    fn weight(&self, number: usize) -> u64 {
        self.pairs[0][number]
    }

    fn pairs(&self, number: usize) -> u64 {
        self.pairs[1][number]
    }

    fn look(
        &self,
        tiles: Vec<Tile>,
        clock: &Clock,
        observer: &dyn Observer,
        look: Look<'_>,
    ) -> Result<(), BakeError> {
        // The tables, as large as all that is left to do, go when it has been looked.
        let kernels = prepare(&self.prepare, clock, observer);
        let numbers = tiles.into_iter().flat_map(|tile| tile.blocks);
        look(
            &Chunk::whole(&self.levels),
            Some(&kernels),
            numbers.collect(),
        )
    }
}

impl GridBake<'_> {
    /// The work of groups that each cover the whole grid, with kernels over tables that `prepare` makes.
    pub(super) fn whole<K: Kernels, F: Fn() -> K + Sync>(&self, prepare: F) -> impl Work {
        let levels = Levels::new(&self.header.parameters, self.valid);
        let level = &levels.all[0];
        let grid = level.grid;
        let terrain: &dyn Fn(Block) -> u64 = &|block| level.terrain(block);
        let samples: &dyn Fn(Block) -> u64 = &|(column, row)| grid.block_mask(column, row);
        let pairs = [terrain, samples].map(|mask| {
            let counts = level
                .blocks
                .iter()
                .map(|&block| mask(block).count_ones().into());
            pairs_by_tile(&counts.collect::<Vec<u64>>(), levels.is_mutual())
        });
        Whole {
            pairs,
            levels,
            prepare,
        }
    }

    /// Bakes a bundle at `output`.
    pub(super) fn bundle(
        &self,
        work: &dyn Work,
        output: &Path,
        observer: &dyn Observer,
    ) -> Result<BakeReport, BakeError> {
        let Self {
            header,
            heights,
            valid,
            options,
            ..
        } = *self;
        let mut finish = Finish::new(thread_count(options.threads), options.simd.name());
        let tiles = work.tiles();
        let groups = group_count(&header.parameters);
        let head = self.job.clone().whole();
        let open = || {
            let shape = Shape {
                head: &head,
                heights,
                valid: valid.blocks(),
                groups,
                tiles: &tiles,
            };
            match options.keep {
                Keep::Nothing => Store::scratch(output, groups),
                keep => Store::open(&checkpoint_beside(output), Role::Checkpoint, shape, keep),
            }
        };
        if options.keep == Keep::Resume
            && !options.overwrite
            && let Some(report) =
                baked_already(output, &head.job, header, (heights, valid), options)
        {
            if checkpoint_beside(output).is_file() {
                // It was killed when it had named the bundle, and before it had tidied up.
                open()?.remove()?;
            }
            return Ok(report);
        }
        check_output(output, options.overwrite)?;
        let mut store = open()?;
        let kept_tiles = taken_over(&store, &tiles, options, observer);
        let keeping = |store: &Store, error: BakeError| match options.keep {
            Keep::Nothing => error,
            _ => error.keeping(store, &tiles),
        };
        let filled = work.fill(&tiles, (&mut store, options), observer);
        finish.stages = filled.map_err(|error| keeping(&store, error))?;
        finish.restart_clock();
        let mut provenance = head.job.provenance();
        let place = Destination {
            path: output,
            overwrite: options.overwrite,
            header,
            heights,
            valid,
        };
        let written = Workers::new(finish.threads(), observer).and_then(|workers| {
            let stores = std::slice::from_ref(&store);
            levels::write(
                stores,
                &place,
                &workers,
                &options.compression,
                &mut provenance,
            )
        });
        let written = written.map_err(|error| keeping(&store, error))?;
        if options.keep != Keep::Nothing {
            store.remove()?;
        }
        finish.stage("compress");
        Ok(BakeReport {
            tiles: tiles.len() as u32,
            kept_tiles,
            ..finish.report(written, provenance, &place)
        })
    }

    /// Bakes a share of the tiles into a shard at `output`.
    pub(super) fn shard(
        &self,
        work: &dyn Work,
        shard: ShardOf,
        output: &Path,
        observer: &dyn Observer,
    ) -> Result<ShardReport, BakeError> {
        let Self {
            header,
            valid,
            options,
            ..
        } = *self;
        let all = work.tiles();
        let due = shard.tiles(&work.weights(&all));
        let head = Head {
            job: self.job.clone(),
            share: Share {
                index: shard.index(),
                of: shard.of(),
                first: due.start as u32,
                end: due.end as u32,
            },
        };
        let total_tiles = head.job.tiles;
        if options.keep == Keep::Resume
            && !options.overwrite
            && let Ok(there) = Shard::open(output)
            && there.head == head
        {
            return Ok(ShardReport {
                share: head.share,
                total_tiles,
                kept_tiles: head.share.end - head.share.first,
                bytes: there.store.length(),
            });
        }
        check_output(output, options.overwrite)?;
        let tiles = &all[due];
        let shape = Shape {
            head: &head,
            heights: self.heights,
            valid: valid.blocks(),
            groups: group_count(&header.parameters),
            tiles,
        };
        let part = shard_in_the_making(output);
        let mut store = Store::open(&part, Role::Shard, shape, options.keep)?;
        let kept_tiles = taken_over(&store, tiles, options, observer);
        match work.fill(tiles, (&mut store, options), observer) {
            Err(error) if options.keep == Keep::Nothing => return Err(error),
            Err(error) => return Err(error.keeping(&store, tiles)),
            Ok(_) => observer.stage(Stage::Finish, 1),
        }
        let bytes = store.finish_as(output, options.overwrite)?;
        observer.advance(Stage::Finish, 1);
        Ok(ShardReport {
            share: head.share,
            total_tiles,
            kept_tiles,
            bytes,
        })
    }
}

/// Tells of the tiles that an earlier bake did; returns how many.
fn taken_over(
    store: &Store,
    tiles: &[Tile],
    options: &BakeOptions,
    observer: &dyn Observer,
) -> u32 {
    if options.keep != Keep::Resume {
        return 0;
    }
    let done = store.tiles_done(tiles);
    observer.stage(Stage::Resume, tiles.len() as u64);
    observer.advance(Stage::Resume, done.into());
    done
}

/// What the bundle at `output` came to, if it is what this job makes: by what it says of itself, and
/// by what it holds, since an input may be read otherwise that has its name and digest still.
fn baked_already(
    output: &Path,
    job: &Job,
    header: &GridHeader,
    (heights, valid): (&[f64], &ValidPyramid),
    options: &BakeOptions,
) -> Option<BakeReport> {
    let Info {
        bytes,
        sections,
        timings,
        ..
    } = info(output).ok()?;
    let parts = TerrainParts::read(output).ok()?;
    let made = parts.provenance;
    // How the PVSs are coded is the compression's.
    let (mut due, there) = (header.clone(), parts.header);
    due.parameters.lossy = there.parameters.lossy;
    due.parameters.mutual = there.parameters.mutual;
    let mut pairs = parts.heights.iter().zip(heights);
    let same = made.tool == TOOL
        && made.input == job.input
        && made.options == job.options()
        && due == there
        && parts.heights.len() == heights.len()
        && pairs.all(|(there, due)| there == due || there.is_nan() && due.is_nan())
        && parts.valid.blocks() == valid.blocks()
        && options.compression.makes(made.loss.as_ref(), bytes);
    let sections = sections.into_iter();
    same.then(|| BakeReport {
        width: header.parameters.grid.width(),
        height: header.parameters.grid.height(),
        bytes,
        sections: sections
            .map(|section| (section.tag, section.bytes))
            .collect(),
        statistics: made.statistics,
        timings: timings.unwrap_or_default(),
        tiles: job.tiles,
        kept_tiles: job.tiles,
    })
}
