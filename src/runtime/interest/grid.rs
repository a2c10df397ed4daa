//! The method for production: grids of several cell sizes, built anew each tick.
//!
//! Between two ticks it keeps nothing but the pairs that overlap, sorted. A tick compares these once
//! more to find what ceased, and looks in the grids for what began: a pair that overlaps now and did
//! not at the end of the last tick. Where regions jump or stand makes no difference to it.

use super::changes::{Key, indices, key};
use super::levels::{Boxes, Levels};
use super::motion::linear;
use super::table::{Entry, Table};
use super::{Bounds, Method, Record, Regions};

/// Of fewer regions one thread makes quick work.
const FEW: usize = 2000;

/// Ticks after which levels are chosen anew in any case.
const PATIENCE: u32 = 64;

/// Grids of hashed cells, a level for each power of two of the regions' sizes.
///
/// A tick takes time proportional to the number of regions and of pairs that overlap, wherever they
/// are, if sides are of like length; regions that are long along one axis and thin along another
/// cost as cubes of their longest side.
#[derive(Debug)]
pub struct Grid {
    levels: Levels,
    /// When levels were chosen: how many regions there were, and how many ticks ago that is.
    count: usize,
    age: u32,
    /// Which boxes they are for.
    boxes: Boxes,
    threads: usize,
    /// Of threads other than the first: what they found.
    others: Vec<Vec<Key>>,
    /// Updates, subscriptions.
    tables: [Table; 2],
    /// Pairs that overlap, sorted.
    held: Vec<Key>,
    /// The next of them.
    next: Vec<Key>,
    began: Vec<Key>,
    spare: Vec<Key>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            levels: Levels::default(),
            count: 0,
            age: 0,
            boxes: Boxes::Now,
            threads: 1,
            others: Vec::new(),
            tables: Default::default(),
            held: Vec::new(),
            next: Vec::new(),
            began: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl Grid {
    /// A grid whose ticks use so many threads where there are many regions. It says the same changes
    /// in the same order for any number. Starting threads allocates, so that only one thread keeps
    /// the promise that a warm tick allocates nothing; 0 is taken for 1.
    pub fn with_threads(threads: usize) -> Self {
        let threads = threads.max(1);
        Self {
            threads,
            others: vec![Vec::new(); threads - 1],
            ..Self::default()
        }
    }

    /// The pairs that overlapped when the last tick ended, by the indices of the update region, then
    /// of the subscription region.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.held.iter().copied().map(indices)
    }

    /// The same where instants are asked for.
    fn merge_at(&mut self, regions: &Regions, changes: &mut Record) {
        let span = |update, subscription| {
            linear(
                [regions.was(update), regions.was(subscription)],
                [regions.now(update), regions.now(subscription)],
            )
        };
        let stays = |update, subscription| {
            let (update, subscription) = (regions.now(update), regions.now(subscription));
            update.overlaps(subscription)
        };
        self.next.clear();
        let mut began = self.began.iter().copied().peekable();
        let mut held = self.held.iter().copied().peekable();
        loop {
            // No pair is in both lists.
            let is_new = match (began.peek(), held.peek()) {
                (Some(new), Some(old)) => new < old,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let Some(pair) = (if is_new { began.next() } else { held.next() }) else {
                break;
            };
            let (update, subscription) = indices(pair);
            let stays = stays(update, subscription);
            if (is_new || !stays)
                && let Some(span) = span(update, subscription)
            {
                if is_new {
                    changes.begin_at(regions, update, subscription, span.from);
                }
                if !stays {
                    changes.cease_at(regions, update, subscription, span.to);
                }
            }
            if stays {
                self.next.push(pair);
            }
        }
        core::mem::swap(&mut self.held, &mut self.next);
    }

    /// Puts all regions into the tables.
    fn fill(&mut self, regions: &Regions, boxes: Boxes) {
        // Levels stay as they are until a region outgrows them, or much else may have changed.
        let count = regions.count();
        let stale = count > self.count + self.count / 4 || count < self.count / 2;
        self.age += 1;
        if !stale && self.boxes == boxes && self.age < PATIENCE && self.try_fill(regions) {
            return;
        }
        self.boxes = boxes;
        self.levels.choose(regions, boxes);
        for (kind, table) in self.tables.iter_mut().enumerate() {
            table.set_levels(kind, &self.levels);
        }
        (self.count, self.age) = (count, 0);
        self.try_fill(regions);
    }

    fn try_fill(&mut self, regions: &Regions) -> bool {
        let (levels, boxes) = (&self.levels, self.boxes);
        let [updates, subscriptions] = &mut self.tables;
        if self.threads == 1 || regions.count() < FEW {
            return updates.fill(regions, 0, levels, boxes)
                && subscriptions.fill(regions, 1, levels, boxes);
        }
        std::thread::scope(|scope| {
            let other = scope.spawn(|| updates.fill(regions, 0, levels, boxes));
            let own = subscriptions.fill(regions, 1, levels, boxes);
            other.join().unwrap_or(false) && own
        })
    }

    /// Gathers, sorted, the pairs of an update and a subscription whose boxes overlap and of which
    /// `is_new` says so, given them and where they were. It is not asked of all pairs of which neither
    /// moved.
    fn search(&mut self, is_new: impl Fn([&Entry; 2], [&Bounds; 2]) -> bool + Sync) {
        let Self {
            tables,
            began,
            spare,
            others,
            ..
        } = self;
        began.clear();
        let parts = others.len() + 1;
        if parts == 1 || tables.iter().all(|table| table.count() < FEW) {
            search_part(tables, (0, 1), &is_new, began);
        } else {
            let tables = &*tables;
            std::thread::scope(|scope| {
                for (part, found) in (1..).zip(others.iter_mut()) {
                    let is_new = &is_new;
                    found.clear();
                    scope.spawn(move || search_part(tables, (part, parts), is_new, found));
                }
                search_part(tables, (0, parts), &is_new, began);
            });
            others.iter_mut().for_each(|found| began.append(found));
        }
        sort(began, spare);
    }

    /// Drops from the pairs those that ceased, and adds those that began.
    fn merge(&mut self, regions: &Regions, changes: &mut Record) {
        self.next.clear();
        let mut began = self.began.iter().copied().peekable();
        for &pair in &self.held {
            while let Some(new) = began.next_if(|new| *new < pair) {
                self.next.push(new);
            }
            let (update, subscription) = indices(pair);
            if regions.now(update).overlaps(regions.now(subscription)) {
                self.next.push(pair);
            } else {
                changes.cease(regions, update, subscription);
            }
        }
        self.next.extend(began);
        core::mem::swap(&mut self.held, &mut self.next);
    }
}

impl Method for Grid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        self.fill(regions, Boxes::Now);
        self.search(|_, [was, other_was]| !was.overlaps(other_was));
        for (update, subscription) in self.began.iter().copied().map(indices) {
            changes.begin(regions, update, subscription);
        }
        self.merge(regions, changes);
    }

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.fill(regions, Boxes::Swept);
        self.search(|[update, subscription], [was, other_was]| {
            let now = [regions.now(update.index), regions.now(subscription.index)];
            !was.overlaps(other_was) && linear([was, other_was], now).is_some()
        });
        self.merge_at(regions, changes);
    }

    fn bytes(&self) -> usize {
        let keys = [&self.held, &self.next, &self.began, &self.spare];
        self.levels.bytes()
            + self.tables.iter().map(Table::bytes).sum::<usize>()
            + keys
                .into_iter()
                .chain(&self.others)
                .map(Vec::capacity)
                .sum::<usize>()
                * size_of::<Key>()
    }
}

/// One part of several of the search: of each pair the region of the lower level finds the other; on
/// the same level, the subscription the update. So each is found once.
fn search_part(
    [updates, subscriptions]: &[Table; 2],
    part: (usize, usize),
    is_new: &impl Fn([&Entry; 2], [&Bounds; 2]) -> bool,
    found: &mut Vec<Key>,
) {
    for level in subscriptions.levels() {
        for (entry, was) in subscriptions.entries(level, part) {
            for other in updates.levels() {
                if other.level() < level.level() {
                    continue;
                }
                updates.search(other, &entry.bounds, !entry.moved, |update, there| {
                    if update.index != entry.index && is_new([update, entry], [there, was]) {
                        found.push(key(update.index, entry.index));
                    }
                });
            }
        }
    }
    for level in updates.levels() {
        for other in subscriptions.levels() {
            if other.level() <= level.level() {
                continue;
            }
            for (entry, was) in updates.entries(level, part) {
                subscriptions.search(other, &entry.bounds, !entry.moved, |heard, there| {
                    if heard.index != entry.index && is_new([entry, heard], [was, there]) {
                        found.push(key(entry.index, heard.index));
                    }
                });
            }
        }
    }
}

/// Sorts; many keys by digits of 11 bits, from the lowest, as far as digits differ.
fn sort(keys: &mut Vec<Key>, spare: &mut Vec<Key>) {
    const BITS: u32 = 11;
    if keys.len() < 1 << BITS {
        keys.sort_unstable();
        return;
    }
    let (all, any) = keys
        .iter()
        .fold((Key::MAX, 0), |(all, any), key| (all & key, any | key));
    let differ = all ^ any;
    spare.clear();
    spare.resize(keys.len(), 0);
    for shift in (0..Key::BITS).step_by(BITS as usize) {
        let digit = |key: Key| (key >> shift) as usize & ((1 << BITS) - 1);
        if digit(differ) == 0 {
            continue;
        }
        let mut starts = [0_u32; 1 << BITS];
        for &key in &*keys {
            if let Some(start) = starts.get_mut(digit(key)) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for &key in &*keys {
            let Some(start) = starts.get_mut(digit(key)) else {
                continue;
            };
            if let Some(place) = spare.get_mut(*start as usize) {
                *place = key;
            }
            *start += 1;
        }
        core::mem::swap(keys, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sort_as_comparing_does() {
        let mut state = 1_u64;
        for count in [0, 1, 2047, 2048, 5000] {
            let mut keys: Vec<Key> = (0..count)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    key((state >> 40) as u32 % 3000, (state >> 20) as u32 % 3000)
                })
                .collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            sort(&mut keys, &mut Vec::new());
            assert_eq!(keys, expected);
        }
    }
}
