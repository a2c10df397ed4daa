//! What a tick says.

use super::{Region, Regions};

/// An update region and a subscription region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// Whose news it is.
    pub update: Region,
    /// Who hears, or no longer hears, of it.
    pub subscription: Region,
}

/// What has changed since the last tick, each list sorted by the indices of the update region, then
/// of the subscription region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes<'m> {
    /// Pairs that overlap now and did not.
    pub began: &'m [Pair],
    /// Pairs that overlapped and do not now, and pairs of regions that were removed.
    pub ceased: &'m [Pair],
}

/// Pairs of indices as one number each, which sorts by the update, then by the subscription.
pub(super) type Key = u64;

#[inline]
pub(super) fn key(update: u32, subscription: u32) -> Key {
    u64::from(update) << 32 | u64::from(subscription)
}

#[inline]
pub(super) fn indices(key: Key) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// Where a method writes what has changed.
#[derive(Debug, Default)]
pub struct Record {
    began: Vec<Pair>,
    ceased: Vec<Pair>,
}

impl Record {
    /// Nothing has changed yet.
    pub fn clear(&mut self) {
        self.began.clear();
        self.ceased.clear();
    }

    /// A pair has begun to overlap, by indices. Say so in order, or [`Record::sort`] in the end.
    #[inline]
    pub fn begin(&mut self, regions: &Regions, update: u32, subscription: u32) {
        self.began.push(Pair {
            update: regions.name(update),
            subscription: regions.name(subscription),
        });
    }

    /// A pair has ceased to overlap.
    #[inline]
    pub fn cease(&mut self, regions: &Regions, update: u32, subscription: u32) {
        self.ceased.push(Pair {
            update: regions.name(update),
            subscription: regions.name(subscription),
        });
    }

    /// Sorts both lists, each of which names a pair once.
    pub fn sort(&mut self) {
        self.began.sort_unstable();
        self.ceased.sort_unstable();
    }

    /// What was recorded.
    pub fn changes(&self) -> Changes<'_> {
        Changes {
            began: &self.began,
            ceased: &self.ceased,
        }
    }

    /// Makes room.
    pub fn reserve(&mut self, pairs: usize) {
        self.began.reserve(pairs);
        self.ceased.reserve(pairs);
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        (self.began.capacity() + self.ceased.capacity()) * size_of::<Pair>()
    }
}
