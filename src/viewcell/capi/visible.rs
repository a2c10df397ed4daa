//! Who sees whom, in a bundle of any kind: between places, now and with a look-ahead.

use super::bundle::{source, viewcell_bundle};
use super::place::{
    VIEWCELL_NOWHERE, known, numbered, position, viewcell_place, viewcell_position,
};
use super::status::{
    Outcome, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, buffer,
    slice, viewcell_status,
};
use crate::query::{Answer, World};

/// Whether a player at one number may be seen from another; nowhere sees and is seen.
#[inline]
fn sees(world: &World<'_>, from: viewcell_place, to: viewcell_place) -> Outcome<bool> {
    let from = numbered(world, from)?;
    let to = numbered(world, to)?;
    let pair = from.zip(to);
    Ok(pair.is_none_or(|(from, to)| world.visible(from, to)))
}

/// Whether all of some numbers are places, or nowhere.
fn check(world: &World<'_>, places: &[viewcell_place]) -> Outcome<()> {
    let count = world.places();
    let is_there = |&place: &u32| u64::from(place) < count || place == VIEWCELL_NOWHERE;
    if places.iter().all(is_there) {
        Ok(())
    } else {
        Err(VIEWCELL_OUTSIDE)
    }
}

/// Whether a player at place to may be seen from place from: 1 or 0. The answer holds for all positions in both places. In
/// a solid level it is whether any part of a body in to is visible from any eye in from: the directions differ. 0 if either
/// is a void; 1 if either is VIEWCELL_NOWHERE, or if the bundle is damaged. Or VIEWCELL_OUTSIDE (no such place),
/// VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible(
    bundle: *const viewcell_bundle,
    from: viewcell_place,
    to: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        Ok(sees(world, from, to)?.into())
    })
}

/// Answers count pairs: visible[i] becomes what viewcell_visible says of from[i] and to[i]. Returns VIEWCELL_OK,
/// VIEWCELL_OUTSIDE (one of the places is not there; nothing was written), VIEWCELL_NULL, VIEWCELL_ARGUMENT or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_pairs(
    bundle: *const viewcell_bundle,
    count: usize,
    from: *const viewcell_place,
    to: *const viewcell_place,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let from = unsafe { slice(from, count) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        check(world, from)?;
        check(world, to)?;
        for ((&from, &to), out) in from.iter().zip(to).zip(out) {
            *out = sees(world, from, to)?.into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// Whom of count others may a player see? visible[i] becomes what viewcell_visible says of from and to[i]. Otherwise like
/// viewcell_visible_pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_from(
    bundle: *const viewcell_bundle,
    from: viewcell_place,
    count: usize,
    to: *const viewcell_place,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        check(world, &[from])?;
        check(world, to)?;
        for (&to, out) in to.iter().zip(out) {
            *out = sees(world, from, to)?.into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// A level of quads, if there is such a one.
fn checked(world: &World<'_>, level: u32) -> Outcome<u32> {
    let level = Some(level).filter(|level| *level < world.levels());
    level.ok_or(VIEWCELL_OUTSIDE)
}

/// What is known of sight from one quad of a terrain to another: 0 if nothing of it can be seen from anywhere in the
/// first, 1 if each of its samples can be seen from somewhere, 2 if some can (or the bundle is damaged). A quad is the one
/// of a level, less than viewcell_world.levels, that a place is in: a square of 2^level samples a side. Or
/// VIEWCELL_OUTSIDE (no such place or level), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_quads(
    bundle: *const viewcell_bundle,
    from: viewcell_place,
    from_level: u32,
    to: viewcell_place,
    to_level: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        let (world, terrain) = (source.world(), source.terrain()?);
        let quad = |place, level| {
            let sample = known(world, place)?.sample();
            Outcome::Ok(sample.quad().ancestor(checked(world, level)?))
        };
        Ok(
            match terrain.visible_quads(quad(from, from_level)?, quad(to, to_level)?) {
                Answer::Hidden => 0,
                Answer::Visible => 1,
                Answer::Mixed => 2,
            },
        )
    })
}

/// Writes all that may be seen from a place as a bitmap of places: of a terrain sample (c, r) is bit (r % 8) * 8 + c % 8
/// of word (r / 8) * viewcell_world.block_columns + c / 8; of a level cell c is bit c % 64 of word c / 64
/// (viewcell_contains reads it). Of a terrain, level asks for all that may be seen from the quad of that level that the
/// place is in; for others it is 0. count is the length of words, at least viewcell_world.words; words beyond these are
/// unchanged. Returns VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_OUTSIDE (no such place or level), VIEWCELL_FORMAT (the PVS is
/// damaged; in a solid level all are seen then), VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_pvs(
    bundle: *const viewcell_bundle,
    place: viewcell_place,
    level: u32,
    words: *mut u64,
    count: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        let at = known(world, place)?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(words, count) }?;
        let out = out.get_mut(..world.words()).ok_or(VIEWCELL_BUFFER)?;
        let seen = world.pvs(at, checked(world, level)?);
        seen.ok_or(VIEWCELL_FORMAT)?.expand(out);
        Ok(VIEWCELL_OK)
    })
}

/// Whether two players may see each other on their paths: one who is now anywhere at place a and moves up to reach_a,
/// and one at place b who moves up to reach_b, in metres or in units of the level. Reaches follow from speed and ping:
/// a client that is sent everybody for whom this is 1 sees nobody late, except through a teleporter. 1 or 0; 0 if either is
/// a void. Errs towards 1: where either is VIEWCELL_NOWHERE, where the search would take too long, where the bundle is
/// damaged or has no boxes of cells, and for a reach that is not a number. Or VIEWCELL_OUTSIDE (no such place),
/// VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_within(
    bundle: *const viewcell_bundle,
    a: viewcell_place,
    b: viewcell_place,
    reach_a: f64,
    reach_b: f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        let (a, b) = (numbered(world, a)?, numbered(world, b)?);
        let within = |(a, b)| world.visible_within(a, b, [reach_a, reach_b]);
        Ok(a.zip(b).is_none_or(within).into())
    })
}

/// Whether a player who is now at position from and moves up to reach_from may see one who is now at position to and
/// moves up to reach_to, anywhere on their paths: 1 or 0. In a solid level this hides more than viewcell_visible_within of
/// their cells, and the directions differ: query both to know whether they may see each other. Errs towards 1
/// as that does, and where either is at no place. Or VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_sees_within(
    bundle: *const viewcell_bundle,
    from: *const viewcell_position,
    to: *const viewcell_position,
    reach_from: f64,
    reach_to: f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { position(from) }?, unsafe { position(to) }?);
        let reach = [reach_from, reach_to];
        Ok(world.positions_see_within(from, to, reach).into())
    })
}
