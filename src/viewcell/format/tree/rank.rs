//! Counting unknown codes: how a reader finds a child without pointers.

/// Low bit of each two-bit code.
const LOW: u64 = 0x5555_5555_5555_5555;

/// A one in the low bit of each two-bit code that is 2 (unknown).
#[inline]
const fn unknown_bits(codes: u64) -> u64 {
    codes >> 1 & !codes & LOW
}

/// Number of unknown codes in each byte, as bytes of at most 4.
#[inline]
const fn unknown_by_byte(codes: u64) -> u64 {
    sums_of_pairs(unknown_bits(codes))
}

/// Sums of four pairs of bits, of which each is a number of at most 2, by bytes.
#[inline]
const fn sums_of_pairs(pairs: u64) -> u64 {
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
}

/// Sum of the eight bytes.
#[inline]
const fn sum_of_bytes(bytes: u64) -> u64 {
    let fours = (bytes & 0x00FF_00FF_00FF_00FF) + (bytes >> 8 & 0x00FF_00FF_00FF_00FF);
    fours.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// Number of unknown codes in node bytes.
///
/// Written so that the compiler can vectorise it without a population count instruction: sums
/// stay in bytes for as long as they cannot overflow.
#[inline]
pub(in crate::format) fn count_unknown(nodes: &[u8]) -> u64 {
    let (words, tail) = nodes.as_chunks::<8>();
    let mut total = 0;
    for group in words.chunks(63) {
        let mut sums = 0;
        for word in group {
            sums += unknown_by_byte(u64::from_le_bytes(*word));
        }
        total += sum_of_bytes(sums);
    }
    total + sum_of_bytes(unknown_by_byte(tail_of(nodes, words, tail)))
}

/// The last bytes, which are no whole word, as the low bytes of a word. No loop over bytes: its end
/// cannot be foreseen by the processor, which took a good part of a question's time. (Not inlined: it would be in
/// a hundred places of the library for C.)
#[inline(never)]
fn tail_of(nodes: &[u8], words: &[[u8; 8]], tail: &[u8]) -> u64 {
    if !words.is_empty()
        && let Some(&last) = nodes.last_chunk::<8>()
    {
        // The last eight bytes of all, without those that are in the words. Two shifts, since one by
        // all 64 bits is none.
        return u64::from_le_bytes(last) >> 8 >> (8 * (7 - tail.len()));
    }
    if let (Some(&first), Some(&last)) = (tail.first_chunk::<4>(), tail.last_chunk::<4>()) {
        let low = u64::from(u32::from_le_bytes(first));
        let high = u64::from(u32::from_le_bytes(last));
        return low | high << (8 * (tail.len() - 4));
    }
    // Three bytes at most: the first, the middle and the last, of which some may be the same.
    let byte = |at: usize| tail.get(at).map_or(0, |&byte| u64::from(byte) << (8 * at));
    byte(0) | byte(tail.len() / 2) | byte(tail.len().wrapping_sub(1))
}

/// Number of ones in 512 bits up to bit `last`, the lowest bit of the first word being number 0.
///
/// No loop ends earlier for one `last` than for another, for the reason of `tail_of`; and masks of whole words are read,
/// not shifted, so that words are counted as vectors.
#[inline]
pub(in crate::format) fn ones_up_to(words: [u64; 8], last: u32) -> u32 {
    const WHOLE_THEN_NONE: [u64; 16] = [!0, !0, !0, !0, !0, !0, !0, !0, 0, 0, 0, 0, 0, 0, 0, 0];
    let bytes_of = |ones: u64| sums_of_pairs(ones - (ones >> 1 & LOW));
    let word = (last / 64).min(7) as usize;
    let begun = words
        .get(word)
        .map_or(0, |ones| ones & u64::MAX >> (63 - last % 64));
    let mut sums = bytes_of(begun);
    let masks = WHOLE_THEN_NONE
        .get(8 - word..)
        .and_then(<[_]>::first_chunk::<8>);
    for (ones, mask) in words.into_iter().zip(masks.copied().unwrap_or_default()) {
        sums += bytes_of(ones & mask);
    }
    sum_of_bytes(sums) as u32
}

/// Number of unknown codes among the first `child` codes of a node.
#[inline]
pub(in crate::format) const fn unknown_before(node: u8, child: u32) -> u64 {
    unknown_bits(node as u64 & ((1 << (2 * child)) - 1)).count_ones() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_code_by_code() {
        let bytes: Vec<u8> = (0..2_000u32).map(|i| (i * i * 31 + i / 7) as u8).collect();
        let slow = |bytes: &[u8]| {
            bytes
                .iter()
                .flat_map(|byte| (0..4).map(move |child| byte >> (2 * child) & 3))
                .filter(|&code| code == 2)
                .count() as u64
        };
        for (start, end) in [
            (0, 0),
            (0, 1),
            (3, 10),
            (1, 66),
            (0, 504),
            (0, 512),
            (5, 2_000),
        ] {
            assert_eq!(count_unknown(&bytes[start..end]), slow(&bytes[start..end]));
        }
        for start in 0..20 {
            for end in start..start + 40 {
                assert_eq!(count_unknown(&bytes[start..end]), slow(&bytes[start..end]));
            }
        }
        assert_eq!(count_unknown(&[0b10_10_10_10; 1_999]), 4 * 1_999);
        assert_eq!(unknown_before(0b10_01_10_10, 2), 2);
        assert_eq!(unknown_before(0b10_01_10_10, 0), 0);
    }

    #[test]
    fn counts_ones_as_bit_by_bit() {
        let words: [u64; 8] = core::array::from_fn(|i| {
            let i = i as u64;
            let word = i.wrapping_mul(i).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if i == 3 {
                !0
            } else {
                word.rotate_left(7 * i as u32)
            }
        });
        let mut count = 0;
        for bit in 0..512 {
            count += (words[bit as usize / 64] >> (bit % 64) & 1) as u32;
            assert_eq!(ones_up_to(words, bit), count, "{bit}");
        }
        assert_eq!(ones_up_to([u64::MAX; 8], 511), 512);
    }
}
