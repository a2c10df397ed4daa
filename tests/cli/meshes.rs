//! Meshes and towns as people bring them, from the file to the answer.

use std::path::PathBuf;

use crate::boxes::SIDES;
use crate::common::{Folder, words};
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
        for side in SIDES {
            let [a, b, c, d] = side.map(|corner| 8 * i + corner + 1);
            text += &format!("f {a} {b} {c} {d}\n");
        }
    }
    text
}

#[test]
fn the_objects_of_a_scene_are_named_where_they_are_seen() {
    let folder = Folder::new();
    let text = room().replace("usemtl wall\n", "o wall\n");
    // A triangle in the eastern half.
    let far = "v 4 1 1\nv 4 2 1\nv 4 1 2\no far\nf -3 -2 -1\no lift-rigid\nf -3 -2 -1\n";
    folder.write("room.obj", format!("o walls\n{text}{far}"));
    let bake =
        "bake scene room.obj --from z-up --cell 2 --volume -5,-3,1,-1,3,2 --volume 1,-3,1,5,3,2";
    folder.ok(&words(bake));
    for shard in ["1/2", "2/2"] {
        folder.ok(&words(&format!("{bake} -o s.vcb --shard {shard}")));
    }
    folder.ok(&words("merge s.1-of-2.vcs s.2-of-2.vcs -o s.vcb"));
    assert!(folder.read("room.vcb") == folder.read("s.vcb"));
    let seen = |at: &str| folder.ok(&["query", "objects", "room.vcb", at]).stdout;
    assert_eq!(seen("-3,0,1.5"), "0\twalls\n1\twall\n3\tlift-rigid\n");
    assert_eq!(
        seen("3,0,1.5"),
        "0\twalls\n1\twall\n2\tfar\n3\tlift-rigid\n"
    );
    assert_eq!(seen("0,0,90").lines().count(), 4);
    folder.write("rooms.map", "{\n\"classname\" \"worldspawn\"\n}\n");
    folder.fails(&words("bake scene rooms.map"), 3, &["objects"]);
    let told = folder.json(&words("info room.vcb --json"));
    assert_eq!(
        (&told["solid"]["objects"], &told["solid"]["cells"]),
        (&4.into(), &24.into())
    );
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
    told.warns("give --from y-up|z-up");
    let ask = ["query", "visible", "x.vcb", "--", "-3,0,0", "3,0,0"];
    assert_eq!(folder.run(&ask).stdout, "visible\n", "nobody can be there");
    folder.write("room.mtl", "newmtl wall\nd 0.5\n");
    folder.write("room.obj", format!("mtllib room.mtl\n{}", room()));
    folder.ok(&bake);
    // An option of before is still understood.
    folder.fails(&["bake", "solid", "room.obj", "--up", "z"], 3, &["z up"]);
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

/// A box of a metre, of each format a file that its converter reads.
fn foreign() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let corners: Vec<[u8; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2]).collect();
    let triangles: Vec<[usize; 3]> = SIDES
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    let at = |[x, y, z]: [u8; 3]| format!("{x} {y} {z}");
    let lines: String = corners.iter().map(|&c| at(c) + "\n").collect();
    let faces: String = triangles
        .iter()
        .map(|[a, b, c]| format!("3 {a} {b} {c}\n"))
        .collect();
    let facet = |of: &[usize; 3]| {
        let corners = of.map(|i| format!("vertex {}\n", at(corners[i])));
        format!(
            "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n",
            corners.concat()
        )
    };
    let stl: String = triangles.iter().map(facet).collect();
    let mut binary = vec![b' '; 80];
    binary.extend((triangles.len() as u32).to_le_bytes());
    for triangle in &triangles {
        let numbers = triangle.iter().flat_map(|&i| corners[i]);
        let floats = [0; 3].into_iter().chain(numbers);
        binary.extend(floats.flat_map(|x| f32::from(x).to_le_bytes()));
        binary.extend([0; 2]);
    }
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
         element face 12\nproperty list uchar int vertex_indices\nend_header\n{lines}{faces}"
    );
    let numbers = |of: &[[usize; 3]]| {
        let all = of.iter().flatten().map(ToString::to_string);
        all.collect::<Vec<_>>().join(" ")
    };
    let dae = format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="box"><mesh><source id="p"><float_array id="pa" count="24">{}</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n" name="box"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
        lines.replace('1', "100").replace('\n', " "),
        numbers(&triangles)
    );
    let text = |text: String| text.into_bytes();
    vec![
        (
            "a.stl",
            "STL",
            text(format!("solid box\n{stl}endsolid box\n")),
        ),
        ("b.stl", "STL", binary),
        ("a.ply", "PLY", text(ply)),
        ("a.off", "OFF", text(format!("OFF\n8 12 0\n{lines}{faces}"))),
        ("a.dae", "COLLADA", text(dae)),
        ("a.fbx", "FBX", b"Kaydara FBX Binary  \0\x1a\0".to_vec()),
        ("a.usda", "USD", b"#usda 1.0\n".to_vec()),
        ("a.blend", "Blender", b"BLENDER-v402".to_vec()),
        ("a.ifc", "IFC", b"ISO-10303-21;\n".to_vec()),
        (
            "a.gml",
            "CityGML",
            b"<?xml version=\"1.0\"?><core:CityModel/>".to_vec(),
        ),
    ]
}

/// The command that the error advises is typed, where its program is installed.
#[test]
fn a_mesh_of_another_format_is_named_and_its_remedy_works() {
    let folder = Folder::new();
    // On the box, whichever of its axes is up.
    folder.write("reach.csv", "0.5,0.5,1\n0.5,-0.5,1\n");
    let installed = |program: &str| {
        let found = std::process::Command::new("which").arg(program).output();
        found.is_ok_and(|found| found.status.success())
    };
    for (name, format, bytes) in foreign() {
        let sound = bytes.len() > 100;
        folder.write(name, bytes);
        for bake in [&["bake", name][..], &["bake", "solid", name]] {
            folder.fails(bake, 3, &[name, format, "`"]);
        }
        let error = folder.run(&["bake", name]).stderr;
        let command = error.split('`').nth(1).unwrap();
        let program = command.split(' ').next().unwrap();
        if !sound || !installed(program) {
            eprintln!("skipped: {command}");
            continue;
        }
        let command = command.replace(" IN ", &format!(" {name} "));
        let command = command.replace("'IN'", &format!("'{name}'"));
        let ran = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {ran:?}");
        let bake = words("bake OUT.glb --reach reach.csv --force -o x.vcb");
        let told = folder.ok(&bake);
        assert!(told.stderr.contains("1 solids"), "{name} {}", told.stderr);
    }
}

#[test]
fn what_a_name_says_is_told_kept_and_dropped() {
    let folder = Folder::new();
    folder.write("reach.csv", "-3,0,0\n3,0,0\n");
    folder.write("room.obj", room().replace("usemtl wall", "o UCX_wall"));
    let ask = ["query", "visible", "x.vcb", "--", "-3,0,0", "3,0,0"];
    let bake = [BAKE, &["--reach", "reach.csv"]].concat();
    let told = folder.ok(&bake).stderr;
    for words in [
        "6 of 42 faces hide nothing: 6 of collision",
        "UCX_wall",
        "--keep takes",
    ] {
        assert!(told.contains(words), "{words:?} in {told}");
    }
    assert_eq!(folder.run(&ask).stdout, "visible\n");
    folder.ok(&[&bake[..], &["--keep", "UCX_*"]].concat());
    assert_eq!(folder.run(&ask).stdout, "hidden\n");
    folder.ok(&[&bake[..], &["--drop", "ucx_wall"]].concat());
    assert_eq!(folder.run(&ask).stdout, "visible\n");
    folder.fails(
        &[&bake[..], &["--drop", "door"]].concat(),
        2,
        &["--drop", "door, which nothing has"],
    );
}
