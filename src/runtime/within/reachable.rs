//! Where a player may be, found once and asked about many times.

use super::motion::{Extent, Mover};
use crate::format::cells::SymmetryCode;
use crate::runtime::solid::within::Parts;
use crate::runtime::{Place, World};

/// The positions that a player may have at some time, with what of a world that takes. Finding it is most of what a question
/// costs, so that a server finds one for each player and frame, and asks about all pairs.
///
/// All memory is allocated at first.
#[derive(Clone, Debug)]
pub struct ReachableSet<'a> {
    world: World<'a>,
    /// `None` of nobody.
    region: Option<Extent>,
    /// Of a solid level: the cell that the player is in now, if that is among those of the region.
    cell: Option<u32>,
    /// Of a level of cells: a row of those that the player may be in, then one of what is seen from those.
    rows: Box<[u64]>,
    /// Of a solid level: the cells that the player may be in; `None` where that may be anywhere.
    parts: Option<Parts>,
}

impl<'a> ReachableSet<'a> {
    /// Of nobody, who sees nobody.
    pub fn new(world: World<'a>) -> Self {
        let words = match &world {
            World::Cells(level) => (level.cells() as usize).div_ceil(64),
            World::Terrain(_) | World::Solid(_) => 0,
        };
        Self {
            world,
            region: None,
            cell: None,
            rows: vec![0; 2 * words].into(),
            parts: None,
        }
    }

    /// Becomes that of nobody.
    pub fn clear(&mut self) {
        self.region = None;
    }

    /// Becomes that of a player, wherever that is now. Who is in no cell of a level now may be anywhere.
    pub fn set(&mut self, mover: &Mover) {
        let cell = match self.world.locate(mover.motion.position) {
            Some(Place::Cell(cell)) => Some(cell),
            Some(Place::Sample(_)) | None => None,
        };
        self.set_region(mover.region(), cell);
    }

    /// Becomes that of somebody who may be in a region, and is in a cell of a level now, if known.
    pub(super) fn set_region(&mut self, region: Extent, cell: Option<u32>) {
        self.region = Some(region);
        match &self.world {
            World::Terrain(_) => {}
            World::Solid(level) => {
                let is_met = |cell: &u32| level.bounds(*cell).is_some_and(|of| region.meets(of));
                self.cell = cell.filter(is_met);
                self.parts = cell.and_then(|_| level.parts(&region));
            }
            World::Cells(level) => {
                let (own, seen) = self.rows.split_at_mut(self.rows.len() / 2);
                // There is room for all cells.
                let _ = level.cells_in(&region, own);
                match cell.filter(|_| own.iter().any(|word| *word != 0)) {
                    None => own.fill(u64::MAX),
                    Some(cell) => {
                        if let Some(word) = own.get_mut(cell as usize / 64) {
                            *word |= 1 << (cell % 64);
                        }
                    }
                }
                level.seen_from(own, seen);
            }
        }
    }

    /// Whether this player may see the other. Errs towards visible only; `false` of nobody. Both are of one world.
    ///
    /// Allocates nothing.
    pub fn sees(&self, other: &Self) -> bool {
        let (Some(region), Some(of_other)) = (&self.region, &other.region) else {
            return false;
        };
        match &self.world {
            World::Terrain(terrain) => terrain.visible_between(region, of_other),
            World::Cells(level) => {
                let mutual = level.parameters().symmetry != SymmetryCode::None;
                self.meets_seen(other) || !mutual && other.meets_seen(self)
            }
            World::Solid(level) => {
                let (Some(from), Some(to)) = (&self.parts, &other.parts) else {
                    return true;
                };
                // Most who may come to see each other do so now.
                let now = self.cell.zip(other.cell);
                now.is_some_and(|(a, b)| level.visible(a, b)) || level.sees_parts(from, to)
            }
        }
    }

    /// Whether either may see the other.
    pub fn meets(&self, other: &Self) -> bool {
        self.sees(other) || matches!(self.world, World::Solid(_)) && other.sees(self)
    }

    /// Whether any cell that the player may be in is seen from any that the other may be in.
    fn meets_seen(&self, other: &Self) -> bool {
        let (own, _) = self.rows.split_at(self.rows.len() / 2);
        let (_, seen) = other.rows.split_at(other.rows.len() / 2);
        own.iter().zip(seen).any(|(own, seen)| own & seen != 0)
    }
}
