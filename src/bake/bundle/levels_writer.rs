//! Writing a bundle of levels of groups, and of the unions of what they say; or of single trees.

use std::path::Path;

use super::error::BundleError;
use super::output::{OpenSection, Output, Written};
use super::provenance::Provenance;
use super::writer::{Front, GridHeader, new_index};
use crate::compress::ValidPyramid;
use crate::compress::pairs::group::morton_blocks;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::header::ALIGNMENT;
use viewcell::format::levels::Shape;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Grid, Quad, Tag, TreeCode};

/// Writes a bundle of levels of groups, and of the trees of their unions; or of single trees, by its parameters. Dropped
/// before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct LevelsWriter {
    out: Output,
    shape: Shape,
    /// The level whose groups are due, and its blocks, the next one last.
    level: u32,
    blocks: Vec<(u32, u32)>,
    /// By level and block, row by row: where its group begins.
    groups: Vec<u64>,
    /// Level of the least quads that have trees: 4 of unions, 0 of single trees.
    least: u32,
    /// Where trees begin, by [`Grid::quad_index`] from that level; none where there are none.
    trees: Vec<u64>,
    /// The quad whose tree is due.
    due: Option<Quad>,
    /// `PAIR`, and when all groups have come, `TREE`.
    open: OpenSection,
    front: Front,
}

impl LevelsWriter {
    /// Begins a bundle, with the `DICT` section where it has groups. Heights of the ground are in metres, row by row, NaN
    /// for void; somebody can be where it is valid, which is on no void. It has unions where level 0 tells of all pairs.
    ///
    /// # Errors
    ///
    /// Where the output exists and is not to be overwritten, its folder is not there, or the heights do not fit the grid.
    pub fn create(
        path: &Path,
        overwrite: bool,
        header: &GridHeader,
        ground: (&[f64], &ValidPyramid),
        dictionary: &[u8],
    ) -> Result<Self, BundleError> {
        let mut out = Output::create(path, overwrite)?;
        let shape = Shape::of(&header.parameters);
        let grid = shape.grid();
        let (least, levels) = match header.parameters.tree_code {
            TreeCode::Single => (0, 0),
            TreeCode::Levels => (TREE_LEVEL, shape.levels()),
        };
        let groups = new_index(&out, shape.blocks_below(levels) as u64)?;
        let mut trees = Vec::new();
        if shape.is_whole() {
            trees = new_index(&out, grid.quad_count() - grid.first_index(least))?;
        }
        let front = Front::write(&mut out, header, ground)?;
        let (mut blocks, mut due) = (Vec::new(), None);
        let open = if levels == 0 {
            due = quads_from(grid, least).next();
            out.begin(Tag::TREE)?
        } else {
            blocks = morton_blocks(grid);
            blocks.reverse();
            out.whole(Tag::DICT, dictionary)?;
            out.begin(Tag::PAIR)?
        };
        Ok(Self {
            out,
            shape,
            level: 0,
            blocks,
            groups,
            least,
            trees,
            due,
            open,
            front,
        })
    }

    /// Appends the group of a block. Errors unless it is the next: level by level, each in Morton order.
    pub fn push_group(
        &mut self,
        level: u32,
        block: (u32, u32),
        bytes: &[u8],
    ) -> Result<(), BundleError> {
        let due = self.blocks.pop();
        let quad = |level: u32, (column, row)| Quad::new(BLOCK_LEVEL + level, column, row);
        if (level, due) != (self.level, Some(block)) {
            return Err(BundleError::Order {
                expected: due.map(|due| quad(self.level, due)),
                found: Some(quad(level, block)),
            });
        }
        let grid = self.shape.level(level);
        let index = block.1 as usize * grid.block_shape().0 as usize + block.0 as usize;
        let index = self.shape.blocks_below(level) + index;
        self.groups[index] = self.out.append(&mut self.open, bytes)?;
        if self.blocks.is_empty() {
            self.level += 1;
            if self.level < self.shape.levels() {
                self.blocks = morton_blocks(self.shape.level(self.level));
                self.blocks.reverse();
            } else {
                self.end_groups()?;
            }
        }
        Ok(())
    }

    /// Ends `PAIR`, and begins `TREE`.
    fn end_groups(&mut self) -> Result<(), BundleError> {
        self.out.end(self.open.clone(), None);
        let offsets = self.groups.iter().map(|offset| offset.to_le_bytes());
        self.out.section(Tag::PIDX, offsets)?;
        if self.shape.is_whole() {
            self.open = self.out.begin(Tag::TREE)?;
            self.due = quads_from(self.shape.grid(), self.least).next();
        }
        Ok(())
    }

    /// Appends the tree of a quad. Errors unless all groups have come, and it is the next quad in bake order that has one.
    pub fn push_union(&mut self, quad: Quad, bytes: &[u8]) -> Result<(), BundleError> {
        let grid = self.shape.grid();
        let first = grid.first_index(self.least);
        let (true, Some(index)) = (self.due == Some(quad), grid.quad_index(quad)) else {
            return Err(BundleError::Order {
                expected: self.due,
                found: Some(quad),
            });
        };
        self.trees[(index - first) as usize] = self.out.append(&mut self.open, bytes)?;
        self.due = next_quad(grid, self.least, quad);
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
        let missing = self.blocks.last();
        let missing = missing.map(|&(c, r)| Quad::new(BLOCK_LEVEL + self.level, c, r));
        if let Some(expected) = missing.or(self.due) {
            return Err(BundleError::Order {
                expected: Some(expected),
                found: None,
            });
        }
        if self.shape.is_whole() {
            self.out.end(self.open, None);
            let offsets = self.trees.iter().map(|offset| offset.to_le_bytes());
            self.out.section(Tag::TIDX, offsets)?;
        }
        self.front.finish_within(most, self.out, provenance)
    }

    /// Bytes of a bundle, but for its checksums by page, whose dictionary, groups and unions have none, and which ends
    /// with this provenance; or a few more, as sections begin at aligned places. Nothing is written.
    pub fn bytes_beside_pvss(mut self, provenance: &Provenance) -> Result<u64, BundleError> {
        self.blocks.clear();
        self.end_groups()?;
        self.due = None;
        let written = self.finish_within(0, provenance)?;
        Ok(written.bytes_before_pages() + ALIGNMENT * written.sections.len() as u64)
    }

    /// As [`LevelsWriter::finish_within`], however many bytes it comes to.
    pub fn finish(self, provenance: &Provenance) -> Result<Written, BundleError> {
        self.finish_within(u64::MAX, provenance)
    }
}

/// The quads that have unions, in bake order.
pub fn trees_in_order(grid: Grid) -> impl Iterator<Item = Quad> {
    quads_from(grid, TREE_LEVEL)
}

/// The quads of a level and of those above it, in bake order.
pub(super) fn quads_from(grid: Grid, least: u32) -> impl Iterator<Item = Quad> {
    let first = grid.bake_order().find(|quad| quad.level >= least);
    std::iter::successors(first, move |&quad| next_quad(grid, least, quad))
}

/// The one after a quad among these.
pub(super) fn next_quad(grid: Grid, least: u32, quad: Quad) -> Option<Quad> {
    let mut next = grid.next_in_bake_order(quad)?;
    while next.level < least {
        next = grid.next_in_bake_order(next)?;
    }
    Some(next)
}
