//! A ground file on disk: it grows in place, and nobody who maps it is disturbed. One at a time writes.

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
    let mut file = hold(path)?;
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

/// Opens a ground file so that nobody else makes it grow, or puts another in its place, until it is closed.
///
/// # Errors
///
/// Those of the system; another process that writes the file, or has just put another in its place.
pub fn hold(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    lock(&file)?;
    if !is_named(&file, path)? {
        return Err(io::Error::other(
            "somebody else put another in its place in the meantime; begin again",
        ));
    }
    Ok(file)
}

/// Whether a name still stands for an open file.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Elsewhere files have no numbers to tell them apart by.
#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Whoever opened a file that was compacted before they had the lock would make the old one grow.
    #[test]
    fn a_file_in_whose_place_another_was_put_is_told_apart() {
        let folder = std::env::temp_dir().join(format!("viewcell-store-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("g.vcg"), folder.join("other.vcg"));
        std::fs::write(&path, b"the same").unwrap();
        std::fs::write(&other, b"the same").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_named(&file, &path).unwrap());
        std::fs::rename(&other, &path).unwrap();
        assert!(!is_named(&file, &path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(is_named(&file, &path).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
