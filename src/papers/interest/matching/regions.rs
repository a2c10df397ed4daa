//! Which regions there are, where they are, and where they were.

use viewcell::interest::hash_grid::step;
use viewcell::interest::{Bounds, InterestError};

/// What a region is for (Liu, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Where news of an entity is of interest.
    Update,
    /// What a participant wants to hear of.
    Subscription,
    /// Both. It never overlaps itself.
    Both,
}

impl Kind {
    /// Whether news comes from it.
    pub fn updates(self) -> bool {
        self != Self::Subscription
    }

    /// Whether it hears.
    pub fn subscribes(self) -> bool {
        self != Self::Update
    }
}

/// A region's name. It is never another's, not even after the region has been removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    index: u32,
    generation: u32,
}

impl Region {
    /// Which of the places in memory it has; those of removed regions are given away again.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many regions had that place before.
    pub fn generation(self) -> u32 {
        self.generation
    }

    /// The region of an index and a generation, such as one that has crossed a C interface.
    pub fn from_parts(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }
}

/// Where a region is, whose slot it is, and when it last moved. Two of them fill a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct RegionSlot {
    now: Bounds,
    generation: u32,
    /// The tick in which it last moved, came or went.
    moved_in: u32,
}

/// What is known of a region besides where it is.
#[derive(Clone, Copy, Debug)]
struct Meta {
    kind: Kind,
    alive: bool,
}

/// As many as may have a place. Methods may use the two highest bits of an index.
const PLACES: u32 = 1 << 30;

/// The regions of a matcher: where each is, and where it was when the last tick ended.
///
/// *Alive* counts what has come, is not removed. A place of a removed region is given away only
/// after the tick that reports what ceased, so that an index names one region in any tick.
#[derive(Debug, Default)]
pub struct Regions {
    places: Vec<RegionSlot>,
    /// Of those that moved in this tick: where they were when the last one ended.
    was: Vec<Bounds>,
    meta: Vec<Meta>,
    free: Vec<u32>,
    /// Removed since the last tick.
    gone: Vec<u32>,
    /// The number of this tick, never 0.
    tick: u32,
    /// Moved, come or gone since the last tick.
    moved: u32,
    alive: u32,
    limit: u32,
}

impl Regions {
    /// No regions yet, and at most `limit` at a time.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            tick: 1,
            limit: limit.min(PLACES),
            ..Self::default()
        }
    }

    /// Reserves memory for that many regions.
    pub(super) fn reserve(&mut self, regions: usize) {
        self.places.reserve(regions);
        self.was.reserve(regions);
        self.meta.reserve(regions);
        self.free.reserve(regions);
        self.gone.reserve(regions);
    }

    pub(super) fn insert(&mut self, kind: Kind, bounds: Bounds) -> Result<Region, InterestError> {
        let fresh = Meta { kind, alive: true };
        let region = if let Some(index) = self.free.pop() {
            let at = index as usize;
            let places = self.places.get_mut(at).zip(self.was.get_mut(at));
            let Some(((place, was), meta)) = places.zip(self.meta.get_mut(at)) else {
                return Err(InterestError::Unknown);
            };
            (place.now, place.moved_in) = (bounds, self.tick);
            (*was, *meta) = (Bounds::NOWHERE, fresh);
            Region {
                index,
                generation: place.generation,
            }
        } else {
            let index = u32::try_from(self.meta.len()).map_err(|_| InterestError::Full)?;
            if index >= self.limit {
                return Err(InterestError::Full);
            }
            self.places.push(RegionSlot {
                now: bounds,
                generation: 0,
                moved_in: self.tick,
            });
            self.was.push(Bounds::NOWHERE);
            self.meta.push(fresh);
            Region {
                index,
                generation: 0,
            }
        };
        self.alive += 1;
        self.moved += 1;
        Ok(region)
    }

    #[inline]
    pub(super) fn move_to(&mut self, region: Region, bounds: Bounds) -> Result<(), InterestError> {
        let at = region.index as usize;
        let places = self.places.get_mut(at).zip(self.was.get_mut(at));
        let Some(((place, was), meta)) = places.zip(self.meta.get(at)) else {
            return Err(InterestError::Unknown);
        };
        check(region, place.generation, meta.alive)?;
        if place.now != bounds {
            if place.moved_in != self.tick {
                *was = place.now;
                place.moved_in = self.tick;
                self.moved += 1;
            }
            place.now = bounds;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, region: Region) -> Result<(), InterestError> {
        let at = region.index as usize;
        let places = self.places.get_mut(at).zip(self.was.get_mut(at));
        let Some(((place, was), meta)) = places.zip(self.meta.get_mut(at)) else {
            return Err(InterestError::Unknown);
        };
        check(region, place.generation, meta.alive)?;
        if place.moved_in != self.tick {
            *was = place.now;
            place.moved_in = self.tick;
            self.moved += 1;
        }
        place.now = Bounds::NOWHERE;
        meta.alive = false;
        self.alive -= 1;
        self.gone.push(region.index);
        Ok(())
    }

    /// Where a region is.
    pub(super) fn bounds(&self, region: Region) -> Result<Bounds, InterestError> {
        let at = region.index as usize;
        let (Some(place), Some(meta)) = (self.places.get(at), self.meta.get(at)) else {
            return Err(InterestError::Unknown);
        };
        check(region, place.generation, meta.alive)?;
        Ok(place.now)
    }

    /// What is now becomes what was.
    pub(super) fn end_tick(&mut self) {
        if self.moved == 0 {
            return;
        }
        self.moved = 0;
        if let Some(next) = self.tick.checked_add(1) {
            self.tick = next;
        } else {
            // Numbers begin again, and no place may seem to have moved in a tick to come.
            self.tick = 1;
            self.places.iter_mut().for_each(|place| place.moved_in = 0);
        }
        for index in self.gone.drain(..) {
            // A place whose generations are used up is never given away again.
            if let Some(place) = self.places.get_mut(index as usize)
                && let Some(next) = place.generation.checked_add(1)
            {
                place.generation = next;
                self.free.push(index);
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.alive as usize
    }

    /// One more than the highest index there ever was.
    pub fn places(&self) -> usize {
        self.meta.len()
    }

    /// How many have moved, come or gone since the last tick.
    pub fn moved(&self) -> usize {
        self.moved as usize
    }

    /// The indices of those that were removed since the last tick.
    pub fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// Those there are, by index: what each is for, whether it moved or came since the last tick,
    /// where it was when that ended, and where it is.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, Kind, bool, &Bounds, &Bounds)> + Clone {
        self.iter_all().filter(|(index, ..)| self.is_alive(*index))
    }

    /// The same, and those that were removed since the last tick.
    #[inline]
    pub fn iter_all(&self) -> impl Iterator<Item = (u32, Kind, bool, &Bounds, &Bounds)> + Clone {
        let all = (0..).zip(&self.meta).zip(&self.places).zip(&self.was);
        all.filter_map(|(((index, meta), place), was)| {
            let moved = place.moved_in == self.tick;
            let was = if moved { was } else { &place.now };
            (meta.alive || moved).then_some((index, meta.kind, moved, was, &place.now))
        })
    }

    /// All places there ever were: the index, what its region is or was for, whether there is one, and
    /// whether that moved, came or went since the last tick.
    #[inline]
    pub(super) fn iter_kinds(&self) -> impl Iterator<Item = (u32, Kind, bool, bool)> {
        let all = (0..).zip(&self.meta).zip(&self.places);
        all.map(|((index, meta), place)| {
            let moved = place.moved_in == self.tick;
            (index, meta.kind, meta.alive, moved)
        })
    }

    /// Whether there is a region of an index.
    #[inline]
    pub fn is_alive(&self, index: u32) -> bool {
        self.meta.get(index as usize).is_some_and(|meta| meta.alive)
    }

    /// Where the region of an index is; nowhere if there is none.
    #[inline]
    pub fn now(&self, index: u32) -> &Bounds {
        let place = self.places.get(index as usize);
        place.map_or(&Bounds::NOWHERE, |place| &place.now)
    }

    /// Where the region of an index was when the last tick ended; nowhere if it was not there.
    #[inline]
    pub fn was(&self, index: u32) -> &Bounds {
        let at = index as usize;
        match self.places.get(at).zip(self.was.get(at)) {
            Some((place, was)) if place.moved_in == self.tick => was,
            Some((place, _)) => &place.now,
            None => &Bounds::NOWHERE,
        }
    }

    /// What the region of an index is for, or was if it has been removed.
    pub fn kind(&self, index: u32) -> Option<Kind> {
        self.meta.get(index as usize).map(|meta| meta.kind)
    }

    /// Whether the region of an index moved, came or went since the last tick.
    #[inline]
    pub fn has_moved(&self, index: u32) -> bool {
        let place = self.places.get(index as usize);
        place.is_some_and(|place| place.moved_in == self.tick)
    }

    /// The name of the region of an index, in this tick.
    #[inline]
    pub fn name(&self, index: u32) -> Region {
        let generation = self.places.get(index as usize).map_or(0, |p| p.generation);
        Region { index, generation }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<RegionSlot>()
            + self.was.capacity() * size_of::<Bounds>()
            + self.meta.capacity() * size_of::<Meta>()
            + (self.free.capacity() + self.gone.capacity()) * size_of::<u32>()
    }
}

fn check(region: Region, generation: u32, alive: bool) -> Result<(), InterestError> {
    if region.generation > generation {
        Err(InterestError::Unknown)
    } else if region.generation < generation || !alive {
        Err(InterestError::Removed)
    } else {
        Ok(())
    }
}

fn some(regions: &Regions) -> impl Iterator<Item = u32> + '_ {
    let places = regions.places();
    let some = (0..places).step_by(step(places));
    some.map(|index| index as u32)
        .filter(|&index| regions.is_alive(index))
}

/// How many times as far as they are long regions have moved in this tick, from a few of them.
pub(super) fn typical_speed(regions: &Regions) -> f32 {
    let (mut sides, mut steps) = (0.0, 0.0);
    for index in some(regions) {
        let (was, now) = (regions.was(index), regions.now(index));
        if *was != Bounds::NOWHERE {
            steps += now.farthest(was);
            let lengths = now.max().into_iter().zip(now.min());
            sides += lengths.fold(0.0, |most: f32, (high, low)| most.max(high - low));
        }
    }
    // No number where none moved and none has sides.
    (steps / sides).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Bounds {
        Bounds::new([0.0; 3], [1.0; 3]).unwrap()
    }

    #[test]
    fn a_place_is_given_away_only_after_the_tick() {
        let mut regions = Regions::new(u32::MAX);
        let first = regions.insert(Kind::Update, unit()).unwrap();
        regions.remove(first).unwrap();
        let second = regions.insert(Kind::Update, unit()).unwrap();
        assert_ne!(first.index(), second.index());
        regions.end_tick();
        let third = regions.insert(Kind::Update, unit()).unwrap();
        assert_eq!(third.index(), first.index());
        assert_eq!(regions.bounds(first), Err(InterestError::Removed));
        assert_eq!(regions.remove(first), Err(InterestError::Removed));
        assert_eq!(regions.move_to(first, unit()), Err(InterestError::Removed));
        assert_eq!(regions.bounds(third), Ok(unit()));
        assert_eq!(regions.count(), 2);
    }

    #[test]
    fn a_name_of_nobody_is_unknown() {
        let mut regions = Regions::new(u32::MAX);
        let region = regions.insert(Kind::Both, unit()).unwrap();
        let later = Region::from_parts(region.index(), 1);
        let beyond = Region::from_parts(1, 0);
        for stranger in [later, beyond] {
            assert_eq!(regions.bounds(stranger), Err(InterestError::Unknown));
            assert_eq!(regions.remove(stranger), Err(InterestError::Unknown));
        }
    }

    #[test]
    fn there_is_no_room_beyond_the_limit() {
        let mut regions = Regions::new(2);
        let first = regions.insert(Kind::Both, unit()).unwrap();
        regions.insert(Kind::Both, unit()).unwrap();
        let full = Err(InterestError::Full);
        assert_eq!(regions.insert(Kind::Both, unit()), full);
        regions.remove(first).unwrap();
        assert_eq!(regions.insert(Kind::Both, unit()), full, "until the tick");
        regions.end_tick();
        assert!(regions.insert(Kind::Both, unit()).is_ok());
    }

    #[test]
    fn a_place_whose_generations_are_used_up_rests() {
        let mut regions = Regions::new(u32::MAX);
        let region = regions.insert(Kind::Both, unit()).unwrap();
        regions.places[0].generation = u32::MAX;
        let last = Region::from_parts(region.index(), u32::MAX);
        regions.remove(last).unwrap();
        regions.end_tick();
        let next = regions.insert(Kind::Both, unit()).unwrap();
        assert_ne!(next.index(), last.index());
        assert_eq!(regions.bounds(last), Err(InterestError::Removed));
    }
}
