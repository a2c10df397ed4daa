//! Occlusion tests at run time, of pairs of players that the bake calls visible: whether the level hides one from the
//! other.
//!
//! Cells are as large as they were baked, and where a player may be is mostly smaller than the cells that it meets. The
//! proof is the bake's (`crate::convex`), of these very boxes.

use std::time::Duration;

use super::cell_by_cell::{CellByCell, DEPTH};
use super::solids::Solids;
use super::{Budget, SolidBundle};
use crate::convex::{Decider, Found, List, Span};
use crate::format::Frame;
use crate::format::frame::Corners;
use crate::query::{Extent, ReachableSet};

/// Tests whether positions are hidden from others by the solids of a level, by several of them if need be, and by
/// doors that are closed. For one thread; allocates when it is made, when doors are set, and while its lists grow.
#[derive(Debug)]
pub struct OcclusionTest {
    solids: Solids,
    all: List,
    decider: Decider<Budget>,
    hull: Corners,
    eye: [f64; 2],
    /// What it is asked with.
    frame: Frame,
}

impl SolidBundle<'_> {
    /// A test by what hides in the level. `None` where the bundle does not have that, or it is damaged.
    pub fn occlusion_test(&self) -> Option<OcclusionTest> {
        let solids = self.solids()?;
        let mut decider = Decider::new(solids.scale, Budget::new());
        let of = self.parameters();
        Some(OcclusionTest {
            all: decider.all(&solids.occluders),
            solids,
            decider,
            hull: of.hull,
            eye: of.eye,
            frame: self.frame(),
        })
    }
}

/// A door of the level, not larger than it is.
pub(crate) fn door(frame: Frame, asked: Corners) -> Corners {
    frame.rounded(frame.corners_to_level(asked), -1.0)
}

impl OcclusionTest {
    /// Doors that are closed, in place of those before: opaque boxes, in the coordinates that the level is asked with. What of
    /// a box is no number, or further out than the level, hides nothing.
    pub fn set_doors(&mut self, doors: &[Corners]) {
        let doors: Vec<Corners> = doors.iter().map(|of| door(self.frame, *of)).collect();
        self.solids
            .set_movable(false, &doors, &mut self.decider.movable);
        self.all = self.decider.all(&self.solids.occluders);
    }

    /// Where eyes are from origins.
    fn eyes(&self) -> Corners {
        self.eye.map(|up| [0.0, 0.0, up])
    }

    /// Where the eyes of players are whose origins are in the first box, and the bodies of those in the other.
    #[inline(never)]
    fn spans(&self, [from, to]: [Corners; 2]) -> Option<[Span; 2]> {
        let from = self.solids.around(from, self.eyes())?;
        Some([from, self.solids.around(to, self.hull)?])
    }

    /// Whether no player whose origin is anywhere in `from` sees any part of one whose origin is anywhere in `to`,
    /// for nobody is inside what is solid. `false` where that is not proven in the time that is given.
    ///
    /// `guess` is the pair's own, 0 at first: the occluder that hid it last, which is asked first.
    pub fn hides(&mut self, from: &Extent, to: &Extent, guess: &mut u32, budget: Duration) -> bool {
        let both = [from, to].map(|of| of.to_level(self.frame).corners());
        let Some([a, b]) = self.spans(both) else {
            return false;
        };
        self.decider.guess = *guess;
        self.decider.run.go_on_for(budget);
        let found = self
            .decider
            .decide(&self.solids.occluders, &a, &b, self.all, DEPTH);
        *guess = self.decider.guess;
        found == Found::Hidden
    }
}

impl OcclusionTest {
    /// The same for players who are anywhere in reachable sets of the level: cell by cell where need be, so that nobody is
    /// looked for where nobody can come to, nor where the bundle hides one cell from another. `false` where either may be
    /// anywhere, and for sets of another level.
    pub fn hides_reachable(
        &mut self,
        level: &SolidBundle<'_>,
        [from, to]: [&mut ReachableSet<'_>; 2],
        guess: &mut u32,
        budget: Duration,
    ) -> bool {
        let are_of_level = from.is_of(level) && to.is_of(level);
        let (from, to) = (from.reached(), to.reached());
        if !are_of_level || from.is_empty() || to.is_empty() {
            return false;
        }
        self.decider.guess = *guess;
        self.decider.run.go_on_for(budget);
        let question = CellByCell {
            level,
            solids: &self.solids,
            offsets: [self.eyes(), self.hull],
            is_baked: true,
        };
        let hidden = question.hides(&mut self.decider, [from, to], self.all);
        *guess = self.decider.guess;
        hidden
    }
}
