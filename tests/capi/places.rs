//! Places by number in a bundle of each kind: what C says against what Rust says.

use std::ptr::{null, null_mut};

use super::floats::opened::open;
use viewcell::capi::*;
use viewcell::query::{Bundle, World};
use viewcell::session::{Half, Session, SessionOptions};

const WORLDS: [&[u8]; 3] = [
    include_bytes!("../golden/v1/40x9-pairs.vcb"),
    include_bytes!("../golden/v1/level.vcb"),
    include_bytes!("../golden/v1/solid.vcb"),
];

fn empty() -> viewcell_box {
    viewcell_box::default()
}

#[test]
fn worlds_of_each_kind_are_asked_by_the_same_functions() {
    for bytes in WORLDS {
        let bundle = open(bytes);
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let places = world.places() as u32;
        let mut info = viewcell_world::default();
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            assert_eq!(viewcell_info(bundle, &raw mut info), VIEWCELL_OK);
        }
        assert_eq!(info.places, world.places());
        assert_eq!(info.mutual == 1, world.is_mutual());
        let all: Vec<u32> = (0..places).collect();
        let (mut hidden, mut found) = (0, 0);
        for a in (0..places).step_by(1 + places as usize / 60) {
            let mut words = vec![0; info.words as usize];
            let (mut from, mut pairs) = (vec![7; all.len()], vec![7; all.len()]);
            let same = vec![a; all.len()];
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe {
                let status = viewcell_pvs(bundle, a, 0, words.as_mut_ptr(), words.len());
                assert_eq!(status, VIEWCELL_OK);
                let (count, to) = (all.len(), all.as_ptr());
                let status = viewcell_visible_from(bundle, a, count, to, from.as_mut_ptr());
                assert_eq!(status, VIEWCELL_OK);
                let (same, out) = (same.as_ptr(), pairs.as_mut_ptr());
                let status = viewcell_visible_pairs(bundle, count, same, to, out);
                assert_eq!(status, VIEWCELL_OK);
            }
            let from_place = world.place(a.into()).unwrap();
            for b in 0..places {
                let to = world.place(b.into()).unwrap();
                let seen = world.visible(from_place, to);
                let within = world.visible_within(from_place, to, [9.0, 30.0]);
                let answers = [from[b as usize], pairs[b as usize]].map(|answer| answer == 1);
                assert_eq!(answers, [seen; 2], "{a} {b}");
                // SAFETY: pointers are to what the header asks for, handles are open.
                unsafe {
                    let is_in = viewcell_contains(bundle, words.as_ptr(), words.len(), b);
                    assert_eq!(is_in, i32::from(seen));
                    assert_eq!(viewcell_visible(bundle, a, b), i32::from(seen));
                    let said = viewcell_visible_within(bundle, a, b, 9.0, 30.0);
                    assert_eq!(said, i32::from(within));
                }
                hidden += u32::from(!within);
            }
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe {
                let mut bounds = empty();
                assert_eq!(viewcell_bounds(bundle, a, &raw mut bounds), VIEWCELL_OK);
                assert_eq!(Some(bounds.into()), world.bounds(from_place));
                let position = world.middle(from_place).unwrap().into();
                let (mut place, mut again) = (7, 7);
                let status = viewcell_locate(bundle, &raw const position, &raw mut place);
                let all = viewcell_locate_all(bundle, 1, &raw const position, &raw mut again);
                assert_eq!((all, again), (VIEWCELL_OK, place));
                if status == VIEWCELL_OK {
                    assert_eq!(world.locate(position.into()), world.place(place.into()));
                    found += 1;
                }
            }
        }
        assert!(hidden > 0 && found > 0);
        nowhere_is_seen(bundle, &world);
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            let mut bounds = empty();
            let out = [
                viewcell_visible(bundle, 0, places),
                viewcell_visible_within(bundle, places, 0, 1.0, 1.0),
                viewcell_bounds(bundle, places, &raw mut bounds),
                viewcell_pvs(bundle, places, 0, null_mut(), 0),
            ];
            assert_eq!(out, [VIEWCELL_OUTSIDE; 4]);
            assert_eq!(viewcell_pvs(bundle, 0, 0, null_mut(), 0), VIEWCELL_BUFFER);
            let null = viewcell_visible_from(bundle, 0, 1, null(), null_mut());
            assert_eq!(null, VIEWCELL_NULL);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}

/// Whoever is at no place sees all and is seen by all, and whatever asks for a place says that it is none.
fn nowhere_is_seen(bundle: *mut viewcell_bundle, world: &World) {
    let off = [
        [f64::NAN, 0.0, 0.0],
        [-1e30, 0.0, 0.0],
        [1e30, f64::INFINITY, 0.0],
    ];
    let here = world.middle(world.place(0).unwrap()).unwrap().into();
    for position in off.map(viewcell_position::from) {
        let (mut place, mut bounds) = (9, empty());
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            let status = viewcell_locate(bundle, &raw const position, &raw mut place);
            assert_eq!((status, place), (VIEWCELL_OUTSIDE, VIEWCELL_NOWHERE));
            let mut seen = [7; 2];
            let (ends, back) = ([0, place], [place, 0]);
            let (from, to) = (ends.as_ptr(), back.as_ptr());
            let said = [
                viewcell_visible(bundle, 0, place),
                viewcell_visible(bundle, place, 0),
                viewcell_visible_within(bundle, 0, place, 0.0, 0.0),
                viewcell_visible_within(bundle, place, 0, 0.0, 0.0),
                viewcell_sees_within(bundle, &raw const here, &raw const position, 0.0, 0.0),
                viewcell_sees_within(bundle, &raw const position, &raw const here, 0.0, 0.0),
                1 + viewcell_visible_pairs(bundle, 2, from, to, seen.as_mut_ptr()),
            ];
            assert_eq!((said, seen), ([1; 7], [1; 2]));
            let none = [
                viewcell_bounds(bundle, place, &raw mut bounds),
                viewcell_pvs(bundle, place, 0, null_mut(), 0),
            ];
            assert_eq!(none, [VIEWCELL_OUTSIDE; 2]);
        }
    }
}

/// Sets of each kind of world: no place of one half sees any of the other, and a region that was sent is the half.
#[test]
fn frontier_sets_in_a_world_of_each_kind_hide_their_halves_from_each_other() {
    for bytes in WORLDS {
        let bundle = open(bytes);
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let places = world.places() as u32;
        let (mut frontier, mut sets) = (null_mut(), 0);
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            assert_eq!(
                viewcell_frontier_new(bundle, &raw mut frontier),
                VIEWCELL_OK
            );
            for (a, b) in (0..places).step_by(1 + places as usize / 20).flat_map(|a| {
                let others = (0..places).step_by(1 + places as usize / 20);
                others.map(move |b| (a, b))
            }) {
                let begun = viewcell_frontier_begin(frontier, a, b, VIEWCELL_BUDGET);
                assert_eq!(begun, VIEWCELL_OK);
                while viewcell_frontier_step(frontier, 64) == 0 {}
                let halves = [0, 1].map(|side| {
                    let is_in =
                        |place: &u32| viewcell_frontier_contains(frontier, side, *place) == 1;
                    let half: Vec<u32> = (0..places).filter(is_in).collect();
                    let (mut area, mut code, mut length) = (0, [0; 512], 0);
                    viewcell_frontier_area(frontier, side, &raw mut area);
                    assert_eq!(area, half.len() as u64);
                    let out = code.as_mut_ptr();
                    viewcell_frontier_encode(frontier, side, 0, out, code.len(), &raw mut length);
                    let sent = Half::decode(&world, &code[..length]).unwrap();
                    assert!(sent.area() == area && sent.encode() == code[..length]);
                    assert!(length == 0 || Half::decode(&world, &code[..length - 1]).is_none());
                    let mut region = null_mut();
                    let read =
                        viewcell_region_decode(bundle, code.as_ptr(), length, &raw mut region);
                    assert_eq!(read, VIEWCELL_OK);
                    let kept = |place: &u32| viewcell_region_contains(region, *place) == 1;
                    assert!((0..places).filter(kept).eq(half.iter().copied()));
                    assert_eq!(viewcell_region_close(region), VIEWCELL_OK);
                    half
                });
                let place = |number: u32| world.place(number.into()).unwrap();
                let sees = |a, b| world.visible(place(a), place(b));
                if halves[0].is_empty() {
                    assert!(
                        halves[1].is_empty() && (sees(a, b) || sees(b, a)),
                        "{a} {b}"
                    );
                    continue;
                }
                sets += 1;
                assert!(halves[0].contains(&a) && halves[1].contains(&b));
                for &p in &halves[0] {
                    assert!(halves[1].iter().all(|&q| !sees(p, q) && !sees(q, p)));
                }
            }
            assert!(sets > 5, "{sets}");
            assert_eq!(viewcell_frontier_close(frontier), VIEWCELL_OK);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}

/// By default a session waits for as long as one in Rust.
#[test]
fn the_default_patience_is_that_of_the_world() {
    for bytes in WORLDS {
        let world = viewcell::query::OwnedBundle::from_static(bytes).unwrap();
        let bundle = open(bytes);
        let mut session = null_mut();
        let mut rust = Session::new(&world, 3, SessionOptions::default());
        let places = world.world().places() as usize;
        let none = viewcell_notice {
            to: 0,
            about: 0,
            what: 0,
        };
        let mut notices = [none; 4];
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            assert_eq!(
                viewcell_session_new(bundle, 3, null(), &raw mut session),
                VIEWCELL_OK
            );
            for turn in 0..900 {
                let (player, number) = (turn % 3, turn * 7919 % places);
                viewcell_session_tick(session);
                rust.tick();
                let place = world.world().place(number as u64);
                rust.move_to(player, Some(place), |_| ()).unwrap();
                let (out, mut count) = (notices.as_mut_ptr(), 0);
                let (player, number) = (player as u32, number as u32);
                viewcell_session_move(session, player, number, out, 4, &raw mut count);
            }
            let mut sets = 0;
            viewcell_session_sets(session, &raw mut sets);
            assert!(sets == rust.sets() && sets > 3, "{sets}");
            assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}

/// Rooms of nine metres; asked from the middle of one, what is drawn and where it is in the scene.
#[test]
fn objects_of_a_scene_are_asked_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.vcb");
    let mut text = String::from("mtllib none.mtl\n");
    for (number, x) in [0, 10, 20].into_iter().enumerate() {
        let first = 4 * number + 1;
        text += &format!("o wall {number}\n");
        for (y, z) in [(-20, -20), (20, -20), (20, 20), (-20, 20)] {
            text += &format!("v {x} {z} {y}\n");
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| first + k);
        text += &format!("f {a} {b} {c} {d}\nf {d} {c} {b} {a}\n");
    }
    let file = folder.path().join("walls.obj");
    std::fs::write(&file, text).unwrap();
    let baked = std::process::Command::new(env!("CARGO_BIN_EXE_viewcell"))
        .args(["bake", "scene"])
        .arg(&file)
        .args(["--volume", "12,-2,-2,18,2,2", "-o"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(baked.status.success(), "{baked:?}");
    let bundle = open(std::fs::read(&path).unwrap().leak());
    let mut info = viewcell_world::default();
    let (inside, outside) = ([15.0, 0.0, 0.0].into(), [5.0, 0.0, 0.0].into());
    let (mut words, mut name) = ([7; 2], [7; 16]);
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        assert_eq!(viewcell_info(bundle, &raw mut info), VIEWCELL_OK);
        assert_eq!(info.objects, 3);
        let mut ask = |at, count| viewcell_objects_seen(bundle, at, words.as_mut_ptr(), count);
        assert_eq!(ask(&raw const inside, 0), VIEWCELL_BUFFER);
        assert_eq!(ask(null(), 2), VIEWCELL_NULL);
        assert_eq!(ask(&raw const inside, 2), 2);
        assert_eq!(ask(&raw const outside, 1), 3);
        assert_eq!(words, [7, 0]);
        assert_eq!(
            viewcell_objects_seen(bundle, &raw const inside, words.as_mut_ptr(), 1),
            2
        );
        assert_eq!(words, [6, 0]);
        let mut path = |object, size| viewcell_object_path(bundle, object, name.as_mut_ptr(), size);
        assert_eq!(path(3, 16), VIEWCELL_OUTSIDE);
        assert_eq!(path(2, 6), 6);
        assert_eq!(path(2, 7), 6);
        assert_eq!(name.map(|c| c as u8)[..8], *b"wall 2\0\x07");
        assert_eq!(viewcell_object_path(bundle, 0, null_mut(), 0), 6);
        let level = open(WORLDS[2]);
        assert_eq!(viewcell_object_path(level, 0, null_mut(), 0), VIEWCELL_KIND);
        for of in [bundle, level] {
            assert_eq!(viewcell_close(of), VIEWCELL_OK);
        }
    }
}
