//! OBJ and glTF: axes, units, engines, materials.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use viewcell_ingest::solid::{Exporter, IngestedSolid, SolidOptions, UpAxis, solid_from_bytes};
use viewcell_ingest::world::solid::SolidLevel;

use crate::boxes::SIDES;
use crate::data::data;

pub type Point = [f64; 3];

fn read_with(bytes: &[u8], options: &SolidOptions) -> Result<IngestedSolid, String> {
    solid_from_bytes(bytes, Path::new("level"), options).map_err(|error| error.to_string())
}

fn up(up: UpAxis) -> SolidOptions {
    SolidOptions {
        up: Some(up),
        ..SolidOptions::default()
    }
}

/// Boxes as corners and triangles, outwards in right-handed coordinates whatever `write` does with a corner.
fn mesh(boxes: &[[Point; 2]], write: impl Fn(Point) -> Point) -> (Vec<Point>, Vec<[usize; 3]>) {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for [low, high] in boxes {
        let first = corners.len();
        let of: Vec<Point> = (0..8)
            .map(|i| write([0, 1, 2].map(|k| [low[k], high[k]][i >> k & 1])))
            .collect();
        let centre = [0, 1, 2].map(|k| of.iter().map(|corner| corner[k]).sum::<f64>() / 8.0);
        for [a, b, c, d] in SIDES {
            for [a, b, c] in [[a, b, c], [a, c, d]] {
                let [p, q, r] = [a, b, c].map(|i: usize| of[i]);
                let side = |at: Point, k: usize| at[k] - p[k];
                let normal = [0, 1, 2].map(|k| {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    side(q, i) * side(r, j) - side(q, j) * side(r, i)
                });
                let outwards: f64 = (0..3).map(|k| normal[k] * (p[k] - centre[k])).sum();
                let triangle = if outwards > 0.0 { [a, b, c] } else { [a, c, b] };
                triangles.push(triangle.map(|i| first + i));
            }
        }
        corners.extend(of);
    }
    (corners, triangles)
}

pub fn obj(boxes: &[[Point; 2]], write: impl Fn(Point) -> Point) -> Vec<u8> {
    let (corners, triangles) = mesh(boxes, write);
    let corners = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = triangles
        .iter()
        .map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    corners.chain(faces).collect::<String>().into_bytes()
}

pub fn gltf(boxes: &[[Point; 2]], write: impl Fn(Point) -> Point) -> Vec<u8> {
    let (corners, triangles) = mesh(boxes, write);
    let floats = corners
        .iter()
        .flatten()
        .flat_map(|&x| (x as f32).to_le_bytes());
    let numbers = triangles
        .iter()
        .flatten()
        .flat_map(|&n| (n as u32).to_le_bytes());
    let bytes: Vec<u8> = floats.chain(numbers).collect();
    let (at, length) = (corners.len() * 12, triangles.len() * 12);
    let file = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": corners.len(), "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5125, "count": 3 * triangles.len(), "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": at}, {"buffer": 0, "byteOffset": at, "byteLength": length}],
        "buffers": [{"byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes))}],
    });
    file.to_string().into_bytes()
}

/// An L on the ground, in metres: 10 along the first axis and 5 along the other, of floors half a metre thick.
/// `up` is the third number.
const LONG: [Point; 2] = [[0.0, 0.0, -0.5], [10.0, 2.0, 0.0]];
const SHORT: [Point; 2] = [[0.0, 2.25, -0.5], [2.0, 5.25, 0.0]];
/// Half a metre over the short arm.
const OVER: Point = [1.0, 4.0, 0.5];

/// Whether a position of the level is less than a metre over the floor of the short arm.
fn is_over_short(level: &SolidLevel, at: Point) -> bool {
    let at = [0, 1, 2].map(|k| at[k] - level.middle[k]);
    let below = [at[0], at[1], at[2] - 0.9];
    let mut floors = level.solids.iter().filter(|solid| solid.meets(at, below));
    floors
        .next()
        .is_some_and(|floor| (floor.volume() - 3.0).abs() < 1e-3)
}

/// All ways to exchange and mirror axes.
pub fn all_axes() -> Vec<[i8; 3]> {
    let orders = [
        [1, 2, 3],
        [1, 3, 2],
        [2, 1, 3],
        [2, 3, 1],
        [3, 1, 2],
        [3, 2, 1],
    ];
    let signs = 0..8;
    signs
        .flat_map(|signs| {
            orders.map(|order: [i8; 3]| {
                let mut axes = order;
                for (k, axis) in axes.iter_mut().enumerate() {
                    *axis *= if signs >> k & 1 == 1 { -1 } else { 1 };
                }
                axes
            })
        })
        .collect()
}

/// For each engine: where it has what is `[along, across, up]` in metres, and what its exporters write of a
/// position of the engine, to glTF and to OBJ.
pub type Write = fn(Point) -> Point;
pub const ENGINES: [(Exporter, Write, Write, Write); 4] = [
    // x right, y up, z forward.
    (
        Exporter::Unity,
        |[a, b, up]| [a, up, b],
        |[x, y, z]| [-x, y, z],
        |[x, y, z]| [-x, y, z],
    ),
    // x forward, y right, z up, in centimetres.
    (
        Exporter::Unreal,
        |[a, b, up]| [100.0 * a, 100.0 * b, 100.0 * up],
        |[x, y, z]| [x / 100.0, z / 100.0, y / 100.0],
        |[x, y, z]| [x, z, y],
    ),
    // x right, y up, z back.
    (Exporter::Godot, |[a, b, up]| [a, up, -b], |at| at, |at| at),
    // x right, y forward, z up.
    (
        Exporter::Blender,
        |at| at,
        |[x, y, z]| [x, z, -y],
        |[x, y, z]| [x, z, -y],
    ),
];

#[test]
fn an_engines_positions_are_where_it_has_them() {
    for (from, engine, to_gltf, to_obj) in ENGINES {
        let options = SolidOptions {
            from: Some(from),
            ..SolidOptions::default()
        };
        let boxes = [LONG, SHORT];
        for (kind, file) in [
            ("glTF", gltf(&boxes, |at| to_gltf(engine(at)))),
            ("OBJ", obj(&boxes, |at| to_obj(engine(at)))),
        ] {
            let level = read_with(&file, &options).unwrap().level;
            let frame = level.frame;
            assert!(
                frame.is_sound() && level.solids.len() == 2,
                "{from:?} {kind}"
            );
            let asked = engine(OVER);
            let at = frame.to_level(asked);
            assert!(is_over_short(&level, at), "{from:?} {kind} {at:?}");
            let back = frame.to_asked(at);
            assert!(
                (0..3).all(|k| (back[k] - asked[k]).abs() < 1e-9),
                "{back:?}"
            );
            // No other axes would do.
            for axes in all_axes() {
                let wrong = viewcell::format::Frame { axes, ..frame };
                let found = is_over_short(&level, wrong.to_level(asked));
                assert_eq!(found, axes == frame.axes, "{from:?} {kind} {axes:?}");
            }
            // Nor another unit.
            let far = frame.to_level(asked.map(|x| 100.0 * x));
            assert!(!is_over_short(&level, far), "{from:?} {kind}");
        }
    }
}

#[test]
fn without_an_engine_questions_have_the_axes_of_the_level() {
    // As glTF has them: y up, and z towards the one who looks.
    let file = gltf(&[LONG, SHORT], |[a, b, up]| [a, up, -b]);
    let level = read_with(&file, &SolidOptions::default()).unwrap().level;
    assert_eq!(level.frame.to_level(OVER), OVER);
    assert!(is_over_short(&level, OVER));
    // A file that has z up all the same.
    let file = gltf(&[LONG, SHORT], |at| at);
    let level = read_with(&file, &up(UpAxis::Z)).unwrap().level;
    assert!(is_over_short(&level, OVER));
}

#[test]
fn an_obj_is_taken_with_the_axis_up_along_which_it_has_floors() {
    let y_up = |[a, b, up]: Point| [a, up, -b];
    for (file, axis) in [
        (obj(&[LONG, SHORT], y_up), "y is taken as up"),
        (obj(&[LONG, SHORT], |at| at), "z is taken as up"),
    ] {
        let read = read_with(&file, &SolidOptions::default()).unwrap();
        assert!(is_over_short(&read.level, OVER), "{axis}");
        assert!(
            read.notes.iter().any(|note| note.contains(axis)),
            "{:?}",
            read.notes
        );
    }
    // Towers have more wall than roof, but more of a town lies along the ground.
    let mut town = Vec::new();
    for i in 0..25 {
        let (x, y) = (f64::from(i % 5) * 60.0, f64::from(i / 5) * 60.0);
        town.push([[x, y, 0.0], [x + 20.0, y + 20.0, 80.0]]);
    }
    for (file, axis) in [(obj(&town, |at| at), "z is"), (obj(&town, y_up), "y is")] {
        let read = read_with(&file, &SolidOptions::default()).unwrap();
        assert!(
            read.notes.iter().any(|note| note.contains(axis)),
            "{:?}",
            read.notes
        );
        let bounds = read.level.bounds();
        assert!((bounds.size()[2] - 80.0).abs() < 1e-9, "{bounds:?}");
    }
    // A tower of ten storeys, higher than it is wide.
    let storeys = (0..10).map(|i| f64::from(i) * 6.0);
    let mut tower: Vec<[Point; 2]> = storeys
        .map(|z| [[0.5, 0.5, z], [19.5, 19.5, z + 0.3]])
        .collect();
    for [low, high] in [
        [[0.0, 0.0], [20.0, 0.4]],
        [[0.0, 19.6], [20.0, 20.0]],
        [[0.0, 0.41], [0.4, 19.5]],
        [[19.6, 0.41], [20.0, 19.5]],
    ] {
        tower.push([[low[0], low[1], 0.0], [high[0], high[1], 60.0]]);
    }
    for (file, axis) in [(obj(&tower, |at| at), "z is"), (obj(&tower, y_up), "y is")] {
        let read = read_with(&file, &SolidOptions::default()).unwrap();
        assert!(
            read.notes.iter().any(|note| note.contains(axis)),
            "{:?}",
            read.notes
        );
    }
    // Whoever says so is believed, and told nothing.
    let read = read_with(&obj(&[LONG, SHORT], y_up), &up(UpAxis::Z)).unwrap();
    assert!(!is_over_short(&read.level, OVER) && read.notes.is_empty());
    let Some(path) = data("reports/files/yup.obj") else {
        return;
    };
    let read = read_with(&std::fs::read(path).unwrap(), &SolidOptions::default()).unwrap();
    assert!(
        read.notes[0].contains("y is taken as up"),
        "{:?}",
        read.notes
    );
    assert!((read.level.bounds().size()[2] - 4.0).abs() < 1e-9);
}

#[test]
fn axes_that_contradict_an_engine_are_refused() {
    for (from, fits) in [
        (Exporter::Unity, false),
        (Exporter::Unreal, false),
        (Exporter::Godot, false),
        (Exporter::Blender, true),
    ] {
        let options = SolidOptions {
            from: Some(from),
            ..up(UpAxis::Z)
        };
        for file in [obj(&[LONG, SHORT], |at| at), gltf(&[LONG, SHORT], |at| at)] {
            match read_with(&file, &options) {
                Ok(read) => assert!(fits && is_over_short(&read.level, OVER), "{from:?}"),
                Err(error) => assert!(!fits && error.contains("`up`"), "{error}"),
            }
        }
    }
}

/// A wall of `glass` or of nothing that is described, in a folder.
const WALL: &str = "v 0 0 0\nv 0 1 0\nv 0 1 1\nv 0 0 1\nusemtl glass\nf 1 2 3 4\n";

fn in_folder(folder: &Path, text: &str, opaque: bool) -> Result<IngestedSolid, String> {
    let options = SolidOptions {
        opaque_without_material: opaque,
        ..up(UpAxis::Z)
    };
    solid_from_bytes(text.as_bytes(), &folder.join("a.obj"), &options).map_err(|e| e.to_string())
}

#[test]
fn an_obj_without_its_materials_is_refused_unless_they_are_told_to_hide() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (head, words) in [
        ("", "no library is named"),
        ("mtllib room.mtl\n", "no library room.mtl beside"),
        (
            "mtllib room.mtl other.mtl\n",
            "no library room.mtl beside the file, nor 1 others",
        ),
        ("mtllib ../../room.mtl\n", "room.mtl"),
    ] {
        let text = format!("{head}{WALL}");
        let error = in_folder(folder, &text, false).unwrap_err();
        let needed = [words, "glass", "line ", "`opaque_without_material`"];
        for word in needed {
            assert!(error.contains(word), "{word:?} in {error}");
        }
        let read = in_folder(folder, &text, true).unwrap();
        assert_eq!(read.level.faces.len(), 1);
        assert!(
            read.notes[0].contains("1 material without a definition taken as opaque, as requested"),
            "{:?}",
            read.notes
        );
    }
    // A material that no face has needs no description.
    let unused = WALL.replace("usemtl glass", "usemtl glass\nusemtl wall");
    std::fs::write(folder.join("room.mtl"), "newmtl wall\nKd 1 1 1\n").unwrap();
    let read = in_folder(folder, &format!("mtllib room.mtl\n{unused}"), false).unwrap();
    assert!(
        read.level.faces.len() == 1 && read.notes.is_empty(),
        "{:?}",
        read.notes
    );
    let error = in_folder(folder, &format!("mtllib room.mtl\n{WALL}"), false).unwrap_err();
    assert!(error.contains("no such material"), "{error}");
}

#[test]
fn libraries_are_found_on_one_line_in_folders_and_by_the_paths_of_windows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("parts")).unwrap();
    std::fs::write(folder.join("parts/b.mtl"), "newmtl wall\nd 1\n").unwrap();
    std::fs::write(folder.join("my a.mtl"), "newmtl glass\nd \\\n 0.5\n").unwrap();
    for names in [
        "my a.mtl parts/b.mtl",
        "parts\\b.mtl my a.mtl",
        "C:\\models\\my a.mtl \\\nparts\\b.mtl",
    ] {
        let wall = WALL.replace("usemtl glass", "usemtl wall");
        let wall = wall.replace("f 1 2 3 4", "f 1 2 3 4\nusemtl glass\nf 4 3 2 1");
        let read = in_folder(folder, &format!("mtllib {names}\n{wall}"), false).unwrap();
        let level = read.level;
        assert_eq!(
            (level.faces.len(), level.obstacle_faces.len()),
            (1, 2),
            "{names}"
        );
    }
}

/// A pipe made the program wait for ever, a link to a device filled memory.
#[cfg(unix)]
#[test]
fn a_library_that_is_no_plain_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("pipe.mtl"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.mtl")).unwrap();
    std::os::unix::fs::symlink("pipe.mtl", folder.join("link.mtl")).unwrap();
    std::fs::create_dir(folder.join("folder.mtl")).unwrap();
    for name in ["pipe", "zero", "link", "folder"] {
        let error = in_folder(folder, &format!("mtllib {name}.mtl\n{WALL}"), false).unwrap_err();
        let why = ["a device or pipe", "a directory"];
        assert!(why.iter().any(|why| error.contains(why)), "{error}");
    }
}

/// A megabyte of materials, named 600 times, took 2.3 GB; 5,000 lines of one that is missing took 1.4 GB.
#[test]
fn a_library_is_read_and_missed_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut big = String::from("newmtl glass\nd 1\n");
    for i in 0..40_000 {
        big += &format!("newmtl material {i}\nd 0.5\n");
    }
    std::fs::write(folder.join("big.mtl"), big).unwrap();
    let started = std::time::Instant::now();
    let text = format!("{}{WALL}", "mtllib big.mtl\n".repeat(600));
    assert_eq!(
        in_folder(folder, &text, false).unwrap().level.faces.len(),
        1
    );
    let text = format!("{}{WALL}", "mtllib x\nusemtl a\n".repeat(5000));
    let error = in_folder(folder, &text, false).unwrap_err();
    assert!(
        error.contains("no library x beside the file") && !error.contains("others"),
        "{error}"
    );
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    for name in ["mtllib-missing-5000.obj", "mtllib-repeated.obj"] {
        let Some(path) = data(&format!("reports/attack/{name}")) else {
            return;
        };
        let text = std::fs::read_to_string(path).unwrap();
        assert!(in_folder(folder, &text, false).is_err(), "{name}");
        assert!(in_folder(folder, &text, true).is_ok(), "{name}");
    }
}

#[test]
fn a_line_of_an_obj_may_go_on_in_the_next() {
    let broken = String::from_utf8(obj(&[LONG, SHORT], |at| at)).unwrap();
    let broken: String = broken
        .lines()
        .map(|line| {
            let (begun, rest) = line.rsplit_once(' ').unwrap();
            format!("{begun} \\\n{rest}\n")
        })
        .collect();
    let level = read_with(broken.as_bytes(), &up(UpAxis::Z)).unwrap().level;
    assert!(is_over_short(&level, OVER));
    let Some(path) = data("reports/files/continuation.obj") else {
        return;
    };
    let level = read_with(&std::fs::read(path).unwrap(), &up(UpAxis::Z))
        .unwrap()
        .level;
    let size = level.bounds().size();
    assert!(
        (size[0] - 13.0).abs() < 1e-9 && (size[2] - 4.0).abs() < 1e-9,
        "{size:?}"
    );
}

#[test]
fn lines_and_points_of_an_obj_are_left_out_with_a_note() {
    let mut file = obj(&[LONG, SHORT], |at| at);
    file.extend(b"l 1 2 3\np 1\ncurv 0 1 1 2\n");
    let read = read_with(&file, &up(UpAxis::Z)).unwrap();
    assert_eq!(read.level.solids.len(), 2);
    assert!(
        read.notes[0].contains("3 points, lines, curves"),
        "{:?}",
        read.notes
    );
}

/// A house in a national grid is as good a solid as one at the origin.
#[test]
fn convex_shells_are_solids_at_national_coordinates() {
    for at in [0.0, 499_999.97, 5_399_999.991, 2.6e6 + 0.003] {
        let [low, high] = [[0.013, 0.021, 400.007], [12.345, 7.891, 409.876]];
        let moved = [low, high].map(|[x, y, z]: Point| [x + at, y + 2.0 * at, z]);
        let (sine, cosine) = 0.3_f64.sin_cos();
        // Turned, and rounded to millimetres as files have it.
        let turned = |[x, y, z]: Point| {
            let [u, v] = [x - at, y - 2.0 * at];
            let round = |x: f64| (1000.0 * x).round() / 1000.0;
            [
                round(at + cosine * u - sine * v),
                round(2.0 * at + sine * u + cosine * v),
                z,
            ]
        };
        let level = read_with(&obj(&[moved], turned), &up(UpAxis::Z))
            .unwrap()
            .level;
        let counts = (level.solids.len(), level.faces.len(), level.shells.len());
        assert_eq!(counts, (1, 0, 0), "{at}");
        let level = read_with(&obj(&[moved], |p| p), &up(UpAxis::Z))
            .unwrap()
            .level;
        assert_eq!((level.solids.len(), level.faces.len()), (1, 0), "{at}");
        let volume: f64 = (0..3).map(|k| high[k] - low[k]).product();
        assert!((level.solids[0].volume() - volume).abs() < 1e-4, "{at}");
        assert_eq!(level.solids[0].planes.len(), 6, "{at}");
    }
}

#[test]
fn a_body_whose_faces_have_no_area_is_no_closed_shell() {
    let wall = [[0.0; 3], [4.0, 1.0, 3.0]];
    let speck = [[8.0; 3], [8.0 + 1e-12; 3]];
    let level = read_with(&obj(&[wall, speck], |at| at), &up(UpAxis::Z));
    let level = level.unwrap().level;
    assert_eq!(level.solids.len(), 1);
    assert_eq!((level.shells.len(), level.obstacle_faces.len()), (0, 0));
}
