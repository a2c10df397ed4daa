//! Words of a block's 64 samples, and what 64 samples see of 64 others: a square of 64 × 64 bits.
//!
//! Bit (r & 7)·8 + (c & 7) of a word is sample (c, r) of the block, as in a block bitmap
//! ([`super::Grid::block_bit`]). Row v of a square is what sample v sees of the other block.

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

#[cfg(test)]
mod tests {
    use super::*;

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
