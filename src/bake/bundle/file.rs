//! Reading the sections of a file without mapping it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{BundleError, is_out_of_memory};
use viewcell::format::header::{HEADER_LEN, MAGIC};
use viewcell::format::patch::PATCH_MAGIC;
use viewcell::format::{FormatError, Header, Section, Sizes, Tag};
pub(crate) use viewcell::query::open_regular;

/// A bundle on disk: header and section table read and checked, sections read when asked for.
#[derive(Debug)]
pub struct BundleFile {
    path: PathBuf,
    file: File,
    header: Header,
    checksum: u32,
    sections: Vec<Section>,
}

impl BundleFile {
    /// Opens a file and checks its header, length and section table, as
    /// [`viewcell::query::Bundle::from_bytes`] does.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        let read = BundleError::read(path);
        let format = BundleError::format(path);
        let (mut file, length) = open_regular(path).map_err(read)?;
        let start = read_up_to(&mut file, HEADER_LEN as u64).map_err(read)?;
        if let Some((found, remedy)) = other_kind(&start) {
            return Err(BundleError::OtherKind {
                path: path.to_owned(),
                found,
                remedy,
            });
        }
        let header = Header::parse(&start).map_err(format)?;
        let table = read_up_to(&mut file, header.table_length() as u64).map_err(read)?;
        header.check(&table, length).map_err(format)?;
        let sections = Section::parse_table(&table).collect();
        let checksum = start
            .first_chunk::<HEADER_LEN>()
            .map_or(0, Header::checksum_of);
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            checksum,
            sections,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The checksum in the header, which stands for the whole file.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The section table.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The entry of a section.
    pub fn section(&self, tag: Tag) -> Option<&Section> {
        self.sections.iter().find(|section| section.tag == tag)
    }

    /// The bytes of a section, decompressed; `None` where it is absent and may be.
    ///
    /// # Errors
    ///
    /// Where it is missing, and where it is not as long as the table of sections says, by `sizes`: a damaged file must not
    /// ask for all memory.
    pub fn read(&self, tag: Tag, sizes: &Sizes) -> Result<Option<Vec<u8>>, BundleError> {
        let Some(section) = self.section(tag) else {
            let when = tag.kind().map(|kind| kind.when(Some(self.header.kind)));
            let is_due = when.and_then(|when| when.is_due(sizes));
            let missing = FormatError::MissingSection { tag };
            return match is_due {
                Some(true) => Err(BundleError::format(&self.path)(missing)),
                _ => Ok(None),
            };
        };
        let bytes = read_section(&self.file, section, sizes);
        bytes.map(Some).map_err(|problem| match problem {
            Problem::Io(error) => BundleError::read(&self.path)(error),
            Problem::Content(problem) => BundleError::section(&self.path, tag, problem),
        })
    }

    /// The same of a section that the kind of world always has, or nothing.
    pub fn need(&self, tag: Tag, sizes: &Sizes) -> Result<Vec<u8>, BundleError> {
        Ok(self.read(tag, sizes)?.unwrap_or_default())
    }
}

/// What a file of this program is, by its first bytes: `a bundle`, `a patch` and so on. `None` of others, and where
/// it cannot be read.
pub fn kind_of(path: &Path) -> Option<&'static str> {
    let (file, _) = open_regular(path).ok()?;
    let start = read_up_to(file, 8).ok()?;
    if start.starts_with(&MAGIC) {
        Some("a bundle")
    } else {
        other_kind(&start).map(|(found, _)| found)
    }
}

/// What a file of another kind that this program writes is, and what to do with it; by its first bytes.
fn other_kind(start: &[u8]) -> Option<(&'static str, &'static str)> {
    match start.first_chunk::<8>()? {
        &PATCH_MAGIC => Some((
            "a patch",
            "give the bundle first, and the patches over it in their order",
        )),
        b"\x89VCR\r\n\x1a\n" => Some((
            "a shard or a checkpoint",
            "merge the shards, or continue the bake (`resume`)",
        )),
        b"\x89VCZ\r\n\x1a\n" => Some(("a bundle for downloads", "unpack it first")),
        _ => None,
    }
}

/// Why a section cannot be read.
pub(super) enum Problem {
    /// The system says no.
    Io(io::Error),
    /// The section is not what its entry says.
    Content(String),
}

/// The next `length` bytes, or fewer at the end of the file.
pub(super) fn read_up_to(file: impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The stored bytes of a section, piece by piece.
pub(super) struct Pieces<'f> {
    rest: io::Take<&'f File>,
    buffer: Vec<u8>,
}

impl<'f> Pieces<'f> {
    pub(super) fn of(mut file: &'f File, section: &Section) -> io::Result<Self> {
        file.seek(SeekFrom::Start(section.offset))?;
        Ok(Self {
            rest: file.take(section.stored_length),
            buffer: vec![0; 1 << 18],
        })
    }

    /// The next bytes; `None` after the last.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let length = self.rest.read(&mut self.buffer)?;
        Ok(Some(&self.buffer[..length]).filter(|bytes| !bytes.is_empty()))
    }
}

/// The stored bytes of a section.
pub(super) fn read_stored(mut file: &File, section: &Section) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(section.offset))?;
    read_up_to(file, section.stored_length)
}

/// The bytes of a section, decompressed: as many as the table of sections says.
pub(super) fn read_section(
    file: &File,
    section: &Section,
    sizes: &Sizes,
) -> Result<Vec<u8>, Problem> {
    let kind = section.tag.kind();
    let expected = kind.map_or(section.length, |kind| {
        kind.length.expected(section.length, sizes)
    });
    let most = if section.is_compressed() {
        expected.saturating_add(1 << 16)
    } else {
        expected
    };
    if section.length != expected || section.stored_length > most {
        return Err(Problem::Content(format!(
            "expected {expected} bytes, found {} ({} stored)",
            section.length, section.stored_length
        )));
    }
    let stored = read_stored(file, section).map_err(Problem::Io)?;
    if !section.is_compressed() {
        return Ok(stored);
    }
    check_frame(&stored, section.stored_length, section.length).map_err(Problem::Content)?;
    let bad = |error: io::Error| {
        if is_out_of_memory(&error) {
            Problem::Io(error)
        } else {
            Problem::Content(format!("expected a zstd frame: {error}"))
        }
    };
    let decoder = zstd::stream::read::Decoder::new(stored.as_slice()).map_err(bad)?;
    let mut bytes = Vec::new();
    decoder
        .take(section.length + 1)
        .read_to_end(&mut bytes)
        .map_err(bad)?;
    if bytes.len() as u64 != section.length {
        return Err(Problem::Content(format!(
            "expected a zstd frame of {} bytes, found one of {}{}",
            section.length,
            bytes.len(),
            if bytes.len() as u64 > section.length {
                " or more"
            } else {
                ""
            },
        )));
    }
    Ok(bytes)
}

/// Errors where a zstd frame, of which `start` is the beginning, cannot come to `length` bytes:
/// what is damaged or made to fill a disk is refused before it is unpacked.
pub(crate) fn check_frame(start: &[u8], stored: u64, length: u64) -> Result<(), String> {
    // A block takes at least 4 bytes, and comes to no more than 128 KiB.
    let most = (stored / 4 + 1).saturating_mul(128 << 10);
    if length > most {
        return Err(format!(
            "expected {length} bytes in a zstd frame of {stored}, which can hold {most} at most"
        ));
    }
    match zstd::zstd_safe::get_frame_content_size(start) {
        Ok(Some(found)) if found != length => Err(format!(
            "expected a zstd frame of {length} bytes, found one that declares {found}"
        )),
        // Writers need not declare it. What is no frame at all is told by whoever unpacks it.
        _ => Ok(()),
    }
}
