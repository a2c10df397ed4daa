//! The C interface on what it is given: from memory, in steps, after the end.
#![no_main]

mod reseal;

use core::ptr::null_mut;
use libfuzzer_sys::fuzz_target;
use viewcell::capi::*;

fuzz_target!(|data: &[u8]| {
    let bytes = reseal::reseal(data);
    let mut bundle = null_mut();
    let mut message = [0; 64];
    // The bytes and all places outlive the calls.
    unsafe {
        let opened = viewcell_open_memory(
            VIEWCELL_ABI_VERSION,
            bytes.as_ptr(),
            bytes.len(),
            &mut bundle,
            message.as_mut_ptr(),
            message.len(),
        );
        if opened != VIEWCELL_OK {
            assert!(bundle.is_null() && opened < 0 && message.contains(&0));
            return;
        }
        let mut info = viewcell_world::default();
        assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_OK);
        let is_small = info.kind != VIEWCELL_TERRAIN as u32 || info.places <= reseal::MOST_SAMPLES;
        if is_small {
            ask(bundle, &info);
            play(bundle, &info);
            ask_positions(bundle, &info);
        }
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_CLOSED);
        // A bundle that is opened in its place does not open the old handle again.
        let mut other = null_mut();
        let (at, length) = (bytes.as_ptr(), bytes.len());
        let again =
            viewcell_open_memory(VIEWCELL_ABI_VERSION, at, length, &mut other, null_mut(), 0);
        assert!(again == VIEWCELL_OK && other != bundle);
        assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_CLOSED);
        assert_eq!(viewcell_close(bundle), VIEWCELL_CLOSED);
        assert_eq!(viewcell_close(other), VIEWCELL_OK);
    }
});

/// What is asked of places by number, some of which are not there.
unsafe fn ask(bundle: *mut viewcell_bundle, info: &viewcell_world) {
    let places = info.places as u32;
    let at = |i: u32| match i % 9 {
        8 => VIEWCELL_NOWHERE,
        _ => i.wrapping_mul(2_654_435_761) % places.saturating_add(1),
    };
    let is_there = |place: u32| place < places || place == VIEWCELL_NOWHERE;
    let mut words = vec![0; info.words as usize];
    let mut frontier = null_mut();
    // SAFETY: all places outlive the calls, and handles are closed once.
    unsafe {
        assert_eq!(viewcell_frontier_new(bundle, &mut frontier), VIEWCELL_OK);
        for i in 0..40 {
            let to: Vec<u32> = (0..8).map(|k| at(i + 3 * k)).collect();
            let mut visible = [2; 8];
            let (a, b) = (at(i), at(11 * i));
            if viewcell_visible_from(bundle, a, 8, to.as_ptr(), visible.as_mut_ptr()) == 0 {
                for (to, visible) in to.iter().zip(visible) {
                    assert_eq!(viewcell_visible(bundle, a, *to), i32::from(visible));
                }
            }
            let seen = viewcell_visible(bundle, a, b);
            assert_eq!(seen >= 0, is_there(a) && is_there(b));
            let within = viewcell_visible_within(bundle, a, b, 10.0, f64::from(i));
            // In a damaged bundle samples may see each other and the quads around them may not.
            assert!(within <= 1 && (within >= 0) == (seen >= 0));
            if viewcell_pvs(bundle, a, i % 4, words.as_mut_ptr(), words.len()) == VIEWCELL_OK {
                viewcell_contains(bundle, words.as_ptr(), words.len(), b);
            }
            viewcell_visible_quads(bundle, a, i % 5, b, i % 3);
            assert!(viewcell_distance(bundle, a, b) <= 65_534);
            if viewcell_frontier_begin(frontier, a, b, 2 * i) == VIEWCELL_OK {
                while viewcell_frontier_step(frontier, 32) == 0 {}
                let mut area = 0;
                assert_eq!(viewcell_frontier_area(frontier, 0, &mut area), VIEWCELL_OK);
                assert_eq!(viewcell_frontier_contains(frontier, 0, a) == 1, area > 0);
                viewcell_frontier_contains(frontier, 1, at(i + 1));
            }
        }
        assert_eq!(viewcell_frontier_close(frontier), VIEWCELL_OK);
    }
}

/// Three players, a few moves.
unsafe fn play(bundle: *mut viewcell_bundle, info: &viewcell_world) {
    let mut session = null_mut();
    let mut notices = [viewcell_notice {
        to: 0,
        about: 0,
        what: 0,
    }; 4];
    let mut count = 0;
    let options = viewcell_session_options {
        peers: 1,
        ..Default::default()
    };
    // SAFETY: all places outlive the calls, and the handle is closed once.
    unsafe {
        let made = viewcell_session_new(bundle, 3, &options, &mut session);
        assert_eq!(made, VIEWCELL_OK);
        for i in 0..12 {
            assert_eq!(viewcell_session_tick(session), VIEWCELL_OK);
            let to = match i % 6 {
                5 => VIEWCELL_NOWHERE,
                _ => i * 7 % (info.places as u32).saturating_add(1),
            };
            let place = notices.as_mut_ptr();
            viewcell_session_move(session, i % 3, to, place, notices.len(), &mut count);
            assert!(count <= 4);
            viewcell_session_contains(session, 0, 1, to);
        }
        assert_eq!(viewcell_session_leave(session, 1), VIEWCELL_OK);
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
    }
}

/// What is asked of positions: places, look-ahead, and in a solid level tests of what lies between.
unsafe fn ask_positions(bundle: *mut viewcell_bundle, info: &viewcell_world) {
    let mut positions = [viewcell_position::default(); 8];
    for (i, at) in (0..8_u32).zip(&mut positions) {
        let mut bounds = viewcell_box::from([[f64::NAN; 3]; 2]);
        let place = i * 7 % (info.places as u32).saturating_add(1);
        // SAFETY: all places outlive the calls.
        unsafe { viewcell_bounds(bundle, place, &mut bounds) };
        let [low, high] = <[[f64; 3]; 2]>::from(bounds);
        *at = std::array::from_fn(|k| 0.5 * (low[k] + high[k])).into();
    }
    positions[7] = [1e300, -1e300, f64::NAN].into();
    let anywhere = viewcell_motion_limits {
        speed: [300.0, f64::INFINITY],
        acceleration: [f64::NAN, 800.0],
        impulse: [0.0, 270.0],
        error: [1.0, 0.0],
    };
    let mover = |i: usize| viewcell_mover {
        motion: viewcell_motion {
            position: positions[i],
            velocity: [10.0, -10.0, f64::from(i as u32)],
            has_velocity: (i % 2) as u32,
            reserved: 0,
        },
        limits: anywhere,
        times: [0.0, 0.05 * i as f64],
    };
    let mut located = [0; 8];
    // SAFETY: all places outlive the calls, and the handle is closed once.
    unsafe {
        let all = viewcell_locate_all(bundle, 8, positions.as_ptr(), located.as_mut_ptr());
        assert_eq!(all, VIEWCELL_OK);
        for i in 0..8 {
            let j = (i * 3 + 1) % 8;
            let mut place = 0;
            viewcell_locate(bundle, &positions[i], &mut place);
            assert_eq!(place, located[i]);
            let seen = viewcell_visible(bundle, located[i], located[j]);
            assert!(seen >= 0);
            let within = viewcell_sees_within(bundle, &positions[i], &positions[j], 1.0, 40.0);
            assert!((0..=1).contains(&within));
            let (from, to) = (mover(i), mover(j));
            assert!(viewcell_sees_in_motion(bundle, &from, &to) >= 0);
        }
        let door = viewcell_box::from([[0.0; 3], [64.0; 3]]);
        let mut watch = null_mut();
        let made = viewcell_watch_new(bundle, 8, 0.2, &mut watch);
        assert_eq!(made == VIEWCELL_OK, !watch.is_null());
        for frame in 0..if made == VIEWCELL_OK { 4 } else { 0 } {
            for i in 0..8 {
                let (sees, mut shown) = (mover((i + frame) % 8), mover((i + frame) % 8));
                shown.times[1] = 0.05;
                let watched = viewcell_watched {
                    sees,
                    shown,
                    step: 18.0,
                    eye: [12.0, 26.0],
                    body: [[-15.0, -15.0, -24.0], [15.0, 15.0, 32.0]].into(),
                    has_eye: (i % 2) as u32,
                    has_body: (i / 2 % 2) as u32,
                };
                let set = viewcell_watch_set(watch, i as u32, &watched);
                assert_eq!(set, VIEWCELL_OK);
            }
            let viewcell_position { x, y, z } = positions[(frame + 6) % 8];
            let smoke = viewcell_smoke {
                centre: [x, y, z],
                radius: 40.0 * frame as f64,
                seconds: 0.6 - 0.15 * frame as f64,
            };
            let doors = usize::from(frame >= 2);
            let set = viewcell_watch_occluders(watch, doors, &door, 1, &smoke);
            assert_eq!(set, VIEWCELL_OK);
            assert_eq!(viewcell_watch_begin(watch), VIEWCELL_OK);
            assert!(viewcell_watch_look(watch, 400) >= 0);
            for pair in 0..64 {
                let sends = viewcell_watch_sends(watch, pair / 8, pair % 8);
                assert!(sends == i32::from(pair / 8 != pair % 8) || sends == 0);
                let lost = |player: u32| (player as usize + frame) % 8 == 7;
                let is_nowhere = lost(pair / 8) || lost(pair % 8);
                assert!(sends == 1 || !is_nowhere || pair / 8 == pair % 8);
            }
        }
        if made == VIEWCELL_OK {
            assert_eq!(viewcell_watch_close(watch), VIEWCELL_OK);
        }
    }
}
