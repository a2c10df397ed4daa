//! Sessions in levels: silence is never wrong, and notices are not wasted.

use std::collections::HashSet;

use viewcell::dice::Dice;
use viewcell::frontier::FrontierError;
use viewcell::query::{Bundle, CellBundle, Extent, Place, SymmetryCode, World};
use viewcell::session::{Half, News, Notice, Session, SessionOptions};

use viewcell_ingest::world::Symmetry;

use crate::bundle::{bake, random_level};

const LEVEL: &[u8] = include_bytes!("../golden/v1/level.vcb");
const PLAYERS: usize = 5;

fn in_cell(cell: u32) -> Option<Place> {
    Some(Place::Cell(cell))
}

fn cell_of(session: &Session<World>, player: usize) -> Option<u32> {
    match session.place(player)?? {
        Place::Cell(cell) => Some(cell),
        Place::Sample(sample) => panic!("{sample:?} in a level"),
    }
}

/// Players come, go and walk from cell to cell that they see; after each move all notices are
/// judged by who sees whom. Returns the number of notices and of sets.
fn walk(level: &CellBundle<'_>, options: SessionOptions) -> (usize, u64) {
    let mut session = Session::new(&World::Cells(*level), PLAYERS, options);
    let is_mutual = level.parameters().symmetry != SymmetryCode::None;
    let mut dice = Dice(3);
    let mut told = 0;
    for turn in 0..2_000 {
        if turn % PLAYERS == 0 {
            session.tick();
        }
        let player = turn % PLAYERS;
        let cell = match cell_of(&session, player) {
            _ if dice.roll(40) == 0 => None,
            None => Some(dice.roll(level.cells())),
            Some(cell) => {
                let seen: Vec<u32> = (0..level.cells())
                    .filter(|&to| level.visible(cell, to))
                    .collect();
                Some(seen[dice.roll(seen.len() as u32) as usize])
            }
        };
        let mut notices: Vec<Notice> = Vec::new();
        session
            .move_to(player, cell.map(in_cell), |notice| notices.push(notice))
            .unwrap();
        assert_eq!(session.place(player), cell.map(in_cell));
        let unique: HashSet<(usize, usize)> = notices.iter().map(|n| (n.to, n.about)).collect();
        assert_eq!(unique.len(), notices.len(), "told twice");
        told += notices.len();
        for other in (0..PLAYERS).filter(|other| *other != player) {
            let (Some(here), Some(there)) = (cell, cell_of(&session, other)) else {
                assert_eq!(session.age(player, other), None);
                assert!(!unique.contains(&(player, other)));
                continue;
            };
            for (to, about, from, at) in
                [(player, other, here, there), (other, player, there, here)]
            {
                let heard = notices.iter().find(|n| n.to == to && n.about == about);
                if level.visible(from, at) {
                    assert_eq!(heard.map(|n| n.what), Some(News::Position));
                } else if !options.peers {
                    assert_eq!(heard, None, "what cannot be seen is nobody's business");
                }
            }
            if let Some(Half::Cells(own)) = session.half(player, other) {
                let Some(Half::Cells(others)) = session.half(other, player) else {
                    panic!("one half");
                };
                assert!(!is_mutual || own.contains(here) && others.contains(there));
                assert!(!own.contains(level.cells()));
                assert_eq!(own.words().len(), level.cells().div_ceil(64) as usize);
                let cells = |of: u32| (0..of).flat_map(move |a| (0..of).map(move |b| (a, b)));
                for (a, b) in cells(level.cells()) {
                    let apart = own.contains(a) && others.contains(b);
                    let sees = level.visible(a, b) || level.visible(b, a);
                    assert!(!(apart && sees), "{a} and {b}");
                }
            } else {
                let sees = level.visible(here, there) || level.visible(there, here);
                assert!(options.patience > Some(0) || sees);
            }
        }
    }
    (told, session.sets())
}

#[test]
fn nobody_in_a_level_is_left_in_the_dark_and_nobody_is_told_too_much() {
    let level = Bundle::from_bytes(LEVEL).unwrap().cells().unwrap();
    for patience in [0, 4] {
        let options = |peers| SessionOptions {
            patience: Some(patience),
            peers,
            ..SessionOptions::default()
        };
        let (server, sets) = walk(&level, options(false));
        let (peers, same) = walk(&level, options(true));
        assert!(server > 0 && sets > 0 && sets == same);
        assert!(peers > server, "peers are told of sets as well");
    }
}

#[test]
fn who_sees_one_way_only_is_told_and_has_no_set() {
    let mut sets = 0;
    for seed in 1..10 {
        let bytes = bake(&random_level(24, seed, 8), Symmetry::None, 1);
        let level = Bundle::from_bytes(&bytes).unwrap().cells().unwrap();
        let (told, made) = walk(&level, SessionOptions::default());
        assert!(told > 0);
        sets += made;
    }
    assert!(sets > 100, "{sets}");
}

#[test]
fn there_is_no_session_in_cells_that_are_not_there() {
    let level = Bundle::from_bytes(LEVEL).unwrap().cells().unwrap();
    let mut session = Session::new(&World::Cells(level), 2, SessionOptions::default());
    let (cell, cells) = (level.cells(), level.cells());
    let nothing = |_: Notice| panic!("there is nobody to tell");
    let error = session
        .move_to(0, Some(in_cell(cell)), nothing)
        .unwrap_err();
    assert_eq!(error, FrontierError::NoCell { cell, cells });
    assert!(error.to_string().contains("expected a number below"));
    assert_eq!(session.place(0), None);
    let error = session.move_to(9, Some(in_cell(0)), nothing).unwrap_err();
    let (player, players) = (9, 2);
    assert_eq!(error, FrontierError::NoPlayer { player, players });
    session.move_to(0, Some(in_cell(0)), nothing).unwrap();
    let mut told = 0;
    session.move_to(1, Some(in_cell(0)), |_| told += 1).unwrap();
    assert_eq!(told, 2, "players in one cell see each other");
}

/// News takes time: a player may be some way further when others hear of the next move.
#[test]
fn whoever_may_come_to_be_seen_is_told_of_before() {
    let bundle = Bundle::from_bytes(LEVEL).unwrap();
    let level = bundle.cells().unwrap();
    let mut session = Session::new(&World::Cells(level), PLAYERS, SessionOptions::default());
    let mut dice = Dice(8);
    let mut reaches: [Option<Extent>; PLAYERS] = [None; PLAYERS];
    let words = (level.cells() as usize).div_ceil(64);
    let (mut told, mut early, mut silent) = (0, 0, 0);
    for turn in 0..2_000 {
        session.tick();
        let player = turn % PLAYERS;
        let cell = dice.roll(level.cells());
        let [low, high] = level.bounds(cell).unwrap();
        let wide = f64::from(dice.roll(3)) * 20.0;
        let reach = Extent::of_box([
            low.map(|at| f64::from(at) - wide),
            high.map(|at| f64::from(at) + wide),
        ]);
        reaches[player] = Some(reach);
        let mut notices: Vec<Notice> = Vec::new();
        session
            .move_within(player, in_cell(cell), reach, |notice| notices.push(notice))
            .unwrap();
        let (mut own, mut others) = (vec![0; words], vec![0; words]);
        let own = level.cells_in(&reach, &mut own).unwrap();
        for other in (0..PLAYERS).filter(|other| *other != player) {
            let Some(reach) = &reaches[other] else {
                continue;
            };
            let others = level.cells_in(reach, &mut others).unwrap();
            let may = level.any_visible(own, others);
            let now = level.visible(cell, cell_of(&session, other).unwrap());
            for (to, about) in [(player, other), (other, player)] {
                let heard = notices.iter().any(|n| n.to == to && n.about == about);
                assert_eq!(heard, may, "{to} of {about}");
                told += u32::from(heard);
                early += u32::from(heard && !now);
                silent += u32::from(!heard);
            }
        }
    }
    assert!(
        told > 100 && early > 100 && silent > 100,
        "{told}, {early}, {silent}"
    );
}
