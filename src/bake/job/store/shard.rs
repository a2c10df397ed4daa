//! A finished shard, to be read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::error::StoreError;
use super::file::{Leaves, Role, Store};
use super::frame::{DONE, Fault, HEIGHTS, Reader, START_LEN, record};
use super::records::Head;
use crate::bundle::{BundleError, GridHeader, check_frame, open_regular};
use crate::compress::ValidPyramid;
use crate::job::tiles::group_count;

/// A finished shard, to be read.
#[derive(Debug)]
pub(crate) struct Shard {
    /// What it is of.
    pub head: Head,
    /// What the bundle says of itself.
    pub header: GridHeader,
    /// Its groups.
    pub store: Store,
    /// A zstd frame.
    heights: Vec<u8>,
}

impl Shard {
    /// Opens a shard. Reads all of it, and errors unless it is one, and whole.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let (file, _) = open_regular(path).map_err(BundleError::read(path))?;
        let fault = |fault| StoreError::of(path, Role::Shard.name(), fault);
        let copy = file.try_clone().map_err(|error| fault(error.into()))?;
        let mut reader = Reader::open(copy).map_err(fault)?;
        let head = Head::read(&mut reader).map_err(fault)?;
        let header = head.job.header();
        let header = header.filter(|header| head.is_of(&header.parameters));
        let header = header.ok_or_else(|| fault(Fault::Damaged(START_LEN as u64)))?;
        let start = reader.position();
        let heights = reader.expect(HEIGHTS).map_err(fault)?;
        // Asked first: a grid that is not there must not ask for all memory.
        check_frame(&heights, heights.len() as u64, ground_length(&header))
            .map_err(|_| fault(Fault::Damaged(start)))?;
        let at = reader.position();
        let what = (path, Role::Shard);
        let mut store = Store::new(
            what,
            file,
            at,
            group_count(&header.parameters),
            Leaves::AsItIs,
        );
        if !store.take_stock(&mut reader).map_err(fault)? {
            // Where something is wrong before the end, the end tells which of the two it is.
            return Err(if ends_as_finished(path) {
                fault(Fault::Damaged(store.length()))
            } else {
                StoreError::Incomplete {
                    path: path.to_owned(),
                    index: head.share.index,
                    of: head.share.of,
                    first: head.share.first,
                    last: head.share.end.saturating_sub(1),
                }
            });
        }
        Ok(Self {
            head,
            header,
            store,
            heights,
        })
    }

    /// The ground heights in metres, row by row, NaN for void, none of a solid level; and where somebody can be.
    pub(crate) fn ground(&self) -> Result<(Vec<f64>, ValidPyramid), StoreError> {
        let length = ground_length(&self.header) as usize;
        let bytes = zstd::bulk::decompress(&self.heights, length).unwrap_or_default();
        if bytes.len() != length {
            return Err(self.store.damaged(usize::MAX));
        }
        let (heights, valid) = bytes.split_at(8 * self.header.heights() as usize);
        let (heights, _) = heights.as_chunks();
        let heights: Vec<f64> = heights
            .iter()
            .map(|&word| f64::from_le_bytes(word))
            .collect();
        let grid = self.header.parameters.grid;
        let valid = if self.header.heights_tell_places() {
            ValidPyramid::from_heights(grid, &heights)
        } else {
            let (words, _) = valid.as_chunks();
            let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
            ValidPyramid::new(grid, &words)
        };
        Ok((heights, valid))
    }
}

/// Bytes of what a shard holds of the ground: of heights, and of where somebody can be unless the
/// heights say so.
fn ground_length(header: &GridHeader) -> u64 {
    let words = if header.heights_tell_places() {
        0
    } else {
        header.parameters.grid.blocks() as u64
    };
    8 * (header.heights() + words)
}

/// Whether a file ends as a finished shard does.
fn ends_as_finished(path: &Path) -> bool {
    let done = record(DONE, &[]);
    let end = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-(done.len() as i64)))?;
        let mut end = vec![0; done.len()];
        file.read_exact(&mut end)?;
        io::Result::Ok(end)
    };
    end().is_ok_and(|end| end == done)
}
