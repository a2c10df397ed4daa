//! One PVS.

use crate::format::{
    GroupLeaves, GroupPvs, Leaf, Leaves, NarrowLeaves, NarrowPvs, Quad, Sample, Tree, Valid,
    Visibility, WideLeaves, WidePvs,
};

/// Everything that may be seen from a quad. Reads the bundle where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Pvs<'a> {
    quad: Quad,
    code: Code<'a>,
}

/// Where the answers are read.
// Neither is large, and a box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
enum Code<'a> {
    Tree(Tree<'a>),
    Group(GroupPvs<'a>),
    Narrow(NarrowPvs<'a>),
    Wide(WidePvs<'a>),
}

impl<'a> Pvs<'a> {
    #[inline]
    pub(super) fn new(quad: Quad, tree: Tree<'a>) -> Self {
        let code = Code::Tree(tree);
        Self { quad, code }
    }

    #[inline]
    pub(super) fn of_group(quad: Quad, pvs: GroupPvs<'a>) -> Self {
        let code = Code::Group(pvs);
        Self { quad, code }
    }

    #[inline]
    pub(super) fn of_narrow(quad: Quad, pvs: NarrowPvs<'a>) -> Self {
        let code = Code::Narrow(pvs);
        Self { quad, code }
    }

    #[inline]
    pub(super) fn of_wide(quad: Quad, pvs: WidePvs<'a>) -> Self {
        let code = Code::Wide(pvs);
        Self { quad, code }
    }

    /// Hands over what is visible, depth first in Morton order: [`Leaf::Visible`] and
    /// [`Leaf::Block`], never [`Leaf::Hidden`]. Quads may lie outside the grid, and bits where
    /// there is no terrain, if the bytes say so. While ground has changed and its patch is not yet
    /// there, what that may open comes after all else, by blocks that may have come before. Stops
    /// when `take` returns `false`; returns whether it never did.
    #[inline]
    pub(crate) fn sweep(&self, take: impl FnMut(Leaf) -> bool) -> bool {
        match &self.code {
            Code::Tree(tree) => tree.sweep(take),
            Code::Group(pvs) => pvs.sweep(take),
            Code::Narrow(pvs) => pvs.sweep(take),
            Code::Wide(pvs) => pvs.sweep(take),
        }
    }

    /// Whether nothing of a quad is visible: [`Pvs::state`], sooner.
    pub(super) fn is_hidden(&self, quad: Quad) -> bool {
        match &self.code {
            Code::Narrow(pvs) => pvs.is_hidden(quad),
            _ => self.state(quad) == Visibility::Hidden,
        }
    }

    /// Number of pairs of blocks that it is put together from.
    #[inline]
    pub(super) fn pairs(&self) -> usize {
        match &self.code {
            Code::Tree(_) => 0,
            Code::Group(pvs) => pvs.pairs(),
            Code::Narrow(pvs) => pvs.pairs(),
            Code::Wide(pvs) => pvs.pairs(),
        }
    }

    /// As [`Pvs::sweep`], by whole blocks of 8×8 samples: all that a sample of this quad's block
    /// sees something of, where it is put together from pairs of blocks. None of them is read.
    #[inline]
    pub(super) fn sweep_blocks(&self, mut take: impl FnMut(Leaf) -> bool) -> bool {
        match &self.code {
            Code::Tree(tree) => tree.sweep(|leaf| take(Leaf::Visible(leaf.quad()))),
            Code::Group(pvs) => pvs.sweep_blocks(take),
            Code::Narrow(pvs) => pvs.sweep_blocks(take),
            Code::Wide(pvs) => pvs.sweep_blocks(take),
        }
    }

    /// The quad that sees.
    pub fn quad(&self) -> Quad {
        self.quad
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        match &self.code {
            Code::Tree(tree) => tree.contains(sample),
            Code::Group(pvs) => pvs.contains(sample),
            Code::Narrow(pvs) => pvs.contains(sample),
            Code::Wide(pvs) => pvs.contains(sample),
        }
    }

    /// Whether a quad is hidden, visible, or partly both (unknown); hidden outside the grid and
    /// where it has no terrain.
    pub fn state(&self, quad: Quad) -> Visibility {
        match &self.code {
            Code::Tree(tree) => tree.state(quad),
            Code::Group(pvs) => pvs.state(quad),
            Code::Narrow(pvs) => pvs.state(quad),
            Code::Wide(pvs) => pvs.state(quad),
        }
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        match &self.code {
            Code::Tree(tree) => tree.count(),
            Code::Group(pvs) => pvs.count(),
            Code::Narrow(pvs) => pvs.count(),
            Code::Wide(pvs) => pvs.count(),
        }
    }

    /// Writes the PVS as a block bitmap: one word for each 8×8 block of samples
    /// ([`crate::format::Grid::blocks`]), blocks row by row, bit (r & 7)·8 + (c & 7) of a word
    /// for sample (c, r). A buffer that is too short gets what fits.
    pub fn expand(&self, out: &mut [u64]) {
        match &self.code {
            Code::Tree(tree) => tree.expand(out),
            Code::Group(pvs) => pvs.expand(out),
            Code::Narrow(pvs) => pvs.expand(out),
            Code::Wide(pvs) => pvs.expand(out),
        }
    }

    /// The greatest quads that are all hidden or all visible, and the mixed blocks between
    /// them, depth first in Morton order. Together they cover the grid.
    pub fn quads(&self) -> Quads<'a> {
        match &self.code {
            Code::Tree(tree) => Quads::Tree(tree.leaves()),
            Code::Group(pvs) => Quads::Group(pvs.leaves()),
            Code::Narrow(pvs) => Quads::Narrow(pvs.leaves()),
            Code::Wide(pvs) => Quads::Wide(pvs.leaves()),
        }
    }

    /// The visible samples, in the order of [`Pvs::quads`].
    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<'a> {
        let valid: Valid<'a> = match &self.code {
            Code::Tree(tree) => tree.valid(),
            Code::Group(pvs) => pvs.groups().valid(),
            Code::Narrow(pvs) => pvs.narrowing().trees().valid(),
            Code::Wide(pvs) => pvs.valid(),
        };
        self.quads().flat_map(move |leaf| {
            let quad = leaf.quad();
            let origin = quad.origin();
            let side = match leaf {
                Leaf::Hidden(_) => 0,
                _ => 1 << quad.level,
            };
            let grid = valid.grid();
            let rows = origin.row..grid.height().min(origin.row.saturating_add(side));
            let columns = origin.column..grid.width().min(origin.column.saturating_add(side));
            rows.flat_map(move |row| columns.clone().map(move |c| Sample::new(c, row)))
                .filter(move |&sample| match leaf {
                    Leaf::Block(_, bits) => {
                        bits >> ((sample.row & 7) << 3 | sample.column & 7) & 1 == 1
                    }
                    _ => valid.has_sample(sample),
                })
        })
    }
}

/// The quads of a PVS: see [`Pvs::quads`].
// A box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Quads<'a> {
    /// Out of a tree.
    Tree(Leaves<'a>),
    /// Out of pairs of blocks.
    Group(GroupLeaves<'a>),
    /// Out of all that a bundle says that has lost something.
    Narrow(NarrowLeaves<'a>),
    /// Of ground that has changed since the PVSs were made.
    Wide(WideLeaves<'a>),
}

impl Iterator for Quads<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        match self {
            Self::Tree(leaves) => leaves.next(),
            Self::Group(leaves) => leaves.next(),
            Self::Narrow(leaves) => leaves.next(),
            Self::Wide(leaves) => leaves.next(),
        }
    }
}
