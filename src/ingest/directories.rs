//! The directories of a TIFF: size and kind of each image.
//!
//! They are read before the crate `tiff` reads any: it would call the tables of a huge raster inconsistent before its size
//! is known.

use std::io::{Read, Seek, SeekFrom};

use super::error::IngestError;

const KIND: u16 = 254;
const WIDTH: u16 = 256;
const LENGTH: u16 = 257;

/// Files of pages have some hundred images; a chain of directories may have no end.
const MOST_IMAGES: usize = 4096;

/// An image of a TIFF.
#[derive(Clone, Copy)]
pub(super) struct Image {
    /// Columns and rows.
    pub(super) size: [u64; 2],
    /// NewSubfileType.
    kind: u64,
}

impl Image {
    /// An overview of another image, or a mask of one.
    fn is_reduced(self) -> bool {
        self.kind & 1 != 0
    }

    fn is_mask(self) -> bool {
        self.kind & 4 != 0
    }

    /// Neither a mask nor an overview.
    pub(super) fn is_full(self) -> bool {
        !self.is_reduced() && !self.is_mask()
    }

    /// A mask of the whole raster, not of an overview.
    pub(super) fn is_whole_mask(self) -> bool {
        self.is_mask() && !self.is_reduced()
    }
}

/// The images of a TIFF or BigTIFF, at least the first; the list ends where a directory is damaged. Leaves the reader at the
/// start.
pub(super) fn images<R: Read + Seek>(reader: &mut R) -> Result<Vec<Image>, IngestError> {
    let mut fields = Fields::open(reader)?;
    let first = fields.first()?;
    let (image, mut next) = fields.directory(first)?;
    let mut images = vec![image];
    while let Some(place) = next.filter(|_| images.len() < MOST_IMAGES) {
        let Ok((image, after)) = fields.directory(place) else {
            break;
        };
        images.push(image);
        next = after;
    }
    reader.rewind().map_err(IngestError::io)?;
    Ok(images)
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

    /// Where the first directory is.
    fn first(&mut self) -> Result<u64, IngestError> {
        if self.big_tiff {
            self.number(4)?;
            self.number(8)
        } else {
            self.number(4)
        }
    }

    /// The image of a directory, and where the next is.
    fn directory(&mut self, place: u64) -> Result<(Image, Option<u64>), IngestError> {
        let at = |error: IngestError| error.at(format!("directory at byte {place}"));
        let seek =
            |reader: &mut R, place| reader.seek(SeekFrom::Start(place)).map_err(IngestError::io);
        seek(self.reader, place).map_err(at)?;
        let (image, entries) = self.entries().map_err(at)?;
        let (head, entry) = if self.big_tiff { (8, 20) } else { (2, 12) };
        let end = entries
            .checked_mul(entry)
            .and_then(|n| n.checked_add(head)?.checked_add(place));
        let next = end.and_then(|end| {
            seek(self.reader, end).ok()?;
            self.number(if self.big_tiff { 8 } else { 4 }).ok()
        });
        Ok((image, next.filter(|next| *next != 0)))
    }

    /// Size and kind, and how many entries the directory has.
    fn entries(&mut self) -> Result<(Image, u64), IngestError> {
        let (mut width, mut length, mut kind) = (None, None, 0);
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
                KIND => kind = value,
                WIDTH => width = Some(value),
                LENGTH => length = Some(value),
                // Entries are sorted by tag; the rest need not be looked at.
                tag if tag > LENGTH && width.is_some() && length.is_some() => break,
                _ => {}
            }
        }
        let size = width.zip(length).map(|(width, length)| [width, length]);
        size.map(|size| (Image { size, kind }, entries))
            .ok_or_else(|| {
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
