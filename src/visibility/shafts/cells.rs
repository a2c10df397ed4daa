//! Quads of cells in blocks of 8 × 8.

use crate::format::grid::BLOCK_LEVEL;

/// The blocks of 8 × 8 cells that a quad has a part of, column and row, and its cells in each.
pub(super) fn parts(
    level: u32,
    (column, row): (u32, u32),
) -> impl Iterator<Item = ((u32, u32), u64)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_has_the_cells_that_lie_in_it() {
        for level in 0..=4 {
            for (column, row) in (0..40).flat_map(|c| (0..40).map(move |r| (c, r))) {
                let mut cells = Vec::new();
                for (block, mask) in parts(level, (column, row)) {
                    let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
                    cells.extend(bits.map(|bit| (8 * block.0 + bit % 8, 8 * block.1 + bit / 8)));
                }
                assert_eq!(cells.len(), 1 << (2 * level));
                let within = |(c, r): (u32, u32)| (c >> level, r >> level) == (column, row);
                assert!(cells.into_iter().all(within));
            }
        }
    }
}
