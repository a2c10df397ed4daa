//! Bytes over bytes: a section, and what patches put in the place of parts of it.

use super::bytes::u64_at;

/// Layers that an entry can tell apart, the lowest included.
pub const MAX_LAYERS: usize = 256;

/// Bits of an entry that are an offset; the layer is above them.
const OFFSET_BITS: u32 = 56;

/// What an index points into: the lowest layer is a section of a bundle, those above it are of
/// patches.
///
/// An entry of the index is the offset in its layer, and in its highest byte the layer. In a bundle
/// alone that byte is 0, since no section is so long.
#[derive(Clone, Copy, Debug)]
pub struct Layered<'a> {
    index: &'a [u8],
    lowest: &'a [u8],
    above: &'a [&'a [u8]],
}

impl<'a> Layered<'a> {
    /// One layer, and its index of `u64`.
    pub const fn new(index: &'a [u8], bytes: &'a [u8]) -> Self {
        Self {
            index,
            lowest: bytes,
            above: &[],
        }
    }

    /// Layers over a lowest one.
    pub const fn over(self, index: &'a [u8], above: &'a [&'a [u8]]) -> Self {
        Self {
            index,
            above,
            ..self
        }
    }

    /// The index.
    pub const fn index(&self) -> &'a [u8] {
        self.index
    }

    /// An entry of the index.
    pub const fn entry(layer: u8, offset: u64) -> u64 {
        (layer as u64) << OFFSET_BITS | offset & ((1 << OFFSET_BITS) - 1)
    }

    /// The bytes from where entry `number` says on. `None` where there are none.
    #[inline]
    pub fn at(&self, number: usize) -> Option<&'a [u8]> {
        let entry = u64_at(self.index, number.checked_mul(8)?)?;
        let layer = (entry >> OFFSET_BITS) as usize;
        let bytes = match layer.checked_sub(1) {
            None => self.lowest,
            Some(above) => self.above.get(above)?,
        };
        let offset = entry & ((1 << OFFSET_BITS) - 1);
        bytes.get(usize::try_from(offset).ok()?..)
    }
}
