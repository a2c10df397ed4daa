//! Scenes: nothing that is drawn is culled. The judge is a rasteriser of its own: from places in view cells it draws all triangles,
//! front sides alone, into images of object numbers on the six sides of a cube.

use std::fmt::Write;
use std::path::Path;

use super::common::{bake, solid};
use super::watch::hides;
use crate::boxes::SIDES;
use crate::sections::{assemble, parts};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use viewcell::dice::Dice;
use viewcell::format::solid::SolidParameters;
use viewcell::format::{Tag, WorldKind};
use viewcell::query::{OwnedBundle, SolidBundle};
use viewcell::watch::{Watch, WatchOptions};
use viewcell_bake::BakeOptions;
use viewcell_bake::bundle::verify;
use viewcell_ingest::solid::{SolidOptions, read_solid, solid_from_bytes, split_scene};
use viewcell_ingest::world::solid::{Aabb, Cameras, PlaceOptions, Player, Point, SolidLevel};

/// Rooms of 8 m, a door in the wall between each two, and crates in them; every wall, floor and crate is an object.
fn rooms(side: u32) -> String {
    let (mut text, mut corners, mut dice) = (String::new(), 0, Dice(3));
    let mut put = |name: String, low: Point, high: Point| {
        writeln!(text, "o {name}").unwrap();
        for corner in 0..8 {
            let at = [0, 1, 2].map(|k| [low[k], high[k]][corner >> k & 1]);
            writeln!(text, "v {} {} {}", at[0], at[1], at[2]).unwrap();
        }
        for face in SIDES {
            let [a, b, c, d] = face.map(|corner| corners + corner + 1);
            writeln!(text, "f {a} {b} {c} {d}").unwrap();
        }
        corners += 8;
    };
    let all = 8.0 * f64::from(side);
    put(
        "floor".into(),
        [-0.3, -0.3, -0.3],
        [all + 0.3, all + 0.3, 0.0],
    );
    put(
        "roof".into(),
        [-0.3, -0.3, 3.0],
        [all + 0.3, all + 0.3, 3.3],
    );
    for (line, room) in (0..=side).flat_map(|line| (0..side).map(move |room| (line, room))) {
        let is_inner = 0 < line && line < side;
        let door = 0.5 + f64::from(dice.roll(60)) / 10.0;
        let parts = if is_inner {
            vec![[0.0, door], [door + 1.1, 8.0]]
        } else {
            vec![[0.0, 8.0]]
        };
        for (part, [from, to]) in parts.into_iter().enumerate() {
            let at = 8.0 * f64::from(line);
            let [from, to] = [from, to].map(|x| 8.0 * f64::from(room) + x);
            let (low, high) = ([at - 0.15, from, 0.0], [at + 0.15, to, 3.0]);
            put(format!("x{line}/{room}/{part}"), low, high);
            let turned = |[x, y, z]: Point| [y, x, z];
            put(format!("y{line}/{room}/{part}"), turned(low), turned(high));
        }
    }
    for (crates, room) in (0..4 * side * side).map(|number| (number, number / 4)) {
        let corner =
            [room % side, room / side].map(|at| 8.0 * f64::from(at) + 1.0 + 5.0 * dice.fraction());
        let size = 0.3 + 0.6 * dice.fraction();
        let low = [corner[0], corner[1], 0.01];
        put(format!("crate{crates}"), low, low.map(|x| x + size));
    }
    text
}

/// The triangles of objects, by their numbers, in coordinates that the bundle is asked with.
type Drawn = Vec<(u32, [Point; 3])>;

fn triangles_of(text: &str) -> Drawn {
    let (mut corners, mut drawn, mut object) = (Vec::new(), Vec::new(), 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers = || words[1..].iter().map(|word| word.parse::<f64>().unwrap());
        match words[0] {
            "o" => object += 1,
            "v" => corners.push(<Point>::try_from(numbers().collect::<Vec<_>>()).unwrap()),
            _ => {
                let at: Vec<Point> = numbers().map(|n| corners[n as usize - 1]).collect();
                drawn.push((object - 1, [at[0], at[1], at[2]]));
                drawn.push((object - 1, [at[0], at[2], at[3]]));
            }
        }
    }
    drawn
}

/// Which object is seen in each pixel of the six sides of a cube around an eye.
fn draw(drawn: &Drawn, eye: Point, pixels: usize, mut seen: impl FnMut(u32)) {
    const NEAR: f64 = 1e-3;
    for side in 0..6 {
        let (axis, sign) = (side % 3, if side < 3 { 1.0 } else { -1.0 });
        let mut image = vec![(f64::INFINITY, None); pixels * pixels];
        for (object, corners) in drawn {
            // Across, down and ahead; the sign keeps the front in front.
            let view = |at: &Point| -> Point {
                let at: Point = std::array::from_fn(|k| at[k] - eye[k]);
                [
                    sign * at[(axis + 1) % 3],
                    at[(axis + 2) % 3],
                    sign * at[axis],
                ]
            };
            let corners: Vec<Point> = corners.iter().map(view).collect();
            let mut clipped = Vec::new();
            for (k, a) in corners.iter().enumerate() {
                let b = &corners[(k + 1) % 3];
                if a[2] >= NEAR {
                    clipped.push(*a);
                }
                if (a[2] >= NEAR) != (b[2] >= NEAR) {
                    let t = (NEAR - a[2]) / (b[2] - a[2]);
                    clipped.push(std::array::from_fn(|k| a[k] + t * (b[k] - a[k])));
                }
            }
            for k in 2..clipped.len() {
                fill(
                    &mut image,
                    pixels,
                    *object,
                    [clipped[0], clipped[k - 1], clipped[k]],
                );
            }
        }
        image
            .iter()
            .filter_map(|(_, object)| *object)
            .for_each(&mut seen);
    }
}

/// Draws a triangle in front of an eye, if that is before it.
fn fill(image: &mut [(f64, Option<u32>)], pixels: usize, object: u32, corners: [Point; 3]) {
    let [a, b, c] = corners.map(|[x, y, z]| [x / z, y / z, 1.0 / z]);
    let cross = |p: Point, q: Point, x: f64, y: f64| {
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
    };
    let area = cross(a, b, c[0], c[1]);
    if area >= 0.0 || !area.is_finite() {
        return;
    }
    let scale = pixels as f64 / 2.0;
    let ends = |k: usize| {
        let all = [a[k], b[k], c[k]].map(|at| ((at + 1.0) * scale).clamp(0.0, pixels as f64));
        let least = all.into_iter().fold(f64::INFINITY, f64::min).floor();
        let most = all.into_iter().fold(0.0, f64::max).ceil();
        least as usize..most as usize
    };
    for row in ends(1) {
        for column in ends(0) {
            let [x, y] = [column, row].map(|at| (at as f64 + 0.5) / scale - 1.0);
            let weights =
                [cross(b, c, x, y), cross(c, a, x, y), cross(a, b, x, y)].map(|w| w / area);
            if weights.iter().all(|weight| *weight >= 0.0) {
                let near = weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2];
                let pixel = &mut image[row * pixels + column];
                if 1.0 / near < pixel.0 {
                    *pixel = (1.0 / near, Some(object));
                }
            }
        }
    }
}

/// A place in a view cell: anywhere, or on its rim.
fn place(dice: &mut Dice, [low, high]: [Point; 2]) -> Point {
    std::array::from_fn(|k| {
        let share = [0.0, 1.0, dice.fraction(), dice.fraction()][dice.roll(4) as usize];
        (low[k] + share * (high[k] - low[k])).clamp(low[k], high[k] - 1e-9)
    })
}

/// Rooms, so many a side, in a folder, and where cameras are in them.
fn scene(side: u32) -> (TempDir, String, SolidLevel, PlaceOptions) {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = (folder.path().join("rooms.obj"), rooms(side));
    std::fs::write(&file, &text).unwrap();
    let options = SolidOptions {
        objects: true,
        ..SolidOptions::default()
    };
    let mut level = read_solid(&file, &options).unwrap().level;
    level.player = Player::standing(Aabb::around([&[0.0; 3]]), 0.0);
    let all = 8.0 * f64::from(side) - 0.2;
    let within = Aabb {
        min: [0.2, 0.2, 0.4],
        max: [all, all, 2.6],
    };
    let places = PlaceOptions {
        cameras: Some(Cameras::Volumes(vec![within])),
        ..PlaceOptions::of(&level)
    };
    (folder, text, level, places)
}

/// `VIEWCELL_POSITIONS` places of cameras, with 6 x 96 x 96 pixels each.
#[test]
fn nothing_that_is_drawn_is_culled() {
    let positions = std::env::var("VIEWCELL_POSITIONS").map_or(60, |count| count.parse().unwrap());
    let (folder, text, level, places) = scene(3);
    let file = folder.path().join("rooms.obj");
    let drawn = triangles_of(&text);
    // Each object is a box.
    let boxes = drawn.chunk_by(|(a, _), (b, _)| a == b);
    let boxes = boxes.map(|of| Aabb::around(of.iter().flat_map(|(_, corners)| corners)));
    let solids: Vec<Aabb> = boxes.collect();
    for grade in [0, 8] {
        let baked = BakeOptions {
            grade,
            overwrite: true,
            ..BakeOptions::default()
        };
        let baked = |threads| {
            bake(
                &file,
                &level,
                &places,
                &BakeOptions {
                    threads,
                    ..baked.clone()
                },
            )
        };
        assert!(baked(1) == baked(3), "other bytes with more threads");
        let bundle = OwnedBundle::from_bytes(baked(2)).unwrap();
        let scene = solid(&bundle);
        let objects = scene.objects().unwrap();
        assert_eq!(objects.count() as usize, text.matches("o ").count());
        assert_eq!(objects.get(0).unwrap().path, "floor");
        let is_free = |eye| !solids.iter().any(|solid| solid.contains(eye));
        let [pixels, in_sets, in_images, eyes] = judge(&drawn, scene, positions, is_free);
        eprintln!(
            "grade {grade}: {pixels} pixels, sets of {in_sets}, images of {in_images} objects in {eyes} places"
        );
        // Walls are all around, and most objects are behind them.
        assert!(pixels > eyes * 6 * 96 * 96 * 9 / 10, "{pixels}");
        assert!(
            in_images > eyes * 5 && in_sets < eyes * u64::from(objects.count()) * 3 / 4,
            "{in_sets} {in_images}"
        );
    }
}

/// Draws from places in view cells that are free, each with 6 x 96 x 96 pixels: nothing is seen but what is in the cell's set. How
/// many pixels, objects in sets and in images, and places there were.
fn judge(
    drawn: &Drawn,
    scene: &SolidBundle<'_>,
    positions: u32,
    is_free: impl Fn(Point) -> bool,
) -> [u64; 4] {
    let objects = scene.objects().unwrap();
    let mut dice = Dice(19);
    let [mut pixels, mut in_sets, mut in_images, mut eyes] = [0; 4];
    for _ in 0..positions {
        let cell = dice.roll(scene.cells());
        let eye = place(&mut dice, scene.bounds(cell).unwrap());
        if !is_free(eye) {
            continue;
        }
        let mut set = vec![0; objects.count().div_ceil(64) as usize];
        let is_in = |set: &[u64], of: u32| set[of as usize / 64] >> (of % 64) & 1 == 1;
        in_sets += u64::from(scene.objects_seen(eye, &mut set));
        // The slow twin asks part by part.
        let pvs = scene.pvs(cell).unwrap();
        let mut sees = |part| pvs.contains(SolidParameters::sample(scene.cells() + part));
        assert!((0..objects.count()).all(|of| {
            let parts = objects.get(of).unwrap().parts;
            (parts.is_empty() || parts.into_iter().any(&mut sees)) == is_in(&set, of)
        }));
        let mut image = vec![0_u64; set.len()];
        draw(drawn, eye, 96, |object| {
            pixels += 1;
            assert!(
                is_in(&set, object),
                "{:?} is drawn from {eye:?} and culled",
                objects.get(object)
            );
            image[object as usize / 64] |= 1 << (object % 64);
        });
        in_images += image
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum::<u64>();
        eyes += 1;
    }
    [pixels, in_sets, in_images, eyes]
}

/// All triangles as one mesh of a glTF file, in which y is up.
fn one_mesh(drawn: &Drawn) -> String {
    let corners = drawn.iter().flat_map(|(_, corners)| corners);
    let floats = corners.flat_map(|[x, y, z]| [*x as f32, *z as f32, -*y as f32]);
    let mut bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    let (count, length) = (3 * drawn.len() as u32, bytes.len());
    bytes.extend((0..count).flat_map(u32::to_le_bytes));
    let data = format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(&bytes)
    );
    json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "all", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3", "min": [-1e3, -1e3, -1e3], "max": [1e3, 1e3, 1e3]},
            {"bufferView": 1, "componentType": 5125, "count": count, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": length}, {"buffer": 0, "byteOffset": length, "byteLength": 4 * count}],
        "buffers": [{"byteLength": bytes.len(), "uri": data}]
    })
    .to_string()
}

/// The triangles of a binary glTF file, in which no node is moved, by the paths of their nodes, in coordinates with z up.
fn read_parts(glb: &[u8]) -> Vec<(String, [Point; 3])> {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let (json, bin) = glb[20..].split_at(word(12));
    let (file, bin): (Value, _) = (serde_json::from_slice(json).unwrap(), &bin[8..]);
    let at = |accessor: &Value, field: &str| accessor[field].as_u64().unwrap_or(0) as usize;
    let bytes = |number: &Value| {
        let accessor = &file["accessors"][number.as_u64().unwrap() as usize];
        let view = &file["bufferViews"][at(accessor, "bufferView")];
        let first = at(view, "byteOffset") + at(accessor, "byteOffset");
        (&bin[first..], at(accessor, "count"))
    };
    let mut found = Vec::new();
    for node in file["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["mesh"].is_u64())
    {
        let mesh = &file["meshes"][at(node, "mesh")];
        for primitive in mesh["primitives"].as_array().unwrap() {
            let (corners, _) = bytes(&primitive["attributes"]["POSITION"]);
            let corner = |number: u32| {
                let float = |k: usize| corners[12 * number as usize + 4 * k..].first_chunk();
                let [x, y, z] =
                    [0, 1, 2].map(|k| f64::from(f32::from_le_bytes(*float(k).unwrap())));
                [x, -z, y]
            };
            let (order, count) = bytes(&primitive["indices"]);
            let (order, _) = order[..4 * count].as_chunks::<4>();
            let order: Vec<u32> = order.iter().map(|of| u32::from_le_bytes(*of)).collect();
            let name = format!("all/{}", node["name"].as_str().unwrap());
            found.extend(
                order
                    .chunks(3)
                    .map(|of| (name.clone(), [of[0], of[1], of[2]].map(corner))),
            );
        }
    }
    found
}

#[test]
fn parts_of_a_mesh_are_culled_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let whole = triangles_of(&rooms(3));
    let file = folder.path().join("rooms.gltf");
    std::fs::write(&file, one_mesh(&whole)).unwrap();
    let divided = split_scene(&file, 4.0).unwrap();
    let parts = read_parts(&divided);
    // All triangles are there, with their fronts in front.
    let sorted = |all: Vec<[Point; 3]>| {
        let single = |of: [Point; 3]| of.map(|at| at.map(|x| x as f32));
        let mut all: Vec<_> = all.into_iter().map(single).collect();
        all.sort_by(|a, b| a.as_flattened().partial_cmp(b.as_flattened()).unwrap());
        all
    };
    let of_parts = parts.iter().map(|(_, corners)| *corners).collect();
    assert_eq!(
        sorted(of_parts),
        sorted(whole.iter().map(|of| of.1).collect())
    );
    let written = folder.path().join("rooms.split.glb");
    std::fs::write(&written, &divided).unwrap();
    let bundle = |file: &Path, split| {
        let options = SolidOptions {
            objects: true,
            split,
            ..SolidOptions::default()
        };
        let mut level = read_solid(file, &options).unwrap().level;
        level.player = Player::standing(Aabb::around([&[0.0; 3]]), 0.0);
        let cameras = Aabb {
            min: [0.2, 0.2, 0.4],
            max: [23.8, 23.8, 2.6],
        };
        let places = PlaceOptions {
            cameras: Some(Cameras::Volumes(vec![cameras])),
            ..PlaceOptions::of(&level)
        };
        assert!(
            level
                .objects
                .as_ref()
                .unwrap()
                .iter()
                .all(|of| !of.parts.is_empty())
        );
        OwnedBundle::from_bytes(bake(file, &level, &places, &BakeOptions::default())).unwrap()
    };
    let [bundle, again] = [bundle(&file, Some(4.0)), bundle(&written, None)];
    let scene = solid(&bundle);
    let objects = scene.objects().unwrap();
    let paths = |scene: &SolidBundle<'_>| {
        let objects = scene.objects().unwrap();
        let path = |number| objects.get(number).unwrap().path.to_owned();
        (0..objects.count()).map(path).collect::<Vec<_>>()
    };
    let paths = [paths(scene), paths(solid(&again))];
    assert_eq!(paths[0], paths[1]);
    let number = |path: &String| paths[0].iter().position(|of| of == path).unwrap() as u32;
    let drawn: Drawn = parts
        .iter()
        .map(|(path, corners)| (number(path), *corners))
        .collect();
    let boxes: Vec<Aabb> = whole
        .chunk_by(|(a, _), (b, _)| a == b)
        .map(|of| Aabb::around(of.iter().flat_map(|(_, corners)| corners)))
        .collect();
    let is_free = |eye| !boxes.iter().any(|solid| solid.contains(eye));
    let [pixels, in_sets, in_images, eyes] = judge(&drawn, scene, 40, is_free);
    assert!(
        objects.count() > 50 && pixels > eyes * 6 * 96 * 96 * 9 / 10,
        "{pixels}"
    );
    assert!(
        in_images > eyes * 5 && in_sets < eyes * u64::from(objects.count()) * 3 / 4,
        "{in_sets} {in_images}"
    );
    let other = folder.path().join("rooms.obj");
    std::fs::write(&other, rooms(1)).unwrap();
    let options = SolidOptions {
        split: Some(4.0),
        ..SolidOptions::default()
    };
    for error in [
        split_scene(&other, 4.0).unwrap_err(),
        read_solid(&other, &options).unwrap_err(),
    ] {
        assert!(
            error
                .to_string()
                .contains("rooms.obj: expected a glTF scene"),
            "{error}"
        );
    }
}

/// What moves is asked by the occluders in the bundle: cells say nothing of each other.
#[test]
fn a_watch_says_whether_what_moves_may_be_seen() {
    let (folder, _, level, places) = scene(3);
    let bytes = bake(
        &folder.path().join("rooms.obj"),
        &level,
        &places,
        &BakeOptions::default(),
    );
    let bundle = OwnedBundle::from_bytes(bytes).unwrap();
    let scene = solid(&bundle);
    let mut watch = Watch::new(*scene, 2, WatchOptions::default()).unwrap();
    let (mut dice, mut hidden) = (Dice(7), 0);
    for _ in 0..400 {
        let [a, b] = [0; 2].map(|_| scene.bounds(dice.roll(scene.cells())).unwrap());
        let [a, b] = [a, b].map(|cell| place(&mut dice, cell));
        if hides(&mut watch, &[], [a, b], u32::MAX) {
            hidden += 1;
            assert!(level.blocks(a, b), "{a:?} sees {b:?}");
        }
    }
    assert!(hidden > 100, "{hidden}");
}

#[test]
fn damaged_objects_are_found_and_harm_no_reader() {
    let (folder, _, level, places) = scene(1);
    let file = folder.path().join("rooms.obj");
    let bytes = bake(&file, &level, &places, &BakeOptions::default());
    let parts = parts(&bytes, None);
    let at = parts
        .iter()
        .position(|(of, _)| of.tag == Tag::OBJS)
        .unwrap();
    let count = u32::from_le_bytes(parts[at].1[..4].try_into().unwrap()) as usize;
    let mut opened = 0;
    for word in (0..4 * (count + 1)).filter(|word| word % 4 != 2 && *word != 3) {
        for other in [0, 1, 77, u32::MAX] {
            let mut parts = parts.clone();
            let place = &mut parts[at].1[4 * word..][..4];
            if place == other.to_le_bytes() {
                continue;
            }
            place.copy_from_slice(&other.to_le_bytes());
            let damaged = assemble(WorldKind::Solid, &parts);
            let path = folder.path().join("damaged.vcb");
            std::fs::write(&path, &damaged).unwrap();
            let report = verify(&path, &mut |_| ()).unwrap();
            // Where a name ends follows from nothing else.
            let by = ["objects", "solid-stated"];
            let by = &by[..1 + usize::from(word % 4 == 3)];
            let mut failed = report.failed();
            assert!(
                failed.any(|of| by.contains(&&of.rule[..])),
                "{word}: {other}"
            );
            if let Ok(bundle) = OwnedBundle::from_bytes(damaged) {
                let (scene, mut seen) = (solid(&bundle), [0; 1]);
                let all = scene.objects().unwrap();
                // Those whose record makes no sense are seen.
                let unknown = (0..all.count()).filter(|number| all.parts(*number).is_none());
                assert!(scene.objects_seen([1.0; 3], &mut seen) as usize >= unknown.count());
                opened += 1;
            }
        }
    }
    assert!(opened > count, "{opened}");
}

/// Else they take the square of the number of nodes.
#[test]
fn paths_of_deep_nodes_keep_to_a_length() {
    let node = |number| format!(r#"{{"name": "n{number}", "children": [{}]}}, "#, number + 1);
    let nodes: String = (0..20_000).map(node).collect();
    let mesh = r#"{"name": "last", "mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri":
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    let head = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": ["#;
    let options = SolidOptions {
        objects: true,
        ..SolidOptions::default()
    };
    let text = format!("{head}{nodes}{mesh}");
    let read = solid_from_bytes(text.as_bytes(), "a.gltf".as_ref(), &options).unwrap();
    let path = &read.level.objects.unwrap()[0].path;
    assert!(
        path.ends_with("n19999/last") && (900..1100).contains(&path.len()),
        "{path}"
    );
}
