//! A watch never hides whom a line within reach shows, whatever it keeps from frame to frame, and hides most of the rest.

use viewcell::dice::Dice;
use viewcell::format::Tag;
use viewcell::format::occluders::{HEADER_LEN, RECORD_LEN};
use viewcell::query::{Bundle, Motion, MotionLimits, Mover, SolidBundle};
use viewcell::watch::{Smoke, Watch, WatchOptions, Watched, swept};
use viewcell_bake::BakeOptions;
use viewcell_ingest::solid::{SolidOptions, read_solid};
use viewcell_ingest::world::solid::SolidLevel;

use super::golden::{baked_map, map_of, two_rooms};

const ROOMS: &[u8] = include_bytes!("../golden/v1/solid.vcb");
const PLAYERS: usize = 6;
const FRAME: f64 = 0.05;

type Point = [f64; 3];

fn rooms() -> (SolidLevel, SolidBundle<'static>) {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("rooms.map");
    std::fs::write(&map, two_rooms()).unwrap();
    let level = read_solid(&map, &SolidOptions::default()).unwrap().level;
    (level, Bundle::from_bytes(ROOMS).unwrap().solid().unwrap())
}

/// How players of these tests move: as in Quake, but for stairs.
const RULES: MotionLimits = MotionLimits {
    speed: [320.0, 700.0],
    acceleration: [3200.0, 800.0],
    impulse: [0.0, 270.0],
    error: [0.0; 2],
};

fn watched(position: Point, velocity: Point, ahead: f64) -> Watched {
    let mover = |until| Mover {
        motion: Motion {
            position,
            velocity: Some(velocity),
        },
        limits: RULES,
        times: [0.0, until],
    };
    Watched {
        sees: mover(ahead),
        shown: mover(FRAME),
        step: 0.0,
        eye: None,
        body: None,
    }
}

/// Whether a watch hides one who stands there from one who stands here, with these doors closed.
pub fn hides(watch: &mut Watch<'_>, doors: &[[Point; 2]], places: [Point; 2], work: u32) -> bool {
    let still = MotionLimits {
        speed: [0.0; 2],
        acceleration: [0.0; 2],
        impulse: [0.0; 2],
        error: [0.0; 2],
    };
    watch.set_doors(doors);
    for (number, position) in places.into_iter().enumerate() {
        let mut player = watched(position, [0.0; 3], 0.0);
        for mover in [&mut player.sees, &mut player.shown] {
            (mover.limits, mover.times) = (still, [0.0; 2]);
        }
        watch.set(number, &player);
    }
    watch.begin();
    watch.look(work);
    !watch.sends(0, 1)
}

/// Somebody who runs about, jumps, falls, and is stopped by walls.
#[derive(Clone, Copy, Debug)]
struct Walker {
    at: Point,
    velocity: Point,
    /// Where they would go. Seldom changed.
    wish: [f64; 2],
    has_jumped: bool,
}

impl Walker {
    fn new(level: &SolidBundle<'_>, dice: &mut Dice) -> Self {
        let mut at = [0.0; 3];
        while level.locate(at).is_none() {
            at = [528.0, 384.0, 60.0].map(|side| side * dice.fraction());
        }
        Self {
            at,
            velocity: [0.0; 3],
            wish: [0.0; 2],
            has_jumped: false,
        }
    }

    /// A hundredth of a second.
    fn step(&mut self, level: &SolidBundle<'_>, dice: &mut Dice) {
        let seconds = 0.01;
        if dice.roll(20) == 0 {
            let (sin, cos) = (dice.fraction() * std::f64::consts::TAU).sin_cos();
            self.wish = [cos, sin].map(|part| part * if dice.roll(4) == 0 { 0.0 } else { 320.0 });
        }
        let before = self.velocity;
        for (velocity, wish) in self.velocity.iter_mut().zip(self.wish) {
            let change = (wish - *velocity).clamp(-3200.0 * seconds, 3200.0 * seconds);
            *velocity += change;
        }
        self.velocity[2] -= 800.0 * seconds;
        for axis in 0..3 {
            let mut next = self.at;
            next[axis] += 0.5 * (before[axis] + self.velocity[axis]) * seconds;
            if level.locate(next).is_some() {
                self.at = next;
                continue;
            }
            self.velocity[axis] = 0.0;
            // A jump a frame at most is what the limits allow.
            if axis == 2 && !self.has_jumped && dice.roll(30) == 0 {
                self.velocity[2] = 270.0;
                self.has_jumped = true;
            }
        }
    }

    /// Where they are some time later.
    fn later(&self, seconds: f64, level: &SolidBundle<'_>, dice: &mut Dice) -> Self {
        let mut walker = Self {
            has_jumped: false,
            ..*self
        };
        for _ in 0..(seconds * 100.0).round() as u32 {
            walker.step(level, dice);
        }
        walker
    }
}

/// A point of a box, by chance; often on its sides.
fn within([low, high]: [Point; 2], dice: &mut Dice) -> Point {
    std::array::from_fn(|k| {
        let part = (1.5 * dice.fraction() - 0.25).clamp(0.0, 1.0);
        low[k] + part * (high[k] - low[k])
    })
}

/// Lines from an eye of the one to the body of the other: all must be blocked.
fn assert_hidden(
    level: &SolidLevel,
    bundle: &SolidBundle<'_>,
    from: Point,
    to: Point,
    dice: &mut Dice,
) {
    let of = bundle.parameters();
    let mut eye = from;
    eye[2] += of.eye[0] + (of.eye[1] - of.eye[0]) * dice.fraction();
    let part = within(of.hull, dice);
    let part = std::array::from_fn(|k| to[k] + part[k]);
    assert!(
        level.blocks(eye, part),
        "{from:?} sees {to:?}: {eye:?} {part:?}"
    );
}

#[test]
fn nobody_is_late_who_moves_by_the_rules_and_no_line_within_reach_is_clear() {
    let (level, bundle) = rooms();
    for seed in 0..8 {
        let mut dice = Dice(seed);
        let ahead = [0.05, 0.1, 0.15, 0.2][seed as usize % 4];
        let mut watch = Watch::new(bundle, PLAYERS, WatchOptions::default()).unwrap();
        let mut walkers: Vec<Walker> = (0..PLAYERS)
            .map(|_| Walker::new(&bundle, &mut dice))
            .collect();
        let (mut pairs, mut hidden, mut kept) = (0, 0, 0);
        for _ in 0..300 {
            for walker in &mut walkers {
                // Now and then somebody is put elsewhere.
                if dice.roll(100) == 0 {
                    *walker = Walker::new(&bundle, &mut dice);
                }
                *walker = walker.later(FRAME, &bundle, &mut dice);
            }
            for (number, walker) in walkers.iter().enumerate() {
                watch.set(number, &watched(walker.at, walker.velocity, ahead));
            }
            watch.begin();
            let work = dice.roll(400);
            watch.look(work);
            let counts = watch.counts();
            (pairs, hidden) = (pairs + counts.pairs, hidden + counts.hidden);
            kept += counts.kept;
            for (viewer, from) in walkers.iter().enumerate() {
                for (other, to) in walkers.iter().enumerate() {
                    if viewer == other || watch.sends(viewer, other) {
                        continue;
                    }
                    for _ in 0..2 {
                        let until = [ahead, FRAME].map(|time| time * dice.fraction());
                        let from = from.later(until[0], &bundle, &mut dice);
                        let to = to.later(until[1], &bundle, &mut dice);
                        assert_hidden(&level, &bundle, from.at, to.at, &mut dice);
                    }
                    let places = [(from, ahead), (to, FRAME)].map(|(walker, until)| {
                        let motion = watched(walker.at, walker.velocity, ahead).sees.motion;
                        swept(&motion, &RULES, 0.0, until).corners()
                    });
                    // What the walls leave of the boxes is asked for by ways, above; of two rooms each is convex.
                    let side = |at: Point| (at[0] > 264.0, at[1] > 190.0);
                    let [a, b] = places.map(|place| within(place, &mut dice));
                    let stays = side(a) == side(from.at) && side(b) == side(to.at);
                    if stays && bundle.locate(a).is_some() && bundle.locate(b).is_some() {
                        assert_hidden(&level, &bundle, a, b, &mut dice);
                    }
                }
            }
        }
        assert_eq!(pairs, 300 * 30);
        // Or there would be nothing to be wrong.
        assert!(
            hidden > pairs / 10 && kept > 200,
            "{kept}, {hidden} of {pairs}"
        );
    }
}

/// Rooms side by side with doors between them: what a player in a door may reach has a wall on either side, which no box leaves
/// out.
fn many_rooms() -> String {
    let mut boxes = vec![
        [[-16, -16, -16], [400, 400, 0]],
        [[-16, -16, 96], [400, 400, 112]],
        [[-16, -16, 0], [0, 400, 96]],
        [[384, -16, 0], [400, 400, 96]],
        [[0, -16, 0], [384, 0, 96]],
        [[0, 384, 0], [384, 400, 96]],
    ];
    let mut dice = Dice(3);
    for wall in [92, 188, 284] {
        for room in [0, 96, 192, 288] {
            for along in [false, true] {
                // A door of 40 somewhere in each wall of 96.
                let door = room + 8 + dice.roll(40) as i32;
                for [from, to] in [[room, door], [door + 40, room + 96]] {
                    boxes.push(if !along {
                        [[wall, from, 0], [wall + 8, to, 96]]
                    } else {
                        [[from, wall, 0], [to, wall + 8, 96]]
                    });
                }
            }
        }
    }
    map_of(&boxes)
}

/// A proof cell by cell is of the cells of a frame. It must not outlive them where the next frame reaches further, within the
/// box of one before.
#[test]
fn proofs_cell_by_cell_are_kept_for_what_they_were_made_for() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("rooms.map");
    std::fs::write(&map, many_rooms()).unwrap();
    let level = read_solid(&map, &SolidOptions::default()).unwrap().level;
    let bytes = baked_map(&many_rooms(), 32.0, &BakeOptions::default());
    let bundle = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
    let (mut by_cells, mut kept) = (0, 0);
    for seed in 0..6 {
        let mut dice = Dice(100 + seed);
        let mut watch = Watch::new(bundle, PLAYERS, WatchOptions::default()).unwrap();
        let mut walkers: Vec<Walker> = (0..PLAYERS)
            .map(|_| Walker::new(&bundle, &mut dice))
            .collect();
        for _ in 0..400 {
            for walker in &mut walkers {
                if dice.roll(60) == 0 {
                    *walker = Walker::new(&bundle, &mut dice);
                }
                *walker = walker.later(0.01, &bundle, &mut dice);
            }
            // Clients are now near and now far away.
            let aheads: Vec<f64> = (0..PLAYERS)
                .map(|_| [0.02, 0.2][dice.roll(2) as usize])
                .collect();
            for (number, (walker, ahead)) in walkers.iter().zip(&aheads).enumerate() {
                watch.set(number, &watched(walker.at, walker.velocity, *ahead));
            }
            watch.begin();
            watch.look(u32::MAX);
            by_cells += watch.counts().by_cells;
            kept += watch.counts().kept;
            for (viewer, from) in walkers.iter().enumerate() {
                for (other, to) in walkers.iter().enumerate() {
                    if viewer == other || watch.sends(viewer, other) {
                        continue;
                    }
                    for _ in 0..4 {
                        let from = from.later(aheads[viewer], &bundle, &mut dice);
                        let to = to.later(FRAME * dice.fraction(), &bundle, &mut dice);
                        assert_hidden(&level, &bundle, from.at, to.at, &mut dice);
                    }
                }
            }
        }
    }
    assert!(by_cells > 100 && kept > 300, "{by_cells} {kept}");
}

#[test]
fn positions_stay_in_what_is_swept() {
    let (_, bundle) = rooms();
    let mut dice = Dice(7);
    let (mut outermost, mut count) = (0.0_f64, 0);
    let mut walker = Walker::new(&bundle, &mut dice);
    for _ in 0..4000 {
        walker = walker.later(FRAME, &bundle, &mut dice);
        let until = 0.25 * dice.fraction();
        let motion = watched(walker.at, walker.velocity, 0.0).sees.motion;
        let [low, high] = swept(&motion, &RULES, 0.0, until).corners();
        let at = walker
            .later((until * 100.0).floor() / 100.0, &bundle, &mut dice)
            .at;
        for k in 0..3 {
            assert!(
                low[k] - 1e-6 <= at[k] && at[k] <= high[k] + 1e-6,
                "{walker:?} {at:?}"
            );
            let half = 0.5 * (high[k] - low[k]);
            if half > 1.0 {
                outermost = outermost.max((at[k] - low[k] - half).abs() / half);
                count += 1;
            }
        }
    }
    // Or the box would be of no use.
    assert!(count > 1000 && outermost > 0.7, "{outermost}");
}

#[test]
fn most_of_what_is_hidden_from_nothing_is_hidden() {
    let (_, bundle) = rooms();
    let mut dice = Dice(3);
    let mut watch = Watch::new(bundle, 2, WatchOptions::default()).unwrap();
    let mut walkers = [0, 1].map(|_| Walker::new(&bundle, &mut dice));
    let (mut both, mut slow, mut alone) = (0, 0, 0);
    for frame in 0..1500 {
        if frame % 50 == 0 {
            walkers = [0, 1].map(|_| Walker::new(&bundle, &mut dice));
        }
        for walker in &mut walkers {
            *walker = walker.later(FRAME, &bundle, &mut dice);
        }
        // The slow twin: no matter what was before.
        let mut fresh = Watch::new(bundle, 2, WatchOptions::default()).unwrap();
        for watch in [&mut watch, &mut fresh] {
            for (number, walker) in walkers.iter().enumerate() {
                watch.set(number, &watched(walker.at, walker.velocity, 0.1));
            }
            watch.begin();
            assert!(watch.look(u32::MAX));
        }
        for (viewer, other) in [(0, 1), (1, 0)] {
            let twin = !fresh.sends(viewer, other);
            let hides = !watch.sends(viewer, other);
            slow += u32::from(twin);
            both += u32::from(twin && hides);
            alone += u32::from(hides && !twin);
        }
    }
    assert!(
        slow > 200 && both * 100 >= slow * 98,
        "{both} of {slow}, {alone} alone"
    );
}

#[test]
fn who_is_put_elsewhere_sees_from_there_at_once_and_who_is_nowhere_sees_all() {
    let (_, bundle) = rooms();
    let mut watch = Watch::new(bundle, 3, WatchOptions::default()).unwrap();
    let (west, east, door) = (
        [48.0, 48.0, 32.0],
        [480.0, 48.0, 32.0],
        [300.0, 230.0, 32.0],
    );
    let mut sends = |players: [Option<Point>; 3], work| {
        for (number, at) in players.into_iter().enumerate() {
            match at {
                Some(at) => watch.set(number, &watched(at, [0.0; 3], 0.1)),
                None => watch.remove(number),
            }
        }
        watch.begin();
        watch.look(work);
        let pairs = [(0, 1), (1, 0), (0, 2), (2, 0)];
        pairs.map(|(viewer, other)| watch.sends(viewer, other))
    };
    // Nothing is proven without work; what was proven is kept without any.
    assert_eq!(
        sends([Some(west), Some(east), None], 0),
        [true, true, false, false]
    );
    assert_eq!(sends([Some(west), Some(east), None], 100), [false; 4]);
    assert_eq!(sends([Some(west), Some(east), None], 0), [false; 4]);
    // To the door's line and back.
    let [first, second, ..] = sends([Some([60.0, 230.0, 32.0]), Some(door), None], 0);
    assert!(first && second);
    assert_eq!(sends([Some(west), Some(east), None], 1000), [false; 4]);
    // In no cell.
    let outside = [60.0, 230.0, 900.0];
    assert_eq!(
        sends([Some(outside), Some(east), Some(west)], 1000),
        [true; 4]
    );
    assert_eq!(
        sends([Some(west), Some(east), Some(west)], 1000),
        [false, false, true, true]
    );
    assert!(watch.sends(0, 3) && watch.sends(9, 0) && !watch.sends(0, 0));
    watch.set(3, &watched(west, [0.0; 3], 0.1));
    watch.remove(9);
}

#[test]
fn a_closed_door_hides_until_it_opens() {
    let (_, bundle) = rooms();
    let mut watch = Watch::new(bundle, 2, WatchOptions::default()).unwrap();
    let mut sends = |doors: Option<&[[Point; 2]]>| {
        if let Some(doors) = doors {
            watch.set_doors(doors);
        }
        for (number, at) in [[60.0, 230.0, 32.0], [480.0, 230.0, 32.0]]
            .into_iter()
            .enumerate()
        {
            watch.set(number, &watched(at, [0.0; 3], 0.05));
        }
        watch.begin();
        watch.look(1000);
        [watch.sends(0, 1), watch.sends(1, 0)]
    };
    let door = [[260.0, 190.0, -1.0], [268.0, 257.0, 129.0]];
    let ajar = [[260.0, 190.0, -1.0], [268.0, 240.0, 129.0]];
    assert_eq!(sends(None), [true; 2]);
    assert_eq!(sends(Some(&[door])), [false; 2]);
    assert_eq!(sends(None), [false; 2]);
    assert_eq!(sends(Some(&[ajar])), [true; 2]);
    assert_eq!(sends(Some(&[ajar, door])), [false; 2]);
    assert_eq!(sends(Some(&[])), [true; 2]);
}

/// Whether a line meets a box.
fn meets(from: Point, to: Point, [low, high]: [Point; 2]) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let ends = [low[k], high[k]].map(|side| (side - from[k]) / (to[k] - from[k]));
        first = first.max(ends[0].min(ends[1]));
        last = last.min(ends[0].max(ends[1]));
    }
    first <= last
}

/// Hunts for a clear line between hidden players, most of whom stand, so that proofs are kept: `change` changes what hides besides
/// the level before each frame, and `blocks` says whether that blocks a line.
fn hunt<T: Default + std::fmt::Debug>(
    first_seed: u64,
    change: impl Fn(&mut T, &mut Watch<'_>, &mut Dice),
    blocks: impl Fn(&T, Point, Point) -> bool,
) {
    let (level, bundle) = rooms();
    let (mut not_by_level, mut kept) = (0, 0);
    for seed in first_seed..first_seed + 6 {
        let mut dice = Dice(seed);
        let mut watch = Watch::new(bundle, PLAYERS, WatchOptions::default()).unwrap();
        let mut walkers: Vec<Walker> = (0..PLAYERS)
            .map(|_| Walker::new(&bundle, &mut dice))
            .collect();
        let mut besides = T::default();
        for _ in 0..300 {
            change(&mut besides, &mut watch, &mut dice);
            for (number, walker) in walkers.iter_mut().enumerate() {
                if number % 3 == 0 || dice.roll(20) == 0 {
                    *walker = walker.later(FRAME, &bundle, &mut dice);
                }
                watch.set(number, &watched(walker.at, walker.velocity, 0.05));
            }
            watch.begin();
            kept += watch.counts().kept;
            watch.look(dice.roll(1000));
            for (viewer, from) in walkers.iter().enumerate() {
                for (other, to) in walkers.iter().enumerate() {
                    if viewer == other || watch.sends(viewer, other) {
                        continue;
                    }
                    for _ in 0..4 {
                        let of = bundle.parameters();
                        let mut eye = from.at;
                        eye[2] += of.eye[0] + (of.eye[1] - of.eye[0]) * dice.fraction();
                        let part = within(of.hull, &mut dice);
                        let part = std::array::from_fn(|k| to.at[k] + part[k]);
                        let by_level = level.blocks(eye, part);
                        let is_blocked = by_level || blocks(&besides, eye, part);
                        assert!(is_blocked, "{eye:?} sees {part:?}: {besides:?}");
                        not_by_level += u32::from(!by_level);
                    }
                }
            }
        }
    }
    assert!(not_by_level > 1000 && kept > 5000, "{not_by_level} {kept}");
}

#[test]
fn doors_that_open_and_close_hide_nobody_behind_an_open_one() {
    let doors = [
        [[260.0, 190.0, -1.0], [268.0, 257.0, 129.0]],
        [[262.0, 190.0, -1.0], [266.0, 225.0, 129.0]],
        [[262.0, 225.0, -1.0], [266.0, 257.0, 129.0]],
        [[120.0, 0.0, -1.0], [128.0, 384.0, 129.0]],
        [[400.0, 60.0, -1.0], [410.0, 300.0, 129.0]],
    ];
    let change = |closed: &mut Vec<[Point; 2]>, watch: &mut Watch<'_>, dice: &mut Dice| {
        if dice.roll(6) == 0 {
            let door = doors[dice.roll(5) as usize];
            match closed.iter().position(|of| *of == door) {
                Some(at) => drop(closed.remove(at)),
                None => closed.insert(dice.roll(closed.len() as u32 + 1) as usize, door),
            }
            watch.set_doors(closed);
        }
    };
    hunt(50, change, |closed, eye, part| {
        closed.iter().any(|door| meets(eye, part, *door))
    });
}

#[test]
fn smoke_hides_until_anybody_may_look_for_whom_it_hid() {
    let (_, bundle) = rooms();
    let mut watch = Watch::new(bundle, 2, WatchOptions::default()).unwrap();
    let mut sends = |smokes: &[Smoke], spots: [Point; 2], work| {
        watch.set_smokes(smokes);
        for (number, at) in spots.into_iter().enumerate() {
            watch.set(number, &watched(at, [0.0; 3], 0.05));
        }
        watch.begin();
        watch.look(work);
        [watch.sends(0, 1), watch.sends(1, 0)]
    };
    let far = [[60.0, 230.0, 32.0], [480.0, 230.0, 32.0]];
    let smoke = |x, radius, seconds| Smoke {
        centre: [x, 224.0, 40.0],
        radius,
        seconds,
    };
    assert_eq!(sends(&[], far, 1000), [true; 2]);
    assert_eq!(sends(&[smoke(264.0, 120.0, 9.0)], far, 1000), [false; 2]);
    // A proof is kept while the smoke stays; the last 0.05 s are for who sees ahead, and is seen.
    assert_eq!(sends(&[smoke(264.0, 120.0, 0.06)], far, 0), [false; 2]);
    assert_eq!(sends(&[smoke(264.0, 120.0, 0.05)], far, 0), [false; 2]);
    assert_eq!(sends(&[smoke(264.0, 120.0, 0.04)], far, 1000), [true; 2]);
    // What grows is other smoke.
    assert_eq!(sends(&[smoke(264.0, 120.0, 9.0)], far, 1000), [false; 2]);
    assert_eq!(sends(&[smoke(264.0, 130.0, 9.0)], far, 0), [true; 2]);
    assert_eq!(sends(&[smoke(264.0, 130.0, 9.0)], far, 1000), [false; 2]);
    // Whoever is in it sees and is seen.
    let inside = [[200.0, 230.0, 32.0], [480.0, 230.0, 32.0]];
    assert_eq!(sends(&[smoke(264.0, 130.0, 9.0)], inside, 1000), [true; 2]);
    // What is no sphere hides nothing.
    for bad in [
        smoke(264.0, f64::NAN, 9.0),
        smoke(264.0, -120.0, 9.0),
        smoke(f64::INFINITY, 120.0, 9.0),
        smoke(264.0, f64::INFINITY, 9.0),
        smoke(264.0, 120.0, f64::NAN),
        smoke(264.0, 120.0, -1.0),
    ] {
        assert_eq!(sends(&[bad], far, 1000), [true; 2], "{bad:?}");
    }
}

#[test]
fn smoke_is_held_to_how_far_ahead_each_pair_looks() {
    let (_, bundle) = rooms();
    let options = WatchOptions { max_ahead: 9.0 };
    let mut watch = Watch::new(bundle, 3, options).unwrap();
    let places = [
        [60.0, 230.0, 32.0],
        [480.0, 230.0, 32.0],
        [480.0, 220.0, 32.0],
    ];
    let smoke = |x, radius, seconds| Smoke {
        centre: [x, 224.0, 40.0],
        radius,
        seconds,
    };
    // How far ahead the first sees, the second is shown, and the third.
    let mut sends = |smokes: &[Smoke], [sees, second, third]: [f64; 3], work| {
        watch.set_smokes(smokes);
        for (number, at) in places.into_iter().enumerate() {
            let mut of = watched(at, [0.0; 3], sees);
            of.shown.times[1] = [0.05, second, third][number];
            // Nobody moves: time is what smoke is held to.
            [of.sees.limits, of.shown.limits] = [MotionLimits::speed(0.0); 2];
            watch.set(number, &of);
        }
        watch.begin();
        watch.look(work);
        [watch.sends(0, 1), watch.sends(0, 2)]
    };
    let near = smoke(264.0, 130.0, 0.3);
    assert_eq!(sends(&[near], [0.1, 0.05, 0.05], 1000), [false; 2]);
    assert_eq!(sends(&[near], [0.1, 0.05, 0.35], 1000), [false, true]);
    assert_eq!(sends(&[near], [0.1, 0.05, 0.05], 1000), [false; 2]);
    assert_eq!(sends(&[near], [0.35, 0.05, 0.05], 1000), [true; 2]);
    // One that stays, in any order, hides for both; what was proven by the one that goes is forgotten with it.
    let stays = smoke(260.0, 130.0, 1.0);
    assert_eq!(sends(&[near, stays], [0.35, 0.05, 0.4], 1000), [false; 2]);
    let goes = smoke(264.0, 130.0, 0.04);
    assert_eq!(sends(&[goes, stays], [0.1, 0.05, 0.05], 1000), [false; 2]);
    let both = [smoke(264.0, 130.0, 0.2), smoke(260.0, 130.0, 0.1)];
    assert_eq!(sends(&both, [0.1, 0.05, 0.05], 1000), [false; 2]);
    let both = [smoke(264.0, 130.0, 0.09), smoke(260.0, 130.0, 0.02)];
    assert_eq!(sends(&both, [0.1, 0.05, 0.05], 0), [true; 2]);
    assert_eq!(sends(&both, [0.1, 0.05, 0.05], 1000), [true; 2]);
    assert_eq!(sends(&both, [0.09, 0.05, 0.05], 1000), [false; 2]);
}

/// Whether a line meets a sphere.
fn meets_sphere(from: Point, to: Point, of: &Smoke) -> bool {
    let way: Point = std::array::from_fn(|k| to[k] - from[k]);
    let off: Point = std::array::from_fn(|k| of.centre[k] - from[k]);
    let dot = |a: Point, b: Point| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let at = (dot(off, way) / dot(way, way)).clamp(0.0, 1.0);
    let apart: Point = std::array::from_fn(|k| off[k] - at * way[k]);
    dot(apart, apart) <= of.radius * of.radius
}

#[test]
fn smoke_hides_nobody_but_behind_it() {
    let change = |smokes: &mut Vec<Smoke>, watch: &mut Watch<'_>, dice: &mut Dice| {
        smokes.iter_mut().for_each(|smoke| smoke.seconds -= FRAME);
        smokes.retain(|smoke| smoke.seconds > 0.0);
        if dice.roll(10) == 0 {
            let mut at = |[low, high]: [f64; 2]| low + (high - low) * dice.fraction();
            smokes.push(Smoke {
                centre: [at([0.0, 512.0]), at([0.0, 256.0]), at([20.0, 80.0])],
                radius: at([20.0, 110.0]),
                seconds: at([0.0, 4.0]),
            });
        }
        watch.set_smokes(smokes);
    };
    let is_in = |at: Point, of: &Smoke| (0..3).all(|k| (at[k] - of.centre[k]).abs() <= of.radius);
    hunt(90, change, |smokes, eye, part| {
        let mut stays = smokes.iter().filter(|of| of.seconds >= 0.05);
        stays.any(|of| !is_in(eye, of) && !is_in(part, of) && meets_sphere(eye, part, of))
    });
}

#[test]
fn what_a_door_did_not_hide_is_kept_when_it_opens_and_all_when_it_closes() {
    let (_, bundle) = rooms();
    let mut watch = Watch::new(bundle, 3, WatchOptions::default()).unwrap();
    // The first sees the second through the door, and a wall hides the third from the first.
    let places = [
        [60.0, 230.0, 32.0],
        [480.0, 230.0, 32.0],
        [300.0, 60.0, 32.0],
    ];
    let mut sends = |doors: &[[Point; 2]], work| {
        watch.set_doors(doors);
        for (number, at) in places.into_iter().enumerate() {
            watch.set(number, &watched(at, [0.0; 3], 0.05));
        }
        watch.begin();
        watch.look(work);
        [(0, 1), (1, 0), (0, 2), (2, 0)].map(|(viewer, other)| watch.sends(viewer, other))
    };
    let door = [[260.0, 190.0, -1.0], [268.0, 257.0, 129.0]];
    let elsewhere = [[20.0, 300.0, -1.0], [40.0, 310.0, 129.0]];
    assert_eq!(sends(&[], 1000), [true, true, false, false]);
    // Without any work.
    assert_eq!(sends(&[door], 0), [true, true, false, false]);
    assert_eq!(sends(&[door], 1000), [false; 4]);
    assert_eq!(sends(&[elsewhere, door], 0), [false; 4]);
    assert_eq!(sends(&[door], 0), [false; 4]);
    assert_eq!(sends(&[elsewhere], 0), [true, true, false, false]);
}

#[test]
fn eyes_and_bodies_are_as_they_are_given() {
    let (_, bundle) = rooms();
    let mut watch = Watch::new(bundle, 2, WatchOptions::default()).unwrap();
    // Somebody behind the wall, and what they carry beside it.
    let mut sends = |eye, body| {
        for (number, at) in [[100.0, 180.0, 32.0], [310.0, 150.0, 32.0]]
            .into_iter()
            .enumerate()
        {
            let of = watched(at, [0.0; 3], 0.0);
            watch.set(number, &Watched { eye, body, ..of });
        }
        watch.begin();
        watch.look(1000);
        watch.sends(0, 1)
    };
    let hull = bundle.parameters().hull;
    let with_flag = [hull[0], [hull[1][0], 150.0, hull[1][2]]];
    assert!(!sends(None, None));
    assert!(sends(None, Some(with_flag)));
    assert!(!sends(None, None));
    // Above the ceiling nothing is known of.
    assert!(!sends(Some([0.0, 20.0]), Some(hull)));
    assert!(sends(Some([f64::NAN, 20.0]), None) && sends(Some([20.0, 0.0]), None));
    assert!(sends(Some([0.0, f64::INFINITY]), None));
    // Nor of a body that is upside down, however small.
    for axis in 0..3 {
        let mut upside_down = hull;
        [upside_down[0][axis], upside_down[1][axis]] = [1.0, -1.0];
        assert!(sends(None, Some(upside_down)));
    }
}

#[test]
fn a_time_that_is_no_number_is_endless_and_not_now() {
    let (_, bundle) = rooms();
    let options = WatchOptions {
        max_ahead: f64::INFINITY,
    };
    let sends = |times: [f64; 2], of_viewer: bool| {
        let mut watch = Watch::new(bundle, 2, options).unwrap();
        for (number, at) in [[48.0, 48.0, 32.0], [480.0, 48.0, 32.0]]
            .into_iter()
            .enumerate()
        {
            let mut of = watched(at, [0.0; 3], 0.05);
            if of_viewer {
                of.sees.times = times;
            } else {
                of.shown.times = times;
            }
            watch.set(number, &of);
        }
        watch.begin();
        watch.look(u32::MAX);
        watch.sends(0, 1)
    };
    for of_viewer in [true, false] {
        assert!(!sends([0.0, 0.05], of_viewer));
        for time in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(sends([0.0, time], of_viewer), "{time}");
            assert!(sends([time, 0.05], of_viewer), "{time}");
        }
    }
}

#[test]
fn who_sees_further_ahead_than_was_said_is_sent_everybody_and_budgets_are_kept() {
    let (_, bundle) = rooms();
    let options = WatchOptions { max_ahead: 0.05 };
    let mut watch = Watch::new(bundle, 2, options).unwrap();
    for (number, at) in [[48.0, 48.0, 32.0], [480.0, 48.0, 32.0]]
        .into_iter()
        .enumerate()
    {
        watch.set(number, &watched(at, [0.0; 3], [0.0500001, 0.05][number]));
    }
    watch.begin();
    assert!(!watch.look(0) && watch.look(100));
    assert!(watch.sends(0, 1) && !watch.sends(1, 0));
    // Endless without a ceiling.
    let options = WatchOptions {
        max_ahead: f64::INFINITY,
    };
    let mut watch = Watch::new(bundle, 2, options).unwrap();
    for (number, at) in [[48.0, 48.0, 32.0], [480.0, 48.0, 32.0]]
        .into_iter()
        .enumerate()
    {
        watch.set(number, &watched(at, [0.0; 3], f64::INFINITY));
    }
    watch.begin();
    watch.look(u32::MAX);
    assert!(watch.sends(0, 1) && watch.sends(1, 0));
}

#[test]
fn damaged_occluders_are_refused_or_asked_without_a_crash() {
    let sections: Vec<_> = Bundle::from_bytes(ROOMS).unwrap().sections().collect();
    let section = sections
        .iter()
        .find(|section| section.tag == Tag::SOCC)
        .unwrap();
    let (first, length) = (section.offset as usize, section.length as usize);
    let watch = |bytes: &[u8]| {
        let level = Bundle::from_bytes(bytes).unwrap().solid().unwrap();
        let mut watch = Watch::new(level, 2, WatchOptions::default())?;
        let places = [[60.0, 230.0, 32.0], [480.0, 60.0, 32.0]];
        Some(hides(&mut watch, &[], places, 1000))
    };
    // The second occluder with the planes of the first: with many such, a small file would fill all memory.
    let mut bytes = ROOMS.to_vec();
    let at = first + HEADER_LEN + RECORD_LEN + 8;
    assert_ne!(bytes[at..at + 4], [0; 4]);
    bytes[at..at + 4].fill(0);
    assert_eq!(watch(&bytes), None);
    let (mut dice, mut refused) = (Dice(5), 0);
    for _ in 0..3000 {
        let mut bytes = ROOMS.to_vec();
        for _ in 0..1 + dice.roll(3) {
            bytes[first + dice.roll(length as u32) as usize] = dice.roll(256) as u8;
        }
        refused += u32::from(watch(&bytes).is_none());
    }
    assert!((50..2950).contains(&refused), "{refused}");
}
