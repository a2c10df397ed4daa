//! Rules on header, section table and sections, whatever is in them.

use crate::bundle::verify::rules::{
    HEADER_CHECKSUM, HEADER_FIELDS, LENGTH, MAGIC, PADDING, PAGES, SECTION_CHECKSUMS,
    SECTION_PLACES, SIGNATURE_FIELDS, TABLE_CHECKSUM, TABLE_FIELDS, VERSION,
};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use super::report::{Checker, Faults};
use crate::bundle::file::{Pieces, Problem, read_section, read_stored, read_up_to};
use viewcell::format::bytes::{u32_at, u64_at};
use viewcell::format::header::{ALIGNMENT, ENTRY_LEN, HEADER_LEN, MAX_SECTIONS};
use viewcell::format::pages::{PAGE, page_count};
use viewcell::format::sections::{self, When};
use viewcell::format::signature::{SIGNATURE_LEN, SIGNATURE_SCHEME};
use viewcell::format::{
    self, FormatError, Header, Section, SectionKind, Sizes, Tag, WorldKind, crc32,
};

/// A file whose header, table and sections are as they should be.
pub(super) struct Container {
    pub file: File,
    pub kind: WorldKind,
    pub sections: Vec<Section>,
}

impl Container {
    pub(super) fn section(&self, tag: Tag) -> Option<&Section> {
        self.sections.iter().find(|section| section.tag == tag)
    }

    /// Where a section begins in the file.
    pub(super) fn start(&self, tag: Tag) -> u64 {
        self.section(tag).map_or(0, |section| section.offset)
    }

    /// The bytes of a section as they are stored; none where there is none.
    pub(super) fn stored(&self, tag: Tag) -> io::Result<Vec<u8>> {
        match self.section(tag) {
            None => Ok(Vec::new()),
            Some(section) => read_stored(&self.file, section),
        }
    }

    /// The bytes of a cold section; `None` where there is none, and where it is no frame of the length that it must have.
    pub(super) fn cold(
        &self,
        tag: Tag,
        sizes: &Sizes,
        faults: &mut Faults,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(section) = self.section(tag) else {
            return Ok(None);
        };
        match read_section(&self.file, section, sizes) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Problem::Io(error)) => Err(error),
            Err(Problem::Content(problem)) => {
                let place = format!("section {tag}");
                faults.add(place, section.offset, "a zstd frame", problem);
                Ok(None)
            }
        }
    }

    /// What the record in a section says; `None` where it makes no sense, or is not as it is written.
    pub(super) fn record<P>(
        &self,
        tag: Tag,
        parse: impl FnOnce(&[u8]) -> Result<P, FormatError>,
        encode: impl FnOnce(&P) -> Vec<u8>,
        faults: &mut Faults,
    ) -> io::Result<Option<P>> {
        self.check_lengths(tag, |kind| kind.tag == tag, &Sizes::default(), faults);
        let (place, at) = (format!("section {tag}"), self.start(tag));
        let record = self.stored(tag)?;
        if !faults.is_empty() {
            return Ok(None);
        }
        let parsed = match parse(&record) {
            Ok(parsed) => parsed,
            Err(error) => {
                faults.add(place, at, "fields that make sense", error);
                return Ok(None);
            }
        };
        // Reserved bytes, and fields that do not apply, are zero in the canonical encoding.
        let canonical = encode(&parsed);
        let differs = canonical
            .iter()
            .zip(&record)
            .position(|(due, found)| due != found);
        if let Some(byte) = differs {
            let place = format!("{place}, byte {byte}");
            faults.add(place, at + byte as u64, canonical[byte], record[byte]);
            return Ok(None);
        }
        Ok(Some(parsed))
    }

    /// Checks that the sections are there that the kind of world always has, and that all have the flags that they must
    /// have.
    pub(super) fn check_present(&self, faults: &mut Faults) {
        for kind in sections::of(Some(self.kind)) {
            let place = format!("section {}", kind.tag);
            match (kind.when(Some(self.kind)), self.section(kind.tag)) {
                (When::Always, None) => faults.add(place, None, "one such section", "none"),
                (_, Some(section)) if section.flags != kind.flags => {
                    let expected = format!("flags {}", kind.flags);
                    faults.add(place, section.offset, expected, section.flags);
                }
                _ => {}
            }
        }
    }

    /// Checks whether the parameters in section `by` call for the sections that follow from them, and how long these are.
    pub(super) fn check_sizes(&self, by: Tag, sizes: &Sizes, faults: &mut Faults) {
        self.check_lengths(by, |kind| kind.by == by, sizes, faults);
    }

    fn check_lengths(
        &self,
        by: Tag,
        is_checked: impl Fn(&SectionKind) -> bool,
        sizes: &Sizes,
        faults: &mut Faults,
    ) {
        for kind in sections::of(Some(self.kind)).filter(|kind| is_checked(kind)) {
            let place = format!("section {}", kind.tag);
            let is_due = kind.when(Some(self.kind)).is_due(sizes);
            match (is_due, self.section(kind.tag)) {
                (Some(true), None) => faults.add(place, None, format!("one, by {by}"), "none"),
                (Some(false), Some(section)) => {
                    faults.add(place, section.offset, format!("none, by {by}"), "one");
                }
                (_, Some(section)) => {
                    let expected = kind.length.expected(section.length, sizes);
                    if section.length != expected {
                        let expected = format!("{expected} bytes");
                        faults.add(place, section.offset, expected, section.length);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Checks all rules of this file; `None` where one fails that the rest relies on.
pub(super) fn check(
    checker: &mut Checker,
    mut file: File,
    length: u64,
) -> io::Result<Option<Container>> {
    let start = read_up_to(&mut file, HEADER_LEN as u64)?;
    if !checker.check(MAGIC, |faults| magic(&start, faults))? {
        return Ok(None);
    }
    let Some(bytes) = start.first_chunk::<HEADER_LEN>() else {
        checker.check(LENGTH, |faults| {
            faults.add("header", length, "a header of 64 bytes", length)
        })?;
        return Ok(None);
    };
    let sound = checker.check(VERSION, |faults| version(bytes, faults))?
        && checker.check(HEADER_CHECKSUM, |faults| header_checksum(bytes, faults))?
        && checker.check(HEADER_FIELDS, |faults| header_fields(bytes, faults))?
        && checker.check(LENGTH, |faults| exact_length(bytes, length, faults))?;
    let (true, Ok(header)) = (sound, Header::parse(bytes)) else {
        return Ok(None);
    };
    let table = read_up_to(&mut file, header.table_length() as u64)?;
    let sections: Vec<_> = Section::parse_table(&table).collect();
    let sound = checker.check(TABLE_CHECKSUM, |faults| {
        table_checksum(&header, &table, faults)
    })? && checker.check(TABLE_FIELDS, |faults| {
        table_fields(&table, &sections, faults)
    })? && checker.check(SECTION_PLACES, |faults| {
        section_places(&header, &sections, faults)
    })?;
    if !sound {
        return Ok(None);
    }
    // Both are looked at, since neither relies on the other.
    let padded = checker.check(PADDING, |faults| padding(&file, &header, &sections, faults))?;
    let mut faults = Faults::default();
    section_checksums(checker, &file, &sections, &mut faults)?;
    let sound = checker.note(SECTION_CHECKSUMS, faults) && padded;
    let start = HEADER_LEN + header.table_length();
    // What its checksums say of damaged sections has been said.
    let sound = sound && checker.check(PAGES, |faults| pages(&file, start, &sections, faults))?;
    let sound = sound
        && checker.check(SIGNATURE_FIELDS, |faults| {
            signature_fields(&file, &sections, faults)
        })?;
    Ok(sound.then_some(Container {
        file,
        kind: header.kind,
        sections,
    }))
}

fn magic(start: &[u8], faults: &mut Faults) {
    let found = &start[..start.len().min(format::header::MAGIC.len())];
    if found != format::header::MAGIC {
        let expected = format!("{:02X?}", format::header::MAGIC);
        faults.add("magic", 0, expected, format!("{found:02X?}"));
    }
}

fn version(header: &[u8; HEADER_LEN], faults: &mut Faults) {
    let found = u32_at(header, 8).unwrap_or(0);
    if found != format::header::VERSION {
        faults.add("format version", 8, format::header::VERSION, found);
    }
}

fn header_checksum(header: &[u8; HEADER_LEN], faults: &mut Faults) {
    let expected = Header::checksum_of(header);
    let found = u32_at(header, 60).unwrap_or(0);
    if found != expected {
        let (expected, found) = (format!("{expected:08x}"), format!("{found:08x}"));
        faults.add("header checksum", 60, expected, found);
    }
}

fn header_fields(header: &[u8; HEADER_LEN], faults: &mut Faults) {
    let word = |at| u32_at(header, at).unwrap_or(0);
    if WorldKind::from_code(word(12)).is_none() {
        faults.add("world kind", 12, "1 (terrain) or 2 (cells)", word(12));
    }
    if word(24) == 0 || word(24) > MAX_SECTIONS {
        faults.add(
            "section count",
            24,
            format!("1 to {MAX_SECTIONS}"),
            word(24),
        );
    }
    if word(28) != 0 {
        faults.add("flags", 28, 0, word(28));
    }
    if let Some(at) = (36..60).find(|&at| header[at] != 0) {
        faults.add("reserved bytes", at as u64, 0, header[at]);
    }
}

fn exact_length(header: &[u8; HEADER_LEN], length: u64, faults: &mut Faults) {
    let expected = u64_at(header, 16).unwrap_or(0);
    if length != expected {
        let (expected, found) = (format!("{expected} bytes"), format!("{length} bytes"));
        faults.add("end of the file", length, expected, found);
    }
}

fn table_checksum(header: &Header, table: &[u8], faults: &mut Faults) {
    let at = HEADER_LEN as u64;
    if table.len() != header.table_length() {
        let expected = format!("{} bytes", header.table_length());
        faults.add(
            "section table",
            at,
            expected,
            format!("{} bytes", table.len()),
        );
    } else if crc32(table) != header.table_checksum {
        let expected = format!("{:08x}", header.table_checksum);
        faults.add(
            "section table",
            at,
            expected,
            format!("{:08x}", crc32(table)),
        );
    }
}

fn table_fields(table: &[u8], sections: &[Section], faults: &mut Faults) {
    for (i, section) in sections.iter().enumerate() {
        let at = HEADER_LEN + i * ENTRY_LEN;
        let place = |field: &str| format!("{field} of section {}", section.tag);
        if sections[..i].iter().any(|other| other.tag == section.tag) {
            faults.add(
                place("tag"),
                at as u64,
                "a name not used before",
                section.tag,
            );
        }
        if section.flags & !(Section::REQUIRED | Section::ZSTD) != 0 {
            faults.add(
                place("flags"),
                at as u64 + 4,
                "flags 1 and 2",
                section.flags,
            );
        }
        if section.is_required() && section.tag.kind().is_none() {
            faults.add(place("tag"), at as u64, "a known section", "a required one");
        }
        if !section.is_compressed() && section.length != section.stored_length {
            let (expected, found) = (section.stored_length, section.length);
            faults.add(place("length"), at as u64 + 24, expected, found);
        }
        let reserved = u32_at(table, i * ENTRY_LEN + 36).unwrap_or(0);
        if reserved != 0 {
            faults.add(place("reserved bytes"), at as u64 + 36, 0, reserved);
        }
    }
}

fn section_places(header: &Header, sections: &[Section], faults: &mut Faults) {
    let mut end = Some((HEADER_LEN + header.table_length()) as u64);
    for (i, section) in sections.iter().enumerate() {
        let at = (HEADER_LEN + i * ENTRY_LEN + 8) as u64;
        let due = end.and_then(|end| end.checked_next_multiple_of(ALIGNMENT));
        if due != Some(section.offset) {
            let expected = due.map_or("a place below 2^64".to_owned(), |due| due.to_string());
            let place = format!("offset of section {}", section.tag);
            faults.add(place, at, expected, section.offset);
        }
        end = section.end();
    }
    if end != Some(header.file_length) {
        let found = end.map_or("past 2^64".to_owned(), |end| end.to_string());
        faults.add("end of the last section", None, header.file_length, found);
    }
}

fn padding(
    file: &File,
    header: &Header,
    sections: &[Section],
    faults: &mut Faults,
) -> io::Result<()> {
    let mut end = (HEADER_LEN + header.table_length()) as u64;
    for section in sections {
        let mut reader = file;
        reader.seek(SeekFrom::Start(end))?;
        let bytes = read_up_to(reader, section.offset - end)?;
        if let Some(i) = bytes.iter().position(|&byte| byte != 0) {
            let place = format!("padding before section {}", section.tag);
            faults.add(place, end + i as u64, 0, bytes[i]);
        }
        end = section.offset + section.stored_length;
    }
    Ok(())
}

fn section_checksums(
    checker: &mut Checker,
    file: &File,
    sections: &[Section],
    faults: &mut Faults,
) -> io::Result<()> {
    let total = sections.iter().map(|section| section.stored_length).sum();
    let mut done = 0;
    for section in sections {
        let mut pieces = Pieces::of(file, section)?;
        let mut checksum = crc32fast::Hasher::new();
        while let Some(bytes) = pieces.next()? {
            checksum.update(bytes);
            done += bytes.len() as u64;
            checker.tell(SECTION_CHECKSUMS, done, total);
        }
        let found = checksum.finalize();
        if found != section.checksum {
            let expected = format!("{:08x}", section.checksum);
            let place = format!("section {}", section.tag);
            faults.add(place, section.offset, expected, format!("{found:08x}"));
        }
    }
    Ok(())
}

pub(super) fn pages(
    file: &File,
    start: usize,
    sections: &[Section],
    faults: &mut Faults,
) -> io::Result<()> {
    let Some(section) = sections.iter().find(|section| section.tag == Tag::PCRC) else {
        return Ok(());
    };
    let place = "section PCRC";
    let (flags, is_last) = (section.flags, sections.last() == Some(section));
    if flags != 0 || !is_last {
        let expected = "the last section, with flags 0";
        let found = format!(
            "flags {flags}, {}",
            if is_last { "last" } else { "not last" }
        );
        faults.add(place, section.offset, expected, found);
        return Ok(());
    }
    let count = page_count(section.offset as usize);
    if section.stored_length != 4 * count as u64 {
        let expected = format!("{} bytes, 4 a page", 4 * count);
        faults.add(place, section.offset, expected, section.stored_length);
        return Ok(());
    }
    let sums = read_stored(file, section)?;
    let mut reader = file;
    reader.seek(SeekFrom::Start(start as u64))?;
    let mut at = start as u64;
    for (page, sum) in sums.as_chunks::<4>().0.iter().enumerate() {
        let end = section.offset.min((page as u64 + 1) * PAGE as u64);
        let bytes = read_up_to(&mut reader, end - at)?;
        let (expected, found) = (u32::from_le_bytes(*sum), crc32fast::hash(&bytes));
        if expected != found {
            let place = format!("page {page}");
            faults.add(place, at, format!("{expected:08x}"), format!("{found:08x}"));
        }
        at = end;
    }
    Ok(())
}

/// Whether a signature can be one. Whose it is shows by a public key alone.
fn signature_fields(file: &File, sections: &[Section], faults: &mut Faults) -> io::Result<()> {
    let Some(section) = sections.iter().find(|section| section.tag == Tag::SIGN) else {
        return Ok(());
    };
    let (place, at) = ("section SIGN", section.offset);
    if section.flags != 0 {
        faults.add(place, at, "flags 0", section.flags);
    }
    if section.stored_length != SIGNATURE_LEN {
        let expected = format!("{SIGNATURE_LEN} bytes");
        let found = format!("{} bytes", section.stored_length);
        faults.add(place, at, expected, found);
        return Ok(());
    }
    let record = read_stored(file, section)?;
    let word = |at| u32_at(&record, at).unwrap_or(0);
    if word(0) != SIGNATURE_SCHEME {
        faults.add("scheme of the signature", at, SIGNATURE_SCHEME, word(0));
    }
    if word(4) != 0 {
        faults.add("reserved bytes of the signature", at + 4, 0, word(4));
    }
    Ok(())
}
