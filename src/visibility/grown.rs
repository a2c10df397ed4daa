//! Cells that grow with distance: who is far away is asked for by quads of cells.
//!
//! A pair of cells is answered for by a pair of equal quads that hold them: the greatest between
//! which, across or down, lie at least *grade* quads of their size. Where any cell of the one sees any
//! of the other, all do. So a quad takes up no more of a viewer's sight than a cell nearby, and what is
//! hidden is hidden from all of a quad.
//!
//! Parents of quads that are that far apart may be nearer, seen by their size; children never are. So
//! there is one such pair, and it is the same for all the cells in it.

use super::sights::{LOOK_LEVEL, Sights};
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Grid, Quad};

/// The greatest quads of cells that answer as one are those that are looked from in one go.
const GREATEST: u32 = LOOK_LEVEL;

/// Level, above the cells, of the quads that are far enough apart along one axis.
fn level_along(grade: u32, a: u32, b: u32) -> u32 {
    let apart = |level: &u32| (a >> level).abs_diff(b >> level) > grade;
    (1..=GREATEST).rev().find(apart).unwrap_or(0)
}

/// What the quads of cells in a quad of [`LOOK_LEVEL`] are known to see.
pub(super) struct Grown {
    grade: u32,
    grid: Grid,
    /// By level less 1, by quad of viewers, in words: a bit a quad of the grid, row by row.
    seen: Vec<Vec<u64>>,
    /// By column and by row of the grid: level of the quads that answer for a viewer.
    levels: [Vec<u8>; 2],
}

impl Grown {
    /// Where nothing is known yet; `grade` is at least 1.
    pub fn new(grade: u32, grid: Grid) -> Self {
        let quads = |level: u32| {
            let (columns, rows) = Self::shape(grid, level);
            (columns as usize * rows as usize).div_ceil(64)
        };
        let viewers = |level: u32| 1 << (2 * (LOOK_LEVEL - level));
        Self {
            grade,
            grid,
            seen: (1..=GREATEST)
                .map(|level| vec![0; viewers(level) * quads(level)])
                .collect(),
            levels: [grid.width(), grid.height()].map(|side| vec![0; side as usize]),
        }
    }

    /// Columns and rows of quads.
    fn shape(grid: Grid, level: u32) -> (u32, u32) {
        let quads = |cells: u32| cells.div_ceil(1 << level);
        (quads(grid.width()), quads(grid.height()))
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.seen.iter_mut().for_each(|seen| seen.fill(0));
    }

    /// From here on it is asked for these viewers, a cell or four in a quad.
    pub fn begin(&mut self, viewers: Quad) {
        let at = viewers.origin();
        for (levels, own) in self.levels.iter_mut().zip([at.column, at.row]) {
            for (level, other) in levels.iter_mut().zip(0..) {
                *level = level_along(self.grade, own, other) as u8;
            }
        }
    }

    /// Level of the quads that answer for the viewers and a cell; 0 where these do themselves.
    pub fn level(&self, (column, row): (u32, u32)) -> u32 {
        let [columns, rows] = &self.levels;
        columns[column as usize].max(rows[row as usize]).into()
    }

    /// Word and bit of a pair of quads, by cells in them.
    fn place(&self, level: u32, own: (u32, u32), cell: (u32, u32)) -> (usize, u32) {
        let (columns, rows) = Self::shape(self.grid, level);
        let words = (columns as usize * rows as usize).div_ceil(64);
        let within = |at: u32| (at % (1 << LOOK_LEVEL)) >> level;
        let viewers = (within(own.1) << (LOOK_LEVEL - level)) + within(own.0);
        let quad = (cell.1 >> level) as usize * columns as usize + (cell.0 >> level) as usize;
        (viewers as usize * words + quad / 64, (quad % 64) as u32)
    }

    /// Whether the quad of level 1 and more that holds a cell is known to be seen.
    pub fn has(&self, level: u32, own: (u32, u32), cell: (u32, u32)) -> bool {
        let (word, bit) = self.place(level, own, cell);
        self.seen[level as usize - 1][word] >> bit & 1 == 1
    }

    /// It is seen; returns its cells, first and last column and row.
    pub fn note(&mut self, level: u32, own: (u32, u32), cell: (u32, u32)) -> [[u32; 2]; 2] {
        let (word, bit) = self.place(level, own, cell);
        self.seen[level as usize - 1][word] |= 1 << bit;
        let ends = |at: u32, side: u32| {
            let first = at >> level << level;
            [first, (first + (1 << level)).min(side) - 1]
        };
        [
            ends(cell.0, self.grid.width()),
            ends(cell.1, self.grid.height()),
        ]
    }

    /// Writes what is seen.
    pub fn hand_over(&self, sights: &mut Sights) {
        for (level, seen) in (1..).zip(&self.seen) {
            let (columns, rows) = Self::shape(self.grid, level);
            let words = (columns as usize * rows as usize).div_ceil(64);
            for (viewers, seen) in (0..).zip(seen.chunks(words)) {
                let side = LOOK_LEVEL - level;
                let own = (viewers & ((1 << side) - 1), viewers >> side);
                for quad in bits(seen) {
                    let quad = (quad % columns, quad / columns);
                    for (child, lanes) in parts(level, own) {
                        for (block, cells) in parts(level, quad) {
                            let child = child.1 * 2 + child.0;
                            let place = (block.0 as i32, block.1 as i32);
                            let Some(rows) = sights.rows_mut(child as usize, place) else {
                                continue;
                            };
                            for lane in bits(&[lanes]) {
                                rows[lane as usize] |= cells;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The blocks of 8 × 8 cells that a quad has a part of, column and row, and its cells in each.
fn parts(level: u32, (column, row): (u32, u32)) -> impl Iterator<Item = ((u32, u32), u64)> {
    let inner = level.min(BLOCK_LEVEL);
    let blocks = 1 << (level - inner);
    let side = 1 << inner;
    let (first, mask) = (
        (
            (column << level) >> BLOCK_LEVEL,
            (row << level) >> BLOCK_LEVEL,
        ),
        (0..side).fold(0, |mask, down: u32| {
            let across = (!0 >> (64 - side)) << ((column << level) & 7);
            mask | across << (8 * (((row << level) & 7) + down))
        }),
    );
    (0..blocks * blocks).map(move |at| {
        let place = (first.0 + at % blocks, first.1 + at / blocks);
        (place, mask)
    })
}

/// The bits that are 1, in order.
fn bits(words: &[u64]) -> impl Iterator<Item = u32> {
    (0..).zip(words).flat_map(|(at, &word)| {
        let mut word = word;
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros())?;
            word &= word - 1;
            Some(at * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What the module says of parents and children, and of all cells of a pair.
        #[test]
        fn the_quads_that_answer_are_the_greatest_that_are_far_apart(
            grade in 1..40u32,
            a in (0..700u32, 0..700u32),
            b in (0..700u32, 0..700u32),
        ) {
            let level = |a: (u32, u32), b: (u32, u32)| {
                level_along(grade, a.0, b.0).max(level_along(grade, a.1, b.1))
            };
            let found = level(a, b);
            let between = |level: u32| {
                let apart = |a: u32, b: u32| (a >> level).abs_diff(b >> level).saturating_sub(1);
                apart(a.0, b.0).max(apart(a.1, b.1))
            };
            for level in 1..=GREATEST {
                prop_assert_eq!(between(level) >= grade, level <= found);
            }
            let corner = |at: (u32, u32)| (at.0 >> found << found, at.1 >> found << found);
            prop_assert_eq!(level(corner(a), corner(b)), found);
            prop_assert_eq!(level(b, a), found);
        }

        /// What was noted is known, and is written for all cells of both quads, and nothing else.
        #[test]
        fn what_is_noted_is_written_for_all_cells_of_both_quads(
            (width, height) in (17..80u32, 17..80u32),
            level in 1..=GREATEST,
            own in (0..16u32, 0..16u32),
            far in (0..80u32, 0..80u32),
        ) {
            let grid = Grid::new(width, height).unwrap();
            let far = (far.0 % width, far.1 % height);
            let mut grown = Grown::new(1, grid);
            prop_assert!(!grown.has(level, own, far));
            let [columns, rows] = grown.note(level, own, far);
            let mut sights = Sights::new(grid);
            sights.clear();
            grown.hand_over(&mut sights);
            let (across, _) = grid.block_shape();
            for viewer in (0..16).flat_map(|c| (0..16).map(move |r| (c, r))) {
                let here = (viewer.0 >> level, viewer.1 >> level) == (own.0 >> level, own.1 >> level);
                prop_assert_eq!(here, grown.has(level, viewer, far));
                for c in 0..width {
                    for r in 0..height {
                        let there = (columns[0]..=columns[1]).contains(&c)
                            && (rows[0]..=rows[1]).contains(&r);
                        let child = (viewer.1 >> 3) * 2 + (viewer.0 >> 3);
                        let block = (r >> 3) * across + (c >> 3);
                        let sees = sights.rows(child as usize, block as usize);
                        let lane = (viewer.1 % 8 * 8 + viewer.0 % 8) as usize;
                        let sees = sees.is_some_and(|rows| rows[lane] >> (r % 8 * 8 + c % 8) & 1 == 1);
                        prop_assert_eq!(sees, here && there, "{:?} {} {}", viewer, c, r);
                    }
                }
            }
            grown.clear();
            prop_assert!(!grown.has(level, own, far));
        }
    }
}
