//! A watch: who must be sent to whom, each frame.

#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::motion::{mover, viewcell_mover};
use super::place::{boxes, viewcell_box};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_FORMAT, VIEWCELL_KIND, VIEWCELL_OK, VIEWCELL_OUTSIDE,
    answer, flag, given, place, slice, viewcell_status,
};
use crate::watch::{Smoke, Watch, WatchCounts, WatchOptions, Watched};

/// The most players that a watch takes: a pair of them takes 900 bytes.
pub const VIEWCELL_MOST_WATCHED: u32 = 256;

/// Work that is done between two looks at the clock.
#[cfg(not(target_arch = "wasm32"))]
const SLICE: u32 = 16;

/// Who must be sent to whom in a solid level. One thread at a time.
#[derive(Debug)]
pub struct viewcell_watch {
    watch: Watch<'static>,
}

impl Kept for viewcell_watch {
    const KIND: usize = 17;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_watch> = Table::new();
        &TABLE
    }
}

/// A player in a frame, as viewcell_watch_set takes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_watched {
    /// How the player, as a viewer, moves while their client uses what is sent now: from now until times[1], a round trip and
    /// the time to the next frame. Walls that stop a player are always taken into account: leave them out of the limits.
    pub sees: viewcell_mover,
    /// The same player as others see them: until times[1], the time to the next frame.
    pub shown: viewcell_mover,
    /// By how much stairs may bring the player higher at once. Quake: 18.
    pub step: f64,
    /// Least and greatest height of the eye over the origin, where has_eye is 1; else those of the bundle.
    pub eye: [f64; 2],
    /// The box of what is seen of the player, with what they carry, from the origin, where has_body is 1; else the body of
    /// the bundle.
    pub body: viewcell_box,
    /// 1 or 0.
    pub has_eye: u32,
    /// 1 or 0.
    pub has_body: u32,
}

/// Counts of a frame of a watch so far: ordered pairs of players who are there.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct viewcell_watch_figures {
    /// All of them.
    pub pairs: u32,
    /// Of these, hidden.
    pub hidden: u32,
    /// Hidden by a proof of an earlier frame.
    pub kept: u32,
    /// Tested in this frame.
    pub looked: u32,
    /// Hidden by cells.
    pub baked: u32,
    /// Found in sight by the line that was clear in the frame before.
    pub in_sight: u32,
    /// Work done, in the units of viewcell_watch_look.
    pub work: u32,
    /// 0.
    pub reserved: u32,
}

/// A watch of players numbered from 0, none of whom is there yet, in a solid level. Proofs reach up to max_ahead seconds
/// ahead: a viewer whose sees.times[1] is later is sent everybody. *watch becomes the handle, or null. Each frame a server
/// calls viewcell_watch_set for everybody who is there (with null for those who have gone), viewcell_watch_begin,
/// viewcell_watch_look_for with some microseconds, and then viewcell_watch_sends for each viewer and player.
///
/// Keeps the bundle's data, so that the bundle may be closed. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (more than
/// VIEWCELL_MOST_WATCHED players), VIEWCELL_KIND, VIEWCELL_FORMAT (the bundle was made without occluders, or they are
/// damaged), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. Allocates; of the functions below those say so that do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_new(
    bundle: *const viewcell_bundle,
    players: u32,
    max_ahead: f64,
    watch: *mut *mut viewcell_watch,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(watch) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        if players > VIEWCELL_MOST_WATCHED {
            return Err(VIEWCELL_ARGUMENT);
        }
        source.world().solid().ok_or(VIEWCELL_KIND)?;
        let options = WatchOptions { max_ahead };
        let watch = Watch::of_bundle(source, players as usize, options);
        let watch = watch.ok_or(VIEWCELL_FORMAT)?;
        *out = keep(viewcell_watch { watch })?;
        Ok(VIEWCELL_OK)
    })
}

/// Where a player is in the frame that begins next, and how they may move; null for watched if they have gone. Call it in
/// each frame for everybody who is there. A player who is teleported needs nothing else, and sees from there at once. A
/// player in no cell sees all and is seen by all; so does one with a time that is no number or before now.
///
/// Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such number), VIEWCELL_ARGUMENT (a flag that is neither 0 nor 1), VIEWCELL_NULL
/// or VIEWCELL_CLOSED. Allocates for the first frames of a player.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_set(
    watch: *mut viewcell_watch,
    player: u32,
    watched: *const viewcell_watched,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watch = unsafe { there(watch, &[player]) }?;
        if watched.is_null() {
            watch.remove(player as usize);
            return Ok(VIEWCELL_OK);
        }
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let of = unsafe { given(watched) }?;
        let watched = Watched {
            // SAFETY: a part of what is readable, as above.
            sees: unsafe { mover(&raw const of.sees) }?,
            // SAFETY: a part of what is readable, as above.
            shown: unsafe { mover(&raw const of.shown) }?,
            step: of.step,
            eye: flag(of.has_eye)?.then_some(of.eye),
            body: flag(of.has_body)?.then_some(of.body.into()),
        };
        watch.set(player as usize, &watched);
        Ok(VIEWCELL_OK)
    })
}

/// A sphere of smoke: opaque to whoever looks through any part of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct viewcell_smoke {
    /// Its centre, in the level's coordinates.
    pub centre: [f64; 3],
    /// The radius that is opaque now and for as long as the smoke stays.
    pub radius: f64,
    /// For how long the smoke stays, in seconds.
    pub seconds: f64,
}

impl From<&viewcell_smoke> for Smoke {
    fn from(of: &viewcell_smoke) -> Self {
        let &viewcell_smoke {
            centre,
            radius,
            seconds,
        } = of;
        Self {
            centre,
            radius,
            seconds,
        }
    }
}

/// Replaces the dynamic occluders, which hide besides the level, from the next frame on: closed doors, as boxes that are
/// opaque throughout, and spheres of smoke. Call it before the players of a frame are set: when a door has closed or
/// begins to open, and in each frame while there is smoke. Proofs by a door that opens, or by smoke that goes, are dropped.
///
/// Smoke hides nobody from or to a player in the box around it. It hides one player from another if it stays until
/// both sees.times[1] of the one and shown.times[1] of the other. What is no box or no sphere hides nothing. Returns
/// VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_occluders(
    watch: *mut viewcell_watch,
    door_count: usize,
    doors: *const viewcell_box,
    smoke_count: usize,
    smokes: *const viewcell_smoke,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watch = &mut unsafe { get_mut(watch) }?.watch;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let doors = unsafe { boxes(doors, door_count) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let smokes = unsafe { slice(smokes, smoke_count) }?;
        let smokes: Vec<Smoke> = smokes.iter().map(Smoke::from).collect();
        watch.set_doors(&doors);
        watch.set_smokes(&smokes);
        Ok(VIEWCELL_OK)
    })
}

/// Begins a frame. A pair stays hidden if an earlier proof holds for all that both may reach now; all others are sent until
/// they are tested. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_begin(watch: *mut viewcell_watch) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        unsafe { get_mut(watch) }?.watch.begin();
        Ok(VIEWCELL_OK)
    })
}

/// Tests pairs that are undecided in this frame, first those that were hidden in the frame before. work limits how many
/// tests of a pair of boxes are made, of about a microsecond each. 1 if all pairs were tested; else 0: it may be called again.
/// The same calls give the same answers on every machine. Or VIEWCELL_NULL, VIEWCELL_CLOSED. Seldom allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_look(
    watch: *mut viewcell_watch,
    work: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        Ok(unsafe { get_mut(watch) }?.watch.look(work).into())
    })
}

/// The same for so many microseconds; a proof that was begun is finished.
// WebAssembly has no clock.
#[cfg(not(target_arch = "wasm32"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_look_for(
    watch: *mut viewcell_watch,
    microseconds: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watch = &mut unsafe { get_mut(watch) }?.watch;
        let (begun, time) = (Instant::now(), Duration::from_micros(microseconds.into()));
        while begun.elapsed() < time {
            if watch.look(SLICE) {
                return Ok(1);
            }
        }
        Ok(watch.look(0).into())
    })
}

/// Whether a player must be sent to a viewer: 1 or 0. 0 if either is not there, or if both are the same. Or
/// VIEWCELL_OUTSIDE (no such number), VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_sends(
    watch: *const viewcell_watch,
    viewer: u32,
    player: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let watch = &unsafe { get(watch) }?.watch;
        if viewer.max(player) as usize >= watch.players() {
            return Err(VIEWCELL_OUTSIDE);
        }
        Ok(watch.sends(viewer as usize, player as usize).into())
    })
}

/// Counts of the frame so far. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_counts(
    watch: *const viewcell_watch,
    counts: *mut viewcell_watch_figures,
) -> viewcell_status {
    answer(|| {
        let WatchCounts {
            pairs,
            hidden,
            kept,
            looked,
            baked,
            in_sight,
            work,
            ..
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        } = unsafe { get(watch) }?.watch.counts();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(counts) }? = viewcell_watch_figures {
            pairs,
            hidden,
            kept,
            looked,
            baked,
            in_sight,
            work,
            reserved: 0,
        };
        Ok(VIEWCELL_OK)
    })
}

/// Closes a watch. Of null, does nothing. Returns VIEWCELL_OK or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_watch_close(watch: *mut viewcell_watch) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(watch) })
}

/// The watch behind a handle, which has these players.
unsafe fn there<'a>(
    watch: *mut viewcell_watch,
    players: &[u32],
) -> Outcome<&'a mut Watch<'static>> {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    let watch = &mut unsafe { get_mut(watch) }?.watch;
    let count = watch.players();
    if players.iter().all(|&player| (player as usize) < count) {
        Ok(watch)
    } else {
        Err(VIEWCELL_OUTSIDE)
    }
}
