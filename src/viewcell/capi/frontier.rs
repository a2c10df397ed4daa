//! Frontier sets.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{known, viewcell_place};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_OK, answer, buffer,
    place, slice, status_of_place, viewcell_status,
};
use crate::frontier::{FrontierOptions, Side};
use crate::query::OwnedBundle;
use crate::session::{Half, Sets};

/// Grows frontier sets, one after the other, in memory of its own. One thread at a time: make one
/// for each thread.
#[derive(Debug)]
pub struct viewcell_frontier {
    sets: Sets<'static>,
}

impl Kept for viewcell_frontier {
    const KIND: usize = 3;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_frontier> = Table::new();
        &TABLE
    }
}

/// One half of a frontier set that stands by itself, such as one that a peer has sent. Any number
/// of threads may read it.
#[derive(Debug)]
pub struct viewcell_region {
    half: Half,
    source: OwnedBundle,
}

impl Kept for viewcell_region {
    const KIND: usize = 5;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_region> = Table::new();
        &TABLE
    }
}

/// The usual budget: how many quads are tried for a frontier set.
pub const VIEWCELL_BUDGET: u32 = 64;

/// How far a set is grown; 0 is for no limit.
pub(super) fn options(budget: u32) -> FrontierOptions {
    FrontierOptions {
        limit: (budget > 0).then_some(budget),
    }
}

fn side(side: u32) -> Outcome<Side> {
    match side {
        0 => Ok(Side::A),
        1 => Ok(Side::B),
        _ => Err(VIEWCELL_ARGUMENT),
    }
}

/// Allocates the memory for frontier sets in a bundle of any kind, here and nowhere else: about two bytes a sample or a cell
/// of a solid level, 50 a cell of a level of cells. *frontier becomes the handle, or null; close it with
/// viewcell_frontier_close. Returns VIEWCELL_OK, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_new(
    bundle: *const viewcell_bundle,
    frontier: *mut *mut viewcell_frontier,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(frontier) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let sets = Sets::of_bundle(unsafe { source(bundle) }?);
        *out = keep(viewcell_frontier { sets })?;
        Ok(VIEWCELL_OK)
    })
}

/// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
/// before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_close(
    frontier: *mut viewcell_frontier,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(frontier) })
}

/// Begins the frontier set of two players at places a and b; the previous set is discarded. It grows until budget quads
/// have been tried: VIEWCELL_BUDGET as a rule, 0 for no limit; in a level of cells it is complete at once.
/// Players who see each other have an empty set, which is no failure. The same places and budget give the same
/// set on every machine, so that peers who know both places need not send it. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no
/// such place), VIEWCELL_VOID, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_begin(
    frontier: *mut viewcell_frontier,
    a: viewcell_place,
    b: viewcell_place,
    budget: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(frontier) }?.sets;
        let [a, b] = [known(sets.world(), a)?, known(sets.world(), b)?];
        sets.begin(a, b, &options(budget))
            .map_err(status_of_place)?;
        Ok(VIEWCELL_OK)
    })
}

/// Continues for at most so many quads: 1 if the set is complete, 0 if there is more to do. The set may be used
/// at any time. In a level of cells a set is complete as soon as it has begun. Or VIEWCELL_NULL,
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_step(
    frontier: *mut viewcell_frontier,
    quads: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        Ok(unsafe { get_mut(frontier) }?.sets.step(quads).into())
    })
}

/// Whether a place is in the half of player a (side 0) or b (side 1): 1 or 0, and 0 for one that does
/// not exist. Or VIEWCELL_ARGUMENT, VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1, since no player may be
/// silent after a failure. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_contains(
    frontier: *const viewcell_frontier,
    side: u32,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let sets = &unsafe { get(frontier) }?.sets;
        let side = self::side(side)?;
        let at = known(sets.world(), place);
        Ok(at.is_ok_and(|at| sets.contains(side, at)).into())
    })
}

/// Number of places in a half. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_area(
    frontier: *const viewcell_frontier,
    side: u32,
    places: *mut u64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let sets = &unsafe { get(frontier) }?.sets;
        let side = self::side(side)?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(places) }? = sets.area(side);
        Ok(VIEWCELL_OK)
    })
}

/// Writes the compact form of a half, some hundred bytes, of a level of cells a bitmap; of a terrain without what lies
/// within margin steps of its edge (0: all of it). *length becomes the number of bytes that it takes, also if that is
/// more than size: then nothing is written. bytes may be null if size is 0. Allocates. Returns
/// VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_ARGUMENT, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_encode(
    frontier: *mut viewcell_frontier,
    of: u32,
    margin: u32,
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let sets = &mut unsafe { get_mut(frontier) }?.sets;
        let half = sets.half(side(of)?, margin);
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_code(&half.encode(), bytes, size, length) }
    })
}

/// Writes the compact form of a region into the caller's buffer.
pub(super) unsafe fn put_code(
    code: &[u8],
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> Outcome<viewcell_status> {
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let length = unsafe { place(length) }?;
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let out = unsafe { buffer(bytes, size) }?;
    *length = code.len();
    out.get_mut(..code.len())
        .ok_or(VIEWCELL_BUFFER)?
        .copy_from_slice(code);
    Ok(VIEWCELL_OK)
}

/// Reads the compact form of a half. *region becomes the handle, or null; close it with
/// viewcell_region_close. Allocates. Returns VIEWCELL_OK, VIEWCELL_FORMAT (the bytes are no region
/// of this bundle's places), VIEWCELL_ARGUMENT, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_decode(
    bundle: *const viewcell_bundle,
    bytes: *const u8,
    length: usize,
    region: *mut *mut viewcell_region,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(region) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?.clone();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let code = unsafe { slice(bytes, length) }?;
        let half = Half::decode(source.world(), code).ok_or(VIEWCELL_FORMAT)?;
        *out = keep(viewcell_region { half, source })?;
        Ok(VIEWCELL_OK)
    })
}

/// Whether a place is in a region: 1 or 0, and 0 for one that is not there. Or VIEWCELL_NULL,
/// VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_contains(
    region: *const viewcell_region,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let viewcell_region { half, source } = unsafe { get(region) }?;
        let at = known(source.world(), place);
        Ok(at.is_ok_and(|at| half.contains(at)).into())
    })
}

/// Closes a region. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was
/// closed before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_close(region: *mut viewcell_region) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(region) })
}
