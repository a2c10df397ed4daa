//! What the bake takes from a kernel, whatever the visibility mode.

use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use crate::format::{Grid, Quad, morton};

/// Who sees whom, 2 × 2 blocks of viewpoints at a time.
pub trait Viewsheds: Send {
    /// The grid whose samples see each other.
    fn grid(&self) -> Grid;

    /// Writes into `sights` how the four blocks of viewpoints in `quad` see every block of the
    /// grid. Blocks of the quad that lie outside the grid are [void](super::BlockSight::Void).
    ///
    /// # Panics
    ///
    /// Unless the quad is of [`LOOK_LEVEL`] and `sights` was made for this grid.
    fn look(&mut self, quad: Quad, sights: &mut Sights);

    /// Words of one bitmap: a `u64` for every 8 × 8 block of the grid, row by row.
    fn words(&self) -> usize {
        self.grid().blocks()
    }

    /// Writes what the viewpoints (column .. column + 16, row .. row + 16) see into 256 bitmaps,
    /// one after the other in Morton order (children north-west, north-east, south-west,
    /// south-east). Bits outside the grid and of voids are 0.
    ///
    /// The same as [`look`](Self::look), taken apart by viewpoints, which takes time and twice the
    /// memory.
    ///
    /// Panics unless `column` and `row` are multiples of 16 and `bitmaps` holds 256 bitmaps.
    fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        let words = self.words();
        let quad = Quad::new(LOOK_LEVEL, column >> LOOK_LEVEL, row >> LOOK_LEVEL);
        assert_eq!((quad.origin().column, quad.origin().row), (column, row));
        assert_eq!(bitmaps.len(), words << (2 * LOOK_LEVEL));
        let mut sights = Sights::new(self.grid());
        self.look(quad, &mut sights);
        bitmaps.fill(0);
        let blocks = bitmaps.chunks_exact_mut(64 * words);
        for (block, bitmaps) in (0..LOOK_BLOCKS).zip(blocks) {
            for target in 0..words {
                for (lane, &bits) in sights.rows(block, target).into_iter().flatten().enumerate() {
                    let at = morton::number(lane as u32 % 8, lane as u32 / 8) as usize;
                    bitmaps[at * words + target] = bits;
                }
            }
        }
    }
}
