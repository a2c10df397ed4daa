//! How players of a trace move, as parameters of made-up motion: so that the motion of eight people
//! can be scaled to many.

use super::touch::distance;
use super::trace::{Spot, Trace};

/// How players move, in the mean.
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

/// What somebody did between two spots of a trace.
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
        .map(|spots| {
            spots
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

/// How many seconds it takes, and what it is.
fn step(from: &Spot, to: &Spot, jump: f64) -> (f64, Step) {
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
