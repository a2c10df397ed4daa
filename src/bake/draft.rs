//! A *draft*: all PVSs of a bundle before their symbols have bytes, which depend on how often each
//! symbol occurs in all of them.
//!
//! So PVSs are made once, however they are made, and a bundle is written of the draft.

use std::path::Path;

use super::draft_file::{DraftFile, DraftFileWriter, DraftGroup};
use super::mirror::Mirror;
use super::pack::Packing;
use super::{BakeError, Stage};
use crate::bundle::{PairsWriter, Provenance, Statistics, TerrainHeader, Written, trees_in_order};
use crate::compress::ValidPyramid;
use crate::compress::pairs::group::morton_blocks;
use crate::compress::pairs::{
    Codebook, Histogram, PairCounts, PairList, Sight, encode_head, encode_records,
};
use crate::format::groups::table_length;

/// What a thread has counted.
#[derive(Default)]
pub(super) struct Tally {
    pub histogram: Histogram,
    pub counts: PairCounts,
}

/// A draft in the making.
pub(super) struct Drafter<'v> {
    valid: &'v ValidPyramid,
    mutual: bool,
    blocks: Vec<(u32, u32)>,
    /// Tells what groups do not say of the blocks before them.
    mirror: Option<Mirror>,
    pub file: DraftFileWriter,
    groups: usize,
    heads: u64,
    tables: u64,
}

impl<'v> Drafter<'v> {
    /// Begins the draft of a bundle at `path`. Where `half`, groups say nothing of the blocks
    /// before them.
    pub fn new(
        path: &Path,
        valid: &'v ValidPyramid,
        mutual: bool,
        half: bool,
    ) -> Result<Self, BakeError> {
        let blocks = morton_blocks(valid.grid());
        let across = valid.grid().block_shape().0;
        let index = |&(column, row): &(u32, u32)| (row * across + column) as usize;
        Ok(Self {
            valid,
            mutual,
            mirror: half.then(|| Mirror::new(blocks.iter().map(index).collect())),
            blocks,
            file: DraftFileWriter::beside(path)?,
            groups: 0,
            heads: 0,
            tables: 0,
        })
    }

    /// Takes the next group in order. `seeing` and `seen` are for its [`Mirror`], if it has one.
    pub fn push(
        &mut self,
        mut sights: Vec<Sight>,
        pairs: PairList,
        seeing: Vec<u64>,
        seen: impl FnMut(usize, u64),
    ) -> Result<Vec<Sight>, BakeError> {
        if let Some(mirror) = &mut self.mirror {
            mirror.push(&mut sights, seeing, seen);
        }
        let mut head = Vec::new();
        let block = self.blocks[self.groups];
        let records = encode_head(self.valid, block, &sights, self.mutual, &mut head);
        self.groups += 1;
        self.heads += head.len() as u64;
        self.tables += table_length(records) as u64;
        self.file.push_group(&DraftGroup { head, pairs })?;
        Ok(sights)
    }

    /// Ends it, by what all threads have counted.
    pub fn finish(self, tallies: impl IntoIterator<Item = Tally>) -> Result<Draft, BakeError> {
        let mut all = Tally::default();
        for tally in tallies {
            all.histogram.add(&tally.histogram);
            all.counts.join(&tally.counts);
        }
        Ok(Draft {
            file: self.file.finish()?,
            tally: all,
            heads: self.heads,
            tables: self.tables,
        })
    }
}

/// All PVSs of a bundle, and how often each symbol occurs in them.
pub(super) struct Draft {
    pub file: DraftFile,
    pub tally: Tally,
    /// Bytes of the groups before their tables.
    pub heads: u64,
    /// Bytes of the groups' tables.
    tables: u64,
}

impl Draft {
    /// Bytes of dictionary, groups and trees in the bundle.
    pub fn bytes(&self) -> u64 {
        let trees: u64 = self.file.trees().map(|(length, _)| length).sum();
        Codebook::new(&self.tally.histogram).cost() + self.heads + self.tables + trees
    }

    /// What the bundle says of its PVSs.
    pub fn statistics(&self, valid: &ValidPyramid) -> Statistics {
        let codebook = Codebook::new(&self.tally.histogram);
        let records = codebook.cost() - codebook.section().len() as u64;
        let groups = self.heads + self.tables + records;
        let mut statistics = Statistics::of_groups(valid, &self.tally.counts, groups);
        for (quad, (length, visible)) in trees_in_order(valid.grid()).zip(self.file.trees()) {
            statistics.record(quad, visible > 0, visible, length as usize);
        }
        statistics
    }

    /// Writes the bundle, with this header, in tree code 2; if it has at most so many bytes it is
    /// given its name.
    pub fn write(
        &mut self,
        header: &TerrainHeader,
        packing: &Packing,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BakeError> {
        let (target, crew) = (packing.target, packing.crew);
        let grid = header.parameters.grid;
        let codebook = Codebook::new(&self.tally.histogram);
        let mut writer = PairsWriter::create(
            target.path,
            target.making(),
            target.overwrite,
            header,
            target.heights,
            &codebook.section(),
        )?;
        let blocks = morton_blocks(grid);
        crew.run(
            0..blocks.len(),
            |number| Ok(self.file.group(number)?),
            |(): &mut (), _, DraftGroup { mut head, pairs }| {
                encode_records(&pairs, &codebook, &mut head);
                head
            },
            |number, bytes| {
                let done = (blocks.len() + number + 1) as u64;
                crew.observer.advance(Stage::Compress, done);
                Ok(writer.push_group(blocks[number], &bytes)?)
            },
        )?;
        for (number, quad) in trees_in_order(grid).enumerate() {
            writer.push_tree(quad, &self.file.tree(number)?)?;
        }
        Ok(writer.finish_within(most, provenance)?)
    }
}
