//! An L-shaped level as each engine's exporter writes it, baked, and asked with that engine's positions. The bundles are kept for
//! the tests of bindings.
//!
//! `VIEWCELL_BLESS=1 cargo test --test solid axes` writes them anew.

use std::path::Path;

use viewcell::dice::Dice;
use viewcell::format::Frame;
use viewcell::query::{
    Bundle, Extent, Motion, MotionLimits, Mover, Place, Predictor, ReachableSet, SolidBundle, World,
};
use viewcell::session::{Notice, Session, SessionOptions};
use viewcell::watch::{Watch, WatchOptions, Watched};
use viewcell_bake::BakeOptions;
use viewcell_ingest::solid::{Exporter, SolidOptions, read_solid};
use viewcell_ingest::world::solid::PlaceOptions;

use crate::common::bake;
use crate::meshes::{ENGINES, Point, Write, all_axes, obj};

/// Walls around an L, as along, across and up in metres: 20 along and 8 across, 3 wide and high.
const WALLS: [[Point; 2]; 7] = [
    [[-1.0, -1.0, -1.0], [21.0, 9.0, 0.0]],
    [[-1.0, -1.0, 3.0], [21.0, 9.0, 4.0]],
    [[-1.0, -1.0, 0.0], [21.0, 0.0, 3.0]],
    [[-1.0, 0.0, 0.0], [0.0, 8.0, 3.0]],
    [[20.0, 0.0, 0.0], [21.0, 3.0, 3.0]],
    [[-1.0, 8.0, 0.0], [3.0, 9.0, 3.0]],
    [[3.0, 3.0, 0.0], [21.0, 9.0, 3.0]],
];
/// Between the feet of players in the corner, at the end of the short arm, and at that of the long one.
const CORNER: Point = [1.5, 1.5, 0.1];
const SHORT: Point = [1.5, 7.0, 0.1];
const LONG: Point = [18.0, 1.5, 0.1];

fn baked(from: Exporter, engine: Write, to_obj: Write) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("l.obj");
    std::fs::write(&mesh, obj(&WALLS, |at| to_obj(engine(at)))).unwrap();
    let options = SolidOptions {
        from: Some(from),
        ..SolidOptions::default()
    };
    let level = read_solid(&mesh, &options).unwrap().level;
    let mut place_options = PlaceOptions::of(&level);
    place_options.reach = vec![level.frame.to_level(engine(CORNER))];
    bake(&mesh, &level, &place_options, &BakeOptions::default())
}

/// Where an engine has what is along, across and up, and where the baked level has it, written out by hand.
fn in_level(from: Exporter, [along, across, up]: Point) -> Point {
    match from {
        Exporter::Unity => [-along, -across, up],
        Exporter::Unreal => [along, -across, up],
        Exporter::Godot | Exporter::Blender => [along, across, up],
    }
}

/// The bundles of all engines, as they are kept.
fn kept() -> impl Iterator<Item = (Exporter, Write, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    ENGINES.into_iter().map(move |(from, engine, ..)| {
        let name = format!("{from:?}.vcb").to_lowercase();
        (from, engine, std::fs::read(folder.join(name)).unwrap())
    })
}

/// Whether the L is where an engine has it, if its positions are turned before.
fn is_there(level: &SolidBundle<'_>, turn: Frame, engine: Write) -> bool {
    let at = [CORNER, SHORT, LONG].map(|at| turn.to_level(engine(at)));
    let [Some(corner), Some(short), Some(long)] = at.map(|at| level.locate(at)) else {
        return false;
    };
    let sees = |a, b| level.visible(a, b) && level.visible(b, a);
    sees(corner, short)
        && sees(corner, long)
        && !level.visible(short, long)
        && !level.visible(long, short)
}

#[test]
fn a_level_is_asked_with_the_positions_of_the_engine_that_it_comes_from() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    for (from, engine, _, to_obj) in ENGINES {
        let name = format!("{from:?}.vcb").to_lowercase();
        let bytes = baked(from, engine, to_obj);
        if std::env::var_os("VIEWCELL_BLESS").is_some() {
            std::fs::write(folder.join(&name), &bytes).unwrap();
        }
        assert!(
            std::fs::read(folder.join(&name)).unwrap() == bytes,
            "{name}"
        );
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let scale = 1.0;
        for axes in all_axes() {
            assert_eq!(
                is_there(&level, Frame { axes, scale }, engine),
                axes == [1, 2, 3],
                "{name} {axes:?}"
            );
        }
        for scale in [0.01, 100.0] {
            let other = Frame {
                scale,
                ..Frame::default()
            };
            assert!(!is_there(&level, other, engine), "{name}");
        }
    }
}

/// Somebody anywhere in the L, or a little outside of it.
fn somewhere(dice: &mut Dice) -> Point {
    let side = |least: f64, most: f64, part: f64| least + (most - least) * part;
    let [a, b, up] = [0; 3].map(|_| dice.fraction());
    if dice.roll(2) == 0 {
        [side(0.0, 20.0, a), side(0.0, 3.0, b), side(0.0, 1.3, up)]
    } else {
        [side(0.0, 3.0, a), side(0.0, 8.0, b), side(0.0, 1.3, up)]
    }
}

/// As they move, in metres; `to` has what is along, across and up.
fn mover(at: Point, velocity: Point, until: f64, scale: f64, to: impl Fn(Point) -> Point) -> Mover {
    Mover {
        motion: Motion {
            position: to(at),
            velocity: Some(to(velocity)),
        },
        // Far along the ground and little up: with another axis up the boxes are others.
        limits: MotionLimits {
            speed: [6.0 * scale, 0.5 * scale],
            acceleration: [20.0 * scale, 0.25 * scale],
            impulse: [0.5 * scale, 0.0],
            error: [0.01 * scale, 0.01 * scale],
        },
        times: [0.0, until],
    }
}

/// Each question is asked twice: with an engine's coordinates, and with the level's own in which z is up.
#[test]
fn every_question_is_answered_alike_with_an_engines_coordinates_and_the_levels() {
    for (from, engine, bytes) in kept() {
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let scale = engine([1.0, 0.0, 0.0]).into_iter().sum::<f64>();
        let unit = if from == Exporter::Unreal { "cm" } else { "m" };
        assert_eq!(
            (level.unit(), level.as_baked().unit()),
            (unit, "m"),
            "{from:?}"
        );
        let (asked, own) = (World::Solid(level), World::Solid(level.as_baked()));
        let told = |at| in_level(from, at);
        let near = |a: Point, b: Point| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-9 * scale);
        for cell in 0..level.cells() {
            let place = Place::Cell(cell);
            let [low, high] = asked.bounds(place).unwrap();
            assert!((0..3).all(|k| low[k] < high[k]), "{from:?} {low:?}");
            let middle = own.middle(place).unwrap();
            // Back by hand: what is along, across and up.
            let along = told(middle);
            assert!(
                near(asked.middle(place).unwrap(), engine(along)),
                "{from:?}"
            );
        }
        let players = 6;
        let options = WatchOptions::default();
        let mut watches =
            [level, level.as_baked()].map(|of| Watch::new(of, players, options).unwrap());
        let mut dice = Dice(3);
        let [mut hidden, mut apart, mut doors] = [0; 3];
        for round in 0..60 {
            let movers: Vec<[Mover; 2]> = (0..players)
                .map(|_| {
                    let at = somewhere(&mut dice);
                    let velocity = [0; 3].map(|_| 4.0 * (dice.fraction() - 0.5));
                    let until = 0.4 * dice.fraction();
                    [
                        mover(at, velocity, until, scale, engine),
                        mover(at, velocity, until, 1.0, told),
                    ]
                })
                .collect();
            // A door across the long arm, closed now and then.
            let door = [[10.0, 0.0, 0.0], [10.2, 3.0, 3.0]];
            let upright = |[a, b]: [Point; 2]| {
                [
                    std::array::from_fn(|k| a[k].min(b[k])),
                    std::array::from_fn(|k| a[k].max(b[k])),
                ]
            };
            let closed = round % 2 == 1;
            for (k, corners) in [door.map(engine), door.map(told)].into_iter().enumerate() {
                let all: Vec<[Point; 2]> = closed.then(|| upright(corners)).into_iter().collect();
                watches[k].set_doors(&all);
                for (player, movers) in movers.iter().enumerate() {
                    let of = [0.3, 0.0][usize::from(player % 2 == 0)];
                    let body = [[-0.2, -0.2, 0.0], [0.2, 0.2, 1.5]];
                    let body = match k {
                        0 => upright(body.map(engine)),
                        _ => upright(body.map(told)),
                    };
                    let unit = [scale, 1.0][k];
                    let watched = Watched {
                        sees: movers[k],
                        shown: movers[k],
                        step: of * unit,
                        eye: (player == 1).then_some([1.0, 1.7].map(|up| up * unit)),
                        body: (player == 2).then_some(body),
                    };
                    watches[k].set(player, &watched);
                }
                watches[k].begin();
                watches[k].look(u32::MAX);
            }
            let sets = [0, 1].map(|k| {
                let world = [asked, own][k];
                let mut predictor = Predictor::new(world, movers[0][k].limits, players);
                let mut sets = vec![ReachableSet::new(world); players];
                for (player, movers) in movers.iter().enumerate() {
                    predictor.moved(player, 0.0, movers[k].motion);
                    sets[player].set(&movers[k]);
                }
                (predictor, sets)
            });
            let [(mut predictor, reachable), (mut other, own_sets)] = sets;
            for (a, from_movers) in movers.iter().enumerate() {
                for (b, to_movers) in movers.iter().enumerate() {
                    let [x, y] = [0, 1].map(|k| [from_movers[k], to_movers[k]]);
                    let [p, q] = [x, y].map(|pair| pair.map(|of| of.motion.position));
                    let what = format!("{from:?} {round} {a} {b} {p:?}");
                    assert_eq!(asked.locate(p[0]), own.locate(q[0]), "{what}");
                    assert_eq!(
                        asked.positions_visible(p[0], p[1]),
                        own.positions_visible(q[0], q[1]),
                        "{what}"
                    );
                    let reach = [1.5, 0.25];
                    let far = reach.map(|far| far * scale);
                    let sees = own.positions_see_within(q[0], q[1], reach);
                    assert_eq!(asked.positions_see_within(p[0], p[1], far), sees, "{what}");
                    if let (Some(u), Some(v)) = (own.locate(q[0]), own.locate(q[1])) {
                        let within = own.visible_within(u, v, reach);
                        assert_eq!(asked.visible_within(u, v, far), within, "{what}");
                    }
                    let moving = own.sees_in_motion(&y[0], &y[1]);
                    assert_eq!(asked.sees_in_motion(&x[0], &x[1]), moving, "{what}");
                    hidden += u32::from(!moving);
                    let regions = x.map(|of| asked.region(&of));
                    // Of regions alone: who is in no cell now sees all in motion.
                    let own_regions = y.map(|of| own.region(&of));
                    assert_eq!(
                        asked.sees_region(&regions[0], &regions[1]),
                        own.sees_region(&own_regions[0], &own_regions[1]),
                        "{what}"
                    );
                    assert_eq!(
                        reachable[a].sees(&reachable[b]),
                        own_sets[a].sees(&own_sets[b]),
                        "{what}"
                    );
                    let times = [0.0, 0.2];
                    assert_eq!(
                        predictor.may_see(a, b, times),
                        other.may_see(a, b, times),
                        "{what}"
                    );
                    let sends = watches[1].sends(a, b);
                    assert_eq!(watches[0].sends(a, b), sends, "{what}");
                    apart += u32::from(a != b && !sends);
                    doors += u32::from(a != b && !sends && moving && closed);
                }
            }
        }
        assert!(
            hidden > 100 && apart > 100 && doors > 50,
            "{from:?}: {hidden} {apart} {doors}"
        );
    }
}

/// Both players of a session, in an engine's coordinates and in the level's.
#[test]
fn sessions_reach_as_far_in_an_engines_coordinates_as_in_the_levels() {
    for (from, engine, bytes) in kept() {
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let scale = engine([1.0, 0.0, 0.0]).into_iter().sum::<f64>();
        let worlds = [level, level.as_baked()];
        let mut sessions =
            worlds.map(|of| Session::new(&World::Solid(of), 2, SessionOptions::default()));
        let mut dice = Dice(8);
        let (mut silent, mut told) = (0, 0);
        for step in 0..400 {
            let at = somewhere(&mut dice);
            let far = dice.fraction();
            let player = step % 2;
            let notices = [0, 1].map(|k| {
                let (position, reach) = match k {
                    0 => (engine(at), far * scale),
                    _ => (in_level(from, at), far),
                };
                let place = worlds[k].locate(position).map(Place::Cell);
                let mut notices = Vec::new();
                let reach = Extent::ball(position, reach);
                let tell = |notice: Notice| notices.push(notice);
                sessions[k].move_within(player, place, reach, tell).unwrap();
                notices
            });
            assert_eq!(notices[0], notices[1], "{from:?} {step}");
            match notices[0].len() {
                0 => silent += 1,
                _ => told += 1,
            }
        }
        assert!(silent > 20 && told > 20, "{from:?} {silent} {told}");
    }
}
