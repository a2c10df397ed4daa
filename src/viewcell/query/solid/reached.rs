//! Flood fill over touching cells: those that a player can reach without leaving a region.
//!
//! A box around all places that a player may soon reach extends through walls; the player cannot pass them. All
//! positions that players can reach lie in cells, which are closed boxes, so that a path leads from cell to cell
//! through positions of both. So the player reaches only cells to which a chain of touching cells within the region
//! leads from where the player is now.

use super::SolidBundle;
use crate::format::frame::Corners;
use crate::query::Extent;

/// Most cells that are followed; in a region of more, all count as reached.
pub(crate) const MOST: usize = 512;

/// What of a cell lies in a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReachedCell {
    pub cell: u32,
    pub bounds: Corners,
}

impl SolidBundle<'_> {
    /// In the level's own coordinates: the cells of `region`, in any order, to which a way leads in `path` from somewhere in the box `now`: into `room`, and how
    /// many they are. `None` where there is no such cell, or no room.
    #[inline(never)]
    pub(crate) fn reached(
        &self,
        now: Corners,
        [path, region]: [&Extent; 2],
        room: &mut [ReachedCell],
    ) -> Option<usize> {
        let mut count = 0;
        self.parts(path)?.each_cell(|cell| {
            let bounds = common(self.baked_bounds(cell)?, path.corners());
            *room.get_mut(count)? = ReachedCell { cell, bounds };
            count += 1;
            Some(())
        })?;
        let cells = room.get_mut(..count)?;
        let reached = spread(cells, &now);
        let mut left = 0;
        for at in 0..reached {
            let of = *cells.get(at)?;
            if region.meets(of.bounds) {
                let bounds = common(of.bounds, region.corners());
                *cells.get_mut(left)? = ReachedCell { bounds, ..of };
                left += 1;
            }
        }
        (left > 0).then_some(left)
    }
}

/// Puts the cells first to which a chain of touching ones leads from the box `now`, and says how many they are.
#[inline(never)]
pub(crate) fn spread(cells: &mut [ReachedCell], now: &Corners) -> usize {
    // Those that are reached are put before the others, and their neighbours behind them.
    let mut reached = gather(cells, 0, now);
    let mut next = 0;
    while next < reached
        && reached < cells.len()
        && let Some(from) = cells.get(next).map(|cell| cell.bounds)
    {
        reached = gather(cells, reached, &from);
        next += 1;
    }
    reached
}

/// The box around what is reached of cells.
#[inline(never)]
pub(crate) fn around(cells: &[ReachedCell]) -> Option<Corners> {
    let mut of = cells.first()?.bounds;
    let [low, high] = &mut of;
    for cell in cells {
        let [least, greatest] = &cell.bounds;
        for (low, least) in low.iter_mut().zip(least) {
            *low = if *least < *low { *least } else { *low };
        }
        for (high, greatest) in high.iter_mut().zip(greatest) {
            *high = if *greatest > *high { *greatest } else { *high };
        }
    }
    Some(of)
}

/// Moves those from number `from` on that touch a box there, and says where they end.
#[inline(never)]
fn gather(cells: &mut [ReachedCell], from: usize, touched: &Corners) -> usize {
    let mut end = from;
    for at in from..cells.len() {
        if cells.get(at).is_some_and(|of| touch(&of.bounds, touched)) {
            cells.swap(end, at);
            end += 1;
        }
    }
    end
}

/// What two boxes have in common.
#[inline(never)]
pub(crate) fn common([a, b]: Corners, [c, d]: Corners) -> Corners {
    let mut of = [a, b];
    let [low, high] = &mut of;
    for ((low, high), (c, d)) in low.iter_mut().zip(high).zip(c.into_iter().zip(d)) {
        *low = low.max(c);
        *high = high.min(d);
    }
    of
}

#[inline(always)]
pub(crate) fn touch([a, b]: &Corners, [c, d]: &Corners) -> bool {
    let mut touches = true;
    let axes = a.iter().zip(b).zip(c.iter().zip(d));
    for ((low, high), (least, greatest)) in axes {
        // No branches: they would be mispredicted.
        touches &= (low <= greatest) & (least <= high);
    }
    touches
}

/// Whether cells, which have nothing in common, leave next to nothing of the box around them; one does.
pub(crate) fn fill(cells: &[ReachedCell], around: &Corners) -> bool {
    let volume = |[low, high]: &Corners| -> f64 {
        let sides = low.iter().zip(high).map(|(low, high)| high - low);
        sides.product()
    };
    let filled: f64 = cells.iter().map(|of| volume(&of.bounds)).sum();
    cells.len() == 1 || filled >= 0.999 * volume(around)
}

/// The axis of the longest side, and how long it is.
pub(crate) fn longest(sides: [f64; 3]) -> (usize, f64) {
    let axes = sides.into_iter().enumerate();
    axes.fold((0, f64::NEG_INFINITY), |best, of| {
        if of.1 > best.1 { of } else { best }
    })
}

/// Cells in either half of the box around them, along an axis; some each, whatever they are.
pub(crate) fn halves(
    cells: &mut [ReachedCell],
    around: Corners,
    axis: usize,
) -> (&mut [ReachedCell], &mut [ReachedCell]) {
    let sum = |[low, high]: Corners| {
        let [low, high] = [low, high].map(|corner| corner.get(axis).copied().unwrap_or(0.0));
        low + high
    };
    let middle = sum(around);
    let mut end = 0;
    for at in 0..cells.len() {
        if cells.get(at).is_some_and(|of| sum(of.bounds) < middle) {
            cells.swap(at, end);
            end += 1;
        }
    }
    let is_cut = end > 0 && end < cells.len();
    cells.split_at_mut(if is_cut { end } else { cells.len() / 2 })
}
