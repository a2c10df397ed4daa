//! Bit sets: rows of words of 64 bits, the lowest bit first.

/// How many words have so many bits.
pub const fn words(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

/// The bits of a word that are set, in rising order.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = u32> + Clone {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The bits of a row that are set, in rising order.
#[inline]
pub fn ones_of(words: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u32> + Clone {
    let words = words.zip(0_u32..);
    words.flat_map(|(word, i)| ones(word).map(move |bit| i.saturating_mul(64).saturating_add(bit)))
}

/// Whether a bit is set; `false` behind the end.
#[inline]
pub fn has(words: &[u64], bit: usize) -> bool {
    let word = words.get(bit / 64);
    word.is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

/// How many bits of a row are set.
#[inline]
pub fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Sets a bit; does nothing behind the end.
#[inline]
pub fn set(words: &mut [u64], bit: usize) {
    if let Some(word) = words.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

/// The last word of so many bits without what lies behind them.
#[inline]
pub fn cut(words: &mut [u64], bits: u32) {
    if let (Some(last), 1..) = (words.last_mut(), bits % 64) {
        *last &= (1 << (bits % 64)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_comes_back_in_order() {
        let mut row = [0; 3];
        let numbers = [0, 1, 63, 64, 100, 191];
        for bit in numbers {
            set(&mut row, bit);
        }
        set(&mut row, 192); // behind the end
        assert!(ones_of(row.iter().copied()).eq(numbers.map(|bit| bit as u32)));
        assert_eq!(count(&row), 6);
        assert!((0..200).all(|bit| has(&row, bit) == numbers.contains(&bit)));
        cut(&mut row, 192);
        assert!(has(&row, 191));
        cut(&mut row, 191);
        assert!(!has(&row, 191) && has(&row, 100));
        assert_eq!([0, 1, 64, 65].map(words), [0, 1, 1, 2]);
    }
}
