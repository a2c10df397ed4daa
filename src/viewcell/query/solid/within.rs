//! Look-ahead in a solid level.
//!
//! The cells within reach of a player are a list of *parts*: blocks of 64 cells, and which of each are in
//! reach. Each part of one list is asked for all parts of the other at once.

use super::SolidBundle;
use super::reached::ReachedCell;
use crate::format::bits;
use crate::format::morton;
use crate::format::solid::BUCKET_SIDE;
use crate::query::Extent;
use crate::query::within::counted;

/// Cells of a block.
pub(super) const BLOCK: u32 = 64;

/// Most parts of a list; with more, the answer is *visible*.
const PARTS: usize = 96;

/// Most pairs of parts; with more, the answer is *visible*.
const LIMIT: usize = 2048;

/// A cell's bit in the word of its block: of a block bitmap, row by row.
pub(super) fn bit_of(cell: u32) -> u64 {
    let (column, row) = morton::place(u64::from(cell % BLOCK));
    1 << (row << 3 | column)
}

/// A block, by its number in Morton order, and the cells of it that are in reach.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    block: u32,
    cells: u64,
}

/// Parts in Morton order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    parts: [Part; PARTS],
    count: usize,
}

impl Parts {
    /// Of cells, quickest in order; `None` of none, and where there is no room.
    #[inline(never)]
    pub(crate) fn of(cells: &[ReachedCell]) -> Option<Self> {
        let mut parts = Self {
            parts: [Part::default(); PARTS],
            count: 0,
        };
        for ReachedCell { cell, .. } in cells {
            parts.add(cell / BLOCK, bit_of(*cell))?;
        }
        (parts.count > 0).then_some(parts)
    }

    /// Calls for each cell; `None` as soon as that is.
    pub(crate) fn each_cell(&self, mut call: impl FnMut(u32) -> Option<()>) -> Option<()> {
        for part in self.slice() {
            for bit in bits::ones(part.cells) {
                call(part.block * BLOCK + morton::number(bit % 8, bit / 8) as u32)?;
            }
        }
        Some(())
    }

    /// Whether a cell is in the list.
    pub(crate) fn holds(&self, cell: u32) -> bool {
        let is_here = |part: &Part| part.block == cell / BLOCK && part.cells & bit_of(cell) != 0;
        self.slice().iter().any(is_here)
    }

    fn slice(&self) -> &[Part] {
        self.parts.get(..self.count).unwrap_or(&self.parts)
    }

    /// Column and row of each block, and its cells as a word of a block bitmap.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = ((u32, u32), u64)> {
        self.slice().iter().map(|part| {
            let place = morton::place(u64::from(part.block));
            (place, part.cells)
        })
    }

    /// Adds cells of a block; `None` where there is no room.
    fn add(&mut self, block: u32, cells: u64) -> Option<()> {
        let known = self.parts.get_mut(..self.count)?;
        // Buckets come roughly in order, so that what is looked for is mostly the last.
        let at = known.iter().rposition(|part| part.block <= block);
        if let Some(part) = at.and_then(|at| known.get_mut(at))
            && part.block == block
        {
            part.cells |= cells;
            return Some(());
        }
        let at = at.map_or(0, |at| at + 1);
        let room = self.parts.get_mut(at..=self.count)?;
        room.rotate_right(1);
        *room.first_mut()? = Part { block, cells };
        self.count += 1;
        Some(())
    }
}

impl SolidBundle<'_> {
    /// Whether a player who is now at `a` and comes up to `reach[0]` units far may see any part of one who
    /// is now at `b` and comes up to `reach[1]` units far, anywhere on their paths: whether any cell that the
    /// one may come to sees any that the other may come to.
    ///
    /// Errs towards visible only: `true` where either is in no cell now, where finding out would take too
    /// long, and where the bundle is damaged. A reach that is not a number is endless.
    pub fn sees_within(&self, a: [f64; 3], b: [f64; 3], reach: [f64; 2]) -> bool {
        let (Some(cell_a), Some(cell_b)) = (self.locate(a), self.locate(b)) else {
            return true;
        };
        // Most who may come to see each other do so now.
        self.visible(cell_a, cell_b)
            || self.sees_region(&Extent::ball(a, reach[0]), &Extent::ball(b, reach[1]))
    }

    /// The same either way: whether they may see each other.
    pub fn positions_visible_within(&self, a: [f64; 3], b: [f64; 3], reach: [f64; 2]) -> bool {
        self.sees_within(a, b, reach) || self.sees_within(b, a, [reach[1], reach[0]])
    }

    /// Whether a player who is now anywhere in cell `a` and comes up to `reach[0]` units far, and one anywhere in cell
    /// `b` who comes up to `reach[1]` units far, may see each other on their paths. Else as
    /// [`SolidBundle::positions_visible_within`]; `true` where either cell is not there.
    pub fn visible_within(&self, a: u32, b: u32, reach: [f64; 2]) -> bool {
        let [reach_a, reach_b] = reach;
        self.visible(a, b)
            || self.visible(b, a)
            || self.visible_baked(
                &self.baked_within(a, reach_a),
                &self.baked_within(b, reach_b),
            )
    }

    /// A ball of all positions that are up to `reach` units from any of a cell; all positions for a cell that is not there.
    pub fn positions_within(&self, cell: u32, reach: f64) -> Extent {
        self.baked_within(cell, reach).to_asked(self.frame)
    }

    /// The same, of a reach that is asked with, in the level's own coordinates.
    fn baked_within(&self, cell: u32, reach: f64) -> Extent {
        let reach = self.frame.length_to_level(reach);
        let Some([[a, b, c], [d, e, f]]) = self.baked_bounds(cell) else {
            return Extent::everywhere();
        };
        // From the middle of a cell a player may be in any corner.
        let half = [(d - a) / 2.0, (e - b) / 2.0, (f - c) / 2.0];
        let corner = half.iter().map(|side| side * side).sum::<f64>().sqrt();
        let middle = [(a + d) / 2.0, (b + e) / 2.0, (c + f) / 2.0];
        // More than the arithmetic errs by.
        let greatest = [a, b, c, d, e, f]
            .map(f64::abs)
            .into_iter()
            .fold(corner, f64::max);
        Extent::ball(
            middle,
            counted(reach) + corner + 16.0 * f64::EPSILON * greatest,
        )
    }

    /// Whether a player anywhere in region `a` may see any part of one anywhere in region `b`: whether any
    /// cell that meets the one sees any that meets the other. A region is what [`World::region`] says of
    /// where somebody will be.
    ///
    /// Errs towards visible only: `true` where a region meets no cell, where finding out would take too
    /// long, and where the bundle is damaged.
    ///
    /// [`World::region`]: crate::query::World::region
    pub fn sees_region(&self, a: &Extent, b: &Extent) -> bool {
        self.sees_baked(&a.to_level(self.frame), &b.to_level(self.frame))
    }

    /// The same of regions in the level's own coordinates.
    pub(crate) fn sees_baked(&self, a: &Extent, b: &Extent) -> bool {
        match (self.parts(a), self.parts(b)) {
            (Some(from), Some(to)) => self.sees_parts(&from, &to),
            _ => true,
        }
    }

    /// Whether two players who may each be anywhere in a region may see each other, either way.
    pub fn visible_regions(&self, a: &Extent, b: &Extent) -> bool {
        self.visible_baked(&a.to_level(self.frame), &b.to_level(self.frame))
    }

    /// The same of regions in the level's own coordinates.
    pub(crate) fn visible_baked(&self, a: &Extent, b: &Extent) -> bool {
        match (self.parts(a), self.parts(b)) {
            (Some(a), Some(b)) => self.sees_parts(&a, &b) || self.sees_parts(&b, &a),
            _ => true,
        }
    }

    pub(crate) fn sees_parts(&self, from: &Parts, to: &Parts) -> bool {
        if from.count * to.count > LIMIT {
            return true;
        }
        // What the PVS of a quad hides, groups hide as well, or what narrows them: quads need not be asked.
        from.blocks().any(|(viewer, cells)| {
            let seen = self.sights.part_sees_any(viewer, cells, to.blocks());
            seen.unwrap_or(true)
        })
    }

    /// The cells that meet a region in the level's own coordinates; `None` where there are none or too many.
    pub(crate) fn parts(&self, region: &Extent) -> Option<Parts> {
        let mut parts = Parts {
            parts: [Part::default(); PARTS],
            count: 0,
        };
        let range = self.cells.near(region.corners())?;
        let [first, last] = range.map(|at| at.map(|at| at / BUCKET_SIDE));
        let buckets = |axis: usize| Some(*first.get(axis)?..=*last.get(axis)?);
        for layer in buckets(2)? {
            for row in buckets(1)? {
                for column in buckets(0)? {
                    self.add_bucket(region, [column, row, layer], range, &mut parts)?;
                }
            }
        }
        (parts.count > 0).then_some(parts)
    }

    /// Adds the cells of a bucket that meet a region, which lies in a range of smallest cells.
    fn add_bucket(
        &self,
        region: &Extent,
        place: [u32; 3],
        range: [[u32; 3]; 2],
        parts: &mut Parts,
    ) -> Option<()> {
        let (mut block, mut cells) = (0, 0);
        self.cells.cells_near(place, range, |cell| {
            if region.meets(self.baked_bounds(cell)?) {
                if cells != 0 && cell / BLOCK != block {
                    parts.add(block, cells)?;
                    cells = 0;
                }
                block = cell / BLOCK;
                cells |= bit_of(cell);
            }
            Some(())
        })?;
        match cells {
            0 => Some(()),
            _ => parts.add(block, cells),
        }
    }
}
