//! Many players: who must be told what, and when (Steed & Angus figure 4). What sessions on
//! terrains and in levels of cells share.

use std::sync::Arc;

use super::frontier::FrontierError;
use super::within::Extent;

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

/// What a player is told of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Where they are.
    Position,
    /// Among peers: where they are, and that there is a new frontier set, of which the session
    /// tells the player's own half. No more is heard until one of the two leaves theirs.
    Frontier,
}

/// Where players are, who sees whom, and how frontier sets are made.
pub(crate) trait World {
    /// Where a player is.
    type Place: Copy;
    /// One player's half of a frontier set.
    type Half;

    /// Whether sight is the same both ways.
    fn is_mutual(&self) -> bool;

    /// Whether a player at one place may see one at another.
    fn visible(&self, from: Self::Place, to: Self::Place) -> bool;

    /// Whether a place is in a half.
    fn contains(half: &Self::Half, place: Self::Place) -> bool;

    /// The positions of a place; any more of them err towards visible.
    fn extent(&self, place: Self::Place) -> Extent;

    /// Whether anybody in one region may see anybody in the other, either way.
    fn visible_between(&self, a: &Extent, b: &Extent) -> bool;

    /// Whether all places of a region are in a half.
    fn contains_all(&self, half: &Self::Half, region: &Extent) -> bool;

    /// Begins the set of two players who do not see each other.
    fn begin(&mut self, here: Self::Place, there: Self::Place);

    /// Lets another player into the second half of the set that has begun, if they can be.
    fn join(&mut self, place: Self::Place) -> bool;

    /// Both halves, finished.
    fn finish(&mut self) -> [Self::Half; 2];
}

/// A player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<P> {
    /// Where they are.
    pub place: P,
    /// Where they may be until the news of their next move has arrived; `None` where news takes no time.
    pub reach: Option<Extent>,
}

impl<P> From<P> for At<P> {
    fn from(place: P) -> Self {
        Self { place, reach: None }
    }
}

/// The set of a pair.
#[derive(Debug)]
struct Agreed<H> {
    /// That of one player and some others.
    halves: Arc<[H; 2]>,
    /// Whether the player with the lower number has the first half.
    lower_first: bool,
}

#[derive(Debug)]
struct Pair<H> {
    set: Option<Agreed<H>>,
    /// When it was agreed.
    since: u64,
    /// No other before this.
    not_before: u64,
    /// How long the last wait was.
    wait: u64,
}

/// Players in a world, and the frontier sets between them.
#[derive(Debug)]
pub(crate) struct Players<W: World> {
    pub world: W,
    patience: u64,
    peers: bool,
    places: Vec<Option<At<W::Place>>>,
    /// The pair (i, j), i < j, at j·(j - 1)/2 + i.
    pairs: Vec<Pair<W::Half>>,
    now: u64,
    sets: u64,
    /// Those that a set is wanted with.
    wanting: Vec<usize>,
}

impl<W: World> Players<W> {
    /// So many players, none of whom is anywhere yet.
    pub(crate) fn new(world: W, players: usize, patience: u32, peers: bool) -> Self {
        let count = players * players.saturating_sub(1) / 2;
        let pair = || Pair {
            set: None,
            since: 0,
            not_before: 0,
            wait: 0,
        };
        Self {
            world,
            patience: patience.into(),
            peers,
            places: vec![None; players],
            pairs: std::iter::repeat_with(pair).take(count).collect(),
            now: 0,
            sets: 0,
            wanting: Vec::with_capacity(players),
        }
    }

    pub(crate) fn tick(&mut self) {
        self.now += 1;
    }

    pub(crate) fn sets(&self) -> u64 {
        self.sets
    }

    pub(crate) fn place(&self, player: usize) -> Option<W::Place> {
        self.at(player).map(|at| at.place)
    }

    fn at(&self, player: usize) -> Option<At<W::Place>> {
        self.places.get(player).copied().flatten()
    }

    /// Whether one player may see another, now or anywhere within their reaches.
    fn sees(&self, from: At<W::Place>, to: At<W::Place>) -> bool {
        let extent = |at: At<W::Place>| at.reach.unwrap_or_else(|| self.world.extent(at.place));
        self.world.visible(from.place, to.place)
            || (from.reach.is_some() || to.reach.is_some())
                && self.world.visible_between(&extent(from), &extent(to))
    }

    /// Whether a player stays in a half, wherever in reach they go.
    fn stays(&self, half: Option<&W::Half>, at: At<W::Place>) -> bool {
        half.is_some_and(|half| {
            let reach = at.reach.as_ref();
            W::contains(half, at.place)
                && reach.is_none_or(|reach| self.world.contains_all(half, reach))
        })
    }

    pub(crate) fn age(&self, player: usize, other: usize) -> Option<u64> {
        let pair = self.pairs.get(index(player, other)?)?;
        pair.set.as_ref().map(|_| self.now - pair.since)
    }

    pub(crate) fn half(&self, player: usize, other: usize) -> Option<&W::Half> {
        let set = self.pairs.get(index(player, other)?)?.set.as_ref()?;
        let [first, second] = &*set.halves;
        Some(if set.lower_first == (player < other) {
            first
        } else {
            second
        })
    }

    /// A player has moved, come or gone, to where somebody can be. Errors where there is no such player.
    pub(crate) fn move_to(
        &mut self,
        player: usize,
        at: Option<At<W::Place>>,
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
            let is_seen = self.sees(there, here);
            let sees = if self.world.is_mutual() {
                is_seen
            } else {
                self.sees(here, there)
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
                if may || self.peers {
                    let what = News::Position;
                    tell(Notice { to, about, what });
                }
            }
        }
        if let Some(here) = at {
            self.negotiate(player, here.place, tell);
        }
        Ok(())
    }

    /// The world has changed: drops the sets of which `is_true` says no, and only those. Both players
    /// of such a pair are told what they may see now.
    pub(crate) fn drop_sets(
        &mut self,
        is_true: impl Fn(&W, &[W::Half; 2]) -> bool,
        mut tell: impl FnMut(Notice),
    ) {
        // Several pairs may share a set.
        let mut known: Vec<(*const [W::Half; 2], bool)> = Vec::new();
        for high in 0..self.places.len() {
            for low in 0..high {
                let pair = index(low, high).and_then(|at| self.pairs.get_mut(at));
                let Some(set) = pair.as_ref().and_then(|pair| pair.set.as_ref()) else {
                    continue;
                };
                let halves = Arc::as_ptr(&set.halves);
                let found = known.iter().find(|(of, _)| *of == halves);
                let holds = match found {
                    Some((_, holds)) => *holds,
                    None => {
                        let holds = is_true(&self.world, &set.halves);
                        known.push((halves, holds));
                        holds
                    }
                };
                if holds {
                    continue;
                }
                if let Some(pair) = pair {
                    // The ground ended it, so that nobody has to wait for the next one.
                    pair.set = None;
                }
                let (Some(a), Some(b)) = (self.at(low), self.at(high)) else {
                    continue;
                };
                for (to, about, from, other) in [(low, high, a, b), (high, low, b, a)] {
                    if self.peers || self.sees(from, other) {
                        let what = News::Position;
                        tell(Notice { to, about, what });
                    }
                }
            }
        }
    }

    /// Makes sets with all who want one, and for as many of them as it can at once.
    fn negotiate(&mut self, player: usize, here: W::Place, mut tell: impl FnMut(Notice)) {
        let mut wanting = core::mem::take(&mut self.wanting);
        while let Some(&first) = wanting.first() {
            let Some(there) = self.place(first) else {
                return;
            };
            self.world.begin(here, there);
            let joined: Vec<usize> = wanting
                .extract_if(.., |other| {
                    let at = self.places.get(*other).copied().flatten();
                    *other == first || at.is_some_and(|at| self.world.join(at.place))
                })
                .collect();
            self.sets += 1;
            let halves = Arc::new(self.world.finish());
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
                    if self.peers {
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
