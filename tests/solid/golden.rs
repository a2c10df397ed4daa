//! A bundle of a solid level, kept as it was written.
//!
//! `VIEWCELL_BLESS=1 cargo test --test solid golden` writes it anew.

use std::path::Path;

use super::watch::hides;
use crate::common::bake;
use crate::reader::{read_bundle, said};
use viewcell::format::SolidUnits;
use viewcell::query::{Bundle, OwnedBundle, Place, SolidBundle, World};
use viewcell::watch::{Watch, WatchOptions};
use viewcell_bake::BakeOptions;
use viewcell_bake::bundle::verify;
use viewcell_bake::visibility::Simd;
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::PlaceOptions;

/// Two rooms of 256 x 256 x 128 units beside each other, with a wall between them and a door at its northern end.
pub fn two_rooms() -> String {
    map_of(&[
        [[-16, -16, -16], [544, 272, 0]],
        [[-16, -16, 128], [544, 272, 144]],
        [[-16, -16, 0], [0, 272, 128]],
        [[528, -16, 0], [544, 272, 128]],
        [[0, -16, 0], [528, 0, 128]],
        [[0, 256, 0], [528, 272, 128]],
        [[256, 0, 0], [272, 192, 128]],
    ])
}

/// A map of Quake with these brushes, in which a player starts at 64, 64, 32.
pub fn map_of(boxes: &[[[i32; 3]; 2]]) -> String {
    let point = |[x, y, z]: [i32; 3]| format!("( {x} {y} {z} )");
    let brush = |[[ax, ay, az], [bx, by, bz]]: [[i32; 3]; 2]| {
        let planes = [
            [[ax, ay, az], [ax, ay + 1, az], [ax, ay, az + 1]],
            [[ax, ay, az], [ax, ay, az + 1], [ax + 1, ay, az]],
            [[ax, ay, az], [ax + 1, ay, az], [ax, ay + 1, az]],
            [[bx, by, bz], [bx, by + 1, bz], [bx + 1, by, bz]],
            [[bx, by, bz], [bx + 1, by, bz], [bx, by, bz + 1]],
            [[bx, by, bz], [bx, by, bz + 1], [bx, by + 1, bz]],
        ];
        let planes = planes
            .map(|[a, b, c]| format!("{} {} {} metal 0 0 0 1 1\n", point(a), point(b), point(c)));
        format!("{{\n{}}}\n", planes.concat())
    };
    format!(
        "{{\n\"classname\" \"worldspawn\"\n{}}}\n{{\n\"classname\" \"info_player_start\"\n\"origin\" \"64 64 32\"\n}}\n",
        boxes.iter().copied().map(brush).collect::<String>()
    )
}

/// The bundle of the two rooms with cells of a size.
pub fn baked(size: f64, options: &BakeOptions) -> Vec<u8> {
    baked_map(&two_rooms(), size, options)
}

/// The bundle of a map with cells of a size.
pub fn baked_map(text: &str, size: f64, options: &BakeOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("rooms.map");
    std::fs::write(&map, text).unwrap();
    let ingested = read_solid(&map, &SolidOptions::default()).unwrap();
    let mut place_options = PlaceOptions::of(&ingested.level);
    (place_options.size, place_options.height) = (size, size);
    bake(&map, &ingested.level, &place_options, options)
}

#[test]
fn bytes_do_not_depend_on_threads_and_processors() {
    let with = |threads, simd| {
        let options = BakeOptions {
            threads,
            simd,
            ..BakeOptions::default()
        };
        baked(24.0, &options)
    };
    let alone = with(1, Simd::Baseline);
    assert!(alone == with(3, Simd::Auto));
    // Several blocks of 64 cells, or there would be nothing to share.
    let bundle = viewcell::query::Bundle::from_bytes(&alone).unwrap();
    let cells = bundle.solid().unwrap().cells();
    assert!(cells > 256, "{cells} cells");
}

#[test]
fn the_golden_solid_level_is_written_and_read_alike() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = root.join("tests/golden/v1/solid.vcb");
    let written = baked(64.0, &BakeOptions::default());
    if std::env::var_os("VIEWCELL_BLESS").is_some() {
        std::fs::write(&golden, &written).unwrap();
    }
    assert!(std::fs::read(&golden).unwrap() == written);

    let report = verify(&golden, &mut |_| {}).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    let bundle = OwnedBundle::open(&golden).unwrap();
    bundle.bundle().check_sections().unwrap();
    let world = bundle.world();
    let World::Solid(level) = world else {
        panic!("expected a solid level, found {world:?}");
    };
    for cell in 0..level.cells() {
        let [low, high] = level.bounds(cell).unwrap();
        let middle = std::array::from_fn(|axis| (low[axis] + high[axis]) / 2.0);
        assert_eq!(world.locate(middle), Some(Place::Cell(cell)));
        assert_eq!(world.number(Place::Cell(cell)), Some(cell.into()));
        assert!(level.visible(cell, cell));
    }
    // Deep in the one room and in the other, and in the door.
    let [west, east, door] = [
        [48.0, 48.0, 32.0],
        [480.0, 48.0, 32.0],
        [264.0, 224.0, 32.0],
    ];
    assert!(!level.positions_visible(west, east) && !level.positions_visible(east, west));
    assert!(level.positions_visible(west, door) && level.positions_visible(door, east));
    assert!(!level.positions_visible_within(west, east, [8.0; 2]));
    assert!(level.positions_visible_within(west, east, [300.0; 2]));
    // Above the ceiling is nobody expected: whoever is there sees all.
    assert_eq!(world.locate([48.0, 48.0, 999.0]), None);
    assert!(level.positions_visible([48.0, 48.0, 999.0], east));

    assert_eq!(level.parameters().eye, [22.0; 2]);
    assert_eq!(level.parameters().units, SolidUnits::Quake);
    reaches_are_as_the_slow_twin_has_them(level);
    the_independent_reader_agrees(&golden, level);
}

/// Each byte changed in three ways: an error, or an answer of some sort, and no panic.
#[test]
fn a_damaged_bundle_does_no_harm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut refused, mut asked) = (0, 0);
    let sound = std::fs::read(root.join("tests/golden/v1/solid.vcb")).unwrap();
    for (at, flip) in (0..sound.len()).flat_map(|at| [1, 0x80, 0xff].map(|flip| (at, flip))) {
        let mut bytes = sound.clone();
        bytes[at] ^= flip;
        let level = Bundle::from_bytes(&bytes).and_then(|bundle| bundle.solid());
        let Ok(level) = level else {
            refused += 1;
            continue;
        };
        asked += 1;
        let last = level.cells().saturating_sub(1);
        let frame = level.parameters().frame;
        let [a, b] = [[48.0, 48.0, 32.0], [480.0, 200.0, 50.0]].map(|at| frame.to_level(at));
        let _ = frame.to_asked(a);
        let _ = (level.locate(a), level.bounds(last), level.visible(0, last));
        let _ = (
            level.visible_from_eye(a, 22.0, b),
            level.sees_within(a, b, [40.0; 2]),
        );
        if at % 16 == 0 {
            let _ = level.visible_cells(0).count();
        }
        if at % 64 == 0
            && let Some(mut watch) = Watch::new(level, 2, WatchOptions::default())
        {
            let _ = hides(&mut watch, &[[a, b]], [a, b], 1000);
        }
    }
    assert!(refused > 1000 && asked > 10_000, "{refused} {asked}");
}

/// Who sees whom, and which cells hold positions in them, between them and outside.
fn the_independent_reader_agrees(golden: &Path, level: &SolidBundle) {
    let pairs = || (0..level.cells()).flat_map(|a| (0..level.cells()).map(move |b| (a, b)));
    let asked: String = pairs().map(|(a, b)| format!("{a} {b}\n")).collect();
    let Some(found) = said("visible", golden, &["--pairs", "-"], &asked) else {
        return;
    };
    let expected: String = pairs()
        .map(|(a, b)| format!("{}\n", u8::from(level.visible(a, b))))
        .collect();
    assert!(found == expected && found.contains('0') && found.contains('1'));
    let mut nowhere = 0;
    for at in [
        [48.0, 48.0, 32.0],
        [264.0, 100.0, 32.0],
        [264.0, 224.0, 31.5],
        [16.0, 16.0, 24.0],
        [480.0, 200.25, 50.0],
        [48.0, 48.0, 999.0],
        [-1e9, 0.0, 0.0],
    ] {
        let point = format!("{},{},{}", at[0], at[1], at[2]);
        let cell = level.locate(at);
        let expected = cell.map_or("nowhere".to_owned(), |cell| cell.to_string());
        assert_eq!(
            said("locate", golden, &["--", &point], "").unwrap().trim(),
            expected
        );
        nowhere += u32::from(cell.is_none());
    }
    assert!((3..7).contains(&nowhere), "{nowhere}");
    assert_eq!(said("verify", golden, &[], "").unwrap(), "no faults\n");
    let info = said("info", golden, &[], "").unwrap();
    assert!(info.contains(&format!("{} cells", level.cells())), "{info}");
    let wrong = read_bundle("distance", golden, &["0", "1"], "").unwrap();
    assert_eq!(wrong.status.code(), Some(3));

    // A box beyond its own corners is a fault.
    let mut bytes = std::fs::read(golden).unwrap();
    let table = bytes[64..]
        .chunks(40)
        .position(|entry| entry.starts_with(b"SBOX"));
    let entry = 64 + 40 * table.unwrap() + 8;
    let at = u64::from_le_bytes(bytes[entry..entry + 8].try_into().unwrap()) as usize;
    bytes[at..at + 2].copy_from_slice(&u16::MAX.to_le_bytes());
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.vcb");
    std::fs::write(&damaged, bytes).unwrap();
    let found = read_bundle("verify", &damaged, &[], "").unwrap();
    let words = String::from_utf8(found.stdout).unwrap();
    assert!(
        found.status.code() == Some(1) && words.contains("cell 0: its least corner"),
        "{words}"
    );
}

/// The slow twin: any cell that the one may come to and any that the other may, by their boxes.
fn reaches_are_as_the_slow_twin_has_them(level: &SolidBundle) {
    let cells = || 0..level.cells();
    let bounds = |cell| level.bounds(cell).unwrap();
    let middle = |cell| {
        let [low, high] = bounds(cell);
        [0, 1, 2].map(|axis| (low[axis] + high[axis]) / 2.0)
    };
    let within = |at: [f64; 3], reach: f64, cell: u32| {
        let [low, high] = bounds(cell);
        let apart =
            [0, 1, 2].map(|axis| (low[axis] - at[axis]).max(at[axis] - high[axis]).max(0.0));
        apart.iter().map(|apart| apart * apart).sum::<f64>() <= reach * reach
    };
    let (mut hidden, mut more) = (0, 0);
    for reach in [0.0, 3.0, 21.0, 40.0] {
        let reached: Vec<Vec<u32>> = cells()
            .map(|cell| {
                cells()
                    .filter(|&other| within(middle(cell), reach, other))
                    .collect()
            })
            .collect();
        for a in cells() {
            for b in cells() {
                let pairs = reached[a as usize].iter().flat_map(|from| {
                    let to = &reached[b as usize];
                    to.iter().map(move |to| (*from, *to))
                });
                let expected = pairs.into_iter().any(|(from, to)| level.visible(from, to));
                let found = level.sees_within(middle(a), middle(b), [reach; 2]);
                assert_eq!(found, expected, "{a} and {b} within {reach}");
                hidden += u32::from(!found);
                more += u32::from(found && !level.visible(a, b));
            }
        }
    }
    assert!(
        hidden > 1000 && more > 100,
        "{hidden} hidden, {more} for a reach"
    );
}
