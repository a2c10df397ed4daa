//! Property: a float that is no number is the cautious one, at every entry point that takes any.
//!
//! A question is asked with some floats by chance, and again with one of them replaced. What is no number, endless or less
//! than nothing hides nobody whom the same call with the most cautious value shows; a box that is upside down shows, or is
//! refused. `VIEWCELL_CALLS` says how many questions are asked (20,000): `scripts/fuzz` asks a million under AddressSanitizer.

use std::ptr::null_mut;

use opened::open;
use viewcell::capi::*;
use viewcell::dice::Dice;
use viewcell::query::{
    Bundle, Extent, Motion, MotionLimits, Mover, Predictor, ReachableSet, World,
};

// Of this file, for it is a program of its own as well.
#[path = "opened.rs"]
pub mod opened;

const LEVEL: &[u8] = include_bytes!("../golden/v1/solid.vcb");
const CELLS: &[u8] = include_bytes!("../golden/v1/level.vcb");
const TERRAIN: &[u8] = include_bytes!("../golden/v1/40x24-within-budget.vcb");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Hidden,
    Shown,
    Refused,
}
use Answer::{Hidden, Refused, Shown};

fn hides(hides: bool) -> Answer {
    if hides { Hidden } else { Shown }
}

/// What a status says that is 1 where somebody may be seen.
fn seen(status: viewcell_status) -> Answer {
    match status {
        0 => Hidden,
        1 => Shown,
        _ => Refused,
    }
}

/// What a float is, and so how it is cautious.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Of a position: who is nowhere sees all and is seen.
    Place,
    /// More is more cautious: a reach, a limit, a time, a tolerance.
    Reach,
    /// Endless one way.
    Velocity,
    /// Of a box of where somebody may be, or of a body: less is more cautious, or more is; and where its other side is.
    Low(usize),
    High(usize),
    /// Of what hides; and which float says whether it is there.
    Hides(usize),
    /// Less is more cautious.
    Ahead,
    /// Whether there is what hides: not replaced.
    IsThere,
}
use Kind::{Ahead, Hides, High, IsThere, Low, Place, Reach, Velocity};

/// The bundles of all kinds of worlds.
struct Worlds {
    handles: [*mut viewcell_bundle; 3],
    rust: [World<'static>; 3],
    /// Corners between which positions are chosen.
    sizes: [[f64; 3]; 3],
}

struct Question {
    name: &'static str,
    kinds: Vec<Kind>,
    /// In units of the world: the floats of a question in it.
    choose: fn(&Worlds, usize, &mut Dice) -> Vec<f64>,
    ask: fn(&Worlds, usize, &[f64]) -> Answer,
    /// The worlds that it is asked in.
    worlds: &'static [usize],
}

const SOLID: usize = 0;

impl Worlds {
    fn new() -> Self {
        let all = [LEVEL, CELLS, TERRAIN];
        let worlds = Self {
            handles: all.map(open),
            rust: all.map(|bytes| Bundle::from_bytes(bytes).unwrap().world().unwrap()),
            sizes: [[528.0, 384.0, 60.0], [0.0; 3], [0.0; 3]],
        };
        let mut sizes = worlds.sizes;
        for (number, size) in sizes.iter_mut().enumerate().skip(1) {
            let world = &worlds.rust[number];
            for place in 0..world.places() {
                let bounds = world.place(place).and_then(|place| world.bounds(place));
                for (size, high) in size.iter_mut().zip(bounds.map_or([0.0; 3], |of| of[1])) {
                    *size = size.max(high);
                }
            }
        }
        Self { sizes, ..worlds }
    }

    fn position(&self, world: usize, dice: &mut Dice) -> [f64; 3] {
        let mut at = [0.0; 3];
        for _ in 0..50 {
            at = self.sizes[world].map(|side| side * dice.fraction());
            if self.rust[world].locate(at).is_some() {
                break;
            }
        }
        at
    }

    /// The 16 floats of somebody in motion.
    fn moving(&self, world: usize, dice: &mut Dice, floats: &mut Vec<f64>) {
        floats.extend(self.position(world, dice));
        floats.extend([0; 3].map(|_| 100.0 * dice.fraction() - 50.0));
        let limits = [
            300.0, 300.0, 2000.0, 800.0, 20.0, 100.0, 1.0, 1.0, 0.02, 0.1,
        ];
        floats.extend(limits.map(|most| most * dice.fraction()));
    }
}

/// Position, velocity; speed, acceleration, impulse and error of two parts each; times.
const MOVER: [Kind; 16] = [
    Place, Place, Place, Velocity, Velocity, Velocity, Reach, Reach, Reach, Reach, Reach, Reach,
    Reach, Reach, Reach, Reach,
];

fn triple(floats: &[f64]) -> [f64; 3] {
    std::array::from_fn(|k| floats[k])
}

fn pair(floats: &[f64]) -> [f64; 2] {
    [floats[0], floats[1]]
}

fn corners(floats: &[f64]) -> viewcell_box {
    [triple(floats), triple(&floats[3..])].into()
}

fn mover(floats: &[f64]) -> viewcell_mover {
    viewcell_mover {
        motion: viewcell_motion {
            position: triple(floats).into(),
            velocity: triple(&floats[3..]),
            has_velocity: 1,
            reserved: 0,
        },
        limits: viewcell_motion_limits {
            speed: pair(&floats[6..]),
            acceleration: pair(&floats[8..]),
            impulse: pair(&floats[10..]),
            error: pair(&floats[12..]),
        },
        times: pair(&floats[14..]),
    }
}

fn of_rust(floats: &[f64]) -> Mover {
    let of = mover(floats);
    Mover {
        motion: Motion {
            position: triple(floats),
            velocity: Some(of.motion.velocity),
        },
        limits: MotionLimits {
            speed: of.limits.speed,
            acceleration: of.limits.acceleration,
            impulse: of.limits.impulse,
            error: of.limits.error,
        },
        times: of.times,
    }
}

fn two_movers(worlds: &Worlds, world: usize, dice: &mut Dice) -> Vec<f64> {
    let mut floats = Vec::new();
    worlds.moving(world, dice, &mut floats);
    worlds.moving(world, dice, &mut floats);
    floats
}

/// Of the watch: two movers of the viewer and of the other, their steps; eye and body; how far ahead; a door and smoke.
const STEPS: usize = 64;
const EYE: usize = STEPS + 2;
const BODY: usize = EYE + 2;
const MOST: usize = BODY + 6;
const DOOR: usize = MOST + 1;
const SMOKE: usize = DOOR + 6;
const HAS: usize = SMOKE + 5;

fn watch_kinds() -> Vec<Kind> {
    let mut kinds = [MOVER, MOVER, MOVER, MOVER].concat();
    kinds.extend([Reach, Reach, Low(EYE + 1), High(EYE)]);
    kinds.extend([3, 4, 5].map(|k| Low(BODY + k)));
    kinds.extend([0, 1, 2].map(|k| High(BODY + k)));
    kinds.push(Ahead);
    kinds.extend([Hides(HAS); 6]);
    kinds.extend([Hides(HAS + 1); 4]);
    kinds.push(Ahead);
    kinds.extend([IsThere; 2]);
    kinds
}

fn choose_watch(worlds: &Worlds, world: usize, dice: &mut Dice) -> Vec<f64> {
    let mut floats = Vec::new();
    for _ in 0..2 {
        worlds.moving(world, dice, &mut floats);
        let first = floats.len() - 16;
        floats.extend_from_within(first..);
    }
    // Of each, how they are shown; half of them at the door, which alone hides them.
    let is_at_door = dice.roll(2) == 0;
    if is_at_door {
        for (first, x) in [(0, 60.0), (16, 60.0), (32, 480.0), (48, 480.0)] {
            floats[first..first + 3].copy_from_slice(&[x, 230.0, 32.0]);
            floats[first + 3..first + 14].fill(0.0);
        }
    }
    floats.extend([18.0 * dice.fraction(), 18.0 * dice.fraction()]);
    floats.extend([12.0, 26.0, -15.0, -15.0, -24.0, 15.0, 15.0, 32.0]);
    floats.push(0.2);
    if dice.roll(2) == 0 {
        floats.extend([260.0, 190.0, -1.0, 268.0, 257.0, 129.0]);
        floats.extend([264.0, 224.0, 40.0, 1.0, 0.01]);
    } else {
        floats.extend([10.0, 10.0, -1.0, 11.0, 11.0, 1.0]);
        floats.extend([264.0, 224.0, 40.0, 120.0, 0.3]);
    }
    floats.extend([1.0; 2]);
    floats
}

fn ask_watch(worlds: &Worlds, world: usize, of: &[f64]) -> Answer {
    let mut watch = null_mut();
    // SAFETY: pointers are to what the header asks for, the handle is open until it is closed.
    unsafe {
        let made = viewcell_watch_new(worlds.handles[world], 2, of[MOST], &raw mut watch);
        assert_eq!(made, VIEWCELL_OK);
        let (door, at) = (corners(&of[DOOR..]), &of[SMOKE..]);
        let smoke = viewcell_smoke {
            centre: triple(at),
            radius: at[3],
            seconds: at[4],
        };
        let [doors, smokes] = [0, 1].map(|number| usize::from(of[HAS + number] == 1.0));
        let (door, smoke) = (&raw const door, &raw const smoke);
        let set = viewcell_watch_occluders(watch, doors, door, smokes, smoke);
        assert_eq!(set, VIEWCELL_OK);
        let mut is_refused = false;
        for player in 0..2_u32 {
            let first = 32 * player as usize;
            let watched = viewcell_watched {
                sees: mover(&of[first..]),
                shown: mover(&of[first + 16..]),
                step: of[STEPS + player as usize],
                eye: pair(&of[EYE..]),
                body: corners(&of[BODY..]),
                has_eye: 1,
                has_body: 1,
            };
            is_refused |= viewcell_watch_set(watch, player, &raw const watched) != VIEWCELL_OK;
        }
        assert_eq!(viewcell_watch_begin(watch), VIEWCELL_OK);
        assert_eq!(viewcell_watch_look(watch, u32::MAX), 1);
        let sends = viewcell_watch_sends(watch, 0, 1);
        assert_eq!(viewcell_watch_close(watch), VIEWCELL_OK);
        if is_refused { Refused } else { seen(sends) }
    }
}

fn told(worlds: &Worlds, world: usize, of: &[f64]) -> Answer {
    let mut session = null_mut();
    let options = viewcell_session_options::default();
    let nothing = viewcell_notice {
        to: 0,
        about: 0,
        what: 0,
    };
    let (mut notices, mut count) = ([nothing; 8], 0);
    let mut is_told = false;
    // SAFETY: pointers are to what the header asks for, the handle is open until it is closed.
    unsafe {
        let made = viewcell_session_new(
            worlds.handles[world],
            2,
            &raw const options,
            &raw mut session,
        );
        assert_eq!(made, VIEWCELL_OK);
        for player in 0..2_u32 {
            assert_eq!(viewcell_session_tick(session), VIEWCELL_OK);
            let to = mover(&of[16 * player as usize..]);
            let place = notices.as_mut_ptr();
            let moved = viewcell_session_move_in_motion(
                session,
                player,
                &raw const to,
                place,
                8,
                &raw mut count,
            );
            if moved < 0 {
                viewcell_session_close(session);
                return Refused;
            }
            let positions = notices[..count].iter();
            is_told |= positions.clone().any(|of| of.what == VIEWCELL_POSITION);
        }
        assert_eq!(viewcell_session_close(session), VIEWCELL_OK);
    }
    hides(!is_told)
}

const ALL: &[usize] = &[0, 1, 2];

fn questions() -> Vec<Question> {
    let movers = || [MOVER, MOVER].concat();
    vec![
        Question {
            name: "viewcell_visible_within",
            kinds: [vec![Place; 6], vec![Reach; 2]].concat(),
            choose: |worlds, world, dice| {
                let places = [0; 2].map(|_| worlds.position(world, dice)).concat();
                [places, vec![40.0 * dice.fraction(), 40.0 * dice.fraction()]].concat()
            },
            ask: |worlds, world, of| {
                let bundle = worlds.handles[world];
                let positions = [triple(of).into(), triple(&of[3..]).into()];
                let mut places = [VIEWCELL_NOWHERE; 2];
                // SAFETY: pointers are to what the header asks for, and the handle is open.
                unsafe {
                    viewcell_locate_all(bundle, 2, positions.as_ptr(), places.as_mut_ptr());
                    let [a, b] = places;
                    seen(viewcell_visible_within(bundle, a, b, of[6], of[7]))
                }
            },
            worlds: ALL,
        },
        Question {
            name: "viewcell_sees_within",
            kinds: [vec![Place; 6], vec![Reach; 2]].concat(),
            choose: |worlds, world, dice| {
                let places = [0; 2].map(|_| worlds.position(world, dice)).concat();
                [places, vec![40.0 * dice.fraction(), 40.0 * dice.fraction()]].concat()
            },
            ask: |worlds, world, of| {
                let [a, b] = [triple(of).into(), triple(&of[3..]).into()];
                let bundle = worlds.handles[world];
                // SAFETY: pointers are to what the header asks for, and the handle is open.
                seen(unsafe {
                    viewcell_sees_within(bundle, &raw const a, &raw const b, of[6], of[7])
                })
            },
            worlds: ALL,
        },
        Question {
            name: "viewcell_sees_in_motion",
            kinds: movers(),
            choose: two_movers,
            ask: |worlds, world, of| {
                let (a, b) = (mover(of), mover(&of[16..]));
                let bundle = worlds.handles[world];
                // SAFETY: pointers are to what the header asks for, and the handle is open.
                seen(unsafe { viewcell_sees_in_motion(bundle, &raw const a, &raw const b) })
            },
            worlds: ALL,
        },
        Question {
            name: "viewcell_session_move_in_motion",
            kinds: movers(),
            choose: two_movers,
            ask: told,
            worlds: ALL,
        },
        Question {
            name: "viewcell_watch",
            kinds: watch_kinds(),
            choose: choose_watch,
            ask: ask_watch,
            worlds: &[SOLID],
        },
        Question {
            name: "ReachableSet",
            kinds: movers(),
            choose: two_movers,
            ask: |worlds, world, of| {
                let [a, b] = [of, &of[16..]].map(|of| {
                    let mut set = ReachableSet::new(worlds.rust[world]);
                    set.set(&of_rust(of));
                    set
                });
                hides(!a.sees(&b))
            },
            worlds: ALL,
        },
        Question {
            name: "ReachableSet, of a region",
            kinds: {
                let of = |first: usize| {
                    let low = [3, 4, 5].map(|k| Low(first + k + 3));
                    let high = [3, 4, 5].map(|k| High(first + k));
                    [vec![Place; 3], low.to_vec(), high.to_vec()].concat()
                };
                [of(0), of(9)].concat()
            },
            choose: |worlds, world, dice| {
                let mut floats = Vec::new();
                for _ in 0..2 {
                    let at = worlds.position(world, dice);
                    floats.extend(at);
                    floats.extend(at.map(|at| at - 20.0 * dice.fraction()));
                    floats.extend(at.map(|at| at + 20.0 * dice.fraction()));
                }
                floats
            },
            ask: |worlds, world, of| {
                let [a, b] = [of, &of[9..]].map(|of| {
                    let mut set = ReachableSet::new(worlds.rust[world]);
                    let corners = [triple(&of[3..]), triple(&of[6..])];
                    set.set_region(triple(of), &Extent::of_box(corners));
                    set
                });
                hides(!a.sees(&b))
            },
            worlds: ALL,
        },
        Question {
            name: "Predictor",
            kinds: movers(),
            choose: two_movers,
            ask: |worlds, world, of| {
                let (a, b) = (of_rust(of), of_rust(&of[16..]));
                let mut ahead = Predictor::new(worlds.rust[world], a.limits, 2);
                ahead.moved(0, 0.0, a.motion);
                ahead.moved(1, 0.0, b.motion);
                hides(!ahead.may_see(0, 1, a.times))
            },
            worlds: ALL,
        },
        Question {
            name: "SolidBundle::visible_from_eye",
            kinds: [vec![Place; 6], vec![Reach]].concat(),
            choose: |worlds, world, dice| {
                let places = [0; 2].map(|_| worlds.position(world, dice)).concat();
                let World::Solid(level) = worlds.rust[world] else {
                    return places;
                };
                [places, vec![level.parameters().eye[0]]].concat()
            },
            ask: |worlds, world, of| {
                let World::Solid(level) = worlds.rust[world] else {
                    return Refused;
                };
                hides(!level.visible_from_eye(triple(of), of[6], triple(&of[3..])))
            },
            worlds: &[SOLID],
        },
    ]
}

const REPLACED: [f64; 10] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    1e9,
    -1.0,
    -1e-40,
    5e-324,
    -0.0,
];

/// What a float is replaced by, so that the answer with `value` hides no more than that with any of these; none if it is a
/// number like others, and `None` where nothing may be hidden.
fn cautious(kind: Kind, value: f64, of: &[f64]) -> Option<Vec<f64>> {
    let none = Some(Vec::new());
    match kind {
        IsThere => none,
        // Parts of a level of cells may be endless.
        Place if value.is_finite() => none,
        // On a terrain nothing depends on heights.
        Place => Some(vec![f64::INFINITY, f64::NEG_INFINITY]),
        Reach if value.is_nan() || value < 0.0 => Some(vec![f64::INFINITY]),
        Reach => Some(vec![0.0]),
        Velocity if value.is_nan() => Some(vec![f64::INFINITY, f64::NEG_INFINITY]),
        Velocity if value.abs() >= 1e300 => Some(vec![value * f64::INFINITY]),
        Velocity => none,
        Low(high) if value > of[high] => None,
        High(low) if value < of[low] => None,
        Low(_) if value.is_nan() => Some(vec![f64::NEG_INFINITY]),
        High(_) if value.is_nan() => Some(vec![f64::INFINITY]),
        Low(_) | High(_) => none,
        Hides(_) if value.is_finite() && value.abs() < 1e9 => none,
        // Without what hides.
        Hides(_) => Some(vec![f64::NAN]),
        Ahead if value >= 0.0 => none,
        Ahead => Some(vec![0.0]),
    }
}

#[test]
fn a_float_that_is_no_number_hides_no_more_than_the_most_cautious() {
    let calls = std::env::var("VIEWCELL_CALLS").map_or(20_000, |calls| calls.parse().unwrap());
    let (worlds, questions) = (Worlds::new(), questions());
    let mut dice = Dice(65);
    let (mut asked, mut hidden) = (0_u64, vec![0_u64; questions.len()]);
    while asked < calls {
        let number = dice.roll(questions.len() as u32) as usize;
        let question = &questions[number];
        let world = question.worlds[dice.roll(question.worlds.len() as u32) as usize];
        let floats = (question.choose)(&worlds, world, &mut dice);
        assert_eq!(floats.len(), question.kinds.len(), "{}", question.name);
        let mut ask = |floats: &[f64]| {
            asked += 1;
            (question.ask)(&worlds, world, floats)
        };
        // Of what is shown anyway nothing can be told.
        if ask(&floats) != Hidden {
            continue;
        }
        hidden[number] += 1;
        for _ in 0..6 {
            let at = dice.roll(floats.len() as u32) as usize;
            let kind = question.kinds[at];
            let value = REPLACED[dice.roll(REPLACED.len() as u32) as usize];
            if kind == IsThere {
                continue;
            }
            let mut replaced = floats.clone();
            replaced[at] = value;
            if ask(&replaced) != Hidden {
                continue;
            }
            let why = || {
                format!(
                    "{}, world {world}: {value} at {at} ({kind:?}) of {floats:?}",
                    question.name
                )
            };
            let Some(others) = cautious(kind, value, &floats) else {
                panic!("hides: {}", why());
            };
            for other in others {
                if let Hides(has) = kind {
                    replaced[has] = 0.0;
                } else {
                    replaced[at] = other;
                }
                assert_eq!(
                    ask(&replaced),
                    Hidden,
                    "{} shows with {other}: {}",
                    question.name,
                    why()
                );
            }
        }
    }
    // Or nothing was compared.
    for (question, hidden) in questions.iter().zip(hidden) {
        assert!(
            hidden * 2_000 > calls,
            "{}: {hidden} of {calls}",
            question.name
        );
    }
    for bundle in worlds.handles {
        // SAFETY: it is open.
        assert_eq!(unsafe { viewcell_close(bundle) }, VIEWCELL_OK);
    }
}
