//! Going through all targets of four blocks of viewpoints.

use super::axis::{LEVELS, TOP};
use super::decide::visit;
use super::height_field::HeightField;
use super::lanes::SIDE;
use super::rays::{CachedOccluders, Rays};
use super::scatter::scatter;
use super::sights::{LOOK_BLOCKS, LOOK_LEVEL, Sights};
use super::simd::at_level;
use super::square::{Decided, DisplacementSquare, Node};
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
        self.look_noting(quad, sights, None);
    }
}

impl Rays<'_> {
    /// As [`Viewsheds::look`], but only at what may have changed, of those pairs of blocks that are
    /// `open` (by block of viewpoints in the quad, and block of targets, row by row). What was
    /// decided is marked in `decided`, whose rows have a bit a pair of samples ([`Sights::rows`]);
    /// whatever else `sights` says means nothing, but for voids.
    ///
    /// # Panics
    ///
    /// Unless the kernel is [following](Rays::following) a change, there is an entry for each pair
    /// of blocks, and both were made for this grid.
    pub fn look_again(
        &mut self,
        quad: Quad,
        open: &[bool],
        sights: &mut Sights,
        decided: &mut Sights,
    ) {
        assert_eq!(open.len(), LOOK_BLOCKS * self.field.grid.blocks());
        let again = self.again.as_mut().expect("a change to follow");
        again.open.clear();
        again.open.extend_from_slice(open);
        self.look_noting(quad, sights, Some(decided));
    }

    fn look_noting(&mut self, quad: Quad, sights: &mut Sights, mut decided: Option<&mut Sights>) {
        let HeightField { grid, .. } = *self.field;
        if let Some(decided) = &mut decided {
            decided.clear();
        }
        assert_eq!(quad.level, LOOK_LEVEL, "{quad:?}");
        assert_eq!(sights.targets(), grid.blocks(), "room for another grid");
        sights.clear();
        let blocks = std::array::from_fn(|child| ViewBlock::new(self.field, quad, child));
        let mut seen = match &mut decided {
            None => Seen::Samples(sights),
            Some(decided) => Seen::Again { sights, decided },
        };
        self.walk(&blocks, &mut seen);
        let (across, _) = grid.block_shape();
        for block in &blocks {
            let own = (block.column as u32 / 8, block.row as u32 / 8);
            let number = |(column, row): (u32, u32)| (row * across + column) as usize;
            // Exact sight is mutual as it is, and here not both ways may have been decided.
            let both_ways = decided.is_none() || self.field.stance == Stance::Cell;
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
    /// What was decided is marked, too.
    Again {
        sights: &'a mut Sights,
        decided: &'a mut Sights,
    },
}

#[simd]
fn walk<S: Simd>(simd: S, rays: &mut Rays<'_>, blocks: &[ViewBlock; LOOK_BLOCKS], seen: &mut Seen) {
    let field = rays.field;
    let mut square = DisplacementSquare {
        p: 0,
        q: 0,
        masks: [0; 64],
        any: false,
        decided: matches!(seen, Seen::Again { .. }).then(Decided::default),
    };
    // The four blocks look at the same targets in turn, so that the ground between stays in the
    // cache. A displacement is counted from a block's first viewpoint. For the others its target
    // lies up to seven samples further south and east, so that squares begin outside the grid.
    let top = TOP as i32;
    for y in (-top..field.height as i32).step_by(TOP) {
        for x in (-top..field.width as i32).step_by(TOP) {
            for block in blocks {
                let active = rays.looking(block);
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
                        flush(&mut square, block, seen);
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
                    if let Some(again) = &rays.again
                        && !again.asks(field.grid, block, &node)
                    {
                        continue;
                    }
                    visit(simd, rays, block, node, &mut square);
                }
                flush(&mut square, block, seen);
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
fn flush(square: &mut DisplacementSquare, block: &ViewBlock, seen: &mut Seen) {
    if let Seen::Again { decided, .. } = seen {
        flush_decided(square, block, decided);
    }
    if !square.any {
        return;
    }
    square.any = false;
    let sights = match seen {
        Seen::Samples(sights) | Seen::Again { sights, .. } => sights,
    };
    let masks = std::mem::replace(&mut square.masks, [0; 64]);
    let place = (
        (block.column + square.p).div_euclid(8),
        (block.row + square.q).div_euclid(8),
    );
    scatter(masks, place, block.child, sights);
}

/// Hands over which displacements have been decided, and forgets them.
fn flush_decided(square: &mut DisplacementSquare, block: &ViewBlock, sights: &mut Sights) {
    let (p, q) = (square.p, square.q);
    let Some(decided) = &mut square.decided else {
        return;
    };
    let mut hand_over = |p: i32, q: i32, masks: [u64; 64]| {
        let place = (
            (block.column + p).div_euclid(8),
            (block.row + q).div_euclid(8),
        );
        if masks[0] == 0 && masks == [0; 64] {
            // Its rows are there, and empty.
            for (east, south) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                sights.rows_mut(block.child, (place.0 + east, place.1 + south));
            }
            return;
        }
        scatter(masks, place, block.child, sights);
    };
    match decided.masks.take() {
        Some(masks) => hand_over(p, q, *masks),
        None if decided.asked => hand_over(p, q, [0; 64]),
        None => {}
    }
    decided.asked = false;
    for (node, lanes) in decided.hidden.drain(..) {
        let side = 1 << node.level;
        for q in (node.q..node.q + side).step_by(8) {
            for p in (node.p..node.p + side).step_by(8) {
                hand_over(p, q, [lanes; 64]);
            }
        }
    }
}
