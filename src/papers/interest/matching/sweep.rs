//! Continuous matching: pairs that overlap at some instant between two ticks.
//!
//! The box around the path of a region that moves far is long, and most long boxes that overlap hold regions
//! that never meet. So pairs are bounded before they are solved, and each step looks only at what the one before
//! leaves:
//!
//! 1. Boxes around the paths are sorted into cells, and those that overlap are found as in an ordinary tick. Where there
//!    are very many, the time is divided into parts, in which boxes are shorter.
//! 2. Two that are found are kept apart if a segment misses a box: how they move relative to each other, and
//!    both together at their largest ([`Tube::may_meet`]). That is computed in single precision, with a margin
//!    for all that is rounded.
//! 3. What is left is decided exactly ([`linear`]). A pair counts in the part in which it begins to overlap.
//!
//! Did not pay: two or three parts of the time unless tens of thousands of boxes are looked at; regions in the order of
//! their cells (slower up to 10,000, a sixth less at 100,000).

use core::ops::Range;

use super::motion::{Span, linear};
use super::regions::{Regions, typical_speed};
use viewcell::interest::Bounds;
use viewcell::interest::hash_grid::{Effort, HashCells, Space, Tuning, fork_join};
use viewcell::interest::keys::{Key, key};

/// As many parts of the time as pay at most.
const PARTS: u32 = 8;

/// The time is divided further where a region looks at more boxes than this in each part, and less where
/// it looks at fewer. Half as many parts have up to eight times as many.
const MANY: u64 = 600;
const FEW: u64 = 60;

/// Three axes, and a lane that is 0.
type Lanes = [f32; 4];

/// More than what is lost where numbers are so small that they have fewer digits.
const TINY: Lanes = [f32::MIN_POSITIVE; 4];

#[inline(always)]
fn zip(a: Lanes, b: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [f(ax, bx), f(ay, by), f(az, bz), f(aw, bw)]
}

#[inline(always)]
fn plus(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a + b)
}

#[inline(always)]
fn minus(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a - b)
}

#[inline(always)]
fn times(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a * b)
}

#[inline(always)]
fn larger(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| if a > b { a } else { b })
}

#[inline(always)]
fn scaled(a: Lanes, by: f32) -> Lanes {
    a.map(|a| a * by)
}

#[inline(always)]
fn absolute(a: Lanes) -> Lanes {
    a.map(f32::abs)
}

/// The axes in turn: y, z, x.
#[inline(always)]
fn turned([x, y, z, w]: Lanes) -> Lanes {
    [y, z, x, w]
}

/// Part of the time between two ticks.
#[derive(Clone, Copy, Debug)]
struct Part {
    number: u32,
    of: u32,
}

/// A copy of a region.
#[derive(Clone, Copy, Debug)]
struct Moving {
    was: Bounds,
    now: Bounds,
    index: u32,
    has_moved: bool,
}

impl Moving {
    #[inline]
    fn new(regions: &Regions, index: u32) -> Self {
        Self {
            was: *regions.was(index),
            now: *regions.now(index),
            index,
            has_moved: regions.has_moved(index),
        }
    }

    /// Where it is in a part of the time.
    #[inline]
    fn tube(&self, Part { number, of }: Part) -> Tube {
        // What comes is there at the end only, and what goes at the beginning.
        let was = if self.was == Bounds::NOWHERE {
            &self.now
        } else {
            &self.was
        };
        let now = if self.now == Bounds::NOWHERE {
            &self.was
        } else {
            &self.now
        };
        let lanes = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        let halves = |bounds: &Bounds| {
            let (low, high) = (
                scaled(lanes(bounds.min()), 0.5),
                scaled(lanes(bounds.max()), 0.5),
            );
            let far = larger(absolute(low), absolute(high));
            (plus(low, high), minus(high, low), far)
        };
        let ((first, reach, far), (last, last_reach, last_far)) = (halves(was), halves(now));
        let (from, to) = (number as f32 / of as f32, (number + 1) as f32 / of as f32);
        let share = 0.5 * (from + to);
        let rounding = scaled(larger(far, last_far), 64.0 * f32::EPSILON);
        Tube {
            middle: plus(scaled(first, 1.0 - share), scaled(last, share)),
            way: scaled(minus(scaled(last, 0.5), scaled(first, 0.5)), to - from),
            reach: plus(plus(larger(reach, last_reach), rounding), TINY),
        }
    }

    /// How the two meet, if they do and begin to in this part of the time, or have from its beginning.
    #[inline]
    fn meets(&self, other: &Self, Part { number, of }: Part) -> Option<Meeting> {
        let overlapped = self.was.overlaps(&other.was);
        if overlapped && number > 0 {
            return None;
        }
        let overlap = self.now.overlaps(&other.now);
        if overlapped && overlap {
            // Who overlaps at both ends of a straight way does so all along.
            return Some(Meeting::Throughout);
        }
        let span = linear([&self.was, &other.was], [&self.now, &other.now])?;
        let begins_in = (span.from * f64::from(of)) as u32;
        let is_here = begins_in.min(of - 1) == number;
        is_here.then_some(Meeting::Partly(span, !overlapped, !overlap))
    }
}

/// How two meet.
enum Meeting {
    Throughout,
    /// When, whether they begin to overlap then, and whether they cease to.
    Partly(Span, bool, bool),
}

/// A pair to which something happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub key: Key,
    pub span: Span,
    pub began: bool,
    pub ceased: bool,
}

/// Where a region is in a part of the time: its middle on a segment, `way` to both sides of a middle, and
/// no corner farther from it along any axis than `reach`.
///
/// No coordinate of the region is larger than some M. Then `middle`, `way` and what of `reach` is half a side are
/// wrong by some 20 roundings of M (of 2^-24 each) together, and what is computed below by another 15, since nothing in
/// it is larger than a few M. `reach` is longer by 64 of them than it need be.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Tube {
    middle: Lanes,
    way: Lanes,
    reach: Lanes,
}

impl Tube {
    /// A box around it.
    #[inline]
    fn bounds(&self) -> Bounds {
        let far = plus(absolute(self.way), self.reach);
        let least = |a: f32| if a > f32::MIN { a } else { f32::MIN };
        let most = |a: f32| if a < f32::MAX { a } else { f32::MAX };
        let ([ax, ay, az, _], [bx, by, bz, _]) = (
            minus(self.middle, far).map(least),
            plus(self.middle, far).map(most),
        );
        Bounds::of_corners([ax, ay, az], [bx, by, bz])
    }

    /// Whether two may overlap; if not, they surely do not.
    ///
    /// Seen from the one, the middle of the other moves along a segment. They meet only if it comes into a box that
    /// reaches as far as both together. It does not if it is beside it along an axis, or along the cross product
    /// of the segment and an axis (Ericson, Real-Time Collision Detection, section 5.3.3).
    #[inline(always)]
    fn may_meet(&self, other: &Self) -> bool {
        let middle = minus(self.middle, other.middle);
        let way = minus(self.way, other.way);
        let reach = plus(self.reach, other.reach);
        let length = absolute(way);
        let beside = minus(absolute(middle), plus(reach, length));
        let across = absolute(minus(
            times(middle, turned(way)),
            times(turned(middle), way),
        ));
        let shadow = plus(times(reach, turned(length)), times(turned(reach), length));
        // Where products are too small to be numbers, or too large, they part nobody.
        let shadow = plus(shadow, TINY);
        let lanes = beside.into_iter().zip(across.into_iter().zip(shadow));
        !lanes.fold(false, |apart, (beside, (across, shadow))| {
            apart | (beside > 0.0) | ((across > shadow) & (across <= f32::MAX))
        })
    }
}

/// The regions of a role, and where they are in a part of the time.
#[derive(Debug, Default)]
struct Role {
    moving: Vec<Moving>,
    tubes: Vec<Tube>,
}

impl Role {
    fn fit(&mut self, part: Part) {
        self.tubes.clear();
        self.tubes
            .extend(self.moving.iter().map(|moving| moving.tube(part)));
    }
}

/// What one thread finds.
#[derive(Debug, Default)]
struct Finder {
    stay: Vec<Key>,
    met: Vec<Met>,
    effort: Effort,
    /// Regions that looked for others, and boxes that they found to overlap.
    looked: u64,
    found: u64,
    hits: Vec<u32>,
}

/// What finds pairs, and those that were found last.
#[derive(Debug)]
pub(super) struct Sweep {
    space: Space,
    /// Updates, and subscriptions.
    roles: [Role; 2],
    /// Into how many parts the time is to be divided.
    pub parts: u32,
    finders: Vec<Finder>,
    /// Pairs that overlap throughout, and those to which something happens, in no order.
    pub stay: Vec<Key>,
    pub met: Vec<Met>,
}

impl Sweep {
    pub(super) fn with_threads(threads: usize) -> Self {
        let mut finders = Vec::new();
        finders.resize_with(threads.max(1), Finder::default);
        Self {
            space: Space::new(Tuning::LONG),
            roles: Default::default(),
            parts: 1,
            finders,
            stay: Vec::new(),
            met: Vec::new(),
        }
    }

    /// Finds the pairs of regions, by the indices of updates and of subscriptions; if `only_moved`, those pairs of
    /// which one has moved; by all threads if `together`.
    pub(super) fn find(
        &mut self,
        regions: &Regions,
        members: &[Vec<u32>; 2],
        only_moved: bool,
        together: bool,
    ) {
        self.stay.clear();
        self.met.clear();
        for (role, members) in self.roles.iter_mut().zip(members) {
            role.moving.clear();
            let moving = members.iter().map(|&index| Moving::new(regions, index));
            role.moving.extend(moving);
        }
        // A part in which nothing moves by more than its own side is short enough.
        let of = self.parts.min(typical_speed(regions) as u32).max(1);
        let (mut looked, mut looked_at) = (0, 0);
        for number in 0..of {
            let [regions, boxes] = self.find_in(Part { number, of }, only_moved, together);
            (looked, looked_at) = (looked + regions, looked_at + boxes);
        }
        if only_moved {
            return;
        }
        let parts = if looked_at > MANY * looked {
            (2 * of).min(PARTS)
        } else if looked_at < FEW * looked {
            (of / 2).max(1)
        } else {
            of
        };
        if parts != of {
            self.space.renew();
        }
        self.parts = parts;
    }

    /// Adds what is found in one part of the time. Returns how many regions looked for others, and at how
    /// many boxes.
    fn find_in(&mut self, part: Part, only_moved: bool, together: bool) -> [u64; 2] {
        let Self {
            space,
            roles,
            finders,
            stay,
            met,
            ..
        } = self;
        roles.iter_mut().for_each(|role| role.fit(part));
        let boxes = roles
            .each_ref()
            .map(|role| role.tubes.iter().map(Tube::bounds));
        space.place(boxes, together);
        let looks = space.looks(only_moved);
        let tables = space.cells.iter_mut().zip(&*roles);
        for ((cells, role), is_looked_in) in tables.zip(looks.iter().rev()) {
            if *is_looked_in {
                let bounds = |at: u32| {
                    let tube = role.tubes.get(at as usize);
                    tube.map_or(Bounds::NOWHERE, Tube::bounds)
                };
                cells.gather(0..role.tubes.len() as u32, bounds, together);
            }
        }
        let threads = if together { finders.len() } else { 1 };
        let (roles, cells) = (&*roles, &space.cells);
        fork_join(
            finders
                .iter_mut()
                .take(threads)
                .enumerate()
                .map(|(thread, finder)| {
                    move || {
                        for (role, looks) in looks.into_iter().enumerate() {
                            let quest = Quest {
                                roles,
                                cells,
                                role,
                                part,
                                only_moved,
                            };
                            let count = quest.count();
                            let share = count * thread / threads..count * (thread + 1) / threads;
                            finder.search(&quest, if looks { share } else { 0..0 });
                        }
                    }
                }),
        );
        let (mut effort, mut looked, mut found) = (Effort::default(), 0, 0);
        for finder in finders.iter_mut().take(threads) {
            stay.append(&mut finder.stay);
            met.append(&mut finder.met);
            effort.add(core::mem::take(&mut finder.effort));
            looked += core::mem::take(&mut finder.looked);
            found += core::mem::take(&mut finder.found);
        }
        if !only_moved {
            space.adapt(effort);
        }
        [looked, found + effort.misses]
    }

    pub(super) fn bytes(&self) -> usize {
        let met = |met: &Vec<Met>| met.capacity() * size_of::<Met>();
        let keys = |keys: &Vec<Key>| keys.capacity() * size_of::<Key>();
        let finders = self.finders.iter().map(|finder| {
            let hits = finder.hits.capacity() * size_of::<u32>();
            keys(&finder.stay) + met(&finder.met) + hits
        });
        let roles = self.roles.iter().map(|role| {
            role.moving.capacity() * size_of::<Moving>() + role.tubes.capacity() * size_of::<Tube>()
        });
        let own = self.space.bytes() + keys(&self.stay) + met(&self.met);
        own + finders.sum::<usize>() + roles.sum::<usize>()
    }
}

/// What is looked through.
#[derive(Clone, Copy, Debug)]
struct Quest<'g> {
    roles: &'g [Role; 2],
    cells: &'g [HashCells; 2],
    /// Which of the two look for the others.
    role: usize,
    part: Part,
    only_moved: bool,
}

impl<'g> Quest<'g> {
    /// Those who look, and the others.
    fn sides(&self) -> [(&'g Role, &'g HashCells); 2] {
        let ([a, b], [c, d]) = (self.roles, self.cells);
        match self.role {
            0 => [(a, c), (b, d)],
            _ => [(b, d), (a, c)],
        }
    }

    fn count(&self) -> usize {
        let [(own, _), _] = self.sides();
        own.moving.len()
    }
}

impl Finder {
    /// Finds the pairs of some of those who look.
    fn search(&mut self, quest: &Quest<'_>, some: Range<usize>) {
        let Quest {
            role,
            part,
            only_moved,
            ..
        } = *quest;
        let [(own, own_cells), (others, cells)] = quest.sides();
        let looking = own.moving.get(some.clone()).unwrap_or_default();
        let tubes = own.tubes.get(some).unwrap_or_default();
        for (moving, tube) in looking.iter().zip(tubes) {
            if only_moved && !moving.has_moved {
                continue;
            }
            let bounds = tube.bounds();
            let level = own_cells.layers.level(&bounds);
            let mut found = 0;
            for layer in cells.layers.all() {
                let looks = layer.level > level || layer.level == level && role == 0;
                if looks || only_moved {
                    let Self { hits, effort, .. } = self;
                    found = cells.near(layer, &bounds, hits, found, effort);
                }
            }
            self.looked += 1;
            self.found += found as u64;
            for &hit in self.hits.get(..found).unwrap_or_default() {
                let at = hit as usize;
                let (Some(other_tube), Some(other)) = (others.tubes.get(at), others.moving.get(at))
                else {
                    continue;
                };
                if !tube.may_meet(other_tube) || moving.index == other.index {
                    continue;
                }
                // Of two that have moved the update finds the other.
                if only_moved && role == 1 && other.has_moved {
                    continue;
                }
                let key = match role {
                    0 => key(moving.index, other.index),
                    _ => key(other.index, moving.index),
                };
                match moving.meets(other, part) {
                    Some(Meeting::Throughout) => self.stay.push(key),
                    Some(Meeting::Partly(span, began, ceased)) => self.met.push(Met {
                        key,
                        span,
                        began,
                        ceased,
                    }),
                    None => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of which many just touch, near the origin and where floats are coarse, as small and as large as floats are.
    #[test]
    fn who_overlaps_is_never_kept_apart_by_bounds() {
        let mut state = 5_u64;
        let mut roll = |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_041);
            (state >> 33) % sides
        };
        let (mut met, mut apart) = (0, 0);
        for round in 0..400_000 {
            let size = [1.0, 1e-3, 1e-30, 1e-38, 1e-44, 1e17, 1e25, 3e37][round % 8];
            let far = [0.0, 1e6, 1e3, 0.0][round % 4] * if size < 1e17 { size } else { 0.0 };
            let steps = [4, 30, 1 << 20][round % 3];
            let mut moving = || {
                let mut corners = || {
                    let mut axes = || {
                        let mut any = || roll(steps) as f32 / steps as f32 * 4.0;
                        let (low, side) = (any(), any() / 4.0);
                        [far + size * low, far + size * (low + side)]
                    };
                    let [[a, d], [b, e], [c, f]] = [axes(), axes(), axes()];
                    Bounds::new([a, b, c], [d, e, f]).unwrap()
                };
                Moving {
                    was: corners(),
                    now: corners(),
                    index: 0,
                    has_moved: true,
                }
            };
            let (one, other) = (moving(), moving());
            let of = 1 + round as u32 % 3;
            let span = linear([&one.was, &other.was], [&one.now, &other.now]);
            for number in 0..of {
                let part = Part { number, of };
                let (a, b) = (one.tube(part), other.tube(part));
                let within = span.is_some_and(|span| {
                    let share = |number: u32| f64::from(number) / f64::from(of);
                    span.from <= share(number + 1) && span.to >= share(number)
                });
                if within {
                    assert!(a.may_meet(&b), "{one:?} {other:?} {part:?}");
                    assert!(
                        a.bounds().overlaps(&b.bounds()),
                        "{one:?} {other:?} {part:?}"
                    );
                    met += 1;
                } else {
                    apart += usize::from(!a.may_meet(&b));
                }
            }
        }
        assert!(met > 50_000 && apart > 100_000, "{met} {apart}");
    }
}
