//! Visibility from blocks of viewpoints to every target: the fast kernel.
//!
//! All 64 viewpoints of a block look at once in the same direction and equally far: each at the
//! target that has the same *displacement* from it. Their lines of sight are parallel on the map,
//! so that one address loads the ground that all 64 cross at a grid line, one SIMD lane a
//! viewpoint. Displacements are decided in squares first ([`super::decide`]), and one by one where
//! that leaves them open. ARCHITECTURE.md has a figure.

use super::axis::TOP;
use super::decide::{Node, Slab, visit};
use super::height_field::{HeightField, Stance};
use super::lanes::{LANES, SIDE};
use super::refine::Viewers;
use super::scatter::scatter;
use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use super::simd::at_level;
use super::viewsheds::Viewsheds;
use crate::format::{Grid, Quad, Sample};
use crate::world::Terrain;
use fearless_simd::{Level, prelude::*};
use fearless_simd_macros::simd;

/// Levels of nodes: sides of 1, 2, 4 ... `TOP` displacements.
pub(super) const LEVELS: usize = TOP.ilog2() as usize + 1;

/// The grid lines whose ground has hidden some viewpoints last. They are tried first on the next
/// displacements: what lies behind an occluder for one target mostly does for its neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedOccluders {
    /// The last one last; 0 for none.
    lines: [i32; 4],
}

impl CachedOccluders {
    /// The lines nearer than `u`, the last noted first.
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
    pub(super) field: &'f HeightField,
    level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// all of them.
    pub(super) slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level.
    pub(super) cached: [CachedOccluders; LEVELS],
    /// For sight along columns, and along rows.
    pub(super) viewers: Box<[Viewers; 2]>,
    pub(super) stack: Vec<Node>,
    /// Whether a block comes before another; if only later ones are looked at.
    before: Option<Order>,
}

/// Whether the first of two blocks of 8 × 8 samples (column, row) comes before the second.
pub type Order = fn((u32, u32), (u32, u32)) -> bool;

/// A block of 8 × 8 viewpoints.
pub(super) struct ViewBlock {
    /// Its north-western viewpoint.
    pub column: i32,
    pub row: i32,
    /// Lanes with terrain to stand on.
    standing: u64,
    /// Which child it is of the quad that is looked from.
    child: usize,
}

impl ViewBlock {
    fn new(terrain: &Terrain, quad: Quad, child: usize) -> Self {
        let Sample { column, row } = quad.origin();
        let (column, row) = (column as usize, row as usize);
        let (column, row) = (column + child % 2 * SIDE, row + child / 2 * SIDE);
        Self {
            column: column as i32,
            row: row as i32,
            standing: standing(terrain, column, row),
            child,
        }
    }
}

/// What has been found out about a square of 8 × 8 displacements.
pub(super) struct DisplacementSquare {
    /// Its least displacement.
    pub p: i32,
    pub q: i32,
    /// Which lanes see their target, for each displacement, row by row.
    pub masks: [u64; 64],
    /// Whether any mask is set.
    pub any: bool,
}

impl DisplacementSquare {
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
    pub fn new(terrain: &'f Terrain, field: &'f HeightField, level: Level) -> Self {
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
            cached: [CachedOccluders::default(); LEVELS],
            viewers: Box::new([Viewers::none(), Viewers::none()]),
            stack: Vec::new(),
            before: None,
        }
    }

    /// The same kernel, deciding each pair once: viewpoints see nothing in blocks of 8 × 8 samples
    /// that come `before` their own, and somebody in their own if both see each other.
    ///
    /// For eyes as high as heads only. Then the segments from one place to another are those of the
    /// way back, and what is hidden one way is hidden the other. Exact answers are the same both
    /// ways. Of two cells, one end may prove hidden what the other end leaves visible: the first
    /// block's answer counts.
    ///
    /// The order has to be total, and a block has to come before every other block that lies
    /// neither north nor west of it. Morton order is like that, and row by row.
    pub fn deciding_once(mut self, before: Order) -> Self {
        self.before = Some(before);
        self
    }

    /// Whether all blocks up to the sample (`column`, `row`) come before the block.
    #[inline(always)]
    pub(super) fn is_done(&self, block: &ViewBlock, column: i32, row: i32) -> bool {
        self.before.is_some_and(|before| {
            let last = (
                column.min(self.field.width as i32 - 1),
                row.min(self.field.height as i32 - 1),
            );
            let place = |(column, row): (i32, i32)| (column as u32 / 8, row as u32 / 8);
            before(place(last), place((block.column, block.row)))
        })
    }
}

impl Viewsheds for Rays<'_> {
    fn grid(&self) -> Grid {
        self.field.grid
    }

    fn look(&mut self, quad: Quad, sights: &mut Sights) {
        let HeightField { grid, .. } = *self.field;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(sights.targets(), grid.blocks(), "room for another grid");
        sights.clear();
        let blocks = std::array::from_fn(|child| ViewBlock::new(self.terrain, quad, child));
        let level = self.level;
        at_level!(level, simd => walk(simd, self, &blocks, sights));
        let (across, _) = grid.block_shape();
        for block in &blocks {
            let own = (block.column as u32 / 8, block.row as u32 / 8);
            let number = |(column, row): (u32, u32)| (row * across + column) as usize;
            if self.before.is_some() && block.standing != 0 {
                sights.leave_mutual(block.child, number(own));
            }
            let wanted = |target: usize| {
                let target = target as u32;
                let target = (target % across, target / across);
                self.before.is_none_or(|before| !before(target, own))
            };
            sights.finish(block.child, block.standing, &self.field.valid, wanted);
        }
    }
}

/// The lanes of a block that have terrain to stand on.
fn standing(terrain: &Terrain, column: usize, row: usize) -> u64 {
    (0..LANES).fold(0, |lanes, i| {
        let (c, r) = ((column + i % SIDE) as u32, (row + i / SIDE) as u32);
        let stands = c < terrain.width() && r < terrain.height() && !terrain.at(c, r).is_nan();
        lanes | u64::from(stands) << i
    })
}

#[simd]
fn walk<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    blocks: &[ViewBlock; LOOK_BLOCKS],
    sights: &mut Sights,
) {
    let field = rays.field;
    let mut square = DisplacementSquare {
        p: 0,
        q: 0,
        masks: [0; 64],
        any: false,
    };
    // The four blocks look at the same targets in turn, so that the ground between stays in the
    // cache. A displacement is counted from a block's first viewpoint. For the others its target
    // lies up to seven samples further south and east, so that squares begin outside the grid.
    let top = TOP as i32;
    for y in (-top..field.height as i32).step_by(TOP) {
        for x in (-top..field.width as i32).step_by(TOP) {
            for block in blocks {
                if block.standing == 0 {
                    continue;
                }
                rays.stack.push(Node {
                    p: x - block.column,
                    q: y - block.row,
                    level: LEVELS as u32 - 1,
                    active: block.standing,
                    parent: None,
                });
                while let Some(node) = rays.stack.pop() {
                    if node.level >= 3 {
                        flush(&mut square, block, sights);
                        square.p = node.p;
                        square.q = node.q;
                        if field.stance == Stance::Cell {
                            // Which lines are tried decides what is found hidden. Bundles must not
                            // depend on what a thread was asked before.
                            rays.cached[0] = CachedOccluders::default();
                        }
                    }
                    visit(simd, rays, block, node, &mut square);
                }
                flush(&mut square, block, sights);
            }
        }
    }
}

/// Hands over a square of displacements whose quarters have all been decided.
#[inline(always)]
fn flush(square: &mut DisplacementSquare, block: &ViewBlock, sights: &mut Sights) {
    if !square.any {
        return;
    }
    square.any = false;
    let masks = std::mem::replace(&mut square.masks, [0; 64]);
    let place = (
        (block.column + square.p).div_euclid(8),
        (block.row + square.q).div_euclid(8),
    );
    scatter(masks, place, block.child, sights);
}
