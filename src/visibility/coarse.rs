//! Who sees whom between quads of samples: cells of 8 × 8 samples a side and more.
//!
//! A cell sees another if any of its samples sees any of the other's, as [`Rays`] has it for
//! samples: exactly, or from anywhere in the squares around them to anywhere. So a cell is hidden
//! only where all that it holds is.
//!
//! The kernel is that of samples, with one difference: what is known to be seen is not looked at
//! again. A square of displacements is left out where all cells that its targets lie in are seen
//! already, and before any square there are *witnesses*: from peak to peak most of what is seen at
//! all is found at once.

use super::cell_sights::CellSights;
use super::rays::Rays;
use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use super::view_block::ViewBlock;
use super::viewsheds::Viewsheds;
use super::walk::Seen;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Grid, Quad};

/// The kernel of samples, for view cells that are quads of them.
pub struct CoarseRays<'f> {
    rays: Rays<'f>,
    cells: CellSights,
}

impl<'f> CoarseRays<'f> {
    /// View cells of 2^finest samples a side, `finest` at least [`BLOCK_LEVEL`], for the kernel of
    /// their samples.
    ///
    /// If `grade` is not 0, quads of cells answer for those that are far away: the greatest of up to
    /// 16 × 16 cells between which, across or down, lie at least so many of their size. One sees the
    /// other if any of its cells does.
    pub fn new(rays: Rays<'f>, finest: u32, grade: u32) -> Self {
        let cells = CellSights::new(rays.terrain, &rays.field.places, finest, grade);
        Self { rays, cells }
    }
}

impl Viewsheds for CoarseRays<'_> {
    fn grid(&self) -> Grid {
        self.cells.grid
    }

    fn look(&mut self, quad: Quad, sights: &mut Sights) {
        let Self { rays, cells } = self;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(
            sights.targets(),
            cells.grid.blocks(),
            "room for another grid"
        );
        sights.clear();
        cells.clear();
        let origin = quad.origin();
        // View cells that are looked from together, by their quad's level among cells; and, for
        // each, the quads of the heightmap.
        let together = LOOK_LEVEL.saturating_sub(cells.finest);
        let within = cells.finest.saturating_sub(LOOK_LEVEL);
        for at in 0..1 << (2 * (LOOK_LEVEL - together)) {
            let side = LOOK_LEVEL - together;
            let column = (origin.column >> together) + (at & ((1 << side) - 1));
            let row = (origin.row >> together) + (at >> side);
            let lookers = Quad::new(together, column, row);
            cells.begin(lookers, rays.before.is_some());
            for part in 0..1 << (2 * within) {
                let fine = Quad::new(
                    LOOK_LEVEL,
                    (column << within) + (part & ((1 << within) - 1)),
                    (row << within) + (part >> within),
                );
                let blocks = std::array::from_fn(|child| ViewBlock::new(rays.field, fine, child));
                rays.walk(&blocks, &mut Seen::Cells(cells));
            }
            cells.hand_over(lookers, sights);
        }
        cells.hand_over_grown(sights);
        let (across, _) = cells.grid.block_shape();
        for child in 0..LOOK_BLOCKS {
            let own = (
                (origin.column >> BLOCK_LEVEL) + child as u32 % 2,
                (origin.row >> BLOCK_LEVEL) + child as u32 / 2,
            );
            let (columns, rows) = cells.grid.block_shape();
            let is_there = own.0 < columns && own.1 < rows;
            let number = (own.1 * across + own.0) as usize;
            let standing = if is_there { cells.valid[number] } else { 0 };
            if rays.before.is_some() && standing != 0 {
                sights.join_mutual(child, number);
            }
            let wanted = |target: usize| {
                let target = (target as u32 % across, target as u32 / across);
                rays.before.is_none_or(|before| !before(target, own))
            };
            sights.finish(child, standing, &cells.valid, wanted);
        }
    }
}
