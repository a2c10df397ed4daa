//! Rasters of numbers, streamed: GeoTIFF and NumPy's `.npy`.
//!
//! Neither is compressed: the file's length is known before its first number, so that the whole
//! head is written at once and numbers follow row by row, in memory of a row.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::geotiff::{Pieces, RasterLayout, head};
use super::number::Number;

/// A raster's file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterFormat {
    /// TIFF with the place on a planet; BigTIFF where it is longer than 4 GiB.
    GeoTiff,
    /// NumPy's array: rows × columns, and × bands where there are several.
    Npy,
}

/// Writes a raster row by row.
#[derive(Debug)]
pub struct RasterWriter<W: Write> {
    out: W,
    /// Numbers still to come.
    left: u64,
}

impl<W: Write> RasterWriter<W> {
    /// Writes the head of a raster of `N`.
    ///
    /// # Panics
    ///
    /// If the layout is beyond its limits.
    pub fn new<N: Number>(
        mut out: W,
        format: RasterFormat,
        layout: &RasterLayout<'_>,
    ) -> io::Result<Self> {
        let head = match format {
            RasterFormat::GeoTiff => tiff_head::<N>(layout),
            RasterFormat::Npy => npy_head_of::<N>(layout),
        };
        out.write_all(&head)?;
        let samples = u64::from(layout.width) * u64::from(layout.height);
        let left = samples * layout.bands.len() as u64;
        Ok(Self { out, left })
    }

    /// Writes the next numbers: row by row, in a row sample by sample, of a sample band by band.
    ///
    /// # Panics
    ///
    /// If there are more than the raster has.
    pub fn write<N: Number>(&mut self, numbers: &[N]) -> io::Result<()> {
        let left = self.left.checked_sub(numbers.len() as u64);
        self.left = left.expect("no more numbers than the raster has");
        let mut bytes = Vec::with_capacity(4 * 4096);
        for numbers in numbers.chunks(4096) {
            bytes.clear();
            numbers.iter().for_each(|number| number.append(&mut bytes));
            self.out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Ends the raster and gives back what it was written to.
    ///
    /// # Panics
    ///
    /// If numbers are missing.
    pub fn finish(mut self) -> io::Result<W> {
        assert_eq!(self.left, 0, "as many numbers as the raster has");
        self.out.flush()?;
        Ok(self.out)
    }
}

fn npy_head_of<N: Number>(layout: &RasterLayout<'_>) -> Vec<u8> {
    let mut shape = format!("{}, {}", layout.height, layout.width);
    if layout.bands.len() > 1 {
        let _ = write!(shape, ", {}", layout.bands.len());
    }
    npy_head(N::DTYPE, &shape)
}

/// The head of a file of NumPy, for an array of numbers of a type: version 1.0 of the format, padded as NumPy does
/// to a multiple of 64 bytes.
pub(super) fn npy_head(dtype: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({shape}), }}");
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((text.len() as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}

/// One strip a row: the head holds where each begins.
fn tiff_head<N: Number>(layout: &RasterLayout<'_>) -> Vec<u8> {
    let row = u64::from(layout.width) * layout.bands.len() as u64 * u64::from(N::BITS / 8);
    head::<N>(layout, Pieces::Rows, &[vec![row; layout.height as usize]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiff::decoder::{Decoder, DecodingResult};
    use tiff::tags::Tag;

    fn layout(bands: &[String]) -> RasterLayout<'_> {
        RasterLayout {
            width: 5,
            height: 3,
            description: "",
            bands,
            nodata: "nan",
            spacing: [30.0, 30.0],
            georeference: None,
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("band <{i}>")).collect()
    }

    #[test]
    fn another_decoder_reads_the_same_numbers() {
        let names = names(1);
        let numbers: Vec<u32> = (0..15).map(|i| i * 300_000_000).collect();
        let mut writer =
            RasterWriter::new::<u32>(Vec::new(), RasterFormat::GeoTiff, &layout(&names)).unwrap();
        writer.write(&numbers[..4]).unwrap();
        writer.write(&numbers[4..]).unwrap();
        let file = writer.finish().unwrap();
        let mut decoder = Decoder::new(io::Cursor::new(&file)).unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (5, 3));
        let DecodingResult::U32(found) = decoder.read_image().unwrap() else {
            panic!("not u32");
        };
        assert_eq!(found, numbers);
        let names = decoder.get_tag_ascii_string(Tag::Unknown(42112)).unwrap();
        assert!(names.contains(">band &lt;0></Item>"), "{names}");
    }

    #[test]
    fn beyond_four_gigabytes_a_tiff_is_big() {
        let names = names(1000);
        let raster = |width, height| {
            tiff_head::<f32>(&RasterLayout {
                width,
                height,
                ..layout(&names)
            })
        };
        assert_eq!(raster(1000, 1000)[..4], *b"II\x2a\0");
        assert_eq!(raster(1000, 1100)[..4], *b"II\x2b\0");
    }

    #[test]
    fn an_array_has_its_shape_and_begins_at_a_multiple_of_64() {
        for (bands, shape) in [(1, "(3, 5)"), (7, "(3, 5, 7)")] {
            let head = npy_head_of::<f32>(&layout(&names(bands)));
            assert_eq!(head.len() % 64, 0);
            assert_eq!(head[..8], *b"\x93NUMPY\x01\0");
            assert_eq!(
                usize::from(u16::from_le_bytes([head[8], head[9]])),
                head.len() - 10
            );
            let text = std::str::from_utf8(&head[10..]).unwrap();
            let expected =
                format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            assert_eq!(text.trim_end(), expected);
        }
    }

    #[test]
    #[should_panic(expected = "as many numbers")]
    fn a_raster_that_lacks_numbers_cannot_be_finished() {
        let names = names(1);
        let writer = RasterWriter::new::<f32>(Vec::new(), RasterFormat::Npy, &layout(&names));
        let _ = writer.unwrap().finish();
    }
}
