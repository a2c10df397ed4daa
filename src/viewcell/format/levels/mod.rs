//! Tree code 2, levels of groups: near pairs of places are stored one by one, far ones as quads.
//!
//! Level 0 is the grid of view cells; the cells of level k are its quads of 2^k × 2^k. Each level covers pairs of blocks
//! (8 × 8 cells of the level) that are at most [`Shape::reach`] blocks apart, across and down; a bit says whether anybody
//! in the one cell sees anybody in the other. A pair of places is answered by the lowest level that covers their blocks.
//! So the size of the cells that answer grows in proportion to their distance: between two cells of level k > 0 lie at
//! least 4 times the reach of their own size. Where the reach is everything, level 0 answers all.
//!
//! The highest level is the first in which all blocks are near each other. Where two levels cover the same cells, the bit of
//! the higher one is the union of those of the lower; in a lossy bundle it may be visible all the same.
//!
//! The groups of a level are [`super::pairs`] over its grid, and share one dictionary. `PIDX` has the blocks of level 0, row
//! by row, then those of level 1, and so on; `PAIR` has the groups of each level in Morton order; `VALD`, if there is one,
//! a block bitmap for each level.

use core::ops::Range;

use super::grid::{BLOCK_LEVEL, Grid, LEVELS, Quad, Sample, Valid, quad_mask};
use super::pages::IndexedPages;
use super::pairs::Groups;
use super::pairs::dictionary::Dictionary;
use super::terrain::TerrainParameters;
use super::tree::Answer;

mod pvs;

pub use pvs::LevelsPvs;

/// Column and row of a block.
type Block = (u32, u32);

/// The levels of a bundle: a function of its grid and its grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    grid: Grid,
    reach: u32,
}

impl Shape {
    /// The levels over a grid of view cells. Between two quads that answer for what is in them lie at least
    /// `grade` quads of their size, across or down; 0 if level 0 tells of all pairs.
    pub const fn new(grid: Grid, grade: u32) -> Self {
        let reach = if grade == 0 {
            u32::MAX
        } else {
            grade.div_ceil(4)
        };
        Self { grid, reach }
    }

    /// The levels of a bundle.
    pub const fn of(parameters: &TerrainParameters) -> Self {
        Self::new(parameters.grid, parameters.grade)
    }

    /// Whether level 0 tells of all pairs.
    pub const fn is_whole(&self) -> bool {
        self.reach == u32::MAX
    }

    /// The grid of view cells.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// How many blocks of a level, across and down, two blocks may be apart of which the level tells.
    pub const fn reach(&self) -> u32 {
        self.reach
    }

    /// The grid of a level.
    pub fn level(&self, level: u32) -> Grid {
        let (width, height) = self.grid.quads_at(level.min(Grid::MAX_ROOT_LEVEL));
        Grid::new(width.max(1), height.max(1)).unwrap_or(self.grid)
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        let (columns, rows) = self.grid.block_shape();
        let last = columns.max(rows) - 1;
        let far = |level: &u32| last >> level > self.reach;
        1 + (0..LEVELS as u32).take_while(far).count() as u32
    }

    /// Blocks of the levels below one: where in the index its blocks begin.
    pub fn blocks_below(&self, level: u32) -> usize {
        (0..level)
            .map(|level| self.level(level).blocks())
            .fold(0, usize::saturating_add)
    }

    /// Whether a level covers two of its blocks.
    #[inline]
    pub const fn is_near(&self, a: Block, b: Block) -> bool {
        a.0.abs_diff(b.0) <= self.reach && a.1.abs_diff(b.1) <= self.reach
    }

    /// The columns and rows of the blocks of a level that are near one.
    pub fn window(&self, level: u32, (column, row): Block) -> [Range<u32>; 2] {
        let (columns, rows) = self.level(level).block_shape();
        let near = |at: u32, end: u32| {
            at.saturating_sub(self.reach)..at.saturating_add(self.reach).saturating_add(1).min(end)
        };
        [near(column, columns), near(row, rows)]
    }

    /// The lowest level, from `lowest` on, that covers the blocks around two blocks of level 0.
    #[inline]
    fn level_of(&self, a: Block, b: Block, lowest: u32) -> u32 {
        let mut level = lowest;
        while level < LEVELS as u32 && !self.is_near(up(a, level), up(b, level)) {
            level += 1;
        }
        level
    }
}

/// The block of a higher level that holds one of level 0.
#[inline]
const fn up((column, row): Block, level: u32) -> Block {
    (column >> level, row >> level)
}

/// Who sees whom, level by level.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    shape: Shape,
    valid: Valid<'a>,
    /// `VALD`, of all levels.
    places: Option<&'a [u8]>,
    mutual: bool,
    dictionary: Dictionary<'a>,
    index: &'a [u8],
    bytes: &'a [u8],
    pages: Option<IndexedPages<'a>>,
    /// The index of patched groups, and the patches.
    over: Option<(&'a [u8], &'a [&'a [u8]])>,
    count: u32,
}

impl<'a> Levels<'a> {
    /// Sections `VALD` if there is one, `DICT`, `PIDX` and `PAIR`. `None` where `DICT` is none.
    pub fn new(
        shape: Shape,
        mutual: bool,
        places: Option<&'a [u8]>,
        [dictionary, index, bytes]: [&'a [u8]; 3],
    ) -> Option<Self> {
        Some(Self {
            shape,
            valid: valid(shape, places, 0),
            places,
            mutual,
            dictionary: Dictionary::parse(dictionary)?,
            index,
            bytes,
            pages: None,
            over: None,
            count: shape.levels(),
        })
    }

    /// The same, of which each group is checked before it is believed: one that is damaged is none.
    pub const fn checked(self, pages: IndexedPages<'a>) -> Self {
        Self {
            pages: Some(pages),
            ..self
        }
    }

    /// The levels.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Where there is terrain.
    pub const fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// The groups of a level.
    #[inline]
    pub fn groups(&self, level: u32) -> Groups<'a> {
        let valid = match level {
            0 => self.valid,
            _ => valid(self.shape, self.places, level),
        };
        let first = self.shape.blocks_below(level).saturating_mul(8);
        let index = self.index.get(first..).unwrap_or(&[]);
        let groups = Groups::of(valid, self.mutual, self.dictionary, index, self.bytes);
        let groups = match self.pages {
            None => groups,
            Some(IndexedPages { index, pieces }) => groups.checked(IndexedPages {
                index: index.from(first),
                pieces,
            }),
        };
        match self.over {
            None => groups,
            Some((index, above)) => groups.under(valid, index.get(first..).unwrap_or(&[]), above),
        }
    }

    /// The same where there is terrain only by `valid`, of a bundle of one level.
    pub const fn within(self, valid: Valid<'a>) -> Self {
        Self { valid, ..self }
    }

    /// The same with groups of patches over them, and where there is terrain now, of a bundle of one level.
    pub const fn under(self, valid: Valid<'a>, index: &'a [u8], above: &'a [&'a [u8]]) -> Self {
        Self {
            valid,
            over: Some((index, above)),
            ..self
        }
    }

    /// Where each block's group begins, `u64`: level by level, each row by row.
    pub const fn index(&self) -> &'a [u8] {
        self.index
    }

    /// Number of levels.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The groups that tell of all pairs; `None` where more than those of level 0 are to be asked.
    #[inline]
    pub fn whole(&self) -> Option<Groups<'a>> {
        (self.count == 1).then(|| self.groups(0))
    }

    /// Whether view cell `a` sees view cell `b`; false where either is outside the grid or void, true where the
    /// bytes are damaged. O(levels), and one record of a pair of blocks.
    #[inline]
    pub fn sees(&self, a: Sample, b: Sample) -> bool {
        if self.count == 1 {
            // Which know where there is terrain.
            self.groups(0).sees(a, b)
        } else {
            self.sees_by_levels(a, b)
        }
    }

    fn sees_by_levels(&self, a: Sample, b: Sample) -> bool {
        if !self.valid.has_sample(a) || !self.valid.has_sample(b) {
            return false;
        }
        let level = self.level_between(a, b);
        let cell = |at: Sample| Sample::new(at.column >> level, at.row >> level);
        self.groups(level).sees(cell(a), cell(b))
    }

    /// The level of quads of view cells that answer for view cells `a` and `b`: those around them.
    #[inline]
    pub fn level_between(&self, a: Sample, b: Sample) -> u32 {
        let block = |at: Sample| (at.column >> BLOCK_LEVEL, at.row >> BLOCK_LEVEL);
        self.shape.level_of(block(a), block(b), 0)
    }

    /// Whether any of the view cells `from` (a word of a block bitmap) of block `viewer` sees any of the cells `to`
    /// of block `target`, voids left out. True where the bytes are damaged.
    pub fn sees_any(&self, viewer: Block, from: u64, target: Block, to: u64) -> bool {
        let level = self.shape.level_of(viewer, target, 0);
        let cells = |block: Block, cells: u64| {
            let cells = cells & self.valid.block(block.0, block.1);
            (up(block, level), gather(block, cells, level))
        };
        let ((viewer, from), (target, to)) = (cells(viewer, from), cells(target, to));
        from != 0 && to != 0 && self.groups(level).sees_any(viewer, from, target, to)
    }

    /// What is known of sight from a block of view cells to a quad of level 3 or more: unknown where that takes
    /// more than a look at one pair of blocks.
    pub fn outline(&self, viewer: Block, quad: Quad) -> Answer {
        let grid = self.shape.grid;
        if quad.level < BLOCK_LEVEL || !grid.has_quad(quad) {
            return Answer::Hidden;
        }
        let viewers = self.valid.block(viewer.0, viewer.1);
        if viewers == 0 {
            return Answer::Hidden;
        }
        if let Some(groups) = self.whole() {
            return groups.outline(viewer, quad);
        }
        // The quad is a block of its level, or lies in one of a higher.
        let own = quad.level - BLOCK_LEVEL;
        if own >= self.count {
            return Answer::Mixed;
        }
        let first = |at: u32| at << own;
        let target = (first(quad.column), first(quad.row));
        let level = self.shape.level_of(viewer, target, own);
        let groups = self.groups(level);
        let block = up(target, level);
        let place = quad_mask(quad_in_block(quad, level));
        let terrain = groups.valid().block(block.0, block.1) & place;
        let seen = groups.seen_from(up(viewer, level), gather(viewer, viewers, level), block);
        match seen & terrain {
            0 => Answer::Hidden,
            _ if level > own && level >= BLOCK_LEVEL && seen & terrain == terrain => {
                Answer::Visible
            }
            _ => Answer::Mixed,
        }
    }
}

/// A quad of view cells as one of cells of a level, whose masks are taken in the block that holds it: a single cell where
/// it is smaller than one.
const fn quad_in_block(quad: Quad, level: u32) -> Quad {
    if quad.level >= level {
        Quad::new(quad.level - level, quad.column, quad.row)
    } else {
        let up = level - quad.level;
        Quad::new(0, quad.column >> up, quad.row >> up)
    }
}

/// The cells of a level that hold cells of a block of level 0: bits of the block that holds that block.
fn gather((column, row): Block, cells: u64, level: u32) -> u64 {
    match level {
        // As of a block outside the grid, whose place may be any.
        _ if cells == 0 => 0,
        0 => cells,
        1 | 2 => {
            let side = 8 >> level;
            let mut gathered = 0;
            for at in 0..side * side {
                let (x, y) = (at % side, at / side);
                let square = quad_mask(Quad::new(level, x, y));
                let place = ((side * row + y) & 7) << 3 | (side * column + x) & 7;
                gathered |= u64::from(cells & square != 0) << place;
            }
            gathered
        }
        _ => {
            let up = level - BLOCK_LEVEL;
            let place = (row >> up & 7) << 3 | column >> up & 7;
            u64::from(cells != 0) << place
        }
    }
}

/// Where there is terrain at a level.
fn valid<'a>(shape: Shape, places: Option<&'a [u8]>, level: u32) -> Valid<'a> {
    let grid = shape.level(level);
    match places {
        None => Valid::everywhere(grid),
        Some(places) => {
            let first = shape.blocks_below(level).saturating_mul(8);
            Valid::from_blocks(grid, places.get(first..).unwrap_or(&[]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_end_where_all_blocks_are_near() {
        let shape = |side: u32, grade: u32| Shape::new(Grid::new(side, side).unwrap(), grade);
        for (side, grade, levels) in [
            (1, 1, 1),
            (40, 16, 1),
            (41, 16, 2),
            (1025, 16, 6),
            (65_536, 0, 1),
        ] {
            assert_eq!(shape(side, grade).levels(), levels, "{side} {grade}");
        }
        for side in [1, 7, 64, 200, 1025, 8193, 65_536] {
            for grade in [0, 1, 4, 16, 33, 4096] {
                let shape = shape(side, grade);
                let last = shape.level(shape.levels() - 1).block_shape();
                assert!(shape.is_near((0, 0), (last.0 - 1, last.1 - 1)));
                let blocks: usize = (0..shape.levels()).map(|l| shape.level(l).blocks()).sum();
                assert_eq!(shape.blocks_below(shape.levels()), blocks);
            }
        }
    }

    #[test]
    fn quads_that_answer_are_as_far_apart_as_the_grade_says() {
        for grade in [1, 3, 4, 16] {
            let shape = Shape::new(Grid::new(4000, 3000).unwrap(), grade);
            for (a, b) in [((0, 0), (37, 1)), ((3, 9), (200, 74)), ((70, 70), (79, 0))] {
                let level = shape.level_of(a, b, 0);
                if level > 0 {
                    // Of the samples nearest to each other.
                    let apart = |a: u32, b: u32| {
                        let [near, far] = [a.min(b), a.max(b)];
                        ((far * 8) >> level).saturating_sub((near * 8 + 7) >> level)
                    };
                    assert!(apart(a.0, b.0).max(apart(a.1, b.1)) > grade);
                }
            }
        }
    }

    #[test]
    fn cells_of_a_level_hold_those_of_a_block() {
        for (column, row) in [(0, 0), (3, 1), (6, 13)] {
            for level in 0..6 {
                for bit in 0..64 {
                    let cell = (column * 8 + (bit & 7), row * 8 + (bit >> 3));
                    let (x, y) = (cell.0 >> level, cell.1 >> level);
                    assert_eq!(up((column, row), level), (x >> 3, y >> 3));
                    let expected = 1 << ((y & 7) << 3 | x & 7);
                    assert_eq!(gather((column, row), 1 << bit, level), expected);
                }
            }
        }
    }
}
