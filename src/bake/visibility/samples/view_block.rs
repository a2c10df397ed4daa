//! A block of 64 viewpoints that look at once: its eyes, and those of its rows that are still open in a direction.

use super::height_field::{Axis, HeightField};
use crate::visibility::lanes::{Lanes, SIDE};
use fearless_simd::prelude::*;
use viewcell::format::blockbits::turn;
use viewcell::format::{Quad, Sample};

/// A block of 8 × 8 viewpoints.
pub(crate) struct ViewBlock {
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
    pub(crate) fn new(field: &HeightField, quad: Quad, child: usize) -> Self {
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

/// Some rows of a block of viewpoints, a multiple of two: the fewest that hold all viewpoints for
/// which a displacement is still open.
///
/// Along columns, lane i of a block is column i % 8, row i / 8. Along rows, grid and block are
/// turned over their diagonal, so that the kernels need to know sight along columns alone.
#[derive(Clone, Copy)]
pub(crate) struct ViewpointRows<'f> {
    pub axis: &'f Axis,
    /// Whether grid and block are turned.
    pub turned: bool,
    /// In which sense the major coordinate counts.
    pub sign: i32,
    /// Place of the first viewpoint on the axis's grid.
    pub column: i32,
    pub row: i32,
    /// Lanes of the block before their first.
    pub skipped: u32,
}

impl<'f> ViewpointRows<'f> {
    /// The rows of `active` lanes of a block that look along columns, or `turned` along rows, and
    /// how many groups of lanes it has.
    #[inline(always)]
    pub(crate) fn new(
        field: &'f HeightField,
        block: &ViewBlock,
        active: u64,
        turned: bool,
        sign: i32,
    ) -> (Self, usize) {
        let (column, row, active) = if turned {
            (block.row, block.column, turn(active))
        } else {
            (block.column, block.row, active)
        };
        let side = SIDE as u32;
        let (first, last) = (active.trailing_zeros() / side, active.ilog2() / side);
        let groups = (last - first + 2) / 2;
        let first = first.min(side - 2 * groups);
        let rows = Self {
            axis: &field.axes[usize::from(turned)],
            turned,
            sign,
            column,
            row: row + first as i32,
            skipped: first * side,
        };
        (rows, groups as usize)
    }

    /// Lanes of the rows, from those of the block.
    #[inline(always)]
    pub(crate) fn lanes(&self, of_block: u64) -> u64 {
        let lanes = if self.turned {
            turn(of_block)
        } else {
            of_block
        };
        lanes >> self.skipped
    }

    /// Lanes of the block, from those of the rows.
    #[inline(always)]
    pub(crate) fn of_block(&self, lanes: u64) -> u64 {
        let lanes = lanes << self.skipped;
        if self.turned { turn(lanes) } else { lanes }
    }

    /// A place or displacement on the axis's grid, from one on the terrain's; and back.
    #[inline(always)]
    pub(crate) fn turn<T>(&self, (column, row): (T, T)) -> (T, T) {
        if self.turned {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// The place on the axis's grid of the viewpoint of a lane.
    #[inline(always)]
    pub(crate) fn viewpoint(&self, lane: u32) -> (i32, i32) {
        let (lane, side) = (lane as i32, SIDE as i32);
        (self.column + lane % side, self.row + lane / side)
    }

    /// Index in the axis's tables of major coordinate `x` and minor coordinate `y` from the first
    /// viewpoint.
    #[inline(always)]
    pub(crate) fn index(&self, x: i32, y: i32) -> u32 {
        let column = self.column + x * self.sign;
        self.axis.layout.index(column, self.row + y)
    }

    /// The ground there, of all lanes.
    #[inline(always)]
    pub(crate) fn ground<S: Simd, const N: usize>(&self, simd: S, x: i32, y: i32) -> Lanes<S, N> {
        self.axis.ground.load(simd, self.index(x, y))
    }
}
