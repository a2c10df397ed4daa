//! `viewcell export`: rasters for other tools.

use std::io::Cursor;

use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use crate::common::{Folder, demo, npy};

#[test]
fn horizons_of_a_wall_in_both_formats() {
    let folder = Folder::with_wall();
    let export = |name: &str, more: &[&str]| {
        let mut arguments = vec![
            "export",
            "horizon",
            "wall.asc",
            "-o",
            name,
            "--sectors",
            "4",
        ];
        arguments.extend(more);
        folder.ok(&arguments)
    };
    let ran = export("a.npy", &["--threads", "1", "--eye-height", "0"]);
    assert!(
        ran.stdout
            .starts_with("9 x 5 samples, 4 sectors: -90.00 to 84.29°"),
        "{}",
        ran.stdout
    );
    let found = npy(&folder.read("a.npy"), f32::from_le_bytes);
    assert_eq!(found.len(), 9 * 5 * 4);
    // Sample (0, 2): along the plain to the north, the wall 40 m to the east, nothing west.
    let at = &found[2 * 9 * 4..][..4];
    let wall = 100_f32.atan2(40.0).to_degrees();
    assert_eq!((at[0], at[2], at[3]), (0.0, 0.0, -90.0));
    assert!((at[1] - wall).abs() < 1e-4, "{at:?}");
    // The void in the south-eastern corner.
    assert!(found[found.len() - 4..].iter().all(|angle| angle.is_nan()));

    export("a.tif", &["--threads", "3", "--eye-height", "0"]);
    let mut decoder = Decoder::new(Cursor::new(folder.read("a.tif"))).unwrap();
    assert_eq!(decoder.dimensions().unwrap(), (9, 5));
    let nodata = decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap();
    assert_eq!(nodata, "nan");
    let DecodingResult::F32(same) = decoder.read_image().unwrap() else {
        panic!("not f32");
    };
    assert!(
        same.iter()
            .zip(&found)
            .all(|(a, b)| a.to_bits() == b.to_bits())
    );
}

#[test]
fn a_georeferenced_terrain_has_georeferenced_exports() {
    let folder = Folder::new();
    let demo = demo();
    let input = demo.to_str().unwrap();
    let crop = ["--crop", "10,20,40,30"];
    folder.ok(&[
        &[
            "bake",
            "terrain",
            input,
            "-o",
            "a.vcb",
            "--visibility",
            "exact",
            "-q",
        ],
        &crop[..],
    ]
    .concat());
    folder.ok(&[
        &["export", "skyview", input, "-o", "sky.tif", "-q"],
        &crop[..],
    ]
    .concat());
    folder.ok(&["export", "exposure", "a.vcb", "-o", "exposure.tif", "-q"]);
    folder.ok(&["query", "pvs", "a.vcb", "3,4", "-o", "mask.tif"]);
    let place = |name: &str| {
        let mut decoder = Decoder::new(Cursor::new(folder.read(name))).unwrap();
        let doubles = |decoder: &mut Decoder<_>, tag| decoder.get_tag_f64_vec(tag).unwrap();
        let scale = doubles(&mut decoder, Tag::ModelPixelScaleTag);
        let tie = doubles(&mut decoder, Tag::ModelTiepointTag);
        (
            scale,
            tie,
            decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap(),
        )
    };
    assert_eq!(place("sky.tif"), place("mask.tif"));
    assert_eq!(place("exposure.tif"), place("mask.tif"));
    let mut decoder = Decoder::new(Cursor::new(folder.read("sky.tif"))).unwrap();
    let DecodingResult::F32(sky) = decoder.read_image().unwrap() else {
        panic!("not f32");
    };
    assert!(sky.iter().all(|s| (0.3..=1.0).contains(s)) && sky.iter().any(|s| *s < 0.95));
}

#[test]
fn exposure_counts_who_sees_a_sample() {
    let folder = Folder::new();
    let demo = demo();
    let input = demo.to_str().unwrap();
    // Not mutual: who sees is not who is seen.
    let bake = [
        "bake",
        "terrain",
        input,
        "-o",
        "a.vcb",
        "--crop",
        "5,5,75,20",
        "-q",
    ];
    folder.ok(&[&bake[..], &["--visibility", "exact", "--eye-height", "0.5"]].concat());
    let export = |name: &str, threads: &str| {
        let mut export = folder.command(&["export", "exposure", "a.vcb", "-o", name]);
        let ran = export.env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(ran.status.success());
        String::from_utf8(ran.stdout).unwrap()
    };
    let told = export("a.npy", "3");
    assert!(told.starts_with("75 x 20 samples, each seen by "), "{told}");
    let found = npy(&folder.read("a.npy"), u32::from_le_bytes);
    assert_eq!(found.len(), 75 * 20);
    for (column, row) in [(0, 0), (37, 11), (74, 19), (64, 3)] {
        let pairs: String = (0..75 * 20)
            .map(|i| format!("{} {} {column} {row}\n", i % 75, i / 75))
            .collect();
        folder.write("pairs.txt", pairs);
        let answers = folder
            .ok(&["query", "visible", "a.vcb", "--pairs", "pairs.txt"])
            .stdout;
        let seen_by = answers.lines().filter(|line| *line == "1").count();
        assert_eq!(
            found[row * 75 + column],
            seen_by as u32,
            "({column}, {row})"
        );
    }
    export("b.npy", "1");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));

    let walls = Folder::with_wall();
    walls.ok(&["export", "exposure", "wall.vcb", "-o", "wall.npy"]);
    let found = npy(&walls.read("wall.npy"), u32::from_le_bytes);
    assert_eq!(found[44], 0, "a void");
    assert_eq!(found[0], 25, "the western plain and the wall");
    let document = walls.json(&["export", "exposure", "wall.vcb", "-o", "wall.png", "--json"]);
    assert_eq!(document["voids"], 1);
    assert_eq!(walls.read("wall.png")[..4], *b"\x89PNG");
}

#[test]
fn what_cannot_be_exported_is_said_and_leaves_nothing_behind() {
    let folder = Folder::with_wall();
    let before = folder.names();
    let usage: &[(&[&str], &str)] = &[
        (&["horizon", "wall.asc", "-o", "a.png"], ".tif or .npy"),
        (
            &["exposure", "wall.vcb", "-o", "a.jpg"],
            ".tif, .png or .npy",
        ),
        (
            &["horizon", "wall.asc", "-o", "a.tif", "--sectors", "0"],
            "1..=65535",
        ),
        (
            &["horizon", "wall.asc", "-o", "a.tif", "--sectors", "65536"],
            "1..=65535",
        ),
        (
            &["skyview", "wall.asc", "-o", "a.tif", "--eye-height=-1"],
            "0 to 1000000 m",
        ),
        (
            &["skyview", "wall.asc", "-o", "a.tif", "--eye-height=nan"],
            "a finite number",
        ),
        (&["skyview", "wall.asc"], "--output"),
    ];
    for (arguments, words) in usage {
        folder.fails(&[&["export"], *arguments].concat(), 2, &[words]);
    }
    folder.fails(
        &["export", "skyview", "none.asc", "-o", "a.tif"],
        4,
        &["none.asc"],
    );
    folder.fails(
        &["export", "skyview", "wall.vcb", "-o", "a.tif"],
        3,
        &["wall.vcb"],
    );
    folder.fails(
        &["export", "exposure", "wall.asc", "-o", "a.tif"],
        3,
        &["wall.asc"],
    );
    folder.fails(
        &["export", "skyview", "wall.asc", "-o", "none/a.tif"],
        4,
        &["none"],
    );
    assert_eq!(folder.names(), before);

    // A raster is not to take the place of its own terrain.
    folder.write("wall.tif", std::fs::read(demo()).unwrap());
    let forced = ["export", "skyview", "wall.tif", "-o", "wall.tif", "--force"];
    folder.fails(&forced, 2, &["is also the input"]);
    folder.write("kept.npy", "kept");
    folder.fails(
        &["export", "skyview", "wall.asc", "-o", "kept.npy"],
        4,
        &["kept.npy", "--force"],
    );
    assert_eq!(folder.read("kept.npy"), b"kept");
    folder.ok(&["export", "skyview", "wall.asc", "-o", "kept.npy", "--force"]);
    assert_ne!(folder.read("kept.npy"), b"kept");
}

#[test]
fn a_damaged_bundle_is_not_counted() {
    let folder = Folder::with_wall();
    let info = folder.json(&["info", "wall.vcb", "--json"]);
    let sections = info["sections"].as_array().unwrap();
    let index = sections
        .iter()
        .find(|section| section["tag"] == "PIDX")
        .unwrap();
    let at = index["offset"].as_u64().unwrap() as usize;
    let mut bytes = folder.read("wall.vcb");
    bytes[at..at + 8].fill(0xff);
    folder.write("wall.vcb", bytes);
    folder.fails(
        &["export", "exposure", "wall.vcb", "-o", "a.tif"],
        3,
        &["sample (0, 0)", "verify"],
    );
    assert!(!folder.names().contains(&"a.tif".to_owned()));
}
