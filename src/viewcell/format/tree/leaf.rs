//! Leaves of a PVS: the largest quads that are all hidden or all visible, and mixed blocks.

use crate::format::grid::{Quad, Valid};

/// A piece of a PVS: the greatest quads that are all hidden or all visible, and mixed blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A quad with no visible terrain, and possibly with no terrain.
    Hidden(Quad),
    /// A quad all of whose terrain is visible.
    Visible(Quad),
    /// A quad of level 3 and its visible samples, one bit each, as in a block bitmap.
    Block(Quad, u64),
}

impl Leaf {
    /// The quad.
    pub const fn quad(&self) -> Quad {
        match *self {
            Self::Hidden(quad) | Self::Visible(quad) | Self::Block(quad, _) => quad,
        }
    }

    /// Number of visible samples, those without terrain left out.
    pub fn visible_samples(&self, valid: &Valid) -> u64 {
        match *self {
            Self::Hidden(_) => 0,
            Self::Visible(quad) => valid.count(quad),
            Self::Block(quad, bits) => {
                u64::from((bits & valid.block(quad.column, quad.row)).count_ones())
            }
        }
    }

    /// Adds its visible samples to a block bitmap, those without terrain left out.
    pub(in crate::format) fn write(&self, valid: &Valid, out: &mut [u64]) {
        let (columns, _) = valid.grid().block_shape();
        match *self {
            Self::Hidden(_) => {}
            Self::Block(quad, bits) => {
                // Of a block outside the grid, which may have the place of another one, no bit is left.
                let bits = bits & valid.block(quad.column, quad.row);
                let at = quad.row as usize * columns as usize + quad.column as usize;
                if let Some(word) = out.get_mut(at) {
                    *word |= bits;
                }
            }
            Self::Visible(quad) => {
                let (across, down) = valid.grid().block_range(quad);
                for row in down {
                    let start = row as usize * columns as usize;
                    let range = start + across.start as usize..start + across.end as usize;
                    let Some(words) = out.get_mut(range) else {
                        return;
                    };
                    for (word, column) in words.iter_mut().zip(across.clone()) {
                        *word = valid.block(column, row);
                    }
                }
            }
        }
    }
}
