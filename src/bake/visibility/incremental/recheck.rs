//! Incremental visibility: the kernel of samples and cells, run only on the pairs whose answer a change of the ground may
//! have changed.
//!
//! Did not pay: tables of what has changed for single displacements; lines beside what has changed noted as those that
//! mostly hide.

use super::change::Change;
use super::changed_ground::{ChangedGround, Touched, touched};
use crate::visibility::lanes::SIDE;
use crate::visibility::samples::filter::LaneFilter;
use crate::visibility::samples::height_field::HeightField;
use crate::visibility::samples::nodes::{OpenSquare, Reach};
use crate::visibility::samples::rays::Rays;
use crate::visibility::samples::view_block::{ViewBlock, ViewpointRows};
use crate::visibility::simd::at_level;
use crate::visibility::viewsheds::{LOOK_BLOCKS, Sights, scatter};
use fearless_simd::Level;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use viewcell::format::{Grid, Quad};

/// From this level on squares of displacements are looked at as a whole, before their lines are.
const MEETS: u32 = 4;

/// The kernel that decides again the pairs that may have changed.
pub struct Recheck<'f> {
    rays: Rays<'f>,
    change: &'f Change,
    notes: Notes,
}

impl<'f> Recheck<'f> {
    /// Looks again with `rays` at what `change` may have changed.
    pub fn new(rays: Rays<'f>, change: &'f Change) -> Self {
        Self {
            rays,
            change,
            notes: Notes::default(),
        }
    }

    /// The grid whose samples see each other.
    pub fn grid(&self) -> Grid {
        self.rays.field.grid
    }

    /// As [`Viewsheds::look`](crate::visibility::Viewsheds::look), but only at what may have
    /// changed, of those pairs of blocks that are `open` (by block of viewpoints in the quad, and
    /// block of targets, row by row). What was decided is marked in `decided`, whose rows have a bit
    /// a pair of samples ([`Sights::rows`]); whatever else `sights` says means nothing, but for voids.
    ///
    /// # Panics
    ///
    /// Unless there is an entry for each pair of blocks, and both were made for this grid.
    pub fn look(&mut self, quad: Quad, open: &[bool], sights: &mut Sights, decided: &mut Sights) {
        let grid = self.rays.field.grid;
        assert_eq!(open.len(), LOOK_BLOCKS * grid.blocks());
        decided.clear();
        let mut filter = MayChange {
            grid,
            level: self.rays.level,
            change: self.change,
            open,
            decided,
            notes: &mut self.notes,
        };
        self.rays.look_filtered(quad, sights, Some(&mut filter));
    }
}

/// For which lanes displacements have been decided, of the 8 × 8 at hand and of larger squares.
#[derive(Default)]
struct Notes {
    /// Whether only what is seen is of use: what is hidden was so before. Then nothing more is noted
    /// than that squares were looked at.
    only_seen: bool,
    /// Whether the square of 8 × 8 displacements was looked at.
    asked: bool,
    /// Within the square of 8 × 8 displacements, row by row.
    masks: Option<Box<[u64; 64]>>,
    /// Larger squares that are hidden from some lanes; from 0 where that is of no use.
    hidden: Vec<(OpenSquare, u64)>,
}

/// What may have changed.
struct MayChange<'a> {
    grid: Grid,
    level: Level,
    change: &'a Change,
    /// By block of viewpoints in the quad, and block of targets, row by row: whether it may have
    /// changed, as far as is known before.
    open: &'a [bool],
    decided: &'a mut Sights,
    notes: &'a mut Notes,
}

impl MayChange<'_> {
    /// Whether a pair of blocks that the square covers is open.
    fn is_open(&self, block: &ViewBlock, node: &OpenSquare) -> bool {
        let (columns, rows) = self.grid.block_shape();
        let last = (1 << node.level) + SIDE as i32 - 2;
        let range = |first: i32, limit: u32| {
            let end = ((first + last).div_euclid(8) + 1).clamp(0, limit as i32) as usize;
            (first.div_euclid(8).max(0) as usize).min(end)..end
        };
        let across = range(block.column + node.p, columns);
        let first = block.child * self.grid.blocks();
        range(block.row + node.q, rows).any(|row| {
            let start = first + row * columns as usize;
            self.open[start + across.start..start + across.end].contains(&true)
        })
    }

    /// Takes note that `side` × `side` displacements from (p, q) on have been decided for `lanes`.
    fn note(&mut self, square: (i32, i32), (p, q): (i32, i32), side: i32, lanes: u64) {
        let notes = &mut *self.notes;
        notes.asked = true;
        if notes.only_seen {
            return;
        }
        let masks = notes.masks.get_or_insert_with(|| Box::new([0; 64]));
        for r in 0..side {
            let at = ((q - square.1 + r) * 8 + p - square.0) as usize;
            for mask in &mut masks[at..at + side as usize] {
                *mask |= lanes;
            }
        }
    }
}

impl LaneFilter for MayChange<'_> {
    fn asks(&self, block: &ViewBlock, node: &OpenSquare) -> bool {
        if node.level >= 3 && !self.is_open(block, node) {
            return false;
        }
        // In small squares the tables of what has changed tell as much.
        node.level < MEETS && self.change.has_places() || self.change.meets(block, node)
    }

    fn narrow(
        &mut self,
        field: &HeightField,
        block: &ViewBlock,
        (turned, sign): (bool, i32),
        node: &mut OpenSquare,
        reach: &mut Reach,
    ) {
        self.notes.only_seen = false;
        if !self.change.has_places() {
            return;
        }
        let is_far = self.change.is_far(block, node);
        let ends = if is_far {
            0
        } else {
            self.change.ends(block, node)
        };
        self.notes.only_seen = is_far && self.change.only_sinks();
        let between = node.active & !ends;
        let mut touching = Touched::NOTHING;
        if node.level == 0 {
            // To decide a single displacement takes no longer than to find that out.
            touching.lanes = between;
        } else if between != 0 {
            let (rows, groups) = ViewpointRows::new(field, block, between, turned, sign);
            let places = self.change.places();
            let (level, reach, node) = (self.level, *reach, *node);
            touching =
                at_level!(level, simd => touched_by(simd, places, (rows, groups), reach, node));
        }
        node.active = ends | touching.lanes & between;
        if node.active != 0 && node.level > 0 && is_far && self.change.only_rises() {
            // Nothing else hides what it did not hide before.
            (reach.first, reach.end) = (touching.first, touching.end);
        }
    }

    fn hidden(&mut self, square: (i32, i32), node: &OpenSquare, lanes: u64) {
        match node.level {
            0..=3 => self.note(square, (node.p, node.q), 1 << node.level, lanes),
            _ if lanes == 0 => {}
            _ if self.notes.only_seen => self.notes.hidden.push((*node, 0)),
            _ => self.notes.hidden.push((*node, lanes)),
        }
    }

    fn seen(&mut self, square: (i32, i32), from: (i32, i32), side: i32, lanes: u64) {
        self.note(square, from, side, lanes);
    }

    fn flush(&mut self, (p, q): (i32, i32), block: &ViewBlock) {
        let Self { notes, decided, .. } = self;
        let mut hand_over = |p: i32, q: i32, masks: [u64; 64]| {
            let place = (
                (block.column + p).div_euclid(8),
                (block.row + q).div_euclid(8),
            );
            if masks[0] == 0 && masks == [0; 64] {
                // Its rows are there, and empty.
                for (east, south) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    decided.rows_mut(block.child, (place.0 + east, place.1 + south));
                }
                return;
            }
            scatter(masks, place, block.child, decided);
        };
        match notes.masks.take() {
            Some(masks) => hand_over(p, q, *masks),
            None if notes.asked => hand_over(p, q, [0; 64]),
            None => {}
        }
        notes.asked = false;
        for (node, lanes) in notes.hidden.drain(..) {
            let side = 1 << node.level;
            for q in (node.q..node.q + side).step_by(8) {
                for p in (node.p..node.p + side).step_by(8) {
                    hand_over(p, q, [lanes; 64]);
                }
            }
        }
    }
}

/// Which of some rows of viewpoints may see a target of the node otherwise, by any of the places.
#[simd]
fn touched_by<S: Simd>(
    simd: S,
    places: &[ChangedGround],
    (rows, groups): (ViewpointRows<'_>, usize),
    reach: Reach,
    node: OpenSquare,
) -> Touched {
    let mut touching = Touched::NOTHING;
    for over in places {
        touching = touching.and(match groups {
            1 => touched::<S, 1>(simd, over, rows, reach, node),
            2 => touched::<S, 2>(simd, over, rows, reach, node),
            3 => touched::<S, 3>(simd, over, rows, reach, node),
            _ => touched::<S, 4>(simd, over, rows, reach, node),
        });
    }
    touching
}
