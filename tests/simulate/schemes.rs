//! Schemes in a small level: counts that follow from who sees whom, nobody late, and the same
//! numbers again. Of the product's schemes here, and of all schemes with the papers' tests.

use std::time::Duration;

use viewcell::dice::Dice;
use viewcell::query::{Bundle, CellBundle, World};
use viewcell_simulate::field::Field;
use viewcell_simulate::fit::{fit, limits};
use viewcell_simulate::motion::{Model, MotionOptions, motion};
use viewcell_simulate::play::{Play, PlayOptions};
use viewcell_simulate::run::{Outcome, RunError, RunOptions, run};
use viewcell_simulate::scheme::SchemeOptions;
use viewcell_simulate::trace::{Trace, TracePoint};
use viewcell_simulate::wire::{HEADERS, Network, POSITION, PREAMBLE};

use crate::SCHEMES;

const LEVEL: &[u8] = include_bytes!("../golden/v1/level.vcb");
pub const PLAYERS: usize = 6;
const FRAMES: usize = 700;

pub fn golden() -> CellBundle<'static> {
    Bundle::from_bytes(LEVEL).unwrap().cells().unwrap()
}

/// Schemes that claim that nobody is late where all arrives at once.
const NEVER_LATE: [&str; 12] = [
    "groups",
    "CS",
    "CSA",
    "NPP",
    "PPP",
    "FB",
    "fat-pvs",
    "look-ahead",
    "tightened",
    "grown",
    "agreed",
    "best",
];

pub fn instant() -> Network {
    Network::default()
}

/// Players who stay for a while, go to another cell, or die and come back anywhere.
pub fn wanderers(level: &CellBundle, seed: u64) -> Trace {
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
        let trace_point = |frame: usize, at| TracePoint {
            time: frame as u64 * 100,
            at,
            view: [0.0; 2],
            dead: false,
            eye: None,
        };
        let points = (0..FRAMES).map(|frame| {
            if frame == 0 || dice.roll(12) == 0 {
                at = points[dice.roll(points.len() as u32) as usize];
            }
            trace_point(frame, at)
        });
        trace.players.push(points.collect());
    }
    trace
}

pub fn played<'a>(field: &'a Field<'a>, trace: &Trace) -> Play {
    let options = PlayOptions {
        hz: 10.0,
        eye: 0.0,
        jump: 1e9,
    };
    Play::new(trace, field, &options).unwrap()
}

pub fn options(network: Network, seed: u64) -> RunOptions {
    RunOptions {
        keep: false,
        lines: false,
        scheme: SchemeOptions {
            distance: 100.0,
            zone: 64.0,
            speed: 10.0,
            ahead: network.longest(PLAYERS, seed) + 200.0,
            instant: network.is_instant(),
            limits: None,
        },
        network,
        seed,
        loopback: None,
        clock: || Duration::ZERO,
    }
}

pub fn all(field: &Field, play: &Play, options: &RunOptions) -> Vec<Outcome> {
    let names = SCHEMES.names().into_iter();
    let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
    run(field, play, SCHEMES, &names, options).unwrap()
}

pub fn packets(outcomes: &[Outcome], name: &str) -> u64 {
    let outcome = outcomes.iter().find(|outcome| outcome.name == name);
    outcome.unwrap().packets.iter().sum()
}

#[test]
fn packets_are_those_that_follow_from_who_sees_whom() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    for seed in 0..6 {
        let play = played(&field, &wanderers(&level, seed));
        let outcomes = all(&field, &play, &options(instant(), seed));
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
        let perfect = outcomes
            .iter()
            .find(|outcome| outcome.name == "PPP")
            .unwrap();
        assert_eq!(perfect.bytes, [sees * (HEADERS + PREAMBLE + POSITION), 0]);
    }
}

#[test]
fn nobody_is_late_where_all_arrives_at_once() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    for seed in 0..20 {
        let play = played(&field, &wanderers(&level, seed));
        for outcome in all(&field, &play, &options(instant(), seed)) {
            assert!(outcome.score.visible_pairs > 0 && outcome.score.hidden_pairs > 0);
            if NEVER_LATE.contains(&outcome.name.as_str()) {
                assert_eq!(outcome.score.late_frames, 0, "{}", outcome.name);
            }
            if ["CS", "CSA", "PPP", "groups"].contains(&outcome.name.as_str()) {
                assert_eq!(outcome.score.exposed_pairs, 0, "{}", outcome.name);
            }
        }
    }
}

#[test]
fn what_is_told_late_is_found_out() {
    // A scheme that tells of nobody further than nothing is late all the time.
    let level = golden();
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 3));
    let mut blind = options(instant(), 3);
    blind.scheme.distance = 0.0;
    let outcome = &run(&field, &play, SCHEMES, &["distance".to_owned()], &blind).unwrap()[0];
    assert!(outcome.score.late_frames * 2 > outcome.score.visible_pairs);
    // And one without a look-ahead is, as soon as packets take time.
    let slow = Network {
        rtt: 300.0,
        ..instant()
    };
    let outcome = &run(
        &field,
        &play,
        SCHEMES,
        &["CS".to_owned()],
        &options(slow, 3),
    )
    .unwrap()[0];
    assert!(outcome.score.late_frames > 0);
}

#[test]
fn the_same_seed_gives_the_same_numbers_whatever_is_played_beside() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 5));
    let lossy = Network {
        rtt: 120.0,
        jitter: 40.0,
        loss: 0.05,
        burst: 3.0,
        spread: 0.4,
        ..instant()
    };
    let together = all(&field, &play, &options(lossy.clone(), 5));
    for outcome in &together {
        let names = [outcome.name.clone()];
        let alone = &run(&field, &play, SCHEMES, &names, &options(lossy.clone(), 5)).unwrap()[0];
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
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 8));
    for rtt in [50.0, 150.0, 300.0] {
        let network = Network { rtt, ..instant() };
        let outcome = &run(
            &field,
            &play,
            SCHEMES,
            &["NPP".to_owned()],
            &options(network, 1),
        )
        .unwrap()[0];
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
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 1));
    let error = run(
        &field,
        &play,
        SCHEMES,
        &["Best".to_owned()],
        &options(instant(), 1),
    )
    .unwrap_err();
    assert!(matches!(&error, RunError::NoScheme(name, _) if name == "Best"));
    assert!(error.to_string().contains("best"));
}

/// Players who walk along walls of a level that is walked through: nobody jumps.
fn walkers(field: &Field, seed: u64) -> (Trace, f64) {
    let options = MotionOptions {
        players: PLAYERS,
        seconds: 60.0,
        speed: 60.0,
        deaths: 0.0,
        seed,
        ..MotionOptions::usual(field, Model::Waypoints)
    };
    (motion(field, &options).unwrap(), 1.2 * options.speed)
}

#[test]
fn whoever_looks_ahead_by_ping_and_a_tick_is_never_late() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    let (mut seen, mut others_late) = (0, 0);
    for seed in 0..4 {
        let (trace, speed) = walkers(&field, seed);
        let play = played(&field, &trace);
        for rtt in [0.0, 50.0, 150.0, 300.0] {
            for (rtts, jitter) in [(vec![], 0.0), (vec![rtt, rtt / 3.0], 0.0), (vec![], 40.0)] {
                let network = Network {
                    rtt,
                    rtts,
                    jitter,
                    ..instant()
                };
                let mut options = options(network, seed);
                options.scheme.speed = speed;
                let names = ["look-ahead", "CS", "best"].map(str::to_owned);
                let fixed = run(&field, &play, SCHEMES, &names[..1], &options).unwrap();
                options.scheme.limits = Some(limits(&play));
                let [ahead, relay, best] =
                    &run(&field, &play, SCHEMES, &names, &options).unwrap()[..]
                else {
                    panic!("three schemes");
                };
                // Before the first word can have arrived nobody knows anybody.
                let first = (options.network.longest(PLAYERS, seed) / play.step).ceil() as u64 + 2;
                let most = match rtt + jitter {
                    0.0 => 0,
                    _ => first * (PLAYERS * PLAYERS) as u64,
                };
                for outcome in [&fixed[0], ahead, best] {
                    let late = outcome.score.late_events;
                    assert!(late <= (PLAYERS * PLAYERS) as u64, "{rtt} {jitter}: {late}");
                    assert!(
                        outcome.score.late_frames <= most,
                        "{} {rtt} {jitter}: late {} of {}",
                        outcome.name,
                        outcome.score.late_frames,
                        outcome.score.visible_pairs
                    );
                }
                if rtt + jitter > 0.0 {
                    let sent = [ahead, best].map(|outcome| outcome.packets.iter().sum::<u64>());
                    assert!(sent[1] <= sent[0], "{rtt} {jitter}: {sent:?}");
                }
                seen += ahead.score.visible_pairs;
                others_late += relay.score.late_frames;
            }
        }
    }
    assert!(seen > 1000 && others_late > 0, "{seen} {others_late}");
}

#[test]
fn a_line_that_is_too_thin_loses_packets_and_one_that_is_not_does_not() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 2));
    let through = |bandwidth: f64, queue: f64| {
        let network = Network {
            bandwidth: Some(bandwidth),
            queue,
            ..instant()
        };
        let options = options(network, 2);
        run(&field, &play, SCHEMES, &["NPP".to_owned()], &options)
            .unwrap()
            .remove(0)
    };
    // Each sends five packets of 50 bytes in a frame of 100 ms: 20 kbit/s.
    let wide = through(100.0, 100.0);
    assert_eq!(wide.lost, 0);
    let thin = through(10.0, 100.0);
    let sent: u64 = thin.packets.iter().sum();
    let share = thin.lost as f64 / sent as f64;
    // Half fits through the lines up; those to whom all speak first lose more on theirs down.
    assert!((0.48..0.8).contains(&share), "lost {share}");
    assert_eq!(wide.packets, thin.packets);
    let patient = through(10.0, 1e9);
    assert_eq!(patient.lost, 0);
}

#[test]
fn datagrams_over_the_loopback_are_those_that_were_counted() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    let play = played(&field, &wanderers(&level, 4));
    for (name, _) in SCHEMES.names() {
        let names = [name.to_owned()];
        let counted = options(instant(), 4);
        let sent = RunOptions {
            loopback: Some(Duration::from_secs(300)),
            ..counted.clone()
        };
        let counted = run(&field, &play, SCHEMES, &names, &counted)
            .unwrap()
            .remove(0);
        let sent = run(&field, &play, SCHEMES, &names, &sent)
            .unwrap()
            .remove(0);
        let total = |sides: [u64; 2]| sides[0] + sides[1];
        assert_eq!(
            sent.carried,
            Some([total(counted.packets), total(counted.bytes)]),
            "{name}"
        );
        assert_eq!(sent.score.late_frames, counted.score.late_frames, "{name}");
        assert_eq!(sent.lost, 0);
    }
}

#[test]
fn parameters_of_made_up_motion_are_found_again() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    for (speed, pause) in [(40.0, 2.0), (90.0, 0.7)] {
        let options = MotionOptions {
            players: 12,
            seconds: 1200.0,
            hz: 20.0,
            speed,
            pause,
            deaths: 1.5,
            respawn: 4.0,
            ..MotionOptions::usual(&field, Model::Waypoints)
        };
        let trace = motion(&field, &options).unwrap();
        let found = fit(&trace, 1e5);
        let near = |found: f64, given: f64, part: f64| (found / given - 1.0).abs() < part;
        assert!(near(found.speed, speed, 0.15), "{found:?}");
        assert!(near(found.pause, pause, 0.25), "{found:?}");
        assert!(near(found.deaths, 1.5, 0.25), "{found:?}");
        assert!(near(found.respawn, 4.0, 0.1), "{found:?}");
    }
}

#[test]
fn awareness_without_end_tells_what_the_pvs_tells_and_with_one_less() {
    let level = golden();
    let field = Field::new(World::Cells(level));
    let names = ["CSA", "aware", "distance"].map(str::to_owned);
    for seed in 0..4 {
        let play = played(&field, &wanderers(&level, seed));
        let mut options = options(instant(), seed);
        options.scheme.distance = 1e9;
        let far = run(&field, &play, SCHEMES, &names, &options).unwrap();
        assert_eq!(packets(&far, "aware"), packets(&far, "CSA"));
        let bytes = |name: &str| far.iter().find(|o| o.name == name).unwrap().bytes;
        assert_eq!(bytes("aware"), bytes("CSA"));
        let mut less = false;
        for reach in [40.0, 10.0, 2.0] {
            options.scheme.distance = reach;
            let near = run(&field, &play, SCHEMES, &names, &options).unwrap();
            let bytes = |name: &str| near.iter().find(|o| o.name == name).unwrap().bytes[1];
            let [all, aware, distance] = ["CSA", "aware", "distance"].map(bytes);
            assert!(
                aware <= all && aware <= distance,
                "{aware} of {all}, and {distance}"
            );
            less |= aware < all;
        }
        assert!(less);
    }
}
