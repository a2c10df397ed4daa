//! Shader scripts beside levels, compiled or not; and keys of entities: what they say is seen through hides nothing.

use std::fs;
use std::path::Path;

use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid, solid_from_bytes};

use crate::common::level;
use crate::tiny::{Block, Dialect, map, quake3};

/// A level of a block whose texture is `textures/base/wall`, compiled and not, beside files of a game.
fn both(files: &[(&str, &str)]) -> [(bool, String); 2] {
    let folder = tempfile::tempdir().unwrap();
    let maps = folder.path().join("maps");
    fs::create_dir_all(&maps).unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let compiled = quake3(46, &Block::of(1, "textures/base/wall", 0));
    let text = map(Dialect::Quake2, "worldspawn", &Block::of(0, "base/wall", 0));
    [compiled, text.into_bytes()].map(|bytes| {
        let path = maps.join("level");
        fs::write(&path, bytes).unwrap();
        let read = read_solid(&path, &SolidOptions::default()).unwrap();
        (hides(&read), read.notes.join("\n"))
    })
}

fn hides(read: &IngestedSolid) -> bool {
    read.level.blocks([-100.0, 1.0, 2.0], [100.0, 3.0, 4.0])
}

#[track_caller]
fn are(files: &[(&str, &str)], expected: bool) -> String {
    let [compiled, text] = both(files);
    assert_eq!(
        (compiled.0, text.0),
        (expected, expected),
        "{files:?}: {compiled:?}, {text:?}"
    );
    [compiled.1, text.1].join("\n")
}

fn script(body: &str) -> String {
    format!("textures/base/wall\n{{\n{body}\n}}\n")
}

#[test]
fn a_level_without_scripts_is_told_of() {
    let notes = are(&[], true);
    assert_eq!(
        notes
            .matches("no shader script is beside the level")
            .count(),
        2,
        "{notes}"
    );
    let notes = are(&[("scripts/a.shader", &script("{\nmap x.tga\n}"))], true);
    assert!(!notes.contains("no shader script"), "{notes}");
    // Of a map of Quake nothing is said.
    let text = map(Dialect::Standard, "worldspawn", &Block::of(0, "wall1", 0));
    let read = solid_from_bytes(
        text.as_bytes(),
        Path::new("level"),
        &SolidOptions::default(),
    );
    assert!(read.unwrap().notes.is_empty());
}

#[test]
fn scripts_are_where_any_of_the_games_has_them() {
    let open = script("{\nmap x.tga\nalphaFunc GE128\n}");
    for name in "scripts/a.shader scripts/A.SHADER scripts/a.shaderx scripts/a.mtrx shaders/a.shader shaders/a.mtr
        materials/a.mtr materials/a.shader maps/scripts/a.shader".split_whitespace() {
        are(&[(name, &open)], false);
    }
    are(&[("scripts/a.txt", &open)], true);
}

#[test]
fn names_are_without_regard_to_case_and_endings() {
    for name in [
        "TEXTURES/Base/WALL",
        "textures\\base\\wall",
        "textures/base/wall.tga",
        "\"textures/base/wall\"",
    ] {
        let text = format!("{name}\n{{\n{{\nmap x.tga\nblendFunc add\n}}\n}}\n");
        are(&[("scripts/a.shader", &text)], false);
        are(&[("scripts/a.shader", &text.replace('\n', "\r\n"))], false);
    }
}

#[test]
fn stages_of_daemon_are_known() {
    are(
        &[("scripts/a.shader", &script("{\nmap x\nblend blend\n}"))],
        false,
    );
    are(
        &[("scripts/a.shader", &script("diffuseMap x\nnormalMap y"))],
        true,
    );
    for name in ["daemon_blend", "lost_brace"] {
        let Some(read) = level(&format!("reports/second/{name}/maps/a.map")) else {
            continue;
        };
        assert!(
            !read.level.blocks([-128.0, 0.0, 24.0], [128.0, 0.5, 24.5]),
            "{name}"
        );
        if name == "lost_brace" {
            let notes = read.notes.join("\n");
            assert!(
                notes.contains("v.shader: line 6") && notes.contains("textures/mymap/vines"),
                "{notes}"
            );
        }
    }
}

#[test]
fn what_is_behind_a_lost_brace_hides_nothing() {
    let lost = format!(
        "textures/base/other\n{{\n{{\nmap x.tga\n\n{}",
        script("{\nmap x.tga\n}")
    );
    let notes = are(&[("scripts/a.shader", &lost)], false);
    assert!(notes.contains("a.shader: line 6: expected"), "{notes}");
    // Another script that is whole does not say more.
    let whole = script("{\nmap x.tga\n}");
    are(
        &[("scripts/a.shader", &lost), ("scripts/b.shader", &whole)],
        false,
    );
    // What is cut off may have told of anything that no other script tells of.
    let cut = "textures/base/other\n{\n{\nmap x.tga\n}\n";
    are(&[("scripts/a.shader", cut)], false);
    are(
        &[("scripts/a.shader", cut), ("scripts/b.shader", &whole)],
        true,
    );
}

#[test]
fn a_script_of_more_than_a_megabyte_is_read_to_its_end() {
    let filler: String = (0..60_000)
        .map(|i| format!("textures/x/{i}\n{{\n{{\nmap x.tga\n}}\n}}\n"))
        .collect();
    assert!(filler.len() > 1 << 20);
    let open = script("surfaceparm trans\n{\nmap x.tga\nalphaFunc GE128\n}");
    are(&[("scripts/a.shader", &(filler.clone() + &open))], false);
    are(
        &[("scripts/a.shader", &(filler + &script("{\nmap x.tga\n}")))],
        true,
    );
}

#[test]
fn a_word_that_is_not_known_is_named() {
    let notes = are(
        &[("scripts/a.shader", &script("frobnicate\n{\nmap x.tga\n}"))],
        false,
    );
    assert!(
        notes.contains("\"frobnicate\"") && notes.contains("line 3"),
        "{notes}"
    );
    // What may be left unsaid: what compilers and editors read.
    are(
        &[(
            "scripts/a.shader",
            &script("q3map_frobnicate 1 { \nqer_frobnicate\n{\nmap x.tga\n}"),
        )],
        false,
    );
    are(
        &[(
            "scripts/a.shader",
            &script("q3map_frobnicate 1\nqer_frobnicate\n{\nmap x.tga\n}"),
        )],
        true,
    );
}

/// Values of `surfaceparm`, in a map that no compiler has turned into contents: each row, and one that is in none.
#[test]
fn surface_parameters_in_a_map() {
    for (value, hides, stops) in [
        ("structural", true, true),
        ("metalsteps", true, true),
        ("trans", false, true),
        ("nonopaque", false, true),
        ("glass", false, true),
        ("forcefield", false, true),
        ("lightfilter", false, true),
        ("water", false, false),
        ("slag", false, false),
        ("trigger", false, false),
        ("areaportal", false, false),
        ("origin", false, false),
        ("nonsolid", true, false),
        ("clipmissile", true, false),
        ("nodraw", false, true),
        ("sky", true, true),
        ("detail", true, true),
        ("hint", false, false),
        ("frobnicated", false, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("scripts")).unwrap();
        let script = script(&format!("surfaceparm {value}\n{{\nmap x.tga\n}}"));
        fs::write(folder.path().join("scripts/a.shader"), script).unwrap();
        let text = map(
            Dialect::Standard,
            "worldspawn",
            &Block::of(0, "base/wall", 0),
        );
        let path = folder.path().join("level.map");
        let read = solid_from_bytes(text.as_bytes(), &path, &SolidOptions::default()).unwrap();
        assert_eq!(
            (self::hides(&read), !read.level.obstacles.is_empty()),
            (hides, stops),
            "{value}"
        );
    }
}

/// Keys by which compilers do not draw the brushes of an entity, or leave them out.
#[test]
fn keys_of_entities_that_are_of_the_world() {
    for (key, value, hides, stops) in [
        ("zhlt_invisible", "1", false, true),
        ("zhlt_invisible", "0", true, true),
        ("zhlt_invisible", "", true, true),
        ("ZHLT_Invisible", "yes", false, true),
        ("zhlt_noclip", "1", true, false),
        ("zhlt_noclip", "0", true, true),
        ("zhlt_usemodel", "door", false, false),
        ("zhlt_transform", "2", false, false),
        ("_omitbrushes", "1", false, false),
        ("_omitbrushes", "0", true, true),
        ("_hulls", "0", true, true),
        ("_hulls", "3", true, true),
        ("_hulls", "2", false, false),
        ("rendermode", "2", false, true),
        ("alpha", "0.5", false, true),
        ("alpha", "1", true, true),
        ("_alpha", "half", false, true),
        ("_indexmap", "a.pcx", false, true),
        ("alphamap", "a.pcx", false, true),
        ("_shader", "terrain/x", false, true),
        // In the editor only, and how it is compiled and lit.
        ("_tb_layer_hidden", "1", true, true),
        ("_tb_layer_locked", "1", true, true),
        ("_phong", "1", true, true),
        ("_mirrorinside", "1", true, true),
        ("_noclipfaces", "1", true, true),
        ("_chop_order", "2", true, true),
        ("zhlt_detaillevel", "1", true, true),
    ] {
        for class in ["func_detail", "func_group", "worldspawn"] {
            let text = map(Dialect::Valve220, class, &Block::of(0, "wall1", 0));
            let line = format!("\"classname\" \"{class}\"");
            let text = text.replace(&line, &format!("{line}\n\"{key}\" \"{value}\""));
            let read = solid_from_bytes(
                text.as_bytes(),
                Path::new("level"),
                &SolidOptions::default(),
            )
            .unwrap();
            let found = (self::hides(&read), !read.level.obstacles.is_empty());
            assert_eq!(found, (hides, stops), "{class} {key} {value}");
            let told = read
                .notes
                .iter()
                .any(|note| note.contains("keys of their entities"));
            assert_eq!(
                told,
                (hides, stops) != (true, true),
                "{class} {key} {value}: {:?}",
                read.notes
            );
        }
    }
    if let Some(read) = level("reports/second/zhlt_invisible.map") {
        assert!(!read.level.blocks([-128.0, 0.0, 24.0], [128.0, 0.5, 24.5]));
    }
}

#[test]
fn names_of_textures_of_half_lifes_tools() {
    for (texture, hides) in [
        ("NOCLIP", false),
        ("nullnoclip", false),
        ("BLACK_HIDDEN", false),
        ("wall", true),
    ] {
        let texture: &'static str = texture;
        let text = map(Dialect::Valve220, "worldspawn", &Block::of(0, texture, 0));
        let read = solid_from_bytes(
            text.as_bytes(),
            Path::new("level"),
            &SolidOptions::default(),
        )
        .unwrap();
        assert_eq!(self::hides(&read), hides, "{texture}");
    }
}
