//! What the hierarchy takes from a kernel, whatever the visibility mode.

use super::rays::Rays;

/// Who sees whom, a block of 16 × 16 viewpoints at a time.
///
/// A bitmap has a `u64` for every 8 × 8 block of the grid, row by row; bit (r & 7)·8 + (c & 7) of
/// a word is sample (c, r).
pub trait Viewsheds: Send {
    /// Words of one bitmap.
    fn words(&self) -> usize;

    /// Writes what the viewpoints (column .. column + 16, row .. row + 16) see into 256 bitmaps,
    /// one after the other in Morton order (children north-west, north-east, south-west,
    /// south-east). Bits outside the grid and of voids are 0.
    ///
    /// Panics unless `column` and `row` are multiples of 16 and `bitmaps` holds 256 bitmaps.
    fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]);
}

impl Viewsheds for Rays<'_> {
    fn words(&self) -> usize {
        Rays::words(self)
    }

    fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        Rays::viewsheds(self, column, row, bitmaps);
    }
}
