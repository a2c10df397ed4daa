//! One trait for all ways in which a PVS is read: what differs between them, and what does not.

use crate::format::grid::{BLOCK_LEVEL, Quad, Sample, Valid, quad_mask};
use crate::format::tree::traversal::after;
use crate::format::tree::{Answer, Found, Leaf, Tree, state_of};

/// A PVS that is read where it lies.
pub trait ReadPvs<'a>: Copy {
    /// Where there is terrain.
    fn valid(&self) -> Valid<'a>;

    /// What the PVS says about a quad; hidden outside the grid and where there is no terrain.
    fn state(&self, quad: Quad) -> Answer;

    /// The visible samples of a block, as a word of a block bitmap. Bits without terrain may be either.
    fn word(&self, column: u32, row: u32) -> u64;

    /// Hands over what is visible, depth first in Morton order, and where several levels tell of it level by level:
    /// [`Leaf::Visible`] and [`Leaf::Block`], never [`Leaf::Hidden`]. Quads may lie outside the grid, and bits where
    /// there is no terrain, if the bytes say so. While ground has changed and its patch is not yet
    /// there, what that may open comes after all else, by blocks that may have come before. Stops
    /// when `take` returns `false`; returns whether it never did.
    fn sweep(&self, take: impl FnMut(Leaf) -> bool) -> bool;

    /// As [`ReadPvs::sweep`], by whole blocks of 8×8 samples: all that a sample of this quad's block
    /// sees something of, where it is put together from pairs of blocks. None of them is read.
    #[inline]
    fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        self.sweep(|leaf| take(Leaf::Visible(leaf.quad())))
    }

    /// Number of pairs of blocks that it is put together from.
    #[inline]
    fn pairs(&self) -> usize {
        0
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    #[inline]
    fn contains(&self, sample: Sample) -> bool {
        self.valid().has_sample(sample)
            && self.word(sample.column >> 3, sample.row >> 3)
                >> ((sample.row & 7) << 3 | sample.column & 7)
                & 1
                == 1
    }

    /// Whether nothing of a quad is visible: [`ReadPvs::state`], perhaps sooner.
    fn is_hidden(&self, quad: Quad) -> bool {
        self.state(quad) == Answer::Hidden
    }

    /// Number of visible samples.
    fn count(&self) -> u64 {
        let valid = self.valid();
        let mut count = 0;
        self.sweep(|leaf| {
            count += leaf.visible_samples(&valid);
            true
        });
        count
    }

    /// Writes the PVS as a block bitmap: one word for each 8×8 block of samples
    /// ([`crate::format::Grid::blocks`]), blocks row by row, bit (r & 7)·8 + (c & 7) of a word
    /// for sample (c, r). A buffer that is too short gets what fits; further words are zeroed.
    fn expand(&self, out: &mut [u64]) {
        let valid = self.valid();
        out.fill(0);
        self.sweep(|leaf| {
            leaf.write(&valid, out);
            true
        });
    }
}

impl<'a> ReadPvs<'a> for Tree<'a> {
    fn valid(&self) -> Valid<'a> {
        Tree::valid(self)
    }

    /// A walk down the tree, and one pass over its nodes at most; over voids, where a visible answer first looks
    /// for terrain in the quad, more.
    fn state(&self, quad: Quad) -> Answer {
        if !self.grid().has_quad(quad) {
            return Answer::Hidden;
        }
        match self.find(quad) {
            Found::Leaf(true) if self.valid().has_quad(quad) => Answer::Visible,
            Found::Leaf(_) => Answer::Hidden,
            Found::Mixed => Answer::Mixed,
            Found::Block(item) => {
                let block = quad.ancestor(BLOCK_LEVEL);
                let valid = self.valid().block(block.column, block.row);
                state_of(self.literal(item), valid & quad_mask(quad))
            }
        }
    }

    #[inline]
    fn word(&self, column: u32, row: u32) -> u64 {
        match self.find(Quad::new(BLOCK_LEVEL, column, row)) {
            Found::Leaf(false) => 0,
            Found::Leaf(true) | Found::Mixed => !0,
            Found::Block(item) => self.literal(item),
        }
    }

    #[inline]
    fn sweep(&self, take: impl FnMut(Leaf) -> bool) -> bool {
        Tree::sweep(self, take)
    }
}

/// Implements [`ReadPvs`] for what is one PVS of several kinds, and answers as that one does.
macro_rules! answer_as {
    ($type:ident, $self:ident => $value:expr, $kind:ident: $($variant:ident)|+) => {
        impl<'a> ReadPvs<'a> for $type<'a> {
            #[inline]
            fn valid(&$self) -> Valid<'a> {
                match $value { $($kind::$variant(pvs) => ReadPvs::valid(pvs),)+ }
            }

            #[inline]
            fn state(&$self, quad: Quad) -> Answer {
                match $value { $($kind::$variant(pvs) => pvs.state(quad),)+ }
            }

            #[inline]
            fn word(&$self, column: u32, row: u32) -> u64 {
                match $value { $($kind::$variant(pvs) => pvs.word(column, row),)+ }
            }

            #[inline]
            fn sweep(&$self, take: impl FnMut(Leaf) -> bool) -> bool {
                match $value { $($kind::$variant(pvs) => pvs.sweep(take),)+ }
            }

            #[inline]
            fn sweep_blocks(&$self, take: impl FnMut(Leaf) -> bool) -> bool {
                match $value { $($kind::$variant(pvs) => pvs.sweep_blocks(take),)+ }
            }

            #[inline]
            fn pairs(&$self) -> usize {
                match $value { $($kind::$variant(pvs) => pvs.pairs(),)+ }
            }

            #[inline]
            fn contains(&$self, sample: Sample) -> bool {
                match $value { $($kind::$variant(pvs) => pvs.contains(sample),)+ }
            }

            #[inline]
            fn is_hidden(&$self, quad: Quad) -> bool {
                match $value { $($kind::$variant(pvs) => pvs.is_hidden(quad),)+ }
            }

            #[inline]
            fn count(&$self) -> u64 {
                match $value { $($kind::$variant(pvs) => pvs.count(),)+ }
            }
        }
    };
}

pub(super) use answer_as;

/// The leaves of any PVS, depth first, by what it says of quads and of blocks that are neither hidden nor visible;
/// leaves outside the grid are left out.
#[derive(Clone, Debug)]
pub(super) struct Leaves<P> {
    pvs: P,
    /// The quad to look at next.
    next: Option<Quad>,
}

impl<'a, P: ReadPvs<'a>> Leaves<P> {
    pub(super) fn new(pvs: P) -> Self {
        let next = Some(pvs.valid().grid().root());
        Self { pvs, next }
    }
}

impl<'a, P: ReadPvs<'a>> Iterator for Leaves<P> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        let valid = self.pvs.valid();
        loop {
            let quad = self.next?;
            let state = self.pvs.state(quad);
            if state == Answer::Mixed && quad.level > BLOCK_LEVEL {
                self.next = quad.child(0);
                continue;
            }
            self.next = after(quad, valid.grid().root());
            if !valid.grid().has_quad(quad) {
                continue;
            }
            return Some(match state {
                Answer::Hidden => Leaf::Hidden(quad),
                Answer::Visible => Leaf::Visible(quad),
                Answer::Mixed => {
                    let Quad { column, row, .. } = quad;
                    let bits = self.pvs.word(column, row) & valid.block(column, row);
                    Leaf::Block(quad, bits)
                }
            });
        }
    }
}
