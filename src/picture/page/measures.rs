//! Lengths and colours of a page.

use crate::picture::palette::Colour;

pub(super) const INK: Colour = [30.0, 34.0, 40.0];

pub(super) const FAINT: Colour = [96.0, 102.0, 110.0];

/// Measures of a page of some width. [Unit: pixels]
pub(super) struct Measures {
    /// Of everything, 1 at a width of 900.
    pub(super) size: f64,
    pub(super) width: i32,
    pub(super) margin: i32,
    pub(super) columns: usize,
    pub(super) map: (u32, u32),
    pub(super) caption: i32,
    pub(super) head: i32,
}

impl Measures {
    /// Where the picture of a panel begins.
    pub(super) fn place(&self, panel: usize) -> (i32, i32) {
        let (column, row) = (panel % self.columns, panel / self.columns);
        let x = self.margin + column as i32 * (self.map.0 as i32 + self.margin);
        let high = self.caption + self.map.1 as i32 + self.margin;
        (x, self.head + self.caption + row as i32 * high)
    }
}
