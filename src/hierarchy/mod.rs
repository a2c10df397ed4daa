//! Unions up the quadtree: the PVS of every quad, streamed (thesis section 3.2). And for cells,
//! [`epvs`]: how many visible steps lead from one to another.
//!
//! Viewpoints are walked in bake order: depth first, children north-west, north-east, south-west,
//! south-east before their parent. A quad's PVS is the union of its children's, so that a walk
//! needs one bitmap a level beside those of the block that it is in, and never all of them.
//!
//! A *tile* is the unit of work: 32 × 32 viewpoints (or the whole tree where that is smaller).
//! Tiles are independent of each other; [`TileWalk`] walks one, and [`Crown`] joins them, in order,
//! into the quads above.

pub mod epvs;

use crate::visibility::{BLOCK, Viewsheds};

/// A quad: level 0 is a single sample; columns and rows count quads of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewcell {
    /// The side is 2^level samples.
    pub level: u32,
    /// Column among the quads of its level.
    pub column: u32,
    /// Row among the quads of its level.
    pub row: u32,
}

/// Level of a tile in a tree that is at least that high.
const TILE_LEVEL: u32 = 5;

/// Level of a block of viewpoints, which a kernel computes in one go.
const BLOCK_LEVEL: u32 = BLOCK.ilog2();

/// The least level of a root: a block bitmap's word is a quad of that level.
const LEAST_ROOT: u32 = 3;

/// The quadtree over a grid of samples, as a bake walks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    width: u32,
    height: u32,
}

impl Plan {
    /// The plan for a grid of `width` × `height` samples.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Level of the root: the smallest square of 2^k samples, k >= 3, that covers the grid.
    pub fn root_level(self) -> u32 {
        let side = self.width.max(self.height).next_power_of_two();
        side.ilog2().max(LEAST_ROOT)
    }

    /// Level of the tiles.
    pub fn tile_level(self) -> u32 {
        self.root_level().min(TILE_LEVEL)
    }

    /// The tiles in bake order.
    pub fn tiles(self) -> Vec<Viewcell> {
        let level = self.tile_level();
        let side = 1u64 << (self.root_level() - level);
        (0..side * side)
            .map(|index| {
                let (column, row) = unravel(index);
                Viewcell { level, column, row }
            })
            .filter(|&tile| self.holds(tile))
            .collect()
    }

    /// Whether any sample of the grid lies in the quad.
    pub fn holds(self, quad: Viewcell) -> bool {
        let within = |at: u32, side: u32| u64::from(at) << quad.level < u64::from(side);
        within(quad.column, self.width) && within(quad.row, self.height)
    }

    /// Samples of the grid in the quad.
    pub fn samples(self, quad: Viewcell) -> u64 {
        let within = |at: u32, side: u32| {
            let (first, end) = (u64::from(at) << quad.level, u64::from(at + 1) << quad.level);
            end.min(side.into()).saturating_sub(first)
        };
        within(quad.column, self.width) * within(quad.row, self.height)
    }
}

/// Column and row of the `index`-th cell in bake (Morton) order.
fn unravel(index: u64) -> (u32, u32) {
    let every_other = |bits: u64| (0..32).fold(0, |at, i| at | ((bits >> (2 * i) & 1) as u32) << i);
    (every_other(index), every_other(index >> 1))
}

/// Ors bitmap `from` into bitmap `to`.
fn join(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from;
    }
}

/// What a walk shows: a quad and its PVS, or that a block of viewpoints begins. False ends the
/// walk.
pub type Visit<'v> = dyn FnMut(Option<(Viewcell, &[u64])>) -> bool + 'v;

/// Walks tiles: the memory of one worker, 256 bitmaps and a few.
pub struct TileWalk<'f> {
    plan: Plan,
    kernel: Box<dyn Viewsheds + 'f>,
    bitmaps: Vec<u64>,
}

impl<'f> TileWalk<'f> {
    /// A worker that takes its viewsheds from `kernel`.
    pub fn new(plan: Plan, kernel: Box<dyn Viewsheds + 'f>) -> Self {
        let bitmaps = vec![0; (BLOCK * BLOCK) as usize * kernel.words()];
        Self {
            plan,
            kernel,
            bitmaps,
        }
    }

    /// Shows `visit` every quad of the tile and its PVS, in bake order, and returns the PVS of
    /// the tile. A `visit` that returns false ends the walk; then the result is `None`.
    ///
    /// `visit` also learns when a block of viewpoints begins, by a call without a quad.
    pub fn walk(&mut self, tile: Viewcell, visit: &mut Visit<'_>) -> Option<Vec<u64>> {
        let words = self.kernel.words();
        let blocks = 1u64 << (2 * tile.level.saturating_sub(BLOCK_LEVEL));
        let mut union = vec![0; words];
        for index in 0..blocks {
            let (i, j) = unravel(index);
            let shift = tile.level.saturating_sub(BLOCK_LEVEL);
            let block = Viewcell {
                level: BLOCK_LEVEL,
                column: (tile.column << shift) + i,
                row: (tile.row << shift) + j,
            };
            if !self.plan.holds(block) {
                continue;
            }
            if !visit(None) {
                return None;
            }
            self.kernel
                .viewsheds(block.column * BLOCK, block.row * BLOCK, &mut self.bitmaps);
            if !self.walk_block(block, visit) {
                return None;
            }
            join(&mut union, &self.bitmaps[..words]);
        }
        if tile.level > BLOCK_LEVEL && !visit(Some((tile, &union))) {
            return None;
        }
        Some(union)
    }

    /// Shows the quads of a block whose viewsheds have been computed; leaves its PVS in the first
    /// bitmap.
    fn walk_block(&mut self, block: Viewcell, visit: &mut Visit<'_>) -> bool {
        let words = self.kernel.words();
        let top = self.plan.root_level().min(BLOCK_LEVEL);
        for index in 0..1usize << (2 * top) {
            let (i, j) = unravel(index as u64);
            // After the last child its parent is due, and perhaps that one's parent.
            for level in 0..=top {
                let span = 1usize << (2 * level);
                if (index + 1) % span != 0 {
                    break;
                }
                let first = index + 1 - span;
                let quad = Viewcell {
                    level,
                    column: (block.column << (BLOCK_LEVEL - level)) + (i >> level),
                    row: (block.row << (BLOCK_LEVEL - level)) + (j >> level),
                };
                if !self.plan.holds(quad) {
                    continue;
                }
                if level > 0 {
                    for child in 1..4 {
                        let (to, from) = self
                            .bitmaps
                            .split_at_mut((first + child * span / 4) * words);
                        join(&mut to[first * words..][..words], &from[..words]);
                    }
                }
                if !visit(Some((quad, &self.bitmaps[first * words..][..words]))) {
                    return false;
                }
            }
        }
        true
    }
}

/// The quads above those of a level, such as the tiles.
pub struct Crown {
    plan: Plan,
    /// For each level from that one up, the union of the children seen so far of the quad
    /// that is being put together one level above.
    partial: Vec<Vec<u64>>,
}

impl Crown {
    /// An empty crown over quads of `level`, which is at most the root's, with bitmaps of `words`
    /// words.
    pub fn new(plan: Plan, level: u32, words: usize) -> Self {
        let levels = plan.root_level() - level;
        Self {
            plan,
            partial: vec![vec![0; words]; levels as usize],
        }
    }

    /// Takes the PVS of the next quad of the level in bake order, and shows `visit` those above
    /// that it completes, in bake order.
    pub fn push(
        &mut self,
        quad: Viewcell,
        union: &[u64],
        visit: &mut dyn FnMut(Viewcell, &[u64]) -> bool,
    ) -> bool {
        let mut done = quad;
        let mut union = union.to_vec();
        for partial in &mut self.partial {
            join(partial, &union);
            let later = |i: u32, j: u32| Viewcell {
                level: done.level,
                column: done.column & !1 | i,
                row: done.row & !1 | j,
            };
            let at = (done.row & 1) << 1 | done.column & 1;
            if (at + 1..4).any(|k| self.plan.holds(later(k & 1, k >> 1))) {
                return true;
            }
            done = Viewcell {
                level: done.level + 1,
                column: done.column >> 1,
                row: done.row >> 1,
            };
            std::mem::swap(&mut union, partial);
            partial.fill(0);
            if !visit(done, &union) {
                return false;
            }
        }
        true
    }
}
