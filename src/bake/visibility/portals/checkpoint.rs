//! What a full flow has finished, so that it need not begin anew.

use crate::bundle::{create_beside, open_beside};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Says what the file is, and which version of flow wrote it: bytes of one are not those of
/// another. To be counted up whenever flow finds other rows than before.
const MAGIC: &[u8; 8] = b"VCFLOW\x00\x01";

/// Why a checkpoint is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It could not be read or written.
    #[error("{}: expected a checkpoint that can be read and written, found {error}; check the path, the permissions and the disk", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// It is not the checkpoint of this flow.
    #[error("{}: expected the checkpoint of a flow through these portals, found {found}; name \
         another, or delete it to start again if it is one", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
}

/// A file of the rows that a flow has finished, batch by batch: 8 bytes magic, 8 bytes digest of
/// the portals, then for each batch its rows, in order, and their CRC-32 in 8 bytes; all
/// little-endian.
///
/// A batch that a kill has torn is told by its checksum and made anew.
pub(super) struct Checkpoint {
    path: PathBuf,
    reader: Option<BufReader<File>>,
    file: File,
    /// Length of the part that is known to be whole.
    whole: u64,
    /// Words a row.
    stride: usize,
}

impl Checkpoint {
    /// Opens or makes the file.
    pub(super) fn open(path: &Path, digest: u64, stride: usize) -> Result<Self, CheckpointError> {
        let fail = |error| CheckpointError::Io {
            path: path.to_owned(),
            error,
        };
        let opened = match open_beside(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_beside(path, &[], false)
            }
            opened => opened,
        };
        let mut file = opened.map_err(fail)?;
        let mut header = [0; 16];
        header[..8].copy_from_slice(MAGIC);
        header[8..].copy_from_slice(&digest.to_le_bytes());
        let mut found = Vec::new();
        let mut reader = BufReader::new(file.try_clone().map_err(fail)?);
        reader
            .by_ref()
            .take(16)
            .read_to_end(&mut found)
            .map_err(fail)?;
        let fresh = found.len() < 16 && header.starts_with(&found);
        if fresh {
            file.set_len(0).map_err(fail)?;
            file.rewind().map_err(fail)?;
            file.write_all(&header).map_err(fail)?;
        } else if !found.starts_with(MAGIC) {
            return Err(CheckpointError::Foreign {
                path: path.to_owned(),
                found: "another file",
            });
        } else if found != header {
            return Err(CheckpointError::Foreign {
                path: path.to_owned(),
                found: "that of other portals",
            });
        }
        Ok(Self {
            path: path.to_owned(),
            reader: (!fresh).then_some(reader),
            file,
            whole: 16,
            stride,
        })
    }

    /// The rows of the next batch, if they are there.
    pub(super) fn next(&mut self, rows: usize) -> Result<Option<Vec<Vec<u64>>>, CheckpointError> {
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let mut bytes = vec![0; rows * self.stride * 8 + 8];
        match reader.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return self.go_on_from_here().map(|()| None);
            }
            Err(error) => return Err(self.fail(error)),
        }
        let words: Vec<u64> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| u64::from_le_bytes(*b))
            .collect();
        let length = bytes.len();
        if words.last() != Some(&u64::from(crc32fast::hash(&bytes[..length - 8]))) {
            return self.go_on_from_here().map(|()| None);
        }
        self.whole += length as u64;
        let rows = words[..rows * self.stride].chunks_exact(self.stride);
        Ok(Some(rows.map(<[u64]>::to_vec).collect()))
    }

    /// Appends the rows of a batch.
    pub(super) fn append(&mut self, rows: &[Vec<u64>]) -> Result<(), CheckpointError> {
        let words = rows.iter().flatten();
        let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let checksum = u64::from(crc32fast::hash(&bytes));
        bytes.extend_from_slice(&checksum.to_le_bytes());
        self.file
            .write_all(&bytes)
            .map_err(|error| self.fail(error))
    }

    /// Drops what is behind the last whole batch.
    fn go_on_from_here(&mut self) -> Result<(), CheckpointError> {
        self.reader = None;
        let whole = self.whole;
        self.file
            .set_len(whole)
            .and_then(|()| self.file.seek(SeekFrom::Start(whole)))
            .map(|_| ())
            .map_err(|error| self.fail(error))
    }

    fn fail(&self, error: io::Error) -> CheckpointError {
        CheckpointError::Io {
            path: self.path.clone(),
            error,
        }
    }
}
