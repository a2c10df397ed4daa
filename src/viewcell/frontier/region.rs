//! One half of a frontier set.

use core::fmt;

use crate::format::bytes::{read_varint, write_varint};
use crate::format::grid::{BLOCK_LEVEL, quad_mask};
use crate::format::{Grid, Quad, Sample};

/// The samples of one half of a frontier set: where one player may be without hearing of the
/// other.
#[derive(Clone, Copy, Debug)]
pub struct Region<'w> {
    grid: Grid,
    /// Columns and rows of the blocks that `words` has.
    columns: (u32, u32),
    rows: (u32, u32),
    words: &'w [u64],
    area: u64,
}

impl<'w> Region<'w> {
    /// A block bitmap of a whole grid with `area` ones.
    pub(super) fn whole(grid: Grid, words: &'w [u64], area: u64) -> Self {
        let (columns, rows) = grid.block_shape();
        Self {
            grid,
            columns: (0, columns),
            rows: (0, rows),
            words,
            area,
        }
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of samples in it.
    pub fn area(&self) -> u64 {
        self.area
    }

    /// Whether it has no sample: the players see each other.
    pub fn is_empty(&self) -> bool {
        self.area == 0
    }

    /// Whether a sample is in it; `false` outside the grid. Constant time, no allocation.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        let bit = (sample.row & 7) << 3 | sample.column & 7;
        self.block(sample.column >> 3, sample.row >> 3) >> bit & 1 == 1
    }

    /// The samples of block (column, row), as in a block bitmap; 0 outside the grid.
    #[inline]
    pub fn block(&self, column: u32, row: u32) -> u64 {
        let ((west, east), (north, south)) = (self.columns, self.rows);
        if column < west || column >= east || row < north || row >= south {
            return 0;
        }
        let at = (row - north) as usize * (east - west) as usize + (column - west) as usize;
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Its samples, block by block.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<'w> {
        let region = *self;
        let ((west, east), (north, south)) = (self.columns, self.rows);
        (north..south)
            .flat_map(move |row| (west..east).map(move |column| (column, row)))
            .flat_map(move |(column, row)| {
                let word = region.block(column, row);
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3))
            })
    }

    /// A copy that lives on when the builder goes on to the next set: the bounding rectangle of
    /// its blocks.
    pub fn to_frontier(&self) -> Frontier {
        let blocks = || {
            let ((west, east), (north, south)) = (self.columns, self.rows);
            (north..south)
                .flat_map(move |row| (west..east).map(move |column| (column, row)))
                .filter(|&(column, row)| self.block(column, row) != 0)
        };
        let span = |of: fn((u32, u32)) -> u32| {
            let least = blocks().map(of).min().unwrap_or(0);
            let end = blocks().map(of).max().map_or(0, |last| last + 1);
            (least, end)
        };
        let (columns, rows) = (span(|b| b.0), span(|b| b.1));
        let words = (rows.0..rows.1)
            .flat_map(|row| (columns.0..columns.1).map(move |column| self.block(column, row)))
            .collect();
        Frontier {
            grid: self.grid,
            columns,
            rows,
            words,
            area: self.area,
        }
    }

    /// What part of a quad's samples is in the region: `None` for some of them.
    fn part(&self, quad: Quad) -> Option<bool> {
        let (mut some, mut gap) = (false, false);
        if quad.level < BLOCK_LEVEL {
            let down = BLOCK_LEVEL - quad.level;
            let (column, row) = (quad.column >> down, quad.row >> down);
            let samples = quad_mask(quad) & self.grid.block_mask(column, row);
            let word = self.block(column, row) & samples;
            (some, gap) = (word != 0, word != samples);
        } else {
            let up = quad.level - BLOCK_LEVEL;
            let (columns, rows) = self.grid.block_shape();
            let range = |at: u32, most: u32| at << up..((at + 1) << up).min(most);
            for row in range(quad.row, rows) {
                for column in range(quad.column, columns) {
                    let word = self.block(column, row);
                    some |= word != 0;
                    gap |= word != self.grid.block_mask(column, row);
                }
                if some && gap {
                    break;
                }
            }
        }
        (some != gap).then_some(some)
    }

    /// Its compact serialised form, for [`Frontier::decode`]: some hundred bytes.
    ///
    /// ```text
    /// 1 byte      1, the version of this form
    /// 2 varints   columns and rows of the grid (LEB128)
    /// bits        from the low bits of each byte on: the quadtree depth first from the root,
    ///             children north-west, north-east, south-west, south-east, without quads outside
    ///             the grid. 0: no sample of the quad. 1 0: all. 1 1: some, its children follow.
    ///             A single sample is one bit
    /// zeros       up to a whole byte
    /// ```
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        for side in [self.grid.width(), self.grid.height()] {
            let (varint, length) = write_varint(side);
            bytes.extend(varint.iter().take(length));
        }
        let mut bits = BitWriter { bytes, free: 0 };
        self.encode_quad(self.grid.root(), &mut bits);
        bits.bytes
    }

    fn encode_quad(&self, quad: Quad, bits: &mut BitWriter) {
        match self.part(quad) {
            Some(false) => bits.put(false),
            Some(true) if quad.level == 0 => bits.put(true),
            part => {
                bits.put(true);
                bits.put(part.is_none());
                if part.is_none() {
                    for child in children(self.grid, quad) {
                        self.encode_quad(child, bits);
                    }
                }
            }
        }
    }
}

/// The children of a quad that lie in the grid.
fn children(grid: Grid, quad: Quad) -> impl Iterator<Item = Quad> {
    let children = (0..4).filter_map(move |index| quad.child(index));
    children.filter(move |&child| grid.has_quad(child))
}

const VERSION: u8 = 1;

struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are free.
    free: u32,
}

impl BitWriter {
    fn put(&mut self, bit: bool) {
        if self.free == 0 {
            self.bytes.push(0);
            self.free = 8;
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (8 - self.free);
        }
        self.free -= 1;
    }
}

/// Why bytes are no frontier of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrontierCodeError {
    /// They begin with another version.
    Version,
    /// They are of a grid with other sides.
    OtherGrid,
    /// They end early.
    Short,
    /// There are more of them than the region takes.
    Long,
}

impl fmt::Display for FrontierCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => {
                "expected a frontier of version 1, found another (or no frontier at all); both \
                 ends must use the same release"
            }
            Self::OtherGrid => "the frontier is of a grid with other sides: use the same bundle",
            Self::Short => "the frontier ends early: send all of its bytes",
            Self::Long => "there are bytes behind the frontier: send its own alone",
        })
    }
}

impl std::error::Error for FrontierCodeError {}

/// A region that stands by itself: what a peer keeps of its own half, or sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontier {
    grid: Grid,
    columns: (u32, u32),
    rows: (u32, u32),
    words: Vec<u64>,
    area: u64,
}

impl Frontier {
    /// The region.
    pub fn region(&self) -> Region<'_> {
        Region {
            grid: self.grid,
            columns: self.columns,
            rows: self.rows,
            words: &self.words,
            area: self.area,
        }
    }

    /// Whether a sample is in it. Constant time, no allocation.
    #[inline]
    pub fn contains(&self, sample: Sample) -> bool {
        self.region().contains(sample)
    }

    /// The blocks that have some of its samples, and which, as words of a block bitmap.
    pub fn blocks(&self) -> impl Iterator<Item = ((u32, u32), u64)> {
        let region = self.region();
        let ((west, east), (north, south)) = (self.columns, self.rows);
        let places = (north..south).flat_map(move |row| (west..east).map(move |c| (c, row)));
        let blocks = places.map(move |(column, row)| ((column, row), region.block(column, row)));
        blocks.filter(|&(_, word)| word != 0)
    }

    /// Number of samples in it.
    pub fn area(&self) -> u64 {
        self.area
    }

    /// The region that [`Region::encode`] wrote. That its samples are mutually invisible with another's is
    /// for the sender to know.
    ///
    /// # Errors
    ///
    /// Where the bytes are of another grid, or no whole region of it.
    pub fn decode(grid: Grid, bytes: &[u8]) -> Result<Self, FrontierCodeError> {
        use FrontierCodeError::{Long, OtherGrid, Short, Version};
        let (&version, rest) = bytes.split_first().ok_or(Short)?;
        if version != VERSION {
            return Err(Version);
        }
        let (width, rest) = read_varint(rest).ok_or(Short)?;
        let (height, rest) = read_varint(rest).ok_or(Short)?;
        if (width, height) != (grid.width(), grid.height()) {
            return Err(OtherGrid);
        }
        let mut words = vec![0; grid.blocks()];
        let mut bits = BitReader { bytes: rest, at: 0 };
        decode_quad(grid, grid.root(), &mut bits, &mut words).ok_or(Short)?;
        if bits.at.div_ceil(8) != rest.len() {
            return Err(Long);
        }
        let area = words.iter().map(|word| u64::from(word.count_ones())).sum();
        Ok(Region::whole(grid, &words, area).to_frontier())
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn take(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1 == 1;
        self.at += 1;
        Some(bit)
    }
}

fn decode_quad(grid: Grid, quad: Quad, bits: &mut BitReader<'_>, words: &mut [u64]) -> Option<()> {
    if !bits.take()? {
        return Some(());
    }
    if quad.level > 0 && bits.take()? {
        for child in children(grid, quad) {
            decode_quad(grid, child, bits, words)?;
        }
        return Some(());
    }
    let (columns, rows) = grid.block_shape();
    let (up, down) = (
        quad.level.saturating_sub(BLOCK_LEVEL),
        BLOCK_LEVEL.saturating_sub(quad.level),
    );
    let range = |at: u32, most: u32| at >> down << up..(((at >> down) + 1) << up).min(most);
    for row in range(quad.row, rows) {
        for column in range(quad.column, columns) {
            let at = row as usize * columns as usize + column as usize;
            if let Some(word) = words.get_mut(at) {
                *word |= quad_mask(quad) & grid.block_mask(column, row);
            }
        }
    }
    Some(())
}
