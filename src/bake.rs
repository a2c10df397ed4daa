//! The job: heightmap to bundle, stage by stage.
//!
//! ```text
//! prepare      the terrain as the kernels read it
//! visibility   per tile of viewpoints: who sees whom, unions up the quadtree, trees
//! write        trees in bake order, then index and provenance; sync, rename
//! ```
//!
//! Tiles run in parallel; whichever thread is first, they are written in bake order, so that the
//! bytes do not depend on the number of threads.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Instant;

use cpu_time::{ProcessTime, ThreadTime};
use serde::Serialize;

use crate::bundle::{
    BundleError, ErrorKind, InputFile, Provenance, StageTime, Statistics, TerrainHeader,
    TerrainWriter, Timings, Written, check_output,
};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{Grid, GridError, Quad, TerrainParameters, TreeCode, VisibilityMode};
use crate::hierarchy::{Crown, Plan, TileWalk, Viewcell};
use crate::visibility::{Bodies, Field, Rays, Simd, Stance};
use crate::world::Terrain;

/// What a level-0 view cell means (DESIGN section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The PVS of the sample, exactly.
    Exact,
    /// The PVS of the unit square around the sample: from any position to any position.
    Conservative,
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
    /// Threads that compute; 0 for as many as there are processors.
    pub threads: usize,
    /// Instructions to use. Changes no byte of the result.
    pub simd: Simd,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
}

/// A stage, for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Tables for the kernels.
    Prepare,
    /// Visibility, hierarchy and trees; counted in viewpoints.
    Visibility,
    /// Index, provenance, sync.
    Finish,
}

impl Stage {
    /// Its name in progress and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Visibility => "visibility",
            Self::Finish => "finish",
        }
    }

    /// What its work is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Prepare | Self::Finish => "steps",
            Self::Visibility => "viewpoints",
        }
    }
}

/// Follows a bake, and may stop it.
pub trait Observer: Sync {
    /// A stage of `total` units begins.
    fn stage(&self, stage: Stage, total: u64);
    /// Of the stage, `done` units are done.
    fn advance(&self, stage: Stage, done: u64);
    /// Whether to stop: the bake ends soon, and leaves nothing behind.
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

/// Why a bake ended without a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The observer said so.
    #[error("cancelled; nothing is left behind")]
    Cancelled,
    /// An option has a value that no bake can have.
    #[error("{option}: expected {expected}, found {found}")]
    Option {
        /// Its name on the command line.
        option: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The grid has more samples on a side than a bundle holds.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// The class of an error, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BakeErrorKind {
    /// The options are wrong: exit code 2.
    Usage,
    /// The input is bad: exit code 3.
    Input,
    /// Could not read or write: exit code 4.
    Io,
    /// Out of a resource: exit code 5.
    Resource,
    /// Stopped on request.
    Cancelled,
}

impl BakeError {
    /// The class of the error.
    pub fn kind(&self) -> BakeErrorKind {
        match self {
            Self::Cancelled => BakeErrorKind::Cancelled,
            Self::Option { .. } => BakeErrorKind::Usage,
            Self::Grid(_) => BakeErrorKind::Resource,
            Self::Bundle(error) => match error.kind() {
                ErrorKind::Input => BakeErrorKind::Input,
                ErrorKind::Io => BakeErrorKind::Io,
                ErrorKind::Resource => BakeErrorKind::Resource,
                ErrorKind::Usage => BakeErrorKind::Usage,
            },
        }
    }
}

/// What a bake made, and what it took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BakeReport {
    /// Columns of the terrain.
    pub width: u32,
    /// Rows of the terrain.
    pub height: u32,
    /// Length of the bundle in bytes.
    pub bytes: u64,
    /// Bytes by section, tag first.
    pub sections: Vec<(String, u64)>,
    /// Shares hidden and bytes by level.
    pub statistics: Statistics,
    /// What it took, as kept beside the bundle.
    pub timings: Timings,
}

/// Processor time of the stages, in nanoseconds, summed over threads.
#[derive(Default)]
struct Clock {
    visibility: AtomicU64,
    trees: AtomicU64,
}

/// What a tile becomes: its quads' trees in bake order, and its PVS.
struct BakedTile {
    /// Quad, visible samples, length of the tree.
    quads: Vec<(Viewcell, u64, usize)>,
    trees: Vec<u8>,
    union: Vec<u64>,
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
    let start = Instant::now();
    let cpu_start = ProcessTime::now();
    check_options(options)?;
    let grid = Grid::new(terrain.width(), terrain.height())?;
    check_output(output, options.overwrite)?;
    let mut stages = Vec::new();

    observer.stage(Stage::Prepare, 1);
    let prepare = ThreadTime::now();
    let bodies = Bodies {
        eye: options.eye_height,
        head: options.player_height,
    };
    let stance = match options.mode {
        Mode::Exact => Stance::Sample,
        Mode::Conservative => Stance::Cell,
    };
    let field = Field::new(terrain, bodies, stance)
        .with_max_distance(options.max_distance.unwrap_or(f64::INFINITY));
    let valid = ValidPyramid::from_heights(grid, terrain.heights());
    let header = header(terrain, grid, options);
    let mut writer = TerrainWriter::create(output, options.overwrite, &header, terrain.heights())?;
    observer.advance(Stage::Prepare, 1);
    stages.push(stage_time("prepare", prepare.elapsed().as_secs_f64()));

    let clock = Clock::default();
    let writing = ThreadTime::now();
    let statistics = bake_tiles(
        terrain,
        &field,
        &valid,
        options,
        &mut writer,
        observer,
        &clock,
    )?;
    observer.stage(Stage::Finish, 1);
    let provenance = Provenance {
        tool: concat!("viewcell ", env!("CARGO_PKG_VERSION")).to_owned(),
        input: source.input.clone(),
        options: source.options.clone(),
        statistics,
    };
    let written = writer.finish(&provenance)?;
    observer.advance(Stage::Finish, 1);
    let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 * 1e-9;
    stages.push(stage_time("visibility", seconds(&clock.visibility)));
    stages.push(stage_time("hierarchy and trees", seconds(&clock.trees)));
    stages.push(stage_time("write", writing.elapsed().as_secs_f64()));

    let timings = Timings {
        bundle_bytes: written.bytes,
        bundle_checksum: written.checksum,
        stages,
        elapsed_seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: cpu_start.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory(),
        threads: threads(options),
        simd: options.simd.name().to_owned(),
        date: String::new(),
    };
    // The bundle is whole without them.
    timings.write_beside(output).ok();
    Ok(report(grid, provenance.statistics, timings, &written))
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
    if options.simd.level().is_none() {
        return Err(BakeError::Option {
            option: "--simd",
            expected: "instructions that this processor has",
            found: options.simd.name().to_owned(),
        });
    }
    Ok(())
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
            },
            mutual: options.eye_height == options.player_height,
            tree_code: TreeCode::Lossless,
            earth_radius: 0.0,
            refraction: 0.0,
            transform: georeference.map(|g| g.transform),
        },
        crs: georeference.map(|g| g.crs.clone()),
    }
}

fn threads(options: &BakeOptions) -> usize {
    match options.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    }
}

fn stage_time(name: &str, seconds: f64) -> StageTime {
    StageTime {
        name: name.to_owned(),
        seconds,
    }
}

/// Bakes all tiles and writes their trees in order.
fn bake_tiles(
    terrain: &Terrain,
    field: &Field,
    valid: &ValidPyramid,
    options: &BakeOptions,
    writer: &mut TerrainWriter,
    observer: &dyn Observer,
    clock: &Clock,
) -> Result<Statistics, BakeError> {
    let grid = valid.grid();
    let plan = Plan::new(grid.width(), grid.height());
    let tiles = plan.tiles();
    let threads = threads(options);
    let level = options.simd.level().unwrap_or(fearless_simd::Level::new());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| BakeError::Option {
            option: "--threads",
            expected: "a number of threads that the system can start",
            found: error.to_string(),
        })?;
    observer.stage(Stage::Visibility, grid.samples());
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let workers = Mutex::new(Vec::new());
    let work = |tile: Viewcell| {
        let idle = workers.lock().ok().and_then(|mut all| all.pop());
        let (mut walk, mut scratch) = idle.unwrap_or_else(|| {
            let rays = Rays::new(terrain, field, level);
            (TileWalk::new(plan, rays), Scratch::default())
        });
        let baked = bake_tile(
            &mut walk,
            &mut scratch,
            valid,
            tile,
            clock,
            &mut |viewpoints| {
                let done = done.fetch_add(viewpoints, Ordering::Relaxed) + viewpoints;
                observer.advance(Stage::Visibility, done);
                !stop.load(Ordering::Relaxed) && !observer.cancelled()
            },
        );
        if let Ok(mut all) = workers.lock() {
            all.push((walk, scratch));
        }
        baked
    };

    let mut statistics = Statistics::new(grid, valid.samples());
    let mut crown = Crown::new(plan, grid.blocks());
    let mut scratch = Scratch::default();
    // As many tiles are on their way as keep all threads busy while one waits to be written.
    let window = 2 * threads + 1;
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        let start = |index: usize| {
            let (sender, work, tile) = (sender.clone(), &work, tiles[index]);
            scope.spawn(move |_| {
                // Nobody listens any more once writing has failed.
                sender.send((index, work(tile))).ok();
            });
        };
        let mut waiting = BTreeMap::new();
        let mut started = window.min(tiles.len());
        (0..started).for_each(start);
        let mut write = || -> Result<(), BakeError> {
            for index in 0..tiles.len() {
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
                write_tile(writer, &mut statistics, &baked)?;
                write_crown(
                    writer,
                    &mut statistics,
                    valid,
                    &mut crown,
                    tiles[index],
                    &baked.union,
                    &mut scratch,
                )?;
                if started < tiles.len() {
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
    Ok(statistics)
}

/// Visibility, unions and trees of one tile; `None` if `go_on` said to stop.
fn bake_tile(
    walk: &mut TileWalk<'_>,
    scratch: &mut Scratch,
    valid: &ValidPyramid,
    tile: Viewcell,
    clock: &Clock,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<BakedTile> {
    let (mut quads, mut trees) = (Vec::new(), Vec::new());
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
        let visible = encode(valid, pvs, scratch, &mut trees);
        quads.push((quad, visible, trees.len() - before));
        true
    });
    encoding += since.elapsed().as_nanos() as u64;
    let total = began.elapsed().as_nanos() as u64;
    clock.trees.fetch_add(encoding, Ordering::Relaxed);
    clock
        .visibility
        .fetch_add(total.saturating_sub(encoding), Ordering::Relaxed);
    go_on(fresh);
    Some(BakedTile {
        quads,
        trees,
        union: union?,
    })
}

fn write_tile(
    writer: &mut TerrainWriter,
    statistics: &mut Statistics,
    baked: &BakedTile,
) -> Result<(), BakeError> {
    let mut rest = &baked.trees[..];
    for &(quad, visible, length) in &baked.quads {
        let (tree, after) = rest.split_at(length);
        rest = after;
        push(writer, statistics, quad, visible, tree)?;
    }
    Ok(())
}

fn write_crown(
    writer: &mut TerrainWriter,
    statistics: &mut Statistics,
    valid: &ValidPyramid,
    crown: &mut Crown,
    tile: Viewcell,
    union: &[u64],
    scratch: &mut Scratch,
) -> Result<(), BakeError> {
    let mut tree = Vec::new();
    let mut outcome = Ok(());
    crown.push(tile, union, &mut |quad, pvs| {
        tree.clear();
        let visible = encode(valid, pvs, scratch, &mut tree);
        outcome = push(writer, statistics, quad, visible, &tree);
        outcome.is_ok()
    });
    outcome
}

fn push(
    writer: &mut TerrainWriter,
    statistics: &mut Statistics,
    quad: Viewcell,
    visible: u64,
    tree: &[u8],
) -> Result<(), BakeError> {
    writer.push_tree(quad.level, quad.column, quad.row, tree)?;
    let quad = Quad::new(quad.level, quad.column, quad.row);
    // Whoever stands somewhere sees at least himself.
    statistics.record(quad, visible > 0, visible, tree.len());
    Ok(())
}

fn report(grid: Grid, statistics: Statistics, timings: Timings, written: &Written) -> BakeReport {
    BakeReport {
        width: grid.width(),
        height: grid.height(),
        bytes: written.bytes,
        sections: written
            .sections
            .iter()
            .map(|section| (section.tag.to_string(), section.stored_length))
            .collect(),
        statistics,
        timings,
    }
}

/// The most memory that the process has used, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"))
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
}
