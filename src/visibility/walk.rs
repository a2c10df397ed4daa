//! Going through all targets of four blocks of viewpoints.

use super::axis::TOP;
use super::cell_sights::CellSights;
use super::decide::visit;
use super::height_field::HeightField;
use super::lanes::SIDE;
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
        let blocks = std::array::from_fn(|child| ViewBlock::new(self.field, quad, child));
        self.walk(&blocks, &mut Seen::Samples(sights));
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

impl Rays<'_> {
    /// Goes through all targets of four blocks.
    pub(super) fn walk(&mut self, blocks: &[ViewBlock; LOOK_BLOCKS], seen: &mut Seen) {
        let level = self.level;
        at_level!(level, simd => walk(simd, self, blocks, seen));
    }
}

/// Where it goes what is seen.
pub(super) enum Seen<'a> {
    Samples(&'a mut Sights),
    /// Cells that are known to be seen are not looked at again.
    Cells(&'a mut CellSights),
}

#[simd]
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, blocks: &[ViewBlock; LOOK_BLOCKS], seen: &mut Seen) {
    let field = rays.field;
    let mut square = DisplacementSquare {
        p: 0,
        q: 0,
        masks: [0; 64],
        any: false,
    };
    if let Seen::Cells(cells) = seen {
        for block in blocks {
            witnesses(simd, rays, block, &mut square, cells);
        }
    }
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
                        flush(&mut square, block, seen);
                        if !is_any_asked_for(field, block, &node) {
                            continue;
                        }
                        // Not of less: which lines are tried is to be as if samples were looked at.
                        if let Seen::Cells(cells) = seen
                            && cells.knows(block, &node)
                        {
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
                    visit(simd, rays, block, node, &mut square);
                }
                flush(&mut square, block, seen);
            }
        }
    }
}

/// Looks from the highest viewpoint of a block to the highest sample of each cell that is not known
/// to be seen, and from the others in parallel: what is seen at all is mostly seen so.
#[simd]
fn witnesses<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    block: &ViewBlock,
    square: &mut DisplacementSquare,
    cells: &mut CellSights,
) {
    let mut next = 0;
    while let Some((cell, p, q)) = cells.next_unknown(block, next) {
        next = cell + 1;
        square.p = (block.column + p).div_euclid(8) * 8 - block.column;
        square.q = (block.row + q).div_euclid(8) * 8 - block.row;
        rays.cached[0] = CachedOccluders::default();
        let node = Node {
            p,
            q,
            level: 0,
            active: block.standing,
            parent: None,
        };
        visit(simd, rays, block, node, square);
        if square.any {
            square.any = false;
            cells.take(block, square);
            square.masks = [0; 64];
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
fn flush(square: &mut DisplacementSquare, block: &ViewBlock, seen: &mut Seen) {
    if !square.any {
        return;
    }
    square.any = false;
    let sights = match seen {
        Seen::Samples(sights) => sights,
        Seen::Cells(cells) => {
            cells.take(block, square);
            square.masks = [0; 64];
            return;
        }
    };
    let masks = std::mem::replace(&mut square.masks, [0; 64]);
    let place = (
        (block.column + square.p).div_euclid(8),
        (block.row + square.q).div_euclid(8),
    );
    scatter(masks, place, block.child, sights);
}
