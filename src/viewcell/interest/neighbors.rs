//! Verlet lists: neighbour lists of players that hold for as long as nobody goes far (L. Verlet 1967, "Computer
//! 'experiments' on classical fluids").
//!
//! A player has a *home*, where it settled, and some slack around it. While two players stay within their slack, the distance of
//! their homes says whether they are surely within reach of each other, surely out of it, or to be measured in each tick
//! ([`Apart`]). [`Neighbors`] has the homes and searches for those who settle anew; a [`Row`] has what others are to one
//! player, as bits, in words for 64 numbers of players.

use super::Bounds;
use super::hash_grid::{Effort, Space, Tuning};
use super::hash_grid_layers::Ring;
use super::keys::{Key, key};
use super::senses::Senses;

/// Where a player settled, and how far they may go from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    pub at: [f32; 3],
    pub slack: f32,
    pub senses: Senses,
}

impl Home {
    /// A home whose slack fits a player who goes so far in a tick: more slack leaves more distances
    /// to be measured in each tick, less makes the player settle more often.
    pub(super) fn new(at: [f32; 3], senses: Senses, speed: f64) -> Self {
        let reach = f64::from(senses.reach);
        let slack = 0.5 * (speed * reach).sqrt();
        Self {
            at,
            slack: slack.clamp(reach / 1024.0, reach / 8.0) as f32,
            senses,
        }
    }

    /// Whether somebody has gone too far.
    pub(super) fn is_left(&self, position: [f32; 3]) -> bool {
        squared(position, self.at) > f64::from(self.slack).powi(2)
    }

    /// How far apart two are, wherever their slack lets them be.
    fn apart(&self, other: &Self) -> Apart {
        let [a, b] = [
            self.senses.reach_of(other.senses.radius),
            other.senses.reach_of(self.senses.radius),
        ];
        let slack = f64::from(self.slack) + f64::from(other.slack);
        let (least, most) = (a.min(b) - slack, a.max(b) + slack);
        let squared = squared(self.at, other.at);
        // Rounding is a thousand times less than these margins.
        if squared > most * most * (1.0 + 1e-12) {
            Apart::Far
        } else if least >= 0.0 && squared <= least * least * (1.0 - 1e-12) {
            Apart::Near
        } else {
            Apart::Unsettled
        }
    }

    /// Where the player may be, and what is in reach from there.
    fn bounds(&self) -> [Bounds; 2] {
        let reach = self.slack + self.senses.reach;
        [self.slack, reach].map(|far| Bounds::reaching(self.at, far))
    }
}

/// The square of a distance.
#[inline]
pub(super) fn squared([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f64 {
    let square = |a: f32, b: f32| (f64::from(a) - f64::from(b)).powi(2);
    square(ax, bx) + square(ay, by) + square(az, bz)
}

/// The homes of all, and who is around them.
#[derive(Debug)]
pub(super) struct Neighbors {
    /// By player.
    homes: Vec<Home>,
    /// Where players may be, and what is in reach of them.
    space: Space,
    /// Those who are there.
    members: Vec<u32>,
    /// How far the farthest of them reaches, and everybody at least.
    farthest: f32,
    least: f64,
    /// How far anybody may be now from where they may have been before they last stepped, at most.
    step: f32,
    /// Around all places where anybody may be.
    all: Bounds,
    effort: Effort,
    hits: Vec<u32>,
}

impl Default for Neighbors {
    fn default() -> Self {
        Self {
            homes: Vec::new(),
            space: Space::new(Tuning::SHORT),
            members: Vec::new(),
            farthest: 0.0,
            least: 0.0,
            step: 0.0,
            all: Bounds::NOWHERE,
            effort: Effort::default(),
            hits: Vec::new(),
        }
    }
}

impl Neighbors {
    pub(super) fn home(&self, player: u32) -> Option<&Home> {
        self.homes.get(player as usize)
    }

    /// A player settles. Whether it was but a step there.
    pub(super) fn settle(&mut self, player: u32, home: Home, is_new: bool) -> bool {
        let at = player as usize;
        if self.homes.len() <= at {
            self.homes.resize(at + 1, home);
        }
        let Some(place) = self.homes.get_mut(at) else {
            return false;
        };
        let was = core::mem::replace(place, home);
        let far = squared(was.at, home.at).sqrt();
        let is_step = !is_new && far <= f64::from(home.senses.reach) / 4.0;
        if is_step {
            let far = far as f32 * (1.0 + f32::EPSILON);
            self.step = self.step.max((was.slack + far) * (1.0 + f32::EPSILON));
        }
        is_step
    }

    /// Takes those who are there, before players are searched for.
    pub(super) fn place(&mut self, members: impl Iterator<Item = u32>) {
        self.space.adapt(core::mem::take(&mut self.effort));
        let Self {
            homes,
            space,
            members: those,
            ..
        } = self;
        those.clear();
        those.extend(members);
        let home = |&player: &u32| homes.get(player as usize);
        let homes = || those.iter().filter_map(home);
        self.farthest = homes().fold(0.0, |far, home| home.senses.reach.max(far));
        self.step = homes().fold(self.step, |step, home| home.slack.max(step));
        let least = homes().fold(f32::MAX, |least, home| home.senses.radius.abs().min(least));
        let reaches = homes().map(|home| home.senses.reach_of(least));
        self.least = reaches.fold(f64::MAX, f64::min);
        let bounds = |which: usize, player: u32| {
            let [slack, reach] = home(&player).map_or([Bounds::NOWHERE; 2], Home::bounds);
            if which == 0 { slack } else { reach }
        };
        let boxes = |which: usize| those.iter().map(move |&player| bounds(which, player));
        self.all = boxes(0).fold(Bounds::NOWHERE, |all, bounds| all.union(&bounds));
        space.place([boxes(0), boxes(1)], false);
        for (cells, which) in space.cells.iter_mut().zip(0..) {
            cells.gather(those.iter().copied(), |player| bounds(which, player), false);
        }
    }

    /// All have been searched for who have settled.
    pub(super) fn end(&mut self) {
        self.step = 0.0;
    }

    /// Finds the others who are not as far from a player who has settled as the row says. Those who
    /// have not but stepped come first.
    ///
    /// From one who has but stepped those who are near by far more than a step were so before, and
    /// those who were around are no farther than that; and what is said of those who came from
    /// anywhere is right already.
    pub(super) fn search(
        &mut self,
        player: u32,
        is_step: bool,
        row: &Row,
        changed: &mut Vec<(u32, Apart)>,
    ) {
        changed.clear();
        let Some(home) = self.homes.get(player as usize) else {
            return;
        };
        let reach = home.senses.reach;
        let margin = if is_step { 2.1 * self.step } else { home.slack };
        let ring = is_step.then_some(Ring {
            middle: home.at,
            inner: self.least - f64::from(margin),
            outer: f64::from(reach) + f64::from(margin),
            all: self.all,
        });
        let [those, who_reach] = &self.space.cells;
        let Self { hits, effort, .. } = self;
        let bounds = Bounds::reaching(home.at, (reach + margin).min(f32::MAX));
        let mut count = 0;
        for layer in those.layers.all() {
            count = match &ring {
                Some(ring) => those.near_in(ring, layer, &bounds, hits, count, effort),
                None => those.near(layer, &bounds, hits, count, effort),
            };
        }
        if self.farthest > reach {
            let bounds = Bounds::reaching(home.at, margin);
            for layer in who_reach.layers.all() {
                count = who_reach.near(layer, &bounds, hits, count, effort);
            }
        }
        let hits = hits.get(..count).unwrap_or_default();
        let apart = |other: u32| {
            let found = self.homes.get(other as usize);
            found.map_or(Apart::Far, |found| home.apart(found))
        };
        let others = hits.iter().filter(|&&other| other != player);
        let others = others.map(|&other| (other, apart(other)));
        changed.extend(others.filter(|&(other, apart)| row.apart(other) != apart));
        effort.misses += 8 * (count - changed.len().min(count)) as u64;
        if !is_step {
            let others = row.around().map(|other| (other, apart(other)));
            changed.extend(others.filter(|(_, apart)| *apart == Apart::Far));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.space.bytes()
            + self.homes.capacity() * size_of::<Home>()
            + (self.members.capacity() + self.hits.capacity()) * size_of::<u32>()
    }
}

/// How far apart two players are, as long as neither goes farther than its slack from where it settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// Out of each other's reach.
    Far,
    /// In or out of reach: distances are to be measured.
    Unsettled,
    /// Within each other's reach.
    Near,
}

/// 64 others.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Which 64.
    number: u32,
    /// Those who are not far.
    around: u64,
    unsettled: u64,
    /// Those within reach.
    near: u64,
    /// Those around whom nothing hides.
    seen: u64,
}

impl Word {
    /// Those whom the player is told of.
    fn aware(&self) -> u64 {
        self.near & self.seen
    }
}

/// What others are to one player.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// In order; none in which nobody is around.
    words: Vec<Word>,
}

/// What has changed: pairs, observer first, the lowest bit set where it begins. A pair may change
/// several times in a tick.
pub(super) type Turns = Vec<Key>;

/// The others whose bits are set in a word.
#[derive(Clone, Debug)]
struct Each {
    number: u32,
    bits: u64,
}

impl Iterator for Each {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.bits == 0 {
            return None;
        }
        let other = self.number << 6 | self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(other)
    }
}

#[inline]
fn each(number: u32, bits: u64) -> Each {
    Each { number, bits }
}

/// Says which of 64 others the observer is told of now, and was not, and the other way round.
#[inline]
fn turn(turns: &mut Turns, observer: u32, number: u32, before: u64, now: u64) {
    for other in each(number, before ^ now) {
        turns.push(key(observer, other) | now >> (other & 63) & 1);
    }
}

impl Row {
    #[inline]
    fn find(&self, number: u32) -> Result<usize, usize> {
        // Where many are around, no word is left out.
        let first = self.words.first().map_or(0, |word| word.number);
        let guess = number.wrapping_sub(first) as usize;
        let word = self.words.get(guess);
        if word.is_some_and(|word| word.number == number) {
            return Ok(guess);
        }
        self.words.binary_search_by_key(&number, |word| word.number)
    }

    /// How far another was said to be.
    #[inline]
    pub(super) fn apart(&self, other: u32) -> Apart {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let word = self.find(number).ok().and_then(|at| self.words.get(at));
        match word.map(|word| (word.around & bit != 0, word.unsettled & bit != 0)) {
            Some((true, true)) => Apart::Unsettled,
            Some((true, false)) => Apart::Near,
            _ => Apart::Far,
        }
    }

    /// Those around, in order.
    pub(super) fn around(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter();
        words.flat_map(|word| each(word.number, word.around))
    }

    /// Those whom the player is told of, in order.
    pub(super) fn aware(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter();
        words.flat_map(|word| each(word.number, word.aware()))
    }

    /// Another is so far now. Whether one who was far is seen is asked. Returns whether the other
    /// is seen.
    pub(super) fn settle(
        &mut self,
        observer: u32,
        other: u32,
        apart: Apart,
        is_seen: impl FnOnce() -> bool,
        turns: &mut Turns,
    ) -> bool {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let at = match (self.find(number), apart) {
            (Ok(at), _) => at,
            (Err(_), Apart::Far) => return false,
            (Err(at), _) => {
                let word = Word {
                    number,
                    ..Word::default()
                };
                self.words.insert(at, word);
                at
            }
        };
        let Some(word) = self.words.get_mut(at) else {
            return false;
        };
        let before = word.aware();
        if apart == Apart::Far {
            for bits in [
                &mut word.around,
                &mut word.unsettled,
                &mut word.near,
                &mut word.seen,
            ] {
                *bits &= !bit;
            }
        } else {
            if word.around & bit == 0 && is_seen() {
                word.seen |= bit;
            }
            word.around |= bit;
            word.unsettled &= !bit;
            match apart {
                Apart::Near => word.near |= bit,
                _ => word.unsettled |= bit,
            }
        }
        turn(turns, observer, number, before, word.aware());
        let is_seen = word.seen & bit != 0;
        if word.around == 0 {
            self.words.remove(at);
        }
        is_seen
    }

    /// Measures the distances of those who are unsettled.
    #[inline]
    pub(super) fn measure(
        &mut self,
        observer: u32,
        mut is_near: impl FnMut(u32) -> bool,
        turns: &mut Turns,
    ) {
        for word in &mut self.words {
            let number = word.number;
            if word.unsettled == 0 {
                continue;
            }
            let mut near = 0;
            for other in each(number, word.unsettled) {
                near |= u64::from(is_near(other)) << (other & 63);
            }
            let before = word.aware();
            word.near = word.near & !word.unsettled | near;
            turn(turns, observer, number, before, word.aware());
        }
    }

    /// Says of all around, in order, whether they are seen now; lists those of whom that is new.
    pub(super) fn look(
        &mut self,
        observer: u32,
        seen: &[bool],
        news: &mut Vec<(u32, bool)>,
        turns: &mut Turns,
    ) {
        news.clear();
        let mut seen = seen.iter();
        for word in &mut self.words {
            let number = word.number;
            let mut now = 0;
            for other in each(number, word.around) {
                now |= u64::from(seen.next() == Some(&true)) << (other & 63);
            }
            let (before, changed) = (word.aware(), word.seen ^ now);
            word.seen = now;
            turn(turns, observer, number, before, word.aware());
            news.extend(each(number, changed).map(|other| (other, now >> (other & 63) & 1 == 1)));
        }
    }

    /// Says whether one of those around is seen now.
    #[inline]
    pub(super) fn see(&mut self, observer: u32, other: u32, is_seen: bool, turns: &mut Turns) {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let found = self.find(number).ok().and_then(|at| self.words.get_mut(at));
        if let Some(word) = found {
            let before = word.aware();
            let seen = if is_seen { bit } else { 0 };
            word.seen = word.seen & !bit | seen & word.around;
            turn(turns, observer, number, before, word.aware());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
    }
}
