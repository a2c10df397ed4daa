//! Players on a terrain of a bundle: near and maybe visible, against asking it of all pairs.

use std::collections::BTreeSet;

use viewcell::interest::{Awareness, Senses, Sight};
use viewcell::query::{Bundle, Place, Sample, World};

use viewcell::dice::Dice;

const TERRAIN: &[u8] = include_bytes!("../golden/v1/13x9-voids.vcb");

/// Whether two may see each other before either has gone `reach` far.
struct LookAhead<'m> {
    world: World<'m>,
    reach: f64,
}

impl Sight for LookAhead<'_> {
    type Place = Place;

    fn visible(&self, from: Place, to: Place) -> bool {
        if self.reach == 0.0 {
            self.world.visible(from, to)
        } else {
            self.world.visible_within(from, to, [self.reach; 2])
        }
    }

    fn is_mutual(&self) -> bool {
        self.reach == 0.0 && self.world.is_mutual()
    }
}

fn walk<S: Sight<Place = Place>>(sight: S, sees: impl Fn(Sample, Sample) -> bool) -> usize {
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
        let place = [dice.roll(13), dice.roll(9)];
        let (position, sample) = at(place);
        let player = awareness.insert(position, Place::Sample(sample), senses);
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
                    (place[0] + dice.roll(3)).clamp(1, 13) - 1,
                    (place[1] + dice.roll(3)).clamp(1, 9) - 1,
                ];
                let (position, sample) = at(*place);
                awareness
                    .move_to(player, position, Place::Sample(sample))
                    .unwrap();
            }
        }
    }
    changes
}

#[test]
fn what_a_terrain_hides_is_not_told() {
    let bundle = Bundle::from_bytes(TERRAIN).unwrap();
    let terrain = bundle.terrain().unwrap();
    let changes = walk(bundle.world().unwrap(), |a, b| terrain.visible(a, b));
    assert!(changes > 500, "{changes}");
}

#[test]
fn what_may_soon_be_seen_is_told() {
    let bundle = Bundle::from_bytes(TERRAIN).unwrap();
    let terrain = bundle.terrain().unwrap();
    let ahead = LookAhead {
        world: bundle.world().unwrap(),
        reach: 1.5,
    };
    let changes = walk(ahead, |a, b| terrain.visible_within(a, b, [1.5; 2]));
    assert!(changes > 500, "{changes}");
}

#[test]
fn what_levels_hide_is_not_told_with_a_look_ahead_and_without() {
    const LEVELS: [&[u8]; 2] = [
        include_bytes!("../golden/v1/level.vcb"),
        include_bytes!("../golden/v1/solid.vcb"),
    ];
    for bytes in LEVELS {
        let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
        let place = |number: u64| world.place(number).unwrap();
        let senses = Senses {
            reach: 1.0,
            acuity: f32::INFINITY,
            radius: 1.0,
        };
        for reach in [0.0, 4.0] {
            let sees = |a, b| match reach {
                0.0 => world.visible(a, b),
                _ => world.visible_within(a, b, [reach; 2]),
            };
            let mut awareness = Awareness::new(LookAhead { world, reach });
            // Each is near all others, in a cell of their own; then they change places.
            let cells = world.places();
            for number in 0..cells {
                awareness.insert([0.0; 3], place(number), senses).unwrap();
            }
            let (mut told, mut hidden) = (BTreeSet::new(), 0);
            for turn in 0..4 {
                let at = |player: u64| place((player + turn) % cells);
                for player in 0..cells {
                    let moved = awareness.move_to(player as u32, [0.0; 3], at(player));
                    moved.unwrap();
                }
                let changes = awareness.tick();
                told.extend(changes.began.iter().copied());
                changes.ceased.iter().for_each(|pair| {
                    told.remove(pair);
                });
                for a in 0..cells {
                    for b in (0..cells).filter(|b| *b != a) {
                        let is_told = told.contains(&[a as u32, b as u32]);
                        assert_eq!(is_told, sees(at(a), at(b)), "{a} {b}");
                        hidden += u32::from(!is_told);
                    }
                }
            }
            assert!(hidden > 0);
        }
    }
}
