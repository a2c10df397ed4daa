//! Who sees whom in a solid level, from tick to tick, as the slow twin has it. Terrains and levels of cells are asked in
//! the tests of Bevy's plugin.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use viewcell_sight::{
    AskOptions, Being, Change, Known, OwnedBundle, Place, SolidBundle, Watch, World, load,
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
    let ask_options = AskOptions {
        reach,
        doubt,
        frontiers,
        proofs: false,
    };
    let mut seen = HashSet::new();
    let (mut halves, mut changes) = (0, 0);
    for tick in 0..120 {
        watch.ask(Known::Bundle(bundle.clone()), ask_options);
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
                let is_news = if begins {
                    seen.insert((viewer, target))
                } else {
                    seen.remove(&(viewer, target))
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

/// With proofs a pair is hidden only where the library's own watch says so, or the bake; and more are than by the bake alone.
#[test]
fn proofs_hide_whom_the_library_proves_hidden_and_nobody_else() {
    use viewcell::query::{Motion, MotionLimits, Mover};
    use viewcell::watch::{Watch as Judge, WatchOptions, Watched};
    const PLAYERS: usize = 6;
    const REACH: f64 = 24.0;
    let bundle = load(bytes("solid.vcb")).unwrap();
    let (world, level) = (bundle.world(), solid(&bundle));
    let mut dice = Dice(77);
    let mut watch = Watch::default();
    let ask_options = AskOptions {
        reach: REACH,
        proofs: true,
        ..AskOptions::default()
    };
    let mut judge = Judge::of_bundle(&bundle, 8, WatchOptions { max_ahead: 1.0 }).unwrap();
    let mut seen = HashSet::new();
    let (mut hidden, mut proven) = (0, 0);
    let mut points = [[0.0; 3]; PLAYERS];
    for tick in 0..300 {
        watch.ask(Known::Bundle(bundle.clone()), ask_options);
        // Everybody goes on, so that each pair is decided in each tick; now and then somebody is gone.
        let gone = dice.below(2 * PLAYERS as u64) as usize;
        for (entity, point) in points.iter_mut().enumerate() {
            if tick % 10 == 0 {
                *point = somewhere(level, &mut dice);
            }
            point[0] += 0.25;
            if entity == gone {
                judge.remove(entity);
                continue;
            }
            watch.put(Being {
                entity,
                is_viewer: true,
                is_target: true,
                place: world.locate(*point),
                point: *point,
            });
        }
        watch.tick(|change| {
            if change.begins {
                seen.insert((change.viewer, change.target));
            } else {
                seen.remove(&(change.viewer, change.target));
            }
        });
        for (entity, &position) in points.iter().enumerate().filter(|&(i, _)| i != gone) {
            let mover = Mover {
                motion: Motion {
                    position,
                    velocity: None,
                },
                limits: MotionLimits {
                    speed: [REACH; 2],
                    acceleration: [f64::INFINITY; 2],
                    impulse: [0.0; 2],
                    error: [0.0; 2],
                },
                times: [0.0, 1.0],
            };
            let watched = Watched {
                sees: mover,
                shown: mover,
                step: 0.0,
                eye: None,
                body: None,
            };
            judge.set(entity, &watched);
        }
        judge.begin();
        assert!(judge.look(1_000_000));
        for (a, b) in (0..PLAYERS * PLAYERS).map(|pair| (pair / PLAYERS, pair % PLAYERS)) {
            if a == b || a == gone || b == gone {
                assert!(!seen.contains(&(a, b)));
                continue;
            }
            let by_bake = level.positions_visible_within(points[a], points[b], [REACH; 2]);
            let is_seen = seen.contains(&(a, b));
            let is_nowhere = [a, b].iter().any(|&of| world.locate(points[of]).is_none());
            if is_nowhere {
                assert!(is_seen, "tick {tick}: {a} and {b}");
                continue;
            }
            assert!(
                is_seen || !by_bake || !judge.sends(a, b),
                "tick {tick}: {a} and {b}"
            );
            hidden += u32::from(!is_seen);
            proven += u32::from(!is_seen && by_bake);
        }
    }
    assert!(
        hidden > 100 && proven > 20,
        "{hidden} hidden, {proven} by proofs"
    );
}

/// The L of `tests/solid/axes.rs`, with Godot's positions: x right, y up, z back.
#[test]
fn a_level_that_godot_exported_is_asked_with_godots_positions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let bundle = load(fs::read(root.join("tests/golden/axes/godot.vcb")).unwrap()).unwrap();
    let level = solid(&bundle);
    let holds = |turn: [i8; 3]| {
        let turned = |at: [f64; 3]| {
            turn.map(|axis| f64::from(axis.signum()) * at[usize::from(axis.unsigned_abs()) - 1])
        };
        let [corner, short, long] = [[1.5, 0.1, -1.5], [1.5, 0.1, -7.0], [18.0, 0.1, -1.5]]
            .map(|at| level.locate(turned(at)));
        let all = corner.zip(short).zip(long);
        all.is_some_and(|((corner, short), long)| {
            level.visible(corner, short)
                && level.visible(long, corner)
                && !level.visible(short, long)
        })
    };
    for order in [
        [1, 2, 3],
        [1, 3, 2],
        [2, 1, 3],
        [2, 3, 1],
        [3, 1, 2],
        [3, 2, 1],
    ] {
        for signs in 0..8 {
            let turn: [i8; 3] =
                std::array::from_fn(|k| order[k] * if signs >> k & 1 == 1 { -1 } else { 1 });
            assert_eq!(holds(turn), turn == [1, 2, 3], "{turn:?}");
        }
    }
}
