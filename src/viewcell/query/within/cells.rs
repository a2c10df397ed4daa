//! Look-ahead in a level of cells, by the graph of cells that touch.

use super::motion::Extent;
use crate::format::bits;
use crate::format::cells::{Child, MAX_CELLS, PlaneNode, SymmetryCode};
use crate::format::frame::Corners;
use crate::query::CellBundle;
use crate::query::ShortMemory;

/// The cells that a player may come to: bit c for cell c, 64 a word, the lowest bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach<'m> {
    words: &'m [u64],
}

impl<'m> Reach<'m> {
    /// Whether a cell is in it; `false` for one that is not there. Constant time.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        bits::has(self.words, cell as usize)
    }

    /// Its cells: bit c for cell c, 64 a word, the lowest bit first.
    pub fn words(&self) -> &'m [u64] {
        self.words
    }
}

/// Words of the largest row of cells.
const ROW: usize = MAX_CELLS as usize / 64;

/// Words that rows of cells have room in which most levels need: clearing much memory takes longer than they do.
const FEW: usize = 256;

impl CellBundle<'_> {
    /// Words of memory that [`CellBundle::reach`] needs.
    pub fn reach_memory(&self) -> usize {
        // Beside the result, the cells that are not too far, and those still to be gone on from.
        3 * self.row_words()
    }

    fn row_words(&self) -> usize {
        bits::words(self.cells())
    }

    /// The cells that a player may reach who is anywhere in `cell` and walks less than `reach`
    /// units of the level; with a reach of 0, `cell` alone. Teleporters are not followed.
    ///
    /// They are the cells that a chain of cells leads to, each touching the one before, all of them
    /// within `reach` of `cell` as the crow flies. Boxes stand for cells, and touch where they are
    /// no more than a 64th of a unit apart: whoever walks passes through cells whose boxes touch,
    /// and is never further away than the path is long. So this errs towards too many cells only.
    /// (The portals of a level would connect fewer cells, but compilers leave out openings that are
    /// slivers, and players walk through these, too.)
    ///
    /// A cell without a box is everywhere; in a bundle without boxes any reach but 0 leads to all
    /// cells. Where the BSP has upright planes alone, as Doom's, floors and ceilings may move: cells
    /// are as high as the world. A reach that is not a number is endless. From a cell that is not
    /// there nobody comes anywhere.
    ///
    /// Nothing is allocated: the cells lie in `memory`, which need not be cleared.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than [`CellBundle::reach_memory`] says.
    pub fn reach<'m>(
        &self,
        cell: u32,
        reach: f64,
        memory: &'m mut [u64],
    ) -> Result<Reach<'m>, ShortMemory> {
        let expected = self.reach_memory();
        let found = memory.len();
        let (words, ways) = memory
            .split_at_mut_checked(self.row_words())
            .filter(|_| found >= expected)
            .ok_or(ShortMemory { expected, found })?;
        self.fill(cell, super::motion::counted(reach), words, ways);
        Ok(Reach { words })
    }

    /// Whether a player who is now in cell `a` and comes up to `reach[0]` units of the level far,
    /// and one in cell `b` who comes up to `reach[1]` far, may see each other anywhere on their
    /// paths: whether any cell of the one's [`CellBundle::reach`] sees any of the other's. With
    /// reaches of 0 that is [`CellBundle::visible`], either way.
    ///
    /// Errs towards visible only. Cells that are not there are visible. Nothing is allocated.
    pub fn visible_within(&self, a: u32, b: u32, reach: [f64; 2]) -> bool {
        if self.visible(a, b) || self.visible(b, a) || a.max(b) >= self.cells() {
            true
        } else if 4 * self.row_words() <= FEW {
            self.any_visible_within::<FEW>(a, b, reach)
        } else {
            self.any_visible_within::<{ 4 * ROW }>(a, b, reach)
        }
    }

    /// The same of cells that do not see each other, with so many words on the stack: four rows.
    #[inline(never)]
    fn any_visible_within<const WORDS: usize>(&self, a: u32, b: u32, reach: [f64; 2]) -> bool {
        let (mut memory, row) = ([0; WORDS], self.row_words());
        let rows = memory.split_at_mut_checked(row);
        let rows = rows.and_then(|(of_a, rest)| Some((of_a, rest.split_at_mut_checked(row)?)));
        // There is room for all cells.
        let Some((of_a, (of_b, ways))) = rows else {
            return true;
        };
        let [reach_a, reach_b] = reach.map(super::motion::counted);
        self.fill(a, reach_a, of_a, ways);
        self.fill(b, reach_b, of_b, ways);
        self.any_visible(Reach { words: of_a }, Reach { words: of_b })
    }

    /// The cells that hold a position of a region, in solid and outside of the level none. By the level's BSP
    /// or else by the boxes of cells, as [`CellBundle::locate`] goes; a cell without a box is everywhere.
    ///
    /// Errs towards too many cells only. Nothing is allocated: the cells lie in `memory`, which need not be
    /// cleared.
    ///
    /// # Errors
    ///
    /// [`ShortMemory`] if `memory` has fewer words than a row of cells takes, one for 64.
    pub fn cells_in<'m>(
        &self,
        region: &Extent,
        memory: &'m mut [u64],
    ) -> Result<Reach<'m>, ShortMemory> {
        let (expected, found) = (self.row_words(), memory.len());
        let words = memory
            .get_mut(..expected)
            .ok_or(ShortMemory { expected, found })?;
        words.fill(0);
        if self.parameters.root == Child::Nothing {
            self.boxes_in(region, words);
        } else if !self.leaves_in(region, words) {
            words.fill(u64::MAX);
        }
        Ok(Reach { words })
    }

    /// Sets the bits of the cells whose boxes a region meets.
    fn boxes_in(&self, region: &Extent, words: &mut [u64]) {
        for cell in 0..self.cells() {
            if region.meets(self.corners(cell, true)) {
                bits::set(words, cell as usize);
            }
        }
    }

    /// Sets the bits of the cells of the leaves that a region meets; returns whether that could be found out.
    fn leaves_in(&self, region: &Extent, words: &mut [u64]) -> bool {
        let [low, high] = region.corners();
        let (mut waiting, mut count) = ([Child::Nothing; DEEPEST], 1_usize);
        waiting[0] = self.parameters.root;
        // In a tree each node is come to once; a damaged one may have no end.
        let mut left = u64::from(self.parameters.nodes) * 2 + 1;
        while let Some(next) = count.checked_sub(1) {
            count = next;
            let Some(fewer) = left.checked_sub(1) else {
                return false;
            };
            left = fewer;
            let index = match waiting.get(next) {
                Some(Child::Node(index)) => *index,
                Some(Child::Cell(cell)) => {
                    bits::set(words, *cell as usize);
                    continue;
                }
                _ => continue,
            };
            let Some(node) = PlaneNode::at(self.nodes, index) else {
                continue;
            };
            let (mut least, mut most, mut size) =
                (-node.distance, -node.distance, node.distance.abs());
            for (normal, (low, high)) in node.normal.iter().zip(low.iter().zip(high)) {
                // An axis that does not matter stays out of it, however far the region goes.
                if *normal != 0.0 {
                    let [a, b] = [low * f64::from(*normal), high * f64::from(*normal)];
                    least += a.min(b);
                    most += a.max(b);
                    size += a.abs() + b.abs();
                }
            }
            // Points are added up in another order.
            let slack = size * 1e-12;
            let [front, behind] = node.children;
            for (child, is_out) in [(front, most < -slack), (behind, least > slack)] {
                if is_out {
                    continue;
                }
                let Some(place) = waiting.get_mut(count) else {
                    return false;
                };
                *place = child;
                count += 1;
            }
        }
        true
    }

    /// Whether two players who may each be anywhere in a region may see each other: whether any cell that holds
    /// a position of the one's region ([`CellBundle::cells_in`]) sees any of the other's. A region is what
    /// [`Motion::region`] says of where somebody will be.
    ///
    /// Errs towards visible only: `true` where no cell holds any position of a region. Nothing is allocated.
    ///
    /// [`Motion::region`]: crate::query::Motion::region
    pub fn visible_regions(&self, a: &Extent, b: &Extent) -> bool {
        let [mut of_a, mut of_b] = [[0; ROW]; 2];
        // There is room for all cells.
        let (Ok(a), Ok(b)) = (self.cells_in(a, &mut of_a), self.cells_in(b, &mut of_b)) else {
            return true;
        };
        let nowhere = |reach: Reach| reach.words.iter().all(|word| *word == 0);
        nowhere(a) || nowhere(b) || self.any_visible(a, b)
    }

    /// Sets the bits of all cells that are seen from any of some cells.
    pub(super) fn seen_from(&self, cells: &[u64], seen: &mut [u64]) {
        seen.fill(0);
        for cell in bits::ones_of(cells.iter().copied()) {
            for (seen, word) in seen.iter_mut().zip(self.pvs(cell).words()) {
                *seen |= word;
            }
        }
    }

    /// Whether any of some cells sees any of others, either way.
    pub fn any_visible(&self, a: Reach, b: Reach) -> bool {
        let sees = |from: &[u64], to: &[u64]| {
            bits::ones_of(from.iter().copied()).any(|cell| self.pvs(cell).meets(to, 0))
        };
        let mutual = self.parameters().symmetry != SymmetryCode::None;
        sees(a.words, b.words) || !mutual && sees(b.words, a.words)
    }

    /// Sets the bits of the cells in reach. `memory` has two rows of bits to work with.
    fn fill(&self, start: u32, reach: f64, words: &mut [u64], memory: &mut [u64]) {
        words.fill(0);
        if start >= self.cells() {
            return;
        }
        bits::set(words, start as usize);
        if reach == 0.0 {
            return;
        }
        let Some((near, rest)) = memory.split_at_mut_checked(words.len()) else {
            return words.fill(u64::MAX);
        };
        let Some(fresh) = rest.get_mut(..words.len()) else {
            return words.fill(u64::MAX);
        };
        // Cells that are not too far, and that no chain has led to yet.
        near.fill(0);
        fresh.fill(0);
        let has_heights = self.has_heights();
        let corners = |cell| self.corners(cell, has_heights);
        let from = corners(start);
        for cell in (0..self.cells()).filter(|&cell| cell != start) {
            if gap(from, corners(cell)) < reach || reach == f64::INFINITY {
                bits::set(near, cell as usize);
            }
        }
        bits::set(fresh, start as usize);
        while let Some(cell) = take_first(fresh) {
            let here = corners(cell);
            for (i, word) in near.iter_mut().enumerate() {
                for bit in bits::ones(*word) {
                    let next = i * 64 + bit as usize;
                    if gap(here, corners(next as u32)) <= TOUCH {
                        *word &= !(1 << bit);
                        bits::set(words, next);
                        bits::set(fresh, next);
                    }
                }
            }
        }
    }

    /// The box of a cell; everything where the bundle does not know.
    pub(crate) fn corners(&self, cell: u32, has_heights: bool) -> Corners {
        const LOWEST: f64 = f64::NEG_INFINITY;
        const HIGHEST: f64 = f64::INFINITY;
        let Some(corners) = self.bounds(cell) else {
            return [[LOWEST; 3], [HIGHEST; 3]];
        };
        let [low, high] = corners.map(|corner| corner.map(f64::from));
        match (has_heights, low, high) {
            (true, ..) => [low, high],
            (false, [x, y, _], [u, v, _]) => [[x, y, LOWEST], [u, v, HIGHEST]],
        }
    }
}

/// Boxes that are no further apart touch: they are stored in single precision. [Unit: the level's]
const TOUCH: f64 = 1.0 / 64.0;

/// How many nodes of a BSP wait at most: compilers make trees some dozens deep.
const DEEPEST: usize = 512;

/// Takes the first of the cells whose bits are set.
fn take_first(words: &mut [u64]) -> Option<u32> {
    let (i, word) = words.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
    let bit = word.trailing_zeros();
    *word &= *word - 1;
    Some(i as u32 * 64 + bit)
}

/// The shortest distance between two boxes.
fn gap(a: Corners, b: Corners) -> f64 {
    let mut square = 0.0;
    let sides = a[0].into_iter().zip(a[1]).zip(b[0].into_iter().zip(b[1]));
    for ((a_low, a_high), (b_low, b_high)) in sides {
        // The greater of a number and of none is the number.
        let side = (b_low - a_high).max(a_low - b_high).max(0.0);
        square += side * side;
    }
    square.sqrt()
}
