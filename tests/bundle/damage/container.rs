//! Damage to header, section table and sections as such.

use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::{Section, Tag, WorldKind, crc32};
use viewcell::query::Bundle;

use super::{Parts, report_of, reseal_header, trips};
use crate::sections::{reseal_table, write_table};

#[test]
fn magic() {
    let mut bytes = Parts::new().assemble();
    bytes[4] = b'\n';
    trips(&bytes, "magic");
    trips(b"", "magic");
    trips(b"PK\x03\x04", "magic");
}

#[test]
fn version() {
    let mut bytes = Parts::new().assemble();
    bytes[8] = 2;
    reseal_header(&mut bytes);
    trips(&bytes, "version");
}

#[test]
fn header_checksum() {
    let mut bytes = Parts::new().assemble();
    bytes[61] ^= 1;
    trips(&bytes, "header-checksum");
}

#[test]
fn header_fields() {
    for (at, value) in [(12, 7), (24, 0), (24, 65), (28, 1), (36, 1), (59, 1)] {
        let mut bytes = Parts::new().assemble();
        bytes[at] = value;
        reseal_header(&mut bytes);
        trips(&bytes, "header-fields");
    }
}

#[test]
fn length() {
    let bytes = Parts::new().assemble();
    trips(&bytes[..bytes.len() - 1], "length");
    trips(&bytes[..63], "length");
    trips(&[bytes.as_slice(), &[0]].concat(), "length");
}

#[test]
fn table_checksum() {
    let mut bytes = Parts::new().assemble();
    bytes[32] ^= 1;
    reseal_header(&mut bytes);
    trips(&bytes, "table-checksum");
    // A table that does not fit into the file.
    let mut bytes = bytes[..64 + 40].to_vec();
    bytes[16..24].copy_from_slice(&104u64.to_le_bytes());
    reseal_header(&mut bytes);
    trips(&bytes, "table-checksum");
}

#[test]
fn table_fields() {
    let mut parts = Parts::new();
    parts.entry(Tag::CRS).tag = Tag::HGTS;
    trips(&parts.assemble(), "table-fields");
    let mut parts = Parts::new();
    parts.entry(Tag::CRS).flags = 4;
    trips(&parts.assemble(), "table-fields");
    let mut parts = Parts::new();
    parts.entry(Tag::CRS).length += 1;
    trips(&parts.assemble(), "table-fields");
    let mut parts = Parts::new();
    parts.sections.push((
        Section {
            tag: Tag(*b"NEW!"),
            flags: Section::REQUIRED,
            offset: 0,
            stored_length: 0,
            length: 3,
            checksum: 0,
        },
        b"new".to_vec(),
    ));
    trips(&parts.assemble(), "table-fields");
    parts.sections.last_mut().unwrap().0.flags = 0;
    assert!(
        report_of(&parts.assemble()).is_sound(),
        "optional ones are no fault"
    );

    let parts = Parts::pairs();
    let mut bytes = parts.assemble();
    bytes[HEADER_LEN + 36] = 1;
    reseal_table(&mut bytes, WorldKind::Terrain, parts.sections.len());
    trips(&bytes, "table-fields");
}

#[test]
fn section_places() {
    let parts = Parts::new();
    let sound = parts.assemble();
    let entries: Vec<_> = Bundle::from_bytes(&sound).unwrap().sections().collect();
    let with = |change: &dyn Fn(&mut Vec<Section>)| {
        let (mut bytes, mut entries) = (sound.clone(), entries.clone());
        change(&mut entries);
        write_table(&mut bytes, WorldKind::Terrain, &entries);
        bytes
    };
    // Not aligned; overlapping; past the end; past all numbers; out of order.
    trips(&with(&|entries| entries[3].offset += 8), "section-places");
    trips(&with(&|entries| entries[3].offset -= 64), "section-places");
    trips(
        &with(&|entries| entries[7].offset += 1 << 20),
        "section-places",
    );
    trips(
        &with(&|entries| entries[7].offset = 0u64.wrapping_sub(64)),
        "section-places",
    );
    trips(&with(&|entries| entries.swap(2, 3)), "section-places");
    // Bytes after the last section.
    let mut bytes = [sound.as_slice(), &[0; 64]].concat();
    reseal_table(&mut bytes, WorldKind::Terrain, entries.len());
    trips(&bytes, "section-places");
    // A gap of a whole unit.
    let mut bytes = sound.clone();
    let last = entries[7].offset as usize;
    bytes.splice(last..last, [0; 64]);
    let mut moved = entries.clone();
    moved[7].offset += 64;
    write_table(&mut bytes, WorldKind::Terrain, &moved);
    trips(&bytes, "section-places");
}

#[test]
fn padding() {
    let parts = Parts::new();
    let mut bytes = parts.assemble();
    let entries: Vec<_> = Bundle::from_bytes(&bytes).unwrap().sections().collect();
    let behind = entries[parts.position(Tag::CRS)];
    bytes[behind.end().unwrap() as usize] = 1;
    trips(&bytes, "padding");
}

#[test]
fn section_checksums() {
    let mut bytes = Parts::new().assemble();
    let last = bytes.len() - 1;
    bytes[last] ^= 0x10;
    trips(&bytes, "section-checksums");
}

#[test]
fn pages() {
    let mut parts = Parts::new();
    let entry = Section {
        tag: Tag::PCRC,
        flags: 0,
        offset: 0,
        stored_length: 0,
        length: 4,
        checksum: 0,
    };
    parts.sections.push((entry, vec![0; 4]));
    // One page: all that lies between the section table and the checksum.
    let bytes = parts.assemble();
    let start = HEADER_LEN + ENTRY_LEN * parts.sections.len();
    let sum = crc32(&bytes[start..bytes.len() - 4]);
    *parts.bytes(Tag::PCRC) = sum.to_le_bytes().to_vec();
    assert!(report_of(&parts.assemble()).is_sound());
    parts.bytes(Tag::PCRC)[1] ^= 1;
    trips(&parts.assemble(), "pages");
    parts.entry(Tag::PCRC).length = 8;
    parts.bytes(Tag::PCRC).extend([0; 4]);
    trips(&parts.assemble(), "pages");
}

/// `verify` without a key did not look at the signature: reserved bytes and unknown schemes were sound.
#[test]
fn signature_fields() {
    let mut record = vec![0; 104];
    record[0] = 2;
    let entry = Section {
        tag: Tag::SIGN,
        flags: 0,
        offset: 0,
        stored_length: 0,
        length: 104,
        checksum: 0,
    };
    let mut parts = Parts::new();
    parts.sections.push((entry, record.clone()));
    assert!(report_of(&parts.assemble()).is_sound());
    for (at, value) in [(0, 99), (0, 1), (0, 0), (3, 1), (4, 7), (7, 1)] {
        let mut damaged = record.clone();
        damaged[at] = value;
        *parts.bytes(Tag::SIGN) = damaged;
        trips_both(&parts.assemble());
    }
    for length in [0, 103, 105] {
        *parts.bytes(Tag::SIGN) = record.iter().copied().cycle().take(length).collect();
        parts.entry(Tag::SIGN).length = length as u64;
        trips_both(&parts.assemble());
    }
    *parts.bytes(Tag::SIGN) = record;
    parts.entry(Tag::SIGN).length = 104;
    parts.entry(Tag::SIGN).flags = Section::REQUIRED;
    trips_both(&parts.assemble());
}

/// The rule of signatures is broken, and the independent reader says so, too.
fn trips_both(bytes: &[u8]) {
    trips(bytes, "signature-fields");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    std::fs::write(&path, bytes).unwrap();
    if let Some(ran) = crate::reader::read_bundle("verify", &path, &[], "") {
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(
            ran.status.code() == Some(1)
                && said.lines().count() <= 2
                && said.contains("section SIGN"),
            "{said}"
        );
    }
}
