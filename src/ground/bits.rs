//! Bits one after the other, the lowest of a byte first; and numbers of bytes that may be damaged.

/// Writes bits.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// The low bits of a value, at most 32.
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        self.pending |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// The bytes, the last filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Reads bits.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits, at most 32; `None` at the end.
    pub(super) fn take(&mut self, bits: u32) -> Option<u64> {
        let mut value = 0;
        let mut have = 0;
        while have < bits {
            let byte = *self.bytes.get(usize::try_from(self.at / 8).ok()?)?;
            let skip = (self.at % 8) as u32;
            let many = (8 - skip).min(bits - have);
            let part = u64::from(byte >> skip) & ((1 << many) - 1);
            value |= part << have;
            have += many;
            self.at += u64::from(many);
        }
        Some(value)
    }

    /// How many bits there may be still.
    pub(super) fn left(&self) -> u64 {
        self.bytes.len() as u64 * 8 - self.at
    }

    /// Whether what is left is less than a byte of zeros.
    pub(super) fn is_done(&mut self) -> bool {
        let left = self.left();
        left < 8 && self.take(left as u32) == Some(0)
    }
}

/// Little-endian numbers, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn bytes(&mut self, many: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(many)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A text of a length that stands before it in two bytes.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.u16()?;
        let bytes = self.bytes(length.into())?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

/// Adds a text as [`Cursor::text`] reads it; what is longer is cut off.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    let end = (0..=text.len().min(u16::MAX.into())).rev();
    let end = end
        .into_iter()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    bytes.extend((end as u16).to_le_bytes());
    bytes.extend_from_slice(&text.as_bytes()[..end]);
}
