//! Matchers side by side on the same entities.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use super::{Distribution, Entities, Lucid, Sorted};
use crate::runtime::interest::{
    BruteForce, Changes, Events, Grid, Interest, InterestError, Kind, Method, Pair,
};

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
