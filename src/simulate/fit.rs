//! How players of a trace move: as parameters of made-up motion, so that the motion of eight people can be
//! scaled to many; and as limits, for a look-ahead.

use viewcell::query::MotionLimits;

use super::field::distance;
use super::play::Play;
use super::trace::{Trace, TracePoint};

/// How players move, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Players of the trace.
    pub players: usize,
    /// How long it is. [Unit: s]
    pub seconds: f64,
    /// How fast players are who move. [Unit: of the trace, a second]
    pub speed: f64,
    /// How long they stop. [Unit: s]
    pub pause: f64,
    /// How often each dies. [Unit: times a minute of life]
    pub deaths: f64,
    /// How long they stay dead. [Unit: s]
    pub respawn: f64,
    /// The share of their time, alive, in which they move.
    pub moving: f64,
}

/// Who is slower than this part of what the fast do stands still.
const STILL: f64 = 0.1;
/// A stop that is shorter is none: games record positions a few times a second. [Unit: s]
const SHORTEST: f64 = 0.2;

/// What somebody did between two points of a trace.
enum Step {
    Dead,
    /// Put somewhere else.
    Jump,
    /// At this speed.
    Walk(f64),
}

/// The parameters of a trace. Who is faster than `jump` has been put somewhere else.
pub fn fit(trace: &Trace, jump: f64) -> Fit {
    let steps: Vec<Vec<(f64, Step)>> = trace
        .players
        .iter()
        .map(|points| {
            points
                .windows(2)
                .map(|two| step(&two[0], &two[1], jump))
                .collect()
        })
        .collect();
    let mut speeds: Vec<f64> = steps
        .iter()
        .flatten()
        .filter_map(|(_, step)| match step {
            Step::Walk(speed) => Some(*speed),
            _ => None,
        })
        .collect();
    speeds.sort_by(f64::total_cmp);
    let fast = speeds.get(speeds.len() * 95 / 100).copied().unwrap_or(0.0);
    let (mut moved, mut way, mut alive, mut dead) = (0.0, 0.0, 0.0, 0.0);
    let (mut deaths, mut pauses) = (0_u64, Vec::new());
    for steps in &steps {
        let (mut was_dead, mut still) = (false, 0.0);
        for (seconds, step) in steps {
            let is_dead = matches!(step, Step::Dead);
            deaths += u64::from(is_dead && !was_dead);
            was_dead = is_dead;
            match step {
                Step::Dead => dead += seconds,
                Step::Walk(speed) if *speed > STILL * fast => {
                    moved += seconds;
                    way += speed * seconds;
                }
                Step::Walk(_) => {
                    alive += seconds;
                    still += seconds;
                    continue;
                }
                Step::Jump => {}
            }
            if !is_dead {
                alive += seconds;
            }
            // A stop that death ends is cut short, and says nothing.
            let stop = core::mem::take(&mut still);
            if stop >= SHORTEST && matches!(step, Step::Walk(_)) {
                pauses.push(stop);
            }
        }
    }
    let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    let [first, last] = trace.span();
    let pause = share(pauses.iter().sum(), pauses.len() as f64);
    Fit {
        players: trace.players.len(),
        seconds: (last - first) as f64 / 1000.0,
        speed: share(way, moved),
        // Of stops with an exponential distribution, those that are longer than the shortest are
        // longer by as much.
        pause: (pause - SHORTEST).max(0.0),
        deaths: 60.0 * share(deaths as f64, alive),
        respawn: share(dead, deaths as f64),
        moving: share(moved, alive),
    }
}

/// For how long ahead limits are fitted. [Unit: s]
const AHEAD: f64 = 0.5;

/// The narrowest limits that all players of a play kept to, as a server sees them: positions once a frame, and
/// velocities from the difference of two. Who was put elsewhere did not move.
pub fn limits(play: &Play) -> MotionLimits {
    let tracks = (0..play.players).map(|player| {
        let at = |frame: usize| play.places(frame)[player].map(|_| play.at(frame)[player]);
        let jumped = |frame: usize| play.jumped(frame)[player];
        (0..play.frames)
            .map(|frame| (at(frame), jumped(frame)))
            .collect()
    });
    limits_of(tracks, play.step)
}

/// The same of a trace, looked at so many times a second. Who is faster than `jump` has been put somewhere else.
pub fn limits_of_trace(trace: &Trace, jump: f64, hz: f64) -> MotionLimits {
    let (step, [first, last]) = (1000.0 / hz, trace.span());
    let frames = ((last - first) as f64 / step).floor() as usize + 1;
    let tracks = trace.players.iter().map(|points| {
        let mut before = None;
        let at = |frame: usize| {
            let now = first as f64 + frame as f64 * step + 1e-6;
            let next = points.partition_point(|point| point.time as f64 <= now);
            let at = next.checked_sub(1).map(|last| points[last].at);
            let far = before.zip(at).map_or(0.0, |(from, to)| distance(from, to));
            before = at;
            (at, far * 1000.0 / step > jump)
        };
        (0..frames).map(at).collect()
    });
    limits_of(tracks, step)
}

/// Where a player is in each frame, and whether they were put there from elsewhere.
type Track = Vec<(Option<[f64; 3]>, bool)>;

fn limits_of(tracks: impl Iterator<Item = Track>, step: f64) -> MotionLimits {
    let most = ((AHEAD * 1000.0 / step).ceil() as usize).clamp(2, 16);
    // By frames ahead, along the ground and up or down: the furthest way, and the furthest from where the
    // velocity led.
    let mut ways = [vec![0.0_f64; most], vec![0.0; most]];
    let mut offs = ways.clone();
    let note = |of: &mut [Vec<f64>; 2], ahead: usize, [x, y, z]: [f64; 3]| {
        for (list, far) in of.iter_mut().zip([x.hypot(y), z.abs()]) {
            list[ahead - 1] = list[ahead - 1].max(far);
        }
    };
    for track in tracks {
        let at = |frame: usize| track.get(frame).and_then(|(at, _)| *at);
        let came = |frame: &usize| {
            at(*frame).is_some() && !track[*frame].1 && *frame > 0 && at(frame - 1).is_some()
        };
        for frame in 0..track.len() {
            let Some(now) = at(frame) else { continue };
            let way = |to: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - now[axis]);
            let back = (0..2)
                .take_while(|back| *back <= frame && came(&(frame - back)))
                .count();
            let then = at(frame - back).filter(|_| back > 0);
            let velocity = then.map(|then| way(then).map(|way| -way / back as f64));
            for ahead in (1..=most).take_while(|ahead| came(&(frame + ahead))) {
                let Some(way) = at(frame + ahead).map(way) else {
                    break;
                };
                note(&mut ways, ahead, way);
                if let Some(velocity) = velocity {
                    let led = velocity.map(|velocity| velocity * ahead as f64);
                    note(
                        &mut offs,
                        ahead,
                        [0, 1, 2].map(|axis| way[axis] - led[axis]),
                    );
                }
            }
        }
    }
    let mut limits = MotionLimits::speed(0.0);
    for part in 0..2 {
        let [error, speed, impulse] = envelope(&ways[part], &offs[part], step / 1000.0);
        limits.error[part] = error;
        limits.speed[part] = speed;
        limits.impulse[part] = impulse;
        limits.acceleration[part] = 0.0;
    }
    limits
}

/// The error, and the two slopes, for which the lines error + slope · time are above both lists, and lowest
/// in all.
fn envelope(ways: &[f64], offs: &[f64], step: f64) -> [f64; 3] {
    let slope = |values: &[f64], error: f64| {
        let slopes = values.iter().zip(1..);
        slopes
            .map(|(value, i)| (value - error) / (f64::from(i) * step))
            .fold(0.0, f64::max)
    };
    let mut best = ([0.0; 3], f64::INFINITY);
    let errors =
        (0..=100).map(|part| f64::from(part) / 100.0 * ways.first().copied().unwrap_or(0.0));
    for error in errors {
        let found = [error, slope(ways, error), slope(offs, error)];
        let count = ways.len() as f64;
        let cost = 2.0 * error * count + (found[1] + found[2]) * step * count * (count + 1.0) / 2.0;
        if cost < best.1 {
            best = (found, cost);
        }
    }
    best.0
}

/// How many seconds it takes, and what it is.
fn step(from: &TracePoint, to: &TracePoint, jump: f64) -> (f64, Step) {
    let seconds = (to.time - from.time) as f64 / 1000.0;
    if from.dead || to.dead {
        return (seconds, Step::Dead);
    }
    let speed = distance(from.at, to.at) / seconds;
    let step = if speed > jump {
        Step::Jump
    } else {
        Step::Walk(speed)
    };
    (seconds, step)
}
