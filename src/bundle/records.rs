//! Records of finished tiles: the bytes of checkpoints and shards.
//!
//! ```text
//! start    magic 89 56 43 52 0D 0A 1A 0A, version u32, kind u32 (1 checkpoint, 2 shard)
//! record   tag 4 bytes, checksum u32, length u64, payload
//!
//! JOB      JSON: what is baked, from what, by which program; and the share of it
//! HGTS     zstd frame: ground heights in metres, f64, row by row          (shard)
//! TILE     number u32, checksum of the trees u32,
//!          then for each quad in bake order the length of its tree u32;
//!          in a shard the trees follow, end to end, outside of the record
//! DONE     empty, at the very end                                         (shard)
//! ```
//!
//! Numbers are little-endian. A record's checksum is the CRC-32 of its tag, length and payload.
//! Files only ever grow at their end, and are read up to the first thing that is not right, so
//! that a process may be killed, or a system fail, at any instant.
//!
//! These are files between two runs of one version of the program: no promise is made to later
//! ones, which refuse them. They are few enough, and their checks strict enough, that they are
//! written by hand here rather than by a serializer.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use super::provenance::InputFile;

/// Version of the bytes, and of all that decides what is in them: to be raised whenever the
/// kernels, the order of tiles or the code of trees change within a version of the program.
pub(super) const VERSION: u32 = 3;

const MAGIC: [u8; 8] = *b"\x89VCR\r\n\x1a\n";

/// Length of what a file starts with.
const START_LEN: usize = 16;

/// Length of what a record starts with.
const FRAME_LEN: usize = 16;

/// What a file of records is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What is done of a bundle in the making, whose trees lie in a file of their own.
    Checkpoint,
    /// A share of a bundle.
    Shard,
}

impl Kind {
    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Shard => "shard",
        }
    }
}

/// What a record holds.
pub(super) const JOB: [u8; 4] = *b"JOB ";
pub(super) const HEIGHTS: [u8; 4] = *b"HGTS";
pub(super) const TILE: [u8; 4] = *b"TILE";
pub(super) const DONE: [u8; 4] = *b"DONE";

/// All that decides the bytes of a bundle. Two bakes of equal jobs write equal bundles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Program and version.
    pub tool: String,
    /// The file that the terrain came from.
    pub input: InputFile,
    /// The options of the bake, by their names on the command line.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The `GRID` section, in hexadecimal.
    pub parameters: String,
    /// The coordinate reference system.
    pub crs: Option<String>,
    /// Digest of the ground heights, algorithm first.
    pub heights: String,
    /// Tiles of viewpoints that it comes to.
    pub tiles: u32,
}

/// A share of a job's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Number of the share, from 1.
    pub index: u32,
    /// Shares that the job was split into.
    pub of: u32,
    /// Its first tile.
    pub first: u32,
    /// The tile after its last.
    pub end: u32,
}

/// What a file of records is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The bake.
    pub job: Job,
    /// The share of it; `None` for all.
    pub share: Option<Share>,
}

/// In what two jobs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The option or property.
    pub what: String,
    /// What it is in the one.
    pub first: String,
    /// What it is in the other.
    pub second: String,
}

impl Head {
    /// The first difference to another head that a person would name; `None` if there is none.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let share = |head: &Self| match head.share {
            None => "all".to_owned(),
            Some(share) => format!("{}/{}", share.index, share.of),
        };
        self.job
            .difference(&other.job)
            .or_else(|| difference("share", share(self), share(other)))
    }
}

impl Job {
    /// The first difference to another job that a person would name; `None` if there is none.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let differ = |what: &str, of: &dyn Fn(&Self) -> String| {
            let (first, second) = (of(self), of(other));
            difference(what, first, second)
        };
        let options = self.options.keys().chain(other.options.keys());
        differ("program", &|job| job.tool.clone())
            .or_else(|| {
                differ("input", &|job| {
                    let InputFile {
                        name,
                        format,
                        bytes,
                        digest,
                    } = &job.input;
                    format!("{name} ({format}, {bytes} bytes, {digest})")
                })
            })
            .or_else(|| {
                options
                    .filter_map(|name| {
                        differ(&format!("--{name}"), &|job| {
                            let value = job.options.get(name);
                            value.map_or("not given".to_owned(), |value| value.to_string())
                        })
                    })
                    .next()
            })
            .or_else(|| differ("ground heights", &|job| job.heights.clone()))
            .or_else(|| differ("parameters", &|job| job.parameters.clone()))
            .or_else(|| {
                differ("coordinate reference system", &|job| {
                    job.crs.clone().unwrap_or("none".to_owned())
                })
            })
            .or_else(|| differ("number of tiles", &|job| job.tiles.to_string()))
    }
}

fn difference(what: &str, first: String, second: String) -> Option<Difference> {
    (first != second).then(|| Difference {
        what: what.to_owned(),
        first,
        second,
    })
}

/// A finished tile: the trees of all its quads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Its number in bake order.
    pub index: u32,
    /// Lengths in bytes of the trees of its quads, in bake order.
    pub lengths: Vec<u32>,
    /// Their trees, end to end.
    pub trees: Vec<u8>,
    /// CRC-32 of the trees.
    checksum: u32,
}

impl Tile {
    /// A finished tile.
    pub fn new(index: u32, lengths: Vec<u32>, trees: Vec<u8>) -> Self {
        Self {
            index,
            lengths,
            checksum: crc32fast::hash(&trees),
            trees,
        }
    }

    /// The record, without the trees.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(8 + 4 * self.lengths.len());
        payload.extend(self.index.to_le_bytes());
        payload.extend(self.checksum.to_le_bytes());
        payload.extend(self.lengths.iter().flat_map(|length| length.to_le_bytes()));
        record(TILE, &payload)
    }
}

/// The record of a tile, read.
#[derive(Debug)]
pub(super) struct TileRecord {
    pub index: u32,
    checksum: u32,
    lengths: Vec<u32>,
}

impl TileRecord {
    fn parse(payload: &[u8]) -> Option<Self> {
        let (index, rest) = payload.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (lengths, []) = rest.as_chunks() else {
            return None;
        };
        Some(Self {
            index: u32::from_le_bytes(*index),
            checksum: u32::from_le_bytes(*checksum),
            lengths: lengths.iter().map(|&n| u32::from_le_bytes(n)).collect(),
        })
    }

    /// Length in bytes of the trees.
    pub fn length(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length)).sum()
    }

    /// The tile with its trees; `None` unless they are the ones that were recorded.
    pub fn with_trees(self, trees: Vec<u8>) -> Option<Tile> {
        let right = trees.len() as u64 == self.length() && crc32fast::hash(&trees) == self.checksum;
        right.then_some(Tile {
            index: self.index,
            lengths: self.lengths,
            trees,
            checksum: self.checksum,
        })
    }
}

/// What a file of records starts with.
pub(super) fn start(kind: Kind) -> [u8; START_LEN] {
    let mut bytes = [0; START_LEN];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&(kind as u32 + 1).to_le_bytes());
    bytes
}

/// A record.
pub(super) fn record(tag: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let mut bytes = Vec::with_capacity(FRAME_LEN + payload.len());
    bytes.extend(tag);
    bytes.extend(checksum(tag, length, payload).to_le_bytes());
    bytes.extend(length);
    bytes.extend(payload);
    bytes
}

fn checksum(tag: [u8; 4], length: [u8; 8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&tag);
    hasher.update(&length);
    hasher.update(payload);
    hasher.finalize()
}

/// What is wrong with a file of records.
#[derive(Debug)]
pub(super) enum Fault {
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

/// A record: tag and payload.
pub(super) type Record = ([u8; 4], Vec<u8>);

/// Reads a file of records.
#[derive(Debug)]
pub(super) struct Reader {
    file: BufReader<File>,
    length: u64,
    position: u64,
}

impl Reader {
    /// Starts to read a file from its beginning.
    pub fn open(file: File, kind: Kind) -> Result<Self, Fault> {
        let length = file.metadata()?.len();
        let mut reader = Self {
            file: BufReader::with_capacity(1 << 18, file),
            length,
            position: 0,
        };
        reader.file.seek(SeekFrom::Start(0))?;
        let expected = start(kind);
        let found = reader.take(length.min(START_LEN as u64))?;
        // One that was cut off differs in nothing that is there.
        if expected == *found {
            return Ok(reader);
        }
        if expected.starts_with(&found) {
            return Err(Fault::Short);
        }
        match found.get(8..12).and_then(|word| word.try_into().ok()) {
            Some(word) if found.starts_with(&MAGIC) && found[12..] == expected[12..] => {
                Err(Fault::Version(u32::from_le_bytes(word)))
            }
            _ => Err(Fault::Foreign),
        }
    }

    /// Where in the file the next record begins.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next record; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Record>, Fault> {
        let start = self.position;
        if start == self.length {
            return Ok(None);
        }
        let frame = self.take(FRAME_LEN as u64)?;
        let part = |at: usize| [frame[at], frame[at + 1], frame[at + 2], frame[at + 3]];
        let (tag, found) = (part(0), u32::from_le_bytes(part(4)));
        let mut length = [0; 8];
        length.copy_from_slice(&frame[8..]);
        let payload = self.take(u64::from_le_bytes(length))?;
        if checksum(tag, length, &payload) != found {
            return Err(Fault::Damaged(start));
        }
        Ok(Some((tag, payload)))
    }

    /// The next record, which is to be of this tag.
    pub fn expect(&mut self, expected: [u8; 4]) -> Result<Vec<u8>, Fault> {
        let start = self.position;
        match self.next()? {
            Some((tag, payload)) if tag == expected => Ok(payload),
            Some(_) => Err(Fault::Damaged(start)),
            None => Err(Fault::Short),
        }
    }

    /// What the file is of.
    pub fn head(&mut self) -> Result<Head, Fault> {
        let start = self.position;
        serde_json::from_slice(&self.expect(JOB)?).map_err(|_| Fault::Damaged(start))
    }

    /// The record of the next tile; `None` at the end, and at any other record.
    pub fn tile(&mut self) -> Result<Option<TileRecord>, Fault> {
        let start = self.position;
        match self.next()? {
            Some((TILE, payload)) => match TileRecord::parse(&payload) {
                Some(record) => Ok(Some(record)),
                None => Err(Fault::Damaged(start)),
            },
            _ => Ok(None),
        }
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: u64) -> Result<Vec<u8>, Fault> {
        // Asked first: a damaged length must not ask for all memory.
        if length > self.length - self.position {
            return Err(Fault::Short);
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes)?;
        self.position += length;
        Ok(bytes)
    }

    /// Passes over the next `length` bytes.
    pub fn skip(&mut self, length: u64) -> Result<(), Fault> {
        if length > self.length - self.position {
            return Err(Fault::Short);
        }
        self.file.seek_relative(length as i64)?;
        self.position += length;
        Ok(())
    }

    /// Whether the file ends as a finished shard does.
    pub fn is_done(&mut self) -> io::Result<bool> {
        let done = record(DONE, &[]);
        let Some(at) = self.length.checked_sub(done.len() as u64) else {
            return Ok(false);
        };
        let mut end = vec![0; done.len()];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut end)?;
        self.file.seek(SeekFrom::Start(self.position))?;
        Ok(end == done)
    }
}
