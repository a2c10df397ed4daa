//! A store in a file: created or resumed, appended to and read; its names, its lock, and its deletion.

use super::error::StoreError;
use super::frame::{BLOCK, DONE, FRAME_LEN, Fault, HEIGHTS, JOB, Reader, Record, record, start};
use super::group::{Key, limits};
use super::records::Head;
use crate::bundle::{BundleError, create_beside, open_beside, rename_file, scratch_beside};
use crate::job::tiles::Tile;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use viewcell::format::Tag;

/// What may be lost if the system, not only the process, dies.
const SYNC_EVERY: Duration = Duration::from_secs(10);

/// zstd level of the heights: a small part of a store.
const HEIGHTS_LEVEL: i32 = 3;

/// What becomes of a bake that ends before its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nothing is kept.
    Nothing,
    /// Finished tiles are kept. What an earlier bake kept is an error.
    #[default]
    New,
    /// As `New`, but what an earlier bake of the same job kept is gone on with.
    Resume,
    /// As `New`, but what an earlier bake kept is deleted.
    Restart,
}

/// What a file is for, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// What is done of a bundle in the making.
    Checkpoint,
    /// A share of a bundle.
    Shard,
}

impl Role {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Shard => "shard",
        }
    }
}

/// Where a group lies in the file.
#[derive(Clone, Copy, Debug)]
struct Extent {
    offset: u64,
    length: u64,
}

/// A store in a file that may be appended to. Memory: 24 bytes a block.
///
/// One that was begun, holds nothing and is dropped leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Store {
    /// The file's name; of one without a name, the bundle that is made of it, for errors.
    path: PathBuf,
    role: Role,
    /// The bundle whose groups were copied here, if any: what is wrong with them is wrong there.
    source: Option<PathBuf>,
    file: File,
    /// Length of what is known to be right.
    length: u64,
    /// By number of the block.
    places: Vec<Option<Extent>>,
    /// Whether bytes behind `length` are still to be cut off.
    ragged: bool,
    /// Whether the file goes when it is dropped, and when.
    leaves: Leaves,
    synced: Instant,
}

/// What a store that is dropped leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// It has no name, or was finished, or is only read.
    AsItIs,
    /// The file, unless it was begun and holds nothing.
    WhatIsDone,
    /// Nothing.
    Nothing,
}

/// What a store is of, for its making: which bake, how many blocks, and how they make tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    /// The bake, and the share of it.
    pub head: &'a Head,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    /// Where somebody can be: a word a block of the grid.
    pub valid: &'a [u64],
    /// Number of groups.
    pub groups: usize,
    /// The tiles of the share.
    pub tiles: &'a [Tile],
}

impl Store {
    /// A store without a name in the folder of `path`: nobody else sees it, and it goes with the
    /// process.
    pub(crate) fn scratch(path: &Path, blocks: usize) -> Result<Self, StoreError> {
        let file = scratch_beside(path)?;
        Ok(Self::new(
            (path, Role::Checkpoint),
            file,
            0,
            blocks,
            Leaves::AsItIs,
        ))
    }

    /// The same, for the groups of the bundle `source`.
    pub(crate) fn copy_of(source: &Path, beside: &Path, blocks: usize) -> Result<Self, StoreError> {
        let mut store = Self::scratch(beside, blocks)?;
        store.source = Some(source.to_owned());
        Ok(store)
    }

    /// Finds or begins the store `path`, as `keep` says.
    ///
    /// Errors where there is one that must not be gone on with, or another process is at it.
    pub(crate) fn open(
        path: &Path,
        role: Role,
        shape: Shape,
        keep: Keep,
    ) -> Result<Self, StoreError> {
        let begin = |replace: bool| Self::begin(path, role, shape, keep, replace);
        let read = BundleError::read(path);
        let fault = |fault| StoreError::of(path, role.name(), fault);
        let file = match open_beside(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return begin(false),
            other => other.map_err(read)?,
        };
        lock(&file, path)?;
        let old = Reader::open(file.try_clone().map_err(read)?).and_then(|mut reader| {
            let found = Head::read(&mut reader)?;
            reader.expect(HEIGHTS)?;
            Ok((reader, found))
        });
        let (mut reader, found) = match (old, keep) {
            (Err(Fault::Foreign), _) => return Err(fault(Fault::Foreign)),
            // It has its name when its head is written: only half a head means that nothing can be read.
            (Err(Fault::Short), Keep::Resume) | (_, Keep::Restart) => return begin(true),
            (old, _) => old.map_err(fault)?,
        };
        let mut store = Self::new(
            (path, role),
            file,
            reader.position(),
            shape.groups,
            Leaves::AsItIs,
        );
        store.take_stock(&mut reader).map_err(fault)?;
        let done = store.tiles_done(shape.tiles);
        if done == 0 && keep != Keep::Resume {
            return begin(true);
        }
        if let Some(difference) = shape.head.difference(&found) {
            return Err(StoreError::OtherJob {
                path: path.to_owned(),
                what: difference.what,
                asked: difference.first,
                found: difference.second,
            });
        }
        match keep {
            Keep::Resume => {
                store.leaves = Leaves::WhatIsDone;
                Ok(store)
            }
            _ => Err(StoreError::Unfinished {
                path: path.to_owned(),
                done,
                total: shape.tiles.len() as u32,
            }),
        }
    }

    fn begin(
        path: &Path,
        role: Role,
        shape: Shape,
        keep: Keep,
        replace: bool,
    ) -> Result<Self, StoreError> {
        let write = |error| BundleError::write(path, "beginning it", 0, error);
        let head = wincode::config::serialize(shape.head, limits())
            .map_err(|error| write(io::Error::other(error)))?;
        let heights = shape.heights.iter().flat_map(|h| h.to_le_bytes());
        let header = shape.head.job.header();
        let valid = if header.is_some_and(|header| header.heights_tell_places()) {
            &[]
        } else {
            shape.valid
        };
        let heights = heights.chain(valid.iter().flat_map(|word| word.to_le_bytes()));
        let heights: Vec<u8> = heights.collect();
        let heights = zstd::bulk::compress(&heights, HEIGHTS_LEVEL).map_err(write)?;
        let bytes = [
            &start()[..],
            &record(JOB, &head),
            &record(HEIGHTS, &heights),
        ]
        .concat();
        let file = create_beside(path, &bytes, replace).map_err(|error| match error.kind() {
            // It was not there a moment ago.
            io::ErrorKind::AlreadyExists => StoreError::Busy {
                path: path.to_owned(),
            },
            _ => write(error).into(),
        })?;
        let leaves = match keep {
            Keep::Nothing => Leaves::Nothing,
            _ => Leaves::WhatIsDone,
        };
        let length = bytes.len() as u64;
        let blocks = shape.groups;
        Ok(Self::new((path, role), file, length, blocks, leaves))
    }

    pub(crate) fn new(
        (path, role): (&Path, Role),
        file: File,
        length: u64,
        blocks: usize,
        leaves: Leaves,
    ) -> Self {
        Self {
            path: path.to_owned(),
            role,
            source: None,
            file,
            length,
            places: vec![None; blocks],
            ragged: true,
            leaves,
            synced: Instant::now(),
        }
    }

    /// Finds the groups up to the end of the file, or to the first thing that is not right.
    /// Returns whether the file ends as a finished one does.
    pub(crate) fn take_stock(&mut self, reader: &mut Reader) -> Result<bool, Fault> {
        loop {
            let Record {
                tag,
                payload,
                offset,
            } = match reader.next() {
                Ok(Some(record)) => record,
                Ok(None) | Err(Fault::Short | Fault::Damaged(_)) => return Ok(false),
                Err(fault) => return Err(fault),
            };
            if tag == DONE {
                self.length = reader.position();
                return Ok(reader.is_at_end());
            }
            let key = Key::split(&payload).filter(|_| tag == BLOCK);
            let place = key.and_then(|(key, _)| self.places.get_mut(key.block as usize));
            let Some(place) = place else {
                return Ok(false);
            };
            *place = Some(Extent {
                offset,
                length: payload.len() as u64,
            });
            self.length = reader.position();
        }
    }

    /// Whether the group of a block is there.
    pub(crate) fn has(&self, number: usize) -> bool {
        self.places.get(number).is_some_and(Option::is_some)
    }

    /// Of these tiles, those all of whose blocks are there.
    pub(crate) fn tiles_done(&self, tiles: &[Tile]) -> u32 {
        let done = |tile: &&Tile| tile.blocks.clone().all(|number| self.has(number));
        tiles.iter().filter(done).count() as u32
    }

    /// Whether it has no block.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.iter().all(Option::is_none)
    }

    /// Length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends groups that were encoded, by the numbers of their blocks.
    pub(crate) fn append(&mut self, groups: &[(usize, Vec<u8>)]) -> Result<(), StoreError> {
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(groups.len());
        for (number, payload) in groups {
            places.push((
                *number,
                Extent {
                    offset: self.length + bytes.len() as u64 + FRAME_LEN,
                    length: payload.len() as u64,
                },
            ));
            bytes.extend(record(BLOCK, payload));
        }
        self.write(&bytes)?;
        for (number, place) in places {
            self.places[number] = Some(place);
        }
        if self.leaves == Leaves::WhatIsDone && self.synced.elapsed() >= SYNC_EVERY {
            self.synced = Instant::now();
            let synced = self.file.sync_data();
            synced.map_err(|error| self.error("syncing", error))?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let written = (|| {
            if std::mem::take(&mut self.ragged) {
                self.file.set_len(self.length)?;
            }
            self.file.seek(SeekFrom::Start(self.length))?;
            self.file.write_all(bytes)
        })();
        written.map_err(|error| self.error("writing", error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// The bytes of a block's group.
    pub(crate) fn read(&self, number: usize) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(place) = self.places.get(number).copied().flatten() else {
            return Ok(None);
        };
        let mut bytes = vec![0; place.length as usize];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(BundleError::read(&self.path))?;
        Ok(Some(bytes))
    }

    /// Ends a shard: syncs it, and gives it the name `output`. Returns its length in bytes.
    pub(crate) fn finish_as(mut self, output: &Path, overwrite: bool) -> Result<u64, StoreError> {
        self.write(&record(DONE, &[]))?;
        let synced = self.file.sync_all();
        synced.map_err(|error| self.error("syncing", error))?;
        rename_file(&self.path, output, overwrite).map_err(|error| {
            let path = output.to_owned();
            if error.kind() == io::ErrorKind::AlreadyExists {
                return BundleError::Exists { path };
            }
            BundleError::write(&path, "renaming it into place", 0, error)
        })?;
        self.leaves = Leaves::AsItIs;
        Ok(self.length)
    }

    /// Deletes a checkpoint, once the bundle is there.
    pub(crate) fn remove(mut self) -> Result<(), StoreError> {
        self.leaves = Leaves::AsItIs;
        Ok(remove(&self.path)?)
    }

    /// The file's name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The error of a group that is not what one was made of.
    pub(crate) fn damaged(&self, number: usize) -> StoreError {
        if let Some(source) = &self.source {
            let problem = format!(
                "expected a group of pairs of blocks, number {number} of PAIR, found other bytes"
            );
            return BundleError::section(source, Tag::PAIR, problem).into();
        }
        let place = self.places.get(number).copied().flatten();
        let offset = place.map_or(self.length, |place| place.offset);
        StoreError::of(&self.path, self.role.name(), Fault::Damaged(offset))
    }

    /// The error of a group that could not be encoded.
    pub(crate) fn cannot_encode(&self, error: io::Error) -> StoreError {
        self.error("compressing", error)
    }

    fn error(&self, action: &'static str, error: io::Error) -> StoreError {
        BundleError::write(&self.path, action, self.length, error).into()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.leaves == Leaves::Nothing || self.leaves == Leaves::WhatIsDone && self.is_empty() {
            remove(&self.path).ok();
        }
    }
}

/// Deletes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), BundleError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BundleError::write(path, "deleting it", 0, error))
        }
        _ => Ok(()),
    }
}

/// Locks a file for as long as it is open. A file system without locks is no reason to fail.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Busy {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// A name with something behind it.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
