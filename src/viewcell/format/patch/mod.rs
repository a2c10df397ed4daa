//! A patch (`.vcp`): what changes in a terrain bundle when its ground does. `schemas/PATCH.md` is the
//! same in words.
//!
//! ```text
//! 0   magic            8 bytes   89 56 43 50 0D 0A 1A 0A
//! 8   version          u32       2
//! 12  section count    u32
//! 16  file length      u64       exact, in bytes
//! 24  base length      u64       of the bundle that it belongs to
//! 32  base checksum    u32       that bundle's header checksum
//! 36  parent checksum  u32       that of what it is laid over: the bundle, or the patch before
//! 40  parent length    u64
//! 48  table checksum   u32       CRC-32 of the section table
//! 52  blocks           u32       of the grid
//! 56  reserved         u32       0
//! 60  header checksum  u32       CRC-32 of bytes 0 to 59
//! 64  section table    40 bytes a section, as a bundle has it
//! ```

use crate::format::bytes::{array_at, put, u32_at, u64_at};
use crate::format::error::FormatError;
use crate::format::header::{ENTRY_LEN, HEADER_LEN, Header, Section};
use crate::format::sections::{self, Sizes};
use crate::format::tag::{FileId, MAX_SECTIONS, Tag};

pub use crate::format::tag::{CHANGED_LEN, PATCH_VERSION, PLACE_LEN};

pub mod layers;

/// The first eight bytes.
pub const PATCH_MAGIC: [u8; 8] = [0x89, b'V', b'C', b'P', 0x0D, 0x0A, 0x1A, 0x0A];

/// The fixed header of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchHeader {
    /// Number of sections.
    pub section_count: u32,
    /// Bytes of the file.
    pub file_length: u64,
    /// The bundle.
    pub base: FileId,
    /// The bundle, or the patch that was laid over it last.
    pub parent: FileId,
    /// CRC-32 of the section table.
    pub table_checksum: u32,
    /// Blocks of the grid.
    pub blocks: u32,
}

impl PatchHeader {
    /// Its bytes, the checksum included.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        put(&mut bytes, 0, &PATCH_MAGIC);
        put(&mut bytes, 8, &PATCH_VERSION.to_le_bytes());
        put(&mut bytes, 12, &self.section_count.to_le_bytes());
        put(&mut bytes, 16, &self.file_length.to_le_bytes());
        put(&mut bytes, 24, &self.base.length.to_le_bytes());
        put(&mut bytes, 32, &self.base.checksum.to_le_bytes());
        put(&mut bytes, 36, &self.parent.checksum.to_le_bytes());
        put(&mut bytes, 40, &self.parent.length.to_le_bytes());
        put(&mut bytes, 48, &self.table_checksum.to_le_bytes());
        put(&mut bytes, 52, &self.blocks.to_le_bytes());
        let checksum = Header::checksum_of(&bytes);
        put(&mut bytes, 60, &checksum.to_le_bytes());
        bytes
    }

    /// The header at the start of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let short = FormatError::TooShort {
            found: bytes.len() as u64,
        };
        let header: [u8; HEADER_LEN] = array_at(bytes, 0).ok_or(short)?;
        let number = |at: usize| u32_at(&header, at).ok_or(short);
        let long = |at: usize| u64_at(&header, at).ok_or(short);
        let found: [u8; 8] = array_at(&header, 0).ok_or(short)?;
        if found != PATCH_MAGIC {
            return Err(FormatError::PatchMagic { found });
        }
        if number(8)? != PATCH_VERSION {
            return Err(FormatError::PatchVersion { found: number(8)? });
        }
        let (expected, found) = (Header::checksum_of(&header), number(60)?);
        if found != expected {
            return Err(FormatError::HeaderChecksum { expected, found });
        }
        let section_count = number(12)?;
        if section_count == 0 || section_count > MAX_SECTIONS {
            return Err(FormatError::SectionCount {
                found: section_count,
            });
        }
        Ok(Self {
            section_count,
            file_length: long(16)?,
            base: FileId {
                length: long(24)?,
                checksum: number(32)?,
            },
            parent: FileId {
                length: long(40)?,
                checksum: number(36)?,
            },
            table_checksum: number(48)?,
            blocks: number(52)?,
        })
    }
}

/// A patch in memory, all of it checked.
#[derive(Clone, Copy, Debug)]
pub struct Patch<'a> {
    bytes: &'a [u8],
    header: PatchHeader,
}

impl<'a> Patch<'a> {
    /// The patch that `bytes` are, from the first to the last.
    ///
    /// Reads all of them: errors unless header, section table and every section have their
    /// checksums, and the sections that a patch needs are there.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let header = PatchHeader::parse(bytes)?;
        let found = bytes.len() as u64;
        if header.file_length != found {
            return Err(FormatError::Length {
                expected: header.file_length,
                found,
            });
        }
        let patch = Self { bytes, header };
        let (count, checksum) = (header.section_count, header.table_checksum);
        Section::check_table(count, patch.table(), checksum, found)?;
        for section in patch.sections() {
            section.check_bytes(patch.stored(section).unwrap_or_default())?;
        }
        let sizes = Sizes {
            blocks: header.blocks.into(),
            ..Sizes::default()
        };
        for kind in sections::of(None).filter(|kind| kind.flags & Section::ZSTD == 0) {
            kind.plain(None, &sizes, patch.section(kind.tag))?;
        }
        Ok(patch)
    }

    fn table(&self) -> Option<&'a [u8]> {
        let length = (self.header.section_count as usize).checked_mul(ENTRY_LEN)?;
        self.bytes.get(HEADER_LEN..HEADER_LEN.checked_add(length)?)
    }

    fn stored(&self, section: Section) -> Option<&'a [u8]> {
        let start = usize::try_from(section.offset).ok()?;
        self.bytes.get(start..usize::try_from(section.end()?).ok()?)
    }

    /// The sections, in the order of the file.
    pub fn sections(&self) -> impl Iterator<Item = Section> + use<'a> {
        Section::parse_table(self.table().unwrap_or(&[]))
    }

    /// A section's entry, and its bytes as stored.
    pub fn section(&self, tag: Tag) -> Option<(Section, &'a [u8])> {
        let section = self.sections().find(|section| section.tag == tag)?;
        Some((section, self.stored(section)?))
    }

    fn plain(&self, tag: Tag) -> &'a [u8] {
        self.section(tag).map_or(&[], |(_, bytes)| bytes)
    }

    /// Its header.
    pub const fn header(&self) -> PatchHeader {
        self.header
    }

    /// What stands for it.
    pub fn id(&self) -> FileId {
        FileId {
            length: self.header.file_length,
            checksum: u32_at(self.bytes, HEADER_LEN - 4).unwrap_or(0),
        }
    }

    /// Where there is terrain, a block bitmap, if that is not what it was.
    pub fn valid(&self) -> Option<&'a [u8]> {
        self.section(Tag::VALD).map(|(_, bytes)| bytes)
    }

    /// The samples whose ground changed, counted row by row, and their heights; NaN for void.
    pub fn heights(&self) -> impl Iterator<Item = (u32, f64)> + use<'a> {
        let entries = self.plain(Tag::CHTS).chunks_exact(CHANGED_LEN);
        entries.map(|entry| {
            let height = u64_at(entry, 4).map_or(f64::NAN, f64::from_bits);
            (u32_at(entry, 0).unwrap_or(u32::MAX), height)
        })
    }

    /// The blocks, counted row by row, whose groups it has, and where these begin in
    /// [`pairs`](Self::pairs).
    pub fn groups(&self) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        places(self.plain(Tag::BIDX))
    }

    /// Groups of blocks, in the codes of the bundle's `DICT`.
    pub fn pairs(&self) -> &'a [u8] {
        self.plain(Tag::PAIR)
    }

    /// The quads whose PVSs it has, by their entries in the bundle's `TIDX`, and where these begin in
    /// [`tree_bytes`](Self::tree_bytes).
    pub fn trees(&self) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        places(self.plain(Tag::QIDX))
    }

    /// Trees of quads.
    pub fn tree_bytes(&self) -> &'a [u8] {
        self.plain(Tag::TREE)
    }
}

/// What, and where it begins.
fn places(bytes: &[u8]) -> impl Iterator<Item = (u32, u64)> + use<'_> {
    bytes.chunks_exact(PLACE_LEN).map(|entry| {
        let what = u32_at(entry, 0).unwrap_or(u32::MAX);
        (what, u64_at(entry, 4).unwrap_or(u64::MAX))
    })
}
