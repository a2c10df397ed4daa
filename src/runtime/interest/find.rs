//! Finding the pairs that overlap.

use super::cells::{Cells, Effort};
use super::changes::{Key, key};
use super::motion::linear;
use super::{Bounds, Regions};

/// Of a pair that is found where time is looked at between the ticks: nothing happens to it.
pub(super) const STAYS: Key = 1;

/// What of the time between two ticks is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Its end.
    End,
    /// One of so many parts of the same length.
    Part { number: u32, of: u32 },
}

impl Time {
    /// The box within which a region is all that time.
    #[inline]
    pub(super) fn bounds(self, regions: &Regions, index: u32) -> Bounds {
        let now = regions.now(index);
        match self {
            Self::End => *now,
            Self::Part { of: 1, .. } => now.union(regions.was(index)),
            Self::Part { number, of } => {
                let at = |number: u32| number as f32 / of as f32;
                now.swept(regions.was(index), at(number), at(number + 1))
            }
        }
    }
}

/// What is looked through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quest<'g> {
    pub regions: &'g Regions,
    /// Updates, and subscriptions.
    pub cells: &'g [Cells; 2],
    pub time: Time,
    /// Whether only pairs are looked for of which one has moved.
    pub only_moved: bool,
    /// Whether updates look in all layers of subscriptions.
    pub in_all: bool,
}

/// What one thread uses to find pairs.
#[derive(Debug, Default)]
pub(super) struct Finder {
    /// What was found.
    pub pairs: Vec<Key>,
    pub effort: Effort,
    hits: Vec<u32>,
}

impl Finder {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.effort = Effort::default();
    }

    /// Finds the pairs of some updates, in order if those are. Of two boxes in layers of different levels
    /// the one in the lower finds the other, since fewer are near it; of the same level, the update.
    pub(super) fn updates(&mut self, quest: &Quest<'_>, updates: &[u32]) {
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
            match quest.time {
                Time::End => pairs.extend(found.map(|&other| key(update, other))),
                Time::Part { number, of } => pairs.extend(
                    found.filter_map(|&other| meet(quest.regions, update, other, number, of)),
                ),
            }
            let new = pairs.get_mut(first..).unwrap_or_default();
            new.sort_unstable();
        }
    }

    /// Finds the other pairs, those of some subscriptions, in no order.
    pub(super) fn subscriptions(&mut self, quest: &Quest<'_>, subscriptions: &[u32]) {
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
            match quest.time {
                Time::End => pairs.extend(found.map(|other| key(other, subscription))),
                Time::Part { number, of } => pairs.extend(
                    found.filter_map(|other| meet(regions, other, subscription, number, of)),
                ),
            }
        }
    }

    /// How many hits there are among the boxes in layers of those levels.
    #[inline]
    fn near<L: Fn(u8) -> bool>(
        &mut self,
        quest: &Quest<'_>,
        index: u32,
        others: &Cells,
        levels: impl FnOnce(&Bounds) -> L,
    ) -> usize {
        let bounds = quest.time.bounds(quest.regions, index);
        let is_looked_in = levels(&bounds);
        let mut found = 0;
        for layer in others.layers.all() {
            if is_looked_in(layer.level) {
                found = others.near(layer, &bounds, &mut self.hits, found, &mut self.effort);
            }
        }
        found
    }

    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Key>() + self.hits.capacity() * size_of::<u32>()
    }
}

/// The pair, if the two overlap in this tick, and begin to in this part of it or have from its beginning.
#[inline]
fn meet(regions: &Regions, update: u32, subscription: u32, part: u32, of: u32) -> Option<Key> {
    let was = [regions.was(update), regions.was(subscription)];
    let now = [regions.now(update), regions.now(subscription)];
    let key = key(update, subscription);
    if was[0].overlaps(was[1]) {
        // Who overlaps at both ends of a straight way does so all along.
        let stays = now[0].overlaps(now[1]);
        return (part == 0).then_some(key | if stays { STAYS } else { 0 });
    }
    let from = linear(was, now)?.from;
    let begins_in = (from * f64::from(of)) as u32;
    (begins_in.min(of - 1) == part).then_some(key)
}
