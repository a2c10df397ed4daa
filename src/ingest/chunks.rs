//! Strips and tiles of a TIFF: their table, their compression, their prediction.
//!
//! The crate `tiff` would decode them too, but it fails on valid tiles packed with LZW, mirrors
//! samples for which white is zero, and predicts where no compression is. Each of those would be
//! a wrong height or a file that everybody else can read.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use super::error::IngestError;
use super::raster::Window;
use super::raw::{SampleType, decode, zeros};
use super::source::{ByteOrder, RasterFile, WITHOUT_GDAL};

/// How the chunks (strips or tiles, row by row) cover a raster.
pub(super) struct Chunks {
    /// `strip` or `tile`.
    pub name: &'static str,
    /// Of the raster, in samples.
    pub width: u32,
    pub height: u32,
    /// Of a chunk, in samples. Tiles are whole also where they reach beyond the raster; the last
    /// strip ends with it.
    pub chunk_width: u32,
    pub chunk_height: u32,
    pub whole: bool,
    /// So many bands are interleaved, sample by sample; 1 where each has chunks of its own.
    pub interleaved: u32,
    /// Which is read, from 0.
    pub band: u32,
    /// In the file, in bytes.
    pub offsets: Vec<u64>,
    pub counts: Vec<u64>,
    pub coding: Coding,
}

/// How samples became the bytes of a chunk.
#[derive(Clone, Copy)]
pub(super) struct Coding {
    pub compression: u16,
    pub predictor: u16,
    pub sample: SampleType,
    pub order: ByteOrder,
}

const NONE: u16 = 1;
const LZW: u16 = 5;
const DEFLATE: u16 = 8;
const OLD_DEFLATE: u16 = 32946;
const PACKBITS: u16 = 32773;
const LZMA: u16 = 34925;
const ZSTD: u16 = 50000;

/// KiB of memory to unpack LZMA in: what its strongest preset takes is 65 MiB.
const LZMA_MEMORY: u32 = 1 << 17;

/// No chunk needs to be larger than the rasters that may be read at all, or than this.
const CHUNK_SAMPLES: u64 = 1 << 24;

const DAMAGED: &str = "the file is damaged: fetch or export it again";

impl Chunks {
    /// Reads the chunks that the window touches. Those that were never written (GDAL leaves them
    /// out of sparse files) hold `fill`.
    pub(super) fn read(
        &self,
        file: &mut BufReader<File>,
        source: &RasterFile,
        window: Window,
        fill: f64,
    ) -> Result<Vec<f64>, IngestError> {
        self.coding.check()?;
        self.check_size(source)?;
        let across = self.width.div_ceil(self.chunk_width);
        let bands = self.interleaved as usize;
        let (first, band) = if bands == 1 {
            let a_band = across as usize * self.height.div_ceil(self.chunk_height) as usize;
            (self.band as usize * a_band, 0)
        } else {
            (0, self.band as usize)
        };
        let columns = window.column..window.column + window.width;
        let rows = window.row..window.row + window.height;
        let mut values = window.allocate()?;
        values.resize(window.samples() as usize, fill);
        let sample_bytes = self.coding.sample.bytes() as usize;
        for y in rows.start / self.chunk_height..=(rows.end - 1) / self.chunk_height {
            for x in columns.start / self.chunk_width..=(columns.end - 1) / self.chunk_width {
                let (left, top) = (x * self.chunk_width, y * self.chunk_height);
                let index = first + y as usize * across as usize + x as usize;
                let chunk = self
                    .chunk(file, source, index, self.height - top)
                    .map_err(|e| e.at(format!("{} {index}", self.name)))?;
                let Some(chunk) = chunk else { continue };
                let pixel_bytes = bands * sample_bytes;
                let row_bytes = self.chunk_width as usize * pixel_bytes;
                let shared_columns =
                    columns.start.max(left)..columns.end.min(left.saturating_add(self.chunk_width));
                let shared_rows =
                    rows.start.max(top)..rows.end.min(top.saturating_add(self.chunk_height));
                for row in shared_rows {
                    let from = (row - top) as usize * row_bytes
                        + (shared_columns.start - left) as usize * pixel_bytes;
                    let to = (row - rows.start) as usize * window.width as usize
                        + (shared_columns.start - columns.start) as usize;
                    let count = shared_columns.len();
                    let pixels = &chunk[from..from + count * pixel_bytes];
                    let mut samples = Cow::Borrowed(pixels);
                    if bands > 1 {
                        let of_band =
                            |pixel: &[u8]| pixel[band * sample_bytes..][..sample_bytes].to_vec();
                        samples = pixels.chunks_exact(pixel_bytes).flat_map(of_band).collect();
                    }
                    decode(
                        &samples,
                        self.coding.sample,
                        self.coding.order,
                        &mut values[to..to + count],
                    );
                }
            }
        }
        Ok(values)
    }

    /// A chunk is unpacked in one piece, however small the crop.
    fn check_size(&self, source: &RasterFile) -> Result<(), IngestError> {
        let most = source.options.max_samples.max(CHUNK_SAMPLES);
        let samples = u128::from(self.chunk_width) * u128::from(self.chunk_height);
        if samples * u128::from(self.interleaved) > u128::from(most) {
            return Err(IngestError::resource(
                format!(
                    "{}s of at most {most} samples, since each is unpacked in one piece",
                    self.name
                ),
                format!("{} x {}", self.chunk_width, self.chunk_height),
                "raise the limit with `max_samples`, or convert the file: gdal_translate -co TILED=YES",
            ));
        }
        Ok(())
    }

    /// The plain bytes of a chunk, of which so many rows of the raster are left.
    fn chunk(
        &self,
        file: &mut BufReader<File>,
        source: &RasterFile,
        index: usize,
        rows_left: u32,
    ) -> Result<Option<Vec<u8>>, IngestError> {
        let (Some(&offset), Some(&count)) = (self.offsets.get(index), self.counts.get(index))
        else {
            return Err(IngestError::bad(
                format!("a table of {}s that covers the raster", self.name),
                format!("{} entries", self.offsets.len().min(self.counts.len())),
                DAMAGED,
            ));
        };
        if offset == 0 && count == 0 {
            return Ok(None);
        }
        let end = offset.checked_add(count);
        if end.is_none_or(|end| end > source.length) {
            return Err(IngestError::bad(
                format!("{count} bytes from byte {offset} on"),
                format!("a file of {} bytes", source.length),
                "the file is cut short or its table is wrong: fetch or export it again",
            ));
        }
        let rows = if self.whole {
            self.chunk_height
        } else {
            self.chunk_height.min(rows_left)
        };
        file.seek(SeekFrom::Start(offset))
            .map_err(IngestError::io)?;
        self.coding
            .decode(
                &mut file.take(count),
                self.chunk_width,
                self.interleaved,
                rows,
            )
            .map(Some)
    }
}

impl Coding {
    fn check(&self) -> Result<(), IngestError> {
        let unsupported = |expected: &str, found: String, place: &str| {
            IngestError::bad(expected, found, WITHOUT_GDAL)
                .at(place)
                .unsupported()
        };
        if !matches!(
            self.compression,
            NONE | LZW | DEFLATE | OLD_DEFLATE | PACKBITS | LZMA | ZSTD
        ) {
            return Err(unsupported(
                "no compression, LZW, deflate, PackBits, LZMA or zstd (1, 5, 8, 32946, 32773, 34925 or 50000)",
                named(self.compression),
                "tag 259 (Compression)",
            ));
        }
        let is_possible = match self.predictor {
            1 => true,
            2 => self.sample != SampleType::F24,
            3 => self.sample.is_float(),
            _ => false,
        };
        if !is_possible {
            return Err(unsupported(
                "a predictor that these samples can have (1, 2 or, for floating point, 3)",
                self.predictor.to_string(),
                "tag 317 (Predictor)",
            ));
        }
        Ok(())
    }

    /// Unpacks so many rows of so many samples of each of some bands; whatever follows them is left.
    fn decode(
        &self,
        packed: &mut impl Read,
        width: u32,
        bands: u32,
        rows: u32,
    ) -> Result<Vec<u8>, IngestError> {
        let pixel_bytes = self.sample.bytes() * u64::from(bands);
        let mut plain = zeros(u64::from(width) * u64::from(rows), pixel_bytes)?;
        let row_bytes = width as usize * pixel_bytes as usize;
        let length = plain.len();
        let unpacked = match self.compression {
            NONE => fill(packed, &mut plain),
            DEFLATE | OLD_DEFLATE => fill(&mut flate2::read::ZlibDecoder::new(packed), &mut plain),
            ZSTD => zstd::Decoder::new(packed).and_then(|mut z| fill(&mut z, &mut plain)),
            PACKBITS => unpack_bits(packed, &mut plain),
            LZMA => {
                let mut xz = lzma_rust2::XzReader::new_mem_limit(packed, false, LZMA_MEMORY);
                fill(&mut xz, &mut plain)
            }
            _ => unpack_lzw(packed, &mut plain),
        };
        match unpacked {
            Ok(n) if n == length => {}
            Ok(n) => {
                return Err(IngestError::bad(
                    format!("{length} bytes of samples"),
                    format!("{n}"),
                    DAMAGED,
                ));
            }
            Err(error) => {
                return Err(IngestError::bad(
                    "sound compressed data",
                    error.to_string(),
                    DAMAGED,
                ));
            }
        }
        // Prediction belongs to these compressions; beside the others the tag means nothing.
        if matches!(self.compression, LZW | DEFLATE | OLD_DEFLATE | LZMA | ZSTD) {
            for row in plain.chunks_exact_mut(row_bytes) {
                match self.predictor {
                    2 => self.add_up(row, bands as usize),
                    3 => self.add_up_planes(row, bands as usize),
                    _ => {}
                }
            }
        }
        Ok(plain)
    }

    /// Predictor 2 (TIFF 6.0, section 14): each sample is the difference from the one before it in its band.
    fn add_up(&self, row: &mut [u8], bands: usize) {
        macro_rules! each {
            ($type:ty) => {{
                let (samples, _) = row.as_chunks_mut();
                let mut sums: Vec<$type> = vec![0; bands];
                for (i, bytes) in samples.iter_mut().enumerate() {
                    let (from, to): (fn(_) -> $type, fn($type) -> _) = match self.order {
                        ByteOrder::Little => (<$type>::from_le_bytes, <$type>::to_le_bytes),
                        ByteOrder::Big => (<$type>::from_be_bytes, <$type>::to_be_bytes),
                    };
                    let sum = &mut sums[i % bands];
                    *sum = sum.wrapping_add(from(*bytes));
                    *bytes = to(*sum);
                }
            }};
        }
        match self.sample.bytes() {
            1 => each!(u8),
            2 => each!(u16),
            4 => each!(u32),
            _ => each!(u64),
        }
    }

    /// Predictor 3 (Adobe Photoshop TIFF Technical Note 3): the row's most significant bytes, then
    /// the next, and so on, each byte the difference from the one as many before it as there are bands.
    fn add_up_planes(&self, row: &mut [u8], bands: usize) {
        for i in bands..row.len() {
            row[i] = row[i].wrapping_add(row[i - bands]);
        }
        let planes = row.to_vec();
        let bytes = self.sample.bytes() as usize;
        let samples = row.len() / bytes;
        for (i, sample) in row.chunks_exact_mut(bytes).enumerate() {
            for (k, byte) in sample.iter_mut().enumerate() {
                let plane = match self.order {
                    ByteOrder::Little => bytes - 1 - k,
                    ByteOrder::Big => k,
                };
                *byte = planes[plane * samples + i];
            }
        }
    }
}

/// A compression with its name, where it has one that people know.
fn named(compression: u16) -> String {
    let name = match compression {
        2..=4 => "a fax code",
        6 | 7 => "JPEG",
        34712 => "JPEG 2000",
        34887 => "LERC",
        50001 => "WebP",
        50002 => "JPEG XL",
        other => return other.to_string(),
    };
    format!("{name} ({compression})")
}

/// Reads until the buffer is full or the bytes end; says how many there were.
fn fill(from: &mut impl Read, to: &mut [u8]) -> std::io::Result<usize> {
    let mut n = 0;
    while n < to.len() {
        match from.read(&mut to[n..])? {
            0 => break,
            more => n += more,
        }
    }
    Ok(n)
}

fn unpack_lzw(from: &mut impl Read, to: &mut [u8]) -> std::io::Result<usize> {
    let mut packed = Vec::new();
    from.read_to_end(&mut packed)?;
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let (mut used, mut n) = (0, 0);
    while n < to.len() {
        let step = decoder.decode_bytes(&packed[used..], &mut to[n..]);
        used += step.consumed_in;
        n += step.consumed_out;
        match step.status {
            Ok(weezl::LzwStatus::Ok) if step.consumed_in + step.consumed_out > 0 => {}
            Ok(_) => break,
            Err(error) => return Err(std::io::Error::other(error)),
        }
    }
    Ok(n)
}

/// PackBits (TIFF 6.0, section 9): n from 0 to 127 copies n + 1 bytes, from -1 to -127 repeats
/// one byte 1 - n times, -128 does nothing.
fn unpack_bits(from: &mut impl Read, to: &mut [u8]) -> std::io::Result<usize> {
    let mut packed = Vec::new();
    from.read_to_end(&mut packed)?;
    let mut packed = packed.as_slice();
    let mut n = 0;
    while let (true, Some((&head, rest))) = (n < to.len(), packed.split_first()) {
        packed = rest;
        let left = to.len() - n;
        match head as i8 {
            -128 => {}
            head @ 0.. => {
                let run = (head as usize + 1).min(left).min(packed.len());
                to[n..n + run].copy_from_slice(&packed[..run]);
                packed = &packed[run..];
                n += run;
            }
            head => {
                let Some((&byte, rest)) = packed.split_first() else {
                    break;
                };
                packed = rest;
                let run = (1 - isize::from(head)) as usize;
                let run = run.min(left);
                to[n..n + run].fill(byte);
                n += run;
            }
        }
    }
    Ok(n)
}
