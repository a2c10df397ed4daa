//! Sort and sweep: sorted lists of endpoints, one an axis, kept from tick to tick (Liu's thesis, sections 2.8, 3.2 and
//! 3.3).
//!
//! - [`Sorted`]: Liu's efficient sorting (algorithm 1), and over space and time (algorithm 3). Whenever two ends swap, the two
//!   regions are compared, so that no table of pairs is needed.
//! - [`Lucid`]: the matcher of the Lucid platform, which is I-Collide's (section 3.4.1). A table of all pairs says for each
//!   axis whether the projections overlap. Its memory grows with the square of the regions.

use rustc_hash::FxHashSet;

use crate::interest::matching::{BruteForce, Kind, Method, Record, Regions, linear};
use viewcell::interest::Bounds;

/// Sorted lists, and the set of pairs that overlap.
#[derive(Debug, Default)]
pub struct Sorted {
    lists: Lists,
    /// Update, then subscription.
    overlapping: FxHashSet<(u32, u32)>,
    /// Pairs whose swept volumes overlap; of use to [`Method::sweep`] alone.
    volumes: Volumes,
}

/// The same over swept volumes. They are longer than regions and change with each tick, so that they
/// have lists of their own.
#[derive(Debug, Default)]
struct Volumes {
    lists: Lists,
    overlapping: FxHashSet<(u32, u32)>,
}

impl Sorted {
    /// Brings lists and pairs up to date, and tells of pairs that began and ceased.
    fn resort(
        &mut self,
        regions: &Regions,
        mut began: impl FnMut(u32, u32),
        mut ceased: impl FnMut(u32, u32),
    ) {
        self.overlapping.retain(|&(update, subscription)| {
            let there = regions.is_alive(update) && regions.is_alive(subscription);
            if !there {
                ceased(update, subscription);
            }
            there
        });
        let overlapping = &mut self.overlapping;
        self.lists.sort(
            regions,
            |_, now| *now,
            |_, swap| {
                let overlaps = regions.now(swap.down).overlaps(regions.now(swap.up));
                for (update, subscription) in pairs(regions, swap.down, swap.up) {
                    if overlaps {
                        if overlapping.insert((update, subscription)) {
                            began(update, subscription);
                        }
                    } else if overlapping.remove(&(update, subscription)) {
                        ceased(update, subscription);
                    }
                }
            },
        );
    }
}

impl Method for Sorted {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        let (mut began, mut ceased) = (Vec::new(), Vec::new());
        self.resort(
            regions,
            |update, subscription| began.push((update, subscription)),
            |update, subscription| ceased.push((update, subscription)),
        );
        for (update, subscription) in began {
            changes.begin(regions, update, subscription);
        }
        for (update, subscription) in ceased {
            changes.cease(regions, update, subscription);
        }
        changes.sort();
    }

    /// Algorithm 3, with instants that are solved for in the place of algorithm 2's halving: lists of
    /// swept volumes find the pairs that may overlap at some instant.
    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.resort(regions, |_, _| {}, |_, _| {});
        let Volumes { lists, overlapping } = &mut self.volumes;
        let swept = |index| regions.was(index).union(regions.now(index));
        overlapping.retain(|&(update, other)| regions.is_alive(update) && regions.is_alive(other));
        lists.sort(
            regions,
            |was, now| was.union(now),
            |_, swap| {
                let overlaps = swept(swap.down).overlaps(&swept(swap.up));
                for pair in pairs(regions, swap.down, swap.up) {
                    if overlaps {
                        overlapping.insert(pair);
                    } else {
                        overlapping.remove(&pair);
                    }
                }
            },
        );
        let gone = |index: &u32| !regions.is_alive(*index);
        let all: Vec<u32> = regions.iter_all().map(|(index, ..)| index).collect();
        let removed: Vec<u32> = all.iter().copied().filter(gone).collect();
        let ended = removed.iter().flat_map(|&one| {
            let others = all
                .iter()
                .filter(move |&&other| other > one || !gone(&other));
            others
                .filter(move |&&other| other != one)
                .flat_map(move |&other| pairs(regions, one, other))
        });
        for (update, subscription) in overlapping.iter().copied().chain(ended) {
            let was = [regions.was(update), regions.was(subscription)];
            let now = [regions.now(update), regions.now(subscription)];
            let Some(span) = linear(was, now) else {
                continue;
            };
            if !was[0].overlaps(was[1]) {
                changes.begin_at(regions, update, subscription, span.from);
            }
            if !now[0].overlaps(now[1]) {
                changes.cease_at(regions, update, subscription, span.to);
            }
        }
        changes.sort();
    }

    fn bytes(&self) -> usize {
        let pairs = self.overlapping.capacity() + self.volumes.overlapping.capacity();
        // A set of this kind takes a byte for each entry besides.
        self.lists.bytes() + self.volumes.lists.bytes() + pairs * (size_of::<(u32, u32)>() + 1)
    }
}

/// All three axes overlap.
const OVERLAP: u8 = 0b111;
/// The pair was reported, and has not ceased.
const REPORTED: u8 = 0b1000;

/// I-Collide's table of pairs, over sorted lists.
#[derive(Debug, Default)]
pub struct Lucid {
    lists: Lists,
    /// Of two regions with indices a > b, at a·(a - 1)/2 + b.
    table: Vec<u8>,
    changed: Vec<(u32, u32)>,
}

fn place(a: u32, b: u32) -> usize {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    high * (high - 1) / 2 + low
}

impl Method for Lucid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        let places = regions.places();
        self.table.resize(places * places.saturating_sub(1) / 2, 0);
        self.changed.clear();
        for (gone, _, _, _, _) in regions
            .iter_all()
            .filter(|region| !regions.is_alive(region.0))
        {
            for other in (0..places as u32).filter(|other| *other != gone) {
                let status = &mut self.table[place(gone, other)];
                if *status & REPORTED != 0 {
                    for (update, subscription) in pairs(regions, gone, other) {
                        changes.cease(regions, update, subscription);
                    }
                }
                *status = 0;
            }
        }
        let Self {
            lists,
            table,
            changed,
        } = self;
        lists.sort(
            regions,
            |_, now| *now,
            |axis, swap: Swap| {
                // Two lower ends or two upper ones that pass each other change nothing.
                if swap.down_is_upper == swap.up_is_upper {
                    return;
                }
                let status = &mut table[place(swap.down, swap.up)];
                let before = *status & OVERLAP;
                // A lower end that moves down past an upper one begins an overlap.
                if swap.up_is_upper {
                    *status |= 1 << axis;
                } else {
                    *status &= !(1 << axis);
                }
                if (before == OVERLAP) != (*status & OVERLAP == OVERLAP) {
                    changed.push((swap.down, swap.up));
                }
            },
        );
        for &(a, b) in &*changed {
            let status = &mut table[place(a, b)];
            let (is, was) = (*status & OVERLAP == OVERLAP, *status & REPORTED != 0);
            if is != was {
                *status ^= REPORTED;
                for (update, subscription) in pairs(regions, a, b) {
                    if is {
                        changes.begin(regions, update, subscription);
                    } else {
                        changes.cease(regions, update, subscription);
                    }
                }
            }
        }
        changes.sort();
    }

    /// It knows no instants: Liu compares it with discrete methods only. All pairs are solved.
    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.tick(regions, &mut Record::default());
        BruteForce.sweep(regions, changes);
    }

    fn bytes(&self) -> usize {
        self.lists.bytes()
            + self.table.capacity()
            + self.changed.capacity() * size_of::<(u32, u32)>()
    }
}

/// One end of a region's projection on an axis.
#[derive(Clone, Copy, Debug)]
struct End {
    at: f32,
    /// Twice the region's index, and 1 at the upper end.
    of: u32,
}

impl End {
    /// Lower ends come first where ends meet, so that touching overlaps.
    fn is_after(self, other: Self) -> bool {
        match self.at.total_cmp(&other.at) {
            std::cmp::Ordering::Equal => (self.of & 1, self.of) > (other.of & 1, other.of),
            order => order.is_gt(),
        }
    }
}

/// Two ends that change places.
#[derive(Clone, Copy, Debug)]
pub struct Swap {
    /// The region whose end moves down.
    pub down: u32,
    /// Whether that is its upper end.
    pub down_is_upper: bool,
    /// The region whose end moves up.
    pub up: u32,
    /// Whether that is its upper end.
    pub up_is_upper: bool,
}

/// The three lists.
#[derive(Debug, Default)]
pub struct Lists {
    axes: [Vec<End>; 3],
    /// By index: whether the region has its ends in the lists.
    listed: Vec<bool>,
}

impl Lists {
    /// Brings the lists up to date by insertion sort, and tells of each swap of an end of an update
    /// region with one of a subscription region, with the axis.
    ///
    /// Those that come are appended, as if from infinitely far away; those that go are taken out
    /// without a swap. `place` tells the box that counts of each region that is there.
    pub fn sort(
        &mut self,
        regions: &Regions,
        place: impl Fn(&Bounds, &Bounds) -> Bounds,
        mut swapped: impl FnMut(usize, Swap),
    ) {
        let mut there: Vec<Option<(Kind, Bounds)>> = vec![None; regions.places()];
        for (index, kind, _, was, now) in regions.iter() {
            there[index as usize] = Some((kind, place(was, now)));
        }
        self.listed.resize(regions.places(), false);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.retain_mut(|end| {
                let Some((_, bounds)) = there[end.of as usize / 2] else {
                    return false;
                };
                end.at = coordinate(&bounds, axis, end.of & 1 == 1);
                true
            });
            for (index, region) in (0..).zip(&there) {
                let Some((_, bounds)) = region else { continue };
                if self.listed[index as usize] {
                    continue;
                }
                for upper in [false, true] {
                    ends.push(End {
                        at: coordinate(bounds, axis, upper),
                        of: 2 * index + u32::from(upper),
                    });
                }
            }
            for i in 1..ends.len() {
                let end = ends[i];
                let mut j = i;
                while j > 0 && ends[j - 1].is_after(end) {
                    let other = ends[j - 1];
                    let (down, up) = (end.of / 2, other.of / 2);
                    let kinds = there[down as usize].zip(there[up as usize]);
                    if kinds.is_some_and(|((a, _), (b, _))| may_match(a, b)) && down != up {
                        let (down_is_upper, up_is_upper) = (end.of & 1 == 1, other.of & 1 == 1);
                        swapped(
                            axis,
                            Swap {
                                down,
                                down_is_upper,
                                up,
                                up_is_upper,
                            },
                        );
                    }
                    ends[j] = other;
                    j -= 1;
                }
                ends[j] = end;
            }
        }
        for (listed, region) in self.listed.iter_mut().zip(&there) {
            *listed = region.is_some();
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let ends: usize = self.axes.iter().map(Vec::capacity).sum();
        ends * size_of::<End>() + self.listed.capacity()
    }
}

/// A coordinate, of which 0 has one sign.
fn coordinate(bounds: &Bounds, axis: usize, upper: bool) -> f32 {
    let corner = if upper { bounds.max() } else { bounds.min() };
    corner[axis] + 0.0
}

fn may_match(a: Kind, b: Kind) -> bool {
    a.updates() && b.subscribes() || a.subscribes() && b.updates()
}

/// The pairs that two regions make: update, then subscription.
pub(super) fn pairs(regions: &Regions, a: u32, b: u32) -> impl Iterator<Item = (u32, u32)> {
    let kind = |index| regions.kind(index);
    [(a, b), (b, a)]
        .into_iter()
        .filter(move |&(update, subscription)| {
            kind(update).is_some_and(Kind::updates)
                && kind(subscription).is_some_and(Kind::subscribes)
        })
}

#[cfg(test)]
mod tests {
    use crate::interest::matching::linear;
    use viewcell::dice::Dice;

    use super::*;

    /// Liu's pairwise matching over space and time by halving the interval (thesis, algorithm 2).
    ///
    /// Whether the swept volumes of two regions, which move from `was` to `now` along straight lines,
    /// still overlap in some interval of `depth` halvings: 1 for Liu's threshold δt/2, 6 for δt/64.
    ///
    /// It never misses a pair that meets. It calls some that only pass by each other, fewer with each
    /// halving.
    fn halving(was: [&Bounds; 2], now: [&Bounds; 2], depth: u32) -> bool {
        let mut stack = vec![(0_u32, 0_u32)];
        while let Some((level, number)) = stack.pop() {
            // The interval from number / 2^level on, one 2^level-th long. These are exact.
            let length = 0.5_f64.powi(level as i32);
            let (from, to) = (f64::from(number) * length, f64::from(number + 1) * length);
            if !volumes_overlap(was, now, from, to) {
                continue;
            }
            if level == depth {
                return true;
            }
            stack.push((level + 1, 2 * number + 1));
            stack.push((level + 1, 2 * number));
        }
        false
    }

    fn volumes_overlap(was: [&Bounds; 2], now: [&Bounds; 2], from: f64, to: f64) -> bool {
        (0..3).all(|axis| {
            let span = |which: usize| {
                let (was, now) = (was[which], now[which]);
                let at = |corner: fn(&Bounds) -> [f32; 3], share: f64| {
                    let (a, b) = (f64::from(corner(was)[axis]), f64::from(corner(now)[axis]));
                    a + (b - a) * share
                };
                let low = at(Bounds::min, from).min(at(Bounds::min, to));
                let high = at(Bounds::max, from).max(at(Bounds::max, to));
                // Rounding may hide a touch.
                let slack = 1e-12 * (low.abs() + high.abs());
                (low - slack, high + slack)
            };
            let ((a, b), (c, d)) = (span(0), span(1));
            a <= d && c <= b
        })
    }

    #[test]
    fn it_misses_none_and_invents_fewer_with_each_halving() {
        let mut dice = Dice(2);
        let mut bounds = |side: f64| {
            let low = [(); 3].map(|()| (dice.fraction() * side) as f32);
            Bounds::new(low, low.map(|x| x + 1.0)).unwrap()
        };
        let mut invented = [0; 8];
        let mut met = 0;
        for _ in 0..40_000 {
            let (a, b, c, d) = (bounds(12.0), bounds(12.0), bounds(12.0), bounds(12.0));
            let truly = linear([&a, &b], [&c, &d]).is_some();
            met += u32::from(truly);
            for (depth, invented) in (0..).zip(&mut invented) {
                let called = halving([&a, &b], [&c, &d], depth);
                assert!(
                    called || !truly,
                    "missed at {depth}: {a:?} {b:?} {c:?} {d:?}"
                );
                *invented += u32::from(called && !truly);
            }
        }
        assert!(met > 100, "{met}");
        assert!(invented.is_sorted_by(|a, b| a >= b), "{invented:?}");
        // Without halving most are invented, with Liu's finest threshold few.
        assert!(
            invented[0] > 5 * met && invented[6] < met / 8,
            "{met}: {invented:?}"
        );
    }
}
