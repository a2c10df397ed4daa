//! Who sees whom in a solid level, from tick to tick, as the slow twin has it. Terrains and levels of cells are asked in
//! the tests of Bevy's plugin.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use viewcell_sight::{
    Being, Change, Known, Manner, OwnedBundle, Place, SolidBundle, Watch, World, load,
};

fn bytes(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    fs::read(root.join("tests/golden/v1").join(name)).unwrap()
}

fn solid(bundle: &OwnedBundle) -> &SolidBundle<'_> {
    match bundle.world() {
        World::Solid(level) => level,
        other => panic!("expected a solid level, found {other:?}"),
    }
}

#[test]
fn a_bundle_with_a_damaged_section_is_refused() {
    for name in ["solid.vcb", "level.vcb", "40x9-pairs.vcb"] {
        let whole = bytes(name);
        assert!(load(whole.clone()).is_ok(), "{name}");
        let refused = (0..whole.len()).filter(|&at| {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            load(damaged).is_err()
        });
        // Between sections there may be bytes of padding, of which nothing is read.
        let refused = refused.count();
        assert!(
            refused > whole.len() * 9 / 10,
            "{name}: {refused} of {}",
            whole.len()
        );
    }
}

/// Numbers by xorshift, below a limit.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) % limit
    }
}

/// A position in a cell, or now and then in none.
fn somewhere(level: &SolidBundle<'_>, dice: &mut Dice) -> [f64; 3] {
    if dice.below(20) == 0 {
        return [-1e4; 3];
    }
    let cell = dice.below(level.cells().into()) as u32;
    let [low, high] = level.bounds(cell).unwrap();
    std::array::from_fn(|axis| {
        let share = dice.below(1000) as f64 / 999.0;
        low[axis] + share * (high[axis] - low[axis])
    })
}

fn play(reach: f64, doubt: bool, frontiers: bool) {
    const PLAYERS: usize = 8;
    let bundle = load(bytes("solid.vcb")).unwrap();
    let (world, level) = (bundle.world(), solid(&bundle));
    let mut dice = Dice(0x5EED_1234);
    let mut points: Vec<[f64; 3]> = (0..PLAYERS).map(|_| somewhere(level, &mut dice)).collect();
    let mut watch = Watch::default();
    let manner = Manner {
        reach,
        doubt,
        frontiers,
    };
    let mut seen = HashSet::new();
    let (mut halves, mut changes) = (0, 0);
    for tick in 0..120 {
        watch.ask(Known::Bundle(bundle.clone()), manner);
        for (entity, point) in points.iter_mut().enumerate() {
            match dice.below(6) {
                0 => *point = somewhere(level, &mut dice),
                1 | 2 => point[0] += dice.below(9) as f64 - 4.0,
                _ => {}
            }
            watch.put(Being {
                entity,
                is_viewer: true,
                is_target: true,
                place: world.locate(*point),
                point: *point,
            });
        }
        watch.tick(
            |Change {
                 viewer,
                 target,
                 begins,
             }| {
                changes += 1;
                let is_news = match begins {
                    true => seen.insert((viewer, target)),
                    false => seen.remove(&(viewer, target)),
                };
                assert!(is_news, "{viewer} and {target}");
            },
        );
        let place = |player: usize| world.locate(points[player]);
        for (a, b) in (0..PLAYERS * PLAYERS).map(|pair| (pair / PLAYERS, pair % PLAYERS)) {
            let expected = match (place(a), place(b)) {
                _ if a == b => false,
                (Some(from), Some(to)) if reach == 0.0 => world.visible(from, to),
                (Some(_), Some(_)) => {
                    level.positions_visible_within(points[a], points[b], [reach; 2])
                }
                _ => doubt,
            };
            assert_eq!(seen.contains(&(a, b)), expected, "tick {tick}, {a} and {b}");
            let both = (watch.half(a, b)).zip(watch.half(b, a));
            if let Some((half, other)) = both.filter(|_| tick % 10 == 0) {
                halves += 1;
                assert!(half.contains(place(a).unwrap()) && other.contains(place(b).unwrap()));
                let cells = || (0..level.cells()).map(Place::Cell);
                for from in cells().filter(|&cell| half.contains(cell)) {
                    for to in cells().filter(|&cell| other.contains(cell)) {
                        assert!(!world.visible(from, to) && !world.visible(to, from));
                    }
                }
            }
        }
    }
    assert!(changes > 50, "{changes} changes");
    assert_eq!(halves > 20, frontiers, "{halves} halves");
}

#[test]
fn what_is_told_in_a_solid_level_is_what_is_visible() {
    for reach in [0.0, 5.0, 40.0] {
        for (doubt, frontiers) in [(true, false), (false, false), (true, true), (false, true)] {
            play(reach, doubt, frontiers);
        }
    }
}
