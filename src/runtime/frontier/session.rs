//! Many players: who must be told what, and when (Steed & Angus figure 4).

use std::sync::Arc;

use super::builder::FrontierBuilder;
use super::options::FrontierOptions;
use super::region::Frontier;
use super::side::{FrontierError, Side};
use crate::format::Sample;
use crate::runtime::TerrainBundle;

/// How a session keeps its players silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// How frontier sets are grown.
    pub frontier: FrontierOptions,
    /// Renegotiate this many steps before the edge of a half is reached: what a player walks
    /// while the news is on its way.
    pub margin: u32,
    /// A frontier set that lasted for fewer ticks was not worth its while: that pair waits for as
    /// long before it gets another, twice as long after each further one, up to eight times.
    pub patience: u32,
    /// Whether the players are peers who know of each other what they are told and nothing else:
    /// then a pair without a frontier set exchanges positions on every move (figure 4). Else the
    /// session is a server that knows them all, and tells only what may be seen.
    pub peers: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            frontier: FrontierOptions::default(),
            margin: 0,
            patience: 20,
            peers: false,
        }
    }
}

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
    /// Among peers: where they are, and that there is a new frontier set: [`Session::half`] is the
    /// player's own half of it. No more is heard until one of the two leaves theirs.
    Frontier,
}

/// A frontier set of one player and some others.
type Set = Arc<[Frontier; 2]>;

#[derive(Clone, Debug, Default)]
struct Pair {
    /// The set, and whether the player with the lower number has its first half.
    set: Option<(Set, bool)>,
    /// When it was agreed.
    since: u64,
    /// No other before this.
    not_before: u64,
    /// How long the last wait was.
    wait: u64,
}

/// Players on a terrain, and the frontier sets between them.
///
/// Moves go in, notices come out; a pair that keeps silent costs two bit tests a move. When one
/// player needs sets with several others at once, one is grown for all of them, as far as they
/// are hidden from what that player's half sees.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    builder: FrontierBuilder<'a>,
    options: SessionOptions,
    places: Vec<Option<Sample>>,
    /// The pair (i, j), i < j, at j·(j - 1)/2 + i.
    pairs: Vec<Pair>,
    now: u64,
    sets: u64,
    /// Those that a set is wanted with.
    wanting: Vec<usize>,
}

impl<'a> Session<'a> {
    /// A session of so many players, none of whom is anywhere yet.
    pub fn new(terrain: &TerrainBundle<'a>, players: usize, options: SessionOptions) -> Self {
        let count = players * players.saturating_sub(1) / 2;
        Self {
            builder: FrontierBuilder::new(terrain),
            options,
            places: vec![None; players],
            pairs: vec![Pair::default(); count],
            now: 0,
            sets: 0,
            wanting: Vec::with_capacity(players),
        }
    }

    /// Lets a tick pass: the unit of ages and of patience.
    pub fn tick(&mut self) {
        self.now += 1;
    }

    /// Number of frontier sets grown so far.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// Where a player is.
    pub fn place(&self, player: usize) -> Option<Sample> {
        self.places.get(player).copied().flatten()
    }

    /// For how many ticks the frontier set of two players has lasted; `None` if they have none.
    pub fn age(&self, player: usize, other: usize) -> Option<u64> {
        let pair = self.pairs.get(index(player, other)?)?;
        pair.set.as_ref().map(|_| self.now - pair.since)
    }

    /// A player's own half of the frontier set with another, without the margin.
    pub fn half(&self, player: usize, other: usize) -> Option<&Frontier> {
        let pair = self.pairs.get(index(player, other)?)?;
        let (set, lower_first) = pair.set.as_ref()?;
        let [first, second] = &**set;
        Some(if *lower_first == (player < other) {
            first
        } else {
            second
        })
    }

    /// A player has moved, come (from nowhere) or gone (to nowhere). Calls `tell` with what
    /// follows from it. Errors where nobody can stand; then the player has not moved.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use viewcell::runtime::{TerrainBundle, Sample, frontier::{Session, SessionOptions}};
    /// # fn f(terrain: TerrainBundle<'_>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = Session::new(&terrain, 32, SessionOptions::default());
    /// session.tick();
    /// session.move_to(3, Some(Sample::new(140, 77)), |notice| {
    ///     println!("tell {} about {}", notice.to, notice.about);
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn move_to(
        &mut self,
        player: usize,
        place: Option<Sample>,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        let terrain = *self.builder.terrain();
        if let Some(place) = place {
            if !terrain.grid().has_sample(place) {
                return Err(FrontierError::Outside(place));
            }
            if !terrain.valid().has_sample(place) {
                return Err(FrontierError::Void(place));
            }
        }
        let Some(own) = self.places.get_mut(player) else {
            return Ok(());
        };
        *own = place;
        self.wanting.clear();
        for other in 0..self.places.len() {
            let Some(at) = index(player, other) else {
                continue;
            };
            let (Some(here), Some(there)) = (place, self.place(other)) else {
                self.end(at);
                continue;
            };
            let keep_silent =
                |half: Option<&Frontier>, place| half.is_some_and(|half| half.contains(place));
            if keep_silent(self.half(player, other), here)
                && keep_silent(self.half(other, player), there)
            {
                continue;
            }
            self.end(at);
            let is_seen = terrain.visible(there, here);
            let sees = if terrain.parameters().mutual {
                is_seen
            } else {
                terrain.visible(here, there)
            };
            let waits = self
                .pairs
                .get(at)
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
        if let Some(here) = place {
            self.negotiate(player, here, tell);
        }
        Ok(())
    }

    /// Grows sets with all who want one, and for as many of them as it can at once.
    fn negotiate(&mut self, player: usize, here: Sample, mut tell: impl FnMut(Notice)) {
        let mut wanting = core::mem::take(&mut self.wanting);
        while let Some(&first) = wanting.first() {
            let Some(there) = self.place(first) else {
                return;
            };
            // Both stand on terrain: places are checked when they are told.
            let _ = self.builder.begin(here, there, &self.options.frontier);
            let joined: Vec<usize> = wanting
                .extract_if(.., |other| {
                    let place = self.places.get(*other).copied().flatten();
                    *other == first || place.is_some_and(|place| self.builder.join(Side::B, place))
                })
                .collect();
            while !self.builder.step(u32::MAX) {}
            self.sets += 1;
            let set = Arc::new(Side::BOTH.map(|side| self.builder.core(side, self.options.margin)));
            for other in joined {
                let at = index(player, other).and_then(|at| self.pairs.get_mut(at));
                if let Some(pair) = at {
                    pair.set = Some((set.clone(), player < other));
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
        let patience = u64::from(self.options.patience);
        if self.now - pair.since >= patience {
            pair.wait = 0;
        } else {
            pair.wait = (2 * pair.wait).clamp(patience, 8 * patience);
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
