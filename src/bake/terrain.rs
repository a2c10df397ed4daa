//! A terrain to a bundle, or to a share of one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::assembly::{Assembly, Place};
use super::compress::compress;
use super::crew::{Crew, thread_count};
use super::error::BakeError;
use super::job::{Source, TOOL, digest, header, job};
use super::observer::{Observer, Stage};
use super::options::{BakeOptions, as_seen, mutual};
use super::report::{BakeReport, Finish, ShardReport};
use super::share::{self, ShardOf};
use super::store::file::{Keep, Role, Shape, Store};
use super::store::group::{BlockOrder, Targets};
use super::store::groups::Groups;
use super::store::records::{Head, Job, Share};
use super::store::shard::Shard;
use super::store::system::beside;
use super::tiles::{Tile, tiles};
use super::visibility::Visibility;
use crate::bundle::{Info, TerrainHeader, TerrainParts, check_output, info};
use crate::compress::ValidPyramid;
use crate::format::Grid;
use crate::world::Terrain;

/// The checkpoint of a bundle in the making.
pub fn checkpoint_beside(bundle: &Path) -> PathBuf {
    beside(bundle, ".checkpoint")
}

/// A shard in the making.
pub fn shard_in_the_making(shard: &Path) -> PathBuf {
    beside(shard, ".part")
}

/// Bakes `terrain` into a bundle at `output`.
///
/// Takes time in the order of pairs of samples, and memory for the terrain (a few hundred bytes
/// a sample), and for each thread 256 bitmaps of the grid.
///
/// With [`Keep::Resume`], an output that is the bundle of this very job is left as it is.
pub fn bake_terrain(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    output: &Path,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(thread_count(options.threads), options.simd.name());
    options.grid(terrain, &source.input.name)?;
    let terrain = &*options.asked_for(terrain, &source.input.name)?;
    let cells = Cells::of(terrain, options);
    let (grid, header, heights) = (cells.grid(), &cells.header, cells.terrain.ground());
    let valid = cells.valid();
    let tiles = tiles(grid);
    let head = job(cells.digest(terrain), source, header, &tiles).whole();
    let open = || {
        let shape = shape(&head, heights, &valid, &tiles);
        match options.keep {
            Keep::Nothing => Store::scratch(output, grid.blocks()),
            keep => Store::open(&checkpoint_beside(output), Role::Checkpoint, shape, keep),
        }
    };
    if options.keep == Keep::Resume
        && !options.overwrite
        && let Some(report) = baked_already(output, &head.job, header, (heights, &valid), options)
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
    let order = BlockOrder::new(grid, Targets::of(header.parameters.mutual));
    let filled = (|| {
        let seen = as_seen(terrain, options.curvature)?;
        let visibility = Visibility::prepare(&seen, &valid, &order, options, observer);
        visibility.fill(&tiles, &mut store, observer)?;
        finish.stages = visibility.stages();
        Ok(())
    })();
    let total = tiles.len() as u32;
    let keeping = |error: BakeError, store: &Store| match options.keep {
        Keep::Nothing => error,
        _ => error.keeping(store.path(), store.tiles_done(&tiles), total),
    };
    if let Err(error) = filled {
        return Err(keeping(error, &store));
    }
    finish.restart_clock();
    let mut provenance = head.job.provenance();
    let place = Place {
        path: output,
        overwrite: options.overwrite,
        header,
        heights,
        valid: &valid,
    };
    let written = Crew::new(finish.threads(), observer).and_then(|crew| {
        let assembly = Assembly {
            groups: Groups {
                stores: std::slice::from_ref(&store),
                order: &order,
            },
            place: &place,
            crew: &crew,
        };
        compress(&assembly, &options.compression, &mut provenance)
    });
    let written = written.map_err(|error| keeping(error, &store))?;
    if options.keep != Keep::Nothing {
        store.remove()?;
    }
    finish.stage("compress");
    Ok(BakeReport {
        tiles: total,
        kept_tiles,
        ..finish.report(written, provenance, &place)
    })
}

/// Bakes a share of the tiles of `terrain` into a shard at `output`, for [`super::merge`].
///
/// Takes time for its share of the viewpoints, and memory as [`bake_terrain`]. With
/// [`Keep::Resume`], an output that is this very shard is left as it is.
pub fn bake_shard(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    shard: ShardOf,
    output: &Path,
    observer: &dyn Observer,
) -> Result<ShardReport, BakeError> {
    options.grid(terrain, &source.input.name)?;
    let terrain = &*options.asked_for(terrain, &source.input.name)?;
    let cells = Cells::of(terrain, options);
    let (grid, header, heights) = (cells.grid(), &cells.header, cells.terrain.ground());
    let valid = cells.valid();
    let all = tiles(grid);
    let viewpoints = all.iter().map(|tile| tile.viewpoints(&cells.terrain));
    let viewpoints: Vec<u64> = viewpoints.collect();
    let due = shard.tiles(&share::pairs(&viewpoints, mutual(options)));
    let head = Head {
        job: job(cells.digest(terrain), source, header, &all),
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
    let mut store = Store::open(
        &shard_in_the_making(output),
        Role::Shard,
        shape(&head, heights, &valid, tiles),
        options.keep,
    )?;
    let kept_tiles = taken_over(&store, tiles, options, observer);
    let filled = (|| {
        let order = BlockOrder::new(grid, Targets::of(header.parameters.mutual));
        let seen = as_seen(terrain, options.curvature)?;
        let visibility = Visibility::prepare(&seen, &valid, &order, options, observer);
        visibility.fill(tiles, &mut store, observer)
    })();
    match filled {
        Ok(()) => {
            observer.stage(Stage::Finish, 1);
            let bytes = store.finish_as(output, options.overwrite)?;
            observer.advance(Stage::Finish, 1);
            Ok(ShardReport {
                share: head.share,
                total_tiles,
                kept_tiles,
                bytes,
            })
        }
        Err(error) if options.keep == Keep::Nothing => Err(error),
        Err(error) => {
            let done = store.tiles_done(tiles);
            Err(error.keeping(store.path(), done, tiles.len() as u32))
        }
    }
}

/// What sees each other: the samples of a terrain, or cells of them.
pub(super) struct Cells<'t> {
    pub terrain: Cow<'t, Terrain>,
    header: TerrainHeader,
}

impl<'t> Cells<'t> {
    /// Those that options, which have been checked, ask for.
    pub fn of(terrain: &'t Terrain, options: &BakeOptions) -> Self {
        let coarse = options.coarse(terrain);
        let covered = terrain.has_ground();
        let terrain = match options.finest {
            0 => Cow::Borrowed(terrain),
            level => Cow::Owned(terrain.coarsened(level)),
        };
        let grid = Grid::new(terrain.width(), terrain.height()).expect("no more than samples");
        let header = header(&terrain, grid, coarse, covered, options);
        Self { terrain, header }
    }

    /// Where somebody can be.
    pub fn valid(&self) -> ValidPyramid {
        ValidPyramid::from_places(self.grid(), self.terrain.places())
    }

    /// Digest of what decides who sees whom, of cells of `terrain`.
    fn digest(&self, terrain: &Terrain) -> String {
        match terrain.has_ground() || terrain.walkable().is_some() {
            // Cells do not say where in them somebody can be, nor what covers them.
            true => digest(terrain),
            false => digest(&self.terrain),
        }
    }

    pub fn grid(&self) -> Grid {
        self.header.parameters.grid
    }

    /// What a bundle of them begins with.
    pub fn header(&self) -> &TerrainHeader {
        &self.header
    }
}

/// What a store of these tiles is of.
fn shape<'a>(
    head: &'a Head,
    heights: &'a [f64],
    valid: &'a ValidPyramid,
    tiles: &'a [Tile],
) -> Shape<'a> {
    Shape {
        head,
        heights,
        valid: valid.blocks(),
        tiles,
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
    header: &TerrainHeader,
    (heights, valid): (&[f64], &ValidPyramid),
    options: &BakeOptions,
) -> Option<BakeReport> {
    let Info {
        bytes,
        sections,
        terrain,
        timings,
        ..
    } = info(output).ok()?;
    let terrain = terrain?;
    let parts = TerrainParts::read(output).ok()?;
    let made = parts.provenance;
    // How the PVSs are coded is the compression's.
    let (mut due, there) = (header.clone(), parts.header);
    due.parameters.tree_code = there.parameters.tree_code;
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
        width: terrain.width,
        height: terrain.height,
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
