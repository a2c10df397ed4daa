//! One rank, and its ticks.

use std::collections::BTreeMap;

use super::space::Balance;
use super::space::Space;
use super::transport::{Change, Moved, Reader, put_change, put_moved};
use super::transport::{Lost, Transport};
use crate::interest::matching::{Kind, linear};
use viewcell::interest::Bounds;

/// What all ranks are told alike.
#[derive(Clone, Copy, Debug)]
pub struct RankOptions {
    /// Also what happens between ticks.
    pub space_time: bool,
    /// Who gets work from whom.
    pub balance: Balance,
    /// The difference of loads, as a share of the larger one, from which on work is moved: λ.
    pub threshold: f64,
}

/// What a rank has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Regions that moved to another rank's subdivision, or whose subdivision was given away.
    pub migrations: u64,
    /// Copies of regions that reach into another rank's subdivisions.
    pub ghosts: u64,
    /// Bytes sent to other ranks.
    pub bytes: u64,
    /// Pairs compared.
    pub load: u64,
}

/// One of several ranks.
#[derive(Debug)]
pub struct Rank<T> {
    transport: T,
    space: Space,
    options: RankOptions,
    /// Those it has.
    regions: BTreeMap<u32, Moved>,
    counts: Counts,
}

impl<T: Transport> Rank<T> {
    /// A rank without regions. All ranks begin with the same space.
    pub fn new(transport: T, space: Space, options: RankOptions) -> Self {
        Self {
            transport,
            space,
            options,
            regions: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// A region comes, on any rank; it is told to that which is to have it in the next tick.
    pub fn insert(&mut self, region: u32, kind: Kind, now: Bounds) {
        let came = Moved {
            region,
            kind,
            was: None,
            now: Some(now),
        };
        self.regions.insert(region, came);
    }

    /// The regions that this rank has.
    pub fn regions(&self) -> impl Iterator<Item = u32> + '_ {
        self.regions.keys().copied()
    }

    /// Where a region of this rank is in this tick; none where it has gone.
    pub fn place(&mut self, region: u32, now: Option<Bounds>) {
        if let Some(moved) = self.regions.get_mut(&region) {
            moved.now = now;
        }
    }

    /// Ends a tick. Rank 0 gets all changes, sorted as the runtime sorts them, those that began
    /// first; the others nothing.
    ///
    /// # Errors
    ///
    /// [`Lost`] where a rank has ended.
    pub fn tick(&mut self) -> Result<Vec<Change>, Lost> {
        self.migrate()?;
        let ghosts = self.spread()?;
        let (changes, crowds) = self.compare(&ghosts);
        let changes = self.gather(&changes)?;
        self.balance(&crowds)?;
        self.regions.retain(|_, moved| {
            moved.was = moved.now;
            moved.now.is_some()
        });
        Ok(changes)
    }

    /// What was counted since the beginning; the load of the last tick.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How it talks to the others.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// The rank ends; how it talked to the others is left.
    pub fn into_transport(self) -> T {
        self.transport
    }

    /// Who owns which subdivision.
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn exchange(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        let own = self.transport.rank();
        let sent = messages.iter().enumerate().filter(|(rank, _)| *rank != own);
        self.counts.bytes += sent.map(|(_, message)| message.len() as u64).sum::<u64>();
        self.transport.exchange(messages)
    }

    fn messages(&self) -> Vec<Vec<u8>> {
        vec![Vec::new(); self.transport.ranks()]
    }

    /// Sends away the regions whose lower corners are in other ranks' subdivisions.
    fn migrate(&mut self) -> Result<(), Lost> {
        let own = self.transport.rank();
        let mut messages = self.messages();
        let space = &self.space;
        let mut migrations = 0;
        self.regions.retain(|_, moved| {
            let home = volume(moved).map_or(own, |bounds| space.owner(space.of(bounds.min())));
            if home != own {
                put_moved(&mut messages[home], moved);
                migrations += u64::from(moved.was.is_some());
            }
            home == own
        });
        self.counts.migrations += migrations;
        for message in self.exchange(messages)? {
            let mut reader = Reader(&message);
            while let Some(moved) = reader.moved() {
                self.regions.insert(moved.region, moved);
            }
        }
        Ok(())
    }

    /// Sends copies of its regions to those into whose subdivisions they reach, and returns those
    /// it got.
    fn spread(&mut self) -> Result<Vec<Moved>, Lost> {
        let own = self.transport.rank();
        let mut messages = self.messages();
        let mut sent = vec![u32::MAX; self.transport.ranks()];
        for moved in self.regions.values() {
            let Some(bounds) = volume(moved) else {
                continue;
            };
            for subdivision in self.space.reached(&bounds) {
                let owner = self.space.owner(subdivision);
                if owner != own && sent[owner] != moved.region {
                    sent[owner] = moved.region;
                    put_moved(&mut messages[owner], moved);
                    self.counts.ghosts += 1;
                }
            }
        }
        let mut ghosts = Vec::new();
        for message in self.exchange(messages)? {
            let mut reader = Reader(&message);
            while let Some(moved) = reader.moved() {
                ghosts.push(moved);
            }
        }
        Ok(ghosts)
    }

    /// Compares the regions in each of its subdivisions. Of a pair that meets in several, the one with
    /// the lower corner of what they share counts.
    fn compare(&mut self, ghosts: &[Moved]) -> (Vec<Change>, Vec<u32>) {
        let own = self.transport.rank();
        let mut crowds = vec![0; self.space.count()];
        let mut units: Vec<Vec<(Bounds, Moved)>> = vec![Vec::new(); self.space.count()];
        for moved in self.regions.values().chain(ghosts) {
            let Some(bounds) = volume(moved) else {
                continue;
            };
            for subdivision in self.space.reached(&bounds) {
                if self.space.owner(subdivision) == own {
                    crowds[subdivision] += 1;
                    units[subdivision].push((bounds, *moved));
                }
            }
        }
        let mut changes = Vec::new();
        self.counts.load = 0;
        for (subdivision, unit) in units.iter_mut().enumerate() {
            unit.sort_by(|(a, one), (b, other)| {
                let by_low = a.min()[0].total_cmp(&b.min()[0]);
                by_low.then(one.region.cmp(&other.region))
            });
            for (at, (a, one)) in unit.iter().enumerate() {
                for (b, other) in &unit[at + 1..] {
                    if b.min()[0] > a.max()[0] {
                        break;
                    }
                    self.counts.load += 1;
                    let shared = [0, 1, 2].map(|axis| a.min()[axis].max(b.min()[axis]));
                    if a.overlaps(b) && self.space.of(shared) == subdivision {
                        self.meet(one, other, &mut changes);
                        self.meet(other, one, &mut changes);
                    }
                }
            }
        }
        (changes, crowds)
    }

    /// What happened to an update and a subscription.
    fn meet(&self, update: &Moved, subscription: &Moved, changes: &mut Vec<Change>) {
        if !update.kind.updates() || !subscription.kind.subscribes() {
            return;
        }
        let both = |a: Option<Bounds>, b: Option<Bounds>| a.zip(b);
        let was = both(update.was, subscription.was);
        let now = both(update.now, subscription.now);
        let overlaps = |pair: Option<(Bounds, Bounds)>| pair.is_some_and(|(a, b)| a.overlaps(&b));
        let (overlapped, overlaps) = (overlaps(was), overlaps(now));
        let mut from_to = None;
        if self.options.space_time {
            from_to = match (was, now) {
                (Some((a, b)), Some((c, d))) => {
                    linear([&a, &b], [&c, &d]).map(|span| [span.from, span.to])
                }
                // It came at the end of the tick, or went at its beginning.
                (None, _) => overlaps.then_some([1.0; 2]),
                (_, None) => overlapped.then_some([0.0; 2]),
            };
        } else if overlapped != overlaps {
            from_to = Some([0.0; 2]);
        }
        let Some([from, to]) = from_to else { return };
        let mut tell = |began, instant| {
            changes.push(Change {
                update: update.region,
                subscription: subscription.region,
                began,
                instant,
            });
        };
        if !overlapped {
            tell(true, from);
        }
        if !overlaps {
            tell(false, to);
        }
    }

    /// Sends all changes to rank 0.
    fn gather(&mut self, changes: &[Change]) -> Result<Vec<Change>, Lost> {
        let mut messages = self.messages();
        for change in changes {
            put_change(&mut messages[0], change);
        }
        let mut all = Vec::new();
        for message in self.exchange(messages)? {
            let mut reader = Reader(&message);
            while let Some(change) = reader.change() {
                all.push(change);
            }
        }
        all.sort_by_key(|change| (!change.began, change.update, change.subscription));
        Ok(all)
    }

    /// Tells all ranks its load; the one with most gives a subdivision away and tells all.
    fn balance(&mut self, crowds: &[u32]) -> Result<(), Lost> {
        let own = self.transport.rank();
        let load = self.counts.load.to_le_bytes().to_vec();
        let loads = self.exchange(vec![load; self.transport.ranks()])?;
        let loads: Vec<u64> = loads
            .iter()
            .map(|message| Reader(message).number().unwrap_or(0))
            .collect();
        let heaviest = (0..loads.len()).max_by_key(|&rank| (loads[rank], usize::MAX - rank));
        let mut message = Vec::new();
        if heaviest == Some(own) {
            let RankOptions {
                balance, threshold, ..
            } = self.options;
            if let Some((subdivision, rank)) =
                balance.choose(&self.space, &loads, crowds, threshold)
            {
                message.extend((subdivision as u64).to_le_bytes());
                message.extend((rank as u64).to_le_bytes());
            }
        }
        for message in self.exchange(vec![message; self.transport.ranks()])? {
            let mut reader = Reader(&message);
            if let (Some(subdivision), Some(rank)) = (reader.number(), reader.number()) {
                self.space.give(subdivision as usize, rank as usize);
            }
        }
        Ok(())
    }
}

/// All where a region was and is and passed through.
fn volume(moved: &Moved) -> Option<Bounds> {
    match (moved.was, moved.now) {
        (Some(was), Some(now)) => Some(was.union(&now)),
        (was, now) => was.or(now),
    }
}
