//! Solid levels: what they are of, and who sees whom between positions.

use super::bundle::{source, viewcell_bundle};
use super::status::{
    Answer, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, buffer, place, slice, viewcell_status,
};
use crate::query::SolidBundle;

/// What a bundle of a solid level is of. Lengths are in units of the level.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_solid {
    /// View cells; they are numbered from 0.
    pub cells: u32,
    /// Opaque convex solids of the level.
    pub solids: u32,
    /// Opaque faces of the level that are of no solid.
    pub faces: u32,
    /// 1 if A sees B exactly when B sees A; else 0.
    pub mutual: u32,
    /// Size of the smallest cells, by axis.
    pub cell: [f64; 3],
    /// Least corner of the body, from the player's origin.
    pub hull_low: [f64; 3],
    /// Greatest corner of the body, from the player's origin.
    pub hull_high: [f64; 3],
    /// Heights of the eye over the player's origin: crouched, standing.
    pub eye: [f64; 2],
    /// Length of the file that the level was read from: compare it, and its CRC-32, with the map's.
    pub input_bytes: u64,
    /// CRC-32 of that file.
    pub input_crc32: u32,
}

/// The level behind a handle, for as long as the call lasts.
unsafe fn level<'a>(bundle: *const viewcell_bundle) -> Answer<&'a SolidBundle<'static>> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    unsafe { source(bundle) }?.solid()
}

/// A point of the caller's: three numbers.
pub(super) unsafe fn point(numbers: *const f64) -> Answer<[f64; 3]> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    let numbers = unsafe { slice(numbers, 3) }?;
    numbers.try_into().map_err(|_| VIEWCELL_OUTSIDE)
}

/// What a bundle of a solid level is of. Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_solid_info(
    bundle: *const viewcell_bundle,
    solid: *mut viewcell_solid,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        let parameters = level.parameters();
        let [hull_low, hull_high] = parameters.hull;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(solid) }? = viewcell_solid {
            cells: parameters.cells,
            solids: parameters.solids,
            faces: parameters.faces,
            mutual: level.sights().parameters().mutual.into(),
            cell: parameters.cell,
            hull_low,
            hull_high,
            eye: parameters.eye,
            input_bytes: parameters.input_bytes,
            input_crc32: parameters.input_crc32,
        };
        Ok(VIEWCELL_OK)
    })
}

/// Whether a player whose origin is at from (three numbers) may see any part of one whose origin is at to:
/// 1 or 0. 1 where either is in no cell, and where the bundle is damaged. Not the same the other way
/// round. Or VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_solid_visible(
    bundle: *const viewcell_bundle,
    from: *const f64,
    to: *const f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { point(from) }?, unsafe { point(to) }?);
        Ok(level.positions_visible(from, to).into())
    })
}

/// Answers count pairs: visible[i] becomes what viewcell_solid_visible says of the three numbers from
/// from[3 * i] and to[3 * i] on. Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_ARGUMENT or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_solid_visible_pairs(
    bundle: *const viewcell_bundle,
    count: usize,
    from: *const f64,
    to: *const f64,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        let numbers = count.saturating_mul(3);
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { slice(from, numbers) }?, unsafe {
            slice(to, numbers)
        }?);
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let visible = unsafe { buffer(visible, count) }?;
        let pairs = from.as_chunks().0.iter().zip(to.as_chunks().0);
        for (visible, (from, to)) in visible.iter_mut().zip(pairs) {
            *visible = level.positions_visible(*from, *to).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// Whether a player who is now at from and comes up to reach_from units far may see any part of one who is
/// now at to and comes up to reach_to units far, anywhere on their ways: 1 or 0. 1 where either is in no
/// cell, where finding out would take too long, and where the bundle is damaged. Ask both ways to know
/// whether they may see each other. Or VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_solid_within(
    bundle: *const viewcell_bundle,
    from: *const f64,
    to: *const f64,
    reach_from: f64,
    reach_to: f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let (from, to) = (unsafe { point(from) }?, unsafe { point(to) }?);
        Ok(level.sees_within(from, to, [reach_from, reach_to]).into())
    })
}
