//! Visibility from blocks of viewpoints to every target: the fast kernel.
//!
//! All 64 viewpoints of a block look at once in the same direction and equally far: each at the
//! target that has the same *displacement* from it. Their lines of sight are parallel on the map,
//! so that one address loads the ground that all 64 cross at a grid line, one SIMD lane a
//! viewpoint. Displacements are decided in squares first ([`super::squares`]), and one by one where
//! that leaves them open. ARCHITECTURE.md has a figure.
//!
//! Going through all targets of four blocks of viewpoints.

use super::height_field::{HeightField, LEVELS, TOP};
use super::squares::{DisplacementSquare, LaneFilter, Node, Slab, visit};
use super::view_block::ViewBlock;
use crate::visibility::conservative::refine::Viewers;
use crate::visibility::lanes::SIDE;
use crate::visibility::sightline::Stance;
use crate::visibility::simd::at_level;
use crate::visibility::viewsheds::{LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds, scatter};
use crate::world::Terrain;
use fearless_simd::Level;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use viewcell::format::{Grid, Quad};

/// The grid lines whose ground has hidden some viewpoints last. They are tried first on the next
/// displacements: what lies behind an occluder for one target mostly does for its neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedOccluders {
    /// The last one last; 0 for none.
    lines: [i32; 4],
}

impl CachedOccluders {
    /// The lines nearer than `u`, the last noted first.
    #[inline(always)]
    pub(crate) fn before(self, u: i32) -> impl Iterator<Item = i32> {
        self.lines
            .into_iter()
            .rev()
            .filter(move |x| (1..u).contains(x))
    }

    /// Takes note of a line.
    #[inline(always)]
    pub(crate) fn note(&mut self, x: i32) {
        let [_, b, c, d] = self.lines;
        self.lines = [b, c, d, x];
    }

    /// Takes note of a line, unless it is there already.
    #[inline(always)]
    pub(crate) fn note_once(&mut self, x: i32) {
        if !self.lines.contains(&x) {
            self.note(x);
        }
    }
}

/// The kernel's working memory, for one thread.
pub struct Rays<'f> {
    pub(crate) terrain: &'f Terrain,
    pub(crate) field: &'f HeightField,
    pub(crate) level: Level,
    /// For each level the slabs that may block within the last node visited there; at the end
    /// all of them.
    pub(crate) slabs: [Vec<Slab>; LEVELS + 1],
    /// For each level.
    pub(crate) cached: [CachedOccluders; LEVELS],
    /// For sight along columns, and along rows.
    pub(crate) viewers: Box<[Viewers; 2]>,
    pub(crate) stack: Vec<Node>,
    /// Whether a block comes before another; if only later ones are looked at.
    pub(crate) before: Option<Order>,
}

/// Whether the first of two blocks of 8 × 8 samples (column, row) comes before the second.
pub type Order = fn((u32, u32), (u32, u32)) -> bool;

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
    pub(crate) fn is_done(&self, block: &ViewBlock, column: i32, row: i32) -> bool {
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
        self.look_filtered(quad, sights, None);
    }
}

impl Rays<'_> {
    /// As [`Viewsheds::look`], but only at what a filter asks for, if there is one. What else
    /// `sights` says means nothing then, but for voids; and of exact sight not both ways of a pair
    /// need have been decided.
    pub(crate) fn look_filtered(
        &mut self,
        quad: Quad,
        sights: &mut Sights,
        filter: Option<&mut dyn LaneFilter>,
    ) {
        let HeightField { grid, .. } = *self.field;
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(sights.targets(), grid.blocks(), "room for another grid");
        sights.clear();
        let both_ways = filter.is_none() || self.field.stance == Stance::Cell;
        let blocks = std::array::from_fn(|child| ViewBlock::new(self.field, quad, child));
        let level = self.level;
        at_level!(level, simd => walk(simd, self, &blocks, sights, filter));
        let (across, _) = grid.block_shape();
        for block in &blocks {
            let own = (block.column as u32 / 8, block.row as u32 / 8);
            let number = |(column, row): (u32, u32)| (row * across + column) as usize;
            // Exact sight is mutual as it is.
            if self.before.is_some() && block.standing != 0 && both_ways {
                sights.leave_mutual(block.child, number(own));
            }
            let wanted = |target: usize| {
                let target = target as u32;
                let target = (target % across, target / across);
                self.before.is_none_or(|before| !before(target, own))
            };
            let places = &self.field.places;
            if let Some(number) = block.number
                && places.are_some_covered()
            {
                sights.cover(
                    block.child,
                    number,
                    [block.eyes, places.asked[number]],
                    &places.heads,
                );
            }
            let asked = block.number.map_or(0, |number| places.asked[number]);
            sights.finish(block.child, asked, &places.asked, wanted);
        }
    }
}

#[simd]
fn walk<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    blocks: &[ViewBlock; LOOK_BLOCKS],
    sights: &mut Sights,
    filter: Option<&mut dyn LaneFilter>,
) {
    let field = rays.field;
    let mut square = DisplacementSquare {
        p: 0,
        q: 0,
        masks: [0; 64],
        any: false,
        filter,
    };
    // The four blocks look at the same targets in turn, so that the ground between stays in the
    // cache. A displacement is counted from a block's first viewpoint. For the others its target
    // lies up to seven samples further south and east, so that squares begin outside the grid.
    let top = TOP as i32;
    for y in (-top..field.height as i32).step_by(TOP) {
        for x in (-top..field.width as i32).step_by(TOP) {
            for block in blocks {
                let filter = square.filter.as_ref();
                let active = filter.map_or(block.standing, |filter| filter.viewpoints(block));
                if active == 0 {
                    continue;
                }
                rays.stack.push(Node {
                    p: x - block.column,
                    q: y - block.row,
                    level: LEVELS as u32 - 1,
                    active,
                    parent: None,
                });
                while let Some(node) = rays.stack.pop() {
                    if node.level >= 3 {
                        flush(&mut square, block, sights);
                        if !is_any_asked_for(field, block, &node) {
                            continue;
                        }
                        square.p = node.p;
                        square.q = node.q;
                        if field.stance == Stance::Cell {
                            // Which lines are tried decides what is found hidden. Bundles must not
                            // depend on what a thread was asked before.
                            rays.cached[0] = CachedOccluders::default();
                        }
                    }
                    if let Some(filter) = &mut square.filter
                        && !filter.asks(rays, block, &node)
                    {
                        continue;
                    }
                    visit(simd, rays, block, node, &mut square);
                }
                flush(&mut square, block, sights);
            }
        }
    }
}

/// Whether anybody can be seen where the targets of a node lie.
#[inline(always)]
fn is_any_asked_for(field: &HeightField, block: &ViewBlock, node: &Node) -> bool {
    let reach = (1 << node.level) + SIDE as i32 - 1;
    let (column, row) = (block.column + node.p, block.row + node.q);
    field
        .places
        .any_head(column..column + reach, row..row + reach)
}

/// Hands over a square of displacements whose quarters have all been decided.
#[inline(always)]
fn flush(square: &mut DisplacementSquare<'_>, block: &ViewBlock, sights: &mut Sights) {
    if let Some(filter) = &mut square.filter {
        filter.flush((square.p, square.q), block);
    }
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
