//! GeoTIFF: strips or tiles of one band, classic or BigTIFF.
//!
//! The crate `tiff` decodes; sizes and the table of strips are checked here first, because a
//! header can declare anything.

use std::fs::File;
use std::io::{self, BufReader};

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::crs::length_named;
use super::geokeys::GeoTags;
use super::ifd;
use super::raster::{Raster, Window};
use super::{IngestError, Source, WITHOUT_GDAL};

type Tiff = Decoder<BufReader<File>>;

const GDAL_METADATA: Tag = Tag::Unknown(42112);
const DAMAGED: &str = "the file is damaged: fetch or export it again";

pub(super) fn matches(head: &[u8]) -> bool {
    [
        b"II*\0".as_slice(),
        b"MM\0*",
        b"II+\0\x08\0\0\0",
        b"MM\0+\0\x08\0\0",
    ]
    .iter()
    .any(|magic| head.starts_with(magic))
}

pub(super) fn read(source: &Source, file: File) -> Result<Raster, IngestError> {
    let mut reader = BufReader::new(file);
    // The decoder would call the tables of a huge raster inconsistent before its size is known.
    let [width, height] = ifd::size(&mut reader)?;
    let window = Window::new(source.options, width, height)?;
    let mut tiff = Decoder::new(reader).map_err(|e| decode_error(e, 1))?;
    let most = most_chunk_samples(source);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(most.saturating_mul(8)).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    tiff = tiff.with_limits(limits);

    let samples = Samples::read(&mut tiff)?;
    let mut notes = Vec::new();
    let nodata = nodata(&mut tiff)?;
    let fill = nodata.filter(|n| !n.is_nan() || samples.float);
    let values = read_window(&mut tiff, source, &samples, window, fill.unwrap_or(0.0))?;

    let mut raster = Raster::new("GeoTIFF", window, values);
    let tags = geo_tags(&mut tiff)?;
    raster.transform = tags.transform(&mut notes);
    raster.crs = tags.crs(&mut notes);
    let metadata = ascii(&mut tiff, GDAL_METADATA)?.unwrap_or_default();
    let unit = vertical_unit(&metadata, &tags, &mut notes);
    raster.scale = metadata_number(&metadata, "scale").unwrap_or(1.0) * unit;
    raster.offset = metadata_number(&metadata, "offset").unwrap_or(0.0) * unit;
    raster.float = samples.float;
    raster.nodata = nodata;
    notes.extend(other_images(&mut tiff));
    raster.notes = notes;
    Ok(raster)
}

/// A strip or tile is decoded whole, however small the crop.
fn most_chunk_samples(source: &Source) -> u64 {
    source.options.max_samples.max(1 << 24)
}

/// What kind of samples the raster has.
struct Samples {
    bytes: u64,
    float: bool,
    compression: u16,
    white_is_zero: bool,
}

impl Samples {
    fn read(tiff: &mut Tiff) -> Result<Self, IngestError> {
        let bands = short(tiff, Tag::SamplesPerPixel, 1)?;
        if bands != 1 {
            return Err(IngestError::bad(
                "one band of heights",
                format!("{bands}"),
                "take one out: gdal_translate -b N INPUT OUT.tif",
            )
            .at("tag 277 (SamplesPerPixel)"));
        }
        let photometric = short(tiff, Tag::PhotometricInterpretation, 1)?;
        if photometric > 1 {
            return Err(IngestError::bad(
                "grey samples (0 or 1)",
                match photometric {
                    2 => "colour (2)".to_owned(),
                    3 => "a palette (3)".to_owned(),
                    other => format!("{other}"),
                },
                "save the heights as one band of numbers",
            )
            .at("tag 262 (PhotometricInterpretation)"));
        }
        let format = short(tiff, Tag::SampleFormat, 1)?;
        if !matches!(format, 1..=3) {
            return Err(IngestError::bad(
                "integers or floating point numbers (1, 2 or 3)",
                match format {
                    5 | 6 => format!("complex samples ({format})"),
                    other => format!("{other}"),
                },
                "export real heights",
            )
            .at("tag 339 (SampleFormat)"));
        }
        let bits = short(tiff, Tag::BitsPerSample, 1)?;
        let float = format == 3;
        let known = match format {
            3 => matches!(bits, 16 | 32 | 64),
            _ => matches!(bits, 8 | 16 | 32 | 64),
        };
        if !known {
            return Err(IngestError::bad(
                "integers of 8, 16, 32 or 64 bits, or floating point of 16, 32 or 64",
                format!("{bits} bits"),
                WITHOUT_GDAL,
            )
            .at("tag 258 (BitsPerSample)")
            .unsupported());
        }
        let white_is_zero = photometric == 0;
        if white_is_zero && format != 1 {
            // The decoder mirrors such samples, which cannot be undone without loss.
            return Err(IngestError::bad(
                "1 (black is zero) for these samples",
                "0 (white is zero)",
                WITHOUT_GDAL,
            )
            .at("tag 262 (PhotometricInterpretation)")
            .unsupported());
        }
        Ok(Self {
            bytes: u64::from(bits / 8),
            float,
            compression: short(tiff, Tag::Compression, 1)?,
            white_is_zero,
        })
    }
}

/// Decodes the strips or tiles that the window touches. Those that were never written (GDAL
/// leaves them out of sparse files) hold `fill`.
fn read_window(
    tiff: &mut Tiff,
    source: &Source,
    samples: &Samples,
    window: Window,
    fill: f64,
) -> Result<Vec<f64>, IngestError> {
    let error = |e| decode_error(e, samples.compression);
    let (width, height) = tiff.dimensions().map_err(error)?;
    let (chunk_width, chunk_height) = tiff.chunk_dimensions();
    let (name, offsets_tag, counts_tag) = match tiff.get_chunk_type() {
        ChunkType::Strip => ("strip", Tag::StripOffsets, Tag::StripByteCounts),
        ChunkType::Tile => ("tile", Tag::TileOffsets, Tag::TileByteCounts),
    };
    // A last strip may be declared longer than the image; a tile is stored in full.
    let chunk_height = match tiff.get_chunk_type() {
        ChunkType::Strip => chunk_height.min(height),
        ChunkType::Tile => chunk_height,
    };
    let chunk_samples = u64::from(chunk_width) * u64::from(chunk_height);
    if chunk_samples > most_chunk_samples(source) {
        return Err(IngestError::resource(
            format!(
                "at most {} samples in a {name}, which is decoded in one piece",
                most_chunk_samples(source)
            ),
            format!("{chunk_width} x {chunk_height}"),
            "raise the limit with --max-samples, or convert the file: gdal_translate -co TILED=YES",
        ));
    }
    let offsets = tiff.get_tag_u64_vec(offsets_tag).map_err(error)?;
    let counts = tiff.get_tag_u64_vec(counts_tag).map_err(error)?;

    let across = width.div_ceil(chunk_width);
    let columns = window.column..window.column + window.width;
    let rows = window.row..window.row + window.height;
    let mut values = window.allocate()?;
    values.resize(window.samples() as usize, fill);
    for y in rows.start / chunk_height..=(rows.end - 1) / chunk_height {
        for x in columns.start / chunk_width..=(columns.end - 1) / chunk_width {
            let index = y as usize * across as usize + x as usize;
            let place = || format!("{name} {index}");
            let (Some(&offset), Some(&count)) = (offsets.get(index), counts.get(index)) else {
                return Err(IngestError::bad(
                    format!("a table of {}s that covers the raster", name),
                    format!("{} entries", offsets.len()),
                    DAMAGED,
                )
                .at(place()));
            };
            if offset == 0 && count == 0 {
                continue;
            }
            let rows_here = chunk_height.min(match tiff.get_chunk_type() {
                ChunkType::Strip => height - y * chunk_height,
                ChunkType::Tile => chunk_height,
            });
            let plain = u64::from(chunk_width) * u64::from(rows_here) * samples.bytes;
            check_chunk(source, samples, offset, count, plain).map_err(|e| e.at(place()))?;
            let decoded = tiff
                .read_chunk(index as u32)
                .map_err(|e| error(e).at(place()))?;
            let (data_width, data_height) = tiff.chunk_data_dimensions(index as u32);
            let decoded = to_f64(decoded, samples.white_is_zero);
            let (left, top) = (x * chunk_width, y * chunk_height);
            let from = columns.start.max(left)..columns.end.min(left + data_width);
            for row in rows.start.max(top)..rows.end.min(top + data_height) {
                let source_start = (row - top) as usize * data_width as usize;
                let target_start = (row - rows.start) as usize * window.width as usize;
                let part = source_start + (from.start - left) as usize
                    ..source_start + (from.end - left) as usize;
                let target = target_start + (from.start - columns.start) as usize;
                let part = decoded.get(part).ok_or_else(|| {
                    IngestError::bad("a full chunk of samples", "fewer", DAMAGED).at(place())
                })?;
                values[target..target + part.len()].copy_from_slice(part);
            }
        }
    }
    Ok(values)
}

fn check_chunk(
    source: &Source,
    samples: &Samples,
    offset: u64,
    count: u64,
    plain: u64,
) -> Result<(), IngestError> {
    let end = offset.checked_add(count);
    if end.is_none_or(|end| end > source.length) {
        return Err(IngestError::bad(
            format!("{count} bytes from byte {offset} on"),
            format!("a file of {} bytes", source.length),
            "the file is cut short or its table is wrong: fetch or export it again",
        ));
    }
    let uncompressed = samples.compression == 1;
    if count == 0 || uncompressed && count < plain {
        return Err(IngestError::bad(
            if uncompressed {
                format!("{plain} bytes")
            } else {
                "compressed bytes".to_owned()
            },
            format!("{count}"),
            DAMAGED,
        ));
    }
    Ok(())
}

fn to_f64(decoded: DecodingResult, white_is_zero: bool) -> Vec<f64> {
    // The decoder has mirrored white-is-zero samples; heights want them as stored.
    let mirrored = white_is_zero;
    match decoded {
        DecodingResult::U8(v) => each(v, |n| f64::from(if mirrored { !n } else { n })),
        DecodingResult::U16(v) => each(v, |n| f64::from(if mirrored { !n } else { n })),
        DecodingResult::U32(v) => each(v, |n| f64::from(if mirrored { !n } else { n })),
        DecodingResult::U64(v) => each(v, |n| (if mirrored { !n } else { n }) as f64),
        DecodingResult::I8(v) => each(v, f64::from),
        DecodingResult::I16(v) => each(v, f64::from),
        DecodingResult::I32(v) => each(v, f64::from),
        DecodingResult::I64(v) => each(v, |n| n as f64),
        DecodingResult::F16(v) => each(v, f64::from),
        DecodingResult::F32(v) => each(v, f64::from),
        DecodingResult::F64(v) => v,
    }
}

fn each<T>(samples: Vec<T>, value: impl Fn(T) -> f64) -> Vec<f64> {
    samples.into_iter().map(value).collect()
}

fn decode_error(error: TiffError, compression: u16) -> IngestError {
    match error {
        // The crate reports damaged streams as failures of input and output.
        TiffError::IoError(e)
            if matches!(
                e.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
            ) =>
        {
            damaged(e.to_string(), compression)
        }
        TiffError::IoError(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
            damaged("the end of the data".to_owned(), compression)
        }
        TiffError::IoError(e) => IngestError::io(e),
        TiffError::LimitsExceeded | TiffError::IntSizeError => IngestError::resource(
            "tags and strips of a size within the limit",
            "larger ones",
            "raise the limit with --max-samples, or convert the file: gdal_translate -co TILED=YES",
        ),
        TiffError::UnsupportedError(e) => {
            IngestError::bad("a TIFF of a common kind", e.to_string(), WITHOUT_GDAL).unsupported()
        }
        other => damaged(other.to_string(), compression),
    }
}

fn damaged(found: String, compression: u16) -> IngestError {
    const LZW: u16 = 5;
    if compression == LZW {
        // The decoder's LZW is known to fail on some sound files with tiles.
        IngestError::bad(
            "whole LZW data",
            found,
            format!("if other programs read the file, {WITHOUT_GDAL}"),
        )
        .unsupported()
    } else {
        IngestError::bad("a whole TIFF", found, DAMAGED)
    }
}

fn short(tiff: &mut Tiff, tag: Tag, default: u16) -> Result<u16, IngestError> {
    let values = tiff
        .find_tag_unsigned_vec::<u16>(tag)
        .map_err(|e| decode_error(e, 1).at(format!("tag {}", tag.to_u16())))?;
    Ok(values
        .and_then(|values| values.first().copied())
        .unwrap_or(default))
}

/// Text of a tag, in which writers do not always keep to ASCII.
fn ascii(tiff: &mut Tiff, tag: Tag) -> Result<Option<String>, IngestError> {
    let error = |e| decode_error(e, 1).at(format!("tag {}", tag.to_u16()));
    let mut ifd = tiff.image_ifd();
    let Some(entry) = ifd.find_entry(tag) else {
        return Ok(None);
    };
    // The longest that the crate would read of any other tag.
    let length = entry.count().min(1 << 20) as usize;
    let mut bytes = vec![0; length];
    let read = ifd.find_tag_bytes(tag, &mut bytes, 0).map_err(error)?;
    bytes.truncate(read.unwrap_or(0));
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn nodata(tiff: &mut Tiff) -> Result<Option<f64>, IngestError> {
    let Some(text) = ascii(tiff, Tag::GdalNodata)? else {
        return Ok(None);
    };
    let text = text.split('\0').next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        IngestError::bad(
            "a number",
            format!("{text:?}"),
            "give the value with --nodata",
        )
        .at("tag 42113 (GDAL_NODATA)")
    })
}

fn geo_tags(tiff: &mut Tiff) -> Result<GeoTags, IngestError> {
    let mut doubles = |tag: Tag| {
        let error = |e| decode_error(e, 1).at(format!("tag {}", tag.to_u16()));
        match tiff.find_tag(tag).map_err(error)? {
            Some(value) => value.into_f64_vec().map_err(error),
            None => Ok(Vec::new()),
        }
    };
    let pixel_scale = doubles(Tag::ModelPixelScaleTag)?;
    let tie_points = doubles(Tag::ModelTiepointTag)?;
    let transformation = doubles(Tag::ModelTransformationTag)?;
    let parameters = doubles(Tag::GeoDoubleParamsTag)?;
    let directory = tiff
        .find_tag_unsigned_vec(Tag::GeoKeyDirectoryTag)
        .map_err(|e| decode_error(e, 1).at("tag 34735 (GeoKeyDirectory)"))?;
    Ok(GeoTags {
        pixel_scale,
        tie_points,
        transformation,
        directory: directory.unwrap_or_default(),
        doubles: parameters,
        ascii: ascii(tiff, Tag::GeoAsciiParamsTag)?.unwrap_or_default(),
    })
}

/// An item of GDAL's metadata: `<Item name="SCALE" sample="0" role="scale">0.1</Item>`.
fn metadata_item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let (_, rest) = metadata.split_once(&format!("role=\"{role}\""))?;
    let (_, rest) = rest.split_once('>')?;
    let (value, _) = rest.split_once('<')?;
    Some(value.trim())
}

fn metadata_number(metadata: &str, role: &str) -> Option<f64> {
    metadata_item(metadata, role)?
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite())
}

fn vertical_unit(metadata: &str, tags: &GeoTags, notes: &mut Vec<String>) -> f64 {
    match metadata_item(metadata, "unittype") {
        Some(name) => length_named(name, notes),
        None => tags.vertical_unit(notes),
    }
}

/// What the images after the first are, where they are more than overviews of it.
fn other_images(tiff: &mut Tiff) -> Option<String> {
    const NEW_SUBFILE_TYPE: Tag = Tag::NewSubfileType;
    const REDUCED: u16 = 1;
    const MASK: u16 = 4;
    while tiff.more_images() {
        // Damage in images that are not read is no concern.
        tiff.next_image().ok()?;
        let kind = short(tiff, NEW_SUBFILE_TYPE, 0).ok()?;
        if kind & MASK != 0 {
            return Some(
                "the file holds a mask, which is not read: voids are those of its nodata value"
                    .to_owned(),
            );
        }
        if kind & REDUCED == 0 {
            return Some("the file holds more than one image: the first is read".to_owned());
        }
    }
    None
}
