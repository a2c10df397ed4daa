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
use super::scatter::{scatter, transpose};
use super::simd::at_level;
use crate::world::Terrain;
use fearless_simd::{Level, prelude::*};
use fearless_simd_macros::simd;

/// Side of a block of viewpoints, computed in one call. [Unit: samples]
pub const BLOCK: u32 = 16;

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
    /// Place of the first lane's bitmap.
    bitmap: usize,
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

    /// Words of one bitmap: a `u64` for every 8 × 8 block, row by row.
    pub fn words(&self) -> usize {
        self.field.words()
    }

    /// Writes what the viewpoints (column .. column + 16, row .. row + 16) see into 256 bitmaps,
    /// one after the other in Morton order (children north-west, north-east, south-west,
    /// south-east). Bits outside the grid and of voids are 0.
    ///
    /// Panics unless `column` and `row` are multiples of 16 and `bitmaps` holds 256 bitmaps.
    pub fn viewsheds(&mut self, column: u32, row: u32, bitmaps: &mut [u64]) {
        assert!(column.is_multiple_of(BLOCK) && row.is_multiple_of(BLOCK));
        assert_eq!(bitmaps.len(), (BLOCK * BLOCK) as usize * self.words());
        bitmaps.fill(0);
        let level = self.level;
        at_level!(level, simd => walk(simd, self, column as usize, row as usize, bitmaps));
        let words = self.words();
        for (patch, bitmaps) in (0..).zip(bitmaps.chunks_exact_mut(LANES * words)) {
            let block = (column / 8 + patch % 2, row / 8 + patch / 2);
            if let Some(before) = self.before {
                self.leave_once(before, block, bitmaps);
            }
            for bitmap in bitmaps.chunks_exact_mut(words) {
                for (word, valid) in bitmap.iter_mut().zip(&self.field.valid) {
                    *word &= valid;
                }
            }
        }
    }

    /// Of what the viewpoints of a block see, leaves each pair once.
    fn leave_once(&self, before: Order, block: (u32, u32), bitmaps: &mut [u64]) {
        let words = self.words();
        let across = self.field.width.div_ceil(8) as u32;
        let wanted: Vec<u64> = (0..words as u32)
            .map(|word| u64::from(!before((word % across, word / across), block)).wrapping_neg())
            .collect();
        for bitmap in bitmaps.chunks_exact_mut(words) {
            for (word, wanted) in bitmap.iter_mut().zip(&wanted) {
                *word &= wanted;
            }
        }
        let own = (block.1 * across + block.0) as usize;
        if block.0 < across && own < words {
            let at = |lane: usize| morton(lane % PATCH, lane / PATCH) * words + own;
            let mut seen_by: [u64; LANES] = std::array::from_fn(|lane| bitmaps[at(lane)]);
            transpose(&mut seen_by);
            for (lane, seen_by) in seen_by.into_iter().enumerate() {
                bitmaps[at(lane)] &= seen_by;
            }
        }
    }
}

/// Place in Morton order of (column, row), each below 16.
fn morton(column: usize, row: usize) -> usize {
    let spread = |x: usize| x & 1 | (x & 2) << 1 | (x & 4) << 2 | (x & 8) << 3;
    spread(column) | spread(row) << 1
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
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, column: usize, row: usize, bitmaps: &mut [u64]) {
    let field = rays.field;
    let patches: [Patch; 4] = std::array::from_fn(|i| {
        let (column, row) = (column + i % 2 * PATCH, row + i / 2 * PATCH);
        Patch {
            column: column as i32,
            row: row as i32,
            standing: standing(rays.terrain, column, row),
            bitmap: morton(column % BLOCK as usize, row % BLOCK as usize),
        }
    });
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
            for patch in &patches {
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
                        flush(field, &mut block, patch, bitmaps);
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
                flush(field, &mut block, patch, bitmaps);
            }
        }
    }
}

/// Writes a finished block of displacements into the bitmaps of its lanes.
#[inline(always)]
fn flush(field: &Field, block: &mut Block, patch: &Patch, bitmaps: &mut [u64]) {
    if !block.any {
        return;
    }
    block.any = false;
    let masks = std::mem::replace(&mut block.masks, [0; 64]);
    let words = field.words();
    let across = field.width.div_ceil(8);
    let place = (
        (patch.column + block.p).div_euclid(8),
        (patch.row + block.q).div_euclid(8),
    );
    scatter(
        masks,
        place,
        (across, words / across),
        |lane, word, bits| {
            let bitmap = patch.bitmap + morton(lane % PATCH, lane / PATCH);
            bitmaps[bitmap * words + word] |= bits;
        },
    );
}
