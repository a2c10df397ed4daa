//! Unions up the quadtree: the PVS of every quad above the blocks, streamed (thesis section 3.2).
//! And for cells, [`epvs`]: how many visible steps lead from one to another.
//!
//! Blocks come in bake order: depth first, children north-west, north-east, south-west, south-east
//! before their parent. A quad's PVS is the union of its children's, so that a walk needs one
//! bitmap a level, and never all of them.

pub mod epvs;

use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::{Grid, Quad};

/// The PVSs of the quads above the blocks, in the making.
pub struct Unions {
    grid: Grid,
    /// For each level from that of the blocks up, the union of the children seen so far of the quad
    /// that is being put together one level above.
    partial: Vec<Vec<u64>>,
    union: Vec<u64>,
}

/// Ors bitmap `from` into bitmap `to`.
fn join(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from;
    }
}

impl Unions {
    /// Over the blocks of a grid, with block bitmaps as PVSs.
    pub fn new(grid: Grid) -> Self {
        let levels = grid.root_level() - BLOCK_LEVEL;
        Self {
            grid,
            partial: vec![vec![0; grid.blocks()]; levels as usize],
            union: Vec::new(),
        }
    }

    /// Takes the PVS of the next block in bake order, and shows `visit` the quads above that it
    /// completes, in bake order.
    pub fn push(&mut self, block: Quad, pvs: &[u64], visit: &mut dyn FnMut(Quad, &[u64])) {
        let mut done = block;
        self.union.clear();
        self.union.extend_from_slice(pvs);
        for partial in &mut self.partial {
            join(partial, &self.union);
            let (columns, rows) = self.grid.quads_at(done.level);
            let later = |at: u32| {
                let (column, row) = (done.column & !1 | at & 1, done.row & !1 | at >> 1);
                column < columns && row < rows
            };
            let at = (done.row & 1) << 1 | done.column & 1;
            if (at + 1..4).any(later) {
                return;
            }
            done = Quad::new(done.level + 1, done.column >> 1, done.row >> 1);
            std::mem::swap(&mut self.union, partial);
            partial.fill(0);
            visit(done, &self.union);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_is_shown_once_after_its_children_with_their_union() {
        for (width, height) in [(1, 1), (8, 9), (33, 70), (200, 140)] {
            let grid = Grid::new(width, height).unwrap();
            let mut unions = Unions::new(grid);
            let mut shown = Vec::new();
            let blocks = grid.bake_order().filter(|quad| quad.level == BLOCK_LEVEL);
            let place = |quad: Quad| (quad.row * grid.block_shape().0 + quad.column) as usize;
            for block in blocks {
                // A block sees itself.
                let mut pvs = vec![0; grid.blocks()];
                pvs[place(block)] = 1;
                shown.push(block);
                unions.push(block, &pvs, &mut |quad, pvs| {
                    shown.push(quad);
                    let up = quad.level - BLOCK_LEVEL;
                    for block in grid.bake_order().filter(|quad| quad.level == BLOCK_LEVEL) {
                        let within = (block.column >> up, block.row >> up);
                        let expected = u64::from(within == (quad.column, quad.row));
                        assert_eq!(pvs[place(block)], expected, "{quad:?} {block:?}");
                    }
                });
            }
            let all = grid.bake_order().filter(|quad| quad.level >= BLOCK_LEVEL);
            assert_eq!(shown, all.collect::<Vec<_>>());
        }
    }
}
