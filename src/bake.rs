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

use std::borrow::Cow;
use std::io;
use std::path::Path;

use cpu_time::ThreadTime;

use crate::bundle::{
    Checkpoint, Head, Info, InputFile, Job, Provenance, ShardWriter, Share, Statistics,
    TerrainHeader, TerrainWriter, check_output, info,
};
use crate::format::{Grid, TerrainParameters, TreeCode, VisibilityMode};
use crate::hierarchy::Plan;
use crate::visibility::{Curvature, MAX_SECTORS, Simd};
use crate::world::Terrain;

use assembly::{Assembly, Trees};
use pack::Target;
use report::{Finish, Written};
use tiles::Prepared;

pub use crate::bundle::Keep;
pub use cells::{CellOptions, CellReport, bake_cells};
pub use compression::{Budget, Compression, DeepestFirst, Ties, Weight};
pub use error::{BakeError, BakeErrorKind};
pub use merge::{grid_of_shard, merge};
pub use read_back::read_level;
pub use repack::{RepackOptions, repack};
pub use report::{BakeReport, ShardReport};
pub use share::Part;
pub use sweep::{Kept, deepest_first, optimal};

/// The program, as it signs what it makes.
const TOOL: &str = concat!("viewcell ", env!("CARGO_PKG_VERSION"));

/// What a level-0 view cell means (DESIGN section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The PVS of the sample, exactly.
    Exact,
    /// The PVS of the unit square around the sample: from any position to any position.
    Conservative,
    /// The PVS of the sample by this many radial sectors (thesis section 3.1), 1 to
    /// [`MAX_SECTORS`].
    Sectors(u32),
}

/// The options of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeOptions {
    /// Height of the eye above ground, in metres.
    pub eye_height: f64,
    /// Height of the top of the head above ground, in metres.
    pub player_height: f64,
    /// What a level-0 view cell means.
    pub mode: Mode,
    /// Nobody sees further than this over the ground, in metres; `None` for no limit.
    pub max_distance: Option<f64>,
    /// The shape of the earth; `None` for a flat one.
    pub curvature: Option<Curvature>,
    /// Threads that compute; 0 for as many as there are processors.
    pub threads: usize,
    /// Instructions to use. Changes no byte of the result.
    pub simd: Simd,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
    /// What becomes of the bake if it ends before its time.
    pub keep: Keep,
    /// What is kept. Not of a shard, which keeps all: [`merge`] is told.
    pub compression: Compression,
}

/// A stage, for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Tables for the kernels.
    Prepare,
    /// What an earlier bake did is checked and taken over; counted in tiles.
    Resume,
    /// Visibility, hierarchy and trees; counted in pairs of samples.
    Visibility,
    /// Trees become pairs of blocks; counted in blocks.
    Compress,
    /// Trees lose their deepest nodes; counted in quads.
    Prune,
    /// Shards are joined; counted in tiles.
    Merge,
    /// Lines of sight through portals; counted in pairs of portals' sides.
    Portals,
    /// How many visible steps lead from cell to cell.
    Distances,
    /// Index, provenance, sync.
    Finish,
}

impl Stage {
    /// Its name in progress and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Resume => "resume",
            Self::Visibility => "visibility",
            Self::Compress => "compress",
            Self::Prune => "prune",
            Self::Merge => "merge",
            Self::Portals => "portals",
            Self::Distances => "distances",
            Self::Finish => "finish",
        }
    }

    /// What its work is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Prepare | Self::Distances | Self::Finish => "steps",
            Self::Compress => "blocks",
            Self::Prune => "quads",
            Self::Resume | Self::Merge => "tiles",
            Self::Visibility | Self::Portals => "pairs",
        }
    }
}

/// Follows a bake, and may stop it.
pub trait Observer: Sync {
    /// A stage of `total` units begins.
    fn stage(&self, stage: Stage, total: u64);
    /// Of the stage, `done` units are done.
    fn advance(&self, stage: Stage, done: u64);
    /// Whether to stop: the bake ends soon, and leaves nothing behind but what it keeps.
    fn cancelled(&self) -> bool;
}

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
    check_options(options)?;
    let grid = Grid::new(terrain.width(), terrain.height())?;
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
        let seen = as_seen(terrain, options)?;
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
    check_options(options)?;
    let grid = Grid::new(terrain.width(), terrain.height())?;
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
        let seen = as_seen(terrain, options)?;
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

fn check_options(options: &BakeOptions) -> Result<(), BakeError> {
    let heights = [
        ("--player-height", options.player_height),
        ("--eye-height", options.eye_height),
    ];
    for (option, height) in heights {
        if !(0.0..=1e6).contains(&height) {
            return Err(BakeError::Option {
                option,
                expected: "0 to 1000000 m",
                found: height.to_string(),
            });
        }
    }
    if let Some(distance) = options.max_distance
        && !(distance.is_finite() && distance > 0.0)
    {
        return Err(BakeError::Option {
            option: "--max-distance",
            expected: "a positive number of metres",
            found: distance.to_string(),
        });
    }
    if let Mode::Sectors(sectors) = options.mode
        && !(1..=MAX_SECTORS).contains(&sectors)
    {
        return Err(BakeError::Option {
            option: "--sectors",
            expected: "1 to 1000000 sectors",
            found: sectors.to_string(),
        });
    }
    if let Some(Curvature { radius, refraction }) = options.curvature {
        // A smaller earth is none, and would be bent beyond what a parabola is good for.
        if !(radius.is_finite() && radius >= 1e3) {
            return Err(BakeError::Option {
                option: "--earth-curvature",
                expected: "a radius of at least 1000 m",
                found: radius.to_string(),
            });
        }
        if !(0.0..1.0).contains(&refraction) {
            return Err(BakeError::Option {
                option: "--refraction",
                expected: "a coefficient of at least 0 and less than 1",
                found: refraction.to_string(),
            });
        }
    }
    if options.simd.level().is_none() {
        return Err(BakeError::Option {
            option: "--simd",
            expected: "instructions that this processor has",
            found: options.simd.name().to_owned(),
        });
    }
    Ok(())
}

/// The ground that straight sight meets.
fn as_seen<'t>(terrain: &'t Terrain, options: &BakeOptions) -> Result<Cow<'t, Terrain>, BakeError> {
    let Some(curvature) = options.curvature else {
        return Ok(Cow::Borrowed(terrain));
    };
    let lowered = curvature.lower(terrain);
    lowered.map(Cow::Owned).map_err(|error| BakeError::Option {
        option: "--earth-curvature",
        expected: "a terrain that is small beside the earth",
        found: error.to_string(),
    })
}

/// Whether whoever is seen sees, too, so that each pair is decided once.
fn mutual(options: &BakeOptions) -> bool {
    !matches!(options.mode, Mode::Sectors(_)) && options.eye_height == options.player_height
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
