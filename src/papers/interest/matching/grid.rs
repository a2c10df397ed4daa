//! Hash grids, sorted anew in each tick: the fastest method.
//!
//! Sorting boxes by their cells costs a few nanoseconds each, less than keeping a structure up to date, so it is done
//! anew whenever something has moved. Then those that have moved find whom they overlap, in the order of indices, so
//! that what is found is in order, too; and two ordered lists of pairs, this tick's and the last one's, tell what has
//! changed. What happens between two ticks is the matter of [`super::sweep`].

use super::sweep::Sweep;
use super::{Method, Record, Regions};
use viewcell::interest::Bounds;
use viewcell::interest::hash_grid::{Effort, HashCells, Space, Tuning, both, fork_join};
use viewcell::interest::keys::{Key, indices, key, merge, sort};

/// For fewer regions one thread is enough.
const FEW: usize = 2000;

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
    spare: Vec<Key>,
    /// Each thread's.
    finders: Vec<Finder>,
    sweep: Sweep,
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
            space: Space::new(Tuning::SHORT),
            members: Default::default(),
            moved: Default::default(),
            pairs: Vec::new(),
            old: Vec::new(),
            fresh: Vec::new(),
            spare: Vec::new(),
            finders,
            sweep: Sweep::with_threads(threads),
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
    fn find(&mut self, regions: &Regions) {
        let only_moved = regions.moved() * 2 < regions.count();
        let together = self.works_together(regions);
        let lists = |role: u8, members: &mut Vec<u32>, moved: &mut Vec<u32>| {
            list(regions, false, role, false, members);
            moved.clear();
            if only_moved {
                list(regions, false, role, true, moved);
            }
        };
        let ([updates, subscriptions], [these, those]) = (&mut self.members, &mut self.moved);
        both(
            together,
            || lists(0, updates, these),
            || lists(1, subscriptions, those),
        );
        let bounds = |index: u32| *regions.now(index);
        let boxes = self.members.each_ref();
        let boxes = boxes.map(|list| list.iter().map(|&index| bounds(index)));
        self.space.place(boxes, together);
        let looks = self.space.looks(only_moved);
        let tables = self.space.cells.iter_mut().zip(&self.members);
        for ((cells, members), is_looked_in) in tables.zip(looks.iter().rev()) {
            if *is_looked_in {
                cells.gather(members.iter().copied(), bounds, together);
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
            only_moved,
            in_all: only_moved || !looks[1],
        };
        let effort = search(&quest, looking, &mut self.finders, &mut self.fresh);
        if !looking[1].is_empty() {
            sort(&mut self.fresh, &mut self.spare);
        }
        if !only_moved {
            self.space.adapt(effort);
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
    fork_join(finders.iter_mut().take(threads).map(|finder| {
        let updates = updates.next().unwrap_or_default();
        let subscriptions = subscriptions.next().unwrap_or_default();
        move || {
            finder.clear();
            finder.updates(quest, updates);
            finder.subscriptions(quest, subscriptions);
        }
    }));
    let mut effort = Effort::default();
    for finder in finders.iter_mut().take(threads) {
        fresh.append(&mut finder.pairs);
        effort.add(finder.effort);
    }
    effort
}

impl Method for Grid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        self.find(regions);
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
        let only_moved = regions.moved() * 2 < regions.count();
        let together = self.works_together(regions);
        let Self {
            members,
            pairs,
            fresh,
            spare,
            sweep,
            ..
        } = self;
        for (role, members) in (0..).zip(&mut *members) {
            list(regions, true, role, false, members);
        }
        sweep.find(regions, members, only_moved, together);
        pairs.retain(|pair| {
            let (update, subscription) = indices(*pair);
            only_moved && !regions.has_moved(update) && !regions.has_moved(subscription)
        });
        sort(&mut sweep.stay, spare);
        merge(pairs, &mut sweep.stay, spare);
        sweep.met.sort_unstable_by_key(|met| met.key);
        fresh.clear();
        for met in &sweep.met {
            let (update, subscription) = indices(met.key);
            if met.began {
                changes.begin_at(regions, update, subscription, met.span.from);
            }
            if met.ceased {
                changes.cease_at(regions, update, subscription, met.span.to);
            } else {
                fresh.push(met.key);
            }
        }
        merge(pairs, fresh, spare);
    }

    fn bytes(&self) -> usize {
        let keys = [&self.pairs, &self.old, &self.fresh, &self.spare];
        let lists = self.members.iter().chain(&self.moved);
        self.space.bytes()
            + self.sweep.bytes()
            + self.finders.iter().map(Finder::bytes).sum::<usize>()
            + lists.map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + keys.into_iter().map(Vec::capacity).sum::<usize>() * size_of::<Key>()
    }
}

/// What is looked through.
#[derive(Clone, Copy, Debug)]
struct Quest<'g> {
    regions: &'g Regions,
    /// Updates, and subscriptions.
    cells: &'g [HashCells; 2],
    /// Whether only pairs are looked for of which one has moved.
    only_moved: bool,
    /// Whether updates look in all layers of subscriptions.
    in_all: bool,
}

/// What one thread uses to find pairs.
#[derive(Debug, Default)]
struct Finder {
    /// What was found.
    pairs: Vec<Key>,
    effort: Effort,
    hits: Vec<u32>,
}

impl Finder {
    fn clear(&mut self) {
        self.pairs.clear();
        self.effort = Effort::default();
    }

    /// Finds the pairs of some updates, in order if those are. Of two boxes in layers of different levels
    /// the one in the lower finds the other, since fewer are near it; of the same level, the update.
    fn updates(&mut self, quest: &Quest<'_>, updates: &[u32]) {
        let [own, others] = quest.cells;
        for &update in updates {
            let found = self.near(quest, update, others, |bounds| {
                let level = if quest.in_all {
                    0
                } else {
                    own.layers.level(bounds)
                };
                move |other| other >= level
            });
            let first = self.pairs.len();
            let Self { pairs, hits, .. } = self;
            let found = hits.get(..found).unwrap_or_default();
            let found = found.iter().filter(|&&found| found != update);
            pairs.extend(found.map(|&other| key(update, other)));
            let new = pairs.get_mut(first..).unwrap_or_default();
            new.sort_unstable();
        }
    }

    /// Finds the other pairs, those of some subscriptions, in no order.
    fn subscriptions(&mut self, quest: &Quest<'_>, subscriptions: &[u32]) {
        let Quest { regions, cells, .. } = *quest;
        let [others, own] = cells;
        for &subscription in subscriptions {
            let found = self.near(quest, subscription, others, |bounds| {
                let level = own.layers.level(bounds);
                move |other| quest.only_moved || other > level
            });
            let Self { pairs, hits, .. } = self;
            let found = hits.get(..found).unwrap_or_default();
            let found = found.iter().copied().filter(|&found| {
                // One that has moved has found this one itself.
                found != subscription && !(quest.only_moved && regions.has_moved(found))
            });
            pairs.extend(found.map(|other| key(other, subscription)));
        }
    }

    /// How many hits there are among the boxes in layers of those levels.
    #[inline]
    fn near<L: Fn(u8) -> bool>(
        &mut self,
        quest: &Quest<'_>,
        index: u32,
        others: &HashCells,
        levels: impl FnOnce(&Bounds) -> L,
    ) -> usize {
        let bounds = *quest.regions.now(index);
        let is_looked_in = levels(&bounds);
        let mut found = 0;
        for layer in others.layers.all() {
            if is_looked_in(layer.level) {
                found = others.near(layer, &bounds, &mut self.hits, found, &mut self.effort);
            }
        }
        found
    }

    fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Key>() + self.hits.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interest::matching::{BruteForce, Interest, Kind};

    /// A crowd in which everybody is elsewhere in each tick, so that nearly all paths cross.
    #[test]
    fn a_crowd_that_moves_far_is_told_what_solving_for_all_pairs_says() {
        let mut state = 3_u64;
        let mut roll = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_041);
            (state >> 40) as f32 / (1 << 24) as f32
        };
        let mut slow = Interest::with(BruteForce);
        let mut fast = Interest::with(Grid::with_threads(2));
        let mut regions = Vec::new();
        let (mut parts, mut events) = (Vec::new(), 0);
        for tick in 0..8 {
            for number in 0..2400 {
                let roll = [roll(), roll(), roll()];
                // After four ticks each stays about where it is in a large world.
                let at = match tick {
                    0..4 => roll.map(|x| 10.0 * x),
                    _ => roll.map(|x| x + 13.0 * number as f32),
                };
                let bounds = Bounds::around(at, [0.5; 3]).unwrap();
                if tick == 0 {
                    let kind = [Kind::Both, Kind::Update, Kind::Subscription][number % 3];
                    regions.push(slow.insert(kind, bounds).unwrap());
                    fast.insert(kind, bounds).unwrap();
                } else if tick < 7 || number % 5 == 0 {
                    slow.move_to(regions[number], bounds).unwrap();
                    fast.move_to(regions[number], bounds).unwrap();
                }
            }
            let (found, expected) = (fast.sweep(), slow.sweep());
            assert_eq!(found, expected, "tick {tick}");
            events += found.began.len();
            parts.push(fast.method().sweep.parts);
        }
        assert!(events > 20_000, "{events}");
        assert!(parts.contains(&2) && parts.last() == Some(&1), "{parts:?}");
    }
}
