//! Sparse bits of a large grid.

/// Words that are kept together.
const TILE: usize = 64;

/// Words of bits. Runs of them that are zero take no memory but a pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    tiles: Vec<Option<Box<[u64; TILE]>>>,
    len: usize,
}

impl Words {
    /// So many words, all zero.
    pub(super) fn new(len: usize) -> Self {
        Self {
            tiles: vec![None; len.div_ceil(TILE)],
            len,
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u64 {
        let tile = &self.tiles[at / TILE];
        tile.as_ref().map_or(0, |tile| tile[at % TILE])
    }

    /// Sets the ones of `bits` in a word.
    #[inline]
    pub(super) fn set(&mut self, at: usize, bits: u64) {
        debug_assert!(at < self.len);
        if bits != 0 {
            let tile = &mut self.tiles[at / TILE];
            tile.get_or_insert_with(|| Box::new([0; TILE]))[at % TILE] |= bits;
        }
    }

    /// Number of ones.
    pub(super) fn count(&self) -> u64 {
        let words = self.tiles.iter().flatten().flat_map(|tile| tile.iter());
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// Sets in each word what is set in the one that lies `by` before it.
    pub(super) fn spread(&mut self, by: usize) {
        // From the last on, so that each is read before it changes.
        for number in (0..self.tiles.len()).rev() {
            let Some(tile) = self.tiles[number].clone() else {
                continue;
            };
            for (at, word) in (number * TILE + by..self.len).zip(*tile) {
                self.set(at, word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    #[test]
    fn words_are_those_of_a_list() {
        let mut dice = Dice(3);
        for _ in 0..200 {
            let len = 1 + dice.roll(700) as usize;
            let (mut words, mut list) = (Words::new(len), vec![0; len]);
            for _ in 0..dice.roll(20) {
                let (at, bits) = (
                    dice.roll(len as u32) as usize,
                    u64::from(dice.roll(9)) << 40,
                );
                words.set(at, bits);
                list[at] |= bits;
            }
            let by = 1 + dice.roll(300) as usize;
            words.spread(by);
            for at in (by..len).rev() {
                list[at] |= list[at - by];
            }
            assert!((0..len).all(|at| words.get(at) == list[at]));
            let ones = list.iter().map(|word| u64::from(word.count_ones()));
            assert_eq!(words.count(), ones.sum::<u64>());
        }
    }
}
