//! Look-ahead with bounds of motion (dead reckoning with limits of speed and acceleration), in any world: whether two
//! players may see each other within some time. One pair at a time; by reachable sets, which a server updates once a frame
//! for each player; and in sessions.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{viewcell_box, viewcell_position};
use super::session::{moved, viewcell_notice, viewcell_session};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, flag, given, place,
    viewcell_status,
};
use crate::query::{
    Extent, Motion, MotionLimits, Mover, OwnedBundle, ReachableSet, Running, World,
};

/// The most reachable sets that a handle takes.
pub const VIEWCELL_MOST_REACHABLE: u32 = 8192;

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

/// Reachable sets: where each player may be in its own interval of time. Each is computed once a frame, and used for all
/// pairs of that player. One thread at a time.
#[derive(Debug)]
pub struct viewcell_reachable {
    pub(super) sets: Box<[ReachableSet<'static>]>,
    /// What the sets read.
    _source: OwnedBundle,
}

impl Kept for viewcell_reachable {
    const KIND: usize = 15;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_reachable> = Table::new();
        &TABLE
    }
}

/// Makes reachable sets, numbered from 0 and empty, in a bundle of any kind. A server keeps two for each client: the
/// client's own player as the client predicts it, and the same player as other clients know it. *reachable becomes the
/// handle, or null.
///
/// Keeps the bundle's data, so that the bundle may be closed. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (more than
/// VIEWCELL_MOST_REACHABLE), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. Allocates, for each set two bitmaps of
/// cells, 1.5 KB or in a solid level 30 KB; the functions below do not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_new(
    bundle: *const viewcell_bundle,
    sets: u32,
    reachable: *mut *mut viewcell_reachable,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(reachable) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        if sets > VIEWCELL_MOST_REACHABLE {
            return Err(VIEWCELL_ARGUMENT);
        }
        let nobody = ReachableSet::new(*source.lasting_world());
        *out = keep(viewcell_reachable {
            sets: vec![nobody; sets as usize].into(),
            _source: source.clone(),
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// Sets a set to all that a player may reach in the interval of mover, within its limits; where mover is null, to the
/// empty set. Where box is not null, to who is at the position of mover now, and stays within box until the end of the
/// interval, whatever else mover says. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such number), VIEWCELL_ARGUMENT
/// (has_velocity is neither 0 nor 1), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_set(
    reachable: *mut viewcell_reachable,
    set: u32,
    mover: *const viewcell_mover,
    r#box: *const viewcell_box,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(reachable) }?.sets;
        let set = sets.get_mut(set as usize).ok_or(VIEWCELL_OUTSIDE)?;
        if mover.is_null() {
            set.clear();
            return Ok(VIEWCELL_OK);
        }
        // SAFETY: readable during the call: the header tells the caller so.
        let mover = unsafe { self::mover(mover) }?;
        if r#box.is_null() {
            set.set(&mover);
        } else {
            // SAFETY: readable during the call: the header tells the caller so.
            let corners = *unsafe { given(r#box) }?;
            set.set_region(mover.motion.position, &Extent::of_box(corners.into()));
        }
        Ok(VIEWCELL_OK)
    })
}

/// How players run, jump and fall, by the rules of Quake and its descendants, in which z is up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_running {
    /// Greatest speed that a player reaches by running. Units a second; Quake III: 320.
    pub speed: f64,
    /// What running adds on the ground, in speeds a second; 10. At least friction, and less than 1 a frame.
    pub accelerate: f64,
    /// What running adds in the air, in speeds a second; 1.
    pub air_accelerate: f64,
    /// The share of the speed that the ground takes a second; 6.
    pub friction: f64,
    /// Below this speed friction is what it is at this speed; 100.
    pub stop_speed: f64,
    /// Acceleration down; 800.
    pub gravity: f64,
    /// Speed of a jump; 270.
    pub jump: f64,
    /// The longest frame in which a client moves its player. Seconds.
    pub frame: f64,
    /// What rounding of velocities may add up to: Quake III rounds by up to half a unit each frame. Units a
    /// second squared.
    pub rounding: f64,
    /// How far a position may be from where the player truly was. Units.
    pub error: f64,
}

/// The bounding box of the positions that a player may have from the time of motion until that many seconds later, if
/// nothing is in the way: with on_ground 1 on level ground with nothing above it, with 0 in free air. A server checks that
/// the box is free, and gives viewcell_reachable_set no box where it is not, or where the player swims, flies or may be pushed.
/// Infinite where velocity is not known, where the player may have landed from a jump by then, and for rules out of range.
///
/// Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (has_velocity or on_ground is neither 0 nor 1) or VIEWCELL_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_box(
    rules: *const viewcell_running,
    motion: *const viewcell_motion,
    on_ground: u32,
    until: f64,
    r#box: *mut viewcell_box,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let rules = unsafe { given(rules) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let motion = unsafe { self::motion(motion) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(r#box) }?;
        let rules = Running {
            speed: rules.speed,
            accelerate: rules.accelerate,
            air_accelerate: rules.air_accelerate,
            friction: rules.friction,
            stop_speed: rules.stop_speed,
            gravity: rules.gravity,
            jump: rules.jump,
            frame: rules.frame,
            rounding: rules.rounding,
            error: rules.error,
        };
        let region = rules.region(&motion, flag(on_ground)?, until);
        *out = region.corners().into();
        Ok(VIEWCELL_OK)
    })
}

/// Whether a player anywhere in one set may see a player anywhere in another: 1 or 0, as viewcell_sees_in_motion says of
/// their movers; but in a solid level, without what walls keep them from reaching. 0 where either set is empty. Or
/// VIEWCELL_OUTSIDE (no such number), VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_sees(
    reachable: *const viewcell_reachable,
    from: u32,
    to: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let sets = &unsafe { get(reachable) }?.sets;
        let set = |number: u32| sets.get(number as usize).ok_or(VIEWCELL_OUTSIDE);
        Ok(set(from)?.sees(set(to)?).into())
    })
}

/// Closes reachable sets. Of null, does nothing. Returns VIEWCELL_OK or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_close(
    reachable: *mut viewcell_reachable,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(reachable) })
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
