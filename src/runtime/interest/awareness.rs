//! Near and maybe visible: whom of thousands each player must hear of, tick by tick.

use super::changes::{Key, indices, key};
use super::sort::sort;
use super::{Bounds, Grid, Interest, InterestError, Kind, Region};

/// What hides players from each other, such as a bundle.
pub trait Sight {
    /// Where somebody can be: a sample of a terrain, a cell of a level.
    type Place: Copy + PartialEq;

    /// Whether somebody at one place may see somebody at another.
    fn visible(&self, from: Self::Place, to: Self::Place) -> bool;
}

/// How far a player sees, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Senses {
    /// The player hears of nobody farther away than this, in the unit of positions.
    pub reach: f32,
    /// Nor of anybody farther away than this times their radius: how many radii away a sphere is
    /// still perceived. Infinite for one who perceives all.
    pub acuity: f32,
    /// The radius of a sphere around the player.
    pub radius: f32,
}

/// A player who hears, or one who is heard of.
#[derive(Clone, Copy, Debug)]
struct Player<P> {
    /// A point: where the player is.
    update: Region,
    /// A box around all that the player's reach contains.
    subscription: Region,
    position: [f32; 3],
    place: P,
    senses: Senses,
    /// Whether the place has changed since the last tick.
    moved: bool,
}

/// Who is near whom and may be seen, among players in a world.
///
/// Player numbers are given in the order of coming; those of players who went are given again.
#[derive(Debug)]
pub struct Awareness<S: Sight> {
    sight: S,
    interest: Interest<Grid>,
    players: Vec<Option<Player<S::Place>>>,
    free: Vec<u32>,
    gone: Vec<u32>,
    /// Of each region's index the player.
    owners: Vec<u32>,
    /// Pairs that are near enough to ask, observer first, sorted; and whether sight is free.
    near: Vec<(Key, bool)>,
    next: Vec<(Key, bool)>,
    keys: Vec<Key>,
    spare: Vec<Key>,
    aware: Vec<Key>,
    aware_next: Vec<Key>,
    began: Vec<[u32; 2]>,
    ceased: Vec<[u32; 2]>,
}

/// Whom players begin to hear of and cease to: the observer, then the other, sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwarenessChanges<'m> {
    /// To be told of from now on.
    pub began: &'m [[u32; 2]],
    /// No longer to be told of.
    pub ceased: &'m [[u32; 2]],
}

impl<S: Sight> Awareness<S> {
    /// A world without players.
    pub fn new(sight: S) -> Self {
        Self {
            sight,
            interest: Interest::new(),
            players: Vec::new(),
            free: Vec::new(),
            gone: Vec::new(),
            owners: Vec::new(),
            near: Vec::new(),
            next: Vec::new(),
            keys: Vec::new(),
            spare: Vec::new(),
            aware: Vec::new(),
            aware_next: Vec::new(),
            began: Vec::new(),
            ceased: Vec::new(),
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
        let (point, around) = boxes(position, senses.reach)?;
        let update = self.interest.insert(Kind::Update, point)?;
        let subscription = match self.interest.insert(Kind::Subscription, around) {
            Ok(subscription) => subscription,
            Err(error) => {
                self.interest.remove(update)?;
                return Err(error);
            }
        };
        let player = Some(Player {
            update,
            subscription,
            position,
            place,
            senses,
            moved: true,
        });
        let number = if let Some(number) = self.free.pop() {
            if let Some(free) = self.players.get_mut(number as usize) {
                *free = player;
            }
            number
        } else {
            self.players.push(player);
            u32::try_from(self.players.len() - 1).map_err(|_| InterestError::Full)?
        };
        for region in [update, subscription] {
            let index = region.index() as usize;
            if self.owners.len() <= index {
                self.owners.resize(index + 1, 0);
            }
            if let Some(owner) = self.owners.get_mut(index) {
                *owner = number;
            }
        }
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
        let player = slot
            .and_then(Option::as_mut)
            .ok_or(InterestError::Unknown)?;
        let (point, around) = boxes(position, player.senses.reach)?;
        self.interest.move_to(player.update, point)?;
        self.interest.move_to(player.subscription, around)?;
        player.moved |= player.place != place;
        (player.position, player.place) = (position, place);
        Ok(())
    }

    /// A player goes. All who heard of them cease to in the next tick.
    ///
    /// # Errors
    ///
    /// [`InterestError::Unknown`] for a number that is nobody's.
    pub fn remove(&mut self, player: u32) -> Result<(), InterestError> {
        let slot = self.players.get_mut(player as usize);
        let gone = slot.and_then(Option::take).ok_or(InterestError::Unknown)?;
        self.interest.remove(gone.update)?;
        self.interest.remove(gone.subscription)?;
        self.gone.push(player);
        Ok(())
    }

    /// Ends a tick: whom players must begin to hear of, and cease to. Sight is asked for only where
    /// one of two who are near has come near or to another place.
    pub fn tick(&mut self) -> AwarenessChanges<'_> {
        self.interest.tick();
        let owner = |region: u32| self.owners.get(region as usize).copied().unwrap_or(0);
        self.keys.clear();
        let pairs = self.interest.method().pairs();
        self.keys.extend(
            pairs
                .map(|(update, subscription)| key(owner(subscription), owner(update)))
                .filter(|&pair| indices(pair).0 != indices(pair).1),
        );
        sort(&mut self.keys, &mut self.spare);

        let at = |number: u32| self.players.get(number as usize).and_then(Option::as_ref);
        self.next.clear();
        self.aware_next.clear();
        let mut known = self.near.iter().copied().peekable();
        for &pair in &self.keys {
            while known.next_if(|(old, _)| *old < pair).is_some() {}
            let (observer, other) = indices(pair);
            let (Some(observer), Some(other)) = (at(observer), at(other)) else {
                continue;
            };
            let seen = match known.peek() {
                Some(&(old, seen)) if old == pair && !observer.moved && !other.moved => seen,
                _ => self.sight.visible(observer.place, other.place),
            };
            self.next.push((pair, seen));
            if seen && is_near(observer, other) {
                self.aware_next.push(pair);
            }
        }
        core::mem::swap(&mut self.near, &mut self.next);
        core::mem::swap(&mut self.aware, &mut self.aware_next);
        missing(&self.aware, &self.aware_next, &mut self.began);
        missing(&self.aware_next, &self.aware, &mut self.ceased);

        let players = self.players.iter_mut().flatten();
        players.for_each(|player| player.moved = false);
        self.free.append(&mut self.gone);
        self.changes()
    }

    /// What the last tick said, once more.
    pub fn changes(&self) -> AwarenessChanges<'_> {
        AwarenessChanges {
            began: &self.began,
            ceased: &self.ceased,
        }
    }

    /// Who hears of whom since the last tick: the observer, then the other, sorted.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
        self.aware
            .iter()
            .map(|&pair| <[u32; 2]>::from(indices(pair)))
    }
}

/// Those of one sorted list that another lacks.
fn missing(of: &[Key], other: &[Key], found: &mut Vec<[u32; 2]>) {
    found.clear();
    let mut other = other.iter().copied().peekable();
    for &pair in of {
        while other.next_if(|other| *other < pair).is_some() {}
        if other.peek() != Some(&pair) {
            found.push(indices(pair).into());
        }
    }
}

fn is_near<P>(observer: &Player<P>, other: &Player<P>) -> bool {
    let ([ax, ay, az], [bx, by, bz]) = (observer.position, other.position);
    let square = |a: f32, b: f32| (f64::from(a) - f64::from(b)).powi(2);
    let apart = square(ax, bx) + square(ay, by) + square(az, bz);
    let reach = f64::from(observer.senses.reach);
    let perceived = f64::from(observer.senses.acuity) * f64::from(other.senses.radius);
    // An infinite acuity perceives what has no radius too, though their product is no number.
    apart <= reach * reach && (perceived.is_nan() || apart <= perceived * perceived)
}

/// Where somebody is, and a box around all that is within reach, however it is rounded.
fn boxes(position: [f32; 3], reach: f32) -> Result<(Bounds, Bounds), InterestError> {
    let point = Bounds::new(position, position)?;
    if reach < 0.0 {
        return Err(InterestError::Inverted { dimension: 0 });
    }
    let half = position.map(|x| reach + (reach + x.abs()) * (2.0 * f32::EPSILON));
    Ok((point, Bounds::around(position, half)?))
}

impl Sight for &crate::runtime::TerrainBundle<'_> {
    type Place = crate::runtime::Sample;

    fn visible(&self, from: Self::Place, to: Self::Place) -> bool {
        crate::runtime::TerrainBundle::visible(self, from, to)
    }
}

/// Sight on a terrain with a look-ahead: whether two may see each other before either has gone far.
#[derive(Clone, Copy, Debug)]
pub struct LookAhead<'b, 'm> {
    /// The terrain.
    pub terrain: &'b crate::runtime::TerrainBundle<'m>,
    /// How far each player may go, in metres.
    pub reach: f64,
}

impl Sight for LookAhead<'_, '_> {
    type Place = crate::runtime::Sample;

    fn visible(&self, from: Self::Place, to: Self::Place) -> bool {
        self.terrain.visible_within(from, to, [self.reach; 2])
    }
}

impl Sight for &crate::runtime::CellBundle<'_> {
    type Place = u32;

    fn visible(&self, from: u32, to: u32) -> bool {
        crate::runtime::CellBundle::visible(self, from, to)
    }
}
