//! Morton order: of the quads of a level, depth first, children north-west, north-east, south-west,
//! south-east. (G. M. Morton 1966.)

/// Place in Morton order of (column, row): their bits in turn, the column's first.
pub const fn number(column: u32, row: u32) -> u64 {
    spread(column) | spread(row) << 1
}

/// The (column, row) with a place in Morton order.
pub const fn place(number: u64) -> (u32, u32) {
    (every_second(number), every_second(number >> 1))
}

/// Whether (column, row) `a` comes before `b`.
#[inline]
pub const fn comes_before(a: (u32, u32), b: (u32, u32)) -> bool {
    let (columns, rows) = (a.0 ^ b.0, a.1 ^ b.1);
    // Whose highest differing bit is higher; at the same height rows come first.
    if rows < columns && rows < rows ^ columns {
        a.0 < b.0
    } else {
        a.1 < b.1
    }
}

/// Place along the three-dimensional Morton curve of (x, y, z), each of at most 21 bits: their bits in turn,
/// those of x first. A cube of 2^k cells a side, aligned to its size, is 8^k places in a row.
pub const fn solid_number([x, y, z]: [u32; 3]) -> u64 {
    spread_wide(x) | spread_wide(y) << 1 | spread_wide(z) << 2
}

/// Bit i goes to bit 3i; bits from 21 on are lost.
const fn spread_wide(bits: u32) -> u64 {
    let bits = bits as u64 & 0x1F_FFFF;
    let bits = (bits | bits << 32) & 0x001F_0000_0000_FFFF;
    let bits = (bits | bits << 16) & 0x001F_0000_FF00_00FF;
    let bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F;
    let bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

/// Bit i goes to bit 2i.
const fn spread(bits: u32) -> u64 {
    let bits = bits as u64;
    let bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    let bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    let bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    let bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Bit 2i goes to bit i; odd bits are lost.
const fn every_second(bits: u64) -> u32 {
    let bits = bits & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    let bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF;
    let bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF;
    (bits | bits >> 16) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Grid, Quad};

    #[test]
    fn bits_take_turns() {
        for (column, row) in [
            (0, 0),
            (1, 0),
            (0, 1),
            (5, 9),
            (u32::MAX, 0),
            (77, u32::MAX),
        ] {
            let number = number(column, row);
            for bit in 0..32 {
                assert_eq!(number >> (2 * bit) & 1, u64::from(column >> bit & 1));
                assert_eq!(number >> (2 * bit + 1) & 1, u64::from(row >> bit & 1));
            }
            assert_eq!(place(number), (column, row));
        }
    }

    #[test]
    fn bits_take_turns_in_space() {
        for at in [[0, 0, 0], [1, 0, 0], [5, 9, 2], [0x1F_FFFF, 77, 0x15_5555]] {
            let number = solid_number(at);
            for bit in 0..21 {
                for (axis, coordinate) in at.into_iter().enumerate() {
                    let found = number >> (3 * bit + axis) & 1;
                    assert_eq!(found, u64::from(coordinate >> bit & 1));
                }
            }
        }
    }

    #[test]
    fn numbers_are_the_order_in_which_a_bake_takes_samples() {
        let grid = Grid::new(32, 32).unwrap();
        let samples = grid.bake_order().filter(|quad| quad.level == 0);
        for (k, Quad { column, row, .. }) in (0..).zip(samples) {
            assert_eq!(number(column, row), k);
        }
    }

    #[test]
    fn comes_before_is_morton_order() {
        for a in (0..20).flat_map(|c| (0..20).map(move |r| (c, r))) {
            for b in (0..20).flat_map(|c| (0..20).map(move |r| (c, r))) {
                assert_eq!(
                    comes_before(a, b),
                    number(a.0, a.1) < number(b.0, b.1),
                    "{a:?} {b:?}"
                );
            }
        }
        let far = u32::MAX;
        assert!(comes_before((far, 0), (0, far)) && !comes_before((far, far), (far, far)));
    }
}
