//! Filters for re-bakes: which lanes of squares of displacements are asked for, and who is told the answers.

use super::height_field::HeightField;
use super::nodes::{OpenSquare, Reach};
use super::view_block::ViewBlock;

/// Which lanes are asked of squares of displacements, and who is told what became of them.
///
/// For incremental re-bakes, which ask only what may have changed. What a filter leaves out is
/// neither hidden nor visible; a bake from nothing has no filter.
pub(crate) trait LaneFilter {
    /// Whether anything is asked of a square at all.
    fn asks(&self, block: &ViewBlock, node: &OpenSquare) -> bool;

    /// Leaves of a square that looks in a direction (turned, sign) the lanes to be decided, and of
    /// its reach the slabs that may matter. No lane may be left.
    fn narrow(
        &mut self,
        field: &HeightField,
        block: &ViewBlock,
        direction: (bool, i32),
        node: &mut OpenSquare,
        reach: &mut Reach,
    );

    /// A square is hidden from `lanes`.
    fn hidden(&mut self, square: (i32, i32), node: &OpenSquare, lanes: u64);

    /// The `side` × `side` displacements from (p, q) on are seen by `lanes`. They lie within the
    /// 8 × 8 displacements that begin at `square`.
    fn seen(&mut self, square: (i32, i32), from: (i32, i32), side: i32, lanes: u64);

    /// The 8 × 8 displacements that begin at `square` are done, from a block.
    fn flush(&mut self, square: (i32, i32), block: &ViewBlock);
}

/// What has been found out about a square of 8 × 8 displacements.
pub(crate) struct DisplacementSquare<'a> {
    /// Its least displacement.
    pub p: i32,
    pub q: i32,
    /// Which lanes see their target, for each displacement, row by row.
    pub masks: [u64; 64],
    /// Whether any mask is set.
    pub any: bool,
    /// What is asked, if not all is.
    pub filter: Option<&'a mut dyn LaneFilter>,
}

impl DisplacementSquare<'_> {
    /// Marks the `side` × `side` displacements from (p, q) on as seen by `lanes`.
    #[inline(always)]
    pub(crate) fn mark(&mut self, p: i32, q: i32, side: i32, lanes: u64) {
        for r in 0..side {
            let at = ((q - self.q + r) * 8 + p - self.p) as usize;
            self.masks[at..at + side as usize].fill(lanes);
        }
        self.any = true;
        if let Some(filter) = &mut self.filter {
            filter.seen((self.p, self.q), (p, q), side, lanes);
        }
    }

    /// Takes note that the displacements of a node have been found hidden from `lanes`.
    #[inline(always)]
    pub(crate) fn hide(&mut self, node: &OpenSquare, lanes: u64) {
        if let Some(filter) = &mut self.filter {
            filter.hidden((self.p, self.q), node, lanes);
        }
    }
}
