//! The PVSs of a lossy bundle.
//!
//! Each PVS is stored by itself, and each may have lost something else. A sample that is hidden in
//! what is stored of a quad is hidden from all that the quad holds, whatever is stored of these. So
//! what is stored is *narrowed* by the trees of the quads around it:
//!
//! - a sample is visible from a quad only if it is so by the trees of all quads around that;
//! - in a mutual bundle, only if no tree of a quad around the sample says that nothing of the
//!   viewing quad is visible.
//!
//! Nothing becomes visible by this, so that it errs as what is stored does: never towards hidden.
//! Without loss it changes nothing, and is not asked.

use crate::format::grid::{BLOCK_LEVEL, Quad, Sample, Valid, quad_mask};
use crate::format::tree::Answer;
use crate::format::tree::Leaf;
use crate::format::tree::Trees;

use super::intersection::{MOST, Walk};
use super::{ReadPvs, StoredPvs};

/// The trees of a bundle that has lost something, by which all that is stored is narrowed.
#[derive(Clone, Copy, Debug)]
pub struct Narrowing<'a> {
    trees: Trees<'a>,
    /// Whether the quads around the one who is seen count, too.
    mutual: bool,
}

impl<'a> Narrowing<'a> {
    /// By these trees, of a bundle that is mutual or not.
    pub const fn new(trees: Trees<'a>, mutual: bool) -> Self {
        Self { trees, mutual }
    }

    /// The trees.
    pub const fn trees(&self) -> Trees<'a> {
        self.trees
    }

    /// Whether no quad around either sample hides one from the other: `b` is visible from `a` if
    /// that is so, and the PVS that is stored of `a` has it. Both are samples of terrain.
    #[inline]
    pub fn lets_see(&self, a: Sample, b: Sample) -> bool {
        let lets_see = |level: u32, from: Sample, to: Sample| {
            let tree = self.trees.tree(from.quad().ancestor(level));
            tree.is_none_or(|tree| tree.contains(to))
        };
        // By turns, since either is as likely to hide the other, and from the middle outwards: of the
        // pairs that are hidden only by trees around them, those in the middle hide the most.
        let least = self.trees.least().max(1);
        let levels = self.trees.valid().grid().root_level().saturating_sub(least) + 1;
        let middle = least + (levels - 1) / 2;
        (0..levels)
            .map(|step| match step % 2 {
                0 => middle - step / 2,
                _ => middle + step.div_ceil(2),
            })
            .all(|level| lets_see(level, a, b) && (!self.mutual || lets_see(level, b, a)))
    }

    /// What trees leave of the samples `from` of block `viewer` and `to` of block `target`, words of
    /// block bitmaps, in tree code 2: none that is taken out is seen by, or sees, the other block. A
    /// sample that is left sees another that is left if the record of their blocks says so.
    pub fn between(
        &self,
        (viewer, from): ((u32, u32), u64),
        (target, to): ((u32, u32), u64),
    ) -> [u64; 2] {
        let seen = |samples: u64, block: (u32, u32), by: (u32, u32)| {
            let mut around = self.trees.around(Quad::new(BLOCK_LEVEL, by.0, by.1));
            around.try_fold(samples, |left, tree| {
                (left != 0).then(|| left & tree.word(block.0, block.1))
            })
        };
        let to = seen(to, target, viewer).unwrap_or(0);
        if self.mutual && to != 0 {
            [seen(from, viewer, target).unwrap_or(0), to]
        } else {
            [from, to]
        }
    }

    /// The PVS of a quad that has a tree. `None` where it has none.
    pub fn of_tree(self, quad: Quad) -> Option<LossyPvs<'a>> {
        let own = StoredPvs::Tree(self.trees.tree(quad)?);
        Some(LossyPvs::new(quad, own, self))
    }

    /// What trees leave of the pairs of a block with all blocks, in tree code 2. Of the samples of
    /// block (column, row), those in `viewpoints` can see of another block those in `targets`, no
    /// others: both have a word a block, row by row, which is the other block's.
    pub fn masks(&self, column: u32, row: u32, targets: &mut [u64], viewpoints: &mut [u64]) {
        self.targets(column, row, targets);
        self.viewpoints(column, row, viewpoints);
    }

    /// The `targets` of [`Narrowing::masks`]. They are those of all blocks in the same quad that has
    /// a tree.
    pub fn targets(&self, column: u32, row: u32, targets: &mut [u64]) {
        let valid = self.trees.valid();
        let (columns, _) = valid.grid().block_shape();
        for (word, index) in targets.iter_mut().zip(0..) {
            *word = valid.block(index % columns, index / columns);
        }
        self.trees
            .narrow(Quad::new(BLOCK_LEVEL, column, row), targets);
    }

    /// The `viewpoints` of [`Narrowing::masks`].
    pub fn viewpoints(&self, column: u32, row: u32, viewpoints: &mut [u64]) {
        let valid = self.trees.valid();
        viewpoints.fill(valid.block(column, row));
        if self.mutual {
            self.keep_seen((column, row), valid.grid().root(), !0, viewpoints);
        }
    }

    /// Takes out of `viewpoints` those of a block that the trees of `quad` and the quads in it do
    /// not see. `seen` is what is left of them by the quads around `quad`.
    fn keep_seen(&self, block: (u32, u32), quad: Quad, seen: u64, viewpoints: &mut [u64]) {
        let grid = self.trees.valid().grid();
        if !grid.has_quad(quad) {
            return;
        }
        let tree = self.trees.tree(quad);
        let seen = seen & tree.map_or(!0, |tree| tree.word(block.0, block.1));
        if quad.level > self.trees.least().max(BLOCK_LEVEL) && seen != 0 {
            for child in (0..4).filter_map(|index| quad.child(index)) {
                self.keep_seen(block, child, seen, viewpoints);
            }
            return;
        }
        grid.blocks_of(quad).for_each(|index| {
            if let Some(word) = viewpoints.get_mut(index) {
                *word &= seen;
            }
        });
    }
}

/// A PVS of a bundle that has lost something.
#[derive(Clone, Copy, Debug)]
pub struct LossyPvs<'a> {
    by: Narrowing<'a>,
    quad: Quad,
    own: StoredPvs<'a>,
}

impl<'a> LossyPvs<'a> {
    /// What is stored of a quad, narrowed.
    pub const fn new(quad: Quad, own: StoredPvs<'a>, by: Narrowing<'a>) -> Self {
        Self { by, quad, own }
    }

    /// Hands over what is visible in the quads that hold `within`, a quad of level 3 or more, or
    /// lie in it; with `records`, as exactly as it can be.
    fn walk(&self, within: Quad, records: bool, take: &mut impl FnMut(Leaf) -> bool) -> bool {
        Walk {
            trees: self.by.trees,
            back: if self.by.mutual {
                self.by.trees.least()
            } else {
                u32::MAX
            },
            quad: self.quad,
            own: &self.own,
            within,
            records,
            cursors: [const { None }; MOST],
        }
        .run(take)
    }

    /// Hands over numbers of visible samples, which together are those of a quad. `all` are its samples with
    /// terrain.
    fn counts(&self, quad: Quad, all: u64, mut take: impl FnMut(u64) -> bool) -> bool {
        let within = quad.ancestor(quad.level.max(BLOCK_LEVEL));
        let (valid, mask) = (self.valid(), quad_mask(quad));
        all == 0
            || self.walk(within, true, &mut |leaf| {
                take(match leaf {
                    Leaf::Block(_, bits) => u64::from((bits & mask).count_ones()),
                    // It may hold the quad, or is in it.
                    Leaf::Visible(leaf) if leaf.level >= quad.level => all,
                    leaf => leaf.visible_samples(&valid),
                })
            })
    }
}

impl<'a> ReadPvs<'a> for LossyPvs<'a> {
    fn valid(&self) -> Valid<'a> {
        self.by.trees.valid()
    }

    fn state(&self, quad: Quad) -> Answer {
        let all = self.valid().count(quad);
        let mut visible = 0;
        self.counts(quad, all, |count| {
            visible += count;
            true
        });
        match visible {
            0 => Answer::Hidden,
            visible if visible < all => Answer::Mixed,
            _ => Answer::Visible,
        }
    }

    /// Ends with the first sample that is visible.
    fn is_hidden(&self, quad: Quad) -> bool {
        self.counts(quad, self.valid().count(quad), |count| count == 0)
    }

    fn word(&self, column: u32, row: u32) -> u64 {
        let mut word = 0;
        self.walk(Quad::new(BLOCK_LEVEL, column, row), true, &mut |leaf| {
            word |= match leaf {
                Leaf::Block(_, bits) => bits,
                _ => !0,
            };
            true
        });
        word
    }

    fn sweep(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.walk(self.valid().grid().root(), true, &mut take)
    }

    fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        let root = self.valid().grid().root();
        self.walk(root, false, &mut |leaf| take(Leaf::Visible(leaf.quad())))
    }

    fn pairs(&self) -> usize {
        self.own.pairs()
    }

    fn contains(&self, sample: Sample) -> bool {
        let trees = &self.by.trees;
        if !self.own.contains(sample) || !trees.around(self.quad).all(|tree| tree.contains(sample))
        {
            return false;
        }
        if !self.by.mutual {
            return true;
        }
        let mut around = trees.around(sample.quad());
        match &self.own {
            StoredPvs::Tree(_) => around.all(|tree| tree.state(self.quad) != Answer::Hidden),
            StoredPvs::Group(pvs) => {
                let (column, row) = pvs.block();
                let all = pvs.viewpoints();
                let seen = around.fold(all, |seen, tree| seen & tree.word(column, row));
                // The union of its samples' PVSs: one that is left must see it.
                seen == all || pvs.only(seen).contains(sample)
            }
        }
    }
}
