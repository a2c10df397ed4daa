//! Levels of either kind by the numbers of their cells: point location, who sees whom, PVSs, look-ahead.
//!
//! The functions are one for a level of cells and for a solid level; what only one of the two has is in `cells` and `solid`.

use super::bundle::{source, viewcell_bundle};
use super::status::{
    Answer, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_KIND, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer,
    buffer, place, slice, viewcell_status,
};
use crate::format::bits;
use crate::query::{OwnedBundle, Place, World};

/// A level of either kind, and how many cells it has, for as long as the call lasts.
unsafe fn level<'a>(bundle: *const viewcell_bundle) -> Answer<(&'a World<'static>, u32)> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    let world = unsafe { source(bundle) }?.lasting_world();
    Ok((world, cells_of(world)?))
}

fn cells_of(world: &World<'_>) -> Answer<u32> {
    match world {
        World::Cells(level) => Ok(level.cells()),
        World::Solid(level) => Ok(level.cells()),
        World::Terrain(_) => Err(VIEWCELL_KIND),
    }
}

/// A cell of a level of either kind.
pub(super) fn cell_in(source: &OwnedBundle, cell: u32) -> Answer<Place> {
    there(cells_of(source.world())?, &[cell])?;
    Ok(Place::Cell(cell))
}

fn there(count: u32, cells: &[u32]) -> Answer<()> {
    if cells.iter().all(|cell| *cell < count) {
        Ok(())
    } else {
        Err(VIEWCELL_OUTSIDE)
    }
}

/// The cell that holds a point of a level of either kind, in its units and axes; in a solid level, the cell that a player
/// is in whose origin the point is. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (in solid, outside of the level, not a number;
/// in a solid level, where no player was expected to be able to be: who is there may be seen by all, and sees all),
/// VIEWCELL_KIND, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_locate(
    bundle: *const viewcell_bundle,
    x: f64,
    y: f64,
    z: f64,
    cell: *mut u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, _) = unsafe { level(bundle) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(cell) }?;
        match level.locate([x, y, z]) {
            Some(Place::Cell(cell)) => *out = cell,
            Some(Place::Sample(_)) | None => return Err(VIEWCELL_OUTSIDE),
        }
        Ok(VIEWCELL_OK)
    })
}

/// Whether a player in cell to may be seen from cell from, in a level of either kind: 1 or 0; in a solid level any part of
/// anybody in the one from anywhere in the other, which is not the same the other way round. Where the bundle is damaged: 1.
/// Or VIEWCELL_OUTSIDE (no such cell), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_visible(
    bundle: *const viewcell_bundle,
    from: u32,
    to: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        there(cells, &[from, to])?;
        Ok(level.visible(Place::Cell(from), Place::Cell(to)).into())
    })
}

/// Answers count pairs: visible[i] becomes 1 if a player in cell to[i] may be seen from cell
/// from[i], else 0, in a level of either kind. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (one of the cells is not there;
/// nothing was written), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_visible_pairs(
    bundle: *const viewcell_bundle,
    count: usize,
    from: *const u32,
    to: *const u32,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let from = unsafe { slice(from, count) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        there(cells, from)?;
        there(cells, to)?;
        for ((&from, &to), out) in from.iter().zip(to).zip(out) {
            *out = level.visible(Place::Cell(from), Place::Cell(to)).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// Whom of count others may a player see? visible[i] becomes 1 if a player in cell to[i] may be
/// seen from cell from, else 0. Else as viewcell_cells_visible_pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_visible_from(
    bundle: *const viewcell_bundle,
    from: u32,
    count: usize,
    to: *const u32,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        there(cells, &[from])?;
        there(cells, to)?;
        for (&to, out) in to.iter().zip(out) {
            *out = level.visible(Place::Cell(from), Place::Cell(to)).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// Writes everything that may be seen from a cell of a level of either kind as a bitmap: cell c is bit c % 64 of word
/// c / 64. count is the length of words, at least one for each 64 cells; what is behind these stays as it
/// was. Returns VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_OUTSIDE (no such cell), VIEWCELL_FORMAT (the
/// PVS is damaged, of a level of cells; of a solid level all are seen then), VIEWCELL_KIND, VIEWCELL_NULL,
/// VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_pvs(
    bundle: *const viewcell_bundle,
    cell: u32,
    words: *mut u64,
    count: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        there(cells, &[cell])?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(words, count) }?;
        let out = out.get_mut(..bits::words(cells)).ok_or(VIEWCELL_BUFFER)?;
        match level {
            World::Cells(level) => {
                let row = level.pvs(cell).words();
                if row.len() < out.len() {
                    return Err(VIEWCELL_FORMAT);
                }
                for (out, word) in out.iter_mut().zip(row) {
                    *out = word;
                }
            }
            World::Solid(level) => {
                out.fill(0);
                for seen in level.visible_cells(cell) {
                    bits::set(out, seen as usize);
                }
            }
            World::Terrain(_) => return Err(VIEWCELL_KIND),
        }
        Ok(VIEWCELL_OK)
    })
}

/// The positions that a cell of a level of either kind stands for, of players' origins in a solid level: low and high
/// become the least and the greatest corner, three numbers each. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such cell),
/// VIEWCELL_FORMAT (the bundle is damaged, or made without boxes), VIEWCELL_KIND, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_bounds(
    bundle: *const viewcell_bundle,
    cell: u32,
    low: *mut f64,
    high: *mut f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let (low, high) = (unsafe { buffer(low, 3) }?, unsafe { buffer(high, 3) }?);
        there(cells, &[cell])?;
        let corners = match level {
            World::Cells(level) => {
                let corners = level.bounds(cell);
                corners.map(|corners| corners.map(|corner| corner.map(f64::from)))
            }
            World::Solid(level) => level.bounds(cell),
            World::Terrain(_) => None,
        };
        let [least, greatest] = corners.ok_or(VIEWCELL_FORMAT)?;
        low.copy_from_slice(&least);
        high.copy_from_slice(&greatest);
        Ok(VIEWCELL_OK)
    })
}

/// Whether two players may see each other on their ways, in a level of either kind: one who is now anywhere in cell a and
/// comes up to reach_a units of the level far, and one in cell b who comes up to reach_b far. Reaches follow
/// from speed and ping: nobody who is told of all for whom this is 1 sees somebody too late, but
/// by a teleporter. 1 or 0; errs towards 1, more so in a bundle that does not know which cells
/// touch. Or VIEWCELL_OUTSIDE (no such cell), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_visible_within(
    bundle: *const viewcell_bundle,
    a: u32,
    b: u32,
    reach_a: f64,
    reach_b: f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (level, cells) = unsafe { level(bundle) }?;
        there(cells, &[a, b])?;
        let reach = [reach_a, reach_b];
        let seen = level.visible_within(Place::Cell(a), Place::Cell(b), reach);
        Ok(seen.into())
    })
}
