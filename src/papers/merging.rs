//! The compression of visibility of van de Panne and Stewart (1999) on levels: rows that are alike
//! become one, and so do columns; with loss, those that are nearly alike become their union. Beside it
//! the rows of a bundle.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;

use viewcell::dice::Dice;
use viewcell::query::CellBundle;
use viewcell_ingest::world::BitMatrix;

/// A matrix whose rows and columns stand for several cells each.
#[derive(Clone, Debug)]
pub struct Merged {
    /// For each cell its row and its column.
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    rows: Vec<Vec<u64>>,
    columns: usize,
}

/// What a compression comes to.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MergingRow {
    /// `bundle`: rows as this program stores them; `merged`: van de Panne and Stewart's.
    pub method: &'static str,
    /// Rows and columns that are left; of a bundle, its cells.
    pub rows: u64,
    /// Columns that are left.
    pub columns: u64,
    /// Bytes: of rows, and of what says which row and column is whose.
    pub bytes: u64,
    /// The share of pairs that do not see each other and are given out as visible, in percent.
    pub given_away: f64,
    /// How long it takes to ask of two cells, in nanoseconds.
    pub ask_ns: f64,
}

impl Merged {
    /// Every cell for itself.
    pub fn new(matrix: &BitMatrix) -> Self {
        let all = || (0..matrix.n() as u32).collect();
        Self {
            row_of: all(),
            column_of: all(),
            rows: (0..matrix.n()).map(|a| matrix.row(a).to_vec()).collect(),
            columns: matrix.n(),
        }
    }

    /// Whether cell `a` may see cell `b`.
    pub fn visible(&self, a: usize, b: usize) -> bool {
        let column = self.column_of[b] as usize;
        self.rows[self.row_of[a] as usize][column / 64] >> (column % 64) & 1 == 1
    }

    /// Merges rows that differ in no more bits than `most`, and then columns, again and again. With 0
    /// nothing is lost.
    pub fn merge(&mut self, most: u32) {
        loop {
            let before = (self.rows.len(), self.columns);
            self.merge_rows(most);
            self.transpose();
            self.merge_rows(most);
            self.transpose();
            if (self.rows.len(), self.columns) == before {
                return;
            }
        }
    }

    /// Each row joins the first before it from which it differs least, if that is little enough.
    fn merge_rows(&mut self, most: u32) {
        let mut kept: Vec<Vec<u64>> = Vec::new();
        let mut alike: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut now = Vec::with_capacity(self.rows.len());
        for row in core::mem::take(&mut self.rows) {
            if let Some(&number) = alike
                .get(&row)
                .filter(|&&number| kept[number as usize] == row)
            {
                now.push(number);
                continue;
            }
            let differ = |other: &Vec<u64>| -> u32 {
                row.iter()
                    .zip(other)
                    .map(|(a, b)| (a ^ b).count_ones())
                    .sum()
            };
            let nearest = match most {
                0 => None,
                _ => kept
                    .iter()
                    .map(differ)
                    .zip(0_u32..)
                    .min()
                    .filter(|(far, _)| *far <= most),
            };
            match nearest {
                Some((_, number)) => {
                    let other = &mut kept[number as usize];
                    other.iter_mut().zip(&row).for_each(|(a, b)| *a |= b);
                    now.push(number);
                }
                None => {
                    let number = kept.len() as u32;
                    alike.insert(row.clone(), number);
                    kept.push(row);
                    now.push(number);
                }
            }
        }
        self.rows = kept;
        self.row_of
            .iter_mut()
            .for_each(|row| *row = now[*row as usize]);
    }

    fn transpose(&mut self) {
        let mut rows = vec![vec![0; self.rows.len().div_ceil(64)]; self.columns];
        for (a, row) in self.rows.iter().enumerate() {
            for (b, other) in rows.iter_mut().enumerate() {
                other[a / 64] |= (row[b / 64] >> (b % 64) & 1) << (a % 64);
            }
        }
        self.columns = self.rows.len();
        self.rows = rows;
        core::mem::swap(&mut self.row_of, &mut self.column_of);
    }

    /// Bits of the matrix, and two bytes a cell for its row and two for its column.
    pub fn bytes(&self) -> u64 {
        (self.rows.len() * self.columns).div_ceil(8) as u64 + 4 * self.row_of.len() as u64
    }
}

/// How many questions are asked to tell how long one takes.
const ASKED: usize = 1_000_000;

/// Sets merging without loss, and with as much as gives away at most `losses` percent of what is
/// hidden, beside the rows of a bundle, which take `stored` bytes.
pub fn compare_merging(level: &CellBundle<'_>, stored: u64, losses: &[f64]) -> Vec<MergingRow> {
    let n = level.cells() as usize;
    let matrix = BitMatrix::from_fn(n, |a, b| level.visible(a as u32, b as u32));
    let hidden = (0..n * n)
        .filter(|i| !level.visible((i / n) as u32, (i % n) as u32))
        .count();
    let time = |visible: &dyn Fn(usize, usize) -> bool| {
        let mut dice = Dice(5);
        let pairs: Vec<[usize; 2]> = (0..ASKED)
            .map(|_| [0, 1].map(|_| dice.roll(n as u32) as usize))
            .collect();
        let begin = Instant::now();
        let seen = pairs.iter().filter(|[a, b]| visible(*a, *b)).count();
        std::hint::black_box(seen);
        begin.elapsed().as_secs_f64() * 1e9 / ASKED as f64
    };
    let mut rows = vec![MergingRow {
        method: "bundle",
        rows: n as u64,
        columns: n as u64,
        bytes: stored,
        given_away: 0.0,
        ask_ns: time(&|a, b| level.visible(a as u32, b as u32)),
    }];
    let given_away = |merged: &Merged| {
        let lost = (0..n * n).filter(|i| {
            let (a, b) = (i / n, i % n);
            assert!(merged.visible(a, b) || !level.visible(a as u32, b as u32));
            merged.visible(a, b) && !level.visible(a as u32, b as u32)
        });
        100.0 * lost.count() as f64 / hidden.max(1) as f64
    };
    let mut add = |merged: &Merged, lost: f64| {
        rows.push(MergingRow {
            method: "merged",
            rows: merged.rows.len() as u64,
            columns: merged.columns as u64,
            bytes: merged.bytes(),
            given_away: lost,
            ask_ns: time(&|a, b| merged.visible(a, b)),
        });
    };
    let mut merged = Merged::new(&matrix);
    merged.merge(0);
    add(&merged, given_away(&merged));
    for &most in losses {
        let (mut best, mut lost, mut bits) = (merged.clone(), 0.0, 1);
        while (bits as usize) < n {
            let mut next = merged.clone();
            next.merge(bits);
            let share = given_away(&next);
            if share > most {
                break;
            }
            (best, lost) = (next, share);
            bits *= 2;
        }
        add(&best, lost);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize, seed: u64) -> BitMatrix {
        // Cells in groups that see much the same.
        let mut dice = Dice(seed);
        let groups = BitMatrix::from_fn(7, |_, _| dice.roll(3) == 0);
        let mut dice = Dice(seed + 1);
        BitMatrix::from_fn(n, |a, b| {
            a == b || groups.get(a % 7, b % 7) || dice.roll(200) == 0
        })
    }

    #[test]
    fn merging_loses_nothing_or_what_is_hidden() {
        for seed in 0..20 {
            let matrix = matrix(90, seed);
            let mut merged = Merged::new(&matrix);
            merged.merge(0);
            for a in 0..90 {
                for b in 0..90 {
                    assert_eq!(merged.visible(a, b), matrix.get(a, b), "{a} {b}");
                }
            }
            let lossless = merged.bytes();
            merged.merge(4);
            for a in 0..90 {
                for b in 0..90 {
                    assert!(merged.visible(a, b) || !matrix.get(a, b), "{a} {b}");
                }
            }
            assert!(merged.bytes() < lossless, "some were nearly alike");
        }
    }

    #[test]
    fn rows_that_are_alike_become_one() {
        let matrix = BitMatrix::from_fn(12, |a, b| a % 3 == b % 3);
        let mut merged = Merged::new(&matrix);
        merged.merge(0);
        assert_eq!((merged.rows.len(), merged.columns), (3, 3));
    }
}
