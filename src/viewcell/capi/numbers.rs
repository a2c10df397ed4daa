//! The functions that take structs by value, once more with numbers in their place: for callers that
//! cannot pass a struct, such as Unity's Burst, WebAssembly and most languages that call C by name.

use super::bundle::{source, viewcell_bundle};
use super::frontier::{
    VIEWCELL_NOWHERE, viewcell_frontier, viewcell_frontier_begin, viewcell_frontier_contains,
    viewcell_frontier_options, viewcell_region, viewcell_region_contains,
};
use super::session::{
    viewcell_notice, viewcell_session, viewcell_session_contains, viewcell_session_move,
};
use super::status::{VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, buffer, slice, viewcell_status};
use super::terrain::{
    viewcell_height, viewcell_pvs, viewcell_sample, viewcell_visible, viewcell_visible_from,
    viewcell_visible_quads, viewcell_visible_within,
};
use crate::query::Sample;

const fn at(column: u32, row: u32) -> viewcell_sample {
    viewcell_sample { column, row }
}

/// viewcell_height, with the sample as two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_height_at(
    bundle: *const viewcell_bundle,
    column: u32,
    row: u32,
    metres: *mut f32,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_height(bundle, at(column, row), metres) }
}

/// viewcell_visible, with the samples as four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_at(
    bundle: *const viewcell_bundle,
    from_column: u32,
    from_row: u32,
    to_column: u32,
    to_row: u32,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_visible(bundle, at(from_column, from_row), at(to_column, to_row)) }
}

/// Answers count pairs, each of which is four numbers: column and row of the one who looks,
/// column and row of the one who is looked at. visible[i] becomes 1 or 0, and 0 where either is a
/// void. Other than with viewcell_visible_pairs, no place may lie outside the grid. Returns
/// VIEWCELL_OK, VIEWCELL_OUTSIDE (nothing was written), VIEWCELL_KIND, VIEWCELL_NULL,
/// VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_pairs_at(
    bundle: *const viewcell_bundle,
    count: usize,
    pairs: *const u32,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { source(bundle) }?.terrain()?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let pairs = unsafe { slice(pairs.cast::<[u32; 4]>(), count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        let ends = |&[a, b, c, d]: &[u32; 4]| (Sample::new(a, b), Sample::new(c, d));
        let grid = terrain.grid();
        let there = |(from, to)| grid.has_sample(from) && grid.has_sample(to);
        if !pairs.iter().map(ends).all(there) {
            return Err(VIEWCELL_OUTSIDE);
        }
        for ((from, to), out) in pairs.iter().map(ends).zip(out) {
            *out = terrain.visible(from, to).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// viewcell_visible_from, with the sample of the one who looks as two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_from_at(
    bundle: *const viewcell_bundle,
    from_column: u32,
    from_row: u32,
    count: usize,
    to: *const viewcell_sample,
    visible: *mut u8,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_visible_from(bundle, at(from_column, from_row), count, to, visible) }
}

/// viewcell_visible_quads, with each quad as its level, column and row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_quads_at(
    bundle: *const viewcell_bundle,
    from_level: u32,
    from_column: u32,
    from_row: u32,
    to_level: u32,
    to_column: u32,
    to_row: u32,
) -> viewcell_status {
    let (from, to) = (at(from_column, from_row), at(to_column, to_row));
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_visible_quads(bundle, from_level, from, to_level, to) }
}

/// viewcell_pvs, with the quad as its level, column and row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_pvs_at(
    bundle: *const viewcell_bundle,
    level: u32,
    column: u32,
    row: u32,
    words: *mut u64,
    count: usize,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_pvs(bundle, level, at(column, row), words, count) }
}

/// viewcell_visible_within, with the samples as four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_within_at(
    bundle: *const viewcell_bundle,
    a_column: u32,
    a_row: u32,
    b_column: u32,
    b_row: u32,
    reach_a: f64,
    reach_b: f64,
) -> viewcell_status {
    let (a, b) = (at(a_column, a_row), at(b_column, b_row));
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_visible_within(bundle, a, b, reach_a, reach_b) }
}

/// viewcell_frontier_begin, with the samples as four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_begin_at(
    frontier: *mut viewcell_frontier,
    a_column: u32,
    a_row: u32,
    b_column: u32,
    b_row: u32,
    options: *const viewcell_frontier_options,
) -> viewcell_status {
    let (a, b) = (at(a_column, a_row), at(b_column, b_row));
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_frontier_begin(frontier, a, b, options) }
}

/// viewcell_frontier_contains, with the sample as two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_contains_at(
    frontier: *const viewcell_frontier,
    side: u32,
    column: u32,
    row: u32,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_frontier_contains(frontier, side, at(column, row)) }
}

/// viewcell_region_contains, with the sample as two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_contains_at(
    region: *const viewcell_region,
    column: u32,
    row: u32,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_region_contains(region, at(column, row)) }
}

/// viewcell_session_contains, with the sample as two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_contains_at(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    column: u32,
    row: u32,
) -> viewcell_status {
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_session_contains(session, player, other, at(column, row)) }
}

/// viewcell_session_move, with the sample as two numbers; where column is VIEWCELL_NOWHERE, the
/// player is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_move_at(
    session: *mut viewcell_session,
    player: u32,
    column: u32,
    row: u32,
    notices: *mut viewcell_notice,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    let place = at(column, row);
    let to = match column {
        VIEWCELL_NOWHERE => core::ptr::null(),
        _ => &raw const place,
    };
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { viewcell_session_move(session, player, to, notices, size, count) }
}
