//! Why bytes are no bundle.

use core::fmt;

use super::grid::GridError;
use super::signature::SIGNATURE_SCHEME;
use super::tag::{FileId, MAX_SECTIONS, PATCH_VERSION, Tag, VERSION, WorldKind};

/// Why bytes are no bundle that this version reads. Says what was expected, what was found, and
/// what to do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the fixed header.
    TooShort {
        /// Bytes given.
        found: u64,
    },
    /// The first eight bytes are not the magic.
    Magic {
        /// The bytes found.
        found: [u8; 8],
    },
    /// The first eight bytes are not those of a patch.
    PatchMagic {
        /// The bytes found.
        found: [u8; 8],
    },
    /// A version of patches that this library does not know.
    PatchVersion {
        /// The version found.
        found: u32,
    },
    /// A patch that belongs to another bundle.
    PatchBase {
        /// Length and header checksum of the bundle given.
        expected: FileId,
        /// Those that the patch names.
        found: FileId,
    },
    /// A patch that is to be laid over something else than the bundle or patch before it.
    PatchOrder {
        /// Length and header checksum of what is there.
        expected: FileId,
        /// Those that the patch names.
        found: FileId,
    },
    /// A patch over a bundle that has lost something, or of single trees.
    Unpatchable,
    /// More patches than can be laid over one bundle.
    TooManyPatches,
    /// A bundle that nobody signed.
    Unsigned,
    /// A bundle that was not signed with the key given.
    OtherSigner,
    /// A bundle whose contents are not those that were signed.
    Signature,
    /// A signature of a scheme that this library does not know, or knows to bind too little.
    SignatureScheme {
        /// The scheme found.
        found: u32,
    },
    /// A page of the file, in a section, that does not have its checksum.
    Page {
        /// The section.
        tag: Tag,
    },
    /// A section of a patch that names what is not there.
    PatchEntry {
        /// The section.
        tag: Tag,
        /// What it names: a sample, a block, a quad.
        found: u32,
    },
    /// A section that does not have its checksum.
    SectionChecksum {
        /// The section.
        tag: Tag,
        /// The checksum in the section table.
        expected: u32,
        /// The checksum of the bytes found.
        found: u32,
    },
    /// A format version that this library does not know.
    Version {
        /// The version found.
        found: u32,
    },
    /// The header does not have its checksum.
    HeaderChecksum {
        /// The checksum of the bytes found.
        expected: u32,
        /// The checksum stored.
        found: u32,
    },
    /// A world kind that this library does not know.
    Kind {
        /// The number found.
        found: u32,
    },
    /// The file is longer or shorter than its header says.
    Length {
        /// Bytes according to the header.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// A `DICT` section that is not as long as it says.
    Dictionary,
    /// A section table that does not fit into the file.
    SectionCount {
        /// The number of sections found.
        found: u32,
    },
    /// The section table does not have its checksum.
    TableChecksum {
        /// The checksum in the header.
        expected: u32,
        /// The checksum of the bytes found.
        found: u32,
    },
    /// A section that is not aligned, or reaches past the end of the file.
    SectionPlace {
        /// The section.
        tag: Tag,
        /// Its offset in the file.
        offset: u64,
        /// Its stored length in bytes.
        length: u64,
    },
    /// A section that must be understood and is not.
    UnknownSection {
        /// The section.
        tag: Tag,
    },
    /// A section that is not there.
    MissingSection {
        /// The section.
        tag: Tag,
    },
    /// A section of the wrong length, or compressed where it must not be.
    SectionLength {
        /// The section.
        tag: Tag,
        /// The length in bytes it must have.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// A world of another kind than the one asked for.
    OtherKind {
        /// The kind asked for.
        expected: WorldKind,
        /// The kind of the bundle.
        found: WorldKind,
    },
    /// A grid of impossible sides.
    Grid(GridError),
    /// A field of a section of parameters with a value that has no meaning.
    Parameter {
        /// The section.
        tag: Tag,
        /// The field.
        field: &'static str,
        /// Its offset in the section.
        offset: usize,
        /// What would be right.
        expected: &'static str,
    },
}

const AGAIN: &str = "the file is damaged: copy or bake it again";

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { found } => write!(
                f,
                "expected a header of 64 bytes, found {found} bytes: not a view cell bundle, or one cut short"
            ),
            Self::Magic { found } => write!(
                f,
                "expected the magic bytes 89 56 43 42 0D 0A 1A 0A at offset 0, found {found:02X?}: not a view cell bundle (or one whose line ends were converted); `viewcell bake` makes one"
            ),
            Self::PatchMagic { found } => write!(
                f,
                "expected the magic bytes 89 56 43 50 0D 0A 1A 0A at offset 0, found {found:02X?}: not a patch of a bundle; `viewcell rebake` makes one"
            ),
            Self::PatchVersion { found } => write!(
                f,
                "expected patch version {PATCH_VERSION} at offset 8, found {found}: read it with the version of viewcell that wrote it, or make it again"
            ),
            Self::PatchBase { expected, found } => write!(
                f,
                "expected a patch of the bundle of {} bytes and checksum {:08x}, found one of a \
                 bundle of {} bytes and checksum {:08x}: apply it to the bundle that it was made \
                 for",
                expected.length, expected.checksum, found.length, found.checksum
            ),
            Self::PatchOrder { expected, found } => write!(
                f,
                "expected a patch to apply to the file of {} bytes and checksum {:08x}, found one \
                 for {} bytes and checksum {:08x}: give patches in the order in which they were \
                 made, and all of them",
                expected.length, expected.checksum, found.length, found.checksum
            ),
            Self::Unpatchable => f.write_str(
                "expected a lossless bundle whose PVSs are pairs of blocks, found another: repack \
                 the bundle that it was made from",
            ),
            Self::TooManyPatches => f.write_str(
                "expected at most 255 patches over a bundle, found more: merge them into a bundle",
            ),
            Self::PatchEntry { tag, found } => write!(
                f,
                "expected section {tag} to name what is in the bundle, found number {found}: {AGAIN}"
            ),
            Self::SectionChecksum {
                tag,
                expected,
                found,
            } => write!(
                f,
                "expected checksum {expected:08x} of section {tag}, found {found:08x}: {AGAIN}"
            ),
            Self::Version { found } => write!(
                f,
                "expected format version {VERSION} at offset 8, found {found}: read it with the version of viewcell that wrote it, or bake it again"
            ),
            Self::HeaderChecksum { expected, found } => write!(
                f,
                "expected the header's checksum {expected:08x} at offset 60, found {found:08x}: {AGAIN}"
            ),
            Self::Kind { found } => write!(
                f,
                "expected world kind 1 (terrain), 2 (cells) or 3 (solid) at offset 12, found {found}: {AGAIN}"
            ),
            Self::Length { expected, found } => write!(
                f,
                "expected {expected} bytes (header, offset 16), found {found}: the file was cut short or added to; copy or bake it again"
            ),
            Self::Dictionary => write!(
                f,
                "section DICT: expected as many symbols as it announces, found another length: {AGAIN}"
            ),
            Self::SectionCount { found } => write!(
                f,
                "expected 1 to {} sections that fit into the file (header, offset 24), found {found}: {AGAIN}",
                MAX_SECTIONS
            ),
            Self::TableChecksum { expected, found } => write!(
                f,
                "expected a section table with checksum {expected:08x} at offset 64, found {found:08x}: {AGAIN}"
            ),
            Self::Unsigned => f.write_str(
                "expected a signature (section SIGN), found none: do not trust the file, or sign it (`viewcell sign`)",
            ),
            Self::OtherSigner => f.write_str(
                "expected a signature by the key given, found one by another key: do not trust the \
                 file, or ask who signed it",
            ),
            Self::Signature => f.write_str(
                "expected contents as they were signed, found others: do not use the file, and get it again",
            ),
            Self::SignatureScheme { found } => write!(
                f,
                "expected signature scheme {SIGNATURE_SCHEME}, found {found}: sign the bundle again (`viewcell sign`)"
            ),
            Self::Page { tag } => write!(
                f,
                "expected section {tag} with the checksums of its pages in PCRC, found other bytes: {AGAIN}"
            ),
            Self::SectionPlace {
                tag,
                offset,
                length,
            } => write!(
                f,
                "expected section {tag} at a multiple of 64 within the file, found offset {offset}, {length} bytes: {AGAIN}"
            ),
            Self::UnknownSection { tag } => write!(
                f,
                "expected only known required sections, found {tag}: read it with a newer version of viewcell"
            ),
            Self::MissingSection { tag } => {
                write!(f, "expected a section {tag}, found none: {AGAIN}")
            }
            Self::SectionLength {
                tag,
                expected,
                found,
            } => write!(
                f,
                "expected {expected} uncompressed bytes in section {tag}, found {found}: {AGAIN}"
            ),
            Self::OtherKind { expected, found } => {
                write!(f, "expected a bundle of {expected}, found one of {found}")
            }
            Self::Grid(error) => write!(f, "section GRID, offset 0: {error}: {AGAIN}"),
            Self::Parameter {
                tag,
                field,
                offset,
                expected,
            } => write!(
                f,
                "expected {expected} as {field} (section {tag}, offset {offset}): {AGAIN}"
            ),
        }
    }
}

impl core::error::Error for FormatError {}
