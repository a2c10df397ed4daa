//! Motion that is made up from a seed, on any bundle.
//!
//! Players walk over ground that is not too steep, or over cells that touch with nothing solid
//! between their middles; they stop for a while where they have come to, die, and come back
//! somewhere else.

mod ground;
mod options;
mod player;

use ground::Ground;
pub use options::{Model, MotionOptions};
use player::Player;

use viewcell::dice::Dice;

use super::field::Field;
use super::trace::{Trace, TracePoint};

/// Nobody can walk there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected places that players can walk between, found none: a terrain that is not too steep, or a level with a BSP and \
     boxes of its cells"
)]
pub struct NoGround;

/// How many followers a leader has.
const FOLLOWERS: usize = 3;
/// How far behind each other those of a squad go. [Unit: s]
const BEHIND: f64 = 0.8;

/// Makes up a trace. The same options give the same one on every machine.
///
/// # Errors
///
/// [`NoGround`] where nobody can walk.
pub fn motion(field: &Field, options: &MotionOptions) -> Result<Trace, NoGround> {
    let mut dice = Dice(options.seed);
    let objectives = (options.players / 4).clamp(4, 12);
    let ground = Ground::new(field, options, objectives, &mut dice).ok_or(NoGround)?;
    let step = 1.0 / options.hz;
    let count = (options.seconds * options.hz).floor() as usize + 1;
    let time = |frame: usize| (frame as f64 * 1000.0 * step).round() as u64;
    let mut trace = Trace::default();
    for number in 0..options.players {
        let rank = match options.model {
            Model::Squads => number % (FOLLOWERS + 1),
            _ => 0,
        };
        // Each has dice of their own, so that more players do not change the paths of the first.
        let mut dice = Dice(options.seed ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let points = match trace.players.get(number - rank) {
            Some(leader) if rank > 0 => follow(leader, rank, options),
            _ => {
                let mut player = Player::new(&ground, options, &mut dice);
                (0..count)
                    .map(|frame| {
                        if frame > 0 {
                            player.walk(step, &mut dice);
                        }
                        TracePoint {
                            time: time(frame),
                            at: player.at(),
                            view: [0.0, player.heading()],
                            dead: player.is_dead(),
                            eye: None,
                        }
                    })
                    .collect()
            }
        };
        trace.players.push(points);
    }
    Ok(trace)
}

/// The way of one who follows: that of the leader, later.
fn follow(leader: &[TracePoint], rank: usize, options: &MotionOptions) -> Vec<TracePoint> {
    let late = (rank as f64 * BEHIND * options.hz).round() as usize;
    (0..leader.len())
        .map(|frame| TracePoint {
            time: leader[frame].time,
            ..leader[frame.saturating_sub(late)]
        })
        .collect()
}
