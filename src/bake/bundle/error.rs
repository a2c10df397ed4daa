//! What can go wrong with a bundle on disk.

use std::io;
use std::path::{Path, PathBuf};

use viewcell::format::{FormatError, Quad, Tag};

/// What can go wrong with a bundle on disk. Says the file, the place in it, what was expected,
/// what was found, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The output is there already.
    #[error("{}: exists already and is kept; choose another name, or overwrite it (`overwrite`)", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output's folder is not there.
    #[error("{}: expected an existing folder to write {} into; create it first", folder.display(), name.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// The output's name.
        name: PathBuf,
    },
    /// The output is a folder, or something else that is no regular file.
    #[error("{}: expected a file name to write to, found {found}", path.display())]
    NotAFile {
        /// The output.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// No space left on the device, or a quota is used up.
    #[error("{}: no space left after {written} bytes ({error}): free some space, or write elsewhere (`output`)", path.display())]
    NoSpace {
        /// The output.
        path: PathBuf,
        /// Bytes written so far.
        written: u64,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The index of the trees does not fit into memory.
    #[error("{}: cannot be written: an index of {bytes} bytes does not fit into memory; bake a smaller part (`crop`)", path.display())]
    Memory {
        /// The output.
        path: PathBuf,
        /// Bytes asked for.
        bytes: u64,
    },
    /// Writing failed.
    #[error("{}: cannot be written ({action}): {error}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// Reading failed.
    #[error("{}: cannot be read: {error}; check the path and the permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The file is no bundle that this version reads.
    #[error("{}: {error}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        error: FormatError,
    },
    /// The file is another of this program's.
    #[error("{}: expected a bundle, found {found}; {remedy}", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What to do with it.
        remedy: &'static str,
    },
    /// A section does not hold what it should.
    #[error("{}: section {section}: {problem}; the file is damaged: copy or bake it again", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// The section.
        section: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The bytes contradict each other.
    #[error("{}: {problem}; the file is damaged: copy or bake it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In what.
        problem: String,
    },
    /// A bundle does not hold what hides, so that nothing can be proven again.
    #[error("{}: expected a bundle that holds what hides, to prove again that it does, found {found}; bake it again, and compare the two (`viewcell diff`)", path.display())]
    Unprovable {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The header's grid and the heights do not belong together.
    #[error("expected {expected} heights for the grid, found {found}")]
    Heights {
        /// Samples of the grid.
        expected: u64,
        /// Heights given.
        found: u64,
    },
    /// Trees came in another order than bake order, or too few or too many came.
    #[error(
        "expected the tree of {expected:?} next, found {found:?}: trees must come in bake order"
    )]
    Order {
        /// The quad whose tree is due; `None` after the last.
        expected: Option<Quad>,
        /// The quad given; `None` at the end.
        found: Option<Quad>,
    },
}

/// The class of an error, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The options are wrong, or the caller broke a rule of the interface: exit code 2.
    Usage,
    /// The input is bad: exit code 3.
    Input,
    /// Could not read or write: exit code 4.
    Io,
    /// Out of a resource: exit code 5.
    Resource,
    /// Stopped on request, which only a bake is.
    Cancelled,
}

impl BundleError {
    /// What the system says where a file is read.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Self::Read {
            path: path.to_owned(),
            error,
        }
    }

    /// What is wrong with the bytes of a file.
    pub(crate) fn format(path: &Path) -> impl Fn(FormatError) -> Self + Copy {
        move |error| Self::Format {
            path: path.to_owned(),
            error,
        }
    }

    /// What is wrong with a section of a file.
    pub(crate) fn section(path: &Path, section: Tag, problem: impl Into<String>) -> Self {
        Self::Section {
            path: path.to_owned(),
            section: section.to_string(),
            problem: problem.into(),
        }
    }

    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Write { error, .. } | Self::Read { error, .. } if is_out_of_memory(error) => {
                ErrorKind::Resource
            }
            Self::Exists { .. }
            | Self::NoFolder { .. }
            | Self::NotAFile { .. }
            | Self::Write { .. }
            | Self::Read { .. } => ErrorKind::Io,
            Self::NoSpace { .. } | Self::Memory { .. } => ErrorKind::Resource,
            Self::Format { .. }
            | Self::OtherKind { .. }
            | Self::Section { .. }
            | Self::Damaged { .. }
            | Self::Unprovable { .. } => ErrorKind::Input,
            Self::Heights { .. } | Self::Order { .. } => ErrorKind::Usage,
        }
    }

    /// A failed write as an error, distinguished by its cause.
    pub(crate) fn write(path: &Path, action: &'static str, written: u64, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace {
                path,
                written,
                error,
            },
            io::ErrorKind::FileTooLarge => Self::Write {
                path,
                action,
                error: io::Error::new(
                    error.kind(),
                    format!(
                        "{error}: raise the limit on the size of files (ulimit -f), or write to a \
                         file system that allows larger files"
                    ),
                ),
            },
            kind if is_open_elsewhere(&error) => Self::Write {
                path,
                action,
                error: io::Error::new(
                    kind,
                    format!(
                        "{error} If another program has it open, close that first, or write under another name: Windows \
                         does not replace a file that is in use"
                    ),
                ),
            },
            _ => Self::Write {
                path,
                action,
                error,
            },
        }
    }
}

/// Whether the reason may be that a file is open or mapped, which on Windows cannot be replaced: access denied, a
/// sharing violation, a mapped section.
fn is_open_elsewhere(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 1224))
}

/// Whether memory is missing: zstd and the system say so in words alone, where an error has been
/// handed on.
pub(crate) fn is_out_of_memory(error: &io::Error) -> bool {
    let text = error.to_string();
    let words = ["not enough memory", "Cannot allocate memory"];
    error.kind() == io::ErrorKind::OutOfMemory || words.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_memory_is_a_resource_and_no_damage() {
        let system = io::Error::from_raw_os_error(12);
        let zstd = io::Error::other("Allocation error : not enough memory");
        for error in [system, zstd, io::ErrorKind::OutOfMemory.into()] {
            let error = BundleError::write(Path::new("a.vcb"), "writing", 0, error);
            assert_eq!(error.kind(), ErrorKind::Resource, "{error}");
        }
        let other = io::Error::other("Data corruption detected");
        assert!(!is_out_of_memory(&other));
    }
}
