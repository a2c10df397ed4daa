//! What hides in a level at run time: the occluders of its bundle, doors that are closed, and smoke.

use super::SolidBundle;
use crate::convex::{Movable, Occluder, OccluderSides, Plane, Scale, Span, dot, plus};
use crate::format::frame::Corners;
use crate::format::occluders::Occluders;

/// Occluders, counted from the middle of the level.
#[derive(Debug)]
pub(crate) struct Solids {
    /// The level's, then the doors, then smoke.
    pub occluders: Vec<Occluder>,
    /// The doors, as they were given.
    doors: Vec<Corners>,
    /// The boxes around spheres of smoke.
    smokes: Vec<Corners>,
    /// How many are the level's.
    pub own: usize,
    /// The largest coordinate with which arithmetic is exact enough.
    extent: f64,
    /// What arithmetic may err by.
    pub scale: Scale,
    /// What occluders are counted from.
    middle: [f64; 3],
}

impl SolidBundle<'_> {
    /// What hides in the level, relative to its middle, and what arithmetic may err by: for tools that prove again what a
    /// bake has proven. `None` where the bundle does not have that, or it is damaged.
    #[doc(hidden)]
    pub fn occluders(&self) -> Option<(Vec<Occluder>, Scale)> {
        let solids = self.solids()?;
        Some((solids.occluders, solids.scale))
    }

    /// What hides in the level. `None` where the bundle does not have that, or it is damaged.
    #[inline(never)]
    pub(crate) fn solids(&self) -> Option<Solids> {
        let section = self.occluders?;
        let occluders = read(&section)?;
        Some(Solids {
            own: occluders.len(),
            occluders,
            doors: Vec::new(),
            smokes: Vec::new(),
            extent: section.extent(),
            scale: Scale::new(section.extent()),
            middle: self.parameters().middle,
        })
    }
}

/// The occluders of a bundle; `None` where it is damaged.
fn read(section: &Occluders<'_>) -> Option<Vec<Occluder>> {
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
        let kind = match record.kind {
            0 => OccluderSides::Solid,
            1 => OccluderSides::Flat,
            _ => OccluderSides::FrontOnly,
        };
        let planes = planes.collect::<Option<_>>()?;
        Some(Occluder::new(
            kind,
            planes,
            Span::between(low, high),
            record.thick,
        ))
    });
    occluders.collect()
}

impl Solids {
    /// Doors that are closed, or smoke, in place of those before, in the level's coordinates: opaque boxes, or the boxes around
    /// spheres. What of a box is no number, or further out than the level, hides nothing. They are what is movable, marked by
    /// where they are. Returns the marks of those that are open or gone now; `None` where all are as before.
    pub(crate) fn set_movable(
        &mut self,
        are_smoke: bool,
        now: &[Corners],
        movable: &mut Movable,
    ) -> Option<u64> {
        let all = if are_smoke {
            &mut self.smokes
        } else {
            &mut self.doors
        };
        if all == now {
            return None;
        }
        let gone = all.iter().filter(|of| !now.contains(of));
        let gone = gone.map(mark).fold(0, |all, of| all | of);
        all.clear();
        all.extend_from_slice(now);
        self.move_all(movable);
        Some(gone)
    }

    /// How many occluders are doors.
    pub(crate) fn doors(&self) -> usize {
        let doors = self.doors.iter();
        doors.filter(|door| self.span(**door).is_some()).count()
    }

    /// Makes occluders of doors and smoke.
    fn move_all(&mut self, movable: &mut Movable) {
        self.occluders.truncate(self.own);
        movable.first = self.own as u32;
        movable.marks.clear();
        for (is_smoke, all) in [(false, &self.doors), (true, &self.smokes)] {
            for corners in all {
                if let Some(bounds) = self.span(*corners) {
                    let occluder = inside(bounds, is_smoke, self.scale.margin);
                    self.occluders.push(occluder);
                    movable.marks.push(mark(corners));
                }
            }
        }
    }

    /// A box of the level as occluders are counted; `None` where it is none, or lies where arithmetic is not exact enough.
    pub(crate) fn span(&self, corners: Corners) -> Option<Span> {
        let [low, high] = corners.map(|corner| {
            let mut of = corner;
            for (at, middle) in of.iter_mut().zip(self.middle) {
                *at -= middle;
            }
            of
        });
        let within = |at: &f64| at.abs() <= self.extent;
        let ordered = low.iter().zip(&high).all(|(low, high)| low <= high);
        let holds = ordered && low.iter().chain(&high).all(within);
        holds.then(|| Span::between(low, high))
    }

    /// Where the eyes, or the bodies, of players are whose origins are in a box: from `below` to `above` the origin.
    pub(crate) fn around(&self, [low, high]: Corners, [below, above]: Corners) -> Option<Span> {
        self.span([plus(low, below), plus(high, above)])
    }
}

/// All of a box; or of smoke, a solid in the sphere that the box is around, with faces to each side, edge and corner of the box,
/// which hides nobody who is in the box, and nobody from them.
fn inside(bounds: Span, is_smoke: bool, margin: f64) -> Occluder {
    // Three of those faces that meet have their corner 1.128 of their distance away.
    const INSIDE: f64 = 0.886;
    let side = |number: i32, of: i32| f64::from(number / of % 3 - 1);
    let mut planes = Vec::with_capacity(26);
    for number in 0..27 {
        let way = [side(number, 1), side(number, 3), side(number, 9)];
        let square = dot(way, way);
        if square == 0.0 || square > 1.0 && !is_smoke {
            continue;
        }
        let normal = way.map(|x| x / square.sqrt());
        let [radius, ..] = bounds.half;
        let reach = if is_smoke {
            INSIDE * radius
        } else {
            dot(normal.map(f64::abs), bounds.half)
        };
        let dist = dot(normal, bounds.centre) + reach;
        planes.push(Plane { normal, dist });
    }
    let mut occluder = Occluder::solid(planes, bounds, margin);
    occluder.outside_only = is_smoke;
    occluder
}

/// The mark of a door: doors that are equal have the same, and few others.
fn mark(door: &Corners) -> u64 {
    let numbers = door.iter().flatten();
    let hash = numbers.fold(0_u64, |hash, at| {
        // Nothing less than nothing is nothing.
        let bits = (at + 0.0).to_bits();
        (hash.rotate_left(23) ^ bits).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    1 << (hash >> 58)
}
