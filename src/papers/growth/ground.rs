//! Sets of samples as block bitmaps, over the terrain of a bundle.

use viewcell::format::ReadPvs;
use viewcell::query::{Answer, Grid, Leaf, Pvs, Quad, Sample, TerrainBundle};

const BLOCK_LEVEL: u32 = 3;
const COLUMN_0: u64 = 0x0101_0101_0101_0101;
const COLUMN_7: u64 = COLUMN_0 << 7;

/// Where there is terrain, and what is done to sets of it: bitmaps as of [`Pvs::expand`].
#[derive(Debug)]
pub(super) struct Ground {
    grid: Grid,
    columns: usize,
    words: Vec<u64>,
}

impl Ground {
    pub(super) fn new(terrain: &TerrainBundle<'_>) -> Self {
        let (grid, valid) = (terrain.grid(), terrain.valid());
        let (columns, rows) = grid.block_shape();
        let block = |row| (0..columns).map(move |column| valid.block(column, row));
        Self {
            grid,
            columns: columns as usize,
            words: (0..rows).flat_map(block).collect(),
        }
    }

    /// The empty set.
    pub(super) fn none(&self) -> Vec<u64> {
        vec![0; self.words.len()]
    }

    /// The terrain that is not in a set.
    fn rest(&self, set: &[u64]) -> Vec<u64> {
        let words = self.words.iter().zip(set);
        words.map(|(ground, set)| ground & !set).collect()
    }

    /// A set without the samples from which `margin` steps, straight or diagonal, lead to terrain outside it.
    pub(super) fn core(&self, set: &[u64], margin: u32) -> Vec<u64> {
        let mut outside = self.rest(set);
        for _ in 0..margin.min(self.grid.width() + self.grid.height()) {
            let next = |i: usize| {
                (spread(outside[i], true) | self.beside(&outside, i, true)) & self.words[i]
            };
            outside = (0..outside.len()).map(next).collect();
        }
        self.rest(&outside)
    }

    /// All that is not closed and connected to a set joins it; returns how many samples it has then.
    pub(super) fn flood(&self, set: &mut [u64], closed: &[u64], eight: bool) -> u64 {
        let mut grows = true;
        while grows {
            grows = false;
            for index in (0..set.len()).chain((0..set.len()).rev()) {
                let open = self.words[index] & !closed[index];
                if open & !set[index] == 0 {
                    continue;
                }
                let before = set[index];
                let mut now = before | self.beside(set, index, eight) & open;
                loop {
                    let next = now | spread(now, eight) & open;
                    if next == now {
                        break;
                    }
                    now = next;
                }
                set[index] = now;
                grows |= now != before;
            }
        }
        set.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Hands the visible samples of a PVS over, block by block, until `take` says `false`.
    pub(super) fn each_block(
        &self,
        pvs: &Pvs<'_>,
        mut take: impl FnMut(usize, u64) -> bool,
    ) -> bool {
        pvs.sweep(|leaf| self.hand_over(leaf, &mut take))
    }

    pub(super) fn hand_over(&self, leaf: Leaf, take: &mut impl FnMut(usize, u64) -> bool) -> bool {
        let (quad, bits) = match leaf {
            Leaf::Block(quad, bits) => (quad, bits),
            Leaf::Visible(quad) => (quad, !0),
            Leaf::Hidden(_) => return true,
        };
        let mut take = |index: usize| {
            let bits = bits & self.words[index];
            bits == 0 || take(index, bits)
        };
        !self.grid.has_quad(quad) || self.blocks(quad).all(|(index, _)| take(index))
    }

    /// The blocks of a quad of the grid, and the bits of each that are in it.
    fn blocks(&self, quad: Quad) -> impl Iterator<Item = (usize, u64)> + use<> {
        let columns = self.columns;
        let block = |at: u32| at << quad.level >> BLOCK_LEVEL;
        let side = 1 << quad.level.saturating_sub(BLOCK_LEVEL);
        let across = block(quad.column)..(block(quad.column) + side).min(columns as u32);
        let rows = (self.words.len() / columns) as u32;
        let down = block(quad.row)..(block(quad.row) + side).min(rows);
        let bits = mask(quad);
        down.flat_map(move |row| {
            across
                .clone()
                .map(move |column| (row as usize * columns + column as usize, bits))
        })
    }

    /// What part of a quad's terrain is in a set. `None` if it has no terrain.
    pub(super) fn state(&self, set: &[u64], quad: Quad) -> Option<Answer> {
        let (mut some, mut gap) = (false, false);
        for (index, bits) in self.blocks(quad) {
            let terrain = self.words[index] & bits;
            some |= set[index] & terrain != 0;
            gap |= !set[index] & terrain != 0;
            if some && gap {
                return Some(Answer::Mixed);
            }
        }
        match (some, gap) {
            (false, false) => None,
            (false, true) => Some(Answer::Hidden),
            (true, _) => Some(Answer::Visible),
        }
    }

    /// Takes in the terrain of a quad; how many samples are new.
    pub(super) fn add(&self, set: &mut [u64], quad: Quad) -> u64 {
        let mut new = 0;
        for (index, bits) in self.blocks(quad) {
            let bits = self.words[index] & bits;
            new += u64::from((bits & !set[index]).count_ones());
            set[index] |= bits;
        }
        new
    }

    /// Lossy merging (thesis section 3.3): quads mixed in both are looked into; hidden in both they stay hidden; any
    /// other becomes visible as a whole.
    pub(super) fn merge_lossy(&self, into: &mut [u64], joining: &[u64], quad: Quad) {
        use Answer::{Hidden, Mixed};
        match (self.state(into, quad), self.state(joining, quad)) {
            (None, _) | (_, None) | (Some(Hidden), Some(Hidden)) => {}
            (Some(Mixed), Some(Mixed)) => {
                let children = (0..4).filter_map(|index| quad.child(index));
                for child in children.filter(|child| self.grid.has_quad(*child)) {
                    self.merge_lossy(into, joining, child);
                }
            }
            _ => {
                self.add(into, quad);
            }
        }
    }

    /// Whether a sample next to a quad, over a side or, if `eight` says so, over a corner, is in a set.
    pub(super) fn touches(&self, set: &[u64], quad: Quad, eight: bool) -> bool {
        let has = |column: i64, row: i64| {
            let (Ok(column), Ok(row)) = (column.try_into(), row.try_into()) else {
                return false;
            };
            has(self.grid, set, Sample::new(column, row))
        };
        let length = 1i64 << quad.level;
        let (west, north) = (
            i64::from(quad.column) << quad.level,
            i64::from(quad.row) << quad.level,
        );
        let (east, south) = (west + length, north + length);
        // With corners, a step further on either side.
        let wider = i64::from(eight);
        (west - wider..east + wider).any(|c| has(c, north - 1) || has(c, south))
            || (north..south).any(|row| has(west - 1, row) || has(east, row))
    }

    /// The samples of a block next to samples of the blocks beside it.
    fn beside(&self, set: &[u64], index: usize, eight: bool) -> u64 {
        let (columns, column) = (self.columns, index % self.columns);
        let word = |dx: isize, dy: isize| {
            let is_inside = column.wrapping_add_signed(dx) < columns;
            let at = index.checked_add_signed(dx + dy * columns as isize);
            at.filter(|_| is_inside)
                .and_then(|at| set.get(at).copied())
                .unwrap_or(0)
        };
        let mut found = 0;
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            if (dx, dy) == (0, 0) || !eight && dx != 0 && dy != 0 {
                continue;
            }
            // What lies beside comes in over one side; over a corner it comes in from a corner.
            let word = word(dx, dy);
            let across = match dx {
                -1 => (word & COLUMN_7) >> 7,
                1 => (word & COLUMN_0) << 7,
                _ => word,
            };
            let moved = match dy {
                -1 => across >> 56,
                1 => across << 56,
                _ => across,
            };
            found |= match (eight, dx, dy) {
                (true, 0, _) => moved | (moved & !COLUMN_7) << 1 | (moved & !COLUMN_0) >> 1,
                (true, _, 0) => moved | moved << 8 | moved >> 8,
                _ => moved,
            };
        }
        found
    }
}

/// Whether a sample is in a block bitmap; `false` outside the grid.
pub fn has(grid: Grid, words: &[u64], sample: Sample) -> bool {
    let (index, bit) = grid.block_bit(sample);
    grid.has_sample(sample) && words[index] >> bit & 1 == 1
}

/// The samples of a block that are in a quad.
fn mask(quad: Quad) -> u64 {
    if quad.level >= BLOCK_LEVEL {
        return !0;
    }
    let (side, inside) = (1 << quad.level, (1 << (BLOCK_LEVEL - quad.level)) - 1);
    let row = ((1u64 << side) - 1) << ((quad.column & inside) * side);
    (0..side).fold(0, |all, at| {
        all | row << (8 * ((quad.row & inside) * side + at))
    })
}

/// The samples of a block next to samples of the same block.
fn spread(word: u64, eight: bool) -> u64 {
    let row = word | (word & !COLUMN_7) << 1 | (word & !COLUMN_0) >> 1;
    let tall = if eight { row } else { word };
    row | tall << 8 | tall >> 8
}
