//! A block of viewpoints that look at once.

use super::height_field::HeightField;
use super::lanes::SIDE;
use crate::format::{Quad, Sample};

/// A block of 8 × 8 viewpoints.
pub(super) struct ViewBlock {
    /// Its north-western viewpoint.
    pub column: i32,
    pub row: i32,
    /// Lanes that are looked from.
    pub standing: u64,
    /// Of these, lanes of which it is told what they see.
    pub eyes: u64,
    /// Its number in the grid; `None` outside.
    pub number: Option<usize>,
    /// Which child it is of the quad that is looked from.
    pub child: usize,
}

impl ViewBlock {
    pub fn new(field: &HeightField, quad: Quad, child: usize) -> Self {
        let Sample { column, row } = quad.origin();
        let side = SIDE as u32;
        let (column, row) = (
            column + child as u32 % 2 * side,
            row + child as u32 / 2 * side,
        );
        let (columns, rows) = field.grid.block_shape();
        let (x, y) = (column / side, row / side);
        let number = (x < columns && y < rows).then_some((y * columns + x) as usize);
        Self {
            column: column as i32,
            row: row as i32,
            standing: number.map_or(0, |number| field.places.looking(number)),
            eyes: number.map_or(0, |number| field.places.eyes[number]),
            number,
            child,
        }
    }
}
