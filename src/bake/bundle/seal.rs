//! Adding checksums by page to a bundle.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::error::BundleError;
use super::file::BundleFile;
use super::output::Written;
use super::output::{Output, check_output};
use viewcell::format::header::{ALIGNMENT, ENTRY_LEN, HEADER_LEN};
use viewcell::format::pages::{PAGE, page_count};
use viewcell::format::signature::SIGNATURE_LEN;
use viewcell::format::{Header, Section, Tag};
use viewcell::sign::{Contents, PrivateKey};

/// Writes the bundle `input` with the checksums of its pages, section `PCRC`, which readers need to check
/// pages when they are first touched. All other sections are as they were; so that the file is another
/// one, patches of the old one do not go over it.
///
/// # Errors
///
/// Where a section of the bundle does not have its checksum, and where [`super::TerrainWriter::create`]
/// does.
pub fn seal(input: &Path, output: &Path, overwrite: bool) -> Result<Written, BundleError> {
    check_output(output, overwrite)?;
    let bundle = BundleFile::open(input)?;
    let kept = |section: &Section| section.tag != Tag::PCRC;
    copy(&bundle, kept, None, (output, overwrite))
}

/// A signature in the making, of all sections that are copied.
pub(super) struct Signing<'k> {
    pub contents: Contents,
    pub key: &'k PrivateKey,
}

impl Signing<'_> {
    /// The bytes of `SIGN`, which begins at `offset` behind these sections, with `PCRC` behind it.
    fn finish(self, header: &Header, sections: &[Section], offset: u64) -> Vec<u8> {
        let added = |tag, offset, length| Section {
            tag,
            flags: 0,
            offset,
            stored_length: length,
            length,
            checksum: 0,
        };
        let sign = added(Tag::SIGN, offset, SIGNATURE_LEN);
        let end = (offset + SIGNATURE_LEN).next_multiple_of(ALIGNMENT);
        let pages = added(Tag::PCRC, end, 4 * page_count(end as usize) as u64);
        let header = Header {
            file_length: pages.offset + pages.length,
            section_count: sections.len() as u32 + 2,
            table_checksum: 0,
            ..*header
        };
        let table = sections.iter().chain([&sign, &pages]);
        let mut front = header.encode().to_vec();
        front.extend(table.flat_map(Section::encode));
        self.contents.sign(&front, self.key)
    }
}

/// Writes those sections of a bundle that are kept, their signature, and checksums by page.
pub(super) fn copy(
    bundle: &BundleFile,
    is_kept: impl Fn(&Section) -> bool,
    mut signing: Option<Signing>,
    (output, overwrite): (&Path, bool),
) -> Result<Written, BundleError> {
    bundle.check_sections()?;
    let kept: Vec<_> = bundle.sections().iter().filter(|s| is_kept(s)).collect();
    let count = kept.len() + usize::from(signing.is_some()) + 1;
    let mut out = Output::create(output)?;
    // Header and table come last, as in all writers, and no page has them.
    out.write(&vec![0; HEADER_LEN + count * ENTRY_LEN])?;
    let mut sums = PageSums::default();
    let mut sections = Vec::with_capacity(count);
    let mut buffer = vec![0; 1 << 18];
    for &section in &kept {
        let read = BundleError::read(bundle.path());
        let before = out.position;
        let mut open = out.begin(section.tag, section.flags)?;
        sums.zeros(before, open.offset);
        let mut file = bundle.file();
        file.seek(SeekFrom::Start(section.offset)).map_err(read)?;
        let mut rest = file.take(section.stored_length);
        loop {
            let length = rest.read(&mut buffer).map_err(read)?;
            let bytes = &buffer[..length];
            if bytes.is_empty() {
                break;
            }
            open.checksum.update(bytes);
            sums.take(out.position, bytes);
            if let Some(signing) = &mut signing {
                signing.contents.take(bytes);
            }
            out.write(bytes)?;
        }
        let section = Section {
            length: section.length,
            ..out.end(open)
        };
        if let Some(signing) = &mut signing {
            signing.contents.end();
        }
        sections.push(section);
    }
    if let Some(signing) = signing {
        let before = out.position;
        let mut open = out.begin(Tag::SIGN, 0)?;
        let bytes = signing.finish(&bundle.header(), &sections, open.offset);
        sums.zeros(before, open.offset);
        open.checksum.update(&bytes);
        sums.take(out.position, &bytes);
        out.write(&bytes)?;
        sections.push(out.end(open));
    }
    let before = out.position;
    let mut open = out.begin(Tag::PCRC, 0)?;
    sums.zeros(before, open.offset);
    let bytes = sums.finish(open.offset);
    open.checksum.update(&bytes);
    out.write(&bytes)?;
    sections.push(out.end(open));

    out.finish(bundle.header(), sections, u64::MAX, overwrite)
}

/// The checksums of pages, of bytes that come in their order.
#[derive(Default)]
pub(super) struct PageSums {
    page: crc32fast::Hasher,
    sums: Vec<u8>,
}

impl PageSums {
    /// Takes in the bytes that are at a place of the file.
    pub(super) fn take(&mut self, mut position: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = PAGE - position as usize % PAGE;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.page.update(now);
            position += now.len() as u64;
            bytes = later;
            if position.is_multiple_of(PAGE as u64) {
                self.end_page();
            }
        }
    }

    /// Takes in the zeros between two places that are close to each other.
    fn zeros(&mut self, from: u64, to: u64) {
        self.take(from, &vec![0; (to - from) as usize]);
    }

    fn end_page(&mut self) {
        let page = std::mem::take(&mut self.page);
        self.sums.extend(page.finalize().to_le_bytes());
    }

    /// The bytes of `PCRC`, which begins at byte `end`.
    fn finish(mut self, end: u64) -> Vec<u8> {
        if !end.is_multiple_of(PAGE as u64) {
            self.end_page();
        }
        self.sums
    }
}
