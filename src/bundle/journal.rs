//! A file of records that grows: found or begun, locked, and gone on with.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checkpoint::beside;
use super::error::{BundleError, ErrorKind};
use super::output::rename_file;
use super::records::{Fault, HEIGHTS, Head, JOB, Kind, Reader, Tile, VERSION, record, start};

/// What may be lost if the system, not only the process, dies.
const SYNC_EVERY: Duration = Duration::from_secs(10);

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

/// What can go wrong with checkpoints and shards.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file system says no.
    #[error(transparent)]
    File(#[from] BundleError),
    /// Another process is at it.
    #[error("{}: another bake is at work on it; wait for its end, or write elsewhere with -o", path.display())]
    Busy {
        /// The checkpoint or shard.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: expected a {expected} of viewcell, found another kind of file, which is kept; give the right file, or move this one away", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// The place for a bundle in the making is taken.
    #[error("{}: a file of this name is there, and no checkpoint beside it says whose it is; it is kept: move it away, or write elsewhere with -o", path.display())]
    Stray {
        /// The file.
        path: PathBuf,
    },
    /// Another version of the program wrote it.
    #[error("{}: expected records of version {expected}, found {found}; use the version of viewcell that wrote it, or bake anew (--restart)", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of this program.
        expected: u32,
        /// The file's.
        found: u32,
    },
    /// The file is damaged.
    #[error("{}: {problem} at byte {offset}; the file is damaged: copy it again, or bake anew (--restart)", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// An earlier bake of the same job was not finished.
    #[error("{}: an earlier bake of the same job was stopped after {done} of {total} tiles; go on with --resume, or start anew with --restart", path.display())]
    Unfinished {
        /// The checkpoint.
        path: PathBuf,
        /// Tiles that are done.
        done: u32,
        /// Tiles of the job.
        total: u32,
    },
    /// The checkpoint is of another job.
    #[error("{}: is of another bake: expected {what} {asked}, found {found}; finish that one as it was begun with --resume, or delete what it did with --restart, or write elsewhere with -o", path.display())]
    OtherJob {
        /// The checkpoint.
        path: PathBuf,
        /// In what they differ.
        what: String,
        /// What it is now.
        asked: String,
        /// What it was then.
        found: String,
    },
    /// Nothing to merge.
    #[error("expected at least one shard to merge")]
    NoShards,
    /// Two shards are of different jobs.
    #[error("{} and {}: are shards of different bakes: {what} is {one} in the first, {other} in the second; merge shards of one input, baked with the same options by the same version", first.display(), second.display())]
    Different {
        /// A shard.
        first: PathBuf,
        /// Another.
        second: PathBuf,
        /// In what they differ.
        what: String,
        /// What it is in the first.
        one: String,
        /// What it is in the second.
        other: String,
    },
    /// A shard is not whole.
    #[error("{}: shard {index}/{of}: expected all of tiles {first} to {last}, found no end; it was cut off, or its bake is not finished: copy it again, or go on with --resume", path.display())]
    Incomplete {
        /// The shard.
        path: PathBuf,
        /// Its number.
        index: u32,
        /// Of so many.
        of: u32,
        /// Its first tile.
        first: u32,
        /// Its last tile.
        last: u32,
    },
    /// Some tiles are in no shard.
    #[error(
        "tiles {first} to {last} of {total} are missing: {}; bake the share that is missing, and merge all",
        neighbours(before, after)
    )]
    Gap {
        /// The shard that ends before the gap.
        before: Option<PathBuf>,
        /// The shard that begins after it.
        after: Option<PathBuf>,
        /// The first tile missing.
        first: u32,
        /// The last of the gap.
        last: u32,
        /// Tiles of the job.
        total: u32,
    },
    /// Some tiles are in two shards.
    #[error("{} and {}: both hold tiles {from} to {to}; leave one of the two out", first.display(), second.display())]
    Overlap {
        /// A shard.
        first: PathBuf,
        /// Another.
        second: PathBuf,
        /// The first tile in both.
        from: u32,
        /// The last.
        to: u32,
    },
}

/// Which shards lie beside a gap.
fn neighbours(before: &Option<PathBuf>, after: &Option<PathBuf>) -> String {
    let before = before.as_ref().map(|path| path.display().to_string());
    let after = after.as_ref().map(|path| path.display().to_string());
    match (before, after) {
        (Some(before), Some(after)) => format!("{before} ends before them, {after} begins after"),
        (Some(before), None) => format!("{before} is the last shard, and ends before them"),
        (None, Some(after)) => format!("{after} is the first shard, and begins after them"),
        (None, None) => "no shard holds a tile".to_owned(),
    }
}

impl RecordError {
    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Busy { .. } | Self::Stray { .. } | Self::Unfinished { .. } => ErrorKind::Io,
            Self::OtherJob { .. } | Self::NoShards => ErrorKind::Usage,
            Self::Foreign { .. }
            | Self::Version { .. }
            | Self::Damaged { .. }
            | Self::Different { .. }
            | Self::Incomplete { .. }
            | Self::Gap { .. }
            | Self::Overlap { .. } => ErrorKind::Input,
        }
    }

    pub(super) fn of(path: &Path, kind: Kind, fault: Fault) -> Self {
        let path = path.to_owned();
        match fault {
            Fault::Io(error) => BundleError::Read { path, error }.into(),
            Fault::Foreign => Self::Foreign {
                path,
                expected: kind.name(),
            },
            Fault::Version(found) => Self::Version {
                path,
                expected: VERSION,
                found,
            },
            Fault::Short => Self::Damaged {
                offset: std::fs::metadata(&path).map_or(0, |file| file.len()),
                path,
                problem: "expected more, found the end of the file",
            },
            Fault::Damaged(offset) => Self::Damaged {
                path,
                offset,
                problem: "expected what was written there, found other bytes",
            },
        }
    }
}

/// A file of records in the making: locked, and only ever appended to.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Records that an earlier process left; until the first is written by this one.
    old: Option<Reader>,
    /// Length of what is known to be right.
    length: u64,
    /// Tiles in that.
    tiles: u32,
    /// Whether an earlier process left something.
    inherited: bool,
    synced: Instant,
}

impl Journal {
    /// Finds or begins the file `path` of `head` and further records `more`.
    ///
    /// `part` is the file that records of this kind speak of, if they do. It is known by the
    /// records, and goes where they go.
    pub fn open(
        path: &Path,
        part: Option<&Path>,
        kind: Kind,
        head: &Head,
        more: &[u8],
        keep: Keep,
    ) -> Result<Self, RecordError> {
        let begin = |old: bool| Self::begin(path, part, kind, head, more, old);
        let read = |error| BundleError::Read {
            path: path.to_owned(),
            error,
        };
        let fault = |fault| RecordError::of(path, kind, fault);
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return begin(false),
            other => other.map_err(read)?,
        };
        lock(&file, path)?;
        let copy = file.try_clone().map_err(read)?;
        let old = Reader::open(copy, kind).and_then(|mut reader| {
            let head = reader.head()?;
            if kind == Kind::Shard {
                reader.expect(HEIGHTS)?;
            }
            Ok((reader, head))
        });
        let (mut reader, old) = match (old, keep) {
            (Err(Fault::Foreign), _) => return Err(fault(Fault::Foreign)),
            // It is begun under another name: only half a head means that nothing can be read.
            (Err(Fault::Short), Keep::Resume) | (_, Keep::Restart) => return begin(true),
            (old, _) => old.map_err(fault)?,
        };
        let length = reader.position();
        let done = match keep {
            Keep::Resume => None,
            _ => Some(count(&mut reader, kind)),
        };
        // Without the part, as after a kill between its renaming and the end, all that the
        // records speak of is gone.
        let lost = part.is_some_and(|part| !part.exists());
        if lost || done == Some(0) {
            return begin(true);
        }
        if let Some(difference) = head.difference(&old) {
            return Err(RecordError::OtherJob {
                path: path.to_owned(),
                what: difference.what,
                asked: difference.first,
                found: difference.second,
            });
        }
        if let Some(done) = done {
            let share = head.share.map(|share| share.end - share.first);
            return Err(RecordError::Unfinished {
                path: path.to_owned(),
                done,
                total: share.unwrap_or(head.job.tiles),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            old: Some(reader),
            length,
            tiles: 0,
            inherited: true,
            synced: Instant::now(),
        })
    }

    fn begin(
        path: &Path,
        part: Option<&Path>,
        kind: Kind,
        head: &Head,
        more: &[u8],
        replace: bool,
    ) -> Result<Self, RecordError> {
        let write = |error| BundleError::write(path, "beginning it", 0, error);
        if let Some(part) = part {
            if replace {
                remove(part)?;
            } else if part.symlink_metadata().is_ok() {
                return Err(RecordError::Stray {
                    path: part.to_owned(),
                });
            }
        }
        let head = serde_json::to_vec(head).map_err(|error| write(error.into()))?;
        let bytes = [&start(kind)[..], &record(JOB, &head), more].concat();
        // Under a lasting name first: what a killed process has left is begun anew.
        let fresh = fresh(path);
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&fresh)
            .map_err(write)?;
        lock(&file, path)?;
        let begun = file
            .set_len(0)
            .and_then(|()| file.write_all(&bytes))
            .and_then(|()| file.sync_all())
            .and_then(|()| rename_file(&fresh, path, replace));
        if let Err(error) = begun {
            remove(&fresh).ok();
            return Err(write(error).into());
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            old: None,
            length: bytes.len() as u64,
            tiles: 0,
            inherited: false,
            synced: Instant::now(),
        })
    }

    /// What an earlier process left, from the first tile that is not yet kept.
    pub fn old(&mut self) -> Option<&mut Reader> {
        self.old.as_mut()
    }

    /// Keeps all that was read of what an earlier process left: one more tile.
    pub fn keep(&mut self) {
        if let Some(old) = &self.old {
            self.length = old.position();
            self.tiles += 1;
        }
    }

    /// Whether it is time to sync.
    pub fn wants_sync(&self) -> bool {
        self.synced.elapsed() >= SYNC_EVERY
    }

    /// Appends a finished tile, with or without its trees.
    pub fn append(&mut self, tile: &Tile, with_trees: bool) -> Result<(), RecordError> {
        self.write(&tile.record())?;
        if with_trees {
            self.write(&tile.trees)?;
        }
        self.tiles += 1;
        if self.wants_sync() {
            self.synced = Instant::now();
            let synced = self.file.sync_data();
            synced.map_err(|error| self.error("syncing", error))?;
        }
        Ok(())
    }

    /// Appends bytes; what an earlier process left and was not kept is cut off.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        let written = (|| {
            if self.old.take().is_some() {
                self.file.set_len(self.length)?;
                self.file.seek(SeekFrom::Start(self.length))?;
            }
            self.file.write_all(bytes)
        })();
        written.map_err(|error| self.error("writing", error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Makes all of it durable.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.write(&[])?;
        let synced = self.file.sync_all();
        synced.map_err(|error| self.error("syncing", error))
    }

    fn error(&self, action: &'static str, error: io::Error) -> RecordError {
        BundleError::write(&self.path, action, self.length, error).into()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length in bytes of what is known to be right.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Tiles that are kept.
    pub fn tiles(&self) -> u32 {
        self.tiles
    }

    /// Whether nothing would be lost with it.
    pub fn is_empty(&self) -> bool {
        self.tiles == 0 && !self.inherited
    }
}

/// Deletes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), BundleError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BundleError::write(path, "deleting it", 0, error))
        }
        _ => Ok(()),
    }
}

/// Locks a file for as long as it is open. A file system without locks is no reason to fail.
fn lock(file: &File, path: &Path) -> Result<(), RecordError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(RecordError::Busy {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The name of a journal that is not yet begun.
pub(super) fn fresh(journal: &Path) -> PathBuf {
    beside(journal, ".new")
}

/// Tiles up to the end, or to the first thing that is not right.
fn count(reader: &mut Reader, kind: Kind) -> u32 {
    let mut tiles = 0;
    while let Ok(Some(tile)) = reader.tile() {
        if kind == Kind::Shard && reader.skip(tile.length()).is_err() {
            break;
        }
        tiles += 1;
    }
    tiles
}
