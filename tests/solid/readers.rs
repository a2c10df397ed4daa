//! Files to levels of solids.

use std::path::Path;

use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid, solid_from_bytes};
use viewcell_ingest::world::solid::SolidLevel;

use crate::common::level;
use crate::data::data;

fn read(bytes: &[u8]) -> IngestedSolid {
    solid_from_bytes(bytes, Path::new("level"), &SolidOptions::default()).unwrap()
}

fn fails(bytes: &[u8], words: &str) {
    let error = solid_from_bytes(bytes, Path::new("level"), &SolidOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains(words), "{words:?} in {error}");
}

#[test]
fn real_levels_have_solids_and_spawns() {
    for (name, solids, faces, spawns) in [
        // With what has a side of sky, which their compilers take for walls.
        ("traces/maps/ps9ctf.bsp", 423, 0, 97),
        ("traces/maps/dm2.bsp", 1438, 0, 14),
        ("traces/maps/dm2.map", 1192, 0, 14),
        // Without its fence, which is of skip.
        ("cells/q1-2psb/q1_detail_fence.bsp", 45, 0, 1),
        ("cells/q1-bsp2/dm4.bsp", 661, 0, 12),
        ("cells/hl-bsp30/lqdm11.bsp", 445, 0, 10),
        ("cells/q2-ibsp38/dm4.bsp", 699, 0, 12),
        // Of detail brushes with caulk what is drawn.
        ("cells/q3-ibsp46/stormkeep.bsp", 1051, 770, 10),
        ("solids/dungeon.obj", 1, 10_121, 0),
        ("solids/denhaag_01.city.json", 882, 22_821, 0),
    ] {
        let Some(found) = level(name) else { continue };
        let level = &found.level;
        let counts = (level.solids.len(), level.faces.len(), level.spawns.len());
        assert_eq!(counts, (solids, faces, spawns), "{name}");
        assert!(level.obstacles.len() >= solids, "{name}");
    }
}

/// What hides is solid for the engine, too: no player of a trace ever looked out of a solid.
#[test]
fn no_eye_of_a_trace_is_in_a_solid() {
    for (name, trace, eye) in [
        ("traces/maps/ps9ctf.bsp", "traces/oa_ps9ctf.csv", 26.0),
        ("traces/maps/dm2.bsp", "traces/qw_4on4_dm2.csv", 22.0),
        ("traces/maps/dm2.map", "traces/qw_4on4_dm2.csv", 22.0),
    ] {
        let (Some(found), Some(positions)) = (level(name), crate::common::positions(trace)) else {
            continue;
        };
        for [x, y, z] in positions.into_iter().step_by(7) {
            let middle = found.level.middle;
            let at = [x - middle[0], y - middle[1], z + eye - middle[2]];
            let inside = found.level.solids.iter().find(|solid| solid.contains(at));
            assert!(
                inside.is_none(),
                "{name}: {at:?} in {:?}",
                inside.map(|solid| solid.bounds)
            );
        }
    }
}

/// A map and what its compiler made of it hide the same, but for what the tree's planes were rounded by.
#[test]
fn a_map_hides_what_its_level_hides() {
    let (Some(map), Some(bsp)) = (level("traces/maps/dm2.map"), level("traces/maps/dm2.bsp"))
    else {
        return;
    };
    let positions = crate::common::positions("traces/qw_4on4_dm2.csv").unwrap();
    let (mut same, mut all) = (0, 0);
    for pair in positions.chunks_exact(16).step_by(5) {
        let [a, b] = [pair[0], pair[7]].map(|[x, y, z]| [x, y, z + 22.0]);
        same += usize::from(map.level.blocks(a, b) == bsp.level.blocks(a, b));
        all += 1;
    }
    assert!(same as f64 > 0.995 * all as f64, "{same} of {all}");
}

fn brush(texture: &str, [x, y, z]: [i32; 3]) -> String {
    let sides = [
        ([x, y, z], [x, y + 1, z], [x, y, z + 1]),
        ([x, y, z], [x, y, z + 1], [x + 1, y, z]),
        ([x, y, z], [x + 1, y, z], [x, y + 1, z]),
        (
            [x + 64, y + 64, z + 64],
            [x + 64, y + 64, z + 65],
            [x + 64, y + 65, z + 64],
        ),
        (
            [x + 64, y + 64, z + 64],
            [x + 65, y + 64, z + 64],
            [x + 64, y + 64, z + 65],
        ),
        (
            [x + 64, y + 64, z + 64],
            [x + 64, y + 65, z + 64],
            [x + 65, y + 64, z + 64],
        ),
    ];
    let sides = sides.map(|(a, b, c)| {
        let point = |[x, y, z]: [i32; 3]| format!("( {x} {y} {z} )");
        format!(
            "{} {} {} {texture} 0 0 0 1 1\n",
            point(a),
            point(b),
            point(c)
        )
    });
    format!("{{\n{}}}\n", sides.concat())
}

fn map(brushes: &str) -> String {
    format!(
        "// a map\n{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n{{\n\"classname\" \"func_door\"\n{}}}\n\
         {{\n\"classname\" \"info_player_start\"\n\"origin\" \"1 2 3\"\n}}\n",
        brush("metal", [500, 0, 0])
    )
}

#[test]
fn textures_of_a_map_say_what_hides_and_what_stops() {
    for (texture, hides, stops) in [
        ("metal5_2", 1, 1),
        ("sky4", 1, 1),
        ("*water1", 0, 0),
        ("trigger", 0, 0),
        ("clip", 0, 1),
        ("{fence", 0, 1),
        ("common/caulk", 1, 1),
        ("common/clip", 0, 1),
        ("liquids/lava", 0, 0),
        ("hint", 0, 0),
    ] {
        let found = read(map(&brush(texture, [0; 3])).as_bytes());
        let SolidLevel {
            solids,
            obstacles,
            spawns,
            ..
        } = &found.level;
        assert_eq!((solids.len(), obstacles.len()), (hides, stops), "{texture}");
        assert_eq!(spawns, &[[1.0, 2.0, 3.0]]);
        let volume = obstacles.first().map_or(262_144.0, |solid| solid.volume());
        assert!((volume - 262_144.0).abs() < 1.0);
    }
}

/// A prism of so many sides around, and top and bottom.
fn prism(sides: u32) -> String {
    let side = |[a, b, c]: [[f64; 3]; 3]| {
        let point = |[x, y, z]: [f64; 3]| format!("( {x} {y} {z} )");
        format!("{} {} {} wall 0 0 0 1 1\n", point(a), point(b), point(c))
    };
    let around = (0..sides).map(|i| {
        let (y, x) = (std::f64::consts::TAU * f64::from(i) / f64::from(sides)).sin_cos();
        let at = [1000.0 * x, 1000.0 * y, 0.0];
        let [up, along] = [[at[0], at[1], 1.0], [at[0] - y, at[1] + x, 0.0]];
        side([at, up, along])
    });
    let ends = [
        side([[0.0, 0.0, 64.0], [0.0, 1.0, 64.0], [1.0, 0.0, 64.0]]),
        side([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    ];
    format!("{{\n{}{}}}\n", ends.concat(), around.collect::<String>())
}

/// 3,000 sides took half a minute, 40,000 corners of a face four gigabytes.
#[test]
fn brushes_of_thousands_of_sides_took_time_with_the_cube_of_their_number() {
    let started = std::time::Instant::now();
    let found = read(map(&prism(600)).as_bytes());
    assert_eq!(found.level.solids[0].planes.len(), 602);
    let found = read(map(&(prism(20_000) + &prism(3_000))).as_bytes());
    assert!(found.level.solids.is_empty() && found.level.obstacles.is_empty());
    let note = "2 brushes have more than 1024 sides and hide nothing (the first begins on line 4)";
    assert!(
        found.notes.iter().any(|found| found == note),
        "{:?}",
        found.notes
    );
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn sides_of_valve_220_are_read() {
    let text = map(&brush("metal", [0; 3]).replace("0 0 0 1 1", "[ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1"));
    assert_eq!(read(text.as_bytes()).level.solids.len(), 1);
}

#[test]
fn faults_of_a_map_are_told_with_their_line() {
    let sound = map(&brush("metal", [0; 3]));
    fails(
        sound.replacen("( 0 0 0 )", "( 0 x 0 )", 1).as_bytes(),
        "line 5",
    );
    fails(
        sound.replacen("( 0 0 0 )", "( 0 nan 0 )", 1).as_bytes(),
        "finite",
    );
    fails(
        sound
            .replacen("( 0 0 0 ) ( 0 1 0 )", "( 0 0 0 ) ( 0 0 0 )", 1)
            .as_bytes(),
        "on a line",
    );
    fails(
        sound.trim_end().trim_end_matches('}').as_bytes(),
        "ends with }",
    );
    let flat = sound
        .replace("64 64 64", "0 0 0")
        .replace("64 64 65", "0 0 1");
    let flat = read(
        flat.replace("65 64 64", "1 0 0")
            .replace("64 65 64", "0 1 0")
            .as_bytes(),
    );
    assert!(
        flat.level.solids.is_empty() && flat.notes[0].contains("line 4"),
        "{:?}",
        flat.notes
    );
}

pub const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\n\
                    f 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn a_closed_convex_mesh_is_a_solid_and_an_open_one_faces() {
    let cube = read(CUBE.as_bytes()).level;
    assert_eq!(
        (cube.solids.len(), cube.faces.len(), cube.obstacles.len()),
        (1, 0, 1)
    );
    assert!((cube.solids[0].volume() - 1.0).abs() < 1e-9);
    let open = read(CUBE.replace("f 1 2 6 5\n", "").as_bytes()).level;
    assert_eq!(
        (
            open.solids.len(),
            open.faces.len(),
            open.obstacle_faces.len()
        ),
        (0, 5, 5)
    );
    // Seen from its front a face hides, from behind it does not.
    let (above, below) = ([0.4, 0.3, 2.0], [0.6, 0.4, 0.5]);
    assert!(open.blocks(above, below) && !open.blocks(below, above));
}

#[test]
fn faults_of_a_mesh_are_told() {
    fails(
        CUBE.replace("f 1 2 6 5", "f 1 2 6 500").as_bytes(),
        "line 11",
    );
    fails(
        CUBE.replace("v 1 1 1", "v 1 NaN 1").as_bytes(),
        "finite coordinates",
    );
    fails(
        b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
        "faces with an area",
    );
    let turned: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(face) => format!(
                "f {}\n",
                face.split(' ').rev().collect::<Vec<_>>().join(" ")
            ),
            None => format!("{line}\n"),
        })
        .collect();
    let turned = read(turned.as_bytes());
    assert_eq!(
        (turned.level.solids.len(), turned.level.faces.len()),
        (0, 6)
    );
    let told = |note: &String| note.contains("inside out") && note.contains("line 9");
    assert!(turned.notes.iter().any(told), "{:?}", turned.notes);
}

#[test]
fn gltf_says_up_and_what_is_seen_through() {
    let base = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
        "nodes":[{"mesh":0,"translation":[0,10,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
        "materials":[{MATERIAL}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[4,0,4]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBAAACAQAAAAAAAAAAA"}]}"#;
    for (material, faces, two_sided) in [
        (r#""doubleSided":false"#, 1, false),
        (r#""doubleSided":true"#, 1, true),
        (r#""alphaMode":"BLEND""#, 0, false),
        (r#""alphaMode":"MASK""#, 0, false),
        (r#""extensions":{"KHR_materials_clearcoat":{}}"#, 1, false),
        (
            r#""extensions":{"KHR_materials_transmission":{}}"#,
            0,
            false,
        ),
        (r#""extensions":{"EXT_glass":{}}"#, 0, false),
    ] {
        let level = read(base.replace("MATERIAL", material).as_bytes()).level;
        assert_eq!(
            (level.faces.len(), level.obstacle_faces.len()),
            (faces, 1),
            "{material}"
        );
        let face = &level.obstacle_faces[0];
        assert_eq!(face.two_sided, two_sided);
        // Up is z, 10 above the ground; what looked up still does.
        assert!(
            face.plane.normal[2] > 0.999 && (face.plane.dist - 10.0).abs() < 1e-9,
            "{:?}",
            face.plane
        );
        assert!(
            face.vertices.contains(&[0.0, -4.0, 10.0]),
            "{:?}",
            face.vertices
        );
    }
}

/// Doors open, and lamps are switched off.
#[test]
fn what_moves_in_a_gltf_hides_nothing() {
    let base = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1]}],
        "nodes":[{"mesh":0},{"children":[0]NODE}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0PRIMITIVE}]}],
        "materials":[{}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[4,0,4]},
            {"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBAAACAQAAAAAAAAAAA"}]REST}"#;
    let moves = r#","animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"translation"}}],
        "samplers":[{"input":1,"output":0}]}]"#;
    for (node, primitive, rest, faces) in [
        ("", "", "", 1),
        ("", "", moves, 0),
        (
            "",
            r#","extensions":{"KHR_materials_variants":{"mappings":[]}}"#,
            "",
            0,
        ),
    ] {
        let file = base.replace("NODE", node).replace("PRIMITIVE", primitive);
        let level = read(file.replace("REST", rest).as_bytes()).level;
        let counts = (level.faces.len(), level.obstacle_faces.len());
        assert_eq!(counts, (faces, 1), "{node}{primitive}{rest}");
    }
    let hidden = r#","extensions":{"KHR_node_visibility":{"visible":false}}"#;
    let file = base.replace("NODE", hidden).replace("PRIMITIVE", "");
    fails(
        file.replace("REST", "").as_bytes(),
        "1 hidden by KHR_node_visibility (the first: node 0)",
    );
}

#[test]
fn materials_of_an_obj_say_what_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.obj");
    let obj = "mtllib room.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\nv 0 0 9\nv 1 0 9\nv 0 1 9\n\
        f 1 2 3\nusemtl wall\nf 4 5 6\nusemtl glass\nf 7 8 9\n";
    std::fs::write(
        folder.path().join("room.mtl"),
        "newmtl wall\nd 1\nnewmtl glass\nd 0.3\n",
    )
    .unwrap();
    let read = solid_from_bytes(obj.as_bytes(), &path, &SolidOptions::default()).unwrap();
    assert_eq!(read.level.faces.len(), 2);
}

/// Its library of materials is not there.
#[test]
fn a_real_mesh_without_its_library_hides_only_if_told_so() {
    let Some(path) = data("solids/nav_test.obj") else {
        return;
    };
    let error = read_solid(&path, &SolidOptions::default()).unwrap_err();
    let (error, usage) = (error.to_string(), "`opaque_without_material`");
    assert!(
        error.contains("nav_test.mtl") && error.contains(usage),
        "{error}"
    );
    let options = SolidOptions {
        opaque_without_material: true,
        ..SolidOptions::default()
    };
    let read = read_solid(&path, &options).unwrap();
    let level = read.level;
    assert_eq!(level.faces.len(), level.obstacle_faces.len());
    assert_eq!(level.solids.len(), level.obstacles.len());
    let up = |note: &String| note.contains("y is taken as up");
    assert!(read.notes.iter().any(up), "{:?}", read.notes);
}

fn town(version: &str, transform: &str, corner: u32) -> String {
    format!(
        r#"{{"type":"CityJSON","version":"{version}",{transform}"CityObjects":{{"house":{{"type":"Building",
        "geometry":[{{"type":"Solid","lod":1,"boundaries":[[[[3,2,1,0]],[[4,5,6,{corner}]],[[0,1,5,4]],[[1,2,6,5]],
        [[2,3,7,6]],[[3,0,4,7]]]]}}]}}}},
        "vertices":[[0,0,0],[10,0,0],[10,10,0],[0,10,0],[0,0,10],[10,0,10],[10,10,10],[0,10,10]]}}"#
    )
}

#[test]
fn houses_of_a_town_are_solids() {
    let plain = read(town("0.8", "", 7).as_bytes()).level;
    assert!(plain.solids.len() == 1 && (plain.solids[0].volume() - 1000.0).abs() < 1e-6);
    let transform = r#""transform":{"scale":[0.1,0.1,0.1],"translate":[80000,450000,5]},"#;
    let moved = read(town("2.0", transform, 7).as_bytes()).level;
    assert!((moved.solids[0].volume() - 1.0).abs() < 1e-6);
    assert!((moved.solids[0].bounds.min[1] + moved.middle[1] - 450_000.0).abs() < 1e-6);
    for (metadata, crs) in [
        (
            r#""referenceSystem":"urn:ogc:def:crs:EPSG::7415""#,
            Some("EPSG:28992"),
        ),
        (
            r#""referenceSystem":"https://www.opengis.net/def/crs/EPSG/0/32611""#,
            Some("EPSG:32611"),
        ),
        (r#""crs":{"epsg":28992}"#, Some("EPSG:28992")),
        (r#""referenceSystem":"local""#, None),
    ] {
        let metadata = format!(r#""metadata":{{{metadata}}},"#);
        let level = read(town("1.1", &metadata, 7).as_bytes()).level;
        assert_eq!(level.crs.as_deref(), crs, "{metadata}");
    }
    fails(town("1.1", "", 70).as_bytes(), "object house");
    fails(
        town("1.1", "", 7)
            .replace("[0,0,0],", "[0,null,0],")
            .as_bytes(),
        "vertex 0",
    );
}

#[test]
fn files_of_another_kind_are_refused() {
    for bytes in [
        &b"PRT1\n1\n1\n"[..],
        b"IWAD\0\0\0\0\0\0\0\0",
        b"II*\0",
        b"hello",
        b"[]",
        b"{}",
    ] {
        let error = solid_from_bytes(bytes, Path::new("level"), &SolidOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("expected"), "{error}");
    }
}

/// Damaged files are errors, or other levels; never a panic.
#[test]
fn damaged_files_do_no_harm() {
    let Some(path) = data("cells/q1-2psb/q1_detail_fence.bsp") else {
        return;
    };
    let mut files = vec![std::fs::read(path).unwrap()];
    files.push(map(&brush("metal", [0; 3])).into_bytes());
    files.push(town("1.1", "", 7).into_bytes());
    files.push(CUBE.as_bytes().to_vec());
    if let Some(path) = data("cells/q2-ibsp38/q2_areaportals.bsp") {
        files.push(std::fs::read(path).unwrap());
    }
    for file in files {
        let step = (file.len() / 97).max(1);
        for at in (0..file.len()).step_by(step) {
            let _ = solid_from_bytes(&file[..at], Path::new("level"), &SolidOptions::default());
            for flip in [1, 128, 255] {
                let mut damaged = file.clone();
                damaged[at] ^= flip;
                let _ = solid_from_bytes(&damaged, Path::new("level"), &SolidOptions::default());
            }
        }
    }
}
