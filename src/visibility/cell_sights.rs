//! What is known of cells that see cells, while their samples are looked at.

use super::grown::Grown;
use super::lanes::{LANES, SIDE};
use super::places::Places;
use super::sights::Sights;
use super::square::{DisplacementSquare, Node};
use super::view_block::ViewBlock;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::morton::comes_before;
use crate::format::{Grid, Quad, Sample};
use crate::world::Terrain;

/// What is known of the view cells that are looked from: those of a quad of [`LOOK_LEVEL`] of the
/// heightmap, which are four at level 3, and else one.
pub(super) struct CellSights {
    pub finest: u32,
    /// Of the cells.
    pub grid: Grid,
    /// Where somebody can be, a word a block of cells.
    pub valid: Vec<u64>,
    /// Where somebody can be seen, a word a block of the heightmap.
    samples: Vec<u64>,
    /// Columns of blocks of the heightmap; its columns and rows.
    across: usize,
    size: [i32; 2],
    /// By cell: its highest sample where somebody can be seen.
    peaks: Vec<[i32; 2]>,
    /// By block of the heightmap: its highest sample from where somebody can see.
    block_peaks: Vec<[i32; 2]>,
    /// By view cell and cell: whether it is known to be seen, or is not asked for.
    known: Vec<Vec<bool>>,
    /// By view cell: those that are seen.
    found: Vec<Vec<u32>>,
    /// The view cell that is looked from, or the first of the four.
    first: (u32, u32),
    /// What is known of those that are so far away that quads of cells answer for them.
    grown: Option<Grown>,
}

/// The peak of what has no terrain.
const NOWHERE: [i32; 2] = [-1, -1];

impl CellSights {
    /// For view cells of 2^finest samples a side, `finest` at least [`BLOCK_LEVEL`], of a terrain with
    /// these places; they grow by `grade`, unless that is 0.
    pub fn new(terrain: &Terrain, places: &Places, finest: u32, grade: u32) -> Self {
        let fine = Grid::new(terrain.width(), terrain.height()).expect("a grid of samples");
        let cells = |samples: u32| samples.div_ceil(1 << finest);
        let grid =
            Grid::new(cells(fine.width()), cells(fine.height())).expect("fewer than samples");
        let mut standing = vec![0; grid.blocks()];
        let mut peaks = vec![NOWHERE; grid.samples() as usize];
        let mut block_peaks = vec![NOWHERE; fine.blocks()];
        let across = fine.block_shape().0 as usize;
        let height = |[column, row]: [i32; 2]| match column {
            -1 => f64::NEG_INFINITY,
            _ => terrain.ground_at(column as u32, row as u32),
        };
        for sample in fine.row_by_row() {
            let here = [sample.column as i32, sample.row as i32];
            let (word, bit) = fine.block_bit(sample);
            let [asked, eye, head] = [&places.asked, &places.eyes, &places.heads]
                .map(|words| words[word] >> bit & 1 == 1);
            if !asked {
                continue;
            }
            let cell = Quad::new(finest, sample.column >> finest, sample.row >> finest);
            let block = (sample.row >> 3) as usize * across + (sample.column >> 3) as usize;
            let number = (cell.row * grid.width() + cell.column) as usize;
            for (counts, peak) in [(head, &mut peaks[number]), (eye, &mut block_peaks[block])] {
                if counts && height(here) > height(*peak) {
                    *peak = here;
                }
            }
            let (word, bit) = grid.block_bit(Sample::new(cell.column, cell.row));
            standing[word] |= 1 << bit;
        }
        let lookers = if finest == BLOCK_LEVEL { 4 } else { 1 };
        Self {
            finest,
            grid,
            valid: standing,
            samples: places.heads.clone(),
            across,
            size: [fine.width() as i32, fine.height() as i32],
            known: vec![vec![false; peaks.len()]; lookers],
            found: vec![Vec::new(); lookers],
            peaks,
            block_peaks,
            first: (0, 0),
            grown: (grade > 0).then(|| Grown::new(grade, grid)),
        }
    }

    /// Nothing is known any more, of no view cell.
    pub fn clear(&mut self) {
        if let Some(grown) = &mut self.grown {
            grown.clear();
        }
    }

    /// The view cells of a quad of cells, of which no more is known than what quads around them
    /// see. In their own block, and in blocks that come before theirs where each pair is decided
    /// once, others tell of them.
    pub fn begin(&mut self, lookers: Quad, once: bool) {
        let first = lookers.origin();
        self.first = (first.column, first.row);
        if let Some(grown) = &mut self.grown {
            grown.begin(lookers);
        }
        let grown = self.grown.as_ref();
        for (looker, (known, found)) in self.known.iter_mut().zip(&mut self.found).enumerate() {
            let own = (
                first.column + looker as u32 % 2,
                first.row + looker as u32 / 2,
            );
            found.clear();
            for (number, (known, peak)) in known.iter_mut().zip(&self.peaks).enumerate() {
                let number = number as u32;
                let cell = (number % self.grid.width(), number / self.grid.width());
                *known = *peak == NOWHERE || once && comes_before(cell, own);
                if cell == own {
                    // Who is in a cell sees what it holds.
                    *known = true;
                    let (word, bit) = self.grid.block_bit(Sample::new(cell.0, cell.1));
                    if self.valid[word] >> bit & 1 == 1 {
                        found.push(number);
                    }
                }
                if let Some(grown) = grown
                    && let level @ 1.. = grown.level(cell)
                {
                    *known |= grown.has(level, own, cell);
                }
            }
        }
    }

    /// Writes what the view cells of a quad of cells see.
    pub fn hand_over(&self, lookers: Quad, sights: &mut Sights) {
        let first = lookers.origin();
        for (looker, found) in self.found.iter().enumerate() {
            let (column, row) = (
                first.column + looker as u32 % 2,
                first.row + looker as u32 / 2,
            );
            let child = (row >> BLOCK_LEVEL & 1) * 2 + (column >> BLOCK_LEVEL & 1);
            let lane = (row & 7) * 8 + (column & 7);
            for &cell in found {
                let (column, row) = (cell % self.grid.width(), cell / self.grid.width());
                let place = ((column >> BLOCK_LEVEL) as i32, (row >> BLOCK_LEVEL) as i32);
                if let Some(rows) = sights.rows_mut(child as usize, place) {
                    rows[lane as usize] |= 1 << ((row & 7) * 8 + (column & 7));
                }
            }
        }
    }

    /// Writes what quads of cells see of those that are far away.
    pub fn hand_over_grown(&self, sights: &mut Sights) {
        if let Some(grown) = &self.grown {
            grown.hand_over(sights);
        }
    }

    /// Which of the view cells a block is of.
    fn looker(&self, block: &ViewBlock) -> usize {
        block.child * usize::from(self.known.len() > 1)
    }

    /// Whether all cells are known that the targets of a node may lie in.
    pub fn knows(&self, block: &ViewBlock, node: &Node) -> bool {
        let known = &self.known[self.looker(block)];
        let reach = (1 << node.level) + SIDE as i32 - 2;
        let cells = |first: i32, size: i32| {
            let [low, high] = [first.max(0), (first + reach).min(size - 1)];
            (low >> self.finest) as usize..((high >> self.finest) + 1).max(0) as usize
        };
        let columns = cells(block.column + node.p, self.size[0]);
        let width = self.grid.width() as usize;
        cells(block.row + node.q, self.size[1])
            .all(|row| columns.clone().all(|column| known[row * width + column]))
    }

    /// The next cell from number `from` on that is not known, and how far its peak is from that of
    /// the block.
    pub fn next_unknown(&self, block: &ViewBlock, from: usize) -> Option<(usize, i32, i32)> {
        if block.standing == 0 {
            return None;
        }
        let known = &self.known[self.looker(block)];
        let cell = from + known.get(from..)?.iter().position(|known| !known)?;
        let viewer = self.block_peaks
            [(block.row as usize >> 3) * self.across + (block.column as usize >> 3)];
        let peak = self.peaks[cell];
        Some((cell, peak[0] - viewer[0], peak[1] - viewer[1]))
    }

    /// Takes what is seen at the displacements of a square.
    pub fn take(&mut self, block: &ViewBlock, square: &DisplacementSquare) {
        let looker = self.looker(block);
        let (west, north) = (block.column + square.p, block.row + square.q);
        for (down, right) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
            // The block of targets that lies so far down and to the right.
            let (column, row) = (west + right, north + down);
            let [columns, rows] = self.size;
            if !(0..columns).contains(&column) || !(0..rows).contains(&row) {
                continue;
            }
            let cell =
                (row as u32 >> self.finest) * self.grid.width() + (column as u32 >> self.finest);
            if self.known[looker][cell as usize] {
                continue;
            }
            let valid = self.samples[(row as usize >> 3) * self.across + (column as usize >> 3)];
            if is_any_in(&square.masks, block.eyes, (right != 0, down != 0), valid) {
                self.see(looker, cell);
            }
        }
    }

    /// A view cell sees a cell, and so do all that the same quads answer for.
    fn see(&mut self, looker: usize, cell: u32) {
        let width = self.grid.width();
        let at = (cell % width, cell / width);
        let level = self.grown.as_ref().map_or(0, |grown| grown.level(at));
        let Some(grown) = self.grown.as_mut().filter(|_| level > 0) else {
            self.known[looker][cell as usize] = true;
            self.found[looker].push(cell);
            return;
        };
        // The view cells that are looked from are in one quad.
        let [columns, rows] = grown.note(level, self.first, at);
        for known in &mut self.known {
            for row in rows[0]..=rows[1] {
                known[(row * width + columns[0]) as usize..=(row * width + columns[1]) as usize]
                    .fill(true);
            }
        }
    }
}

/// Lanes that displacements of so many columns take out of their block in the east.
const EAST: [u64; SIDE] = {
    let mut lanes = [0; SIDE];
    let mut i = 0;
    while i < LANES {
        let mut shift = 0;
        while shift < SIDE {
            lanes[shift] |= ((i % SIDE + shift >= SIDE) as u64) << i;
            shift += 1;
        }
        i += 1;
    }
    lanes
};

/// The same for rows, in the south.
const SOUTH: [u64; SIDE] = {
    let mut lanes = [0; SIDE];
    let mut i = 0;
    while i < LANES {
        let mut shift = 0;
        while shift < SIDE {
            lanes[shift] |= ((i / SIDE + shift >= SIDE) as u64) << i;
            shift += 1;
        }
        i += 1;
    }
    lanes
};

/// Whether any of the lanes `eyes` that see their targets has it in one of the four blocks that the
/// targets of 8 × 8 displacements lie in, and where terrain is in that.
fn is_any_in(masks: &[u64; LANES], eyes: u64, (east, south): (bool, bool), valid: u64) -> bool {
    let which = |lanes: u64, is: bool| if is { lanes } else { !lanes };
    masks.iter().enumerate().any(|(i, &mask)| {
        let (right, down) = (i % SIDE, i / SIDE);
        let mut lanes = mask & eyes & which(EAST[right], east) & which(SOUTH[down], south);
        if valid == !0 {
            return lanes != 0;
        }
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let target = (lane / SIDE + down) % SIDE * SIDE + (lane % SIDE + right) % SIDE;
            if valid >> target & 1 == 1 {
                return true;
            }
        }
        false
    })
}
