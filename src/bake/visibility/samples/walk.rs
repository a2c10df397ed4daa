//! Going through all targets of four blocks of viewpoints, square of displacements by square.

use super::filter::{DisplacementSquare, LaneFilter};
use super::height_field::{HeightField, LEVELS, TOP};
use super::nodes::OpenSquare;
use super::rays::{CachedOccluders, Rays};
use super::squares::visit;
use super::view_block::ViewBlock;
use crate::visibility::lanes::SIDE;
use crate::visibility::sightline::Stance;
use crate::visibility::simd::at_level;
use crate::visibility::viewsheds::{LOOK_BLOCKS, LOOK_LEVEL, Sights, Viewsheds, scatter};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use viewcell::format::{Grid, Quad};

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
                !self.comes_before(target, own)
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
                if block.standing == 0 {
                    continue;
                }
                rays.stack.push(OpenSquare {
                    p: x - block.column,
                    q: y - block.row,
                    level: LEVELS as u32 - 1,
                    active: block.standing,
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
                    if let Some(filter) = &square.filter
                        && !filter.asks(block, &node)
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
fn is_any_asked_for(field: &HeightField, block: &ViewBlock, node: &OpenSquare) -> bool {
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
