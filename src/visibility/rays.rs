//! Visibility from blocks of viewpoints to every target: the fast kernel.
//!
//! A patch of 8 × 8 viewpoints looks at one *displacement* at once: lane i at the target that
//! lies where it itself lies, displaced. All lanes' lines of sight are parallel on the map, so
//! that one address loads what all of them cross. Displacements are decided in blocks first
//! ([`super::decide`]) and one by one where that fails.

use super::axis::TOP;
use super::decide::{Node, Slab, visit};
use super::field::{Field, Stance};
use super::lanes::{LANES, PATCH};
use super::refine::Viewers;
use super::scatter::scatter;
use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use super::simd::at_level;
use super::viewsheds::Viewsheds;
use crate::format::{Grid, Quad, Sample};
use crate::world::Terrain;
use fearless_simd::{Level, prelude::*};
use fearless_simd_macros::simd;

/// Side of the square of viewpoints that one call computes. [Unit: samples]
pub const BLOCK: u32 = 1 << LOOK_LEVEL;

/// Levels of nodes: sides of 1, 2, 4 ... `TOP` displacements.
pub(super) const LEVELS: usize = TOP.ilog2() as usize + 1;

/// The last lines that have hidden some lane: they are tried first on the next displacements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hot {
    /// The last one last; 0 for none.
    lines: [i32; 4],
}

impl Hot {
    /// Those before `u`, the last ones first.
    #[inline(always)]
    pub fn before(self, u: i32) -> impl Iterator<Item = i32> {
        self.lines
            .into_iter()
            .rev()
            .filter(move |x| (1..u).contains(x))
    }

    /// Takes note of a line.
    #[inline(always)]
    pub fn note(&mut self, x: i32) {
        let [_, b, c, d] = self.lines;
        self.lines = [b, c, d, x];
    }

    /// Takes note of a line, unless it is there already.
    #[inline(always)]
    pub fn note_once(&mut self, x: i32) {
        if !self.lines.contains(&x) {
            self.note(x);
        }
    }
}

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    pub(super) terrain: &'f Terrain,
    pub(super) field: &'f Field,
    level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// all of them.
    pub(super) slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level.
    pub(super) hot: [Hot; LEVELS],
    /// For sight along columns, and along rows.
    pub(super) viewers: Box<[Viewers; 2]>,
    pub(super) stack: Vec<Node>,
    /// Whether a block comes before another; if only later ones are looked at.
    before: Option<Order>,
}

/// Whether the first of two blocks of 8 × 8 samples (column, row) comes before the second.
pub type Order = fn((u32, u32), (u32, u32)) -> bool;

/// A patch of viewpoints.
pub(super) struct Patch {
    /// Its north-western viewpoint.
    pub column: i32,
    pub row: i32,
    /// Lanes with terrain to stand on.
    standing: u64,
    /// Which child it is of the quad that is looked from.
    child: usize,
}

impl Patch {
    fn new(terrain: &Terrain, quad: Quad, child: usize) -> Self {
        let Sample { column, row } = quad.origin();
        let (column, row) = (column as usize, row as usize);
        let (column, row) = (column + child % 2 * PATCH, row + child / 2 * PATCH);
        Self {
            column: column as i32,
            row: row as i32,
            standing: standing(terrain, column, row),
            child,
        }
    }
}

/// An 8 × 8 block of displacements.
pub(super) struct Block {
    /// Its least displacement.
    pub p: i32,
    pub q: i32,
    /// Which lanes see their target, for each displacement, row by row.
    pub masks: [u64; 64],
    /// Whether any mask is set.
    pub any: bool,
}

impl Block {
    /// Marks the `side` × `side` displacements from (p, q) on as seen by `lanes`.
    #[inline(always)]
    pub fn mark(&mut self, p: i32, q: i32, side: i32, lanes: u64) {
        for r in 0..side {
            let at = ((q - self.q + r) * 8 + p - self.p) as usize;
            self.masks[at..at + side as usize].fill(lanes);
        }
        self.any = true;
    }
}

impl<'f> Rays<'f> {
    /// A kernel over `field`, which was made of `terrain`, at a SIMD level; the level does not
    /// change any answer.
    pub fn new(terrain: &'f Terrain, field: &'f Field, level: Level) -> Self {
        let all: Vec<Slab> = (0..2 * TOP + field.width.max(field.height))
            .map(|x| Slab {
                x: x as u32,
                lanes: !0,
            })
            .collect();
        Self {
            terrain,
            field,
            level,
            slabs: std::array::from_fn(|_| all.clone()),
            hot: [Hot::default(); LEVELS],
            viewers: Box::new([Viewers::none(), Viewers::none()]),
            stack: Vec::new(),
            before: None,
        }
    }

    /// The same kernel, deciding each pair once: viewpoints see nothing in blocks of 8 × 8 samples
    /// that come `before` their own, and somebody in their own if both see each other.
    ///
    /// For eyes as high as heads only. Then the segments from one place to another are those back,
    /// so that what is hidden one way is hidden the other. (Exact answers are the same both ways.
    /// Where cells are concerned one end may prove what the other does not.)
    ///
    /// The order is to be total, and to have a block come before all others that lie neither
    /// north nor west of it: like Morton order, or row by row.
    pub fn deciding_once(mut self, before: Order) -> Self {
        self.before = Some(before);
        self
    }

    /// Whether all blocks up to the sample (`column`, `row`) come before the patch.
    #[inline(always)]
    pub(super) fn is_done(&self, patch: &Patch, column: i32, row: i32) -> bool {
        self.before.is_some_and(|before| {
            let last = (
                column.min(self.field.width as i32 - 1),
                row.min(self.field.height as i32 - 1),
            );
            let block = |(column, row): (i32, i32)| (column as u32 / 8, row as u32 / 8);
            before(block(last), block((patch.column, patch.row)))
        })
    }
}

impl Viewsheds for Rays<'_> {
    fn grid(&self) -> Grid {
        self.field.grid
    }

    fn look(&mut self, quad: Quad, sights: &mut Sights) {
        let Field { grid, .. } = *self.field;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(sights.targets(), grid.blocks(), "room for another grid");
        sights.clear();
        let patches = std::array::from_fn(|child| Patch::new(self.terrain, quad, child));
        let level = self.level;
        at_level!(level, simd => walk(simd, self, &patches, sights));
        let (across, _) = grid.block_shape();
        for patch in &patches {
            let block = (patch.column as u32 / 8, patch.row as u32 / 8);
            let number = |(column, row): (u32, u32)| (row * across + column) as usize;
            if self.before.is_some() && patch.standing != 0 {
                sights.leave_mutual(patch.child, number(block));
            }
            let wanted = |target: usize| {
                let target = target as u32;
                let target = (target % across, target / across);
                self.before.is_none_or(|before| !before(target, block))
            };
            sights.finish(patch.child, patch.standing, &self.field.valid, wanted);
        }
    }
}

/// The lanes of a patch that have terrain to stand on.
fn standing(terrain: &Terrain, column: usize, row: usize) -> u64 {
    (0..LANES).fold(0, |lanes, i| {
        let (c, r) = ((column + i % PATCH) as u32, (row + i / PATCH) as u32);
        let stands = c < terrain.width() && r < terrain.height() && !terrain.at(c, r).is_nan();
        lanes | u64::from(stands) << i
    })
}

#[simd]
fn walk<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    patches: &[Patch; LOOK_BLOCKS],
    sights: &mut Sights,
) {
    let field = rays.field;
    let mut block = Block {
        p: 0,
        q: 0,
        masks: [0; 64],
        any: false,
    };
    // All patches look at the same targets in turn: the terrain between stays in the cache.
    // Displacements are from a patch's first lane, so that a block of them begins up to a patch
    // outside the grid for the others.
    let top = TOP as i32;
    for y in (-top..field.height as i32).step_by(TOP) {
        for x in (-top..field.width as i32).step_by(TOP) {
            for patch in patches {
                if patch.standing == 0 {
                    continue;
                }
                rays.stack.push(Node {
                    p: x - patch.column,
                    q: y - patch.row,
                    level: LEVELS as u32 - 1,
                    active: patch.standing,
                    parent: None,
                });
                while let Some(node) = rays.stack.pop() {
                    if node.level >= 3 {
                        flush(&mut block, patch, sights);
                        block.p = node.p;
                        block.q = node.q;
                        if field.stance == Stance::Cell {
                            // For cells it matters which lines are tried: it must not depend on
                            // what was asked before.
                            rays.hot[0] = Hot::default();
                        }
                    }
                    visit(simd, rays, patch, node, &mut block);
                }
                flush(&mut block, patch, sights);
            }
        }
    }
}

/// Hands over a finished block of displacements.
#[inline(always)]
fn flush(block: &mut Block, patch: &Patch, sights: &mut Sights) {
    if !block.any {
        return;
    }
    block.any = false;
    let masks = std::mem::replace(&mut block.masks, [0; 64]);
    let place = (
        (patch.column + block.p).div_euclid(8),
        (patch.row + block.q).div_euclid(8),
    );
    scatter(masks, place, patch.child, sights);
}
