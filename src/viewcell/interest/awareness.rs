//! Area-of-interest awareness by neighbour lists: who is near whom and may be visible, tick by tick.
//!
//! Most pairs of players stay what they are for many ticks, and no tick may look at all of them. So each player
//! *settles* at a place and has some slack around it, as in a Verlet list. While nobody goes farther, most pairs are
//! surely within reach or surely out of it; only the distances of the others are measured in each tick. A player that
//! goes farther settles anew. Whether two see each other is asked when they come around each other, and when one of
//! them is at another place of the bundle.
//!
//! Did not pay: twice the slack: twice as many distances for half as many players who settle.

use super::keys::{Key, indices, sort};
use super::neighbors::{Apart, Home, Neighbors, Row, Turns, squared};
use super::senses::Senses;
use super::{Bounds, InterestError};
use crate::query::{Place, TerrainBundle, World};

/// From how many others on, and from one for how many blocks of the grid on, a PVS is written out.
const MANY: usize = 64;

/// What hides players from each other, such as a bundle.
pub trait Sight {
    /// Where somebody can be: a sample of a terrain, a cell of a level.
    type Place: Copy + PartialEq;

    /// Whether somebody at one place may see somebody at another.
    fn visible(&self, from: Self::Place, to: Self::Place) -> bool;

    /// Whether that is the same both ways.
    fn is_mutual(&self) -> bool {
        false
    }

    /// Whether somebody at one place may see somebody at each of many others, in their order. What is
    /// in `room` is kept from one call to the next.
    fn visible_each(
        &self,
        from: Self::Place,
        to: &[Self::Place],
        room: &mut Vec<u64>,
        seen: &mut Vec<bool>,
    ) {
        let _ = room;
        seen.clear();
        seen.extend(to.iter().map(|&to| self.visible(from, to)));
    }
}

/// A player who hears, or one who is heard of.
#[derive(Clone, Copy, Debug)]
struct Player<P> {
    place: P,
    senses: Senses,
    /// In which tick the player settled; none for one who has just come.
    since: Option<u64>,
    /// Whether the place has changed since the last tick.
    moved: bool,
}

/// Where a player is, and the radius.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: [f32; 3],
    radius: f32,
}

/// Who is near whom and may be seen, among players in a world.
///
/// Player numbers are given in the order of coming; those of players who went are given again. A tick
/// allocates where a player has more others around than the players of that number had before.
#[derive(Debug)]
pub struct Awareness<S: Sight> {
    sight: S,
    players: Vec<Option<Player<S::Place>>>,
    spots: Vec<Spot>,
    /// What others are to each.
    rows: Vec<Row>,
    free: Vec<u32>,
    gone: Vec<u32>,
    /// Whether anybody has moved or come since the last tick.
    stirred: bool,
    tick: u64,
    neighbors: Neighbors,
    /// How far others are who were not so far before.
    changed: Vec<(u32, Apart)>,
    turns: Turns,
    spare: Vec<Key>,
    /// Of those around one: their numbers, their places, and whether they are seen.
    others: Vec<u32>,
    stepped: Vec<u32>,
    places: Vec<S::Place>,
    seen: Vec<bool>,
    /// Of whom it is new that they are seen, or no longer are.
    news: Vec<(u32, bool)>,
    room: Vec<u64>,
    began: Vec<[u32; 2]>,
    ceased: Vec<[u32; 2]>,
    count: usize,
}

/// Whom players begin to hear of and cease to: the observer, then the other, sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwarenessChanges<'m> {
    /// To be told of from now on.
    pub began: &'m [[u32; 2]],
    /// No longer to be told of.
    pub ceased: &'m [[u32; 2]],
}

/// As many as may be there.
const PLAYERS: u32 = 1 << 30;

impl<S: Sight> Awareness<S> {
    /// A world without players.
    pub fn new(sight: S) -> Self {
        Self {
            sight,
            players: Vec::new(),
            spots: Vec::new(),
            rows: Vec::new(),
            free: Vec::new(),
            gone: Vec::new(),
            stirred: false,
            tick: 0,
            neighbors: Neighbors::default(),
            changed: Vec::new(),
            turns: Vec::new(),
            spare: Vec::new(),
            others: Vec::new(),
            stepped: Vec::new(),
            places: Vec::new(),
            seen: Vec::new(),
            news: Vec::new(),
            room: Vec::new(),
            began: Vec::new(),
            ceased: Vec::new(),
            count: 0,
        }
    }

    /// A player comes; the number is theirs until they go.
    ///
    /// # Errors
    ///
    /// As [`Bounds::new`] where the position or the reach is not finite or the reach is negative, and
    /// [`InterestError::Full`].
    pub fn insert(
        &mut self,
        position: [f32; 3],
        place: S::Place,
        senses: Senses,
    ) -> Result<u32, InterestError> {
        check(position, senses.reach)?;
        let player = Some(Player {
            place,
            senses,
            since: None,
            moved: false,
        });
        let there = Spot {
            at: position,
            radius: senses.radius,
        };
        self.stirred = true;
        if let Some(number) = self.free.pop() {
            let at = number as usize;
            if let Some((slot, spot)) = self.players.get_mut(at).zip(self.spots.get_mut(at)) {
                (*slot, *spot) = (player, there);
            }
            return Ok(number);
        }
        let number = u32::try_from(self.players.len()).map_err(|_| InterestError::Full)?;
        if number >= PLAYERS {
            return Err(InterestError::Full);
        }
        self.players.push(player);
        self.spots.push(there);
        self.rows.push(Row::default());
        Ok(number)
    }

    /// A player is elsewhere.
    ///
    /// # Errors
    ///
    /// As [`Awareness::insert`], and [`InterestError::Unknown`] for a number that is nobody's.
    pub fn move_to(
        &mut self,
        player: u32,
        position: [f32; 3],
        place: S::Place,
    ) -> Result<(), InterestError> {
        let slot = self.players.get_mut(player as usize);
        let player_there = slot.and_then(Option::as_mut);
        let spot = self.spots.get_mut(player as usize);
        let (player, spot) = player_there.zip(spot).ok_or(InterestError::Unknown)?;
        check(position, player.senses.reach)?;
        self.stirred |= spot.at != position || player.place != place;
        player.moved |= player.place != place;
        (spot.at, player.place) = (position, place);
        Ok(())
    }

    /// A player goes. All who heard of them cease to in the next tick.
    ///
    /// # Errors
    ///
    /// [`InterestError::Unknown`] for a number that is nobody's.
    pub fn remove(&mut self, player: u32) -> Result<(), InterestError> {
        let slot = self.players.get_mut(player as usize);
        slot.and_then(Option::take).ok_or(InterestError::Unknown)?;
        self.gone.push(player);
        Ok(())
    }

    /// Ends a tick: whom players must begin to hear of, and cease to. Sight is asked for only where
    /// two have come near each other or one of two who are near is at another place.
    pub fn tick(&mut self) -> AwarenessChanges<'_> {
        self.turns.clear();
        self.part();
        if self.stirred {
            self.settle();
            self.look();
            self.measure();
            self.stirred = false;
        }
        self.tick += 1;
        self.tell();
        self.changes()
    }

    /// Those who went are far from all.
    fn part(&mut self) {
        for &player in &self.gone {
            self.others.clear();
            let row = self.rows.get(player as usize);
            self.others.extend(row.into_iter().flat_map(Row::around));
            for &other in &self.others {
                for (observer, other) in [(player, other), (other, player)] {
                    if let Some(row) = self.rows.get_mut(observer as usize) {
                        row.settle(observer, other, Apart::Far, || false, &mut self.turns);
                    }
                }
            }
        }
        self.free.append(&mut self.gone);
    }

    /// Those who have gone too far, or have come, settle where they are.
    fn settle(&mut self) {
        let (leapt, stepped) = (&mut self.others, &mut self.stepped);
        leapt.clear();
        stepped.clear();
        for ((number, player), spot) in (0..).zip(&mut self.players).zip(&self.spots) {
            let Some(player) = player else { continue };
            let speed = match (player.since, self.neighbors.home(number)) {
                (Some(_), Some(home)) if !home.is_left(spot.at) => continue,
                (Some(since), Some(home)) => {
                    squared(spot.at, home.at).sqrt() / self.tick.saturating_sub(since).max(1) as f64
                }
                _ => 0.0,
            };
            let home = Home::new(spot.at, player.senses, speed);
            let is_new = player.since.replace(self.tick).is_none();
            if self.neighbors.settle(number, home, is_new) {
                stepped.push(number)
            } else {
                leapt.push(number)
            }
        }
        if leapt.is_empty() && stepped.is_empty() {
            return;
        }
        let there = (0..).zip(&self.players);
        let there = there.filter_map(|(number, player)| player.as_ref().map(|_| number));
        self.neighbors.place(there);
        let place = |number: u32| {
            let player = self.players.get(number as usize).and_then(Option::as_ref);
            player.map(|player| player.place)
        };
        let (sight, mutual) = (&self.sight, self.sight.is_mutual());
        let (leapt, stepped) = (leapt.iter(), stepped.iter());
        let all = leapt.map(|&player| (player, false));
        for (number, is_step) in all.chain(stepped.map(|&player| (player, true))) {
            let (Some(here), Some(row)) = (place(number), self.rows.get(number as usize)) else {
                continue;
            };
            self.neighbors
                .search(number, is_step, row, &mut self.changed);
            for &(other, apart) in &self.changed {
                let Some(there) = place(other) else { continue };
                let mut is_seen = false;
                if let Some(row) = self.rows.get_mut(number as usize) {
                    let ask = || sight.visible(here, there);
                    is_seen = row.settle(number, other, apart, ask, &mut self.turns);
                }
                if let Some(row) = self.rows.get_mut(other as usize) {
                    let ask = || {
                        if mutual {
                            is_seen
                        } else {
                            sight.visible(there, here)
                        }
                    };
                    row.settle(other, number, apart, ask, &mut self.turns);
                }
            }
        }
        self.neighbors.end();
    }

    /// Those who are at another place look around, and are looked at.
    fn look(&mut self) {
        let Self {
            players,
            rows,
            sight,
            turns,
            others,
            places,
            seen,
            news,
            ..
        } = self;
        let place = |number: u32| {
            let player = players.get(number as usize).and_then(Option::as_ref);
            player.map(|player| player.place)
        };
        let mutual = sight.is_mutual();
        for (number, player) in (0..).zip(&*players) {
            let Some(player) = player.as_ref().filter(|player| player.moved) else {
                continue;
            };
            let Some(row) = rows.get_mut(number as usize) else {
                continue;
            };
            others.clear();
            others.extend(row.around());
            let here = player.place;
            places.clear();
            places.extend(others.iter().map(|&other| place(other).unwrap_or(here)));
            sight.visible_each(here, places, &mut self.room, seen);
            row.look(number, seen, news, turns);
            if !mutual {
                news.clear();
                let seeing = places.iter().map(|&there| sight.visible(there, here));
                news.extend(others.iter().copied().zip(seeing));
            }
            for &(other, is_seen) in &*news {
                if let Some(row) = rows.get_mut(other as usize) {
                    row.see(other, number, is_seen, turns);
                }
            }
        }
        let players = players.iter_mut().flatten();
        players.for_each(|player| player.moved = false);
    }

    /// Measures the distances of those who are neither surely within reach nor surely out of it.
    fn measure(&mut self) {
        let at = |number: u32| self.players.get(number as usize).and_then(Option::as_ref);
        let spot = |number: u32| self.spots.get(number as usize);
        for (number, row) in (0..).zip(&mut self.rows) {
            let (Some(player), Some(here)) = (at(number), spot(number)) else {
                continue;
            };
            let is_near = |other: u32| {
                spot(other).is_some_and(|there| {
                    let reach = player.senses.reach_of(there.radius);
                    squared(here.at, there.at) <= reach * reach
                })
            };
            row.measure(number, is_near, &mut self.turns);
        }
    }

    /// Lists what has changed in the end.
    fn tell(&mut self) {
        sort(&mut self.turns, &mut self.spare);
        self.began.clear();
        self.ceased.clear();
        for turns in self.turns.chunk_by(|a, b| a >> 1 == b >> 1) {
            // They take turns, so that there is one more of those that count.
            let begin = turns.iter().filter(|&turn| turn & 1 == 1).count();
            let Some(&pair) = turns.first() else { continue };
            let (observer, other) = indices(pair);
            match begin.cmp(&(turns.len() - begin)) {
                core::cmp::Ordering::Greater => self.began.push([observer, other]),
                core::cmp::Ordering::Less => self.ceased.push([observer, other]),
                core::cmp::Ordering::Equal => {}
            }
        }
        self.count = self.count + self.began.len() - self.ceased.len();
    }

    /// What the last tick said, once more.
    pub fn changes(&self) -> AwarenessChanges<'_> {
        AwarenessChanges {
            began: &self.began,
            ceased: &self.ceased,
        }
    }

    /// How many pairs there are since the last tick of whom the one hears of the other.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Who hears of whom since the last tick: the observer, then the other, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let rows = (0..).zip(&self.rows);
        rows.flat_map(|(observer, row)| row.aware().map(move |other| [observer, other]))
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.capacity() * size_of::<Row>()
            + self.rows.iter().map(Row::bytes).sum::<usize>();
        let players = self.players.capacity() * size_of::<Option<Player<S::Place>>>()
            + self.spots.capacity() * size_of::<Spot>();
        let keys = (self.turns.capacity() + self.spare.capacity()) * size_of::<Key>();
        let told = (self.began.capacity() + self.ceased.capacity()) * size_of::<[u32; 2]>();
        rows + players + keys + told + self.neighbors.bytes()
    }
}

/// Whether a position and a reach are some.
fn check(position: [f32; 3], reach: f32) -> Result<(), InterestError> {
    Bounds::new(position, position)?;
    if reach < 0.0 {
        return Err(InterestError::Inverted { dimension: 0 });
    }
    Bounds::around(position, [reach; 3]).map(drop)
}

/// Any kind of world. Who is at a place of another kind sees all and is seen by all.
impl Sight for World<'_> {
    type Place = Place;

    fn visible(&self, from: Place, to: Place) -> bool {
        World::visible(self, from, to)
    }

    fn is_mutual(&self) -> bool {
        World::is_mutual(self)
    }

    fn visible_each(&self, from: Place, to: &[Place], room: &mut Vec<u64>, seen: &mut Vec<bool>) {
        // Of many, the PVS is written out and looked up.
        let is_long =
            |terrain: &TerrainBundle<'_>| to.len() > MANY.max(terrain.grid().blocks() / MANY);
        let sights = self.sights().zip(self.sample(from));
        let pvs = sights.and_then(|(terrain, from)| {
            let is_there = is_long(terrain) && terrain.valid().has_sample(from);
            let pvs = is_there.then(|| terrain.pvs(from.quad()))?;
            pvs.map(|pvs| (terrain, pvs))
        });
        seen.clear();
        let Some((terrain, pvs)) = pvs else {
            return seen.extend(to.iter().map(|&to| World::visible(self, from, to)));
        };
        let grid = terrain.grid();
        room.clear();
        room.resize(grid.blocks(), 0);
        pvs.expand(room);
        seen.extend(to.iter().map(|&place| {
            let Some(to) = self.sample(place) else {
                return World::visible(self, from, place);
            };
            let (block, bit) = grid.block_bit(to);
            let bits = room.get(block).copied().unwrap_or(0);
            bits >> bit & 1 == 1 && terrain.valid().has_sample(to)
        }));
    }
}
