//! A file in the making: under another name, synced, and renamed when it is whole.
//!
//! At every moment the output's name stands for the old file or the new one.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::error::BundleError;
use crate::format::header::ALIGNMENT;
use crate::format::{Section, Tag};

/// zstd level of the cold sections: compressed once, read now and then.
const ZSTD_LEVEL: i32 = 12;

/// A section that is being streamed.
#[derive(Clone, Debug)]
pub(super) struct OpenSection {
    tag: Tag,
    flags: u32,
    pub(super) offset: u64,
    pub(super) checksum: crc32fast::Hasher,
}

/// The file in the making. It goes when it is dropped unnamed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    file: BufWriter<File>,
    /// Its name in the making, where it has one.
    temporary: Option<TempPath>,
    pub(super) position: u64,
}

impl Output {
    /// Begins a file in the folder of `path`. Where the system knows files without a name, nothing
    /// is left behind of a process that is killed.
    pub(super) fn create(path: &Path) -> Result<Self, BundleError> {
        let created = match nameless::create(folder_of(path)) {
            Some(file) => Ok((file, None)),
            None => temporary_for(path).map(|temporary| {
                let (file, path) = temporary.into_parts();
                (file, Some(path))
            }),
        };
        let (file, temporary) =
            created.map_err(|error| BundleError::write(path, "creating it", 0, error))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 20, file),
            temporary,
            position: 0,
        })
    }

    pub(super) fn error(&self, action: &'static str, error: io::Error) -> BundleError {
        BundleError::write(&self.path, action, self.position, error)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        self.file
            .write_all(bytes)
            .map_err(|error| self.error("writing", error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Begins a section at the next aligned place.
    pub(super) fn begin(&mut self, tag: Tag, flags: u32) -> Result<OpenSection, BundleError> {
        let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])?;
        Ok(OpenSection {
            tag,
            flags,
            offset: self.position,
            checksum: crc32fast::Hasher::new(),
        })
    }

    /// Ends the section, all of which has been written.
    pub(super) fn end(&self, section: OpenSection) -> Section {
        let length = self.position - section.offset;
        Section {
            tag: section.tag,
            flags: section.flags,
            offset: section.offset,
            stored_length: length,
            length,
            checksum: section.checksum.finalize(),
        }
    }

    /// Writes a whole section, piece by piece.
    pub(super) fn section<P: AsRef<[u8]>>(
        &mut self,
        tag: Tag,
        flags: u32,
        pieces: impl IntoIterator<Item = P>,
    ) -> Result<Section, BundleError> {
        let mut section = self.begin(tag, flags)?;
        // Checksums are fast only over long runs.
        let mut run = Vec::with_capacity(1 << 16);
        let mut pieces = pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            run.extend_from_slice(piece.as_ref());
            if run.len() >= 1 << 15 || pieces.peek().is_none() {
                section.checksum.update(&run);
                self.write(&run)?;
                run.clear();
            }
        }
        Ok(self.end(section))
    }

    /// Writes a whole section as a zstd frame.
    pub(super) fn compressed_section(
        &mut self,
        tag: Tag,
        bytes: &[u8],
    ) -> Result<Section, BundleError> {
        // One thread: zstd's bytes depend on whether it has workers.
        let frame = zstd::bulk::compress(bytes, ZSTD_LEVEL)
            .map_err(|error| self.error("compressing", error))?;
        let mut section = self.section(tag, Section::ZSTD, [frame])?;
        section.length = bytes.len() as u64;
        Ok(section)
    }

    /// Puts `start` at the beginning of the file, makes the file durable, and names it.
    pub(super) fn persist(mut self, start: &[&[u8]], overwrite: bool) -> Result<(), BundleError> {
        let finished = (|| {
            self.file.seek(SeekFrom::Start(0))?;
            for bytes in start {
                self.file.write_all(bytes)?;
            }
            self.file.flush()?;
            self.file.get_ref().sync_all()
        })();
        finished.map_err(|error| self.error("syncing", error))?;
        let Self {
            path,
            file,
            temporary,
            position,
        } = self;
        let named = match temporary {
            Some(temporary) => name_file(temporary, &path, overwrite),
            None => {
                nameless::name(file.get_ref(), &path, overwrite).map(|()| sync_folder_of(&path))
            }
        };
        named.map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return BundleError::Exists { path: path.clone() };
            }
            BundleError::write(&path, "renaming it into place", position, error)
        })
    }
}

/// An empty file in the folder of `path`, without a name: it goes when it is closed.
pub(crate) fn scratch_beside(path: &Path) -> Result<File, BundleError> {
    tempfile::tempfile_in(folder_of(path))
        .map_err(|error| BundleError::write(path, "creating what it is made of", 0, error))
}

/// Errors where an output would not be written in the end, so that it shows before the work.
///
/// [`super::TerrainWriter::create`] calls it too; a caller with a long way to go before that may call
/// it first.
pub fn check_output(path: &Path, overwrite: bool) -> Result<(), BundleError> {
    let folder = folder_of(path);
    let Some(name) = path.file_name() else {
        return Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a folder",
        });
    };
    if !folder.is_dir() {
        return Err(BundleError::NoFolder {
            folder: folder.to_owned(),
            name: PathBuf::from(name),
        });
    }
    match std::fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(there) if there.is_dir() => Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a folder",
        }),
        Ok(_) if !overwrite => Err(BundleError::Exists {
            path: path.to_owned(),
        }),
        // A rename would put a file in the place of a device or a pipe.
        Ok(there) if !there.is_file() && !there.is_symlink() => Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a device or a pipe",
        }),
        Ok(_) => Ok(()),
    }
}

/// Files that have no name until they are whole.
#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use tempfile::TempPath;

    /// Where the system shows an open file.
    fn shown_at(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }

    /// A file in a folder; `None` where the file system cannot, or could not name it in the end.
    pub fn create(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // The process's umask takes away what a new file of this user must not have.
        let file = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
        let file = File::from(file);
        shown_at(&file).exists().then_some(file)
    }

    /// Names it.
    pub fn name(file: &File, path: &Path, overwrite: bool) -> io::Result<()> {
        let link = |to: &Path| linkat(CWD, shown_at(file), CWD, to, AtFlags::SYMLINK_FOLLOW);
        match link(path) {
            Err(rustix::io::Errno::EXIST) if overwrite => {
                // What is there is replaced in one step, by a rename. A name that is taken is one
                // that a process with the same number has left.
                let beside = format!(".viewcell-{}-{}.part", std::process::id(), file.as_raw_fd());
                let beside = path.with_file_name(beside);
                std::fs::remove_file(&beside).ok();
                link(&beside)?;
                TempPath::try_from_path(&beside)?.persist(path)?;
                Ok(())
            }
            linked => Ok(linked?),
        }
    }
}

/// Elsewhere files in the making have names.
#[cfg(not(target_os = "linux"))]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn create(_: &Path) -> Option<File> {
        None
    }

    pub fn name(_: &File, _: &Path, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file in the folder of `path`, with the permissions that a new file has.
fn temporary_for(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".viewcell-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process's umask takes away what a new file of this user must not have.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
}

/// Renames a temporary file to `path`, and makes the name durable.
fn name_file(temporary: TempPath, path: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        temporary.persist(path)?;
    } else {
        temporary.persist_noclobber(path)?;
    }
    sync_folder_of(path);
    Ok(())
}

/// Renames the file `part` to `path`, and makes the name durable. On an error `part` stays.
pub(crate) fn rename_file(part: &Path, path: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        std::fs::rename(part, path)?;
    } else if let Err(error) = TempPath::try_from_path(part)?.persist_noclobber(path) {
        // It is no temporary file: it shall not go with its name.
        error.path.keep().map_err(|kept| kept.error)?;
        return Err(error.error);
    }
    sync_folder_of(path);
    Ok(())
}

/// A rename is durable once its folder is. Some file systems cannot sync a folder; the file is
/// whole all the same.
fn sync_folder_of(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        folder.sync_all().ok();
    }
}

/// Writes a small file in one go, as bundles are written: under a temporary name, synced, then
/// renamed. Errors as [`check_output`] does, and where writing fails.
pub fn save(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), BundleError> {
    save_with(path, overwrite, |file| file.write_all(bytes))
}

/// Writes a file, as bundles are written, piece by piece: whatever `write` writes. Errors as
/// [`check_output`] does, and where `write` or the system fails; then nothing is left behind.
pub fn save_with(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), BundleError> {
    check_output(path, overwrite)?;
    save_file(path, overwrite, None, write).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => BundleError::Exists {
            path: path.to_owned(),
        },
        _ => BundleError::write(path, "saving it", 0, error),
    })
}

/// Puts another file, as [`save`] writes it, in the place of one that is there: its permissions stay, and
/// where its name is a link, the link does. On an error the file is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    let replaced = path.canonicalize().and_then(|path| {
        let permissions = std::fs::metadata(&path)?.permissions();
        save_file(&path, true, Some(permissions), |file| file.write_all(bytes))
    });
    replaced.map_err(|error| BundleError::write(path, "writing it anew", 0, error))
}

fn save_file(
    path: &Path,
    overwrite: bool,
    permissions: Option<Permissions>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = temporary_for(path)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    let mut buffered = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    temporary.as_file().sync_all()?;
    name_file(temporary.into_temp_path(), path, overwrite)
}
