//! The method for production: grids of boxes, sorted anew in each tick.
//!
//! Sorting boxes by their cells costs a few nanoseconds each, less than keeping anything that would have
//! to be kept right: it is done whenever something has moved. Then those that have moved find whom they
//! overlap, in the order of indices, so that what is found is in order, too; and two ordered lists
//! of pairs, this tick's and the last one's, tell what has changed.

use super::cells::{Cells, Effort};
use super::changes::{Key, indices};
use super::find::{Finder, Quest, STAYS, Time};
use super::motion::linear;
use super::sample::Sample;
use super::sort::sort;
use super::{Bounds, Method, Record, Regions};

/// Ticks after which the grids are laid out anew in any case.
const PATIENCE: u32 = 256;

/// For fewer regions one thread is enough.
const FEW: usize = 2000;

/// In a part of the time between two ticks regions move this many times as far as they are long, at
/// most, where there are not too many such parts.
const SHORT: f32 = 8.0;
const PARTS: f32 = 8.0;

/// How many times cells are as long as the longest boxes in them.
const SHORTEST: f32 = 0.5;
const LONGEST: f32 = 16.0;

/// Grids, a layer for each power of two of the regions' sizes.
///
/// A tick takes time proportional to the number of regions and of pairs that are close, wherever they
/// are, if sides are of like length; regions that are long along one axis and thin along another
/// cost as cubes of their longest side.
#[derive(Debug)]
pub struct Grid {
    /// Of updates, and of subscriptions.
    cells: [Cells; 2],
    /// The indices of updates and of subscriptions, and of those that have moved.
    members: [Vec<u32>; 2],
    moved: [Vec<u32>; 2],
    /// How many times cells are as long as boxes.
    length: f32,
    /// Whether that was made longer when it last changed.
    grows: bool,
    /// When the grids were laid out: how many regions there were, and how many ticks have passed.
    count: usize,
    age: u32,
    sample: Sample,
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
            cells: Default::default(),
            members: Default::default(),
            moved: Default::default(),
            length: 2.0,
            grows: true,
            count: 0,
            age: 0,
            sample: Sample::default(),
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

    /// Finds the pairs that may have changed: `old` are those of the last tick, `fresh` those of this
    /// one. The others stay in `pairs`.
    fn find(&mut self, regions: &Regions, between: bool) {
        let only_moved = regions.moved() * 2 < regions.count();
        for (members, role) in self.members.iter_mut().zip(0..) {
            list(regions, between, role, false, members);
        }
        for (moved, role) in self.moved.iter_mut().zip(0..) {
            moved.clear();
            if only_moved {
                list(regions, between, role, true, moved);
            }
        }
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
        self.place(regions, time);
        let levels = self.cells.each_ref().map(|cells| {
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
        let tables = self.cells.iter_mut().zip(&self.members);
        for ((cells, members), is_looked_in) in tables.zip(looks.iter().rev()) {
            if *is_looked_in {
                let bounds = |&index: &u32| (index, time.bounds(regions, index));
                cells.gather(members.iter().map(bounds));
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
            cells: &self.cells,
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
            self.adapt(effort);
        }
    }

    /// Finds the cell of each region, in layers that fit.
    fn place(&mut self, regions: &Regions, time: Time) {
        let threads = self.finders.len();
        let Self { cells, members, .. } = self;
        let bounds = |&index: &u32| time.bounds(regions, index);
        let place = |cells: &mut [Cells; 2]| {
            let [first, second] = &mut *cells;
            let [updates, subscriptions] = &*members;
            let few = updates.len() + subscriptions.len() < FEW;
            if threads == 1 || few {
                first.place(updates.iter().map(bounds));
                second.place(subscriptions.iter().map(bounds));
            } else {
                std::thread::scope(|scope| {
                    scope.spawn(|| first.place(updates.iter().map(bounds)));
                    second.place(subscriptions.iter().map(bounds));
                });
            }
            cells.iter().any(|cells| cells.layers.is_stale())
        };
        self.age += 1;
        let count = regions.count();
        let is_due = self.age > PATIENCE || count > self.count + self.count / 4;
        if !is_due && count >= self.count / 2 && !place(cells) {
            return;
        }
        (self.age, self.count) = (0, count);
        self.sample.measure(regions);
        for (cells, members) in cells.iter_mut().zip(&*members) {
            let bounds = members.iter().map(bounds);
            cells.layers.count(self.sample.spread, bounds);
        }
        // Those of the one kind look for the other's at least where their smallest are.
        let [updates, subscriptions] = cells.each_ref().map(|cells| cells.layers.lowest());
        for (cells, floor) in cells.iter_mut().zip([subscriptions, updates]) {
            cells.layers.choose(floor, self.length);
        }
        place(cells);
    }

    /// Longer cells are fewer to look at, and hold more boxes in vain: finds out what costs less, from
    /// the next tick on.
    fn adapt(&mut self, Effort { rows, misses }: Effort) {
        let expected = |length: f32| {
            // A row is as dear as some twenty misses. Where boxes are spread evenly rows and misses
            // change like this.
            let share = (1.0 + 2.0 / length) / (1.0 + 2.0 / self.length);
            let more = (2.0 + length) / (2.0 + self.length);
            20.0 * rows as f32 * share * share + misses as f32 * more * more * more
        };
        let cost = expected(self.length);
        for longer in [true, false] {
            let length = self.length * if longer { 2.0 } else { 0.5 };
            // No going to and fro for a little.
            let turns = self.grows != longer && self.age < PATIENCE / 4;
            let less = if turns { 0.4 * cost } else { 0.85 * cost };
            if (SHORTEST..=LONGEST).contains(&length) && expected(length) < less {
                (self.length, self.grows) = (length, longer);
                self.age = PATIENCE;
                return;
            }
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
        self.cells.iter().map(Cells::bytes).sum::<usize>()
            + self.finders.iter().map(Finder::bytes).sum::<usize>()
            + self.sample.bytes()
            + lists.map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + keys.into_iter().map(Vec::capacity).sum::<usize>() * size_of::<Key>()
    }
}
