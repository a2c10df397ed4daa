//! GeoTIFF: strips or tiles of one band, classic or BigTIFF.
//!
//! The crate `tiff` reads the directory; the size is looked at before, because a header can
//! declare anything, and the samples are unpacked in `chunks`.
//!
//! Did not pay: LERC: the one crate wraps a library in C++.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder};
use tiff::tags::Tag;

use super::chunks::{Chunks, Coding};
use super::crs::length_named;
use super::error::IngestError;
use super::geokeys::GeoTags;
use super::raster::{Order, Raster, Window};
use super::raw::SampleType;
use super::source::{ByteOrder, RasterFile, WITHOUT_GDAL};
use super::world_file;

type Tiff = Decoder<BufReader<File>>;

const GDAL_METADATA: Tag = Tag::Unknown(42112);
const DAMAGED: &str = "the file is damaged: fetch or export it again";

pub(super) fn read(source: &RasterFile, file: File) -> Result<Raster, IngestError> {
    let mut reader = BufReader::new(file);
    // The decoder would call the tables of a huge raster inconsistent before its size is known.
    let [width, height] = declared_size(&mut reader)?;
    let window = Window::new(source.options, width, height)?;
    let mut tiff = Decoder::new(reader).map_err(decode_error)?;
    let coding = coding(&mut tiff)?;
    let chunks = chunks(&mut tiff, coding)?;
    if [chunks.width, chunks.height].map(u64::from) != [width, height] {
        return Err(IngestError::bad(
            format!("one size, {width} x {height}"),
            format!("{} x {} as well", chunks.width, chunks.height),
            DAMAGED,
        )
        .at("tags 256 and 257 (ImageWidth, ImageLength)"));
    }
    let mut notes = Vec::new();
    let tags = geo_tags(&mut tiff)?;
    let given = match tags.transform(&mut notes)? {
        None => world_file::beside(source, &mut notes)?,
        given => given,
    };
    let (order, transform) = Order::of(given, [width, height])?;
    let nodata = nodata(&mut tiff)?;
    let float = coding.sample.is_float();
    let fill = nodata.filter(|n| float || !n.is_nan()).unwrap_or(0.0);
    let in_file = window.counted(order);
    let mut values = chunks.read(tiff.inner(), source, in_file, fill)?;

    let crs = tags.crs(&mut notes);
    let metadata = ascii(&mut tiff, GDAL_METADATA)?.unwrap_or_default();
    let unit = metadata_item(&metadata, "unittype").and_then(|name| length_named(name, &mut notes));
    // From here on the decoder is at other images of the file.
    let masked = mask_out(&mut tiff, source, in_file, &mut values, &mut notes)?;
    if masked > 0 {
        notes.push(format!("{masked} samples are void by the file's mask"));
    }
    order.undo(&mut values, window.width, &mut notes);

    let mut raster = Raster::new("GeoTIFF", window, values);
    raster.transform = transform;
    raster.crs = crs;
    raster.unit = unit;
    raster.scale = metadata_number(&metadata, "scale").unwrap_or(1.0);
    raster.offset = metadata_number(&metadata, "offset").unwrap_or(0.0);
    raster.float = float;
    raster.nodata = nodata;
    raster.notes = notes;
    Ok(raster)
}

/// What the samples are and how they are packed, refused where they are no heights.
fn coding(tiff: &mut Tiff) -> Result<Coding, IngestError> {
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
    let sample = match (format, bits) {
        (1, 8) => SampleType::U8,
        (1, 16) => SampleType::U16,
        (1, 32) => SampleType::U32,
        (1, 64) => SampleType::U64,
        (2, 8) => SampleType::I8,
        (2, 16) => SampleType::I16,
        (2, 32) => SampleType::I32,
        (2, 64) => SampleType::I64,
        (3, 32) => SampleType::F32,
        (3, 64) => SampleType::F64,
        _ => {
            return Err(IngestError::bad(
                "integers of 8, 16, 32 or 64 bits, or floating point of 32 or 64",
                format!("{bits} bits"),
                WITHOUT_GDAL,
            )
            .at("tag 258 (BitsPerSample)")
            .unsupported());
        }
    };
    Ok(Coding {
        compression: short(tiff, Tag::Compression, 1)?,
        predictor: short(tiff, Tag::Predictor, 1)?,
        sample,
        order: match tiff.byte_order() {
            tiff::tags::ByteOrder::LittleEndian => ByteOrder::Little,
            tiff::tags::ByteOrder::BigEndian => ByteOrder::Big,
        },
    })
}

fn chunks(tiff: &mut Tiff, coding: Coding) -> Result<Chunks, IngestError> {
    let (width, height) = tiff.dimensions().map_err(decode_error)?;
    let (chunk_width, chunk_height) = tiff.chunk_dimensions();
    let whole = tiff.get_chunk_type() == ChunkType::Tile;
    let (name, offsets, counts) = if whole {
        ("tile", Tag::TileOffsets, Tag::TileByteCounts)
    } else {
        ("strip", Tag::StripOffsets, Tag::StripByteCounts)
    };
    Ok(Chunks {
        name,
        width,
        height,
        chunk_width,
        // The number of rows in a strip may be declared without limit.
        chunk_height: if whole {
            chunk_height
        } else {
            chunk_height.min(height)
        },
        whole,
        offsets: tiff.get_tag_u64_vec(offsets).map_err(decode_error)?,
        counts: tiff.get_tag_u64_vec(counts).map_err(decode_error)?,
        coding,
    })
}

fn decode_error(error: TiffError) -> IngestError {
    let damaged = |found: String| IngestError::bad("a whole TIFF", found, DAMAGED);
    match error {
        TiffError::IoError(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
            damaged("the end of the file".to_owned())
        }
        TiffError::IoError(e) => IngestError::io(e),
        TiffError::LimitsExceeded | TiffError::IntSizeError => IngestError::resource(
            "tags of a common size",
            "larger ones",
            "convert the file: gdal_translate -co TILED=YES INPUT OUT.tif",
        ),
        TiffError::UnsupportedError(e) => {
            IngestError::bad("a TIFF of a common kind", e.to_string(), WITHOUT_GDAL).unsupported()
        }
        other => damaged(other.to_string()),
    }
}

fn short(tiff: &mut Tiff, tag: Tag, default: u16) -> Result<u16, IngestError> {
    let values = tiff
        .find_tag_unsigned_vec::<u16>(tag)
        .map_err(|e| decode_error(e).at(format!("tag {}", tag.to_u16())))?;
    Ok(values
        .and_then(|values| values.first().copied())
        .unwrap_or(default))
}

/// Text of a tag, in which writers do not always keep to ASCII.
fn ascii(tiff: &mut Tiff, tag: Tag) -> Result<Option<String>, IngestError> {
    let error = |e| decode_error(e).at(format!("tag {}", tag.to_u16()));
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
            "give the value with `nodata`",
        )
        .at("tag 42113 (GDAL_NODATA)")
    })
}

fn geo_tags(tiff: &mut Tiff) -> Result<GeoTags, IngestError> {
    let mut doubles = |tag: Tag| {
        let error = |e| decode_error(e).at(format!("tag {}", tag.to_u16()));
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
        .map_err(|e| decode_error(e).at("tag 34735 (GeoKeyDirectory)"))?;
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

/// Makes void what a mask of the file, or the one in a file `.msk` beside it, leaves out; returns how many samples. Tells
/// of images that are neither mask nor overview.
fn mask_out(
    tiff: &mut Tiff,
    source: &RasterFile,
    window: Window,
    values: &mut [f64],
    notes: &mut Vec<String>,
) -> Result<u64, IngestError> {
    const REDUCED: u16 = 1;
    const MASK: u16 = 4;
    while tiff.more_images() {
        // Damage in images that are not read is no concern.
        if tiff.next_image().is_err() {
            break;
        }
        let Ok(kind) = short(tiff, Tag::NewSubfileType, 0) else {
            break;
        };
        if kind & (MASK | REDUCED) == MASK {
            return apply_mask(tiff, source, window, values)
                .map_err(|error| error.within("the file's mask".to_owned()));
        }
        if kind & (MASK | REDUCED) == 0 {
            notes.push("the file holds more than one image: the first is read".to_owned());
            break;
        }
    }
    let mut beside = source.path.as_os_str().to_owned();
    beside.push(".msk");
    let beside = Path::new(&beside);
    if !beside.is_file() {
        return Ok(0);
    }
    let read = |file: File| {
        let source = RasterFile {
            path: beside,
            length: file.metadata().map_err(IngestError::io)?.len(),
            options: source.options,
        };
        let mut tiff = Decoder::new(BufReader::new(file)).map_err(decode_error)?;
        apply_mask(&mut tiff, &source, window, values)
    };
    let file = File::open(beside).map_err(IngestError::io);
    file.and_then(read).map_err(|error| error.about(beside))
}

/// Makes void what the image that the decoder is at has a zero for.
fn apply_mask(
    tiff: &mut Tiff,
    source: &RasterFile,
    window: Window,
    values: &mut [f64],
) -> Result<u64, IngestError> {
    const FILL_ORDER: Tag = Tag::Unknown(266);
    let wrong = |expected: &str, found: String| {
        IngestError::bad(
            expected,
            found,
            "convert it: gdal_translate -co COMPRESS=DEFLATE INPUT OUT.tif",
        )
    };
    let bits = short(tiff, Tag::BitsPerSample, 1)?;
    let bands = short(tiff, Tag::SamplesPerPixel, 1)?;
    if bands != 1 || !matches!(bits, 1 | 8) {
        return Err(wrong(
            "one band of 1 or 8 bits",
            format!("{bands} of {bits} bits"),
        ));
    }
    let coding = Coding {
        compression: short(tiff, Tag::Compression, 1)?,
        predictor: match bits {
            8 => short(tiff, Tag::Predictor, 1)?,
            _ => 1,
        },
        sample: SampleType::U8,
        order: ByteOrder::Little,
    };
    let mut chunks = chunks(tiff, coding)?;
    if [chunks.width, chunks.height] != window.whole {
        return Err(wrong(
            "the size of the raster",
            format!("{} x {}", chunks.width, chunks.height),
        ));
    }
    // Bits are packed into bytes, row by row; so many samples lie in one.
    let packed = u32::from(8 / bits);
    let lowest_first = bits == 1 && short(tiff, FILL_ORDER, 1)? == 2;
    chunks.width = chunks.width.div_ceil(packed);
    chunks.chunk_width = chunks.chunk_width.div_ceil(packed);
    let first = window.column / packed;
    let bytes_window = Window {
        column: first,
        width: (window.column + window.width).div_ceil(packed) - first,
        whole: [chunks.width, chunks.height],
        ..window
    };
    let bytes = chunks.read(tiff.inner(), source, bytes_window, 0.0)?;
    let mut masked = 0;
    let rows = bytes.chunks_exact(bytes_window.width as usize);
    for (bytes, values) in rows.zip(values.chunks_exact_mut(window.width as usize)) {
        for (column, value) in (window.column..).zip(values) {
            let byte = bytes[(column / packed - first) as usize] as u8;
            let is_there = match (bits, lowest_first) {
                (8, _) => byte != 0,
                (_, false) => byte & (0x80 >> (column % 8)) != 0,
                (_, true) => byte & (1 << (column % 8)) != 0,
            };
            if !is_there {
                *value = f64::NAN;
                masked += 1;
            }
        }
    }
    Ok(masked)
}

const WIDTH: u16 = 256;
const LENGTH: u16 = 257;

/// Columns and rows of the first image of a TIFF or BigTIFF. Leaves the reader at the start.
pub(super) fn declared_size<R: Read + Seek>(reader: &mut R) -> Result<[u64; 2], IngestError> {
    let mut fields = Fields::open(reader)?;
    let size = fields.size()?;
    reader.rewind().map_err(IngestError::io)?;
    Ok(size)
}

struct Fields<'a, R> {
    reader: &'a mut R,
    big_endian: bool,
    big_tiff: bool,
}

impl<'a, R: Read + Seek> Fields<'a, R> {
    fn open(reader: &'a mut R) -> Result<Self, IngestError> {
        let mut magic = [0; 4];
        reader
            .read_exact(&mut magic)
            .map_err(|e| IngestError::io(e).at("byte 0"))?;
        let big_endian = magic[0] == b'M';
        let version = if big_endian { magic[3] } else { magic[2] };
        Ok(Self {
            reader,
            big_endian,
            big_tiff: version == 43,
        })
    }

    fn size(&mut self) -> Result<[u64; 2], IngestError> {
        let directory = if self.big_tiff {
            self.number(4)?;
            self.number(8)?
        } else {
            self.number(4)?
        };
        let place = format!("directory at byte {directory}");
        self.reader
            .seek(SeekFrom::Start(directory))
            .map_err(|e| IngestError::io(e).at(place.clone()))?;
        self.entries().map_err(|e| e.at(place))
    }

    fn entries(&mut self) -> Result<[u64; 2], IngestError> {
        let (mut width, mut length) = (None, None);
        let entries = self.number(if self.big_tiff { 8 } else { 2 })?;
        for _ in 0..entries {
            let tag = self.number(2)? as u16;
            let field_type = self.number(2)?;
            let field = if self.big_tiff { 8 } else { 4 };
            let _count = self.number(field)?;
            // A value shorter than its field lies at the field's start.
            let bytes = match field_type {
                1 => 1,
                3 => 2,
                4 => 4,
                16 => field,
                _ => 0,
            };
            let value = self.number(bytes)?;
            self.skip(field - bytes)?;
            match tag {
                WIDTH => width = Some(value),
                LENGTH => length = Some(value),
                // Entries are sorted by tag; the rest need not be looked at.
                tag if tag > LENGTH && width.is_some() && length.is_some() => break,
                _ => {}
            }
        }
        width.zip(length).map(|(w, h)| [w, h]).ok_or_else(|| {
            IngestError::bad(
                "tags 256 (ImageWidth) and 257 (ImageLength)",
                format!("{entries} others"),
                "the file is damaged: fetch or export it again",
            )
        })
    }

    fn number(&mut self, bytes: usize) -> Result<u64, IngestError> {
        let mut buffer = [0; 8];
        let field = &mut buffer[..bytes];
        self.reader.read_exact(field).map_err(IngestError::io)?;
        if self.big_endian {
            field.reverse();
        }
        Ok(u64::from_le_bytes(buffer))
    }

    fn skip(&mut self, bytes: usize) -> Result<(), IngestError> {
        self.number(bytes).map(|_| ())
    }
}
