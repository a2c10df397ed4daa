//! A survey of a bundle: how many samples see each sample (the *total viewshed* of the terrain),
//! and what share of the pairs at each distance see each other.

use std::sync::Mutex;

use rayon::prelude::*;

use super::block_counter::BlockCounter;
use super::sight::GroupSight;
use viewcell::query::{Answer, CellBundle, Sample, SolidBundle, SolidParameters, TerrainBundle};

/// The PVS of a sample that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "what sample ({}, {}) sees is damaged; see what viewcell verify says, and bake again",
    .0.column, .0.row
)]
pub struct DamagedPvs(pub Sample);

/// What goes through all pairs of samples of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// For each sample, row by row, how many samples see it (itself included); 0 for a void.
    pub exposure: Vec<u32>,
    /// Pairs by distance, in rings as wide as [`Survey::ring`] says. The distance is that between
    /// the middles of the blocks of 8 × 8 samples that the two are in.
    pub rings: Vec<Ring>,
}

/// Ordered pairs of samples with terrain, at some distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// All of them.
    pub pairs: u64,
    /// Those of which the first sees the second.
    pub visible: u64,
}

/// Rings of a survey.
const RINGS: usize = 32;

impl Survey {
    /// How wide a ring of pairs is: a 32nd of the terrain's diagonal, rounded up. [Unit: metres]
    pub fn ring(terrain: &TerrainBundle<'_>) -> f64 {
        let [dx, dy] = terrain.parameters().cell_spacing;
        let (width, height) = (terrain.grid().width(), terrain.grid().height());
        let diagonal = (f64::from(width) * dx).hypot(f64::from(height) * dy);
        diagonal * (1.0 + 1e-9) / RINGS as f64
    }
}

/// Surveys a bundle.
///
/// Goes once through the level-0 PVSs, a block of viewpoints at a time, with the threads of the
/// current pool of `rayon`, in some twenty bytes a sample and thread. `go_on` learns how many
/// viewpoints more are done, and ends the survey by returning false; then the result is `None`.
pub fn survey(
    bundle: &TerrainBundle<'_>,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Option<Survey>, DamagedPvs> {
    let grid = bundle.grid();
    let (columns, rows) = grid.block_shape();
    let idle: Mutex<Vec<Counter<'_>>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let outcome = (0..columns * rows).into_par_iter().try_for_each(|block| {
        let taken = lock().pop();
        let mut counter = taken.unwrap_or_else(|| Counter::new(*bundle));
        let (column, row) = (block % columns, block / columns);
        let damaged = Stop::Damaged(Sample::new(column * 8, row * 8));
        counter.sight.look(column, row).ok_or(damaged)?;
        counter.count((column, row));
        let across = 8.min(grid.width() - column * 8) * 8.min(grid.height() - row * 8);
        lock().push(counter);
        if go_on(across.into()) {
            Ok(())
        } else {
            Err(Stop::Asked)
        }
    });
    match outcome {
        Err(Stop::Asked) => return Ok(None),
        Err(Stop::Damaged(sample)) => return Err(DamagedPvs(sample)),
        Ok(()) => {}
    }
    let mut survey = Survey {
        exposure: vec![0; grid.samples() as usize],
        rings: vec![Ring::default(); RINGS],
    };
    for counter in lock().drain(..) {
        counter.add_to(&mut survey);
    }
    Ok(Some(survey))
}

/// Why a survey ended early.
enum Stop {
    Asked,
    Damaged(Sample),
}

/// Counts of one thread.
struct Counter<'a> {
    terrain: TerrainBundle<'a>,
    sight: GroupSight<'a>,
    ring: f64,
    rings: Vec<Ring>,
    /// By block of 8 × 8 samples, row by row.
    blocks: Vec<BlockCounter>,
}

impl<'a> Counter<'a> {
    fn new(terrain: TerrainBundle<'a>) -> Self {
        Self {
            terrain,
            sight: GroupSight::new(terrain),
            ring: Survey::ring(&terrain),
            rings: vec![Ring::default(); RINGS],
            blocks: vec![BlockCounter::NONE; terrain.grid().blocks()],
        }
    }

    /// Counts what the block sees that has been looked from.
    fn count(&mut self, (column, row): (u32, u32)) {
        let (columns, _) = self.terrain.grid().block_shape();
        let [dx, dy] = self
            .terrain
            .parameters()
            .cell_spacing
            .map(|metres| 8.0 * metres);
        let viewpoints = self.sight.viewpoints();
        let looking = viewpoints.count_ones();
        for (target, block) in self.blocks.iter_mut().enumerate() {
            let there = self.sight.terrain_of(target).count_ones();
            let pairs = u64::from(looking) * u64::from(there);
            let visible = match self.sight.state(target) {
                Answer::Hidden => 0,
                Answer::Visible => {
                    block.add_whole(looking);
                    pairs
                }
                Answer::Mixed => {
                    let mut visible = 0;
                    for v in (0..64).filter(|v| viewpoints >> v & 1 == 1) {
                        let word = self.sight.word(v, target);
                        visible += u64::from(word.count_ones());
                        block.add(word);
                    }
                    visible
                }
            };
            let (x, y) = (target as u32 % columns, target as u32 / columns);
            let across = f64::from(x.abs_diff(column)) * dx;
            let distance = across.hypot(f64::from(y.abs_diff(row)) * dy);
            let ring = &mut self.rings[((distance / self.ring) as usize).min(RINGS - 1)];
            ring.pairs += pairs;
            ring.visible += visible;
        }
    }

    fn add_to(mut self, survey: &mut Survey) {
        for block in &mut self.blocks {
            block.flush();
        }
        let grid = self.terrain.grid();
        for (count, sample) in survey.exposure.iter_mut().zip(grid.row_by_row()) {
            if self.terrain.valid().has_sample(sample) {
                let (block, bit) = grid.block_bit(sample);
                *count += self.blocks[block].count(bit);
            }
        }
        for (ring, own) in survey.rings.iter_mut().zip(&self.rings) {
            ring.pairs += own.pairs;
            ring.visible += own.visible;
        }
    }
}

/// How many cells see each cell, itself included.
pub fn seen_by(level: &CellBundle<'_>) -> Vec<u32> {
    let mut counts = vec![0_u32; level.cells() as usize];
    for cell in 0..level.cells() {
        counts[cell as usize] += u32::from(!level.pvs(cell).contains(cell));
        for seen in level.pvs(cell).iter() {
            counts[seen as usize] += 1;
        }
    }
    counts
}

/// How many cells see each cell of a solid level, itself included, out of the survey of its sights.
pub fn by_cell(level: &SolidBundle<'_>, exposure: &[u32]) -> Vec<u32> {
    let width = level.sights().grid().width() as usize;
    let place = |cell: u32| {
        let sample = SolidParameters::sample(cell);
        sample.row as usize * width + sample.column as usize
    };
    (0..level.cells())
        .map(|cell| exposure[place(cell)])
        .collect()
}
