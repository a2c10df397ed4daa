//! What ranks are given: entities and all their ways, the same in each process.

use super::message::Change;
use super::run::Outcome;
use super::space::Space;
use crate::experiment::interest::run::{Digest, RunOptions};
use crate::experiment::interest::world::Entities;
use crate::runtime::interest::{Bounds, Kind};

/// Regions, and where they are in each tick.
#[derive(Clone, Debug)]
pub struct Play {
    /// Of each region: an entity's update, then its subscription.
    pub kinds: Vec<Kind>,
    /// By tick and region.
    pub ticks: Vec<Vec<Option<Bounds>>>,
    /// What holds all of them.
    world: Bounds,
}

impl Play {
    /// As [`crate::experiment::interest::measure`] moves them. All come in the first tick.
    ///
    /// Memory: 56 bytes an entity and tick.
    pub fn new(options: &RunOptions) -> Self {
        let mut entities = Entities::new(
            options.entities,
            options.density,
            options.speed,
            options.distribution,
            options.seed,
        );
        let mut ticks = Vec::new();
        for tick in 0..=options.ticks {
            if tick > 0 {
                entities.step();
            }
            let both = entities.bounds().flat_map(|bounds| [Some(bounds); 2]);
            ticks.push(both.collect::<Vec<_>>());
        }
        let all = || ticks.iter().flatten().flatten();
        let least = |axis: usize| all().fold(f32::INFINITY, |end, at| end.min(at.min()[axis]));
        let most = |axis: usize| all().fold(f32::NEG_INFINITY, |end, at| end.max(at.max()[axis]));
        let world = Bounds::new([0, 1, 2].map(least), [0, 1, 2].map(most));
        Self {
            kinds: [Kind::Update, Kind::Subscription].repeat(options.entities),
            world: world.expect("at least one entity"),
            ticks,
        }
    }

    /// All of it in so many subdivisions an axis, dealt out to ranks.
    pub fn space(&self, cuts: usize, ranks: usize) -> Space {
        Space::new(&self.world, cuts, ranks)
    }
}

impl Outcome {
    /// How many pairs began to overlap, how many ceased to, and the digest of all in order: that of
    /// matchers on one machine, for any number of ranks.
    pub fn told(&self, space_time: bool) -> (u64, u64, u64) {
        let mut digest = Digest::default();
        for (tick, changes) in (0..).zip(&self.changes) {
            for change in changes {
                let Change {
                    update,
                    subscription,
                    began,
                    instant,
                } = *change;
                // In the first tick all regions come, without instants.
                let instant = (space_time && tick > 0).then_some(instant);
                digest.change(tick, began, [update, subscription], instant);
            }
        }
        digest.told()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Balance, RankOptions, run_local};
    use super::*;
    use crate::experiment::interest::{Distribution, MatcherName, measure};

    #[test]
    fn ranks_and_matchers_have_one_digest() {
        let distributions = [Distribution::Even, Distribution::Skewed];
        for (distribution, space_time) in distributions
            .into_iter()
            .flat_map(|distribution| [(distribution, false), (distribution, true)])
        {
            let options = RunOptions {
                entities: 300,
                speed: 0.5,
                ticks: 12,
                seed: 5,
                density: 0.2,
                distribution,
                space_time,
                threads: 1,
            };
            let alone = measure(MatcherName::Grid, &options).unwrap();
            let play = Play::new(&options);
            for ranks in [1, 3, 8] {
                let rank = RankOptions {
                    space_time,
                    balance: Balance::Node,
                    threshold: 0.1,
                };
                let space = play.space(4, ranks);
                let found = run_local(ranks, &space, rank, &play.kinds, &play.ticks).unwrap();
                let expected = (alone.began, alone.ceased, alone.digest);
                assert_eq!(found.told(space_time), expected, "{ranks} ranks");
                assert!(alone.ceased > 0);
            }
        }
    }
}
