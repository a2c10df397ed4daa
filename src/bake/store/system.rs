//! Names, locks and deletions of stores.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use crate::bundle::BundleError;

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
pub(super) fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Busy {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The name of a store that is not yet begun.
pub(super) fn fresh(store: &Path) -> PathBuf {
    beside(store, ".new")
}

/// A name with something behind it.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
