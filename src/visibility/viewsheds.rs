//! What the bake takes from a kernel, whatever the visibility mode.

use super::sights::Sights;
use crate::format::{Grid, Quad};

/// Who sees whom, 2 × 2 blocks of viewpoints at a time.
pub trait Viewsheds: Send {
    /// The grid whose samples see each other.
    fn grid(&self) -> Grid;

    /// Writes into `sights` how the four blocks of viewpoints in `quad` see every block of the
    /// grid. Blocks of the quad that lie outside the grid are [void](super::BlockSight::Void).
    ///
    /// # Panics
    ///
    /// Unless the quad is of [`LOOK_LEVEL`](super::LOOK_LEVEL) and `sights` was made for this grid.
    fn look(&mut self, quad: Quad, sights: &mut Sights);
}
