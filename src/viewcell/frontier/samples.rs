//! Sets of samples as flat block bitmaps, and the one place that reads PVSs for frontiers.
//!
//! Did not pay: PVSs of more than 512 pairs of blocks merged pair by pair (1.6 to 3.5 times the time for 6 to 14 % larger
//! sets); each PVS of a lossy bundle narrowed by the trees of the quads around both ends (eight times the time: what any
//! quad of the set hides is hidden).

use crate::format::grid::{BLOCK_LEVEL, quad_mask};
use crate::format::tree::state_of;
use crate::format::{Answer, Grid, Leaf, Quad, ReadPvs, Sample};
use crate::query::{Pvs, TerrainBundle};

/// Where there is terrain, and how blocks lie in a bitmap.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    grid: Grid,
    /// Blocks a row.
    columns: usize,
    words: Vec<u64>,
}

impl Ground {
    pub(super) fn new(terrain: &TerrainBundle<'_>) -> Self {
        let grid = terrain.grid();
        let (columns, rows) = grid.block_shape();
        let valid = terrain.valid();
        let words = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| valid.block(column, row)))
            .collect();
        Self {
            grid,
            columns: columns as usize,
            words,
        }
    }

    pub(super) fn grid(&self) -> Grid {
        self.grid
    }

    /// Blocks a row of a bitmap.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of words of a bitmap.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The terrain of a block.
    pub(super) fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// The place of the block that holds a quad of level 3 or less.
    pub(super) fn block_of(&self, quad: Quad) -> usize {
        let down = BLOCK_LEVEL.saturating_sub(quad.level);
        (quad.row >> down) as usize * self.columns + (quad.column >> down) as usize
    }

    /// The places of a quad's blocks, a range a row; the quad has level 3 or more.
    pub(super) fn rows_of(&self, quad: Quad) -> impl Iterator<Item = core::ops::Range<usize>> {
        let (across, down) = self.grid.block_range(quad);
        let (start, end, stride) = (across.start as usize, across.end as usize, self.columns);
        down.map(move |row| row as usize * stride + start..row as usize * stride + end)
    }

    /// Hands the visible samples of a PVS over, block by block: place and bits, never 0. Stops
    /// when `take` says `false`; returns whether it never did.
    ///
    /// All that frontiers know of the code of trees is here.
    pub(super) fn each_block(
        &self,
        pvs: &Pvs<'_>,
        take: &mut dyn FnMut(usize, u64) -> bool,
    ) -> bool {
        pvs.sweep(
            #[inline(always)]
            |leaf| self.hand_over(leaf, take),
        )
    }

    /// The blocks of one leaf.
    #[inline(always)]
    fn hand_over(&self, leaf: Leaf, take: &mut (impl FnMut(usize, u64) -> bool + ?Sized)) -> bool {
        match leaf {
            Leaf::Hidden(_) => true,
            // A block outside the grid would be another one's word.
            Leaf::Block(quad, _) | Leaf::Visible(quad) if !self.grid.has_quad(quad) => true,
            Leaf::Block(quad, bits) => {
                let index = self.block_of(quad);
                let bits = bits & self.word(index);
                bits == 0 || take(index, bits)
            }
            Leaf::Visible(quad) => self.rows_of(quad).flatten().all(|index| {
                let bits = self.word(index);
                bits == 0 || take(index, bits)
            }),
        }
    }
}

/// A set of samples of terrain: a word a block, as in [`Pvs::expand`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Samples {
    words: Vec<u64>,
}

impl Samples {
    pub(super) fn none(ground: &Ground) -> Self {
        Self {
            words: vec![0; ground.len()],
        }
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Becomes the terrain that is not in another set.
    pub(super) fn copy_rest(&mut self, other: &Self, ground: &Ground) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word = ground.word(index) & !other.word(index);
        }
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    #[inline]
    pub(super) fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// Whether a sample is in the set; `false` outside the grid.
    pub(super) fn has(&self, ground: &Ground, sample: Sample) -> bool {
        let (index, bit) = ground.grid.block_bit(sample);
        ground.grid.has_sample(sample) && self.word(index) >> bit & 1 == 1
    }

    /// What part of a quad's terrain is in the set: none (hidden), all (visible) or some
    /// (unknown). `None` if the quad has no terrain.
    pub(super) fn state(&self, ground: &Ground, quad: Quad) -> Option<Answer> {
        if quad.level < BLOCK_LEVEL {
            let index = ground.block_of(quad);
            let terrain = ground.word(index) & quad_mask(quad);
            return (terrain != 0).then(|| state_of(self.word(index), terrain));
        }
        // Some sample of terrain in the set, and some that is not.
        let (mut some, mut gap) = (0, 0);
        for range in ground.rows_of(quad) {
            let words = self.words.get(range.clone()).unwrap_or(&[]);
            let terrain = ground.words.get(range).unwrap_or(&[]);
            for (word, terrain) in words.iter().zip(terrain) {
                some |= word & terrain;
                gap |= !word & terrain;
            }
            if some != 0 && gap != 0 {
                return Some(Answer::Mixed);
            }
        }
        match (some != 0, gap != 0) {
            (false, false) => None,
            (false, true) => Some(Answer::Hidden),
            (true, _) => Some(Answer::Visible),
        }
    }

    /// Takes in the terrain of a quad; returns how many samples are new.
    pub(super) fn add(&mut self, ground: &Ground, quad: Quad) -> u64 {
        let mut new = 0;
        let mut put = |word: &mut u64, bits: u64| {
            new += u64::from((bits & !*word).count_ones());
            *word |= bits;
        };
        if quad.level < BLOCK_LEVEL {
            let index = ground.block_of(quad);
            if let Some(word) = self.words.get_mut(index) {
                put(word, ground.word(index) & quad_mask(quad));
            }
        } else {
            for range in ground.rows_of(quad) {
                let words = self.words.get_mut(range.clone()).unwrap_or(&mut []);
                let terrain = ground.words.get(range).unwrap_or(&[]);
                for (word, &terrain) in words.iter_mut().zip(terrain) {
                    put(word, terrain);
                }
            }
        }
        new
    }

    /// Takes in a PVS: lossless merging (thesis section 3.3).
    pub(super) fn merge(&mut self, ground: &Ground, pvs: &Pvs<'_>) {
        ground.each_block(pvs, &mut |index, bits| self.put(index, bits));
    }

    /// Takes in whole blocks for those of a PVS: all that some sample of the quad's own block sees something of.
    pub(super) fn merge_blocks(&mut self, ground: &Ground, pvs: &Pvs<'_>) {
        let mut put = |index, bits| self.put(index, bits);
        pvs.sweep_blocks(|leaf| ground.hand_over(leaf, &mut put));
    }

    /// Takes in samples of a block; goes on.
    #[inline(always)]
    fn put(&mut self, index: usize, bits: u64) -> bool {
        if let Some(word) = self.words.get_mut(index) {
            *word |= bits;
        }
        true
    }

    /// Whether no sample of the set is in a PVS.
    pub(super) fn is_hidden_from(&self, ground: &Ground, pvs: &Pvs<'_>) -> bool {
        ground.each_block(pvs, &mut |index, bits| self.word(index) & bits == 0)
    }

    /// Whether a sample next to a quad, over a side or a corner, is in the set.
    pub(super) fn touches(&self, ground: &Ground, quad: Quad) -> bool {
        let side = 1u64 << quad.level;
        let (west, north) = (
            u64::from(quad.column) << quad.level,
            u64::from(quad.row) << quad.level,
        );
        let (east, south) = (west + side - 1, north + side - 1);
        let (left, right) = (west.saturating_sub(1), east + 1);
        (north > 0 && self.has_any(ground, [left, north - 1], [right, north - 1]))
            || self.has_any(ground, [left, south + 1], [right, south + 1])
            || (west > 0 && self.has_any(ground, [west - 1, north], [west - 1, south]))
            || self.has_any(ground, [east + 1, north], [east + 1, south])
    }

    /// Whether a sample of the rectangle between two samples, both included, is in the set.
    pub(super) fn has_any(&self, ground: &Ground, from: [u64; 2], to: [u64; 2]) -> bool {
        let grid = ground.grid();
        let [west, north] = from;
        let east = to[0].min(u64::from(grid.width()) - 1);
        let south = to[1].min(u64::from(grid.height()) - 1);
        if west > east || north > south {
            return false;
        }
        // The part of `first` to `last` that lies in block `block`, as bits 0 to 7.
        let part = |block: u64, first: u64, last: u64| {
            let start = first.max(block * 8) - block * 8;
            let end = last.min(block * 8 + 7) - block * 8;
            (0xFF_u64 << start) & (0xFF_u64 >> (7 - end))
        };
        for row in north / 8..=south / 8 {
            // A one in the first column of each of these rows.
            let rows = part(row, north, south);
            let rows = (0..8).fold(0, |all, r| all | (rows >> r & 1) << (8 * r));
            for column in west / 8..=east / 8 {
                let mask = rows * part(column, west, east);
                if self.word(row as usize * ground.columns + column as usize) & mask != 0 {
                    return true;
                }
            }
        }
        false
    }

    /// Number of samples.
    pub(super) fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }
}
