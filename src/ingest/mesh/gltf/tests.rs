//! Files that are made here, sound and damaged.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{read_gltf, read_surface as read_selected};
use crate::error::IngestError;
use crate::mesh::closed::Mesh;
use crate::mesh::is_gltf;
use crate::mesh::read_obj;
use crate::mesh::selection::Selection;
use crate::mesh::surface::Surface;

/// A box of 1 x 2 x 4, y up, whose triangles turn left seen from outside.
const CORNERS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 2.0, 0.0],
    [0.0, 2.0, 0.0],
    [0.0, 0.0, 4.0],
    [1.0, 0.0, 4.0],
    [1.0, 2.0, 4.0],
    [0.0, 2.0, 4.0],
];
const TRIANGLES: [[u16; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 0, 4],
    [3, 4, 7],
];

fn floats(corners: &[[f32; 3]]) -> Vec<u8> {
    corners
        .iter()
        .flatten()
        .flat_map(|n| n.to_le_bytes())
        .collect()
}

fn shorts(triangles: &[[u16; 3]]) -> Vec<u8> {
    triangles
        .iter()
        .flatten()
        .flat_map(|n| n.to_le_bytes())
        .collect()
}

/// 96 bytes of corners, 72 of numbers.
fn bin() -> Vec<u8> {
    [floats(&CORNERS), shorts(&TRIANGLES)].concat()
}

fn document() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 4]},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
        ],
        "buffers": [{"byteLength": 168}],
    })
}

/// The document with other values at some places.
fn with(places: &[(&str, Value)]) -> Value {
    let mut document = document();
    for (place, value) in places {
        let (parent, name) = place.rsplit_once('/').unwrap();
        match document.pointer_mut(parent).unwrap() {
            Value::Array(items) if name == "-" => items.push(value.clone()),
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
            parent => parent[name] = value.clone(),
        }
    }
    document
}

fn view(at: usize, length: usize) -> Value {
    json!({"buffer": 0, "byteOffset": at, "byteLength": length})
}

fn accessor(view: u32, at: u32, component: u32, count: u32, kind: &str) -> Value {
    json!({"bufferView": view, "byteOffset": at, "componentType": component, "count": count, "type": kind})
}

fn glb(document: &Value, bin: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    for number in [2, 28 + json.len() + bin.len(), json.len()] {
        bytes.extend((number as u32).to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((bin.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(bin);
    bytes
}

fn read(bytes: &[u8]) -> Result<Mesh, IngestError> {
    assert!(is_gltf(bytes));
    read_gltf(bytes, Path::new("a.gltf")).map_err(|error| error.about(Path::new("a.gltf")))
}

fn read_surface(bytes: &[u8], notes: &mut Vec<String>) -> Result<Surface, IngestError> {
    read_selected(bytes, Path::new("a"), &Selection::default(), notes)
}

fn mesh_of(places: &[(&str, Value)]) -> Mesh {
    read(&glb(&with(places), &bin())).unwrap()
}

/// The places of triangles' corners, whatever numbers they have.
fn triangles(mesh: &Mesh) -> Vec<[[f64; 3]; 3]> {
    let at = |corner: u32| mesh.corners()[corner as usize].map(|n| n + 0.0);
    mesh.triangles()
        .iter()
        .map(|triangle| triangle.map(at))
        .collect()
}

#[test]
fn binary_and_json_are_one_mesh_and_the_same_as_obj() {
    let binary = mesh_of(&[]);
    let uri = format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(bin())
    );
    let text = with(&[("/buffers/0/uri", uri.into())]).to_string();
    assert_eq!(read(text.as_bytes()).unwrap(), binary);
    assert_eq!(
        read(format!("\u{feff}\n {text}").as_bytes()).unwrap(),
        binary
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    // Longer than it must be.
    let beside = [bin(), vec![7; 9]].concat();
    std::fs::write(folder.path().join("parts/a box.bin"), beside).unwrap();
    let text = with(&[("/buffers/0/uri", "./parts/a%20box.bin".into())]).to_string();
    let path = folder.path().join("box.gltf");
    assert_eq!(read_gltf(text.as_bytes(), &path).unwrap(), binary);
    // East, south and up are x, z and y.
    let mut obj = String::new();
    for [x, y, z] in CORNERS {
        obj += &format!("v {x} {z} {y}\n");
    }
    for [a, b, c] in TRIANGLES {
        obj += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    assert!(!is_gltf(obj.as_bytes()));
    assert_eq!(read_obj(obj.as_bytes()).unwrap(), binary);
}

#[test]
fn nodes_put_meshes_where_they_are() {
    // A quarter turn about y takes z to x and x to -z; then twice as large, then 10 up.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mesh = mesh_of(&[(
        "/nodes",
        json!([{"children": [1], "translation": [0, 10, 0]}, {"mesh": 0, "rotation": [0, half, 0, half], "scale": [2, 2, 2]}]),
    )]);
    let moved = |[x, y, z]: [f32; 3]| [2.0 * z, 10.0 + 2.0 * y, -2.0 * x];
    let expected = CORNERS.map(moved).map(|[x, y, z]| [x, z, y].map(f64::from));
    assert_eq!(mesh.corners(), expected);
    // The same as a matrix, column by column.
    let matrix = json!([0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 10, 0, 1]);
    let same = mesh_of(&[("/nodes/0/matrix", matrix)]);
    assert_eq!(triangles(&same), triangles(&mesh));
    // Two boxes, one of them mirrored: both turn the same way, so that they are one solid where they meet.
    let both = mesh_of(&[
        ("/scenes/0/nodes", json!([0, 1])),
        (
            "/nodes",
            json!([{"mesh": 0}, {"mesh": 0, "scale": [-1, 1, 1]}]),
        ),
    ]);
    let volume = |[a, b, c]: [[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let volumes: Vec<f64> = triangles(&both)
        .chunks(12)
        .map(|solid| solid.iter().copied().map(volume).sum())
        .collect();
    assert_eq!(volumes.len(), 2);
    assert_eq!(volumes[0], volumes[1]);
    // Without a default scene it is the first; other scenes do not count.
    let first = mesh_of(&[("/scenes/-", json!({"nodes": []})), ("/scene", Value::Null)]);
    assert_eq!(first, mesh_of(&[]));
}

#[test]
fn triangles_come_in_many_ways() {
    let expected = triangles(&mesh_of(&[]));
    // Without numbers.
    let apart: Vec<[f32; 3]> = TRIANGLES
        .as_flattened()
        .iter()
        .map(|c| CORNERS[usize::from(*c)])
        .collect();
    let document = with(&[
        (
            "/meshes/0/primitives/0",
            json!({"attributes": {"POSITION": 0}}),
        ),
        ("/accessors/0/count", 36.into()),
        ("/bufferViews", json!([{"buffer": 0, "byteLength": 432}])),
        ("/accessors/1", accessor(0, 0, 5121, 1, "SCALAR")),
        ("/buffers/0/byteLength", 432.into()),
    ]);
    assert_eq!(
        triangles(&read(&glb(&document, &floats(&apart))).unwrap()),
        expected
    );
    // Numbers of one byte and of four.
    let narrow = TRIANGLES.as_flattened().iter().map(|n| *n as u8).collect();
    let wide = TRIANGLES
        .as_flattened()
        .iter()
        .flat_map(|n| u32::from(*n).to_le_bytes())
        .collect();
    let others: [(u32, Vec<u8>); 2] = [(5121, narrow), (5125, wide)];
    for (kind, numbers) in others {
        let document = with(&[
            ("/accessors/1/componentType", kind.into()),
            ("/bufferViews/1/byteLength", numbers.len().into()),
            ("/buffers/0/byteLength", (96 + numbers.len()).into()),
        ]);
        let bytes = glb(&document, &[floats(&CORNERS), numbers].concat());
        assert_eq!(triangles(&read(&bytes).unwrap()), expected);
    }
    // Corners 16 bytes apart, and two parts of one mesh.
    let spread: Vec<u8> = CORNERS
        .iter()
        .flat_map(|c| [floats(&[*c]), vec![9; 4]].concat())
        .collect();
    let document = with(&[
        (
            "/bufferViews/0",
            json!({"buffer": 0, "byteLength": 128, "byteStride": 16}),
        ),
        ("/bufferViews/1/byteOffset", 128.into()),
        ("/buffers/0/byteLength", 200.into()),
        ("/accessors/1/count", 12.into()),
        ("/accessors/-", accessor(1, 24, 5123, 24, "SCALAR")),
        (
            "/meshes/0/primitives/-",
            json!({"attributes": {"POSITION": 0, "_OWN": 0}, "indices": 2}),
        ),
    ]);
    let bytes = glb(&document, &[spread, shorts(&TRIANGLES)].concat());
    assert_eq!(triangles(&read(&bytes).unwrap()), expected);
    // All corners at 0, but for those that are told one by one.
    let numbers: Vec<u8> = (0..8).collect();
    let document = with(&[
        (
            "/accessors/0",
            json!({"componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 4],
            "sparse": {"count": 8, "indices": {"bufferView": 2, "componentType": 5121}, "values": {"bufferView": 0}}}),
        ),
        ("/bufferViews/-", view(168, 8)),
        ("/buffers/0/byteLength", 176.into()),
    ]);
    let bytes = glb(&document, &[bin(), numbers].concat());
    assert_eq!(triangles(&read(&bytes).unwrap()), expected);
    // A tetrahedron as a strip, and as a fan with its last side.
    for (mode, order) in [(5, [0, 1, 2, 3, 0, 1]), (6, [0, 1, 2, 3, 1, 1])] {
        let mut parts = vec![json!({"attributes": {"POSITION": 0}, "indices": 1, "mode": mode})];
        if mode == 6 {
            parts.push(json!({"attributes": {"POSITION": 0}, "indices": 2}));
        }
        let document = with(&[
            ("/meshes/0/primitives", parts.into()),
            ("/accessors/1/count", if mode == 5 { 6 } else { 5 }.into()),
            ("/accessors/-", accessor(1, 12, 5123, 3, "SCALAR")),
        ]);
        let mut bytes = floats(&CORNERS);
        let order: Vec<u8> = order
            .iter()
            .chain(&[1, 3, 2])
            .flat_map(|n: &u16| n.to_le_bytes())
            .collect();
        bytes.extend(order);
        bytes.resize(168, 0);
        assert_eq!(
            read(&glb(&document, &bytes)).unwrap().triangles().len(),
            4,
            "mode {mode}"
        );
    }
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let fails = |places: &[(&str, Value)], words: &[&str]| {
        let error = read(&glb(&with(places), &bin())).unwrap_err().to_string();
        for word in ["a.gltf", "expected", "found"].iter().chain(words) {
            assert!(error.contains(word), "no {word:?} in {error}");
        }
    };
    fails(&[("/asset/version", "1.0".into())], &["asset", "1.0"]);
    fails(&[("/asset/minVersion", "2.1".into())], &["asset", "2.1"]);
    let draco = json!(["KHR_materials_unlit", "KHR_draco_mesh_compression"]);
    fails(
        &[("/extensionsRequired", draco)],
        &[
            "extensionsRequired",
            "KHR_draco_mesh_compression",
            "blender -b",
        ],
    );
    let meshopt = json!(["EXT_meshopt_compression"]);
    fails(
        &[("/extensionsRequired", meshopt)],
        &["EXT_meshopt_compression", "gltfpack -i"],
    );
    mesh_of(&[("/extensionsRequired", json!(["KHR_materials_unlit"]))]);
    fails(
        &[("/meshes/0/primitives/0/attributes/POSITION", 2.into())],
        &["mesh 0", "one of 2 accessors", "accessor 2"],
    );
    fails(
        &[("/nodes/0/mesh", 1.into())],
        &["nodes[0].mesh", "out of bounds"],
    );
    fails(
        &[("/accessors/1/bufferView", 2.into())],
        &["accessors[1].bufferView", "out of bounds"],
    );
    fails(
        &[("/bufferViews/1/byteLength", 70.into())],
        &["accessor 1", "36 times 2 bytes", "70 bytes"],
    );
    fails(&[("/bufferViews/1/byteOffset", 98.into())], &["accessor 1"]);
    fails(
        &[("/bufferViews/0/byteOffset", u64::MAX.into())],
        &["accessor 0"],
    );
    fails(
        &[("/bufferViews/0/byteStride", 8.into())],
        &["accessor 0", "8 bytes apart"],
    );
    fails(&[("/accessors/0/count", 0.into())], &["accessor 0"]);
    fails(
        &[("/accessors/0/count", u64::MAX.into())],
        &["12582912 corners"],
    );
    fails(
        &[("/accessors/0/componentType", 5123.into())],
        &["accessor 0", "32-bit floats", "Vec3 of U16"],
    );
    fails(
        &[("/accessors/1/componentType", 5126.into())],
        &["accessor 1", "unsigned numbers", "Scalar of F32"],
    );
    fails(
        &[("/accessors/1/count", 35.into())],
        &["primitive 0 of mesh 0", "three corners"],
    );
    fails(&[("/accessors/1/count", 33.into())], &["closed"]);
    fails(
        &[("/meshes/0/primitives/0/mode", 1.into())],
        &["primitive 0 of mesh 0", "triangles", "lines"],
    );
    fails(
        &[("/scenes/0/nodes", json!([]))],
        &["triangles in the default scene", "none"],
    );
    fails(
        &[("/scene", Value::Null), ("/scenes", json!([]))],
        &["a scene"],
    );
    fails(
        &[("/nodes/0/children", json!([0]))],
        &["node 0", "one in two"],
    );
    fails(
        &[("/scenes/0/nodes", json!([0, 0]))],
        &["node 0", "one in two"],
    );
    fails(
        &[("/nodes/0/rotation", json!([0, 0, 0, 0]))],
        &["finite numbers"],
    );
    fails(&[("/nodes/0/weights", json!([0.5]))], &["node 0", "pose"]);
    fails(
        &[("/buffers/0/byteLength", 169.into())],
        &["buffer 0", "169 bytes", "168 bytes"],
    );
    fails(
        &[("/buffers/-", json!({"byteLength": 1}))],
        &["buffer 1", "neither"],
    );
    fails(
        &[("/buffers/-", json!({"byteLength": 1u64 << 40}))],
        &["buffers", "1073741824 bytes"],
    );
    for uri in [
        "http://example.com/a.bin",
        "file:///etc/hosts",
        "/etc/hosts",
        "../a.bin",
        "a/../../a.bin",
        "%2e%2e/a.bin",
        "%2Fetc/hosts",
        "..\\a.bin",
        "c:a.bin",
        "c%3Aa.bin",
        "",
        ".",
        "a%00",
    ] {
        fails(
            &[("/buffers/0/uri", uri.into())],
            &["buffer 0", "in the folder of the mesh"],
        );
    }
    fails(
        &[("/buffers/0/uri", "data:text/plain,abc".into())],
        &["buffer 0", "base64", "data:text/plain,abc"],
    );
    fails(
        &[("/buffers/0/uri", "data:;base64,A*==".into())],
        &["buffer 0", "base64"],
    );
    fails(
        &[("/buffers/0/uri", "data:;base64,AAAA".into())],
        &["buffer 0", "168 bytes", "3 bytes"],
    );
    // A number that is none of a corner.
    let mut far = bin();
    far[96] = 8;
    let error = read(&glb(&document(), &far)).unwrap_err().to_string();
    assert!(error.contains("numbers of 8 corners, found 8"), "{error}");
}

#[test]
fn buffers_beside_are_looked_for_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.gltf");
    let text = with(&[("/buffers/0/uri", "box.bin".into())]).to_string();
    let fails = |words: &[&str]| {
        let error = read_gltf(text.as_bytes(), &path).unwrap_err().to_string();
        for word in ["box.bin: buffer 0: expected"].iter().chain(words) {
            assert!(error.contains(word), "no {word:?} in {error}");
        }
    };
    fails(&["can be read"]);
    std::fs::write(folder.path().join("box.bin"), &bin()[..167]).unwrap();
    fails(&["168 bytes, found 167 bytes"]);
    std::fs::write(folder.path().join("box.bin"), "").unwrap();
    fails(&["an empty file"]);
}

#[test]
fn damaged_bytes_do_no_harm() {
    let uri = format!("data:;base64,{}", STANDARD.encode(bin()));
    let text = with(&[("/buffers/0/uri", uri.into())]).to_string();
    for bytes in [glb(&document(), &bin()), text.into_bytes()] {
        let sound = read(&bytes).unwrap();
        let mut same = 0;
        for end in 0..bytes.len() {
            assert!(
                read_gltf(&bytes[..end], Path::new("a")).is_err(),
                "the first {end} bytes"
            );
        }
        for i in 0..bytes.len() {
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut damaged = bytes.clone();
                damaged[i] ^= flip;
                // Other corners, a name that says nothing, or an error.
                match read_gltf(&damaged, Path::new("a")) {
                    Ok(mesh) => same += u32::from(mesh == sound),
                    Err(error) => assert!(error.to_string().contains("expected"), "{error}"),
                }
            }
        }
        assert!(same < bytes.len() as u32, "most of it is noticed: {same}");
    }
}

/// What is skipped in a level is no part of a closed mesh.
#[test]
fn what_cannot_hide_is_left_out_of_a_surface_and_told() {
    let surface = |places: &[(&str, Value)]| {
        let mut notes = Vec::new();
        let read = read_surface(&glb(&with(places), &bin()), &mut notes);
        read.map(|read| (read.triangles.len(), read.looks[0].opaque, notes))
            .map_err(|error| error.to_string())
    };
    let whole = json!({"attributes": {"POSITION": 0}, "indices": 1});
    let lines = json!({"attributes": {"POSITION": 0}, "mode": 1});
    let points = json!({"attributes": {"POSITION": 0}, "mode": 0});
    let (count, opaque, notes) =
        surface(&[("/meshes/0/primitives", json!([lines, whole, points]))]).unwrap();
    assert!(count == 12 && opaque && notes.len() == 1, "{notes:?}");
    assert!(
        notes[0].contains("2 primitives of lines and points"),
        "{notes:?}"
    );
    assert!(notes[0].contains("primitive 0 of mesh 0"), "{notes:?}");
    for posed in [
        json!({"mesh": 0, "skin": 0}),
        json!({"mesh": 0, "weights": [0.5]}),
    ] {
        let (count, _, notes) = surface(&[
            ("/scenes/0/nodes", json!([0, 1])),
            ("/nodes", json!([{"mesh": 0}, posed])),
            ("/skins", json!([{"joints": [0]}])),
        ])
        .unwrap();
        assert!(count == 12 && notes[0].contains("node 1"), "{notes:?}");
    }
    // Twenty thousand of them in one place were a shell of two million triangles.
    let nodes: Vec<Value> = (0..20_000).map(|_| json!({"mesh": 0})).collect();
    let all: Vec<usize> = (0..20_000).collect();
    let (count, _, notes) =
        surface(&[("/scenes/0/nodes", json!(all)), ("/nodes", json!(nodes))]).unwrap();
    assert!(
        count == 12 && notes[0].contains("19999 meshes"),
        "{notes:?}"
    );
}

#[test]
fn quantized_corners_are_where_they_are_scaled_to() {
    let quantized = |kind: u32, normalized: bool, bytes: Vec<u8>, stride: usize, scale: f64| {
        let length = bytes.len();
        let document = with(&[
            ("/extensionsUsed", json!(["KHR_mesh_quantization"])),
            ("/extensionsRequired", json!(["KHR_mesh_quantization"])),
            ("/accessors/0/componentType", kind.into()),
            ("/accessors/0/normalized", normalized.into()),
            (
                "/bufferViews/0",
                json!({"buffer": 0, "byteLength": length, "byteStride": stride}),
            ),
            ("/bufferViews/1/byteOffset", length.into()),
            ("/buffers/0/byteLength", (length + 72).into()),
            ("/nodes/0/scale", json!([scale, scale, scale])),
        ]);
        read(&glb(&document, &[bytes, shorts(&TRIANGLES)].concat())).unwrap()
    };
    let whole = mesh_of(&[]);
    let bytes = CORNERS
        .iter()
        .flat_map(|c| [c[0] as u8, c[1] as u8, c[2] as u8, 0]);
    assert_eq!(
        quantized(5121, false, bytes.clone().collect(), 4, 1.0),
        whole
    );
    assert_eq!(quantized(5120, false, bytes.collect(), 4, 1.0), whole);
    let words = CORNERS.iter().flat_map(|c| [c[0], c[1], c[2], 0.0]);
    let wide: Vec<u8> = words
        .clone()
        .flat_map(|n| (n as u16 * 8191).to_le_bytes())
        .collect();
    let scaled = quantized(5122, true, wide, 8, 32767.0 / 8191.0);
    for (a, b) in scaled.corners().iter().zip(whole.corners()) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-6), "{a:?} {b:?}");
    }
    let wide: Vec<u8> = words.flat_map(|n| (n as u16).to_le_bytes()).collect();
    assert_eq!(quantized(5123, false, wide, 8, 1.0), whole);
}

#[test]
fn a_mesh_in_many_places_by_one_node_is_in_each() {
    let places = [[10.0, 0.0, 0.0], [20.0, 0.0, 0.0], [30.0, 0.0, 0.0]];
    let instancing = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2}}});
    let document = with(&[
        ("/extensionsUsed", json!(["EXT_mesh_gpu_instancing"])),
        ("/extensionsRequired", json!(["EXT_mesh_gpu_instancing"])),
        ("/nodes/0/extensions", instancing),
        ("/accessors/-", accessor(2, 0, 5126, 3, "VEC3")),
        ("/bufferViews/-", view(168, 36)),
        ("/buffers/0/byteLength", 204.into()),
    ]);
    let bytes = glb(&document, &[bin(), floats(&places)].concat());
    let mut notes = Vec::new();
    let surface = read_surface(&bytes, &mut notes).unwrap();
    assert_eq!((surface.triangles.len(), notes.len()), (36, 0));
    assert!(surface.looks.iter().all(|look| look.opaque));
    for (i, [x, ..]) in places.into_iter().enumerate() {
        let [corner, ..] = surface.corners[8 * i..] else {
            panic!()
        };
        assert_eq!(corner, [f64::from(x), 0.0, 0.0]);
    }
    let mut wrong = document.clone();
    wrong["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["SCALE"] = 9.into();
    let error = read(&glb(&wrong, &[bin(), floats(&places)].concat())).unwrap_err();
    assert!(error.to_string().contains("one of 3 accessors"), "{error}");
}
