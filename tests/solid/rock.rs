//! Rock: that no eye sees into it, and that what is sealed is rock.

use proptest::prelude::*;
use viewcell::convex::{Plane, Point};
use viewcell::dice::Dice;
use viewcell_ingest::world::solid::{Aabb, Player, Rock, Solid, SolidLevel, Units};

/// What lies between two places along each of three axes that lean by an angle.
fn leaning(angle: f64, [low, high]: [Point; 2]) -> Solid {
    let ([s, c], [t, d]) = ([angle.sin(), angle.cos()], (0.7 * angle).sin_cos().into());
    let axes = [[c, s, 0.0], [-s * d, c * d, t], [s * t, -c * t, d]];
    let side = |normal: Point, dist| Plane { normal, dist };
    let planes = (0..3).flat_map(|k| [side(axes[k].map(|x| -x), -low[k]), side(axes[k], high[k])]);
    Solid::from_planes(planes).unwrap()
}

/// In the room, whatever it leans by: from here to here.
const EYES: [Point; 2] = [[-0.5; 3], [0.5, 0.2, 0.7]];

/// A room of slabs that touch in edges alone, with a crack in it, and boxes here and there.
fn level(angle: f64, crack: f64, boxes: &[[Point; 2]]) -> SolidLevel {
    let mut level = SolidLevel::new("test", Units::Metres, Player::PERSON);
    for (k, upper) in (0..3).flat_map(|k| [(k, false), (k, true)]) {
        let mut slab = [[-4.0; 3], [4.0; 3]];
        (slab[0][k], slab[1][k]) = if upper { (4.0, 4.06) } else { (-4.06, -4.0) };
        slab[1][1] -= if k == 0 && upper { crack } else { 0.0 };
        level.solids.push(leaning(angle, slab));
    }
    let boxes = boxes.iter().map(|&one| leaning(3.0 * angle, one));
    level.solids.extend(boxes);
    level
}

fn rock_of(level: &SolidLevel) -> Vec<Aabb> {
    let eyes = Aabb::around(&EYES);
    Rock::new(level).unwrap().boxes(level, &[eyes])
}

#[test]
fn all_around_a_room_is_rock_unless_it_has_a_crack() {
    for case in 0..8 {
        let (angle, crack) = (0.4 * f64::from(case / 2), 0.001 * f64::from(case % 2));
        let level = level(angle, crack, &[]);
        let rock = rock_of(&level);
        let is_sealed = rock.iter().any(|of| of.contains(level.bounds().min));
        assert_eq!(is_sealed, crack == 0.0, "leaning by {angle}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whoever flies about freely, sees no point of rock. Planes lean by much, or by so little that they nearly are sides of voxels.
    #[test]
    fn nobody_sees_into_rock(turn in 0.0..1.5f64, small in 0..7, crack in prop_oneof![Just(0.0), Just(0.001)], at in [-18..18i32, -18..18, -18..18], size in 1..12i32, seed: u64) {
        let angle = turn * 0.1_f64.powi(small);
        let at = at.map(|x| 0.5 * f64::from(x));
        let level = level(angle, crack, &[[at, at.map(|x| x + 0.5 * f64::from(size))], [[-9.0; 3], [-8.0; 3]], [[8.0; 3], [9.0; 3]]]);
        let rock = rock_of(&level);
        let mut dice = Dice(seed);
        let mut within = |of: &Aabb| [0, 1, 2].map(|k| of.min[k] + dice.fraction() * of.size()[k]);
        let mut eye = within(&Aabb::around(&EYES));
        for of in rock.iter().flat_map(|of| [of; 64]) {
            let (point, next) = (within(of), within(&level.bounds().grown(1.0)));
            prop_assert!(level.blocks(eye, point), "{eye:?} sees {point:?} in {of:?}");
            eye = if level.blocks(eye, next) { eye } else { next };
        }
    }
}
