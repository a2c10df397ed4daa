//! Signatures: what was signed is believed, and nothing else.

use std::path::{Path, PathBuf};

use viewcell::format::{FormatError, Header, Section, Tag, crc32};
use viewcell::query::{Bundle, MappedBundle, OpenError};
use viewcell::sign::{PrivateKey, PublicKey};
use viewcell_bake::bundle::{info, seal, sign, verify};

use crate::golden::{pairs_path, path};

// The keys of the first two tests of RFC 8032.
pub const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";
pub const OTHER: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=
-----END PUBLIC KEY-----
";

fn key() -> PublicKey {
    PrivateKey::from_pem(PRIVATE).unwrap().public()
}

/// A bundle that was signed, in a folder that goes with it.
fn signed(from: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("signed.vcb");
    sign(from, &PrivateKey::from_pem(PRIVATE).unwrap(), &to, false).unwrap();
    (folder, to)
}

fn check(bytes: &[u8], key: &PublicKey) -> Result<(), FormatError> {
    let checked = Bundle::from_bytes(bytes).and_then(|bundle| bundle.check_signature(key));
    checked.map_err(|error| match error {
        OpenError::Format { error, .. } => error,
        other => panic!("{other}"),
    })
}

#[test]
fn a_signed_bundle_is_believed_by_its_key_alone() {
    for from in [path("13x9-voids"), pairs_path("13x9-voids"), path("level")] {
        assert_eq!(
            check(&std::fs::read(&from).unwrap(), &key()),
            Err(FormatError::Unsigned)
        );
        let (folder, to) = signed(&from);
        assert!(verify(&to, &mut |_| {}).unwrap().is_sound());
        for section in info(&to).unwrap().sections {
            assert!(!section.holds.contains("unknown"), "{section:?}");
        }
        MappedBundle::open_signed(&to, &key()).unwrap();
        MappedBundle::open_checked(&to).unwrap();
        let other = PublicKey::from_pem(OTHER).unwrap();
        let error = MappedBundle::open_signed(&to, &other)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("signed.vcb") && error.contains("another"),
            "{error}"
        );
        // Signing again is the same, and checksums by page may be added later.
        let bytes = std::fs::read(&to).unwrap();
        let (_again, again) = signed(&to);
        assert!(std::fs::read(again).unwrap() == bytes);
        let sealed = folder.path().join("sealed.vcb");
        seal(&to, &sealed, false).unwrap();
        assert!(std::fs::read(sealed).unwrap() == bytes);
    }
}

#[test]
fn a_flipped_bit_anywhere_is_refused() {
    let (folder, to) = signed(&pairs_path("13x9-voids"));
    let bytes = std::fs::read(&to).unwrap();
    let flipped = folder.path().join("flipped.vcb");
    let mut told_by_signature = 0;
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        let is_refused = check(&bytes, &key()).is_err();
        told_by_signature += u32::from(is_refused);
        // Padding and checksums are not signed, and say nothing.
        if !is_refused || at % 97 == 0 {
            std::fs::write(&flipped, &bytes).unwrap();
            assert!(
                !verify(&flipped, &mut |_| {}).unwrap().is_sound(),
                "byte {at}"
            );
        }
    }
    assert!(told_by_signature > bytes.len() as u32 / 2);
}

/// A bundle in which a byte of a section is another, with checksums that say that this is right.
fn forged(bytes: &[u8], tag: Tag) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let header = Header::parse(&bytes).unwrap();
    let table = 64..64 + header.table_length();
    let entries = table.clone().step_by(40);
    let mut entries = entries.map(|at| (at, Section::parse(&bytes[at..]).unwrap()));
    let (at, section) = entries.find(|(_, section)| section.tag == tag).unwrap();
    bytes[section.offset as usize] ^= 1;
    let checksum = crc32(&bytes[section.offset as usize..section.end().unwrap() as usize]);
    bytes[at..at + 40].copy_from_slice(
        &Section {
            checksum,
            ..section
        }
        .encode(),
    );
    let header = Header {
        table_checksum: crc32(&bytes[table]),
        ..header
    };
    bytes[..64].copy_from_slice(&header.encode());
    bytes
}

#[test]
fn right_checksums_do_not_make_a_forgery_right() {
    let (_folder, to) = signed(&pairs_path("13x9-voids"));
    let bytes = std::fs::read(&to).unwrap();
    let tags: Vec<Tag> = Bundle::from_bytes(&bytes)
        .unwrap()
        .sections()
        .map(|s| s.tag)
        .collect();
    for tag in tags {
        let found = check(&forged(&bytes, tag), &key());
        match tag {
            // Only more can be visible by it.
            Tag::PCRC => assert_eq!(found, Ok(())),
            _ => assert_eq!(found, Err(FormatError::Signature), "{tag}"),
        }
    }
}
