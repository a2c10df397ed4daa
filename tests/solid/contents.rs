//! The table of what hides and what stops players: each cell of it is a level of one block.

use std::path::Path;

use viewcell_ingest::solid::{IngestedSolid, Sky, SolidOptions, solid_from_bytes};

use crate::tiny::{Block, Dialect, map, quake, quake2, quake3, source};

const LEAVES: [&str; 4] = ["BSP29", "2PSB", "BSP2", "BSP30"];
const DIALECTS: [Dialect; 3] = [Dialect::Standard, Dialect::Valve220, Dialect::Quake2];
const DETAIL: u32 = 0x800_0000;
const SKY: u32 = 4;

fn read(bytes: &[u8], sky: Sky) -> IngestedSolid {
    let options = SolidOptions {
        sky,
        ..SolidOptions::default()
    };
    solid_from_bytes(bytes, Path::new("level"), &options).unwrap()
}

/// Who is hidden from whom by the block: from left to right through all of it, from its middle to the right; and
/// whether it stops players.
fn is(bytes: &[u8], sky: Sky) -> ([bool; 2], bool) {
    let level = read(bytes, sky).level;
    let sees = |x: f64| level.blocks([x, 1.0, 2.0], [100.0, 3.0, 4.0]);
    let stands = level
        .obstacles
        .iter()
        .any(|solid| solid.contains([0.0, 0.0, 0.0]));
    ([sees(-100.0), sees(0.0)], stands)
}

/// Writes a level of a block.
type Write = fn(&Block) -> Vec<u8>;

const THROUGH: [bool; 2] = [false, false];
const WHOLE: [bool; 2] = [true, true];
const FRONT: [bool; 2] = [true, false];

#[track_caller]
fn holds(bytes: &[u8], hides: [bool; 2], stops: bool, words: &str) {
    assert_eq!(is(bytes, Sky::Opaque), (hides, stops), "{words}");
}

#[test]
fn contents_of_leaves() {
    for format in LEAVES {
        for (contents, hides, stops) in [
            (-1, THROUGH, false),
            (-2, WHOLE, true),
            (-3, THROUGH, false),
            (-4, THROUGH, false),
            (-5, THROUGH, false),
            (-6, WHOLE, true),
            (-9, THROUGH, false),
            (-15, THROUGH, false),
            (-16, THROUGH, false),
        ] {
            let block = Block::of(contents as u32, "wall", 0);
            holds(
                &quake(format, &block),
                hides,
                stops,
                &format!("{format} {contents}"),
            );
        }
    }
}

#[test]
fn contents_of_brushes() {
    let none = u32::MAX;
    // Quake II, Quake III, Source.
    for (bits, hides, stops) in [
        ([0x1, 0x1, 0x1], WHOLE, true),
        ([0x2, none, 0x2], THROUGH, true),
        ([0x4, none, 0x4], THROUGH, false),
        ([none, none, 0x8], THROUGH, true),
        ([0x8, 0x8, none], THROUGH, false),
        ([0x10, 0x10, 0x10], THROUGH, false),
        ([0x20, 0x20, 0x20], THROUGH, false),
        ([0x40, 0x40, none], THROUGH, false),
        ([none, none, 0x4000], THROUGH, true),
        ([0x8000, 0x8000, 0x8000], THROUGH, false),
        ([0x1_0000, 0x1_0000, 0x1_0000], THROUGH, true),
        ([0x2_0000, 0x2_0000, 0x2_0000], THROUGH, false),
        ([0x100_0000, 0x100_0000, 0x100_0000], THROUGH, false),
        ([0x800_0001, 0x800_0001, 0x800_0001], WHOLE, true),
        ([0x1000_0000, 0x2000_0000, 0x1000_0000], THROUGH, false),
        ([0x1000_0001, 0x2000_0001, 0x1000_0001], THROUGH, true),
    ] {
        let each: [(&str, Write); 3] = [
            ("IBSP38", quake2),
            ("IBSP46", |block| quake3(46, block)),
            ("VBSP", source),
        ];
        for ((name, write), contents) in each.into_iter().zip(bits) {
            if contents != none {
                let file = write(&Block::of(contents, "base/wall", 0));
                holds(&file, hides, stops, &format!("{name} {contents:#x}"));
            }
        }
        let [contents, ..] = bits;
        // A `.map` has Quake II's, and what has none of them is solid.
        if contents != none {
            let stops = stops || contents == 0x1000_0000;
            let file = map(
                Dialect::Quake2,
                "worldspawn",
                &Block::of(contents, "base/wall", 0),
            );
            holds(
                file.as_bytes(),
                hides,
                stops,
                &format!(".map {contents:#x}"),
            );
        }
    }
}

#[test]
fn flags_of_one_side() {
    let none = u32::MAX;
    for (bits, hides) in [
        ([0x4, 0x4, 0x4], WHOLE),
        ([none, none, 0x2], WHOLE),
        ([0x8, none, 0x8], THROUGH),
        ([0x10, none, 0x10], THROUGH),
        ([0x20, none, none], THROUGH),
        ([0x80, none, none], WHOLE),
        ([none, 0x80, 0x80], THROUGH),
        ([0x100, 0x100, 0x100], THROUGH),
        ([0x200, 0x200, 0x200], THROUGH),
        ([none, 0x1_0000, none], THROUGH),
        ([none, 0x4000, none], WHOLE),
        ([0x200_0000, none, none], THROUGH),
        ([0x1, 0x1, none], WHOLE),
    ] {
        let each: [(&str, Write); 4] = [
            ("IBSP38", quake2),
            ("IBSP47", |block| quake3(47, block)),
            ("VBSP", source),
            (".map", |block| {
                map(Dialect::Quake2, "worldspawn", block).into_bytes()
            }),
        ];
        let [q2, ..] = bits;
        for ((name, write), flags) in each.into_iter().zip(bits.into_iter().chain([q2])) {
            if flags == none {
                continue;
            }
            let mut block = Block::of(1, "base/wall", 0);
            block.sides[2].flags = flags;
            // Hints have no contents in a `.map`: its compiler takes all of the brush for one.
            let stops = name != ".map" || flags & 0x300 == 0;
            holds(&write(&block), hides, stops, &format!("{name} {flags:#x}"));
        }
    }
}

/// Who is drawn on no side is a wall only where a tool says so.
#[test]
fn walls_that_are_not_drawn() {
    for (file, hides) in [
        (quake2(&Block::of(1, "base/wall", 0x80)), THROUGH),
        (
            quake3(46, &Block::of(1, "textures/common/caulk", 0x80)),
            WHOLE,
        ),
        (
            quake3(46, &Block::of(1, "textures/common/nodraw", 0x80)),
            THROUGH,
        ),
        (source(&Block::of(1, "TOOLS/TOOLSNODRAW", 0x80)), WHOLE),
        (source(&Block::of(1, "tools/toolsinvisible", 0x80)), THROUGH),
        // No compiler's vis takes a detail brush for a wall, and one sees through what is not drawn.
        (
            quake3(46, &Block::of(1 | DETAIL, "textures/common/caulk", 0x80)),
            THROUGH,
        ),
        (
            source(&Block::of(1 | DETAIL, "TOOLS/TOOLSNODRAW", 0x80)),
            THROUGH,
        ),
        (
            map(
                Dialect::Standard,
                "func_detail",
                &Block::of(0, "common/caulk", 0),
            )
            .into(),
            THROUGH,
        ),
        (
            map(
                Dialect::Standard,
                "worldspawn",
                &Block::of(0, "common/caulk", 0),
            )
            .into(),
            WHOLE,
        ),
        (
            map(
                Dialect::Quake2,
                "worldspawn",
                &Block::of(0, "e1u1/wall", 0x80),
            )
            .into(),
            THROUGH,
        ),
    ] {
        holds(&file, hides, true, "not drawn");
    }
    // A detail brush of Quake II that is drawn on one side hides from there.
    let mut block = Block::of(1 | DETAIL, "base/wall", 0x80);
    block.sides[0].flags = 0;
    holds(&quake2(&block), FRONT, true, "one side");
    block.sides[0].contents = block.contents;
    let file = map(Dialect::Quake2, "worldspawn", &block);
    holds(file.as_bytes(), FRONT, true, "one side");
}

/// Fences, and what a compiler leaves of `skip`, stop players and hide nothing.
#[test]
fn solid_leaves_that_are_no_walls() {
    let wall = Block::of(-2_i32 as u32, "wall", 0);
    let mut marked = wall.clone();
    marked.marked = true;
    let mut fence = wall.clone();
    fence.sides[4].texture = "{fence";
    let mut skip = wall.clone();
    skip.sides[1].drawn = false;
    let mut newskip = wall.clone();
    newskip.sides[1].texture = "skip";
    for format in LEAVES {
        holds(&quake(format, &wall), WHOLE, true, format);
        for (block, words) in [
            (&marked, "fences"),
            (&fence, "fences"),
            (&skip, "not drawn"),
            (&newskip, "not drawn"),
        ] {
            let file = quake(format, block);
            holds(&file, THROUGH, true, format);
            let notes = read(&file, Sky::Opaque).notes;
            let told = notes
                .iter()
                .any(|note| note.contains("1 of 1 solid leaves") && note.contains(words));
            assert!(told, "{words} in {notes:?}");
        }
    }
}

#[test]
fn sky_hides_where_the_compiler_takes_it_for_a_wall() {
    // One side is sky, and one sees none of it.
    let of = |contents: u32, texture: &'static str| {
        let mut block = Block::of(contents, texture, 0);
        block.sides[5].flags = SKY;
        block.sides[5].texture = "skies/sky";
        block.sides[5].contents = contents;
        block
    };
    let (wall, detail) = (of(1, "base/wall"), of(1 | DETAIL, "base/wall"));
    let mut inside = wall.clone();
    inside.structural = false;
    let plain = Block {
        contents: 1,
        ..of(0, "wall")
    };
    for (name, file, hides) in [
        ("IBSP38", quake2(&wall), WHOLE),
        ("IBSP38 detail", quake2(&detail), FRONT),
        ("IBSP46", quake3(46, &wall), WHOLE),
        ("IBSP46 detail", quake3(46, &detail), FRONT),
        ("IBSP46 in a cluster", quake3(46, &inside), FRONT),
        ("VBSP", source(&wall), WHOLE),
        ("VBSP detail", source(&detail), THROUGH),
        (
            ".map",
            map(Dialect::Standard, "worldspawn", &plain).into(),
            WHOLE,
        ),
        (
            ".map",
            map(Dialect::Valve220, "func_group", &plain).into(),
            WHOLE,
        ),
        (
            ".map",
            map(Dialect::Quake2, "worldspawn", &wall).into(),
            WHOLE,
        ),
        (
            ".map func_detail",
            map(Dialect::Standard, "func_detail", &plain).into(),
            FRONT,
        ),
        (
            ".map detail",
            map(Dialect::Quake2, "worldspawn", &detail).into(),
            FRONT,
        ),
    ] {
        holds(&file, hides, true, name);
        let structural = hides == WHOLE;
        let notes = read(&file, Sky::Opaque).notes.join("; ");
        let told = if structural {
            "1 structural brushes with sky hide"
        } else {
            "of 1 detail brushes with sky"
        };
        assert!(notes.contains(told), "{name}: {notes}");
        // What is drawn hides either way.
        let clear = if name.starts_with("VBSP") {
            THROUGH
        } else {
            FRONT
        };
        assert_eq!(is(&file, Sky::Clear), (clear, true), "{name}");
    }
    for format in LEAVES {
        let file = quake(format, &Block::of(-6_i32 as u32, "sky1", 0));
        assert_eq!(is(&file, Sky::Clear), (THROUGH, true), "{format}");
        assert!(read(&file, Sky::Opaque).notes[0].contains("`sky` clear"));
    }
    // What is all sky has no other side.
    let all = Block::of(1 | DETAIL, "skies/sky", SKY);
    holds(&quake3(46, &all), THROUGH, true, "all of it");
}

const NON_SOLID: u32 = 0x4000;

fn non_solid(texture: &'static str) -> Block {
    let mut block = Block::of(0, texture, NON_SOLID);
    block.structural = false;
    block
}

/// One walks through it and looks at it: its faces hide from their front, and its inside is open. Flags alone do not
/// say that it has no holes.
#[test]
fn what_is_not_solid_hides_from_its_front() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("scripts")).unwrap();
    let path = folder.path().join("level.bsp");
    let is = |block: &Block| {
        let read = solid_from_bytes(&quake3(46, block), &path, &SolidOptions::default()).unwrap();
        let sees = |x: f64| read.level.blocks([x, 1.0, 2.0], [100.0, 3.0, 4.0]);
        assert!(read.level.obstacles.is_empty());
        ([sees(-100.0), sees(0.0)], read.notes.join("; "))
    };
    let drape = non_solid("textures/base/drape");
    let (hides, notes) = is(&drape);
    assert!(
        hides == THROUGH
            && notes.contains("12 drawn triangles that players walk through hide nothing"),
        "{notes}"
    );
    let script = "textures/base/drape\n{\nsurfaceparm nonsolid\n{\nmap drape.tga\n}\n}\n";
    std::fs::write(folder.path().join("scripts/base.shader"), script).unwrap();
    let (hides, notes) = is(&drape);
    assert!(
        hides == FRONT && notes.contains("12 drawn triangles that players walk through hide from"),
        "{notes}"
    );
    let mut trans = drape.clone();
    for side in &mut trans.sides {
        side.contents = 0x2000_0000;
    }
    assert_eq!(is(&trans).0, THROUGH);
    // Of two that touch neither side between them is drawn.
    let mut undrawn = drape.clone();
    undrawn.sides[0].drawn = false;
    assert_eq!(is(&undrawn).0, THROUGH);
}

/// Its shader script decides, where there is one.
#[test]
fn shader_scripts_decide_what_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let maps = folder.path().join("maps");
    std::fs::create_dir_all(&maps).unwrap();
    std::fs::create_dir_all(folder.path().join("scripts")).unwrap();
    let both = |body: &str, block: &Block| {
        let script = format!("textures/base/drape\n{{\nsurfaceparm nonsolid\n{body}\n}}\n");
        std::fs::write(folder.path().join("scripts/base.shader"), script).unwrap();
        let read = |bytes: &[u8]| {
            let path = maps.join("level.bsp");
            let level = solid_from_bytes(bytes, &path, &SolidOptions::default())
                .unwrap()
                .level;
            let sees = |x: f64| level.blocks([x, 1.0, 2.0], [100.0, 3.0, 4.0]);
            [sees(-100.0), sees(0.0)]
        };
        let in_map = Block {
            sides: block.sides.map(|side| crate::tiny::Side {
                texture: "base/drape",
                ..side
            }),
            ..block.clone()
        };
        let text = map(Dialect::Standard, "worldspawn", &in_map);
        [read(&quake3(46, block)), read(text.as_bytes())]
    };
    let drape = non_solid("textures/base/drape");
    for (body, hides) in [
        ("{\nmap drape.tga\n}", FRONT),
        (
            "{\nmap $lightmap\n}\n{\nmap drape.tga\nblendFunc filter\n}",
            FRONT,
        ),
        ("surfaceparm trans\n{\nmap drape.tga\n}", THROUGH),
        ("{\nmap drape.tga\nalphaFunc GE128\n}", THROUGH),
        ("{\nmap drape.tga\nblendFunc add\n}", THROUGH),
        (
            "deformVertexes wave 1 sin 0 1 0 1\n{\nmap drape.tga\n}",
            THROUGH,
        ),
        // It is drawn from behind, too: from inside one does not see out.
        ("cull none\n{\nmap drape.tga\n}", WHOLE),
    ] {
        assert_eq!(both(body, &drape), [hides, hides], "{body}");
    }
    // Of a solid brush as well.
    let wall = Block::of(1, "textures/base/drape", 0);
    let [hides, _] = both("{\nmap drape.tga\nalphaFunc GE128\n}", &wall);
    assert_eq!(hides, THROUGH);
}

/// Two drapes that touch: neither of the sides between them is drawn.
#[test]
fn sides_of_drapes_that_touch_hide_nothing_in_a_map() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("scripts")).unwrap();
    let script = "textures/base/drape\n{\nsurfaceparm nonsolid\n{\nmap x.tga\n}\n}\n";
    std::fs::write(folder.path().join("scripts/base.shader"), script).unwrap();
    let one = crate::tiny::map_brush(Dialect::Standard, &Block::of(0, "base/drape", 0));
    let other = one.replace("( 8 ", "( 24 ").replace("( -8 ", "( 8 ");
    let text = format!("{{\n\"classname\" \"worldspawn\"\n{one}{other}}}\n");
    let path = folder.path().join("level.map");
    let level = solid_from_bytes(text.as_bytes(), &path, &SolidOptions::default())
        .unwrap()
        .level;
    // From inside the right one to the left: the left one's side is not drawn.
    assert!(!level.blocks([16.0, 1.0, 2.0], [-100.0, 3.0, 4.0]));
    assert!(level.blocks([100.0, 1.0, 2.0], [-100.0, 3.0, 4.0]));
}

/// Names of textures, where nothing else is said.
#[test]
fn names_in_a_map_of_each_dialect() {
    for (texture, hides, stops) in [
        ("wall1", WHOLE, true),
        ("window01_1", WHOLE, true),
        ("sky4", WHOLE, true),
        ("{fence", THROUGH, true),
        ("*water1", THROUGH, false),
        ("!lava", THROUGH, false),
        ("clip", THROUGH, true),
        ("skip", THROUGH, true),
        ("null", THROUGH, true),
        ("trigger", THROUGH, false),
        ("hint", THROUGH, false),
        ("origin", THROUGH, false),
        ("e1u1/wall1", WHOLE, true),
        ("e1u1/wndow1_1", THROUGH, true),
        ("e1u1/brwater", THROUGH, false),
        ("base_trim/fgrate", THROUGH, true),
        ("base/glass01", THROUGH, true),
        ("liquids/slime", THROUGH, false),
        ("skies/blue", WHOLE, true),
        ("common/clip", THROUGH, true),
        ("common/caulk", WHOLE, true),
        ("common/weapclip", THROUGH, true),
        ("sfx/mkc_fog_ctfred", THROUGH, false),
        ("effects/flare", THROUGH, false),
        ("evil8_grates/e8_x", THROUGH, true),
        ("contentempty", THROUGH, false),
        ("contentwater", THROUGH, false),
        ("splitface", THROUGH, false),
        ("@glass", THROUGH, false),
        ("solidhint", THROUGH, true),
    ] {
        for dialect in DIALECTS {
            let file = map(dialect, "worldspawn", &Block::of(0, texture, 0));
            holds(file.as_bytes(), hides, stops, texture);
        }
    }
}

/// Flags do not say that a texture has holes, and where its script is not there its name may.
#[test]
fn a_grate_of_quake_3_without_its_script_hides_nothing() {
    let file = quake3(46, &Block::of(1, "textures/base_floor/proto_grate", 0));
    holds(&file, THROUGH, true, "a grate");
    let notes = read(&file, Sky::Opaque).notes.join("\n");
    assert!(notes.contains("no shader script"), "{notes}");
}

#[test]
fn brushes_that_a_compiler_is_told_to_omit_are_not_there() {
    for class in ["func_group", "func_detail"] {
        let file = map(Dialect::Standard, class, &Block::of(0, "wall", 0));
        let key = format!("\"classname\" \"{class}\"");
        let omitted = file.replace(&key, &format!("{key}\n\"_omitbrushes\" \"1\""));
        assert_ne!(file, omitted);
        holds(omitted.as_bytes(), THROUGH, false, class);
    }
}

#[test]
fn entities_of_a_map_that_are_of_the_world() {
    for (class, hides, stops) in [
        ("worldspawn", WHOLE, true),
        ("func_group", WHOLE, true),
        ("func_detail", WHOLE, true),
        ("FUNC_DETAIL_WALL", WHOLE, true),
        ("func_detail_fence", THROUGH, true),
        ("func_detail_illusionary", THROUGH, false),
        ("func_door", THROUGH, false),
    ] {
        for dialect in DIALECTS {
            let file = map(dialect, class, &Block::of(0, "wall", 0));
            holds(file.as_bytes(), hides, stops, class);
        }
    }
}

/// Quake III's compiler knows of no detail classes, and its game removes entities of classes that it does not know.
#[test]
fn a_class_that_a_game_removes_is_not_there() {
    for (game, there) in [("Quake", true), ("Quake 2", true), ("Quake 3", false)] {
        for class in ["func_detail", "func_detail_wall"] {
            let text = map(Dialect::Quake2, class, &Block::of(0, "base/wall", 0));
            let text = format!("// Game: {game}\n{text}");
            holds(text.as_bytes(), [there; 2], there, game);
        }
    }
}
