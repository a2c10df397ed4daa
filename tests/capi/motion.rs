//! Look-ahead by motion over the C interface tells what it tells in Rust, in each kind of world.

use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use viewcell::capi::*;
use viewcell::dice::Dice;
use viewcell::query::{Bundle, Motion, MotionLimits, Mover, OwnedBundle};
use viewcell::session::{News, Notice, Session, SessionOptions};

use crate::cells::corridor;
use crate::programs::wall;

static LIMITS: viewcell_motion_limits = viewcell_motion_limits {
    speed: [8.0, 8.0],
    acceleration: [20.0, 20.0],
    impulse: [4.0, 4.0],
    error: [0.1, 0.1],
};

fn limits() -> MotionLimits {
    let viewcell_motion_limits {
        speed,
        acceleration,
        impulse,
        error,
    } = LIMITS;
    MotionLimits {
        speed,
        acceleration,
        impulse,
        error,
    }
}

fn in_rust(player: &viewcell_mover) -> Mover {
    let viewcell_motion {
        position, velocity, ..
    } = player.motion;
    Mover {
        motion: Motion {
            position: position.into(),
            velocity: (player.motion.has_velocity == 1).then_some(velocity),
        },
        limits: limits(),
        times: player.times,
    }
}

/// Asks for pairs of points of a box, some of them outside of the world, and counts the answers.
fn holds(path: &Path, size: [f64; 3]) {
    let bytes = std::fs::read(path).unwrap();
    let rust = Bundle::from_bytes(&bytes).unwrap();
    let mut bundle = null_mut();
    let (version, at, length) = (VIEWCELL_ABI_VERSION, bytes.as_ptr(), bytes.len());
    // SAFETY: pointers are to what the header asks for, handles are open.
    let open = unsafe { viewcell_open_memory(version, at, length, &raw mut bundle, null_mut(), 0) };
    assert_eq!(open, VIEWCELL_OK);
    let mut one_way = [0; 2];
    let mut at = 0_u32;
    let mut number = || {
        at += 1;
        f64::from(at.wrapping_mul(2_654_435_761)) / f64::from(u32::MAX)
    };
    for _ in 0..2000 {
        let (from, until) = (number(), 1.0 + number());
        let mut player = || viewcell_motion {
            position: size.map(|side| side * (1.1 * number() - 0.05)).into(),
            velocity: [0; 3].map(|_| 8.0 * (number() - 0.5)),
            has_velocity: (number() < 0.8).into(),
            reserved: 0,
        };
        let pair = [player(), player()];
        // Each at times of their own.
        let times = [[0.0, from], [from, until]];
        let movers = [0, 1].map(|i| viewcell_mover {
            motion: pair[i],
            limits: LIMITS,
            times: times[i],
        });
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            for (i, j) in [(0, 1), (1, 0)] {
                let seen =
                    viewcell_sees_in_motion(bundle, &raw const movers[i], &raw const movers[j]);
                let world = rust.world().unwrap();
                let expected = world.sees_in_motion(&in_rust(&movers[i]), &in_rust(&movers[j]));
                assert_eq!(seen, i32::from(expected));
                one_way[seen as usize] += 1;
            }
        }
    }
    assert!(one_way.iter().all(|&count| count > 20), "{one_way:?}");
    let player = viewcell_motion {
        position: [1.0; 3].into(),
        velocity: [0.0; 3],
        has_velocity: 2,
        reserved: 0,
    };
    let mover = viewcell_mover {
        motion: player,
        limits: LIMITS,
        times: [0.0, 1.0],
    };
    let one = &raw const mover;
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let ask = |a| viewcell_sees_in_motion(bundle, a, one);
        assert_eq!(ask(one), VIEWCELL_ARGUMENT);
        assert_eq!(ask(null()), VIEWCELL_NULL);
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        assert_eq!(ask(one), VIEWCELL_CLOSED);
    }
}

/// Moves three players of a session, some of them to where there is nothing, and holds notices to those of Rust.
fn plays(path: &Path, corner: f64, size: [f64; 3]) {
    let bytes = std::fs::read(path).unwrap();
    let rust = OwnedBundle::from_bytes(bytes.clone()).unwrap();
    let (mut bundle, mut session) = (null_mut(), null_mut());
    let (version, at, length) = (VIEWCELL_ABI_VERSION, bytes.as_ptr(), bytes.len());
    // SAFETY: pointers are to what the header asks for, handles are open.
    let open = unsafe { viewcell_open_memory(version, at, length, &raw mut bundle, null_mut(), 0) };
    assert_eq!(open, VIEWCELL_OK);
    // SAFETY: pointers are to what the header asks for, handles are open.
    let made = unsafe { viewcell_session_new(bundle, 3, null(), &raw mut session) };
    assert_eq!(made, VIEWCELL_OK);
    let mut of_rust = Session::new(&rust, 3, SessionOptions::default());
    let mut dice = Dice(7);
    let mut number = || f64::from(dice.roll(1 << 20)) / f64::from(1 << 20);
    let notice = viewcell_notice {
        to: 0,
        about: 0,
        what: 0,
    };
    let (mut told, mut outside) = ([0, 0], 0);
    for turn in 0..600 {
        let player = turn % 3;
        let to = viewcell_motion {
            position: size
                .map(|side| corner + side * (1.3 * number() - 0.15))
                .into(),
            velocity: [0; 3].map(|_| 8.0 * (number() - 0.5)),
            has_velocity: 1,
            reserved: 0,
        };
        let to = viewcell_mover {
            motion: to,
            limits: LIMITS,
            times: [0.1, 0.3],
        };
        let reach = in_rust(&to).region();
        let mut expected: Vec<Notice> = Vec::new();
        let mut tell = |notice| expected.push(notice);
        let place = rust.world().locate(to.motion.position.into());
        outside += u32::from(place.is_none());
        let moved = of_rust.move_within(player, place, reach, &mut tell);
        let (mut notices, mut count) = ([notice; 4], 0);
        let (out, counted) = (notices.as_mut_ptr(), &raw mut count);
        // SAFETY: pointers are to what the header asks for, handles are open.
        let step = |to, size| unsafe {
            viewcell_session_move_in_motion(session, player as u32, to, out, size, counted)
        };
        assert_eq!(step(null(), 4), VIEWCELL_NULL);
        let status = step(&raw const to, 4);
        assert_eq!((status, moved), (VIEWCELL_OK, Ok(())));
        let told_in_rust = expected.iter().map(|told| {
            let what = match told.what {
                News::Position => VIEWCELL_POSITION,
                News::Frontier => VIEWCELL_FRONTIER,
            };
            (told.to as u32, told.about as u32, what)
        });
        let of_c = notices[..count]
            .iter()
            .map(|told| (told.to, told.about, told.what));
        assert!(told_in_rust.eq(of_c), "{expected:?}");
        told[usize::from(count > 0)] += 1;
        assert_eq!(step(&raw const to, 3), VIEWCELL_BUFFER);
    }
    assert!(told.iter().all(|&turns| turns > 20), "{told:?}");
    assert!(outside > 0);
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
    }
}

#[test]
fn a_session_on_a_terrain() {
    let (_folder, path) = wall();
    plays(&path, 0.0, [80.0, 40.0, 5.0]);
}

#[test]
fn a_session_in_a_level_of_cells() {
    let (_folder, path) = corridor(true);
    plays(&path, 0.0, [700.0, 8.0, 8.0]);
}

fn solid() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1/solid.vcb")
}

#[test]
fn a_session_in_a_solid_level() {
    plays(&solid(), 40.0, [448.0, 176.0, 32.0]);
}

/// Positions and cells of a solid level, against who sees whom by positions.
#[test]
fn a_session_among_solids_goes_by_positions_and_cells() {
    let bytes = std::fs::read(solid()).unwrap();
    let rust = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
    let (mut bundle, mut session) = (null_mut(), null_mut());
    let (version, at, length) = (VIEWCELL_ABI_VERSION, bytes.as_ptr(), bytes.len());
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let open = viewcell_open_memory(version, at, length, &raw mut bundle, null_mut(), 0);
        assert_eq!(open, VIEWCELL_OK);
        let mut options = std::mem::zeroed();
        assert_eq!(viewcell_session_defaults(&raw mut options), VIEWCELL_OK);
        options.patience = 0;
        let made = viewcell_session_new(bundle, 2, &raw const options, &raw mut session);
        assert_eq!(made, VIEWCELL_OK);
    }
    let mut dice = Dice(9);
    let mut places = [None; 2];
    let (mut silent, mut nowhere) = (0, 0);
    for turn in 0..800 {
        let player = turn % 2;
        let high = if dice.roll(8) == 0 { 999 } else { 64 };
        let position = [488, 216, high].map(|side| 20.0 + f64::from(dice.roll(side)));
        places[player] = Some(position);
        let cell = rust.locate(position);
        nowhere += u32::from(cell.is_none());
        let mut notices = [viewcell_notice {
            to: 0,
            about: 0,
            what: 9,
        }; 2];
        let mut count = 0;
        let (out, counted, number) = (notices.as_mut_ptr(), &raw mut count, player as u32);
        let position = viewcell_position::from(position);
        let mut place = 7;
        // SAFETY: pointers are to what the header asks for, handles are open.
        let status = unsafe {
            viewcell_locate(bundle, &raw const position, &raw mut place);
            viewcell_session_move(session, number, place, out, 2, counted)
        };
        assert_eq!(place, cell.unwrap_or(VIEWCELL_NOWHERE));
        assert_eq!(status, VIEWCELL_OK);
        let [Some(a), Some(b)] = places else {
            continue;
        };
        let mut told: Vec<_> = notices[..count]
            .iter()
            .map(|told| (told.to, told.about, told.what))
            .collect();
        told.sort_unstable();
        let sees = [rust.positions_visible(a, b), rust.positions_visible(b, a)];
        let expected = [(0, 1, VIEWCELL_POSITION), (1, 0, VIEWCELL_POSITION)];
        let expected = expected.into_iter().zip(sees).filter(|(_, sees)| *sees);
        assert!(told.into_iter().eq(expected.map(|(told, _)| told)));
        let mut ticks = 0;
        let other = 1 - number;
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            if viewcell_session_age(session, number, other, &raw mut ticks) == 1 {
                silent += 1;
                let cell = cell.unwrap();
                assert_eq!(viewcell_session_contains(session, number, other, cell), 1);
                assert_eq!(viewcell_session_contains(session, other, number, cell), 0);
            }
            viewcell_session_tick(session);
        }
    }
    assert!(silent > 100 && nowhere > 50, "{silent}, {nowhere}");
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let (mut notices, mut count) = (
            [viewcell_notice {
                to: 0,
                about: 0,
                what: 9,
            }; 2],
            0,
        );
        let (out, counted) = (notices.as_mut_ptr(), &raw mut count);
        let beyond = rust.cells();
        assert_eq!(
            viewcell_session_move(session, 0, beyond, out, 2, counted),
            VIEWCELL_OUTSIDE
        );
        assert_eq!(viewcell_session_leave(session, 0), VIEWCELL_OK);
        let mut ticks = 0;
        assert_eq!(viewcell_session_age(session, 0, 1, &raw mut ticks), 0);
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
    }
}

#[test]
fn on_a_terrain() {
    let (_folder, path) = wall();
    holds(&path, [80.0, 40.0, 5.0]);
}

#[test]
fn in_a_level_of_cells() {
    let (_folder, path) = corridor(true);
    holds(&path, [700.0, 8.0, 8.0]);
}

#[test]
fn in_a_solid_level() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    holds(&root.join("tests/golden/v1/solid.vcb"), [528.0, 96.0, 60.0]);
}
