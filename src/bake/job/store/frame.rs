//! The bytes of a store: framed, checksummed records, one after the other.
//!
//! ```text
//! start    magic 89 56 43 52 0D 0A 1A 0A, version u32, 0 u32
//! record   tag 4 bytes, checksum u32, length u64, payload
//!
//! JOB      what is baked, from what, by which program, and the share of it  (super::records)
//! HGTS     zstd frame: ground heights of a terrain in metres, f64, row by row; then, unless these tell where
//!          somebody can be, a word u64 for each block
//! BLCK     how the viewpoints of a block see other blocks                  (super::group)
//! DONE     empty, at the very end of a finished shard
//! ```
//!
//! Numbers are little-endian. A record's checksum is the CRC-32 of its tag, length and payload.
//! Files only ever grow at their end, and are read up to the first thing that is not right, so
//! that a process may be killed, or a system fail, at any instant.
//!
//! These are files between two runs of one version of the program: later versions refuse them.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Version of the bytes, and of all that decides what is in them: to be raised whenever the
/// kernels, the order of tiles or the code of groups change within a version of the program.
pub(crate) const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"\x89VCR\r\n\x1a\n";

/// Length of what a file starts with.
pub(crate) const START_LEN: usize = 16;

/// Length of what a record starts with.
pub(crate) const FRAME_LEN: u64 = 16;

/// What a record holds.
pub(crate) type Tag = [u8; 4];

pub(crate) const JOB: Tag = *b"JOB ";
pub(crate) const HEIGHTS: Tag = *b"HGTS";
pub(crate) const BLOCK: Tag = *b"BLCK";
pub(crate) const DONE: Tag = *b"DONE";

/// What a file starts with.
pub(crate) fn start() -> [u8; START_LEN] {
    let mut bytes = [0; START_LEN];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// A record.
pub(crate) fn record(tag: Tag, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let mut bytes = Vec::with_capacity(FRAME_LEN as usize + payload.len());
    bytes.extend(tag);
    bytes.extend(checksum(tag, length, payload).to_le_bytes());
    bytes.extend(length);
    bytes.extend(payload);
    bytes
}

fn checksum(tag: Tag, length: [u8; 8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&tag);
    hasher.update(&length);
    hasher.update(payload);
    hasher.finalize()
}

/// What is wrong with a file of records.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It cannot be read.
    Io(io::Error),
    /// It is none.
    Foreign,
    /// Another version of the program wrote it.
    Version(u32),
    /// It ends in the middle of something.
    Short,
    /// What lies at this offset is not what was written there.
    Damaged(u64),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A record that was read.
pub(crate) struct Record {
    pub tag: Tag,
    pub payload: Vec<u8>,
    /// Where its payload begins in the file.
    pub offset: u64,
}

/// Reads a file of records.
#[derive(Debug)]
pub(crate) struct Reader {
    file: BufReader<File>,
    length: u64,
    position: u64,
}

impl Reader {
    /// Starts to read a file from its beginning.
    pub(crate) fn open(file: File) -> Result<Self, Fault> {
        let length = file.metadata()?.len();
        let mut reader = Self {
            file: BufReader::with_capacity(1 << 18, file),
            length,
            position: 0,
        };
        reader.file.seek(SeekFrom::Start(0))?;
        let expected = start();
        let found = reader.take(length.min(START_LEN as u64))?;
        // One that was cut off differs in nothing that is there.
        if expected == *found {
            return Ok(reader);
        }
        if expected.starts_with(&found) {
            return Err(Fault::Short);
        }
        match found.get(8..12).and_then(|word| word.try_into().ok()) {
            Some(word) if found.starts_with(&MAGIC) => match u32::from_le_bytes(word) {
                VERSION => Err(Fault::Damaged(12)),
                other => Err(Fault::Version(other)),
            },
            _ => Err(Fault::Foreign),
        }
    }

    /// Where in the file the next record begins.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Whether nothing comes after it.
    pub(crate) fn is_at_end(&self) -> bool {
        self.position == self.length
    }

    /// The next record; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Fault> {
        let start = self.position;
        if start == self.length {
            return Ok(None);
        }
        let frame = self.take(FRAME_LEN)?;
        let part = |at: usize| [frame[at], frame[at + 1], frame[at + 2], frame[at + 3]];
        let (tag, found) = (part(0), u32::from_le_bytes(part(4)));
        let mut length = [0; 8];
        length.copy_from_slice(&frame[8..]);
        let offset = self.position;
        let payload = self.take(u64::from_le_bytes(length))?;
        if checksum(tag, length, &payload) != found {
            return Err(Fault::Damaged(start));
        }
        Ok(Some(Record {
            tag,
            payload,
            offset,
        }))
    }

    /// The payload of the next record, which is to be of this tag.
    pub(crate) fn expect(&mut self, expected: Tag) -> Result<Vec<u8>, Fault> {
        let start = self.position;
        match self.next()? {
            Some(Record { tag, payload, .. }) if tag == expected => Ok(payload),
            Some(_) => Err(Fault::Damaged(start)),
            None => Err(Fault::Short),
        }
    }

    /// The next `length` bytes.
    fn take(&mut self, length: u64) -> Result<Vec<u8>, Fault> {
        // Asked first: a damaged length must not ask for all memory.
        if length > self.length - self.position {
            return Err(Fault::Short);
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes)?;
        self.position += length;
        Ok(bytes)
    }
}
