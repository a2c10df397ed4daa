//! Writing a terrain bundle of tree code 2: groups of blocks, then the trees above them.

use std::path::Path;

use super::error::BundleError;
use super::output::{OpenSection, Output, Written};
use super::provenance::Provenance;
use super::writer::{Front, GridHeader, new_index};
use crate::compress::ValidPyramid;
use crate::compress::pairs::group::morton_blocks;
use viewcell::format::header::ALIGNMENT;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Grid, Quad, Tag};

/// Writes a terrain bundle of tree code 2. Dropped before it is finished, it leaves
/// nothing behind.
#[derive(Debug)]
pub struct PairsWriter {
    out: Output,
    grid: Grid,
    /// Blocks whose groups are due, the next one last.
    blocks: Vec<(u32, u32)>,
    /// By block, row by row: where its group begins.
    groups: Vec<u64>,
    /// Where trees begin, by [`Grid::quad_index`] from level 4.
    trees: Vec<u64>,
    /// The quad whose tree is due.
    due: Option<Quad>,
    /// `PAIR`, and when all groups have come, `TREE`.
    open: OpenSection,
    front: Front,
}

impl PairsWriter {
    /// Begins a bundle, with the `DICT` section. Heights of the ground are in metres, row by row, NaN
    /// for void; somebody can be where it is valid. Errors as [`super::TerrainWriter::create`] does.
    pub fn create(
        path: &Path,
        overwrite: bool,
        header: &GridHeader,
        ground: (&[f64], &ValidPyramid),
        dictionary: &[u8],
    ) -> Result<Self, BundleError> {
        let mut out = Output::create(path, overwrite)?;
        let grid = header.parameters.grid;
        let groups = new_index(&out, grid.blocks() as u64)?;
        let trees = new_index(&out, grid.quad_count() - grid.first_index(TREE_LEVEL))?;
        let (front, open) = Front::before_groups(&mut out, header, ground, dictionary)?;
        let mut blocks = morton_blocks(grid);
        blocks.reverse();
        Ok(Self {
            out,
            grid,
            blocks,
            groups,
            trees,
            due: None,
            open,
            front,
        })
    }

    /// Appends the group of a block. Errors unless it is the next in Morton order.
    pub fn push_group(&mut self, block: (u32, u32), bytes: &[u8]) -> Result<(), BundleError> {
        let due = self.blocks.pop();
        if due != Some(block) {
            return Err(BundleError::Order {
                expected: due.map(|(column, row)| Quad::new(3, column, row)),
                found: Some(Quad::new(3, block.0, block.1)),
            });
        }
        let index = block.1 as usize * self.grid.block_shape().0 as usize + block.0 as usize;
        self.groups[index] = self.out.append(&mut self.open, bytes)?;
        if self.blocks.is_empty() {
            self.begin_trees()?;
        }
        Ok(())
    }

    /// Ends `PAIR`, and begins `TREE`.
    fn begin_trees(&mut self) -> Result<(), BundleError> {
        self.out.end(self.open.clone(), None);
        let offsets = self.groups.iter().map(|offset| offset.to_le_bytes());
        self.out.section(Tag::PIDX, offsets)?;
        self.open = self.out.begin(Tag::TREE)?;
        self.due = trees_in_order(self.grid).next();
        Ok(())
    }

    /// Appends the tree of a quad. Errors unless all groups have come, and it is the next quad of
    /// level 4 or more in bake order.
    pub fn push_tree(&mut self, quad: Quad, bytes: &[u8]) -> Result<(), BundleError> {
        let first = self.grid.first_index(TREE_LEVEL);
        let (true, Some(index)) = (self.due == Some(quad), self.grid.quad_index(quad)) else {
            return Err(BundleError::Order {
                expected: self.due,
                found: Some(quad),
            });
        };
        self.trees[(index - first) as usize] = self.out.append(&mut self.open, bytes)?;
        self.due = next_tree(self.grid, quad);
        Ok(())
    }

    /// Writes what remains, syncs, and gives the file its name; but one of more than `most` bytes
    /// goes, as [`Written::bytes`] tells. Errors if something is missing, or if meanwhile somebody
    /// else made a file of that name and it is not to be overwritten.
    pub fn finish_within(
        mut self,
        most: u64,
        provenance: &Provenance,
    ) -> Result<Written, BundleError> {
        let missing = self.blocks.last().map(|&(c, r)| Quad::new(3, c, r));
        if let Some(expected) = missing.or(self.due) {
            return Err(BundleError::Order {
                expected: Some(expected),
                found: None,
            });
        }
        self.out.end(self.open, None);
        let offsets = self.trees.iter().map(|offset| offset.to_le_bytes());
        self.out.section(Tag::TIDX, offsets)?;
        self.front.finish_within(most, self.out, provenance)
    }

    /// Bytes of a bundle, but for its checksums by page, whose dictionary, groups and trees have none, and which ends
    /// with this provenance; or a few more, as sections begin at aligned places. Nothing is written.
    pub fn bytes_beside_pvss(mut self, provenance: &Provenance) -> Result<u64, BundleError> {
        self.blocks.clear();
        self.begin_trees()?;
        self.due = None;
        let written = self.finish_within(0, provenance)?;
        Ok(written.bytes_before_pages() + ALIGNMENT * written.sections.len() as u64)
    }

    /// As [`PairsWriter::finish_within`], however many bytes it comes to.
    pub fn finish(self, provenance: &Provenance) -> Result<Written, BundleError> {
        self.finish_within(u64::MAX, provenance)
    }
}

/// The quads that have trees of their own, in bake order.
pub fn trees_in_order(grid: Grid) -> impl Iterator<Item = Quad> {
    let first = grid.bake_order().find(|quad| quad.level >= TREE_LEVEL);
    std::iter::successors(first, move |&quad| next_tree(grid, quad))
}

/// The quad of level 4 or more after one.
fn next_tree(grid: Grid, quad: Quad) -> Option<Quad> {
    let mut next = grid.next_in_bake_order(quad)?;
    while next.level < TREE_LEVEL {
        next = grid.next_in_bake_order(next)?;
    }
    Some(next)
}
