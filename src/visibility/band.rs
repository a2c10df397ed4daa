//! The viewpoints that a kernel works for, and in which direction they look.

use super::axis::Axis;
use super::field::Field;
use super::lanes::{Lanes, PATCH};
use super::rays::Patch;
use crate::format::blockbits::turn;
use fearless_simd::prelude::*;

/// The rows of a patch of viewpoints that hold all lanes still open, as few as are whole groups,
/// looking along one axis of the grid.
///
/// Along columns, lane i of a patch is column i % 8, row i / 8. Along rows, grid and patch are
/// turned over their diagonal: there are kernels for sight along columns alone.
#[derive(Clone, Copy)]
pub(super) struct Band<'f> {
    pub axis: &'f Axis,
    /// Whether grid and patch are turned.
    pub turned: bool,
    /// In which sense the major coordinate counts.
    pub sign: i32,
    /// Place of the first viewpoint on the axis's grid.
    pub column: i32,
    pub row: i32,
    /// Lanes of the patch before the band's first.
    pub skipped: u32,
}

impl<'f> Band<'f> {
    /// The band of `active` lanes of a patch that look along columns, or `turned` along rows, and
    /// how many groups of lanes it has.
    #[inline(always)]
    pub fn new(
        field: &'f Field,
        patch: &Patch,
        active: u64,
        turned: bool,
        sign: i32,
    ) -> (Self, usize) {
        let (column, row, active) = if turned {
            (patch.row, patch.column, turn(active))
        } else {
            (patch.column, patch.row, active)
        };
        let side = PATCH as u32;
        let (first, last) = (active.trailing_zeros() / side, active.ilog2() / side);
        let groups = (last - first + 2) / 2;
        let first = first.min(side - 2 * groups);
        let band = Self {
            axis: &field.axes[usize::from(turned)],
            turned,
            sign,
            column,
            row: row + first as i32,
            skipped: first * side,
        };
        (band, groups as usize)
    }

    /// Lanes of the band, from those of the patch.
    #[inline(always)]
    pub fn lanes(&self, of_patch: u64) -> u64 {
        let lanes = if self.turned {
            turn(of_patch)
        } else {
            of_patch
        };
        lanes >> self.skipped
    }

    /// Lanes of the patch, from those of the band.
    #[inline(always)]
    pub fn of_patch(&self, lanes: u64) -> u64 {
        let lanes = lanes << self.skipped;
        if self.turned { turn(lanes) } else { lanes }
    }

    /// A place or displacement on the axis's grid, from one on the terrain's; and back.
    #[inline(always)]
    pub fn turn<T>(&self, (column, row): (T, T)) -> (T, T) {
        if self.turned {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// The place on the axis's grid of the viewpoint of a lane.
    #[inline(always)]
    pub fn viewpoint(&self, lane: u32) -> (i32, i32) {
        let (lane, side) = (lane as i32, PATCH as i32);
        (self.column + lane % side, self.row + lane / side)
    }

    /// Index in the axis's tables of major coordinate `x` and minor coordinate `y` from the first
    /// viewpoint.
    #[inline(always)]
    pub fn index(&self, x: i32, y: i32) -> u32 {
        let column = self.column + x * self.sign;
        self.axis.layout.index(column, self.row + y)
    }

    /// The ground there, of all lanes.
    #[inline(always)]
    pub fn ground<S: Simd, const N: usize>(&self, simd: S, x: i32, y: i32) -> Lanes<S, N> {
        self.axis.ground.patch(simd, self.index(x, y))
    }
}
