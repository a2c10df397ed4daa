//! The PVS of a quad of level 0 to 3, out of the group of its block.

use super::grid::{BLOCK_LEVEL, Quad, Sample, quad_mask};
use super::groups::{Group, Groups};
use super::quadtree::{Found, Tree, Visibility, state_of};
use super::walk::{Leaf, after, count_into, expand_into, next_leaf};

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

    /// Whether a sample is visible; `false` outside the grid and at a void.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        if self.quad.level == 0 && self.viewpoints != 0 && self.groups.valid().has_sample(sample) {
            return self.groups.sees_by(&self.group, self.quad.origin(), sample);
        }
        self.state(sample.quad()) == Visibility::Visible
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
    pub(super) fn word(&self, item: usize, column: u32, row: u32) -> u64 {
        let target = (column, row);
        let seen = self
            .groups
            .seen(&self.group, item, self.block, self.viewpoints, target);
        seen & self.groups.valid().block(column, row)
    }

    /// The visible samples of a block; bits without terrain may be either.
    pub(super) fn block_word(&self, column: u32, row: u32) -> u64 {
        if self.viewpoints == 0 {
            return 0;
        }
        match self
            .group
            .skeleton()
            .find(Quad::new(BLOCK_LEVEL, column, row))
        {
            Found::Leaf(false) => 0,
            Found::Leaf(true) | Found::Mixed => !0,
            Found::Block(item) => self.word(item, column, row),
        }
    }

    /// What the PVS says about a quad; hidden outside the grid and where there is no terrain.
    ///
    /// Below level 4 one record is read; above, one for each mixed block in the quad, until both
    /// something hidden and something visible is found.
    pub fn state(&self, quad: Quad) -> Visibility {
        let valid = self.groups.valid();
        if !self.groups.grid().has_quad(quad) || self.viewpoints == 0 {
            return Visibility::Hidden;
        }
        let (mut hidden, mut visible) = (false, false);
        let mut next = Some(quad);
        while let Some(at) = next {
            let found = match self.group.skeleton().find(at) {
                Found::Mixed => {
                    next = at.child(0);
                    continue;
                }
                Found::Leaf(seen) if valid.has_quad(at) => match seen {
                    true => Visibility::Visible,
                    false => Visibility::Hidden,
                },
                Found::Block(item) => {
                    let origin = at.origin();
                    let (column, row) = (origin.column >> 3, origin.row >> 3);
                    let terrain = valid.block(column, row) & quad_mask(at);
                    if terrain == 0 {
                        next = after(at, quad);
                        continue;
                    }
                    state_of(self.word(item, column, row), terrain)
                }
                Found::Leaf(_) => {
                    next = after(at, quad);
                    continue;
                }
            };
            hidden |= found != Visibility::Visible;
            visible |= found != Visibility::Hidden;
            if hidden && visible {
                return Visibility::Unknown;
            }
            next = after(at, quad);
        }
        if visible {
            Visibility::Visible
        } else {
            Visibility::Hidden
        }
    }

    /// As [`super::Tree::sweep`]: what is visible, and blocks of which some may be.
    #[inline]
    pub fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        if self.viewpoints == 0 {
            return true;
        }
        let skeleton = self.group.skeleton();
        // Not the number of nodes, which damaged bytes may have more of than they use.
        let mut item = skeleton.first_block();
        skeleton.sweep(|leaf| match leaf {
            // Mixed blocks come in the order of their items.
            Leaf::Block(block, _) => {
                let word = self.word(item, block.column, block.row);
                item += 1;
                word == 0 || take(Leaf::Block(block, word))
            }
            leaf => take(leaf),
        })
    }

    /// Number of records that tell what it is: the mixed blocks of its group.
    #[inline]
    pub fn pairs(&self) -> usize {
        self.group.pairs()
    }

    /// As [`GroupPvs::sweep`], for the whole of the quad's block and by whole blocks: all of which
    /// some sample is seen from some sample of the block. No record is read.
    #[inline]
    pub fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.group
            .skeleton()
            .sweep(|leaf| take(Leaf::Visible(leaf.quad())))
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.sweep(count_into(self.groups.valid(), &mut count));
        count
    }

    /// Writes the PVS as a block bitmap. `out` has one word a block
    /// ([`super::Grid::blocks`]); words missing at its end are left out, further words are zeroed.
    pub fn expand(&self, out: &mut [u64]) {
        self.sweep(expand_into(self.groups.valid(), out));
    }

    /// The leaves of the PVS, depth first in Morton order. Together they cover the grid.
    pub const fn leaves(&self) -> GroupLeaves<'a> {
        GroupLeaves {
            pvs: *self,
            next: Some(self.groups.grid().root()),
        }
    }
}

/// The leaves of a PVS in tree code 2, depth first; leaves outside the grid are left out.
#[derive(Clone, Debug)]
pub struct GroupLeaves<'a> {
    pvs: GroupPvs<'a>,
    next: Option<Quad>,
}

impl Iterator for GroupLeaves<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        let pvs = &self.pvs;
        let word = |block: Quad| match pvs.group.skeleton().find(block) {
            Found::Block(item) => pvs.word(item, block.column, block.row),
            _ => pvs.groups.valid().block(block.column, block.row),
        };
        next_leaf(
            pvs.groups.grid(),
            &mut self.next,
            |quad| pvs.state(quad),
            word,
        )
    }
}
