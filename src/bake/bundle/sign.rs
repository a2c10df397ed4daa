//! Signing a bundle.

use std::path::Path;

use super::error::BundleError;
use super::file::{BundleFile, Pieces};
use super::output::{Output, Written, check_output};
use viewcell::format::header::ALIGNMENT;
use viewcell::format::pages::page_count;
use viewcell::format::signature::SIGNATURE_LEN;
use viewcell::format::{Header, Section, Tag};
use viewcell::sign::{Contents, PrivateKey, is_signed};

/// Writes the bundle `input` with a signature of its contents, section `SIGN`. Another signature that it has is left
/// out; all other sections are as they were. The file is another one: patches of the old one do not go over it.
///
/// # Errors
///
/// Where a section of the bundle does not have its checksum, and where [`super::LevelsWriter::create`]
/// does.
pub fn sign(
    input: &Path,
    key: &PrivateKey,
    output: &Path,
    overwrite: bool,
) -> Result<Written, BundleError> {
    check_output(output, overwrite)?;
    let bundle = BundleFile::open(input)?;
    bundle.check_sections()?;
    let read = BundleError::read(bundle.path());
    let signed: Vec<_> = bundle.sections().iter().filter(|s| is_signed(s)).collect();
    let mut out = Output::create(output, overwrite)?;
    out.leave_room(signed.len() + 1)?;
    let mut contents = Contents::default();
    for section in signed {
        let mut open = out.begin_with(section.tag, section.flags)?;
        let mut pieces = Pieces::of(bundle.file(), section).map_err(read)?;
        while let Some(bytes) = pieces.next().map_err(read)? {
            contents.take(bytes);
            out.append(&mut open, bytes)?;
        }
        contents.end();
        out.end(open, Some(section.length));
    }
    let offset = out.position.next_multiple_of(ALIGNMENT);
    let front = front(&bundle.header(), &out.sections, offset);
    out.whole(Tag::SIGN, &contents.sign(&front, key))?;
    out.finish(bundle.header(), u64::MAX)
}

/// Header and section table, as far as they are signed, of a bundle of these sections, `SIGN` at `offset`, and `PCRC`.
fn front(header: &Header, sections: &[Section], offset: u64) -> Vec<u8> {
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
    front
}
