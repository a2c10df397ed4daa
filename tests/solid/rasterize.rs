//! Solids on heightmaps: nothing hides that is not solid, whatever way samples are joined.

use std::path::Path;

use proptest::prelude::*;
use viewcell_ingest::solid::{SolidOptions, UpAxis, solid_from_bytes};
use viewcell_ingest::world::solid::{
    Aabb, Heightmap, Placement, Player, Rasterized, Solid, SolidLevel, Units, rasterize,
};

const HERE: Placement = Placement {
    origin: [0.0; 3],
    scale: 1.0,
};

fn level(boxes: &[Aabb]) -> SolidLevel {
    let mut level = SolidLevel::new("boxes", Units::Metres, Player::PERSON);
    level.solids = boxes.iter().map(|b| Solid::from_box(b).unwrap()).collect();
    level.obstacles = level.solids.clone();
    level
}

/// The height up to which boxes are solid above a point of the ground, without a gap.
fn solid_to(boxes: &[Aabb], [x, y]: [f64; 2], ground: f64) -> f64 {
    let above =
        |b: &&Aabb| (b.min[0]..=b.max[0]).contains(&x) && (b.min[1]..=b.max[1]).contains(&y);
    let mut height = ground;
    loop {
        let next = boxes.iter().filter(above);
        let next = next.filter(|b| b.min[2] <= height + 1e-9 && b.max[2] > height);
        match next.map(|b| b.max[2]).reduce(f64::max) {
            Some(top) => height = top,
            None => return height,
        }
    }
}

const SIDE: usize = 8;

fn a_box() -> impl Strategy<Value = Aabb> {
    // On samples, so that boxes often meet.
    let corner = [-1..9_i32, -1..9, -4..6];
    let size = [1..5_i32, 1..5, 1..8];
    (corner, size).prop_map(|(min, size)| {
        let min = [f64::from(min[0]), -f64::from(min[1]), f64::from(min[2])];
        Aabb {
            min,
            max: std::array::from_fn(|k| min[k] + f64::from(size[k])),
        }
    })
}

fn on(level: &SolidLevel, heights: &[f64]) -> Rasterized {
    let heightmap = Heightmap {
        size: [SIDE, heights.len() / SIDE],
        spacing: [1.0, 1.0],
        heights,
    };
    rasterize(level, &HERE, &heightmap)
}

proptest! {
    #[test]
    fn nothing_hides_that_is_not_solid(
        boxes in prop::collection::vec(a_box(), 0..7),
        ground in prop::collection::vec(-3..4_i32, SIDE * SIDE),
    ) {
        let ground: Vec<f64> = ground.into_iter().map(f64::from).collect();
        let found = on(&level(&boxes), &ground);
        for patch in 0..(SIDE - 1) * (SIDE - 1) {
            let (column, row) = (patch % (SIDE - 1), patch / (SIDE - 1));
            let corners = |of: &[f64]| [0, 1, SIDE, SIDE + 1].map(|i| of[row * SIDE + column + i]);
            let (low, high) = (corners(&ground), corners(&found.surface));
            for i in 0..49 {
                let (u, v) = (f64::from(i % 7) / 6.0, f64::from(i / 7) / 6.0);
                let at = [column as f64 + u, -(row as f64) - v];
                let bilinear = |[a, b, c, d]: [f64; 4]| {
                    (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v
                };
                let falling = |[a, b, c, d]: [f64; 4]| if u > v { a + (b - a) * u + (d - b) * v } else { a + (d - c) * u + (c - a) * v };
                let rising = |[a, b, c, d]: [f64; 4]| if u + v < 1.0 { a + (b - a) * u + (c - a) * v } else { d + (c - d) * (1.0 - u) + (b - d) * (1.0 - v) };
                for [ground, surface] in [
                    [bilinear(low), bilinear(high)],
                    [falling(low), falling(high)],
                    [rising(low), rising(high)],
                ] {
                    let due = solid_to(&boxes, at, ground);
                    prop_assert!(surface <= due + 1e-9, "{at:?}: {surface} above {due}");
                }
            }
        }
        for (sample, &top) in found.top.iter().enumerate() {
            let at = [(sample % SIDE) as f64, -((sample / SIDE) as f64)];
            let over = boxes.iter().filter(|b| (0..2).all(|k| (b.min[k]..=b.max[k]).contains(&at[k])));
            let due = over.map(|b| b.max[2]).reduce(f64::max);
            prop_assert_eq!(due, (!top.is_nan()).then_some(top));
            // Over the closed square around it.
            let over = found.over[sample];
            let near = |b: &&Aabb| (0..2).all(|k| b.min[k] <= at[k] + 0.5 && b.max[k] >= at[k] - 0.5);
            let due = boxes.iter().filter(near).map(|b| b.max[2]).reduce(f64::max);
            prop_assert_eq!(due, (!over.is_nan()).then_some(over));
        }
    }
}

#[test]
fn houses_that_touch_hide_as_one() {
    let house = |west: f64, east: f64, up: f64| Aabb {
        min: [west, -5.5, -1.0],
        max: [east, -1.0, up],
    };
    // The party wall is between samples.
    let found = on(
        &level(&[house(1.0, 3.4, 5.0), house(3.4, 6.0, 4.0)]),
        &[0.0; 64],
    );
    let row = |row: usize| found.surface[row * SIDE..(row + 1) * SIDE].to_vec();
    assert_eq!(row(1), [0.0; 8]);
    assert_eq!(row(2), [0.0, 0.0, 5.0, 4.0, 4.0, 4.0, 0.0, 0.0]);
    // The patches below are solid in part.
    assert_eq!(row(5), [0.0; 8]);
    assert_eq!((found.raised, found.top[3 * SIDE + 3]), (12, 5.0));
}

#[test]
fn a_roof_that_misses_the_sample_is_stood_on_in_its_square() {
    // From column 2.3 to 3.4, between rows 1.3 and 1.6: over no sample; in the squares of two, and of two rows.
    let found = on(
        &level(&[Aabb {
            min: [2.3, -1.6, -1.0],
            max: [3.4, -1.3, 5.0],
        }]),
        &[0.0; 64],
    );
    assert!(found.top.iter().all(|top| top.is_nan()));
    let squares: Vec<usize> = (0..64).filter(|&i| found.over[i] == 5.0).collect();
    assert_eq!(squares, [10, 11, 18, 19]);
    assert_eq!(found.over.iter().filter(|top| !top.is_nan()).count(), 4);
    assert_eq!(
        (found.raised, found.patches.all, found.patches.solid),
        (0, 2, 0)
    );
}

/// An arch, as one closed shell that is not convex.
#[test]
fn what_is_seen_under_hides_nothing() {
    let mut outline = String::new();
    for y in [-6.0, -1.0] {
        for (x, z) in [
            (0, -1),
            (3, -1),
            (3, 4),
            (5, 4),
            (5, -1),
            (7, -1),
            (7, 8),
            (0, 8),
        ] {
            outline += &format!("v {x} {y} {z}\n");
        }
    }
    let mut faces: Vec<Vec<usize>> = vec![(1..9).collect(), (9..17).rev().collect()];
    for i in 0..8 {
        let j = (i + 1) % 8;
        faces.push(vec![i + 9, j + 9, j + 1, i + 1]);
    }
    let mut surface_row = |turned: bool| {
        let mut text = outline.clone();
        for face in &mut faces {
            if turned {
                face.reverse();
            }
            let corners: Vec<String> = face.iter().map(usize::to_string).collect();
            text += &format!("f {}\n", corners.join(" "));
        }
        let read = solid_from_bytes(
            text.as_bytes(),
            Path::new("arch.obj"),
            &SolidOptions {
                up: Some(UpAxis::Z),
                ..SolidOptions::default()
            },
        )
        .unwrap();
        let found = on(&read.level, &[0.0; 64]);
        (
            found.surface[3 * SIDE..4 * SIDE].to_vec(),
            found.top[3 * SIDE + 4],
        )
    };
    let (row, under) = surface_row(false);
    // Beyond the first and the last sample there is no patch.
    assert_eq!(row, [8.0, 8.0, 8.0, 0.0, 0.0, 0.0, 8.0, 8.0]);
    // Who is under it is taken to be on it.
    assert_eq!(under, 8.0);
    // Inside out it is no body, and is stood on.
    assert_eq!(surface_row(true), (vec![0.0; 8], 8.0));
}
