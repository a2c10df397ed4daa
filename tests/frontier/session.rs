//! Sessions: silence is never wrong, and notices are not wasted.

use std::collections::HashSet;

use crate::common::{Dice, MUTUAL, Matrix, ONE_WAY, bake, ridges};
use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions, Side};
use viewcell::query::{Extent, Place, Sample, World};
use viewcell::session::{Half, News, Notice, Session, SessionOptions};
use viewcell_bake::visibility::Bodies;

const WIDTH: u32 = 24;
const HEIGHT: u32 = 20;
const PLAYERS: usize = 6;

/// Players walk; after each move, all notices are judged by the matrix. Returns the number of
/// notices and of sets.
fn walk(bodies: Bodies, options: SessionOptions, seed: u64) -> (usize, u64) {
    let world = ridges(WIDTH, HEIGHT, seed, true);
    let baked = bake(&world, bodies);
    let matrix = Matrix::new(&world, bodies);
    let world = World::Terrain(baked.map.terrain().unwrap());
    let at = |session: &Session<World>, player| world.sample(session.place(player)??);
    let mut session = Session::new(&world, PLAYERS, options);
    let mut dice = Dice(seed);
    let mut told = 0;
    for _ in 0..150 {
        session.tick();
        for player in 0..PLAYERS {
            let place = match at(&session, player) {
                _ if dice.roll(60) == 0 => None,
                None => Some(Sample::new(dice.roll(WIDTH), dice.roll(HEIGHT))),
                Some(s) => Some(Sample::new(
                    (s.column + dice.roll(3)).saturating_sub(1),
                    (s.row + dice.roll(3)).saturating_sub(1),
                )),
            };
            let before = session.place(player);
            let mut notices: Vec<Notice> = Vec::new();
            let place = place.map(|place| Some(Place::Sample(place)));
            let moved = session.move_to(player, place, |notice| notices.push(notice));
            if moved.is_err() {
                assert_eq!(session.place(player), before);
                assert!(notices.is_empty());
                continue;
            }
            let unique: HashSet<(usize, usize)> = notices.iter().map(|n| (n.to, n.about)).collect();
            assert_eq!(unique.len(), notices.len(), "told twice");
            told += notices.len();
            for other in (0..PLAYERS).filter(|other| *other != player) {
                let (Some(here), Some(there)) = (at(&session, player), at(&session, other)) else {
                    assert_eq!(session.age(player, other), None);
                    assert!(!unique.contains(&(player, other)));
                    continue;
                };
                for (to, about, from, at) in
                    [(player, other, here, there), (other, player, there, here)]
                {
                    let heard = notices.iter().find(|n| n.to == to && n.about == about);
                    if matrix.sees(from, at) {
                        assert_eq!(heard.map(|n| n.what), Some(News::Position));
                    } else if !options.peers {
                        assert_eq!(heard, None, "what cannot be seen is nobody's business");
                    }
                }
                // A pair has a set that holds, or talks.
                let has_set = session.age(player, other).is_some();
                assert_eq!(has_set, session.age(other, player).is_some());
                if options.peers && !unique.contains(&(other, player)) {
                    assert!(has_set);
                }
                if has_set {
                    let (own, others) = (session.half(player, other), session.half(other, player));
                    let samples = |half: &Half| -> Vec<Sample> {
                        let places = half.places();
                        places.filter_map(|place| world.sample(place)).collect()
                    };
                    let others_samples = samples(others.unwrap());
                    for a in samples(own.unwrap()) {
                        for &b in &others_samples {
                            assert!(!matrix.sees(a, b) && !matrix.sees(b, a), "{a:?} {b:?}");
                        }
                    }
                    if options.margin == 0 {
                        let [here, there] = [here, there].map(Place::Sample);
                        assert!(own.unwrap().contains(here) && others.unwrap().contains(there));
                    }
                }
            }
        }
    }
    (told, session.sets())
}

#[test]
fn nobody_is_left_in_the_dark_and_nobody_is_told_too_much() {
    for (i, bodies) in [MUTUAL, ONE_WAY].into_iter().enumerate() {
        for peers in [false, true] {
            for margin in [0, 2] {
                let options = SessionOptions {
                    peers,
                    margin,
                    ..SessionOptions::default()
                };
                let (told, sets) = walk(bodies, options, 20 + i as u64);
                assert!(told > 0 && sets > 0);
            }
        }
    }
}

#[test]
fn frontiers_save_peers_most_notices_and_patience_saves_sets() {
    let options = SessionOptions {
        peers: true,
        ..SessionOptions::default()
    };
    let (told, sets) = walk(MUTUAL, options, 31);
    let naive = PLAYERS * (PLAYERS - 1) * 150 * 2;
    assert!(told < naive * 9 / 10, "{told} of {naive}");
    let hasty = SessionOptions {
        patience: Some(0),
        ..options
    };
    assert!(walk(MUTUAL, hasty, 31).1 >= sets);
}

#[test]
fn one_set_may_serve_several_pairs() {
    let world = ridges(WIDTH, HEIGHT, 6, false);
    let baked = bake(&world, MUTUAL);
    let terrain = baked.map.terrain().unwrap();
    let matrix = Matrix::new(&world, MUTUAL);
    let mut builder = FrontierBuilder::new(&terrain);
    let mut joined = 0;
    let mut dice = Dice(4);
    for _ in 0..300 {
        let mut place = || Sample::new(dice.roll(WIDTH), dice.roll(HEIGHT));
        let (a, b, more) = (place(), place(), [place(), place(), place()]);
        builder.begin(a, b, &FrontierOptions::default()).unwrap();
        for sample in more {
            let is_in = builder.join(Side::B, sample);
            joined += u32::from(is_in);
            assert_eq!(builder.region(Side::B).contains(sample), is_in);
        }
        while !builder.step(5) {}
        assert_eq!(matrix.leak(&builder), None);
        assert!(!builder.join(Side::A, b), "the set is finished");
    }
    assert!(joined > 50, "{joined}");
}

#[test]
fn who_comes_from_nowhere_goes_back_there() {
    let world = ridges(9, 9, 1, true);
    let baked = bake(&world, MUTUAL);
    let world = World::Terrain(baked.map.terrain().unwrap());
    let mut session = Session::new(&world, 2, SessionOptions::default());
    let nothing = |_: Notice| panic!("there is nobody to tell");
    let corner = Some(Some(Place::Sample(Sample::new(0, 0))));
    session.move_to(0, corner, nothing).unwrap();
    session.move_to(1, None, nothing).unwrap();
    let (player, players) = (7, 2);
    assert_eq!(
        session.move_to(player, corner, nothing),
        Err(FrontierError::NoPlayer { player, players })
    );
    let outside = Sample::new(9, 0);
    assert_eq!(
        session.move_to(0, Some(Some(Place::Sample(outside))), nothing),
        Err(FrontierError::Outside(outside))
    );
    assert_eq!(session.place(0), corner);
    let mut told = 0;
    session.move_to(1, corner, |_| told += 1).unwrap();
    assert_eq!(told, 2, "players at one place see each other");
    assert_eq!((session.age(0, 1), session.age(0, 0)), (None, None));
    assert_eq!(session.age(usize::MAX, 1), None);
}

/// News takes time: a player may be a sample further when others hear of the next move.
#[test]
fn whoever_may_come_to_be_seen_is_told_of_before() {
    let (mut told, mut early, mut silent) = (0, 0, 0);
    for (seed, bodies) in [(40, MUTUAL), (41, ONE_WAY), (42, MUTUAL)] {
        let world = ridges(WIDTH, HEIGHT, seed, true);
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let matrix = Matrix::new(&world, bodies);
        let [dx, dy] = terrain.parameters().cell_spacing;
        let world = World::Terrain(terrain);
        let at = |session: &Session<World>, player| world.sample(session.place(player)??);
        let mut session = Session::new(&world, PLAYERS, SessionOptions::default());
        let mut dice = Dice(seed);
        let around = |s: Sample| {
            let side = |at: u32, end: u32| at.saturating_sub(1)..(at + 2).min(end);
            let can_be = |s: &Sample| terrain.valid().has_sample(*s);
            let rows = side(s.row, HEIGHT);
            rows.flat_map(move |row| side(s.column, WIDTH).map(move |c| Sample::new(c, row)))
                .filter(can_be)
                .collect::<Vec<_>>()
        };
        for _ in 0..60 {
            session.tick();
            for player in 0..PLAYERS {
                let mut step = |at: u32| (at + dice.roll(3)).saturating_sub(1);
                let place = match at(&session, player) {
                    Some(s) => Sample::new(step(s.column), step(s.row)),
                    None => Sample::new(dice.roll(WIDTH), dice.roll(HEIGHT)),
                };
                let middle = [f64::from(place.column) * dx, f64::from(place.row) * dy];
                // Into the squares of the samples around, and no further.
                let corner = |way: f64| [middle[0] + way * dx, middle[1] + way * dy, 0.0];
                let mut notices: Vec<Notice> = Vec::new();
                let reach = Extent::of_box([corner(-1.4), corner(1.4)]);
                let moved =
                    session.move_within(player, Some(Place::Sample(place)), reach, |notice| {
                        notices.push(notice);
                    });
                if moved.is_err() {
                    continue;
                }
                for other in (0..PLAYERS).filter(|other| *other != player) {
                    let Some(there) = at(&session, other) else {
                        continue;
                    };
                    let (own, others) = (around(place), around(there));
                    let meet = |sees: &dyn Fn(Sample, Sample) -> bool| {
                        own.iter().any(|&a| others.iter().any(|&b| sees(a, b)))
                    };
                    let may = meet(&|a, b| matrix.sees(a, b) || matrix.sees(b, a));
                    for (to, about) in [(player, other), (other, player)] {
                        let heard = notices.iter().any(|n| n.to == to && n.about == about);
                        assert!(heard || !may, "{to} had to be told of {about}");
                        told += u32::from(heard);
                        early += u32::from(heard && !matrix.sees(place, there));
                        silent += u32::from(!heard);
                    }
                }
            }
        }
    }
    assert!(
        told > 100 && early > 100 && silent > 100,
        "{told}, {early}, {silent}"
    );
}
