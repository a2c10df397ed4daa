//! A demo's bytes, read one after the other.

use super::DemoError;

/// What is left to read, and where in the file it begins.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    left: &'a [u8],
    at: usize,
    /// What of the file this is, for words about its end.
    whole: &'static str,
}

impl<'a> Bytes<'a> {
    /// All bytes of a file.
    pub(super) fn of(file: &'a [u8]) -> Self {
        Self {
            left: file,
            at: 0,
            whole: "file",
        }
    }

    /// Where in the file the next byte is.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The next bytes, as many as asked for.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DemoError> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return Err(DemoError::at(
                self.at,
                format!(
                    "expected {count} bytes more, found {} to the end of the {}",
                    self.left.len(),
                    self.whole
                ),
            ));
        };
        self.left = left;
        self.at += count;
        Ok(taken)
    }

    /// The next bytes, to be read on their own.
    pub(super) fn part(&mut self, count: usize) -> Result<Self, DemoError> {
        let at = self.at;
        let left = self.take(count)?;
        Ok(Self {
            left,
            at,
            whole: "message",
        })
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<(), DemoError> {
        self.take(count).map(|_| ())
    }

    pub(super) fn byte(&mut self) -> Result<u8, DemoError> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn short(&mut self) -> Result<u16, DemoError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Result<u32, DemoError> {
        self.array().map(u32::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DemoError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// Text up to a byte of zero, which is read, too.
    pub(super) fn text(&mut self) -> Result<&'a [u8], DemoError> {
        let Some(length) = self.left.iter().position(|byte| *byte == 0) else {
            return Err(DemoError::at(
                self.at,
                format!(
                    "expected text that ends with a byte of 0, found none to the end of the {}",
                    self.whole
                ),
            ));
        };
        let text = self.take(length)?;
        self.skip(1)?;
        Ok(text)
    }

    /// A coordinate of so many bytes: 2, in eighths, or 4, a float.
    pub(super) fn coordinate(&mut self, width: usize) -> Result<f64, DemoError> {
        let at = self.at;
        if width == 2 {
            return Ok(f64::from(self.short()?.cast_signed()) / 8.0);
        }
        let number = f32::from_bits(self.long()?);
        if !number.is_finite() {
            return Err(DemoError::at(
                at,
                format!("expected a finite coordinate, found {number}"),
            ));
        }
        Ok(number.into())
    }
}
