//! A set of samples, asked by blocks and by squares of displacements.

use crate::visibility::lanes::SIDE;
use crate::visibility::places::word_at;
use crate::visibility::samples::height_field::{LEVELS, TOP};
use viewcell::format::Grid;

/// Some samples of a grid.
#[derive(Debug)]
pub(crate) struct SampleSet {
    /// By level: where squares of that level begin that have one, in words of 8 × 8 samples, row by row;
    /// from [`AROUND`] words north-west of the grid on.
    levels: Vec<Vec<u64>>,
    /// Columns and rows of words.
    shape: [i32; 2],
}

/// Words around the grid: a square of the highest level begins so far away at most.
const AROUND: i32 = TOP as i32 / SIDE as i32;

impl SampleSet {
    /// Of a block bitmap.
    pub(crate) fn new(grid: Grid, words: &[u64]) -> Self {
        let (columns, rows) = grid.block_shape();
        let shape = [columns, rows].map(|blocks| blocks as i32 + AROUND);
        let places =
            || (0..shape[1]).flat_map(|row| (0..shape[0]).map(move |column| (column, row)));
        let blocks = places().map(|(column, row)| {
            let [column, row] = [column, row].map(|at| (at - AROUND) * SIDE as i32);
            word_at(words, [columns as i32, rows as i32], column, row)
        });
        let mut levels: Vec<Vec<u64>> = vec![blocks.collect()];
        for level in 1..LEVELS {
            let half = 1 << (level - 1);
            let below = &levels[level - 1];
            let words = places().map(|(column, row)| {
                let corners = [(0, 0), (half, 0), (0, half), (half, half)];
                corners.iter().fold(0, |word, (east, south)| {
                    word | word_at(below, shape, column * 8 + east, row * 8 + south)
                })
            });
            let words = words.collect();
            levels.push(words);
        }
        Self { levels, shape }
    }

    /// Lane by lane of a block, the first of which looks at (column, row): whether there is one in the
    /// square of that level that begins there.
    #[inline]
    pub(crate) fn lanes(&self, (column, row): (i32, i32), level: u32) -> u64 {
        let [column, row] = [column, row].map(|at| at + AROUND * SIDE as i32);
        word_at(&self.levels[level as usize], self.shape, column, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    #[test]
    fn lanes_are_those_whose_square_has_one() {
        let mut dice = Dice(7);
        let (width, height) = (45, 30);
        let grid = Grid::new(width, height).unwrap();
        let there: Vec<bool> = (0..width * height).map(|_| dice.roll(60) == 0).collect();
        let mut words = vec![0; grid.blocks()];
        for sample in grid.row_by_row() {
            let (word, bit) = grid.block_bit(sample);
            let is = there[(sample.row * width + sample.column) as usize];
            words[word] |= u64::from(is) << bit;
        }
        let set = SampleSet::new(grid, &words);
        for _ in 0..3000 {
            let level = dice.roll(LEVELS as u32);
            let [column, row] = [0; 2].map(|_| dice.roll(110) as i32 - 50);
            let side = 1 << level;
            let is_one = |c: i32, r: i32| {
                let inside = (0..width as i32).contains(&c) && (0..height as i32).contains(&r);
                inside && there[(r * width as i32 + c) as usize]
            };
            let due = (0..64).filter(|lane| {
                let (c, r) = (column + lane % 8, row + lane / 8);
                (r..r + side).any(|r| (c..c + side).any(|c| is_one(c, r)))
            });
            let due = due.fold(0_u64, |due, lane| due | 1 << lane);
            assert_eq!(
                set.lanes((column, row), level),
                due,
                "{column} {row} {level}"
            );
        }
    }
}
