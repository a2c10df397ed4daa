//! Occlusion tests at run time, of pairs of players that the bake calls visible: whether the level hides one from the
//! other.
//!
//! Cells are as large as they were baked, and where a player may be is mostly smaller than the cells that it meets. The
//! proof is the bake's (`crate::convex`), of these very boxes.

use std::time::{Duration, Instant};

use super::SolidBundle;
use super::reached::ReachedCell;
use crate::convex::{Decider, Found, Kind, List, Look, Occluder, Plane, Run, Scale, Span};
use crate::format::occluders::Occluders;
use crate::format::solid::{Corners, SolidParameters};
use crate::query::{Extent, ReachableSet};

/// Boxes are halved so often one after another at most.
const DEPTH: u32 = 12;

/// Tests whether positions are hidden from others by the solids of a level, by several of them if need be, and by
/// doors that are closed. For one thread; allocates when it is made, when doors are set, and while its lists grow.
#[derive(Debug)]
pub struct OcclusionTest {
    /// The level's, then the doors.
    occluders: Vec<Occluder>,
    /// How many are the level's.
    own: usize,
    all: List,
    decider: Decider<Clock>,
    extent: f64,
    scale: Scale,
    /// What occluders are counted from.
    middle: [f64; 3],
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
        OcclusionTest::new(&self.occluders?, self.parameters())
    }
}

impl OcclusionTest {
    fn new(section: &Occluders<'_>, of: &SolidParameters) -> Option<Self> {
        let mut next = 0;
        let occluders = (0..section.len()).map(|number| {
            // Each plane is of one occluder: what is made of a file is no larger than the file.
            let record = section
                .record(number)
                .filter(|record| record.first == next)?;
            next += record.planes;
            let [low, high] = record.bounds;
            let numbers = record.first..record.first + record.planes;
            let planes = numbers.map(|number| {
                let (normal, dist) = section.plane(number)?;
                Some(Plane { normal, dist })
            });
            Some(Occluder {
                kind: match record.kind {
                    0 => Kind::Solid,
                    1 => Kind::Flat,
                    _ => Kind::FrontOnly,
                },
                planes: planes.collect::<Option<_>>()?,
                bounds: Span::between(low, high),
                thick: record.thick,
            })
        });
        let occluders: Vec<Occluder> = occluders.collect::<Option<_>>()?;
        let scale = Scale::new(section.extent());
        let mut decider = Decider::new(scale, Clock { until: None });
        Some(Self {
            own: occluders.len(),
            all: decider.all(&occluders),
            occluders,
            decider,
            extent: section.extent(),
            scale,
            middle: of.middle,
            hull: of.hull,
            eye: of.eye,
        })
    }

    /// Doors that are closed, in place of those before: opaque boxes, in the level's coordinates. What of a box is no
    /// number, or further out than the level, hides nothing.
    pub fn set_doors(&mut self, doors: &[Corners]) {
        self.occluders.truncate(self.own);
        let doors = doors.iter().map(|door| self.about_middle(*door));
        let doors: Vec<Corners> = doors.filter(|door| self.holds(door)).collect();
        for [low, high] in &doors {
            let planes = (0..6).map(|side| {
                let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
                let corner = if side % 2 == 0 { high } else { low };
                let mut normal = [0.0; 3];
                if let Some(of) = normal.get_mut(axis) {
                    *of = sign;
                }
                let dist = sign * corner.get(axis).copied().unwrap_or(0.0);
                Plane { normal, dist }
            });
            let bounds = Span::between(*low, *high);
            let door = Occluder::solid(planes, bounds, self.scale.margin);
            self.occluders.push(door);
        }
        self.all = self.decider.all(&self.occluders);
    }

    /// A box as occluders are counted.
    fn about_middle(&self, of: Corners) -> Corners {
        let back = self.middle.map(|at| -at);
        of.map(|corner| plus(corner, back))
    }

    /// Whether a box is one, and lies where arithmetic is exact enough.
    fn holds(&self, [low, high]: &Corners) -> bool {
        let within = |at: &f64| at.abs() <= self.extent;
        let ordered = low.iter().zip(high).all(|(low, high)| low <= high);
        ordered && low.iter().chain(high).all(within)
    }

    /// Where the eyes of players are whose origins are in the first box, and the bodies of those in the other.
    #[inline(never)]
    fn spans(&self, [from, to]: [Corners; 2]) -> Option<[Span; 2]> {
        let eye = self.eye.map(|up| [0.0, 0.0, up]);
        let boxes = [(from, eye), (to, self.hull)];
        let boxes = boxes.map(|(of, [below, above])| {
            let [low, high] = self.about_middle(of);
            [plus(low, below), plus(high, above)]
        });
        let all_hold = boxes.iter().all(|of| self.holds(of));
        all_hold.then(|| boxes.map(|[low, high]| Span::between(low, high)))
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
            .decide(&self.occluders, &a, &b, self.all, DEPTH);
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
            let found = self.decider.decide(&self.occluders, &a, &b, list, DEPTH);
            if found != Found::Open || are_single {
                return found == Found::Hidden;
            }
        }
        if matches!(
            self.decider.look(&self.occluders, &a, &b, list),
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

/// The box around what is reached of cells.
#[inline(never)]
fn around(cells: &[ReachedCell]) -> Option<Corners> {
    let mut of = cells.first()?.bounds;
    let [low, high] = &mut of;
    for cell in cells {
        let [least, greatest] = &cell.bounds;
        for (low, least) in low.iter_mut().zip(least) {
            *low = if *least < *low { *least } else { *low };
        }
        for (high, greatest) in high.iter_mut().zip(greatest) {
            *high = if *greatest > *high { *greatest } else { *high };
        }
    }
    Some(of)
}

/// Whether cells, which have nothing in common, leave next to nothing of the box around them; one does.
fn fill(cells: &[ReachedCell], around: &Corners) -> bool {
    let volume = |[low, high]: &Corners| -> f64 {
        let sides = low.iter().zip(high).map(|(low, high)| high - low);
        sides.product()
    };
    let filled: f64 = cells.iter().map(|of| volume(&of.bounds)).sum();
    cells.len() == 1 || filled >= 0.999 * volume(around)
}

/// The axis of the longest side, and how long it is.
fn longest(sides: [f64; 3]) -> (usize, f64) {
    let axes = sides.into_iter().enumerate();
    axes.fold((0, f64::NEG_INFINITY), |best, of| {
        if of.1 > best.1 { of } else { best }
    })
}

/// Cells in either half of the box around them, along an axis; some each, whatever they are.
fn halves(
    cells: &mut [ReachedCell],
    around: Corners,
    axis: usize,
) -> (&mut [ReachedCell], &mut [ReachedCell]) {
    let sum = |[low, high]: Corners| {
        let [low, high] = [low, high].map(|corner| corner.get(axis).copied().unwrap_or(0.0));
        low + high
    };
    let middle = sum(around);
    let mut end = 0;
    for at in 0..cells.len() {
        if cells.get(at).is_some_and(|of| sum(of.bounds) < middle) {
            cells.swap(at, end);
            end += 1;
        }
    }
    let is_cut = end > 0 && end < cells.len();
    cells.split_at_mut(if is_cut { end } else { cells.len() / 2 })
}

fn plus(mut point: [f64; 3], by: [f64; 3]) -> [f64; 3] {
    for (at, by) in point.iter_mut().zip(by) {
        *at += by;
    }
    point
}
