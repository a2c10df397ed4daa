//! Whether a pair of players is hidden by what a level is made of: asked at run time, of pairs that the bake calls
//! visible.
//!
//! Cells are as large as they were baked, and where a player may be is mostly smaller than the cells that it meets. The
//! proof is the bake's (`crate::convex`), of these very boxes.

use std::time::{Duration, Instant};

use super::SolidBundle;
use crate::convex::{Decider, Found, Kind, List, Occluder, Plane, Run, Scale, Span};
use crate::format::occluders::Occluders;
use crate::format::solid::Corners;
use crate::runtime::Extent;

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
    hull: Corners,
    eye: f64,
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
        OcclusionTest::new(
            &self.occluders?,
            self.parameters().hull,
            self.parameters().eye,
        )
    }
}

impl OcclusionTest {
    fn new(section: &Occluders<'_>, hull: Corners, eye: f64) -> Option<Self> {
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
            hull,
            eye,
        })
    }

    /// Doors that are closed, in place of those before: opaque boxes, in the level's coordinates. What of a box is no
    /// number, or further out than the level, hides nothing.
    pub fn set_doors(&mut self, doors: &[Corners]) {
        self.occluders.truncate(self.own);
        let inside = |door: &&Corners| self.holds(door);
        let doors: Vec<&Corners> = doors.iter().filter(inside).collect();
        for [low, high] in doors {
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

    /// Whether a box is one, and lies where arithmetic is exact enough.
    fn holds(&self, [low, high]: &Corners) -> bool {
        let within = |at: &f64| at.abs() <= self.extent;
        let ordered = low.iter().zip(high).all(|(low, high)| low <= high);
        ordered && low.iter().chain(high).all(within)
    }

    /// Whether no player whose origin is anywhere in `from` sees any part of one whose origin is anywhere in `to`,
    /// for nobody is inside what is solid. `false` where that is not proven in the time that is given.
    ///
    /// `guess` is the pair's own, 0 at first: the occluder that hid it last, which is asked first.
    pub fn hides(&mut self, from: &Extent, to: &Extent, guess: &mut u32, budget: Duration) -> bool {
        let ([from_low, from_high], [to_low, to_high]) = (from.corners(), to.corners());
        let [hull_low, hull_high] = self.hull;
        let eye = [0.0, 0.0, self.eye];
        let eyes = [plus(from_low, eye), plus(from_high, eye)];
        let bodies = [plus(to_low, hull_low), plus(to_high, hull_high)];
        if !self.holds(&eyes) || !self.holds(&bodies) {
            return false;
        }
        self.decider.guess = *guess;
        self.decider.run.until = Instant::now().checked_add(budget);
        let [a, b] = [eyes, bodies].map(|[low, high]| Span::between(low, high));
        let found = self
            .decider
            .decide(&self.occluders, &a, &b, self.all, DEPTH);
        *guess = self.decider.guess;
        found == Found::Hidden
    }
}

fn plus(mut point: [f64; 3], by: [f64; 3]) -> [f64; 3] {
    for (at, by) in point.iter_mut().zip(by) {
        *at += by;
    }
    point
}
