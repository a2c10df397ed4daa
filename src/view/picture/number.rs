//! The types of numbers that rasters have.

/// A number of a raster.
pub trait Number: Copy {
    /// NumPy's name for it.
    const DTYPE: &'static str;
    /// TIFF's BitsPerSample.
    const BITS: u16;
    /// TIFF's SampleFormat: 1 unsigned, 3 IEEE.
    const SAMPLE_FORMAT: u16;
    /// Appends its bytes, little-endian.
    fn append(self, bytes: &mut Vec<u8>);
}

impl Number for f32 {
    const DTYPE: &'static str = "<f4";
    const BITS: u16 = 32;
    const SAMPLE_FORMAT: u16 = 3;
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }
}

impl Number for u32 {
    const DTYPE: &'static str = "<u4";
    const BITS: u16 = 32;
    const SAMPLE_FORMAT: u16 = 1;
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }
}

impl Number for u8 {
    const DTYPE: &'static str = "|u1";
    const BITS: u16 = 8;
    const SAMPLE_FORMAT: u16 = 1;
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.push(self);
    }
}
