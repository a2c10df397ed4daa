//! Meshes and towns as people bring them, from the file to the answer.

use std::path::PathBuf;

use crate::common::Folder;
use crate::data::data;

/// A room of 12 x 8 m with a wall across its middle, z up.
fn room() -> String {
    let boxes: [[[f64; 3]; 2]; 7] = [
        [[-6.0, -4.0, -0.5], [6.0, 4.0, 0.0]],
        [[-6.0, -4.0, 3.0], [6.0, 4.0, 3.5]],
        [[-6.5, -4.0, 0.0], [-6.0, 4.0, 3.0]],
        [[6.0, -4.0, 0.0], [6.5, 4.0, 3.0]],
        [[-6.0, -4.5, 0.0], [6.0, -4.0, 3.0]],
        [[-6.0, 4.0, 0.0], [6.0, 4.5, 3.0]],
        [[-0.1, -4.0, 0.0], [0.1, 4.0, 3.0]],
    ];
    let mut text = String::new();
    for (i, [low, high]) in boxes.iter().enumerate() {
        for corner in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|k| [low[k], high[k]][corner >> k & 1]);
            text += &format!("v {x} {y} {z}\n");
        }
        if i == 6 {
            text += "usemtl wall\n";
        }
        for side in [
            [1, 3, 4, 2],
            [5, 6, 8, 7],
            [1, 2, 6, 5],
            [2, 4, 8, 6],
            [4, 3, 7, 8],
            [3, 1, 5, 7],
        ] {
            let [a, b, c, d] = side.map(|corner| 8 * i + corner);
            text += &format!("f {a} {b} {c} {d}\n");
        }
    }
    text
}

const BAKE: &[&str] = &["bake", "solid", "room.obj", "--force", "-o", "x.vcb"];

#[test]
fn an_obj_without_its_library_is_refused_with_the_option_that_helps() {
    let folder = Folder::new();
    folder.write("room.obj", room());
    folder.write("reach.csv", "-3,0,0\n");
    let bake = [BAKE, &["--reach", "reach.csv"]].concat();
    folder.fails(&bake, 3, &["room.obj", "wall", "--opaque-without-material"]);
    let told = folder.ok(&[&bake[..], &["--opaque-without-material"]].concat());
    assert!(told.stderr.contains("give --up"), "{}", told.stderr);
    let ask = ["query", "visible", "x.vcb", "--", "-3,0,0", "3,0,0"];
    assert_eq!(folder.run(&ask).stdout, "visible\n", "nobody can be there");
    folder.write("room.mtl", "newmtl wall\nd 0.5\n");
    folder.write("room.obj", format!("mtllib room.mtl\n{}", room()));
    folder.ok(&bake);
    folder.fails(
        &["bake", "solid", "room.obj", "--from", "unity", "--up", "z"],
        2,
        &["--from", "--up"],
    );
}

#[test]
fn positions_to_reach_may_have_a_line_of_names_but_must_be_text() {
    let folder = Folder::new();
    folder.write("room.obj", room().replace("usemtl wall\n", ""));
    for reach in [
        "x,y,z\n-3,0,0\n",
        "\u{feff}X, Y, Z\r\n-3,0,0\r\n",
        "\"x\",\"y\",\"z\"\n-3,0,0",
    ] {
        folder.write("reach.csv", reach);
        folder.ok(&[BAKE, &["--reach", "reach.csv"]].concat());
    }
    let refused: [(&[u8], &[&str]); 3] = [
        (b"-3,0,0\nx,y,z\n", &["reach.csv", "line 2"]),
        (b"x,z,y\n-3,0,0\n", &["reach.csv", "line 1"]),
        (b"caf\xe9,1,2\n", &["reach.csv", "UTF-8", "byte 3"]),
    ];
    for (reach, words) in refused {
        folder.write("reach.csv", reach);
        folder.fails(&[BAKE, &["--reach", "reach.csv"]].concat(), 3, words);
    }
}

/// An endless device filled memory.
#[cfg(unix)]
#[test]
fn positions_to_reach_are_not_read_from_a_device() {
    let folder = Folder::new();
    folder.write("room.obj", room().replace("usemtl wall\n", ""));
    let bake = [BAKE, &["--reach", "/dev/zero"]].concat();
    folder.fails(&bake, 4, &["/dev/zero", "a regular file"]);
}

fn reports(name: &str) -> Option<PathBuf> {
    data(&format!("reports/{name}"))
}

#[test]
fn meshes_and_towns_of_reports_answer_as_they_should() {
    let [west, east] = ["84997,447000,0.1", "85003,447000,0.1"];
    let near = ["-3,0,0.1", "3,0,0.1"];
    for (file, reach, [a, b], answer) in [
        (
            "closure_surface.city.json",
            "town.csv",
            [west, east],
            Some("visible"),
        ),
        (
            "glass_material.city.json",
            "town.csv",
            [west, east],
            Some("visible"),
        ),
        ("seq.city.jsonl", "town.csv", [west, east], Some("hidden")),
        // Without ground around it, nobody is on its other side.
        ("late_type.city.json", "reach.csv", near, Some("visible")),
        ("continuation.obj", "reach.csv", near, None),
        ("yup.obj", "reach.csv", near, None),
    ] {
        let (Some(level), Some(folder_of)) = (reports(&format!("files/{file}")), reports("files"))
        else {
            return;
        };
        let folder = Folder::new();
        // Both sides can be reached.
        let mut lines = std::fs::read_to_string(folder_of.join(reach)).unwrap();
        lines += &format!("\n{}\n", b.replace("0.1", "0"));
        folder.write("reach.csv", lines);
        let level = level.to_string_lossy();
        folder.ok(&[
            "bake",
            "solid",
            &level,
            "--reach",
            "reach.csv",
            "-o",
            "x.vcb",
        ]);
        let said = folder.run(&["query", "visible", "x.vcb", "--", a, b]);
        // Of the others it matters that they are read: their boxes share corners, and are faces.
        let found = answer.map(|_| said.stdout.trim());
        assert_eq!(found, answer, "{file}: {}", said.stderr);
    }
}
