//! The PVSs of ground that has changed since they were made: with all that it may have opened.

use super::grid::{Quad, Sample};
use super::grouppvs::GroupPvs;
use super::opening::Openings;
use super::quadtree::{Tree, Visibility};
use super::together::Own;
use super::valid::Valid;
use super::walk::{Leaf, count_into, expand_into, next_leaf};

/// A PVS, and what may be seen beside it since the ground has changed.
#[derive(Clone, Copy, Debug)]
pub struct WidePvs<'a> {
    valid: Valid<'a>,
    quad: Quad,
    own: Own<'a>,
    openings: Openings<'a>,
}

impl<'a> WidePvs<'a> {
    /// The PVS of a quad of the grid that has a tree.
    pub const fn of_tree(quad: Quad, tree: Tree<'a>, openings: Openings<'a>) -> Self {
        Self {
            valid: tree.valid(),
            quad,
            own: Own::Tree(tree),
            openings,
        }
    }

    /// The PVS of a quad of level 0 to 3 in tree code 2.
    pub const fn of_group(quad: Quad, pvs: GroupPvs<'a>, openings: Openings<'a>) -> Self {
        Self {
            valid: pvs.groups().valid(),
            quad,
            own: Own::Group(pvs),
            openings,
        }
    }

    /// Where there is terrain.
    pub const fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    pub fn contains(&self, sample: Sample) -> bool {
        if !self.valid.has_sample(sample) {
            return false;
        }
        let is_stored = match &self.own {
            Own::Tree(tree) => tree.contains(sample),
            Own::Group(pvs) => pvs.contains(sample),
        };
        is_stored
            || self
                .openings
                .may_open(self.quad, self.around(sample.quad()))
    }

    /// The quad that is told apart from others, and holds a smaller one.
    fn around(&self, quad: Quad) -> Quad {
        let up = self.openings.grain(self.quad).saturating_sub(quad.level);
        Quad::new(quad.level + up, quad.column >> up, quad.row >> up)
    }

    /// What the PVS says about a quad; hidden outside the grid and where there is no terrain. Unknown
    /// if some of a large one may be seen now.
    pub fn state(&self, quad: Quad) -> Visibility {
        let stored = match &self.own {
            Own::Tree(tree) => tree.state(quad),
            Own::Group(pvs) => pvs.state(quad),
        };
        if stored == Visibility::Visible || !self.valid.has_quad(quad) {
            return stored;
        }
        match self.openings.may_open(self.quad, self.around(quad)) {
            false => stored,
            true if quad.level <= self.openings.grain(self.quad) => Visibility::Visible,
            true => Visibility::Unknown,
        }
    }

    /// The visible samples of a block.
    fn word(&self, block: Quad) -> u64 {
        let stored = match &self.own {
            Own::Tree(tree) => tree.word(block.column, block.row),
            Own::Group(pvs) => pvs.block_word(block.column, block.row),
        };
        (stored | self.openings.word(self.quad, block)) & self.valid.block(block.column, block.row)
    }

    /// As [`Tree::sweep`] what is stored, and after that what may be seen beside it, block by
    /// block: of a block both may come.
    pub fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        let goes_on = match &self.own {
            Own::Tree(tree) => tree.sweep(&mut take),
            Own::Group(pvs) => pvs.sweep(&mut take),
        };
        goes_on && self.sweep_openings(&mut take)
    }

    /// The same by whole blocks, as [`GroupPvs::sweep_blocks`].
    pub fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        let goes_on = match &self.own {
            Own::Tree(tree) => tree.sweep(|leaf| take(Leaf::Visible(leaf.quad()))),
            Own::Group(pvs) => pvs.sweep_blocks(&mut take),
        };
        goes_on && self.sweep_openings(&mut |leaf: Leaf| take(Leaf::Visible(leaf.quad())))
    }

    fn sweep_openings(&self, take: &mut impl FnMut(Leaf) -> bool) -> bool {
        let root = self.valid.grid().root();
        self.openings.sweep(self.quad, root, take)
    }

    /// All leaves, each once.
    fn each(&self, mut take: impl FnMut(Leaf) -> bool) {
        for leaf in self.leaves() {
            take(leaf);
        }
    }

    /// Number of records that tell what it is.
    pub fn pairs(&self) -> usize {
        match &self.own {
            Own::Tree(_) => 0,
            Own::Group(pvs) => pvs.pairs(),
        }
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.each(count_into(self.valid, &mut count));
        count
    }

    /// Writes the PVS as a block bitmap. `out` has one word a block
    /// ([`super::Grid::blocks`]); words missing at its end are left out, further words are zeroed.
    pub fn expand(&self, out: &mut [u64]) {
        self.each(expand_into(self.valid, out));
    }

    /// The leaves of the PVS, depth first in Morton order. Together they cover the grid.
    pub const fn leaves(&self) -> WideLeaves<'a> {
        WideLeaves {
            pvs: *self,
            next: Some(self.valid.grid().root()),
        }
    }
}

/// The leaves of a PVS of ground that has changed, depth first; leaves outside the grid are left out.
#[derive(Clone, Debug)]
pub struct WideLeaves<'a> {
    pvs: WidePvs<'a>,
    next: Option<Quad>,
}

impl Iterator for WideLeaves<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        let pvs = &self.pvs;
        let word = |block| pvs.word(block);
        next_leaf(
            pvs.valid.grid(),
            &mut self.next,
            |quad| pvs.state(quad),
            word,
        )
    }
}
