//! A stamp in unit cubes: which of them it takes, slice by slice.
//!
//! A slice of it is a set of bits. Above them stands a pyramid that says of larger squares whether
//! the stamp takes none, some or all of their cubes, so that a quadtree is changed without a look at
//! every cube (Pennings, section 4.3.4, step 2).

use std::ops::Range;

use viewcell::format::bits;

/// What a stamp takes of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Nothing.
    None,
    /// Something, or it is not known how much.
    Some,
    /// All of it.
    All,
}

/// The cubes of a stamp: a box with a bit for each cube, slice by slice, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubes {
    /// Least column, row and slice of the box.
    corner: [i32; 3],
    /// Columns, rows and slices.
    size: [u32; 3],
    /// Words of 64 bits a row; the lowest bit of the first is at a multiple of 64 columns.
    words: u32,
    /// The first word's first column.
    first: i32,
    bits: Vec<u64>,
}

impl Cubes {
    /// None of a box. Its columns and rows are not negative.
    pub fn new(corner: [i32; 3], size: [u32; 3]) -> Self {
        let first = corner[0] & !63;
        let words = (corner[0] - first) as u32 + size[0];
        let words = words.div_ceil(64);
        let count = words as usize * size[1] as usize * size[2] as usize;
        Self {
            corner,
            size,
            words,
            first,
            bits: vec![0; count],
        }
    }

    /// Least column, row and slice of the box.
    pub fn corner(&self) -> [i32; 3] {
        self.corner
    }

    /// Columns, rows and slices of the box.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// The slices that it touches.
    pub fn slices(&self) -> Range<i32> {
        self.corner[2]..self.corner[2] + self.size[2] as i32
    }

    /// Takes the cubes of a row, which lie in the box.
    pub fn take(&mut self, columns: Range<i32>, row: i32, slice: i32) {
        let start = self.row_start(row, slice);
        let from = (columns.start - self.first) as usize;
        let to = (columns.end - self.first) as usize;
        let (mut at, bits) = (from, &mut self.bits[start..start + self.words as usize]);
        while at < to {
            let end = to.min((at | 63) + 1);
            let many = end - at;
            let ones = if many == 64 { !0 } else { (1 << many) - 1 };
            bits[at / 64] |= ones << (at % 64);
            at = end;
        }
    }

    /// Whether it takes a cube.
    pub fn takes(&self, column: i32, row: i32, slice: i32) -> bool {
        let inside = |value: i32, axis: usize| {
            (self.corner[axis]..self.corner[axis] + self.size[axis] as i32).contains(&value)
        };
        if !(inside(column, 0) && inside(row, 1) && inside(slice, 2)) {
            return false;
        }
        let at = (column - self.first) as usize;
        self.bits[self.row_start(row, slice) + at / 64] >> (at % 64) & 1 == 1
    }

    /// How many cubes it takes.
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    fn row_start(&self, row: i32, slice: i32) -> usize {
        let rows = (slice - self.corner[2]) as usize * self.size[1] as usize;
        (rows + (row - self.corner[1]) as usize) * self.words as usize
    }

    fn row(&self, row: u32, slice: u32) -> &[u64] {
        let start = (slice as usize * self.size[1] as usize + row as usize) * self.words as usize;
        &self.bits[start..start + self.words as usize]
    }

    /// Calls `take` for every run of cubes above one another, column by column in no fixed order:
    /// column, row and the slices.
    pub fn runs_up(&self, mut take: impl FnMut(u32, u32, Range<i32>)) {
        let columns = self.words as usize * 64;
        let mut began = vec![0i32; columns * self.size[1] as usize];
        // Where one slice differs from the next, a run begins or ends.
        for slice in 0..=self.size[2] {
            for row in 0..self.size[1] {
                for word in 0..self.words as usize {
                    let bits = |slice: Option<u32>| match slice {
                        Some(slice) if slice < self.size[2] => self.row(row, slice)[word],
                        _ => 0,
                    };
                    let (below, here) = (bits(slice.checked_sub(1)), bits(Some(slice)));
                    for bit in bits::ones(below ^ here) {
                        let column = word * 64 + bit as usize;
                        let began = &mut began[row as usize * columns + column];
                        let z = self.corner[2] + slice as i32;
                        if here >> bit & 1 == 1 {
                            *began = z;
                        } else {
                            let x = (self.first + column as i32) as u32;
                            take(x, (self.corner[1] + row as i32) as u32, *began..z);
                        }
                    }
                }
            }
        }
    }
}

/// One slice of a stamp with the squares above its cubes, to be filled again for each slice.
#[derive(Debug, Default)]
pub struct Pyramid {
    /// Columns and rows of the box that are in use.
    columns: Range<i64>,
    rows: Range<i64>,
    levels: Vec<Level>,
}

/// Squares of `2^level` cubes a side, a bit each.
#[derive(Debug, Default)]
struct Level {
    /// The first bit's column and the first row, in squares.
    first: [i64; 2],
    words: usize,
    /// Squares of which the stamp takes something.
    any: Vec<u64>,
    /// Squares of which it takes all.
    all: Vec<u64>,
}

impl Pyramid {
    /// Looks at a slice of a stamp.
    pub fn fill(&mut self, cubes: &Cubes, slice: i32) {
        let [x, y, _] = cubes.corner.map(i64::from);
        let [width, height, _] = cubes.size.map(i64::from);
        self.columns = x..x + width;
        self.rows = y..y + height;
        // No aligned square that is larger than this lies in the box.
        let top = width.min(height).max(1).ilog2() as usize;
        self.levels.resize_with(top + 1, Level::default);
        let least = i64::from(cubes.first) >> top.max(6) << top.max(6);
        let skipped = ((i64::from(cubes.first) - least) / 64) as usize;
        let first_row = y >> top << top;
        let words = (skipped + cubes.words as usize).next_multiple_of(1 << top.saturating_sub(6));
        let rows = ((y + height - first_row) as usize).next_multiple_of(1 << top);
        let base = &mut self.levels[0];
        base.first = [least, first_row];
        base.words = words;
        base.any.clear();
        base.any.resize(words * rows, 0);
        for row in 0..cubes.size[1] {
            let at = ((y - first_row) as usize + row as usize) * words + skipped;
            let found = cubes.row(row, (slice - cubes.corner[2]) as u32);
            base.any[at..at + found.len()].copy_from_slice(found);
        }
        base.all.clear();
        base.all.extend_from_slice(&base.any);
        for level in 0..top {
            let (below, above) = self.levels.split_at_mut(level + 1);
            above[0].unite(&below[level]);
        }
    }

    /// What the stamp takes of the square of `2^level` cubes a side at (x, y), which is aligned.
    pub fn share(&self, x: u32, y: u32, level: u8) -> Share {
        let side = 1i64 << level;
        let (x, y) = (i64::from(x), i64::from(y));
        if x >= self.columns.end
            || x + side <= self.columns.start
            || y >= self.rows.end
            || y + side <= self.rows.start
        {
            return Share::None;
        }
        let Some(squares) = self.levels.get(usize::from(level)) else {
            return Share::Some;
        };
        let column = ((x >> level) - squares.first[0]) as usize;
        let row = ((y >> level) - squares.first[1]) as usize;
        let (word, bit) = (row * squares.words + column / 64, column % 64);
        if squares.any[word] >> bit & 1 == 0 {
            Share::None
        } else if squares.all[word] >> bit & 1 == 1 {
            Share::All
        } else {
            Share::Some
        }
    }
}

impl Level {
    /// Makes of squares those of twice the side.
    fn unite(&mut self, below: &Self) {
        self.first = below.first.map(|first| first >> 1);
        self.words = below.words.div_ceil(2);
        let rows = below.any.len() / below.words / 2;
        self.any.clear();
        self.all.clear();
        for row in 0..rows {
            let of = |bits: &[u64], half: usize, word: usize| {
                let at = (2 * row + half) * below.words + word;
                if word < below.words { bits[at] } else { 0 }
            };
            for word in 0..self.words {
                let any = |w| halved(of(&below.any, 0, w) | of(&below.any, 1, w), |a, b| a | b);
                let all = |w| halved(of(&below.all, 0, w) & of(&below.all, 1, w), |a, b| a & b);
                self.any.push(any(2 * word) | any(2 * word + 1) << 32);
                self.all.push(all(2 * word) | all(2 * word + 1) << 32);
            }
        }
    }
}

/// Joins each two neighbouring bits into one: 64 become 32.
fn halved(bits: u64, join: impl Fn(u64, u64) -> u64) -> u64 {
    let mut bits = join(bits, bits >> 1) & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    #[test]
    fn the_pyramid_says_what_a_look_at_every_cube_says() {
        let mut dice = Dice(3);
        let mut pyramid = Pyramid::default();
        for _ in 0..300 {
            let corner = [dice.roll(300) as i32, dice.roll(300) as i32, 5];
            let size = [1 + dice.roll(90), 1 + dice.roll(90), 1];
            let mut cubes = Cubes::new(corner, size);
            let dense = dice.roll(3);
            for y in corner[1]..corner[1] + size[1] as i32 {
                for _ in 0..dense * 2 + 1 {
                    let from = dice.roll(size[0]);
                    let to = from + 1 + dice.roll((size[0] - from).min(40 * dense + 4));
                    let to = to.min(size[0]);
                    cubes.take(corner[0] + from as i32..corner[0] + to as i32, y, 5);
                }
            }
            pyramid.fill(&cubes, 5);
            for _ in 0..60 {
                let level = dice.roll(8) as u8;
                let near = |at: i32, dice: &mut Dice| {
                    (at as u32 + dice.roll(100)).saturating_sub(5) >> level << level
                };
                let (x, y) = (near(corner[0], &mut dice), near(corner[1], &mut dice));
                let all = 1u64 << (2 * level);
                let side = 1i32 << level;
                let (x0, y0) = (x as i32, y as i32);
                let places = (y0..y0 + side).flat_map(|y| (x0..x0 + side).map(move |x| (x, y)));
                let taken = places.filter(|&(x, y)| cubes.takes(x, y, 5)).count() as u64;
                let share = pyramid.share(x, y, level);
                match share {
                    Share::None => assert_eq!(taken, 0),
                    Share::All => assert_eq!(taken, all),
                    Share::Some => assert!(taken < all),
                }
                if usize::from(level) < pyramid.levels.len() {
                    assert_eq!(share == Share::None, taken == 0);
                }
            }
        }
    }

    #[test]
    fn runs_up_are_the_cubes() {
        let mut dice = Dice(4);
        let mut cubes = Cubes::new([60, 3, -4], [10, 5, 9]);
        for _ in 0..60 {
            let (x, many) = (60 + dice.roll(9) as i32, 1 + dice.roll(1) as i32);
            cubes.take(
                x..x + many,
                3 + dice.roll(5) as i32,
                dice.roll(9) as i32 - 4,
            );
        }
        let mut again = Cubes::new([60, 3, -4], [10, 5, 9]);
        cubes.runs_up(|x, y, slices| {
            for slice in slices.clone() {
                assert!(!again.takes(x as i32, y as i32, slice));
                again.take(x as i32..x as i32 + 1, y as i32, slice);
            }
            for end in [slices.start - 1, slices.end] {
                assert!(!cubes.takes(x as i32, y as i32, end), "runs are whole");
            }
        });
        assert_eq!(again, cubes);
    }
}
