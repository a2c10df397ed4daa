//! Whether what is reached of some cells is hidden from what is reached of others, cell by cell: a box around all that is
//! reached may be too much, for it reaches through walls.

use super::reached::{ReachedCell, around, fill, halves, longest};
use super::solids::Solids;
use super::{Budget, SolidBundle};
use crate::convex::{Decider, Found, List, Look, Run};
use crate::format::frame::Corners;

/// Boxes are cut so often one after another at most.
pub(crate) const DEPTH: u32 = 12;

/// What a proof is about.
#[derive(Clone, Copy)]
pub(crate) struct CellByCell<'q> {
    pub level: &'q SolidBundle<'q>,
    pub solids: &'q Solids,
    /// Where eyes are from origins, and bodies.
    pub offsets: [Corners; 2],
    /// Whether the bake is of such.
    pub is_baked: bool,
}

impl CellByCell<'_> {
    /// Whether that is proven, as long as the decider goes on. Lists of cells, which have nothing in common, are halved until
    /// the bake or an occluder hides one part from the other; boxes that their cells fill are cut where shadows end. The
    /// decider's list is left as it was.
    pub(crate) fn hides(
        &self,
        decider: &mut Decider<Budget>,
        [from, to]: [&mut [ReachedCell]; 2],
        list: List,
    ) -> bool {
        let (Some(places), Some(others)) = (around(from), around(to)) else {
            return true;
        };
        let [eyes, body] = self.offsets;
        let spans = self.solids.around(places, eyes);
        let spans = spans.zip(self.solids.around(others, body));
        let Some((a, b)) = spans else {
            return false;
        };
        let occluders = &self.solids.occluders;
        let mut are_single = false;
        if let ([one], [other]) = (&*from, &*to) {
            if self.is_baked && !self.level.visible(one.cell, other.cell) {
                return true;
            }
            are_single = true;
        }
        if fill(from, &places) && fill(to, &others) {
            let found = decider.decide(occluders, &a, &b, list, DEPTH);
            if found != Found::Open || are_single {
                return found == Found::Hidden;
            }
        }
        if matches!(decider.look(occluders, &a, &b, list), Look::Hidden) {
            return true;
        }
        if !decider.run.goes_on() {
            return false;
        }
        let narrow = decider.narrow(&a, &b, list);
        // What is longest across, of what has cells to part.
        let sides =
            |half: [f64; 3], is_one: bool| half.map(|side| if is_one { -1.0 } else { side });
        let of_from = longest(sides(a.half, from.len() == 1));
        let of_to = longest(sides(b.half, to.len() == 1));
        let hidden = if of_from.1 >= of_to.1 {
            let (left, right) = halves(from, places, of_from.0);
            self.hides(decider, [left, to], narrow) && self.hides(decider, [right, to], narrow)
        } else {
            let (left, right) = halves(to, others, of_to.0);
            self.hides(decider, [from, left], narrow) && self.hides(decider, [from, right], narrow)
        };
        decider.leave(list);
        hidden
    }
}
