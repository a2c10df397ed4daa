//! Levels of cells: what they are of, the steps between cells (EPVS), frontier sets.

use super::bundle::{source, viewcell_bundle};
use super::status::{
    Answer, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_OK, VIEWCELL_OUTSIDE,
    VIEWCELL_UNREACHABLE, answer, buffer, place, slice, viewcell_status,
};
use crate::format::bits;
use crate::format::cells::SymmetryCode;
use crate::frontier::cells::Construction;
use crate::query::CellBundle;

/// Regions by the equations of Steed and Angus: a's are the cells nearer to a than to b, b's those
/// nearer to b by more than one step.
pub const VIEWCELL_PUBLISHED: u32 = 0;
/// The same region for a; b's is everything that no cell of it sees. Larger than the published
/// one, and a few times as slow to make.
pub const VIEWCELL_TIGHTENED: u32 = 1;
/// Regions that grow over cells that touch, in turn, and so are connected: whoever leaves one does
/// so through its rim. Slower by far. Only for bundles that know which cells touch.
pub const VIEWCELL_GROWN: u32 = 2;
/// Regions that grow over cells that touch, the nearest first, and then take in all that the other does not see,
/// connected or not: the largest. Slower still. Only for bundles that know which cells touch.
pub const VIEWCELL_WIDENED: u32 = 3;

/// What a bundle of a level of cells is of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_cells {
    /// Cells; they are numbered from 0. Limit: 65,536.
    pub cells: u32,
    /// Words of a bitmap of cells, such as a PVS or a region: cell c is bit c % 64 of word c / 64.
    pub words: u32,
    /// The greatest distance of two cells that some chain of visible steps joins.
    pub greatest_distance: u32,
    /// 1 if of any two cells either sees the other or neither does; else 0: ask both ways, and
    /// take frontiers for an experiment.
    pub mutual: u32,
    /// 1 if the bundle has the level's BSP, so that viewcell_cells_locate is quick and exact; 0 if
    /// it goes by the boxes of cells, or finds nothing where there are none.
    pub has_bsp: u32,
    /// 1 if the bundle knows which cells touch: VIEWCELL_GROWN and VIEWCELL_WIDENED need that.
    pub has_neighbours: u32,
}

/// The level behind a handle, for as long as the call lasts.
unsafe fn level<'a>(bundle: *const viewcell_bundle) -> Answer<&'a CellBundle<'static>> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    unsafe { source(bundle) }?.cells()
}

fn there(level: &CellBundle<'_>, cells: &[u32]) -> Answer<()> {
    let is_there = |cell: &u32| *cell < level.cells();
    cells
        .iter()
        .all(is_there)
        .then_some(())
        .ok_or(VIEWCELL_OUTSIDE)
}

pub(super) fn construction(level: &CellBundle<'_>, number: u32) -> Answer<Construction> {
    let construction = Construction::ALL.get(number as usize);
    let can_be = |kind: &&Construction| level.has_neighbours() || !kind.needs_neighbours();
    construction
        .filter(can_be)
        .copied()
        .ok_or(VIEWCELL_ARGUMENT)
}

/// What a bundle of a level of cells is of. Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_info(
    bundle: *const viewcell_bundle,
    cells_out: *mut viewcell_cells,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        let parameters = level.parameters();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(cells_out) }? = viewcell_cells {
            cells: parameters.cells,
            words: parameters.cells.div_ceil(64),
            greatest_distance: parameters.greatest_distance,
            mutual: (parameters.symmetry != SymmetryCode::None).into(),
            has_bsp: (parameters.nodes > 0).into(),
            has_neighbours: level.has_neighbours().into(),
        };
        Ok(VIEWCELL_OK)
    })
}

/// How many visible steps lead from one cell to another: 0 from a cell to itself, 1 if it is
/// visible, 2 if it is visible from one that is, and so on (the extended PVS). Or
/// VIEWCELL_UNREACHABLE, VIEWCELL_OUTSIDE (no such cell), VIEWCELL_KIND, VIEWCELL_NULL,
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_distance(
    bundle: *const viewcell_bundle,
    from: u32,
    to: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        there(level, &[from, to])?;
        // Distances take 16 bits at most.
        level
            .distance(from, to)
            .map(|steps| steps as viewcell_status)
            .ok_or(VIEWCELL_UNREACHABLE)
    })
}

/// How many words of memory viewcell_cells_frontier needs: at least two bitmaps of cells. Returns
/// VIEWCELL_OK, VIEWCELL_ARGUMENT (no such construction, or one that needs to know which cells touch where that is
/// not known), VIEWCELL_KIND, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_frontier_words(
    bundle: *const viewcell_bundle,
    construction: u32,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        let construction = self::construction(level, construction)?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(count) }? = construction.words(level.cells());
        Ok(VIEWCELL_OK)
    })
}

/// Makes the frontier set of two players in cells a and b: 1 if there is one; 0 if they see each
/// other: then both regions are empty, which is no failure.
///
/// count is the length of memory, at least what viewcell_cells_frontier_words says; it need not
/// be cleared, and may be used for the next set. Its first viewcell_cells.words words become the
/// region of a's player, as many after them that of b's: ask with viewcell_cells_contains, or look
/// at the bits. No cell of one region sees any of the other. Behind these, memory is as it falls.
///
/// The same cells and construction give the same regions on every machine, so that peers who know
/// both positions need not send them.
///
/// Or VIEWCELL_BUFFER, VIEWCELL_OUTSIDE (no such cell), VIEWCELL_ARGUMENT (as above),
/// VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_frontier(
    bundle: *const viewcell_bundle,
    a: u32,
    b: u32,
    construction: u32,
    memory: *mut u64,
    count: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let level = unsafe { level(bundle) }?;
        there(level, &[a, b])?;
        let construction = self::construction(level, construction)?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let memory = unsafe { buffer(memory, count) }?;
        if memory.len() < construction.words(level.cells()) {
            return Err(VIEWCELL_BUFFER);
        }
        if level
            .frontier(a, b, construction, memory)
            .is_ok_and(|set| set.is_some())
        {
            return Ok(1);
        }
        let regions = 2 * bits::words(level.cells());
        memory.iter_mut().take(regions).for_each(|word| *word = 0);
        Ok(0)
    })
}

/// Whether a cell is in a bitmap of cells, such as a region or a PVS: 1 or 0, and 0 for a cell
/// that is not there. count is the length of words. Or VIEWCELL_NULL, VIEWCELL_ARGUMENT: compare
/// with 1, since a failure is no leave to be silent. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_contains(
    words: *const u64,
    count: usize,
    cell: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let words = unsafe { slice(words, count) }?;
        Ok(bits::has(words, cell as usize).into())
    })
}
