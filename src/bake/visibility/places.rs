//! Where somebody can be, and who of them can see and be seen at all.
//!
//! A place is *asked for* if somebody can be there ([`Terrain::has_place`]). Where a surface lies
//! over the ground, it may hide whoever is below it from everybody: who has the eyes covered sees
//! nobody, and who has the head covered is seen by nobody, but for the place itself.
//!
//! Terrain that is not asked for costs a kernel little. In [`Stance::Sample`] it is left out sample by
//! sample. In [`Stance::Cell`] it is left out by blocks of viewpoints and by squares of 8 × 8
//! displacements and more: in smaller squares the lines that hid one target are tried first on
//! the next, and what is found hidden must not depend on what is asked for.

use super::Bodies;
use super::sightline::Stance;
use super::surface::is_covered;
use std::ops::Range;
use viewcell::format::Grid;
use viewcell_ingest::world::Terrain;

/// Block bitmaps of a terrain.
pub(crate) struct Places {
    /// Where somebody can be.
    pub asked: Vec<u64>,
    /// Of these, where the eye is not covered, and where the head is not.
    pub eyes: Vec<u64>,
    pub heads: Vec<u64>,
    /// From where a kernel looks, if it looks from a block at all.
    looking: Vec<u64>,
    /// How many of `heads` lie north-west of each corner of a sample, row by row; `None` where all
    /// terrain is asked for.
    sums: Option<Vec<u32>>,
    grid: Grid,
}

impl Places {
    /// Takes 4 bytes a sample where not all terrain is asked for, else half a byte.
    pub(crate) fn new(terrain: &Terrain, bodies: Bodies, stance: Stance) -> Self {
        let grid = Grid::new(terrain.width(), terrain.height()).expect("see `HeightField::fits`");
        let words = |is: &dyn Fn(u32, u32) -> bool| {
            let mut words = vec![0; grid.blocks()];
            for sample in grid.row_by_row() {
                let (word, bit) = grid.block_bit(sample);
                words[word] |= u64::from(is(sample.column, sample.row)) << bit;
            }
            words
        };
        let asked = words(&|c, r| terrain.has_place(c, r));
        let uncovered = |above: f64| {
            if terrain.has_ground() {
                words(&|c, r| {
                    terrain.has_place(c, r) && !is_covered(terrain, (c, r), above, stance)
                })
            } else {
                asked.clone()
            }
        };
        let (eyes, heads) = (uncovered(bodies.eye), uncovered(bodies.head));
        let some = terrain.walkable().is_some() || terrain.has_ground();
        Self {
            looking: match stance {
                Stance::Sample => eyes.clone(),
                Stance::Cell => words(&|c, r| !terrain.ground_at(c, r).is_nan()),
            },
            sums: some.then(|| sums(grid, &heads)),
            asked,
            eyes,
            heads,
            grid,
        }
    }

    /// Of the viewpoints of a block, those that are looked from.
    pub(crate) fn looking(&self, block: usize) -> u64 {
        match self.eyes[block] {
            0 => 0,
            _ => self.looking[block],
        }
    }

    /// Whether anybody can be seen in some columns and rows, which may lie outside the grid.
    #[inline(always)]
    pub(crate) fn any_head(&self, columns: Range<i32>, rows: Range<i32>) -> bool {
        let Some(sums) = &self.sums else {
            return true;
        };
        let (width, height) = (self.grid.width() as i32, self.grid.height() as i32);
        let [west, east] = [columns.start, columns.end].map(|c| c.clamp(0, width) as usize);
        let [north, south] = [rows.start, rows.end].map(|r| r.clamp(0, height) as usize);
        let at = |column: usize, row: usize| sums[row * (width as usize + 1) + column];
        // Sums may wrap, but not their differences.
        let inside = at(east, south).wrapping_sub(at(west, south));
        let above = at(east, north).wrapping_sub(at(west, north));
        inside != above
    }

    /// Of the `lanes` of a block at (column, row) that look so far, those that some square of targets
    /// of that side matters to: those that see a head there if the side is 1, else all or none.
    #[inline(always)]
    pub(crate) fn lanes_with_heads(&self, lanes: u64, (column, row): (i32, i32), side: i32) -> u64 {
        if self.sums.is_none() || lanes == 0 {
            return lanes;
        }
        if side == 1 {
            let (columns, rows) = self.grid.block_shape();
            let shape = [columns as i32, rows as i32];
            return lanes & word_at(&self.heads, shape, column, row);
        }
        // The rows and columns of lanes that are looked from.
        let rows = lanes.trailing_zeros() as i32 / 8..lanes.ilog2() as i32 / 8 + side;
        let folded = lanes | lanes >> 32;
        let folded = folded | folded >> 16;
        let folded = (folded | folded >> 8) & 0xff;
        let columns = folded.trailing_zeros() as i32..folded.ilog2() as i32 + side;
        let any = self.any_head(
            column + columns.start..column + columns.end,
            row + rows.start..row + rows.end,
        );
        if any { lanes } else { 0 }
    }

    /// Whether somebody is covered who is asked for.
    pub(crate) fn are_some_covered(&self) -> bool {
        self.eyes != self.asked || self.heads != self.asked
    }
}

/// How many of a block bitmap lie north-west of each corner of a sample, row by row.
fn sums(grid: Grid, bits: &[u64]) -> Vec<u32> {
    let stride = grid.width() as usize + 1;
    let mut sums = vec![0_u32; stride * (grid.height() as usize + 1)];
    let mut so_far = 0_u32;
    for sample in grid.row_by_row() {
        if sample.column == 0 {
            so_far = 0;
        }
        let (word, bit) = grid.block_bit(sample);
        so_far += (bits[word] >> bit & 1) as u32;
        let at = (sample.row as usize + 1) * stride + sample.column as usize + 1;
        sums[at] = sums[at - stride].wrapping_add(so_far);
    }
    sums
}

/// Where the surface covers all that is up to so many metres above the ground, sample by sample, row
/// by row; voids do not count. Of cells, where it does so wherever in the cell a player stands. A
/// player whose head is lower than that is not seen, and one whose eye is lower sees nobody.
pub fn covered(terrain: &Terrain, top: f64, stance: Stance) -> Vec<bool> {
    let rows = 0..terrain.height();
    let samples = rows.flat_map(|row| (0..terrain.width()).map(move |column| (column, row)));
    let covered = |(column, row): (u32, u32)| {
        !terrain.ground_at(column, row).is_nan() && is_covered(terrain, (column, row), top, stance)
    };
    samples.map(covered).collect()
}

/// What words of 8 × 8 samples, so many columns and rows of them, have in 8 × 8 samples from (column,
/// row) on; nothing beside them.
#[inline(always)]
pub(crate) fn word_at(words: &[u64], [columns, rows]: [i32; 2], column: i32, row: i32) -> u64 {
    let (x, y) = (column.div_euclid(8), row.div_euclid(8));
    let word = |x: i32, y: i32| {
        let inside = (0..columns).contains(&x) && (0..rows).contains(&y);
        if inside {
            words[(y * columns + x) as usize]
        } else {
            0
        }
    };
    let (right, down) = (column.rem_euclid(8) as u32, row.rem_euclid(8) as u32);
    // Eight columns out of two blocks, and of these eight rows out of two.
    let stay = 0x0101_0101_0101_0101 * (0xff >> right);
    let beside = |y: i32| {
        let west = word(x, y) >> right & stay;
        match right {
            0 => west,
            _ => west | word(x + 1, y) << (8 - right) & !stay,
        }
    };
    match down {
        0 => beside(y),
        _ => beside(y) >> (8 * down) | beside(y + 1) << (64 - 8 * down),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    #[test]
    fn whether_anybody_is_in_a_rectangle_is_as_counted_one_by_one() {
        let mut dice = Dice(5);
        let (width, height) = (21, 18);
        let flat = Terrain::new(width, height, vec![0.0; 21 * 18], [1.0; 2]).unwrap();
        let walkable: Vec<bool> = (0..21 * 18).map(|_| dice.roll(40) == 0).collect();
        let terrain = flat.clone().with_walkable(&walkable).unwrap();
        let bodies = Bodies {
            eye: 1.8,
            head: 1.8,
        };
        let places = Places::new(&terrain, bodies, Stance::Sample);
        let everywhere = Places::new(&flat, bodies, Stance::Sample);
        for _ in 0..4000 {
            let [c, r] = [0; 2].map(|_| dice.roll(50) as i32 - 15);
            let [w, h] = [0; 2].map(|_| dice.roll(12) as i32);
            let is_there = |column: i32, row: i32| {
                let inside = (0..21).contains(&column) && (0..18).contains(&row);
                inside && walkable[(row * 21 + column) as usize]
            };
            let any = (r..r + h).any(|row| (c..c + w).any(|column| is_there(column, row)));
            assert_eq!(places.any_head(c..c + w, r..r + h), any, "{c} {r} {w} {h}");
            assert!(everywhere.any_head(c..c + w, r..r + h));
            // The same for lanes that look there.
            let lanes = (0..64).fold(0, |lanes, lane| {
                lanes | u64::from(dice.roll(9) == 0) << lane
            });
            for side in [1, 2, 8] {
                let sees = |lane: i32| {
                    let (c, r) = (c + lane % 8, r + lane / 8);
                    (r..r + side).any(|row| (c..c + side).any(|column| is_there(column, row)))
                };
                let due = (0..64).filter(|&lane| lanes >> lane & 1 == 1 && sees(lane));
                let due = due.fold(0_u64, |due, lane| due | 1 << lane);
                let found = places.lanes_with_heads(lanes, (c, r), side);
                assert_eq!(found & due, due, "{c} {r} {side}");
                assert!(found == due || side > 1 && found == lanes);
                assert_eq!(everywhere.lanes_with_heads(lanes, (c, r), side), lanes);
            }
        }
    }
}
