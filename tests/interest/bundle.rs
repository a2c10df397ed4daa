//! Players on a terrain of a bundle: near and maybe visible, against asking it of all pairs.

use std::collections::BTreeSet;

use viewcell::interest::{Awareness, LookAhead, Senses, Sight};
use viewcell::query::{Bundle, Sample};

use crate::common::Dice;

const TERRAIN: &[u8] = include_bytes!("../golden/v1/13x9-voids.vcb");

fn walk<S: Sight<Place = Sample>>(sight: S, sees: impl Fn(Sample, Sample) -> bool) -> usize {
    let mut awareness = Awareness::new(sight);
    let mut dice = Dice(7);
    let senses = Senses {
        reach: 6.0,
        acuity: f32::INFINITY,
        radius: 1.0,
    };
    let mut there: Vec<[u32; 2]> = Vec::new();
    let at = |[col, row]: [u32; 2]| ([col as f32, row as f32, 0.0], Sample::new(col, row));
    for number in 0..30 {
        let place = [dice.roll(13) as u32, dice.roll(9) as u32];
        let (position, sample) = at(place);
        let player = awareness.insert(position, sample, senses);
        assert_eq!(player, Ok(number));
        there.push(place);
    }
    let mut told = BTreeSet::new();
    let mut changes = 0;
    for _ in 0..60 {
        let found = awareness.tick();
        let mut expected = BTreeSet::new();
        for (a, here) in (0..).zip(&there) {
            for (b, other) in (0..).zip(&there) {
                let apart = here[0].abs_diff(other[0]).pow(2) + here[1].abs_diff(other[1]).pow(2);
                if a != b && apart <= 36 && sees(at(*here).1, at(*other).1) {
                    expected.insert([a, b]);
                }
            }
        }
        assert!(found.began.iter().eq(expected.difference(&told)));
        assert!(found.ceased.iter().eq(told.difference(&expected)));
        changes += found.began.len() + found.ceased.len();
        told = expected;
        for (player, place) in (0..).zip(&mut there) {
            if dice.roll(2) == 0 {
                *place = [
                    (place[0] + dice.roll(3) as u32).clamp(1, 13) - 1,
                    (place[1] + dice.roll(3) as u32).clamp(1, 9) - 1,
                ];
                let (position, sample) = at(*place);
                awareness.move_to(player, position, sample).unwrap();
            }
        }
    }
    changes
}

#[test]
fn what_a_terrain_hides_is_not_told() {
    let terrain = Bundle::from_bytes(TERRAIN).unwrap().terrain().unwrap();
    let changes = walk(&terrain, |a, b| terrain.visible(a, b));
    assert!(changes > 500, "{changes}");
}

#[test]
fn what_may_soon_be_seen_is_told() {
    let terrain = Bundle::from_bytes(TERRAIN).unwrap().terrain().unwrap();
    let ahead = LookAhead {
        terrain: &terrain,
        reach: 1.5,
    };
    let changes = walk(ahead, |a, b| terrain.visible_within(a, b, [1.5; 2]));
    assert!(changes > 500, "{changes}");
}
