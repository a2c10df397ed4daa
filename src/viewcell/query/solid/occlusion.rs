//! Occlusion tests at run time, of pairs of players that the bake calls visible: whether the level hides one from the
//! other.
//!
//! Cells are as large as they were baked, and where a player may be is mostly smaller than the cells that it meets. The
//! proof is the bake's (`crate::convex`), of these very boxes.

use std::time::{Duration, Instant};

use super::SolidBundle;
use super::reached::{ReachedCell, around, fill, halves, longest};
use super::solids::Solids;
use crate::convex::{Decider, Found, List, Look, Run, Span};
use crate::format::solid::Corners;
use crate::query::{Extent, ReachableSet};

/// Boxes are halved so often one after another at most.
const DEPTH: u32 = 12;

/// Tests whether positions are hidden from others by the solids of a level, by several of them if need be, and by
/// doors that are closed. For one thread; allocates when it is made, when doors are set, and while its lists grow.
#[derive(Debug)]
pub struct OcclusionTest {
    solids: Solids,
    all: List,
    decider: Decider<Clock>,
    hull: Corners,
    eye: [f64; 2],
}

/// Decides for some time.
#[derive(Debug)]
struct Clock {
    until: Option<Instant>,
}

impl Run for Clock {
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T {
        kernel()
    }

    fn goes_on(&mut self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

impl SolidBundle<'_> {
    /// A test by what hides in the level. `None` where the bundle does not have that, or it is damaged.
    pub fn occlusion_test(&self) -> Option<OcclusionTest> {
        let solids = self.solids()?;
        let mut decider = Decider::new(solids.scale, Clock { until: None });
        let of = self.parameters();
        Some(OcclusionTest {
            all: decider.all(&solids.occluders),
            solids,
            decider,
            hull: of.hull,
            eye: of.eye,
        })
    }
}

impl OcclusionTest {
    /// Doors that are closed, in place of those before: opaque boxes, in the level's coordinates. What of a box is no
    /// number, or further out than the level, hides nothing.
    pub fn set_doors(&mut self, doors: &[Corners]) {
        self.solids.set_doors(doors);
        self.all = self.decider.all(&self.solids.occluders);
    }

    /// Where the eyes of players are whose origins are in the first box, and the bodies of those in the other.
    #[inline(never)]
    fn spans(&self, [from, to]: [Corners; 2]) -> Option<[Span; 2]> {
        let eye = self.eye.map(|up| [0.0, 0.0, up]);
        let from = self.solids.around(from, eye)?;
        Some([from, self.solids.around(to, self.hull)?])
    }

    /// Whether no player whose origin is anywhere in `from` sees any part of one whose origin is anywhere in `to`,
    /// for nobody is inside what is solid. `false` where that is not proven in the time that is given.
    ///
    /// `guess` is the pair's own, 0 at first: the occluder that hid it last, which is asked first.
    pub fn hides(&mut self, from: &Extent, to: &Extent, guess: &mut u32, budget: Duration) -> bool {
        let Some([a, b]) = self.spans([from.corners(), to.corners()]) else {
            return false;
        };
        self.decider.guess = *guess;
        self.decider.run.until = Instant::now().checked_add(budget);
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
        self.decider.run.until = Instant::now().checked_add(budget);
        let hidden = self.hides_cells(level, from, to, self.all);
        *guess = self.decider.guess;
        hidden
    }

    /// Whether what is reached of some cells is hidden from what is reached of others. Boxes that cells fill are cut where
    /// shadows end; where cells leave gaps, or that decides nothing, the lists of cells are halved.
    fn hides_cells(
        &mut self,
        level: &SolidBundle<'_>,
        from: &mut [ReachedCell],
        to: &mut [ReachedCell],
        list: List,
    ) -> bool {
        let (Some(places), Some(others)) = (around(from), around(to)) else {
            return true;
        };
        let Some([a, b]) = self.spans([places, others]) else {
            return false;
        };
        let mut are_single = false;
        if let ([one], [other]) = (&*from, &*to) {
            if !level.visible(one.cell, other.cell) {
                return true;
            }
            are_single = true;
        }
        if fill(from, &places) && fill(to, &others) {
            let found = self
                .decider
                .decide(&self.solids.occluders, &a, &b, list, DEPTH);
            if found != Found::Open || are_single {
                return found == Found::Hidden;
            }
        }
        if matches!(
            self.decider.look(&self.solids.occluders, &a, &b, list),
            Look::Hidden
        ) {
            return true;
        }
        if !self.decider.run.goes_on() {
            return false;
        }
        let narrow = self.decider.narrow(&a, &b, list);
        // What is longest across, of what has cells to part.
        let sides =
            |span: Span, is_one: bool| span.half.map(|side| if is_one { -1.0 } else { side });
        let (of_from, of_to) = (sides(a, from.len() == 1), sides(b, to.len() == 1));
        let ((axis, side), (other_axis, other_side)) = (longest(of_from), longest(of_to));
        let hidden = if side >= other_side {
            let (left, right) = halves(from, places, axis);
            self.hides_cells(level, left, to, narrow) && self.hides_cells(level, right, to, narrow)
        } else {
            let (left, right) = halves(to, others, other_axis);
            self.hides_cells(level, from, left, narrow)
                && self.hides_cells(level, from, right, narrow)
        };
        self.decider.leave(list);
        hidden
    }
}
