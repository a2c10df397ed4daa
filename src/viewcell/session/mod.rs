//! Interest management with frontier sets (Steed & Angus figure 4): which of many players must be told of which, and when,
//! in any kind of world.
//!
//! **Invariant.** A pair is silent only if neither may see the other, wherever within their reaches they are. After
//! each move of either the pair is checked. If both, with all of their reaches, are in their halves of a set, nobody in
//! the one half sees anybody in the other, and neither is notified. Otherwise the set ends, sight is queried in both
//! directions, and whoever may see is notified. A set is made only for two who do not see each other. Between moves only
//! the world may change. Then all pairs are checked (`change`): those whose sets no longer hold, and those without a set.

mod cells;
mod owned;
mod sets;
mod world;

use std::collections::HashMap;
use std::sync::Arc;

use crate::frontier::FrontierError;
use crate::query::{Extent, Place, World};
pub use cells::CellHalf;
pub use sets::{Half, Sets};
pub use world::{PATIENCE, SessionOptions, SessionWorld};

/// Something to tell a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whom to tell.
    pub to: usize,
    /// About whom.
    pub about: usize,
    /// What.
    pub what: News,
}

/// What a player is notified of about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Where they are.
    Position,
    /// Among peers: where they are, and that there is a new frontier set, of which the session
    /// tells the player's own half. No more is heard until one of the two leaves theirs.
    Frontier,
}

/// A player.
#[derive(Clone, Copy, Debug)]
struct At {
    /// Where they are; `None` at no place of the world: whoever is there sees all and is seen by all.
    place: Option<Place>,
    /// Where they may be until the news of their next move has arrived; `None` where news takes no time.
    reach: Option<Extent>,
}

/// How reaches are asked about: by pointers, so that a program that never gives one does not link it.
#[derive(Debug)]
struct Reaches {
    sees: fn(&World<'_>, &Extent, &Extent) -> bool,
    contains_all: fn(&World<'_>, &Half, &Extent) -> bool,
}

/// The set of a pair.
#[derive(Debug)]
struct Agreed {
    /// That of one player and some others.
    halves: Arc<[Half; 2]>,
    /// Whether the player with the lower number has the first half.
    lower_first: bool,
}

#[derive(Debug)]
struct PlayerPair {
    set: Option<Agreed>,
    /// When it was agreed.
    since: u64,
    /// No other before this.
    not_before: u64,
    /// How long the last wait was.
    wait: u64,
}

/// Players in a world, and the frontier sets between them.
///
/// Moves go in, notices come out; a pair that exchanges nothing costs two bit tests a move. When one
/// player needs sets with several others at once, one is made for all of them, as far as they
/// are hidden from what that player's half sees.
///
/// A pair is silent only while neither may see the other: with each move of either, whoever may see the other is notified,
/// and a pair has a set only while each is in their own half.
#[derive(Debug)]
pub struct Session<W: SessionWorld> {
    world: W,
    builder: W::Sets,
    options: SessionOptions,
    patience: u64,
    places: Vec<Option<At>>,
    /// Once somebody had a reach.
    reaches: Option<Reaches>,
    /// The pair (i, j), i < j, at j·(j - 1)/2 + i.
    pairs: Vec<PlayerPair>,
    now: u64,
    sets: u64,
    /// Those that a set is wanted with.
    wanting: Vec<usize>,
}

impl<W: SessionWorld> Session<W> {
    /// A session of so many players, none of whom is anywhere yet, in a [`World`] of any kind, or in an [`OwnedBundle`],
    /// which is kept by the session.
    ///
    /// [`OwnedBundle`]: crate::query::OwnedBundle
    pub fn new(world: &W, players: usize, options: SessionOptions) -> Self
    where
        W: Clone,
    {
        Self::of(world.clone(), players, options)
    }

    /// The same of a world that the session owns.
    pub fn of(world: W, players: usize, options: SessionOptions) -> Self {
        let count = players * players.saturating_sub(1) / 2;
        let pair = || PlayerPair {
            set: None,
            since: 0,
            not_before: 0,
            wait: 0,
        };
        Self {
            builder: world.sets(),
            patience: options
                .patience
                .unwrap_or_else(|| world::patience(world.world()))
                .into(),
            world,
            options,
            places: vec![None; players],
            reaches: None,
            pairs: std::iter::repeat_with(pair).take(count).collect(),
            now: 0,
            sets: 0,
            wanting: Vec::with_capacity(players),
        }
    }

    /// The world, as the session knows it.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Number of players, who are numbered from 0.
    pub fn players(&self) -> usize {
        self.places.len()
    }

    /// Lets a tick pass: the unit of ages and of patience.
    pub fn tick(&mut self) {
        self.now += 1;
    }

    /// Number of frontier sets made so far.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// Where a player is: nowhere, or somewhere, which may be at no place of the world.
    pub fn place(&self, player: usize) -> Option<Option<Place>> {
        self.at(player).map(|at| at.place)
    }

    fn at(&self, player: usize) -> Option<At> {
        self.places.get(player).copied().flatten()
    }

    /// Whether one player may see another, now or anywhere within their reaches.
    fn sees(&self, world: &W, from: At, to: At) -> bool {
        let world = world.world();
        let within = |reaches: &Reaches| {
            let extent = |at: At| {
                let of_place = || at.place.map_or(Extent::everywhere(), |at| world.extent(at));
                at.reach.unwrap_or_else(of_place)
            };
            (from.reach.is_some() || to.reach.is_some())
                && (reaches.sees)(world, &extent(from), &extent(to))
        };
        let places = from.place.zip(to.place);
        places.is_none_or(|(from, to)| world.visible(from, to))
            || self.reaches.as_ref().is_some_and(within)
    }

    /// Whether a player stays in a half, wherever in reach they go.
    fn stays(&self, half: Option<&Half>, at: At) -> bool {
        half.zip(at.place).is_some_and(|(half, place)| {
            let is_in = |reach: &Extent| {
                let reaches = self.reaches.as_ref();
                reaches
                    .is_some_and(|reaches| (reaches.contains_all)(self.world.world(), half, reach))
            };
            half.contains(place) && at.reach.as_ref().is_none_or(is_in)
        })
    }

    /// For how many ticks the frontier set of two players has lasted; `None` if they have none.
    pub fn age(&self, player: usize, other: usize) -> Option<u64> {
        let pair = self.pairs.get(index(player, other)?)?;
        pair.set.as_ref().map(|_| self.now - pair.since)
    }

    /// A player's own half of the frontier set with another, without the margin.
    pub fn half(&self, player: usize, other: usize) -> Option<&Half> {
        let set = self.pairs.get(index(player, other)?)?.set.as_ref()?;
        let [first, second] = &*set.halves;
        Some(if set.lower_first == (player < other) {
            first
        } else {
            second
        })
    }

    /// Looks what has become of a world that changes. Frontier sets that may have become untrue are dropped, and only
    /// those; `tell` is called with what both players of such a pair are to know. To be called when the world
    /// has changed, before the next tick; moves do so themselves.
    ///
    /// Next to nothing where nothing has changed. Else it makes room for new sets, and looks at each set. Allocates.
    pub fn follow(&mut self, tell: impl FnMut(Notice)) {
        if let Some(now) = self.world.now() {
            self.change(now, tell);
        }
    }

    /// A player has moved, come (from nowhere) or gone (to nowhere). Calls `tell` with what
    /// follows from it.
    ///
    /// ```no_run
    /// # use viewcell::{session::{Session, SessionOptions}, query::World};
    /// # fn f(world: World<'_>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = Session::new(&world, 32, SessionOptions::default());
    /// session.tick();
    /// session.move_to(3, Some(world.locate([480.0, -352.0, 88.0])), |notice| {
    ///     println!("tell {} about {}", notice.to, notice.about);
    /// })?;
    /// # Ok(()) }
    /// ```
    ///
    /// Somebody may be at no place, such as in no cell of a solid level, who sees all and is seen by all. That is somewhere
    /// as well, and not nowhere.
    ///
    /// # Errors
    ///
    /// Where nobody can be, and where there is no such player; then nobody has moved.
    pub fn move_to(
        &mut self,
        player: usize,
        place: Option<Option<Place>>,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        self.follow(&mut tell);
        if let Some(place) = place.flatten() {
            sets::check(self.world.world(), place)?;
        }
        let at = place.map(|place| At { place, reach: None });
        self.put(player, at, tell)
    }

    /// The same where news takes time. `reach` is where the player, who is at `place`, may be while clients go by
    /// what is told now: what [`Motion::region`] says. Told of is who may be seen from anywhere in a reach, and a
    /// pair exchanges nothing only while the reaches of both lie in their halves: no notice is late.
    ///
    /// # Errors
    ///
    /// As [`Session::move_to`].
    ///
    /// [`Motion::region`]: crate::query::Motion::region
    pub fn move_within(
        &mut self,
        player: usize,
        place: Option<Place>,
        reach: Extent,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        self.follow(&mut tell);
        if let Some(place) = place {
            sets::check(self.world.world(), place)?;
        }
        self.reaches = Some(Reaches {
            sees: |world, from, to| world.sees_region(from, to),
            contains_all: world::contains_all,
        });
        let reach = Some(reach);
        self.put(player, Some(At { place, reach }), tell)
    }

    fn put(
        &mut self,
        player: usize,
        at: Option<At>,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        let players = self.places.len();
        let own = self.places.get_mut(player);
        let own = own.ok_or(FrontierError::NoPlayer { player, players })?;
        *own = at;
        self.wanting.clear();
        for other in 0..self.places.len() {
            let Some(pair) = index(player, other) else {
                continue;
            };
            let (Some(here), Some(there)) = (at, self.at(other)) else {
                self.end(pair);
                continue;
            };
            if self.stays(self.half(player, other), here)
                && self.stays(self.half(other, player), there)
            {
                continue;
            }
            self.end(pair);
            let is_seen = self.sees(&self.world, there, here);
            let sees = if self.world.world().is_mutual() {
                is_seen
            } else {
                self.sees(&self.world, here, there)
            };
            let waits = self
                .pairs
                .get(pair)
                .is_some_and(|pair| self.now < pair.not_before);
            if !is_seen && !sees && !waits {
                self.wanting.push(other);
                continue;
            }
            for (to, about, may) in [(other, player, is_seen), (player, other, sees)] {
                if may || self.options.peers {
                    let what = News::Position;
                    tell(Notice { to, about, what });
                }
            }
        }
        if let Some(here) = at.and_then(|at| at.place) {
            self.negotiate(player, here, tell);
        }
        Ok(())
    }

    /// The world has changed: drops the sets that do not hold any more, and only those. Told is who may see now whom
    /// they could not see before, with a set or without one; and among peers both whose set it was.
    fn change(&mut self, now: W, mut tell: impl FnMut(Notice)) {
        self.builder = now.sets();
        let before = core::mem::replace(&mut self.world, now);
        // Several pairs may share a set.
        let mut known: HashMap<*const [Half; 2], bool> = HashMap::new();
        for high in 0..self.places.len() {
            for low in 0..high {
                let (Some(a), Some(b)) = (self.at(low), self.at(high)) else {
                    continue;
                };
                let pair = index(low, high).and_then(|at| self.pairs.get_mut(at));
                let Some(pair) = pair else {
                    continue;
                };
                if let Some(set) = &pair.set {
                    let keeps = || self.world.keeps(&before, &set.halves);
                    let holds = known.entry(Arc::as_ptr(&set.halves)).or_insert_with(keeps);
                    if *holds {
                        continue;
                    }
                }
                // The world ended it, so that nobody has to wait for the next one.
                let had_set = pair.set.take().is_some();
                for (to, about, from, other) in [(low, high, a, b), (high, low, b, a)] {
                    let sees = |world: &W| self.sees(world, from, other);
                    if self.options.peers && had_set || !sees(&before) && sees(&self.world) {
                        let what = News::Position;
                        tell(Notice { to, about, what });
                    }
                }
            }
        }
    }

    /// Makes sets with all who want one, and for as many of them as it can at once.
    fn negotiate(&mut self, player: usize, here: Place, mut tell: impl FnMut(Notice)) {
        let mut wanting = core::mem::take(&mut self.wanting);
        while let Some(&first) = wanting.first() {
            let places = &self.places;
            let place = |player: usize| places.get(player).copied().flatten()?.place;
            // Whoever is at no place sees all, and wants no set.
            let Some(there) = place(first) else {
                return;
            };
            let (joined, halves) = W::with_sets(&mut self.builder, |sets| {
                // Places are checked when they are told.
                let _ = sets.begin(here, there, &self.options.frontier);
                let joined: Vec<usize> = wanting
                    .extract_if(.., |other| {
                        *other == first || place(*other).is_some_and(|place| sets.join(place))
                    })
                    .collect();
                (joined, sets.finish(self.options.margin))
            });
            self.sets += 1;
            let halves = Arc::new(halves);
            for other in joined {
                let at = index(player, other).and_then(|at| self.pairs.get_mut(at));
                if let Some(pair) = at {
                    pair.set = Some(Agreed {
                        halves: halves.clone(),
                        lower_first: player < other,
                    });
                    pair.since = self.now;
                }
                // A server keeps both halves to itself: they tell something of where each is.
                for (to, about) in [(other, player), (player, other)] {
                    if self.options.peers {
                        let what = News::Frontier;
                        tell(Notice { to, about, what });
                    }
                }
            }
        }
        self.wanting = wanting;
    }

    /// A pair's set is over, if it has one.
    fn end(&mut self, at: usize) {
        let Some(pair) = self.pairs.get_mut(at) else {
            return;
        };
        if pair.set.take().is_none() {
            return;
        }
        if self.now - pair.since >= self.patience {
            pair.wait = 0;
        } else {
            pair.wait = (2 * pair.wait).clamp(self.patience, 8 * self.patience);
            pair.not_before = self.now + pair.wait;
        }
    }
}

/// The place of a pair; `None` for a player and themselves.
fn index(player: usize, other: usize) -> Option<usize> {
    let (low, high) = (player.min(other), player.max(other));
    if low == high {
        return None;
    }
    (high.checked_mul(high - 1)? / 2).checked_add(low)
}
