//! What is counted in a level of cells.

use crate::runtime::CellBundle;

/// How many cells see each cell, itself included.
pub fn seen_by(level: &CellBundle<'_>) -> Vec<u32> {
    let mut counts = vec![0_u32; level.cells() as usize];
    for cell in 0..level.cells() {
        counts[cell as usize] += u32::from(!level.pvs(cell).contains(cell));
        for seen in level.pvs(cell).iter() {
            counts[seen as usize] += 1;
        }
    }
    counts
}
