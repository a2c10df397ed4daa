//! CRC-32 as in zlib, PNG and Ethernet (polynomial 0xEDB88320, reflected).

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

/// A CRC-32 in the making. Meant for headers and tables; writers of large sections may use a
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
