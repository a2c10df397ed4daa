//! From masks by displacement, a bit a viewpoint, to rows by viewpoint, a bit a target.

use super::lanes::{LANES, SIDE};
use super::sights::Sights;
use crate::format::blockbits::transpose;

/// Adds the masks of an 8 × 8 block of displacements from a block of viewpoints to what the
/// viewpoints see.
///
/// Mask i is of the displacement that takes the block's first viewpoint to sample (i % 8, i / 8) of
/// block (`column`, `row`) of the grid; bit j of it is lane j. `viewpoints` is the block's number
/// in `sights`. What lies outside the grid is left out.
#[inline(always)]
pub(super) fn scatter(
    mut masks: [u64; LANES],
    (column, row): (i32, i32),
    viewpoints: usize,
    sights: &mut Sights,
) {
    transpose(&mut masks);
    // Displaced by a lane's own place, the block spills into its neighbours in the east and south.
    let place = (column, row);
    add::<false, false>(&masks, place, viewpoints, sights);
    add::<true, false>(&masks, place, viewpoints, sights);
    add::<false, true>(&masks, place, viewpoints, sights);
    add::<true, true>(&masks, place, viewpoints, sights);
}

/// Adds what falls into one of the four blocks.
#[inline(always)]
fn add<const EAST: bool, const SOUTH: bool>(
    masks: &[u64; LANES],
    (column, row): (i32, i32),
    viewpoints: usize,
    sights: &mut Sights,
) {
    let mut bits = *masks;
    let mut any = 0;
    for (lane, bits) in bits.iter_mut().enumerate() {
        let (right, down) = (lane % SIDE, lane / SIDE);
        let stay = 0x0101_0101_0101_0101u64 * (0xff >> right);
        *bits = match (EAST, SOUTH) {
            (true, _) if right == 0 => 0,
            (_, true) if down == 0 => 0,
            (false, _) => (*bits & stay) << right,
            (true, _) => (*bits & !stay) >> (SIDE - right),
        };
        *bits = match SOUTH {
            false => *bits << (8 * down),
            true if down == 0 => 0,
            true => *bits >> (64 - 8 * down),
        };
        any |= *bits;
    }
    if any == 0 {
        return;
    }
    let place = (column + i32::from(EAST), row + i32::from(SOUTH));
    if let Some(rows) = sights.rows_mut(viewpoints, place) {
        for (row, bits) in rows.iter_mut().zip(bits) {
            *row |= bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_finds_its_place_and_what_is_outside_is_left_out() {
        let all = !0u64;
        for (column, row) in [(0, 0), (-1, 0), (1, -1), (1, 1)] {
            for displacement in 0..64 {
                for lane in 0..64 {
                    let mut masks = [0; 64];
                    masks[displacement] = 1 << lane;
                    let mut sights = Sights::with_shape(2, 2);
                    scatter(masks, (column, row), 3, &mut sights);
                    sights.finish(3, all, &[all; 4], |_| true);
                    let found = sights.seen(3).flat_map(|(target, _)| {
                        let rows = sights.rows(3, target).unwrap().iter().enumerate();
                        rows.filter(|(_, row)| **row != 0)
                            .map(move |(lane, row)| (lane, target, *row))
                    });
                    let c = column * 8 + displacement as i32 % 8 + lane % 8;
                    let r = row * 8 + displacement as i32 / 8 + lane / 8;
                    let mut expected = Vec::new();
                    if (0..16).contains(&c) && (0..16).contains(&r) {
                        let target = (r / 8 * 2 + c / 8) as usize;
                        expected.push((lane as usize, target, 1 << (r % 8 * 8 + c % 8)));
                    }
                    assert_eq!(found.collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
