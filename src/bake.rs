//! The job: heightmap to bundle, stage by stage.
//!
//! ```text
//! prepare      the terrain as the kernels read it
//! visibility   per tile of viewpoints: who sees whom, unions up the quadtree, trees
//! write        trees in bake order, to a file in the making
//! compress     trees to pairs of blocks, index, provenance; sync, rename
//! ```
//!
//! Tiles run in parallel; whichever thread is first, they are written in bake order, so that the
//! bytes do not depend on the number of threads.
//!
//! A bake may take hours. Each tile is kept as soon as it is written ([`Keep`]): a bake that is
//! killed at any instant, and resumed, loses what the threads had begun since, which is less than
//! the time of a tile (1,024 viewpoints: 0.1 s for 100,000 samples, 20 s for ten million). And
//! [`bake_shard`] bakes a share of the tiles, for [`merge`] to join.

mod assembly;
mod budget;
mod cells;
mod compression;
mod crew;
mod draft;
mod draft_file;
mod error;
mod gather;
mod kernel;
mod merge;
mod mirror;
mod observer;
mod options;
mod pack;
mod prune;
mod read_back;
mod repack;
mod report;
mod search;
mod share;
mod sweep;
mod tiles;
mod weights;

use std::io;
use std::path::Path;

use cpu_time::ThreadTime;

use crate::bundle::{
    Checkpoint, Head, Info, InputFile, Job, Provenance, ShardWriter, Share, Statistics,
    TerrainHeader, TerrainWriter, check_output, info,
};
use crate::format::{Grid, TerrainParameters, TreeCode, VisibilityMode};
use crate::hierarchy::Plan;
use crate::world::Terrain;

use assembly::{Assembly, Trees};
use options::mutual;
use pack::Target;
use report::{Finish, Written};
use tiles::Prepared;

pub use crate::bundle::Keep;
pub use cells::{CellOptions, CellReport, bake_cells};
pub use compression::{Budget, Compression, DeepestFirst, Ties, Weight};
pub use error::{BakeError, BakeErrorKind};
pub use merge::{grid_of_shard, merge};
pub use observer::{Observer, Silent, Stage};
pub use options::{BakeOptions, Mode, as_seen, check_height, check_sight};
pub use read_back::read_level;
pub use repack::{RepackOptions, repack};
pub use report::{BakeReport, ShardReport};
pub use share::Part;
pub use sweep::{Kept, deepest_first, optimal};

/// The program, as it signs what it makes.
const TOOL: &str = concat!("viewcell ", env!("CARGO_PKG_VERSION"));

/// Where the terrain came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file.
    pub input: InputFile,
    /// The options of the bake that change the result, by their names on the command line.
    pub options: serde_json::Map<String, serde_json::Value>,
}

impl Source {
    /// Describes the file at `path`, which it reads once for the digest.
    pub fn new(
        path: &Path,
        format: &str,
        options: serde_json::Map<String, serde_json::Value>,
    ) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            input: InputFile {
                name: name.to_string_lossy().into_owned(),
                format: format.to_owned(),
                bytes: bytes.len() as u64,
                digest: format!("crc32:{:08x}", crc32fast::hash(&bytes)),
            },
            options,
        })
    }
}

/// Bakes `terrain` into a bundle at `output`.
///
/// Takes time in the order of pairs of samples, and memory for the terrain (a few hundred bytes
/// a sample), for each thread 256 bitmaps of the grid, and for a few tiles' trees.
pub fn bake_terrain(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    output: &Path,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let finish = Finish::new(tiles::threads(options), options.simd.name());
    let grid = options.grid(terrain, &source.input.name)?;
    let header = header(terrain, grid, options);
    let job = share::job(terrain, source, &header);
    let total = job.tiles;
    if options.keep == Keep::Resume
        && !options.overwrite
        && Checkpoint::is_left_beside(output)
        && let Some(report) = tidy(output, &job, source, options)?
    {
        return Ok(report);
    }
    check_output(output, options.overwrite)?;
    let mut checkpoint = match options.keep {
        Keep::Nothing => None,
        keep => Some(Checkpoint::open(output, &job, keep)?),
    };
    let baked: Result<BakeReport, BakeError> = (|| {
        let seen = as_seen(terrain, options.curvature)?;
        let prepared = Prepared::new(&seen, grid, options, observer);
        let (overwrite, heights) = (options.overwrite, terrain.heights());
        let writer = match &checkpoint {
            None => TerrainWriter::create(output, overwrite, &header, heights),
            Some(kept) => {
                TerrainWriter::create_at(kept.part(), output, overwrite, &header, heights)
            }
        }?;
        let writing = ThreadTime::now();
        let mut assembly = Assembly::new(writer, &prepared.valid);
        let tiles = assembly.tiles();
        let mut kept_tiles = 0;
        if let (Some(checkpoint), Keep::Resume) = (&mut checkpoint, options.keep) {
            kept_tiles = resume(checkpoint, &mut assembly, observer)?;
        }
        let due = kept_tiles as usize..tiles.len();
        let clock = prepared.bake_tiles(due, observer, &mut |at, baked| {
            assembly.push(at, &baked.tile, &baked.union, Trees::Write)?;
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.append(&baked.tile, &mut assembly.writer)?;
            }
            Ok(())
        })?;
        let provenance = Provenance {
            tool: TOOL.to_owned(),
            input: source.input.clone(),
            options: source.options.clone(),
            statistics: Statistics::default(),
            cells: None,
            loss: None,
        };
        let mut finish = finish;
        finish.stages = prepared.stages(&clock);
        let scratch = Checkpoint::scratch_beside(output);
        let target = Target {
            path: output,
            overwrite,
            header: &header,
            heights,
            compression: &options.compression,
            // The checkpoint's lock keeps others away from them.
            scratch: checkpoint.is_some().then_some(&scratch),
        };
        let written = Written {
            writer: assembly.writer,
            valid: &prepared.valid,
            provenance,
        };
        finish.stage("write", writing);
        let mut report = finish.bundle(written, &target, observer)?;
        (report.tiles, report.kept_tiles) = (total, kept_tiles);
        Ok(report)
    })();
    match (baked, checkpoint) {
        (Ok(report), checkpoint) => {
            checkpoint.map_or(Ok(()), Checkpoint::finish)?;
            Ok(report)
        }
        (Err(error), Some(kept)) => Err(error.keeping(kept.path(), kept.tiles(), total)),
        (Err(error), None) => Err(error),
    }
}

/// Ends a bake that was killed when it had named the bundle; `None` if the bundle is another's.
fn tidy(
    output: &Path,
    job: &Job,
    source: &Source,
    options: &BakeOptions,
) -> Result<Option<BakeReport>, BakeError> {
    let checkpoint = Checkpoint::open(output, job, Keep::Resume)?;
    let Ok(Info {
        bytes,
        sections,
        terrain: Some(terrain),
        provenance: Some(made),
        timings,
        ..
    }) = info(output)
    else {
        return Ok(None);
    };
    let same = made.input == source.input
        && made.options == source.options
        && options.compression.may_have_lost(made.loss.as_ref());
    if !same {
        return Ok(None);
    }
    checkpoint.tidy()?;
    Ok(Some(BakeReport {
        width: terrain.width,
        height: terrain.height,
        bytes,
        sections: sections
            .into_iter()
            .map(|section| (section.tag, section.bytes))
            .collect(),
        statistics: made.statistics,
        timings: timings.unwrap_or_default(),
        tiles: job.tiles,
        kept_tiles: job.tiles,
    }))
}

/// Takes over what an earlier bake did; returns the number of tiles.
fn resume(
    checkpoint: &mut Checkpoint,
    assembly: &mut Assembly<'_>,
    observer: &dyn Observer,
) -> Result<u32, BakeError> {
    let tiles = assembly.tiles();
    observer.stage(Stage::Resume, tiles.len() as u64);
    for &at in &tiles {
        if observer.cancelled() {
            return Err(BakeError::Cancelled);
        }
        let Some(tile) = checkpoint.old_tile(assembly.writer.bytes_written())? else {
            break;
        };
        // Its checksum is right: it is as it was written.
        let union = assembly.union_of(at, &tile);
        let union = union.ok_or_else(|| checkpoint.damaged())?;
        assembly.push(at, &tile, &union, Trees::Keep)?;
        observer.advance(Stage::Resume, checkpoint.tiles().into());
    }
    Ok(checkpoint.tiles())
}

/// Bakes a share of the tiles of `terrain` into a shard at `output`, for [`merge`].
///
/// Takes time for its share of the viewpoints, and memory as [`bake_terrain`].
pub fn bake_shard(
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    part: Part,
    output: &Path,
    observer: &dyn Observer,
) -> Result<ShardReport, BakeError> {
    let grid = options.grid(terrain, &source.input.name)?;
    let header = header(terrain, grid, options);
    let job = share::job(terrain, source, &header);
    let tiles = Plan::new(grid.width(), grid.height()).tiles();
    let viewpoints = tiles.iter().map(|&tile| share::viewpoints(terrain, tile));
    let due = part.tiles(&share::pairs(
        &viewpoints.collect::<Vec<_>>(),
        mutual(options),
    ));
    let share = Share {
        index: part.index(),
        of: part.of(),
        first: due.start as u32,
        end: due.end as u32,
    };
    let head = Head {
        job,
        share: Some(share),
    };
    let mut shard = ShardWriter::open(
        output,
        options.overwrite,
        &head,
        share,
        terrain.heights(),
        options.keep,
    )?;
    let mut kept_tiles = 0;
    let baked = (|| {
        if options.keep == Keep::Resume {
            observer.stage(Stage::Resume, due.len() as u64);
            while shard.old_tile()? {
                observer.advance(Stage::Resume, shard.tiles().into());
                if observer.cancelled() {
                    return Err(BakeError::Cancelled);
                }
            }
            kept_tiles = shard.tiles();
        }
        let seen = as_seen(terrain, options.curvature)?;
        let prepared = Prepared::new(&seen, grid, options, observer);
        let due = due.start + kept_tiles as usize..due.end;
        prepared.bake_tiles(
            due,
            observer,
            &mut |_, baked| Ok(shard.append(&baked.tile)?),
        )
    })();
    match baked {
        Ok(_) => {
            observer.stage(Stage::Finish, 1);
            let bytes = shard.finish()?;
            observer.advance(Stage::Finish, 1);
            Ok(ShardReport {
                share,
                total_tiles: head.job.tiles,
                kept_tiles,
                bytes,
            })
        }
        Err(error) if options.keep == Keep::Nothing => Err(error),
        Err(error) => Err(error.keeping(shard.path(), shard.tiles(), share.end - share.first)),
    }
}

fn header(terrain: &Terrain, grid: Grid, options: &BakeOptions) -> TerrainHeader {
    let georeference = terrain.georeference();
    TerrainHeader {
        parameters: TerrainParameters {
            grid,
            spacing: terrain.spacing(),
            eye_height: options.eye_height,
            player_height: options.player_height,
            max_distance: options.max_distance.unwrap_or(f64::INFINITY),
            visibility: match options.mode {
                Mode::Exact => VisibilityMode::Exact,
                Mode::Conservative => VisibilityMode::Conservative,
                Mode::Sectors(sectors) => VisibilityMode::Sectors(sectors),
            },
            // By sectors, the midlines from A through B are not those from B through A. Else a pair
            // is decided once.
            mutual: mutual(options),
            tree_code: TreeCode::Single,
            lossy: false,
            earth_radius: options.curvature.map_or(0.0, |earth| earth.radius),
            refraction: options.curvature.map_or(0.0, |earth| earth.refraction),
            transform: georeference.map(|g| g.transform),
        },
        crs: georeference.map(|g| g.crs.clone()),
    }
}
