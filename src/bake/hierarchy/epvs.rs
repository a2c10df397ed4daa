//! The extended PVS (Steed & Angus): how many visible steps lead from one cell to another.
//!
//! Did not pay: starting from what the cell before reaches, looking only one step less and more (69 for 71 ms).

use std::collections::HashMap;

use rayon::prelude::*;

use viewcell_ingest::world::{BitMatrix, ones};

/// Distances between the cells of a PVS.
///
/// The distance of a cell from itself is 0, from a cell that it sees 1, else the fewest visible
/// steps that lead there; where none do, [`UNREACHABLE`]. Cells that see the same cells share a
/// row: since a cell sees itself, such cells differ in nothing but which of them is 0 away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epvs {
    cells: usize,
    /// For each cell its row, numbered in the order in which they first occur.
    row_of: Vec<u32>,
    /// For each row the first cell that has it.
    first: Vec<u32>,
    /// Row by row, `cells` entries each; 1 for the cells whose row it is.
    distances: Vec<u16>,
    /// Number of cells of each component.
    component_sizes: Vec<u64>,
}

/// The distance of cells between which no chain of visible steps leads.
pub const UNREACHABLE: u16 = u16::MAX;

impl Epvs {
    /// Breadth-first searches by bit sets, one for each different row, in parallel; the result
    /// does not depend on the number of threads.
    ///
    /// O(N³/64) at worst; each step reads the PVS from whichever side has fewer rows to look at
    /// (Beamer, Asanović & Patterson 2012: direction-optimizing breadth-first search), and ends
    /// when the component is exhausted. Memory: 2 bytes for each row and cell.
    ///
    /// # Panics
    ///
    /// Panics unless every cell sees itself ([`BitMatrix::set_diagonal`]), or if a distance is
    /// not below [`UNREACHABLE`].
    pub fn new(pvs: &BitMatrix) -> Self {
        let cells = pvs.n();
        assert!((0..cells).all(|a| pvs.get(a, a)), "a cell must see itself");
        let (row_of, first) = share_rows(pvs);
        let symmetric = pvs.is_symmetric();
        let components = components(pvs);
        let mut distances = vec![UNREACHABLE; first.len() * cells];
        distances
            .par_chunks_mut(cells.max(1))
            .zip(&first)
            .for_each_init(
                || Search::new(pvs, &first),
                |search, (distances, &start)| {
                    let start = start as usize;
                    let component = symmetric.then(|| &components.masks[components.of[start]][..]);
                    search.run(start, component, distances);
                },
            );
        Self {
            cells,
            row_of,
            first,
            distances,
            component_sizes: components.sizes(),
        }
    }

    /// As [`Epvs::new`], of a PVS as words: rows of ceil(cells / 64) each.
    ///
    /// # Panics
    ///
    /// Panics as [`Epvs::new`] does, and unless there are so many words.
    pub fn from_words(cells: usize, words: Vec<u64>) -> Self {
        Self::new(&BitMatrix::from_words(cells, words))
    }

    /// The number of cells of each connected component ([`components`]).
    pub fn component_sizes(&self) -> &[u64] {
        &self.component_sizes
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// For each cell the number of its row.
    pub fn row_of(&self) -> &[u32] {
        &self.row_of
    }

    /// For each row the first cell that has it.
    pub fn first_cells(&self) -> &[u32] {
        &self.first
    }

    /// The distances of row `row`: 1 for the cells whose row it is.
    pub fn row(&self, row: usize) -> &[u16] {
        &self.distances[row * self.cells..(row + 1) * self.cells]
    }

    /// The distance from cell `a` to cell `b`; `None` if it is unreachable.
    pub fn distance(&self, a: usize, b: usize) -> Option<u32> {
        if a == b {
            return Some(0);
        }
        match self.row(self.row_of[a] as usize)[b] {
            UNREACHABLE => None,
            distance => Some(distance.into()),
        }
    }

    /// The number of ordered pairs of different cells at each distance, from 0 (none) up, and of
    /// those that are unreachable.
    pub fn histogram(&self) -> (Vec<u64>, u64) {
        let mut sharers = vec![0_u64; self.first.len()];
        for &row in &self.row_of {
            sharers[row as usize] += 1;
        }
        let mut pairs = Vec::new();
        let mut unreachable = 0;
        for (row, &sharers) in sharers.iter().enumerate() {
            for &distance in self.row(row) {
                if distance == UNREACHABLE {
                    unreachable += sharers;
                    continue;
                }
                if pairs.len() <= usize::from(distance) {
                    pairs.resize(usize::from(distance) + 1, 0);
                }
                pairs[usize::from(distance)] += sharers;
            }
        }
        // Rows say 1 where a cell meets itself.
        if let Some(visible) = pairs.get_mut(1) {
            *visible -= self.cells as u64;
        }
        (pairs, unreachable)
    }

    /// The greatest distance of two cells that are not unreachable.
    pub fn greatest(&self) -> u32 {
        let reached = self.distances.iter().filter(|d| **d != UNREACHABLE);
        reached.copied().max().unwrap_or(0).into()
    }
}

/// For each cell its row, and for each row its first cell.
fn share_rows(pvs: &BitMatrix) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = HashMap::new();
    let mut first = Vec::new();
    let row_of = pvs
        .rows()
        .zip(0..)
        .map(|(row, cell)| {
            *numbers.entry(row).or_insert_with(|| {
                first.push(cell);
                first.len() as u32 - 1
            })
        })
        .collect();
    (row_of, first)
}

/// The parts of a level between which nobody sees anybody, whichever way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// For each cell its component, numbered by their smallest cells.
    pub of: Vec<usize>,
    /// For each component its cells, as a row of bits.
    pub masks: Vec<Vec<u64>>,
}

impl Components {
    /// The number of cells of each.
    pub fn sizes(&self) -> Vec<u64> {
        let ones = |mask: &Vec<u64>| mask.iter().map(|word| u64::from(word.count_ones())).sum();
        self.masks.iter().map(ones).collect()
    }
}

/// The connected components of a PVS, with one-way visibility counted as visibility.
pub fn components(pvs: &BitMatrix) -> Components {
    let n = pvs.n();
    let transposed = pvs.transposed();
    let mut of = vec![usize::MAX; n];
    let mut masks = Vec::new();
    for start in 0..n {
        if of[start] != usize::MAX {
            continue;
        }
        let mut mask = vec![0_u64; pvs.stride()];
        mask[start / 64] |= 1 << (start % 64);
        let mut stack = vec![start];
        while let Some(cell) = stack.pop() {
            of[cell] = masks.len();
            for (i, word) in mask.iter_mut().enumerate() {
                let fresh = (pvs.row(cell)[i] | transposed.row(cell)[i]) & !*word;
                *word |= fresh;
                stack.extend(ones(&[fresh]).map(|bit| 64 * i + bit));
            }
        }
        masks.push(mask);
    }
    Components { of, masks }
}

/// A breadth-first search and its bit sets, used for one start after another.
struct Search<'a> {
    pvs: &'a BitMatrix,
    /// The first cell of each row: of cells with one row, one needs looking at.
    representatives: Vec<u64>,
    visited: Vec<u64>,
    /// The cells that the last step reached.
    newest: Vec<u64>,
    next: Vec<u64>,
}

impl<'a> Search<'a> {
    fn new(pvs: &'a BitMatrix, first: &[u32]) -> Self {
        let mut representatives = vec![0; pvs.stride()];
        for &cell in first {
            representatives[cell as usize / 64] |= 1 << (cell % 64);
        }
        let nothing = || vec![0; pvs.stride()];
        Self {
            pvs,
            representatives,
            visited: nothing(),
            newest: nothing(),
            next: nothing(),
        }
    }

    /// Writes the distances from `start`. `component` are the cells that can be reached at all,
    /// if the PVS is symmetric.
    fn run(&mut self, start: usize, component: Option<&[u64]>, distances: &mut [u16]) {
        self.newest.copy_from_slice(self.pvs.row(start));
        self.visited.copy_from_slice(&self.newest);
        let mut distance = 1;
        loop {
            for cell in ones(&self.newest) {
                distances[cell] = distance;
            }
            self.step(component);
            if self.newest.iter().all(|word| *word == 0) {
                return;
            }
            distance += 1;
            assert!(distance < UNREACHABLE, "a chain of {distance} steps");
        }
    }

    /// From the cells that were reached last to those that they see and that were not reached.
    fn step(&mut self, component: Option<&[u64]>) {
        self.next.fill(0);
        let count = |words: &mut dyn Iterator<Item = u64>| -> u32 {
            words.map(|word| word.count_ones()).sum()
        };
        let newest = &self.newest;
        // In a symmetric PVS cells with one row are reached by one step.
        let due = |i: usize, newest: u64| match component {
            Some(_) => newest & self.representatives[i],
            None => newest,
        };
        let pushing = count(&mut newest.iter().enumerate().map(|(i, word)| due(i, *word)));
        if let Some(component) = component {
            let missing = |i: usize| component[i] & !self.visited[i];
            let pulling = count(&mut (0..newest.len()).map(missing));
            if pulling < pushing {
                // Who is still missing, and sees one of the newest?
                for i in 0..newest.len() {
                    for bit in ones(&[missing(i)]) {
                        let row = self.pvs.row(64 * i + bit);
                        if row.iter().zip(newest).any(|(a, b)| a & b != 0) {
                            self.next[i] |= 1 << bit;
                        }
                    }
                }
                for (visited, next) in self.visited.iter_mut().zip(&self.next) {
                    *visited |= next;
                }
                std::mem::swap(&mut self.newest, &mut self.next);
                return;
            }
        }
        for (i, &word) in newest.iter().enumerate() {
            for bit in ones(&[due(i, word)]) {
                let row = self.pvs.row(64 * i + bit);
                for (next, seen) in self.next.iter_mut().zip(row) {
                    *next |= seen;
                }
            }
        }
        for (next, visited) in self.next.iter_mut().zip(&mut self.visited) {
            *next &= !*visited;
            *visited |= *next;
        }
        std::mem::swap(&mut self.newest, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Distances by relaxing every pair until nothing changes.
    fn slow(pvs: &BitMatrix) -> Vec<Vec<Option<u32>>> {
        let n = pvs.n();
        let mut distance: Vec<Vec<Option<u32>>> = (0..n)
            .map(|a| {
                (0..n)
                    .map(|b| match pvs.get(a, b) {
                        _ if a == b => Some(0),
                        true => Some(1),
                        false => None,
                    })
                    .collect()
            })
            .collect();
        for via in 0..n {
            for a in 0..n {
                for b in 0..n {
                    if let (Some(x), Some(y)) = (distance[a][via], distance[via][b]) {
                        let direct = distance[a][b].unwrap_or(u32::MAX);
                        distance[a][b] = Some(direct.min(x + y));
                    }
                }
            }
        }
        distance
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_shortest_chains(
            n in 1_usize..90, seed: u64, rare in 1_u64..60, symmetric: bool,
        ) {
            let mut state = seed | 1;
            let mut pvs = BitMatrix::from_fn(n, |_, _| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % rare == 0
            });
            pvs.set_diagonal();
            if symmetric {
                pvs = pvs.or_with_transpose();
            }
            let epvs = Epvs::new(&pvs);
            let slow = slow(&pvs);
            let mut histogram = vec![0_u64; 1];
            let mut unreachable = 0;
            for (a, row) in slow.iter().enumerate() {
                for (b, &expected) in row.iter().enumerate() {
                    prop_assert_eq!(epvs.distance(a, b), expected, "{} to {}", a, b);
                    match expected {
                        None => unreachable += 1,
                        Some(0) => {}
                        Some(d) => {
                            histogram.resize(histogram.len().max(d as usize + 1), 0);
                            histogram[d as usize] += 1;
                        }
                    }
                }
            }
            let (mut found, none) = epvs.histogram();
            found.truncate(found.iter().rposition(|count| *count > 0).map_or(1, |last| last + 1));
            prop_assert_eq!((found, none), (histogram, unreachable));
            let components = components(&pvs);
            for (a, row) in slow.iter().enumerate() {
                for (b, expected) in row.iter().enumerate() {
                    let joined = components.of[a] == components.of[b];
                    let mask = &components.masks[components.of[a]];
                    prop_assert_eq!(joined, mask[b / 64] >> (b % 64) & 1 == 1);
                    prop_assert!(joined || expected.is_none());
                    prop_assert!(!symmetric || joined == expected.is_some());
                }
            }
        }
    }

    #[test]
    fn a_chain_of_three_hundred_cells_is_three_hundred_steps_long() {
        let pvs = BitMatrix::from_fn(301, |a, b| a.abs_diff(b) <= 1);
        let epvs = Epvs::new(&pvs);
        assert_eq!(epvs.distance(0, 300), Some(300));
        assert_eq!(epvs.greatest(), 300);
    }
}
