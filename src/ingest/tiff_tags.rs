//! Tags of a TIFF's image, and where its samples are, by the crate `tiff`.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder};
use tiff::tags::Tag;

use super::chunks::{Chunks, Coding};
use super::error::IngestError;
use super::source::WITHOUT_GDAL;

pub(super) type Tiff = Decoder<BufReader<File>>;

pub(super) const DAMAGED: &str = "the file is damaged: fetch or export it again";

/// A decoder at an image of a file, counted from 0.
pub(super) fn open(path: &Path, image: usize) -> Result<Tiff, IngestError> {
    let file = File::open(path).map_err(IngestError::io)?;
    let mut tiff = Decoder::new(BufReader::new(file)).map_err(decode_error)?;
    for number in 1..=image {
        // Of those on the way only the place of the next counts.
        let moved = tiff.next_image();
        if number == image {
            moved.map_err(decode_error)?;
        }
    }
    Ok(tiff)
}

/// Where the samples of a band are, of images whose bands are interleaved or apart.
pub(super) fn chunks(tiff: &mut Tiff, coding: Coding, band: u32) -> Result<Chunks, IngestError> {
    let (width, height) = tiff.dimensions().map_err(decode_error)?;
    let (chunk_width, chunk_height) = tiff.chunk_dimensions();
    let whole = tiff.get_chunk_type() == ChunkType::Tile;
    let (name, offsets, counts) = if whole {
        ("tile", Tag::TileOffsets, Tag::TileByteCounts)
    } else {
        ("strip", Tag::StripOffsets, Tag::StripByteCounts)
    };
    let bands = u32::from(short(tiff, Tag::SamplesPerPixel, 1)?.max(1));
    let apart = short(tiff, Tag::PlanarConfiguration, 1)? == 2;
    Ok(Chunks {
        name,
        interleaved: if apart { 1 } else { bands },
        band,
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

pub(super) fn decode_error(error: TiffError) -> IngestError {
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

/// The values of a tag of whole numbers, none where it is missing.
pub(super) fn shorts(tiff: &mut Tiff, tag: Tag) -> Result<Vec<u16>, IngestError> {
    let values = tiff
        .find_tag_unsigned_vec::<u16>(tag)
        .map_err(|e| decode_error(e).at(format!("tag {}", tag.to_u16())))?;
    Ok(values.unwrap_or_default())
}

pub(super) fn short(tiff: &mut Tiff, tag: Tag, default: u16) -> Result<u16, IngestError> {
    Ok(shorts(tiff, tag)?.first().copied().unwrap_or(default))
}

/// Text of a tag, in which writers do not always keep to ASCII.
pub(super) fn ascii(tiff: &mut Tiff, tag: Tag) -> Result<Option<String>, IngestError> {
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
