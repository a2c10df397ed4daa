//! What is kept of a bundle in the making.
//!
//! The bundle is made in `OUT.vcb.part`, where trees already lie in the place that they will have
//! in the end; beside it, `OUT.vcb.checkpoint` says which tiles of it are done, and what the bake
//! was of. So nothing is written twice, and a checkpoint takes 12 bytes a quad. Each tile is
//! recorded once its trees are with the system; of both files, whatever is not right is made anew.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::BundleError;
use super::journal::{Journal, Keep, RecordError, fresh, remove};
use super::records::{Fault, Head, Job, Kind, Tile};
use super::writer::TerrainWriter;

/// What is kept of a bundle in the making. Dropped before a tile is done, it leaves nothing.
#[derive(Debug)]
pub struct Checkpoint {
    journal: Journal,
    part: PathBuf,
    finished: bool,
}

impl Checkpoint {
    /// The checkpoint of a bundle.
    pub fn path_beside(bundle: &Path) -> PathBuf {
        beside(bundle, ".checkpoint")
    }

    /// The bundle in the making.
    pub fn part_beside(bundle: &Path) -> PathBuf {
        beside(bundle, ".part")
    }

    /// The bundle while pairs are made of its trees, and without loss where these are pruned one
    /// by one. They are made anew if they are there.
    pub fn scratch_beside(bundle: &Path) -> [PathBuf; 2] {
        [
            beside(bundle, ".pairs.part"),
            beside(bundle, ".lossless.part"),
        ]
    }

    /// Begins the checkpoint of a bundle, or finds one, as `keep` says ([`Keep::Nothing`] as
    /// [`Keep::New`]).
    ///
    /// Errors where there is one that must not be gone on with, or another process is at it.
    pub fn open(bundle: &Path, job: &Job, keep: Keep) -> Result<Self, RecordError> {
        let part = Self::part_beside(bundle);
        let head = Head {
            job: job.clone(),
            share: None,
        };
        let path = Self::path_beside(bundle);
        let journal = Journal::open(&path, Some(&part), Kind::Checkpoint, &head, &[], keep)?;
        Ok(Self {
            journal,
            part,
            finished: false,
        })
    }

    /// The bundle in the making.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// The checkpoint itself.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// Tiles that are kept.
    pub fn tiles(&self) -> u32 {
        self.journal.tiles()
    }

    /// The next tile that an earlier bake finished, if its trees lie at `offset` of the bundle in
    /// the making; `None` if from here on all is to be made anew.
    pub fn old_tile(&mut self, offset: u64) -> Result<Option<Tile>, RecordError> {
        let due = self.journal.tiles();
        let path = self.journal.path().to_owned();
        let Some(old) = self.journal.old() else {
            return Ok(None);
        };
        let record = match old.tile() {
            Ok(Some(record)) if record.index == due => record,
            Ok(_) | Err(Fault::Short | Fault::Damaged(_)) => return Ok(None),
            Err(fault) => return Err(RecordError::of(&path, Kind::Checkpoint, fault)),
        };
        let trees = trees_at(&self.part, offset, record.length()).map_err(|error| {
            let path = self.part.clone();
            BundleError::Read { path, error }
        })?;
        let tile = trees.and_then(|trees| record.with_trees(trees));
        if tile.is_some() {
            self.journal.keep();
        }
        Ok(tile)
    }

    /// The error of a tile that cannot be.
    pub fn damaged(&mut self) -> RecordError {
        let fault = Fault::Damaged(self.journal.length());
        RecordError::of(self.journal.path(), Kind::Checkpoint, fault)
    }

    /// Keeps a tile whose trees `writer` has been given.
    pub fn append(&mut self, tile: &Tile, writer: &mut TerrainWriter) -> Result<(), RecordError> {
        if self.journal.wants_sync() {
            writer.sync()?;
        } else {
            writer.flush()?;
        }
        self.journal.append(tile, false)
    }

    /// Whether a checkpoint is beside a bundle that is there: its bake was killed when it had
    /// named the bundle, and before it had tidied up.
    pub fn is_left_beside(bundle: &Path) -> bool {
        bundle.is_file() && Self::path_beside(bundle).is_file()
    }

    /// Deletes all that a bake leaves that is killed when it had named the bundle.
    pub fn tidy(self) -> Result<(), RecordError> {
        remove(&self.part)?;
        self.finish()
    }

    /// Deletes the checkpoint, once the bundle is finished.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.finished = true;
        remove(&fresh(self.journal.path()))?;
        Ok(remove(self.journal.path())?)
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        if !self.finished && self.journal.is_empty() {
            // In this order: a part without a checkpoint would be taken for somebody else's.
            if remove(&self.part).is_ok() {
                remove(self.journal.path()).ok();
            }
        }
    }
}

/// A name with something behind it.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Bytes of a file; `None` where it is shorter or not there.
fn trees_at(path: &Path, offset: u64, length: u64) -> io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let there = file.metadata()?.len().saturating_sub(offset);
    if there < length {
        return Ok(None);
    }
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}
