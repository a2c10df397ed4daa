//! Words of a block's 64 samples, and what 64 samples see of 64 others: a square of 64 × 64 bits.
//!
//! Bit (r & 7)·8 + (c & 7) of a word is sample (c, r) of the block, as in a block bitmap
//! ([`crate::format::Grid::block_bit`]). Row v of a square is what sample v sees of the other block.

/// Transposes a square of bits in place: bit j of row i becomes bit i of row j. So it turns what
/// each viewpoint sees into who sees each target, and back.
///
/// In six rounds the upper right and the lower left quarters of ever smaller squares change places
/// (H. S. Warren, *Hacker's Delight*, 2nd edition, section 7-3).
#[inline(always)]
pub fn transpose(rows: &mut [u64; 64]) {
    let mut side = 32;
    let mut left = 0x0000_0000_ffff_ffff_u64;
    while side > 0 {
        for square in rows.chunks_exact_mut(2 * side) {
            let (upper, lower) = square.split_at_mut(side);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let swap = (*upper >> side ^ *lower) & left;
                *upper ^= swap << side;
                *lower ^= swap;
            }
        }
        side /= 2;
        left ^= left << side;
    }
}

/// Turns the block of a word over its diagonal: sample (c, r) changes places with (r, c).
#[inline(always)]
pub const fn turn(word: u64) -> u64 {
    let word = swap(word, 0x00AA_00AA_00AA_00AA, 7);
    let word = swap(word, 0x0000_CCCC_0000_CCCC, 14);
    swap(word, 0x0000_0000_F0F0_F0F0, 28)
}

/// A word with its samples in Morton order ([`crate::format::morton`]), so that the squares of every level
/// lie together: bit rrrccc goes to bit rcrcrc.
#[inline]
pub const fn in_morton_order(word: u64) -> u64 {
    let word = swap(word, 0x00F0_00F0_00F0_00F0, 4);
    let word = swap(word, 0x0000_FF00_0000_FF00, 8);
    swap(word, 0x0C0C_0C0C_0C0C_0C0C, 2)
}

/// The inverse of [`in_morton_order`].
#[inline]
pub const fn in_row_order(word: u64) -> u64 {
    let word = swap(word, 0x0C0C_0C0C_0C0C_0C0C, 2);
    let word = swap(word, 0x0000_FF00_0000_FF00, 8);
    swap(word, 0x00F0_00F0_00F0_00F0, 4)
}

/// Swaps the bits of `mask` with those `distance` above them.
#[inline(always)]
const fn swap(word: u64, mask: u64, distance: u32) -> u64 {
    let change = (word >> distance ^ word) & mask;
    word ^ change ^ change << distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::morton;

    #[test]
    fn each_sample_of_a_word_finds_its_place() {
        for (column, row) in (0..8).flat_map(|c| (0..8).map(move |r| (c, r))) {
            let word = 1 << (row * 8 + column);
            assert_eq!(turn(word), 1 << (column * 8 + row));
            assert_eq!(in_morton_order(word), 1 << morton::number(column, row));
        }
    }

    #[test]
    fn each_bit_changes_places_with_its_mirror_image() {
        for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
            let mut rows = [0; 64];
            rows[i] = 1 << j;
            transpose(&mut rows);
            let mut expected = [0; 64];
            expected[j] = 1 << i;
            assert_eq!(rows, expected, "row {i}, bit {j}");
        }
    }
}
