//! Bundles taken apart into sections, and put together.

use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::{Header, Section, Tag, WorldKind, crc32, sections};
use viewcell::query::Bundle;

/// The sections that a kind of world has of its own.
pub fn tags(kind: WorldKind) -> Vec<Tag> {
    let tags = sections::of(Some(kind)).map(|kind| kind.tag);
    tags.filter(|tag| ![Tag::SIGN, Tag::PCRC].contains(tag))
        .collect()
}

/// The sections of a bundle; of its checksums by page, which would find all damage first, only if they are what is damaged.
pub fn parts(bytes: &[u8], damaged: Option<Tag>) -> Vec<(Section, Vec<u8>)> {
    let bundle = Bundle::from_bytes(bytes).unwrap();
    let kept = |s: &Section| s.tag != Tag::PCRC || damaged == Some(s.tag);
    let parts = bundle.sections().filter(kept);
    parts
        .map(|s| (s, bundle.section(s.tag).unwrap().1.to_vec()))
        .collect()
}

/// Puts everything together, with the checksums, places and stored lengths that belong to it.
pub fn assemble(kind: WorldKind, sections: &[(Section, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_LEN + ENTRY_LEN * sections.len()];
    let mut entries = Vec::new();
    for (section, stored) in sections {
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        entries.push(Section {
            offset: bytes.len() as u64,
            stored_length: stored.len() as u64,
            checksum: crc32(stored),
            ..*section
        });
        bytes.extend(stored);
    }
    write_table(&mut bytes, kind, &entries);
    bytes
}

/// Writes a section table, and the header that belongs to it.
pub fn write_table(bytes: &mut [u8], kind: WorldKind, entries: &[Section]) {
    let table: Vec<u8> = entries.iter().flat_map(Section::encode).collect();
    bytes[HEADER_LEN..HEADER_LEN + table.len()].copy_from_slice(&table);
    reseal_table(bytes, kind, entries.len());
}

/// Makes the header fit the table as it is.
pub fn reseal_table(bytes: &mut [u8], kind: WorldKind, count: usize) {
    let header = Header {
        kind,
        file_length: bytes.len() as u64,
        section_count: count as u32,
        table_checksum: crc32(&bytes[HEADER_LEN..HEADER_LEN + count * ENTRY_LEN]),
    };
    bytes[..HEADER_LEN].copy_from_slice(&header.encode());
}
