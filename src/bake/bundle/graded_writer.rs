//! Writing a graded terrain bundle (tree code 3): the groups of all levels.

use std::path::Path;

use super::error::BundleError;
use super::output::{OpenSection, Output, Written};
use super::provenance::Provenance;
use super::writer::{Front, GridHeader, new_index};
use crate::compress::ValidPyramid;
use viewcell::format::graded::Shape;
use viewcell::format::header::ALIGNMENT;
use viewcell::format::{Quad, Tag};

/// Writes a graded terrain bundle. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct GradedWriter {
    out: Output,
    shape: Shape,
    /// By level and block, row by row: where its group begins.
    groups: Vec<u64>,
    /// How many have come.
    count: usize,
    open: OpenSection,
    front: Front,
}

impl GradedWriter {
    /// Begins a bundle, with the `DICT` section, of ground as [`super::PairsWriter::create`] has it.
    pub(crate) fn create(
        path: &Path,
        overwrite: bool,
        header: &GridHeader,
        ground: (&[f64], &ValidPyramid),
        dictionary: &[u8],
    ) -> Result<Self, BundleError> {
        let mut out = Output::create(path, overwrite)?;
        let shape = Shape::new(header.parameters.grid, header.parameters.grade);
        let groups = new_index(&out, shape.blocks_below(shape.levels()) as u64)?;
        let (front, open) = Front::before_groups(&mut out, header, ground, dictionary)?;
        Ok(Self {
            out,
            shape,
            groups,
            count: 0,
            open,
            front,
        })
    }

    /// Appends the group of a block of a level: level by level, each in Morton order.
    pub(crate) fn push_group(
        &mut self,
        level: u32,
        block: (u32, u32),
        bytes: &[u8],
    ) -> Result<(), BundleError> {
        let grid = self.shape.level(level);
        let index = block.1 as usize * grid.block_shape().0 as usize + block.0 as usize;
        let at = self.shape.blocks_below(level) + index;
        self.groups[at] = self.out.append(&mut self.open, bytes)?;
        self.count += 1;
        Ok(())
    }

    /// Writes what remains, syncs, and gives the file its name; but one of more than `most` bytes goes, as
    /// [`Written::bytes`] tells. Errors if groups are missing, or if meanwhile somebody else made a file of that name and
    /// it is not to be overwritten.
    pub(crate) fn finish_within(
        mut self,
        most: u64,
        provenance: &Provenance,
    ) -> Result<Written, BundleError> {
        if self.count != self.groups.len() {
            return Err(BundleError::Order {
                expected: Some(Quad::new(3, 0, 0)),
                found: None,
            });
        }
        self.out.end(self.open, None);
        let offsets = self.groups.iter().map(|offset| offset.to_le_bytes());
        self.out.section(Tag::PIDX, offsets)?;
        self.front.finish_within(most, self.out, provenance)
    }

    /// Bytes of a bundle, but for its checksums by page, whose dictionary and groups have none, and which ends with this
    /// provenance; or a few more, as sections begin at aligned places. Nothing is written.
    pub(crate) fn bytes_beside_pvss(mut self, provenance: &Provenance) -> Result<u64, BundleError> {
        self.count = self.groups.len();
        let written = self.finish_within(0, provenance)?;
        Ok(written.bytes_before_pages() + ALIGNMENT * written.sections.len() as u64)
    }
}
