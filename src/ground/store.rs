//! A ground file on disk: it grows in place, and nobody who maps it is disturbed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::file::Growth;

/// Makes a ground file grow: writes what is new behind all that counts, has the system put it on the disk, and
/// then says in the head that it counts. What was there is never written over, but for the slot that is
/// not in use. On an error the file holds what it held.
///
/// # Errors
///
/// Those of the system; another process that writes the file; a file that was changed since the growth
/// was made.
pub fn grow(path: &Path, growth: &Growth) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    lock(&file)?;
    let mut head = vec![0; Growth::HEAD];
    file.read_exact(&mut head)?;
    if !growth.fits(&head) {
        return Err(io::Error::other(
            "somebody else changed it in the meantime; begin again",
        ));
    }
    write_at(&mut file, growth.at, &growth.bytes)?;
    file.sync_all()?;
    write_at(&mut file, growth.slot_at, &growth.slot)?;
    file.sync_all()
}

fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another process is writing it; wait until it is done",
        )),
        // Some file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
