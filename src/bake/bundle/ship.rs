//! Bundles for downloads: one zstd frame, from which the same bytes come back.
//!
//! ```text
//! 0    magic           8 bytes   89 56 43 5A 0D 0A 1A 0A
//! 8    version         u32       1
//! 12   checksum        u32       CRC-32 of the bundle
//! 16   length          u64       of the bundle
//! 24   zstd frame
//! ```
//!
//! The bundle is checked piece by piece while it is unpacked. Faults are found as early as possible, so that a damaged
//! file, or one that was made to fill a disk, is not unpacked to its end.

use super::error::{BundleError, is_out_of_memory};
use super::file::{BundleFile, check_frame, open_regular, read_up_to};
use super::output::{check_output, save_with};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use viewcell::format::header::HEADER_LEN;
use viewcell::format::{Header, Section, crc32};

/// What a shipped bundle begins with.
const MAGIC: [u8; 8] = *b"\x89VCZ\r\n\x1a\n";
const VERSION: u32 = 1;
const HEAD_LEN: usize = 24;

/// The longest head of a zstd frame.
const FRAME_HEAD: u64 = 18;

/// zstd level: compressed once, downloaded often. Window of 2^27 bytes, as every zstd decodes.
const LEVEL: i32 = 19;
const WINDOW_LOG: u32 = 27;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Length of the bundle in bytes.
    pub bundle_bytes: u64,
    /// Length of its form for downloads.
    pub shipped_bytes: u64,
}

/// Writes the bundle `input` for downloads. Errors unless all its sections have their checksums.
pub fn ship(input: &Path, output: &Path, overwrite: bool) -> Result<Shipped, BundleError> {
    check_output(output, overwrite)?;
    BundleFile::open(input)?.check_sections()?;
    let read = BundleError::read(input);
    let (mut file, length) = open_regular(input).map_err(read)?;
    let mut checksum = crc32fast::Hasher::new();
    copy(&mut file, &mut Sum(&mut checksum)).map_err(read)?;
    let mut head = [0; HEAD_LEN];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[12..16].copy_from_slice(&checksum.finalize().to_le_bytes());
    head[16..].copy_from_slice(&length.to_le_bytes());
    let (mut file, _) = open_regular(input).map_err(read)?;
    save_with(output, overwrite, |out| {
        out.write_all(&head)?;
        // One thread: zstd's bytes depend on whether it has workers.
        let mut encoder = zstd::stream::Encoder::new(out, LEVEL)?;
        encoder.set_pledged_src_size(Some(length))?;
        encoder.window_log(WINDOW_LOG)?;
        encoder.long_distance_matching(true)?;
        copy(&mut file, &mut encoder)?;
        encoder.finish()?;
        Ok(())
    })?;
    Ok(Shipped {
        bundle_bytes: length,
        shipped_bytes: std::fs::metadata(output).map_err(read)?.len(),
    })
}

/// Writes the bundle that was shipped as `input`, byte for byte. Errors unless it is whole.
pub fn unpack(input: &Path, output: &Path, overwrite: bool) -> Result<Shipped, BundleError> {
    check_output(output, overwrite)?;
    let read = BundleError::read(input);
    let bad = |problem: String| BundleError::Shipped {
        path: input.to_owned(),
        problem,
    };
    let (mut file, shipped_bytes) = open_regular(input).map_err(read)?;
    let mut head = [0; HEAD_LEN];
    if file.read_exact(&mut head).is_err() || head[..8] != MAGIC {
        return Err(bad(
            "expected a bundle as viewcell ship writes it, found another file".into(),
        ));
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if word(8) != VERSION {
        let found = word(8);
        return Err(bad(format!(
            "expected version {VERSION}, found {found}; use a newer viewcell"
        )));
    }
    let length = u64::from(word(16)) | u64::from(word(20)) << 32;
    let damaged = |what: &str| bad(format!("{what}; the file is damaged: download it again"));
    let start = read_up_to(&mut file, FRAME_HEAD).map_err(read)?;
    let stored = shipped_bytes.saturating_sub(HEAD_LEN as u64);
    check_frame(&start, stored, length).map_err(|fault| damaged(&fault))?;
    let frame = BufReader::with_capacity(1 << 17, start.as_slice().chain(file));
    let mut decoder = zstd::stream::Decoder::with_buffer(frame).map_err(read)?;
    decoder.window_log_max(WINDOW_LOG).map_err(read)?;
    let mut arriving = Arriving::new(length);
    let mut checksum = crc32fast::Hasher::new();
    let mut fault = None;
    let saved = save_with(output, overwrite, |out| {
        let mut both = Both(out, Sum(&mut checksum), &mut arriving);
        // One byte more than there should be shows that there is too much.
        let copied = copy(
            &mut (&mut decoder).take(length.saturating_add(1)),
            &mut both,
        );
        fault = match copied {
            _ if arriving.fault().is_some() => arriving.fault().map(damaged),
            Ok(found) if found == length && checksum.clone().finalize() == word(12) => None,
            Ok(found) if found != length => Some(damaged(&format!(
                "expected {length} bytes in it, found {found}"
            ))),
            Ok(_) => Some(damaged("checksum mismatch")),
            Err(error) if is_full(&error) || is_out_of_memory(&error) => return Err(error),
            Err(error) => Some(damaged(&format!("its zstd frame cannot be read: {error}"))),
        };
        match fault {
            None => Ok(()),
            Some(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    });
    match fault {
        Some(fault) => Err(fault),
        None => saved.map(|()| Shipped {
            bundle_bytes: length,
            shipped_bytes,
        }),
    }
}

/// Whether an error is one of writing for want of space.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    [StorageFull, QuotaExceeded, FileTooLarge].contains(&error.kind())
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<u64> {
    io::copy(&mut BufReader::with_capacity(1 << 18, from), to)
}

/// Takes the checksum of what is written to it.
struct Sum<'a>(&'a mut crc32fast::Hasher);

impl Write for Sum<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what is as it should be so far, and takes its checksum.
struct Both<'a, 'b, 'c>(&'a mut dyn Write, Sum<'b>, &'c mut Arriving);

impl Write for Both<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.2
            .take(bytes)
            .map_err(|()| io::ErrorKind::InvalidData)?;
        self.0.write_all(bytes)?;
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A bundle of which the first bytes are there.
#[derive(Default)]
pub(crate) struct Arriving {
    /// What its length should be.
    length: u64,
    /// Bytes that came.
    position: u64,
    /// Header and section table, as far as they came.
    head: Vec<u8>,
    header: Option<Header>,
    /// Sections that are not whole yet, with the checksums of what came of them.
    open: Vec<(Section, crc32fast::Hasher)>,
    has_table: bool,
    fault: Option<String>,
}

impl Arriving {
    /// A bundle of so many bytes, of which nothing has come.
    pub(crate) fn new(length: u64) -> Self {
        Self {
            length,
            ..Self::default()
        }
    }

    /// What is wrong with it, if anything is so far.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The next bytes; errors where [`Arriving::fault`] says why.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.look(bytes).map_err(|fault| self.fault = Some(fault))
    }

    fn look(&mut self, bytes: &[u8]) -> Result<(), String> {
        if !self.has_table {
            let more = self.head_length().saturating_sub(self.head.len());
            self.head.extend(&bytes[..more.min(bytes.len())]);
            if self.header.is_none() && self.head.len() >= HEADER_LEN {
                self.read_header()?;
                // The table may be in the same piece.
                let more = self.head_length() - self.head.len();
                let from = bytes
                    .len()
                    .min(HEADER_LEN.saturating_sub(self.position as usize));
                let to = bytes.len().min(from + more);
                self.head.extend(&bytes[from..to]);
            }
            if self.header.is_some() && self.head.len() == self.head_length() {
                self.read_table()?;
            }
        }
        self.sum(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn head_length(&self) -> usize {
        let table = self.header.as_ref().map_or(0, Header::table_length);
        HEADER_LEN + table
    }

    fn read_header(&mut self) -> Result<(), String> {
        let header = Header::parse(&self.head).map_err(|error| error.to_string())?;
        if header.file_length != self.length {
            return Err(format!(
                "expected a bundle of {} bytes in it, found one that declares {}",
                self.length, header.file_length
            ));
        }
        self.header = Some(header);
        Ok(())
    }

    fn read_table(&mut self) -> Result<(), String> {
        let table = &self.head[HEADER_LEN..];
        let expected = self.header.as_ref().map(|header| header.table_checksum);
        if expected != Some(crc32(table)) {
            return Err("expected another section table by its checksum".into());
        }
        let mut all = 0_u64;
        for section in Section::parse_table(table) {
            let checked = section.check(self.length);
            checked.map_err(|error| error.to_string())?;
            if section.offset < self.head.len() as u64 {
                all = u64::MAX;
            }
            all = all.saturating_add(section.stored_length);
            self.open.push((section, crc32fast::Hasher::new()));
        }
        if all > self.length {
            return Err("expected sections one after the other, found some that overlap".into());
        }
        self.has_table = true;
        Ok(())
    }

    /// Takes the checksums of sections that `bytes`, which come at `position`, are of.
    fn sum(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (from, to) = (self.position, self.position + bytes.len() as u64);
        for (section, sum) in &mut self.open {
            let end = section.offset.saturating_add(section.stored_length);
            let (first, last) = (section.offset.max(from), end.min(to));
            if first < last {
                sum.update(&bytes[(first - from) as usize..(last - from) as usize]);
            }
            if end <= to && sum.clone().finalize() != section.checksum {
                return Err(format!("section {}: checksum mismatch", section.tag));
            }
        }
        self.open
            .retain(|(section, _)| section.offset.saturating_add(section.stored_length) > to);
        Ok(())
    }
}
