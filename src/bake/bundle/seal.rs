//! Adding checksums by page to a bundle.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::error::BundleError;
use super::file::BundleFile;
use super::output::Written;
use super::output::{Output, check_output};
use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::pages::PAGE;
use viewcell::format::{Section, Tag};

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

/// What sees all sections that are copied, and adds one.
pub(super) trait Witness {
    /// The next bytes of a section.
    fn take(&mut self, bytes: &[u8]);

    /// A section has come.
    fn end(&mut self, section: &Section);

    /// The section that is added.
    fn added(&mut self) -> (Tag, Vec<u8>);
}

/// Writes those sections of a bundle that are kept, what a witness adds, and checksums by page.
pub(super) fn copy(
    bundle: &BundleFile,
    is_kept: impl Fn(&Section) -> bool,
    mut witness: Option<&mut dyn Witness>,
    (output, overwrite): (&Path, bool),
) -> Result<Written, BundleError> {
    bundle.check_sections()?;
    let kept: Vec<_> = bundle.sections().iter().filter(|s| is_kept(s)).collect();
    let count = kept.len() + usize::from(witness.is_some()) + 1;
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
            if let Some(witness) = &mut witness {
                witness.take(bytes);
            }
            out.write(bytes)?;
        }
        let section = Section {
            length: section.length,
            ..out.end(open)
        };
        if let Some(witness) = &mut witness {
            witness.end(&section);
        }
        sections.push(section);
    }
    if let Some(witness) = witness {
        let (tag, bytes) = witness.added();
        let before = out.position;
        let mut open = out.begin(tag, 0)?;
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

    out.finish(bundle.header().kind, sections, u64::MAX, overwrite)
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
