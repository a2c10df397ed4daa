//! Bakes a terrain into a bundle or a shard: gives `grid` its cells and its kernel.

use std::borrow::Cow;
use std::path::Path;

use super::destination::Destination;
use super::error::BakeError;
use super::graded::GradedWork;
use super::grid::{GridBake, Work};
use super::observer::Observer;
use super::options::{BakeOptions, as_seen};
use super::report::{BakeReport, ShardReport};
use super::source::{Source, digest, header, job};
use super::tiles::ShardOf;
use super::visibility::Kernel;
use crate::bundle::GridHeader;
use crate::compress::ValidPyramid;
use viewcell::format::Grid;
use viewcell_ingest::world::Terrain;

/// Bakes `terrain` into a bundle at `output`.
///
/// Takes time in the order of pairs of samples, and memory for the terrain (a few hundred bytes
/// a sample), and for each thread 256 bitmaps of the grid.
///
/// With [`Keep::Resume`](super::Keep::Resume), an output that is the bundle of this very job is left as it is.
///
/// # Errors
///
/// Invalid options, memory that is not allowed, files that cannot be read or written, and a checkpoint or
/// shard of another job.
pub fn bake_terrain(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    output: &Path,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    with_work(terrain, source, options, |bake, work| {
        bake.bundle(work, output, observer)
    })
}

/// Bakes a share of the tiles of `terrain` into a shard at `output`, for [`super::merge`].
///
/// Takes time for its share of the viewpoints, and memory as [`bake_terrain`]. With
/// [`Keep::Resume`](super::Keep::Resume), an output that is this very shard is left as it is.
///
/// # Errors
///
/// As [`bake_terrain`].
pub fn bake_shard(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    shard: ShardOf,
    output: &Path,
    observer: &dyn Observer,
) -> Result<ShardReport, BakeError> {
    with_work(terrain, source, options, |bake, work| {
        bake.shard(work, shard, output, observer)
    })
}

/// What is done with the groups of a terrain.
fn with_work<T>(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    then: impl FnOnce(&GridBake<'_>, &dyn Work) -> Result<T, BakeError>,
) -> Result<T, BakeError> {
    options.grid(terrain, &source.input.name)?;
    let terrain = &*options.asked_for(terrain, &source.input.name)?;
    let seen = &*as_seen(terrain, options.curvature)?;
    let cells = TerrainCells::of(terrain, options);
    let valid = &cells.valid();
    let bake = cells.bake(terrain, source, valid, options);
    if options.grade > 0 {
        let work = GradedWork::new(&cells.header.parameters, valid, seen, options);
        return then(&bake, &work);
    }
    then(&bake, &bake.whole(|| Kernel::new(seen, options)))
}

/// What sees each other: the samples of a terrain, or cells of them.
pub(super) struct TerrainCells<'t> {
    pub terrain: Cow<'t, Terrain>,
    header: GridHeader,
}

impl<'t> TerrainCells<'t> {
    /// Those that options, which have been checked, ask for.
    pub(super) fn of(terrain: &'t Terrain, options: &BakeOptions) -> Self {
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
    pub(super) fn valid(&self) -> ValidPyramid {
        ValidPyramid::from_places(self.grid(), self.terrain.places())
    }

    /// Digest of what decides who sees whom, of cells of `terrain`.
    fn digest(&self, terrain: &Terrain) -> String {
        if terrain.has_ground() || terrain.walkable().is_some() {
            // Cells do not say where in them somebody can be, nor what covers them.
            digest(terrain)
        } else {
            digest(&self.terrain)
        }
    }

    /// The bake of them, out of `terrain`.
    fn bake<'a>(
        &'a self,
        terrain: &Terrain,
        source: &Source,
        valid: &'a ValidPyramid,
        options: &'a BakeOptions,
    ) -> GridBake<'a> {
        GridBake {
            job: job(self.digest(terrain), source, &self.header),
            header: &self.header,
            heights: self.terrain.ground(),
            valid,
            options,
        }
    }

    pub(super) fn grid(&self) -> Grid {
        self.header.parameters.grid
    }

    /// A bundle of them, which has its place at `path`.
    pub(super) fn destination<'a>(
        &'a self,
        path: &'a Path,
        overwrite: bool,
        valid: &'a ValidPyramid,
    ) -> Destination<'a> {
        Destination {
            path,
            overwrite,
            header: &self.header,
            heights: self.terrain.ground(),
            valid,
        }
    }

    /// What a bundle of them begins with.
    pub(super) fn header(&self) -> &GridHeader {
        &self.header
    }
}
