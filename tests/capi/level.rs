//! Levels of either kind by the numbers of their cells: what C says against what Rust says.

use std::ptr::{null, null_mut};

use viewcell::capi::*;
use viewcell::query::{Bundle, Place, World};

const LEVELS: [&[u8]; 2] = [
    include_bytes!("../golden/v1/level.vcb"),
    include_bytes!("../golden/v1/solid.vcb"),
];
const TERRAIN: &[u8] = include_bytes!("../golden/v1/13x9-voids.vcb");

fn open(bytes: &'static [u8]) -> *mut viewcell_bundle {
    let mut bundle = null_mut();
    let (at, length) = (bytes.as_ptr(), bytes.len());
    let version = VIEWCELL_ABI_VERSION;
    let opened =
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe { viewcell_open_memory(version, at, length, &raw mut bundle, null_mut(), 0) };
    assert_eq!(opened, VIEWCELL_OK);
    bundle
}

#[test]
fn levels_of_either_kind_are_asked_by_the_same_functions() {
    for bytes in LEVELS {
        let bundle = open(bytes);
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let cells = world.places() as u32;
        let all: Vec<u32> = (0..cells).collect();
        let (mut hidden, mut found) = (0, 0);
        for a in 0..cells {
            let mut words = vec![0; all.len().div_ceil(64)];
            let (mut from, mut pairs) = (vec![7; all.len()], vec![7; all.len()]);
            let same = vec![a; all.len()];
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe {
                let status = viewcell_cells_pvs(bundle, a, words.as_mut_ptr(), words.len());
                assert_eq!(status, VIEWCELL_OK);
                let (count, to) = (all.len(), all.as_ptr());
                let status = viewcell_cells_visible_from(bundle, a, count, to, from.as_mut_ptr());
                assert_eq!(status, VIEWCELL_OK);
                let (same, out) = (same.as_ptr(), pairs.as_mut_ptr());
                let status = viewcell_cells_visible_pairs(bundle, count, same, to, out);
                assert_eq!(status, VIEWCELL_OK);
            }
            for b in 0..cells {
                let places = [a, b].map(Place::Cell);
                let seen = world.visible(places[0], places[1]);
                let within = world.visible_within(places[0], places[1], [9.0, 30.0]);
                let is_in = words[b as usize / 64] >> (b % 64) & 1 == 1;
                let answers = [from[b as usize], pairs[b as usize]].map(|answer| answer == 1);
                assert_eq!((is_in, answers), (seen, [seen; 2]), "{a} {b}");
                // SAFETY: pointers are to what the header asks for, handles are open.
                unsafe {
                    assert_eq!(viewcell_cells_visible(bundle, a, b), i32::from(seen));
                    let said = viewcell_cells_visible_within(bundle, a, b, 9.0, 30.0);
                    assert_eq!(said, i32::from(within));
                }
                hidden += u32::from(!within);
            }
            let corners = match &world {
                World::Cells(level) => level.bounds(a).map(|at| at.map(|at| at.map(f64::from))),
                World::Solid(level) => level.bounds(a),
                World::Terrain(_) => None,
            };
            let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
            // SAFETY: pointers are to what the header asks for, handles are open.
            unsafe {
                let status = viewcell_cells_bounds(bundle, a, low.as_mut_ptr(), high.as_mut_ptr());
                assert_eq!((status, Some([low, high])), (VIEWCELL_OK, corners));
                let [x, y, z] = world.middle(Place::Cell(a)).unwrap();
                let mut cell = u32::MAX;
                if viewcell_cells_locate(bundle, x, y, z, &raw mut cell) == VIEWCELL_OK {
                    assert_eq!(world.locate([x, y, z]), Some(Place::Cell(cell)));
                    found += 1;
                }
            }
        }
        assert!(hidden > 0 && found > 0);
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            let mut cell = 9;
            let nowhere = viewcell_cells_locate(bundle, f64::NAN, 0.0, 0.0, &raw mut cell);
            assert_eq!((nowhere, cell), (VIEWCELL_OUTSIDE, 9));
            let out = [
                viewcell_cells_visible(bundle, 0, cells),
                viewcell_cells_visible_within(bundle, cells, 0, 1.0, 1.0),
                viewcell_cells_bounds(bundle, cells, [0.0; 3].as_mut_ptr(), [0.0; 3].as_mut_ptr()),
                viewcell_cells_pvs(bundle, cells, null_mut(), 0),
            ];
            assert_eq!(out, [VIEWCELL_OUTSIDE; 4]);
            assert_eq!(
                viewcell_cells_pvs(bundle, 0, null_mut(), 0),
                VIEWCELL_BUFFER
            );
            let null = viewcell_cells_visible_from(bundle, 0, 1, null(), null_mut());
            assert_eq!(null, VIEWCELL_NULL);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}

#[test]
fn a_terrain_has_no_cells() {
    let bundle = open(TERRAIN);
    // SAFETY: pointers are to what the header asks for, handles are open.
    unsafe {
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        let mut cell = 0;
        let refused = [
            viewcell_cells_visible(bundle, 0, 0),
            viewcell_cells_visible_within(bundle, 0, 0, 1.0, 1.0),
            viewcell_cells_bounds(bundle, 0, low.as_mut_ptr(), high.as_mut_ptr()),
            viewcell_cells_pvs(bundle, 0, null_mut(), 0),
            viewcell_cells_locate(bundle, 0.0, 0.0, 0.0, &raw mut cell),
        ];
        assert_eq!(refused, [VIEWCELL_KIND; 5]);
        assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
    }
}

/// Everybody is at the same position, and each in a cell of their own: what is told is what may be seen.
#[test]
fn awareness_tells_in_a_solid_level_of_those_who_may_be_seen() {
    for (bytes, look_ahead) in LEVELS
        .into_iter()
        .flat_map(|bytes| [(bytes, 0.0), (bytes, 5.0)])
    {
        let bundle = open(bytes);
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let cells = world.places() as u32;
        let mut awareness = null_mut();
        let senses = viewcell_senses {
            reach: 1.0,
            acuity: f32::INFINITY,
            radius: 1.0,
        };
        let here = [0.0_f32; 3];
        let here = here.as_ptr();
        let (mut began, mut ceased, mut player) = (0, 0, 0);
        // SAFETY: pointers are to what the header asks for, handles are open.
        let told: Vec<[u32; 2]> = unsafe {
            let made = viewcell_awareness_new(bundle, look_ahead, &raw mut awareness);
            assert_eq!(made, VIEWCELL_OK);
            let out = &raw mut player;
            for cell in 0..cells {
                let came = viewcell_cells_awareness_come(awareness, here, cell, senses, out);
                assert_eq!((came, player), (VIEWCELL_OK, cell));
            }
            let outside = viewcell_cells_awareness_come(awareness, here, cells, senses, out);
            assert_eq!(outside, VIEWCELL_OUTSIDE);
            viewcell_awareness_tick(awareness, &raw mut began, &raw mut ceased);
            let none = viewcell_aware {
                observer: 0,
                other: 0,
            };
            let mut pairs = vec![none; began];
            let (at, mut count) = (pairs.as_mut_ptr(), 0);
            let status = viewcell_awareness_began(awareness, at, began, &raw mut count);
            assert_eq!((status, count), (VIEWCELL_OK, began));
            assert_eq!(viewcell_awareness_close(awareness), VIEWCELL_OK);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
            let pairs = pairs.iter();
            pairs.map(|pair| [pair.observer, pair.other]).collect()
        };
        let pairs = (0..cells).flat_map(|a| (0..cells).map(move |b| [a, b]));
        let seen = pairs.filter(|&[a, b]| {
            let [here, there] = [a, b].map(Place::Cell);
            a != b
                && match look_ahead {
                    0.0 => world.visible(here, there),
                    _ => world.visible_within(here, there, [look_ahead; 2]),
                }
        });
        let expected: Vec<[u32; 2]> = seen.collect();
        assert_eq!(told, expected);
        assert!(
            told.len() < (cells * (cells - 1)) as usize,
            "somebody is hidden"
        );
    }
}
