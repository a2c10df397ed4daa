//! Errors of stores: checkpoints and shards.

use std::path::{Path, PathBuf};

use super::frame::{Fault, VERSION};
use crate::bundle::{BundleError, ErrorKind};

/// What can go wrong with checkpoints and shards.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system says no.
    #[error(transparent)]
    File(#[from] BundleError),
    /// Another process is at it.
    #[error("{}: another bake is at work on it; wait for its end, or write elsewhere (`output`)", path.display())]
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
    /// Another version of the program wrote it.
    #[error("{}: expected records of version {expected}, found {found}; use the version of \
         viewcell that wrote it, or bake again (`restart`)", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of this program.
        expected: u32,
        /// The file's.
        found: u32,
    },
    /// The file is damaged.
    #[error("{}: {problem} at byte {offset}; the file is damaged: copy it again, or bake again \
         (`restart`)", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// An earlier bake of the same job was not finished.
    #[error("{}: an earlier bake of the same job was stopped after {done} of {total} tiles; \
         continue it (`resume`), or start again (`restart`)", path.display())]
    Unfinished {
        /// The checkpoint.
        path: PathBuf,
        /// Tiles that are done.
        done: u32,
        /// Tiles of the job.
        total: u32,
    },
    /// The checkpoint is of another job.
    #[error("{}: is of another bake: expected {what} {asked}, found {found}; finish that one with \
         its own input and options (`resume`), or delete its work (`restart`), or write elsewhere \
         (`output`)", path.display())]
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
    #[error("{}: shard {index}/{of}: expected all of tiles {first} to {last}, found no end; it was \
         cut off, or its bake is not finished: copy it again, or continue it (`resume`)", path.display())]
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

impl StoreError {
    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Busy { .. } | Self::Unfinished { .. } => ErrorKind::Io,
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

    /// What is wrong with the file at `path`, which is to be a `kind` ("checkpoint" or "shard").
    pub(super) fn of(path: &Path, kind: &'static str, fault: Fault) -> Self {
        let path = path.to_owned();
        match fault {
            Fault::Io(error) => BundleError::Read { path, error }.into(),
            Fault::Foreign => Self::Foreign {
                path,
                expected: kind,
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
