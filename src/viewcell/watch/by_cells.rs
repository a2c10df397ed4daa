//! The proof cell by cell, where a box around all that is reached is too much: it reaches through walls.
//!
//! What is reached of cells, which have nothing in common, is halved list by list, until the boxes around parts of the lists
//! are filled by their cells, or the bake or an occluder hides one part from the other.

use super::proof::Prover;
use crate::convex::{Found, List, Look};
use crate::format::solid::Corners;
use crate::query::SolidBundle;
use crate::query::solid::Solids;
use crate::query::solid::reached::{ReachedCell, around, fill, halves, longest};

/// What a proof is about: a level, what hides in it, where eyes and bodies are from origins, and whether the bake is of
/// such.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub level: &'q SolidBundle<'q>,
    pub solids: &'q Solids,
    pub offsets: [Corners; 2],
    pub is_baked: bool,
}

impl Prover {
    /// Looks for a proof that no eye at what is reached of some cells sees any of what is at others, with so much work; and
    /// how much it took.
    pub(super) fn prove_cells(
        &mut self,
        question: Question<'_>,
        [from, to]: [&mut [ReachedCell]; 2],
        work: u32,
    ) -> (bool, u32) {
        self.begin_work(work);
        let (Some(a), Some(b)) = (around(from), around(to)) else {
            return (false, 0);
        };
        let (Some(a), Some(b)) = (
            question.solids.around(a, question.offsets[0]),
            question.solids.around(b, question.offsets[1]),
        ) else {
            return (false, 0);
        };
        let list = self.all(&a, &b);
        let hidden = self.hides(&question, from, to, list);
        (hidden, work - self.work_left())
    }

    fn hides(
        &mut self,
        question: &Question<'_>,
        from: &mut [ReachedCell],
        to: &mut [ReachedCell],
        list: List,
    ) -> bool {
        let (Some(places), Some(others)) = (around(from), around(to)) else {
            return true;
        };
        let solids = question.solids;
        let [eyes, body] = question.offsets;
        let (Some(a), Some(b)) = (solids.around(places, eyes), solids.around(others, body)) else {
            return false;
        };
        let mut are_single = false;
        if let ([one], [other]) = (&*from, &*to) {
            if question.is_baked && !question.level.visible(one.cell, other.cell) {
                return true;
            }
            are_single = true;
        }
        if fill(from, &places) && fill(to, &others) {
            let found = self.decide(solids, [&a, &b], list);
            if found != Found::Open || are_single {
                return found == Found::Hidden;
            }
        }
        if matches!(self.look(solids, [&a, &b], list), Look::Hidden) {
            return true;
        }
        if !self.goes_on() {
            return false;
        }
        let mine = self.narrow([&a, &b], list);
        // What is longest across, of what has cells to part.
        let sides =
            |half: [f64; 3], is_one: bool| half.map(|side| if is_one { -1.0 } else { side });
        let of_from = longest(sides(a.half, from.len() == 1));
        let of_to = longest(sides(b.half, to.len() == 1));
        let hidden = if of_from.1 >= of_to.1 {
            let (left, right) = halves(from, places, of_from.0);
            self.hides(question, left, to, mine) && self.hides(question, right, to, mine)
        } else {
            let (left, right) = halves(to, others, of_to.0);
            self.hides(question, from, left, mine) && self.hides(question, from, right, mine)
        };
        self.leave(list);
        hidden
    }
}
