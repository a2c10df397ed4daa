//! Where there is terrain.

use super::bytes::u64_at;
use super::grid::{BLOCK_LEVEL, Grid, Quad, Sample, quad_mask};

/// Where there is terrain: in the grid, and not void. The `VALD` section, or the whole grid
/// where that is absent.
#[derive(Clone, Copy, Debug)]
pub struct Valid<'a> {
    grid: Grid,
    blocks: Option<&'a [u8]>,
}

impl<'a> Valid<'a> {
    /// Terrain everywhere in the grid.
    pub const fn everywhere(grid: Grid) -> Self {
        Self { grid, blocks: None }
    }

    /// Terrain where a block bitmap (little-endian words) has ones. Missing words count as void.
    pub const fn from_blocks(grid: Grid, blocks: &'a [u8]) -> Self {
        Self {
            grid,
            blocks: Some(blocks),
        }
    }

    /// The grid.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// Whether the grid may have voids.
    pub const fn has_voids(&self) -> bool {
        self.blocks.is_some()
    }

    /// The samples of block (column, row) with terrain; 0 outside the grid.
    #[inline]
    pub fn block(&self, column: u32, row: u32) -> u64 {
        let mask = self.grid.block_mask(column, row);
        match self.blocks {
            Some(blocks) if mask != 0 => {
                let (columns, _) = self.grid.block_shape();
                let word = row as usize * columns as usize + column as usize;
                mask & u64_at(blocks, word.saturating_mul(8)).unwrap_or(0)
            }
            _ => mask,
        }
    }

    /// Whether there is terrain at a sample.
    #[inline]
    pub fn has_sample(&self, sample: Sample) -> bool {
        self.grid.has_sample(sample)
            && (self.blocks.is_none()
                || self.block(sample.column >> 3, sample.row >> 3)
                    >> ((sample.row & 7) << 3 | sample.column & 7)
                    & 1
                    == 1)
    }

    /// Whether there is terrain in a quad. O(1) without voids; else stops at the first terrain.
    pub fn has_quad(&self, quad: Quad) -> bool {
        if !self.grid.has_quad(quad) {
            return false;
        }
        if self.blocks.is_none() {
            return true;
        }
        if quad.level < BLOCK_LEVEL {
            let origin = quad.origin();
            return self.block(origin.column >> 3, origin.row >> 3) & quad_mask(quad) != 0;
        }
        let (columns, rows) = self.grid.block_range(quad);
        rows.into_iter()
            .any(|row| columns.clone().any(|column| self.block(column, row) != 0))
    }

    /// Number of samples with terrain in a quad.
    pub fn count(&self, quad: Quad) -> u64 {
        if !self.grid.has_quad(quad) {
            return 0;
        }
        if self.blocks.is_none() {
            let origin = quad.origin();
            let side = 1 << quad.level;
            let wide = side.min(self.grid.width() - origin.column);
            let high = side.min(self.grid.height() - origin.row);
            return u64::from(wide) * u64::from(high);
        }
        if quad.level < BLOCK_LEVEL {
            let origin = quad.origin();
            let bits = self.block(origin.column >> 3, origin.row >> 3) & quad_mask(quad);
            return u64::from(bits.count_ones());
        }
        let (columns, rows) = self.grid.block_range(quad);
        rows.into_iter()
            .flat_map(|row| columns.clone().map(move |column| (column, row)))
            .map(|(column, row)| u64::from(self.block(column, row).count_ones()))
            .sum()
    }
}
