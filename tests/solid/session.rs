//! Sessions in solid levels: silence is never wrong, and notices are not wasted.

use viewcell::dice::Dice;
use viewcell::frontier::FrontierError;
use viewcell::query::{Bundle, Extent, Place, SolidBundle, World};
use viewcell::session::{News, Notice, Session, SessionOptions};
use viewcell_bake::BakeOptions;

use crate::golden::baked;

const ROOMS: &[u8] = include_bytes!("../golden/v1/solid.vcb");
const PLAYERS: usize = 6;

type Point = [f64; 3];

/// Somewhere in the two rooms or in the walls, now and then far above them.
fn anywhere(dice: &mut Dice) -> Point {
    let high = if dice.roll(12) == 0 { 999.0 } else { 64.0 };
    [488.0, 216.0, high].map(|side| 20.0 + side * dice.fraction())
}

/// Up to so far along each axis.
fn step(from: Point, far: f64, dice: &mut Dice) -> Point {
    from.map(|at| at + far * (2.0 * dice.fraction() - 1.0))
}

/// Whether a notice of a position is among some.
fn has(notices: &[Notice], to: usize, about: usize) -> bool {
    let what = News::Position;
    notices.contains(&Notice { to, about, what })
}

/// No cell of one half sees a cell of the other, by the slow way; how many cells the two have.
fn check_set(level: &SolidBundle<'_>, session: &Session<World>, [a, b]: [usize; 2]) -> usize {
    let halves = [(a, b), (b, a)].map(|(a, b)| session.half(a, b).unwrap());
    let [own, others] = halves.map(|half| {
        let is_in = |cell: &u32| half.contains(Place::Cell(*cell));
        (0..level.cells()).filter(is_in).collect::<Vec<u32>>()
    });
    assert_eq!(
        [own.len(), others.len()],
        halves.map(|half| half.area() as usize)
    );
    for (&a, &b) in own.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
        assert!(!level.visible(a, b) && !level.visible(b, a), "{a} and {b}");
    }
    own.len() + others.len()
}

/// Players come, go and walk, also to where there is no cell; after each move all pairs are judged by positions.
/// Returns the number of notices, of sets, and of moves into no cell.
fn walk(level: &SolidBundle<'_>, options: SessionOptions, seed: u64) -> (usize, u64, usize) {
    let mut session = Session::new(&World::Solid(*level), PLAYERS, options);
    let mut points: [Option<Point>; PLAYERS] = [None; PLAYERS];
    let mut dice = Dice(seed);
    let (mut told, mut nowhere) = (0, 0);
    for turn in 0..900 {
        let player = turn % PLAYERS;
        if player == 0 {
            session.tick();
        }
        points[player] = match points[player] {
            _ if dice.roll(40) == 0 => None,
            Some(at) if dice.roll(30) != 0 => Some(step(at, 40.0, &mut dice)),
            _ => Some(anywhere(&mut dice)),
        };
        let place = points[player].map(|at| level.locate(at).map(Place::Cell));
        nowhere += usize::from(place == Some(None));
        let mut notices: Vec<Notice> = Vec::new();
        session
            .move_to(player, place, |notice| notices.push(notice))
            .unwrap();
        assert_eq!(session.place(player), place);
        told += notices.len();
        // The slow twin: each pair, by where the two are.
        for a in 0..PLAYERS {
            for b in (0..PLAYERS).filter(|&b| a != b) {
                let (Some(here), Some(there)) = (points[a], points[b]) else {
                    assert_eq!(session.age(a, b), None);
                    assert!(!has(&notices, a, b));
                    continue;
                };
                let sees = level.positions_visible(here, there);
                let both = sees || level.positions_visible(there, here);
                let has_set = session.age(a, b).is_some();
                assert!(
                    !(has_set && both),
                    "{a} and {b} are silent, and see each other"
                );
                if player == a || player == b {
                    let heard = has(&notices, a, b);
                    assert!(heard || !sees, "{a} sees {b}, and was not told");
                    let is_peer = options.peers && !has_set;
                    assert!(!heard || sees || is_peer, "{a} has no business with {b}");
                    assert!(has_set || heard || !options.peers || has_news(&notices, a, b));
                }
            }
        }
        let set = (player + 1..PLAYERS).find(|&b| session.age(player, b).is_some());
        if let Some(other) = set.filter(|_| turn % 7 == 0) {
            check_set(level, &session, [player, other]);
        }
    }
    (told, session.sets(), nowhere)
}

fn has_news(notices: &[Notice], to: usize, about: usize) -> bool {
    notices
        .iter()
        .any(|notice| notice.to == to && notice.about == about)
}

/// The golden level, and the same rooms in cells of 24 units: several blocks of 64 cells.
fn levels() -> [Vec<u8>; 2] {
    [ROOMS.to_vec(), baked(24.0, &BakeOptions::default())]
}

#[test]
fn nobody_among_solids_is_left_in_the_dark_and_nobody_is_told_too_much() {
    for bytes in levels() {
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        for peers in [false, true] {
            for (seed, patience) in [(1, None), (2, Some(0)), (3, Some(4))] {
                let options = SessionOptions {
                    patience,
                    peers,
                    ..SessionOptions::default()
                };
                let (told, sets, nowhere) = walk(&level, options, seed);
                assert!(
                    told > 100 && sets > 5 && nowhere > 20,
                    "{told}, {sets}, {nowhere}"
                );
            }
        }
    }
}

#[test]
fn players_in_two_rooms_have_large_halves() {
    for bytes in levels() {
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let mut session = Session::new(&World::Solid(level), 2, SessionOptions::default());
        let silent = |_: Notice| panic!("neither sees the other");
        for (player, at) in [[48.0, 48.0, 32.0], [480.0, 48.0, 32.0]]
            .into_iter()
            .enumerate()
        {
            session
                .move_to(player, Some(level.locate(at).map(Place::Cell)), silent)
                .unwrap();
        }
        let cells = check_set(&level, &session, [0, 1]);
        assert!(
            cells > level.cells() as usize / 3,
            "{cells} of {}",
            level.cells()
        );
        // Above the ceiling is no cell: who is there sees all, and is seen.
        let mut told = Vec::new();
        let above = level.locate([48.0, 48.0, 999.0]).map(Place::Cell);
        assert_eq!(above, None);
        session
            .move_to(0, Some(above), |notice| told.push(notice))
            .unwrap();
        assert!(has(&told, 0, 1) && has(&told, 1, 0) && session.age(0, 1).is_none());
        session.move_to(0, None, silent).unwrap();
        let (cell, cells) = (level.cells(), level.cells());
        let none = Some(Some(Place::Cell(cell)));
        let error = session.move_to(0, none, silent).unwrap_err();
        assert_eq!(error, FrontierError::NoCell { cell, cells });
    }
}

/// News takes time: whoever stays in their reach until the next move is known to all who may see them by then.
#[test]
fn whoever_may_come_to_be_seen_among_solids_is_told_of_before() {
    for bytes in levels() {
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let mut session = Session::new(&World::Solid(level), PLAYERS, SessionOptions::default());
        let mut dice = Dice(5);
        let mut points: [Option<(Point, Extent)>; PLAYERS] = [None; PLAYERS];
        // Who was told of whom when either moved last.
        let mut knows = [[false; PLAYERS]; PLAYERS];
        let (mut told, mut early, mut silent, mut kept) = (0, 0, 0, 0);
        let cells = |region: &Extent| -> Vec<u32> {
            let meets = |cell: &u32| region.meets(level.bounds(*cell).unwrap());
            (0..level.cells()).filter(meets).collect()
        };
        for turn in 0..900 {
            let player = turn % PLAYERS;
            if player == 0 {
                session.tick();
            }
            let next = match points[player] {
                Some((at, _)) if dice.roll(60) != 0 => step(at, 12.0, &mut dice),
                _ => anywhere(&mut dice),
            };
            // Mostly in cells: nobody was expected anywhere else.
            let at = match (level.locate(next), points[player]) {
                (None, Some((at, _))) if dice.roll(20) != 0 => at,
                _ => next,
            };
            if let Some((before, reach)) = points[player]
                && reach.meets([at, at])
                && level.locate(at).is_some()
            {
                for other in (0..PLAYERS).filter(|&other| other != player) {
                    let Some((there, _)) = points[other] else {
                        continue;
                    };
                    let late = level.positions_visible(there, at) && !knows[other][player]
                        || level.positions_visible(at, there) && !knows[player][other];
                    assert!(
                        !late,
                        "{player} went from {before:?} to {at:?} and met {other}"
                    );
                }
            }
            let reach = Extent::of_box([at.map(|at| at - 12.0), at.map(|at| at + 12.0)]);
            points[player] = Some((at, reach));
            let mut notices: Vec<Notice> = Vec::new();
            session
                .move_within(player, level.locate(at).map(Place::Cell), reach, |notice| {
                    notices.push(notice)
                })
                .unwrap();
            for other in (0..PLAYERS).filter(|other| *other != player) {
                let Some((there, others)) = points[other] else {
                    continue;
                };
                for (to, about, from, at, regions) in [
                    (player, other, at, there, [reach, others]),
                    (other, player, there, at, [others, reach]),
                ] {
                    let now = level.positions_visible(from, at);
                    let [a, b] = regions.map(|region| cells(&region));
                    let sees = a.iter().any(|&a| b.iter().any(|&b| level.visible(a, b)));
                    let heard = has(&notices, to, about);
                    assert_eq!(
                        heard,
                        now || sees || a.is_empty() || b.is_empty(),
                        "{to} of {about}"
                    );
                    knows[to][about] = heard;
                    told += u32::from(heard);
                    early += u32::from(heard && !now);
                    silent += u32::from(!heard);
                }
                kept += u32::from(session.age(player, other).is_some_and(|ticks| ticks > 2));
            }
        }
        assert!(
            told > 100 && early > 100 && silent > 100 && kept > 50,
            "{told}, {early}, {silent}, {kept}"
        );
    }
}
