//! Eyes from crouched to standing, and places where one can only crouch.

use viewcell::dice::Dice;
use viewcell::query::OwnedBundle;
use viewcell_bake::BakeOptions;
use viewcell_ingest::world::solid::{
    Aabb, PlaceOptions, Player, Solid, SolidLevel, Units, find_places,
};

use crate::common::{bake, solid};

fn level(player: Player, boxes: &[[[f64; 3]; 2]]) -> SolidLevel {
    let mut level = SolidLevel::new("test", Units::Quake, player);
    for &[min, max] in boxes {
        level
            .solids
            .push(Solid::from_box(&Aabb { min, max }).unwrap());
    }
    level.obstacles = level.solids.clone();
    level
}

fn baked(level: &SolidLevel, player: Player) -> OwnedBundle {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("level.map");
    std::fs::write(&file, "a test").unwrap();
    let options = PlaceOptions {
        player,
        ..PlaceOptions::of(level)
    };
    let bytes = bake(&file, level, &options, &BakeOptions::default());
    OwnedBundle::from_bytes(bytes).unwrap()
}

/// A closed room of 512 x 256 x 128 with a wall across its middle, and a slot in the wall at the height of a crouched eye.
fn slotted(player: Player) -> SolidLevel {
    let mut level = level(
        player,
        &[
            [[-16.0, -16.0, -16.0], [528.0, 272.0, 0.0]],
            [[-16.0, -16.0, 128.0], [528.0, 272.0, 144.0]],
            [[-16.0, -16.0, 0.0], [0.0, 272.0, 128.0]],
            [[512.0, -16.0, 0.0], [528.0, 272.0, 128.0]],
            [[0.0, -16.0, 0.0], [512.0, 0.0, 128.0]],
            [[0.0, 256.0, 0.0], [512.0, 272.0, 128.0]],
            [[240.0, 0.0, 0.0], [272.0, 256.0, 34.0]],
            [[240.0, 0.0, 38.0], [272.0, 256.0, 128.0]],
        ],
    );
    level.spawns = vec![[64.0, 128.0, 24.0], [448.0, 128.0, 24.0]];
    level
}

#[test]
fn who_crouches_sees_through_a_slot_that_is_too_low_for_who_stands() {
    let crouching = Player::QUAKE3;
    let [crouched, standing] = crouching.eye;
    let still = Player {
        eye: [standing; 2],
        ..crouching
    };
    let level = slotted(crouching);
    let (all, standing_only) = (baked(&level, crouching), baked(&level, still));
    let (all, standing_only) = (solid(&all), solid(&standing_only));
    assert_eq!(all.parameters().eye, [crouched, standing]);
    assert_eq!(all.cells(), standing_only.cells());
    // On the floor near the wall; behind it, further away.
    let (near, far) = ([200.0, 128.0, 24.0], [440.0, 128.0, 24.0]);
    let eye = [near[0], near[1], near[2] + crouched];
    assert!(!level.blocks(eye, [far[0], far[1], far[2] + 12.0]));
    assert!(all.positions_visible(near, far));
    assert!(!standing_only.positions_visible(near, far));
    // An eye of which the bundle says nothing sees all.
    assert!(standing_only.visible_from_eye(near, crouched, far));
    assert!(!standing_only.visible_from_eye(near, standing, far));
    for eye in [crouched - 1.0, standing + 1.0, f64::NAN] {
        assert!(all.visible_from_eye(far, eye, near), "{eye}");
    }
    // No line from an eye between the two heights comes through where the bundle hides.
    let mut dice = Dice(7);
    let mut hidden = 0;
    while hidden < 20_000 {
        let [a, b] = [0; 2].map(|_: u32| dice.roll(all.cells()));
        if all.visible(a, b) {
            // There may be few hidden pairs, but there are some.
            hidden += 1;
            continue;
        }
        let mut within = |[low, high]: [[f64; 3]; 2]| -> [f64; 3] {
            std::array::from_fn(|k| low[k] + dice.fraction() * (high[k] - low[k]))
        };
        let mut eye = within(all.bounds(a).unwrap());
        let body = within(all.bounds(b).unwrap());
        let [offset, height] = [
            within(all.parameters().hull),
            within([[0.0, 0.0, crouched], [0.0, 0.0, standing]]),
        ];
        eye[2] += height[2];
        let point = std::array::from_fn(|k| body[k] + offset[k]);
        hidden += 1;
        assert!(level.blocks(eye, point), "{eye:?} {point:?}");
    }
}

/// Two rooms with a corridor of a height between them, and nobody starts in the second.
fn tunnel(player: Player, height: f64) -> SolidLevel {
    let floor = 0.0;
    let mut level = level(
        player,
        &[
            [[-16.0, -16.0, -16.0], [784.0, 272.0, floor]],
            [[-16.0, -16.0, 160.0], [784.0, 272.0, 176.0]],
            [[-16.0, -16.0, floor], [0.0, 272.0, 160.0]],
            [[768.0, -16.0, floor], [784.0, 272.0, 160.0]],
            [[0.0, -16.0, floor], [768.0, 0.0, 160.0]],
            [[0.0, 256.0, floor], [768.0, 272.0, 160.0]],
            [[256.0, 0.0, height], [512.0, 256.0, 160.0]],
        ],
    );
    let feet = -player.hull.min[2];
    level.spawns = vec![[128.0, 128.0, feet]];
    level
}

#[test]
fn low_tunnels_are_places_where_the_game_lets_one_crouch() {
    // The player, a tunnel's height, and the height of the origin in it.
    let cases = [
        // In one of 40 there is no room to be off the floor by an eighth, as its players are.
        (Player::QUAKE3, 41.0, Some(24.5)),
        (Player::QUAKE2, 32.0, Some(24.0)),
        (Player::HALF_LIFE, 40.0, Some(18.0)),
        (Player::SOURCE, 40.0, Some(0.0)),
        (Player::IBSP47, 40.0, Some(24.0)),
        (Player::QUAKE3, 32.0, None),
        (Player::QUAKE, 40.0, None),
    ];
    for (player, height, origin) in cases {
        let level = tunnel(player, height);
        let places = find_places(&level, &PlaceOptions::of(&level))
            .unwrap()
            .cells;
        let within = [384.0, 128.0, origin.unwrap_or(24.0)];
        let beyond = [640.0, 128.0, -player.hull.min[2]];
        let found = [within, beyond].map(|at| places.locate(at).is_some());
        assert_eq!(
            found,
            [origin.is_some(); 2],
            "{player:?} in a tunnel of {height}"
        );
    }
}
