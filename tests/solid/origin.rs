//! What a bundle says does not depend on where in a national grid its level lies.

use std::path::Path;

use proptest::prelude::*;
use viewcell::query::OwnedBundle;
use viewcell::watch::{Watch, WatchOptions};
use viewcell_bake::BakeOptions;
use viewcell_ingest::solid::{SolidOptions, solid_from_bytes};
use viewcell_ingest::world::solid::{Aabb, PlaceOptions};

use super::watch::hides;
use crate::boxes::SIDES;
use crate::common::{bake, solid};

/// Swiss coordinates (LV95), the largest of a national grid in use, and the other side of the origin.
const FAR: [[f64; 3]; 3] = [
    [2_680_000.0, 1_250_048.0, 384.0],
    [499_968.0, 5_400_000.0, 0.0],
    [-7_999_936.0, -9_000_000.0, -64.0],
];

/// Boxes as a mesh, moved.
fn mesh(boxes: &[Aabb], by: [f64; 3]) -> String {
    let mut text = String::new();
    for of in boxes {
        for corner in of.corners() {
            let [x, y, z] = [0, 1, 2].map(|k| corner[k] + by[k]);
            text += &format!("v {x:.4} {y:.4} {z:.4}\n");
        }
    }
    for number in 0..boxes.len() {
        for face in SIDES {
            let words = face.map(|corner| (8 * number + corner + 1).to_string());
            text += &format!("f {}\n", words.join(" "));
        }
    }
    text
}

fn a_box(min: [f64; 3], max: [f64; 3]) -> Aabb {
    Aabb { min, max }
}

/// A bundle of boxes that are moved, asked in coordinates of the file.
fn baked(boxes: &[Aabb], reach: &[[f64; 3]], by: [f64; 3], cell: f64) -> OwnedBundle {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("level.obj");
    let text = mesh(boxes, by);
    std::fs::write(&file, &text).unwrap();
    let options = SolidOptions {
        up: Some(viewcell_ingest::solid::UpAxis::Z),
        ..SolidOptions::default()
    };
    let level = solid_from_bytes(text.as_bytes(), Path::new("level.obj"), &options)
        .unwrap()
        .level;
    let mut options = PlaceOptions::of(&level);
    (options.size, options.height) = (cell, cell);
    options.reach = reach
        .iter()
        .map(|at| std::array::from_fn(|k| at[k] + by[k]))
        .collect();
    let bytes = bake(&file, &level, &options, &BakeOptions::default());
    OwnedBundle::from_bytes(bytes).unwrap()
}

/// Two halves of a wall, 0.2 m thick, with a gap between them, on a floor.
fn gap(width: f64) -> [Aabb; 3] {
    [
        a_box([-0.1, -20.0, -20.0], [0.1, -0.5 * width, 20.0]),
        a_box([-0.1, 0.5 * width, -20.0], [0.1, 20.0, 20.0]),
        a_box([-6.0, -3.0, -0.5], [6.0, 3.0, 0.0]),
    ]
}

#[test]
fn a_gap_of_ten_centimetres_is_seen_through_at_national_coordinates() {
    let (west, east) = ([-3.0, 0.0, 0.01], [3.0, 0.0, 0.01]);
    for by in FAR.into_iter().chain([[0.0; 3]]) {
        let at = |p: [f64; 3]| [0, 1, 2].map(|k| p[k] + by[k]);
        for (width, seen) in [(0.1, true), (0.0, false)] {
            let bundle = baked(&gap(width), &[west, east], by, 1.0);
            let level = solid(&bundle);
            let found = level.positions_visible(at(west), at(east));
            assert!(level.locate(at(west)).is_some(), "{by:?}");
            assert_eq!(found, seen, "a gap of {width} m, moved by {by:?}");
            // What is asked at run time is proven of the same occluders.
            let mut watch = Watch::new(*level, 2, WatchOptions::default()).unwrap();
            let door = [[-0.05, -1.0, -1.0], [0.05, 1.0, 3.0]].map(at);
            let both = [west, east].map(at);
            let hidden = hides(&mut watch, &[], both, u32::MAX);
            assert_eq!(hidden, !seen, "a gap of {width} m, moved by {by:?}");
            assert!(hides(&mut watch, &[door], both, u32::MAX), "{by:?}");
        }
    }
}

fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    // Thousandths of a metre, as files of towns have them.
    let side = || 100..6000_i32;
    let one = (
        [-12_000..12_000_i32, -12_000..12_000, 0..3000],
        [side(), side(), side()],
    );
    prop::collection::vec(one, 1..8).prop_map(|boxes| {
        let metres = |at: i32| f64::from(at) * 0.001;
        let mut boxes: Vec<Aabb> = boxes
            .into_iter()
            .map(|(at, size)| Aabb {
                min: at.map(metres),
                max: [0, 1, 2].map(|k| metres(at[k] + size[k])),
            })
            .collect();
        boxes.push(a_box([-16.0, -16.0, -1.0], [16.0, 16.0, 0.0]));
        boxes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_town_that_is_moved_is_answered_alike(boxes in boxes(), far in 0..FAR.len()) {
        let reach = [[-15.0, -15.0, 0.01], [15.0, 15.0, 0.01]];
        let here = baked(&boxes, &reach, [0.0; 3], 4.0);
        let there = baked(&boxes, &reach, FAR[far], 4.0);
        let (here, there) = (solid(&here), solid(&there));
        prop_assert_eq!(here.cells(), there.cells());
        for a in 0..here.cells() {
            let [low, high] = here.bounds(a).unwrap();
            let moved = there.bounds(a).unwrap();
            for (at, moved) in [low, high].as_flattened().iter().zip(moved.as_flattened()) {
                prop_assert!(FAR[far].iter().any(|by| (at + by - moved).abs() < 1e-6));
            }
            for b in 0..here.cells() {
                prop_assert_eq!(here.visible(a, b), there.visible(a, b), "{} {}", a, b);
            }
        }
    }
}
