//! Bakes a grid of view cells, of a terrain or of a solid level, into a bundle or a shard, by whichever kernel.

use std::path::{Path, PathBuf};

use super::destination::Destination;
use super::error::BakeError;
use super::levels;
use super::observer::{Observer, Stage};
use super::options::BakeOptions;
use super::parallel::{Workers, thread_count};
use super::report::{BakeReport, Finish, ShardReport};
use super::source::TOOL;
use super::store::file::{Keep, Role, Shape, Store, beside};
use super::store::group::{BlockOrder, Targets};
use super::store::records::{Head, Job, Share};
use super::store::shard::Shard;
use super::tiles::{ShardOf, Tile, group_count, pairs_by_tile, tiles};
use super::visibility::{Kernels, VisibilityStage};
use crate::bundle::{GridHeader, Info, StageTime, TerrainParts, check_output, info};
use crate::compress::ValidPyramid;

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
pub(super) trait Work {
    /// The tiles, which together hold each group once.
    fn tiles(&self) -> Vec<Tile>;

    /// By tile, what it comes to beside the others.
    fn weights(&self, tiles: &[Tile]) -> Vec<u64>;

    /// Computes the groups of these tiles that `store` lacks, and appends them, tile by tile. Returns what it took.
    fn fill(
        &self,
        tiles: &[Tile],
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<Vec<StageTime>, BakeError>;
}

/// Groups that each cover the whole grid.
struct Whole<'a, F> {
    valid: &'a ValidPyramid,
    order: BlockOrder,
    options: &'a BakeOptions,
    prepare: F,
}

impl<K: Kernels, F: Fn() -> K> Work for Whole<'_, F> {
    fn tiles(&self) -> Vec<Tile> {
        tiles(self.valid.grid())
    }

    fn weights(&self, tiles: &[Tile]) -> Vec<u64> {
        let viewpoints = tiles
            .iter()
            .map(|tile| tile.viewpoints(&self.order, self.valid));
        let viewpoints: Vec<u64> = viewpoints.collect();
        pairs_by_tile(&viewpoints, self.order.is_mutual())
    }

    fn fill(
        &self,
        tiles: &[Tile],
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<Vec<StageTime>, BakeError> {
        let Self {
            valid,
            order,
            options,
            prepare,
        } = self;
        // Its tables, as large as all that is left to do, go with it.
        let visibility = VisibilityStage::prepare(prepare, valid, order, options, observer);
        visibility.fill(tiles, store, observer)?;
        Ok(visibility.stages())
    }
}

impl GridBake<'_> {
    /// The work of groups that each cover the whole grid, with kernels over tables that `prepare` makes.
    pub(super) fn whole<K: Kernels, F: Fn() -> K>(&self, prepare: F) -> impl Work {
        let mutual = self.header.parameters.mutual;
        Whole {
            valid: self.valid,
            order: BlockOrder::new(self.valid.grid(), Targets::of(mutual)),
            options: self.options,
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
        let filled = work.fill(&tiles, &mut store, observer);
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
        match work.fill(tiles, &mut store, observer) {
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
