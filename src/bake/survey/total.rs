//! The total viewshed of a terrain without a bundle: by how many samples each sample is seen, exactly.
//!
//! The kernel of bakes computes 2 × 2 blocks of viewpoints at a time; its answers are counted and discarded. The counts equal
//! those of a survey of an exact bundle. Where sight is mutual, each pair of blocks is decided once and counted for both.

use std::sync::Mutex;

use fearless_simd::Level;
use rayon::prelude::*;

use super::block_counter::BlockCounter;
use crate::visibility::{
    BlockSight, Bodies, HeightField, LOOK_BLOCKS, LOOK_LEVEL, Rays, Sights, Stance, Viewsheds as _,
};
use viewcell::format::{Grid, Quad};
use viewcell_ingest::world::Terrain;

/// Counts by how many samples each sample is seen, itself included, row by row; 0 where nobody can be.
///
/// For a round earth the terrain is one that was lowered ([`Curvature::lower`](crate::visibility::Curvature::lower)); nobody
/// sees further than `max_distance` metres. Takes some 570 bytes a sample, and 42 a sample and thread of the current pool of
/// `rayon`. `go_on` learns how many viewpoints more are done, and ends it by returning false; then the result is `None`.
///
/// # Panics
///
/// Where the tables do not fit ([`HeightField::fits`]).
pub fn total_viewshed(
    terrain: &Terrain,
    bodies: Bodies,
    max_distance: f64,
    level: Level,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Option<Vec<u32>> {
    let field = HeightField::new(terrain, bodies, Stance::Sample).with_max_distance(max_distance);
    let once = bodies.mutual();
    let rays = || {
        let rays = Rays::new(terrain, &field, level);
        if once {
            rays.deciding_once(|a, b| (a.1, a.0) < (b.1, b.0))
        } else {
            rays
        }
    };
    let grid = rays().grid();
    let (columns, rows) = grid.block_shape();
    let (across, down) = (columns.div_ceil(2), rows.div_ceil(2));
    let idle: Mutex<Vec<Counter<'_>>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let whole = (0..across * down).into_par_iter().all(|number| {
        let taken = lock().pop();
        let mut counter = taken.unwrap_or_else(|| Counter {
            rays: rays(),
            sights: Sights::new(grid),
            blocks: vec![BlockCounter::NONE; grid.blocks()],
            once,
        });
        let (column, row) = (number % across, number / across);
        counter.count(grid, Quad::new(LOOK_LEVEL, column, row));
        lock().push(counter);
        let side = |at: u32, side: u32| u64::from(16.min(side - at * 16));
        go_on(side(column, grid.width()) * side(row, grid.height()))
    });
    if !whole {
        return None;
    }
    let mut counts = vec![0; grid.samples() as usize];
    for mut counter in lock().drain(..) {
        counter.blocks.iter_mut().for_each(BlockCounter::flush);
        for ((count, sample), is_place) in counts
            .iter_mut()
            .zip(grid.row_by_row())
            .zip(terrain.places())
        {
            if is_place {
                let (block, bit) = grid.block_bit(sample);
                *count += counter.blocks[block].count(bit);
            }
        }
    }
    Some(counts)
}

/// Counts of one thread.
struct Counter<'f> {
    rays: Rays<'f>,
    sights: Sights,
    /// By block of 8 × 8 samples, row by row.
    blocks: Vec<BlockCounter>,
    once: bool,
}

impl Counter<'_> {
    /// Counts what the viewpoints of a quad see, and where each pair is told once, what sees them.
    fn count(&mut self, grid: Grid, quad: Quad) {
        self.rays.look(quad, &mut self.sights);
        let columns = grid.block_shape().0;
        for block in 0..LOOK_BLOCKS {
            let at = (
                2 * quad.column + block as u32 % 2,
                2 * quad.row + block as u32 / 2,
            );
            let own = (at.1 * columns + at.0) as usize;
            let mut seen_by = [0; 64];
            for (target, sight) in self.sights.seen(block) {
                let (BlockSight::Visible | BlockSight::Mixed(_)) = sight else {
                    continue;
                };
                // Pairs within the own block are told both ways.
                let is_both = self.once && target != own;
                let rows = self.sights.rows(block, target).into_iter().flatten();
                for (row, seen_by) in rows.zip(&mut seen_by) {
                    self.blocks[target].add(*row);
                    if is_both {
                        *seen_by += row.count_ones();
                    }
                }
            }
            if at.0 < columns && own < self.blocks.len() {
                for (bit, times) in seen_by.into_iter().enumerate() {
                    self.blocks[own].add_to(bit, times);
                }
            }
        }
    }
}
