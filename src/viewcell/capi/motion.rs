//! Look-ahead by how players move, in any world: of one pair, and of many players from frame to frame.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{position, viewcell_box, viewcell_position};
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

/// A player in motion, as of some instant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_motion {
    /// Where the player was then.
    pub position: viewcell_position,
    /// How fast the player went, a second.
    pub velocity: [f64; 3],
    /// 1 if velocity is known; 0 if the player may go anywhere within the limits.
    pub has_velocity: u32,
    /// 0.
    pub reserved: u32,
}

/// How players may move: by the rules of the game, or as viewcell simulate fit measures it. Each first along
/// the ground (x and y together), then up or down; infinite for no limit. What is no number is no limit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_motion_limits {
    /// Greatest speed. Units a second.
    pub speed: [f64; 2],
    /// Greatest acceleration: running, braking, gravity. Units a second squared.
    pub acceleration: [f64; 2],
    /// Greatest sudden change of velocity, all those of the time that is asked about added up: jumps,
    /// knock-back, walls that are run into. Units a second.
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
    /// What the player keeps to.
    pub limits: viewcell_motion_limits,
    /// From when until when, in seconds from now.
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

/// Whether one player may see another, each at any time of their own, as long as both move within limits: 1
/// or 0. In a bundle of any kind; in a solid level not the same the other way round.
///
/// A server that sends to a client every step seconds, ping seconds there and back, asks for the client's own player,
/// who is predicted there, until ping + step, and for others until step: what others do meanwhile the
/// next snapshot tells. A server that says to each of two whether they may see each other, step seconds apart and down
/// seconds away, asks for both from down until down + step: the time in which a client goes by this answer. Nobody who is
/// told of all for whom this is 1 sees somebody too late, but by a teleporter or a respawn: ask again from there. Errs
/// towards 1: off the grid or at a void of a terrain, in no cell of a level, where finding out would take too long, and
/// where the bundle is damaged. Allocates nothing.
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

/// Where players may be at times of their own: found once a frame and player, and asked about all pairs. One thread at
/// a time.
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

/// Reachable sets numbered from 0, all of nobody, in a bundle of any kind. A server has two for each client: the
/// client's own player, who is predicted there, and the same player as others are told of them. *reachable becomes
/// the handle, or null.
///
/// Keeps what the bundle stands for, which may be closed. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (more than
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

/// A set becomes what a player may reach at their times, as long as they move within their limits; or that of nobody,
/// where mover is null. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such number), VIEWCELL_ARGUMENT (has_velocity is
/// neither 0 nor 1), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_set(
    reachable: *mut viewcell_reachable,
    set: u32,
    mover: *const viewcell_mover,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(reachable) }?.sets;
        let set = sets.get_mut(set as usize).ok_or(VIEWCELL_OUTSIDE)?;
        if mover.is_null() {
            set.clear()
        } else {
            // SAFETY: null, or readable during the call: the header tells the caller so.
            set.set(&unsafe { self::mover(mover) }?)
        }
        Ok(VIEWCELL_OK)
    })
}

/// How players run, jump and fall, by the rules of Quake and its descendants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_running {
    /// Greatest speed that a player runs at by themselves. Units a second; Quake III: 320.
    pub speed: f64,
    /// What running adds on the ground, in speeds a second; 10. At least friction, and less than 1 a frame.
    pub accelerate: f64,
    /// What running adds in the air, in speeds a second; 1.
    pub air_accelerate: f64,
    /// The share of the speed that the ground takes a second; 6.
    pub friction: f64,
    /// Below this speed friction is as at it; 100.
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

/// The positions that a player may have at any time until so many seconds after motion is of, if nothing is in the
/// way: with on_ground 1 on level ground with nothing above it, with 0 in the air with nothing to come upon. A server tests that nothing is in the way for these positions, and takes
/// viewcell_reachable_set where something is, or the player swims, flies or may be pushed. All infinite where velocity is
/// not known, where somebody may have landed from a jump by then, and for rules out of limits.
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

/// A set becomes that of a player who is at a position, and until some time at one of a box. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such number), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_set_box(
    reachable: *mut viewcell_reachable,
    set: u32,
    position: *const viewcell_position,
    r#box: *const viewcell_box,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(reachable) }?.sets;
        let set = sets.get_mut(set as usize).ok_or(VIEWCELL_OUTSIDE)?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (position, corners) = unsafe { (self::position(position)?, *given(r#box)?) };
        set.set_region(position, &Extent::of_box(corners.into()));
        Ok(VIEWCELL_OK)
    })
}

/// Whether who is anywhere in one set may see who is anywhere in another: 1 or 0, as viewcell_sees_in_motion says of
/// their movers, but for where in a solid level a player cannot come to through walls. 0 where either is nobody. Or
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

/// A player has moved, where news takes time: they move as to says, and clients go by what is told now between its times,
/// in seconds from now. Told of is who may be seen in that time, as long as players keep to the limits; a pair keeps silent
/// only while all that both may reach lies in their halves. So nobody is told too late. All are told of who is at no place
/// now. In a bundle of any kind. Returns what viewcell_session_move does, VIEWCELL_ARGUMENT also where has_velocity is
/// neither 0 nor 1.
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
        let reach = Some(to.region());
        let place = |world: &World| Ok(world.locate(to.motion.position));
        // SAFETY: what the header tells the caller is passed on as it is.
        unsafe { moved(session, player, place, reach, (notices, size, count)) }
    })
}
