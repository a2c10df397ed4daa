//! A matcher: regions, and a method that finds the pairs of them that overlap; what it says; and the slowest
//! method, which all others are held to.

use super::motion::linear;
use super::{Bounds, Grid, InterestError, Kind, Region, Regions};

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

/// Regions, and who overlaps whom.
#[derive(Debug)]
pub struct Interest<M = Grid> {
    regions: Regions,
    changes: Record,
    method: M,
}

impl Interest {
    /// A matcher without regions, by the method for production, [`Grid`].
    pub fn new() -> Self {
        Self::with(Grid::default())
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Method> Interest<M> {
    /// A matcher without regions, by a method that has seen none.
    pub fn with(method: M) -> Self {
        Self::with_limit(method, u32::MAX)
    }

    /// The same, for at most so many regions at a time.
    pub fn with_limit(method: M, regions: u32) -> Self {
        Self {
            regions: Regions::new(regions),
            changes: Record::default(),
            method,
        }
    }

    /// Makes room for so many more regions.
    pub fn reserve(&mut self, regions: usize) {
        self.regions.reserve(regions);
    }

    /// A region comes. It is nobody's match before the next tick.
    ///
    /// # Errors
    ///
    /// [`InterestError::Full`].
    pub fn insert(&mut self, kind: Kind, bounds: Bounds) -> Result<Region, InterestError> {
        self.regions.insert(kind, bounds)
    }

    /// A region is elsewhere from the next tick on; if it is told of several places, at the last.
    ///
    /// # Errors
    ///
    /// [`InterestError::Unknown`] and [`InterestError::Removed`].
    #[inline]
    pub fn move_to(&mut self, region: Region, bounds: Bounds) -> Result<(), InterestError> {
        self.regions.move_to(region, bounds)
    }

    /// A region goes. The next tick says that its pairs have ceased.
    ///
    /// # Errors
    ///
    /// As [`Interest::move_to`].
    pub fn remove(&mut self, region: Region) -> Result<(), InterestError> {
        self.regions.remove(region)
    }

    /// Where a region was last said to be.
    ///
    /// # Errors
    ///
    /// As [`Interest::move_to`].
    pub fn bounds(&self, region: Region) -> Result<Bounds, InterestError> {
        self.regions.bounds(region)
    }

    /// How many regions there are.
    pub fn count(&self) -> usize {
        self.regions.count()
    }

    /// Ends a tick: what has changed since the last one.
    pub fn tick(&mut self) -> Changes<'_> {
        self.changes.clear();
        if self.regions.moved() > 0 {
            self.method.tick(&self.regions, &mut self.changes);
            self.regions.end_tick();
        }
        self.changes.changes()
    }

    /// Ends a tick: what has happened since the last one, if all that moved did so along straight
    /// lines, each corner at its own steady speed. Also says what came to overlap and ceased to
    /// between the ticks, which [`Interest::tick`] misses (Liu, chapter 4).
    ///
    /// A region that came is there from the end of the tick, one that went until its beginning.
    pub fn sweep(&mut self) -> Events<'_> {
        self.changes.clear();
        if self.regions.moved() > 0 {
            self.method.sweep(&self.regions, &mut self.changes);
            self.regions.end_tick();
        }
        self.changes.events()
    }

    /// The method.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.regions.bytes() + self.changes.bytes() + self.method.bytes()
    }
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

/// Compares every update region with every subscription region. Keeps nothing; a tick takes time
/// that grows with the square of the regions.
#[derive(Debug, Default)]
pub struct BruteForce;

/// A region: its index, and its bounds a tick ago and now.
type Moved<'r> = (u32, [&'r Bounds; 2]);

impl BruteForce {
    /// Every update region with every other that subscribes.
    fn pairs(regions: &Regions) -> impl Iterator<Item = [Moved<'_>; 2]> {
        let of = |counts: fn(Kind) -> bool| {
            let all = regions.iter_all();
            all.filter_map(move |(index, kind, _, was, now)| {
                counts(kind).then_some((index, [was, now]))
            })
        };
        of(Kind::updates).flat_map(move |update| {
            let others = of(Kind::subscribes).filter(move |other| other.0 != update.0);
            others.map(move |subscription| [update, subscription])
        })
    }
}

impl Method for BruteForce {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        for [(update, [was, now]), (subscription, [other_was, other_now])] in Self::pairs(regions) {
            match (was.overlaps(other_was), now.overlaps(other_now)) {
                (false, true) => changes.begin(regions, update, subscription),
                (true, false) => changes.cease(regions, update, subscription),
                _ => {}
            }
        }
    }

    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        for [(update, [was, now]), (subscription, [other_was, other_now])] in Self::pairs(regions) {
            let Some(span) = linear([was, other_was], [now, other_now]) else {
                continue;
            };
            if !was.overlaps(other_was) {
                changes.begin_at(regions, update, subscription, span.from);
            }
            if !now.overlaps(other_now) {
                changes.cease_at(regions, update, subscription, span.to);
            }
        }
    }

    fn bytes(&self) -> usize {
        0
    }
}
