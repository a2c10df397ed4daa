//! A bundle in memory.

use super::error::OpenError;
use crate::format::header::HEADER_LEN;
use crate::format::{FormatError, Header, Section, Tag, WorldKind, crc32};

/// A bundle in memory: its header and section table, checked, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    bytes: &'a [u8],
    header: Header,
}

impl<'a> Bundle<'a> {
    /// Opens the bundle that `bytes` are, from the first to the last.
    ///
    /// O(1): looks at the header and the section table only. Errors unless both have their
    /// checksums, the length is exact, and every section lies within the bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, OpenError> {
        Ok(Self::check(bytes)?)
    }

    fn check(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let header = Header::parse(bytes)?;
        let length = bytes.len() as u64;
        if header.file_length != length {
            return Err(FormatError::Length {
                expected: header.file_length,
                found: length,
            });
        }
        let bundle = Self { bytes, header };
        let table = bundle.table();
        if table.len() != header.table_length() {
            return Err(FormatError::SectionCount {
                found: header.section_count,
            });
        }
        let found = crc32(table);
        if found != header.table_checksum {
            return Err(FormatError::TableChecksum {
                expected: header.table_checksum,
                found,
            });
        }
        for section in bundle.sections() {
            section.check(length)?;
        }
        Ok(bundle)
    }

    fn table(&self) -> &'a [u8] {
        let end = HEADER_LEN.saturating_add(self.header.table_length());
        self.bytes.get(HEADER_LEN..end).unwrap_or(&[])
    }

    /// What the bundle is of.
    pub fn kind(&self) -> WorldKind {
        self.header.kind
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// All bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The section table.
    pub fn sections(&self) -> impl Iterator<Item = Section> + use<'a> {
        Section::parse_table(self.table())
    }

    /// A section's entry and its bytes as stored.
    pub fn section(&self, tag: Tag) -> Option<(Section, &'a [u8])> {
        let section = self.sections().find(|section| section.tag == tag)?;
        let start = usize::try_from(section.offset).ok()?;
        let end = usize::try_from(section.end()?).ok()?;
        Some((section, self.bytes.get(start..end)?))
    }

    /// The bytes of a section that is stored as it is. Errors unless it is there, and
    /// `expected` bytes long where a length is given.
    pub(super) fn plain_section(
        &self,
        tag: Tag,
        expected: Option<u64>,
    ) -> Result<&'a [u8], FormatError> {
        let (section, bytes) = self
            .section(tag)
            .ok_or(FormatError::MissingSection { tag })?;
        let found = section.stored_length;
        let expected = expected.unwrap_or(found);
        if section.is_compressed() || found != expected || section.length != found {
            return Err(FormatError::SectionLength {
                tag,
                expected,
                found,
            });
        }
        Ok(bytes)
    }

    /// The coordinate reference system, where the bundle says: `EPSG:n`, WKT, or what the source
    /// file said.
    pub fn crs(&self) -> Option<&'a str> {
        let bytes = self.plain_section(Tag::CRS, None).ok()?;
        core::str::from_utf8(bytes).ok()
    }
}
