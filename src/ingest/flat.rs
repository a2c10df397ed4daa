//! Samples one after another in a file, without compression.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::IngestError;
use super::raster::Window;

/// Order of the bytes in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Type of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleType {
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl SampleType {
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// How a raster lies in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Of the first sample, in bytes.
    pub offset: u64,
    /// Samples in a row.
    pub width: u64,
    pub sample: SampleType,
    pub order: ByteOrder,
}

/// Reads a window row by row. The caller has checked the file's length against the layout.
pub(super) fn read(
    mut file: File,
    layout: Layout,
    window: Window,
) -> Result<Vec<f64>, IngestError> {
    let mut values = window.allocate()?;
    let bytes = layout.sample.bytes();
    let mut row_bytes = vec![0; (u64::from(window.width) * bytes) as usize];
    for row in 0..u64::from(window.height) {
        let first = (u64::from(window.row) + row) * layout.width + u64::from(window.column);
        let place = layout.offset + first * bytes;
        file.seek(SeekFrom::Start(place))
            .and_then(|_| file.read_exact(&mut row_bytes))
            .map_err(|e| IngestError::io(e).at(format!("byte {place}")))?;
        decode(&row_bytes, layout.sample, layout.order, &mut values);
    }
    Ok(values)
}

fn decode(bytes: &[u8], sample: SampleType, order: ByteOrder, values: &mut Vec<f64>) {
    macro_rules! each {
        ($type:ty) => {{
            let (samples, _) = bytes.as_chunks();
            match order {
                ByteOrder::Little => {
                    values.extend(samples.iter().map(|b| <$type>::from_le_bytes(*b) as f64));
                }
                ByteOrder::Big => {
                    values.extend(samples.iter().map(|b| <$type>::from_be_bytes(*b) as f64));
                }
            }
        }};
    }
    match sample {
        SampleType::U8 => each!(u8),
        SampleType::I16 => each!(i16),
        SampleType::U16 => each!(u16),
        SampleType::I32 => each!(i32),
        SampleType::U32 => each!(u32),
        SampleType::I64 => each!(i64),
        SampleType::U64 => each!(u64),
        SampleType::F32 => each!(f32),
        SampleType::F64 => each!(f64),
    }
}
