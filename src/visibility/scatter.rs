//! From masks by displacement, a bit a viewpoint, to bitmaps by viewpoint, a bit a target.

use super::lanes::{LANES, PATCH};

/// Turns the masks of an 8 × 8 block of displacements from a patch of viewpoints into words of
/// the viewpoints' bitmaps.
///
/// Mask i is of the displacement that takes the patch's first lane to sample (i % 8, i / 8) of
/// block (`column`, `row`) of the grid; bit j of it is lane j. `put(lane, word, bits)` is shown
/// what belongs into a word of a lane's bitmap of `shape` blocks; what lies outside is left out.
#[inline(always)]
pub(super) fn scatter(
    mut masks: [u64; LANES],
    (column, row): (i32, i32),
    shape: (usize, usize),
    mut put: impl FnMut(usize, usize, u64),
) {
    transpose(&mut masks);
    for (lane, &bits) in masks.iter().enumerate() {
        if bits == 0 {
            continue;
        }
        let mut put = |column: i32, row: i32, bits: u64| {
            // Negative ones are great as well.
            let (x, y) = (column as usize, row as usize);
            if bits != 0 && x < shape.0 && y < shape.1 {
                put(lane, y * shape.0 + x, bits);
            }
        };
        // Displaced by the lane's own place, the block spills into its neighbours.
        let (right, down) = (lane % PATCH, lane / PATCH);
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> right);
        let here = (bits & stay) << right;
        let next = (bits & !stay) >> ((8 - right) % 8);
        put(column, row, here << (8 * down));
        put(column + 1, row, next << (8 * down));
        if down > 0 {
            put(column, row + 1, here >> (64 - 8 * down));
            put(column + 1, row + 1, next >> (64 - 8 * down));
        }
    }
}

/// Transposes a 64 × 64 bit matrix: bit j of word i becomes bit i of word j.
#[inline(always)]
pub(super) fn transpose(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width > 0 {
        let mut i = 0;
        while i < 64 {
            for k in i..i + width {
                let swap = (words[k] >> width ^ words[k + width]) & mask;
                words[k] ^= swap << width;
                words[k + width] ^= swap;
            }
            i += 2 * width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_finds_its_place_and_what_is_outside_is_left_out() {
        let shape = (2, 2);
        for (column, row) in [(0, 0), (-1, 0), (1, -1), (1, 1)] {
            for displacement in 0..64 {
                for lane in 0..64 {
                    let mut masks = [0; 64];
                    masks[displacement] = 1 << lane;
                    let mut found = Vec::new();
                    scatter(masks, (column, row), shape, |lane, word, bits| {
                        found.push((lane, word, bits));
                    });
                    let c = column * 8 + displacement as i32 % 8 + lane % 8;
                    let r = row * 8 + displacement as i32 / 8 + lane / 8;
                    let mut expected = Vec::new();
                    if (0..16).contains(&c) && (0..16).contains(&r) {
                        let word = (r / 8 * 2 + c / 8) as usize;
                        expected.push((lane as usize, word, 1 << (r % 8 * 8 + c % 8)));
                    }
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
