//! Shards: shares of a bundle, baked apart and joined.
//!
//! A shard holds whatever the bundle needs: the job, the heights, and the trees of its tiles. It
//! is its own checkpoint: in the making, it is `OUT.vcs.part`, and says of itself what is done.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::checkpoint::beside;
use super::error::BundleError;
use super::file::open_regular;
use super::journal::{Journal, Keep, RecordError, remove};
use super::output::{check_output, rename_file};
use super::records::{DONE, Fault, HEIGHTS, Head, Kind, Reader, Share, Tile, record};

/// zstd level of the heights: a small part of a shard.
const ZSTD_LEVEL: i32 = 3;

/// Writes a shard: tiles in, a finished file out. Dropped before a tile is done, it leaves
/// nothing.
#[derive(Debug)]
pub struct ShardWriter {
    journal: Journal,
    output: PathBuf,
    overwrite: bool,
    share: Share,
    keep: bool,
    finished: bool,
}

impl ShardWriter {
    /// The shard in the making.
    pub fn part_beside(shard: &Path) -> PathBuf {
        beside(shard, ".part")
    }

    /// Begins a shard, or finds one that is not finished, as `keep` says. `heights` are in
    /// metres, row by row.
    ///
    /// Errors where the output exists and is not to be overwritten, and where there is a shard
    /// in the making that must not be gone on with.
    pub fn open(
        output: &Path,
        overwrite: bool,
        head: &Head,
        share: Share,
        heights: &[f64],
        keep: Keep,
    ) -> Result<Self, RecordError> {
        check_output(output, overwrite)?;
        let path = Self::part_beside(output);
        let heights: Vec<u8> = heights.iter().flat_map(|h| h.to_le_bytes()).collect();
        let frame = zstd::bulk::compress(&heights, ZSTD_LEVEL)
            .map_err(|error| BundleError::write(&path, "compressing", 0, error))?;
        let heights = record(HEIGHTS, &frame);
        let journal = Journal::open(&path, None, Kind::Shard, head, &heights, keep)?;
        Ok(Self {
            journal,
            output: output.to_owned(),
            overwrite,
            share,
            keep: keep != Keep::Nothing,
            finished: false,
        })
    }

    /// The shard in the making.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// Tiles that are done.
    pub fn tiles(&self) -> u32 {
        self.journal.tiles()
    }

    /// Passes over the next tile that an earlier bake finished; false if from here on all is to
    /// be made anew.
    pub fn old_tile(&mut self) -> Result<bool, RecordError> {
        let due = self.share.first + self.journal.tiles();
        let path = self.journal.path().to_owned();
        let Some(old) = self.journal.old() else {
            return Ok(false);
        };
        let kept = match next_tile(old) {
            Ok(tile) => tile.is_some_and(|tile| tile.index == due),
            Err(Fault::Short | Fault::Damaged(_)) => false,
            Err(fault) => return Err(RecordError::of(&path, Kind::Shard, fault)),
        };
        if kept {
            self.journal.keep();
        }
        Ok(kept)
    }

    /// Appends a tile.
    pub fn append(&mut self, tile: &Tile) -> Result<(), RecordError> {
        self.journal.append(tile, true)
    }

    /// Ends the shard, syncs, and gives it its name. Returns its length in bytes.
    pub fn finish(mut self) -> Result<u64, RecordError> {
        self.journal.write(&record(DONE, &[]))?;
        self.journal.sync()?;
        rename_file(self.journal.path(), &self.output, self.overwrite).map_err(|error| {
            if error.kind() == std::io::ErrorKind::AlreadyExists {
                let path = self.output.clone();
                return BundleError::Exists { path };
            }
            BundleError::write(&self.output, "renaming it into place", 0, error)
        })?;
        self.finished = true;
        Ok(self.journal.length())
    }
}

impl Drop for ShardWriter {
    fn drop(&mut self) {
        if !self.finished && (self.journal.is_empty() || !self.keep) {
            remove(self.journal.path()).ok();
        }
    }
}

/// Reads a finished shard.
#[derive(Debug)]
pub struct ShardReader {
    path: PathBuf,
    reader: Reader,
    head: Head,
    share: Share,
    /// The tile that comes next.
    due: u32,
}

impl ShardReader {
    /// Opens a shard. Errors unless it is one, and is whole at its beginning and its end.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let (file, _): (File, u64) = open_regular(path).map_err(|error| BundleError::Read {
            path: path.to_owned(),
            error,
        })?;
        let fault = |fault| RecordError::of(path, Kind::Shard, fault);
        let mut reader = Reader::open(file, Kind::Shard).map_err(fault)?;
        let head = reader.head().map_err(fault)?;
        let damaged = || fault(Fault::Damaged(0));
        let share = head.share.ok_or_else(damaged)?;
        if share.first > share.end || share.end > head.job.tiles {
            return Err(damaged());
        }
        if !reader.is_done().map_err(|error| fault(error.into()))? {
            return Err(RecordError::Incomplete {
                path: path.to_owned(),
                index: share.index,
                of: share.of,
                first: share.first,
                last: share.end.saturating_sub(1),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            reader,
            due: share.first,
            head,
            share,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is of.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Its share of the tiles.
    pub fn share(&self) -> Share {
        self.share
    }

    /// The ground heights, of which there are to be `samples`; to be called once, before the
    /// first tile.
    pub fn heights(&mut self, samples: u64) -> Result<Vec<f64>, RecordError> {
        let start = self.reader.position();
        let frame = self.reader.expect(HEIGHTS);
        let frame = frame.map_err(|fault| self.error(fault))?;
        let bytes = zstd::bulk::decompress(&frame, samples as usize * 8).unwrap_or_default();
        if bytes.len() as u64 != samples * 8 {
            return Err(self.error(Fault::Damaged(start)));
        }
        let (words, _) = bytes.as_chunks();
        Ok(words.iter().map(|&word| f64::from_le_bytes(word)).collect())
    }

    /// The next tile; `None` after the last. Errors where the shard is not what was written.
    pub fn next_tile(&mut self) -> Result<Option<Tile>, RecordError> {
        let start = self.reader.position();
        let tile = next_tile(&mut self.reader).map_err(|fault| self.error(fault))?;
        let expected = (self.due < self.share.end).then_some(self.due);
        if tile.as_ref().map(|tile| tile.index) != expected {
            return Err(self.error(Fault::Damaged(start)));
        }
        self.due += 1;
        Ok(tile)
    }

    /// The error of a tile that cannot be.
    pub fn damaged(&self) -> RecordError {
        self.error(Fault::Damaged(self.reader.position()))
    }

    fn error(&self, fault: Fault) -> RecordError {
        RecordError::of(&self.path, Kind::Shard, fault)
    }
}

/// A tile with its trees.
fn next_tile(reader: &mut Reader) -> Result<Option<Tile>, Fault> {
    let start = reader.position();
    let Some(record) = reader.tile()? else {
        return Ok(None);
    };
    let trees = reader.take(record.length())?;
    let tile = record.with_trees(trees);
    tile.map(Some).ok_or(Fault::Damaged(start))
}
