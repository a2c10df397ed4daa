//! Schemes in a small level: counts that follow from who sees whom, nobody late, and the same
//! numbers again.

use std::time::Duration;

use viewcell::dice::Dice;
use viewcell::runtime::cell_frontier::Construction;
use viewcell::runtime::{Bundle, CellBundle};
use viewcell::simulate::bound::bound;
use viewcell::simulate::field::Field;
use viewcell::simulate::play::{Play, PlayOptions};
use viewcell::simulate::run::{NoScheme, Outcome, RunOptions, run};
use viewcell::simulate::scheme::{SCHEMES, SchemeOptions};
use viewcell::simulate::trace::{Spot, Trace};
use viewcell::simulate::wire::{HEADERS, Network, POSITION, PREAMBLE};

const LEVEL: &[u8] = include_bytes!("../golden/v1/level.vcb");
const PLAYERS: usize = 6;
const FRAMES: usize = 700;

pub fn golden() -> CellBundle<'static> {
    Bundle::from_bytes(LEVEL).unwrap().cells().unwrap()
}

/// Schemes that claim that nobody is late where all arrives at once.
const NEVER_LATE: [&str; 10] = [
    "CS",
    "CSA",
    "NPP",
    "PPP",
    "FB",
    "fat-pvs",
    "look-ahead",
    "tightened",
    "grown",
    "best",
];

const INSTANT: Network = Network {
    rtt: 0.0,
    jitter: 0.0,
    loss: 0.0,
    burst: 1.0,
};

/// Players who stay for a while, go to another cell, or die and come back anywhere.
fn wanderers(level: &CellBundle, seed: u64) -> Trace {
    let mut dice = Dice(seed);
    let mut points = Vec::new();
    for cell in 0..level.cells() {
        let [low, high] = level.bounds(cell).unwrap();
        for _ in 0..200 {
            let side = |i: usize, dice: &mut Dice| {
                let (low, high) = (f64::from(low[i]), f64::from(high[i]));
                low + dice.fraction() * (high - low)
            };
            let point = [0, 1, 2].map(|i| side(i, &mut dice));
            if level.locate(point) == Some(cell) {
                points.push(point);
                break;
            }
        }
    }
    assert!(points.len() > 3, "the level has cells to be in");
    let mut trace = Trace::default();
    for _ in 0..PLAYERS {
        let mut at = points[0];
        let spot = |frame: usize, at| Spot {
            time: frame as u64 * 100,
            at,
            view: [0.0; 2],
            dead: false,
        };
        let spots = (0..FRAMES).map(|frame| {
            if frame == 0 || dice.roll(12) == 0 {
                at = points[dice.roll(points.len() as u32) as usize];
            }
            spot(frame, at)
        });
        trace.players.push(spots.collect());
    }
    trace
}

fn played<'a>(field: &'a Field<'a>, trace: &Trace) -> Play {
    let options = PlayOptions {
        hz: 10.0,
        eye: 0.0,
        jump: 1e9,
    };
    Play::new(trace, field, &options).unwrap()
}

fn options(network: Network, seed: u64) -> RunOptions {
    RunOptions {
        network,
        scheme: SchemeOptions {
            distance: 100.0,
            zone: 64.0,
            speed: 10.0,
            ahead: network.rtt + 200.0,
            instant: network.is_instant(),
        },
        seed,
        clock: || Duration::ZERO,
    }
}

fn all(field: &Field, play: &Play, options: &RunOptions) -> Vec<Outcome> {
    let names: Vec<String> = SCHEMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    run(field, play, &names, options).unwrap()
}

fn packets(outcomes: &[Outcome], name: &str) -> u64 {
    let outcome = outcomes.iter().find(|outcome| outcome.name == name);
    outcome.unwrap().packets.iter().sum()
}

#[test]
fn packets_are_those_that_follow_from_who_sees_whom() {
    let level = golden();
    let field = Field::level(level);
    for seed in 0..6 {
        let play = played(&field, &wanderers(&level, seed));
        let outcomes = all(&field, &play, &options(INSTANT, seed));
        let (mut sees, mut sees_any) = (0, 0);
        for frame in 0..play.frames {
            let places: Vec<u32> = play.places(frame).iter().map(|p| p.unwrap()).collect();
            for (i, &a) in places.iter().enumerate() {
                let others = places.iter().enumerate().filter(|(j, _)| *j != i);
                let seen = others.filter(|(_, b)| level.visible(a, **b)).count() as u64;
                sees += seen;
                sees_any += u64::from(seen > 0);
            }
        }
        let (players, frames) = (PLAYERS as u64, play.frames as u64);
        assert_eq!(packets(&outcomes, "PPP"), sees);
        assert_eq!(packets(&outcomes, "CS"), players * frames + sees);
        assert_eq!(packets(&outcomes, "CSA"), players * frames + sees_any);
        assert_eq!(packets(&outcomes, "NPP"), players * (players - 1) * frames);
        for (name, construction) in [
            ("FB", Construction::Published),
            ("tightened", Construction::Tightened),
        ] {
            let expected = sees + 2 * agreements(&level, &play, construction);
            assert_eq!(packets(&outcomes, name), expected, "{name}");
        }
        let least = bound(&field, &play);
        assert_eq!(least.perfect, sees);
        assert!(packets(&outcomes, "best") >= sees + least.agreements);
        assert!(packets(&outcomes, "best") <= packets(&outcomes, "grown"));
        let perfect = outcomes
            .iter()
            .find(|outcome| outcome.name == "PPP")
            .unwrap();
        assert_eq!(perfect.bytes, [sees * (HEADERS + PREAMBLE + POSITION), 0]);
    }
}

/// How often a pair that is out of sight agrees on a set, by the pseudo-code of figure 4.
fn agreements(level: &CellBundle, play: &Play, construction: Construction) -> u64 {
    let has = |words: &[u64], cell: u32| words[cell as usize / 64] >> (cell % 64) & 1 == 1;
    let mut memory = vec![0; construction.words(level.cells())];
    let mut count = 0;
    for b in 0..PLAYERS {
        for a in 0..b {
            let mut set: Option<[Vec<u64>; 2]> = None;
            for frame in 0..play.frames {
                let places = play.places(frame);
                let (here, there) = (places[a].unwrap(), places[b].unwrap());
                if let Some([of_a, of_b]) = &set
                    && has(of_a, here)
                    && has(of_b, there)
                {
                    continue;
                }
                let found = level
                    .frontier(here, there, construction, &mut memory)
                    .unwrap();
                set = found.map(|set| [set.ab.to_vec(), set.ba.to_vec()]);
                count += u64::from(set.is_some());
            }
        }
    }
    count
}

#[test]
fn nobody_is_late_where_all_arrives_at_once() {
    let level = golden();
    let field = Field::level(level);
    for seed in 0..20 {
        let play = played(&field, &wanderers(&level, seed));
        for outcome in all(&field, &play, &options(INSTANT, seed)) {
            assert!(outcome.score.visible_pairs > 0 && outcome.score.hidden_pairs > 0);
            if NEVER_LATE.contains(&outcome.name.as_str()) {
                assert_eq!(outcome.score.late_frames, 0, "{}", outcome.name);
            }
            if ["CS", "CSA", "PPP"].contains(&outcome.name.as_str()) {
                assert_eq!(outcome.score.exposed_pairs, 0, "{}", outcome.name);
            }
        }
    }
}

#[test]
fn what_is_told_late_is_found_out() {
    // A scheme that tells of nobody further than nothing is late all the time.
    let level = golden();
    let field = Field::level(level);
    let play = played(&field, &wanderers(&level, 3));
    let mut blind = options(INSTANT, 3);
    blind.scheme.distance = 0.0;
    let outcome = &run(&field, &play, &["distance".to_owned()], &blind).unwrap()[0];
    assert!(outcome.score.late_frames * 2 > outcome.score.visible_pairs);
    // And one without a look-ahead is, as soon as packets take time.
    let slow = Network {
        rtt: 300.0,
        ..INSTANT
    };
    let outcome = &run(&field, &play, &["CS".to_owned()], &options(slow, 3)).unwrap()[0];
    assert!(outcome.score.late_frames > 0);
}

#[test]
fn the_same_seed_gives_the_same_numbers_whatever_is_played_beside() {
    let level = golden();
    let field = Field::level(level);
    let play = played(&field, &wanderers(&level, 5));
    let lossy = Network {
        rtt: 120.0,
        jitter: 40.0,
        loss: 0.05,
        burst: 3.0,
    };
    let together = all(&field, &play, &options(lossy, 5));
    for outcome in &together {
        let names = [outcome.name.clone()];
        let alone = &run(&field, &play, &names, &options(lossy, 5)).unwrap()[0];
        assert_eq!(
            (alone.packets, alone.bytes, alone.lost),
            (outcome.packets, outcome.bytes, outcome.lost)
        );
        assert_eq!(
            alone.score.late_frames, outcome.score.late_frames,
            "{}",
            outcome.name
        );
        assert_eq!(alone.score.exposed_pairs, outcome.score.exposed_pairs);
        let sent: u64 = outcome.packets.iter().sum();
        let share = outcome.lost as f64 / sent as f64;
        assert!(
            (0.02..0.09).contains(&share),
            "{}: {share} lost",
            outcome.name
        );
    }
    let other = all(&field, &play, &options(lossy, 6));
    assert!(together.iter().zip(&other).any(|(a, b)| a.lost != b.lost));
}

#[test]
fn all_that_is_not_lost_arrives() {
    // Whatever the delay, peers who tell everybody are known all the time.
    let level = golden();
    let field = Field::level(level);
    let play = played(&field, &wanderers(&level, 8));
    for rtt in [50.0, 150.0, 300.0] {
        let network = Network { rtt, ..INSTANT };
        let outcome = &run(&field, &play, &["NPP".to_owned()], &options(network, 1)).unwrap()[0];
        // But in the first frames, before anything can have arrived.
        let most = (PLAYERS * PLAYERS) as u64 * (rtt / 100.0).ceil() as u64;
        assert!(
            outcome.score.late_frames <= most,
            "{rtt}: {}",
            outcome.score.late_frames
        );
    }
}

#[test]
fn a_name_that_is_none_is_told_of() {
    let level = golden();
    let field = Field::level(level);
    let play = played(&field, &wanderers(&level, 1));
    let error = run(&field, &play, &["Best".to_owned()], &options(INSTANT, 1)).unwrap_err();
    assert_eq!(error, NoScheme("Best".into()));
    assert!(error.to_string().contains("best"));
}
