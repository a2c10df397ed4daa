//! Rasters of numbers, streamed: GeoTIFF and BigTIFF (TIFF 6.0; OGC 19-008) and NumPy's `.npy`.
//!
//! Neither is compressed: the file's length is known before its first number, so that the whole
//! head is written at once and numbers follow row by row, in memory of a row.
//!
//! The encoder of the crate `tiff`, which writes masks (`geotiff.rs`), does not fit: it seeks, where this goes to
//! a pipe as well, and must know the number of bands when it is compiled.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::directory::{Values, band_names, encode, place};
use viewcell_ingest::world::Georeference;

/// A number of a raster.
pub trait Number: Copy {
    /// NumPy's name for it.
    const DTYPE: &'static str;
    /// TIFF's SampleFormat: 1 unsigned, 3 IEEE.
    const SAMPLE_FORMAT: u16;
    /// Its four bytes, little-endian.
    fn bytes(self) -> [u8; 4];
}

impl Number for f32 {
    const DTYPE: &'static str = "<f4";
    const SAMPLE_FORMAT: u16 = 3;
    fn bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

impl Number for u32 {
    const DTYPE: &'static str = "<u4";
    const SAMPLE_FORMAT: u16 = 1;
    fn bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

/// A raster's file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterFormat {
    /// TIFF with the place on a planet; BigTIFF where it is longer than 4 GiB.
    GeoTiff,
    /// NumPy's array: rows × columns, and × bands where there are several.
    Npy,
}

/// What a raster is of.
#[derive(Clone, Debug)]
pub struct RasterLayout<'a> {
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// The names of the bands, for people: 1 to [`MAX_BANDS`] of them.
    pub bands: &'a [String],
    /// What stands for no data, in words: a number or `nan`.
    pub nodata: &'a str,
    /// `[dx, dy]` in metres.
    pub spacing: [f64; 2],
    /// Where it lies, if anywhere.
    pub georeference: Option<&'a Georeference>,
}

/// Writes a raster row by row.
#[derive(Debug)]
pub struct RasterWriter<W: Write> {
    out: W,
    /// Numbers still to come.
    left: u64,
}

/// The most bands that a raster has: TIFF counts them in 16 bits.
pub const MAX_BANDS: u32 = u16::MAX as u32;

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
        assert!(layout.width > 0 && layout.height > 0);
        assert!((1..=MAX_BANDS as usize).contains(&layout.bands.len()));
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
            bytes.extend(numbers.iter().flat_map(|number| number.bytes()));
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
    let row = u64::from(layout.width) * layout.bands.len() as u64 * 4;
    let data = row * u64::from(layout.height);
    let head = |big, start| encode(&[tags::<N>(layout, row, start)], big);
    // Where numbers begin does not change the length of the head.
    let small = head(false, 0).len() as u64;
    let big = small + data > u64::from(u32::MAX);
    let start = head(big, 0).len() as u64;
    head(big, start)
}

fn tags<N: Number>(layout: &RasterLayout<'_>, row: u64, start: u64) -> Vec<(u16, Values)> {
    use Values::{Ascii, Long, Short};
    let bands = layout.bands.len();
    let rows = u64::from(layout.height);
    let mut tags = vec![
        (256, Long(vec![layout.width.into()])),
        (257, Long(vec![rows])),
        (258, Short(vec![32; bands])),
        // Not compressed; black is zero.
        (259, Short(vec![1])),
        (262, Short(vec![1])),
        (273, Long((0..rows).map(|r| start + r * row).collect())),
        (277, Short(vec![bands as u16])),
        (278, Short(vec![1])),
        (279, Long(vec![row; rows as usize])),
        // Band by band within a sample.
        (284, Short(vec![1])),
        (339, Short(vec![N::SAMPLE_FORMAT; bands])),
        (42112, Ascii(band_names(layout.bands))),
        (42113, Ascii(layout.nodata.to_owned())),
    ];
    if bands > 1 {
        // The bands beyond the first are not colours.
        tags.push((338, Short(vec![0; bands - 1])));
    }
    tags.extend(place(layout.georeference, layout.spacing));
    tags.sort_by_key(|(tag, _)| *tag);
    tags
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
    fn a_raster_with_a_place_and_several_bands_is_read_back() {
        let names = names(3);
        let georeference = Georeference {
            crs: "EPSG:32611".into(),
            transform: [400_000.0, 30.0, 0.0, 3_800_000.0, 0.0, -30.0],
        };
        let layout = RasterLayout {
            georeference: Some(&georeference),
            ..layout(&names)
        };
        let numbers: Vec<f32> = (0..45).map(|i| i as f32 / 7.0).collect();
        for big in [false, true] {
            let row = 5 * 3 * 4;
            let start = encode(&[tags::<f32>(&layout, row, 0)], big).len() as u64;
            let mut file = encode(&[tags::<f32>(&layout, row, start)], big);
            file.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
            let mut decoder = Decoder::new(io::Cursor::new(&file)).unwrap();
            let scale = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap();
            assert_eq!(scale, [30.0, 30.0, 0.0]);
            let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap();
            assert_eq!(keys[12..], [3072, 0, 1, 32611]);
            let DecodingResult::F32(found) = decoder.read_image().unwrap() else {
                panic!("not f32");
            };
            assert_eq!(found, numbers, "big: {big}");
        }
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
