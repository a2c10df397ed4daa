//! The tracer against the definition, and hunts that must find something.

use super::*;
use viewcell::dice::Dice;
use viewcell_bake::bundle::grid_of_cells;
use viewcell_bake::visibility::solid::{BodyTracer, SegmentSight, SolidField, Tracer};
use viewcell_ingest::world::solid::{
    Aabb, Face, PlaceBox, PlaceCells, Player, Point, Solid, SolidLevel, Units,
};

fn point(dice: &mut Dice, reach: f64) -> Point {
    std::array::from_fn(|_| reach * (2.0 * dice.fraction() - 1.0))
}

fn solid(min: Point, max: Point) -> Solid {
    Solid::from_box(&Aabb { min, max }).unwrap()
}

/// Boxes and triangles at random.
fn rubble(dice: &mut Dice, count: u32) -> SolidLevel {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    for _ in 0..count {
        let (p, q) = (point(dice, 100.0), point(dice, 15.0));
        level
            .solids
            .push(solid(p, std::array::from_fn(|k| p[k] + 1.0 + q[k].abs())));
        let p = point(dice, 100.0);
        let corners: [Point; 3] = std::array::from_fn(|_| {
            let q = point(dice, 30.0);
            std::array::from_fn(|k| p[k] + q[k])
        });
        let faces = Face::from_polygon(&corners, dice.roll(2) == 0);
        level.faces.extend(faces.unwrap_or_default());
    }
    level
}

#[test]
fn segments_are_blocked_where_the_definition_says_so() {
    let mut dice = Dice(1);
    for count in [0, 1, 3, 40] {
        let level = rubble(&mut dice, count);
        let tracer = Tracer::new(&level);
        let (mut blocked, mut seams) = (0, 0);
        for _ in 0..10_000 {
            let (a, b) = (point(&mut dice, 110.0), point(&mut dice, 110.0));
            match tracer.look(a, b) {
                // What is within its slack of something may be either.
                SegmentSight::Seam => seams += 1,
                found => assert_eq!(
                    found == SegmentSight::Blocked,
                    level.blocks(a, b),
                    "{a:?} {b:?}"
                ),
            }
            blocked += u32::from(level.blocks(a, b));
        }
        assert!(
            seams < 5 && (count == 0) == (blocked == 0),
            "{seams} {blocked}"
        );
    }
}

#[test]
fn a_seam_is_closed_and_a_gap_is_not() {
    let wall = |gap: f64| {
        let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
        level.solids = vec![
            solid([-1.0, -100.0, -100.0], [1.0, 0.0, 100.0]),
            solid([-1.0, gap, -100.0], [1.0, 100.0, 100.0]),
        ];
        level
    };
    let through =
        |gap: f64| Tracer::new(&wall(gap)).look([-9.0, gap / 2.0, 0.0], [9.0, gap / 2.0, 0.0]);
    assert_ne!(through(0.0), SegmentSight::Clear);
    assert_eq!(through(1e-4), SegmentSight::Seam);
    assert_eq!(through(0.01), SegmentSight::Clear);
}

/// A wall between two rows of cells.
fn walled() -> (SolidLevel, PlaceCells) {
    let mut level = SolidLevel::new("test", Units::Quake, Player::QUAKE);
    level
        .solids
        .push(solid([-10.0, -600.0, -600.0], [10.0, 600.0, 600.0]));
    let boxes = [0, 1, 6, 7].map(|x| PlaceBox {
        min: [x, 0, 0],
        level: 0,
    });
    let places = PlaceCells::new([32.0; 3], [-128.0, 0.0, 0.0], boxes.into());
    (level, places)
}

#[test]
fn a_hunt_finds_what_another_level_hides_and_nothing_else() {
    let (level, places) = walled();
    let grid = grid_of_cells(places.len() as u32).grid();
    let field = SolidField::new(&level, &places, &level.player, grid);
    let boxes = Boxes::of_cells(&level, &places, &level.player);
    let options = HuntOptions {
        segments: 100_000,
        seed: 1,
    };
    let hunted = |level: &SolidLevel| {
        hunt(
            &Tracer::new(level),
            Hiding::Cells(&field, 8),
            &boxes,
            options,
        )
    };
    let whole = hunted(&level);
    assert!(
        whole.pairs > 1_000 && whole.segments >= options.segments,
        "{whole:?}"
    );
    assert_eq!((whole.clear, whole.seams), (0, 0));
    // A hole that a random segment hardly ever meets.
    let mut pierced = level.clone();
    pierced.solids = vec![
        solid([-10.0, -600.0, -600.0], [10.0, 600.0, 30.0]),
        solid([-10.0, -600.0, 30.05], [10.0, 600.0, 600.0]),
    ];
    let found = hunted(&pierced);
    assert!(found.clear > 0, "{found:?}");
    let ClearSegment { cells, eye, point } = found.examples[0];
    assert!(!pierced.blocks(eye, point) && level.blocks(eye, point));
    assert!(cells[0] / 2 != cells[1] / 2, "on one side of the wall");
}

#[test]
fn pairs_of_a_trace_are_in_sight_or_behind_the_wall() {
    let (level, places) = walled();
    let player = level.player;
    let frames = vec![
        vec![
            [-120.0, 16.0, 16.0],
            [-90.0, 16.0, 16.0],
            [90.0, 16.0, 16.0],
        ],
        vec![[-120.0, 16.0, 16.0], [0.0, 16.0, 900.0]],
    ];
    let pairs = in_sight(&BodyTracer::new(&level, player), &frames);
    assert_eq!((pairs.pairs(), pairs.seen()), (8, 4));
    let grid = grid_of_cells(places.len() as u32).grid();
    let field = SolidField::new(&level, &places, &player, grid);
    let found = decided_by_cells(&pairs, &places, &field, &player, 8);
    assert_eq!((found.visible, found.nowhere, found.missed), (4, 2, 0));
    // Cells that hide what is in sight.
    let open = SolidLevel::new("test", Units::Quake, player);
    let pairs = in_sight(&BodyTracer::new(&open, player), &frames);
    let found = decided_by_cells(&pairs, &places, &field, &player, 8);
    assert_eq!((pairs.seen(), found.missed), (8, 4));
    let [eye, point] = found.example.unwrap();
    assert!(level.blocks(eye, point));
}
