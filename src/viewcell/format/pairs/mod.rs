//! Tree code 2: the PVSs of a block's viewpoints together, as pairs of blocks.
//!
//! The *group* of a block holds what its samples see: a quadtree over the targets that says which
//! blocks are hidden from all of them, visible from all of them, or *mixed*, and a record
//! ([`blockpair`]) for each mixed one. In a mutual bundle who sees whom is the same both
//! ways: the record of a pair is kept once, in the group of the block that comes first in Morton
//! order.
//!
//! ```text
//! head, nodes     as of a tree of code 1, without its literals. 0 hidden, 1 visible: of all
//!                 viewpoints with all targets that are terrain. An unknown block is mixed
//! where the root is unknown:
//! varint          mixed blocks whose records are elsewhere: those that come before this one in a
//!                 mutual bundle, else 0
//! varint          n, the mixed blocks that have a record here: all others
//! table           per 32 records: u64, the place of the first among the records' bytes; then for
//!                 each a u16, its distance from that place
//! records         end to end, in the order of mixed blocks
//! ```

use crate::format::bytes::{read_varint, u16_at, u64_at};
use crate::format::grid::{BLOCK_LEVEL, Grid, Quad, Sample, Valid};
use crate::format::pages::{IndexedPages, SLACK};
use crate::format::patch::layers::{Layered, Over, Piece, Runs, Source};
use crate::format::tree::morton::comes_before;
use crate::format::tree::{Answer, Found, Tree};

pub mod blockbits;
pub mod blockpair;
pub mod dictionary;

use blockpair::BlockPair;
use dictionary::Dictionary;

/// Level of the least quads that have trees of their own beside the groups.
pub const TREE_LEVEL: u32 = 4;

/// Records that share a place in the table.
pub const TABLE_RUN: usize = 32;

/// Length in bytes of the table of so many records.
pub const fn table_length(records: usize) -> usize {
    8 * records.div_ceil(TABLE_RUN) + 2 * records
}

/// All groups of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    valid: Valid<'a>,
    mutual: bool,
    dictionary: Dictionary<'a>,
    /// `PIDX` and `PAIR`, and what patches put over them.
    bytes: Layered<'a>,
}

/// One group.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    skeleton: Tree<'a>,
    dictionary: Dictionary<'a>,
    /// Mixed blocks whose records are elsewhere.
    elsewhere: usize,
    /// Mixed blocks whose records are here.
    own: usize,
    table: &'a [u8],
    records: &'a [u8],
    /// Where each record is, in a patch; none where all are in `records`.
    runs: Runs<'a>,
    /// Records of a patch.
    over: &'a [u8],
}

impl<'a> Groups<'a> {
    /// Groups whose dictionary is read already.
    pub const fn of(
        valid: Valid<'a>,
        mutual: bool,
        dictionary: Dictionary<'a>,
        index: &'a [u8],
        bytes: &'a [u8],
    ) -> Self {
        Self {
            valid,
            mutual,
            dictionary,
            bytes: Layered::new(index, bytes),
        }
    }

    /// The same with groups of patches over them, and where there is terrain now.
    pub const fn under(self, valid: Valid<'a>, index: &'a [u8], above: &'a [&'a [u8]]) -> Self {
        Self {
            valid,
            bytes: self.bytes.over(index, above),
            ..self
        }
    }

    /// The same, of which each is checked before it is believed: one that is damaged is none.
    pub const fn checked(self, pages: IndexedPages<'a>) -> Self {
        Self {
            bytes: self.bytes.checked(pages),
            ..self
        }
    }

    /// Where each block's group begins, `u64` row by row.
    pub const fn index(&self) -> &'a [u8] {
        self.bytes.index()
    }

    /// Where there is terrain.
    pub const fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// The grid.
    pub const fn grid(&self) -> Grid {
        self.valid.grid()
    }

    /// The codes of nodes and leaves.
    pub const fn dictionary(&self) -> Dictionary<'a> {
        self.dictionary
    }

    /// The group of a block. `None` outside the grid, and where there is none.
    #[inline]
    pub fn group(&self, column: u32, row: u32) -> Option<Group<'a>> {
        let (columns, rows) = self.grid().block_shape();
        if column >= columns || row >= rows {
            return None;
        }
        let index = row as usize * columns as usize + column as usize;
        let length = |bytes| {
            let group = Group::parse(self.valid, self.dictionary, bytes);
            group.map_or(1, |group| group.length_at_most())
        };
        if !self.bytes.is_sound(index, length) {
            return None;
        }
        Group::of(self.valid, self.dictionary, self.bytes.at(index)?)
    }

    /// Whether sample `a` sees sample `b`; false where either is outside the grid or void, true
    /// where the bytes are damaged. In a mutual bundle that is so both ways, whatever the bytes.
    #[inline]
    pub fn sees(&self, a: Sample, b: Sample) -> bool {
        if !self.valid.has_sample(a) || !self.valid.has_sample(b) {
            return false;
        }
        let block = |sample: Sample| (sample.column >> 3, sample.row >> 3);
        let (a, b) = if self.mutual && comes_before(block(b), block(a)) {
            (b, a)
        } else {
            (a, b)
        };
        match &self.group_of(a) {
            Some(group) => group.sees(a, b).unwrap_or(true),
            None => true,
        }
    }

    /// As [`Groups::sees`], of two samples of terrain, with the group of `a`: that one goes first,
    /// as in a walk. In a damaged bundle two blocks may say different things of each other.
    #[inline]
    pub(in crate::format) fn sees_by(&self, group: &Group<'a>, a: Sample, b: Sample) -> bool {
        group.sees(a, b).unwrap_or_else(|| {
            let back = self.group_of(b).filter(|_| self.mutual);
            back.and_then(|group| group.sees(b, a)).unwrap_or(true)
        })
    }

    /// The group of a sample's block.
    #[inline]
    fn group_of(&self, sample: Sample) -> Option<Group<'a>> {
        self.group(sample.column >> 3, sample.row >> 3)
    }

    /// Whether any of the samples `from` (a word of a block bitmap) of block `viewer` sees any of
    /// the samples `to` of block `target`, voids left out. True where the bytes are damaged.
    ///
    /// Time: a walk down one skeleton, and for a mixed block one record ([`BlockPair::seen`]).
    pub fn sees_any(&self, viewer: (u32, u32), from: u64, target: (u32, u32), to: u64) -> bool {
        // The record of a pair is with the block that comes first.
        if self.mutual && comes_before(target, viewer) {
            self.sees_any_of(target, to, [(viewer, from)])
        } else {
            self.sees_any_of(viewer, from, [(target, to)])
        }
    }

    /// Whether any of the samples `from` of block `viewer` sees any of some samples of some blocks, as
    /// [`Groups::sees_any`].
    pub fn sees_any_of(
        &self,
        viewer: (u32, u32),
        from: u64,
        targets: impl IntoIterator<Item = ((u32, u32), u64)>,
    ) -> bool {
        self.first_seen(viewer, from, targets).is_some()
    }

    /// The first of some samples of some blocks of which any is seen from any of the samples `from` of block `viewer`, as
    /// [`Groups::sees_any`]. Soonest where the targets come one beside the other, and in a mutual bundle
    /// after the viewer in Morton order.
    pub fn first_seen(
        &self,
        viewer: (u32, u32),
        from: u64,
        targets: impl IntoIterator<Item = ((u32, u32), u64)>,
    ) -> Option<((u32, u32), u64)> {
        let mut targets = targets.into_iter();
        let from = from & self.valid.block(viewer.0, viewer.1);
        if from == 0 {
            return None;
        }
        let Some(group) = self.group(viewer.0, viewer.1) else {
            return targets.next();
        };
        let mut finder = group.skeleton.finder();
        targets.find(|&(target, to)| {
            let to = to & self.valid.block(target.0, target.1);
            if to == 0 {
                return false;
            }
            match finder.find(target) {
                Found::Leaf(visible) => visible,
                Found::Mixed => true,
                Found::Block(item) => match group.own(item) {
                    Some(pair) => pair.sees_any(from, to),
                    None => match self.back(viewer, target) {
                        Ok(pair) => pair.sees_any(to, from),
                        Err(visible) => visible,
                    },
                },
            }
        })
    }

    /// The record of a pair that block `target` keeps of block `viewer`; or, where there is none, whether all is visible.
    fn back(&self, viewer: (u32, u32), target: (u32, u32)) -> Result<BlockPair<'a>, bool> {
        let group = self.group(target.0, target.1);
        let group = group.filter(|_| self.mutual).ok_or(true)?;
        let viewer = Quad::new(BLOCK_LEVEL, viewer.0, viewer.1);
        match group.skeleton.find(viewer) {
            Found::Leaf(visible) => Err(visible),
            Found::Block(item) => group.own(item).ok_or(true),
            Found::Mixed => Err(true),
        }
    }

    /// The samples of block `target` that any of the samples `from` (a word of a block bitmap) of
    /// block `viewer` sees, voids left out: of those to be seen, bits without terrain may be either.
    /// All where the bytes are damaged.
    ///
    /// Time: as [`Groups::sees_any`].
    pub fn seen_from(&self, viewer: (u32, u32), from: u64, target: (u32, u32)) -> u64 {
        let from = from & self.valid.block(viewer.0, viewer.1);
        if from == 0 {
            return 0;
        }
        let Some(group) = self.group(viewer.0, viewer.1) else {
            return !0;
        };
        match group
            .skeleton
            .find(Quad::new(BLOCK_LEVEL, target.0, target.1))
        {
            Found::Leaf(false) => 0,
            Found::Block(item) => self.seen(&group, item, viewer, from, target),
            Found::Leaf(true) | Found::Mixed => !0,
        }
    }

    /// What is known of sight from a block to a quad of level 3 or more, without a look at any
    /// pair of blocks: unknown where some block of the quad is mixed, or the bytes are damaged.
    pub fn outline(&self, viewer: (u32, u32), quad: Quad) -> Answer {
        if !self.grid().has_quad(quad) || self.valid.block(viewer.0, viewer.1) == 0 {
            return Answer::Hidden;
        }
        let group = self.group(viewer.0, viewer.1);
        group.map_or(Answer::Mixed, |group| {
            group.skeleton.find(quad).visibility()
        })
    }

    /// The samples of block `target` that are seen from any of the viewpoints `from` (a word of a
    /// block bitmap) of block `viewer`, whose group and item for the target are given. Bits
    /// without terrain may be either.
    pub(in crate::format) fn seen(
        &self,
        group: &Group<'a>,
        item: usize,
        viewer: (u32, u32),
        from: u64,
        target: (u32, u32),
    ) -> u64 {
        if let Some(pair) = group.own(item) {
            return pair.seen(from, false);
        }
        match self.back(viewer, target) {
            Ok(pair) => pair.seen(from, true),
            Err(visible) => u64::from(visible).wrapping_neg(),
        }
    }
}

impl<'a> Group<'a> {
    /// The group at the start of `bytes`; there may be bytes behind it. `None` where it is none.
    #[inline]
    pub fn parse(valid: Valid<'a>, dictionary: Dictionary<'a>, bytes: &'a [u8]) -> Option<Self> {
        let skeleton = Tree::parse(valid, bytes)?;
        let mut group = Self {
            skeleton,
            dictionary,
            elsewhere: 0,
            own: 0,
            table: &[],
            records: &[],
            runs: Runs::default(),
            over: &[],
        };
        if skeleton.root() == Answer::Mixed {
            let (elsewhere, rest) = read_varint(skeleton.behind_nodes())?;
            let (records, rest) = read_varint(rest)?;
            (group.elsewhere, group.own) = (elsewhere as usize, records as usize);
            (group.table, group.records) = rest.split_at_checked(table_length(group.own))?;
        }
        Some(group)
    }

    /// The group of a bundle or of a patch; `None` where it is none.
    #[inline]
    pub fn of(valid: Valid<'a>, dictionary: Dictionary<'a>, piece: Piece<'a>) -> Option<Self> {
        match piece {
            Piece::Whole(bytes) => Self::parse(valid, dictionary, bytes),
            Piece::Over(over) => Self::over(valid, dictionary, &over),
        }
    }

    /// A group that differs from one of the bundle.
    fn over(valid: Valid<'a>, dictionary: Dictionary<'a>, over: &Over<'a>) -> Option<Self> {
        let mut group = Self::parse(valid, dictionary, over.base)?;
        let skeleton = Tree::parse(valid, over.rest)?;
        let mut rest = skeleton.behind_nodes();
        if skeleton.root() != Answer::Hidden {
            let (elsewhere, behind) = read_varint(rest)?;
            let (own, behind) = read_varint(behind)?;
            (group.elsewhere, group.own) = (elsewhere as usize, own as usize);
            (group.skeleton, rest) = (skeleton, behind);
        }
        (group.runs, group.over) = Runs::parse(rest)?;
        if group.runs.is_empty() {
            // Nothing says where any record is.
            (group.table, group.records) = (&[], &[]);
        }
        Some(group)
    }

    /// Bytes that a group of a bundle has at most, by its head and its table.
    fn length_at_most(&self) -> usize {
        const COUNTS: usize = 20;
        let last = self
            .own
            .checked_sub(1)
            .and_then(|last| self.record_at(last));
        let records = last.map_or(0, |last| last.saturating_add(SLACK));
        let nodes = 10 + self.skeleton.node_count();
        (nodes + COUNTS + self.table.len()).saturating_add(records)
    }

    /// Whether sample `a` of this group's block sees sample `b`, both of terrain; `None` where the
    /// record that tells it is elsewhere.
    #[inline]
    fn sees(&self, a: Sample, b: Sample) -> Option<bool> {
        let within = |sample: Sample| (sample.column & 7, sample.row & 7);
        match self.skeleton.find(b.quad()) {
            Found::Leaf(visible) => Some(visible),
            Found::Mixed => Some(true),
            Found::Block(item) => Some(self.own(item)?.sees(within(a), within(b))),
        }
    }

    /// Which blocks are hidden, visible or mixed, as a tree without literals.
    pub const fn skeleton(&self) -> Tree<'a> {
        self.skeleton
    }

    /// Number of mixed blocks whose records are elsewhere.
    pub const fn elsewhere(&self) -> usize {
        self.elsewhere
    }

    /// Number of mixed blocks whose records are here.
    pub const fn records(&self) -> usize {
        self.own
    }

    /// Number of mixed blocks, by what the group says.
    pub const fn pairs(&self) -> usize {
        self.elsewhere.saturating_add(self.own)
    }

    /// The table, and the bytes of the records and what lies behind, of a bundle's group.
    pub const fn parts(&self) -> (&'a [u8], &'a [u8]) {
        (self.table, self.records)
    }

    /// Whether a block is mixed, or else visible or hidden, from all viewpoints with terrain.
    pub fn state(&self, column: u32, row: u32) -> Answer {
        let block = Quad::new(BLOCK_LEVEL, column, row);
        self.skeleton.find(block).visibility()
    }

    /// Number of the record of a block, if it is mixed and its record is here.
    pub fn record_number(&self, column: u32, row: u32) -> Option<usize> {
        match self.skeleton.find(Quad::new(BLOCK_LEVEL, column, row)) {
            Found::Block(item) => item
                .checked_sub(self.skeleton.node_count())?
                .checked_sub(self.elsewhere),
            _ => None,
        }
    }

    /// The record of a mixed block, by its item of the skeleton; `None` if it is elsewhere.
    #[inline]
    fn own(&self, item: usize) -> Option<BlockPair<'a>> {
        let mixed = item.checked_sub(self.skeleton.node_count())?;
        self.record(mixed.checked_sub(self.elsewhere)?)
    }

    /// Record number `index`; one that says visible where it is not there.
    #[inline]
    pub fn record(&self, index: usize) -> Option<BlockPair<'a>> {
        let bytes = if self.runs.is_empty() {
            self.record_from(index)
        } else {
            match self.source(index) {
                Some(Source::Own(at)) => self.over.get(at..),
                Some(Source::Base(index)) => self.record_from(index),
                None => None,
            }
        };
        Some(BlockPair::new(self.dictionary, bytes.unwrap_or(&[])))
    }

    /// Where record number `index` is, in a patch.
    fn source(&self, index: usize) -> Option<Source> {
        let (source, behind, _) = self.runs.find(index)?;
        match source {
            Source::Own(at) => (behind == 0).then_some(Source::Own(at)),
            Source::Base(first) => Some(Source::Base(first.checked_add(behind)?)),
        }
    }

    /// What begins with record number `index` of the table.
    #[inline]
    fn record_from(&self, index: usize) -> Option<&'a [u8]> {
        self.records.get(self.record_at(index)?..)
    }

    /// The bytes of record number `index`; none where it is not there.
    pub fn record_bytes(&self, index: usize) -> &'a [u8] {
        let length = |bytes| BlockPair::new(self.dictionary, bytes).length();
        let index = match self.source(index) {
            _ if self.runs.is_empty() => index,
            Some(Source::Base(index)) => index,
            Some(Source::Own(at)) => {
                let bytes = self.over.get(at..).unwrap_or(&[]);
                return bytes.get(..length(bytes)).unwrap_or(bytes);
            }
            None => return &[],
        };
        let start = self.record_at(index).unwrap_or(usize::MAX);
        let bytes = self.records.get(start..).unwrap_or(&[]);
        // The table ends with the last one.
        let next = index.checked_add(1).and_then(|next| self.record_at(next));
        let length = match next {
            Some(end) => end.saturating_sub(start),
            None => length(bytes),
        };
        bytes.get(..length).unwrap_or(bytes)
    }

    /// Where among the bytes of the records number `index` begins, by the table.
    #[inline]
    pub fn record_at(&self, index: usize) -> Option<usize> {
        let run = index / TABLE_RUN * (8 + 2 * TABLE_RUN);
        let base = usize::try_from(u64_at(self.table, run)?).ok()?;
        let distance = u16_at(self.table, run + 8 + index % TABLE_RUN * 2)?;
        base.checked_add(distance.into())
    }
}
