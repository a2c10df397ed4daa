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
        let mut info = core::mem::zeroed::<viewcell_terrain>();
        let mut level = core::mem::zeroed::<viewcell_cells>();
        let kind = viewcell_kind(bundle);
        if kind == VIEWCELL_SOLID {
            assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_KIND);
            assert_eq!(viewcell_cells_info(bundle, &mut level), VIEWCELL_KIND);
            let mut solid = core::mem::zeroed::<viewcell_solid>();
            assert_eq!(viewcell_solid_info(bundle, &mut solid), VIEWCELL_OK);
            ask_level(bundle, solid.cells);
            ask_solid(bundle, &solid);
        } else if kind == VIEWCELL_CELLS {
            assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_KIND);
            assert_eq!(viewcell_cells_info(bundle, &mut level), VIEWCELL_OK);
            ask_cells(bundle, &level);
            ask_level(bundle, level.cells);
        } else {
            assert_eq!(viewcell_cells_info(bundle, &mut level), VIEWCELL_KIND);
            assert_eq!(viewcell_info(bundle, &mut info), VIEWCELL_OK);
            let samples = u64::from(info.width) * u64::from(info.height);
            if samples <= reseal::MOST_SAMPLES {
                ask(bundle, &info);
                play(bundle, &info);
            }
        }
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_CLOSED);
        // A bundle that is opened in its place does not open the old handle again.
        let mut other = null_mut();
        let (at, length) = (bytes.as_ptr(), bytes.len());
        let again =
            viewcell_open_memory(VIEWCELL_ABI_VERSION, at, length, &mut other, null_mut(), 0);
        assert!(again == VIEWCELL_OK && other != bundle);
        assert_eq!(viewcell_kind(bundle), VIEWCELL_CLOSED);
        assert_eq!(viewcell_close(bundle), VIEWCELL_CLOSED);
        assert_eq!(viewcell_close(other), VIEWCELL_OK);
    }
});

/// What levels of either kind are asked.
unsafe fn ask_level(bundle: *mut viewcell_bundle, cells: u32) {
    for i in 0..8_u32 {
        let [a, b] = [i * 7, i * 5].map(|number| number % cells.saturating_add(1));
        let is_there = a.max(b) < cells;
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        // Safe: all places outlive the calls.
        unsafe {
            let seen = viewcell_cells_visible(bundle, a, b);
            let within = viewcell_cells_visible_within(bundle, a, b, 10.0, f64::from(i));
            assert_eq!(seen >= 0, is_there);
            assert!(within >= seen && (within >= 0) == is_there);
            viewcell_cells_bounds(bundle, a, low.as_mut_ptr(), high.as_mut_ptr());
        }
    }
}

/// What solid levels are asked: positions, look-ahead, tests of what lies between.
unsafe fn ask_solid(bundle: *mut viewcell_bundle, solid: &viewcell_solid) {
    let mut position = [[0.0; 3]; 8];
    for (i, at) in (0..8).zip(&mut position) {
        let (mut low, mut high) = ([f64::NAN; 3], [f64::NAN; 3]);
        let cell = i * 7 % solid.cells.saturating_add(1);
        // SAFETY: all places outlive the calls.
        unsafe { viewcell_cells_bounds(bundle, cell, low.as_mut_ptr(), high.as_mut_ptr()) };
        *at = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    }
    position[7] = [1e300, -1e300, f64::NAN];
    let anywhere = viewcell_motion_limits {
        speed: [300.0, f64::INFINITY],
        acceleration: [f64::NAN, 800.0],
        impulse: [0.0, 270.0],
        error: [1.0, 0.0],
    };
    let mover = |i: usize| viewcell_mover {
        motion: viewcell_motion {
            position: position[i],
            velocity: [10.0, -10.0, f64::from(i as u32)],
            has_velocity: (i % 2) as u32,
            reserved: 0,
        },
        limits: anywhere,
        times: [0.0, 0.05 * i as f64],
    };
    let mut occlusion = null_mut();
    // SAFETY: all places outlive the calls, and the handle is closed once.
    unsafe {
        let opened = viewcell_occlusion_new(bundle, &mut occlusion);
        assert_eq!(opened == VIEWCELL_OK, !occlusion.is_null());
        for i in 0..8 {
            let j = (i * 3 + 1) % 8;
            let (from, to) = (position[i].as_ptr(), position[j].as_ptr());
            let seen = viewcell_solid_visible(bundle, from, to);
            assert!(seen >= 0);
            let within = viewcell_solid_within(bundle, from, to, 1.0, 40.0);
            assert!(within >= seen, "who is seen is seen within reach");
            let mut visible = 2;
            let pairs = viewcell_solid_visible_pairs(bundle, 1, from, to, &mut visible);
            assert!(pairs == VIEWCELL_OK && i32::from(visible) == seen);
            let (from, to) = (mover(i), mover(j));
            assert!(viewcell_sees_in_motion(bundle, &from, &to) >= 0);
            if opened == VIEWCELL_OK {
                let mut guess = i as u32;
                viewcell_hidden_within(occlusion, &from, &to, &mut guess, 50);
            }
        }
        let doors = [0.0, 0.0, 0.0, 64.0, 64.0, 64.0];
        if opened == VIEWCELL_OK {
            assert_eq!(
                viewcell_occlusion_doors(occlusion, 1, doors.as_ptr()),
                VIEWCELL_OK
            );
            assert_eq!(viewcell_occlusion_close(occlusion), VIEWCELL_OK);
        }
    }
}

unsafe fn ask(bundle: *mut viewcell_bundle, info: &viewcell_terrain) {
    let at = |i: u32| viewcell_sample {
        column: i * 7 % (info.width + 1),
        row: i * 5 % (info.height + 1),
    };
    let mut words = vec![0; info.blocks as usize];
    let mut frontier = null_mut();
    unsafe {
        assert_eq!(viewcell_frontier_new(bundle, &mut frontier), VIEWCELL_OK);
        for i in 0..40 {
            let to: Vec<viewcell_sample> = (0..8).map(|k| at(i + 3 * k)).collect();
            let mut visible = [2; 8];
            if viewcell_visible_from(bundle, at(i), 8, to.as_ptr(), visible.as_mut_ptr()) == 0 {
                for (to, visible) in to.iter().zip(visible) {
                    let one = viewcell_visible(bundle, at(i), *to);
                    assert_eq!(one.max(0), i32::from(visible));
                }
            }
            viewcell_pvs(bundle, i % 4, at(i), words.as_mut_ptr(), words.len());
            viewcell_visible_quads(bundle, i % 5, at(i), i % 3, at(2 * i));
            if viewcell_frontier_begin(frontier, at(i), at(11 * i), core::ptr::null()) == 0 {
                while viewcell_frontier_step(frontier, 32) == 0 {}
                viewcell_frontier_contains(frontier, i & 1, at(i));
            }
        }
        assert_eq!(viewcell_frontier_close(frontier), VIEWCELL_OK);
    }
}

/// Room for what one move of three players can bring.
const NOTICES: [viewcell_notice; 4] = [viewcell_notice {
    to: 0,
    about: 0,
    what: 0,
}; 4];

/// Three players, a few moves.
unsafe fn play(bundle: *mut viewcell_bundle, info: &viewcell_terrain) {
    let mut session = null_mut();
    let mut notices = NOTICES;
    let mut count = 0;
    unsafe {
        let made = viewcell_session_new(bundle, 3, core::ptr::null(), &mut session);
        assert_eq!(made, VIEWCELL_OK);
        for i in 0..12 {
            assert_eq!(viewcell_session_tick(session), VIEWCELL_OK);
            let to = viewcell_sample {
                column: i * 7 % (info.width + 1),
                row: i * 5 % (info.height + 1),
            };
            let place = notices.as_mut_ptr();
            viewcell_session_move(session, i % 3, &to, place, notices.len(), &mut count);
            assert!(count <= 4);
        }
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
    }
}

/// Three players in a level, a few moves.
unsafe fn play_in_cells(bundle: *mut viewcell_bundle, level: &viewcell_cells, construction: u32) {
    let mut session = null_mut();
    let mut notices = NOTICES;
    let mut count = 0;
    unsafe {
        let made = viewcell_cells_session_new(bundle, 3, construction, 1, 1, &mut session);
        assert_eq!(made, VIEWCELL_OK);
        for i in 0..12 {
            assert_eq!(viewcell_session_tick(session), VIEWCELL_OK);
            let cell = i * 7 % (level.cells + 1);
            let (place, size) = (notices.as_mut_ptr(), notices.len());
            viewcell_cells_session_move(session, i % 3, cell, place, size, &mut count);
            assert!(count <= 4);
            viewcell_cells_session_contains(session, 0, 1, cell);
        }
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
    }
}

unsafe fn ask_cells(bundle: *mut viewcell_bundle, level: &viewcell_cells) {
    let words = level.words as usize;
    let mut pvs = vec![0; words];
    let mut memory = Vec::new();
    let mut cell = 0;
    unsafe {
        for i in 0..40_u32 {
            let (a, b) = (i * 7 % (level.cells + 1), i * 11 % level.cells);
            viewcell_cells_locate(bundle, f64::from(i) * 3.0, 1.0, -1.0, &mut cell);
            viewcell_cells_pvs(bundle, a, pvs.as_mut_ptr(), words);
            let mut seen = 2;
            let one = viewcell_cells_visible(bundle, a, b);
            if viewcell_cells_visible_from(bundle, a, 1, &b, &mut seen) == VIEWCELL_OK {
                assert_eq!(one, i32::from(seen));
            }
            assert!(viewcell_cells_distance(bundle, a, b) <= 65_534);
            let construction = i % 3;
            let mut count = 0;
            if viewcell_cells_frontier_words(bundle, construction, &mut count) != VIEWCELL_OK {
                continue;
            }
            if i < 3 {
                play_in_cells(bundle, level, construction);
            }
            memory.resize(count, u64::MAX);
            let place = memory.as_mut_ptr();
            if viewcell_cells_frontier(bundle, a, b, construction, place, count) == 1 {
                assert_eq!(viewcell_cells_contains(place, words, a), 1);
                assert_eq!(viewcell_cells_contains(place.add(words), words, b), 1);
            }
        }
    }
}
