//! What is never drawn, moves, or is another picture of the same thing hides nothing, and is told.

use std::path::Path;

use serde_json::{Value, json};
use viewcell_ingest::solid::{IngestedSolid, SolidOptions, UpAxis, read_solid, solid_from_bytes};

use crate::data::data;
use crate::meshes::{Point, gltf, obj};

/// A wall with a gate, from -4 to 4 across x.
const ARCH: [[Point; 2]; 3] = [
    [[-0.2, -4.0, 0.0], [0.2, -1.0, 3.0]],
    [[-0.2, 1.0, 0.0], [0.2, 4.0, 3.0]],
    [[-0.2, -1.0, 2.5], [0.2, 1.0, 3.2]],
];
/// The box around it, in the middle of which the gate is.
const HULL: [Point; 2] = [[-0.3, -4.0, 0.0], [0.3, 4.0, 3.0]];
/// Through the gate, and through a post.
const GATE: [Point; 2] = [[-3.0, 0.0, 1.5], [3.0, 0.0, 1.5]];
const POST: [Point; 2] = [[-3.0, 2.0, 1.5], [3.0, 2.0, 1.5]];

fn try_read(bytes: &[u8], options: &SolidOptions) -> Result<IngestedSolid, String> {
    solid_from_bytes(bytes, Path::new("level"), options).map_err(|error| error.to_string())
}

/// An arch as node and mesh 0, and its hull as node and mesh 1.
fn scene() -> Value {
    let [arch, hull] = [&ARCH[..], &[HULL]].map(|boxes| {
        let file = gltf(boxes, |[x, y, z]| [x, z, -y]);
        serde_json::from_slice::<Value>(&file).unwrap()
    });
    let mut scene = arch;
    let numbers = [("accessors", "bufferView"), ("bufferViews", "buffer")];
    for (list, number) in numbers {
        let first = [2, 1][usize::from(number == "buffer")];
        for item in hull[list].as_array().unwrap() {
            let mut item = item.clone();
            item[number] = (item[number].as_u64().unwrap() + first).into();
            scene[list].as_array_mut().unwrap().push(item);
        }
    }
    scene["buffers"]
        .as_array_mut()
        .unwrap()
        .push(hull["buffers"][0].clone());
    let primitive = json!({"attributes": {"POSITION": 2}, "indices": 3});
    scene["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"primitives": [primitive]}));
    scene["nodes"] = json!([{"mesh": 0, "name": "Arch"}, {"mesh": 1, "name": "Block"}]);
    scene["scenes"] = json!([{"nodes": [0, 1]}]);
    scene
}

fn read_scene(scene: &Value, options: &SolidOptions) -> IngestedSolid {
    try_read(scene.to_string().as_bytes(), options).unwrap()
}

/// The scene with other values at places.
fn with(places: &[(&str, Value)]) -> Value {
    let mut scene = scene();
    for (place, value) in places {
        let (parent, name) = place.rsplit_once('/').unwrap();
        scene.pointer_mut(parent).unwrap()[name] = value.clone();
    }
    scene
}

fn blocks(read: &IngestedSolid, [a, b]: [Point; 2]) -> bool {
    read.level.blocks(a, b)
}

/// Nobody sees through the arch but by its gate, whatever else there is; and the note names it.
#[track_caller]
fn is_open(read: &IngestedSolid, words: &[&str]) {
    let notes = read.notes.join("\n");
    assert!(
        !blocks(read, GATE) && blocks(read, POST),
        "{words:?} {notes}"
    );
    for word in words {
        assert!(notes.contains(word), "{word:?} in {notes}");
    }
}

#[test]
fn collision_hulls_hide_nothing() {
    let plain = SolidOptions::default();
    assert!(blocks(&read_scene(&scene(), &plain), GATE));
    for name in "Arch-colonly Arch-convcolonly Arch-colonly.001 Arch_COLONLY UCX_Arch_01 ubx_arch USP_Arch UCP_Arch
        MCDCX_Arch UTM_Arch bo_arch Arch_phys arch_proxy Col-1 LOSCollision-9 ArchCollider collision
        arch_nodraw".split_whitespace() {
        let words = [
            "12 of 48 faces hide nothing: 12 of collision (the first: node 1",
            name,
        ];
        let read = read_scene(&with(&[("/nodes/1/name", name.into())]), &plain);
        is_open(&read, &words);
        // They stop players, as a clip brush does.
        let stops = read
            .level
            .obstacles
            .iter()
            .any(|solid| solid.contains([0.0, 0.0, 1.5]));
        assert!(stops, "{name}");
        let by_mesh = with(&[
            ("/nodes/1/name", "".into()),
            ("/meshes/1/name", name.into()),
        ]);
        is_open(&read_scene(&by_mesh, &plain), &["of collision"]);
        let parent = json!([{"mesh": 0}, {"mesh": 1}, {"name": name, "children": [1]}]);
        let below = with(&[("/nodes", parent), ("/scenes/0/nodes", json!([0, 2]))]);
        is_open(&read_scene(&below, &plain), &["of collision"]);
        let material = with(&[
            ("/materials", json!([{ "name": name }])),
            ("/meshes/1/primitives/0/material", 0.into()),
        ]);
        is_open(
            &read_scene(&material, &plain),
            &["of collision", "material 0"],
        );
    }
    for name in ["-noimp", "-navmesh", "-occonly", "TriggerBox", "SOCKET_a"] {
        let read = read_scene(&with(&[("/nodes/1/name", name.into())]), &plain);
        is_open(&read, &["12 not drawn, by their names", name]);
        assert_eq!(read.level.obstacles.len(), 3, "{name}");
    }
    // What stays drawn hides.
    for name in ["Arch-col", "Arch-convcol", "Block", "column", "hull_1_wall"] {
        let read = read_scene(&with(&[("/nodes/1/name", name.into())]), &plain);
        assert!(blocks(&read, GATE), "{name}");
    }
}

/// An arch and its hull, in one file; a line is put before each.
fn arch_obj(before: [&str; 2]) -> String {
    let [arch, hull] =
        [&ARCH[..], &[HULL]].map(|boxes| String::from_utf8(obj(boxes, |at| at)).unwrap());
    let hull: String = hull
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            None => format!("{line}\n"),
            Some(corners) => {
                let moved = corners.split(' ').map(|n| n.parse::<usize>().unwrap() + 24);
                let moved: Vec<String> = moved.map(|n| n.to_string()).collect();
                format!("f {}\n", moved.join(" "))
            }
        })
        .collect();
    format!("{}\n{arch}{}\n{hull}", before[0], before[1])
}

#[test]
fn collision_hulls_of_an_obj_hide_nothing() {
    let options = SolidOptions {
        up: Some(UpAxis::Z),
        opaque_without_material: true,
        ..SolidOptions::default()
    };
    let read = |before| try_read(arch_obj(before).as_bytes(), &options).unwrap();
    assert!(blocks(&read(["o Arch", "o Block"]), GATE));
    for line in [
        "o UCX_Arch_01",
        "g UCX_Arch",
        "g all UCX_Arch",
        "o Arch-colonly",
        "g collision",
        "usemtl common/caulk",
        "usemtl clip",
        "usemtl textures/base/nodraw",
        "usemtl collision",
        "usemtl textures/wood/grate_2",
        "usemtl {fence",
        "usemtl leaves-alpha",
    ] {
        is_open(
            &read(["o Arch\nusemtl brick", line]),
            &["12 of 48 faces hide nothing", "the first: line "],
        );
    }
    // A group goes on over objects.
    let read = read(["o Arch", "g UCX_Arch\no Block"]);
    is_open(&read, &["UCX_Arch"]);
}

#[test]
fn what_is_kept_hides_and_what_is_dropped_is_not_there() {
    let options = |keep: &[&str], drop: &[&str]| SolidOptions {
        keep: keep.iter().map(|&name| name.to_owned()).collect(),
        drop: drop.iter().map(|&name| name.to_owned()).collect(),
        ..SolidOptions::default()
    };
    let hull = with(&[("/nodes/1/name", "UCX_Arch".into())]);
    for keep in ["UCX_Arch", "ucx_arch", "UCX*", "*"] {
        let read = read_scene(&hull, &options(&[keep], &[]));
        assert!(
            blocks(&read, GATE) && read.notes.is_empty(),
            "{keep} {:?}",
            read.notes
        );
    }
    for drop in ["Block", "b*k"] {
        let read = read_scene(&scene(), &options(&[], &[drop]));
        is_open(
            &read,
            &["12 dropped, as requested (the first: node 1, Block)"],
        );
        assert_eq!(read.level.obstacles.len(), 3);
    }
    // With all below it, and although it is kept.
    let parent = json!([{"mesh": 0}, {"mesh": 1, "name": "a"}, {"name": "all", "children": [1]}]);
    let below = with(&[("/nodes", parent), ("/scenes/0/nodes", json!([0, 2]))]);
    is_open(
        &read_scene(&below, &options(&["a"], &["all"])),
        &["dropped"],
    );
    // A material.
    let glass = with(&[
        ("/materials", json!([{"name": "ice", "alphaMode": "BLEND"}])),
        ("/meshes/1/primitives/0/material", 0.into()),
    ]);
    is_open(
        &read_scene(&glass, &options(&[], &[])),
        &["12 blended (the first: material 0, ice)"],
    );
    assert!(blocks(&read_scene(&glass, &options(&["ice"], &[])), GATE));
    let mut z_up = options(&[], &["block"]);
    z_up.up = Some(UpAxis::Z);
    let read = try_read(arch_obj(["o Arch", "o Block"]).as_bytes(), &z_up).unwrap();
    is_open(&read, &["dropped"]);
    for (keep, drop, word) in [("nobody", "Block", "`keep`"), ("*", "b", "`drop`")] {
        let error = try_read(scene().to_string().as_bytes(), &options(&[keep], &[drop]));
        let error = error.unwrap_err();
        assert!(
            error.contains(word) && error.contains("which nothing has"),
            "{error}"
        );
    }
    let error = try_read(scene().to_string().as_bytes(), &options(&[], &["*"])).unwrap_err();
    assert!(error.contains("all 48 faces hide nothing"), "{error}");
}

#[test]
fn extensions_that_neither_move_nor_hide_leave_nothing_out() {
    let plain = SolidOptions::default();
    let node = |extensions: Value| {
        let nodes = json!([{"mesh": 0}, {"mesh": 1}, {"children": [1], "extensions": extensions}]);
        with(&[("/nodes", nodes), ("/scenes/0/nodes", json!([0, 2]))])
    };
    for extensions in [
        json!({"OMI_physics_body": {"motion": {"type": "static"}}}),
        json!({"KHR_audio_emitter": {"emitter": 0}}),
        json!({"KHR_node_visibility": {"visible": true}}),
        json!({"KHR_lights_punctual": {"light": 0}, "OMI_spawn_point": {}}),
        json!({"KHR_physics_rigid_bodies": {"collider": {}}}),
    ] {
        let read = read_scene(&node(extensions.clone()), &plain);
        assert!(
            blocks(&read, GATE) && read.notes.is_empty(),
            "{extensions} {:?}",
            read.notes
        );
    }
    for (extensions, words) in [
        (
            json!({"OMI_physics_body": {"motion": {"type": "dynamic"}}}),
            "moved by OMI_physics_body",
        ),
        (
            json!({"KHR_node_visibility": {"visible": false}}),
            "hidden by KHR_node_visibility",
        ),
        (
            json!({"ACME_teleporter": {}}),
            "below a node with ACME_teleporter",
        ),
    ] {
        is_open(
            &read_scene(&node(extensions), &plain),
            &[words, "12 of 48 faces"],
        );
    }
    let mut required = node(json!({"KHR_node_visibility": {"visible": false}}));
    required["extensionsRequired"] = json!(["KHR_node_visibility"]);
    is_open(
        &read_scene(&required, &plain),
        &["hidden by KHR_node_visibility"],
    );
    let own = with(&[(
        "/nodes/1/extensions",
        json!({"OMI_collider": {"type": "box"}}),
    )]);
    is_open(&read_scene(&own, &plain), &["of collision"]);
    let extras = with(&[("/nodes/1/extras", json!({"visible": false}))]);
    is_open(&read_scene(&extras, &plain), &["hidden by their extras"]);
}

#[test]
fn a_channel_without_a_node_moves_nothing_and_a_pointer_to_one_does() {
    let plain = SolidOptions::default();
    let of = |target: Value| {
        let animation = json!({"samplers": [{"input": 0, "output": 0}], "channels": [{"sampler": 0, "target": target}]});
        let material = json!([{"name": "a"}]);
        let scene = with(&[
            ("/animations", json!([animation])),
            ("/materials", material),
            ("/meshes/1/primitives/0/material", 0.into()),
        ]);
        read_scene(&scene, &plain)
    };
    let pointer = |to: &str| {
        of(json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": to}}}))
    };
    for read in [
        of(json!({"path": "translation"})),
        pointer("/materials/0/emissiveFactor"),
    ] {
        assert!(
            blocks(&read, GATE) && read.notes.is_empty(),
            "{:?}",
            read.notes
        );
    }
    for read in [
        of(json!({"path": "translation", "node": 1})),
        pointer("/nodes/1/translation"),
        pointer("/nodes/1/extensions/KHR_node_visibility/visible"),
        pointer("/meshes/1/weights"),
        pointer("/materials/0/pbrMetallicRoughness/baseColorFactor"),
    ] {
        is_open(&read, &["12 of 48 faces hide nothing"]);
    }
}

#[test]
fn coarser_levels_of_detail_hide_nothing() {
    let plain = SolidOptions::default();
    for [fine, coarse] in [
        ["Arch_LOD0", "Arch_LOD1"],
        ["arch", "$lod1_arch"],
        ["Arch.lod0", "Arch.lod3.001"],
    ] {
        let scene = with(&[
            ("/nodes/0/name", fine.into()),
            ("/nodes/1/name", coarse.into()),
        ]);
        is_open(&read_scene(&scene, &plain), &["of level of detail", coarse]);
    }
    let msft = with(&[("/nodes/0/extensions", json!({"MSFT_lod": {"ids": [1]}}))]);
    is_open(&read_scene(&msft, &plain), &["of coarser levels of detail"]);
}

/// The files of the reports, between two halls with an arch or a wall.
#[test]
fn meshes_of_reports_answer_as_they_should() {
    for (name, hides, words) in [
        ("arch.gltf", false, ""),
        ("arch_colonly.gltf", false, "Arch-convcolonly"),
        ("arch_ucx.gltf", false, "UCX_Arch_01"),
        ("arch_ucx.obj", false, "UCX_Arch_01"),
        ("wall.gltf", true, ""),
        ("static_body.gltf", true, ""),
        ("audio_emitter.gltf", true, ""),
        ("node_visible_true.gltf", true, ""),
        (
            "node_visibility_required.gltf",
            false,
            "hidden by KHR_node_visibility",
        ),
        ("channel_without_node.gltf", true, ""),
        ("animation_pointer_emissive.gltf", true, ""),
        (
            "meshlab.obj",
            false,
            "all 84 faces hide nothing: 84 transparent by Tr",
        ),
    ] {
        let Some(path) = data(&format!("reports/second/{name}")) else {
            return;
        };
        let options = SolidOptions {
            up: name.ends_with("obj").then_some(UpAxis::Z),
            ..SolidOptions::default()
        };
        let read = read_solid(&path, &options).unwrap();
        let ends = [-3.0, 3.0].map(|x| [x, 0.0, 1.5]);
        assert_eq!(blocks(&read, ends), hides, "{name} {:?}", read.notes);
        assert!(
            read.notes.join("\n").contains(words),
            "{name} {:?}",
            read.notes
        );
    }
}

/// A town as Godot 4.3 exports it, all of whose drawn triangles stand below static bodies.
#[test]
fn the_town_of_an_engine_hides() {
    let Some(path) = data("scenes/town_model.gltf") else {
        return;
    };
    let read = read_solid(&path, &SolidOptions::default()).unwrap();
    let all = read.level.obstacle_faces.len() + 6 * read.level.obstacles.len();
    assert!(all > 15_000, "{all} {:?}", read.notes);
    assert!(read.level.faces.len() > 10_000, "{:?}", read.notes);
    assert!(!read.notes.join("\n").contains("OMI_"), "{:?}", read.notes);
}
