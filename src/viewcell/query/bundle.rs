//! A bundle in memory.

use core::sync::atomic::AtomicU8;

use super::error::OpenError;
use crate::format::header::HEADER_LEN;
use crate::format::pages::page_count;
use crate::format::{FormatError, Header, Pages, Section, SectionPages, Sizes, Tag, WorldKind};
#[cfg(feature = "sign")]
use crate::sign::{self, Contents, PublicKey};

/// A bundle in memory: its header and section table, checked, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    bytes: &'a [u8],
    header: Header,
    /// What is checked before it is believed, if anything.
    pages: Option<Pages<'a>>,
}

impl<'a> Bundle<'a> {
    /// Opens the bundle that `bytes` are, from the first to the last.
    ///
    /// O(1): looks at the header and the section table only.
    ///
    /// # Errors
    ///
    /// Unless both have their checksums, the length is exact, and every section lies within the bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, OpenError> {
        Ok(Self::check(bytes)?)
    }

    fn check(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let header = Header::parse(bytes)?;
        let bundle = Self {
            bytes,
            header,
            pages: None,
        };
        header.check(bundle.table(), bytes.len() as u64)?;
        Ok(bundle)
    }

    /// Number of pages of 64 KiB that have checksums (section `PCRC`); `None` where an older writer left
    /// them out.
    pub fn page_count(&self) -> Option<usize> {
        let section = self.section(Tag::PCRC)?.0;
        Some(page_count(usize::try_from(section.offset).ok()?))
    }

    /// The same bundle, none of which is believed before its page has been checked, at the first
    /// question that touches it: a page that does not have its checksum makes all visible that depends
    /// on it, and [`Bundle::pages`] tells. What all questions need (parameters, codes, where there is
    /// terrain; all of a level of cells) is checked as the bundle is opened as one of its kind, which
    /// errors where that is damaged.
    ///
    /// `states` has a 0 for each of [`Bundle::page_count`] pages, and remembers what was checked.
    ///
    /// # Errors
    ///
    /// Where the bundle has no checksums of pages.
    pub fn checked(&self, states: &'a [AtomicU8]) -> Result<Self, OpenError> {
        Ok(self.with_pages(states)?)
    }

    fn with_pages(&self, states: &'a [AtomicU8]) -> Result<Self, FormatError> {
        let tag = Tag::PCRC;
        let (section, sums) = self
            .section(tag)
            .ok_or(FormatError::MissingSection { tag })?;
        section.check_bytes(sums)?;
        let start = HEADER_LEN.saturating_add(self.header.table_length());
        let end = usize::try_from(section.offset).unwrap_or(usize::MAX);
        let pages = Pages::new(self.bytes, [start, end], sums, states);
        let pages = pages.ok_or(FormatError::SectionLength {
            tag,
            expected: 4 * page_count(end) as u64,
            found: section.stored_length,
        })?;
        Ok(Self {
            pages: Some(pages),
            ..*self
        })
    }

    /// The pages that are checked before they are believed, and what was found of them so far; `None` of
    /// a bundle that is not [`Bundle::checked`].
    pub fn pages(&self) -> Option<Pages<'a>> {
        self.pages
    }

    /// The pages of a section, where they are to be checked.
    pub(super) fn section_pages(&self, tag: Tag) -> Option<SectionPages<'a>> {
        let start = usize::try_from(self.section(tag)?.0.offset).ok()?;
        Some(SectionPages::new(self.pages?, start))
    }

    /// Errors unless it is of a kind of world.
    pub(super) fn check_kind(&self, expected: WorldKind) -> Result<(), FormatError> {
        let found = self.kind();
        if found == expected {
            Ok(())
        } else {
            Err(FormatError::OtherKind { expected, found })
        }
    }

    /// Checks all of a section now, if anything is to be checked.
    pub(super) fn check_section(&self, tag: Tag) -> Result<(), FormatError> {
        match (self.section_pages(tag), self.section(tag)) {
            (Some(pages), Some((_, bytes))) if !pages.hold(0, bytes.len()) => {
                Err(FormatError::Page { tag })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the contents are those that were signed with the private key of a public one. Reads all of
    /// the file, once; patches over it are not signed.
    ///
    /// # Errors
    ///
    /// Where the signature is another key's or of other bytes, and where there is none.
    #[cfg(feature = "sign")]
    pub fn check_signature(&self, key: &PublicKey) -> Result<(), OpenError> {
        let record = self.section(Tag::SIGN).ok_or(FormatError::Unsigned)?.1;
        let mut contents = Contents::default();
        for section in self.sections().filter(sign::is_signed) {
            let [start, end] = [section.offset, section.end().unwrap_or(u64::MAX)]
                .map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            contents.take(self.bytes.get(start..end).unwrap_or(&[]));
            contents.end();
        }
        let end = HEADER_LEN.saturating_add(self.header.table_length());
        let front = self.bytes.get(..end).unwrap_or(&[]);
        Ok(contents.check(front, record, key)?)
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

    /// The bytes of a section as queries need it, if it is there and called for ([`SectionKind::plain`]).
    pub(super) fn plain(&self, tag: Tag, sizes: &Sizes) -> Result<Option<&'a [u8]>, FormatError> {
        let kind = tag.kind().ok_or(FormatError::UnknownSection { tag })?;
        kind.plain(Some(self.kind()), sizes, self.section(tag))
    }

    /// The bytes of a section that the kind of world always has, or none where they are not called for.
    pub(super) fn need(&self, tag: Tag, sizes: &Sizes) -> Result<&'a [u8], FormatError> {
        Ok(self.plain(tag, sizes)?.unwrap_or_default())
    }

    /// Reads all bytes once, and checks the checksum of each section.
    ///
    /// # Errors
    ///
    /// Unless each section has its checksum.
    pub fn check_sections(&self) -> Result<(), OpenError> {
        for section in self.sections() {
            let stored = self.section(section.tag);
            section.check_bytes(stored.map_or(&[][..], |(_, bytes)| bytes))?;
        }
        Ok(())
    }

    /// The coordinate reference system, where the bundle says: `EPSG:n`, WKT, or what the source
    /// file said.
    pub fn crs(&self) -> Option<&'a str> {
        let bytes = self.plain(Tag::CRS, &Sizes::default()).ok()??;
        core::str::from_utf8(bytes).ok()
    }
}
