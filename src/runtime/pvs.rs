//! One PVS.

use crate::format::{Leaf, Leaves, Quad, Sample, Tree, Visibility};

/// Everything that may be seen from a quad. Reads the bundle where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Pvs<'a> {
    quad: Quad,
    tree: Tree<'a>,
}

impl<'a> Pvs<'a> {
    #[inline]
    pub(super) fn new(quad: Quad, tree: Tree<'a>) -> Self {
        Self { quad, tree }
    }

    /// Its code.
    #[inline]
    pub(super) fn tree(&self) -> &Tree<'a> {
        &self.tree
    }

    /// The quad that sees.
    pub fn quad(&self) -> Quad {
        self.quad
    }

    /// Whether a sample is visible; `false` outside the grid and at a void.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        self.tree.contains(sample)
    }

    /// Whether a quad is hidden, visible, or partly both (unknown); hidden outside the grid and
    /// where it has no terrain.
    pub fn state(&self, quad: Quad) -> Visibility {
        self.tree.state(quad)
    }

    /// Number of visible samples.
    pub fn count(&self) -> u64 {
        self.tree.count()
    }

    /// Writes the PVS as a block bitmap: one word for each 8×8 block of samples
    /// ([`crate::format::Grid::blocks`]), blocks row by row, bit (r & 7)·8 + (c & 7) of a word
    /// for sample (c, r). A buffer that is too short gets what fits.
    pub fn expand(&self, out: &mut [u64]) {
        self.tree.expand(out);
    }

    /// The greatest quads that are all hidden or all visible, and the mixed blocks between
    /// them, depth first in Morton order. Together they cover the grid.
    pub fn quads(&self) -> Leaves<'a> {
        self.tree.leaves()
    }

    /// The visible samples, in the order of [`Pvs::quads`].
    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<'a> {
        let valid = self.tree.valid();
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
