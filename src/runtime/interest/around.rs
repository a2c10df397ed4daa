//! Who is around a player: how far others are, for as long as nobody goes far.

use super::Bounds;
use super::awareness::Senses;
use super::cells::Effort;
use super::layers::Ring;
use super::rows::{Apart, Row};
use super::space::Space;

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
pub(super) struct Around {
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

impl Default for Around {
    fn default() -> Self {
        Self {
            homes: Vec::new(),
            space: Space::default(),
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

impl Around {
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
            cells.gather(those, |player| bounds(which, player), false);
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
