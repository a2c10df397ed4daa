//! Bundles by memory map.

use core::sync::atomic::AtomicU8;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::bundle::Bundle;
use super::error::OpenError;
use super::terrain::TerrainBundle;
use crate::format::{Header, WorldKind};

/// A bundle in a mapped file: opened at once whatever its size, read from disk as it is asked.
///
/// # The file must not be truncated
///
/// While a file is mapped, cutting it short kills the process on every system, and writing into
/// it changes answers. `viewcell` never touches a bundle in place: it writes a new file and
/// renames it, which leaves those who have mapped the old one undisturbed. Do the same when you
/// deploy bundles; where others may write to the file, use [`MappedBundle::open_copy`].
#[derive(Debug)]
pub struct MappedBundle {
    map: memmap2::Mmap,
    /// Whether the map is of a copy, whose pages are nowhere else.
    #[cfg_attr(not(unix), allow(dead_code))]
    is_copy: bool,
    /// What was found of each page, where pages are checked.
    states: Option<Box<[AtomicU8]>>,
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> OpenError {
    |error| OpenError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Opens a regular file; with its length in bytes.
#[doc(hidden)]
pub fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    // Asked before opening, since opening a pipe waits for somebody to write.
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let what = "expected a regular file, found a device or a pipe";
        return Err(io::Error::other(what));
    }
    Ok((File::open(path)?, metadata.len()))
}

fn map_file(path: &Path) -> Result<memmap2::Mmap, OpenError> {
    let (file, _) = open_regular(path).map_err(io_error(path))?;
    // SAFETY: as long as nobody truncates or writes to
    // the file, as the type's documentation demands; other changes to the file's bytes
    // cannot do harm, since every access is checked and no bytes are trusted.
    #[allow(unsafe_code)]
    let map = unsafe { memmap2::Mmap::map(&file) };
    map.map_err(io_error(path))
}

/// The bytes of a file in memory of its own, in huge pages where the system has them to give.
fn copy_file(path: &Path) -> Result<memmap2::Mmap, OpenError> {
    let io = io_error(path);
    let (mut file, length) = open_regular(path).map_err(&io)?;
    let length = usize::try_from(length).map_err(|_| io(io::ErrorKind::OutOfMemory.into()))?;
    let mut map = memmap2::MmapMut::map_anon(length).map_err(&io)?;
    // Pages of the usual size serve as well, only slower.
    #[cfg(target_os = "linux")]
    map.advise(memmap2::Advice::HugePage).ok();
    file.read_exact(&mut map).map_err(&io)?;
    map.make_read_only().map_err(io)
}

impl MappedBundle {
    /// Maps a file and checks its header and section table.
    ///
    /// # Errors
    ///
    /// Where the file cannot be opened or mapped, and where [`Bundle::from_bytes`] errors.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::new(map_file(path)?, false, path)
    }

    /// Reads the file into memory, in a time that grows with its length. The file may then be written to or deleted.
    /// The copy lies in huge pages where the system has them: a large bundle, asked here and there, may otherwise
    /// wait for the address translation of each page.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, there is not as much memory, and where [`Bundle::from_bytes`] errors.
    pub fn open_copy(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::new(copy_file(path)?, true, path)
    }

    fn new(map: memmap2::Mmap, is_copy: bool, path: &Path) -> Result<Self, OpenError> {
        Bundle::from_bytes(&map).map_err(|error| error.at(path))?;
        Ok(Self {
            map,
            is_copy,
            states: None,
        })
    }

    /// The same, and checks every page of 64 KiB when it is first touched: [`Bundle::checked`]; [`Bundle::pages`] tells what was
    /// found. Room for a byte a page is made here.
    ///
    /// # Errors
    ///
    /// As [`MappedBundle::open`], and where the bundle has no checksums of pages (`viewcell repack` adds them).
    pub fn open_checked(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let mut opened = Self::open(path)?;
        let count = opened.bundle()?.page_count().unwrap_or(0);
        opened.states = Some((0..count).map(|_| AtomicU8::new(0)).collect());
        opened.bundle().map_err(|error| error.at(path))?;
        Ok(opened)
    }

    /// The same as [`MappedBundle::open`], and checks that the file was signed with the private key of a public
    /// one ([`Bundle::check_signature`]): for bundles that others made. Reads all of the file. Whoever can
    /// write to it later can change it all the same.
    ///
    /// # Errors
    ///
    /// As [`MappedBundle::open`] and [`Bundle::check_signature`].
    #[cfg(feature = "sign")]
    pub fn open_signed(
        path: impl AsRef<Path>,
        key: &crate::sign::PublicKey,
    ) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let opened = Self::open(path)?;
        let checked = opened.bundle()?.check_signature(key);
        checked.map_err(|error| error.at(path))?;
        Ok(opened)
    }

    /// The bundle. O(1), but checks header and table anew: keep what it returns.
    ///
    /// # Errors
    ///
    /// As [`Bundle::from_bytes`], if the file has been changed since it was opened.
    pub fn bundle(&self) -> Result<Bundle<'_>, OpenError> {
        let bundle = Bundle::from_bytes(&self.map)?;
        match &self.states {
            None => Ok(bundle),
            Some(states) => bundle.checked(states),
        }
    }

    /// The bundle as one of a terrain. O(1); keep what it returns.
    ///
    /// # Errors
    ///
    /// As [`Bundle::terrain`].
    pub fn terrain(&self) -> Result<TerrainBundle<'_>, OpenError> {
        self.bundle()?.terrain()
    }

    /// Lets the system take back the memory of what has been read so far; what is asked for again
    /// is read from the file again. For those who go through a large file once. A copy stays.
    pub fn let_go(&self) {
        #[cfg(unix)]
        if !self.is_copy {
            // SAFETY: the map is of a file and nobody writes into it: its pages come back as
            // they were. Where the system will not, nothing is lost.
            #[allow(unsafe_code)]
            unsafe {
                self.map
                    .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
            }
            .ok();
        }
    }

    /// What the bundle is of.
    pub fn kind(&self) -> Option<WorldKind> {
        Header::parse(&self.map).ok().map(|header| header.kind)
    }
}
