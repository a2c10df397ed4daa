//! `viewcell experiment layered`: built, dug in, and taken to a bake.

use image::{GrayImage, Luma};
use serde_json::Value;

use crate::common::{Folder, demo};

const LAYERS: &str = r#"{"bottom": -8, "layers": [{"name": "soil", "depth": 1}, {"name": "clay", "depth": "clay.asc"}, {"name": "rock"}]}"#;

fn raster(value: impl Fn(u32, u32) -> f64) -> String {
    let mut text = String::from(
        "ncols 20\nnrows 16\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n",
    );
    for row in 0..16 {
        let cells: Vec<String> = (0..20)
            .map(|column| value(column, row).to_string())
            .collect();
        text += &(cells.join(" ") + "\n");
    }
    text
}

/// A folder with a plain at 4 m, a hole in its data, and the ground made of it.
fn plain() -> Folder {
    let folder = Folder::new();
    folder.write(
        "plain.asc",
        raster(|column, row| {
            if column == 19 && row == 15 {
                -9999.0
            } else {
                4.0
            }
        }),
    );
    folder.write("clay.asc", raster(|_, _| 3.0));
    folder.write("layers.json", LAYERS);
    folder.ok(&layered(
        "build --heightmap plain.asc --layers layers.json -o g.vcg --quiet",
    ));
    folder
}

/// The arguments of `viewcell experiment layered` and a line of words after it.
fn layered(line: &str) -> Vec<&str> {
    ["experiment", "layered"]
        .into_iter()
        .chain(line.split(' '))
        .collect()
}

fn info(folder: &Folder) -> Value {
    folder.json(&layered("info g.vcg --json"))
}

fn heights(folder: &Folder) -> Vec<f32> {
    folder.ok(&layered("export g.vcg --surface top.npy --force --quiet"));
    let bytes = folder.read("top.npy");
    let numbers = bytes[bytes.len() - 4 * 320..].as_chunks::<4>().0;
    numbers
        .iter()
        .map(|number| f32::from_le_bytes(*number))
        .collect()
}

#[test]
fn a_heightmap_becomes_layers_and_a_crater_a_heightmap() {
    let folder = plain();
    let found = info(&folder);
    assert_eq!(found["slices"], 12);
    assert_eq!(found["first_slice"], -8);
    assert_eq!(found["version"], 0);
    let materials = found["materials"].as_array().unwrap();
    let cubes: Vec<u64> = materials
        .iter()
        .map(|m| m["cubes"].as_u64().unwrap())
        .collect();
    assert_eq!(cubes, [319, 3 * 319, 8 * 319]);
    assert_eq!(materials[1]["name"], "clay");
    assert_eq!(
        found["bytes"].as_u64().unwrap(),
        folder.read("g.vcg").len() as u64
    );
    for name in ["nodes", "patches"] {
        assert!(found[name].as_u64().unwrap() > 0, "{name}");
    }
    assert!(heights(&folder)[..319].iter().all(|height| *height == 4.0));
    assert!(heights(&folder)[319].is_nan());

    folder.write(
        "stamps.txt",
        "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":2.2,\"do\":\"dig\"}\n\n\
         {\"shape\":\"box\",\"at\":[3,3,5],\"size\":[1,1,2],\"do\":\"fill\",\"material\":\"rock\"}\n\
         {\"shape\":\"sphere\",\"at\":[10,8,9],\"radius\":1.2,\"do\":\"dig\"}\n",
    );
    folder.write("before.vcg", folder.read("g.vcg"));
    let told = folder.json(&layered(
        "stamp g.vcg --stamps stamps.txt --changes c.vch --json",
    ));
    assert_eq!(
        (&told["read"], &told["changed"], &told["version"]),
        (&3.into(), &2.into(), &2.into())
    );
    let after = heights(&folder);
    assert_eq!(after[8 * 20 + 10], 2.0, "the crater's middle");
    assert_eq!(after[3 * 20 + 3], 6.0, "the box");
    assert_eq!(after[12 * 20 + 10], 4.0, "beside it");

    // The same changes on another copy, once.
    folder.ok(&layered("apply before.vcg --changes c.vch"));
    assert_eq!(folder.read("before.vcg"), folder.read("g.vcg"));
    folder.fails(
        &layered("apply before.vcg --changes c.vch"),
        3,
        &["c.vch", "applied already"],
    );
    assert_eq!(folder.read("before.vcg"), folder.read("g.vcg"));

    folder.ok(&layered("export g.vcg --surface top.tif"));
    folder.ok(&[
        "bake",
        "terrain",
        "top.tif",
        "--visibility",
        "exact",
        "--quiet",
        "-o",
        "top.vcb",
    ]);
    folder.ok(&layered("render g.vcg --row 8 -o cut.png --bare"));
    let cut = image::load_from_memory(&folder.read("cut.png"))
        .unwrap()
        .to_rgba8();
    assert_eq!(cut.dimensions(), (20, 14));
    assert_eq!(
        cut.get_pixel(10, 3),
        cut.get_pixel(10, 0),
        "the crater is as the air"
    );
    assert_ne!(cut.get_pixel(0, 2), cut.get_pixel(0, 1), "soil and air");
    folder.ok(&layered("render g.vcg --slice 3 -o slice.png"));
    folder.ok(&layered("export g.vcg --text t.txt --slice -8"));
    assert_eq!(folder.read("t.txt"), b"h\n", "rock, material 3");
}

/// A wedge, 4 m east, 6 m south and 3 m up, as a binary glTF file: x is east, z south, y up.
fn wedge_glb() -> Vec<u8> {
    let corners = WEDGE.map(|[east, south, up]| [east, up, south]);
    let mut bin: Vec<u8> = corners
        .iter()
        .flatten()
        .flat_map(|number| (*number as f32).to_le_bytes())
        .collect();
    bin.extend(WEDGE_TRIANGLES.as_flattened());
    let json = serde_json::json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3", "min": [0, 0, 0], "max": [4, 3, 6]},
            {"bufferView": 1, "componentType": 5121, "count": 24, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 72},
            {"buffer": 0, "byteOffset": 72, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 96}],
    });
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = |bytes: usize| (bytes as u32).to_le_bytes();
    let parts: [&[u8]; 8] = [
        b"glTF",
        &length(2),
        &length(28 + json.len() + bin.len()),
        &length(json.len()),
        b"JSON",
        &json,
        &length(bin.len()),
        b"BIN\0",
    ];
    [&parts.concat(), &bin[..]].concat()
}

const WEDGE: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [4.0, 0.0, 0.0],
    [4.0, 6.0, 0.0],
    [0.0, 6.0, 0.0],
    [0.0, 0.0, 3.0],
    [0.0, 6.0, 3.0],
];
const WEDGE_TRIANGLES: [[u8; 3]; 8] = [
    [0, 2, 1],
    [0, 3, 2],
    [0, 1, 4],
    [3, 5, 2],
    [0, 4, 5],
    [0, 5, 3],
    [1, 2, 5],
    [1, 5, 4],
];

#[test]
fn a_mesh_is_the_same_stamp_from_obj_and_gltf() {
    let folder = plain();
    let mut obj = String::new();
    for [east, south, up] in WEDGE {
        obj += &format!("v {east} {south} {up}\n");
    }
    for [a, b, c] in WEDGE_TRIANGLES {
        obj += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    folder.write("wedge.obj", obj);
    folder.write("wedge.glb", wedge_glb());
    let ground = folder.read("g.vcg");
    let mut changes = Vec::new();
    for name in ["wedge.obj", "wedge.glb"] {
        folder.write("g.vcg", &ground);
        let fill = format!(
            "{{\"shape\":\"mesh\",\"file\":\"{name}\",\"at\":[5.5,4.5,4],\"do\":\"fill\",\"material\":\"rock\"}}\n"
        );
        folder.write("stamps.txt", fill);
        let stamp = layered("stamp g.vcg --stamps stamps.txt --changes c.vch --force --quiet");
        folder.ok(&stamp);
        changes.push((folder.read("c.vch"), folder.read("g.vcg")));
    }
    assert_eq!(changes[0], changes[1]);
    // High in the west, low in the east; it begins between two columns, and between two rows.
    let after = heights(&folder);
    let row = |row: usize| &after[20 * row + 5..20 * row + 11];
    assert_eq!(row(5), [4.0, 7.0, 6.0, 5.0, 4.0, 4.0]);
    assert_eq!(row(10), row(5));
    assert_eq!((row(4), row(11)), (&[4.0; 6][..], &[4.0; 6][..]));
    let glb = wedge_glb();
    folder.write("wedge.glb", &glb[..glb.len() - 1]);
    let before = folder.read("g.vcg");
    folder.fails(
        &layered("stamp g.vcg --stamps stamps.txt"),
        3,
        &["wedge.glb: header", "cut short"],
    );
    assert_eq!(folder.read("g.vcg"), before);
}

#[test]
fn images_and_voxels_become_the_same_ground() {
    let folder = Folder::new();
    let at = |x: u32, y: u32, z: u32| -> u8 {
        match (x + y + z) % 5 {
            0 | 1 => 0,
            2 => 200,
            _ => 90,
        }
    };
    std::fs::create_dir(folder.path("images")).unwrap();
    let mut voxels = Vec::new();
    for z in 0..4 {
        let image = GrayImage::from_fn(9, 7, |x, y| Luma([at(x, y, z)]));
        voxels.extend_from_slice(image.as_raw());
        image.save(folder.path(&format!("images/{z}.png"))).unwrap();
    }
    folder.write("voxels.raw", &voxels);
    folder.write(
        "layers.json",
        r#"{"first_slice": -2, "cube_height": 0.5, "layers": [{"name": "a", "value": 90}, {"name": "b", "value": 200}]}"#,
    );
    folder.ok(&layered(
        "build --stack images --layers layers.json -o a.vcg",
    ));
    folder.ok(&layered(
        "build --voxels voxels.raw --size 9x7 --layers layers.json -o b.vcg",
    ));
    assert_eq!(folder.read("a.vcg"), folder.read("b.vcg"));
    let found = folder.json(&layered("info a.vcg --slices --json"));
    let count = |value: u8| voxels.iter().filter(|v| **v == value).count();
    assert_eq!(found["materials"][0]["cubes"], count(90));
    assert_eq!(found["materials"][1]["cubes"], count(200));
    assert_eq!(found["first_slice"], -2);
    assert_eq!(found["each_slice"].as_array().unwrap().len(), 4);

    // Bad input.
    fn build<'a>(source: &[&'a str]) -> Vec<&'a str> {
        let first = layered("build --layers layers.json -o c.vcg");
        [&first[..], source].concat()
    }
    folder.fails(
        &build(&["--voxels", "voxels.raw", "--size", "9x8"]),
        3,
        &["voxels.raw", "whole slices of 9 x 8"],
    );
    folder.fails(&build(&["--voxels", "voxels.raw"]), 2, &["--size"]);
    GrayImage::new(9, 8)
        .save(folder.path("images/2.png"))
        .unwrap();
    folder.fails(
        &build(&["--stack", "images"]),
        3,
        &["2.png", "9 x 7 pixels", "found 9 x 8"],
    );
    GrayImage::from_pixel(9, 7, Luma([91]))
        .save(folder.path("images/2.png"))
        .unwrap();
    folder.fails(
        &build(&["--stack", "images"]),
        3,
        &["2.png", "cube (0, 0)", "90, 200", "found 91"],
    );
    assert!(!folder.names().contains(&"c.vcg".to_owned()));
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let folder = plain();
    let before = folder.read("g.vcg");
    let sound = "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":3,\"do\":\"dig\"}\n";
    for (line, words) in [
        (
            "{\"shape\":\"sphere\",\"at\":[100,8,4],\"radius\":3,\"do\":\"dig\"}",
            &["line 2", "outside"][..],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":0,\"do\":\"dig\"}",
            &["line 2", "radius", "above 0"],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,4],\"do\":\"dig\"}",
            &["line 2", "\"radius\""],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,NaN],\"radius\":3,\"do\":\"dig\"}",
            &["line 2"],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,1e999],\"radius\":3,\"do\":\"dig\"}",
            &["line 2"],
        ),
        (
            "{\"shape\":\"cone\",\"at\":[10,8,4],\"radius\":3,\"do\":\"dig\"}",
            &["line 2", "cone"],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":3,\"do\":\"fill\"}",
            &["line 2", "material"],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":3,\"do\":\"fill\",\"material\":4}",
            &["line 2", "0 to 3"],
        ),
        (
            "{\"shape\":\"sphere\",\"at\":[10,8,4],\"radius\":3,\"do\":\"fill\",\"material\":\"mud\"}",
            &["line 2", "mud"],
        ),
        (
            "{\"shape\":\"mesh\",\"at\":[10,8,4],\"file\":\"open.obj\",\"do\":\"dig\"}",
            &["open.obj", "closed"],
        ),
    ] {
        folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        folder.write("stamps.txt", [sound, line].concat());
        folder.fails(&layered("stamp g.vcg --stamps stamps.txt"), 3, words);
        assert_eq!(folder.read("g.vcg"), before, "{line}");
    }
    fn build<'a>(more: &[&'a str]) -> Vec<&'a str> {
        let first = layered("build --heightmap plain.asc --layers layers.json -o h.vcg");
        [&first[..], more].concat()
    }
    folder.fails(
        &build(&["--cube-height", "0.000001"]),
        5,
        &["at most 500000000 cubes", "--max-cubes", "--cube-height"],
    );
    folder.fails(
        &build(&["--max-cubes", "100"]),
        5,
        &["at most 100 cubes", "20 x 16 x 12"],
    );
    folder.fails(&build(&["--largest-patch", "48"]), 2, &["powers of two"]);
    folder.write("layers.json", "{\"layers\": []}");
    folder.fails(&build(&[]), 3, &["layers.json", "1 to 254 layers"]);
    folder.write(
        "layers.json",
        LAYERS.replace("\"depth\": 1", "\"depth\": -1"),
    );
    folder.fails(&build(&[]), 3, &["layer 1 (soil)", "found -1"]);
    folder.write("layers.json", LAYERS.replace("clay.asc", "none.asc"));
    folder.fails(&build(&[]), 4, &["none.asc"]);
    folder.write("g.vcg", &before[..before.len() - 1]);
    folder.fails(&layered("info g.vcg"), 3, &["g.vcg", "cut short"]);
    folder.fails(&layered("info plain.asc"), 3, &["plain.asc", "VCGROUND"]);
    assert!(!folder.names().contains(&"h.vcg".to_owned()));
}

/// Many stamps beside and over one another, so that most of what they write is superseded.
fn many_stamps(folder: &Folder) {
    let mut lines = String::new();
    for i in 0..40 {
        let (east, south) = (2 + i % 16, 2 + i % 12);
        lines += &format!(
            "{{\"shape\":\"sphere\",\"at\":[{east},{south},3],\"radius\":2.3,\"do\":\"dig\"}}\n"
        );
        lines += &format!(
            "{{\"shape\":\"box\",\"at\":[{east},{},2],\"size\":[3,3,3],\"do\":\"fill\",\"material\":\"clay\"}}\n",
            15 - south
        );
    }
    for some in lines.lines().collect::<Vec<_>>().chunks(8) {
        folder.write("stamps.txt", some.join("\n"));
        folder.ok(&layered("stamp g.vcg --stamps stamps.txt --quiet"));
    }
    folder.write("stamps.txt", lines);
}

/// What `info` says of the ground, but not of the file; and the file's bytes, those that count and the dead.
fn ground_and_bytes(folder: &Folder) -> (Value, [u64; 2]) {
    let mut found = info(folder);
    let found = found.as_object_mut().unwrap();
    let mut take = |name: &str| found.remove(name).unwrap().as_u64().unwrap();
    let bytes = [take("bytes"), take("dead_bytes")];
    (Value::Object(found.clone()), bytes)
}

#[test]
fn a_compacted_file_holds_the_same_ground_in_fewer_bytes() {
    let folder = plain();
    assert_eq!(info(&folder)["dead_bytes"], 0);
    let fresh = folder.read("g.vcg");
    let compact = layered("compact g.vcg --json");
    assert_eq!(folder.json(&compact)["bytes"], fresh.len() as u64);
    assert_eq!(folder.read("g.vcg"), fresh, "nothing to take out");

    many_stamps(&folder);
    let (ground, [bytes, dead]) = ground_and_bytes(&folder);
    let stamped = folder.read("g.vcg");
    assert_eq!(bytes, stamped.len() as u64);
    assert!(dead > bytes / 2, "{dead} of {bytes}");
    let tops = heights(&folder);
    // What is left of a growth that found no room is dead, too.
    folder.write("g.vcg", [&stamped[..], &[7; 100]].concat());
    assert_eq!(
        ground_and_bytes(&folder),
        (ground.clone(), [bytes, dead + 100])
    );

    // Another file first.
    let to_other = layered("compact g.vcg -o other.vcg");
    folder.ok(&to_other);
    folder.fails(&to_other, 4, &["other.vcg", "--force"]);
    folder.fails(&layered("compact g.vcg -o g.vcg"), 2, &["g.vcg"]);
    folder.fails(&layered("compact g.vcg --force"), 2, &["--output"]);
    assert_eq!(ground_and_bytes(&folder).1, [bytes, dead + 100]);
    let told = folder.json(&compact);
    assert_eq!(told["bytes_before"], bytes + 100);
    assert_eq!(told["bytes"], bytes - dead);
    assert_eq!(told["version"], ground["version"]);
    assert_eq!(folder.read("other.vcg"), folder.read("g.vcg"));
    assert_eq!(
        ground_and_bytes(&folder),
        (ground.clone(), [bytes - dead, 0])
    );
    let same = |a: &[f32], b: &[f32]| {
        a.iter()
            .map(|n| n.to_bits())
            .eq(b.iter().map(|n| n.to_bits()))
    };
    assert!(same(&heights(&folder), &tops));

    // The change sets of the long file fit the short one, and stamps do the same to both.
    folder.write("long.vcg", &stamped);
    for (name, verb) in [("long.vcg", "stamp"), ("g.vcg", "apply")] {
        let file = if verb == "stamp" {
            "--stamps"
        } else {
            "--changes"
        };
        let source = if verb == "stamp" {
            "stamps.txt"
        } else {
            "c.vch"
        };
        let mut arguments = vec!["experiment", "layered", verb, name, file, source, "--quiet"];
        if verb == "stamp" {
            arguments.extend(["--changes", "c.vch"]);
        }
        folder.ok(&arguments);
    }
    folder.ok(&layered("compact long.vcg --quiet"));
    folder.ok(&layered("compact g.vcg --quiet"));
    assert_eq!(folder.read("long.vcg"), folder.read("g.vcg"));

    // Damaged bytes are no ground, and stay.
    let mut damaged = stamped.clone();
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("g.vcg", &damaged);
    folder.fails(&compact, 3, &["g.vcg", "damaged"]);
    assert_eq!(folder.read("g.vcg"), damaged);
}

#[test]
#[cfg(unix)]
fn a_compacted_file_keeps_its_permissions_and_the_link_to_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = plain();
    many_stamps(&folder);
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    std::fs::rename(folder.path("g.vcg"), folder.path("elsewhere/g.vcg")).unwrap();
    std::os::unix::fs::symlink("elsewhere/g.vcg", folder.path("g.vcg")).unwrap();
    let private = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path("g.vcg"), private).unwrap();
    folder.ok(&layered("compact g.vcg"));
    assert_eq!(info(&folder)["dead_bytes"], 0);
    assert!(folder.path("g.vcg").is_symlink());
    let mode = std::fs::metadata(folder.path("elsewhere/g.vcg"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn who_writes_a_ground_file_does_so_alone() {
    let folder = plain();
    many_stamps(&folder);
    let before = folder.read("g.vcg");
    let held = viewcell_layered::hold(&folder.path("g.vcg")).unwrap();
    for verb in [
        &layered("compact g.vcg")[..],
        &layered("stamp g.vcg --stamps stamps.txt"),
    ] {
        folder.fails(verb, 4, &["g.vcg", "another process is writing it"]);
        assert_eq!(folder.read("g.vcg"), before);
    }
    drop(held);
    folder.ok(&layered("compact g.vcg"));
}

#[test]
#[cfg(unix)]
fn a_disk_that_fills_up_leaves_files_as_they_were() {
    let folder = plain();
    many_stamps(&folder);
    folder.write("hills.r16", crate::common::hills(64));
    folder.write(
        "deep.json",
        r#"{"bottom": -300, "layers": [{"name": "rock"}]}"#,
    );
    let before = folder.read("g.vcg");
    let names = folder.names();
    let same = |what: &str| {
        assert_eq!(folder.read("g.vcg"), before, "{what}");
        assert_eq!(folder.names(), names, "{what}");
    };
    // A new file finds no room.
    let build =
        layered("build --heightmap hills.r16 --size 64x64 --spacing 1 --layers deep.json -o");
    folder.fails_for_room(4096, &[&build[..], &["h.vcg"]].concat(), &["h.vcg"]);
    same("build");
    folder.fails_for_room(
        4096,
        &[&build[..], &["g.vcg", "--force"]].concat(),
        &["g.vcg"],
    );
    same("build over one that is there");
    folder.fails_for_room(1024, &layered("compact g.vcg"), &["g.vcg"]);
    same("compact");
    folder.fails_for_room(1024, &layered("compact g.vcg -o h.vcg"), &["h.vcg"]);
    same("compact into another");
    // All change sets take more room than what they come to.
    folder.write("twice.vcg", &before);
    let twice = layered("stamp twice.vcg --stamps stamps.txt --changes twice.vch");
    folder.ok(&twice);
    let grown = folder.read("twice.vcg").len();
    let lines = folder
        .read("stamps.txt")
        .repeat(1 + 2 * grown / folder.read("twice.vch").len());
    for name in ["twice.vcg", "twice.vch"] {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    folder.write("stamps.txt", lines);
    let stamp = layered("stamp g.vcg --stamps stamps.txt --changes c.vch");
    folder.fails_for_room(grown + 4096, &stamp, &["c.vch"]);
    same("change sets");
    // The ground finds no room: no change sets either.
    folder.write(
        "stamps.txt",
        "{\"shape\":\"sphere\",\"at\":[10,8,1],\"radius\":5,\"do\":\"dig\"}",
    );
    folder.fails_for_room(before.len(), &stamp, &["g.vcg", "still"]);
    assert_eq!(folder.read("g.vcg")[..before.len()], before);
    assert_eq!(folder.names(), names);
    folder.write("g.vcg", &before);
    folder.ok(&stamp);
}

#[test]
fn a_disk_that_fills_up_leaves_the_ground_as_it_was() {
    let folder = Folder::new();
    let demo = demo();
    folder.write(
        "layers.json",
        r#"{"cube_height": 5, "layers": [{"name": "rock"}]}"#,
    );
    folder.ok(&[
        "experiment",
        "layered",
        "build",
        "--heightmap",
        demo.to_str().unwrap(),
        "--crop",
        "0,0,64,64",
        "--layers",
        "layers.json",
        "-o",
        "g.vcg",
    ]);
    let (before, [bytes, _]) = ground_and_bytes(&folder);
    let length = folder.read("g.vcg").len();
    folder.write(
        "stamps.txt",
        "{\"shape\":\"sphere\",\"at\":[2000,2000,400],\"radius\":1500,\"do\":\"dig\"}\n",
    );
    // A limit on the size of files, as a full disk would be, soon behind what is there.
    let blocks = length.div_ceil(512) + 1;
    let program = crate::common::VIEWCELL;
    let script = format!(
        "ulimit -f {blocks}; '{program}' experiment layered stamp g.vcg --stamps stamps.txt"
    );
    let ran = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(matches!(ran.status.code(), Some(4 | 5)), "{stderr}");
    assert!(
        stderr.contains("g.vcg") && stderr.contains("still holds version 0"),
        "{stderr}"
    );
    let (after, [counted, dead]) = ground_and_bytes(&folder);
    assert_eq!((after, counted), (before, bytes));
    // What it wrote lies behind the end.
    assert!(dead > 0);
    folder.ok(&layered("stamp g.vcg --stamps stamps.txt"));
    assert_eq!(info(&folder)["version"], 1);
    folder.ok(&layered("compact g.vcg"));
    assert_eq!(ground_and_bytes(&folder).1[1], 0);
}
