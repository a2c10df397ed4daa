//! Look-ahead with bounds of motion (dead reckoning with limits of speed and acceleration), in any world: whether two
//! players may see each other within some time. One pair at a time, and in sessions.

use super::bundle::{source, viewcell_bundle};
use super::place::viewcell_position;
use super::session::{moved, viewcell_notice, viewcell_session};
use super::status::{Outcome, answer, flag, given, viewcell_status};
use crate::query::{Motion, MotionLimits, Mover, World};

/// A player in motion, at one instant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_motion {
    /// Where the player was then.
    pub position: viewcell_position,
    /// The player's velocity then. Units a second.
    pub velocity: [f64; 3],
    /// 1 if velocity is known; 0 if the player may go anywhere within the limits.
    pub has_velocity: u32,
    /// 0.
    pub reserved: u32,
}

/// How players may move: by the rules of the game, or as viewcell simulate fit measures it. Each value has two parts: along
/// the ground, and vertical (along z, or the up axis of the engine that a level was exported from). Infinity, NaN and
/// negative values are no limit.
///
/// A game that moves players by commands of d seconds, each by the velocity at its end, moves them a t (t + d) / 2 from rest
/// at acceleration a: add a d / 2 to impulse.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_motion_limits {
    /// Greatest speed. Units a second.
    pub speed: [f64; 2],
    /// Greatest acceleration: running, braking, gravity. Units a second squared.
    pub acceleration: [f64; 2],
    /// Greatest sum of sudden changes of velocity in the interval: jumps, knock-back,
    /// collisions with walls. Units a second.
    pub impulse: [f64; 2],
    /// How far a position may be from where the player truly was. Units.
    pub error: [f64; 2],
}

impl From<viewcell_motion_limits> for MotionLimits {
    fn from(limits: viewcell_motion_limits) -> Self {
        Self {
            speed: limits.speed,
            acceleration: limits.acceleration,
            impulse: limits.impulse,
            error: limits.error,
        }
    }
}

/// The caller's player.
pub(super) unsafe fn motion(player: *const viewcell_motion) -> Outcome<Motion> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    let player = unsafe { given(player) }?;
    Ok(Motion {
        position: player.position.into(),
        velocity: flag(player.has_velocity)?.then_some(player.velocity),
    })
}

/// A player in motion, at some time to come.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_mover {
    /// Where the player is now.
    pub motion: viewcell_motion,
    /// The limits of the player's movement.
    pub limits: viewcell_motion_limits,
    /// From when until when, in seconds from now. NaN is for ever.
    pub times: [f64; 2],
}

/// The caller's player at some time to come.
pub(super) unsafe fn mover(player: *const viewcell_mover) -> Outcome<Mover> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    let player = unsafe { given(player) }?;
    Ok(Mover {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        motion: unsafe { motion(&raw const player.motion) }?,
        limits: player.limits.into(),
        times: player.times,
    })
}

/// Whether one player may see another, each at any time within its own interval, as long as both keep to their limits: 1
/// or 0. In a bundle of any kind; in a solid level the two directions differ.
///
/// Which times to pass, for packets every step seconds:
/// - A server chooses whom to send to a client whose round trip takes ping seconds. The client's own player, whom the client
///   predicts: until ping + step. Other players: until step, since the next packet has their new positions.
/// - A server tells two clients whether they may see each other, and a packet takes down seconds. Both players: from down
///   until down + step, the time in which a client uses this answer.
///
/// A client that receives everybody for whom this is 1 sees nobody late, except after a teleport or a respawn: query again
/// from the new position. Errs towards 1: off the grid or at a void of a terrain, in no cell of a level, where the search
/// would take too long, and where the bundle is damaged. Allocates nothing.
///
/// Or VIEWCELL_ARGUMENT (has_velocity is neither 0 nor 1), VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_sees_in_motion(
    bundle: *const viewcell_bundle,
    from: *const viewcell_mover,
    to: *const viewcell_mover,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { mover(from) }?, unsafe { mover(to) }?);
        Ok(source.world().sees_in_motion(&from, &to).into())
    })
}

/// A player has moved, and messages take time: like viewcell_session_move, for clients that use the notices of this call
/// between the two times of to, in seconds from now. Notices name all who may be seen in that time, as long as players keep
/// to their limits. A pair exchanges nothing only while all that both may reach lies in their halves of the frontier set,
/// so that no notice is late. Everybody is told of a player who is at no place now. In a bundle of any kind. Returns what
/// viewcell_session_move does, VIEWCELL_ARGUMENT also where has_velocity is neither 0 nor 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_move_in_motion(
    session: *mut viewcell_session,
    player: u32,
    to: *const viewcell_mover,
    notices: *mut viewcell_notice,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { mover(to) }?;
        let reach = |world: &World| Some(world.region(&to));
        let place = |world: &World| Ok(world.locate(to.motion.position));
        // SAFETY: what the header tells the caller is passed on as it is.
        unsafe { moved(session, player, place, reach, (notices, size, count)) }
    })
}
