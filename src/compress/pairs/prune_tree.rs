//! Giving up what costs least occlusion for the bytes it saves, in the tree of a quad: as
//! [`super::prune`] does in pairs of blocks.

use crate::compress::ValidPyramid;
use crate::format::Quad;

/// Whether a number of bytes is worth it, for the tree of one quad: makes visible in `pvs` what is
/// not. `valid` is the terrain; `weight` is what a hidden sample is worth, if it is one of those
/// `open`, a block bitmap: all others are hidden by the trees of quads around this one, and cost
/// nothing.
pub fn prune_tree(valid: &ValidPyramid, weight: f64, trade: f64, open: &[u64], pvs: &mut [u64]) {
    let grid = valid.grid();
    let mut tree = TreePruner {
        valid,
        weight,
        trade,
        open,
        pvs,
    };
    tree.prune(grid.root());
}

/// A tree that is pruned.
struct TreePruner<'a> {
    valid: &'a ValidPyramid,
    weight: f64,
    trade: f64,
    open: &'a [u64],
    pvs: &'a mut [u64],
}

/// What a quad of a tree costs, and whether it is hidden or visible as a whole.
#[derive(Default)]
struct QuadCost {
    cost: f64,
    /// Hidden samples that cost something.
    hidden: u64,
    /// Whether there are others.
    free: bool,
    visible: u64,
}

impl TreePruner<'_> {
    fn prune(&mut self, quad: Quad) -> QuadCost {
        let grid = self.valid.grid();
        let mut whole = QuadCost::default();
        if !grid.has_quad(quad) {
            return whole;
        }
        let bytes = if quad.level == 3 {
            let index = (quad.row * grid.block_shape().0 + quad.column) as usize;
            let (bits, terrain) = (self.pvs[index], self.valid.blocks()[index]);
            let hidden = !bits & terrain;
            whole.visible = u64::from((bits & terrain).count_ones());
            whole.hidden = u64::from((hidden & self.open[index]).count_ones());
            whole.free = hidden & !self.open[index] != 0;
            8.0
        } else {
            for child in (0..4).filter_map(|i| quad.child(i)) {
                let child = self.prune(child);
                whole.cost += child.cost;
                whole.hidden += child.hidden;
                whole.free |= child.free;
                whole.visible += child.visible;
            }
            1.0
        };
        // All hidden, or all visible.
        if whole.visible == 0 || whole.hidden == 0 && !whole.free {
            return whole;
        }
        whole.cost += self.trade * bytes;
        let loss = self.weight * whole.hidden as f64;
        if loss <= whole.cost {
            self.fill(quad);
            whole.cost = loss;
            whole.free = false;
        }
        whole
    }

    /// Makes all terrain of a quad of level 3 or more visible.
    fn fill(&mut self, quad: Quad) {
        for index in self.valid.grid().blocks_of(quad) {
            self.pvs[index] = self.valid.blocks()[index];
        }
    }
}
