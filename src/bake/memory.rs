//! Memory that a bake takes, foreseen before it begins.

use super::crew::thread_count;
use super::error::BakeError;
use super::options::{BakeOptions, Mode};
use crate::format::Grid;
use crate::visibility::{HeightField, ShaftField, Sights, Stance};

/// Bytes of a sample in other tables: its height, as it is read, as it is seen on a round earth and
/// as the bundle has it, and whether it has terrain.
const SAMPLE_BYTES: u64 = 40;

/// Bytes of the program, its libraries and buffers.
const PROGRAM_BYTES: u64 = 24 << 20;

impl BakeOptions {
    /// Bytes of memory that a bake of a grid takes at most, as far as can be told before it
    /// begins.
    pub fn memory_needed(&self, grid: Grid) -> u64 {
        let stance = match self.mode {
            Mode::Exact => Some(Stance::Sample),
            Mode::Conservative => Some(Stance::Cell),
            // The heights, as they are.
            Mode::Sectors(_) => None,
        };
        let tables = match (stance, self.finest) {
            (None, _) => 0,
            (Some(stance), 0) => HeightField::bytes(grid.width(), grid.height(), stance),
            (Some(_), _) => ShaftField::bytes(grid.width(), grid.height()),
        };
        // Beside what a block sees, a thread has some groups on their way.
        let side = |samples: u32| samples.div_ceil(1 << self.finest);
        let cells = Grid::new(side(grid.width()), side(grid.height())).unwrap_or(grid);
        let room = Sights::bytes(cells) * 3 / 2;
        let threads = thread_count(self.threads) as u64;
        PROGRAM_BYTES + SAMPLE_BYTES * grid.samples() + tables + threads * room
    }

    /// Errors where a bake of a grid would take more memory than it may.
    pub(super) fn check_memory(&self, grid: Grid, input: &str) -> Result<(), BakeError> {
        let needed = self.memory_needed(grid);
        match self.memory {
            Some(limit) if needed > limit => Err(BakeError::Memory {
                input: input.to_owned(),
                needed,
                limit,
                threads: thread_count(self.threads),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::error::BakeErrorKind;

    #[test]
    fn a_bake_that_would_not_fit_is_refused_with_what_it_takes() {
        let grid = Grid::new(1000, 1000).unwrap();
        let mut options = BakeOptions {
            mode: Mode::Exact,
            threads: 1,
            ..BakeOptions::default()
        };
        let needed = options.memory_needed(grid);
        // A million samples were measured to take 961 MB.
        assert!((900 << 20..1300 << 20).contains(&needed), "{needed}");
        options.memory = Some(needed);
        options.check_memory(grid, "a.tif").unwrap();
        options.memory = Some(needed - 1);
        let error = options.check_memory(grid, "a.tif").unwrap_err();
        assert_eq!(error.kind(), BakeErrorKind::Resource);
        assert!(error.to_string().contains("a.tif"));
        options.threads = 2;
        assert!(options.memory_needed(grid) > needed);
    }
}
