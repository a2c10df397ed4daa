//! A method that finds the pairs of regions that overlap, and where it records what has changed.

use super::{Region, Regions};

/// How pairs are found. All methods say the same changes in the same order.
pub trait Method {
    /// Records the pairs that overlap now and did not, and those that overlapped and do not now,
    /// each once, in the order of [`super::Changes`]. It is called for every tick in which a region has
    /// moved, come or gone, and in no other.
    fn tick(&mut self, regions: &Regions, changes: &mut Record);

    /// Records what began and what ceased while each region moved along a straight line from where it
    /// was to where it is, with the instants, in the order of [`super::Events`]. Called instead of
    /// [`Method::tick`].
    fn sweep(&mut self, regions: &Regions, changes: &mut Record);

    /// Bytes of memory that the method itself uses.
    fn bytes(&self) -> usize;
}

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

/// A pair, and when it was that something happened to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The regions.
    pub pair: Pair,
    /// The share of the time between the last tick and this one that had passed: 0 to 1, within a
    /// 2^-50th of the truth.
    pub instant: f64,
}

/// What has happened since the last tick, each list sorted as those of [`Changes`]. A pair that did
/// not overlap at either end may be in both: it began, then ceased.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Events<'m> {
    /// Pairs that began to overlap.
    pub began: &'m [Event],
    /// Pairs that ceased to overlap; the instant is the last at which they did.
    pub ceased: &'m [Event],
}

/// Where a method writes what has changed.
#[derive(Debug, Default)]
pub struct Record {
    began: Vec<Pair>,
    ceased: Vec<Pair>,
    began_at: Vec<Event>,
    ceased_at: Vec<Event>,
}

impl Record {
    /// Nothing has changed yet.
    pub fn clear(&mut self) {
        self.began.clear();
        self.ceased.clear();
        self.began_at.clear();
        self.ceased_at.clear();
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

    /// A pair has begun to overlap at an instant.
    pub fn begin_at(&mut self, regions: &Regions, update: u32, subscription: u32, instant: f64) {
        let pair = Pair {
            update: regions.name(update),
            subscription: regions.name(subscription),
        };
        self.began_at.push(Event { pair, instant });
    }

    /// A pair has overlapped up to an instant.
    pub fn cease_at(&mut self, regions: &Regions, update: u32, subscription: u32, instant: f64) {
        let pair = Pair {
            update: regions.name(update),
            subscription: regions.name(subscription),
        };
        self.ceased_at.push(Event { pair, instant });
    }

    /// Sorts all lists, each of which names a pair once.
    pub fn sort(&mut self) {
        self.began.sort_unstable();
        self.ceased.sort_unstable();
        self.began_at.sort_unstable_by_key(|event| event.pair);
        self.ceased_at.sort_unstable_by_key(|event| event.pair);
    }

    /// What was recorded.
    pub fn changes(&self) -> Changes<'_> {
        Changes {
            began: &self.began,
            ceased: &self.ceased,
        }
    }

    /// What was recorded with its instants.
    pub fn events(&self) -> Events<'_> {
        Events {
            began: &self.began_at,
            ceased: &self.ceased_at,
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
            + (self.began_at.capacity() + self.ceased_at.capacity()) * size_of::<Event>()
    }
}
