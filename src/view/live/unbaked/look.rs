//! The viewshed of one place, by the kernels of a bake.
//!
//! A kernel computes 16 × 16 places at once. Its last result is cached, so that nearby places are answered immediately.

use std::sync::{Mutex, PoisonError};

use viewcell::query::{Grid, Quad, Sample};
use viewcell_bake::visibility::{LOOK_LEVEL, Sights, Viewsheds};

/// Where a kernel has looked from, and what it saw.
pub(super) struct Look {
    last: Mutex<Option<(Quad, Sights)>>,
    grid: Grid,
}

impl Look {
    /// On a grid of places.
    pub(super) fn new(grid: Grid) -> Self {
        Self {
            last: Mutex::new(None),
            grid,
        }
    }

    /// What `sample` sees, as a block bitmap of the grid; `kernel` is made where the look is a new one.
    pub(super) fn from<K: Viewsheds>(
        &self,
        sample: Sample,
        kernel: impl FnOnce() -> K,
    ) -> Vec<u64> {
        let Sample { column, row } = sample;
        let quad = Quad::new(LOOK_LEVEL, column >> LOOK_LEVEL, row >> LOOK_LEVEL);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, mut sights) = match last.take() {
            Some((known, sights)) => (Some(known), sights),
            None => (None, Sights::new(self.grid)),
        };
        if known != Some(quad) {
            kernel().look(quad, &mut sights);
        }
        let block = (row >> 3 & 1) << 1 | column >> 3 & 1;
        let viewpoint = ((row & 7) << 3 | column & 7) as usize;
        let seen = (0..sights.targets()).map(|target| {
            let rows = sights.rows(block as usize, target);
            rows.map_or(0, |rows| rows[viewpoint])
        });
        let seen = seen.collect();
        *last = Some((quad, sights));
        seen
    }
}
