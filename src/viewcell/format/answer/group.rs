//! The PVS of a quad of level 0 to 3, out of the group of its block.

use crate::format::grid::{BLOCK_LEVEL, Quad, Sample, Valid, quad_mask};
use crate::format::pairs::{Group, Groups};
use crate::format::tree::Leaf;
use crate::format::tree::traversal::after;
use crate::format::tree::{Answer, Found, Tree, state_of};

use super::ReadPvs;

/// The PVS of a quad of level 0 to 3 in tree code 2.
#[derive(Clone, Copy, Debug)]
pub struct GroupPvs<'a> {
    groups: Groups<'a>,
    group: Group<'a>,
    quad: Quad,
    /// The block of the quad.
    block: (u32, u32),
    /// The quad's samples with terrain, in its block.
    viewpoints: u64,
}

impl<'a> GroupPvs<'a> {
    /// The PVS of a quad of level 0 to 3. `None` outside the grid, and where its group is none.
    #[inline]
    pub fn new(groups: Groups<'a>, quad: Quad) -> Option<Self> {
        if quad.level > BLOCK_LEVEL || !groups.grid().has_quad(quad) {
            return None;
        }
        let origin = quad.origin();
        let block = (origin.column >> 3, origin.row >> 3);
        Some(Self {
            groups,
            group: groups.group(block.0, block.1)?,
            quad,
            block,
            viewpoints: groups.valid().block(block.0, block.1) & quad_mask(quad),
        })
    }

    /// The groups that it is read from.
    pub const fn groups(&self) -> Groups<'a> {
        self.groups
    }

    /// Column and row of the quad's block.
    pub(super) const fn block(&self) -> (u32, u32) {
        self.block
    }

    /// The quad's samples with terrain, as a word of a block bitmap.
    pub(super) const fn viewpoints(&self) -> u64 {
        self.viewpoints
    }

    /// What some of the quad's samples see.
    pub(super) const fn only(&self, viewpoints: u64) -> Self {
        Self {
            viewpoints,
            ..*self
        }
    }

    /// Which blocks are hidden from, visible from or mixed for the samples of the quad's block.
    pub(super) const fn skeleton(&self) -> Tree<'a> {
        self.group.skeleton()
    }

    /// The samples of a mixed block that are visible; bits without terrain are 0.
    pub(super) fn mixed_word(&self, item: usize, column: u32, row: u32) -> u64 {
        let target = (column, row);
        let seen = self
            .groups
            .seen(&self.group, item, self.block, self.viewpoints, target);
        seen & self.groups.valid().block(column, row)
    }
}

impl<'a> ReadPvs<'a> for GroupPvs<'a> {
    fn valid(&self) -> Valid<'a> {
        self.groups.valid()
    }

    /// Below level 4 one record is read; above, one for each mixed block in the quad, until both
    /// something hidden and something visible is found.
    fn state(&self, quad: Quad) -> Answer {
        let valid = self.groups.valid();
        if !self.groups.grid().has_quad(quad) || self.viewpoints == 0 {
            return Answer::Hidden;
        }
        let (mut hidden, mut visible) = (false, false);
        let mut next = Some(quad);
        while let Some(at) = next {
            let found = match self.group.skeleton().find(at) {
                Found::Mixed => {
                    next = at.child(0);
                    continue;
                }
                Found::Leaf(seen) if valid.has_quad(at) => {
                    if seen {
                        Answer::Visible
                    } else {
                        Answer::Hidden
                    }
                }
                Found::Block(item) => {
                    let Quad { column, row, .. } = at.ancestor(BLOCK_LEVEL);
                    let terrain = valid.block(column, row) & quad_mask(at);
                    if terrain == 0 {
                        next = after(at, quad);
                        continue;
                    }
                    state_of(self.mixed_word(item, column, row), terrain)
                }
                Found::Leaf(_) => {
                    next = after(at, quad);
                    continue;
                }
            };
            hidden |= found != Answer::Visible;
            visible |= found != Answer::Hidden;
            if hidden && visible {
                return Answer::Mixed;
            }
            next = after(at, quad);
        }
        if visible {
            Answer::Visible
        } else {
            Answer::Hidden
        }
    }

    fn word(&self, column: u32, row: u32) -> u64 {
        if self.viewpoints == 0 {
            return 0;
        }
        let block = Quad::new(BLOCK_LEVEL, column, row);
        match self.group.skeleton().find(block) {
            Found::Leaf(false) => 0,
            Found::Leaf(true) | Found::Mixed => !0,
            Found::Block(item) => self.mixed_word(item, column, row),
        }
    }

    #[inline]
    fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        if self.viewpoints == 0 {
            return true;
        }
        let skeleton = self.group.skeleton();
        // Not the number of nodes, which damaged bytes may have more of than they use.
        let mut item = skeleton.first_block();
        skeleton.sweep(|leaf| match leaf {
            // Mixed blocks come in the order of their items.
            Leaf::Block(block, _) => {
                let word = self.mixed_word(item, block.column, block.row);
                item += 1;
                word == 0 || take(Leaf::Block(block, word))
            }
            leaf => take(leaf),
        })
    }

    /// For the whole of the quad's block: all of which some sample is seen from some sample of the block.
    #[inline]
    fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.group
            .skeleton()
            .sweep(|leaf| take(Leaf::Visible(leaf.quad())))
    }

    /// The mixed blocks of its group.
    #[inline]
    fn pairs(&self) -> usize {
        self.group.pairs()
    }

    #[inline]
    fn contains(&self, sample: Sample) -> bool {
        if self.quad.level == 0 && self.viewpoints != 0 && self.groups.valid().has_sample(sample) {
            return self.groups.sees_by(&self.group, self.quad.origin(), sample);
        }
        self.state(sample.quad()) == Answer::Visible
    }
}
