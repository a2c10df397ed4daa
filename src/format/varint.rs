//! Numbers of few bytes: LEB128.

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
