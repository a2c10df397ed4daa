//! Rows of bits, and a hash of numbers.

use std::hash::{BuildHasherDefault, Hasher};

/// The numbers of the bits that are set.
pub(super) fn bits_of(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// Sets a bit of a row.
pub(super) fn set(row: &mut [u64], bit: usize, on: bool) {
    let word = &mut row[bit / 64];
    *word = *word & !(1 << (bit % 64)) | u64::from(on) << (bit % 64);
}

/// For maps by places and quads: nobody chooses these to do harm.
pub(super) type Mixed = BuildHasherDefault<Mix>;

/// Mixes words as they come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
