//! Occlusion culling of changes: who may see changed ground at all, past the walls before it.
//!
//! The sight of two samples can change only if one of them has changed, or if the line of sight between them passes an
//! edge that has, below its ground as it was or as it is. In either case some line from an *onlooker* reaches such an
//! edge, or an eye or head above it. Whoever has a grid line before them that is higher than all lines of sight to the
//! changed edges is no onlooker: that line blocks them all, before the change and after. Only pairs of two onlookers
//! need to be asked.
//!
//! Exact sight is blocked by any line of the grid that it crosses, so that for each square of
//! displacements the lines of one direction will do. Lines over changed ground count where it only
//! sinks, since they were not lower before.
//!
//! Did not pay: onlookers by up to 16 pieces of the crater (twice the time); only sight that passes below the old crater,
//! or walls tried with that bound first (a tenth longer); walls for viewpoints alone.

use super::change::Change;
use super::changed_ground::ChangedGround;
use super::sample_set::SampleSet;
use crate::visibility::lanes::{Lanes, SIDE, VOID};
use crate::visibility::samples::bounds::{Span, UpperBound};
use crate::visibility::samples::height_field::TOP;
use crate::visibility::samples::nodes::OpenSquare;
use crate::visibility::samples::rays::Rays;
use crate::visibility::samples::view_block::{ViewBlock, ViewpointRows};
use crate::visibility::simd::at_level;
use crate::visibility::viewsheds::LOOK_BLOCKS;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use viewcell::format::{Grid, Quad};

/// Squares of displacements of this level are not quartered.
const FINEST: u32 = 2;

impl Rays<'_> {
    /// The onlookers of a change of which there are tables ([`Change::has_places`]), in each block of a
    /// quad of [`crate::visibility::LOOK_LEVEL`]; whoever has changed is one.
    pub fn onlookers(&mut self, change: &Change, quad: Quad) -> [u64; LOOK_BLOCKS] {
        let level = self.level;
        std::array::from_fn(|child| {
            let block = ViewBlock::new(self.field, quad, child);
            let Some(number) = block.number else {
                return 0;
            };
            let mut found = change.changed_samples()[number];
            for over in change.places() {
                let open = block.standing & !found;
                if open != 0 {
                    found |=
                        at_level!(level, simd => reach(simd, self, change, over, &block, open));
                }
            }
            found
        })
    }
}

/// Which of the `open` lanes of a block may reach a place.
#[simd]
fn reach<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    change: &Change,
    over: &ChangedGround,
    block: &ViewBlock,
    open: u64,
) -> u64 {
    let piece = &over.axes[0];
    let others = SIDE as i32 - 1;
    let range = |[first, last]: [i32; 2], own: i32| [first - own - others, last - own];
    let (across, down) = (
        range(piece.columns, block.column),
        range(piece.rows, block.row),
    );
    let longest = (across[1] - across[0]).max(down[1] - down[0]);
    let level = if longest < TOP as i32 { 4 } else { 5 };
    let side = 1 << level;
    let mut found = 0;
    for q in (down[0]..=down[1]).step_by(side) {
        for p in (across[0]..=across[1]).step_by(side) {
            rays.stack.push(OpenSquare {
                p,
                q,
                level,
                active: open,
                parent: None,
            });
        }
    }
    while let Some(mut node) = rays.stack.pop() {
        node.active &= !found;
        if node.active == 0 {
            continue;
        }
        let left = reach_square(simd, rays, change, over, block, &node);
        if left == 0 {
            continue;
        }
        if node.level == FINEST {
            found |= left;
        } else {
            node.divide(&mut rays.stack, left, None);
        }
    }
    found
}

/// Which of the active lanes may reach changed edges in a square of displacements.
#[simd]
fn reach_square<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    change: &Change,
    over: &ChangedGround,
    block: &ViewBlock,
    node: &OpenSquare,
) -> u64 {
    // Edges lead up to one sample beyond.
    let side = 1 << node.level;
    let ([p0, p1], [q0, q1]) = ([node.p, node.p + side], [node.q, node.q + side]);
    let nearest = |[low, high]: [i32; 2]| low.max(-high);
    let turned = nearest([q0, q1]) > nearest([p0, p1]);
    let ([u0, u1], [v0, v1]) = if turned {
        ([q0, q1], [p0, p1])
    } else {
        ([p0, p1], [q0, q1])
    };
    let sign = if u0 > 0 { 1 } else { -1 };
    let (u0, u1) = if u0 > 0 { (u0, u1) } else { (-u1, -u0) };
    let (rows, groups) = ViewpointRows::new(rays.field, block, node.active, turned, sign);
    let square = Square {
        rows,
        near: u0,
        span: (u0 > 0).then(|| Span::of_samples(u0, u1, v0, v1)),
        minor: [v0.min(0), v1.max(0) + 1],
    };
    match groups {
        1 => walled::<S, 1>(simd, rays, change, over, square, node),
        2 => walled::<S, 2>(simd, rays, change, over, square, node),
        3 => walled::<S, 3>(simd, rays, change, over, square, node),
        _ => walled::<S, 4>(simd, rays, change, over, square, node),
    }
}

/// The lines of sight of some rows to a square of displacements.
struct Square<'f> {
    rows: ViewpointRows<'f>,
    /// The least major coordinate, and where the lines pass; `None` where it is not from 1.
    near: i32,
    span: Option<Span>,
    /// Between which minor coordinates all ground lies that is crossed.
    minor: [i32; 2],
}

/// Which of the active lanes have no line before them that is higher than all of their sight.
#[simd]
fn walled<S: Simd, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    change: &Change,
    over: &ChangedGround,
    square: Square<'_>,
    node: &OpenSquare,
) -> u64 {
    let Square { rows, near, .. } = square;
    let field = rays.field;
    let heads: Lanes<S, N> = over.axes[usize::from(rows.turned)].top(simd, rows, node);
    // Void lanes have nothing there that has changed.
    let nothing = Lanes::splat(simd, VOID / 2.0);
    let mut open = rows.lanes(node.active) & heads.above(nothing);
    let Some(span) = square.span else {
        return rows.of_block(open);
    };
    if open == 0 {
        return 0;
    }
    let eye: Lanes<S, N> = rows.axis.eye_max.load(simd, rows.index(0, 0));
    let taller = (field.bodies.head - field.bodies.eye).max(0.0) as f32;
    let bound = UpperBound::between::<false>(
        rows,
        span,
        [eye.raised(taller), heads],
        over.above.max(field.above),
    );
    let holds = |x: i32| !change.rises() || !change.covers(&rows, x, square.minor);
    let cached = &mut rays.cached[node.level as usize];
    for x in cached.before(near) {
        if holds(x) {
            open &= !bound.hidden_by(simd, x);
        }
        if open == 0 {
            return 0;
        }
    }
    for x in 1..near {
        if !holds(x) {
            continue;
        }
        let hid = bound.hidden_by(simd, x) & open;
        if hid != 0 {
            open &= !hid;
            cached.note_once(x);
            if open == 0 {
                return 0;
            }
        }
    }
    rows.of_block(open)
}

/// The samples whose visibility may have changed.
#[derive(Debug)]
pub struct Onlookers {
    words: Vec<u64>,
    set: SampleSet,
}

impl Onlookers {
    /// Of words that [`Rays::onlookers`] has found, by block, row by row.
    pub fn new(grid: Grid, words: Vec<u64>) -> Self {
        Self {
            set: SampleSet::new(grid, &words),
            words,
        }
    }

    /// Those in a block.
    pub fn of_block(&self, block: usize) -> u64 {
        self.words[block]
    }

    /// Of the active lanes of a square of displacements, those with onlookers among their targets.
    #[inline]
    pub(crate) fn lanes(&self, block: &ViewBlock, node: &OpenSquare) -> u64 {
        let at = (block.column + node.p, block.row + node.q);
        node.active & self.set.lanes(at, node.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::{Bodies, HeightField, LOOK_LEVEL, Stance, sees};
    use fearless_simd::Level;
    use viewcell::dice::Dice;
    use viewcell_ingest::world::Terrain;

    /// A rough terrain, and what a dig, a fill, or both make of a part of it.
    fn terrains(dice: &mut Dice, width: u32, height: u32) -> [Terrain; 2] {
        let count = (width * height) as usize;
        let hill = |i: u32| 12.0 * (f64::from(i % width) / 5.0).sin();
        let mut heights: Vec<f64> = (0..width * height)
            .map(|i| hill(i) + dice.fraction() * 9.0)
            .collect();
        for _ in 0..count / 50 {
            heights[dice.roll(count as u32) as usize] = f64::NAN;
        }
        let (column, row) = (dice.roll(width), dice.roll(height));
        let (what, reach) = (dice.roll(4), 1 + dice.roll(4));
        let changed = heights.iter().zip(0..).map(|(&old, i)| {
            let near = (i % width).abs_diff(column) < reach && (i / width).abs_diff(row) < reach;
            match (near, what) {
                (false, _) => old,
                (_, 0) => old - 15.0,
                (_, 1) => old + 15.0,
                (_, 2) => f64::NAN,
                _ => old + [12.0, -12.0][i as usize % 2],
            }
        });
        let changed: Vec<f64> = changed.collect();
        [heights, changed].map(|heights| Terrain::new(width, height, heights, [1.0; 2]).unwrap())
    }

    #[test]
    fn whoever_sees_otherwise_is_an_onlooker_of_an_onlooker() {
        let mut dice = Dice(3);
        let (width, height) = (53, 30);
        let (mut others, mut differ) = (0, 0);
        for (eye, head) in [(1.8, 1.8), (0.2, 2.5), (3.0, 1.0), (1.8, 1.8), (1.8, 1.8)] {
            let [old, new] = terrains(&mut dice, width, height);
            let bodies = Bodies { eye, head };
            let change = Change::between(&old, &new, bodies, Stance::Sample);
            if !change.has_places() {
                continue;
            }
            let field = HeightField::new(&new, bodies, Stance::Sample);
            let mut rays = Rays::new(&new, &field, Level::new());
            let onlooks: Vec<bool> = (0..width * height)
                .map(|i| {
                    let (column, row) = (i % width, i / width);
                    let found =
                        rays.onlookers(&change, Quad::new(LOOK_LEVEL, column / 16, row / 16));
                    let child = (row / 8 % 2 * 2 + column / 8 % 2) as usize;
                    found[child] >> (row % 8 * 8 + column % 8) & 1 == 1
                })
                .collect();
            others += onlooks.iter().filter(|onlooks| !**onlooks).count();
            let at = |i: u32| (i % width, i / width);
            for (a, b) in (0..width * height).flat_map(|a| (0..width * height).map(move |b| (a, b)))
            {
                if sees(&old, bodies, at(a), at(b)) != sees(&new, bodies, at(a), at(b)) {
                    differ += 1;
                    assert!(
                        onlooks[a as usize] && onlooks[b as usize],
                        "{:?} and {:?}, {bodies:?}",
                        at(a),
                        at(b)
                    );
                }
            }
        }
        assert!(others > 500 && differ > 5000, "{others} {differ}");
    }
}
