//! What a level ([`viewcell::format::levels`]) takes over from the level below: who sees whom among quads
//! of 2 × 2 cells.

use super::ValidPyramid;
use super::pairs::PairSymbols;
use std::collections::BTreeMap;
use viewcell::format::Answer;
use viewcell::format::grid::{BLOCK_LEVEL, quad_mask};
use viewcell::format::levels::Shape;
use viewcell::format::{Grid, Quad, bits, blockbits::transpose, morton};

/// Column and row of a block of a level.
pub type Block = (u32, u32);

/// Where there is terrain at each level, from where it is at the first.
pub fn valid_levels(shape: Shape, valid: &ValidPyramid) -> Vec<ValidPyramid> {
    let mut levels = vec![valid.clone()];
    for level in 1..shape.levels() {
        let grid = shape.level(level);
        levels.push(ValidPyramid::new(
            grid,
            &halved(&levels[levels.len() - 1], grid),
        ));
    }
    levels
}

/// The block bitmap of a level, from that of the level below.
fn halved(below: &ValidPyramid, grid: Grid) -> Vec<u64> {
    let (across, _) = below.grid().block_shape();
    let (columns, _) = grid.block_shape();
    let mut words = vec![0; grid.blocks()];
    for (index, &word) in (0..).zip(below.blocks()) {
        let block: Block = (index % across, index / across);
        let (column, row) = parent(block);
        words[(row * columns + column) as usize] |= halve(word, quarter(block));
    }
    words
}

/// The quads of 2 × 2 cells of a block that hold any of some of its cells, in the place of the block as quarter (north-west,
/// north-east, south-west, south-east) of one of the level above.
pub fn halve(cells: u64, quarter: u32) -> u64 {
    let any = cells | cells >> 1;
    let any = any | any >> 8;
    // Each second bit of each second row, moved together.
    let mut halves = 0;
    for row in 0..4 {
        let line = any >> (16 * row) & 0x55;
        let line = (line | line >> 1) & 0x33;
        let line = (line | line >> 2) & 0x0F;
        halves |= line << (8 * row);
    }
    halves << (32 * (quarter >> 1) + 4 * (quarter & 1))
}

/// Which quarter of the block above a block is.
pub fn quarter((column, row): Block) -> u32 {
    (row & 1) * 2 + (column & 1)
}

/// The block of the level above that holds a block.
pub fn parent((column, row): Block) -> Block {
    (column >> 1, row >> 1)
}

/// What the quarters of a block see, quarter by quarter, as the block sees it.
#[derive(Default)]
pub struct Union {
    /// By Morton number of the block that is seen.
    seen: BTreeMap<u64, [u64; 64]>,
}

impl Union {
    /// Takes in what a block of the level below, which is a quarter of this one, sees of another; if that is covered
    /// only once for both, what is seen back within the block as well.
    pub fn add(&mut self, own: Block, target: Block, rows: &[u64; 64], mutual: bool) {
        let above = parent(target);
        let number = morton::number(above.0, above.1);
        let seen = self.seen.entry(number).or_insert([0; 64]);
        let quarters = [quarter(own), quarter(target)];
        add(rows, quarters, seen);
        if mutual && parent(own) == above && own != target {
            let mut back = *rows;
            transpose(&mut back);
            add(&back, [quarters[1], quarters[0]], seen);
        }
    }

    /// What the block sees of another, where its quarters see anything.
    pub fn seen(&self, (column, row): Block) -> Option<&[u64; 64]> {
        self.seen.get(&morton::number(column, row))
    }
}

/// Adds to what a block of the level above sees of another what a block of this one, a quarter of the first, sees of a
/// quarter of the second.
fn add(rows: &[u64; 64], [own, target]: [u32; 2], above: &mut [u64; 64]) {
    let first = (32 * (own >> 1) + 4 * (own & 1)) as usize;
    for (y, x) in (0..4).flat_map(|y| (0..4).map(move |x| (y, x))) {
        let at = 16 * y + 2 * x;
        let seen = rows[at] | rows[at + 1] | rows[at + 8] | rows[at + 9];
        if seen != 0 {
            above[first + 8 * y + x] |= halve(seen, target);
        }
    }
}

/// How one block sees another, as 64 × 64 bits.
pub fn rows_of(sight: Answer, mixed: Option<[u64; 64]>, terrain: [u64; 2]) -> [u64; 64] {
    let mut rows = mixed.unwrap_or([!0; 64]);
    let [own, target] = match sight {
        Answer::Hidden => [0; 2],
        _ => terrain,
    };
    for (lane, row) in rows.iter_mut().enumerate() {
        *row &= target & (own >> lane & 1).wrapping_neg();
    }
    rows
}

/// How a block sees another of which the level tells, without what the level below tells: pairs of quarters of
/// which it has the blocks near each other.
pub fn keep_outer(shape: Shape, own: Block, target: Block, rows: &mut [u64; 64]) {
    for i in 0..4 {
        let child = |(column, row): Block, i: u32| (2 * column + (i & 1), 2 * row + (i >> 1));
        let inner = (0..4).filter(|&j| shape.is_near(child(own, i), child(target, j)));
        let mask = inner.fold(0, |mask, j| mask | square(j));
        if mask != 0 {
            for lane in bits::ones(square(i)) {
                rows[lane as usize] &= !mask;
            }
        }
    }
}

/// The cells of a quarter of a block.
fn square(quarter: u32) -> u64 {
    0x0F0F_0F0F << (32 * (quarter >> 1) + 4 * (quarter & 1))
}

/// Pairs of view cells, with terrain as `cells` says, by what a block of a level sees of another.
pub fn visible_pairs(
    cells: &ValidPyramid,
    level: u32,
    [own, target]: [Block; 2],
    rows: &[u64; 64],
) -> u64 {
    if is_full(cells, level, own) && is_full(cells, level, target) {
        let bits: u64 = rows.iter().map(|row| u64::from(row.count_ones())).sum();
        return bits << (4 * level);
    }
    let weight = |(column, row): Block, bit: u32| {
        cells_in(cells, level, (column * 8 + bit % 8, row * 8 + bit / 8))
    };
    let seen = (0..).zip(rows).filter(|(_, row)| **row != 0);
    seen.map(|(lane, &row)| {
        let seen: u64 = bits::ones(row).map(|bit| weight(target, bit)).sum();
        weight(own, lane) * seen
    })
    .sum()
}

/// View cells with terrain in a cell of a level.
fn cells_in(cells: &ValidPyramid, level: u32, (column, row): (u32, u32)) -> u64 {
    let quad = Quad::new(level, column, row);
    let mask = quad_mask(quad);
    let words = match level {
        0..BLOCK_LEVEL => cells.grid().blocks_of(quad.ancestor(BLOCK_LEVEL)),
        _ => cells.grid().blocks_of(quad),
    };
    words
        .map(|word| u64::from((cells.blocks()[word] & mask).count_ones()))
        .sum()
}

/// Whether all view cells in a block of a level are there, and have terrain.
fn is_full(cells: &ValidPyramid, level: u32, (column, row): Block) -> bool {
    let grid = cells.grid();
    let side = 8 << level;
    if (column + 1) * side > grid.width() || (row + 1) * side > grid.height() {
        return false;
    }
    let quad = Quad::new(level + BLOCK_LEVEL, column, row);
    cells.samples() == grid.samples() || grid.blocks_of(quad).all(|word| cells.blocks()[word] == !0)
}

/// What 64 × 64 bits come to, where there is terrain.
pub fn analyse(tree: &mut PairSymbols, rows: &[u64; 64], [own, target]: [u64; 2]) -> Answer {
    if rows.iter().all(|&row| row == 0) {
        return Answer::Hidden;
    }
    tree.analyse(rows, own, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_hold_a_bit_for_each_quad() {
        for bit in 0..64u32 {
            for quarter in 0..4 {
                let (x, y) = (
                    bit % 8 / 2 + 4 * (quarter & 1),
                    bit / 16 + 4 * (quarter >> 1),
                );
                assert_eq!(
                    halve(1 << bit, quarter),
                    1 << (8 * y + x),
                    "{bit} {quarter}"
                );
            }
        }
        assert_eq!(
            halve(!0, 0) | halve(!0, 1) | halve(!0, 2) | halve(!0, 3),
            !0
        );
    }

    #[test]
    fn what_cells_see_their_quads_see() {
        for (lane, cell) in [(0, 63), (9, 9), (50, 7)] {
            let mut rows = [0; 64];
            rows[lane] = 1 << cell;
            for (own, target) in [(0, 3), (2, 1)] {
                let mut above = [0; 64];
                add(&rows, [own, target], &mut above);
                let place = |cell: usize, quarter: u32| halve(1 << cell, quarter).trailing_zeros();
                for (at, row) in (0..).zip(above) {
                    let expected = if at == place(lane, own) {
                        1 << place(cell, target)
                    } else {
                        0
                    };
                    assert_eq!(row, expected);
                }
            }
        }
    }

    #[test]
    fn what_is_kept_lies_beyond_the_level_below() {
        let shape = Shape::new(viewcell::format::Grid::new(900, 900).unwrap(), 8);
        for target in [(5, 5), (6, 5), (7, 4), (7, 7)] {
            let mut rows = [!0; 64];
            keep_outer(shape, (5, 5), target, &mut rows);
            for (v, t) in (0..64).flat_map(|v| (0..64).map(move |t| (v, t))) {
                let block = |(c, r): Block, bit: u32| (2 * c + bit % 8 / 4, 2 * r + bit / 32);
                let near = shape.is_near(block((5, 5), v), block(target, t));
                assert_eq!(rows[v as usize] >> t & 1 == 1, !near);
            }
        }
    }
}
