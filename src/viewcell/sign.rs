//! Signatures of bundles by Ed25519 (RFC 8032): keys in their files, and what of a bundle is signed.
//!
//! The bytes of `SIGN` are in [`crate::format::signature`].
//!
//! The digest of the contents is the SHA-512 of `viewcell bundle\0`, the scheme (`u32`), the header and the section table
//! as they are in the file, and for each signed section in the order of the table the SHA-512 of its stored bytes. All
//! that tells what a byte means is in it: version, kind, flags, offsets and lengths. `SIGN` and `PCRC` are not signed
//! sections: the one is made of the digest, and the other can only make more visible. Checksums that depend on their
//! bytes count as 0.

use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha512};

use crate::format::bytes::{array_at, put, u32_at, u64_at};
use crate::format::header::{ENTRY_LEN, HEADER_LEN};
use crate::format::signature::{SIGNATURE_LEN, SIGNATURE_SCHEME};
use crate::format::{FormatError, Section, Tag};

/// What comes before the 32 bytes of a key in DER: PKCS #8 (RFC 8410, section 7), and SubjectPublicKeyInfo (section 4).
const PRIVATE: [u8; 16] = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
const PUBLIC: [u8; 12] = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

/// What PEM files are known to hold, for messages: RFC 7468, OpenSSL and OpenSSH.
const LABELS: [&str; 14] = [
    "PUBLIC KEY",
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "RSA PUBLIC KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "EC PARAMETERS",
    "DSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "SSH2 PUBLIC KEY",
    "CERTIFICATE",
    "CERTIFICATE REQUEST",
    "X509 CRL",
    "PGP PRIVATE KEY BLOCK",
];

/// Whoever has the private key belonging to it is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// Signs bundles. Its file is to be kept secret.
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

/// Why a file holds no such key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It is not PEM.
    NotPem {
        /// What it should be: `PUBLIC KEY` or `PRIVATE KEY`.
        expected: &'static str,
    },
    /// It is PEM of something else.
    OtherKind {
        /// What it should be: `PUBLIC KEY` or `PRIVATE KEY`.
        expected: &'static str,
        /// What it says it is, if that is a known label; never a part of the file.
        found: String,
    },
    /// The key is not one of Ed25519.
    OtherAlgorithm {
        /// What it should be: `PUBLIC KEY` or `PRIVATE KEY`.
        expected: &'static str,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, found) = match self {
            Self::NotPem { expected } => (expected, "no PEM"),
            Self::OtherKind { expected, found } => (expected, found.as_str()),
            Self::OtherAlgorithm { expected } => (expected, "a key that is none of Ed25519"),
        };
        write!(f, "expected an Ed25519 {expected} as PEM, found {found}: ")?;
        f.write_str(match *expected {
            "PUBLIC KEY" => "`openssl pkey -in PRIVATE.pem -pubout` prints that of a private key",
            _ => "`openssl genpkey -algorithm ed25519` makes one",
        })
    }
}

impl std::error::Error for KeyError {}

impl PublicKey {
    /// The key in a file as `openssl pkey -pubout` writes it: SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    ///
    /// Where the text is no such key.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let expected = "PUBLIC KEY";
        let bytes = key_of(text, expected, &PUBLIC)?;
        Self::from_bytes(&bytes).ok_or(KeyError::OtherAlgorithm { expected })
    }

    /// The key of 32 bytes; `None` where no private key can belong to them.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        VerifyingKey::from_bytes(bytes).ok().map(Self)
    }

    /// Its 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }
}

impl PrivateKey {
    /// The key in a file as `openssl genpkey -algorithm ed25519` writes it: PKCS #8 in PEM, not encrypted.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let bytes = key_of(text, "PRIVATE KEY", &PRIVATE)?;
        Ok(Self(SigningKey::from_bytes(&bytes)))
    }

    /// The key by which others check what this one signs.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey of {:?}", self.public())
    }
}

/// The 32 bytes of a key in PEM, which come after `start`.
fn key_of(text: &str, expected: &'static str, start: &[u8]) -> Result<[u8; 32], KeyError> {
    let inside = text.split_once("-----BEGIN ").map(|(_, rest)| rest);
    let (label, rest) = inside
        .and_then(|rest| rest.split_once("-----"))
        .ok_or(KeyError::NotPem { expected })?;
    if label != expected {
        // Where a header is not closed, what follows is the key itself: nothing of the file is ever told, only which of
        // the known labels it has.
        let known = LABELS.iter().find(|known| **known == label);
        let found = known.map_or("a header that is no known label of PEM", |known| known);
        let found = found.to_owned();
        return Err(KeyError::OtherKind { expected, found });
    }
    let (body, _) = rest
        .split_once("-----END ")
        .ok_or(KeyError::NotPem { expected })?;
    let body: String = body.split_whitespace().collect();
    let bytes = STANDARD.decode(body);
    let bytes = bytes.map_err(|_| KeyError::NotPem { expected })?;
    let key = bytes.strip_prefix(start);
    key.and_then(|key| key.try_into().ok())
        .ok_or(KeyError::OtherAlgorithm { expected })
}

/// Whether a section is signed.
pub fn is_signed(section: &Section) -> bool {
    section.tag != Tag::SIGN && section.tag != Tag::PCRC
}

/// The digest of contents in the making.
#[derive(Default)]
pub struct Contents {
    /// Of the section that comes.
    section: Sha512,
    /// Of those that have come.
    sections: Vec<u8>,
}

impl Contents {
    /// The next stored bytes of the section that comes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.section.update(bytes);
    }

    /// The section has come.
    pub fn end(&mut self) {
        self.sections.extend(self.section.finalize_reset());
    }

    /// Of all signed sections, behind this header and section table.
    fn digest(self, front: &[u8]) -> Sha512 {
        let mut front = front.to_vec();
        let entries = (HEADER_LEN..front.len()).step_by(ENTRY_LEN);
        let unsigned = entries.filter(|at| {
            let entry = front.get(*at..).and_then(Section::parse);
            entry.is_none_or(|section| !is_signed(&section))
        });
        // The checksums of the table, of the header, and of sections that are not signed.
        let checksums: Vec<_> = unsigned.map(|at| at + 32).chain([32, 60]).collect();
        for at in checksums {
            put(&mut front, at, &[0; 4]);
        }
        Sha512::new()
            .chain_update(b"viewcell bundle\0")
            .chain_update(SIGNATURE_SCHEME.to_le_bytes())
            .chain_update(front)
            .chain_update(self.sections)
    }

    /// The bytes of `SIGN` in a file with this header and section table, whose checksums need not be right.
    pub fn sign(self, front: &[u8], key: &PrivateKey) -> Vec<u8> {
        let signature = key.0.sign(&self.digest(front).finalize());
        let mut record = SIGNATURE_SCHEME.to_le_bytes().to_vec();
        record.extend([0; 4]);
        record.extend(key.public().to_bytes());
        record.extend(signature.to_bytes());
        record
    }

    /// Errors unless `record`, the bytes of `SIGN`, is a signature of these contents by a key.
    pub(crate) fn check(
        self,
        front: &[u8],
        record: &[u8],
        key: &PublicKey,
    ) -> Result<(), FormatError> {
        if let Some(found) = u32_at(record, 0).filter(|found| *found != SIGNATURE_SCHEME) {
            return Err(FormatError::SignatureScheme { found });
        }
        let by: Option<[u8; 32]> = array_at(record, 8);
        if record.len() as u64 != SIGNATURE_LEN
            || u64_at(record, 0) != Some(SIGNATURE_SCHEME.into())
        {
            return Err(FormatError::Signature);
        }
        if by != Some(key.to_bytes()) {
            return Err(FormatError::OtherSigner);
        }
        let signature = array_at(record, 40).ok_or(FormatError::Signature)?;
        let signature = Signature::from_bytes(&signature);
        let checked = key
            .0
            .verify_strict(&self.digest(front).finalize(), &signature);
        checked.map_err(|_| FormatError::Signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The keys of the first test of RFC 8032, section 7.1.
    const ALICE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";
    const PUBLIC_OF_ALICE: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
";

    /// A header that lost a dash took all up to the next dashes as its label, and the error told that.
    #[test]
    fn no_error_about_a_key_file_tells_the_key() {
        let secret = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v";
        let lines: Vec<&str> = ALICE.lines().collect();
        let broken = [
            ALICE.replacen("KEY-----", "KEY----", 1),
            ALICE.replacen("PRIVATE KEY-----", "PRIVATE KEY", 1),
            ALICE.replacen("PRIVATE KEY-----\n", "", 1),
            ALICE.replacen("-----BEGIN", "----BEGIN", 1),
            ALICE.replacen("BEGIN PRIVATE", "BEGIN PRIVATE ", 1),
            ALICE.replace("-----END", "----END"),
            ALICE.replace('\n', ""),
            lines.join(" "),
            lines[1].to_owned(),
            format!("-----BEGIN {}-----", lines[1]),
        ];
        for text in broken {
            for error in [
                PrivateKey::from_pem(&text).err(),
                PublicKey::from_pem(&text).err(),
            ] {
                let Some(error) = error else { continue };
                for told in [error.to_string(), format!("{error:?}")] {
                    assert!(told.len() < 250, "{told}");
                    assert!(!told.contains(&secret[..8]), "{told}");
                    assert!(!told.contains("hsZ3v"), "{told}");
                }
            }
        }
    }

    #[test]
    fn keys_are_those_of_the_standard() {
        let private = PrivateKey::from_pem(ALICE).unwrap();
        let public = PublicKey::from_pem(PUBLIC_OF_ALICE).unwrap();
        assert_eq!(private.public(), public);
        assert_eq!(public.to_bytes()[..4], [0xd7, 0x5a, 0x98, 0x01]);
        let signature = private.0.sign(b"").to_bytes();
        assert_eq!(signature[..4], [0xe5, 0x56, 0x43, 0x00]);
    }

    #[test]
    fn files_that_are_no_such_key_say_what_they_are() {
        let error = PublicKey::from_pem(ALICE).unwrap_err().to_string();
        assert!(
            error.contains("found PRIVATE KEY") && error.contains("-pubout"),
            "{error}"
        );
        let error = PrivateKey::from_pem(PUBLIC_OF_ALICE)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("found PUBLIC KEY") && error.contains("genpkey"),
            "{error}"
        );
        let sealed = ALICE.replace(" PRIVATE", " ENCRYPTED PRIVATE");
        let error = PrivateKey::from_pem(&sealed).unwrap_err().to_string();
        assert!(error.contains("found ENCRYPTED PRIVATE KEY"), "{error}");
        let other = ALICE.replace("MC4C", "MC8C");
        let other = PrivateKey::from_pem(&other).unwrap_err();
        assert!(matches!(other, KeyError::OtherAlgorithm { .. }));
        for text in [
            "",
            "ssh-ed25519 AAAA",
            &ALICE[..70],
            &ALICE.replace('=', "!").replace("MC", "M!"),
        ] {
            let error = PrivateKey::from_pem(text).unwrap_err();
            assert!(matches!(error, KeyError::NotPem { .. }), "{text}");
        }
    }
}
