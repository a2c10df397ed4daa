//! Liu's efficient sorting (thesis, algorithm 1), and over space and time (algorithm 3): whenever two
//! ends swap, the two regions are compared, so that no table of pairs is needed.

use rustc_hash::FxHashSet;

use super::lists::{Lists, pairs};
use crate::runtime::interest::{Method, Record, Regions, linear};

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
