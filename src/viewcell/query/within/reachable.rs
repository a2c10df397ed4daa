//! The reachable set of a player, found once and asked about many times.

use super::motion::{Extent, Mover};
use crate::format::Frame;
use crate::format::bits;
use crate::format::cells::SymmetryCode;
use crate::format::frame::{Corners, hull};
use crate::query::solid::reached::{MOST, ReachedCell};
use crate::query::solid::within::Parts;
use crate::query::{Place, World};

/// The positions that a player may have at some time, with what of a world that takes. Finding it is most of what a question
/// costs, so that a server finds one for each player and frame, and asks about all pairs.
///
/// All memory is allocated at first.
#[derive(Clone, Debug)]
pub struct ReachableSet<'a> {
    /// Asked with its own coordinates, of which all below is.
    world: World<'a>,
    /// What the caller asks with.
    frame: Frame,
    /// `None` of nobody.
    region: Option<Extent>,
    /// Whether a player on a terrain is in no place now, and so may be anywhere.
    is_lost: bool,
    /// Of a level of cells: a row of those that the player may be in, then one of what is seen from those.
    rows: Box<[u64]>,
    /// Of a solid level: the cells that the player may be in; `None` where that may be anywhere.
    parts: Option<Parts>,
    /// What the player may reach of each, with room for [`MOST`]; and how many these are, none if they are too many.
    cells: Box<[ReachedCell]>,
    count: usize,
}

impl<'a> ReachableSet<'a> {
    /// Of nobody, who sees nobody.
    pub fn new(world: World<'a>) -> Self {
        let words = world.cells().map_or(0, |level| bits::words(level.cells()));
        let room = if world.solid().is_some() { MOST } else { 0 };
        Self {
            world: world.as_baked(),
            frame: world.frame(),
            region: None,
            is_lost: false,
            rows: vec![0; 2 * words].into(),
            parts: None,
            cells: vec![ReachedCell::default(); room].into(),
            count: 0,
        }
    }

    /// Makes the set empty: it is that of no player.
    pub fn clear(&mut self) {
        self.region = None;
    }

    /// Sets it to the reach of a player. One who is at no place now ([`World::locate`]) may be anywhere.
    pub fn set(&mut self, mover: &Mover) {
        let cell = self.cell_at(self.frame.to_level(mover.motion.position));
        self.set_motion(mover, cell);
    }

    /// Sets it to a player who is at a position now, and stays in a region. One who is at no place now may be
    /// anywhere.
    pub fn set_region(&mut self, position: [f64; 3], region: &Extent) {
        let position = self.frame.to_level(position);
        let region = &region.to_level(self.frame);
        let cell = self.cell_at(position);
        self.fill(cell, [position; 2], [region, region]);
    }

    #[inline(never)]
    fn cell_at(&self, position: [f64; 3]) -> Option<u32> {
        match self.world.locate(position) {
            Some(Place::Cell(cell)) => Some(cell),
            Some(Place::Sample(_)) | None => None,
        }
    }

    /// Sets it to a player in motion, who is in cell `cell` of a level now, if known.
    pub(super) fn set_motion(&mut self, mover: &Mover, cell: Option<u32>) {
        let Mover {
            motion,
            limits,
            times,
        } = mover.to_level(self.frame);
        let now = motion.region(&limits, [0.0, 0.0]).corners();
        let [first, last] = times.map(|time| motion.region(&limits, [0.0, time]).corners());
        let path = Extent::of_box(hull(first, last));
        self.fill(cell, now, [&path, &motion.region(&limits, times)]);
    }

    /// Sets it to a player who is somewhere in the box `now`, in cell `cell` of a level if known, who moves within `path` and
    /// will be in `region`.
    fn fill(&mut self, cell: Option<u32>, now: Corners, [path, region]: [&Extent; 2]) {
        self.region = Some(*region);
        self.count = 0;
        match &self.world {
            World::Terrain(_) => {
                let [low, high] = now;
                let middle = |axis: usize| {
                    let ends = low.get(axis).zip(high.get(axis));
                    // Both may be infinite: then it is no number, and nowhere.
                    ends.map_or(f64::NAN, |(low, high)| low.midpoint(*high))
                };
                let position = [middle(0), middle(1), 0.0];
                self.is_lost = self.world.locate(position).is_none();
            }
            World::Solid(level) => {
                self.parts = cell.and_then(|_| {
                    let reached = level.reached(now, [path, region], &mut self.cells);
                    self.count = reached.unwrap_or(0);
                    match reached.and_then(|count| self.cells.get(..count)) {
                        Some(cells) => Parts::of(cells),
                        None => level.parts(region),
                    }
                });
            }
            World::Cells(level) => {
                let (own, seen) = self.rows.split_at_mut(self.rows.len() / 2);
                // There is room for all cells.
                let _ = level.cells_in(region, own);
                match cell.filter(|_| own.iter().any(|word| *word != 0)) {
                    None => own.fill(u64::MAX),
                    Some(cell) => bits::set(own, cell as usize),
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
            World::Terrain(terrain) => {
                self.is_lost || other.is_lost || terrain.visible_regions(region, of_other)
            }
            World::Cells(level) => {
                let mutual = level.parameters().symmetry != SymmetryCode::None;
                self.meets_seen(other) || !mutual && other.meets_seen(self)
            }
            World::Solid(level) => match (&self.parts, &other.parts) {
                (Some(from), Some(to)) => level.sees_parts(from, to),
                _ => true,
            },
        }
    }

    /// Whether either may see the other.
    pub fn meets(&self, other: &Self) -> bool {
        self.sees(other) || self.world.solid().is_some() && other.sees(self)
    }

    /// Whether any cell that the player may be in is seen from any that the other may be in.
    fn meets_seen(&self, other: &Self) -> bool {
        let (own, _) = self.rows.split_at(self.rows.len() / 2);
        let (_, seen) = other.rows.split_at(other.rows.len() / 2);
        own.iter().zip(seen).any(|(own, seen)| own & seen != 0)
    }
}
