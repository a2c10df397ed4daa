//! Occlusion tests at run time: what the bundle calls visible may still be hidden from where players are.

use std::time::Duration;

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get_mut, keep};
use super::motion::{mover, viewcell_mover, viewcell_reachable};
use super::place::{boxes, viewcell_box};
use super::status::{
    VIEWCELL_FORMAT, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, place, viewcell_status,
};
use crate::query::{Mover, OcclusionTest, OwnedBundle};

/// A test by the solids of a level. One thread at a time.
#[derive(Debug)]
pub struct viewcell_occlusion {
    test: OcclusionTest,
    source: OwnedBundle,
}

impl Kept for viewcell_occlusion {
    const KIND: usize = 13;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_occlusion> = Table::new();
        &TABLE
    }
}

/// A test by what hides in a solid level. *occlusion becomes the handle, or null. Keeps what the bundle stands for,
/// which may be closed.
///
/// Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_FORMAT (the bundle was made without occluders, or they are damaged),
/// VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_occlusion_new(
    bundle: *const viewcell_bundle,
    occlusion: *mut *mut viewcell_occlusion,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(occlusion) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        let test = source.solid()?.occlusion_test().ok_or(VIEWCELL_FORMAT)?;
        *out = keep(viewcell_occlusion {
            test,
            source: source.clone(),
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// Doors that are closed, in place of those before: count boxes that are
/// opaque all through. What is no box hides nothing. Returns VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_ARGUMENT or
/// VIEWCELL_CLOSED. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_occlusion_doors(
    occlusion: *mut viewcell_occlusion,
    count: usize,
    boxes: *const viewcell_box,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let occlusion = unsafe { get_mut(occlusion) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let doors = unsafe { self::boxes(boxes, count) }?;
        occlusion.test.set_doors(&doors);
        Ok(VIEWCELL_OK)
    })
}

/// Whether solids of the level and closed doors hide all of one player from another, each at any time of their own, as
/// of viewcell_sees_in_motion: 1 or 0. To be asked where that says 1. 0 where it is not proven within so many
/// microseconds, and where either is in no cell now. Not the same the other way round.
///
/// guess is the pair's own, 0 at first: the occluder that hid the one from the other last, which is asked first.
///
/// Or VIEWCELL_ARGUMENT (has_velocity is neither 0 nor 1), VIEWCELL_NULL, VIEWCELL_CLOSED. Seldom allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_hidden_within(
    occlusion: *mut viewcell_occlusion,
    from: *const viewcell_mover,
    to: *const viewcell_mover,
    guess: *mut u32,
    microseconds: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let viewcell_occlusion { test, source } = unsafe { get_mut(occlusion) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { mover(from) }?, unsafe { mover(to) }?);
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let guess = unsafe { place(guess) }?;
        let (level, world) = (source.solid()?, source.world());
        let is_there = |player: &Mover| level.locate(player.motion.position).is_some();
        let budget = Duration::from_micros(microseconds.into());
        let hidden = is_there(&from)
            && is_there(&to)
            && test.hides(&world.region(&from), &world.region(&to), guess, budget);
        Ok(hidden.into())
    })
}

/// The same for two reachable sets of one handle: whether all of whoever is anywhere in the one is hidden from whoever is
/// anywhere in the other. It looks at what a player can reach of each cell, so that it finds more. 0 of sets of nobody or
/// of another level, and where from is to.
///
/// Or VIEWCELL_OUTSIDE (no such number), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED. Seldom allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_reachable_hides(
    reachable: *mut viewcell_reachable,
    occlusion: *mut viewcell_occlusion,
    from: u32,
    to: u32,
    guess: *mut u32,
    microseconds: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(reachable) }?.sets;
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let viewcell_occlusion { test, source } = unsafe { get_mut(occlusion) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let guess = unsafe { place(guess) }?;
        let level = source.solid()?;
        if from.max(to) as usize >= sets.len() {
            return Err(VIEWCELL_OUTSIDE);
        }
        let Ok(pair) = sets.get_disjoint_mut([from as usize, to as usize]) else {
            return Ok(0);
        };
        let budget = Duration::from_micros(microseconds.into());
        Ok(test.hides_reachable(level, pair, guess, budget).into())
    })
}

/// Closes a test. Of null, does nothing. Returns VIEWCELL_OK or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_occlusion_close(
    occlusion: *mut viewcell_occlusion,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(occlusion) })
}
