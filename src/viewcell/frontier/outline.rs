//! Outline of a set of samples: which quads it meets, and which it fills.

use crate::format::bits;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Grid, Quad};

/// How the quads of a grid are numbered that outlines tell of: blocks and what is larger.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    grid: Grid,
    /// The first quad of each level, from that of blocks on, and its quads a row.
    levels: Vec<(usize, usize)>,
    count: usize,
}

impl Numbers {
    pub(super) fn new(grid: Grid) -> Self {
        let (mut levels, mut count) = (Vec::new(), 0);
        for level in BLOCK_LEVEL..grid.levels() {
            let (columns, rows) = grid.quads_at(level);
            levels.push((count, columns as usize));
            count += columns as usize * rows as usize;
        }
        Self {
            grid,
            levels,
            count,
        }
    }

    /// The number of a quad of the grid, of the level of blocks or above.
    pub(super) fn of(&self, quad: Quad) -> Option<usize> {
        let level = quad.level.checked_sub(BLOCK_LEVEL)? as usize;
        let (first, columns) = self.levels.get(level)?;
        let is_there = self.grid.has_quad(quad);
        is_there.then(|| first + quad.row as usize * columns + quad.column as usize)
    }

    /// All of them of one level.
    fn at(&self, level: u32) -> impl Iterator<Item = (usize, Quad)> {
        let (columns, rows) = self.grid.quads_at(level);
        let level_at = (level - BLOCK_LEVEL) as usize;
        let first = self.levels.get(level_at).map_or(0, |(first, _)| *first);
        let quads = (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)));
        (first..).zip(quads.map(move |(column, row)| Quad::new(level, column, row)))
    }
}

/// Of which quads a set has some samples, and of which all that are terrain.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    some: Box<[u64]>,
    all: Box<[u64]>,
}

impl Outline {
    pub(super) fn none(numbers: &Numbers) -> Self {
        let bits = || vec![0; numbers.count.div_ceil(64)].into();
        Self {
            some: bits(),
            all: bits(),
        }
    }

    /// The outline of a set, and of terrain, both as block bitmaps.
    pub(super) fn of(words: &[u64], terrain: &[u64], numbers: &Numbers) -> Self {
        // Of which quads something is in the set, and of which something is not.
        let (mut some, mut gap) = (Self::none(numbers).some, Self::none(numbers).some);
        // Blocks are numbered as they lie in a bitmap.
        for (index, (word, terrain)) in words.iter().zip(terrain).enumerate() {
            put(&mut some, index, word & terrain != 0);
            put(&mut gap, index, terrain & !word != 0);
        }
        for level in BLOCK_LEVEL + 1..numbers.grid.levels() {
            for (index, quad) in numbers.at(level) {
                for child in (0..4).filter_map(|child| numbers.of(quad.child(child)?)) {
                    for bits in [&mut some, &mut gap] {
                        let is_on = bits::has(bits, child);
                        put(bits, index, is_on);
                    }
                }
            }
        }
        let all = some.iter().zip(&gap).map(|(some, gap)| some & !gap);
        let all = all.collect();
        Self { some, all }
    }

    /// Takes in another: of what both sets have together, [`Outline::has_all`] may say less than there
    /// is.
    pub(super) fn put_all(&mut self, other: &Self) {
        for (bits, others) in [(&mut self.some, &other.some), (&mut self.all, &other.all)] {
            bits.iter_mut()
                .zip(others)
                .for_each(|(word, other)| *word |= other);
        }
    }

    pub(super) fn clear(&mut self) {
        self.some.fill(0);
        self.all.fill(0);
    }

    /// Whether some of a quad is in the set.
    pub(super) fn has_some(&self, number: usize) -> bool {
        bits::has(&self.some, number)
    }

    /// Whether all of a quad is.
    pub(super) fn has_all(&self, number: usize) -> bool {
        bits::has(&self.all, number)
    }
}

fn put(bits: &mut [u64], number: usize, on: bool) {
    if let Some(word) = bits.get_mut(number / 64) {
        *word |= u64::from(on) << (number % 64);
    }
}
