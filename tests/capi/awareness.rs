//! Awareness over the C interface tells what it tells in Rust.

use std::ptr::{null, null_mut};

use viewcell::capi::*;
use viewcell::interest::{Awareness, Senses};
use viewcell::query::{Bundle, Place, Sample};

const TERRAIN: &[u8] = include_bytes!("../golden/v1/13x9-voids.vcb");

fn open() -> *mut viewcell_bundle {
    let mut bundle = null_mut();
    let (bytes, length) = (TERRAIN.as_ptr().cast(), TERRAIN.len());
    // SAFETY: pointers are to what the header asks for, handles are open.
    let status = unsafe {
        viewcell_open_memory(
            VIEWCELL_ABI_VERSION,
            bytes,
            length,
            &raw mut bundle,
            null_mut(),
            0,
        )
    };
    assert_eq!(status, VIEWCELL_OK);
    bundle
}

fn pairs(awareness: *const viewcell_awareness, began: bool, count: usize) -> Vec<[u32; 2]> {
    let write = if began {
        viewcell_awareness_began
    } else {
        viewcell_awareness_ceased
    };
    let empty = viewcell_aware {
        observer: 0,
        other: 0,
    };
    let mut pairs = vec![empty; count];
    let mut found = 0;
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        if count > 0 {
            let status = write(awareness, pairs.as_mut_ptr(), count - 1, &raw mut found);
            assert_eq!((status, found), (VIEWCELL_BUFFER, count));
        }
        let status = write(awareness, pairs.as_mut_ptr(), count, &raw mut found);
        assert_eq!((status, found), (VIEWCELL_OK, count));
    }
    let pairs = pairs.iter();
    pairs.map(|pair| [pair.observer, pair.other]).collect()
}

#[test]
fn players_in_c_hear_of_those_they_hear_of_in_rust() {
    let bundle = open();
    let world = Bundle::from_bytes(TERRAIN).unwrap().world().unwrap();
    let mut expected = Awareness::new(world);
    let mut awareness = null_mut();
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let status = viewcell_awareness_new(bundle, 0.0, &raw mut awareness);
        assert_eq!(status, VIEWCELL_OK);
        // What it needs of the bundle stays.
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
    }
    let mut seed = 3_u32;
    let mut dice = |sides: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(seed) * u64::from(sides)) >> 32) as u32
    };
    let mut changes = 0;
    let mut players: Vec<u32> = Vec::new();
    for tick in 0..80 {
        let comes = if tick == 0 { 30 } else { dice(2) };
        for _ in 0..comes {
            let (column, row) = (dice(13), dice(9));
            let position = [column as f32, row as f32, 0.0];
            let given_position = viewcell_position::from(position.map(f64::from));
            let senses = Senses {
                reach: 5.0,
                acuity: f32::INFINITY,
                radius: 1.0,
            };
            let given = viewcell_senses {
                reach: 5.0,
                acuity: f32::INFINITY,
                radius: 1.0,
            };
            let number = expected.insert(position, Place::Sample(Sample::new(column, row)), senses);
            let mut player = u32::MAX;
            let place = row * 13 + column;
            let (position, given) = (&raw const given_position, &raw const given);
            // SAFETY: pointers are to what the header asks for, handles are open.
            let status = unsafe {
                viewcell_awareness_come(awareness, position, place, given, &raw mut player)
            };
            assert_eq!((status, Ok(player)), (VIEWCELL_OK, number));
            players.push(player);
        }
        for &player in &players {
            let (column, row) = (dice(13), dice(9));
            if dice(3) > 0 {
                continue;
            }
            let position = [column as f32, row as f32, 0.0];
            let sample = Place::Sample(Sample::new(column, row));
            expected.move_to(player, position, sample).unwrap();
            let place = row * 13 + column;
            let position = viewcell_position::from(position.map(f64::from));
            let position = &raw const position;
            // SAFETY: pointers are to what the header asks for, handles are open.
            let status = unsafe { viewcell_awareness_move(awareness, player, position, place) };
            assert_eq!(status, VIEWCELL_OK);
        }
        if dice(4) == 0 && !players.is_empty() {
            let player = players.swap_remove(dice(players.len() as u32) as usize);
            expected.remove(player).unwrap();
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe {
                assert_eq!(viewcell_awareness_go(awareness, player), VIEWCELL_OK);
                assert_eq!(viewcell_awareness_go(awareness, player), VIEWCELL_ARGUMENT);
            }
        }
        let (mut began, mut ceased) = (0, 0);
        // SAFETY: pointers are to what the header asks for, handles are open.
        let status = unsafe { viewcell_awareness_tick(awareness, &raw mut began, &raw mut ceased) };
        assert_eq!(status, VIEWCELL_OK);
        let told = expected.tick();
        assert_eq!(pairs(awareness, true, began), told.began, "tick {tick}");
        assert_eq!(pairs(awareness, false, ceased), told.ceased, "tick {tick}");
        changes += began + ceased;
    }
    assert!(changes > 500, "{changes}");
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        assert_eq!(viewcell_awareness_close(awareness), VIEWCELL_OK);
        assert_eq!(viewcell_awareness_close(awareness), VIEWCELL_CLOSED);
    }
}

#[test]
fn what_is_no_player_place_or_option_is_refused() {
    let bundle = open();
    let mut awareness = null_mut();
    for look_ahead in [f64::NAN, f64::INFINITY, -1.0] {
        // SAFETY: pointers are to what the header asks for, handles are open.
        let status = unsafe { viewcell_awareness_new(bundle, look_ahead, &raw mut awareness) };
        assert_eq!(status, VIEWCELL_ARGUMENT);
        assert!(awareness.is_null());
    }
    let senses = |reach| viewcell_senses {
        reach,
        acuity: 1.0,
        radius: 1.0,
    };
    let mut player = 0;
    let out = &raw mut player;
    let here = viewcell_position::default();
    let no_number = viewcell_position::from([0.0, f64::NAN, 0.0]);
    let (here, no_number) = (&raw const here, &raw const no_number);
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        assert_eq!(
            viewcell_awareness_new(bundle, 2.0, &raw mut awareness),
            VIEWCELL_OK
        );
        let come = |position, place, reach| {
            let senses = senses(reach);
            viewcell_awareness_come(awareness, position, place, &raw const senses, out)
        };
        assert_eq!(come(here, 13 * 9, 1.0), VIEWCELL_OUTSIDE);
        assert_eq!(come(here, 0, -1.0), VIEWCELL_ARGUMENT);
        assert_eq!(come(no_number, 0, 1.0), VIEWCELL_ARGUMENT);
        assert_eq!(come(null(), 0, 1.0), VIEWCELL_NULL);
        let senseless = viewcell_awareness_come(awareness, here, 0, null(), out);
        assert_eq!(senseless, VIEWCELL_NULL);
        let moved = viewcell_awareness_move(awareness, 0, here, 0);
        assert_eq!(moved, VIEWCELL_ARGUMENT);
        assert_eq!(come(here, 0, 1.0), VIEWCELL_OK);
        assert_eq!(viewcell_awareness_close(awareness), VIEWCELL_OK);
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        assert_eq!(come(here, 0, 1.0), VIEWCELL_CLOSED);
    }
}
