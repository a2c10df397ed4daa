//! Visibility from region to region among convex occluders: who sees whom between view cells of a solid level, which
//! are boxes of positions of a player's origin.
//!
//! A cell sees another unless it is proven that no segment from an eye anywhere in the one to any part of a body
//! anywhere in the other is clear. So what sees is the box of eyes, and what is seen the box of bodies; that is not
//! mutual.
//!
//! - `viewcell::convex` is the proof for one pair of boxes.
//! - `cover` makes occluders without seams of all faces in a plane, `field` all occluders of a level.
//! - `boxes` is a tree of cells. Pairs of its nodes are hidden as a whole, seen as a whole, or divided (`descend`); what
//!   may hide a pair is handed down. A pair of cells of which nothing is proven down to some depth sees.
//! - `tracer` casts rays through the polygons of a level: slow, and apart from the kernel; `body_tracer` casts them from eye
//!   to body.
//! - `reference` is the slow version of a single test: 64 segments against planes.
//!
//! Cells are numbered 0, 1, 2, … and number n is the sample of a grid whose Morton number is n, so that the bake, the
//! bundle and the runtime treat them as they treat samples.

mod body_tracer;
mod boxes;
mod cover;
mod descend;
mod field;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod tracer;

pub use body_tracer::BodyTracer;
pub use field::{DEPTH, SolidField};
pub use tracer::{Hit, SegmentSight, Tracer};
pub use viewcell::convex::Found;

use super::viewsheds::{LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds};
use boxes::{BLOCK, Node, lanes, tree};
use descend::{AtLevel, Descent};
use fearless_simd::Level;
use viewcell::convex::{Decider, Proofs};
use viewcell::format::bits;
use viewcell::format::{Grid, Quad, morton};

/// Sight between the cells of a level of solids, for one thread.
pub struct Solids<'f> {
    field: &'f SolidField,
    decider: Decider<AtLevel>,
    /// Target nodes: the root; of a sample, runs of cells, of which each look takes every `parts`-th.
    targets: Vec<u32>,
    parts: usize,
    turn: usize,
}

/// Runs of cells in each part of a sample, at least.
const RUNS: usize = 16;

/// Cells that a kernel computes at once.
const LOOK: u32 = 1 << (2 * LOOK_LEVEL);

impl<'f> Solids<'f> {
    /// A kernel over `field`, at a SIMD level; the level does not change any answer.
    pub fn new(field: &'f SolidField, level: Level) -> Self {
        Self {
            field,
            decider: Decider::new(field.scale, AtLevel(level)),
            targets: vec![0],
            parts: 1,
            turn: 0,
        }
    }

    /// Samples targets, for forecasts: each look covers one of `parts` disjoint sets of cells, spread over the level, and
    /// the next look the next set.
    pub fn sampling(self, parts: usize) -> Self {
        let most = (self.field.cells.len() / (RUNS * parts)).max(1);
        let targets = boxes::runs(&self.field.tree, most as u32);
        Self {
            targets,
            parts,
            ..self
        }
    }

    /// What is found of a single pair of cells, in at most `depth` halvings one after another. What
    /// [`Viewsheds::look`] says may hide more: what hides a pair of larger boxes hides all in them.
    pub fn sees(&mut self, a: u32, b: u32, depth: u32) -> Found {
        if a == b {
            return Found::Clear;
        }
        let (a, b) = (&self.field.cells[a as usize], &self.field.cells[b as usize]);
        let (decider, occluders) = (&mut self.decider, &self.field.occluders[..]);
        let all = decider.all(occluders);
        decider.decide(occluders, &a.eye, &b.body, all, depth)
    }
}

impl Viewsheds for Solids<'_> {
    fn grid(&self) -> Grid {
        self.field.grid
    }

    fn look(&mut self, quad: Quad, sights: &mut Sights) {
        let field = self.field;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(
            sights.targets(),
            field.grid.blocks(),
            "room for another grid"
        );
        sights.clear();
        let count = field.cells.len() as u32;
        let first = (morton::number(quad.column, quad.row) as u32 * LOOK).min(count);
        let own = tree(&field.cells, first, (first + LOOK).min(count));
        if !own.is_empty() {
            // Nothing depends on what was asked for before.
            let all = self.decider.all(&field.occluders);
            let mut seen = Seen { sights, first };
            let mut descent = Descent {
                decider: &mut self.decider,
                proofs: Proofs::default(),
                occluders: &field.occluders,
                cells: &field.cells,
                trees: [&own, &field.tree],
                grade: field.grade,
                mark: &mut |a: &Node, b: &Node| seen.mark(a, b),
            };
            let part = self.targets.iter().skip(self.turn % self.parts);
            for &target in part.step_by(self.parts) {
                descent.descend([0, target], all, None);
            }
            self.turn += 1;
            // Of who is in a solid, too.
            own.iter()
                .filter(|node| node.is_cell())
                .for_each(|cell| seen.mark(cell, cell));
        }
        let columns = field.grid.block_shape().0 as usize;
        for child in 0..LOOK_BLOCKS {
            let (column, row) = morton::place(u64::from(first / BLOCK) + child as u64);
            let own = row as usize * columns + column as usize;
            let standing = if first + child as u32 * BLOCK < count {
                field.valid[own]
            } else {
                0
            };
            sights.finish(child, standing, &field.valid, |_| true);
        }
    }
}

/// Where it goes what is seen.
struct Seen<'s> {
    sights: &'s mut Sights,
    /// Number of the first cell that is looked from.
    first: u32,
}

impl Seen<'_> {
    /// All cells of one run see all of another.
    fn mark(&mut self, a: &Node, b: &Node) {
        for (target, cells) in parts(b) {
            let (column, row) = morton::place(u64::from(target));
            let place = (column as i32, row as i32);
            for (own, viewers) in parts(a) {
                let child = own - self.first / BLOCK;
                let Some(rows) = self.sights.rows_mut(child as usize, place) else {
                    continue;
                };
                for viewer in bits::ones(viewers) {
                    rows[viewer as usize] |= cells;
                }
            }
        }
    }
}

/// The blocks that a run of cells has a part of, and its cells in each.
fn parts(run: &Node) -> impl Iterator<Item = (u32, u64)> {
    let (first, end) = (run.first, run.end);
    (first / BLOCK..end.div_ceil(BLOCK)).map(move |block| {
        let from = first.max(block * BLOCK) - block * BLOCK;
        let to = end.min((block + 1) * BLOCK) - block * BLOCK;
        (block, lanes(from, to))
    })
}
