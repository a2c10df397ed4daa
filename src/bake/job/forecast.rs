//! Forecast of a bake by sampling: processor time and bytes of the bundle, from a sample of the viewpoints; and
//! memory, from the sizes of tables.
//!
//! Did not pay: a share of the quads in place of a share of the pairs (a third off on large terrains).

use super::error::BakeError;
use super::graded::{self, GradedWork};
use super::levels::{LevelGroup, Levels};
use super::mode::VisibilityMode;
use super::observer::{Observer, Stage};
use super::options::{BakeOptions, as_seen, mutual};
use super::parallel::thread_count;
use super::store::group::Targets;
use super::terrain::TerrainCells;
use super::visibility::{Chunk, Clock, Kernel, Kernels, VisibilityStage};
use crate::compress::ValidPyramid;
use crate::compress::levels::Block;
use crate::compress::pairs::{Codebook, Histogram, encode_head};
use crate::visibility::spread::spread;
use crate::visibility::{HeightField, ShaftField, Sights, Stance};
use cpu_time::ThreadTime;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::pairs::table_length;
use viewcell::format::{Answer, Grid};
use viewcell_ingest::world::Terrain;

/// What a lossless bake is foreseen to take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: f64,
    /// Bytes of the bundle.
    pub bytes: u64,
    /// Bytes of memory, at most.
    pub memory: u64,
    /// Quads of viewpoints that were looked from to know it.
    pub sampled: usize,
    /// Quads of viewpoints in the whole bake.
    pub quads: usize,
    /// Of pairs of view cells that are near each other, as a graded bundle has it, the share that is hidden; `None` of
    /// other bundles.
    pub hidden_near: Option<f64>,
    /// Of a solid level: of all pairs of view cells, the share that is hidden; `None` of a bake of some five hours and more.
    pub hidden: Option<f64>,
    /// Of a solid level: what the kernel will do, in units that take some tenth of a microsecond. The same on every
    /// processor.
    pub work: Option<f64>,
}

/// After so many seconds of processor time, once the tables are made, so many quads of viewpoints are
/// enough.
const ENOUGH: [(f64, usize); 3] = [(1.0, MANY), (2.0, 4), (3.0, 1)];
/// As many quads of viewpoints are enough where looking from them is quick.
const MANY: usize = 24;

/// Share of the looking that is taken by what comes after it: 4 to 9 % on jacksboro and Bilbao.
const AFTERWARDS: f64 = 0.06;

/// Bytes of the trees of large quads, for those of pairs of blocks: 0.08 to 0.14 there.
const TREES: f64 = 0.11;

/// Bytes of what is always there: header, table, parameters, provenance.
const FIXED: u64 = 2048;

/// Samples a side of the part of a terrain by which a bake of samples is foreseen where they are many.
const PART: u32 = 513;

/// Forecasts the bake of a terrain, read from a file of the name `input`: runs the kernel on some quads
/// of viewpoints, spread evenly, and extrapolates. Takes some seconds.
///
/// One of very many samples, of which a look alone takes minutes, is foreseen by a part in the middle: the work for each pair
/// of samples is much the same.
///
/// # Errors
///
/// Where [`super::bake_terrain`] would refuse to begin.
pub fn forecast(
    terrain: &Terrain,
    options: &BakeOptions,
    input: &str,
    observer: &dyn Observer,
) -> Result<Forecast, BakeError> {
    let grid = options.grid(terrain, input)?;
    let (width, height) = (terrain.width(), terrain.height());
    let is_many = options.grade == 0 && options.finest == 0 && width.min(height) > PART + PART / 4;
    let middle = |side: u32| (side - PART) / 2..(side - PART) / 2 + PART;
    let part = is_many.then(|| terrain.part(middle(width), middle(height)));
    let Some(part) = part.flatten() else {
        return forecast_by_looks(terrain, options, input, observer);
    };
    let found = forecast_by_looks(&part, options, input, observer)?;
    let more = f64::from(width) * f64::from(height) / f64::from(PART * PART);
    Ok(Forecast {
        cpu_seconds: found.cpu_seconds * more * more,
        bytes: (found.bytes as f64 * more * more) as u64,
        memory: options.memory_needed(grid),
        ..found
    })
}

fn forecast_by_looks(
    terrain: &Terrain,
    options: &BakeOptions,
    input: &str,
    observer: &dyn Observer,
) -> Result<Forecast, BakeError> {
    let samples = options.grid(terrain, input)?;
    let terrain = &*options.asked_for(terrain, input)?;
    let cells = TerrainCells::of(terrain, options);
    let grid = cells.grid();
    let mutual = mutual(options);
    let valid = cells.valid();
    let tables = 4.0 * grid.samples() as f64 + 8.0 * grid.blocks() as f64 * 1.5;
    if options.grade > 0 {
        let seen = &*as_seen(terrain, options.curvature)?;
        let work = GradedWork::new(&cells.header().parameters, &valid, seen, options);
        let found = graded::forecast(&work, observer)?;
        return Ok(Forecast {
            cpu_seconds: found.cpu_seconds * (1.0 + AFTERWARDS),
            bytes: FIXED + found.bytes + tables as u64,
            memory: options.memory_needed(samples),
            sampled: found.quads[0],
            quads: found.quads[1],
            hidden_near: Some(found.hidden_near),
            ..Forecast::default()
        });
    }
    let seen = &*as_seen(terrain, options.curvature)?;
    let visibility = VisibilityStage::prepare(
        || Kernel::new(seen, options),
        &valid,
        Targets::of(mutual),
        options,
        observer,
    );
    let near = Near::new(grid, terrain.spacing(), options);
    let told = |number: usize| near.told_by(&visibility.levels, number);
    let found = Sampled::look(
        &visibility,
        &valid,
        told,
        near.all(mutual),
        |sampled, taken| {
            ENOUGH
                .iter()
                .any(|&(seconds, enough)| taken > seconds && sampled >= enough)
        },
        observer,
    )?;
    Ok(Forecast {
        cpu_seconds: found.cpu_seconds,
        bytes: found.bytes + tables as u64,
        memory: options.memory_needed(samples),
        sampled: found.quads,
        quads: visibility.levels.look_quads().len(),
        ..Forecast::default()
    })
}

/// What a bake comes to, by some of its quads of viewpoints.
pub(super) struct Sampled {
    /// Processor time of the bake, in seconds.
    pub cpu_seconds: f64,
    /// Bytes of the bundle, but for what is of each sample and block.
    pub bytes: u64,
    /// Quads that were sampled.
    pub quads: usize,
}

impl Sampled {
    /// Runs the kernel on some quads, until so many are enough after so many seconds. `told_by` is the number of blocks that
    /// a group covers, of which its quad was the last; `all` is the sum over all groups.
    pub(super) fn look<K: Kernels>(
        visibility: &VisibilityStage<'_, K>,
        valid: &ValidPyramid,
        told_by: impl Fn(usize) -> u64,
        all: u64,
        mut is_enough: impl FnMut(usize, f64) -> bool,
        observer: &dyn Observer,
    ) -> Result<Self, BakeError> {
        let VisibilityStage {
            kernels,
            levels,
            options,
            ..
        } = visibility;
        let (chunk, clock) = (Chunk::whole(levels), Clock::default());
        let quads = levels.look_quads();
        let expected = quads.len().min(MANY);
        observer.stage(Stage::Estimate, expected as u64);
        let mut scratch = chunk.scratch(Some(kernels), options);
        let mut tally = Tally::default();
        let begun = ThreadTime::now();
        let (mut sampled, mut pairs) = (0, 0);
        for at in spread(quads.len()) {
            if is_enough(sampled, begun.elapsed().as_secs_f64()) {
                break;
            }
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let numbers: Vec<usize> = quads[at].clone().collect();
            let groups = chunk.look(&mut scratch, &numbers, &clock, &|| false);
            for (number, group) in numbers.into_iter().zip(groups.unwrap_or_default()) {
                tally.add(valid, levels, number, &group);
                pairs += told_by(number);
            }
            sampled += 1;
            observer.advance(Stage::Estimate, sampled.min(expected) as u64);
        }
        // A quad that is late in the order covers few others.
        let share = pairs as f64 / all as f64;
        let looking = begun.elapsed().as_secs_f64() / share;
        Ok(Self {
            cpu_seconds: visibility.prepared + looking * (1.0 + AFTERWARDS),
            bytes: FIXED + tally.bytes(share),
            quads: sampled,
        })
    }
}

/// Which blocks are near enough to see each other.
struct Near {
    /// Columns and rows of blocks.
    shape: [u32; 2],
    /// Length of a block east and south, in metres.
    sides: [f64; 2],
    metres: f64,
}

impl Near {
    fn new(grid: Grid, spacing: [f64; 2], options: &BakeOptions) -> Self {
        let (columns, rows) = grid.block_shape();
        let side = f64::from(1u32 << (BLOCK_LEVEL + options.finest));
        Self {
            shape: [columns, rows],
            sides: spacing.map(|metres| metres * side),
            metres: options.max_distance.unwrap_or(f64::INFINITY),
        }
    }

    /// Whether blocks so many columns and rows apart are.
    fn holds(&self, apart: [u32; 2]) -> bool {
        let [x, y] = [0, 1].map(|axis| f64::from(apart[axis].saturating_sub(1)) * self.sides[axis]);
        x.hypot(y) <= self.metres
    }

    /// How many blocks group number `number` covers.
    fn told_by(&self, levels: &Levels, number: usize) -> u64 {
        let (at, (column, row)) = levels.find(number);
        let told = levels.told_by(at, (column, row));
        let is_near =
            |other: &&Block| self.holds([other.0.abs_diff(column), other.1.abs_diff(row)]);
        told.iter().filter(is_near).count() as u64
    }

    /// How many all groups cover.
    fn all(&self, mutual: bool) -> u64 {
        let [columns, rows] = self.shape;
        let ordered = |across: u32, down: u32| {
            let ways = (1 + u64::from(across > 0)) * (1 + u64::from(down > 0));
            ways * u64::from(columns - across) * u64::from(rows - down)
        };
        let apart = (0..rows).flat_map(|down| (0..columns).map(move |across| [across, down]));
        let near = apart.filter(|&apart| self.holds(apart));
        let all: u64 = near.map(|[across, down]| ordered(across, down)).sum();
        let blocks = u64::from(columns) * u64::from(rows);
        if mutual { (all + blocks) / 2 } else { all }
    }
}

/// What the groups that were looked at come to.
#[derive(Default)]
struct Tally {
    histogram: Histogram,
    /// Bytes of heads and tables.
    around: u64,
}

impl Tally {
    fn add(&mut self, valid: &ValidPyramid, levels: &Levels, number: usize, group: &LevelGroup) {
        self.histogram.count_all(&group.pairs);
        let (at, block) = levels.find(number);
        let mutual = levels.is_mutual();
        let mut sights = vec![Answer::Hidden; valid.blocks().len()];
        for (&target, &sight) in levels.told_by(at, block).iter().zip(&group.sights) {
            sights[levels.all[0].index(target)] = sight;
        }
        let mut head = Vec::new();
        let pairs = encode_head(valid, block, &sights, mutual, &mut head);
        // A group covers half the blocks; of the others its head has as much.
        let heads = head.len() as u64 * (1 + u64::from(mutual));
        self.around += heads + table_length(pairs) as u64;
    }

    /// Bytes of records, heads, tables and trees of all groups, of which so many were looked at.
    fn bytes(&self, share: f64) -> u64 {
        let codebook = Codebook::new(&self.histogram);
        let dictionary = codebook.section().len() as u64;
        let sampled = codebook.cost().saturating_sub(dictionary) + self.around;
        dictionary + (sampled as f64 / share * (1.0 + TREES)) as u64
    }
}

/// Bytes of a sample in other tables: its height, as it is read, as it is seen on a round earth and
/// as the bundle has it, and whether it has terrain.
const SAMPLE_BYTES: u64 = 40;

/// The same of a graded bake, which keeps of what it has found the groups of larger cells.
const GRADED_SAMPLE_BYTES: u64 = 60;

/// Bytes of the program, its libraries and buffers.
pub(super) const PROGRAM_BYTES: u64 = 32 << 20;

impl BakeOptions {
    /// Bytes of memory that a bake of a grid takes at most, as far as can be told before it
    /// begins.
    pub fn memory_needed(&self, grid: Grid) -> u64 {
        let (width, height) = (grid.width(), grid.height());
        if self.grade > 0 {
            return PROGRAM_BYTES
                + GRADED_SAMPLE_BYTES * grid.samples()
                + self.chunk_bytes(width, height);
        }
        let tables = match self.finest {
            0 => HeightField::bytes(grid.width(), grid.height(), self.mode.stance()),
            _ => ShaftField::bytes(grid.width(), grid.height()),
        };
        // Beside what a block sees, a thread has some groups on their way.
        let side = |samples: u32| samples.div_ceil(1 << self.finest);
        let cells = Grid::new(side(grid.width()), side(grid.height())).unwrap_or(grid);
        let room = Sights::bytes(cells) * 3 / 2;
        let threads = thread_count(self.threads) as u64;
        PROGRAM_BYTES + SAMPLE_BYTES * grid.samples() + tables + threads * room
    }

    /// Bytes that the tables of a graded bake take at once, and what its threads see.
    fn chunk_bytes(&self, width: u32, height: u32) -> u64 {
        let shape = |level: u32| {
            let side = |samples: u32| samples.div_ceil(1 << (self.finest + level));
            (side(width), side(height))
        };
        let reach = u64::from(self.grade.div_ceil(4)) * 8;
        let around = |cells: u32| u64::from(cells).min(256 + 2 * reach + 32);
        let levels =
            (0..16 - self.finest).take_while(|&level| shape(level).0.max(shape(level).1) > 8);
        let tables = levels.map(|level| {
            let (columns, rows) = shape(level);
            let samples = |cells: u32, end: u32| {
                (around(cells) << (self.finest + level)).min(u64::from(end)) as u32
            };
            let (columns, rows) = (samples(columns, width), samples(rows, height));
            // The part of the terrain itself is copied.
            let part = 24 * u64::from(columns) * u64::from(rows);
            part + match (self.finest + level, self.mode) {
                (0, VisibilityMode::Exact) => HeightField::bytes(columns, rows, Stance::Sample),
                (0, _) => HeightField::bytes(columns, rows, Stance::Cell),
                _ => ShaftField::bytes(columns, rows),
            }
        });
        let blocks = around(shape(0).0).div_ceil(8) * around(shape(0).1).div_ceil(8);
        let room = 4 * blocks * (8 * 64 + 1);
        tables.max().unwrap_or(0) + thread_count(self.threads) as u64 * room
    }

    /// Errors where a bake would take more memory than it may.
    pub(super) fn check_memory(&self, needed: u64, input: &str) -> Result<(), BakeError> {
        match self.memory {
            Some(limit) if needed > limit => Err(BakeError::Memory {
                input: input.to_owned(),
                needed,
                limit,
                threads: thread_count(self.threads),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::BakeErrorKind;
    use super::*;
    use viewcell::format::levels::Shape;

    #[test]
    fn as_many_blocks_are_told_of_as_all_groups_tell() {
        for (size, mutual, metres) in [
            ([70, 41], true, None),
            ([70, 41], false, None),
            ([130, 90], true, Some(900.0)),
            ([130, 90], false, Some(300.0)),
        ] {
            let grid = Grid::new(size[0], size[1]).unwrap();
            let options = BakeOptions {
                max_distance: metres,
                ..BakeOptions::default()
            };
            let near = Near::new(grid, [30.0, 25.0], &options);
            let valid = ValidPyramid::new(grid, &vec![!0; grid.blocks()]);
            let levels = Levels::of(Shape::new(grid, 0), Targets::of(mutual), &valid);
            let told: u64 = (0..grid.blocks()).map(|n| near.told_by(&levels, n)).sum();
            assert_eq!(near.all(mutual), told, "{size:?}, {mutual}");
        }
    }

    #[test]
    fn a_bake_that_would_not_fit_is_refused_with_what_it_takes() {
        let grid = Grid::new(1000, 1000).unwrap();
        let mut options = BakeOptions {
            mode: VisibilityMode::Exact,
            threads: 1,
            ..BakeOptions::default()
        };
        let needed = options.memory_needed(grid);
        // A million samples were measured to take 961 MB.
        assert!((900 << 20..1300 << 20).contains(&needed), "{needed}");
        options.memory = Some(needed);
        options.check_memory(needed, "a.tif").unwrap();
        options.memory = Some(needed - 1);
        let error = options.check_memory(needed, "a.tif").unwrap_err();
        assert_eq!(error.kind(), BakeErrorKind::Resource);
        assert!(error.to_string().contains("a.tif"));
        options.threads = 2;
        assert!(options.memory_needed(grid) > needed);
    }
}
