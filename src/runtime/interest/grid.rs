//! The method for production: leashes in grids, and the pairs of leashes that overlap.
//!
//! A region has a *leash*, a box that it may move in. Of two regions whose leashes do not overlap
//! nothing needs to be known. The other pairs are kept, sorted, and compared in each tick. Work in the
//! grids is for *strays* alone: regions that have left their leashes, that came, or that went.

use super::cells::Cells;
use super::changes::{Key, indices};
use super::find::{Finder, Stray, has};
use super::leash::Leash;
use super::motion::linear;
use super::sample::Sample;
use super::sort::sort;
use super::{Method, Record, Regions};

/// Of a pair: whether it overlapped when the last tick ended.
const OVERLAPPED: Key = 1;

/// Ticks after which the grids are laid out anew in any case.
const PATIENCE: u32 = 256;

/// For fewer strays one thread is enough.
const FEW: usize = 2000;

/// The longest leash, in sides of a typical region.
const SIDES: f32 = 5.0;

/// Grids of hashed cells, a layer for each power of two of the regions' sizes.
///
/// A tick takes time proportional to the number of regions and of pairs that are close, wherever they
/// are, if sides are of like length; regions that are long along one axis and thin along another
/// cost as cubes of their longest side.
#[derive(Debug, Default)]
pub struct Grid {
    tick: u32,
    /// By index.
    leashes: Vec<Leash>,
    cells: Cells,
    /// When the grids were laid out: how many regions there were, and in which tick.
    count: usize,
    laid: u32,
    /// Where a sample of the regions is spread, and how long their sides are.
    sample: Sample,
    strays: Vec<Stray>,
    /// A bit for each index that strays or is gone.
    is_stray: Vec<u64>,
    /// A bit for each stray that gets no leash, where time is looked at between the ticks, too.
    is_loose: Vec<u64>,
    /// Pairs whose leashes overlap, sorted.
    pairs: Vec<Key>,
    /// The next of them.
    next: Vec<Key>,
    /// Pairs that strays add.
    fresh: Vec<Key>,
    spare: Vec<Key>,
    finder: Finder,
    /// Of threads other than the first.
    finders: Vec<Finder>,
}

/// Whether time is looked at between the ticks, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Ticks,
    Between,
}

impl Grid {
    /// A grid whose ticks use so many threads where many regions need work. It says the same changes
    /// in the same order for any number. Starting threads allocates, so that only one thread keeps
    /// the promise that a warm tick allocates nothing; 0 is taken for 1.
    pub fn with_threads(threads: usize) -> Self {
        let mut grid = Self::default();
        grid.finders
            .resize_with(threads.max(1) - 1, Finder::default);
        grid
    }

    /// The pairs that overlapped when the last tick ended, by the indices of the update region, then
    /// of the subscription region.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let overlapped = self.pairs.iter().filter(|&pair| pair & OVERLAPPED != 0);
        overlapped.copied().map(indices)
    }

    /// Brings leashes, grids and the list of fresh pairs up to date.
    fn follow(&mut self, regions: &Regions, time: Time) {
        self.tick = self.tick.wrapping_add(1);
        self.find_strays(regions);
        let count = regions.count();
        let due = count > self.count + self.count / 4
            || count < self.count / 2
            || self.tick.wrapping_sub(self.laid) >= PATIENCE
            || self.cells.is_stale();
        if due {
            self.sample.measure(regions);
        }
        for stray in &mut self.strays {
            let index = stray.index;
            let (was, now) = (regions.was(index), regions.now(index));
            let leash = self.leashes.get_mut(index as usize);
            let ahead = leash.and_then(|leash| {
                let longest = SIDES * self.sample.side;
                leash.choose([was, now], index, self.tick, longest)
            });
            stray.is_held = ahead.is_some();
            if time == Time::Between
                && ahead.is_none()
                && let Some(bits) = self.is_loose.get_mut(index as usize / 64)
            {
                *bits |= 1 << (index % 64);
            }
            let leash = ahead.unwrap_or(*now);
            let leash = match time {
                Time::Ticks => leash,
                Time::Between => leash.union(was),
            };
            self.cells.set(index, leash);
        }
        if due || self.strays.len() * 2 > count {
            for &index in regions.gone() {
                self.cells.forget(index);
            }
            let all = regions.iter().map(|(index, kind, ..)| (index, kind));
            self.cells.rebuild(all, self.sample.spread, due);
            if due {
                (self.count, self.laid) = (count, self.tick);
            }
        } else {
            for &index in regions.gone() {
                if let Some(kind) = regions.kind(index) {
                    self.cells.unlink(kind, index);
                }
                self.cells.forget(index);
            }
            for stray in &self.strays {
                if let Some(kind) = regions.kind(stray.index) {
                    self.cells.unlink(kind, stray.index);
                    self.cells.link(kind, stray.index);
                }
            }
        }
        self.search(regions);
        if time == Time::Between {
            // Where it has been matters no longer.
            for stray in self.strays.iter().filter(|stray| !stray.is_held) {
                self.cells.set(stray.index, *regions.now(stray.index));
            }
        }
    }

    fn find_strays(&mut self, regions: &Regions) {
        let places = regions.places();
        self.cells.resize(places);
        self.leashes.resize(places, Leash::default());
        self.is_stray.clear();
        self.is_stray.resize(places.div_ceil(64), 0);
        self.is_loose.clear();
        self.is_loose.resize(places.div_ceil(64), 0);
        self.strays.clear();
        let leashes = self.cells.bounds_from(0);
        for ((index, now, moved), leash) in regions.iter_places().zip(leashes) {
            if moved & !leash.contains(now) {
                self.strays.push(Stray {
                    index,
                    is_held: false,
                    old: *leash,
                    extra: 0,
                    compared: 0,
                });
            }
        }
        let strays = self.strays.iter().map(|stray| stray.index);
        for index in strays.chain(regions.gone().iter().copied()) {
            if let Some(bits) = self.is_stray.get_mut(index as usize / 64) {
                *bits |= 1 << (index % 64);
            }
        }
    }

    /// Gathers, sorted, the pairs of leashes that overlap and did not.
    fn search(&mut self, regions: &Regions) {
        let Self {
            strays,
            is_stray,
            is_loose,
            cells,
            finders,
            fresh,
            ..
        } = self;
        fresh.clear();
        let only_strays = strays.len() == regions.count();
        let parts = finders.len() + 1;
        let parts = if strays.len() < FEW { 1 } else { parts };
        let size = strays.len().div_ceil(parts).max(1);
        let mut chunks = strays.chunks_mut(size);
        let first = chunks.next().unwrap_or_default();
        let finder = &mut self.finder;
        finder.fresh.clear();
        let bits = [is_stray.as_slice(), is_loose.as_slice()];
        if parts == 1 {
            finder.search(regions, cells, bits, first, only_strays);
        } else {
            let cells = &*cells;
            std::thread::scope(|scope| {
                for (chunk, other) in chunks.zip(finders.iter_mut()) {
                    other.fresh.clear();
                    scope.spawn(move || other.search(regions, cells, bits, chunk, only_strays));
                }
                finder.search(regions, cells, bits, first, only_strays);
            });
        }
        fresh.append(&mut finder.fresh);
        for other in finders {
            fresh.append(&mut other.fresh);
        }
        sort(fresh, &mut self.spare);
        for stray in &*strays {
            if let Some(leash) = self.leashes.get_mut(stray.index as usize) {
                leash.meet(stray.extra, stray.compared);
            }
        }
    }

    /// Goes through the pairs in order, keeps those whose leashes overlap, and calls `found` with
    /// each pair that begins to overlap, ceases to, or does not overlap, where `ALL` asks for the
    /// last, too.
    fn compare<const ALL: bool>(
        &mut self,
        regions: &Regions,
        mut found: impl FnMut(u32, u32, bool, bool),
    ) {
        let Self {
            is_stray,
            cells,
            pairs,
            next,
            fresh,
            ..
        } = self;
        next.clear();
        next.resize(pairs.len() + fresh.len(), 0);
        let mut kept = 0;
        let mut keep = |pair: Key| {
            let (update, subscription) = indices(pair);
            let overlaps = regions.now(update).overlaps(regions.now(subscription));
            let strays = has(is_stray, update) | has(is_stray, subscription);
            let mut stays = true;
            if (pair ^ Key::from(overlaps)) & OVERLAPPED != 0 || strays || ALL && !overlaps {
                let overlapped = pair & OVERLAPPED != 0;
                if overlaps != overlapped || ALL && !overlaps {
                    found(update, subscription, overlapped, overlaps);
                }
                stays = !strays || cells.bounds(update).overlaps(cells.bounds(subscription));
            }
            if let Some(place) = next.get_mut(kept) {
                *place = pair & !OVERLAPPED | Key::from(overlaps);
            }
            kept += usize::from(stays);
        };
        let mut rest = pairs.as_slice();
        for &new in &*fresh {
            // Two strays may find each other once more.
            let before = rest.partition_point(|pair| pair & !OVERLAPPED < new);
            let (first, after) = rest.split_at_checked(before).unwrap_or((rest, &[]));
            first.iter().for_each(|pair| keep(*pair));
            rest = after;
            if rest.first().is_none_or(|pair| pair & !OVERLAPPED != new) {
                keep(new);
            }
        }
        rest.iter().for_each(|pair| keep(*pair));
        next.truncate(kept);
        core::mem::swap(pairs, next);
    }
}

impl Method for Grid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        self.follow(regions, Time::Ticks);
        self.compare::<false>(regions, |update, subscription, overlapped, overlaps| {
            if overlaps {
                changes.begin(regions, update, subscription);
            } else if overlapped {
                changes.cease(regions, update, subscription);
            }
        });
    }

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.follow(regions, Time::Between);
        self.compare::<true>(regions, |update, subscription, overlapped, overlaps| {
            let was = [regions.was(update), regions.was(subscription)];
            let now = [regions.now(update), regions.now(subscription)];
            let [one, other] = [was[0].union(now[0]), was[1].union(now[1])];
            if !overlapped && !overlaps && !one.overlaps(&other) {
                return;
            }
            let Some(span) = linear(was, now) else {
                return;
            };
            if !overlapped {
                changes.begin_at(regions, update, subscription, span.from);
            }
            if !overlaps {
                changes.cease_at(regions, update, subscription, span.to);
            }
        });
    }

    fn bytes(&self) -> usize {
        let keys = [&self.pairs, &self.next, &self.fresh, &self.spare];
        let finders = self.finders.iter().chain([&self.finder]);
        self.cells.bytes()
            + self.sample.bytes()
            + self.leashes.capacity() * size_of::<Leash>()
            + self.strays.capacity() * size_of::<Stray>()
            + (self.is_stray.capacity() + self.is_loose.capacity()) * size_of::<u64>()
            + finders.map(Finder::bytes).sum::<usize>()
            + keys.into_iter().map(Vec::capacity).sum::<usize>() * size_of::<Key>()
    }
}
