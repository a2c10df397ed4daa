//! An output file: written under another name, synced, and renamed when it is complete.
//!
//! At every moment the output's name stands for the old file or the new one.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::TempPath;

use super::error::BundleError;
use super::pages::Paged;
use super::provenance::Provenance;
use viewcell::format::header::{ALIGNMENT, ENTRY_LEN, HEADER_LEN};
use viewcell::format::sections::{self, SectionKind, Sizes};
use viewcell::format::{Header, Section, Tag, WorldKind, crc32};

/// zstd level of the cold sections: compressed once, read now and then.
const ZSTD_LEVEL: i32 = 12;

/// A section that is being streamed.
#[derive(Clone, Debug)]
pub(super) struct OpenSection {
    tag: Tag,
    flags: u32,
    offset: u64,
    checksum: crc32fast::Hasher,
}

/// The file in the making. It goes when it is dropped unnamed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    overwrite: bool,
    file: BufWriter<Paged<Part>>,
    pub(super) position: u64,
    /// What has been written.
    pub(super) sections: Vec<Section>,
    /// Sections that the table has room for, beside `PCRC`.
    expected: usize,
}

impl Output {
    /// Begins a file in the folder of `path`; errors as [`check_output`] does.
    pub(super) fn create(path: &Path, overwrite: bool) -> Result<Self, BundleError> {
        check_output(path, overwrite)?;
        let part = Part::create(path)
            .map_err(|error| BundleError::write(path, "creating it", 0, error))?;
        Ok(Self {
            path: path.to_owned(),
            overwrite,
            file: BufWriter::with_capacity(1 << 20, Paged::new(part)),
            position: 0,
            sections: Vec::new(),
            expected: 0,
        })
    }

    /// Leaves room for the header and for the table of the sections that a bundle of these sizes must have, of so many
    /// `optional` ones, and of `PCRC`. They come last; until then their place holds zeros, which no reader takes for a
    /// bundle.
    pub(super) fn begin_bundle(
        &mut self,
        kind: WorldKind,
        sizes: &Sizes,
        optional: usize,
    ) -> Result<(), BundleError> {
        let is_due = |of: &&SectionKind| of.when(Some(kind)).is_due(sizes) == Some(true);
        self.leave_room(sections::of(Some(kind)).filter(is_due).count() + optional)
    }

    /// The same for so many sections, and `PCRC`.
    pub(super) fn leave_room(&mut self, sections: usize) -> Result<(), BundleError> {
        let length = HEADER_LEN + (sections + 1) * ENTRY_LEN;
        let left = self.file.get_mut().leave_room(length);
        left.map_err(|error| self.error("writing", error))?;
        self.position = length as u64;
        self.expected = sections;
        Ok(())
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

    fn align(&mut self) -> Result<(), BundleError> {
        let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])
    }

    /// Begins a section at the next aligned place.
    pub(super) fn begin(&mut self, tag: Tag) -> Result<OpenSection, BundleError> {
        self.begin_with(tag, tag.kind().map_or(0, |kind| kind.flags))
    }

    /// Begins a section with flags that another file has.
    pub(super) fn begin_with(&mut self, tag: Tag, flags: u32) -> Result<OpenSection, BundleError> {
        self.align()?;
        Ok(OpenSection {
            tag,
            flags,
            offset: self.position,
            checksum: crc32fast::Hasher::new(),
        })
    }

    /// Appends to a section; returns where in it.
    pub(super) fn append(
        &mut self,
        section: &mut OpenSection,
        bytes: &[u8],
    ) -> Result<u64, BundleError> {
        let place = self.position - section.offset;
        section.checksum.update(bytes);
        self.write(bytes)?;
        Ok(place)
    }

    /// Ends the section, all of which has been written, and comes to `length` bytes where it is compressed.
    pub(super) fn end(&mut self, section: OpenSection, length: Option<u64>) {
        let stored_length = self.position - section.offset;
        self.sections.push(Section {
            tag: section.tag,
            flags: section.flags,
            offset: section.offset,
            stored_length,
            length: length.unwrap_or(stored_length),
            checksum: section.checksum.finalize(),
        });
    }

    /// Writes a whole section, piece by piece, as it is.
    pub(super) fn section<P: AsRef<[u8]>>(
        &mut self,
        tag: Tag,
        pieces: impl IntoIterator<Item = P>,
    ) -> Result<(), BundleError> {
        let mut section = self.begin(tag)?;
        // Checksums are fast only over long runs.
        let mut run = Vec::with_capacity(1 << 16);
        let mut pieces = pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            run.extend_from_slice(piece.as_ref());
            if run.len() >= 1 << 15 || pieces.peek().is_none() {
                self.append(&mut section, &run)?;
                run.clear();
            }
        }
        self.end(section, None);
        Ok(())
    }

    /// Writes a whole section: a cold one as a zstd frame.
    pub(super) fn whole(&mut self, tag: Tag, bytes: &[u8]) -> Result<(), BundleError> {
        let mut section = self.begin(tag)?;
        let is_cold = section.flags & Section::ZSTD != 0;
        if is_cold {
            // One thread: zstd's bytes depend on whether it has workers.
            let frame = zstd::bulk::compress(bytes, ZSTD_LEVEL)
                .map_err(|error| self.error("compressing", error))?;
            self.append(&mut section, &frame)?;
        } else {
            self.append(&mut section, bytes)?;
        }
        self.end(section, is_cold.then_some(bytes.len() as u64));
        Ok(())
    }

    /// Writes the provenance, the last section of its own that a bundle has, and finishes it ([`Output::finish`]).
    pub(super) fn finish_with(
        mut self,
        kind: WorldKind,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BundleError> {
        let text = serde_json::to_vec(provenance)
            .map_err(|error| self.error("writing provenance", error.into()))?;
        self.whole(Tag::PROV, &text)?;
        self.finish(Header::of(kind), most)
    }

    /// Appends the checksums by page, puts the header, with the version and kind of `like`, and the table of sections at
    /// the beginning of the file, makes it durable, and names it; a file of more than `most` bytes is not named.
    pub(super) fn finish(mut self, like: Header, most: u64) -> Result<Written, BundleError> {
        assert_eq!(self.sections.len(), self.expected);
        self.align()?;
        let flushed = self.file.flush();
        flushed.map_err(|error| self.error("writing", error))?;
        let sums = self.file.get_mut().sums();
        self.whole(Tag::PCRC, &sums)?;
        let sections = std::mem::take(&mut self.sections);
        let table: Vec<u8> = sections.iter().flat_map(Section::encode).collect();
        let bytes = self.position;
        let header = Header {
            file_length: bytes,
            section_count: sections.len() as u32,
            table_checksum: crc32(&table),
            ..like
        }
        .encode();
        if bytes <= most {
            self.persist(&[&header, &table])?;
        }
        Ok(Written {
            bytes,
            checksum: Header::checksum_of(&header),
            sections,
        })
    }

    /// Puts `start` at the beginning of the file, makes the file durable, and names it.
    fn persist(self, start: &[&[u8]]) -> Result<(), BundleError> {
        let Self {
            path,
            overwrite,
            file,
            position,
            ..
        } = self;
        let finished = file.into_inner().map_err(IntoInnerError::into_error);
        let finished = finished.and_then(|Paged { inner: part, .. }| {
            let mut file = &part.file;
            file.seek(SeekFrom::Start(0))?;
            for bytes in start {
                file.write_all(bytes)?;
            }
            file.sync_all()?;
            Ok(part)
        });
        let part =
            finished.map_err(|error| BundleError::write(&path, "syncing", position, error))?;
        let named = part.name(&path, overwrite);
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => BundleError::Exists { path: path.clone() },
            _ => BundleError::write(&path, "renaming it into place", position, error),
        })
    }
}

/// An empty file in the folder of `path`, without a name: it goes when it is closed.
pub(crate) fn scratch_beside(path: &Path) -> Result<File, BundleError> {
    tempfile::tempfile_in(folder_of(path))
        .map_err(|error| BundleError::write(path, "creating what it is made of", 0, error))
}

/// Opens a file that is kept beside an output, to be read and written: never what a link leads to, since anybody who may
/// write to the folder may have put a link there.
pub(crate) fn open_beside(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    let is_link = || std::fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    let link = || {
        io::Error::other(
            "expected a file of viewcell's own, found a link; move it away, or name another output",
        )
    };
    if cfg!(not(target_os = "linux")) && is_link() {
        return Err(link());
    }
    let opened = options.open(path);
    opened.map_err(|error| if is_link() { link() } else { error })
}

/// Makes the file that [`open_beside`] opens: it has its name when these bytes are in it, and from then on is locked by this
/// process. What is there is replaced, a link and not what it leads to, if that is wanted.
pub(crate) fn create_beside(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<File> {
    let mut part = Part::create(path)?;
    part.write_all(bytes)?;
    part.file.sync_all()?;
    // Where the file system has no locks, that is no reason to fail.
    part.file.try_lock().ok();
    let file = part.file.try_clone()?;
    part.name(path, overwrite)?;
    Ok(file)
}

/// Errors where an output would not be written in the end, so that it shows before the work.
///
/// [`super::LevelsWriter::create`] calls it too; a caller with a long way to go before that may call
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

/// A file in the making. It goes when it is dropped, and when the process ends.
///
/// Where the system knows files without a name (Linux, on most file systems), it has none until it is
/// whole. Elsewhere it has one of its own, which is locked as long as the process lives.
#[derive(Debug)]
struct Part {
    file: File,
    /// Its name in the making, where it has one.
    temporary: Option<TempPath>,
}

/// Names of files in the making.
static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn named() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files in the making that have a name, for a process that a signal is about to end.
pub fn remove_parts() {
    for part in named().drain(..) {
        std::fs::remove_file(part).ok();
    }
}

impl Part {
    /// Begins a file in the folder of `path`, with the permissions that a new file has.
    fn create(path: &Path) -> io::Result<Self> {
        let folder = folder_of(path);
        remove_orphans(folder);
        if let Some(file) = nameless::create(folder) {
            let temporary = None;
            return Ok(Self { file, temporary });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::fs::Permissions;
            use std::os::unix::fs::PermissionsExt;
            // The process's umask takes away what a new file of this user must not have.
            builder.permissions(Permissions::from_mode(0o666));
        }
        // Listed under the lock of the list, so that no signal comes between.
        let mut list = named();
        let (file, temporary) = builder.tempfile_in(folder)?.into_parts();
        list.push(temporary.to_path_buf());
        // Where the file system has no locks, nobody takes it for an orphan either.
        file.try_lock().ok();
        Ok(Self {
            file,
            temporary: Some(temporary),
        })
    }

    /// Gives it its name, and makes that durable.
    fn name(mut self, path: &Path, overwrite: bool) -> io::Result<()> {
        match self.temporary.take() {
            None => nameless::name(&self.file, path, overwrite)?,
            Some(temporary) => {
                let mut list = named();
                list.retain(|part| part != &*temporary);
                if overwrite {
                    temporary.persist(path)?
                } else {
                    temporary.persist_noclobber(path)?
                }
            }
        }
        sync_folder_of(path);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let mut list = named();
            list.retain(|part| part != &*temporary);
            // Under the lock, so that a signal finds it there or does not find it.
            drop(temporary);
        }
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// How names of files in the making begin and end.
const PREFIX: &str = ".viewcell-";
const SUFFIX: &str = ".part";

/// Removes what killed processes have left in a folder: files in the making that nobody has locked, and
/// that have not been written for a minute.
fn remove_orphans(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if !(name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())) {
            continue;
        }
        let is_old = |data: Metadata| {
            let age = data.modified().ok().and_then(|time| time.elapsed().ok());
            data.is_file() && age.is_some_and(|age| age > Duration::from_secs(60))
        };
        let is_free = |path: &Path| File::open(path).is_ok_and(|file| file.try_lock().is_ok());
        let path = entry.path();
        if entry.metadata().is_ok_and(is_old) && is_free(&path) {
            std::fs::remove_file(path).ok();
        }
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
    pub(super) fn create(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // The process's umask takes away what a new file of this user must not have.
        let file = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
        let file = File::from(file);
        shown_at(&file).exists().then_some(file)
    }

    /// Names it.
    pub(super) fn name(file: &File, path: &Path, overwrite: bool) -> io::Result<()> {
        let link = |to: &Path| linkat(CWD, shown_at(file), CWD, to, AtFlags::SYMLINK_FOLLOW);
        match link(path) {
            Err(rustix::io::Errno::EXIST) if overwrite => {
                // What is there is replaced in one step, by a rename. A name that is taken is one
                // that a process with the same number has left.
                let number = file.as_raw_fd();
                let beside = format!(
                    "{}{}-{number}{}",
                    super::PREFIX,
                    std::process::id(),
                    super::SUFFIX
                );
                let beside = path.with_file_name(beside);
                // Under the lock of the list, so that a signal finds it there or does not find it.
                let mut list = super::named();
                list.push(beside.clone());
                std::fs::remove_file(&beside).ok();
                link(&beside)?;
                let renamed = TempPath::try_from_path(&beside)?.persist(path);
                list.retain(|part| *part != beside);
                Ok(renamed?)
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

    pub(super) fn create(_: &Path) -> Option<File> {
        None
    }

    pub(super) fn name(_: &File, _: &Path, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
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
    save_file(path, overwrite, write).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => BundleError::Exists {
            path: path.to_owned(),
        },
        _ => BundleError::write(path, "saving it", 0, error),
    })
}

/// Puts another file, as [`save`] writes it, in the place of one that is there: its permissions stay, and
/// where its name is a link, the link does. `held` keeps others from writing it until then; but Windows replaces no
/// file that is open, and there it is closed at the last moment. On an error the file is as it was.
pub fn replace(path: &Path, bytes: &[u8], held: File) -> Result<(), BundleError> {
    let replaced = path.canonicalize().and_then(|path| {
        let mut part = Part::create(&path)?;
        part.file.set_permissions(held.metadata()?.permissions())?;
        part.write_all(bytes)?;
        part.file.sync_all()?;
        if cfg!(windows) {
            drop(held);
        }
        part.name(&path, true)
    });
    replaced.map_err(|error| BundleError::write(path, "writing it anew", 0, error))
}

pub(super) fn save_file(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut part = Part::create(path)?;
    let mut buffered = BufWriter::with_capacity(1 << 16, &mut part);
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    part.file.sync_all()?;
    part.name(path, overwrite)
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Length of the bundle in bytes.
    pub bytes: u64,
    /// Checksum in its header, which stands for the whole file.
    pub checksum: u32,
    /// Its sections, of which the last has the checksums by page.
    pub sections: Vec<Section>,
}

impl Written {
    /// Its length without the checksums by page.
    pub(super) fn bytes_before_pages(&self) -> u64 {
        self.sections.last().map_or(0, |pages| pages.offset)
    }
}
