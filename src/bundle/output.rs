//! A file in the making: under another name, synced, and renamed when it is whole.
//!
//! At every moment the output's name stands for the old file or the new one.

use std::fs::File;
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

/// The file in the making.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    file: BufWriter<File>,
    name: PartName,
    pub(super) position: u64,
    /// Whether the file's cursor is elsewhere than `position`.
    moved: bool,
}

/// The name of a file in the making.
#[derive(Debug)]
enum PartName {
    /// Nobody else's; the file goes when its writer goes.
    Temporary(TempPath),
    /// Known to others; the file stays.
    Lasting(PathBuf),
}

impl Output {
    /// Begins a file that goes when it is dropped unnamed. In the making it is called `making`, in
    /// the same folder, or has a name that nobody else knows of. A file `making` that a killed
    /// process has left is begun anew; nobody else may be at it.
    pub(super) fn create(making: Option<&Path>, path: &Path) -> Result<Self, BundleError> {
        let created = match making {
            None => temporary_for(path).map(NamedTempFile::into_parts),
            Some(making) => {
                File::create(making).and_then(|file| Ok((file, TempPath::try_from_path(making)?)))
            }
        };
        let (file, temporary) = created
            .map_err(|error| BundleError::write(making.unwrap_or(path), "creating it", 0, error))?;
        Ok(Self::new(path, file, PartName::Temporary(temporary)))
    }

    /// Opens the file `part`, whatever is in it; makes it if there is none.
    pub(super) fn open(part: &Path, path: &Path) -> Result<Self, BundleError> {
        let file = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(part)
            .map_err(|error| BundleError::write(part, "opening it", 0, error))?;
        Ok(Self::new(path, file, PartName::Lasting(part.to_owned())))
    }

    fn new(path: &Path, file: File, name: PartName) -> Self {
        Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 20, file),
            name,
            position: 0,
            moved: false,
        }
    }

    pub(super) fn error(&self, action: &'static str, error: io::Error) -> BundleError {
        BundleError::write(&self.path, action, self.position, error)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        if std::mem::take(&mut self.moved) {
            let place = SeekFrom::Start(self.position);
            let sought = self.file.seek(place);
            sought.map_err(|error| self.error("going on with it", error))?;
        }
        self.file
            .write_all(bytes)
            .map_err(|error| self.error("writing", error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Leaves the next `length` bytes of the file as they are.
    pub(super) fn pass_over(&mut self, length: u64) {
        self.position += length;
        self.moved = true;
    }

    /// Hands all that was written to the system.
    pub(super) fn flush(&mut self) -> Result<(), BundleError> {
        let flushed = self.file.flush();
        flushed.map_err(|error| self.error("writing", error))
    }

    /// Hands all that was written to the device.
    pub(super) fn sync(&mut self) -> Result<(), BundleError> {
        self.flush()?;
        let synced = self.file.get_ref().sync_data();
        synced.map_err(|error| self.error("syncing", error))
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

    /// Puts `start` at the beginning of the file, which is whole then, and leaves it where it
    /// is, under the name that it has in the making.
    pub(super) fn complete(mut self, start: &[&[u8]]) -> Result<Part, BundleError> {
        let finished = self.write_start(start);
        finished.map_err(|error| self.error("writing", error))?;
        Ok(Part(self.name))
    }

    fn write_start(&mut self, start: &[&[u8]]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        for bytes in start {
            self.file.write_all(bytes)?;
        }
        self.file.flush()?;
        // One that was gone on with may be longer than it comes to.
        self.file.get_ref().set_len(self.position)
    }

    /// Puts `start` at the beginning of the file, makes the file durable, and names it.
    pub(super) fn persist(mut self, start: &[&[u8]], overwrite: bool) -> Result<(), BundleError> {
        let finished = (|| {
            self.write_start(start)?;
            self.file.get_ref().sync_all()
        })();
        finished.map_err(|error| self.error("syncing", error))?;
        let Self {
            path,
            file,
            name,
            position,
            ..
        } = self;
        drop(file);
        let named = match name {
            PartName::Temporary(temporary) => name_file(temporary, &path, overwrite),
            PartName::Lasting(part) => rename_file(&part, &path, overwrite),
        };
        named.map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return BundleError::Exists { path: path.clone() };
            }
            BundleError::write(&path, "renaming it into place", position, error)
        })
    }
}

/// A whole file that is not the output, but what the output is made of.
#[derive(Debug)]
pub struct Part(PartName);

impl Part {
    /// An empty file in the folder of `path`, that nobody else knows of.
    pub fn beside(path: &Path) -> Result<Self, BundleError> {
        let temporary = temporary_for(path)
            .map_err(|error| BundleError::write(path, "creating it", 0, error))?;
        Ok(Self(PartName::Temporary(temporary.into_temp_path())))
    }

    /// An empty file `path` that goes when it is dropped; one that a killed process has left is
    /// begun anew. Nobody else may be at it.
    pub fn named(path: &Path) -> Result<Self, BundleError> {
        let created = File::create(path).and_then(|_| TempPath::try_from_path(path));
        let temporary =
            created.map_err(|error| BundleError::write(path, "creating it", 0, error))?;
        Ok(Self(PartName::Temporary(temporary)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        match &self.0 {
            PartName::Temporary(path) => path,
            PartName::Lasting(path) => path,
        }
    }

    /// Deletes it. One that nobody else knows of goes too when it is dropped.
    pub fn remove(self) -> Result<(), BundleError> {
        let path = self.path().to_owned();
        std::fs::remove_file(&path)
            .map_err(|error| BundleError::write(&path, "deleting it", 0, error))
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
pub(super) fn rename_file(part: &Path, path: &Path, overwrite: bool) -> io::Result<()> {
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
    save_file(path, overwrite, write).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => BundleError::Exists {
            path: path.to_owned(),
        },
        _ => BundleError::write(path, "saving it", 0, error),
    })
}

fn save_file(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = temporary_for(path)?;
    let mut buffered = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    temporary.as_file().sync_all()?;
    name_file(temporary.into_temp_path(), path, overwrite)
}
