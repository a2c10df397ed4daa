//! Heights that the ground of view cells of single samples is nowhere above.

use super::field::{NOWHERE, ShaftField};
use super::slopes::{Corners, cover};
use crate::visibility::conservative::refine::PAIRS;
use crate::visibility::lanes::VOID;
use crate::visibility::surface::{Cover, POINTS};

/// Heights over a cell, less the field's base.
#[derive(Clone, Copy)]
pub(crate) struct CellCover {
    place: (u32, u32),
    /// Over the corners of its quarters: for each corner (north-western first, row by row) that of each quarter
    /// (likewise).
    pub quarters: [f32; PAIRS],
    /// Over its own corners.
    pub whole: Corners,
}

impl CellCover {
    pub(crate) fn new(field: &ShaftField<'_>, place: (u32, u32)) -> Self {
        let heights = Cover::new(field.terrain, place.0, place.1).quarters;
        let heights = heights.map(|height| height - field.base);
        let side = (POINTS - 1) as f64;
        let points: [_; POINTS * POINTS] = std::array::from_fn(|k| {
            let (column, row) = (k % POINTS, k / POINTS);
            [column as f64 / side, row as f64 / side, heights[k]]
        });
        Self {
            place,
            quarters: std::array::from_fn(|k| {
                // The low bits of corner and quarter are columns.
                let (corner, quarter) = (k / 4, k % 4);
                let (column, row) = (corner % 2 + quarter % 2, corner / 2 + quarter / 2);
                heights[row * POINTS + column] as f32
            }),
            whole: cover(&points),
        }
    }
}

impl CellCover {
    /// Over the corners of each of its quarters, row by row.
    pub(crate) fn by_quarter(&self) -> [Corners; 4] {
        let heights = &self.quarters;
        [0, 1, 2, 3].map(|quarter| [0, 1, 2, 3].map(|corner| heights[4 * corner + quarter]))
    }
}

/// The covers of cells that were asked for last.
pub(crate) struct Covers(Vec<CellCover>);

/// Columns and rows of cells of which one is kept.
const KEPT: u32 = 32;

impl Covers {
    pub(super) fn new() -> Self {
        let none = CellCover {
            place: NOWHERE,
            quarters: [0.0; PAIRS],
            whole: [VOID; 4],
        };
        Self(vec![none; (KEPT * KEPT) as usize])
    }

    pub(super) fn of(&mut self, field: &ShaftField<'_>, place: (u32, u32)) -> &CellCover {
        let (column, row) = place;
        let kept = &mut self.0[((row % KEPT) * KEPT + column % KEPT) as usize];
        if kept.place != place {
            *kept = CellCover::new(field, place);
        }
        kept
    }
}
