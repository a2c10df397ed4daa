//! The fixed header and the section table.
//!
//! ```text
//! 0   magic            8 bytes   89 56 43 42 0D 0A 1A 0A
//! 8   format version   u32
//! 12  world kind       u32       1 terrain, 2 cells, 3 solid level
//! 16  file length      u64       exact, in bytes
//! 24  section count    u32
//! 28  flags            u32       0
//! 32  table checksum   u32       CRC-32 of the section table
//! 36  reserved         24 bytes  0
//! 60  header checksum  u32       CRC-32 of bytes 0 to 59
//! 64  section table    40 bytes a section
//! ```

use super::bytes::{array_at, crc32, put, u32_at, u64_at};
use super::error::FormatError;

pub use super::tag::{FileId, MAX_SECTIONS, Tag, VERSION, WorldKind};

/// The first eight bytes: one that is not ASCII, the letters, then line ends and an end-of-file
/// mark, so that a transfer as text shows.
pub const MAGIC: [u8; 8] = [0x89, b'V', b'C', b'B', 0x0D, 0x0A, 0x1A, 0x0A];
/// Length in bytes of the fixed header.
pub const HEADER_LEN: usize = 64;
/// Length in bytes of one entry of the section table.
pub const ENTRY_LEN: usize = 40;
/// Sections begin at multiples of this many bytes.
pub const ALIGNMENT: u64 = 64;

/// The fixed header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the bundle is of.
    pub kind: WorldKind,
    /// Exact length of the file in bytes.
    pub file_length: u64,
    /// Number of sections. Limit: 1 to [`MAX_SECTIONS`].
    pub section_count: u32,
    /// CRC-32 of the section table.
    pub table_checksum: u32,
}

impl Header {
    /// That of a new bundle of a kind, before lengths and sections are known.
    pub const fn of(kind: WorldKind) -> Self {
        Self {
            kind,
            file_length: 0,
            section_count: 0,
            table_checksum: 0,
        }
    }

    /// The bytes of the header, its checksum included.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        put(&mut bytes, 0, &MAGIC);
        put(&mut bytes, 8, &VERSION.to_le_bytes());
        put(&mut bytes, 12, &self.kind.code().to_le_bytes());
        put(&mut bytes, 16, &self.file_length.to_le_bytes());
        put(&mut bytes, 24, &self.section_count.to_le_bytes());
        put(&mut bytes, 32, &self.table_checksum.to_le_bytes());
        let checksum = Self::checksum_of(&bytes);
        put(&mut bytes, 60, &checksum.to_le_bytes());
        bytes
    }

    /// The header at the start of `bytes`, which need not hold more than the header.
    ///
    /// # Errors
    ///
    /// Where the magic, the version, a length or a checksum is not as expected.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let short = FormatError::TooShort {
            found: bytes.len() as u64,
        };
        let header: [u8; HEADER_LEN] = array_at(bytes, 0).ok_or(short)?;
        let found: [u8; 8] = array_at(&header, 0).ok_or(short)?;
        if found != MAGIC {
            return Err(FormatError::Magic { found });
        }
        let version = u32_at(&header, 8).ok_or(short)?;
        if version != VERSION {
            return Err(FormatError::Version { found: version });
        }
        let expected = Self::checksum_of(&header);
        let found = u32_at(&header, 60).ok_or(short)?;
        if found != expected {
            return Err(FormatError::HeaderChecksum { expected, found });
        }
        let found = u32_at(&header, 12).ok_or(short)?;
        let kind = WorldKind::from_code(found).ok_or(FormatError::Kind { found })?;
        let found = u32_at(&header, 24).ok_or(short)?;
        if found == 0 || found > MAX_SECTIONS {
            return Err(FormatError::SectionCount { found });
        }
        Ok(Self {
            kind,
            file_length: u64_at(&header, 16).ok_or(short)?,
            section_count: found,
            table_checksum: u32_at(&header, 32).ok_or(short)?,
        })
    }

    /// The checksum that a header of these bytes must have at offset 60.
    pub fn checksum_of(header: &[u8; HEADER_LEN]) -> u32 {
        header
            .split_last_chunk::<4>()
            .map_or(0, |(bytes, _)| crc32(bytes))
    }

    /// Checks the length and the section table of the file: `table` are the bytes after the header, as many of
    /// [`Header::table_length`] as there are.
    ///
    /// # Errors
    ///
    /// As [`Section::check_table`], and where the length is another.
    pub fn check(&self, table: &[u8], length: u64) -> Result<(), FormatError> {
        if self.file_length != length {
            return Err(FormatError::Length {
                expected: self.file_length,
                found: length,
            });
        }
        let table = Some(table).filter(|table| table.len() == self.table_length());
        Section::check_table(self.section_count, table, self.table_checksum, length)
    }

    /// Length in bytes of the section table.
    pub fn table_length(&self) -> usize {
        self.section_count as usize * ENTRY_LEN
    }
}

/// An entry of the section table.
///
/// ```text
/// 0   tag             4 bytes
/// 4   flags           u32      1 required, 2 zstd
/// 8   offset          u64      from the start of the file, a multiple of 64
/// 16  stored length   u64      bytes in the file
/// 24  length          u64      bytes when decompressed
/// 32  checksum        u32      CRC-32 of the stored bytes
/// 36  reserved        u32      0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub tag: Tag,
    /// [`Section::REQUIRED`], [`Section::ZSTD`].
    pub flags: u32,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Bytes in the file.
    pub stored_length: u64,
    /// Bytes when decompressed.
    pub length: u64,
    /// CRC-32 of the stored bytes.
    pub checksum: u32,
}

impl Section {
    /// Flag: a reader that does not know the section must not use the bundle.
    pub const REQUIRED: u32 = 1;
    /// Flag: stored as one zstd frame.
    pub const ZSTD: u32 = 2;

    /// The bytes of the entry.
    pub fn encode(&self) -> [u8; ENTRY_LEN] {
        let mut bytes = [0; ENTRY_LEN];
        put(&mut bytes, 0, &self.tag.0);
        put(&mut bytes, 4, &self.flags.to_le_bytes());
        put(&mut bytes, 8, &self.offset.to_le_bytes());
        put(&mut bytes, 16, &self.stored_length.to_le_bytes());
        put(&mut bytes, 24, &self.length.to_le_bytes());
        put(&mut bytes, 32, &self.checksum.to_le_bytes());
        bytes
    }

    /// The entry in the first 40 bytes.
    pub fn parse(entry: &[u8]) -> Option<Self> {
        Some(Self {
            tag: Tag(array_at(entry, 0)?),
            flags: u32_at(entry, 4)?,
            offset: u64_at(entry, 8)?,
            stored_length: u64_at(entry, 16)?,
            length: u64_at(entry, 24)?,
            checksum: u32_at(entry, 32)?,
        })
    }

    /// The entries of a section table.
    pub fn parse_table(table: &[u8]) -> impl Iterator<Item = Self> + Clone {
        table.chunks_exact(ENTRY_LEN).filter_map(Self::parse)
    }

    /// Checks the section table of a file: so many entries, of which `None` are there where the file ends before.
    ///
    /// # Errors
    ///
    /// Unless it has its checksum, and a reader may meet each section ([`Section::check`]).
    pub fn check_table(
        count: u32,
        table: Option<&[u8]>,
        expected: u32,
        file_length: u64,
    ) -> Result<(), FormatError> {
        let table = table.ok_or(FormatError::SectionCount { found: count })?;
        let found = crc32(table);
        if found != expected {
            return Err(FormatError::TableChecksum { expected, found });
        }
        Self::parse_table(table).try_for_each(|section| section.check(file_length))
    }

    /// Checks the bytes that are stored of it.
    ///
    /// # Errors
    ///
    /// Unless they have its checksum.
    pub fn check_bytes(&self, stored: &[u8]) -> Result<(), FormatError> {
        let (tag, expected, found) = (self.tag, self.checksum, crc32(stored));
        if found == expected {
            return Ok(());
        }
        Err(FormatError::SectionChecksum {
            tag,
            expected,
            found,
        })
    }

    /// Whether it is one zstd frame.
    pub const fn is_compressed(&self) -> bool {
        self.flags & Self::ZSTD != 0
    }

    /// Whether a reader must know it.
    pub const fn is_required(&self) -> bool {
        self.flags & Self::REQUIRED != 0
    }

    /// The byte after its last; `None` past `u64`.
    pub const fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.stored_length)
    }

    /// Checks that a reader of this version may meet the section.
    ///
    /// # Errors
    ///
    /// Unless the section is one that a reader of this version may meet in a file of `file_length` bytes.
    pub fn check(&self, file_length: u64) -> Result<(), FormatError> {
        let misplaced = !self.offset.is_multiple_of(ALIGNMENT)
            || self.offset < HEADER_LEN as u64
            || self.end().is_none_or(|end| end > file_length);
        if misplaced {
            return Err(FormatError::SectionPlace {
                tag: self.tag,
                offset: self.offset,
                length: self.stored_length,
            });
        }
        if self.is_required() && self.tag.kind().is_none() {
            return Err(FormatError::UnknownSection { tag: self.tag });
        }
        Ok(())
    }
}
