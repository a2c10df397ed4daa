//! The method for production: grids of boxes, sorted anew in each tick.
//!
//! Sorting boxes by their cells costs a few nanoseconds each, less than keeping anything that would have
//! to be kept right: it is done whenever something has moved. Then those that have moved find whom they
//! overlap, in the order of indices, so that what is found is in order, too; and two ordered lists
//! of pairs, this tick's and the last one's, tell what has changed.

use super::cells::Effort;
use super::changes::{Key, indices};
use super::find::{Finder, Quest, STAYS, Time};
use super::motion::linear;
use super::sample::Sample;
use super::sort::sort;
use super::space::Space;
use super::space::both;
use super::{Bounds, Method, Record, Regions};

/// For fewer regions one thread is enough.
const FEW: usize = 2000;

/// In a part of the time between two ticks regions move this many times as far as they are long, at
/// most, where there are not too many such parts.
const SHORT: f32 = 8.0;
const PARTS: f32 = 8.0;

/// Grids, a layer for each power of two of the regions' sizes.
///
/// A tick takes time proportional to the number of regions and of pairs that are close, wherever they
/// are, if sides are of like length; regions that are long along one axis and thin along another
/// cost as cubes of their longest side.
#[derive(Debug)]
pub struct Grid {
    /// Of updates, and of subscriptions.
    space: Space,
    /// The indices of updates and of subscriptions, and of those that have moved.
    members: [Vec<u32>; 2],
    moved: [Vec<u32>; 2],
    /// Pairs that overlapped when the last tick ended, sorted.
    pairs: Vec<Key>,
    /// Pairs that may have changed: those of the last tick, and of this one.
    old: Vec<Key>,
    fresh: Vec<Key>,
    found: Vec<Key>,
    spare: Vec<Key>,
    /// Each thread's.
    finders: Vec<Finder>,
}

impl Default for Grid {
    fn default() -> Self {
        Self::with_threads(1)
    }
}

impl Grid {
    /// A grid whose ticks use so many threads where many regions need work. It says the same changes
    /// in the same order for any number. Starting threads allocates, so that only one thread keeps
    /// the promise that a warm tick allocates nothing; 0 is taken for 1.
    pub fn with_threads(threads: usize) -> Self {
        let mut finders = Vec::new();
        finders.resize_with(threads.max(1), Finder::default);
        Self {
            space: Space::default(),
            members: Default::default(),
            moved: Default::default(),
            pairs: Vec::new(),
            old: Vec::new(),
            fresh: Vec::new(),
            found: Vec::new(),
            spare: Vec::new(),
            finders,
        }
    }

    /// The pairs that overlapped when the last tick ended, by the indices of the update region, then
    /// of the subscription region.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied().map(indices)
    }

    /// Whether there are several threads, and enough regions for them.
    fn works_together(&self, regions: &Regions) -> bool {
        self.finders.len() > 1 && regions.count() >= FEW
    }

    /// Finds the pairs that may have changed: `old` are those of the last tick, `fresh` those of this
    /// one. The others stay in `pairs`.
    fn find(&mut self, regions: &Regions, between: bool) {
        let only_moved = regions.moved() * 2 < regions.count();
        let lists = |role: u8, members: &mut Vec<u32>, moved: &mut Vec<u32>| {
            list(regions, between, role, false, members);
            moved.clear();
            if only_moved {
                list(regions, between, role, true, moved);
            }
        };
        let together = self.works_together(regions);
        let ([updates, subscriptions], [these, those]) = (&mut self.members, &mut self.moved);
        both(
            together,
            || lists(0, updates, these),
            || lists(1, subscriptions, those),
        );
        self.fresh.clear();
        if between {
            // In a part of the time the boxes are smaller within which regions stay.
            let of = (Sample::speed(regions) / SHORT).clamp(1.0, PARTS) as u32;
            for number in 0..of {
                self.find_in(regions, Time::Part { number, of }, only_moved);
            }
        } else {
            self.find_in(regions, Time::End, only_moved);
        }

        self.old.clear();
        if only_moved {
            let has_moved = |pair: &Key| {
                let (update, subscription) = indices(*pair);
                regions.has_moved(update) | regions.has_moved(subscription)
            };
            let Self { pairs, old, .. } = self;
            old.extend(pairs.iter().filter(|pair| has_moved(pair)));
            pairs.retain(|pair| !has_moved(pair));
        } else {
            core::mem::swap(&mut self.pairs, &mut self.old);
        }
    }

    /// Adds to `fresh` the pairs that are found in one part of the time.
    fn find_in(&mut self, regions: &Regions, time: Time, only_moved: bool) {
        let bounds = |&index: &u32| time.bounds(regions, index);
        let together = self.works_together(regions);
        let boxes = self.members.each_ref().map(|list| list.iter().map(bounds));
        self.space.place(boxes, together);
        let levels = self.space.cells.each_ref().map(|cells| {
            let layers = cells.layers.all();
            let ends = layers.first().zip(layers.last());
            ends.map_or([u8::MAX; 2], |(low, high)| [low.level, high.level])
        });
        let [
            [lowest_update, highest_update],
            [lowest_subscription, highest_subscription],
        ] = levels;
        // Whether updates look among subscriptions, and the other way round.
        let looks = [
            only_moved || highest_subscription >= lowest_update,
            only_moved || highest_update > lowest_subscription,
        ];
        let tables = self.space.cells.iter_mut().zip(&self.members);
        for ((cells, members), is_looked_in) in tables.zip(looks.iter().rev()) {
            if *is_looked_in {
                cells.gather(members, |index| time.bounds(regions, index), together);
            }
        }

        let looking = if only_moved {
            &self.moved
        } else {
            &self.members
        };
        let mut looking = looking.each_ref().map(Vec::as_slice);
        if !looks[1] {
            looking[1] = &[];
        }
        let quest = Quest {
            regions,
            cells: &self.space.cells,
            time,
            only_moved,
            in_all: only_moved || lowest_subscription >= highest_update,
        };
        let effort = search(&quest, looking, &mut self.finders, &mut self.found);
        if !looking[1].is_empty() {
            sort(&mut self.found, &mut self.spare);
        }
        merge(&mut self.fresh, &mut self.found, &mut self.spare);
        if !only_moved {
            self.space.adapt(effort);
        }
    }
}

/// Lists the regions of a role, 0 for updates, in the order of their indices; all of them, or those that
/// have moved. Those that went in this tick count where time is looked at between the ticks.
fn list(regions: &Regions, between: bool, role: u8, only_moved: bool, list: &mut Vec<u32>) {
    list.clear();
    list.resize(regions.places(), 0);
    let mut count = 0;
    for (index, kind, alive, moved) in regions.iter_kinds() {
        let has_role = match role {
            0 => kind.updates(),
            _ => kind.subscribes(),
        };
        let went = between && moved && !alive && *regions.was(index) != Bounds::NOWHERE;
        // Written in any case, and written over where it is none of them.
        if let Some(place) = list.get_mut(count) {
            *place = index;
        }
        count += usize::from(has_role & (alive | went) & (moved | !only_moved));
    }
    list.truncate(count);
}

/// Finds pairs by all threads: those of updates in order, then those of subscriptions.
fn search(
    quest: &Quest<'_>,
    [updates, subscriptions]: [&[u32]; 2],
    finders: &mut [Finder],
    fresh: &mut Vec<Key>,
) -> Effort {
    fresh.clear();
    let few = updates.len() + subscriptions.len() < FEW;
    let threads = if few { 1 } else { finders.len() };
    let part = |list: &[u32]| list.len().div_ceil(threads).max(1);
    let mut updates = updates.chunks(part(updates));
    let mut subscriptions = subscriptions.chunks(part(subscriptions));
    let mut work = finders.iter_mut().take(threads).map(|finder| {
        let updates = updates.next().unwrap_or_default();
        let subscriptions = subscriptions.next().unwrap_or_default();
        move || {
            finder.clear();
            finder.updates(quest, updates);
            finder.subscriptions(quest, subscriptions);
        }
    });
    if threads == 1 {
        work.for_each(|mut work| work());
    } else {
        std::thread::scope(|scope| {
            let mut own = work.next();
            work.for_each(|work| drop(scope.spawn(work)));
            own.iter_mut().for_each(|work| work());
        });
    }
    let mut effort = Effort::default();
    for finder in finders.iter_mut().take(threads) {
        fresh.append(&mut finder.pairs);
        effort.rows += finder.effort.rows;
        effort.misses += finder.effort.misses;
    }
    effort
}

/// Adds sorted pairs to sorted pairs, none of which are the same.
fn merge(pairs: &mut Vec<Key>, fresh: &mut Vec<Key>, spare: &mut Vec<Key>) {
    if pairs.is_empty() {
        core::mem::swap(pairs, fresh);
        return;
    }
    spare.clear();
    let mut rest = pairs.as_slice();
    for &new in &*fresh {
        let before = rest.partition_point(|&pair| pair < new);
        let (first, after) = rest.split_at_checked(before).unwrap_or((rest, &[]));
        spare.extend_from_slice(first);
        spare.push(new);
        rest = after;
    }
    spare.extend_from_slice(rest);
    core::mem::swap(pairs, spare);
}

impl Method for Grid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        self.find(regions, false);
        let Self {
            pairs,
            old,
            fresh,
            spare,
            ..
        } = self;
        let (mut was, mut now) = (old.iter(), fresh.iter());
        let (mut one, mut other) = (was.next(), now.next());
        loop {
            match (one, other) {
                (Some(a), Some(b)) if a == b => (one, other) = (was.next(), now.next()),
                (Some(&a), b) if b.is_none_or(|&b| a < b) => {
                    let (update, subscription) = indices(a);
                    changes.cease(regions, update, subscription);
                    one = was.next();
                }
                (_, Some(&b)) => {
                    let (update, subscription) = indices(b);
                    changes.begin(regions, update, subscription);
                    other = now.next();
                }
                (_, None) => break,
            }
        }
        merge(pairs, fresh, spare);
    }

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.find(regions, true);
        let Self {
            pairs,
            fresh,
            spare,
            ..
        } = self;
        fresh.retain_mut(|pair| {
            let (update, subscription) = indices(*pair);
            if *pair & STAYS != 0 {
                *pair &= !STAYS;
                return true;
            }
            let was = [regions.was(update), regions.was(subscription)];
            let now = [regions.now(update), regions.now(subscription)];
            let overlaps = now[0].overlaps(now[1]);
            if let Some(span) = linear(was, now) {
                if !was[0].overlaps(was[1]) {
                    changes.begin_at(regions, update, subscription, span.from);
                }
                if !overlaps {
                    changes.cease_at(regions, update, subscription, span.to);
                }
            }
            overlaps
        });
        merge(pairs, fresh, spare);
    }

    fn bytes(&self) -> usize {
        let keys = [
            &self.pairs,
            &self.old,
            &self.fresh,
            &self.found,
            &self.spare,
        ];
        let lists = self.members.iter().chain(&self.moved);
        self.space.bytes()
            + self.finders.iter().map(Finder::bytes).sum::<usize>()
            + lists.map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + keys.into_iter().map(Vec::capacity).sum::<usize>() * size_of::<Key>()
    }
}
