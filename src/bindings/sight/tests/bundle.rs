//! Bundles in memory.

use std::fs;
use std::path::{Path, PathBuf};

use viewcell::query::Sample;
use viewcell_sight::{OwnedBundle, Place, World};

fn golden(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    root.join("tests/golden/v1").join(name)
}

fn open(name: &str) -> OwnedBundle {
    OwnedBundle::from_bytes(fs::read(golden(name)).unwrap()).unwrap()
}

#[test]
fn numbers_are_places_and_back() {
    for (name, places) in [("13x9-voids.vcb", 117), ("level.vcb", 10)] {
        let bundle = open(name);
        assert_eq!(bundle.places(), places, "{name}");
        for number in 0..places {
            let place = bundle.place(number).unwrap();
            assert_eq!(bundle.number(place), Some(number), "{name}, {place:?}");
        }
        for number in [places, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(bundle.place(number), None, "{name}");
        }
    }
    let (terrain, level) = (open("13x9-voids.vcb"), open("level.vcb"));
    assert_eq!(terrain.number(Place::Sample(Sample::new(12, 0))), Some(12));
    assert_eq!(terrain.number(Place::Sample(Sample::new(0, 1))), Some(13));
    assert_eq!(terrain.number(Place::Sample(Sample::new(13, 0))), None);
    assert_eq!(terrain.number(Place::Cell(0)), None);
    assert_eq!(level.number(Place::Cell(10)), None);
}

/// What bindings go by that have no other word for a void.
#[test]
fn whoever_can_be_somewhere_sees_themselves() {
    let mut voids = 0;
    for entry in fs::read_dir(golden("")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(bundle) = OwnedBundle::from_bytes(fs::read(&path).unwrap()) else {
            continue;
        };
        for place in (0..bundle.places()).filter_map(|number| bundle.place(number)) {
            let can_be = match (bundle.world(), place) {
                (World::Terrain(terrain), Place::Sample(sample)) => {
                    terrain.valid().has_sample(sample)
                }
                _ => true,
            };
            assert_eq!(bundle.visible(place, place), can_be, "{path:?}, {place:?}");
            voids += u32::from(!can_be);
        }
    }
    assert!(voids > 39, "{voids} voids");
}

/// Any number of threads ask, and one lets its share go.
#[test]
fn many_threads_ask_one_bundle() {
    let bundle = open("40x9-pairs.vcb");
    let expected = seen(&bundle);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let bundle = bundle.clone();
            scope.spawn(move || {
                for _ in 0..=thread % 3 {
                    assert_eq!(seen(&bundle), expected);
                }
                drop(bundle);
            });
        }
    });
    assert_eq!(seen(&bundle), expected);
}

#[test]
fn clones_outlive_the_bundle_they_are_of() {
    let bundle = open("40x9-pairs.vcb");
    let expected = seen(&bundle);
    let clones = [bundle.clone(), bundle.clone()];
    drop(bundle);
    for clone in clones {
        assert_eq!(seen(&clone), expected);
    }
}

/// How many pairs see each other.
fn seen(bundle: &OwnedBundle) -> usize {
    let World::Terrain(terrain) = bundle.world() else {
        panic!("no terrain");
    };
    let places = || (0..bundle.places()).map(|number| bundle.place(number).unwrap());
    let pairs = places().flat_map(|a| places().map(move |b| (a, b)));
    let seen = pairs.filter(|&(a, b)| bundle.visible(a, b)).count();
    assert!(seen > 360 && seen < 360 * 360 && terrain.grid().samples() == 360);
    seen
}
