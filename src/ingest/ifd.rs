//! The size that a TIFF declares, before anything else of it is believed.

use std::io::{Read, Seek, SeekFrom};

use super::error::IngestError;

const WIDTH: u16 = 256;
const LENGTH: u16 = 257;

/// Columns and rows of the first image of a TIFF or BigTIFF. Leaves the reader at the start.
pub(super) fn size<R: Read + Seek>(reader: &mut R) -> Result<[u64; 2], IngestError> {
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
