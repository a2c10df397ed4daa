//! Space, cut into subdivisions that ranks own; what ranks are given: entities and all their ways, the same in each
//! process; and how work moves from the rank that has most of it (thesis, algorithms 7 and 8).

use crate::interest::matching::Kind;
use crate::interest::run::Entities;
use crate::interest::run::RunOptions;
use viewcell::interest::Bounds;

/// Subdivisions of a box, all of one size. What lies outside belongs to the nearest of them.
#[derive(Clone, Debug)]
pub struct Space {
    low: [f32; 3],
    /// How long a subdivision is along each axis.
    side: [f32; 3],
    /// Subdivisions an axis.
    cuts: usize,
    owners: Vec<usize>,
}

impl Space {
    /// `cuts` subdivisions an axis, dealt out to ranks in order, equally many to each (figure 6.1).
    pub fn new(world: &Bounds, cuts: usize, ranks: usize) -> Self {
        let (low, high) = (world.min(), world.max());
        let count = cuts * cuts * cuts;
        Self {
            low,
            side: [0, 1, 2].map(|axis| (high[axis] - low[axis]) / cuts as f32),
            cuts,
            owners: (0..count).map(|number| number * ranks / count).collect(),
        }
    }

    /// How many subdivisions there are.
    pub fn count(&self) -> usize {
        self.owners.len()
    }

    fn cut(&self, axis: usize, at: f32) -> usize {
        let cuts = ((at - self.low[axis]) / self.side[axis]).floor();
        // No number, where the world is flat, is 0.
        (cuts.max(0.0) as usize).min(self.cuts - 1)
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.cuts + y) * self.cuts + x
    }

    /// The subdivision of a point.
    pub fn of(&self, point: [f32; 3]) -> usize {
        self.number([0, 1, 2].map(|axis| self.cut(axis, point[axis])))
    }

    /// All subdivisions that a box reaches into.
    pub fn reached(&self, bounds: &Bounds) -> impl Iterator<Item = usize> {
        let first = [0, 1, 2].map(|axis| self.cut(axis, bounds.min()[axis]));
        let last = [0, 1, 2].map(|axis| self.cut(axis, bounds.max()[axis]));
        let [x, y, z] = [0, 1, 2].map(|axis| first[axis]..=last[axis]);
        z.flat_map(move |z| {
            let x = x.clone();
            y.clone()
                .flat_map(move |y| x.clone().map(move |x| [x, y, z]))
        })
        .map(|at| self.number(at))
    }

    /// Who owns a subdivision.
    pub fn owner(&self, subdivision: usize) -> usize {
        self.owners[subdivision]
    }

    /// Gives a subdivision to another rank.
    pub fn give(&mut self, subdivision: usize, rank: usize) {
        self.owners[subdivision] = rank;
    }

    /// The subdivisions that share a side with one.
    pub fn beside(&self, subdivision: usize) -> impl Iterator<Item = usize> {
        let cuts = self.cuts;
        let at = [
            subdivision % cuts,
            subdivision / cuts % cuts,
            subdivision / (cuts * cuts),
        ];
        (0..6).filter_map(move |side| {
            let (axis, up) = (side / 2, side % 2 == 1);
            let mut other = at;
            other[axis] = if up {
                at[axis] + 1
            } else {
                at[axis].checked_sub(1)?
            };
            (other[axis] < cuts).then(|| self.number(other))
        })
    }

    /// How many subdivisions have none beside them of the same owner.
    pub fn isolated(&self) -> usize {
        let alone = |&at: &usize| {
            !self
                .beside(at)
                .any(|other| self.owner(other) == self.owner(at))
        };
        (0..self.count()).filter(alone).count()
    }
}

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
    /// As [`crate::interest::measure`] moves them. All come in the first tick.
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

/// Who gets work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Nobody: subdivisions stay with their owners.
    None,
    /// The rank with the least work (algorithm 7).
    Node,
    /// The rank with the least work among those that own a subdivision beside the one that is given
    /// (algorithm 8).
    Neighbour,
}

impl Balance {
    /// What the rank with most work gives away, and to whom; at most one subdivision a tick. `crowds`
    /// says how many regions are in each subdivision, of this rank's own.
    pub fn choose(
        self,
        space: &Space,
        loads: &[u64],
        crowds: &[u32],
        threshold: f64,
    ) -> Option<(usize, usize)> {
        // Of those with as much, the first.
        let heaviest = (0..loads.len()).max_by_key(|&rank| (loads[rank], usize::MAX - rank))?;
        let lightest = (0..loads.len()).min_by_key(|&rank| (loads[rank], rank))?;
        let load = loads[heaviest] as f64;
        let differs = |rank: usize| load > 0.0 && (load - loads[rank] as f64) / load > threshold;
        let mut own: Vec<usize> = (0..space.count())
            .filter(|&at| space.owner(at) == heaviest)
            .collect();
        own.sort_by_key(|&at| (u32::MAX - crowds[at], at));
        match self {
            Self::None => None,
            Self::Node => {
                let first = *own.first()?;
                (own.len() > 1 && differs(lightest)).then_some((first, lightest))
            }
            Self::Neighbour => own.iter().find_map(|&at| {
                let beside = space.beside(at).map(|other| space.owner(other));
                let others = beside.filter(|&rank| rank != heaviest);
                let rank = others.min_by_key(|&rank| (loads[rank], rank))?;
                (own.len() > 1 && differs(rank)).then_some((at, rank))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::interest::{Distribution, MatcherName, measure};

    use super::super::{Balance, RankOptions, run_local};
    use super::*;

    #[test]
    fn subdivisions_are_dealt_out_and_reached() {
        let world = Bounds::new([0.0; 3], [4.0; 3]).unwrap();
        let mut space = Space::new(&world, 4, 3);
        let owned = |rank| (0..64).filter(|&at| space.owner(at) == rank).count();
        assert_eq!([owned(0), owned(1), owned(2)], [22, 21, 21]);
        assert_eq!(space.of([3.5, 0.5, 0.0]), 3);
        assert_eq!(space.of([-9.0, 99.0, 1.5]), 16 + 12);
        let bounds = Bounds::new([0.5, 0.5, 0.5], [1.5, 0.6, 1.0]).unwrap();
        assert_eq!(space.reached(&bounds).collect::<Vec<_>>(), [0, 1, 16, 17]);
        assert_eq!(space.beside(0).collect::<Vec<_>>(), [1, 4, 16]);
        assert_eq!(space.isolated(), 0);
        space.give(0, 2);
        assert_eq!(space.isolated(), 1);
    }

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
