//! Tiles to trees: those of the quads in bake order, with the quads above the tiles.
//!
//! Bakes and merges of shards both end here, so that their bytes cannot differ.

use super::BakeError;
use crate::bundle::{TerrainWriter, Tile};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{Grid, Quad, Tree, Valid};
use crate::hierarchy::{Crown, Plan, Viewcell};

/// A bundle that is being put together.
pub(super) struct Assembly<'v> {
    pub writer: TerrainWriter,
    valid: &'v ValidPyramid,
    /// The block bitmap of the terrain, as the decoder wants it.
    mask: Vec<u8>,
    plan: Plan,
    crown: Crown,
    scratch: Scratch,
    tree: Vec<u8>,
}

/// Whether the trees of a tile are still to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trees {
    Write,
    /// The file in the making has them.
    Keep,
}

impl<'v> Assembly<'v> {
    pub fn new(writer: TerrainWriter, valid: &'v ValidPyramid) -> Self {
        let grid = valid.grid();
        let plan = Plan::new(grid.width(), grid.height());
        let words = valid.blocks().iter();
        Self {
            writer,
            valid,
            mask: words.flat_map(|word| word.to_le_bytes()).collect(),
            plan,
            crown: Crown::new(plan, plan.tile_level(), grid.blocks()),
            scratch: Scratch::default(),
            tree: Vec::new(),
        }
    }

    /// Takes the next tile in bake order and its PVS.
    pub fn push(
        &mut self,
        at: Viewcell,
        tile: &Tile,
        union: &[u64],
        trees: Trees,
    ) -> Result<(), BakeError> {
        let mut rest = &tile.trees[..];
        for &length in &tile.lengths {
            let (tree, after) = rest.split_at(length as usize);
            rest = after;
            // With more trees than quads, the writer refuses the first of the next tile.
            let quad = self.writer.due().unwrap_or(quad_of(at));
            push(&mut self.writer, quad, tree, trees)?;
        }
        let mut outcome = Ok(());
        self.crown.push(at, union, &mut |quad, pvs| {
            self.tree.clear();
            encode(self.valid, pvs, &mut self.scratch, &mut self.tree);
            outcome = push(&mut self.writer, quad_of(quad), &self.tree, Trees::Write);
            outcome.is_ok()
        });
        outcome
    }

    /// The PVS of a tile, out of its trees; `None` if they are not what a tile consists of.
    pub fn union_of(&self, at: Viewcell, tile: &Tile) -> Option<Vec<u64>> {
        let grid = self.valid.grid();
        let lengths = tile.lengths.iter().map(|&length| length as usize);
        if tile.lengths.len() as u64 != quads_of(grid, quad_of(at))
            || lengths.sum::<usize>() != tile.trees.len()
        {
            return None;
        }
        // The tile itself comes after all its quads.
        let length = *tile.lengths.last()? as usize;
        let tree = tile.trees.get(tile.trees.len() - length..)?;
        let tree = Tree::parse(Valid::from_blocks(grid, &self.mask), tree)?;
        let mut union = vec![0; grid.blocks()];
        tree.expand(&mut union);
        Some(union)
    }

    /// The tiles in bake order.
    pub fn tiles(&self) -> Vec<Viewcell> {
        self.plan.tiles()
    }
}

fn push(
    writer: &mut TerrainWriter,
    quad: Quad,
    tree: &[u8],
    trees: Trees,
) -> Result<(), BakeError> {
    match trees {
        Trees::Write => writer.push_tree(quad.level, quad.column, quad.row, tree)?,
        Trees::Keep => writer.keep_tree(quad.level, quad.column, quad.row, tree)?,
    }
    Ok(())
}

fn quad_of(cell: Viewcell) -> Quad {
    Quad::new(cell.level, cell.column, cell.row)
}

/// Number of quads in a quad, itself included.
fn quads_of(grid: Grid, quad: Quad) -> u64 {
    let count = |at: u32, up: u32, side: u32| {
        let (first, end) = (u64::from(at) << up, u64::from(at + 1) << up);
        end.min(u64::from(side)).saturating_sub(first)
    };
    (0..=quad.level)
        .map(|level| {
            let (columns, rows) = grid.quads_at(level);
            let up = quad.level - level;
            count(quad.column, up, columns) * count(quad.row, up, rows)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_of_a_quad_are_those_between_its_first_and_itself() {
        for (width, height) in [(1, 1), (9, 5), (33, 70)] {
            let grid = Grid::new(width, height).unwrap();
            let order: Vec<Quad> = grid.bake_order().collect();
            for (end, &quad) in order.iter().enumerate() {
                let first = quad.origin().quad();
                let start = order.iter().position(|&other| other == first).unwrap();
                assert_eq!(quads_of(grid, quad), (end + 1 - start) as u64, "{quad:?}");
            }
        }
    }
}
