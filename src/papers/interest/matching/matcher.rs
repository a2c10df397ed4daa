//! A matcher: regions, and a method that finds the pairs of them that overlap.

use super::{Changes, Events, Grid, Kind, Method, Record, Region, Regions};
use viewcell::interest::{Bounds, InterestError};

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
