//! PNG heightmaps: one grey channel of 8 or 16 bits. What is transparent is void: by alpha, or by a grey that stands for it
//! (tRNS).

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use image::codecs::png::PngDecoder;
use image::{ImageDecoder, ImageError, Limits};

use super::error::IngestError;
use super::raster::{COLOURS, Order, PALETTE, Raster, Window};
use super::raw::{heights_assumed, zeros};
use super::source::RasterFile;
use super::world_file;

pub(super) fn read(source: &RasterFile, mut file: File) -> Result<Raster, IngestError> {
    let header = Header::read(&mut file)?;
    header.check()?;
    let [width, height] = header.size;
    let window = Window::new(source.options, width.into(), height.into())?;

    // A PNG has no random access: its pixels are unpacked whole, whatever the crop. A grey that is transparent becomes a
    // channel of alpha.
    let samples = u64::from(width) * u64::from(height);
    let pixel_bytes = 2 * samples * u64::from(header.depth / 8);
    let most = source.options.max_samples.saturating_mul(8).max(1 << 27);
    if pixel_bytes > most {
        return Err(IngestError::resource(
            format!("at most {most} bytes of pixels, which PNG keeps in one piece"),
            format!("{pixel_bytes} bytes ({width} x {height})"),
            "raise the limit with `max_samples`, or convert the file to a tiled GeoTIFF",
        ));
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(pixel_bytes.saturating_mul(2).saturating_add(1 << 24));
    let decoder = PngDecoder::with_limits(BufReader::new(file), limits).map_err(decode_error)?;
    let channels = decoder.color_type().channel_count();
    let bytes = usize::from(header.depth / 8);
    let all_bytes = samples * u64::from(channels) * bytes as u64;
    let has_alpha = decoder.color_type().has_alpha();
    if decoder.dimensions() != (width, height)
        || channels != 1 + u8::from(has_alpha)
        || decoder.total_bytes() != all_bytes
    {
        return Err(IngestError::bad(
            "greyscale of 8 or 16 bits",
            format!("{:?}", decoder.color_type()),
            REMEDY,
        ));
    }
    let mut pixels = zeros(all_bytes, 1)?;
    decoder.read_image(&mut pixels).map_err(decode_error)?;

    let mut notes = Vec::new();
    let given = world_file::beside(source, &mut notes)?;
    let given = given.or(source.place);
    let (order, transform) = Order::of(given, [width.into(), height.into()])?;
    let in_file = window.counted(order);
    let mut values = window.allocate()?;
    let pixel_bytes = usize::from(channels) * bytes;
    let rows = pixels
        .chunks_exact(width as usize * pixel_bytes)
        .skip(in_file.row as usize)
        .take(window.height as usize);
    let columns = in_file.column as usize * pixel_bytes
        ..(in_file.column + window.width) as usize * pixel_bytes;
    let sample = |bytes: &[u8]| match *bytes {
        [high, low] => f64::from(u16::from_ne_bytes([high, low])),
        _ => f64::from(bytes[0]),
    };
    let mut transparent = 0_u64;
    for row in rows {
        for pixel in row[columns.clone()].chunks_exact(pixel_bytes) {
            let is_void = has_alpha && sample(&pixel[bytes..]) == 0.0;
            transparent += u64::from(is_void);
            values.push(if is_void {
                f64::NAN
            } else {
                sample(&pixel[..bytes])
            });
        }
    }
    if transparent > 0 {
        notes.push(format!(
            "{transparent} samples are void, for they are transparent"
        ));
    }
    order.undo(&mut values, window.width, &mut notes);
    let mut raster = Raster::new("PNG", window, values);
    raster.notes = notes;
    raster.transform = transform;
    raster.order = order;
    if has_alpha && header.colour == 0 {
        // The grey that is transparent, which is void already, is the file's own nodata.
        raster.nodata = Some(f64::NAN);
    }
    raster.notes.push(heights_assumed(source));
    Ok(raster)
}

const REMEDY: &str =
    "save it as greyscale of 8 or 16 bits: gdal_translate -ot UInt16 INPUT OUT.png";

/// What the file's first chunk declares, read here for plain errors before anything is unpacked.
struct Header {
    size: [u32; 2],
    depth: u8,
    colour: u8,
}

impl Header {
    fn read(file: &mut File) -> Result<Self, IngestError> {
        let mut bytes = [0; 26];
        file.read_exact(&mut bytes)
            .and_then(|()| file.rewind())
            .map_err(|e| IngestError::io(e).at("header"))?;
        let number = |i: usize| u32::from_be_bytes([0, 1, 2, 3].map(|k| bytes[i + k]));
        if &bytes[12..16] != b"IHDR" {
            return Err(IngestError::bad(
                "the chunk IHDR",
                format!("{:?}", String::from_utf8_lossy(&bytes[12..16])),
                "the file is damaged: fetch or export it again",
            )
            .at("byte 12"));
        }
        Ok(Self {
            size: [number(16), number(20)],
            depth: bytes[24],
            colour: bytes[25],
        })
    }

    fn check(&self) -> Result<(), IngestError> {
        let (colour, remedy) = match self.colour {
            0 | 4 if matches!(self.depth, 8 | 16) => return Ok(()),
            0 => (format!("greyscale of {} bits", self.depth), REMEDY),
            2 => ("colour (RGB)".to_owned(), COLOURS),
            3 => ("a palette".to_owned(), PALETTE),
            6 => ("colour with alpha (RGBA)".to_owned(), COLOURS),
            other => (format!("unknown colour type {other}"), REMEDY),
        };
        Err(IngestError::bad("greyscale of 8 or 16 bits", colour, remedy).at("chunk IHDR"))
    }
}

fn decode_error(error: ImageError) -> IngestError {
    match error {
        ImageError::IoError(error) => IngestError::io(error),
        ImageError::Limits(error) => IngestError::resource(
            "a PNG within the memory its size calls for",
            error.to_string(),
            "remove its text and colour profile chunks, or save it again",
        ),
        other => IngestError::bad(
            "a whole PNG",
            other.to_string(),
            "the file is damaged: fetch or export it again",
        ),
    }
}
