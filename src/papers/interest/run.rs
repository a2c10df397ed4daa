//! Matchers side by side on the same entities, which move through a box (Liu's thesis, sections 3.5.1 and 4.3.1).

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::interest::matching::{BruteForce, Changes, Events, Grid, Interest, Kind, Method, Pair};
use viewcell::dice::Dice;
use viewcell::interest::{Bounds, InterestError};

use super::{Lucid, Sorted};

/// A matcher by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatcherName {
    /// Every pair.
    Brute,
    /// I-Collide's table, as the Lucid platform uses it.
    Lucid,
    /// Liu's sorted lists.
    Sorted,
    /// The runtime's.
    Grid,
}

impl MatcherName {
    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brute => "brute",
            Self::Lucid => "lucid",
            Self::Sorted => "sorted",
            Self::Grid => "grid",
        }
    }
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Entities, each with an update and a subscription region.
    pub entities: usize,
    /// Mean speed, in sides of a region a tick.
    pub speed: f64,
    /// Ticks that are measured.
    pub ticks: u32,
    /// Of all that is drawn.
    pub seed: u64,
    /// Entities in a cube of a region's side.
    pub density: f64,
    /// How they are spread.
    pub distribution: Distribution,
    /// Also what happens between ticks.
    pub space_time: bool,
    /// Threads of those matchers that can use several.
    pub threads: usize,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which matcher.
    pub matcher: MatcherName,
    /// Mean time of a tick: telling where all regions are, and matching.
    pub wall: Duration,
    /// What of that is telling.
    pub telling: Duration,
    /// The same in time of processors, all threads together.
    pub processor: Duration,
    /// Memory in use at the end.
    pub bytes: usize,
    /// Pairs that began in all ticks.
    pub began: u64,
    /// Pairs that ceased.
    pub ceased: u64,
    /// Of all changes in order.
    pub digest: u64,
}

/// Runs a matcher. The first tick, in which all entities come, is counted and not measured.
///
/// # Errors
///
/// Where there is no room for so many regions.
pub fn measure(matcher: MatcherName, options: &RunOptions) -> Result<Measured, InterestError> {
    match matcher {
        MatcherName::Brute => run(matcher, BruteForce, options),
        MatcherName::Lucid => run(matcher, Lucid::default(), options),
        MatcherName::Sorted => run(matcher, Sorted::default(), options),
        MatcherName::Grid => run(matcher, Grid::with_threads(options.threads), options),
    }
}

fn run<M: Method>(
    matcher: MatcherName,
    method: M,
    options: &RunOptions,
) -> Result<Measured, InterestError> {
    let mut entities = Entities::new(
        options.entities,
        options.density,
        options.speed,
        options.distribution,
        options.seed,
    );
    let mut interest = Interest::with(method);
    let mut regions = Vec::with_capacity(options.entities);
    for bounds in entities.bounds() {
        regions.push([
            interest.insert(Kind::Update, bounds)?,
            interest.insert(Kind::Subscription, bounds)?,
        ]);
    }
    let mut digest = Digest::default();
    digest.changes(0, interest.tick());
    let (mut wall, mut processor) = (Duration::ZERO, Duration::ZERO);
    let mut telling = Duration::ZERO;
    let mut places = Vec::with_capacity(options.entities);
    for tick in 1..=options.ticks {
        entities.step();
        places.clear();
        places.extend(entities.bounds());
        let (started, processed) = (Instant::now(), ProcessTime::now());
        for (regions, &bounds) in regions.iter().zip(&places) {
            for &region in regions {
                interest.move_to(region, bounds)?;
            }
        }
        telling += started.elapsed();
        if options.space_time {
            let events = interest.sweep();
            (wall, processor) = (wall + started.elapsed(), processor + processed.elapsed());
            digest.events(tick, events);
        } else {
            let changes = interest.tick();
            (wall, processor) = (wall + started.elapsed(), processor + processed.elapsed());
            digest.changes(tick, changes);
        }
    }
    let ticks = options.ticks.max(1);
    let (began, ceased, digest) = digest.told();
    Ok(Measured {
        matcher,
        wall: wall / ticks,
        telling: telling / ticks,
        processor: processor / ticks,
        bytes: interest.bytes(),
        began,
        ceased,
        digest,
    })
}

/// FNV-1a over all changes in their order.
pub(super) struct Digest {
    state: u64,
    began: u64,
    ceased: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            state: 0xcbf2_9ce4_8422_2325,
            began: 0,
            ceased: 0,
        }
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = (self.state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// An update and a subscription began to overlap, or ceased to; when, if that is told.
    pub(super) fn change(&mut self, tick: u32, began: bool, pair: [u32; 2], instant: Option<f64>) {
        self.began += u64::from(began);
        self.ceased += u64::from(!began);
        self.add(&tick.to_le_bytes());
        self.add(if began { b"+" } else { b"-" });
        pair.iter()
            .for_each(|region| self.add(&region.to_le_bytes()));
        if let Some(instant) = instant {
            self.add(&instant.to_bits().to_le_bytes());
        }
    }

    /// How many began, how many ceased, and the digest.
    pub(super) fn told(&self) -> (u64, u64, u64) {
        (self.began, self.ceased, self.state)
    }

    fn changes(&mut self, tick: u32, changes: Changes<'_>) {
        for (began, pairs) in [(true, changes.began), (false, changes.ceased)] {
            for pair in pairs {
                self.change(tick, began, numbers(*pair), None);
            }
        }
    }

    fn events(&mut self, tick: u32, events: Events<'_>) {
        for (began, events) in [(true, events.began), (false, events.ceased)] {
            for event in events {
                self.change(tick, began, numbers(event.pair), Some(event.instant));
            }
        }
    }
}

fn numbers(pair: Pair) -> [u32; 2] {
    [pair.update.index(), pair.subscription.index()]
}

/// How entities are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// At random all over, as Liu has them.
    Even,
    /// Half of them in a thousandth of the space.
    Skewed,
    /// All in one spot, of the size of a region.
    Spot,
    /// Along one axis.
    Line,
    /// Evenly, with sides from 1 to 10,000, most of them short.
    Sizes,
    /// Evenly, and each somewhere else in each tick.
    Teleports,
}

/// Entities, each with the middle of its regions.
#[derive(Clone, Debug)]
pub struct Entities {
    dice: Dice,
    distribution: Distribution,
    side: f64,
    speed: f64,
    middles: Vec<[f64; 3]>,
    steps: Vec<[f64; 3]>,
    halves: Vec<f32>,
}

impl Entities {
    /// So many entities whose regions have sides of 1, `density` of them in each cube of that side,
    /// with a mean speed of `speed` sides a tick.
    pub fn new(
        count: usize,
        density: f64,
        speed: f64,
        distribution: Distribution,
        seed: u64,
    ) -> Self {
        let side = match distribution {
            Distribution::Line => count as f64 / density.cbrt(),
            Distribution::Spot => 1.0,
            _ => (count as f64 / density).cbrt(),
        };
        let mut world = Self {
            dice: Dice(seed),
            distribution,
            side,
            speed,
            middles: Vec::with_capacity(count),
            steps: Vec::with_capacity(count),
            halves: Vec::with_capacity(count),
        };
        for number in 0..count {
            let middle = world.somewhere(number);
            let step = world.heading();
            world.middles.push(middle);
            world.steps.push(step);
            let half = match distribution {
                // One of 10,000 is 10,000 times as long.
                Distribution::Sizes => 0.5 * world.dice.fraction().powf(-1.0).min(1e4),
                _ => 0.5,
            };
            world.halves.push(half as f32);
        }
        world
    }

    fn somewhere(&mut self, number: usize) -> [f64; 3] {
        let mut any = |side: f64| [(); 3].map(|()| self.dice.fraction() * side);
        match self.distribution {
            Distribution::Skewed if number.is_multiple_of(2) => any(0.1 * self.side),
            Distribution::Line => [any(self.side)[0], 0.0, 0.0],
            _ => any(self.side),
        }
    }

    /// A step in a random direction, of half to one and a half times the mean speed.
    fn heading(&mut self) -> [f64; 3] {
        let length = self.speed * (0.5 + self.dice.fraction());
        if self.distribution == Distribution::Line {
            let sign = if self.dice.roll(2) == 0 { -1.0 } else { 1.0 };
            return [sign * length, 0.0, 0.0];
        }
        loop {
            let [x, y, z] = [(); 3].map(|()| 2.0 * self.dice.fraction() - 1.0);
            let square = x * x + y * y + z * z;
            if (1e-6..=1.0).contains(&square) {
                let scale = length / square.sqrt();
                return [x * scale, y * scale, z * scale];
            }
        }
    }

    /// Where the regions of each entity are.
    pub fn bounds(&self) -> impl Iterator<Item = Bounds> + '_ {
        self.middles.iter().zip(&self.halves).map(|(middle, half)| {
            let middle = middle.map(|x| x as f32);
            Bounds::around(middle, [*half; 3]).expect("entities are at finite places")
        })
    }

    /// All move; at the walls they turn back.
    pub fn step(&mut self) {
        for number in 0..self.middles.len() {
            if self.distribution == Distribution::Teleports {
                self.middles[number] = self.somewhere(number);
                continue;
            }
            // Of a crowd none leaves the crowd.
            let side = match self.distribution {
                Distribution::Skewed if number.is_multiple_of(2) => 0.1 * self.side,
                _ => self.side,
            };
            let walls = match self.distribution {
                Distribution::Line => [self.side, 0.0, 0.0],
                _ => [side; 3],
            };
            let (middle, step) = (&mut self.middles[number], &mut self.steps[number]);
            for ((at, by), side) in middle.iter_mut().zip(step).zip(walls) {
                *at += *by;
                if *at < 0.0 || *at > side {
                    *by = -*by;
                    *at = at.clamp(-side, 2.0 * side);
                    *at = if *at < 0.0 { -*at } else { 2.0 * side - *at };
                    *at = at.clamp(0.0, side);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_matchers_say_the_same_on_all_worlds() {
        let distributions = [
            Distribution::Even,
            Distribution::Skewed,
            Distribution::Spot,
            Distribution::Line,
            Distribution::Sizes,
            Distribution::Teleports,
        ];
        for distribution in distributions {
            for space_time in [false, true] {
                let options = RunOptions {
                    entities: 70,
                    speed: 0.5,
                    ticks: 40,
                    seed: 4,
                    density: 0.1,
                    distribution,
                    space_time,
                    threads: 2,
                };
                let of = |matcher| {
                    let measured = measure(matcher, &options).unwrap();
                    (measured.digest, measured.began, measured.ceased)
                };
                let expected = of(MatcherName::Brute);
                for matcher in [MatcherName::Lucid, MatcherName::Sorted, MatcherName::Grid] {
                    assert_eq!(of(matcher), expected, "{distribution:?} {}", matcher.name());
                }
            }
        }
    }

    #[test]
    fn fast_entities_meet_more_often_than_ticks_say() {
        let options = |space_time| RunOptions {
            entities: 400,
            speed: 20.0,
            ticks: 20,
            seed: 1,
            density: 0.001,
            distribution: Distribution::Even,
            space_time,
            threads: 1,
        };
        // Without each entity's own pair, which begins in the first tick.
        let began = |space_time| {
            measure(MatcherName::Grid, &options(space_time))
                .unwrap()
                .began
                - 400
        };
        assert!(
            began(true) > 5 * began(false),
            "{} {}",
            began(true),
            began(false)
        );
    }
}
