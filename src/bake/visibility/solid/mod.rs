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
mod prover;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod tracer;

pub use body_tracer::BodyTracer;
pub(crate) use field::KnownOccluders;
pub use field::{DEPTH, SolidField};
pub use prover::{Again, Evidence, Met, Prover};
pub use tracer::{Hit, SegmentSight, Tracer};
pub use viewcell::convex::Found;

use super::spread::spread;
use super::viewsheds::{LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds};
use boxes::{BLOCK, CellRun, lanes, tree};
use descend::{AtLevel, Descent};
use fearless_simd::Level;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use viewcell::convex::{Decider, Proofs};
use viewcell::format::bits;
use viewcell::format::{Grid, Quad, morton};

/// Sight between the cells of a level of solids, for one thread.
pub struct Solids<'f> {
    field: &'f SolidField,
    decider: Decider<AtLevel>,
    sample: Option<Sample<'f>>,
}

/// Looks at a part of the cells each.
struct Sample<'f> {
    /// Blocks of the cells, as trees: those of one quad of viewpoints, and of the next, and so on.
    targets: Vec<Vec<CellRun>>,
    parts: usize,
    turn: usize,
    looked: &'f Looked,
}

/// What looks of a sample came to.
#[derive(Default)]
pub struct Looked {
    work: AtomicU64,
    pairs: AtomicU64,
    visible: AtomicU64,
    targets: AtomicU64,
}

impl Looked {
    /// What they did, as [`Decider::work`].
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Pairs of cells that they covered.
    pub fn pairs(&self) -> f64 {
        self.pairs.load(Ordering::Relaxed) as f64
    }

    /// Of these, those that see.
    pub fn visible(&self) -> f64 {
        self.visible.load(Ordering::Relaxed) as f64
    }

    /// The targets of the last one, in cells.
    pub fn targets(&self) -> u64 {
        self.targets.load(Ordering::Relaxed)
    }
}

/// A look of a sample ends after so much work, some quarter of a second.
const MOST_WORK: u64 = 2_000_000;

/// Cells that a kernel computes at once.
const LOOK: u32 = 1 << (2 * LOOK_LEVEL);

impl<'f> Solids<'f> {
    /// A kernel over `field`, at a SIMD level; the level does not change any answer.
    pub fn new(field: &'f SolidField, level: Level) -> Self {
        Self {
            field,
            decider: Decider::new(field.scale, AtLevel(level)),
            sample: None,
        }
    }

    /// Samples targets, for forecasts: each look covers one of `parts` disjoint sets of blocks, spread over the level, and
    /// the next look the next set; or less of it, if that is much work. Adds to `looked`.
    pub fn sampling(self, parts: usize, looked: &'f Looked) -> Self {
        let (cells, Range { start, end }) = (&self.field.cells, self.field.targets.clone());
        let block = |at: usize| {
            let first = start + at as u32 * BLOCK;
            tree(cells, first, (first + BLOCK).min(end))
        };
        Self {
            sample: Some(Sample {
                targets: spread((end - start).div_ceil(BLOCK) as usize)
                    .map(block)
                    .collect(),
                parts,
                turn: 0,
                looked,
            }),
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
        let own = tree(
            &field.cells,
            first.min(field.viewers),
            (first + LOOK).min(field.viewers),
        );
        if !own.is_empty() && !field.targets.is_empty() {
            // Nothing depends on what was asked for before.
            let all = self.decider.all(&field.occluders);
            let mut seen = Seen {
                sights,
                first,
                pairs: 0,
            };
            let mut descend = |decider: &mut Decider<AtLevel>, targets: &[CellRun]| {
                let mut descent = Descent {
                    decider,
                    proofs: Proofs::default(),
                    occluders: &field.occluders,
                    cells: &field.cells,
                    trees: [&own, targets],
                    grade: field.grade,
                    mark: &mut |a: &CellRun, b: &CellRun| seen.mark(a.first..a.end, b.first..b.end),
                };
                descent.descend([0, 0], all, None);
            };
            match &mut self.sample {
                None => descend(&mut self.decider, &field.tree),
                Some(sample) => {
                    sample.look(&mut self.decider, cells_of(&own), descend);
                    let visible = &sample.looked.visible;
                    visible.fetch_add(seen.pairs, Ordering::Relaxed);
                }
            }
            // Of who is in a solid, too.
            own.iter()
                .filter(|node| node.is_cell())
                .for_each(|cell| seen.mark(cell.first..cell.end, cell.first..cell.end));
        }
        if field.targets.start > 0 {
            // Of a scene only what is seen of objects is asked; who is no viewer sees nothing.
            let (end, viewers) = ((first + LOOK).min(count), field.viewers);
            let mut seen = Seen {
                sights,
                first,
                pairs: 0,
            };
            seen.mark(first.min(viewers)..end.min(viewers), 0..viewers);
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

impl Sample<'_> {
    /// Looks at the next part of the targets.
    fn look(
        &mut self,
        decider: &mut Decider<AtLevel>,
        viewers: u64,
        mut descend: impl FnMut(&mut Decider<AtLevel>, &[CellRun]),
    ) {
        let begun = decider.work;
        let mut cells = 0;
        let part = self.targets.iter().skip(self.turn % self.parts);
        for targets in part.step_by(self.parts) {
            descend(decider, targets);
            cells += cells_of(targets);
            if decider.work - begun > MOST_WORK {
                break;
            }
        }
        self.turn += 1;
        let work = decider.work - begun;
        self.looked.work.fetch_add(work, Ordering::Relaxed);
        self.looked
            .pairs
            .fetch_add(viewers * cells, Ordering::Relaxed);
        self.looked.targets.store(cells, Ordering::Relaxed);
    }
}

/// The cells of a tree.
fn cells_of(tree: &[CellRun]) -> u64 {
    tree.iter().filter(|node| node.is_cell()).count() as u64
}

/// Where it goes what is seen.
struct Seen<'s> {
    sights: &'s mut Sights,
    /// Number of the first cell that is looked from.
    first: u32,
    /// How many pairs of cells it is.
    pairs: u64,
}

impl Seen<'_> {
    /// All cells of one run see all of another.
    fn mark(&mut self, a: Range<u32>, b: Range<u32>) {
        self.pairs += u64::from(a.end - a.start) * u64::from(b.end - b.start);
        for (target, cells) in parts(b) {
            let (column, row) = morton::place(u64::from(target));
            let place = (column as i32, row as i32);
            for (own, viewers) in parts(a.clone()) {
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
fn parts(Range { start: first, end }: Range<u32>) -> impl Iterator<Item = (u32, u64)> {
    let blocks = if first < end {
        first / BLOCK..end.div_ceil(BLOCK)
    } else {
        0..0
    };
    blocks.map(move |block| {
        let from = first.max(block * BLOCK) - block * BLOCK;
        let to = end.min((block + 1) * BLOCK) - block * BLOCK;
        (block, lanes(from, to))
    })
}
