//! Numbers out of slices, `None` past the end: little-endian, and of few bytes (LEB128); and checksums.

/// The `N` bytes at `at`.
#[inline]
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// The `u16` at byte `at`.
#[inline]
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

/// The `u32` at byte `at`.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

/// The `u64` at byte `at`.
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// The `f32` at byte `at`.
#[inline]
pub fn f32_at(bytes: &[u8], at: usize) -> Option<f32> {
    array_at(bytes, at).map(f32::from_le_bytes)
}

/// The `f64` at byte `at`.
#[inline]
pub fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    array_at(bytes, at).map(f64::from_le_bytes)
}

/// Overwrites the bytes at `at`; does nothing where they do not fit.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(end) = at.checked_add(value.len())
        && let Some(place) = bytes.get_mut(at..end)
    {
        place.copy_from_slice(value);
    }
}

/// Greatest length in bytes of a varint of this format.
pub const MAX_VARINT_LEN: usize = 5;

/// Reads a LEB128 number below 2^32: seven bits a byte from the low ones, the high bit set on
/// all bytes but the last. Returns it and the bytes behind it.
#[inline]
pub fn read_varint(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_VARINT_LEN).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(value).ok()?, bytes.get(i + 1..)?));
        }
    }
    None
}

/// Writes a LEB128 number; returns the bytes and how many of them count.
pub fn write_varint(mut value: u32) -> ([u8; MAX_VARINT_LEN], usize) {
    let mut bytes = [0; MAX_VARINT_LEN];
    let mut length = 0;
    for byte in &mut bytes {
        length += 1;
        *byte = value as u8 & 0x7F;
        value >>= 7;
        if value == 0 {
            break;
        }
        *byte |= 0x80;
    }
    (bytes, length)
}

/// One step of eight bits for each value of the low byte.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        // In range by the loop's condition, and evaluated when compiling.
        #[allow(clippy::indexing_slicing)]
        {
            table[i] = crc;
        }
        i += 1;
    }
    table
}

/// A CRC-32, as in zlib, PNG and Ethernet (polynomial 0xEDB88320, reflected), in the making. Meant for headers and tables; writers of large sections may use a
/// faster implementation of the same function.
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Self {
        Self(!0)
    }
}

impl Crc32 {
    /// Takes in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let low = (self.0 as u8) ^ byte;
            let step = TABLE.get(usize::from(low)).copied().unwrap_or(0);
            self.0 = (self.0 >> 8) ^ step;
        }
    }

    /// The checksum of all bytes taken in.
    pub fn value(self) -> u32 {
        !self.0
    }
}

/// The CRC-32 of `bytes`.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::default();
    crc.update(bytes);
    crc.value()
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn equals_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
