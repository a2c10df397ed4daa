//! Going through all targets of four blocks of viewpoints.

use super::axis::TOP;
use super::decide::visit;
use super::height_field::HeightField;
use super::rays::{CachedOccluders, LEVELS, Rays};
use super::scatter::scatter;
use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use super::simd::at_level;
use super::square::{DisplacementSquare, Node};
use super::stance::Stance;
use super::view_block::ViewBlock;
use super::viewsheds::Viewsheds;
use crate::format::{Grid, Quad};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

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
