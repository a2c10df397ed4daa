//! A watch over the C interface answers as it does in Rust, and refuses what it cannot answer.

use std::ptr::{null, null_mut};

use super::floats::opened::open;
use viewcell::capi::*;
use viewcell::dice::Dice;
use viewcell::query::{Bundle, Motion, MotionLimits, Mover};
use viewcell::watch::{Watch, WatchOptions, Watched};

const ROOMS: &[u8] = include_bytes!("../golden/v1/solid.vcb");
const TERRAIN: &[u8] = include_bytes!("../golden/v1/13x9-voids.vcb");
const PLAYERS: u32 = 4;

fn mover(position: [f64; 3], velocity: [f64; 3], until: f64) -> viewcell_mover {
    viewcell_mover {
        motion: viewcell_motion {
            position: position.into(),
            velocity,
            has_velocity: 1,
            reserved: 0,
        },
        limits: viewcell_motion_limits {
            speed: [320.0, 700.0],
            acceleration: [3200.0, 800.0],
            impulse: [0.0, 270.0],
            error: [1.0; 2],
        },
        times: [0.0, until],
    }
}

fn of(player: &viewcell_mover) -> Mover {
    Mover {
        motion: Motion {
            position: player.motion.position.into(),
            velocity: Some(player.motion.velocity),
        },
        limits: MotionLimits {
            speed: player.limits.speed,
            acceleration: player.limits.acceleration,
            impulse: player.limits.impulse,
            error: player.limits.error,
        },
        times: player.times,
    }
}

#[test]
fn a_watch_answers_as_in_rust() {
    let bundle = open(ROOMS);
    let level = Bundle::from_bytes(ROOMS).unwrap().solid().unwrap();
    let options = WatchOptions { max_ahead: 0.15 };
    let mut rust = Watch::new(level, PLAYERS as usize, options).unwrap();
    let mut watch = null_mut();
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let made = viewcell_watch_new(bundle, PLAYERS, 0.15, &raw mut watch);
        assert_eq!(made, VIEWCELL_OK);
        // It keeps what the bundle stands for.
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
    }
    let mut dice = Dice(11);
    let (mut hidden, mut sent) = (0, 0);
    for frame in 0..200 {
        for player in 0..PLAYERS {
            if dice.roll(10) == 0 {
                rust.remove(player as usize);
                // SAFETY: the handle is open.
                let gone = unsafe { viewcell_watch_set(watch, player, null()) };
                assert_eq!(gone, VIEWCELL_OK);
                continue;
            }
            let position = [528.0, 256.0, 100.0].map(|side| side * dice.fraction());
            let velocity = [0; 3].map(|_| 300.0 * dice.fraction() - 150.0);
            let watched = viewcell_watched {
                sees: mover(position, velocity, 0.2 * dice.fraction()),
                shown: mover(position, velocity, 0.05),
                step: 18.0,
                eye: [10.0, 26.0],
                body: [[-16.0, -16.0, -24.0], [16.0, 16.0, 40.0]].into(),
                has_eye: frame % 2,
                has_body: dice.roll(2),
            };
            rust.set(
                player as usize,
                &Watched {
                    sees: of(&watched.sees),
                    shown: of(&watched.shown),
                    step: 18.0,
                    eye: (watched.has_eye == 1).then_some(watched.eye),
                    body: (watched.has_body == 1)
                        .then_some([[-16.0, -16.0, -24.0], [16.0, 16.0, 40.0]]),
                },
            );
            // SAFETY: pointers are to what the header asks for, handles are open.
            let set = unsafe { viewcell_watch_set(watch, player, &raw const watched) };
            assert_eq!(set, VIEWCELL_OK);
        }
        rust.begin();
        let all = rust.look(30);
        let mut figures = viewcell_watch_figures::default();
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            assert_eq!(viewcell_watch_begin(watch), VIEWCELL_OK);
            assert_eq!(viewcell_watch_look(watch, 30), i32::from(all));
            assert_eq!(viewcell_watch_counts(watch, &raw mut figures), VIEWCELL_OK);
        }
        assert_eq!(figures.work, rust.counts().work);
        hidden += figures.hidden;
        for viewer in 0..PLAYERS {
            for other in 0..PLAYERS {
                let told = rust.sends(viewer as usize, other as usize);
                // SAFETY: the handle is open.
                let found = unsafe { viewcell_watch_sends(watch, viewer, other) };
                assert_eq!(found, i32::from(told));
                sent += u32::from(told);
            }
        }
    }
    assert!(hidden > 100 && sent > 100, "{hidden} {sent}");
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        // Time enough for all.
        assert_eq!(viewcell_watch_look_for(watch, 60_000_000), 1);
        let doors = [[260.0, 190.0, -1.0], [268.0, 257.0, 129.0]];
        let doors = viewcell_box::from(doors);
        let boxes = &raw const doors;
        let smoke = viewcell_smoke {
            centre: [256.0, 128.0, 64.0],
            radius: 100.0,
            seconds: 3.0,
        };
        let smokes = &raw const smoke;
        let set = |doors, boxes, count, smokes| {
            viewcell_watch_occluders(watch, doors, boxes, count, smokes)
        };
        assert_eq!(set(1, boxes, 1, smokes), VIEWCELL_OK);
        assert_eq!(set(0, null(), 1, smokes), VIEWCELL_OK);
        assert_eq!(set(0, null(), 0, null()), VIEWCELL_OK);
        assert_eq!(set(1, null(), 0, null()), VIEWCELL_NULL);
        assert_eq!(set(0, null(), 1, null()), VIEWCELL_NULL);
        let outside = viewcell_watch_sends(watch, 0, PLAYERS);
        assert_eq!(outside, VIEWCELL_OUTSIDE);
        assert_eq!(viewcell_watch_set(watch, PLAYERS, null()), VIEWCELL_OUTSIDE);
        let still = mover([64.0; 3], [0.0; 3], 0.1);
        let flags = viewcell_watched {
            sees: still,
            shown: still,
            step: 0.0,
            eye: [0.0; 2],
            body: viewcell_box::default(),
            has_eye: 2,
            has_body: 0,
        };
        let refused = viewcell_watch_set(watch, 0, &raw const flags);
        assert_eq!(refused, VIEWCELL_ARGUMENT);
        assert_eq!(viewcell_watch_counts(watch, null_mut()), VIEWCELL_NULL);
        assert_eq!(viewcell_watch_close(watch), VIEWCELL_OK);
        assert_eq!(viewcell_watch_begin(watch), VIEWCELL_CLOSED);
        assert_eq!(set(0, null(), 0, null()), VIEWCELL_CLOSED);
        assert_eq!(viewcell_watch_close(watch), VIEWCELL_CLOSED);
        assert_eq!(viewcell_watch_close(null_mut()), VIEWCELL_OK);
    }
}

#[test]
fn a_watch_is_of_a_solid_level_and_of_so_many_players() {
    let mut watch = null_mut();
    let (rooms, terrain) = (open(ROOMS), open(TERRAIN));
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let many = viewcell_watch_new(rooms, VIEWCELL_MOST_WATCHED + 1, 0.2, &raw mut watch);
        assert_eq!((many, watch.is_null()), (VIEWCELL_ARGUMENT, true));
        let other = viewcell_watch_new(terrain, 2, 0.2, &raw mut watch);
        assert_eq!((other, watch.is_null()), (VIEWCELL_KIND, true));
        assert_eq!(viewcell_watch_new(rooms, 2, 0.2, null_mut()), VIEWCELL_NULL);
        for bundle in [rooms, terrain] {
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}
