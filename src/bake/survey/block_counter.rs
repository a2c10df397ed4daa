//! Counts of bits by their places in words of a block of samples.

/// Counts how often each bit of a word was 1.
#[derive(Clone)]
pub(super) struct BlockCounter {
    /// Bit i of plane p is bit p of the count of bit i since the last flush: adding a word takes
    /// a few operations on words, whatever its bits.
    planes: [u64; 8],
    /// Words added since the last flush. [Limit: 255]
    added: u8,
    /// How often all terrain of the block was seen.
    whole: u32,
    counts: [u32; 64],
}

impl BlockCounter {
    pub(super) const NONE: Self = Self {
        planes: [0; 8],
        added: 0,
        whole: 0,
        counts: [0; 64],
    };

    /// Counts the bits of a word.
    pub(super) fn add(&mut self, bits: u64) {
        if bits == 0 {
            return;
        }
        let mut carry = bits;
        for plane in &mut self.planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
        self.added += 1;
        if self.added == u8::MAX {
            self.flush();
        }
    }

    /// Before counts are asked for.
    pub(super) fn flush(&mut self) {
        for (p, plane) in self.planes.iter_mut().enumerate() {
            for (i, count) in self.counts.iter_mut().enumerate() {
                *count += ((*plane >> i & 1) as u32) << p;
            }
            *plane = 0;
        }
        self.added = 0;
    }

    /// Counts the terrain of the whole block so often.
    pub(super) fn add_whole(&mut self, times: u32) {
        self.whole += times;
    }

    /// Counts bit `bit` so often.
    pub(super) fn add_to(&mut self, bit: usize, times: u32) {
        self.counts[bit] += times;
    }

    /// How often bit `bit`, of terrain, was counted.
    pub(super) fn count(&self, bit: u32) -> u32 {
        self.whole + self.counts[bit as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_counts_every_bit_past_all_flushes() {
        let mut counter = BlockCounter::NONE;
        let mut expected = [0_u32; 64];
        let mut word = 1_u64;
        for _ in 0..1000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            counter.add(word | 1);
            for (i, count) in expected.iter_mut().enumerate() {
                *count += ((word | 1) >> i & 1) as u32;
            }
        }
        counter.flush();
        assert_eq!(counter.counts, expected);
        assert_eq!(expected[0], 1000);
    }
}
