//! Nobody who keeps to the game's rules leaves the box of reach that the patched server tells the library of.
//!
//! Players by chance move by the game's own rules ([`pmove`]), with commands of all lengths, in rooms by chance and in real
//! levels; the limits are those of the patch (`sv_viewcell_reach.h`), and the box is the watch's. `VIEWCELL_STEPS` says how
//! many commands are run (400,000); `scripts/check movement` runs a hundred million.

mod pmove;
mod rooms;

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::Command as Process;

use pmove::{Brush, Command, HULL, Place, Player, Vector, meet};
use viewcell::capi::viewcell_mover;
use viewcell::dice::Dice;
use viewcell::query::{Motion, MotionLimits};
use viewcell::watch::swept;
use viewcell_ingest::solid::{SolidOptions, read_solid};

use crate::common::{ok, root, skip};
use crate::data::data;

/// `viewcellPlayer_t`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    origin: [f64; 3],
    velocity: [[f64; 3]; 2],
    speed: f64,
    gravity: f64,
    until: f64,
    hit: f64,
    near: c_int,
    flies: c_int,
    pulled: c_int,
}

/// `NEAR_*`
const SOLID: c_int = 1;
const SLOPE: c_int = 2;
const ABOVE: c_int = 4;
const WATER: c_int = 8;

type Reach = unsafe extern "C" fn(*const Told, *mut viewcell_mover, *mut f64, *mut f32);

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A file that a patch adds.
fn added(patch: &str, name: &str) -> String {
    let (_, rest) = patch.split_once(&format!("+++ b/{name}\n")).unwrap();
    let rest = rest.split("\ndiff --git").next().unwrap();
    let lines = rest.lines().filter_map(|line| line.strip_prefix('+'));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The limits of the patch, compiled.
fn limits(folder: &Path) -> Option<Reach> {
    if Process::new("cc").arg("--version").output().is_err() {
        skip("no compiler (cc)");
        return None;
    }
    let patch = root().join("src/bindings/ioquake3/viewcell.patch");
    let patch = std::fs::read_to_string(patch).unwrap();
    let header = added(&patch, "code/server/sv_viewcell_reach.h");
    std::fs::write(folder.join("sv_viewcell_reach.h"), header).unwrap();
    let library = folder.join("reach.so");
    let output = Process::new("cc")
        .args([
            "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I",
        ])
        .arg(folder)
        .arg("-I")
        .arg(root().join("src/viewcell/capi"))
        .arg(root().join("tests/capi/movement.c"))
        .arg("-lm")
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    ok(&output);
    let library = CString::new(library.to_str().unwrap()).unwrap();
    const NOW: c_int = 2;
    // SAFETY: the library has this function, with these arguments, and is never closed.
    unsafe {
        let library = dlopen(library.as_ptr(), NOW);
        assert!(!library.is_null());
        let reach = dlsym(library, c"reach".as_ptr());
        assert!(!reach.is_null());
        Some(std::mem::transmute::<*mut c_void, Reach>(reach))
    }
}

/// What is in a box of origins that a player was not told of yet, as the server finds it: `SV_ViewcellNear`.
fn find_near(place: &Place, origins: [Vector; 2], told: &mut Told) -> bool {
    let feet = told.origin[2] as f32 + HULL[0][2];
    let all = [(0, -1.0), (1, 1.0)]
        .map(|(side, more)| std::array::from_fn(|k| origins[side][k] + HULL[side][k] + more));
    let before = *told;
    for brush in place.brushes.iter().filter(|of| meet(of.bounds, all)) {
        told.near |= SOLID;
        told.near |= if brush.is_slanted() { SLOPE } else { 0 };
        told.near |= if brush.bounds[1][2] > feet { ABOVE } else { 0 };
    }
    if place.waters.iter().any(|of| meet(*of, all)) {
        told.near |= WATER;
    }
    let [low, high] = &mut told.velocity;
    for (_, push) in place.pads.iter().filter(|(pad, _)| meet(*pad, all)) {
        for k in 0..3 {
            low[k] = low[k].min(push[k].into());
            high[k] = high[k].max(push[k].into());
        }
    }
    before.near != told.near || before.velocity != told.velocity
}

/// The box of a player for so many milliseconds, whose positions are exact.
fn box_of(reach: Reach, place: &Place, player: &Player, msec: u32) -> ([[f64; 3]; 2], Told) {
    let mut told = Told {
        origin: player.at.map(f64::from),
        velocity: [player.velocity.map(f64::from); 2],
        speed: player.speed.into(),
        gravity: 800.0,
        until: f64::from(msec) / 1000.0,
        flies: player.flies.into(),
        near: if player.water_jump > 0.0 { WATER } else { 0 },
        ..Told::default()
    };
    loop {
        // SAFETY: a struct of numbers.
        let mut mover: viewcell_mover = unsafe { std::mem::zeroed() };
        let (mut step, mut bounds) = (0.0, [0.0; 6]);
        // SAFETY: all places are as large as the function takes them.
        unsafe {
            reach(
                &raw const told,
                &raw mut mover,
                &raw mut step,
                bounds.as_mut_ptr(),
            );
        }
        let [a, b, c, d, e, f] = bounds;
        if find_near(place, [[a, b, c], [d, e, f]], &mut told) {
            continue;
        }
        let limits = MotionLimits {
            speed: mover.limits.speed,
            acceleration: mover.limits.acceleration,
            impulse: mover.limits.impulse,
            error: [0.0; 2],
        };
        let motion = Motion {
            position: told.origin,
            velocity: Some(mover.motion.velocity),
        };
        return (swept(&motion, &limits, step, told.until).corners(), told);
    }
}

/// Commands a second.
const RATES: [u32; 10] = [8, 10, 20, 30, 40, 60, 77, 85, 100, 125];
/// How far ahead boxes are. [Unit: ms]
const AHEAD: [u32; 6] = [16, 50, 100, 150, 200, 400];
/// What arithmetic in single precision may err by.
const ROUNDING: f64 = 0.05;
/// No level of the game reaches as far down. [Unit: units]
const FLOOR: f32 = 131_072.0;

/// What players do by chance.
struct Inputs {
    command: Command,
    rate: u32,
    is_mixed: bool,
    /// One in so many commands is another.
    changes: u32,
}

impl Inputs {
    fn new(dice: &mut Dice) -> Self {
        Self {
            command: Command::default(),
            rate: RATES[dice.roll(10) as usize],
            is_mixed: dice.roll(3) == 0,
            changes: [2, 8, 40][dice.roll(3) as usize],
        }
    }

    fn next(&mut self, dice: &mut Dice) -> (Command, u32) {
        if dice.roll(self.changes) == 0 {
            let mut press = || [127.0, 127.0, 0.0, -127.0, 60.0][dice.roll(5) as usize];
            let (forward, right) = (press(), press());
            self.command = Command {
                forward,
                right,
                up: [0.0, 0.0, 127.0, -127.0][dice.roll(4) as usize],
                yaw: (dice.fraction() * std::f64::consts::TAU) as f32,
                pitch: (dice.fraction() * 2.0 - 1.0) as f32,
            };
        }
        if dice.roll(3) == 0 {
            self.command.yaw += (dice.fraction() - 0.5) as f32;
        }
        // A jump needs a key that was let go.
        if dice.roll(4) == 0 {
            self.command.up = if self.command.up > 0.0 { 0.0 } else { 127.0 };
        }
        let rate = if self.is_mixed {
            RATES[dice.roll(10) as usize]
        } else {
            self.rate
        };
        (self.command, 1000 / rate)
    }
}

/// Moves somebody for some time, and asserts that they stay in their boxes; how many commands that took. Along each axis,
/// `furthest` becomes the greatest share of the way from where they were to a side of their box.
fn play(
    reach: Reach,
    place: &Place,
    player: &mut Player,
    dice: &mut Dice,
    furthest: &mut [f64; 3],
) -> u64 {
    let (mut steps, mut inputs) = (0, Inputs::new(dice));
    for _ in 0..20 {
        let ahead = AHEAD[dice.roll(6) as usize];
        let begun = *player;
        let ([low, high], told) = box_of(reach, place, player, ahead);
        let mut left = ahead;
        while left > 0 {
            let (command, msec) = inputs.next(dice);
            let msec = msec.min(left);
            left -= msec;
            player.run(&command, msec, place, &mut |player| {
                steps += 1;
                let at = player.at;
                let is_in = (0..3).all(|k| {
                    let at = f64::from(at[k]);
                    low[k] - ROUNDING <= at && at <= high[k] + ROUNDING
                });
                assert!(
                    is_in,
                    "{at:?} is not in {low:?} {high:?}: {told:?}, {begun:?}"
                );
                for k in 0..3 {
                    let way = f64::from(at[k]) - told.origin[k];
                    let side = if way > 0.0 { high[k] } else { low[k] } - told.origin[k];
                    furthest[k] = furthest[k].max(way / side);
                }
            });
        }
        // Out of the world nothing stops who falls, and floats become coarser than the box's margin.
        if place.is_stuck(player.at) || player.at[2] < -FLOOR {
            break;
        }
    }
    steps
}

fn wanted() -> u64 {
    std::env::var("VIEWCELL_STEPS").map_or(400_000, |steps| steps.parse().unwrap())
}

#[test]
fn nobody_who_moves_by_the_rules_leaves_their_box() {
    let folder = tempfile::tempdir().unwrap();
    let Some(reach) = limits(folder.path()) else {
        return;
    };
    let (mut dice, mut steps, mut furthest) = (Dice(5), 0, [0.0; 3]);
    while steps < wanted() {
        let is_plain = dice.roll(3) == 0;
        let place = rooms::room(&mut dice, is_plain);
        let mut at = || {
            let along = [0; 2].map(|_| 40.0 + 430.0 * dice.fraction() as f32);
            [
                along[0],
                along[1],
                24.125 + 200.0 * (dice.fraction() as f32).powi(2),
            ]
        };
        let Some(at) = (0..20).map(|_| at()).find(|at| !place.is_stuck(*at)) else {
            continue;
        };
        let mut player = Player::new(at);
        player.flies = dice.roll(20) == 0;
        player.speed = if dice.roll(10) == 0 { 416.0 } else { 320.0 };
        if dice.roll(4) == 0 {
            player.velocity = [0; 3].map(|_| (1600.0 * dice.fraction() - 800.0).round() as f32);
        }
        for _ in 0..5 {
            steps += play(reach, &place, &mut player, &mut dice, &mut furthest);
        }
    }
    // Or boxes would be of no use.
    assert!(furthest.iter().all(|part| *part > 0.8), "{furthest:?}");
}

/// The solids that stop players within some distance, and faces as thin ones.
fn nearby(place: &Place, at: Vector, distance: f32) -> Place {
    let bounds = [at.map(|at| at - distance), at.map(|at| at + distance)];
    let brushes = place.brushes.iter().filter(|of| meet(of.bounds, bounds));
    Place {
        brushes: brushes.cloned().collect(),
        ..Place::default()
    }
}

#[test]
fn nobody_who_moves_by_the_rules_leaves_their_box_in_real_levels() {
    let folder = tempfile::tempdir().unwrap();
    let Some(reach) = limits(folder.path()) else {
        return;
    };
    for name in ["final_rage", "stormkeep"] {
        let Some(file) = data(&format!("cells/q3-ibsp46/{name}.bsp")) else {
            skip(name);
            continue;
        };
        let level = read_solid(&file, &SolidOptions::default()).unwrap().level;
        let brushes = level.obstacles.iter().map(|solid| {
            let is_along = |normal: &[f64; 3]| normal.iter().any(|along| along.abs() == 1.0);
            let slanted = solid.planes.iter().filter(|of| !is_along(&of.normal));
            let planes = slanted.map(|of| (of.normal.map(|x| x as f32), of.dist as f32));
            let bounds = [solid.bounds.min, solid.bounds.max].map(|at| at.map(|x| x as f32));
            Brush::new(bounds, &planes.collect::<Vec<_>>())
        });
        let level_place = Place {
            brushes: brushes.collect(),
            ..Place::default()
        };
        let (mut dice, mut steps, mut furthest) = (Dice(6), 0, [0.0; 3]);
        while steps < wanted() / 20 {
            let spawn = level.spawns[dice.roll(level.spawns.len() as u32) as usize];
            let mut player = Player::new(spawn.map(|at| at as f32));
            for _ in 0..20 {
                let place = nearby(&level_place, player.at, 800.0);
                if place.is_stuck(player.at) {
                    break;
                }
                steps += play(reach, &place, &mut player, &mut dice, &mut furthest);
            }
            steps += 1;
        }
        assert!(
            furthest.iter().all(|part| *part > 0.5),
            "{name}: {furthest:?}"
        );
    }
}
