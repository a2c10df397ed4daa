//! Cells, asked on the ground as it was and as it is, side by side.
//!
//! What the kernel says of a square of displacements follows from three things: the lanes that are still open, the
//! slabs that its parent square found to block perhaps, and the ground that it reads. Where all three are as they were,
//! so is the answer. So large squares that read changed ground are decided on the old ground, too. Only those of their
//! quarters are asked that have other lanes or slabs now, or that read changed ground themselves.
//!
//! Between its ends a square reads the ground of its slabs, and of the lines beside those. Lines
//! that hid neighbours are tried as well; but where a slab was left out, no ground is higher than
//! any sight, so that a line there hides nothing.
//!
//! Squares of 8 × 8 displacements are asked as a whole or not at all: which lines are tried within
//! depends on what hid the neighbours.
//!
//! Did not pay: cells decided on both grounds down to quarters of 8 × 8 displacements; fewer samples beside a line that
//! count as read with it.

use super::change::{BESIDE_CELLS, Change, LONGER, Rectangle, hull};
use crate::visibility::samples::filter::DisplacementSquare;
use crate::visibility::samples::height_field::LEVELS;
use crate::visibility::samples::nodes::{OpenSquare, Parent, Slab};
use crate::visibility::samples::rays::Rays;
use crate::visibility::samples::squares::visit;
use crate::visibility::samples::view_block::ViewBlock;
use crate::visibility::simd::at_level;
use crate::visibility::viewsheds::LOOK_BLOCKS;
use viewcell::format::Quad;
use viewcell::format::blockbits::turn;

/// Squares of displacements of this level are asked as a whole.
pub(crate) const WHOLE: u32 = 3;

/// What a square leaves to its quarters: open lanes, and what it has found out.
type Left = (u64, Option<Parent>);

/// The kernel on the ground as it was.
pub(crate) struct OldRays<'f> {
    rays: Rays<'f>,
    /// The blocks that are looked from.
    blocks: [ViewBlock; LOOK_BLOCKS],
    /// By level what the last square that was decided left; `None` if nothing.
    left: [Option<Left>; LEVELS],
}

impl<'f> OldRays<'f> {
    pub(crate) fn new(rays: Rays<'f>) -> Self {
        Self {
            blocks: blocks(&rays, Quad::new(0, 0, 0)),
            rays,
            left: [None; LEVELS],
        }
    }

    /// From here on the blocks of this quad are looked from.
    pub(crate) fn look_from(&mut self, quad: Quad) {
        self.blocks = blocks(&self.rays, quad);
    }

    /// Whether a square that is next in the kernel `new` has to be asked. Its level is [`WHOLE`] or
    /// more, and it has been told of all squares that it is a part of.
    pub(crate) fn asks(
        &mut self,
        change: &Change,
        new: &Rays<'_>,
        block: &ViewBlock,
        node: &OpenSquare,
    ) -> bool {
        let level = node.level as usize;
        let old = match node.parent {
            None => Some((self.blocks[block.child].standing, None)),
            Some(_) => self.left[level + 1],
        };
        let same = old.is_some_and(|(active, parent)| {
            let [old, new] = [(&self.rays, parent), (new, node.parent)]
                .map(|(rays, parent)| slabs(rays, parent, node));
            active == node.active && old.eq(new)
        });
        let lines = slabs(new, node.parent, node).map(|(x, _)| x);
        let turned = node.parent.map(|parent| parent.turned);
        if same && !change.is_read(block, node, turned.map(|turned| (turned, lines))) {
            return false;
        }
        if node.level > WHOLE {
            self.left[level] = old.and_then(|left| self.decide(left, block.child, node));
        }
        true
    }

    /// What the square leaves to its quarters on the old ground.
    fn decide(&mut self, (active, parent): Left, child: usize, node: &OpenSquare) -> Option<Left> {
        if active == 0 {
            return None;
        }
        let node = OpenSquare {
            active,
            parent,
            ..*node
        };
        let mut square = DisplacementSquare {
            p: node.p,
            q: node.q,
            masks: [0; 64],
            any: false,
            filter: None,
        };
        let Self { rays, blocks, .. } = self;
        let block = &blocks[child];
        let level = rays.level;
        at_level!(level, simd => visit(simd, rays, block, node, &mut square));
        let left = rays.stack.last().map(|node| (node.active, node.parent));
        rays.stack.clear();
        left
    }
}

impl Change {
    /// Whether a square of displacements of cells may read changed ground: in its ends, or over the slabs
    /// that it looks at, if those are known. They are given by their lines, and whether these are turned.
    fn is_read(
        &self,
        block: &ViewBlock,
        node: &OpenSquare,
        slabs: Option<(bool, impl Iterator<Item = i32>)>,
    ) -> bool {
        let Some(bounds) = self.bounds else {
            return false;
        };
        let (from, to) = hull(block, node);
        let beside = BESIDE_CELLS + LONGER[node.level as usize];
        if self.is_own(block, node, bounds) {
            return true;
        }
        if from.meets_on_the_way(to, bounds.grown(beside)).is_none() {
            return false;
        }
        let met: Vec<Rectangle> = self
            .blocks
            .iter()
            .map(|changed| changed.samples)
            .filter(|at| from.meets_on_the_way(to, at.grown(beside)).is_some())
            .collect();
        let Some((turned, lines)) = slabs else {
            return !met.is_empty();
        };
        let ends = |at: &Rectangle| {
            let at = at.grown(BESIDE_CELLS);
            from.meets(at) || to.meets(at)
        };
        if met.iter().any(ends) {
            return true;
        }
        // Over which columns, or rows, the lines of a slab and those beside them lie.
        let (own, first) = if turned {
            (from.rows, node.q)
        } else {
            (from.columns, node.p)
        };
        let over = |x: i32| match first.signum() {
            -1 => [own[0] - x - 2, own[1] - x + 1],
            _ => [own[0] + x - 1, own[1] + x + 2],
        };
        let mut lines = lines.map(over);
        lines.any(|[low, high]| {
            met.iter().any(|at| {
                let [first, last] = if turned { at.rows } else { at.columns };
                first - BESIDE_CELLS <= high && low <= last + BESIDE_CELLS
            })
        })
    }
}

fn blocks(rays: &Rays<'_>, quad: Quad) -> [ViewBlock; LOOK_BLOCKS] {
    std::array::from_fn(|child| ViewBlock::new(rays.field, quad, child))
}

/// The slabs that a square with this parent looks at, each with those of its lanes that are open;
/// none where it has no parent, and looks at all.
fn slabs<'r>(
    rays: &'r Rays<'_>,
    parent: Option<Parent>,
    node: &OpenSquare,
) -> impl Iterator<Item = (i32, u64)> + 'r {
    let (list, turned) = match parent {
        Some(parent) => {
            let list = &rays.slabs[node.level as usize + 1][..parent.slabs];
            (list, parent.turned)
        }
        None => (&[][..], false),
    };
    let (first, active) = if turned {
        (node.q, turn(node.active))
    } else {
        (node.p, node.active)
    };
    let end = first.abs().max((first + (1 << node.level) - 1).abs());
    let open = move |slab: &Slab| (slab.x as i32, slab.lanes & active);
    let slabs = list.iter().map(open);
    slabs
        .take_while(move |&(x, _)| x < end)
        .filter(|&(_, lanes)| lanes != 0)
}
