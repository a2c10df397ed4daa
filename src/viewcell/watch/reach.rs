//! Where a player may be until some time: tight boxes of this frame, and larger ones that are kept for some frames. Each is
//! found when a pair asks for it.
//!
//! What is *reached* of a region, from where somebody is, are the cells, cut to the region, to which a chain of touching cells
//! leads: a flood fill ([`SolidBundle::reached`]). Three facts save most of that work. Let W be what is reached of a region R
//! from a box N, and let somebody now be in a box n in a region r within R, such that all cells of r that n touches are in W.
//!
//! - **All that is reached of r from n is in W, and is what is reached among the cells of W.** Cells that touch in r touch in R,
//!   and the first of a chain is in W; so, one after the other, are all others. So a small reach is found in a large one.
//! - **W stays what it is if R is extended beyond sides that W does not touch.** A box of W that ends before a side is the same
//!   in the extended region, and where another cell touches it there, that place is in R, and so is the cell in W. So floors
//!   and walls beside a player bound nothing: a region *holds* up to the next side that is open.
//! - As long as r is in R, so extended, boxes of before hold: nothing is computed but n's cells.
//!
//! Did not pay: a larger or smaller common region to find reaches in (443 and 326 µs on dm2 for 313).

use crate::convex::{Point, Span};
use crate::format::frame::{Corners, hull};
use crate::query::solid::Solids;
use crate::query::solid::reached::{MOST, ReachedCell, around, common, spread, touch};
use crate::query::solid::within::Parts;
use crate::query::{Extent, Motion, MotionLimits, Mover, SolidBundle, counted};

/// Kinds of boxes: that of this frame, and others that hold for longer.
pub(super) const LEVELS: usize = 4;

/// By how much the box of a level is larger: so many seconds at the present velocity, and so many at the greatest speed on
/// all sides. [Unit: s]
const LONGER: [[f64; 2]; LEVELS] = [[0.0, 0.0], [0.1, 0.04], [0.15, 0.1], [0.3, 0.3]];

/// The same of surroundings.
const AROUND: [f64; 2] = [0.15, 0.1];

/// Most cells that are kept of what is reached in a frame.
const FEW: usize = 64;

/// Work of a flood fill, and of one in surroundings.
const FLOOD: u32 = 6;
const FLOOD_IN: u32 = 1;

/// Most cells that somebody may be in now, within what their position may err by.
const MOST_HERE: usize = 8;

/// What somebody can walk to of a region.
#[derive(Debug)]
struct Walkable {
    /// The region, extended.
    region: Corners,
    /// The cells of that; `None` where they are too many.
    parts: Option<Parts>,
}

/// A box that holds as long as this frame's is within it.
#[derive(Debug, Default)]
struct Kept {
    /// Once it has been asked for.
    of: Option<Walkable>,
    /// Where the eyes, or the bodies, are of players in it.
    span: Option<Span>,
    /// Grows with each box that is given up.
    generation: u32,
}

/// Where somebody is, and goes.
#[derive(Clone, Copy, Debug)]
struct Course {
    now: Corners,
    /// Where they may be until the time that counts.
    region: Corners,
    velocity: Point,
    /// Their greatest speed, along each axis.
    speed: Point,
    /// Cells that they are in now; none if those are too many.
    here: [u32; MOST_HERE],
    count: usize,
}

/// What of a player counts: their eyes, or their body.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// `None` of nobody, and of somebody of whom nothing can be proven.
    course: Option<Course>,
    levels: [Kept; LEVELS],
    /// What is reached of each cell of the smallest box, for as long as that is kept; none if they are too many.
    cells: Vec<ReachedCell>,
    /// Where the eyes, or the body, are from an origin.
    pub offsets: Corners,
}

/// What is reached of a large region around a player, in which the reaches of smaller ones are found.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// Extended.
    region: Corners,
    cells: Vec<ReachedCell>,
    /// They were looked for in this frame.
    are_tried: bool,
}

/// What reaches are found in: a level, and memory.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub level: SolidBundle<'a>,
    room: Box<[ReachedCell]>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(level: SolidBundle<'a>) -> Self {
        Self {
            level,
            room: vec![ReachedCell::default(); MOST].into(),
        }
    }

    /// Where somebody is who is somewhere.
    fn course(
        &self,
        Mover { motion, limits, .. }: &Mover,
        step: f64,
        until: f64,
    ) -> Option<Course> {
        self.level.locate(motion.position)?;
        let [along, up] = limits.speed;
        let mut course = Course {
            now: motion.region(limits, [0.0, 0.0]).corners(),
            region: swept(motion, limits, step, until).corners(),
            velocity: motion.velocity.unwrap_or([0.0; 3]),
            speed: [along, along, up],
            here: [0; MOST_HERE],
            count: 0,
        };
        let all = self.level.parts(&Extent::of_box(course.now));
        let listed = all.and_then(|all| {
            all.each_cell(|cell| {
                *course.here.get_mut(course.count)? = cell;
                course.count += 1;
                Some(())
            })
        });
        if listed.is_none() {
            course.count = 0;
        }
        Some(course)
    }

    /// What is reached of a region, from nothing; `None` where that is nothing, or too much.
    #[inline(never)]
    fn flood(&mut self, now: Corners, region: Corners) -> Option<&[ReachedCell]> {
        let extent = Extent::of_box(region);
        let reached = self.level.reached(now, [&extent, &extent], &mut self.room);
        self.room.get(..reached?)
    }

    /// The same of a part of surroundings that have it.
    fn flood_in(
        &mut self,
        now: Corners,
        region: Corners,
        cells: &[ReachedCell],
    ) -> Option<&[ReachedCell]> {
        let mut count = 0;
        let parts = cells.iter().filter(|of| touch(&of.bounds, &region));
        for (room, of) in self.room.iter_mut().zip(parts) {
            let bounds = common(of.bounds, region);
            *room = ReachedCell { bounds, ..*of };
            count += 1;
        }
        let reached = spread(self.room.get_mut(..count)?, &now);
        self.room.get(..reached).filter(|cells| !cells.is_empty())
    }
}

impl Course {
    /// A region that somebody stays in for longer, if they go on as they do.
    fn grown(&self, [longer, more]: [f64; 2]) -> Corners {
        let [mut low, mut high] = self.region;
        let axes = self.velocity.into_iter().zip(self.speed);
        for ((low, high), (velocity, speed)) in low.iter_mut().zip(&mut high).zip(axes) {
            // Never smaller, whatever limits say.
            let (way, more) = (velocity * longer, (speed * more).max(0.0));
            *low += way.min(0.0) - more;
            *high += way.max(0.0) + more;
        }
        Extent::of_box([low, high]).corners()
    }

    /// Whether all cells that somebody is in now are of some.
    fn is_in(&self, has: impl Fn(u32) -> bool) -> bool {
        let here = self.here.get(..self.count).unwrap_or_default();
        !here.is_empty() && here.iter().all(|cell| has(*cell))
    }
}

impl Surroundings {
    /// A frame begins.
    pub(super) fn begin(&mut self) {
        self.are_tried = false;
    }

    /// Whether what is reached of a region from where somebody is now is found in these.
    #[inline(never)]
    fn have(&self, course: &Course, region: &Corners) -> bool {
        is_within(region, &self.region)
            && course.is_in(|cell| self.cells.iter().any(|of| of.cell == cell))
    }

    /// Become those of both of a player's reaches, if these have a region; and how much work that was.
    fn find(&mut self, ground: &mut Ground<'_>, of: &[Reach; 2], region: &Corners) -> u32 {
        let courses = of.iter().filter_map(|reach| reach.course.as_ref());
        let boxes = courses.map(|course| [course.now, course.grown(AROUND)]);
        let all = boxes.reduce(|[now, all], [more, others]| [hull(now, more), hull(all, others)]);
        let Some([now, all]) = all.filter(|[_, all]| is_within(region, all)) else {
            return 0;
        };
        self.are_tried = true;
        self.cells.clear();
        let Some(cells) = ground.flood(now, all) else {
            return FLOOD;
        };
        self.cells.reserve(MOST);
        self.cells.extend_from_slice(cells);
        self.region = around(cells).map_or(all, |bounds| extended(all, &bounds));
        FLOOD
    }
}

/// The positions that a player may have at any time until `until`, walls that stop them included: along each axis they may
/// lose their velocity at any time. By stairs they come up to `step` higher at once.
///
/// A velocity along an axis that somebody keeps, or loses and makes up for, is between the two of [`Motion::region`] for it
/// and for none: both bounds grow with what it was, and hold from any instant on.
pub fn swept(motion: &Motion, limits: &MotionLimits, step: f64, until: f64) -> Extent {
    let region = motion.region(limits, [0.0, until]);
    let stopped = Motion {
        velocity: motion.velocity.map(|_| [0.0; 3]),
        ..*motion
    };
    let stopped = stopped.region(limits, [0.0, until]).corners();
    let [low, mut high] = hull(region.corners(), stopped);
    let [_, _, up] = &mut high;
    *up += counted(step);
    Extent::of_box([low, high])
}

impl Reach {
    /// Becomes that of nobody, or of somebody of whom nothing can be proven.
    pub(super) fn clear(&mut self) {
        self.course = None;
        self.levels.iter_mut().for_each(Kept::give_up);
    }

    /// Becomes that of somebody in motion; `offsets` are where the eyes, or the body, are from an origin. Boxes of before are
    /// kept where they hold. False where nothing can be proven.
    pub(super) fn set(
        &mut self,
        ground: &Ground<'_>,
        mover: &Mover,
        [step, until]: [f64; 2],
        offsets: Corners,
    ) -> bool {
        if self.offsets != offsets {
            self.clear();
            self.offsets = offsets;
        }
        self.course = ground.course(mover, step, until);
        for kept in &mut self.levels {
            if !self
                .course
                .as_ref()
                .is_some_and(|course| kept.holds(course))
            {
                kept.give_up();
            }
        }
        self.course.is_some()
    }

    /// Finds the box of a level of one of a player's two reaches, if it is not known; and how much work that was.
    #[inline(never)]
    pub(super) fn find(
        reaches: &mut [Self; 2],
        which: usize,
        level: usize,
        surroundings: &mut Surroundings,
        (ground, solids): (&mut Ground<'_>, &Solids),
    ) -> u32 {
        let of = reaches.get(which);
        let course = of.and_then(|reach| reach.course);
        let is_known = of.is_none_or(|reach| {
            let kept = reach.levels.get(level);
            kept.is_none_or(|kept| kept.of.is_some())
        });
        let (Some(course), false, Some(longer)) = (course, is_known, LONGER.get(level)) else {
            return 0;
        };
        let region = course.grown(*longer);
        let mut work = 0;
        let mut are_around = surroundings.have(&course, &region);
        if !are_around && !surroundings.are_tried {
            work = surroundings.find(ground, reaches, &region);
            are_around = surroundings.have(&course, &region);
        }
        let cells = if are_around {
            work += FLOOD_IN;
            ground.flood_in(course.now, region, &surroundings.cells)
        } else {
            work += FLOOD;
            ground.flood(course.now, region)
        };
        let reach = reaches.get_mut(which);
        let Some((reach, kept)) = reach.and_then(|reach| {
            let kept = reach.levels.get_mut(level)?;
            Some(((&mut reach.cells, reach.offsets), kept))
        }) else {
            return work;
        };
        let (few, offsets) = reach;
        if level == 0 {
            // A proof cell by cell is kept with the box, and so must be of its cells.
            few.clear();
            few.reserve(FEW);
            few.extend_from_slice(cells.filter(|cells| cells.len() <= FEW).unwrap_or_default());
        }
        let (bounds, parts) = match cells.and_then(|cells| Some((cells, around(cells)?))) {
            Some((cells, bounds)) => (bounds, Parts::of(cells)),
            None => (region, ground.level.parts(&Extent::of_box(region))),
        };
        kept.span = solids.around(bounds, offsets);
        kept.of = Some(Walkable {
            region: extended(region, &bounds),
            parts,
        });
        work
    }

    /// The box of a level, if there is one.
    pub(super) fn span(&self, level: usize) -> Option<&Span> {
        self.levels.get(level)?.span.as_ref()
    }

    /// The cells of a level, if they are known.
    pub(super) fn parts(&self, level: usize) -> Option<&Parts> {
        self.levels.get(level)?.of.as_ref()?.parts.as_ref()
    }

    /// What is reached of each cell of the smallest box; none if they are too many.
    pub(super) fn cells(&self) -> &[ReachedCell] {
        &self.cells
    }

    /// Whether an eye, or a part of the body, of somebody who is in a reached cell may be at a point.
    pub(super) fn meets(&self, solids: &Solids, at: Point) -> bool {
        let spans = self
            .cells
            .iter()
            .map(|of| solids.around(of.bounds, self.offsets));
        let mut spans = spans.flatten();
        self.cells.is_empty() || spans.any(|span| span.holds(at))
    }

    /// What tells a box of a level from those before.
    pub(super) fn generation(&self, level: usize) -> u32 {
        self.levels.get(level).map_or(0, |kept| kept.generation)
    }
}

impl Kept {
    /// Whether the box is known, and has all that is reached now.
    fn holds(&self, course: &Course) -> bool {
        self.of.as_ref().is_some_and(|of| {
            let parts = of.parts.as_ref();
            is_within(&course.region, &of.region)
                && parts.is_some_and(|parts| course.is_in(|cell| parts.holds(cell)))
        })
    }

    fn give_up(&mut self) {
        if self.of.take().is_some() {
            self.generation = self.generation.wrapping_add(1);
        }
        self.span = None;
    }
}

/// A region, endless on sides that what is reached of it, which is within these bounds, does not touch.
fn extended(region: Corners, [least, greatest]: &Corners) -> Corners {
    let [mut low, mut high] = region;
    for (low, least) in low.iter_mut().zip(least) {
        *low = if least > low { f64::NEG_INFINITY } else { *low };
    }
    for (high, greatest) in high.iter_mut().zip(greatest) {
        *high = if greatest < high {
            f64::INFINITY
        } else {
            *high
        };
    }
    [low, high]
}

/// Whether a box is all in another.
#[inline(never)]
pub(super) fn is_within([a, b]: &Corners, [c, d]: &Corners) -> bool {
    let below =
        |low: &[f64; 3], high: &[f64; 3]| low.iter().zip(high).all(|(low, high)| low <= high);
    below(c, a) && below(b, d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use crate::query::Bundle;

    const ROOMS: &[u8] = include_bytes!("../../../tests/golden/v1/solid.vcb");

    fn numbers(parts: &Parts) -> Vec<u32> {
        let mut cells = Vec::new();
        parts.each_cell(|cell| {
            cells.push(cell);
            Some(())
        });
        cells
    }

    /// The slow twin: a flood fill of the same region, from nothing.
    #[test]
    fn what_is_found_in_surroundings_or_kept_is_what_is_found_from_nothing() {
        let level = Bundle::from_bytes(ROOMS).unwrap().solid().unwrap();
        let solids = level.solids().unwrap();
        let offsets = [[-15.0, -15.0, -24.0], [15.0, 15.0, 32.0]];
        let (mut ground, mut twin) = (Ground::new(level), Ground::new(level));
        let mut dice = Dice(11);
        let (mut fresh, mut kept, mut in_surroundings) = (0, 0, 0);
        for _ in 0..40 {
            let mut reaches = [Reach::default(), Reach::default()];
            let mut surroundings = Surroundings::default();
            let mut at = [0.0; 3];
            for _ in 0..50 {
                let velocity = [0; 3].map(|_| 600.0 * (dice.fraction() - 0.5));
                let ahead = 0.2 * dice.fraction();
                // Walls are passed now and then, and error boxes reach through them.
                let mut next: Point =
                    std::array::from_fn(|k| at[k] + 0.03 * velocity[k] * dice.fraction());
                while level.locate(next).is_none() {
                    next = [528.0, 384.0, 60.0].map(|side| side * dice.fraction());
                }
                at = next;
                surroundings.begin();
                for reach in &mut reaches {
                    let mover = Mover {
                        motion: Motion {
                            position: at,
                            velocity: Some(velocity),
                        },
                        limits: MotionLimits {
                            speed: [320.0, 700.0],
                            acceleration: [3200.0, 800.0],
                            impulse: [0.0, 270.0],
                            error: [f64::from(dice.roll(2)) * 12.0 * dice.fraction(); 2],
                        },
                        times: [0.0, ahead],
                    };
                    assert!(reach.set(&ground, &mover, [18.0, ahead], offsets));
                }
                for _ in 0..3 {
                    let (which, number) = (dice.roll(2) as usize, dice.roll(4) as usize);
                    let was_known = reaches[which].levels[number].of.is_some();
                    let both = (&mut ground, &solids);
                    Reach::find(&mut reaches, which, number, &mut surroundings, both);
                    let reach = &reaches[which];
                    let course = reach.course.unwrap();
                    let (parts, span) = (reach.parts(number), reach.span(number));
                    let longer = if was_known { [0.0; 2] } else { LONGER[number] };
                    let region = course.grown(longer);
                    let cells = twin.flood(course.now, region).unwrap();
                    let of = solids.around(around(cells).unwrap(), offsets);
                    let mut twins: Vec<u32> = cells.iter().map(|of| of.cell).collect();
                    twins.sort_unstable();
                    if was_known {
                        kept += 1;
                        assert!(twins.iter().all(|cell| parts.unwrap().holds(*cell)));
                        // Middles and halves of sides are rounded.
                        let [a, c] = [span.unwrap(), &of.unwrap()]
                            .map(|of| [of.min().map(|at| at + 1e-9), of.max().map(|at| at - 1e-9)]);
                        let a = [a[0].map(|at| at - 2e-9), a[1].map(|at| at + 2e-9)];
                        assert!(is_within(&c, &a), "{course:?}: {c:?}, not in {a:?}");
                    } else {
                        fresh += 1;
                        in_surroundings += u32::from(surroundings.have(&course, &region));
                        let mut found = numbers(parts.unwrap());
                        found.sort_unstable();
                        assert_eq!(found, twins, "{course:?}");
                        assert_eq!(span, of.as_ref(), "{course:?}");
                    }
                }
            }
        }
        // Or nothing was compared.
        assert!(
            kept > 300 && in_surroundings > 300 && fresh > in_surroundings,
            "{kept} {fresh} {in_surroundings}"
        );
    }
}
