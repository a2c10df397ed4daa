//! One PVS, however it is stored: as a tree, in a group, in several levels of them, in a lossy bundle (`lossy`), or older than
//! the ground ([`openings`]).

use crate::format::grid::{Quad, Sample, Valid, quad_mask};
use crate::format::levels::LevelsPvs;
use crate::format::tree::{self, Answer, Leaf, Tree};

mod group;
mod intersection;
mod lossy;
pub mod openings;
mod read;
mod stored;

pub use group::GroupPvs;
pub use lossy::{LossyPvs, Narrowing};
pub use openings::{Area, Opening, Openings, StalePvs, Sunk, meets_on_the_way};
pub use read::ReadPvs;
use read::{Leaves, answer_as};
pub use stored::StoredPvs;

/// Everything that may be seen from a quad. Reads the bundle where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Pvs<'a> {
    quad: Quad,
    kind: PvsKind<'a>,
}

/// What the answers are read from.
// A box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
enum PvsKind<'a> {
    Stored(StoredPvs<'a>),
    Levels(LevelsPvs<'a>),
    Lossy(LossyPvs<'a>),
    Stale(StalePvs<'a>),
}

answer_as!(Pvs, self => &self.kind, PvsKind: Stored | Levels | Lossy | Stale);

impl<'a> Pvs<'a> {
    /// What a tree says of the quad that it is of.
    #[inline]
    pub(crate) const fn of_tree(quad: Quad, tree: Tree<'a>) -> Self {
        let kind = PvsKind::Stored(StoredPvs::Tree(tree));
        Self { quad, kind }
    }

    /// What a group says of a quad of level 0 to 3.
    #[inline]
    pub(crate) const fn of_group(quad: Quad, pvs: GroupPvs<'a>) -> Self {
        let kind = PvsKind::Stored(StoredPvs::Group(pvs));
        Self { quad, kind }
    }

    /// What levels of groups say of a quad.
    #[inline]
    pub(crate) const fn of_levels(quad: Quad, pvs: LevelsPvs<'a>) -> Self {
        let kind = PvsKind::Levels(pvs);
        Self { quad, kind }
    }

    /// What is stored, in a bundle that has lost something.
    pub(crate) fn narrowed(self, by: Narrowing<'a>) -> Self {
        match self.kind {
            PvsKind::Stored(own) => Self {
                kind: PvsKind::Lossy(LossyPvs::new(self.quad, own, by)),
                ..self
            },
            _ => self,
        }
    }

    /// What is stored, of ground that has changed since.
    pub(crate) fn opened(self, openings: Openings<'a>) -> Self {
        match self.kind {
            PvsKind::Stored(own) => Self {
                kind: PvsKind::Stale(StalePvs::new(self.quad, own, openings)),
                ..self
            },
            _ => self,
        }
    }

    /// The quad that sees.
    pub fn quad(&self) -> Quad {
        self.quad
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        ReadPvs::contains(self, sample)
    }

    /// Whether a quad is hidden, visible, or partly both (unknown); hidden outside the grid and
    /// where it has no terrain.
    pub fn state(&self, quad: Quad) -> Answer {
        ReadPvs::state(self, quad)
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        ReadPvs::count(self)
    }

    /// Writes the PVS as a block bitmap: one word for each 8×8 block of samples
    /// ([`crate::format::Grid::blocks`]), blocks row by row, bit (r & 7)·8 + (c & 7) of a word
    /// for sample (c, r). A buffer that is too short gets what fits.
    pub fn expand(&self, out: &mut [u64]) {
        ReadPvs::expand(self, out);
    }

    /// The greatest quads that are all hidden or all visible, and the mixed blocks between
    /// them, depth first in Morton order. Together they cover the grid.
    pub fn quads(&self) -> Quads<'a> {
        Quads(match &self.kind {
            // What is told of a tree in one walk.
            PvsKind::Stored(StoredPvs::Tree(tree)) => Walk::Tree(tree.leaves()),
            _ => Walk::ByState(Leaves::new(*self)),
        })
    }

    /// The visible samples, in the order of [`Pvs::quads`].
    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<'a> {
        let valid = self.valid();
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
                    Leaf::Block(_, bits) => bits & quad_mask(sample.quad()) != 0,
                    _ => valid.has_sample(sample),
                })
        })
    }
}

/// The quads of a PVS: see [`Pvs::quads`].
#[derive(Clone, Debug)]
pub struct Quads<'a>(Walk<'a>);

// A box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum Walk<'a> {
    Tree(tree::Leaves<'a>),
    ByState(Leaves<Pvs<'a>>),
}

impl Iterator for Quads<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        match &mut self.0 {
            Walk::Tree(leaves) => leaves.next(),
            Walk::ByState(leaves) => leaves.next(),
        }
    }
}
