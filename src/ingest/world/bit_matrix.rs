//! A square matrix of bits: who sees whom.

use viewcell::format::bits;
use viewcell::format::blockbits::transpose;

/// An n × n matrix of bits, row by row, 64 bits a word, lowest bit first.
///
/// As a PVS: bit (a, b) is set if cell b may be visible from cell a. The bits behind column
/// n - 1 of each row's last word are always 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitMatrix {
    n: usize,
    stride: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// The n × n matrix of zeros. Memory: n · ceil(n / 64) words.
    pub fn new(n: usize) -> Self {
        let stride = n.div_ceil(64);
        Self {
            n,
            stride,
            words: vec![0; n * stride],
        }
    }

    /// The matrix whose bit (a, b) is `bit(a, b)`.
    pub fn from_fn(n: usize, mut bit: impl FnMut(usize, usize) -> bool) -> Self {
        let mut matrix = Self::new(n);
        for a in 0..n {
            for b in 0..n {
                if bit(a, b) {
                    matrix.set(a, b);
                }
            }
        }
        matrix
    }

    /// The matrix of these words, row by row.
    ///
    /// # Panics
    ///
    /// Unless there are n · ceil(n / 64) words.
    pub fn from_words(n: usize, words: Vec<u64>) -> Self {
        let stride = n.div_ceil(64);
        assert_eq!(words.len(), n * stride, "words of a matrix of {n} x {n}");
        let mut matrix = Self { n, stride, words };
        for a in 0..n {
            bits::cut(matrix.row_mut(a), n as u32);
        }
        matrix
    }

    /// The number of rows, and of columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Words a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Bit (a, b).
    ///
    /// # Panics
    ///
    /// Outside the matrix.
    pub fn get(&self, a: usize, b: usize) -> bool {
        assert!(b < self.n, "column {b} of {}", self.n);
        self.words[a * self.stride + b / 64] >> (b % 64) & 1 == 1
    }

    /// Sets bit (a, b).
    ///
    /// # Panics
    ///
    /// Outside the matrix.
    pub fn set(&mut self, a: usize, b: usize) {
        assert!(b < self.n, "column {b} of {}", self.n);
        self.words[a * self.stride + b / 64] |= 1 << (b % 64);
    }

    /// Clears bit (a, b).
    ///
    /// # Panics
    ///
    /// Outside the matrix.
    pub fn clear(&mut self, a: usize, b: usize) {
        assert!(b < self.n, "column {b} of {}", self.n);
        self.words[a * self.stride + b / 64] &= !(1 << (b % 64));
    }

    /// The words of row a. Panics outside the matrix.
    pub fn row(&self, a: usize) -> &[u64] {
        &self.words[a * self.stride..(a + 1) * self.stride]
    }

    /// The words of row a, to change. The bits behind column n - 1 must stay 0.
    pub fn row_mut(&mut self, a: usize) -> &mut [u64] {
        &mut self.words[a * self.stride..(a + 1) * self.stride]
    }

    /// All rows, first to last.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        // A matrix without rows has rows of no length, which no slice can be cut into.
        self.words.chunks_exact(self.stride.max(1))
    }

    /// The columns of row a that are set, in rising order.
    pub fn ones(&self, a: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(a))
    }

    /// Number of bits set.
    pub fn count_ones(&self) -> u64 {
        bits::count(&self.words)
    }

    /// Sets (a, a) for every a: a cell sees itself.
    pub fn set_diagonal(&mut self) {
        for a in 0..self.n {
            self.set(a, a);
        }
    }

    /// The transpose: bit (b, a) is this matrix's (a, b). O(n²/64) words of work, in blocks of
    /// 64 × 64 bits.
    pub fn transposed(&self) -> Self {
        let mut out = Self::new(self.n);
        let mut block = [0; 64];
        for i in 0..self.stride {
            for j in 0..self.stride {
                let rows = 64.min(self.n - 64 * i);
                block.fill(0);
                for (r, word) in block[..rows].iter_mut().enumerate() {
                    *word = self.words[(64 * i + r) * self.stride + j];
                }
                transpose(&mut block);
                let columns = 64.min(self.n - 64 * j);
                for (c, word) in block[..columns].iter().enumerate() {
                    out.words[(64 * j + c) * self.stride + i] = *word;
                }
            }
        }
        out
    }

    /// Every bit that is set here or in the transpose. Symmetric.
    pub fn or_with_transpose(&self) -> Self {
        self.with_transpose(|a, b| a | b)
    }

    /// Every bit that is set here and in the transpose. Symmetric.
    pub fn and_with_transpose(&self) -> Self {
        self.with_transpose(|a, b| a & b)
    }

    fn with_transpose(&self, combine: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = self.transposed();
        for (word, own) in out.words.iter_mut().zip(&self.words) {
            *word = combine(*word, *own);
        }
        out
    }

    /// This matrix, made symmetric.
    pub fn symmetrised(&self, symmetry: Symmetry) -> Self {
        match symmetry {
            Symmetry::Or => self.or_with_transpose(),
            Symmetry::And => self.and_with_transpose(),
            Symmetry::None => self.clone(),
        }
    }

    /// Number of unordered pairs {a, b} of which one bit is set and the other is not.
    pub fn one_way_pairs(&self) -> u64 {
        let transposed = self.transposed();
        let differ = self.words.iter().zip(&transposed.words);
        differ
            .map(|(a, b)| u64::from((a ^ b).count_ones()))
            .sum::<u64>()
            / 2
    }

    /// Whether every bit (a, b) equals (b, a).
    pub fn is_symmetric(&self) -> bool {
        *self == self.transposed()
    }
}

impl std::fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "BitMatrix {{ {} x {}, {} ones }}",
            self.n,
            self.n,
            self.count_ones()
        )
    }
}

/// The bits set in a row of words, in rising order.
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits::ones_of(row.iter().copied()).map(|bit| bit as usize)
}

/// How a PVS is made symmetric before anything is derived from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// A pair is visible if either bit is set: conservative, and the default.
    #[default]
    Or,
    /// A pair is visible if both bits are set. Not conservative.
    And,
    /// One-way pairs stay as they are. Frontiers derived from it may leak.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrices() -> impl Strategy<Value = BitMatrix> {
        (0_usize..200, any::<u64>(), 1_u64..20).prop_map(|(n, seed, rare)| {
            let mut state = seed | 1;
            BitMatrix::from_fn(n, |_, _| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % rare == 0
            })
        })
    }

    proptest! {
        #[test]
        fn the_transpose_has_every_bit_in_its_place(m in matrices()) {
            let n = m.n();
            prop_assert_eq!(m.transposed(), BitMatrix::from_fn(n, |a, b| m.get(b, a)));
            prop_assert_eq!(
                m.or_with_transpose(),
                BitMatrix::from_fn(n, |a, b| m.get(a, b) || m.get(b, a))
            );
            prop_assert_eq!(
                m.and_with_transpose(),
                BitMatrix::from_fn(n, |a, b| m.get(a, b) && m.get(b, a))
            );
        }

        #[test]
        fn counts_agree_with_looking_at_each_pair(m in matrices()) {
            let n = m.n();
            let pairs = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            let set = pairs().filter(|&(a, b)| m.get(a, b)).count() as u64;
            let one_way = pairs().filter(|&(a, b)| a < b && m.get(a, b) != m.get(b, a)).count() as u64;
            prop_assert_eq!(m.count_ones(), set);
            prop_assert_eq!(m.one_way_pairs(), one_way);
            prop_assert_eq!(m.is_symmetric(), one_way == 0);
            for a in 0..n {
                let ones: Vec<_> = m.ones(a).collect();
                prop_assert_eq!(ones, (0..n).filter(|&b| m.get(a, b)).collect::<Vec<_>>());
            }
        }
    }
}
