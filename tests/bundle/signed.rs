//! Signatures: what was signed is believed, and nothing else.

use std::path::{Path, PathBuf};

use viewcell::format::{FormatError, Header, Section, Tag, crc32};
use viewcell::query::{Bundle, MappedBundle, OpenError};
use viewcell::sign::{PrivateKey, PublicKey};
use viewcell_bake::bundle::{info, sign, verify};

use crate::golden::{pairs_path, path};
use crate::reader::{read_bundle, said};

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
        let (_folder, to) = signed(&from);
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
        // Signing again is the same.
        let bytes = std::fs::read(&to).unwrap();
        let (_again, again) = signed(&to);
        assert!(std::fs::read(again).unwrap() == bytes);
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

/// A bundle in which some bytes are others, with checksums of pages, sections, table and header that say that this is
/// right.
fn forged(bytes: &[u8], at: usize, change: impl Fn(u8) -> u8) -> Vec<u8> {
    let sections: Vec<Section> = Bundle::from_bytes(bytes).unwrap().sections().collect();
    let mut forged = bytes.to_vec();
    forged[at] = change(bytes[at]);
    resealed(forged, &sections)
}

/// The bytes with the checksums that belong to them, of a bundle of these sections.
pub fn resealed(mut forged: Vec<u8>, sections: &[Section]) -> Vec<u8> {
    let table_end = 64 + 40 * sections.len();
    for (i, section) in sections.iter().enumerate() {
        let [start, end] = [section.offset, section.end().unwrap()].map(|at| at as usize);
        if section.tag == Tag::PCRC {
            for (page, sum) in (start..end).step_by(4).enumerate() {
                let from = table_end.max(page << 16);
                let found = crc32(&forged[from..start.min((page + 1) << 16)]);
                forged[sum..sum + 4].copy_from_slice(&found.to_le_bytes());
            }
        }
        let entry = 64 + 40 * i;
        let checksum = crc32(&forged[start..end]).to_le_bytes();
        forged[entry + 32..entry + 36].copy_from_slice(&checksum);
    }
    let checksum = crc32(&forged[64..table_end]).to_le_bytes();
    forged[32..36].copy_from_slice(&checksum);
    let checksum = Header::checksum_of(forged.first_chunk().unwrap());
    forged[60..64].copy_from_slice(&checksum.to_le_bytes());
    forged
}

/// Who sees whom, of all pairs.
pub fn answers(bytes: &[u8]) -> Vec<bool> {
    let world = Bundle::from_bytes(bytes).unwrap().world().unwrap();
    let places: Vec<_> = (0..world.places()).filter_map(|n| world.place(n)).collect();
    let pairs = places
        .iter()
        .flat_map(|a| places.iter().map(move |b| (*a, *b)));
    pairs.map(|(a, b)| world.visible(a, b)).collect()
}

/// A small bundle of each kind.
fn each_kind() -> [PathBuf; 5] {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    [
        path("13x9-voids"),
        pairs_path("13x9-voids"),
        tests.join("fuzz/seeds/bundle/graded-cells.vcb"),
        path("level"),
        tests.join("golden/v1/solid.vcb"),
    ]
}

#[test]
fn a_signature_binds_every_byte_that_an_answer_depends_on() {
    for from in each_kind() {
        let (_folder, to) = signed(&from);
        let bytes = std::fs::read(&to).unwrap();
        let before = answers(&bytes);
        let sections: Vec<_> = Bundle::from_bytes(&bytes).unwrap().sections().collect();
        let front = 64 + 40 * sections.len();
        let within = |at: u64, of: &Section| of.offset <= at && at < of.end().unwrap();
        for at in 0..bytes.len() {
            let forged = forged(&bytes, at, |byte| byte ^ 1 << (at % 8));
            if forged == bytes || check(&forged, &key()).is_err() {
                continue;
            }
            // What passes is padding.
            let is_padding = at >= front && !sections.iter().any(|of| within(at as u64, of));
            assert!(is_padding, "{}: byte {at}", from.display());
            assert!(answers(&forged) == before, "{}: byte {at}", from.display());
        }
    }
}

/// What is signed keeps its version: that of a level of version 1 is not another one.
#[test]
fn a_level_of_version_1_is_signed_as_it_is() {
    let (_folder, to) = signed(&path("solid"));
    let bytes = std::fs::read(&to).unwrap();
    assert_eq!((bytes[8], check(&bytes, &key())), (1, Ok(())));
    assert_eq!(
        answers(&bytes),
        answers(&std::fs::read(path("solid")).unwrap())
    );
    assert!(verify(&to, &mut |_| {}).unwrap().is_sound());
    MappedBundle::open_checked(&to).unwrap();
}

#[test]
fn a_signature_of_the_old_scheme_asks_to_sign_again() {
    let (folder, to) = signed(&path("level"));
    let bytes = std::fs::read(&to).unwrap();
    let section = Bundle::from_bytes(&bytes).unwrap().section(Tag::SIGN);
    let at = section.unwrap().0.offset as usize;
    let older = forged(&bytes, at, |_| 1);
    let error = check(&older, &key()).unwrap_err();
    assert_eq!(error, FormatError::SignatureScheme { found: 1 });
    assert!(error.to_string().contains("sign the bundle again"));
    let path = folder.path().join("older.vcb");
    std::fs::write(&path, &older).unwrap();
    let report = verify(&path, &mut |_| {}).unwrap();
    let failed: Vec<_> = report.failed().map(|of| of.rule.as_str()).collect();
    assert_eq!(failed, ["signature-fields"]);
}

/// The reader in `scripts` has the digest and Ed25519 by the books.
#[test]
fn the_independent_reader_checks_signatures() {
    for from in each_kind() {
        let (_folder, to) = signed(&from);
        let Some(found) = said("verify", &to, &[], "") else {
            return;
        };
        assert_eq!(found, "no faults\n", "{}", from.display());
    }
    let [.., level, _] = each_kind();
    let (folder, to) = signed(&level);
    let bytes = std::fs::read(&to).unwrap();
    let section = Bundle::from_bytes(&bytes).unwrap().section(Tag::SIGN);
    let at = section.unwrap().0.offset as usize + 50;
    let path = folder.path().join("forged.vcb");
    std::fs::write(&path, forged(&bytes, at, |byte| byte ^ 1)).unwrap();
    let output = read_bundle("verify", &path, &[], "").unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(
        found.starts_with("section SIGN: expected a signature"),
        "{found}"
    );
}
