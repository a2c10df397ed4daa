//! Bundles as assets: those that load, and those that do not.

mod common;

use std::fs;

use bevy_asset::LoadState;
use bevy_viewcell::viewcell::query::Sample;
use bevy_viewcell::{OpenError, Place, ViewCells, World};

use common::{app, golden, load, of};

#[test]
fn a_terrain_and_a_level_load() {
    let mut app = app(&golden());
    let (terrain, state) = load(&mut app, "40x9-pairs.vcb");
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    let (level, state) = load(&mut app, "level.vcb");
    assert!(matches!(state, LoadState::Loaded), "{state:?}");

    let terrain = of(&app, &terrain).unwrap();
    let World::Terrain(world) = terrain.world() else {
        panic!("{terrain:?} is no terrain");
    };
    assert_eq!((world.grid().width(), world.grid().height()), (40, 9));
    let level = of(&app, &level).unwrap();
    let World::Cells(world) = level.world() else {
        panic!("{level:?} is no level");
    };
    assert_eq!(world.cells(), 10);
    let (sample, cell) = (Place::Sample(Sample::new(0, 0)), Place::Cell(0));
    assert!(terrain.world().visible(sample, sample) && level.world().visible(cell, cell));
    let (solid, state) = load(&mut app, "solid.vcb");
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    let solid = of(&app, &solid).unwrap().world();
    assert!(matches!(solid, World::Solid(level) if level.visible(0, 0)));
}

#[test]
fn places_off_the_map_and_voids_are_none() {
    let terrain = common::open("13x9-voids-pairs.vcb");
    let World::Terrain(world) = terrain.world() else {
        panic!("no terrain");
    };
    let [dx, dy] = world.parameters().cell_spacing;
    let mut voids = 0;
    for row in 0..9 {
        for column in 0..13 {
            let sample = Sample::new(column, row);
            let at = [f64::from(column) * dx, f64::from(row) * dy, 0.0];
            let expected = world
                .valid()
                .has_sample(sample)
                .then_some(Place::Sample(sample));
            assert_eq!(terrain.world().locate(at), expected, "{at:?}");
            voids += u32::from(expected.is_none());
        }
    }
    assert_eq!(voids, 39);
    for off in [
        [-dx, 0.0, 0.0],
        [13.0 * dx, 0.0, 0.0],
        [0.0, 9.0 * dy, 0.0],
        [f64::NAN; 3],
        [f64::INFINITY; 3],
    ] {
        assert_eq!(terrain.world().locate(off), None, "{off:?}");
    }
    let level = common::open("level.vcb");
    assert_eq!(level.world().locate([1e9; 3]), None);
    assert_eq!(level.world().locate([f64::NAN; 3]), None);
}

#[test]
fn damaged_bundles_are_errors_with_words_and_the_app_lives() {
    let folder = std::env::temp_dir().join(format!("bevy-viewcell-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let whole = fs::read(golden().join("40x9-pairs.vcb")).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    fs::write(folder.join("short.vcb"), &whole[..whole.len() - 1]).unwrap();
    fs::write(folder.join("flipped.vcb"), flipped).unwrap();
    fs::write(folder.join("text.vcb"), "no bundle").unwrap();
    fs::write(folder.join("empty.vcb"), "").unwrap();

    let mut app = app(&folder);
    for (name, words) in [
        ("short.vcb", "7516"),
        ("flipped.vcb", "expected checksum 7ba10159 of section PROV"),
        ("text.vcb", "bundle"),
        ("empty.vcb", ""),
        ("nothing.vcb", "nothing.vcb"),
    ] {
        let (handle, state) = load(&mut app, name);
        let LoadState::Failed(error) = state else {
            panic!("{name}: {state:?}");
        };
        let error = error.to_string();
        assert!(
            error.contains(words) && error.contains(name),
            "{name}: {error}"
        );
        assert!(of(&app, &handle).is_none());
    }
    // The app goes on, and loads what is whole.
    fs::write(folder.join("whole.vcb"), whole).unwrap();
    let (_, state) = load(&mut app, "whole.vcb");
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_byte_counts_and_every_prefix_is_an_error() {
    let whole = fs::read(golden().join("level.vcb")).unwrap();
    for length in 0..whole.len() {
        let found = ViewCells::from_bytes(whole[..length].to_vec());
        assert!(matches!(found, Err(OpenError::Format { .. })), "{length}");
    }
    // Between sections there may be bytes of padding, of which nothing is read.
    let damaged = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        ViewCells::from_bytes(bytes).is_err()
    };
    let unnoticed = (0..whole.len()).filter(|at| !damaged(*at)).count();
    assert!(
        unnoticed < whole.len() / 10,
        "{unnoticed} of {}",
        whole.len()
    );
}
