//! `viewcell render`: pictures that say what the queries say.

use image::{Rgba, RgbaImage};
use tiff::decoder::{Decoder, DecodingResult};

use crate::common::{Folder, hills, words};

/// A folder with `hills.vcb`, 40 x 30 samples of rough ground and 3 m between them.
pub fn with_hills() -> Folder {
    let folder = Folder::new();
    folder.write("hills.r16", &hills(40)[..40 * 30 * 2]);
    bake_hills(&folder, &[]);
    folder
}

/// Bakes `hills.r16`, to `hills.vcb` unless told otherwise.
pub fn bake_hills(folder: &Folder, more: &[&str]) {
    let arguments = "bake terrain hills.r16 --size 40x30 --spacing 3 --vertical-scale 0.1 \
                     --visibility exact --quiet";
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    folder.ok(&[&arguments, more].concat());
}

pub fn picture(folder: &Folder, name: &str) -> RgbaImage {
    image::load_from_memory(&folder.read(name))
        .unwrap()
        .to_rgba8()
}

fn mask(folder: &Folder, name: &str) -> Vec<u8> {
    let bytes = folder.read(name);
    let mut decoder = Decoder::new(std::io::Cursor::new(bytes)).unwrap();
    match decoder.read_image().unwrap() {
        DecodingResult::U8(mask) => mask,
        other => panic!("not bytes: {other:?}"),
    }
}

/// Visible is yellow, hidden is blue.
fn is_visible(pixel: &Rgba<u8>) -> bool {
    assert_ne!(pixel[0], pixel[2], "{pixel:?}");
    pixel[0] > pixel[2]
}

#[test]
fn a_pvs_is_painted_pixel_by_pixel_as_query_pvs_says() {
    let folder = with_hills();
    for (place, quad) in [("17,9", "0"), ("0,0", "0"), ("39,29", "2"), ("5,20", "3")] {
        folder.ok(&[
            "query",
            "pvs",
            "hills.vcb",
            place,
            "--quad",
            quad,
            "-o",
            "m.tif",
            "--force",
        ]);
        folder.ok(&[
            "render",
            "hills.vcb",
            "--pvs",
            place,
            "--quad",
            quad,
            "--bare",
            "-o",
            "p.png",
            "--force",
        ]);
        let (mask, picture) = (mask(&folder, "m.tif"), picture(&folder, "p.png"));
        assert_eq!(picture.dimensions(), (40, 30));
        assert!(
            mask.contains(&0) && mask.contains(&1),
            "{place}: nothing to compare"
        );
        for (seen, pixel) in mask.iter().zip(picture.pixels()) {
            assert_eq!(is_visible(pixel), *seen == 1, "{place}");
        }
    }
}

#[test]
fn a_larger_map_has_the_same_pixels_and_a_void_is_transparent() {
    let folder = Folder::with_wall();
    folder.ok(&words("render wall.vcb --pvs 1,2 --bare -o one.png"));
    folder.ok(&words(
        "render wall.vcb --pvs 1,2 --bare --width 90 -o ten.png",
    ));
    let (one, ten) = (picture(&folder, "one.png"), picture(&folder, "ten.png"));
    assert_eq!((one.dimensions(), ten.dimensions()), ((9, 5), (90, 50)));
    for (x, y, pixel) in ten.enumerate_pixels() {
        assert_eq!(pixel, one.get_pixel(x / 10, y / 10));
    }
    assert_eq!(one.get_pixel(8, 4)[3], 0);
    assert!(is_visible(one.get_pixel(4, 2)) && !is_visible(one.get_pixel(7, 2)));
}

#[test]
fn a_frontier_has_the_sizes_that_frontier_gives_and_shows_its_growth() {
    let folder = with_hills();
    let sizes = folder.json(&["frontier", "hills.vcb", "2,2", "37,27", "--json"]);
    folder.ok(&words(
        "render hills.vcb --frontier 2,2 37,27 --bare -o f.png",
    ));
    let picture = picture(&folder, "f.png");
    // Blue is A's, orange is B's, grey neither's.
    let warm = |p: &&Rgba<u8>| i32::from(p[0]) - i32::from(p[2]);
    let count = |is: &dyn Fn(i32) -> bool| picture.pixels().filter(|p| is(warm(p))).count();
    assert_eq!(
        count(&|warmth| warmth < -20),
        sizes["size_a"].as_u64().unwrap() as usize
    );
    assert_eq!(
        count(&|warmth| warmth > 20),
        sizes["size_b"].as_u64().unwrap() as usize
    );
    assert!(count(&|warmth| warmth.abs() <= 20) > 0);
}

#[test]
fn exposure_says_what_export_exposure_says() {
    let folder = with_hills();
    let seen = folder.json(&words("export exposure hills.vcb -o e.npy --json --quiet"));
    let document = folder.json(&words(
        "render hills.vcb --exposure -o e.png --json --quiet",
    ));
    let words = document["subtitle"].as_str().unwrap();
    let range = format!(
        "seen by {} to {} samples,",
        seen["seen_by"]["least"], seen["seen_by"]["greatest"]
    );
    assert!(words.contains(&range.replace(".0", "")), "{words} {range}");
    assert_eq!(document["width"], 1200);
    assert_eq!(picture(&folder, "e.png").width(), 1200);
}

#[test]
fn what_cannot_be_drawn_is_refused_before_anything_is_written() {
    let folder = with_hills();
    folder.write("noise.vcb", b"this is no bundle");
    folder.write("there.png", b"mine");
    let fails = |more: &[&str], code, words: &[&str]| {
        let mut arguments = vec!["render", "hills.vcb"];
        arguments.extend(more);
        folder.fails(&arguments, code, words);
    };
    fails(
        &["--pvs", "40,3", "-o", "p.png"],
        2,
        &["outside", "columns 0 to 39"],
    );
    fails(
        &["--frontier", "1,1", "3,99", "-o", "p.png"],
        2,
        &["outside"],
    );
    fails(&["--frontier", "1,1", "-o", "p.png"], 2, &["2 values"]);
    fails(&["--pvs", "7", "-o", "p.png"], 2, &["COL,ROW"]);
    fails(
        &["--pvs", "1,1", "--quad", "99", "-o", "p.png"],
        2,
        &["--quad 99", "0 (a sample) to 6"],
    );
    fails(&["--quad", "1", "-o", "p.png"], 2, &["--quad", "--pvs"]);
    fails(&["--distance", "1", "-o", "p.png"], 2, &["level of cells"]);
    fails(
        &["--exposure", "--pvs", "1,1", "-o", "p.png"],
        2,
        &["cannot be used with"],
    );
    fails(
        &["-o", "p.png", "--width", "0"],
        2,
        &["--width 0", "320 to 16384"],
    );
    fails(
        &["-o", "p.png", "--width", "100"],
        2,
        &["--width 100", "legend"],
    );
    fails(
        &["-o", "p.png", "--width", "4000000000"],
        2,
        &["320 to 16384"],
    );
    fails(
        &["-o", "p.png", "--bare", "--width", "0"],
        2,
        &["1 to 16384"],
    );
    fails(&["-o", "p.jpg"], 2, &[".png"]);
    fails(&["-o", "there.png"], 4, &["there.png", "--force"]);
    fails(&["-o", "no/folder/p.png"], 4, &["no/folder"]);
    fails(&["--lost", "noise.vcb", "-o", "p.png"], 3, &["noise.vcb"]);
    fails(&["--lost", "absent.vcb", "-o", "p.png"], 4, &["absent.vcb"]);
    folder.fails(&["render", "noise.vcb", "-o", "p.png"], 3, &["noise.vcb"]);
    folder.fails(&["render", "hills.vcb", "-o", "hills.vcb"], 2, &[".png"]);
    assert_eq!(folder.read("there.png"), b"mine");
    assert_eq!(
        folder.names(),
        [
            "hills.r16",
            "hills.vcb",
            "hills.vcb.timings.json",
            "noise.vcb",
            "there.png"
        ]
    );
}

/// A folder with `rooms.vcb`: nine rooms of a unit's side, three a row.
pub fn with_rooms() -> Folder {
    let folder = Folder::new();
    let rooms = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cells/figure-3.json");
    folder.ok(&["bake", "cells", rooms, "-o", "rooms.vcb", "--quiet"]);
    folder
}

/// The pixels in the middles of the rooms of a plan that is 90 pixels wide.
fn rooms(folder: &Folder, what: &[&str]) -> Vec<Rgba<u8>> {
    let mut arguments = vec!["render", "rooms.vcb"];
    arguments.extend(what);
    arguments.extend(["--bare", "--width", "90", "-o", "plan.png", "--force"]);
    folder.ok(&arguments);
    let plan = picture(folder, "plan.png");
    assert_eq!(plan.dimensions(), (90, 90));
    let room = |cell: u32| *plan.get_pixel(cell % 3 * 30 + 15, cell / 3 * 30 + 15);
    (0..9).map(room).collect()
}

#[test]
fn a_plan_shows_the_pvs_and_the_distances_that_query_gives() {
    let folder = with_rooms();
    for cell in ["0", "4", "8"] {
        let answer = folder.json(&["query", "pvs", "rooms.vcb", cell, "--json"]);
        let seen = answer["cells"].as_array().unwrap();
        let ring: u32 = cell.parse().unwrap();
        for (other, pixel) in (0_u32..).zip(rooms(&folder, &["--pvs", cell])) {
            // Who looks is under a red ring.
            if other != ring {
                assert_eq!(
                    is_visible(&pixel),
                    seen.contains(&other.into()),
                    "{cell} {other}"
                );
            }
        }
        let colours = rooms(&folder, &["--distance", cell]);
        let steps: Vec<String> = (0..9)
            .map(|other| {
                folder
                    .ok(&["query", "distance", "rooms.vcb", cell, &other.to_string()])
                    .stdout
            })
            .collect();
        for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))) {
            let is_ring = |cell: usize| cell as u32 == ring;
            if !is_ring(a) && !is_ring(b) {
                assert_eq!(
                    colours[a] == colours[b],
                    steps[a] == steps[b],
                    "{cell}: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn a_plan_shows_the_regions_that_frontier_gives() {
    let folder = with_rooms();
    let answer = folder.json(&["frontier", "rooms.vcb", "0", "8", "--json"]);
    let is_in = |region: &str, cell: u32| answer[region].as_array().unwrap().contains(&cell.into());
    for (cell, pixel) in (1_u32..8).zip(&rooms(&folder, &["--frontier", "0", "8"])[1..]) {
        let warmth = i32::from(pixel[0]) - i32::from(pixel[2]);
        assert_eq!(warmth < -20, is_in("region_a", cell), "{cell}");
        assert_eq!(warmth > 20, is_in("region_b", cell), "{cell}");
    }
}

#[test]
fn a_level_that_cannot_be_drawn_says_why() {
    let folder = with_rooms();
    folder.write("bare.json", r#"{"cells": 3, "pvs": [[1], [0], []]}"#);
    folder.ok(&["bake", "cells", "bare.json", "--quiet"]);
    folder.fails(
        &["render", "bare.vcb", "-o", "p.png"],
        3,
        &["expected boxes", "export matrix"],
    );
    folder.fails(
        &["render", "rooms.vcb", "--pvs", "9", "-o", "p.png"],
        2,
        &["cell 9", "0 to 8"],
    );
    folder.fails(
        &["render", "rooms.vcb", "--pvs", "1,1", "-o", "p.png"],
        2,
        &["number of a cell"],
    );
    folder.fails(
        &["render", "rooms.vcb", "--quad", "1", "-o", "p.png"],
        2,
        &["expected a terrain"],
    );
    folder.fails(
        &["diff", "rooms.vcb", "bare.vcb"],
        3,
        &["has 9 cells", "has 3"],
    );
    folder.ok(&["diff", "bare.vcb", "bare.vcb"]);
}
