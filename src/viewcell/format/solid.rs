//! The sections of a bundle of a solid level: view cells that are boxes in space.
//!
//! Cells are numbered in Morton order of their least corners (x in the lowest bit, then y, then z), and number
//! n is the sample of the bundle's grid whose Morton number is n ([`super::morton`]): 64 cells that follow
//! each other are a block, 4^k are a quad. So `GRID`, `VALD`, `DICT`, `PAIR`, `PIDX`, `TREE` and `TIDX` are
//! those of a terrain. Beside them:
//!
//! `SOLD`, 192 bytes:
//!
//! ```text
//! 0    cells                u32      N, 1 to 2^26
//! 4    solids               u32      opaque convex solids of the level
//! 8    faces                u32      opaque faces that are of no solid
//! 12   buckets              u32 × 3  columns, rows and layers of buckets
//! 24   parts                u32      boxes of objects, numbered after the cells
//! 28   scene                u32      1 where objects are seen, and no players
//! 32   origin               f64 × 3  the least corner of bucket (0, 0, 0)
//! 56   cell size            f64 × 3  of the smallest cells
//! 80   hull                 f64 × 6  least and greatest corner of the body, from the player's origin
//! 128  eye, lowest          f64      height over the player's origin
//! 136  input bytes          u64      length of the file that the level was read from
//! 144  input checksum       u32      its CRC-32
//! 148  axes                 i8 × 3   for x, y and z the axis that is asked with, from 1; negative if opposite
//! 151  units                u8       0 unknown, 1 units of Quake, 2 metres
//! 152  eye, highest         f64      height over the player's origin
//! 160  middle               f64 × 3  where occluders are counted from
//! 184  scale                f64      units of the level in a unit that is asked with
//! ```
//!
//! `SBOX`, 16 bytes a cell: where a player's origin may be that is in the cell.
//!
//! ```text
//! 0    least corner         u16 × 3  in steps of 1/8 of the cell size, from the origin
//! 6    greatest corner      u16 × 3
//! 12   level                u8       the cell is a cube of 2^level smallest cells a side, 0 to 3
//! 13   reserved             3 bytes  0
//! ```
//!
//! `SLOC`, 72 bytes a bucket (8 × 8 × 8 smallest cells), column by column, row by row, layer by layer:
//!
//! ```text
//! 0    first                u32      number of the bucket's first cell
//! 4    reserved             u32      0
//! 8    bitmap               u64 × 8  bit m, in Morton order, where a cell has its least corner
//! ```

use super::bytes::{array_at, f64_at, put, u32_at, u64_at};
use super::error::FormatError;
use super::frame::{Corners, Frame, SolidUnits};
use super::grid::{Grid, Sample};
use super::morton;
use super::tag::Tag;
use super::tree::rank::ones_up_to;

/// Length in bytes of the `SOLD` section.
pub const SOLID_LEN: usize = 192;
/// Length in bytes of a cell in `SBOX`.
pub const BOX_LEN: usize = 16;
/// Length in bytes of a bucket in `SLOC`.
pub const BUCKET_LEN: usize = 72;
/// Greatest number of cells.
pub const MAX_SOLID_CELLS: u32 = 1 << 26;
/// Smallest cells along a side of a bucket, and of the largest cell.
pub const BUCKET_SIDE: u32 = 8;
/// Steps of `SBOX` along a side of the smallest cell.
pub const STEPS: u32 = 8;
/// Greatest number of buckets along an axis: what fits 16 bits of steps.
pub const MAX_BUCKETS: u32 = 65_536 / (BUCKET_SIDE * STEPS) - 1;

/// What a solid bundle is of: the `SOLD` section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidParameters {
    /// Number of cells. Limit: 1 to [`MAX_SOLID_CELLS`].
    pub cells: u32,
    /// Opaque convex solids of the level.
    pub solids: u32,
    /// Opaque faces of the level that are of no solid.
    pub faces: u32,
    /// Parts of objects, numbered after the cells. Limit: with these [`MAX_SOLID_CELLS`]; 0 but in scenes.
    pub parts: u32,
    /// Whether objects are seen from the cells, and no players.
    pub is_scene: bool,
    /// Columns, rows and layers of buckets. Limit: 1 to [`MAX_BUCKETS`] each.
    pub buckets: [u32; 3],
    /// The least corner of the first bucket. [Unit: the level's]
    pub origin: [f64; 3],
    /// Size of the smallest cells. [Unit: the level's] Limit: > 0.
    pub cell: [f64; 3],
    /// The body, from the player's origin. [Unit: the level's]
    pub hull: Corners,
    /// Heights of the eye over the player's origin, from crouched to standing. [Unit: the level's]
    pub eye: [f64; 2],
    /// Occluders are counted from here, so that rounding does not depend on where a level lies. [Unit: the level's]
    pub middle: [f64; 3],
    /// How the coordinates that somebody asks with differ from the level's.
    pub frame: Frame,
    /// What a unit of the level is.
    pub units: SolidUnits,
    /// Length of the file that the level was read from, by which a server knows that a bundle is of its map.
    pub input_bytes: u64,
    /// CRC-32 of that file.
    pub input_crc32: u32,
}

impl SolidParameters {
    /// The grid whose samples the cells are: the smallest of at most two squares of 2^k samples a side
    /// that has room for all numbers.
    pub fn grid_of(cells: u32) -> Option<Grid> {
        let last = cells
            .checked_sub(1)
            .filter(|&last| last < MAX_SOLID_CELLS)?;
        // The last number's quad of each level is full up to it: the greatest column and row of all
        // numbers up to `last` are those with every bit below the highest one set.
        let bits = 32 - last.leading_zeros();
        let columns = 1_u32 << bits.div_ceil(2);
        let rows = 1_u32 << (bits / 2);
        Grid::new(columns, rows).ok()
    }

    /// How many numbers there are: of cells, and then of parts.
    pub const fn numbers(&self) -> u32 {
        self.cells + self.parts
    }

    /// The sample that stands for a cell.
    pub fn sample(cell: u32) -> Sample {
        let (column, row) = morton::place(u64::from(cell));
        Sample::new(column, row)
    }

    /// The cell of a sample.
    pub fn cell_of(sample: Sample) -> u32 {
        morton::number(sample.column, sample.row) as u32
    }

    /// Number of buckets.
    pub fn bucket_count(&self) -> u64 {
        self.buckets.iter().map(|&side| u64::from(side)).product()
    }

    /// The bytes of the section.
    pub fn encode(&self) -> [u8; SOLID_LEN] {
        let mut bytes = [0; SOLID_LEN];
        let words = [self.cells, self.solids, self.faces];
        for (i, word) in words.iter().chain(&self.buckets).enumerate() {
            put(&mut bytes, i * 4, &word.to_le_bytes());
        }
        put(&mut bytes, 24, &self.parts.to_le_bytes());
        put(&mut bytes, 28, &u32::from(self.is_scene).to_le_bytes());
        let numbers = self.origin.iter().chain(&self.cell);
        let [lowest, highest] = &self.eye;
        let numbers = numbers.chain(self.hull.as_flattened()).chain([lowest]);
        for (i, number) in numbers.enumerate() {
            put(&mut bytes, 32 + i * 8, &number.to_le_bytes());
        }
        put(&mut bytes, 136, &self.input_bytes.to_le_bytes());
        put(&mut bytes, 144, &self.input_crc32.to_le_bytes());
        put(&mut bytes, 148, &self.frame.axes.map(i8::cast_unsigned));
        put(&mut bytes, 151, &[self.units.code()]);
        let numbers = [highest].into_iter().chain(&self.middle);
        for (i, number) in numbers.chain([&self.frame.scale]).enumerate() {
            put(&mut bytes, 152 + i * 8, &number.to_le_bytes());
        }
        bytes
    }

    /// The parameters in the bytes of the section.
    ///
    /// # Errors
    ///
    /// Where a field makes no sense, or the length is not that of the section.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let wrong = |field, offset, expected| FormatError::Parameter {
            tag: Tag::SOLD,
            field,
            offset,
            expected,
        };
        let word = |field, offset| u32_at(bytes, offset).ok_or(wrong(field, offset, "4 bytes"));
        let three = |field, offset: usize, good: fn(f64) -> bool, expected| {
            let mut numbers = [0.0; 3];
            for (i, number) in numbers.iter_mut().enumerate() {
                *number = f64_at(bytes, offset + i * 8)
                    .filter(|&number| number.is_finite() && good(number))
                    .ok_or(wrong(field, offset, expected))?;
            }
            Ok(numbers)
        };
        let any = |_: f64| true;
        let cells = word("cells", 0)?;
        if cells == 0 || cells > MAX_SOLID_CELLS {
            return Err(wrong("cells", 0, "1 to 2^26"));
        }
        let (parts, scene) = (word("parts", 24)?, word("scene", 28)?);
        if scene > 1 || parts > MAX_SOLID_CELLS - cells || scene == 0 && parts > 0 {
            return Err(wrong("parts", 24, "2^26 with the cells, of a scene"));
        }
        let buckets = [
            word("buckets", 12)?,
            word("buckets", 16)?,
            word("buckets", 20)?,
        ];
        if !buckets.iter().all(|side| (1..=MAX_BUCKETS).contains(side)) {
            return Err(wrong("buckets", 12, "1 to 1,023 each"));
        }
        let hull = [
            three("hull", 80, any, "finite numbers")?,
            three("hull", 104, any, "finite numbers")?,
        ];
        if hull[0].iter().zip(&hull[1]).any(|(low, high)| low > high) {
            return Err(wrong("hull", 80, "a least corner before the greatest"));
        }
        let finite = |at| f64_at(bytes, at).filter(|number| number.is_finite());
        let low = finite(128).ok_or(wrong("eye", 128, "a finite number"))?;
        let axes = array_at::<3>(bytes, 148).ok_or(wrong("axes", 148, "3 bytes"))?;
        let scale = finite(184).ok_or(wrong("scale", 184, "a positive number"))?;
        let frame = Frame {
            axes: axes.map(u8::cast_signed),
            scale,
        };
        if !frame.is_sound() {
            let expected = "each axis once, and a positive scale, which levels of before have not";
            return Err(wrong("axes", 148, expected));
        }
        let high = finite(152).ok_or(wrong("eye", 152, "a finite number"))?;
        if low > high {
            return Err(wrong("eye", 152, "at least the lowest"));
        }
        let code = array_at::<1>(bytes, 151).and_then(|[code]| SolidUnits::from_code(code));
        Ok(Self {
            cells,
            solids: word("solids", 4)?,
            faces: word("faces", 8)?,
            parts,
            is_scene: scene == 1,
            buckets,
            origin: three("origin", 32, any, "finite numbers")?,
            cell: three("cell size", 56, |size| size > 0.0, "positive numbers")?,
            hull,
            eye: [low, high],
            middle: three("middle", 160, any, "finite numbers")?,
            frame,
            units: code.ok_or(wrong("units", 151, "0 to 2"))?,
            input_bytes: u64_at(bytes, 136).ok_or(wrong("input bytes", 136, "8 bytes"))?,
            input_crc32: word("input checksum", 144)?,
        })
    }
}

/// One cell as `SBOX` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBox {
    /// Least corner, in steps from the origin.
    pub low: [u16; 3],
    /// Greatest corner, in steps from the origin.
    pub high: [u16; 3],
    /// The cell is a cube of 2^level smallest cells. Limit: 0 to 3.
    pub level: u8,
}

impl CellBox {
    /// Its bytes.
    pub fn encode(&self) -> [u8; BOX_LEN] {
        let mut bytes = [0; BOX_LEN];
        for (i, number) in self.low.iter().chain(&self.high).enumerate() {
            put(&mut bytes, i * 2, &number.to_le_bytes());
        }
        put(&mut bytes, 12, &[self.level]);
        bytes
    }

    #[inline(always)]
    fn parse(bytes: &[u8], at: usize) -> Option<Self> {
        let [a, b, c, d, e, f, g, h, i, j, k, l, level, ..] = array_at::<BOX_LEN>(bytes, at)?;
        let corner = |pairs: [[u8; 2]; 3]| pairs.map(u16::from_le_bytes);
        Some(Self {
            low: corner([[a, b], [c, d], [e, f]]),
            high: corner([[g, h], [i, j], [k, l]]),
            level,
        })
    }
}

/// A bucket as `SLOC` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Number of its first cell.
    pub first: u32,
    /// Where cells have their least corners, in Morton order.
    pub bitmap: [u64; 8],
}

impl Bucket {
    /// Its bytes.
    pub fn encode(&self) -> [u8; BUCKET_LEN] {
        let mut bytes = [0; BUCKET_LEN];
        put(&mut bytes, 0, &self.first.to_le_bytes());
        for (i, word) in self.bitmap.iter().enumerate() {
            put(&mut bytes, 8 + i * 8, &word.to_le_bytes());
        }
        bytes
    }

    /// Number of its cells.
    pub fn cells(&self) -> u32 {
        self.bitmap.iter().map(|word| word.count_ones()).sum()
    }
}

/// The Morton number of a smallest cell in its bucket: x in the lowest bit, then y, then z.
pub const fn morton3(x: u32, y: u32, z: u32) -> u32 {
    const fn spread(v: u32) -> u32 {
        v & 1 | (v & 2) << 2 | (v & 4) << 4
    }
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// The cells of a solid bundle: their boxes, and which holds a position.
#[derive(Clone, Copy, Debug)]
pub struct SolidCells<'a> {
    parameters: SolidParameters,
    boxes: &'a [u8],
    buckets: &'a [u8],
}

impl<'a> SolidCells<'a> {
    /// Cells by the bytes of `SBOX` and `SLOC`, each of the length that the parameters ask for.
    pub const fn new(parameters: SolidParameters, boxes: &'a [u8], buckets: &'a [u8]) -> Self {
        Self {
            parameters,
            boxes,
            buckets,
        }
    }

    /// The `SOLD` section.
    pub const fn parameters(&self) -> &SolidParameters {
        &self.parameters
    }

    /// The record of a cell; `None` for one that is not there.
    #[inline]
    pub fn record(&self, cell: u32) -> Option<CellBox> {
        CellBox::parse(self.boxes, (cell as usize).checked_mul(BOX_LEN)?)
    }

    /// The positions of a player's origin that a cell stands for; `None` for one that is not there.
    #[inline]
    pub fn bounds(&self, cell: u32) -> Option<Corners> {
        Some(self.corners(self.record(cell)?))
    }

    #[inline]
    fn corners(&self, record: CellBox) -> Corners {
        let SolidParameters { origin, cell, .. } = &self.parameters;
        let corner = |steps: [u16; 3]| {
            let mut corner = *origin;
            for ((at, size), steps) in corner.iter_mut().zip(cell).zip(steps) {
                *at += f64::from(steps) * (size / f64::from(STEPS));
            }
            corner
        };
        [corner(record.low), corner(record.high)]
    }

    /// The bucket at (column, row, layer); `None` outside.
    #[inline(always)]
    pub fn bucket(&self, place: [u32; 3]) -> Option<Bucket> {
        let bytes = self.buckets.get(self.bucket_at(place)?..)?;
        let bytes = bytes.first_chunk::<BUCKET_LEN>()?;
        let (words, _) = bytes.as_chunks::<8>();
        let &[[a, b, c, d, ..], ref bitmap @ ..] = words.first_chunk::<9>()?;
        Some(Bucket {
            first: u32::from_le_bytes([a, b, c, d]),
            bitmap: bitmap.map(u64::from_le_bytes),
        })
    }

    #[inline(always)]
    fn bucket_at(&self, place: [u32; 3]) -> Option<usize> {
        let [columns, rows, layers] = self.parameters.buckets;
        let [column, row, layer] = place;
        if column >= columns || row >= rows || layer >= layers {
            return None;
        }
        let number = (layer as usize * rows as usize + row as usize) * columns as usize;
        (number + column as usize).checked_mul(BUCKET_LEN)
    }

    /// The smallest cell that a position lies in, along each axis; `None` outside the buckets.
    #[inline(always)]
    fn smallest(&self, position: [f64; 3]) -> Option<[u32; 3]> {
        let SolidParameters {
            origin,
            cell,
            buckets,
            ..
        } = &self.parameters;
        let mut place = [0; 3];
        let axes = origin.iter().zip(cell).zip(buckets).zip(position);
        for (place, (((origin, size), &buckets), at)) in place.iter_mut().zip(axes) {
            let at = (at - origin) / size;
            if !(at >= 0.0 && at < f64::from(buckets * BUCKET_SIDE)) {
                return None;
            }
            *place = at as u32;
        }
        Some(place)
    }

    /// The cell that a player is in whose origin is at a position; `None` where nobody was expected to
    /// be: who is there may be seen by all, and sees all. Constant time.
    #[inline]
    pub fn locate(&self, position: [f64; 3]) -> Option<u32> {
        let place = self.smallest(position)?;
        let Bucket { first, bitmap } = self.bucket(place.map(|side| side / BUCKET_SIDE))?;
        let [x, y, z] = place.map(|side| side % BUCKET_SIDE);
        let begun = ones_up_to(bitmap, morton3(x, y, z));
        let cell = first.checked_add(begun.checked_sub(1)?)?;
        let [low, high] = self.bounds(cell)?;
        let mut sides = low.into_iter().zip(high).zip(position);
        let holds = sides.all(|((low, high), at)| low <= at && at <= high);
        (holds && cell < self.parameters.cells).then_some(cell)
    }

    /// The first and last smallest cell along each axis that a box may meet, a little more than it meets; `None` where
    /// it meets none.
    pub fn near(&self, [low, high]: Corners) -> Option<[[u32; 3]; 2]> {
        /// How far beyond a cell still counts as in it, for positions that were rounded. [Unit: cells]
        const SLACK: f64 = 1.0 / 64.0;
        let SolidParameters {
            origin,
            cell,
            buckets,
            ..
        } = &self.parameters;
        let mut range = [[0; 3]; 2];
        let [first, last] = &mut range;
        let axes = origin
            .iter()
            .zip(cell)
            .zip(buckets)
            .zip(low.into_iter().zip(high));
        for ((first, last), (((origin, size), &buckets), (low, high))) in
            first.iter_mut().zip(last).zip(axes)
        {
            let (low, high) = (
                (low - origin) / size - SLACK,
                (high - origin) / size + SLACK,
            );
            let count = buckets * BUCKET_SIDE;
            if high < 0.0 || low >= f64::from(count) || low > high {
                return None;
            }
            *first = low.max(0.0) as u32;
            *last = (high as u32).min(count.saturating_sub(1));
        }
        Some(range)
    }

    /// Shows `take` the cells of a bucket that may meet a range of smallest cells ([`SolidCells::near`]), in rising
    /// order: all that do, and some that begin near to it. Ends where `take` returns `None`, or the bytes do.
    #[inline]
    pub fn cells_near(
        &self,
        place: [u32; 3],
        [first, last]: [[u32; 3]; 2],
        mut take: impl FnMut(u32) -> Option<()>,
    ) -> Option<()> {
        let bucket = self.bucket(place)?;
        let mut cell = bucket.first;
        // By axis: the places of a word of the bitmap at which a cell may begin, in words of either half.
        let mut halves = [[0_u64; 2]; 3];
        let axes = first.into_iter().zip(last).zip(place).zip(AT_ZERO);
        for (halves, (((first, last), place), at_zero)) in halves.iter_mut().zip(axes) {
            let begin = place.saturating_mul(BUCKET_SIDE);
            let end = begin.saturating_add(BUCKET_SIDE - 1);
            if last < begin || first > end {
                return Some(());
            }
            let (low, high) = (first.max(begin) - begin, last.min(end) - begin);
            let met = (u8::MAX << low) & (u8::MAX >> (BUCKET_SIDE - 1 - high));
            let begun = begun(met);
            *halves = [begun & 15, begun >> 4].map(|along| places(along, at_zero));
        }
        for (octant, word) in bucket.bitmap.into_iter().enumerate() {
            let of = |(axis, [low, high]): (usize, [u64; 2])| match octant >> axis & 1 {
                0 => low,
                _ => high,
            };
            let halves = halves.into_iter().enumerate().map(of);
            let mut met = halves.fold(word, |met, places| met & places);
            while met != 0 {
                let before = word & (met & met.wrapping_neg()).wrapping_sub(1);
                take(cell.saturating_add(before.count_ones()))?;
                met &= met - 1;
            }
            cell = cell.saturating_add(word.count_ones());
        }
        Some(())
    }
}

/// At which of 8 places along an axis, a bit each, cells of any level begin that have a part at some of the places
/// `met`: those themselves, and what they are in of pairs, of fours and of all eight.
const fn begun(met: u8) -> u8 {
    let pairs = (met | met >> 1) & 0x55;
    let fours = (pairs | pairs >> 2) & 0x11;
    met | pairs | fours | (fours | fours >> 4) & 1
}

/// By axis: the places of a word of a bucket's bitmap that lie at 0 of 4 along it, and how many bits behind them those at
/// 1 lie; those at 2 lie 8 times as far behind.
const AT_ZERO: [(u64, u32); 3] = [
    (0x0055_0055_0055_0055, 1),
    (0x0000_3333_0000_3333, 2),
    (0x0000_0000_0F0F_0F0F, 4),
];

/// The places of a word of a bucket's bitmap that lie, along an axis, at some of 4 places, a bit each.
const fn places(along: u8, (at_zero, step): (u64, u32)) -> u64 {
    let along = along as u64;
    let behind = along & 1 | (along >> 1 & 1) << step;
    at_zero * (behind | (along >> 2 & 1 | (along >> 3 & 1) << step) << (8 * step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_room_for_all_numbers_and_no_square_more() {
        for cells in [1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 44_000, 1 << 20] {
            let grid = SolidParameters::grid_of(cells).unwrap();
            for cell in [0, cells / 2, cells - 1] {
                let sample = SolidParameters::sample(cell);
                assert!(grid.has_sample(sample), "{cell} of {cells}");
                assert_eq!(SolidParameters::cell_of(sample), cell);
            }
            assert!(grid.samples() < 2 * u64::from(cells) || cells < 3);
        }
        assert!(SolidParameters::grid_of(0).is_none());
    }

    #[test]
    fn parameters_come_back_and_nonsense_is_refused() {
        let parameters = SolidParameters {
            cells: 5,
            solids: 7,
            faces: 9,
            parts: 11,
            is_scene: true,
            buckets: [1, 2, 3],
            origin: [-1.0, 2.5, 3.0],
            cell: [32.0, 32.0, 48.0],
            hull: [[-15.0, -15.0, -24.0], [15.0, 15.0, 32.0]],
            eye: [12.0, 26.0],
            middle: [2_600_000.0, 1_200_000.0, 400.0],
            frame: Frame {
                axes: [-1, 3, 2],
                scale: 0.01,
            },
            units: SolidUnits::Metres,
            input_bytes: 1 << 33,
            input_crc32: 0xdead_beef,
        };
        let bytes = parameters.encode();
        assert_eq!(SolidParameters::parse(&bytes), Ok(parameters));
        for (at, bad) in [
            (0, 0_u32.to_le_bytes()),
            (12, 0_u32.to_le_bytes()),
            (60, 0x7ff8_0000_u32.to_le_bytes()),
            (132, 0x7ff8_0000_u32.to_le_bytes()),
            (148, [1, 2, 2, 1]),
            (148, [1, 2, 4, 1]),
            (148, [1, 2, 3, 3]),
            (156, 0_u32.to_le_bytes()),
            (164, 0x7ff8_0000_u32.to_le_bytes()),
            (188, 0xbff8_0000_u32.to_le_bytes()),
        ] {
            let mut bytes = bytes;
            put(&mut bytes, at, &bad);
            assert!(SolidParameters::parse(&bytes).is_err(), "{at}");
        }
        for length in 0..SOLID_LEN {
            assert!(SolidParameters::parse(&bytes[..length]).is_err());
        }
    }
}
