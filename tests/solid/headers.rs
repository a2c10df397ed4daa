//! Levels whose header is another game's, and those that are named with a way.

use std::path::Path;

use viewcell_ingest::solid::{SolidOptions, solid_from_bytes};

use crate::common::level;
use crate::tiny::{Block, Dialect, map, quake, source};

fn solids(bytes: &[u8]) -> Result<usize, String> {
    solid_from_bytes(bytes, Path::new("level"), &SolidOptions::default())
        .map(|read| read.level.solids.len())
        .map_err(|error| error.to_string())
}

/// As Blue Shift has it: lumps 0 and 1 exchanged.
fn blue_shift(mut level: Vec<u8>) -> Vec<u8> {
    level[4..20].rotate_left(8);
    level
}

/// As Left 4 Dead 2 has it: in each entry the version first.
fn left_4_dead_2(mut level: Vec<u8>) -> Vec<u8> {
    level[4] = 21;
    for entry in level[8..8 + 64 * 16].chunks_exact_mut(16) {
        entry[..12].rotate_right(4);
    }
    level
}

#[test]
fn blue_shift_and_left_4_dead_2_are_read() {
    let quake = quake("BSP30", &Block::of(-2_i32 as u32, "wall", 0));
    let source = source(&Block::of(1, "base/wall", 0));
    assert_eq!(solids(&quake), Ok(1));
    assert_eq!(solids(&blue_shift(quake)), Ok(1));
    assert_eq!(solids(&source), Ok(1));
    let mut other = source.clone();
    other[4] = 21;
    assert_eq!(solids(&other), Ok(1));
    assert_eq!(solids(&left_4_dead_2(source)), Ok(1));
    if let Some(blue_shift) = level("reports/second/blueshift.bsp") {
        let plain = level("reports/second/hl30.bsp").unwrap();
        assert_eq!(blue_shift.level.solids.len(), plain.level.solids.len());
        assert_eq!(blue_shift.level.spawns, plain.level.spawns);
    }
}

/// Damage is no other order: it is told of as before.
#[test]
fn a_damaged_header_is_not_taken_for_another_games() {
    let sound = source(&Block::of(1, "base/wall", 0));
    for lump in [1, 18] {
        let mut damaged = sound.clone();
        damaged[4] = 21;
        damaged[8 + 16 * lump..][..4].copy_from_slice(&7_i32.to_le_bytes());
        let error = solids(&damaged);
        assert!(error.is_err() || error == Ok(0), "{lump}: {error:?}");
    }
}

/// Entities with a spawn point at 1 2 3, packed with LZMA as `bspzip -repack -compress` has it, in hexadecimal.
const ENTITIES: &str = "4c5a4d41520000004a0000005d00000100003d8280452210f174dbd4fb9bd48080a9a839f63212b9b099241da89ed04d\
    173498bb8db3a462679e086a7e5dc9dc5f5810a3f6fde0809facf47ab6339b5821b9d409252ffffb82b000";

/// A level whose entities are packed, as in most levels of Team Fortress 2.
fn packed(level: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = ENTITIES.bytes().collect();
    let byte = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap();
    let lump: Vec<u8> = digits.chunks(2).map(byte).collect();
    let mut out = level.to_vec();
    let words = [out.len(), lump.len()].map(|word| (word as u32).to_le_bytes());
    out[8..16].copy_from_slice(words.as_flattened());
    out.extend(lump);
    out
}

#[test]
fn packed_lumps_of_source_are_read() {
    let sound = source(&Block::of(1, "base/wall", 0));
    for bytes in [packed(&sound), left_4_dead_2(packed(&sound))] {
        let read = solid_from_bytes(&bytes, Path::new("level"), &SolidOptions::default()).unwrap();
        assert_eq!(read.level.spawns, [[1.0, 2.0, 3.0]]);
        assert_eq!(read.level.solids.len(), 1);
    }
    // One that says it is larger than it is, or than anything may be; one that is damaged.
    for (at, word) in [
        (4, 1000_u32),
        (4, 1 << 30),
        (4, u32::MAX),
        (12, 0xffff_ffff),
        (17, 0x1234_5678),
    ] {
        let mut damaged = packed(&sound);
        let at = sound.len() + at;
        damaged[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let error = solids(&damaged).unwrap_err();
        assert!(
            error.contains("lump entities") || error.contains("at most 512 MiB"),
            "{error}"
        );
    }
}

/// The error says what the file is, and names a command that works with what the game's tools make of it.
#[test]
fn levels_of_later_games_are_named_with_a_way() {
    let mut level = source(&Block::of(1, "base/wall", 0));
    for (version, words) in [
        (22, "version 22"),
        (23, "version 23"),
        (25, "version 25"),
        (29, "version 29"),
        (20 | 4 << 16, "versions 20 and 4"),
    ] {
        level[4..8].copy_from_slice(&i32::to_le_bytes(version));
        let error = solids(&level).unwrap_err();
        assert!(
            error.contains(words) && error.contains("OBJ") && !error.contains("damaged"),
            "{error}"
        );
    }
    let doom3 = "Version 2\n// entity 0\n{\n\"classname\" \"worldspawn\"\n}\n";
    let error = solids(doom3.as_bytes()).unwrap_err();
    assert!(error.contains("Doom 3") && error.contains("OBJ"), "{error}");
    let error = solids(b"versioninfo\n{\n}\nworld\n{\n}\n").unwrap_err();
    assert!(
        error.contains("Hammer") && error.contains("vbsp"),
        "{error}"
    );
    // The way: a mesh.
    let mesh = "v -8 -1 0\nv -8 1 0\nv -8 0 2\nf 1 2 3\n";
    assert_eq!(solids(mesh.as_bytes()), Ok(0));
}

/// Brush primitives of NetRadiant, of which only the planes matter.
#[test]
fn brush_primitives_are_brushes() {
    let plain = map(Dialect::Quake2, "worldspawn", &Block::of(0, "base/wall", 0));
    let matrix = "( ( 0.03125 0 0 ) ( 0 0.03125 0 ) )";
    let primitive = |text: &str| {
        let lines = text
            .lines()
            .map(|line| match line.split_once(" base/wall ") {
                Some((points, _)) => format!("{points} {matrix} base/wall 0 0 0\n"),
                None => format!("{line}\n"),
            });
        lines.collect::<String>()
    };
    let brush = primitive(&plain).replacen("{\n(", "{\nbrushDef\n{\n(", 1);
    let brush = brush.replacen("0 0 0\n}\n", "0 0 0\n}\n}\n", 1);
    assert!(brush.contains("brushDef"));
    let read = |text: &str| {
        solid_from_bytes(
            text.as_bytes(),
            Path::new("level"),
            &SolidOptions::default(),
        )
        .unwrap()
    };
    let (plain, primitive) = (read(&plain), read(&brush));
    assert_eq!(primitive.level.solids.len(), 1);
    assert_eq!(plain.level.solids, primitive.level.solids);
    // A grate by its name, and a flag of the side.
    assert_eq!(
        read(&brush.replace("base/wall", "base/fgrate"))
            .level
            .solids
            .len(),
        0
    );
    assert_eq!(
        read(&brush.replacen("base/wall 0 0", "base/wall 0 16", 1))
            .level
            .solids
            .len(),
        0
    );
    // Planes of Doom 3's: outwards, and the negative distance.
    let planes = [
        "( -1 0 0 -8 )",
        "( 1 0 0 -8 )",
        "( 0 -2 0 -128 )",
        "( 0 1 0 -64 )",
        "( 0 0 -1 -64 )",
        "( 0 0 1 -64 )",
    ];
    let sides: String = planes
        .map(|plane| format!("{plane} {matrix} \"textures/base/wall\" 0 0 0\n"))
        .concat();
    let text = format!("{{\n\"classname\" \"worldspawn\"\n{{\nbrushDef3\n{{\n{sides}}}\n}}\n}}\n");
    let bounds = &read(&text).level.solids[0].bounds;
    assert_eq!(*bounds, plain.level.solids[0].bounds);
    for (from, to) in [
        ("brushDef3\n{", "brushDef3\n"),
        (" -8 )", " )"),
        ("( ( 0.03125", "( 0.03125"),
    ] {
        let damaged = text.replacen(from, to, 1);
        let error = solids(damaged.as_bytes()).unwrap_err();
        assert!(error.contains("line "), "{error}");
    }
    if let Some(read) = level("reports/second/brushdef.map") {
        assert!(
            read.notes
                .iter()
                .any(|note| note.contains("enclose no volume"))
        );
    }
}
