//! Ranks of one process, and what they come to together.

use crate::interest::run::Digest;

use super::rank::{Counts, Rank, RankOptions};
use super::space::Space;
use super::transport::{Change, Reader};
use super::transport::{Lost, Transport, local};
use crate::interest::matching::Kind;
use viewcell::interest::Bounds;

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Of each tick the changes.
    pub changes: Vec<Vec<Change>>,
    /// Of all ranks together.
    pub migrations: u64,
    /// Copies sent.
    pub ghosts: u64,
    /// Bytes sent from rank to rank.
    pub bytes: u64,
    /// The load of the rank with most, as a multiple of the mean; the mean over all ticks.
    pub imbalance: f64,
    /// Subdivisions with none beside them of the same owner, at the end.
    pub isolated: usize,
}

/// What one rank came to.
#[derive(Debug)]
struct Driven {
    counts: Counts,
    isolated: usize,
    /// Of rank 0, of each tick; of others nothing.
    changes: Vec<Vec<Change>>,
    /// Pairs compared, of each tick.
    loads: Vec<u64>,
}

/// Runs so many ranks on threads. `ticks` has for each tick the place of each region, or none where it
/// is not there; all of a region's ticks are of one kind.
///
/// # Errors
///
/// [`Lost`] where a rank has ended.
pub fn run_local(
    ranks: usize,
    space: &Space,
    options: RankOptions,
    kinds: &[Kind],
    ticks: &[Vec<Option<Bounds>>],
) -> Result<Outcome, Lost> {
    let results: Vec<Result<_, Lost>> = std::thread::scope(|scope| {
        let drive = |end| move || drive(end, space, options, kinds, ticks);
        let ends = local(ranks).into_iter();
        let threads: Vec<_> = ends.map(|end| scope.spawn(drive(end))).collect();
        let joined = threads.into_iter().enumerate();
        joined
            .map(|(rank, thread)| thread.join().unwrap_or(Err(Lost { rank })))
            .collect()
    });
    let driven = results.into_iter().map(|result| Ok(result?.0));
    Ok(Outcome::of(driven.collect::<Result<_, Lost>>()?))
}

/// Runs one of several ranks, each in a process of its own; all are given the same. Rank 0 gets what
/// came of all, the others nothing.
///
/// # Errors
///
/// [`Lost`] where a rank has ended.
pub fn run_rank<T: Transport>(
    transport: T,
    space: &Space,
    options: RankOptions,
    kinds: &[Kind],
    ticks: &[Vec<Option<Bounds>>],
) -> Result<Option<Outcome>, Lost> {
    let (driven, mut transport) = drive(transport, space, options, kinds, ticks)?;
    let own = transport.rank();
    let mut messages = vec![Vec::new(); transport.ranks()];
    if own != 0 {
        messages[0] = driven.to_bytes();
    }
    let told = transport.exchange(messages)?;
    if own != 0 {
        return Ok(None);
    }
    let mut all = vec![driven];
    for (rank, message) in told.iter().enumerate().skip(1) {
        // Whoever says less has not gone all the way.
        all.push(Driven::of_bytes(message, ticks.len()).ok_or(Lost { rank })?);
    }
    Ok(Some(Outcome::of(all)))
}

fn drive<T: Transport>(
    transport: T,
    space: &Space,
    options: RankOptions,
    kinds: &[Kind],
    ticks: &[Vec<Option<Bounds>>],
) -> Result<(Driven, T), Lost> {
    let mut rank = Rank::new(transport, space.clone(), options);
    let mut changes = Vec::new();
    let mut loads = Vec::new();
    let is_first = rank.transport().rank() == 0;
    let nobody = vec![None; kinds.len()];
    for (tick, places) in ticks.iter().enumerate() {
        let before = tick.checked_sub(1).map_or(&nobody, |last| &ticks[last]);
        let own: Vec<u32> = rank.regions().collect();
        for region in own {
            rank.place(region, places[region as usize]);
        }
        // Who comes is told to the first rank, which sends them on.
        for (region, (now, was)) in places.iter().zip(before).enumerate() {
            if let (true, Some(now), None) = (is_first, now, was) {
                rank.insert(region as u32, kinds[region], *now);
            }
        }
        changes.push(rank.tick()?);
        loads.push(rank.counts().load);
    }
    let driven = Driven {
        counts: rank.counts(),
        isolated: rank.space().isolated(),
        changes,
        loads,
    };
    Ok((driven, rank.into_transport()))
}

impl Driven {
    /// All but the changes, as numbers of 64 bits.
    fn to_bytes(&self) -> Vec<u8> {
        let Counts {
            migrations,
            ghosts,
            bytes,
            load: _,
        } = self.counts;
        let first = [migrations, ghosts, bytes, self.isolated as u64];
        let numbers = first.iter().chain(&self.loads);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// What [`Driven::to_bytes`] wrote, of so many ticks; none where it is something else.
    fn of_bytes(bytes: &[u8], ticks: usize) -> Option<Self> {
        let mut reader = Reader(bytes);
        let mut number = || reader.number();
        let counts = Counts {
            migrations: number()?,
            ghosts: number()?,
            bytes: number()?,
            load: 0,
        };
        let isolated = number()? as usize;
        let loads = (0..ticks).map(|_| number()).collect::<Option<_>>()?;
        Some(Self {
            counts,
            isolated,
            changes: Vec::new(),
            loads,
        })
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

    /// What ranks come to together, the first first.
    fn of(mut driven: Vec<Driven>) -> Self {
        let mut outcome = Self::default();
        for rank in &driven {
            outcome.migrations += rank.counts.migrations;
            outcome.ghosts += rank.counts.ghosts;
            outcome.bytes += rank.counts.bytes;
            outcome.isolated = rank.isolated;
        }
        let ranks = driven.len() as f64;
        let ticks = driven.first().map_or(0, |rank| rank.loads.len());
        let imbalances = (0..ticks).map(|tick| {
            let most = driven.iter().map(|rank| rank.loads[tick]).max();
            let sum: u64 = driven.iter().map(|rank| rank.loads[tick]).sum();
            match sum {
                0 => 1.0,
                sum => most.unwrap_or(0) as f64 / (sum as f64 / ranks),
            }
        });
        outcome.imbalance = imbalances.sum::<f64>() / ticks.max(1) as f64;
        if let Some(first) = driven.first_mut() {
            outcome.changes = std::mem::take(&mut first.changes);
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interest::machines::Balance;
    use crate::interest::matching::{BruteForce, Interest};
    use viewcell::dice::Dice;

    const SIDE: f32 = 24.0;

    /// Regions that come, go, and move towards the corners of the world (thesis, section 6.6), each
    /// entity with an update and a subscription of its own size.
    fn crowds(entities: usize, ticks: usize, seed: u64) -> (Vec<Kind>, Vec<Vec<Option<Bounds>>>) {
        let mut dice = Dice(seed);
        let kinds = [Kind::Update, Kind::Subscription];
        let mut any = |side: f32| dice.fraction() as f32 * side;
        let mut at: Vec<[f32; 3]> = (0..entities).map(|_| [(); 3].map(|()| any(SIDE))).collect();
        let mut to = vec![[0.0; 3]; entities];
        let mut rows = Vec::new();
        for tick in 0..ticks {
            let mut row = Vec::new();
            for (number, (at, to)) in at.iter_mut().zip(&mut to).enumerate() {
                if tick % 40 == 0 {
                    *to = [(); 3].map(|()| if any(3.0) < 2.0 { 0.0 } else { SIDE });
                }
                for (at, to) in at.iter_mut().zip(*to) {
                    *at += (to - *at) * any(0.1) + any(1.0) - 0.5;
                }
                // Some are away for a while.
                let is_there = (tick + number * 7) % 50 != 0;
                for half in [0.5, 0.5 + any(1.5)] {
                    let bounds = Bounds::around(*at, [half; 3]).unwrap();
                    row.push(is_there.then_some(bounds));
                }
            }
            rows.push(row);
        }
        let kinds = (0..2 * entities).map(|region| kinds[region % 2]).collect();
        (kinds, rows)
    }

    /// What one machine says.
    fn alone(
        kinds: &[Kind],
        ticks: &[Vec<Option<Bounds>>],
        space_time: bool,
    ) -> Vec<Vec<(bool, u32, u32, f64)>> {
        let mut interest = Interest::with(BruteForce);
        let mut regions = vec![None; kinds.len()];
        let mut numbers = std::collections::BTreeMap::new();
        let mut all = Vec::new();
        for places in ticks {
            for (number, (region, place)) in regions.iter_mut().zip(places).enumerate() {
                match (*region, *place) {
                    (None, Some(bounds)) => {
                        let new = interest.insert(kinds[number], bounds).unwrap();
                        numbers.insert(new, number as u32);
                        *region = Some(new);
                    }
                    (Some(there), Some(bounds)) => interest.move_to(there, bounds).unwrap(),
                    (Some(there), None) => {
                        interest.remove(there).unwrap();
                        *region = None;
                    }
                    (None, None) => {}
                }
            }
            let mut changes = Vec::new();
            if space_time {
                let events = interest.sweep();
                for (began, events) in [(true, events.began), (false, events.ceased)] {
                    for event in events {
                        changes.push((began, event.pair, event.instant));
                    }
                }
            } else {
                let told = interest.tick();
                for (began, pairs) in [(true, told.began), (false, told.ceased)] {
                    changes.extend(pairs.iter().map(|pair| (began, *pair, 0.0)));
                }
            }
            let named = changes.iter().map(|(began, pair, instant)| {
                let of = |region| numbers[&region];
                (*began, of(pair.update), of(pair.subscription), *instant)
            });
            let mut named: Vec<_> = named.collect();
            named.sort_by_key(|&(began, update, subscription, _)| (!began, update, subscription));
            all.push(named);
        }
        all
    }

    fn options(space_time: bool, balance: Balance) -> RankOptions {
        RankOptions {
            space_time,
            balance,
            threshold: 0.1,
        }
    }

    #[test]
    fn any_number_of_ranks_says_what_one_machine_says() {
        let (kinds, ticks) = crowds(60, 120, 1);
        let world = Bounds::new([0.0; 3], [SIDE; 3]).unwrap();
        let mut changes = 0;
        for space_time in [false, true] {
            let expected = alone(&kinds, &ticks, space_time);
            for balance in [Balance::None, Balance::Node, Balance::Neighbour] {
                for ranks in [1, 2, 4, 8, 16] {
                    let space = Space::new(&world, 4, ranks);
                    let options = options(space_time, balance);
                    let outcome = run_local(ranks, &space, options, &kinds, &ticks).unwrap();
                    for (tick, expected) in expected.iter().enumerate() {
                        let found = outcome.changes[tick].iter();
                        let found = found.map(|c| (c.began, c.update, c.subscription, c.instant));
                        let found: Vec<_> = found.collect();
                        assert_eq!(&found, expected, "{balance:?}, {ranks} ranks, tick {tick}");
                        changes += found.len();
                    }
                    assert_eq!(ranks == 1, outcome.bytes == 0);
                    assert_eq!(ranks == 1, outcome.migrations == 0);
                }
            }
        }
        assert!(changes > 10_000, "{changes}");
    }

    #[test]
    fn balancing_evens_loads_and_neighbours_isolate_less() {
        let (kinds, ticks) = crowds(400, 120, 2);
        let world = Bounds::new([0.0; 3], [SIDE; 3]).unwrap();
        let run = |balance| {
            let space = Space::new(&world, 6, 8);
            run_local(8, &space, options(false, balance), &kinds, &ticks).unwrap()
        };
        let [none, node, neighbour] = [Balance::None, Balance::Node, Balance::Neighbour].map(run);
        assert!(node.imbalance < none.imbalance && neighbour.imbalance < none.imbalance);
        assert!(neighbour.isolated < node.isolated);
        assert_eq!(none.isolated, 0);
    }

    #[test]
    fn ranks_that_tell_the_first_come_to_the_same() {
        let (kinds, ticks) = crowds(60, 40, 4);
        let world = Bounds::new([0.0; 3], [SIDE; 3]).unwrap();
        let space = Space::new(&world, 4, 3);
        let options = options(true, Balance::Node);
        let expected = run_local(3, &space, options, &kinds, &ticks).unwrap();
        let found = std::thread::scope(|scope| {
            let run = |end| {
                let (space, kinds, ticks) = (&space, &kinds, &ticks);
                move || run_rank(end, space, options, kinds, ticks).unwrap()
            };
            let ends = local(3).into_iter();
            let threads: Vec<_> = ends.map(|end| scope.spawn(run(end))).collect();
            let results = threads.into_iter().map(|thread| thread.join().unwrap());
            results.collect::<Vec<_>>()
        });
        assert_eq!(found, [Some(expected), None, None]);
    }

    #[test]
    fn a_rank_that_ends_ends_the_others_with_its_name() {
        let mut ends = local(3).into_iter();
        let (first, second, _) = (ends.next(), ends.next(), ends.next());
        let mut first = first.unwrap();
        drop(second);
        let lost = first.exchange(vec![Vec::new(); 3]).unwrap_err();
        assert_eq!(lost, Lost { rank: 1 });
        assert!(lost.to_string().contains("rank 1"));
    }

    /// `cargo test --release machines::run::tests::figures -- --ignored --nocapture`
    #[test]
    #[ignore = "prints a table for the record"]
    fn figures() {
        let world = Bounds::new([0.0; 3], [SIDE; 3]).unwrap();
        let (kinds, ticks) = crowds(2000, 100, 3);
        println!("ranks balance migrations ghosts bytes imbalance isolated");
        for ranks in [2, 4, 8, 16, 64] {
            for balance in [Balance::None, Balance::Node, Balance::Neighbour] {
                let space = Space::new(&world, 8, ranks);
                let options = options(true, balance);
                let found = run_local(ranks, &space, options, &kinds, &ticks).unwrap();
                println!(
                    "{ranks} {balance:?} {} {} {} {:.2} {}",
                    found.migrations, found.ghosts, found.bytes, found.imbalance, found.isolated
                );
            }
        }
    }
}
