//! Tests at run time: what they call hidden is, and doors hide while they are closed.

use std::time::Duration;

use proptest::prelude::*;
use viewcell::dice::Dice;
use viewcell::format::Tag;
use viewcell::format::occluders::{HEADER_LEN, RECORD_LEN};
use viewcell::query::{Bundle, Extent, OcclusionTest, ReachableSet, SolidBundle, World};
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::SolidLevel;

use super::golden::two_rooms;
use super::motion::reached;

const ROOMS: &[u8] = include_bytes!("../golden/v1/solid.vcb");
const LONG: Duration = Duration::from_secs(60);

fn rooms() -> (SolidLevel, SolidBundle<'static>, OcclusionTest) {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("rooms.map");
    std::fs::write(&map, two_rooms()).unwrap();
    let bundle = Bundle::from_bytes(ROOMS).unwrap().solid().unwrap();
    let test = bundle.occlusion_test().unwrap();
    (
        read_solid(&map, &SolidOptions::default()).unwrap().level,
        bundle,
        test,
    )
}

fn cube(middle: [f64; 3], half: f64) -> Extent {
    Extent::of_box([middle.map(|at| at - half), middle.map(|at| at + half)])
}

/// A point of a box, by three numbers from 0 to 1.
fn within([low, high]: [[f64; 3]; 2], at: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| low[k] + at[k] * (high[k] - low[k]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn no_segment_is_clear_between_what_is_hidden(
        places in [[10.0..520.0_f64, 10.0..250.0, 20.0..110.0], [10.0..520.0_f64, 10.0..250.0, 20.0..110.0]],
        half in 0.0..60.0_f64,
        points in prop::collection::vec([0.0..=1.0_f64, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 60),
        mut guess in 0..40_u32,
    ) {
        let (level, bundle, mut test) = rooms();
        let [from, to] = places.map(|place| cube(place, half));
        let hidden = test.hides(&from, &to, &mut guess, LONG);
        // A second look finds the same, whatever hid the pair.
        prop_assert_eq!(test.hides(&from, &to, &mut guess, LONG), hidden);
        if hidden {
            let parameters = bundle.parameters();
            let [low, high] = to.corners();
            let body = [
                std::array::from_fn(|k| low[k] + parameters.hull[0][k]),
                std::array::from_fn(|k| high[k] + parameters.hull[1][k]),
            ];
            for point in points {
                let mut eye = within(from.corners(), [point[0], point[1], point[2]]);
                eye[2] += parameters.eye[1];
                let part = within(body, [point[3], point[4], point[5]]);
                prop_assert!(level.blocks(eye, part), "{eye:?} sees {part:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_segment_is_clear_from_where_a_player_can_come_to_where_a_hidden_one_can(
        places in [[10.0..520.0_f64, 10.0..250.0, 20.0..110.0], [10.0..520.0_f64, 10.0..250.0, 20.0..110.0]],
        half in [0.0..90.0_f64, 0.0..90.0],
        points in prop::collection::vec([0.0..=1.0_f64, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 60),
        mut guess in 0..40_u32,
    ) {
        let (level, bundle, mut test) = rooms();
        let regions = [cube(places[0], half[0]), cube(places[1], half[1])];
        let mut sets = [0, 1].map(|i| {
            let mut set = ReachableSet::new(World::Solid(bundle));
            set.set_region(places[i], &regions[i]);
            set
        });
        let [from, to] = &mut sets;
        let hidden = test.hides_reachable(&bundle, [from, to], &mut guess, LONG);
        let is_lost = places.iter().any(|place| bundle.locate(*place).is_none());
        prop_assert!(!hidden || !is_lost);
        // What cells hide is hidden.
        prop_assert!(hidden || is_lost || sets[0].sees(&sets[1]));
        if hidden {
            let cells = [0, 1].map(|i| reached(&bundle, [places[i]; 2], [&regions[i]; 2]));
            let is_in = |i: usize, point: [f64; 3]| {
                let cell: Option<u32> = bundle.locate(point);
                cell.is_some_and(|cell| cells[i].contains(&cell))
            };
            let parameters = bundle.parameters();
            for point in points {
                let mut eye = within(regions[0].corners(), [point[0], point[1], point[2]]);
                let at = within(regions[1].corners(), [point[3], point[4], point[5]]);
                if is_in(0, eye) && is_in(1, at) {
                    eye[2] += parameters.eye[1];
                    let body = within(parameters.hull, [point[1], point[4], point[2]]);
                    let part = std::array::from_fn(|k| at[k] + body[k]);
                    prop_assert!(level.blocks(eye, part), "{eye:?} sees {part:?}");
                }
            }
        }
    }
}

#[test]
fn a_closed_door_hides_and_an_open_one_does_not() {
    let (_, bundle, mut test) = rooms();
    let (west, east) = (
        cube([60.0, 230.0, 32.0], 8.0),
        cube([480.0, 230.0, 32.0], 8.0),
    );
    assert!(bundle.sees_region(&west, &east));
    let mut guess = 0;
    assert!(!test.hides(&west, &east, &mut guess, LONG));
    // From the wall's end to the other wall, and one that leaves a gap.
    let door = [[260.0, 190.0, -1.0], [268.0, 257.0, 129.0]];
    let ajar = [[260.0, 190.0, -1.0], [268.0, 240.0, 129.0]];
    for (doors, hidden) in [
        (&[door][..], true),
        (&[ajar], false),
        (&[ajar, door], true),
        (
            &[[[f64::NAN; 3]; 2], [[1e9; 3], [2e9; 3]], [door[1], door[0]]],
            false,
        ),
        (&[], false),
    ] {
        test.set_doors(doors);
        for _ in 0..2 {
            assert_eq!(
                test.hides(&west, &east, &mut guess, LONG),
                hidden,
                "{doors:?}"
            );
        }
    }
    // Deep in either room a wall hides; nothing is proven far outside, of nothing, or in no time where that takes some.
    let (west, east) = (
        cube([48.0, 48.0, 32.0], 8.0),
        cube([480.0, 48.0, 32.0], 8.0),
    );
    assert!(test.hides(&west, &east, &mut guess, LONG));
    let everywhere = Extent::of_box([[f64::NAN; 3], [f64::NAN; 3]]);
    assert!(!test.hides(&everywhere, &east, &mut guess, LONG));
    assert!(!test.hides(&cube([1e7, 0.0, 0.0], 1.0), &east, &mut guess, LONG));
    let nothing = Extent::of_box([[9.0; 3], [1.0; 3]]);
    assert!(!test.hides(&nothing, &east, &mut guess, LONG));
}

#[test]
fn most_of_what_the_bake_hides_is_hidden_at_run_time() {
    let (_, bundle, mut test) = rooms();
    let (mut both, mut baked) = (0, 0);
    for a in 0..bundle.cells() {
        for b in (0..bundle.cells()).filter(|&b| !bundle.visible(a, b)) {
            let [a, b] = [a, b].map(|cell| Extent::of_box(bundle.bounds(cell).unwrap()));
            baked += 1;
            both += u32::from(test.hides(&a, &b, &mut 0, LONG));
        }
    }
    assert!(baked > 100 && both * 100 >= baked * 99, "{both} of {baked}");
}

#[test]
fn damaged_occluders_are_refused_or_asked_without_a_crash() {
    let sections: Vec<_> = Bundle::from_bytes(ROOMS).unwrap().sections().collect();
    let section = sections
        .iter()
        .find(|section| section.tag == Tag::SOCC)
        .unwrap();
    let (first, length) = (section.offset as usize, section.length as usize);
    // The second occluder with the planes of the first: with many such, a small file would fill all memory.
    let mut bytes = ROOMS.to_vec();
    let at = first + HEADER_LEN + RECORD_LEN + 8;
    assert_ne!(bytes[at..at + 4], [0; 4]);
    bytes[at..at + 4].fill(0);
    let bundle = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
    assert!(bundle.occlusion_test().is_none());
    let (mut dice, mut refused) = (Dice(5), 0);
    for _ in 0..3000 {
        let mut bytes = ROOMS.to_vec();
        for _ in 0..1 + dice.roll(3) {
            bytes[first + dice.roll(length as u32) as usize] = dice.roll(256) as u8;
        }
        let bundle = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let Some(mut test) = bundle.occlusion_test() else {
            refused += 1;
            continue;
        };
        let (west, east) = (
            cube([60.0, 230.0, 32.0], 40.0),
            cube([480.0, 60.0, 32.0], 40.0),
        );
        let mut guess = u32::MAX;
        test.hides(&west, &east, &mut guess, Duration::from_millis(1));
    }
    assert!((50..2950).contains(&refused), "{refused}");
}
