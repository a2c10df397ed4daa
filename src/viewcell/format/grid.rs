//! Samples, quads and blocks of a grid, where in it there is terrain, and the order in which trees are stored.

use core::fmt;
use core::ops::Range;

use super::bytes::u64_at;

/// A sample: column `column` counted east from 0, row `row` counted south from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sample {
    /// Column. Limit: < width.
    pub column: u32,
    /// Row. Limit: < height.
    pub row: u32,
}

impl Sample {
    /// The sample (column, row).
    pub const fn new(column: u32, row: u32) -> Self {
        Self { column, row }
    }

    /// The quad of level 0 that is this sample.
    pub const fn quad(self) -> Quad {
        Quad::new(0, self.column, self.row)
    }
}

/// A quad: the samples whose column and row, each divided by 2^level, are `column` and `row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quad {
    /// 0 for a single sample; the quad's side is 2^level samples. Limit: <= [`Grid::root_level`].
    pub level: u32,
    /// Column among the quads of its level.
    pub column: u32,
    /// Row among the quads of its level.
    pub row: u32,
}

impl Quad {
    /// The quad (column, row) of a level.
    pub const fn new(level: u32, column: u32, row: u32) -> Self {
        Self { level, column, row }
    }

    /// Its parent, one level up.
    pub const fn parent(self) -> Self {
        Self::new(self.level + 1, self.column >> 1, self.row >> 1)
    }

    /// Child 0 to 3: north-west, north-east, south-west, south-east. `None` at level 0.
    pub const fn child(self, index: u32) -> Option<Self> {
        match self.level.checked_sub(1) {
            Some(level) => Some(Self::new(
                level,
                self.column << 1 | index & 1,
                self.row << 1 | index >> 1 & 1,
            )),
            None => None,
        }
    }

    /// Which child of its parent it is.
    pub const fn child_index(self) -> u32 {
        self.row << 1 & 2 | self.column & 1
    }

    /// The quad of a level, no less than its own, that holds it.
    pub const fn ancestor(self, level: u32) -> Self {
        let up = level - self.level;
        Self::new(level, self.column >> up, self.row >> up)
    }

    /// Its north-western sample.
    pub const fn origin(self) -> Sample {
        Sample::new(self.column << self.level, self.row << self.level)
    }
}

/// Width × height samples, and the quadtree over them.
///
/// The root is the smallest square of side 2^k, k >= 3, at sample (0, 0) that covers the grid.
/// Quads that hold no sample of the grid do not exist: level l has
/// ceil(width / 2^l) × ceil(height / 2^l) quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u32,
    height: u32,
}

/// Sides that no grid has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GridError {
    /// Columns asked for.
    pub width: u32,
    /// Rows asked for.
    pub height: u32,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a grid of 1 to {} samples a side, found {} x {}",
            Grid::MAX_SIDE,
            self.width,
            self.height
        )
    }
}

impl core::error::Error for GridError {}

/// Level of an 8×8 block, the unit of a block bitmap.
pub const BLOCK_LEVEL: u32 = 3;

/// Levels of the greatest grid.
pub(super) const LEVELS: usize = Grid::MAX_ROOT_LEVEL as usize + 1;

impl Grid {
    /// Greatest number of samples a side.
    pub const MAX_SIDE: u32 = 1 << Self::MAX_ROOT_LEVEL;
    /// Level of the root of the greatest grid.
    pub const MAX_ROOT_LEVEL: u32 = 16;

    /// A grid of `width` × `height` samples, each 1 to [`Grid::MAX_SIDE`].
    ///
    /// # Errors
    ///
    /// Where a side is 0 or too long.
    pub const fn new(width: u32, height: u32) -> Result<Self, GridError> {
        if width == 0 || height == 0 || width > Self::MAX_SIDE || height > Self::MAX_SIDE {
            return Err(GridError { width, height });
        }
        Ok(Self { width, height })
    }

    /// Number of columns.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Number of samples, voids included.
    pub const fn samples(&self) -> u64 {
        self.width as u64 * self.height as u64
    }

    /// Level k of the root, 3 to [`Grid::MAX_ROOT_LEVEL`].
    pub const fn root_level(&self) -> u32 {
        let side = if self.width > self.height {
            self.width
        } else {
            self.height
        };
        let level = side.next_power_of_two().trailing_zeros();
        if level < BLOCK_LEVEL {
            BLOCK_LEVEL
        } else {
            level
        }
    }

    /// Number of levels: k + 1, from single samples (0) to the root (k).
    pub const fn levels(&self) -> u32 {
        self.root_level() + 1
    }

    /// The root of the quadtree.
    pub const fn root(&self) -> Quad {
        Quad::new(self.root_level(), 0, 0)
    }

    /// Columns and rows of quads at a level; 0 × 0 above the root.
    pub const fn quads_at(&self, level: u32) -> (u32, u32) {
        if level > self.root_level() {
            return (0, 0);
        }
        (
            ((self.width - 1) >> level) + 1,
            ((self.height - 1) >> level) + 1,
        )
    }

    /// Number of quads of all levels.
    pub const fn quad_count(&self) -> u64 {
        self.first_index(self.levels())
    }

    /// Index of the first quad of a level, in the order of [`Grid::quad_index`].
    pub const fn first_index(&self, level: u32) -> u64 {
        let mut index = 0;
        let mut below = 0;
        while below < level {
            let (columns, rows) = self.quads_at(below);
            index += columns as u64 * rows as u64;
            below += 1;
        }
        index
    }

    /// Index of a quad: by level from 0, then row by row. `None` for a quad outside the grid.
    pub const fn quad_index(&self, quad: Quad) -> Option<u64> {
        if !self.has_quad(quad) {
            return None;
        }
        let (columns, _) = self.quads_at(quad.level);
        Some(self.first_index(quad.level) + quad.row as u64 * columns as u64 + quad.column as u64)
    }

    /// Whether the sample lies in the grid.
    pub const fn has_sample(&self, sample: Sample) -> bool {
        sample.column < self.width && sample.row < self.height
    }

    /// Whether the quad holds at least one sample of the grid.
    pub const fn has_quad(&self, quad: Quad) -> bool {
        let (columns, rows) = self.quads_at(quad.level);
        quad.column < columns && quad.row < rows
    }

    /// All samples, row by row.
    pub fn row_by_row(self) -> impl Iterator<Item = Sample> {
        (0..self.height)
            .flat_map(move |row| (0..self.width).map(move |column| Sample::new(column, row)))
    }

    /// Columns and rows of 8×8 blocks: the shape of a block bitmap.
    pub const fn block_shape(&self) -> (u32, u32) {
        self.quads_at(BLOCK_LEVEL)
    }

    /// Number of 8×8 blocks: the length in words of a block bitmap.
    pub const fn blocks(&self) -> usize {
        let (columns, rows) = self.block_shape();
        columns as usize * rows as usize
    }

    /// Place of a sample in a block bitmap: word and bit. Bit (r & 7)·8 + (c & 7) of word
    /// (r / 8)·blocks_x + c / 8 is sample (c, r).
    pub const fn block_bit(&self, sample: Sample) -> (usize, u32) {
        let (columns, _) = self.block_shape();
        let word = (sample.row >> 3) as usize * columns as usize + (sample.column >> 3) as usize;
        (word, (sample.row & 7) << 3 | sample.column & 7)
    }

    /// The bits of block (column, row) that lie in the grid; 0 outside.
    pub const fn block_mask(&self, column: u32, row: u32) -> u64 {
        let (columns, rows) = self.block_shape();
        if column >= columns || row >= rows {
            return 0;
        }
        let wide = self.width - column * 8;
        let high = self.height - row * 8;
        let mut mask = !0;
        if wide < 8 {
            mask &= 0x0101_0101_0101_0101 * ((1 << wide) - 1);
        }
        if high < 8 {
            mask &= (1 << (high * 8)) - 1;
        }
        mask
    }

    /// Columns and rows of the blocks of the grid that a quad of level 3 or more covers.
    pub fn block_range(&self, quad: Quad) -> (Range<u32>, Range<u32>) {
        let (columns, rows) = self.block_shape();
        let up = quad.level.saturating_sub(BLOCK_LEVEL);
        let range = |at: u32, limit: u32| {
            let start = (u64::from(at) << up).min(u64::from(limit)) as u32;
            let end = ((u64::from(at) + 1) << up).min(u64::from(limit)) as u32;
            start..end
        };
        (range(quad.column, columns), range(quad.row, rows))
    }

    /// The same blocks by their words in a block bitmap, row by row.
    pub fn blocks_of(&self, quad: Quad) -> impl Iterator<Item = usize> + use<> {
        let (across, _) = self.block_shape();
        let (columns, rows) = self.block_range(quad);
        rows.flat_map(move |row| {
            let start = row as usize * across as usize;
            start + columns.start as usize..start + columns.end as usize
        })
    }

    /// The first quad in bake order: sample (0, 0).
    pub const fn first_in_bake_order(&self) -> Quad {
        Quad::new(0, 0, 0)
    }

    /// The quad after `quad` in bake order, the order in which trees are stored: post-order of
    /// the depth-first walk that takes children north-west, north-east, south-west, south-east
    /// and skips quads outside the grid. `None` after the root.
    pub const fn next_in_bake_order(&self, quad: Quad) -> Option<Quad> {
        if quad.level >= self.root_level() {
            return None;
        }
        let parent = quad.parent();
        let mut index = quad.child_index() + 1;
        while index < 4 {
            if let Some(sibling) = parent.child(index)
                && self.has_quad(sibling)
            {
                // The walk goes down to the sibling's first sample before anything else.
                let origin = sibling.origin();
                return Some(origin.quad());
            }
            index += 1;
        }
        Some(parent)
    }

    /// All quads in bake order.
    pub fn bake_order(self) -> impl Iterator<Item = Quad> {
        core::iter::successors(Some(self.first_in_bake_order()), move |&quad| {
            self.next_in_bake_order(quad)
        })
    }
}

/// The bits that a quad of level 0 to 3 takes up in the word of its block.
pub const fn quad_mask(quad: Quad) -> u64 {
    if quad.level >= BLOCK_LEVEL {
        return !0;
    }
    let side = 1u32 << quad.level;
    let origin = quad.origin();
    let line = ((1u64 << side) - 1) << (origin.column & 7);
    let mut mask = 0;
    let mut row = 0;
    while row < side {
        mask |= line << (((origin.row & 7) + row) * 8);
        row += 1;
    }
    mask
}

/// Where there is terrain: in the grid, and not void. The `VALD` section, or the whole grid
/// where that is absent.
#[derive(Clone, Copy, Debug)]
pub struct Valid<'a> {
    grid: Grid,
    blocks: Option<&'a [u8]>,
}

impl<'a> Valid<'a> {
    /// Terrain everywhere in the grid.
    pub const fn everywhere(grid: Grid) -> Self {
        Self { grid, blocks: None }
    }

    /// Terrain where a block bitmap (little-endian words) has ones. Missing words count as void.
    pub const fn from_blocks(grid: Grid, blocks: &'a [u8]) -> Self {
        Self {
            grid,
            blocks: Some(blocks),
        }
    }

    /// The grid.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// The samples of block (column, row) with terrain; 0 outside the grid.
    #[inline]
    pub fn block(&self, column: u32, row: u32) -> u64 {
        let mask = self.grid.block_mask(column, row);
        match self.blocks {
            Some(blocks) if mask != 0 => {
                let (columns, _) = self.grid.block_shape();
                let word = row as usize * columns as usize + column as usize;
                mask & u64_at(blocks, word.saturating_mul(8)).unwrap_or(0)
            }
            _ => mask,
        }
    }

    /// Whether there is terrain at a sample.
    #[inline]
    pub fn has_sample(&self, sample: Sample) -> bool {
        self.grid.has_sample(sample)
            && (self.blocks.is_none()
                || self.block(sample.column >> 3, sample.row >> 3)
                    >> ((sample.row & 7) << 3 | sample.column & 7)
                    & 1
                    == 1)
    }

    /// Whether there is terrain in a quad. O(1) without voids; else stops at the first terrain.
    pub fn has_quad(&self, quad: Quad) -> bool {
        if !self.grid.has_quad(quad) {
            return false;
        }
        if self.blocks.is_none() {
            return true;
        }
        if quad.level < BLOCK_LEVEL {
            let origin = quad.origin();
            return self.block(origin.column >> 3, origin.row >> 3) & quad_mask(quad) != 0;
        }
        let (columns, rows) = self.grid.block_range(quad);
        rows.into_iter()
            .any(|row| columns.clone().any(|column| self.block(column, row) != 0))
    }

    /// Number of samples with terrain in a quad.
    pub fn count(&self, quad: Quad) -> u64 {
        if !self.grid.has_quad(quad) {
            return 0;
        }
        if self.blocks.is_none() {
            let origin = quad.origin();
            let side = 1 << quad.level;
            let wide = side.min(self.grid.width() - origin.column);
            let high = side.min(self.grid.height() - origin.row);
            return u64::from(wide) * u64::from(high);
        }
        if quad.level < BLOCK_LEVEL {
            let origin = quad.origin();
            let bits = self.block(origin.column >> 3, origin.row >> 3) & quad_mask(quad);
            return u64::from(bits.count_ones());
        }
        let (columns, rows) = self.grid.block_range(quad);
        rows.into_iter()
            .flat_map(|row| columns.clone().map(move |column| (column, row)))
            .map(|(column, row)| u64::from(self.block(column, row).count_ones()))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jacksboro_has_185029_quads() {
        let grid = Grid::new(403, 344).unwrap();
        assert_eq!(grid.root_level(), 9);
        assert_eq!(grid.quad_count(), 185_029);
        assert_eq!(grid.blocks(), 51 * 43);
    }

    #[test]
    fn the_smallest_and_the_greatest_grid() {
        let one = Grid::new(1, 1).unwrap();
        assert_eq!((one.root_level(), one.quad_count()), (3, 4));
        let all = Grid::new(Grid::MAX_SIDE, Grid::MAX_SIDE).unwrap();
        assert_eq!(all.root_level(), 16);
        assert_eq!(all.quad_count(), ((1u64 << 34) - 1) / 3);
        assert!(Grid::new(0, 5).is_err() && Grid::new(5, 65_537).is_err());
    }

    #[test]
    fn bake_order_is_a_recursive_post_order() {
        fn walk(grid: &Grid, quad: Quad, out: &mut Vec<Quad>) {
            if !grid.has_quad(quad) {
                return;
            }
            for index in 0..4 {
                if let Some(child) = quad.child(index) {
                    walk(grid, child, out);
                }
            }
            out.push(quad);
        }
        for (width, height) in [(1, 1), (9, 1), (1, 17), (8, 8), (13, 9), (40, 20)] {
            let grid = Grid::new(width, height).unwrap();
            let mut expected = Vec::new();
            walk(&grid, grid.root(), &mut expected);
            assert_eq!(grid.bake_order().collect::<Vec<_>>(), expected);
            assert_eq!(expected.len() as u64, grid.quad_count());
        }
    }

    #[test]
    fn indices_count_every_quad_once() {
        let grid = Grid::new(21, 10).unwrap();
        let mut seen = vec![false; grid.quad_count() as usize];
        for quad in grid.bake_order() {
            let index = grid.quad_index(quad).unwrap() as usize;
            assert!(!std::mem::replace(&mut seen[index], true));
        }
        assert_eq!(grid.quad_index(Quad::new(0, 21, 0)), None);
        assert_eq!(grid.quad_index(Quad::new(9, 0, 0)), None);
    }

    #[test]
    fn masks_equal_sample_by_sample() {
        let grid = Grid::new(13, 9).unwrap();
        let (columns, rows) = grid.block_shape();
        for block_row in 0..rows {
            for block_column in 0..columns {
                let mut expected = 0u64;
                for row in 0..8 {
                    for column in 0..8 {
                        let sample = Sample::new(block_column * 8 + column, block_row * 8 + row);
                        expected |= u64::from(grid.has_sample(sample)) << (row * 8 + column);
                    }
                }
                assert_eq!(grid.block_mask(block_column, block_row), expected);
            }
        }
        for level in 0..3 {
            for row in 0..16 >> level {
                for column in 0..16 >> level {
                    let quad = Quad::new(level, column, row);
                    let mut expected = 0u64;
                    for bit in 0..64 {
                        let inside = |block: u32, within: u32, index: u32| {
                            (block * 8 + within) >> level == index
                        };
                        let block = Quad::new(3, column >> (3 - level), row >> (3 - level));
                        let hit = inside(block.column, bit & 7, column)
                            && inside(block.row, bit >> 3, row);
                        expected |= u64::from(hit) << bit;
                    }
                    assert_eq!(quad_mask(quad), expected);
                }
            }
        }
    }

    #[test]
    fn a_quad_at_the_edge_has_the_blocks_that_are_there() {
        let grid = Grid::new(40, 17).unwrap();
        let found: Vec<usize> = grid.blocks_of(Quad::new(5, 1, 0)).collect();
        assert_eq!(found, [4, 9, 14]);
        let found: Vec<usize> = grid.blocks_of(Quad::new(3, 1, 1)).collect();
        assert_eq!(found, [6]);
        assert_eq!(grid.blocks_of(Quad::new(5, 2, 0)).count(), 0);
        assert_eq!(grid.blocks_of(grid.root()).count(), grid.blocks());
    }
}
