//! A bundle that is viewed, and may be replaced while it is.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::SystemTime;

use super::played::Played;
use crate::picture::Floors;
use viewcell::query::{MappedBundle, OpenError, OwnedBundle};

/// A file with a bundle.
pub(super) struct Shown {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    opened: Arc<Opened>,
    /// Of the file that was last tried to open: what has failed once is not tried again.
    stamp: Option<Stamp>,
    /// Why the file that is there now cannot be opened.
    fault: Option<String>,
}

/// A bundle as it was when it was opened.
pub(crate) struct Opened {
    /// The bundle.
    pub bundle: OwnedBundle,
    /// How many times the bundle had been replaced.
    pub generation: u64,
    /// How many see each place: counted when first asked for.
    pub exposure: Exposure,
    /// Players who walk on it.
    pub played: Played,
    /// The plans of a solid level: drawn when first asked for.
    pub floors: OnceLock<Option<Floors>>,
}

/// The longest file that is read as a whole. [Unit: bytes]
const READ: u64 = 1 << 28;

/// A count that goes on by itself.
#[derive(Default)]
pub(crate) struct Exposure {
    /// Whether anybody counts or has counted.
    pub begun: AtomicBool,
    /// Viewpoints done.
    pub done: AtomicU64,
    /// What came of it; none where the bundle is damaged.
    pub counts: OnceLock<Option<Vec<u32>>>,
}

/// What tells a file from the one that takes its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// Of the file that is there now.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            inode: inode(&metadata),
        })
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

impl Shown {
    /// Opens a bundle.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        // Before the file is opened: one that comes between is then found later.
        let stamp = Stamp::of(path).ok();
        let opened = Arc::new(Opened {
            bundle: open(path)?,
            generation: 0,
            exposure: Exposure::default(),
            played: Played::default(),
            floors: OnceLock::new(),
        });
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(State {
                opened,
                stamp,
                fault: None,
            }),
        })
    }

    /// The bundle that is there now; where it cannot be opened, the one before it.
    pub(super) fn current(&self) -> Arc<Opened> {
        self.refreshed().opened.clone()
    }

    /// Why the file that is there now cannot be opened, if so.
    pub(super) fn fault(&self) -> Option<String> {
        self.refreshed().fault.clone()
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the file.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    fn refreshed(&self) -> MutexGuard<'_, State> {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let stamp = match Stamp::of(&self.path) {
            Ok(stamp) => Some(stamp),
            // Between the old and the new one there may be none.
            Err(error) => {
                state.stamp = None;
                state.fault = Some(format!("{}: {error}", self.path.display()));
                return state;
            }
        };
        if state.stamp == stamp {
            return state;
        }
        state.stamp = stamp;
        state.fault = None;
        match open(&self.path) {
            Ok(bundle) => {
                state.opened = Arc::new(Opened {
                    bundle,
                    generation: state.opened.generation + 1,
                    exposure: Exposure::default(),
                    played: Played::default(),
                    floors: OnceLock::new(),
                });
            }
            Err(error) => state.fault = Some(error.to_string()),
        }
        state
    }
}

/// Opens a bundle that can be shown. One of usual length is read, so that whoever copies another over the file does no
/// harm; a map of a file that is cut short ends the process. A longer one is mapped: a file that is renamed to its
/// name leaves it as it is.
fn open(path: &Path) -> Result<OwnedBundle, OpenError> {
    let map = MappedBundle::open(path)?;
    let bundle = if map.bundle()?.bytes().len() as u64 > READ {
        OwnedBundle::of_map(map)
    } else {
        drop(map);
        let read = std::fs::read(path).map_err(|error| OpenError::Io {
            path: path.to_owned(),
            error,
        });
        OwnedBundle::from_bytes(read?)
    };
    bundle.map_err(|error| error.at(path))
}

impl Exposure {
    /// Whether this call is the first, and so the one that counts.
    pub(crate) fn begins(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }
}
