//! What people reported of levels: each a test that is named after what went wrong.

use std::path::Path;

use viewcell_ingest::solid::{IngestedSolid, SolidOptions, solid_from_bytes};
use viewcell_ingest::world::solid::Player;

use crate::common::level;
use crate::tiny::{Block, Dialect, map, map_brush, quake, quake2, quake3, source};

fn read(text: &str) -> IngestedSolid {
    solid_from_bytes(
        text.as_bytes(),
        Path::new("level"),
        &SolidOptions::default(),
    )
    .unwrap()
}

/// Whether two players at the ends of the reported room are hidden from each other.
fn hidden(name: &str, x: f64) -> Option<bool> {
    let level = level(&format!("reports/{name}"))?.level;
    assert_eq!(level.spawns.len(), 2, "{name}");
    Some(level.blocks([-x, 0.0, 46.0], [x, 0.5, 46.0]))
}

#[track_caller]
fn is_hidden(name: &str, x: f64, expected: bool) {
    if let Some(found) = hidden(name, x) {
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_fence_hid_who_was_behind_it() {
    is_hidden("files/fence.bsp", 128.0, false);
    is_hidden("files/wall.bsp", 128.0, true);
    if let Some(fence) = level("reports/files/fence.bsp") {
        assert!(
            fence.notes.iter().any(|note| note.contains("of fences")),
            "{:?}",
            fence.notes
        );
        let block = |solid: &viewcell_ingest::world::solid::Solid| solid.contains([0.0, 0.0, 64.0]);
        assert!(fence.level.obstacles.iter().any(block));
    }
}

#[test]
fn a_window_of_quake_2_hid_in_a_map() {
    is_hidden("files/q2_window.map", 128.0, false);
    is_hidden("solids/q2_window_contents2.map", 150.0, false);
}

#[test]
fn water_of_quake_2_hid_in_a_map() {
    is_hidden("files/q2_water.map", 128.0, false);
}

#[test]
fn translucent_sides_of_quake_2_hid_in_a_map() {
    is_hidden("solids/q2_trans33.map", 150.0, false);
}

#[test]
fn a_layer_that_is_not_exported_hid() {
    is_hidden("files/tb_omitted_layer.map", 128.0, false);
    if let Some(read) = level("reports/files/tb_omitted_layer.map") {
        assert!(read.notes[0].contains("1 entities"), "{:?}", read.notes);
    }
}

#[test]
fn an_escaped_quote_ended_a_value() {
    // Of one room.
    is_hidden("files/escaped_quote.map", 128.0, false);
    let world =
        |value: &str| format!("{{\n\"classname\" \"worldspawn\"\n\"message\" \"{value}\"\n}}\n");
    for value in [
        r#"the \"Great\" Hall"#,
        r#"\"Hall\""#,
        r"c:\quake\wads\",
        r"a\b",
        "",
    ] {
        let spawn = "{\n\"classname\" \"info_player_start\"\n\"origin\" \"1 2 3\"\n}\n";
        let level = read(&(world(value) + spawn)).level;
        assert_eq!(level.spawns, [[1.0, 2.0, 3.0]], "{value}");
    }
}

#[test]
fn a_class_in_capitals_was_no_world() {
    is_hidden("files/classname_case.map", 128.0, true);
}

#[test]
fn a_semicolon_was_no_comment() {
    let brush = map_brush(Dialect::Standard, &Block::of(0, "wall", 0));
    let level = read(&format!(
        "; a map\n{{ ; the world\n\"classname\" \"worldspawn\" ; its class\n{brush}}}\n"
    ));
    assert_eq!(level.level.solids.len(), 1);
}

#[test]
fn a_brush_before_the_first_key_was_another_kind_of_file() {
    let brush = map_brush(Dialect::Standard, &Block::of(0, "wall", 0));
    for text in [
        format!("{{\n{brush}\"classname\" \"worldspawn\"\n}}\n"),
        format!("// Game: Quake\n{{\n{brush}\"classname\" \"worldspawn\"\n}}\n"),
        format!("{{\"classname\" \"worldspawn\"\n{brush}}}\n"),
    ] {
        assert_eq!(read(&text).level.solids.len(), 1, "{text}");
    }
}

/// A layer, a group of it, a group of that, and what is in each.
#[test]
fn what_leads_to_a_layer_that_is_not_exported_was_there() {
    let brush = map_brush(Dialect::Standard, &Block::of(0, "wall", 0));
    let spawn = |keys: &str| {
        format!("{{\n\"classname\" \"info_player_start\"\n\"origin\" \"1 2 3\"\n{keys}}}\n")
    };
    let group = |keys: &str| format!("{{\n\"classname\" \"func_group\"\n{keys}{brush}}}\n");
    let world = "{\n\"classname\" \"worldspawn\"\n}\n";
    let layer = |omit: &str| {
        group(&format!(
            "\"_tb_type\" \"_tb_layer\"\n\"_tb_id\" \"1\"\n\"_tb_layer_omit_from_export\" \"{omit}\"\n"
        ))
    };
    let inner = group("\"_tb_type\" \"_tb_group\"\n\"_tb_id\" \"2\"\n\"_tb_layer\" \"1\"\n");
    let innermost = group("\"_tb_type\" \"_tb_group\"\n\"_tb_id\" \"3\"\n\"_tb_group\" \"2\"\n");
    for (keys, in_layer) in [
        ("\"_tb_layer\" \"1\"\n", true),
        ("\"_tb_group\" \"2\"\n", true),
        ("\"_tb_group\" \"3\"\n", true),
        ("", false),
    ] {
        for omit in ["0", "1"] {
            let text = [
                world,
                &layer(omit),
                &inner,
                &innermost,
                &spawn(keys),
                &spawn(""),
            ]
            .concat();
            let read = read(&text);
            let left = omit == "1";
            assert_eq!(read.level.solids.len(), if left { 0 } else { 3 });
            assert_eq!(read.level.obstacles.len(), if left { 0 } else { 3 });
            assert_eq!(
                read.level.spawns.len(),
                if left && in_layer { 1 } else { 2 },
                "{keys}"
            );
        }
    }
    // What is in no layer is in the default one, which may be left out, too.
    let world = format!(
        "{{\n\"classname\" \"worldspawn\"\n\"_tb_layer_omit_from_export\" \"1\"\n{brush}}}\n"
    );
    let level = read(
        &[
            world.as_str(),
            &layer("0"),
            &spawn("\"_tb_layer\" \"1\"\n"),
            &spawn(""),
        ]
        .concat(),
    )
    .level;
    assert_eq!((level.solids.len(), level.spawns.len()), (1, 1));
    // Groups in a circle lead nowhere.
    let circle = group("\"_tb_type\" \"_tb_group\"\n\"_tb_id\" \"2\"\n\"_tb_group\" \"2\"\n");
    assert_eq!(
        read(&[world.as_str(), &circle].concat()).level.solids.len(),
        1
    );
}

#[test]
fn players_of_half_life_and_source_had_the_body_of_quake() {
    let wall = Block::of(-2_i32 as u32, "wall", 0);
    let brush = Block::of(1, "base/wall", 0);
    for (file, player) in [
        (quake("BSP29", &wall), Player::QUAKE),
        (quake("2PSB", &wall), Player::QUAKE),
        (quake("BSP2", &wall), Player::QUAKE),
        (quake("BSP30", &wall), Player::HALF_LIFE),
        (quake2(&brush), Player::QUAKE2),
        (quake3(46, &brush), Player::QUAKE3),
        (quake3(47, &brush), Player::IBSP47),
        (source(&brush), Player::SOURCE),
    ] {
        let read = solid_from_bytes(&file, Path::new("level"), &SolidOptions::default()).unwrap();
        assert_eq!(read.level.player, player, "{}", read.level.format);
    }
    let standard = map(Dialect::Standard, "worldspawn", &Block::of(0, "wall", 0));
    let valve = map(Dialect::Valve220, "worldspawn", &Block::of(0, "wall", 0));
    let flags = map(Dialect::Quake2, "worldspawn", &Block::of(0, "wall", 0));
    let half_life = valve.replacen("worldspawn\"\n", "worldspawn\"\n\"MaxRange\" \"4096\"\n", 1);
    for (text, player) in [
        (standard.clone(), Player::QUAKE),
        (valve.clone(), Player::QUAKE),
        (flags.clone(), Player::QUAKE2_OR_3),
        (half_life, Player::HALF_LIFE),
        (
            format!("// Game: Half-Life\n// Format: Valve\n{valve}"),
            Player::HALF_LIFE,
        ),
        (
            format!("// Game: Quake\n// Format: Valve\n{valve}"),
            Player::QUAKE,
        ),
        (
            format!("// Game: Quake 2\n// Format: Quake2\n{flags}"),
            Player::QUAKE2,
        ),
        (
            format!("// Game: Quake 3\n// Format: Quake3 (Valve)\n{flags}"),
            Player::QUAKE3,
        ),
    ] {
        assert_eq!(read(&text).level.player, player, "{text}");
    }
}
