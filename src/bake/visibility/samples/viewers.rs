//! Heights of eyes over the quarters of the view cells of a block, wherever viewers stand in them; computed once a block.

use super::view_block::ViewpointRows;
use crate::visibility::lanes::{LANES, SIDE};

/// Pairs of quarters.
pub(crate) const PAIRS: usize = 16;

/// Eyes over the corners of the quarters of a block's cells, less the height of a head.
pub(crate) struct Viewers {
    /// The block's first viewpoint, on the axis's grid.
    block: (i32, i32),
    /// For each lane and corner (north-western first, row by row), those of all pairs of quarters.
    pub eyes: [[[f32; PAIRS]; 4]; LANES],
}

impl Viewers {
    pub(crate) fn none() -> Self {
        Self {
            block: (-1, -1),
            eyes: [[[0.0; PAIRS]; 4]; LANES],
        }
    }

    /// Moves to the block of which these are rows, for eyes `above` heads.
    pub(crate) fn stand(&mut self, rows: &ViewpointRows<'_>, above: f32) {
        let side = SIDE as i32;
        let block = (rows.column, rows.row - rows.skipped as i32 / side);
        if self.block == block {
            return;
        }
        self.block = block;
        for (lane, eyes) in (0..).zip(&mut self.eyes) {
            let place = (block.0 + lane % side, block.1 + lane / side);
            if rows.axis.holds(place) {
                let quarters = rows.axis.quarters(place);
                for (k, eye) in eyes.as_flattened_mut().iter_mut().enumerate() {
                    // Of each corner four quarters, of each of them four pairs.
                    *eye = quarters[k / 4] + above;
                }
            }
        }
    }
}
